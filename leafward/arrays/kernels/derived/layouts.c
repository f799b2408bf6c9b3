/* Loops know contiguous elements only, and this brings any layout to them.
 *
 * Dimensions that lie in each other are joined first; then the result's elements are numbered in order and cut into shares, one
 * for a thread at a time, and those into blocks. An operand that is contiguous is read where it lies; one number is repeated in a
 * buffer; of long rows (of a matrix whose other rows lie elsewhere, or of one that is repeated) each is read where it lies, too;
 * anything else (a transpose, every second element) is gathered into a buffer of one block, which stays in the first cache. A result that is not contiguous is scattered from such a buffer. What is of a half type becomes float32 in such a
 * buffer, and the result is rounded from there once. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "pool.h"
#include "halves.h"
#include "layouts.h"
#include "targets.h"

enum { BLOCK = 1024, SLACK = 64, ROOM = BLOCK + SLACK / 8, PIECE = 512, CACHED = 2048, SHARE = 16384, LONG_ROW = 256 };
enum way { IN_PLACE, REPEATED, GATHERED };

struct job {
    loop_function loop;
    const struct operands *o;
    const double *numbers;
    enum way way[MOST_OPERANDS];
    int direct;                                     /* every operand is contiguous, and goes in one piece */
    double *totals;                                 /* of each share, where the loop adds up */
};

static half_type half_types[HALF_TYPES];

static ptrdiff_t size_of(ptrdiff_t step)
{
    return step < 0 ? -step : step;
}

void order_of_result(const struct operands *o, int *order)
{
    for (int d = 0; d < o->ndim; d++) order[d] = o->ndim - 1 - d;
    for (int d = 1; d < o->ndim; d++) {
        int moved = order[d], place = d;
        for (int c = d - 1; c >= 0; c--) {
            int undecided = 1, before = 0;
            for (int k = 0; k < o->inputs; k++) {
                ptrdiff_t ours = size_of(o->step[k][moved]), theirs = size_of(o->step[k][order[c]]);
                if (ours == 0 || theirs == 0) continue;
                if (theirs <= ours) before = 0;             /* where operands disagree, the order of C wins */
                else if (undecided) before = 1;
                undecided = 0;
            }
            if (undecided) continue;
            if (!before) break;
            place = c;
        }
        for (int c = d; c > place; c--) order[c] = order[c - 1];
        order[place] = moved;
    }
}

/* Order the dims as the first result lies, or of a total the first input, the widest steps first. */
static void sort_dims(struct operands *o)
{
    const ptrdiff_t *key = o->step[o->count > o->inputs ? o->inputs : 0];
    for (int d = 1; d < o->ndim; d++)
        for (int c = d; c > 0 && size_of(key[c - 1]) < size_of(key[c]); c--) {
            ptrdiff_t swapped = o->shape[c];
            o->shape[c] = o->shape[c - 1];
            o->shape[c - 1] = swapped;
            for (int k = 0; k < o->count; k++) {
                swapped = o->step[k][c];
                o->step[k][c] = o->step[k][c - 1];
                o->step[k][c - 1] = swapped;
            }
        }
}

/* Join dim d + 1 to d where every operand steps over d as it would over d + 1 once more. */
static void join_dims(struct operands *o)
{
    int kept = 0;
    for (int d = 0; d < o->ndim; d++) {
        if (o->shape[d] == 1) continue;
        int joins = kept > 0;
        for (int k = 0; joins && k < o->count; k++) joins = o->step[k][kept - 1] == o->step[k][d] * o->shape[d];
        int at = joins ? kept - 1 : kept++;
        o->shape[at] = joins ? o->shape[at] * o->shape[d] : o->shape[d];
        for (int k = 0; k < o->count; k++) o->step[k][at] = o->step[k][d];
    }
    o->ndim = kept;
}

/* n times the number at `from`, in the widest vectors that the processor has. Many rows of n alike go one behind the other, the
 * numbers `row_step` apart; a store may reach into the next row, and behind the last one up to SLACK bytes. */
#define FILL(name, type, width, target) \
target static void name(char *to, const char *from, ptrdiff_t n) \
{ \
    typedef type wide __attribute__((vector_size(width), aligned(sizeof(type)), may_alias)); \
    enum { LANES = width / sizeof(type) }; \
    const type same = *(const type *)from; \
    const wide all = same + (wide){0}; \
    ptrdiff_t i = 0; \
    for (; i + LANES <= n; i += LANES) *(wide *)((type *)to + i) = all; \
    for (; i < n; i++) ((type *)to)[i] = same; \
} \
target static void name##_rows(char *to, const char *from, ptrdiff_t row_step, ptrdiff_t rows, ptrdiff_t n) \
{ \
    typedef type wide __attribute__((vector_size(width), aligned(sizeof(type)), may_alias)); \
    enum { LANES = width / sizeof(type) }; \
    for (; rows > 0; rows--, from += row_step, to += n * sizeof(type)) { \
        const wide all = *(const type *)from + (wide){0}; \
        for (ptrdiff_t i = 0; i < n; i += LANES) *(wide *)((type *)to + i) = all; \
    } \
}
FILL(fill_4, uint32_t, 16, )
FILL(fill_8, uint64_t, 16, )
static void (*fill[2])(char *, const char *, ptrdiff_t) = {fill_4, fill_8};
static void (*fill_rows[2])(char *, const char *, ptrdiff_t, ptrdiff_t, ptrdiff_t) = {fill_4_rows, fill_8_rows};
#if defined(__x86_64__)
FILL(fill_4_avx2, uint32_t, 32, __attribute__((target("avx2"))))
FILL(fill_8_avx2, uint64_t, 32, __attribute__((target("avx2"))))
FILL(fill_4_avx512, uint32_t, 64, __attribute__((target("avx512f"))))
FILL(fill_8_avx512, uint64_t, 64, __attribute__((target("avx512f"))))
#endif

static void choose_fill(void)
{
#if defined(__x86_64__)
    int target = find_target();
    if (target == AVX2) fill[0] = fill_4_avx2, fill[1] = fill_8_avx2, fill_rows[0] = fill_4_avx2_rows, fill_rows[1] = fill_8_avx2_rows;
    if (target == AVX512) {
        fill[0] = fill_4_avx512, fill[1] = fill_8_avx512;
        fill_rows[0] = fill_4_avx512_rows, fill_rows[1] = fill_8_avx512_rows;
    }
#endif
}

int connect_to_pool(void)
{
    find_half_types(half_types);
    choose_fill();
    return import_pool();
}

#define MOVE(type) for (ptrdiff_t i = 0; i < n; i++) *(type *)(to + i * to_step) = *(const type *)(from + i * from_step)
#define REPEAT(type) for (ptrdiff_t i = 0; i < n; i++) ((type *)to)[i] = *(const type *)from

static void move(char *to, ptrdiff_t to_step, const char *from, ptrdiff_t from_step, ptrdiff_t n, int bytes)
{
    if (to_step == bytes && from_step == bytes) memcpy(to, from, n * bytes);
    else if (to_step == bytes && from_step == 0 && bytes == 4) fill[0](to, from, n);
    else if (to_step == bytes && from_step == 0 && bytes == 8) fill[1](to, from, n);
    else if (to_step == bytes && from_step == 0 && bytes == 2) REPEAT(uint16_t);
    else if (to_step == bytes && from_step == 0) REPEAT(uint8_t);
    else if (bytes == 4) MOVE(uint32_t);
    else if (bytes == 8) MOVE(uint64_t);
    else if (bytes == 2) MOVE(uint16_t);
    else MOVE(uint8_t);
}

/* Rows of n numbers one behind the other; those they are made of begin `row_step` apart. */
#define MOVE_ROWS(type) \
    for (ptrdiff_t row = 0; row < rows; row++, from += row_step, to += n * sizeof(type)) \
        for (ptrdiff_t i = 0; i < n; i++) ((type *)to)[i] = *(const type *)(from + i * from_step)

static void move_rows(char *to, const char *from, ptrdiff_t row_step, ptrdiff_t rows, ptrdiff_t from_step, ptrdiff_t n, int bytes)
{
    if (from_step == 0 && bytes >= 4) fill_rows[bytes == 8](to, from, row_step, rows, n);
    else if (bytes == 4) MOVE_ROWS(uint32_t);
    else if (bytes == 8) MOVE_ROWS(uint64_t);
    else if (bytes == 2) MOVE_ROWS(uint16_t);
    else MOVE_ROWS(uint8_t);
}

/* The place of element `first` along each dim. */
static void find(const struct operands *o, ptrdiff_t first, ptrdiff_t *at)
{
    for (int d = o->ndim - 1; d >= 0; d--) {
        at[d] = first % o->shape[d];
        first /= o->shape[d];
    }
}

/* Where the element at these places lies in operand k. */
static char *place_of(const struct operands *o, int k, const ptrdiff_t *at)
{
    char *place = o->data[k];
    for (int d = 0; d < o->ndim; d++) place += at[d] * o->step[k][d];
    return place;
}

/* Bring n elements of operand k, from the one at `start` on, to a buffer, or (back) from it. */
static void walk(const struct operands *o, int k, const ptrdiff_t *start, ptrdiff_t n, char *buffer, int back)
{
    const ptrdiff_t *step = o->step[k];
    int last = o->ndim - 1, bytes = o->bytes[k];
    ptrdiff_t at[MOST_DIMS], length = o->shape[last];
    char *place = place_of(o, k, start);
    memcpy(at, start, (size_t)o->ndim * sizeof(ptrdiff_t));
    while (n > 0) {
        ptrdiff_t run = length - at[last];
        int short_rows = length < (step[last] == bytes ? 64 / bytes : LONG_ROW);      /* of neighbours memcpy moves more */
        if (last > 0 && !back && run == length && short_rows && n >= 2 * length) {           /* whole rows, many at once */
            ptrdiff_t rows = o->shape[last - 1] - at[last - 1];
            if (rows > n / length) rows = n / length;
            move_rows(buffer, place, step[last - 1], rows, step[last], length, bytes);
            buffer += rows * length * bytes;
            n -= rows * length;
            place += rows * step[last - 1];
            at[last - 1] += rows;
        } else {
            if (run > n) run = n;
            if (back) move(place, step[last], buffer, bytes, run, bytes);
            else move(buffer, bytes, place, step[last], run, bytes);
            buffer += run * bytes;
            n -= run;
            place += run * step[last];
            at[last] += run;
            if (last == 0 || at[last] < length) continue;
            place += step[last - 1] - length * step[last];
            at[last] = 0;
            at[last - 1]++;
        }
        for (int d = last - 1; d > 0 && at[d] == o->shape[d]; d--) {
            place += step[d - 1] - at[d] * step[d];
            at[d] = 0;
            at[d - 1]++;
        }
    }
}

static void do_direct(const struct job *j, ptrdiff_t first, ptrdiff_t n)
{
    char *data[MOST_OPERANDS];
    for (ptrdiff_t end = first + n, at = first; at < end; at += CACHED) {           /* some loops first look at all of it */
        for (int k = 0; k < j->o->count; k++) data[k] = j->o->data[k] + at * j->o->bytes[k];
        j->loop(data, end - at < CACHED ? end - at : CACHED, j->numbers);
    }
}

/* Bring n elements of an input to the loop as float32, from wherever they lie; and a result back. */
static void widen_block(const struct job *j, int k, ptrdiff_t start, const ptrdiff_t *at, ptrdiff_t n, float *to)
{
    uint16_t gathered[BLOCK];
    const struct operands *o = j->o;
    const uint16_t *from = j->way[k] == IN_PLACE ? (const uint16_t *)(o->data[k] + start * 2) : gathered;
    if (j->way[k] == REPEATED) move((char *)gathered, 2, o->data[k], 0, n, 2);
    else if (j->way[k] == GATHERED) walk(o, k, at, n, (char *)gathered, 0);
    half_types[o->half[k] - 1].widen(from, to, n);
}

static void narrow_block(const struct job *j, int k, ptrdiff_t start, const ptrdiff_t *at, ptrdiff_t n, const float *from)
{
    uint16_t rounded[BLOCK];
    const struct operands *o = j->o;
    uint16_t *to = j->way[k] == IN_PLACE ? (uint16_t *)(o->data[k] + start * 2) : rounded;
    half_types[o->half[k] - 1].narrow(from, to, n);
    if (j->way[k] != IN_PLACE) walk(o, k, at, n, (char *)rounded, 1);
}

static void do_blocks(const struct job *j, ptrdiff_t first, ptrdiff_t end, double *total)
{
    const struct operands *o = j->o;
    uint64_t room[MOST_OPERANDS * ROOM] __attribute__((aligned(64)));
    char *data[MOST_OPERANDS + 1];
    int last = o->ndim - 1, in_rows = o->ndim > 1 && o->shape[last] >= LONG_ROW, lies_there[MOST_OPERANDS], same_in_row[MOST_OPERANDS];
    ptrdiff_t n, at[MOST_DIMS], block = BLOCK;
    if (total) data[o->inputs] = (char *)total;
    for (int k = 0; k < o->count; k++) {
        same_in_row[k] = in_rows && j->way[k] == GATHERED && o->step[k][last] == 0;
        if (same_in_row[k]) block = PIECE;                      /* what is repeated that often serves all pieces of a row */
    }
    find(o, first, at);
    for (ptrdiff_t start = first; start < end; start += n) {
        ptrdiff_t most = end - start < block ? end - start : block, rest = in_rows ? o->shape[last] - at[last] : most;
        n = rest < most ? rest : most;
        for (int k = 0; k < o->count; k++) {
            int is_new = start == first || (j->way[k] != REPEATED && (!same_in_row[k] || at[last] == 0));
            lies_there[k] = !o->half[k] && (j->way[k] == IN_PLACE || (
                in_rows && j->way[k] == GATHERED && o->step[k][last] == o->bytes[k]));
            data[k] = !lies_there[k] ? (char *)(room + k * ROOM)
                : j->way[k] == IN_PLACE ? o->data[k] + start * o->bytes[k] : place_of(o, k, at);
            if (k >= o->inputs || lies_there[k] || !is_new) continue;
            if (o->half[k]) widen_block(j, k, start, at, j->way[k] == REPEATED ? most : n, (float *)data[k]);
            else if (j->way[k] == REPEATED) move(data[k], o->bytes[k], o->data[k], 0, most, o->bytes[k]);
            else walk(o, k, at, n, data[k], 0);
        }
        j->loop(data, n, j->numbers);
        for (int k = o->inputs; k < o->count; k++)
            if (o->half[k]) narrow_block(j, k, start, at, n, (const float *)data[k]);
            else if (!lies_there[k]) walk(o, k, at, n, data[k], 1);
        if (!in_rows) {
            find(o, start + n, at);
            continue;
        }
        at[last] += n;
        for (int d = last; d > 0 && at[d] == o->shape[d]; d--) {
            at[d] = 0;
            at[d - 1]++;
        }
    }
}

static void do_share(void *given, Py_ssize_t number)
{
    const struct job *j = given;
    ptrdiff_t first = number * SHARE, end = first + SHARE < j->o->size ? first + SHARE : j->o->size;
    if (j->direct) do_direct(j, first, end - first);
    else do_blocks(j, first, end, j->totals ? &j->totals[number] : NULL);
}

/* How to bring each operand to the loop. */
static void prepare(struct job *j, struct operands *o)
{
    if (o->ndim > 1) sort_dims(o);
    join_dims(o);
    for (int k = 0; k < o->count; k++) {
        ptrdiff_t expected = o->bytes[k];
        int lies_flat = 1, repeats = k < o->inputs;
        for (int d = o->ndim - 1; d >= 0; d--) {
            lies_flat &= o->step[k][d] == expected;
            repeats &= o->step[k][d] == 0;
            expected *= o->shape[d];
        }
        j->way[k] = lies_flat ? IN_PLACE : repeats ? REPEATED : GATHERED;
        j->direct &= lies_flat && !o->half[k];
    }
}

void run_loop(loop_function loop, struct operands *o, const double *numbers)
{
    struct job j = {loop, o, numbers, {IN_PLACE}, 1, NULL};
    if (o->size == 0) return;
    prepare(&j, o);
    each_share(do_share, &j, shares_of(o->size, SHARE));
}

double run_total(loop_function loop, struct operands *o, const double *numbers)
{
    struct job j = {loop, o, numbers, {IN_PLACE}, 1, NULL};
    Py_ssize_t count = shares_of(o->size, SHARE);
    double few[64] = {0}, total = 0;
    if (count == 0) return 0;
    j.totals = count <= 64 ? few : calloc(count, sizeof(double));
    if (j.totals == NULL) return NAN;
    prepare(&j, o);
    j.direct = 0;
    each_share(do_share, &j, count);
    for (Py_ssize_t step = 1; step < count; step *= 2)                  /* pairs, pairs of pairs, ... */
        for (Py_ssize_t i = 0; i + step < count; i += 2 * step) j.totals[i] += j.totals[i + step];
    total = j.totals[0];
    if (j.totals != few) free(j.totals);
    return total;
}
