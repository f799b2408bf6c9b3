/* Softmax, its logarithm, the logarithm of its sum, and their derivatives, along the middle of (outer, n, inner). */
#include "pool.h"

typedef struct {
    const void *x, *g;          /* for the derivative: the output, and its gradient; otherwise g is NULL */
    const void *sums;           /* for the derivative of the sums' logarithms: these, and x is the input */
    void *y;
    Py_ssize_t outer, n, inner;
    int logarithm, summed;      /* `summed`: of each row one number, the logarithm of its sum; of rows in order alone */
    Py_ssize_t pieces, per_share;   /* filled in by softmax_loops */
} softmax_job;

int prepare_softmax(void);
void softmax_loops(softmax_job *job, int wide);
