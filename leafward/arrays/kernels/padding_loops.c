#include "padding_loops.h"
#include <string.h>

/* Elements in a share. */
enum { SHARE = 16384 };

static inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }
static inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) { return a > b ? a : b; }
static inline Py_ssize_t distance(Py_ssize_t a) { return a < 0 ? -a : a; }

/* Which place of dim `d` is shown at `j` of it when padded; -1 where the value stands. */
static inline Py_ssize_t place_of(const padding_job *job, int d, Py_ssize_t j)
{
    Py_ssize_t size = job->size[d], before = job->before[d], k = j - before;
    switch (job->mode) {
    case CONSTANT:
        return k < 0 || k >= size ? -1 : k;
    case REPLICATE:
        return k < 0 ? 0 : smaller(k, size - 1);
    case REFLECT:
        return size - 1 - distance(size - 1 - distance(k));
    default: {                          /* what is cut off does not come round again */
        Py_ssize_t first = larger(-before, 0), kept = larger(size - larger(-job->after[d], 0) - first, 0);
        Py_ssize_t round = larger(kept, 1);
        k = (j - larger(before, 0)) % round;
        return first + (k < 0 ? k + round : k);
    }
    }
}

/* Where the rows of a padded array lie, one after the other. */
typedef struct {
    Py_ssize_t at[PADDED_DIMS];
    Py_ssize_t offset[PADDED_DIMS];     /* of the row in the array as it was, by the dims up to each; -1: there is none */
} row_walk;

static inline void find_from(row_walk *walk, const padding_job *job, int d)
{
    for (; d < job->dims - 1; d++) {
        Py_ssize_t above = d ? walk->offset[d - 1] : 0, place = place_of(job, d, walk->at[d]);
        walk->offset[d] = above < 0 || place < 0 ? -1 : above * job->size[d] + place;
    }
}

/* Begin at row `number` of a block. */
static void begin(row_walk *walk, const padding_job *job, Py_ssize_t number)
{
    for (int d = job->dims - 2; d >= 0; d--) {
        walk->at[d] = number % job->longer[d];
        number /= job->longer[d];
    }
    find_from(walk, job, 0);
}

static inline void next_row(row_walk *walk, const padding_job *job)
{
    int d = job->dims - 2;
    while (d >= 0 && ++walk->at[d] == job->longer[d]) walk->at[d--] = 0;
    find_from(walk, job, d < 0 ? 0 : d);
}

/* The row of the array as it was, counted in its block; -1: none. */
static inline Py_ssize_t row_at(const row_walk *walk, const padding_job *job)
{
    return job->dims > 1 ? walk->offset[job->dims - 2] : 0;
}

/* The ends of the rows: the places that they show are found once for all rows of a share, as far as there are few. */
enum { ENDS = 64 };
typedef struct {
    Py_ssize_t n, left, right;          /* the row's elements; it ends with those up to `left` and from `right` on */
    Py_ssize_t cropped;                 /* the first element that is kept of what stands between them */
    Py_ssize_t places[2 * ENDS];
} row_ends;

static void find_ends(row_ends *ends, const padding_job *job)
{
    int last = job->dims - 1;
    ends->n = job->longer[last];
    ends->left = smaller(larger(job->before[last], 0), ends->n);
    ends->cropped = larger(-job->before[last], 0);
    ends->right = ends->left + larger(smaller(job->size[last] - ends->cropped, ends->n - ends->left), 0);
    for (Py_ssize_t k = 0; k < smaller(ends->left, ENDS); k++) ends->places[k] = place_of(job, last, k);
    for (Py_ssize_t k = 0; k < smaller(ends->n - ends->right, ENDS); k++)
        ends->places[ENDS + k] = place_of(job, last, ends->right + k);
}

/* DO for each `j` of a row's ends, with the place `shown` there. */
#define EACH_END(DO) do { \
    int last = job->dims - 1; \
    Py_ssize_t left = smaller(ends->left, ENDS), right = smaller(ends->n, ends->right + ENDS); \
    for (Py_ssize_t j = 0; j < left; j++) { Py_ssize_t shown = ends->places[j]; DO; } \
    for (Py_ssize_t j = left; j < ends->left; j++) { Py_ssize_t shown = place_of(job, last, j); DO; } \
    for (Py_ssize_t j = ends->right; j < right; j++) { Py_ssize_t shown = ends->places[ENDS + j - ends->right]; DO; } \
    for (Py_ssize_t j = right; j < ends->n; j++) { Py_ssize_t shown = place_of(job, last, j); DO; } \
} while (0)

/* Up to so many bytes a loop is faster than a call of memcpy. */
enum { SHORT = 256 };

#define ROWS(T) \
static void fill_##T(T *to, const char *value, Py_ssize_t n) \
{ \
    T number; \
    memcpy(&number, value, sizeof number); \
    for (Py_ssize_t j = 0; j < n; j++) to[j] = number; \
} \
static void pad_##T(const padding_job *job, const row_ends *ends, Py_ssize_t row, Py_ssize_t end) \
{ \
    Py_ssize_t size = job->size[job->dims - 1], kept = ends->right - ends->left; \
    row_walk walk; \
    begin(&walk, job, row % job->rows); \
    for (; row < end; row++) { \
        T *out = (T *)job->out + row * ends->n; \
        Py_ssize_t from = row_at(&walk, job); \
        if (from < 0) { \
            fill_##T(out, job->value, ends->n); \
        } else { \
            const T *x = (const T *)job->x + row / job->rows * job->block + from * size, *middle = x + ends->cropped; \
            T *to = out + ends->left; \
            if (kept * (Py_ssize_t)sizeof(T) > SHORT) memcpy(to, middle, (size_t)kept * sizeof(T)); \
            else for (Py_ssize_t j = 0; j < kept; j++) to[j] = middle[j]; \
            if (job->mode == CONSTANT) { \
                fill_##T(out, job->value, ends->left); \
                fill_##T(out + ends->right, job->value, ends->n - ends->right); \
            } else EACH_END(out[j] = x[shown]); \
        } \
        next_row(&walk, job); \
    } \
}
typedef struct { int64_t a, b; } sixteen_bytes;
ROWS(uint8_t)
ROWS(uint16_t)
ROWS(uint32_t)
ROWS(uint64_t)
ROWS(sixteen_bytes)

static void pad_rows_share(void *given, Py_ssize_t number)
{
    padding_job *job = given;
    Py_ssize_t row = number * job->per_share, end = smaller(row + job->per_share, job->outer * job->rows);
    row_ends ends;
    find_ends(&ends, job);
    switch (job->itemsize) {
    case 1: pad_uint8_t(job, &ends, row, end); break;
    case 2: pad_uint16_t(job, &ends, row, end); break;
    case 4: pad_uint32_t(job, &ends, row, end); break;
    case 8: pad_uint64_t(job, &ends, row, end); break;
    default: pad_sixteen_bytes(job, &ends, row, end);
    }
}

static void measure(padding_job *job)
{
    job->rows = job->block = job->padded_block = 1;
    for (int d = 0; d < job->dims; d++) {
        if (d < job->dims - 1) job->rows *= job->longer[d];
        job->block *= job->size[d];
        job->padded_block *= job->longer[d];
    }
}

void pad_rows(padding_job *job)
{
    measure(job);
    job->per_share = larger(1, SHARE / larger(1, job->longer[job->dims - 1]));
    each_share(pad_rows_share, job, shares_of(job->outer * job->rows, job->per_share));
}

#define GATHER(T) \
static void gather_##T(const padding_job *job, const row_ends *ends, Py_ssize_t first, Py_ssize_t end) \
{ \
    Py_ssize_t size = job->size[job->dims - 1], kept = ends->right - ends->left; \
    for (Py_ssize_t block = first; block < end; block++) { \
        T *out = (T *)job->out + block * job->block; \
        const T *g = (const T *)job->x + block * job->padded_block; \
        memset(out, 0, (size_t)job->block * sizeof(T)); \
        row_walk walk; \
        begin(&walk, job, 0); \
        for (Py_ssize_t row = 0; row < job->rows; row++, g += ends->n) { \
            T *to = out + row_at(&walk, job) * size, *middle = to + ends->cropped; \
            for (Py_ssize_t j = 0; j < kept; j++) middle[j] += g[ends->left + j]; \
            EACH_END(to[shown] += g[j]); \
            next_row(&walk, job); \
        } \
    } \
}
GATHER(float)
GATHER(double)

static void gather_share(void *given, Py_ssize_t number)
{
    padding_job *job = given;
    Py_ssize_t first = number * job->per_share, end = smaller(first + job->per_share, job->outer);
    row_ends ends;
    find_ends(&ends, job);
    if (job->itemsize == 8) gather_double(job, &ends, first, end);
    else gather_float(job, &ends, first, end);
}

void gather_padding(padding_job *job)
{
    measure(job);
    job->per_share = larger(1, SHARE / larger(1, job->padded_block));
    each_share(gather_share, job, shares_of(job->outer, job->per_share));
}

int prepare_padding(void) { return import_pool(); }
