/* Normal numbers and integers of the generator's words. */
#include <Python.h>
#include <math.h>
#include <stdint.h>

void prepare_draws(void);
/* In place of uniform numbers, `n` of them, a multiple of 16. */
void normals_by_sixteens(float *values, Py_ssize_t n);
/* `count` lies in 2 ... 2**31. */
void words_below(const uint32_t *words, Py_ssize_t n, uint32_t count, int64_t low, int64_t *to);
/* Uniform numbers below 1 to such from `low` on, below `high`. In place. */
void floats_between(float *u, Py_ssize_t n, float low, float high);
void doubles_between(double *u, Py_ssize_t n, double low, double high);
