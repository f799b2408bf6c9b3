#include "draws_loops.h"
#define TEMPLATE "draws_template.h"
#define TYPES "draws_types.h"
#include "targets.h"

#if defined(__x86_64__)
#define FLOATS(f) {f##_plain_float, f##_avx2_float, f##_avx512_float}
#else
#define FLOATS(f) {f##_plain_float}
#endif
static void (*const normals[TARGETS])(float *, Py_ssize_t) = FLOATS(normals);
static void (*const remainders[TARGETS])(const uint32_t *, Py_ssize_t, uint32_t, int64_t, int64_t *) = FLOATS(remainders);
static void (*const floats[TARGETS])(float *, Py_ssize_t, float, float) = FLOATS(floats);
static void (*const doubles[TARGETS])(double *, Py_ssize_t, double, double) = FLOATS(doubles);
static int target;

void prepare_draws(void) { target = find_target(); }
void normals_by_sixteens(float *values, Py_ssize_t n) { normals[target](values, n); }
void words_below(const uint32_t *words, Py_ssize_t n, uint32_t count, int64_t low, int64_t *to)
{
    remainders[target](words, n, count, low, to);
}
void floats_between(float *u, Py_ssize_t n, float low, float high) { floats[target](u, n, low, high); }
void doubles_between(double *u, Py_ssize_t n, double low, double high) { doubles[target](u, n, low, high); }
