/* Running sums, products, logarithms of sums of exponentials, maxima and minima along the middle of (outer, n, inner), from either end. */
#include "pool.h"
#include <stdint.h>

enum { RUNNING_SUM, RUNNING_PRODUCT, RUNNING_LOGARITHM, RUNNING_MAXIMUM, RUNNING_MINIMUM };

typedef struct {
    const void *x;
    void *out;
    int64_t *places;                    /* of the extremes: where each was last seen */
    Py_ssize_t outer, n, inner;
    int kind, backwards;
    Py_ssize_t per_share, pieces;       /* filled in by running_loops */
} running_job;

int prepare_running(void);
void running_loops(running_job *job, int wide);
