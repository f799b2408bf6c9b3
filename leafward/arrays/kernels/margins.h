/* Losses of rows by margins: with several targets each, or with one. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define MARGINS(REAL) \
static int margins_##REAL(const REAL *x, const int64_t *target, Py_ssize_t rows, Py_ssize_t n, uint8_t *is_target, double *losses) \
{ \
    for (Py_ssize_t row = 0; row < rows; row++, x += n, target += n) { \
        double loss = 0; \
        memset(is_target, 0, (size_t)n); \
        for (Py_ssize_t i = 0; i < n; i++) if (target[i] < -1 || target[i] >= n) return -1; \
        for (Py_ssize_t i = 0; i < n && target[i] >= 0; i++) is_target[target[i]] = 1; \
        for (Py_ssize_t i = 0; i < n && target[i] >= 0; i++) { \
            const REAL own = x[target[i]]; \
            double part = 0; \
            for (Py_ssize_t b = 0; b < n; b++) { \
                REAL gap = 1 - own + x[b]; \
                part += (gap > 0) & !is_target[b] ? (double)gap : 0; \
            } \
            loss += part; \
        } \
        losses[row] = loss / n; \
    } \
    return 0; \
}
MARGINS(float)
MARGINS(double)

/* Of each row of n classes the sum of max(0, 1 - x[a] + x[b]) / n over targets a and other classes b; the targets of a row are
 * those before the first below 0. -1 where a target lies outside, -2 without memory. */
static int label_margins(const void *x, const int64_t *target, int wide, Py_ssize_t rows, Py_ssize_t n, double *losses)
{
    uint8_t *is_target = malloc((size_t)n);
    if (is_target == NULL) return -2;
    int failed = wide ? margins_double(x, target, rows, n, is_target, losses) : margins_float(x, target, rows, n, is_target, losses);
    free(is_target);
    return failed;
}

#define ONE_MARGIN(REAL) \
static int one_margin_##REAL(const REAL *x, const int64_t *target, const REAL *weight, Py_ssize_t rows, Py_ssize_t n, int square, \
                             REAL margin, double *losses) \
{ \
    for (Py_ssize_t row = 0; row < rows; row++, x += n) { \
        if (target[row] < 0 || target[row] >= n) return -1; \
        const REAL own = x[target[row]], factor = weight ? weight[target[row]] : 1; \
        double loss = 0; \
        for (Py_ssize_t b = 0; b < n; b++) { \
            REAL gap = margin - own + x[b]; \
            gap = (gap > 0) & (b != target[row]) ? gap : 0; \
            loss += square ? factor * (gap * gap) : factor * gap; \
        } \
        losses[row] = loss / n; \
    } \
    return 0; \
}
ONE_MARGIN(float)
ONE_MARGIN(double)

/* Of each row of n classes the sum of weight[a] max(0, margin - x[a] + x[b])^p / n over all but its target a; -1 where that lies
 * outside. */
static int class_margins(const void *x, const int64_t *target, const void *weight, int wide, Py_ssize_t rows, Py_ssize_t n,
                         int square, double margin, double *losses)
{
    return wide ? one_margin_double(x, target, weight, rows, n, square, margin, losses)
        : one_margin_float(x, target, weight, rows, n, square, (float)margin, losses);
}
