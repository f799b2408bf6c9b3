/* Sums, products, extremes, means, variances and standard deviations along the middle of (outer, n, inner). */
#include "pool.h"
#include <stdint.h>

/* Sums of numbers, of those that are no NaN, of sizes, and the root of that of squares; then what is no sum, but put together one by one;
 * then what has a mean and what lies around it. */
enum { SUM, MEAN, NUMBERS, SIZES, ROOT_OF_SQUARES, PRODUCT, LARGEST, SMALLEST, LARGEST_SIZE, VARIANCE, DEVIATION };

typedef struct {
    const void *x;
    void *out;                      /* (outer, inner) */
    Py_ssize_t outer, n, inner;
    int kind;
    double divisor;                 /* of a mean or a variance */
    Py_ssize_t parts, per_share, pieces;    /* filled in by reduce_loops: into so many parts a long row is cut */
    double *partial;
    Py_ssize_t columns;             /* of a share, where there are some beside each other */
    int64_t *places;                /* (outer, inner), where they are asked for */
} reduce_job;

int prepare_reduce(void);
int reduce_loops(reduce_job *job, int wide);    /* -1 where there is no memory */
int reduce_both(reduce_job *one, reduce_job *other, int wide);      /* likewise; of the same numbers */

/* The largest or the smallest numbers, a NaN before all, and the first place of each. */
void place_loops(reduce_job *job, int wide);
