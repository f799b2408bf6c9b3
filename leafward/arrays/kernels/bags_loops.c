#include "bags_loops.h"
#include <string.h>

/* Elements in a share; the least columns in a share that adds to the table. */
enum { SHARE = 16384, COLUMNS = 64 };

static inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }
static inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) { return a > b ? a : b; }

static void tell_outside(int *told)
{
#ifdef _MSC_VER
    *(volatile int *)told = 1;
#else
    __atomic_store_n(told, 1, __ATOMIC_RELAXED);
#endif
}

int bags_ascend(const int64_t *bags, Py_ssize_t count)
{
    int falls = 0;
    for (Py_ssize_t i = 1; i < count; i++) falls |= bags[i] < bags[i - 1];
    return !falls;
}

static Py_ssize_t first_of(const bags_job *job, int64_t bag)
{
    Py_ssize_t low = 0, high = job->total;
    while (low < high) {
        Py_ssize_t middle = low + (high - low) / 2;
        if (job->bags[middle] < bag) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* A row that is looked up some places on is fetched meanwhile: they lie anywhere in a table that no cache holds. */
enum { AHEAD = 8, LINE = 64, LINES = 8 };

static inline void fetch_ahead(const bags_job *job, const char *table, Py_ssize_t i, Py_ssize_t width)
{
#if defined(__GNUC__) || defined(__clang__)
    if (i + AHEAD >= job->total || (uint64_t)job->index[i + AHEAD] >= (uint64_t)job->limit) return;
    const char *row = table + job->index[i + AHEAD] * job->n * width;
    for (Py_ssize_t at = 0; at < smaller(job->n * width, LINES * LINE); at += LINE) __builtin_prefetch(row + at);
#endif
}

#define TEMPLATE "bags_template.h"
#include "targets.h"

typedef int (*bags_loop)(const bags_job *, Py_ssize_t, Py_ssize_t);
static const bags_loop sums[TARGETS][2] = FUNCTIONS(sum_bags);
static const bags_loop largest[TARGETS][2] = FUNCTIONS(largest_of_bags);
static const bags_loop spreads[TARGETS][2] = FUNCTIONS(spread_bags);
static int target;

static void sum_bags_share(void *given, Py_ssize_t number)
{
    bags_job *job = given;
    Py_ssize_t from = number * job->piece, to = smaller(from + job->piece, job->count);
    const bags_loop (*loops)[2] = job->winners != NULL ? largest : sums;
    if (loops[target][job->wide](job, from, to)) tell_outside(&job->outside);
}

int sum_bags(bags_job *job)
{
    job->outside = 0;
    job->piece = larger(1, SHARE / larger(1, job->n * (job->total / larger(1, job->count) + 1)));
    each_share(sum_bags_share, job, shares_of(job->count, job->piece));
    return -job->outside;
}

static void spread_bags_share(void *given, Py_ssize_t number)
{
    bags_job *job = given;
    Py_ssize_t from = number * job->piece, to = smaller(from + job->piece, job->n);
    if (spreads[target][job->wide](job, from, to)) tell_outside(&job->outside);
}

int spread_bags(bags_job *job)
{
    job->outside = 0;
    job->piece = job->total * job->n > SHARE ? larger(COLUMNS, shares_of(job->n, 8)) : larger(1, job->n);
    each_share(spread_bags_share, job, shares_of(job->n, job->piece));
    return -job->outside;
}

int prepare_bags(void)
{
    target = find_target();
    return import_pool();
}
