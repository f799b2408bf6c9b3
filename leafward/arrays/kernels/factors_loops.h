/* Triangular factors of matrices that lie row by row: what factors_loops.c offers to factors_entry.pyx. */
#ifndef LEAFWARD_FACTORS_LOOPS_H
#define LEAFWARD_FACTORS_LOOPS_H
#include <stddef.h>
#include <stdint.h>

/* `count` matrices one after the other, factorized where they lie. Rows and steps are counted from 1. */
typedef struct {
    void *data;
    const void *from;                                    /* symmetric_factors reads these, and writes `data` */
    ptrdiff_t count, rows, columns;
    int32_t *pivots, *info;                              /* rows exchanged; the first step that found no pivot, or 0 */
    int wide, failed;
} factors;

/* Systems `a x = b`: a's matrices are `step` numbers apart, and x holds b until it is solved. */
typedef struct {
    const void *a;
    ptrdiff_t step, count, size, columns;
    void *x;
    int upper, unit, wide, failed;
} triangles;

/* Why these kernels serve nobody here, or NULL. */
extern const char *factors_obstacle;
int factors_start(void);
/* 0, or -1 where memory is short. */
int lu_factors(factors *f);
void cholesky_factors(const factors *f);
/* `L D L^T` of lower triangles, written column by column, as LAPACK's sytrf; 0, or -1 where memory is short. */
int symmetric_factors(factors *f);
/* 0, or -1 where memory is short. */
int solve_triangles(triangles *t);
#endif
