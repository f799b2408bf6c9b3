#include "bins_loops.h"

enum { SHARE = 8192 };

/* The bin of `v`: a guess by equal steps, then a step from edge to edge, or a search where bins are not equal. A value on an edge
 * belongs to the bin above, the last edge to the last bin; -1 for what lies outside. */
#define BINS(REAL) \
static inline int64_t bin_##REAL(const REAL *edges, Py_ssize_t bins, REAL v) \
{ \
    if (!(v >= edges[0] && v <= edges[bins])) return -1; \
    Py_ssize_t at = (Py_ssize_t)((v - edges[0]) / (edges[bins] - edges[0]) * (REAL)bins); \
    at = at >= bins || at < 0 ? bins - 1 : at; \
    if (v >= edges[at] && v < edges[at + 1]) return at; \
    if (at > 0 && v < edges[at] && v >= edges[at - 1]) return at - 1; \
    Py_ssize_t low = 0, high = bins + 1; \
    while (low < high) {                /* the first edge beyond v */ \
        Py_ssize_t middle = low + (high - low) / 2; \
        if (edges[middle] <= v) low = middle + 1; \
        else high = middle; \
    } \
    return low > bins ? bins - 1 : low - 1; \
} \
static void find_bins_##REAL(const bins_job *job, Py_ssize_t from, Py_ssize_t to) \
{ \
    for (Py_ssize_t i = from; i < to; i++) { \
        const char *point = job->points + i * job->point_step; \
        int64_t place = 0; \
        for (int d = 0; d < job->dims; d++) { \
            int64_t bin = bin_##REAL((const REAL *)job->edges[d], job->bins[d], *(const REAL *)(point + d * job->dim_step)); \
            place = bin < 0 || place < 0 ? -1 : place * job->bins[d] + bin; \
        } \
        job->places[i] = place; \
    } \
} \
static void add_up_##REAL(const bins_job *job) \
{ \
    REAL *counts = (REAL *)job->counts; \
    const REAL *weights = (const REAL *)job->weights; \
    for (Py_ssize_t i = 0; i < job->n; i++) \
        if (job->places[i] >= 0) counts[job->places[i]] += weights == NULL ? 1 : weights[i]; \
}
BINS(float)
BINS(double)

static void find_bins(void *given, Py_ssize_t number)
{
    const bins_job *job = given;
    Py_ssize_t from = number * SHARE, to = from + SHARE < job->n ? from + SHARE : job->n;
    if (job->wide) find_bins_double(job, from, to);
    else find_bins_float(job, from, to);
}

void count_points(bins_job *job)
{
    each_share(find_bins, job, shares_of(job->n, SHARE));
    if (job->wide) add_up_double(job);
    else add_up_float(job);
}

int prepare_bins(void) { return import_pool(); }
