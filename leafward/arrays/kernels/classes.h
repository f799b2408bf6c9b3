/* Losses over classes: x is (n, classes, inner), and target (n, inner) holds the class that is picked at each place. */
#include "sums.h"
#include <stdint.h>

typedef struct {
    Py_ssize_t n, classes, inner;
    int64_t ignored;
    const int64_t *target;
} places;

/* Whether a place counts nothing. */
static int has_ignored(const places *at)
{
    Py_ssize_t size = at->n * at->inner;
    int found = 0;
    for (Py_ssize_t i = 0; i < size; i++) found |= at->target[i] == at->ignored;
    return found;
}

/* Of up to BLOCK neighbours, whose elements of class 0 lie `step` apart and those of the next class `next`: the losses and how
 * much each counts, where wanted, and their sums. 0 where a class does not exist. */
#define PICKS(REAL) \
static int pick_block_##REAL(const places *at, const int64_t *target, const REAL *x, const REAL *weight, Py_ssize_t count, \
                             Py_ssize_t step, Py_ssize_t next, REAL *losses, REAL *shares, double *loss, double *share) \
{ \
    REAL values[BLOCK], counts[BLOCK]; \
    uint64_t classes = (uint64_t)at->classes; \
    int special = weight != NULL; \
    for (Py_ssize_t i = 0; i < count; i++) special |= ((uint64_t)target[i] >= classes) | (target[i] == at->ignored); \
    for (Py_ssize_t i = 0; i < count && !special; i++) { \
        values[i] = -x[i * step + target[i] * next]; \
        counts[i] = 1; \
    } \
    for (Py_ssize_t i = 0; i < count && special; i++) { \
        values[i] = counts[i] = 0; \
        if (target[i] == at->ignored) continue; \
        if ((uint64_t)target[i] >= classes) return 0; \
        counts[i] = weight == NULL ? 1 : weight[target[i]]; \
        values[i] = -x[i * step + target[i] * next] * counts[i]; \
    } \
    double loss_part = 0, share_part = 0; \
    SIMD(reduction(+ : loss_part)) \
    for (Py_ssize_t i = 0; i < count; i++) loss_part += (double)values[i]; \
    if (losses != NULL) memcpy(losses, values, (size_t)count * sizeof(REAL)); \
    if (shares != NULL) { \
        SIMD(reduction(+ : share_part)) \
        for (Py_ssize_t i = 0; i < count; i++) share_part += (double)counts[i]; \
        memcpy(shares, counts, (size_t)count * sizeof(REAL)); \
    } \
    *loss = loss_part; \
    *share = share_part; \
    return 1; \
} \
static int pick_##REAL(const places *at, const REAL *x, const REAL *weight, REAL *losses, REAL *shares, double *sums) \
{ \
    Py_ssize_t rows = at->inner == 1 ? 1 : at->n, length = at->inner == 1 ? at->n : at->inner; \
    Py_ssize_t step = at->inner == 1 ? at->classes : 1, next = at->inner; \
    cascade all, counted; \
    double loss, share; \
    all.count = counted.count = 0; \
    for (Py_ssize_t row = 0; row < rows; row++, x += at->classes * at->inner) \
        for (Py_ssize_t k = 0; k < length; k += BLOCK) { \
            Py_ssize_t place = row * length + k; \
            if (!pick_block_##REAL(at, at->target + place, x + k * step, weight, smaller(BLOCK, length - k), step, next, \
                                   losses ? losses + place : NULL, shares ? shares + place : NULL, &loss, &share)) \
                return 0; \
            add_to(&all, loss); \
            add_to(&counted, share); \
        } \
    sums[0] = total_of(&all); \
    sums[1] = total_of(&counted); \
    return 1; \
} \
static void put_##REAL(const places *at, const REAL *g, int g_each, const REAL *share, int share_each, REAL *dx) \
{ \
    for (Py_ssize_t i = 0; i < at->n; i++) \
        for (Py_ssize_t k = 0; k < at->inner; k++) { \
            Py_ssize_t place = i * at->inner + k; \
            int64_t label = at->target[place]; \
            if (label != at->ignored) dx[(i * at->classes + label) * at->inner + k] = -(g[place * g_each] * share[place * share_each]); \
        } \
}
PICKS(float)
PICKS(double)

static int pick(const places *at, const void *x, const void *weight, int wide, void *losses, void *shares, double *sums)
{
    return wide ? pick_double(at, x, weight, losses, shares, sums) : pick_float(at, x, weight, losses, shares, sums);
}

/* The gradient: at each place's class what it counts. */
static void put(const places *at, const void *g, int g_each, const void *share, int share_each, int wide, void *dx)
{
    if (wide) put_double(at, g, g_each, share, share_each, dx);
    else put_float(at, g, g_each, share, share_each, dx);
}
