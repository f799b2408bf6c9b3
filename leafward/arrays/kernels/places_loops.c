#include "places_loops.h"
#include <string.h>

/* Elements in a share; the least columns of a share of rows that are written, or of elements along another dim: of fewer, the
 * places of a column lie in so many pages that finding these takes longest. */
enum { SHARE = 16384, WIDE = 256 };

static inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }
static inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) { return a > b ? a : b; }

typedef struct { int64_t a, b; } sixteen_bytes;
typedef struct { float re, im; } complex64;
typedef struct { double re, im; } complex128;
typedef unsigned char boolean;

/* So many places are looked at before what lies there is: without a branch for each. */
enum { CHUNK = 256 };

/* The bytes from the table's beginning to each of `count` places, into `offsets`; whether one lies outside. */
static inline int find_offsets(int64_t *offsets, const char *index, Py_ssize_t step, Py_ssize_t count, int64_t limit,
                               int64_t wrap, int64_t stride)
{
    uint64_t outside = 0, end = (uint64_t)limit - 1;
    /* Without a branch, a shift of signed numbers or a product of more than 32 bits, vector units of every kind can do it. */
#define LOOK(given, PRODUCT) \
        uint64_t at = (uint64_t)(given); \
        at += (0 - (at >> 63)) & (uint64_t)wrap; \
        outside |= at | (end - at); \
        offsets[i] = (int64_t)(PRODUCT)
    if (step == sizeof(int64_t) && limit <= UINT32_MAX && stride >= 0 && stride <= UINT32_MAX) {
        const uint32_t bytes = (uint32_t)stride;
        for (Py_ssize_t i = 0; i < count; i++) { LOOK(((const int64_t *)index)[i], (uint64_t)(uint32_t)at * bytes); }
    } else {
        for (Py_ssize_t i = 0; i < count; i++) { LOOK(*(const int64_t *)(index + i * step), at * (uint64_t)stride); }
    }
    return (int64_t)outside < 0;
}

#if defined(__x86_64__) && defined(__GNUC__)
#define FOR_PROCESSOR(which) __attribute__((target(which)))
#endif

/* What loops over rows, and over elements, do with one: `there` in the table, `here` beside the place. */
#define LOOPS(T, NAME, DO) \
static int rows_##NAME(const rows_job *job, char *table, char *rows, Py_ssize_t from, Py_ssize_t to, Py_ssize_t n) \
{ \
    int64_t offsets[CHUNK]; \
    const Py_ssize_t t = job->table_in, r = job->row_in, step = job->row_step; \
    for (Py_ssize_t first = from; first < to; first += CHUNK) { \
        Py_ssize_t count = smaller(CHUNK, to - first); \
        const int64_t *at = job->ready ? job->index + first : offsets; \
        if (!job->ready && find_offsets(offsets, (const char *)(job->index + first), sizeof(int64_t), count, job->limit, job->wrap, \
                                        job->stride)) return 1; \
        char *row = rows + first * step; \
        if (n == 1 && step == sizeof(T)) { \
            for (Py_ssize_t i = 0; i < count; i++) { T *there = (T *)(table + at[i]), *here = (T *)row + i; DO; } \
        } else if (n == 1) { \
            for (Py_ssize_t i = 0; i < count; i++) { T *there = (T *)(table + at[i]), *here = (T *)(row + i * step); DO; } \
        } else if (t == sizeof(T) && r == sizeof(T)) { \
            for (Py_ssize_t i = 0; i < count; i++) \
                for (Py_ssize_t j = 0; j < n; j++) { \
                    T *there = (T *)(table + at[i]) + j, *here = (T *)(row + i * step) + j; \
                    DO; \
                } \
        } else if (t == sizeof(T) && r == 0 && job->writes) {               /* one value for all of a row */ \
            for (Py_ssize_t i = 0; i < count; i++) { \
                T once = *(T *)(row + i * step), *here = &once, *there = (T *)(table + at[i]); \
                for (Py_ssize_t j = 0; j < n; j++, there++) { DO; } \
            } \
        } else { \
            for (Py_ssize_t i = 0; i < count; i++) \
                for (Py_ssize_t j = 0; j < n; j++) { \
                    T *there = (T *)(table + at[i] + j * t), *here = (T *)(row + i * step + j * r); \
                    DO; \
                } \
        } \
    } \
    return 0; \
} \
static int elements_##NAME(const elements_job *job, char *table, char *values, const char *index, Py_ssize_t n) \
{ \
    int64_t offsets[CHUNK]; \
    const Py_ssize_t s = job->table_in, r = job->value_in, step = job->index_in; \
    if (s == 0 && r == sizeof(T) && step == sizeof(int64_t) && job->stride == sizeof(T)) {     /* along the last dim of both */ \
        for (Py_ssize_t i = 0; i < job->middle; i++) { \
            const uint64_t *at = (const uint64_t *)(index + i * job->index_middle), limit = (uint64_t)job->limit; \
            T *t = (T *)(table + i * job->table_middle), *here = (T *)(values + i * job->value_middle); \
            for (Py_ssize_t j = 0; j < n; j++, here++) { \
                if (at[j] >= limit) return 1; \
                T *there = t + at[j]; \
                DO; \
            } \
        } \
        return 0; \
    } \
    for (Py_ssize_t i = 0; i < job->middle; i++) \
        for (Py_ssize_t first = 0; first < n; first += CHUNK) { \
            Py_ssize_t count = smaller(CHUNK, n - first); \
            char *t = table + i * job->table_middle + first * s, *v = values + i * job->value_middle + first * r; \
            if (find_offsets(offsets, index + i * job->index_middle + first * step, step, count, job->limit, 0, job->stride)) \
                return 1; \
            if (s == sizeof(T) && r == sizeof(T)) \
                for (Py_ssize_t j = 0; j < count; j++) { T *there = (T *)(t + offsets[j]) + j, *here = (T *)v + j; DO; } \
            else if (s == 0 && r == sizeof(T)) \
                for (Py_ssize_t j = 0; j < count; j++) { T *there = (T *)(t + offsets[j]), *here = (T *)v + j; DO; } \
            else \
                for (Py_ssize_t j = 0; j < count; j++) { \
                    T *there = (T *)(t + offsets[j] + j * s), *here = (T *)(v + j * r); \
                    DO; \
                } \
        } \
    return 0; \
}

#define MOVES(T, BITS) LOOPS(T, read_##BITS, *here = *there) LOOPS(T, write_##BITS, *there = *here)
MOVES(uint8_t, 8)
MOVES(uint16_t, 16)
MOVES(uint32_t, 32)
MOVES(uint64_t, 64)
MOVES(sixteen_bytes, 128)

#define NUMBERS(T) \
    LOOPS(T, add_##T, *there = (T)(*there + *here)) LOOPS(T, multiply_##T, *there = (T)(*there * *here)) \
    LOOPS(T, maximum_##T, T a = *there; T b = *here; *there = a >= b || a != a ? a : b) \
    LOOPS(T, minimum_##T, T a = *there; T b = *here; *there = a <= b || a != a ? a : b)
NUMBERS(uint8_t)
NUMBERS(uint16_t)
NUMBERS(uint32_t)
NUMBERS(uint64_t)
NUMBERS(int8_t)
NUMBERS(int16_t)
NUMBERS(int32_t)
NUMBERS(int64_t)
NUMBERS(float)
NUMBERS(double)
LOOPS(boolean, any, *there |= *here)
LOOPS(boolean, all, *there &= *here)

#define COMPLEX_NUMBERS(T) \
    LOOPS(T, add_##T, there->re += here->re; there->im += here->im) \
    LOOPS(T, multiply_##T, T was = *there; there->re = was.re * here->re - was.im * here->im; \
          there->im = was.re * here->im + was.im * here->re)
COMPLEX_NUMBERS(complex64)
COMPLEX_NUMBERS(complex128)

typedef int (*rows_loop)(const rows_job *, char *, char *, Py_ssize_t, Py_ssize_t, Py_ssize_t);
typedef int (*elements_loop)(const elements_job *, char *, char *, const char *, Py_ssize_t);

#define ALL_WAYS(f, T) {NULL, f##_add_##T, f##_multiply_##T, f##_maximum_##T, f##_minimum_##T}
/* Sums and products of signed integers wrap around, as those of unsigned ones do. */
#define SIGNED(f, T) {NULL, f##_add_u##T, f##_multiply_u##T, f##_maximum_##T, f##_minimum_##T}
#define TABLE(f) { \
    {NULL, f##_any, f##_all, f##_any, f##_all}, \
    SIGNED(f, int8_t), ALL_WAYS(f, uint8_t), SIGNED(f, int16_t), ALL_WAYS(f, uint16_t), SIGNED(f, int32_t), \
    ALL_WAYS(f, uint32_t), SIGNED(f, int64_t), ALL_WAYS(f, uint64_t), ALL_WAYS(f, float), ALL_WAYS(f, double), \
    {NULL, f##_add_complex64, f##_multiply_complex64, NULL, NULL}, {NULL, f##_add_complex128, f##_multiply_complex128, NULL, NULL}}
static const rows_loop row_ways[KINDS][WAYS] = TABLE(rows);
static const elements_loop element_ways[KINDS][WAYS] = TABLE(elements);

#define BY_SIZE(f, size) \
    ((size) == 1 ? f##_8 : (size) == 2 ? f##_16 : (size) == 4 ? f##_32 : (size) == 8 ? f##_64 : f##_128)

/* Whole rows of floats added, which is what indices are used for most: with the widest vectors there are. */
#define ADDED(T) \
typedef void (*run_##T)(T *there, const T *here, Py_ssize_t n); \
RUN(T, add_run_##T##_plain, ) \
static run_##T add_run_##T = add_run_##T##_plain; \
static int rows_added_##T(const rows_job *job, char *table, char *rows, Py_ssize_t from, Py_ssize_t to, Py_ssize_t n) \
{ \
    int64_t offsets[CHUNK]; \
    if (n < LONG_RUN || job->table_in != sizeof(T) || job->row_in != sizeof(T)) return rows_add_##T(job, table, rows, from, to, n); \
    for (Py_ssize_t first = from; first < to; first += CHUNK) { \
        Py_ssize_t count = smaller(CHUNK, to - first); \
        const int64_t *at = job->ready ? job->index + first : offsets; \
        if (!job->ready && find_offsets(offsets, (const char *)(job->index + first), sizeof(int64_t), count, job->limit, job->wrap, \
                                        job->stride)) return 1; \
        for (Py_ssize_t i = 0; i < count; i++) \
            add_run_##T((T *)(table + at[i]), (const T *)(rows + (first + i) * job->row_step), n); \
    } \
    return 0; \
} \
/* The same for those alone whose place lies among the bytes from `low` to `high`, to which rows of their own belong. */ \
static int rows_added_between_##T(const rows_job *job, int64_t low, int64_t high) \
{ \
    int64_t offsets[CHUNK]; \
    for (Py_ssize_t first = 0; first < job->count; first += CHUNK) { \
        Py_ssize_t count = smaller(CHUNK, job->count - first); \
        if (find_offsets(offsets, (const char *)(job->index + first), sizeof(int64_t), count, job->limit, job->wrap, job->stride)) \
            return 1; \
        for (Py_ssize_t i = 0; i < count; i++) \
            if (offsets[i] >= low && offsets[i] < high) \
                add_run_##T((T *)(job->table + offsets[i]), (const T *)(job->rows + (first + i) * job->row_step), job->n); \
    } \
    return 0; \
}
#define RUN(T, NAME, HOW) \
HOW static void NAME(T *there, const T *here, Py_ssize_t n) { for (Py_ssize_t j = 0; j < n; j++) there[j] += here[j]; }
enum { LONG_RUN = 16 };
ADDED(float)
ADDED(double)
#ifdef FOR_PROCESSOR
RUN(float, add_run_float_avx2, FOR_PROCESSOR("avx2"))
RUN(float, add_run_float_avx512, FOR_PROCESSOR("avx512f"))
RUN(double, add_run_double_avx2, FOR_PROCESSOR("avx2"))
RUN(double, add_run_double_avx512, FOR_PROCESSOR("avx512f"))
#endif

static rows_loop row_loop_of(const rows_job *job)
{
    if (job->way == ADD && job->kind == FLOAT32) return rows_added_float;
    if (job->way == ADD && job->kind == FLOAT64) return rows_added_double;
    return job->way == WRITE ? BY_SIZE(rows_write, job->itemsize) : row_ways[job->kind][job->way];
}

static elements_loop element_loop_of(const elements_job *job)
{
    return job->way == WRITE ? BY_SIZE(elements_write, job->itemsize) : element_ways[job->kind][job->way];
}

static void tell_outside(int *told)
{
#ifdef _MSC_VER
    *(volatile int *)told = 1;
#else
    __atomic_store_n(told, 1, __ATOMIC_RELAXED);
#endif
}

/* The bytes to the outer row `number`, in the table and beside the places. */
static void find_row(const rows_job *job, Py_ssize_t number, char **table, char **rows)
{
    *table = job->table;
    *rows = job->rows;
    for (int d = job->dims - 1; d >= 0; d--) {
        Py_ssize_t at = number % job->size[d];
        number /= job->size[d];
        *table += at * job->table_steps[d];
        *rows += at * job->row_steps[d];
    }
}

static void count_units(rows_job *job, Py_ssize_t pieces, Py_ssize_t of_each)
{
    job->pieces = pieces;
    job->units = job->outer * pieces;
    job->per_share = larger(1, SHARE / larger(1, of_each));
}

static Py_ssize_t product(const Py_ssize_t *size, int dims)
{
    Py_ssize_t all = 1;
    for (int d = 0; d < dims; d++) all *= size[d];
    return all;
}

/* Bytes of a row from which on memcpy is called: for less the call itself costs more. */
enum { LONG_ROW = 64 };

static void read_rows_share(void *given, Py_ssize_t number)
{
    rows_job *job = given;
    Py_ssize_t last = smaller((number + 1) * job->per_share, job->units);
    rows_loop loop = BY_SIZE(rows_read, job->itemsize);
    int whole = job->table_in == job->itemsize && job->row_in == job->itemsize && job->n * job->itemsize >= LONG_ROW;
    for (Py_ssize_t unit = number * job->per_share; unit < last; unit++) {
        char *table, *rows;
        find_row(job, unit / job->pieces, &table, &rows);
        Py_ssize_t from = unit % job->pieces * job->piece, to = smaller(from + job->piece, job->count);
        int outside = 0;
        if (whole) {
            for (Py_ssize_t i = from; i < to && !outside; i++) {
                int64_t offset = job->index[i];
                outside = !job->ready && find_offsets(&offset, (const char *)(job->index + i), sizeof offset, 1, job->limit,
                                                      job->wrap, job->stride);
                if (!outside) memcpy(rows + i * job->row_step, table + offset, (size_t)(job->n * job->itemsize));
            }
        } else {
            outside = loop(job, table, rows, from, to, job->n);
        }
        if (outside) tell_outside(&job->outside);
    }
}

int read_rows(rows_job *job)
{
    job->outside = job->writes = 0;
    job->outer = product(job->size, job->dims);
    job->piece = smaller(job->count, larger(1, SHARE / larger(1, job->n)));
    count_units(job, shares_of(job->count, job->piece), job->piece * job->n);
    each_share(read_rows_share, job, shares_of(job->units, job->per_share));
    return -job->outside;
}

static void write_rows_share(void *given, Py_ssize_t number)
{
    rows_job *job = given;
    Py_ssize_t last = smaller((number + 1) * job->per_share, job->units);
    rows_loop loop = row_loop_of(job);
    for (Py_ssize_t unit = number * job->per_share; unit < last; unit++) {
        char *table, *rows;
        find_row(job, unit / job->pieces, &table, &rows);
        Py_ssize_t from = unit % job->pieces * job->piece, n = smaller(job->piece, job->n - from);
        if (loop(job, table + from * job->table_in, rows + from * job->row_in, 0, job->count, n)) tell_outside(&job->outside);
    }
}

/* Long rows of floats are added as a whole, those of some places by each share: half rows are half as many neighbours in memory. */
enum { RANGES = 16, MANY_PLACES = 64 };

static void add_rows_share(void *given, Py_ssize_t number)
{
    rows_job *job = given;
    int64_t low = job->limit * number / RANGES * job->stride, high = job->limit * (number + 1) / RANGES * job->stride;
    if ((job->kind == FLOAT32 ? rows_added_between_float : rows_added_between_double)(job, low, high)) tell_outside(&job->outside);
}

int write_rows(rows_job *job)
{
    job->outside = 0, job->writes = 1;
    if (job->way == ADD && (job->kind == FLOAT32 || job->kind == FLOAT64) && !job->ready && job->dims == 0 && job->n >= WIDE
        && job->limit >= MANY_PLACES && job->stride > 0 && job->table_in == job->itemsize && job->row_in == job->itemsize
        && job->count * job->n > SHARE) {
        each_share(add_rows_share, job, RANGES);
        return -job->outside;
    }
    job->outer = product(job->size, job->dims);
    /* Columns are cut only where there are few outer rows, and much to do. */
    int few = job->outer < 8 && job->outer * job->count * job->n > SHARE;
    job->piece = few ? larger(WIDE, shares_of(job->n, 8)) : larger(1, job->n);
    count_units(job, shares_of(job->n, job->piece), job->count * smaller(job->piece, job->n));
    each_share(write_rows_share, job, shares_of(job->units, job->per_share));
    return -job->outside;
}

/* --- elements ------------------------------------------------------------------------------------------------------------- */

static void elements_share(void *given, Py_ssize_t number, int reads)
{
    elements_job *job = given;
    Py_ssize_t last = smaller((number + 1) * job->per_share, job->units);
    elements_loop loop = reads ? BY_SIZE(elements_read, job->itemsize) : element_loop_of(job);
    for (Py_ssize_t unit = number * job->per_share; unit < last; unit++) {
        char *table = job->table, *values = job->values;
        const char *index = job->index;
        Py_ssize_t row = unit / job->pieces, from = unit % job->pieces * job->piece, n = smaller(job->piece, job->n - from);
        for (int d = job->dims - 1; d >= 0; d--) {
            Py_ssize_t at = row % job->size[d];
            row /= job->size[d];
            table += at * job->table_steps[d];
            values += at * job->value_steps[d];
            index += at * job->index_steps[d];
        }
        if (loop(job, table + from * job->table_in, values + from * job->value_in, index + from * job->index_in, n))
            tell_outside(&job->outside);
    }
}

static void read_elements_share(void *given, Py_ssize_t number) { elements_share(given, number, 1); }
static void write_elements_share(void *given, Py_ssize_t number) { elements_share(given, number, 0); }

static int each_elements_share(elements_job *job, share_function share)
{
    job->outside = 0;
    job->outer = product(job->size, job->dims);
    Py_ssize_t widest = job->middle > 1 ? larger(WIDE, shares_of(job->n, 8)) : SHARE;
    job->piece = job->cut ? smaller(larger(1, job->n), widest) : larger(1, job->n);
    job->pieces = shares_of(job->n, job->piece);
    job->units = job->outer * job->pieces;
    job->per_share = larger(1, SHARE / larger(1, job->middle * job->piece));
    each_share(share, job, shares_of(job->units, job->per_share));
    return -job->outside;
}

int read_elements(elements_job *job) { return each_elements_share(job, read_elements_share); }
int write_elements(elements_job *job) { return each_elements_share(job, write_elements_share); }

/* --- places --------------------------------------------------------------------------------------------------------------- */

#define INSIDE(NAME, HOW) \
HOW static int NAME(const int64_t *index, Py_ssize_t count, int64_t limit, int64_t wrap) \
{ \
    uint64_t outside = 0; \
    for (Py_ssize_t i = 0; i < count; i++) { \
        uint64_t at = (uint64_t)index[i]; \
        at += (0 - (at >> 63)) & (uint64_t)wrap; \
        outside |= at | ((uint64_t)limit - 1 - at); \
    } \
    return (int64_t)outside >= 0; \
}
INSIDE(inside_plain, )
static int (*inside)(const int64_t *, Py_ssize_t, int64_t, int64_t) = inside_plain;
#ifdef FOR_PROCESSOR
INSIDE(inside_avx2, FOR_PROCESSOR("avx2"))
INSIDE(inside_avx512, FOR_PROCESSOR("avx512f"))
#endif

typedef struct { const int64_t *index; Py_ssize_t count; int64_t limit, wrap; int outside; } inside_job;

static void inside_share(void *given, Py_ssize_t number)
{
    inside_job *job = given;
    Py_ssize_t from = number * SHARE;
    if (!inside(job->index + from, smaller(SHARE, job->count - from), job->limit, job->wrap)) tell_outside(&job->outside);
}

int all_inside(const int64_t *index, Py_ssize_t count, int64_t limit, int64_t wrap)
{
    inside_job job = {index, count, limit, wrap, 0};
    each_share(inside_share, &job, shares_of(count, SHARE));
    return !job.outside;
}

int add_places(int64_t *flat, const int64_t *index, Py_ssize_t count, int64_t limit, int wraps, int64_t stride)
{
    int outside = 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        int64_t offset;
        outside |= find_offsets(&offset, (const char *)(index + i), sizeof offset, 1, limit, wraps ? limit : 0, stride);
        flat[i] += offset;
    }
    return -outside;
}

int prepare_places(void)
{
#ifdef FOR_PROCESSOR
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f"))
        inside = inside_avx512, add_run_float = add_run_float_avx512, add_run_double = add_run_double_avx512;
    else if (__builtin_cpu_supports("avx2"))
        inside = inside_avx2, add_run_float = add_run_float_avx2, add_run_double = add_run_double_avx2;
#endif
    return import_pool();
}
