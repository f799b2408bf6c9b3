#include <stdlib.h>
#include "norm_loops.h"
#include "sums.h"

enum { SHARE = 16384, COLUMNS = 64, MOST_PARTS = 64 };

/* Of `count` elements: their mean, sum((x - mean) ** 2), sum(g) and sum(g * (x - mean)). */
typedef struct summary { double count, mean, square, g, gx; } summary;

/* The summary of two lots together (Chan, Golub and LeVeque, 1983). */
static inline void merge(summary *a, const summary *b)
{
    double count = a->count + b->count;
    if (b->count == 0) return;
    double apart = b->mean - a->mean, shift = apart * (b->count / count), rest = apart - shift;
    a->square += b->square + apart * shift * a->count;
    a->gx += b->gx - shift * a->g + rest * b->g;
    a->mean += shift;
    a->g += b->g;
    a->count = count;
}

#define TEMPLATE "norm_template.h"
#include "targets.h"

static const share_function row_shares[TARGETS][2] = FUNCTIONS(norm_row_share);
static const share_function summary_shares[TARGETS][2] = FUNCTIONS(norm_summary_share);
static const share_function write_shares[TARGETS][2] = FUNCTIONS(norm_write_share);
static void (*const collectors[TARGETS][2])(norm_job *) = FUNCTIONS(norm_collect_rows);
static void (*const joiners[TARGETS][2])(norm_job *) = FUNCTIONS(norm_join);
static int target;

int prepare_norm(void)
{
    target = find_target();
    return import_pool();
}

static int by_rows(norm_job *job, int wide)
{
    Py_ssize_t width = job->n * job->period;
    job->per_share = larger(larger(1, SHARE / job->n), shares_of(job->rows, MOST_PARTS));
    job->per_share = shares_of(job->per_share, job->period) * job->period;
    Py_ssize_t parts = shares_of(job->rows, job->per_share);
    if (job->g != NULL && (job->partial = calloc((size_t)(parts * 4 * width), sizeof(double))) == NULL) return -1;
    each_share(row_shares[target][wide], job, parts);
    if (job->g != NULL) collectors[target][wide](job);
    free(job->partial);
    return 0;
}

/* Runs of neighbours are summed up each; where a channel's elements are no neighbours, `chunk` elements of it. */
static int by_channels(norm_job *job, int wide)
{
    job->chunk = job->n == 1 ? larger(16, shares_of(SHARE, smaller(job->channels, COLUMNS))) : 1;
    Py_ssize_t runs = shares_of(job->outer, job->chunk) * job->channels;
    job->summaries = calloc((size_t)runs, sizeof(summary));
    job->partial = calloc((size_t)(2 * job->channels), sizeof(double));
    if (job->summaries == NULL || job->partial == NULL) {
        free(job->summaries);
        free(job->partial);
        return -1;
    }
    job->pieces = job->n == 1 ? shares_of(job->outer, job->chunk) * shares_of(job->channels, COLUMNS) : runs;
    job->per_share = job->n == 1 ? 1 : larger(1, SHARE / job->n);
    Py_ssize_t parts = shares_of(job->pieces, job->per_share);
    each_share(summary_shares[target][wide], job, parts);
    joiners[target][wide](job);
    each_share(write_shares[target][wide], job, parts);
    free(job->summaries);
    free(job->partial);
    return 0;
}

int norm_loops(norm_job *job, int wide)
{
    job->partial = NULL;
    return job->rows ? by_rows(job, wide) : by_channels(job, wide);
}
