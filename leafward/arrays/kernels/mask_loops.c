#include <stdlib.h>
#include <string.h>
#include "mask_loops.h"

Py_ssize_t count_true(const uint8_t *mask, Py_ssize_t n)
{
    Py_ssize_t total = 0, i = 0;
    for (; i + 8 <= n; i += 8) {
        uint64_t eight;
        memcpy(&eight, mask + i, 8);
        total += (Py_ssize_t)(eight * 0x0101010101010101u >> 56);
    }
    for (; i < n; i++) total += mask[i];
    return total;
}

/* Write WHAT for each i with a one, at out[k]; eight at a time without a branch as long as there is room for all of them. */
#define WHERE_TRUE(WHAT) \
    Py_ssize_t i = 0, k = 0; \
    while (i + 8 <= n && k + 8 <= room) { \
        uint64_t eight; \
        memcpy(&eight, mask + i, 8); \
        if (eight == 0) { i += 8; continue; } \
        for (Py_ssize_t end = i + 8; i < end; i++) { \
            out[k] = WHAT; \
            k += mask[i]; \
        } \
    } \
    for (; i < n && k < room; i++) \
        if (mask[i]) out[k++] = WHAT;

static Py_ssize_t places_in_row(const uint8_t *mask, Py_ssize_t n, Py_ssize_t room, int64_t *out)
{
    WHERE_TRUE(i)
    return k;
}

void true_places(const uint8_t *mask, int ndim, const Py_ssize_t *shape, Py_ssize_t total, int64_t *out)
{
    Py_ssize_t at[MOST_DIMS] = {0}, n = shape[ndim - 1];
    for (Py_ssize_t done = 0; done < total; mask += n) {
        Py_ssize_t found = places_in_row(mask, n, total - done, out + (ndim - 1) * total + done);
        for (int d = 0; d < ndim - 1; d++)
            for (Py_ssize_t k = done; k < done + found; k++) out[d * total + k] = at[d];
        done += found;
        for (int d = ndim - 2; d >= 0 && ++at[d] == shape[d]; d--) at[d] = 0;
    }
}

/* DO(type) for the type of unsigned integers of so many bytes. */
#define OF_SIZE(DO) \
    if (itemsize == 4) DO(uint32_t); \
    else if (itemsize == 8) DO(uint64_t); \
    else if (itemsize == 2) DO(uint16_t); \
    else DO(uint8_t);

#define CHOOSE(UINT) \
static void choose_##UINT(const UINT *x, const uint8_t *mask, Py_ssize_t n, Py_ssize_t room, UINT *out) { WHERE_TRUE(x[i]) }
CHOOSE(uint8_t)
CHOOSE(uint16_t)
CHOOSE(uint32_t)
CHOOSE(uint64_t)

void choose(const char *x, const uint8_t *mask, Py_ssize_t n, Py_ssize_t total, int itemsize, char *out)
{
#define DO_CHOOSE(UINT) choose_##UINT((const UINT *)x, mask, n, total, (UINT *)out)
    OF_SIZE(DO_CHOOSE)
}

#define FILL(UINT) \
static void fill_##UINT(const UINT *x, const uint8_t *mask, Py_ssize_t n, const UINT value, UINT *out) \
{ \
    for (Py_ssize_t i = 0; i < n; i++) out[i] = mask[i] ? value : x[i]; \
} \
static void put_##UINT(const UINT *x, const uint8_t *mask, Py_ssize_t n, const UINT *values, Py_ssize_t total, UINT *out) \
{ \
    Py_ssize_t i = 0, k = 0; \
    for (; i < n && k < total; i++) { \
        const UINT taken = (UINT)0 - mask[i];                       /* all bits or none: a branch would be guessed wrong */ \
        out[i] = (UINT)((values[k] & taken) | (x[i] & ~taken)); \
        k += mask[i]; \
    } \
    if (out != x) memcpy(out + i, x + i, (n - i) * sizeof(UINT)); \
}
FILL(uint8_t)
FILL(uint16_t)
FILL(uint32_t)
FILL(uint64_t)

void fill(const char *x, const uint8_t *mask, Py_ssize_t n, const char *value, int itemsize, char *out)
{
#define DO_FILL(UINT) fill_##UINT((const UINT *)x, mask, n, *(const UINT *)value, (UINT *)out)
    OF_SIZE(DO_FILL)
}

void put_in_order(const char *x, const uint8_t *mask, Py_ssize_t n, const char *values, Py_ssize_t total, int itemsize, char *out)
{
#define DO_PUT(UINT) put_##UINT((const UINT *)x, mask, n, (const UINT *)values, total, (UINT *)out)
    OF_SIZE(DO_PUT)
}

int all_the_same(const char *x, const char *y, Py_ssize_t bytes)
{
    return memcmp(x, y, bytes) == 0;
}

/* So many are compared without a branch for each. */
enum { CHUNK = 512 };

#define EQUAL(REAL) \
static int equal_##REAL(const REAL *x, const REAL *y, Py_ssize_t n) \
{ \
    for (Py_ssize_t first = 0; first < n; first += CHUNK) { \
        Py_ssize_t end = first + CHUNK < n ? first + CHUNK : n; \
        int other = 0; \
        for (Py_ssize_t i = first; i < end; i++) other |= !(x[i] == y[i]); \
        if (other) return 0; \
    } \
    return 1; \
}
EQUAL(float)
EQUAL(double)

int all_equal_floats(const void *x, const void *y, Py_ssize_t n, int width)
{
    return width == 4 ? equal_float(x, y, n) : equal_double(x, y, n);
}

void number_range(const int64_t *x, Py_ssize_t n, int64_t *least, int64_t *largest)
{
    int64_t low = x[0], high = x[0];
    for (Py_ssize_t i = 1; i < n; i++) {
        low = x[i] < low ? x[i] : low;
        high = x[i] > high ? x[i] : high;
    }
    *least = low;
    *largest = high;
}

void count_numbers(const int64_t *x, Py_ssize_t n, int64_t *counts)
{
    for (Py_ssize_t i = 0; i < n; i++) counts[x[i]]++;
}

void add_weights(const int64_t *x, const void *weights, int wide, Py_ssize_t n, double *totals)
{
    if (wide) for (Py_ssize_t i = 0; i < n; i++) totals[x[i]] += ((const double *)weights)[i];
    else for (Py_ssize_t i = 0; i < n; i++) totals[x[i]] += ((const float *)weights)[i];
}

#define IN_BINS(REAL) \
static void in_bins_##REAL(const REAL *x, Py_ssize_t n, double low, double high, Py_ssize_t bins, int64_t *counts) \
{ \
    const REAL first = (REAL)low, last = (REAL)high, many = (REAL)bins, span = (REAL)(high - low); \
    for (Py_ssize_t i = 0; i < n; i++) { \
        REAL v = x[i], place = (v - first) * many / span; \
        if (!(v >= first && v <= last)) continue; \
        counts[place < (REAL)(bins - 1) ? (int64_t)place : bins - 1]++; \
    } \
}
IN_BINS(float)
IN_BINS(double)

void count_in_bins(const void *x, int wide, Py_ssize_t n, double low, double high, Py_ssize_t bins, int64_t *counts)
{
    if (wide) in_bins_double(x, n, low, high, bins, counts);
    else in_bins_float(x, n, low, high, bins, counts);
}

#define RUNS(T, NAME) \
static Py_ssize_t runs_##NAME(const T *x, Py_ssize_t n, int64_t *begins, int64_t *run) \
{ \
    Py_ssize_t k = 0; \
    begins[0] = run[0] = 0; \
    for (Py_ssize_t i = 1; i < n; i++) { \
        if (x[i] != x[i - 1]) begins[++k] = i; \
        run[i] = k; \
    } \
    return k + 1; \
}
RUNS(uint8_t, 1)
RUNS(uint16_t, 2)
RUNS(uint32_t, 4)
RUNS(uint64_t, 8)
RUNS(float, float)
RUNS(double, double)

Py_ssize_t find_runs(const void *x, int itemsize, int floating, Py_ssize_t n, int64_t *begins, int64_t *run)
{
    if (floating) return itemsize == 4 ? runs_float(x, n, begins, run) : runs_double(x, n, begins, run);
    return itemsize == 1 ? runs_1(x, n, begins, run) : itemsize == 2 ? runs_2(x, n, begins, run)
           : itemsize == 4 ? runs_4(x, n, begins, run) : runs_8(x, n, begins, run);
}
