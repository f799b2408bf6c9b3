#include "running_loops.h"
#include "sums.h"

/* Elements in a share, fewer where each takes longer, and how many neighbours run side by side. */
enum { SHARE = 16384, SHARE_OF_LOGARITHMS = 4096, COLUMNS = 64 };

/* Totals are kept in double: one rounding for each result, as in PyTorch. */
#define TOTALS(REAL, NAME, START, DO) \
static void NAME##_##REAL(const running_job *job, const REAL *x, REAL *out, Py_ssize_t width, Py_ssize_t step) \
{ \
    double total[COLUMNS]; \
    for (Py_ssize_t j = 0; j < width; j++) total[j] = START; \
    if (width == 1) { \
        double only = START; \
        for (Py_ssize_t i = 0; i < job->n; i++, x += step, out += step) *out = (REAL)(only = only DO (double)*x); \
        return; \
    } \
    for (Py_ssize_t i = 0; i < job->n; i++, x += step, out += step) \
        for (Py_ssize_t j = 0; j < width; j++) out[j] = (REAL)(total[j] = total[j] DO (double)x[j]); \
}

/* The last of equals; NaN is more than anything, from where it appears. */
#define EXTREMES(REAL, NAME, IS_BEYOND) \
static void NAME##_##REAL(const running_job *job, const REAL *x, REAL *out, int64_t *places, Py_ssize_t width, Py_ssize_t step) \
{ \
    REAL best[COLUMNS]; \
    int64_t place[COLUMNS]; \
    for (Py_ssize_t j = 0; j < width; j++) { best[j] = x[j]; place[j] = 0; } \
    for (Py_ssize_t i = 0; i < job->n; i++, x += step, out += step, places += step) \
        for (Py_ssize_t j = 0; j < width; j++) { \
            REAL v = x[j]; \
            int beyond = (v IS_BEYOND best[j]) | (v != v); \
            best[j] = beyond ? v : best[j]; \
            place[j] = beyond ? i : place[j]; \
            out[j] = best[j]; \
            places[j] = place[j]; \
        } \
}

#define BOTH(REAL) \
    TOTALS(REAL, sums, 0, +) TOTALS(REAL, products, 1, *) EXTREMES(REAL, maxima, >=) EXTREMES(REAL, minima, <=) \
static void share_##REAL(void *given, Py_ssize_t number) \
{ \
    const running_job *job = given; \
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces); \
    Py_ssize_t wide = shares_of(job->inner, COLUMNS), step = job->backwards ? -job->inner : job->inner; \
    for (Py_ssize_t piece = first; piece < last; piece++) { \
        Py_ssize_t column = piece % wide * COLUMNS, width = smaller(COLUMNS, job->inner - column); \
        Py_ssize_t at = piece / wide * job->n * job->inner + column + (job->backwards ? (job->n - 1) * job->inner : 0); \
        const REAL *x = (const REAL *)job->x + at; \
        REAL *out = (REAL *)job->out + at; \
        if (job->kind == RUNNING_SUM) sums_##REAL(job, x, out, width, step); \
        else if (job->kind == RUNNING_PRODUCT) products_##REAL(job, x, out, width, step); \
        else if (job->kind == RUNNING_MAXIMUM) maxima_##REAL(job, x, out, job->places + at, width, step); \
        else minima_##REAL(job, x, out, job->places + at, width, step); \
    } \
}
BOTH(float)
BOTH(double)

#define TEMPLATE "running_template.h"
#define TYPES "wide_types.h"
#include "targets.h"

static const share_function logarithms[TARGETS][2] = FUNCTIONS(logarithms_share);
static int target;

int prepare_running(void)
{
    target = find_target();
    return import_pool();
}

void running_loops(running_job *job, int wide)
{
    job->pieces = job->outer * shares_of(job->inner, COLUMNS);
    Py_ssize_t of_each = job->n * smaller(job->inner, COLUMNS), of_share = job->kind == RUNNING_LOGARITHM ? SHARE_OF_LOGARITHMS : SHARE;
    job->per_share = of_each >= of_share ? 1 : of_share / of_each;
    share_function function = job->kind == RUNNING_LOGARITHM ? logarithms[target][wide] : wide ? share_double : share_float;
    each_share(function, job, shares_of(job->pieces, job->per_share));
}
