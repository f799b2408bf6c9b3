/* The template for float32 and float64, with the vectors of the target that targets.h has chosen. */
#define LANES (BYTES / (int)sizeof(REAL))

#define REAL float
typedef REAL VECTOR __attribute__((vector_size(BYTES), aligned(4), may_alias));
#include TEMPLATE
#undef REAL

#define REAL double
typedef REAL VECTOR __attribute__((vector_size(BYTES), aligned(8), may_alias));
#include TEMPLATE
#undef REAL
#undef LANES
