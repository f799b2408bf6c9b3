/* Standardizing groups of elements, with a scale and an offset, and the derivative of that.
 *
 * By rows: a group is a row of `n` neighbours, and element i of row r has the scale weight[r % period * n + i]. By channels:
 * x is (outer, channels, n), a channel has one scale, and a group is either a channel (batch norm: `joined` is 0) or
 * `joined` neighbouring channels of one of the `outer` (group norm). By columns: the same for a batch norm where n is 1. */
#include "pool.h"

typedef struct {
    const void *x, *g, *weight, *bias;      /* g is NULL in the forward; weight and bias may be */
    void *out;                              /* or dx */
    void *mean, *variance;                  /* by group; the forward's, may be NULL */
    void *dweight, *dbias;                  /* the derivative's */
    double eps;
    Py_ssize_t rows, period;                /* by rows: `rows` of them */
    Py_ssize_t outer, channels, joined;     /* by channels: `rows` is 0 */
    Py_ssize_t n;
    Py_ssize_t per_share, chunk, pieces;    /* filled in by norm_loops */
    struct summary *summaries;
    double *partial;
    void *numbers;                          /* by columns: four for each */
} norm_job;

int prepare_norm(void);
int norm_loops(norm_job *job, int wide);    /* -1 where there is no memory */
