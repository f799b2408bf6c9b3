/* Sums whose error hardly grows with how many numbers are added.
 *
 * A block of BLOCK neighbours is added in vector lanes; the blocks' sums are added pairwise, in double. */
#ifndef LEAFWARD_SUMS_H
#define LEAFWARD_SUMS_H
#include <Python.h>
#include <math.h>

enum { BLOCK = 128 };

/* Sums of 1, 2, 4, ... summands, where the bits of `count` say which of them are taken. */
typedef struct { double level[64]; size_t count; } cascade;

static inline void add_to(cascade *sum, double value)
{
    int k = 0;
    for (size_t n = sum->count++; n & 1; n >>= 1) value += sum->level[k++];
    sum->level[k] = value;
}

static inline double total_of(const cascade *sum)
{
    double total = 0;
    int k = 0;
    for (size_t n = sum->count; n; n >>= 1, k++)
        if (n & 1) total += sum->level[k];
    return total;
}

static inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }
static inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) { return a > b ? a : b; }

#define SIMD(clauses) _Pragma(SIMD_TEXT(omp simd clauses))
#define SIMD_TEXT(text) #text
/* for (i = from; i < to; i++) in blocks: `at` begins one, `end` ends it */
#define EACH_BLOCK(n) for (Py_ssize_t at = 0, end; at < (n) && ((end = smaller(at + BLOCK, n)), 1); at = end)

#endif
