/* A pooling's job, as the kernels of pooling_template.h see it. */
#ifndef LEAFWARD_POOLING_JOB_H
#define LEAFWARD_POOLING_JOB_H
#include "pooling_loops.h"

/* A line of so many elements has room on the stack. */
enum { FEW_COLUMNS = 128 };

/* Along one dim, for each place: the elements from begin to end, and what they count for. */
typedef struct {
    ptrdiff_t begin, end, count;
} bin;

typedef struct {
    const pooling *p;
    const void *x, *samples;
    void *out, *at;
    int long_places, failed, dims, replaces;
    ptrdiff_t area, outputs, planes_each;                /* elements and places of a plane; planes of one share */
    bin *bins[3];
} job;

static inline ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static inline ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }
#endif
