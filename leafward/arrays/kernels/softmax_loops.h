/* Softmax, its logarithm, and their derivatives, along the middle of (outer, n, inner). */
#include "pool.h"

typedef struct {
    const void *x, *g;          /* for the derivative: the output, and its gradient; otherwise g is NULL */
    void *y;
    Py_ssize_t outer, n, inner;
    int logarithm;
    Py_ssize_t pieces, per_share;   /* filled in by softmax_loops */
} softmax_job;

int prepare_softmax(void);
void softmax_loops(softmax_job *job, int wide);
