/* Sums whose error hardly grows with how many numbers are added.
 *
 * A block of BLOCK neighbours is added in vector lanes; the blocks' sums are added pairwise, in double. */
#ifndef LEAFWARD_SUMS_H
#define LEAFWARD_SUMS_H
#include <Python.h>
#include <math.h>

enum { BLOCK = 128, ABREAST = 32 };

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

#define ALIGNED __attribute__((aligned(64)))
static inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }
static inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) { return a > b ? a : b; }

#define SIMD(clauses) _Pragma(SIMD_TEXT(omp simd clauses))
#define SIMD_TEXT(text) #text

/* for (i = 0; i < n; i++), a cache line of numbers at a time, while those that are AHEAD come from memory: processors do not foresee
 * reads beyond a page, nor writes at all. */
#define FETCH(from) __builtin_prefetch((const char *)(from) + 2048)
#define AHEAD(pointer) FETCH((pointer) + line);
#define EACH_LINE(n, ahead, ...) { \
    Py_ssize_t line = 0; \
    for (; line + (Py_ssize_t)(64 / sizeof(REAL)) <= (n); line += 64 / sizeof(REAL)) { \
        ahead \
        SIMD() \
        for (Py_ssize_t i = line; i < line + (Py_ssize_t)(64 / sizeof(REAL)); i++) { __VA_ARGS__ } \
    } \
    SIMD() \
    for (Py_ssize_t i = line; i < (n); i++) { __VA_ARGS__ } \
}

/* for (i = from; i < to; i++), a few numbers at a time. What is put together of them is in that many lanes, j, and in the first of
 * them after JOIN: a compiler's own reduction ends with one number after the other, which takes as long as a block. */
#define AHEAD_OF_LANES(pointer) for (Py_ssize_t k = 0; k < ABREAST; k += 64 / sizeof(REAL)) FETCH((pointer) + line + k);
#define EACH_LANE(from, to, ahead, ...) { \
    Py_ssize_t line = (from); \
    for (; line + ABREAST <= (to); line += ABREAST) { \
        ahead \
        SIMD() \
        for (Py_ssize_t j = 0; j < ABREAST; j++) { const Py_ssize_t i = line + j; __VA_ARGS__ } \
    } \
    SIMD() \
    for (Py_ssize_t j = 0; j < (to) - line; j++) { const Py_ssize_t i = line + j; __VA_ARGS__ } \
}
#define JOIN(...) \
    for (Py_ssize_t width = ABREAST / 2; width > 0; width /= 2) { \
        SIMD() \
        for (Py_ssize_t j = 0; j < width; j++) { const Py_ssize_t k = j + width; __VA_ARGS__ } \
    }

/* for (i = from; i < to; i++) in blocks: `at` begins one, `end` ends it; in parts, of which a lane adds 16 */
#define EACH_PART(n, size) for (Py_ssize_t at = 0, end; at < (n) && ((end = smaller(at + (size), n)), 1); at = end)
#define EACH_BLOCK(n) EACH_PART(n, BLOCK)
#define EACH_LONG_BLOCK(n) EACH_PART(n, 16 * ABREAST)

#endif
