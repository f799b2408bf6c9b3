/* In which bin each point lies, by the edges of the bins in every dim; and how much lies in each. */
#include "pool.h"
#include <stdint.h>

enum { BIN_DIMS = 16 };

typedef struct {
    const char *points;                 /* (n, dims), with these bytes from one point to the next, and from one dim to the next */
    Py_ssize_t n, point_step, dim_step;
    int dims, wide;
    const void *edges[BIN_DIMS];        /* ascending, side by side */
    Py_ssize_t bins[BIN_DIMS];          /* of each dim: one fewer than edges */
    const void *weights;                /* of the points, side by side; NULL: 1 each */
    void *counts;                       /* zeros */
    int64_t *places;                    /* room for a number for each point; filled in */
} bins_job;

int prepare_bins(void);
void count_points(bins_job *job);
