/* Losses of rows with several targets each. */
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
