#include <stdlib.h>
#include "norm_loops.h"
#include "sums.h"

enum { SHARE = 16384, CACHED = 65536, PANEL = 1024, MOST_LOTS = 16, MOST_PARTS = 64, MOST_SUMS = 32 };

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
static const share_function group_shares[TARGETS][2] = FUNCTIONS(norm_group_share);
static const share_function write_shares[TARGETS][2] = FUNCTIONS(norm_write_share);
static void (*const collectors[TARGETS][2])(norm_job *) = FUNCTIONS(norm_collect_rows);
static void (*const joiners[TARGETS][2])(norm_job *) = FUNCTIONS(norm_join);
static const share_function column_shares[TARGETS][2] = FUNCTIONS(norm_columns_share);
static const share_function column_writers[TARGETS][2] = FUNCTIONS(norm_columns_write);
static void (*const column_joiners[TARGETS][2])(norm_job *) = FUNCTIONS(norm_columns_join);
static int target;

int prepare_norm(void)
{
    target = find_target();
    return import_pool();
}

static int by_rows(norm_job *job, int wide)
{
    Py_ssize_t width = job->n * job->period;
    job->per_share = larger(larger(1, SHARE / job->n), shares_of(job->rows, job->g == NULL ? MOST_PARTS : MOST_SUMS));
    job->per_share = shares_of(job->per_share, job->period) * job->period;
    Py_ssize_t parts = shares_of(job->rows, job->per_share);
    if (job->g != NULL && (job->partial = calloc((size_t)(parts * 4 * width), sizeof(double))) == NULL) return -1;
    each_share(row_shares[target][wide], job, parts);
    if (job->g != NULL) collectors[target][wide](job);
    free(job->partial);
    return 0;
}

/* Runs of neighbours are summed up each. */
static int by_channels(norm_job *job, int wide)
{
    Py_ssize_t runs = job->outer * job->channels;
    job->summaries = calloc((size_t)runs, sizeof(summary));
    job->partial = calloc((size_t)(2 * job->channels), sizeof(double));
    if (job->summaries == NULL || job->partial == NULL) {
        free(job->summaries);
        free(job->partial);
        return -1;
    }
    int at_once = job->g == NULL && job->joined && job->joined * job->n <= CACHED;
    job->pieces = at_once ? runs / job->joined : runs;
    job->per_share = larger(1, SHARE / (at_once ? job->joined * job->n : job->n));
    Py_ssize_t parts = shares_of(job->pieces, job->per_share);
    each_share((at_once ? group_shares : summary_shares)[target][wide], job, parts);
    if (!at_once) {
        joiners[target][wide](job);
        each_share(write_shares[target][wide], job, parts);
    }
    free(job->summaries);
    free(job->partial);
    return 0;
}

/* A channel's elements are no neighbours, but those of a row are: all columns are summed up at once, in lots of rows. */
static int by_columns(norm_job *job, int wide)
{
    Py_ssize_t rows = larger(shares_of(SHARE, smaller(job->channels, PANEL)), shares_of(job->outer, MOST_LOTS));
    job->chunk = shares_of(rows, 16) * 16;
    Py_ssize_t lots = shares_of(job->outer, job->chunk), parts = lots * shares_of(job->channels, PANEL);
    job->partial = malloc((size_t)(4 * lots * job->channels) * sizeof(double));
    job->numbers = malloc((size_t)(4 * job->channels) * sizeof(double));
    int failed = job->partial == NULL || job->numbers == NULL ? -1 : 0;
    if (!failed) {
        each_share(column_shares[target][wide], job, parts);
        column_joiners[target][wide](job);
        each_share(column_writers[target][wide], job, parts);
    }
    free(job->partial);
    free(job->numbers);
    return failed;
}

int norm_loops(norm_job *job, int wide)
{
    job->partial = NULL;
    if (job->rows) return by_rows(job, wide);
    return job->n == 1 && !job->joined ? by_columns(job, wide) : by_channels(job, wide);
}
