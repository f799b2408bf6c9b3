/* Sums, means, variances and standard deviations along the middle of (outer, n, inner). */
#include "pool.h"

enum { SUM, MEAN, VARIANCE, DEVIATION };

typedef struct {
    const void *x;
    void *out;                      /* (outer, inner) */
    Py_ssize_t outer, n, inner;
    int kind;
    double divisor;                 /* of a mean or a variance */
    Py_ssize_t parts, per_share, pieces;    /* filled in by reduce_loops: into so many parts a long row is cut */
    double *partial;
} reduce_job;

int prepare_reduce(void);
int reduce_loops(reduce_job *job, int wide);    /* -1 where there is no memory */
