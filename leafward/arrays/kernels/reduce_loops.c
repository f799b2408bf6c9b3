#include <stdlib.h>
#include "reduce_loops.h"
#include "sums.h"

/* SOON: so far ahead of what is read memory is asked. WIDEST: so many columns a share has at most. SHORT: so many numbers of a row are
 * added one after the other. */
enum { SHARE = 16384, COLUMNS = 64, FEW_ROWS = 16, WIDEST = 256, SHORT = 16, SOON = 512 };

/* A mean, and how much lies around it. */
typedef struct { double count, mean, square; } spread;

static inline void merge_spread(spread *a, double count, double mean, double square)
{
    double apart = mean - a->mean, all = a->count + count;
    a->square += square + apart * apart * (a->count * count / all);
    a->mean += apart * (count / all);
    a->count = all;
}

static inline int is_sum(int kind) { return kind < PRODUCT; }
static inline int is_fold(int kind) { return kind >= PRODUCT && kind < VARIANCE; }

static inline double finished(const reduce_job *job, double value)
{
    switch (job->kind) {
    case MEAN:
    case VARIANCE: return value / job->divisor;
    case DEVIATION: return sqrt(value / job->divisor);
    case ROOT_OF_SQUARES: return sqrt(value);
    default: return value;
    }
}

#define TEMPLATE "reduce_template.h"
#include "targets.h"

static const share_function row_shares[TARGETS][2] = FUNCTIONS(reduce_rows);
static const share_function column_shares[TARGETS][2] = FUNCTIONS(reduce_columns);
static const share_function row_places[TARGETS][2] = FUNCTIONS(place_in_rows);
static const share_function column_places[TARGETS][2] = FUNCTIONS(place_in_columns);
static void (*const collectors[TARGETS][2])(const reduce_job *) = FUNCTIONS(reduce_collect);
static int target;

int prepare_reduce(void)
{
    target = find_target();
    return import_pool();
}

/* The columns in groups: as broad ones as leave enough shares for many threads. */
static void group_columns(reduce_job *job)
{
    job->columns = larger(COLUMNS, smaller(WIDEST, job->inner * job->outer / 16 / COLUMNS * COLUMNS));
    job->pieces = job->outer * shares_of(job->inner, job->columns);
    job->per_share = larger(1, SHARE / (job->n * smaller(job->inner, job->columns)));
}

void place_loops(reduce_job *job, int wide)
{
    if (job->inner > 1) {
        group_columns(job);
    } else {
        job->pieces = job->outer;
        job->per_share = larger(1, SHARE / job->n);
    }
    each_share((job->inner > 1 ? column_places : row_places)[target][wide], job, shares_of(job->pieces, job->per_share));
}

/* Into which pieces the work is cut, and where what they come to is kept; -1 where there is no memory. */
static int cut(reduce_job *job)
{
    job->partial = NULL;
    job->parts = job->inner > 1 ? 1 : shares_of(job->n, SHARE);
    if (job->inner > 1) {
        group_columns(job);
        return 0;
    }
    job->pieces = job->outer * job->parts;
    job->per_share = job->parts > 1 ? 1 : larger(1, SHARE / job->n);
    return job->parts > 1 && (job->partial = malloc((size_t)job->pieces * 3 * sizeof(double))) == NULL ? -1 : 0;
}

static void collect(reduce_job *job, int wide)
{
    if (job->parts > 1) collectors[target][wide](job);
    free(job->partial);
}

int reduce_loops(reduce_job *job, int wide)
{
    if (cut(job)) return -1;
    each_share((job->inner > 1 ? column_shares : row_shares)[target][wide], job, shares_of(job->pieces, job->per_share));
    collect(job, wide);
    return 0;
}

/* Two of the same numbers: each share of these is read once from memory. */
struct both { reduce_job *one, *other; share_function share; };

static void both_shares(void *given, Py_ssize_t number)
{
    const struct both *jobs = given;
    jobs->share(jobs->one, number);
    jobs->share(jobs->other, number);
}

int reduce_both(reduce_job *one, reduce_job *other, int wide)
{
    struct both jobs = {one, other, (one->inner > 1 ? column_shares : row_shares)[target][wide]};
    if (cut(one)) return -1;
    if (cut(other)) {
        free(one->partial);
        return -1;
    }
    each_share(both_shares, &jobs, shares_of(one->pieces, one->per_share));
    collect(one, wide);
    collect(other, wide);
    return 0;
}
