#include "copy_loops.h"
#include "halves.h"
#include <math.h>
#include <string.h>
#include "sums.h"

/* Elements in a share, and in the side of a square that is turned at once. */
enum { SHARE = 32768, SQUARE = 16 };

static inline Py_ssize_t length(Py_ssize_t step) { return step < 0 ? -step : step; }

typedef struct { uint64_t a, b; } sixteen_bytes;

/* One number everywhere. x86 has an instruction for it, which writes whole lines without reading them first. */
#define SAME(T, BITS) static void same_##BITS(T *to, T number, Py_ssize_t n) { for (Py_ssize_t j = 0; j < n; j++) to[j] = number; }
SAME(uint8_t, 8)
SAME(uint16_t, 16)
SAME(sixteen_bytes, 128)
#if defined(__x86_64__) && defined(__GNUC__)
static void same_32(uint32_t *to, uint32_t number, Py_ssize_t n)
{
    __asm__ volatile("rep stosl" : "+D"(to), "+c"(n) : "a"(number) : "memory");
}
static void same_64(uint64_t *to, uint64_t number, Py_ssize_t n)
{
    __asm__ volatile("rep stosq" : "+D"(to), "+c"(n) : "a"(number) : "memory");
}
#else
SAME(uint32_t, 32)
SAME(uint64_t, 64)
#endif

/* A row of one dim; and a part of a plane of which the source runs along the other dim: whole lines are read, turned in a
 * buffer, and written, since lines that lie a power of two apart would push each other out of the cache. */
#define MOVES(T, BITS) \
static void row_##BITS(char *target, const char *source, Py_ssize_t n, Py_ssize_t t, Py_ssize_t s) \
{ \
    if (t == sizeof(T) && s == -(Py_ssize_t)sizeof(T)) \
        for (Py_ssize_t j = 0; j < n; j++) ((T *)target)[j] = ((const T *)source)[-j]; \
    else if (t == sizeof(T) && s == 0) \
        same_##BITS((T *)target, *(const T *)source, n); \
    else if (t == sizeof(T)) \
        for (Py_ssize_t j = 0; j < n; j++) ((T *)target)[j] = *(const T *)(source + j * s); \
    else \
        for (Py_ssize_t j = 0; j < n; j++) *(T *)(target + j * t) = *(const T *)(source + j * s); \
} \
static void plane_##BITS(char *target, const char *source, Py_ssize_t across, Py_ssize_t n, Py_ssize_t target_across, \
                         Py_ssize_t source_across, Py_ssize_t t, Py_ssize_t s) \
{ \
    T turned[SQUARE][SQUARE]; \
    for (Py_ssize_t a = 0; a < across; a += SQUARE) \
        for (Py_ssize_t b = 0; b < n; b += SQUARE) { \
            Py_ssize_t high = smaller(SQUARE, across - a), wide = smaller(SQUARE, n - b); \
            const char *from = source + a * source_across + b * s; \
            char *to = target + a * target_across + b * t; \
            for (Py_ssize_t j = 0; j < wide; j++) \
                for (Py_ssize_t i = 0; i < high; i++) turned[i][j] = *(const T *)(from + j * s + i * source_across); \
            for (Py_ssize_t i = 0; i < high; i++) \
                for (Py_ssize_t j = 0; j < wide; j++) *(T *)(to + i * target_across + j * t) = turned[i][j]; \
        } \
}
MOVES(uint8_t, 8)
MOVES(uint16_t, 16)
MOVES(uint32_t, 32)
MOVES(uint64_t, 64)
MOVES(sixteen_bytes, 128)

#define TEMPLATE "copy_template.h"
#include "targets.h"

/* The same where both sides have elements of four or eight bytes side by side, in vectors; NULL without them. */
static void (*const planes_turned[TARGETS][2])(char *, const char *, Py_ssize_t, Py_ssize_t, Py_ssize_t, Py_ssize_t) =
    FUNCTIONS(turn_plane);
static void (*const copied_rows[TARGETS][2])(char *, const char *, Py_ssize_t) = FUNCTIONS(copy_row);
static void (*const reversed_rows[TARGETS][2])(char *, const char *, Py_ssize_t) = FUNCTIONS(reverse_row);
static int target_kind;

#define BY_SIZE(f, size) \
    ((size) == 1 ? f##_8 : (size) == 2 ? f##_16 : (size) == 4 ? f##_32 : (size) == 8 ? f##_64 : f##_128)

/* The dims in the order of the target's memory, those of one element left out, and neighbours that lie as one taken together. */
static void put_in_order(copy_job *job)
{
    int kept = 0;
    for (int d = 0; d < job->dims; d++) {
        if (job->size[d] == 1) continue;
        Py_ssize_t size = job->size[d], t = job->target_steps[d], s = job->source_steps[d];
        int at = kept++;
        for (; at > 0 && length(job->target_steps[at - 1]) < length(t); at--) {
            job->size[at] = job->size[at - 1];
            job->target_steps[at] = job->target_steps[at - 1];
            job->source_steps[at] = job->source_steps[at - 1];
        }
        job->size[at] = size;
        job->target_steps[at] = t;
        job->source_steps[at] = s;
    }
    int dims = 0;
    for (int d = 0; d < kept; d++) {
        Py_ssize_t size = job->size[d], t = job->target_steps[d], s = job->source_steps[d];
        if (dims > 0 && job->target_steps[dims - 1] == size * t && job->source_steps[dims - 1] == size * s) {
            job->size[dims - 1] *= size;
            job->target_steps[dims - 1] = t;
            job->source_steps[dims - 1] = s;
            continue;
        }
        job->size[dims] = size;
        job->target_steps[dims] = t;
        job->source_steps[dims++] = s;
    }
    if (dims == 0) {
        job->size[0] = 1;
        job->target_steps[0] = job->source_steps[0] = job->itemsize;
        dims = 1;
    }
    job->dims = dims;
}

static void swap_dims(copy_job *job, int a, int b)
{
    Py_ssize_t size = job->size[a], t = job->target_steps[a], s = job->source_steps[a];
    job->size[a] = job->size[b]; job->target_steps[a] = job->target_steps[b]; job->source_steps[a] = job->source_steps[b];
    job->size[b] = size; job->target_steps[b] = t; job->source_steps[b] = s;
}

static void copy_share(void *given, Py_ssize_t number)
{
    const copy_job *job = given;
    Py_ssize_t units = job->rows * job->pieces, last = smaller((number + 1) * job->per_share, units);
    int outer = job->dims - (job->across ? 2 : 1), inner = job->dims - 1, cut = outer;
    Py_ssize_t n = job->size[inner], t = job->target_steps[inner], s = job->source_steps[inner];
    for (Py_ssize_t unit = number * job->per_share; unit < last; unit++) {
        Py_ssize_t row = unit / job->pieces, from = unit % job->pieces * job->piece;
        Py_ssize_t count = smaller(job->piece, job->size[cut] - from);
        char *target = job->target + from * job->target_steps[cut];
        const char *source = job->source + from * job->source_steps[cut];
        for (int d = outer - 1; d >= 0; d--) {
            Py_ssize_t at = row % job->size[d];
            row /= job->size[d];
            target += at * job->target_steps[d];
            source += at * job->source_steps[d];
        }
        if (job->across && job->turns)
            planes_turned[target_kind][job->itemsize == 8](target, source, count, n, job->target_steps[cut], s);
        else if (job->across)
            BY_SIZE(plane, job->itemsize)(target, source, count, n, job->target_steps[cut], job->source_steps[cut], t, s);
        else if (t == job->itemsize && s == job->itemsize)
            copied_rows[target_kind][0](target, source, count * job->itemsize);
        else if (t == job->itemsize && s == -t && (t == 4 || t == 8))
            reversed_rows[target_kind][t == 8](target, source, count);
        else
            BY_SIZE(row, job->itemsize)(target, source, count, t, s);
    }
}

void copy_loops(copy_job *job)
{
    put_in_order(job);
    int inner = job->dims - 1, runs = inner;
    for (int d = 0; d < inner; d++)
        if (job->source_steps[d] != 0 && job->size[d] > 1 && length(job->source_steps[d]) < length(job->source_steps[runs])) runs = d;
    if (runs == inner && inner > 0 && job->size[inner] < SQUARE) runs = inner - 1;     /* rows too short to go one by one */
    job->across = runs != inner;
    if (job->across) swap_dims(job, runs, inner - 1);
    int cut = inner - (int)job->across;
    job->turns = job->across && target_kind != PLAIN && (job->itemsize == 4 || job->itemsize == 8)
        && job->target_steps[inner] == job->itemsize && job->source_steps[cut] == job->itemsize
        && job->target_steps[cut] % job->itemsize == 0 && job->source_steps[inner] % job->itemsize == 0;
    job->rows = 1;
    for (int d = 0; d < cut; d++) job->rows *= job->size[d];
    Py_ssize_t of_each = job->across ? job->size[inner] : 1;
    job->piece = larger(1, SHARE / of_each);
    if (job->across) job->piece = shares_of(job->piece, SQUARE) * SQUARE;
    job->piece = smaller(job->piece, job->size[cut]);
    job->pieces = shares_of(job->size[cut], job->piece);
    job->per_share = larger(1, SHARE / (job->piece * of_each));
    each_share(copy_share, job, shares_of(job->rows * job->pieces, job->per_share));
}

/* --- casts ---------------------------------------------------------------------------------------------------------------- */

static half_type half_types[HALF_TYPES];

#define CAST(FROM, TO) \
    for (Py_ssize_t i = 0; i < n; i++) ((TO *)job->target)[at + i] = (TO)((const FROM *)job->source)[at + i]; \
    break
#define CASTS(NAME, HOW) \
HOW static void NAME(const cast_job *job, Py_ssize_t at, Py_ssize_t n) \
{ \
    switch (job->how) { \
    case FLOAT_TO_DOUBLE: CAST(float, double); \
    case DOUBLE_TO_FLOAT: CAST(double, float); \
    case LONG_TO_FLOAT: CAST(int64_t, float); \
    case LONG_TO_DOUBLE: CAST(int64_t, double); \
    case INT_TO_FLOAT: CAST(int32_t, float); \
    case INT_TO_DOUBLE: CAST(int32_t, double); \
    case BYTE_TO_FLOAT: CAST(uint8_t, float); \
    case BYTE_TO_DOUBLE: CAST(uint8_t, double); \
    } \
}
CASTS(cast_plain, )
static void (*cast_numbers)(const cast_job *, Py_ssize_t, Py_ssize_t) = cast_plain;
#ifdef FOR_PROCESSOR
CASTS(cast_avx2, FOR_PROCESSOR("avx2"))
CASTS(cast_avx512, FOR_PROCESSOR("avx512f,avx512vl,avx512bw,avx512dq"))
#endif

static void cast_share(void *given, Py_ssize_t number)
{
    const cast_job *job = given;
    Py_ssize_t at = number * SHARE, n = smaller(SHARE, job->count - at);
    if (job->how >= HALF_CASTS) {
        cast_numbers(job, at, n);
        return;
    }
    const half_type *type = &half_types[job->how / 2];
    if (job->how % 2) type->widen((const uint16_t *)job->source + at, (float *)job->target + at, n);
    else type->narrow((const float *)job->source + at, (uint16_t *)job->target + at, n);
}

void cast_loops(cast_job *job)
{
    each_share(cast_share, job, shares_of(job->count, SHARE));
}

/* --- numbers at equal steps ----------------------------------------------------------------------------------------------- */

#define SPACED(NAME, REAL, FUSED, HOW) \
HOW static void NAME(const spaced_job *job, int32_t from, int32_t to) \
{ \
    REAL *out = job->target, step = (REAL)job->step, start = (REAL)job->start, end = (REAL)job->end; \
    int32_t half = job->steps / 2, middle = to < half ? to : half, last = job->steps - 1, i = from; \
    for (; i < middle; i++) out[i] = FUSED((REAL)i, step, start); \
    for (; i < to; i++) out[i] = FUSED((REAL)(last - i), -step, end); \
}
SPACED(spaced_32_plain, float, fmaf, )
SPACED(spaced_64_plain, double, fma, )
static void (*spaced_32)(const spaced_job *, int32_t, int32_t) = spaced_32_plain;
static void (*spaced_64)(const spaced_job *, int32_t, int32_t) = spaced_64_plain;
#ifdef FOR_PROCESSOR
SPACED(spaced_32_avx2, float, fmaf, FOR_PROCESSOR("avx2,fma"))
SPACED(spaced_64_avx2, double, fma, FOR_PROCESSOR("avx2,fma"))
#endif

static void spaced_share(void *given, Py_ssize_t number)
{
    const spaced_job *job = given;
    int32_t from = (int32_t)(number * SHARE), to = (int32_t)smaller((number + 1) * SHARE, job->steps);
    (job->wide ? spaced_64 : spaced_32)(job, from, to);
}

void spaced_loops(spaced_job *job)
{
    each_share(spaced_share, job, shares_of(job->steps, SHARE));
}

/* --- numbers by steps ----------------------------------------------------------------------------------------------------- */

#define COUNTED(NAME, REAL, HOW) \
HOW static void NAME(const counted_job *job, Py_ssize_t from, Py_ssize_t to) \
{ \
    enum { TOGETHER = 32 / sizeof(REAL) }; \
    REAL *out = job->target; \
    double step = job->step, start = job->start; \
    Py_ssize_t whole = smaller(to, job->count - job->count % (2 * TOGETHER)), i = from; \
    for (; i < whole; i += TOGETHER) { \
        double first = (REAL)fma((double)i, step, start); \
        for (int k = 0; k < TOGETHER; k++) out[i + k] = (REAL)fma((double)k, step, first); \
    } \
    for (; i < to; i++) out[i] = (REAL)fma((double)i, step, start); \
}
COUNTED(counted_32_plain, float, )
COUNTED(counted_64_plain, double, )
static void (*counted_32)(const counted_job *, Py_ssize_t, Py_ssize_t) = counted_32_plain;
static void (*counted_64)(const counted_job *, Py_ssize_t, Py_ssize_t) = counted_64_plain;
#ifdef FOR_PROCESSOR
COUNTED(counted_32_avx2, float, FOR_PROCESSOR("avx2,fma"))
COUNTED(counted_64_avx2, double, FOR_PROCESSOR("avx2,fma"))
#endif

static void counted_share(void *given, Py_ssize_t number)
{
    const counted_job *job = given;
    (job->wide ? counted_64 : counted_32)(job, number * SHARE, smaller((number + 1) * SHARE, job->count));
}

void counted_loops(counted_job *job)
{
    each_share(counted_share, job, shares_of(job->count, SHARE));
}

int prepare_copies(void)
{
    target_kind = find_target();
    find_half_types(half_types);
#ifdef FOR_PROCESSOR
    if (target_kind != PLAIN) cast_numbers = target_kind == AVX2 ? cast_avx2 : cast_avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
        spaced_32 = spaced_32_avx2;
        spaced_64 = spaced_64_avx2;
        counted_32 = counted_32_avx2;
        counted_64 = counted_64_avx2;
    }
#endif
    return import_pool();
}

/* --- what bytes come to ---------------------------------------------------------------------------------------------- */

static inline uint64_t mix(uint64_t before, uint64_t word)
{
    /* One word changed changes the result: each step can be undone. Turned, as a sign bit would only ever meet sign bits. */
    before ^= word;
    return (before << 29 | before >> 35) * UINT64_C(0x9E3779B97F4A7C15);
}

uint64_t mixed_bytes(const void *bytes, size_t size)
{
    enum { CHAINS = 8, STEP = CHAINS * 8 };                 /* which do not wait for one another */
    const char *at = bytes, *end = at + size / STEP * STEP;
    uint64_t chain[CHAINS], words[CHAINS] = {0}, all = size;
    for (int k = 0; k < CHAINS; k++) chain[k] = (uint64_t)k;
    for (; at < end; at += STEP) {
        memcpy(words, at, STEP);
        for (int k = 0; k < CHAINS; k++) chain[k] = mix(chain[k], words[k]);
    }
    memset(words, 0, sizeof(words));
    memcpy(words, at, size % STEP);
    for (int k = 0; k < CHAINS; k++) all = mix(mix(all, chain[k]), words[k]);
    return all ^ all >> 32;
}
