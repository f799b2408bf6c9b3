/* The template once: its numbers are float32 and integers. */
#define REAL float
#include TEMPLATE
#undef REAL
