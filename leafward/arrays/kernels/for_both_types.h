/* The template for float32 and float64, with the vectors of the target that targets.h has chosen. */
#define LANES (BYTES / (int)sizeof(REAL))

#define REAL float
#define INTEGER int32_t
typedef REAL VECTOR __attribute__((vector_size(BYTES), aligned(4), may_alias));
#include TEMPLATE
#undef REAL
#undef INTEGER

#define REAL double
#define INTEGER int64_t
typedef REAL VECTOR __attribute__((vector_size(BYTES), aligned(8), may_alias));
#include TEMPLATE
#undef REAL
#undef INTEGER
#undef LANES
