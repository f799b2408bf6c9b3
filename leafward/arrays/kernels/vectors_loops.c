/* Products in which one factor is a vector: memory is read once, and long sums are added up in double.
 *
 * BLAS adds all terms of a row one after the other, which loses digits, and takes longer to begin than small vectors take. */
#include "vectors_loops.h"
#include "sums.h"

/* Columns that are added up together; elements of a share, of which there are so many at most. */
enum { TILE = 256, SHARE = 65536, PARTS = 64 };

#define TEMPLATE "vectors_template.h"
#include "targets.h"

static double (*const dots[TARGETS][2])(const void *, const void *, Py_ssize_t) = FUNCTIONS(dot);
static void (*const scalers[TARGETS][2])(const void *, const void *, Py_ssize_t, void *) = FUNCTIONS(scaled);
typedef void (*added_function)(const void *, const void *, const void *, Py_ssize_t, double, double, void *);
static const added_function adders[TARGETS][2] = FUNCTIONS(added);
static const share_function blocks_shares[TARGETS][2] = FUNCTIONS(blocks_share);
static const share_function left_shares[TARGETS][2] = FUNCTIONS(blocks_left_share);
static const share_function right_shares[TARGETS][2] = FUNCTIONS(blocks_right_share);
static const share_function dot_shares[TARGETS][2] = FUNCTIONS(dot_share);
static const share_function row_shares[TARGETS][2] = FUNCTIONS(rows_share);
static const share_function column_shares[TARGETS][2] = FUNCTIONS(columns_share);
static int target;

int vectors_start(void)
{
    target = find_target();
    return import_pool();
}

void vector_product(vector_job *job, int wide)
{
    if (job->turned) {
        Py_ssize_t tiles = shares_of(job->columns, TILE), each = larger(1, SHARE / (TILE * job->rows));
        job->per_share = TILE * each;
        each_share(column_shares[target][wide], job, shares_of(tiles, each));
    } else {
        job->per_share = larger(1, SHARE / job->columns);
        each_share(row_shares[target][wide], job, shares_of(job->rows, job->per_share));
    }
}

void vectors_dot(const void *x, const void *y, Py_ssize_t n, void *out, int wide)
{
    double total = 0, partial[PARTS];
    if (n <= SHARE) total = dots[target][wide](x, y, n);
    else {
        vector_job job = {.a = x, .x = y, .partial = partial, .columns = n, .per_share = larger(SHARE, shares_of(n, PARTS))};
        Py_ssize_t parts = shares_of(n, job.per_share);
        each_share(dot_shares[target][wide], &job, parts);
        for (Py_ssize_t i = 0; i < parts; i++) total += partial[i];
    }
    if (wide) *(double *)out = total;
    else *(float *)out = (float)total;
}

typedef struct {
    const char *factor, *x;
    char *out;
    Py_ssize_t n, per_share;
    int wide;
} scaled_job;

static void scaled_share(void *given, Py_ssize_t number)
{
    const scaled_job *job = given;
    Py_ssize_t at = number * job->per_share, size = job->wide ? 8 : 4;
    scalers[target][job->wide](job->factor, job->x + at * size, smaller(job->per_share, job->n - at), job->out + at * size);
}

void vector_scaled(const void *factor, const void *x, Py_ssize_t n, void *out, int wide)
{
    scaled_job job = {factor, x, out, n, SHARE, wide};
    each_share(scaled_share, &job, shares_of(n, SHARE));
}

typedef struct {
    const char *x, *y;
    char *out;
    Py_ssize_t n, m, per_share;
    int wide;
} outer_job;

static void outer_share(void *given, Py_ssize_t number)
{
    const outer_job *job = given;
    Py_ssize_t size = job->wide ? 8 : 4;
    for (Py_ssize_t i = number * job->per_share; i < smaller(job->n, (number + 1) * job->per_share); i++)
        scalers[target][job->wide](job->x + i * size, job->y, job->m, job->out + i * job->m * size);
}

void vectors_outer(const void *x, const void *y, Py_ssize_t n, Py_ssize_t m, void *out, int wide)
{
    outer_job job = {x, y, out, n, m, larger(1, SHARE / larger(1, m)), wide};
    each_share(outer_share, &job, shares_of(n, job.per_share));
}

typedef struct {
    const char *to, *x, *y;
    char *out;
    double beta, alpha;
    Py_ssize_t n, m, per_share;
    int wide;
} added_job;

static void added_share(void *given, Py_ssize_t number)
{
    const added_job *job = given;
    Py_ssize_t size = job->wide ? 8 : 4, pitch = job->m * size;
    for (Py_ssize_t i = number * job->per_share; i < smaller(job->n, (number + 1) * job->per_share); i++)
        adders[target][job->wide](job->to + i * pitch, job->x + i * size, job->y, job->m, job->beta, job->alpha, job->out + i * pitch);
}

void vectors_added(const void *to, const void *x, const void *y, Py_ssize_t n, Py_ssize_t m, double beta, double alpha, void *out,
                   int wide)
{
    added_job job = {to, x, y, out, beta, alpha, n, m, larger(1, SHARE / m), wide};
    each_share(added_share, &job, shares_of(n, job.per_share));
}

void blocks_products(blocks_job *job, int what, int wide)
{
    Py_ssize_t rows = what == BLOCKS ? job->n * job->m : what == LEFT_GRADIENT ? job->n : job->m;
    share_function run = (what == BLOCKS ? blocks_shares : what == LEFT_GRADIENT ? left_shares : right_shares)[target][wide];
    job->per_share = larger(1, SHARE / larger(1, job->n * job->m * job->columns * job->width / rows));
    each_share(run, job, shares_of(rows, job->per_share));
}
