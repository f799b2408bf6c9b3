#include "search_loops.h"

/* Values in a share, and of those so many at a time. */
enum { SHARE = 4096, SOME = 512 };

static inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }

#define TEMPLATE "search_template.h"
#define TYPES "draws_types.h"
#include "targets.h"

#if defined(__x86_64__)
static void (*const searches[TARGETS])(const search_job *, const void *, Py_ssize_t, Py_ssize_t, int64_t *) = {
    search_plain_float, search_avx2_float, search_avx512_float};
#else
static void (*const searches[TARGETS])(const search_job *, const void *, Py_ssize_t, Py_ssize_t, int64_t *) = {search_plain_float};
#endif
static const int sizes[] = {4, 8, 4, 8};
static int target;

int prepare_search(void)
{
    target = find_target();
    return import_pool();
}

static void search_share(void *given, Py_ssize_t number)
{
    const search_job *job = given;
    Py_ssize_t outer = number / job->pieces, from = number % job->pieces * SHARE, end = smaller(from + SHARE, job->wanted);
    const char *row = (const char *)job->rows + (job->one_row ? 0 : outer * job->n * sizes[job->kind]);
    for (Py_ssize_t at = from; at < end; at += SOME) {
        Py_ssize_t first = outer * job->wanted + at, count = smaller(SOME, end - at);
        int64_t found[SOME];
        if (!job->short_places) {
            searches[target](job, row, first, count, (int64_t *)job->places + first);
            continue;
        }
        searches[target](job, row, first, count, found);
        for (Py_ssize_t i = 0; i < count; i++) ((int32_t *)job->places)[first + i] = (int32_t)found[i];
    }
}

void search_rows(search_job *job)
{
    job->pieces = shares_of(job->wanted, SHARE);
    each_share(search_share, job, job->outer * job->pieces);
}
