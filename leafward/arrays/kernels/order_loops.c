/* Each element becomes an unsigned key whose order is that of the elements, and each key a number that has the key above and
 * the place in the row below: these are all different, so that any way of sorting them keeps the order of equals. Few are
 * counted against each other, many sorted by their bytes. */
#include <stdlib.h>
#include "order_loops.h"
#include "order_ties.h"

/* Rows up to RANKED are sorted by counting, the first up to SOUGHT of many are looked for one by one; keys in a block; vectors
 * and columns side by side; elements in a share. */
enum { RANKED = 112, SOUGHT = 16, MOST_LANES = 8, AT_ONCE = 4, BLOCK = 256, COLUMNS = 8, SHARE = 16384, DIGIT = 11 };

static inline Py_ssize_t smaller(Py_ssize_t a, Py_ssize_t b) { return a < b ? a : b; }
static inline Py_ssize_t larger(Py_ssize_t a, Py_ssize_t b) { return a > b ? a : b; }

/* --- keys ------------------------------------------------------------------------------------------------------------ */

/* The bits of a float, turned so that they count up with it: NaN are all the largest, zeros are one. */
#define FLOAT_KEY(UINT, INT, INFINITE) \
    UINT top = (UINT)((UINT)1 << (8 * sizeof(UINT) - 1)), size = (UINT)(u & (UINT)~top); \
    UINT turned = size == 0 ? top : (UINT)(u ^ ((UINT)((INT)u >> (8 * sizeof(UINT) - 1)) | top)); \
    return size > INFINITE ? (UINT)~(UINT)0 : turned;

static inline uint8_t key_of_byte_u(uint8_t u) { return u; }
static inline uint8_t key_of_byte_i(uint8_t u) { return u ^ 0x80; }
static inline uint16_t key_of_short(uint16_t u) { return u ^ 0x8000; }
static inline uint32_t key_of_int(uint32_t u) { return u ^ 0x80000000u; }
static inline uint64_t key_of_long(uint64_t u) { return u ^ ((uint64_t)1 << 63); }
static inline uint16_t key_of_half(uint16_t u) { FLOAT_KEY(uint16_t, int16_t, 0x7c00) }
static inline uint16_t key_of_brain_half(uint16_t u) { FLOAT_KEY(uint16_t, int16_t, 0x7f80) }
static inline uint32_t key_of_float(uint32_t u) { FLOAT_KEY(uint32_t, int32_t, 0x7f800000u) }
static inline uint64_t key_of_double(uint64_t u) { FLOAT_KEY(uint64_t, int64_t, 0x7ff0000000000000u) }

typedef void (*loader)(const char *, Py_ssize_t, Py_ssize_t, Py_ssize_t, int, uint64_t *, Py_ssize_t);
static const int sizes[] = {1, 1, 2, 4, 8, 2, 2, 4, 8};

#define TYPES "order_types.h"
#define TEMPLATE "order_template.h"
#include "targets.h"

#if defined(__x86_64__)
#define FOR_KEYS(f) {f##_plain_keys, f##_avx2_keys, f##_avx512_keys}
#else
#define FOR_KEYS(f) {f##_plain_keys}
#endif
static void (*const rank_sorts[TARGETS])(uint64_t *, Py_ssize_t, uint64_t *) = FOR_KEYS(rank_sort);
static void (*const few_finders[TARGETS])(const uint64_t *, Py_ssize_t, Py_ssize_t, uint64_t *) = FOR_KEYS(least_few);
static void (*const range_finders[TARGETS])(const uint64_t *, Py_ssize_t, uint64_t *, uint64_t *) = FOR_KEYS(find_range);
static Py_ssize_t (*const keepers[TARGETS])(const uint64_t *, Py_ssize_t, uint64_t, int, Py_ssize_t, uint64_t *) = FOR_KEYS(keep_below);
static const loader *const loader_tables[TARGETS] = FOR_KEYS(loaders);
static int target;
static const loader *loaders;

int prepare_order(void)
{
    target = find_target();
    loaders = loader_tables[target];
    return import_pool();
}

/* The key of NaN, ascending; no key where there is none. */
static inline int is_nan_key(int kind, uint64_t key)
{
    return kind >= HALVES && key == (~(uint64_t)0 >> (64 - 8 * sizes[kind]));
}

/* --- packed keys ----------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t base;                      /* the least key, where that matters */
    int bits, drop, place_bits;         /* of keys from there on; which the packed ones leave out; of a place */
    uint64_t places;                    /* the mask of a place */
} packing;

static inline int width_of(uint64_t x)
{
    int width = 0;
    while (x) { x >>= 1; width++; }
    return width;
}

static packing packing_for(const order_job *job, const uint64_t *keys)
{
    packing p = {0, job->bits, 0, width_of((uint64_t)(job->n - 1)), 0};
    if (p.bits + p.place_bits > 64) {
        uint64_t largest;
        range_finders[target](keys, job->n, &p.base, &largest);
        p.bits = width_of(largest - p.base);
        p.drop = larger(0, p.bits + p.place_bits - 64);
    }
    p.places = ((uint64_t)1 << p.place_bits) - 1;
    return p;
}

static inline uint64_t packed(packing p, uint64_t key, Py_ssize_t place)
{
    return (key - p.base) >> p.drop << p.place_bits | (uint64_t)place;
}

/* Sort by `bits` bits from bit `low` on, byte by byte from the last, keeping the order of what is equal there. */
static void radix_sort(uint64_t *a, Py_ssize_t n, uint64_t *spare, int low, int bits)
{
    uint32_t counts[8][256] = {{0}};
    uint64_t *from = a, *to = spare;
    int digits = (bits + 7) / 8;
    for (Py_ssize_t i = 0; i < n; i++) {
        uint64_t rest = a[i] >> low;
        for (int d = 0; d < digits; d++, rest >>= 8) counts[d][rest & 255]++;
    }
    for (int d = 0; d < digits; d++, low += 8) {
        uint32_t total = 0;
        if (counts[d][from[0] >> low & 255] == (uint32_t)n) continue;            /* the same in all of them */
        for (int v = 0; v < 256; v++) {
            uint32_t count = counts[d][v];
            counts[d][v] = total;
            total += count;
        }
        for (Py_ssize_t i = 0; i < n; i++) to[counts[d][from[i] >> low & 255]++] = from[i];
        uint64_t *swapped = from;
        from = to;
        to = swapped;
    }
    if (from != a) memcpy(a, from, (size_t)n * sizeof(uint64_t));
}

static void sort_packed(uint64_t *a, Py_ssize_t n, uint64_t *spare, int low, int bits)
{
    if (n > RANKED) {
        radix_sort(a, n, spare, low, bits);
        return;
    }
    if (n < 2) return;
    rank_sorts[target](a, n, spare);
    memcpy(a, spare, (size_t)n * sizeof(uint64_t));
}

/* Put the first `count` of n packed keys in order where they begin; the others may go. */
static void first_of_packed(uint64_t *a, Py_ssize_t n, Py_ssize_t count, uint64_t *spare, int low, int bits)
{
    if (count > SOUGHT || 4 * count > n) {
        sort_packed(a, n, spare, low, bits);
        return;
    }
    few_finders[target](a, n, count, spare);
    memcpy(a, spare, (size_t)count * sizeof(uint64_t));
}

/* --- one row --------------------------------------------------------------------------------------------------------- */

typedef struct {
    uint64_t *order, *spare;            /* n each, and some more */
    pair *pairs, *more;                 /* where equals come as in the library */
} room;

/* The stable order, or at least the first `count` of it: afterwards order[i] & places is the place of what comes at i. */
static packing order_row(const order_job *job, const uint64_t *keys, Py_ssize_t count, const room *r)
{
    packing p = packing_for(job, keys);
    uint64_t *order = r->order;
    for (Py_ssize_t i = 0; i < job->n; i++) order[i] = packed(p, keys[i], i);
    first_of_packed(order, job->n, p.drop ? job->n : count, r->spare, p.place_bits, p.bits - p.drop);
    if (p.drop)                         /* what is equal so far is sorted by the bits that were left out */
        for (Py_ssize_t i = 0, end; i < job->n; i = end) {
            uint64_t shared = order[i] >> p.place_bits, low = ((uint64_t)1 << p.drop) - 1;
            for (end = i + 1; end < job->n && order[end] >> p.place_bits == shared; end++) {}
            if (end == i + 1) continue;
            for (Py_ssize_t j = i; j < end; j++) {
                uint64_t place = order[j] & p.places;
                order[j] = ((keys[place] - p.base) & low) << p.place_bits | place;
            }
            sort_packed(order + i, end - i, r->spare, p.place_bits, p.drop);
        }
    return p;
}

/* The first `count` of the stable order, found block by block among what lies below the last of those before. The keys are
 * made here where there are none. */
static packing first_of_row(const order_job *job, const char *row, const uint64_t *known, Py_ssize_t count, const room *r)
{
    packing p = packing_for(job, NULL);
    uint64_t made[BLOCK], bound = ~(uint64_t)0;
    Py_ssize_t found = 0, cap = larger(96, 2 * count), size = 96;
    for (Py_ssize_t start = 0, n; start < job->n; start += n) {
        n = smaller(job->n - start, size);
        if (!known) loaders[job->kind](row + start * job->inner * job->itemsize, n, job->inner, 1, job->descending, made, 0);
        found += keepers[target](known ? known + start : made, n, bound, p.place_bits, start, r->order + found);
        if (found >= cap) {
            first_of_packed(r->order, found, count, r->spare, p.place_bits, p.bits);
            found = count;
            bound = r->order[count - 1] >> p.place_bits;     /* what equals it comes later */
            size = BLOCK;
        }
    }
    first_of_packed(r->order, found, count, r->spare, p.place_bits, p.bits);
    return p;
}

/* The place of what comes at place k of the stable order. */
static int64_t kth_of_row(const order_job *job, const uint64_t *keys, Py_ssize_t k, const room *r)
{
    packing p = packing_for(job, keys);
    Py_ssize_t n = job->n;
    if (n <= RANKED || p.drop) {
        p = order_row(job, keys, n, r);
        return (int64_t)(r->order[k] & p.places);
    }
    for (Py_ssize_t i = 0; i < n; i++) r->order[i] = packed(p, keys[i], i);
    for (int top = p.bits + p.place_bits; n > RANKED;) {
        uint32_t counts[1 << DIGIT] = {0};
        int digit = smaller(DIGIT, top), shift = top - digit;
        uint64_t mask = ((uint64_t)1 << digit) - 1, bucket = 0;
        Py_ssize_t kept = 0;
        for (Py_ssize_t i = 0; i < n; i++) counts[r->order[i] >> shift & mask]++;
        for (; k >= counts[bucket]; bucket++) k -= counts[bucket];
        for (Py_ssize_t i = 0; i < n; i++) {
            uint64_t one = r->order[i];
            r->order[kept] = one;
            kept += (one >> shift & mask) == bucket;
        }
        n = kept;
        top = shift;
    }
    sort_packed(r->order, n, r->spare, 0, 64);
    return (int64_t)(r->order[k] & p.places);
}

static int has_equals(const room *r, packing p, const uint64_t *keys, Py_ssize_t n)
{
    uint64_t found = 0;
    for (Py_ssize_t i = 1; i < n && !p.drop; i++) found |= r->order[i] >> p.place_bits == r->order[i - 1] >> p.place_bits;
    if (!p.drop) return found != 0;
    for (Py_ssize_t i = 1; i < n; i++)
        if (keys[r->order[i] & p.places] == keys[r->order[i - 1] & p.places]) return 1;
    return 0;
}

static void make_pairs(const room *r, const uint64_t *keys, Py_ssize_t n)
{
    for (Py_ssize_t i = 0; i < n; i++) r->pairs[i] = (pair){keys[i], i};
}

/* The whole order, with equals as the library leaves them where that is asked for, as `places`, `step` apart. */
static void all_of_row(const order_job *job, const uint64_t *keys, const room *r, int64_t *places, Py_ssize_t step)
{
    packing p = order_row(job, keys, job->n, r);
    if (job->tied && job->n > SHORT && has_equals(r, p, keys, job->n)) {
        make_pairs(r, keys, job->n);
        if (sort_as_library(r->pairs, job->n)) {
            for (Py_ssize_t i = 0; i < job->n; i++) places[i * step] = r->pairs[i].place;
            return;
        }
    }
    for (Py_ssize_t i = 0; i < job->n; i++) places[i * step] = (int64_t)(r->order[i] & p.places);
}

static void some_of_row(const order_job *job, const char *row, const uint64_t *keys, const room *r, int64_t *places)
{
    Py_ssize_t looked_at = smaller(job->count + job->tied, job->n);
    int few = job->n > RANKED && 4 * looked_at <= job->n && job->bits + width_of((uint64_t)(job->n - 1)) <= 64;
    packing p = few ? first_of_row(job, row, keys, looked_at, r) : order_row(job, keys, looked_at, r);
    if (job->tied && has_equals(r, p, keys, looked_at)) {
        make_pairs(r, keys, job->n);
        top_as_library(r->pairs, job->count, job->n, r->more);
        for (Py_ssize_t i = 0; i < job->count; i++) places[i * job->inner] = r->pairs[i].place;
        return;
    }
    for (Py_ssize_t i = 0; i < job->count; i++) places[i * job->inner] = (int64_t)(r->order[i] & p.places);
}

/* The first place of the largest or the smallest; NaN are both. */
static int64_t extreme_of_row(const order_job *job, const uint64_t *keys)
{
    uint64_t least, largest;
    Py_ssize_t i = 0;
    range_finders[target](keys, job->n, &least, &largest);
    if (job->way == LARGEST || is_nan_key(job->kind, largest)) least = largest;
    while (keys[i] != least) i++;
    return i;
}

static int64_t one_of_row(const order_job *job, const uint64_t *keys, const room *r)
{
    Py_ssize_t k = job->k, numbers = job->n;
    if (job->way >= LARGEST) return extreme_of_row(job, keys);
    if (job->way != KTH) {
        Py_ssize_t first = job->n;
        for (Py_ssize_t i = job->n - 1; i >= 0 && job->kind >= HALVES; i--)
            if (is_nan_key(job->kind, keys[i])) { numbers--; first = i; }
        if (numbers < job->n && job->way == MEDIAN) return first;
        k = numbers ? (numbers - 1) / 2 : 0;
    }
    if (job->tied) {
        make_pairs(r, keys, job->n);
        return kth_as_library(r->pairs, k, job->n);
    }
    return kth_of_row(job, keys, k, r);
}

/* Of the longest runs of equals the first, and of that the last place. NaN equal nothing. */
static int64_t mode_of_row(const order_job *job, const uint64_t *keys, const room *r)
{
    int64_t *places = (int64_t *)r->spare, best = 0;
    Py_ssize_t length = 0, longest = 0;
    all_of_row(job, keys, r, places, 1);
    for (Py_ssize_t i = 0; i < job->n; i++) {
        uint64_t key = keys[places[i]];
        length = i && key == keys[places[i - 1]] && !is_nan_key(job->kind, key) ? length + 1 : 1;
        if (length > longest) { longest = length; best = places[i]; }
    }
    return best;
}

/* --- rows ------------------------------------------------------------------------------------------------------------ */

#define PICK(UINT) \
    for (Py_ssize_t i = 0; i < job->count; i++) \
        ((UINT *)values)[i * job->inner] = ((const UINT *)row)[places[i * job->inner] * job->inner];

static void pick_values(const order_job *job, const char *row, const int64_t *places, char *values)
{
    if (job->itemsize == 4) { PICK(uint32_t) }
    else if (job->itemsize == 8) { PICK(uint64_t) }
    else if (job->itemsize == 2) { PICK(uint16_t) }
    else { PICK(uint8_t) }
}

static void do_row(const order_job *job, const char *row, const uint64_t *keys, const room *r, int64_t *places)
{
    if (job->way == ALL) all_of_row(job, keys, r, places, job->inner);
    else if (job->way == FIRST) some_of_row(job, row, keys, r, places);
    else *places = job->way == MODE ? mode_of_row(job, keys, r) : one_of_row(job, keys, r);
}

static void order_share(void *given, Py_ssize_t number)
{
    order_job *job = given;
    Py_ssize_t n = job->n, wide = shares_of(job->inner, COLUMNS), apart = n + MOST_LANES, side = smaller(job->inner, COLUMNS);
    int few = job->way == FIRST && !job->tied && n > RANKED && 4 * job->count <= n && job->bits < 64;
    Py_ssize_t kept = few ? 2 * job->count + 96 + 2 * BLOCK : apart + BLOCK;
    size_t words = (size_t)((few ? 0 : side * apart) + 2 * kept + (job->places ? 0 : job->count * job->inner));
    uint64_t *memory = malloc(words * sizeof(uint64_t) + (job->tied ? 2 * (size_t)n * sizeof(pair) : 0));
    if (memory == NULL) {
        job->failed = 1;
        return;
    }
    room r = {memory, memory + kept, (pair *)(memory + words), (pair *)(memory + words) + n};
    uint64_t *keys = few ? NULL : memory + 2 * kept;
    int64_t *own = (int64_t *)memory + words - job->count * job->inner;
    Py_ssize_t last = smaller((number + 1) * job->per_share, job->groups);
    for (Py_ssize_t group = number * job->per_share; group < last; group++) {
        Py_ssize_t outer = group / wide, column = group % wide * COLUMNS, width = smaller(COLUMNS, job->inner - column);
        const char *rows = job->x + (outer * n * job->inner + column) * job->itemsize;
        Py_ssize_t at = outer * job->count * job->inner + column;
        if (!few) loaders[job->kind](rows, n, job->inner, width, job->descending, keys, apart);
        for (Py_ssize_t c = 0; c < width; c++) {
            int64_t *places = job->places ? job->places + at + c : own + c;
            do_row(job, rows + c * job->itemsize, few ? NULL : keys + c * apart, &r, places);
            if (job->values)
                pick_values(job, rows + c * job->itemsize, places, job->values + (at + c) * job->itemsize);
        }
    }
    free(memory);
}

int order_rows(order_job *job)
{
    job->itemsize = sizes[job->kind];
    job->bits = 8 * job->itemsize;
    job->failed = 0;
    job->groups = job->outer * shares_of(job->inner, COLUMNS);
    job->per_share = larger(1, SHARE / (job->n * smaller(job->inner, COLUMNS)));
    each_share(order_share, job, shares_of(job->groups, job->per_share));
    return job->failed ? -1 : 0;
}

int find_distinct(distinct_job *job)
{
    order_job whole = {.x = job->x, .n = job->n, .inner = 1, .kind = job->kind, .bits = 8 * sizes[job->kind],
                       .itemsize = sizes[job->kind]};
    Py_ssize_t apart = job->n + MOST_LANES, run = -1;
    uint64_t *keys = malloc((size_t)(3 * apart) * sizeof(uint64_t)), before = 0;
    if (keys == NULL) return -1;
    room r = {keys + apart, keys + 2 * apart, NULL, NULL};
    loaders[job->kind](job->x, job->n, 1, 1, 0, keys, 0);
    packing p = order_row(&whole, keys, whole.n, &r);
    int64_t *first = (int64_t *)r.spare;
    for (Py_ssize_t i = 0; i < job->n; i++) {
        int64_t place = (int64_t)(r.order[i] & p.places);
        uint64_t key = keys[place];
        if (i == 0 || key != before || is_nan_key(job->kind, key)) {
            first[++run] = place;
            job->counts[run] = 0;
        }
        job->counts[run]++;
        job->inverse[place] = run;
        before = key;
    }
    job->found = run + 1;
    whole.count = job->found;
    pick_values(&whole, job->x, first, job->values);
    free(keys);
    return 0;
}
