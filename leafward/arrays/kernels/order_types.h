/* The template once: its keys are of 64 bits, whatever they were made of. */
#define REAL keys
#include TEMPLATE
#undef REAL
