/* What products_loops.c offers to products_entry.pyx. */
#ifndef LEAFWARD_PRODUCTS_LOOPS_H
#define LEAFWARD_PRODUCTS_LOOPS_H
#include <stddef.h>
#include "products.h"

/* A matrix in memory, `pitch` elements from row to row, or if it is turned from column to column. */
typedef struct {
    char *data;
    int turned;
    ptrdiff_t pitch;
} matrix;

/* How the batch is counted: dims and, of x, y and out, how many bytes lie between one and the next. */
typedef struct {
    int dims;
    ptrdiff_t size[32], steps[3][32];
} batch;

extern products_interface own_products;
int products_start(void);
void multiply(const matrix *x, const matrix *y, const matrix *out, const batch *b, ptrdiff_t n, ptrdiff_t m, ptrdiff_t inner, int wide);
#endif
