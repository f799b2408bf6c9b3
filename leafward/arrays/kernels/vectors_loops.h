/* What vectors_loops.c offers to small_vectors.pyx. */
#ifndef LEAFWARD_VECTORS_LOOPS_H
#define LEAFWARD_VECTORS_LOOPS_H
#include "pool.h"

/* A matrix, `pitch` elements from row to row, times a vector; or where it is turned, the vector times it. */
typedef struct {
    const void *a, *x;
    void *out;
    double *partial;
    Py_ssize_t rows, columns, pitch, per_share;
    int turned;
} vector_job;

/* All products of the elements of two matrices; or `out` is the gradient of these, and `dx` that of one matrix. */
typedef struct {
    const void *x, *y;
    void *out, *dx;
    Py_ssize_t n, columns, m, width, per_share;
} blocks_job;
enum { BLOCKS, LEFT_GRADIENT, RIGHT_GRADIENT };

int vectors_start(void);
void vector_product(vector_job *job, int wide);
void vectors_dot(const void *x, const void *y, Py_ssize_t n, void *out, int wide);
void vector_scaled(const void *factor, const void *x, Py_ssize_t n, void *out, int wide);
void vectors_outer(const void *x, const void *y, Py_ssize_t n, Py_ssize_t m, void *out, int wide);
void vectors_added(const void *to, const void *x, const void *y, Py_ssize_t n, Py_ssize_t m, double beta, double alpha, void *out,
                   int wide);
void blocks_products(blocks_job *job, int what, int wide);
#endif
