/* Losses of rows by margins, with several targets each or with one, and their gradients. */
#include <Python.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define SIMD_TEXT_(text) #text
#define SIMD_(clauses) _Pragma(SIMD_TEXT_(omp simd clauses))

/* The targets of a row of n classes are those before the first below 0. `counts` is 1 at other classes, and 0 at these. */
#define MARGINS(REAL) \
static int mark_##REAL(const int64_t *target, Py_ssize_t n, REAL *counts) \
{ \
    for (Py_ssize_t i = 0; i < n; i++) { \
        if (target[i] < -1 || target[i] >= n) return -1; \
        counts[i] = 1; \
    } \
    for (Py_ssize_t i = 0; i < n && target[i] >= 0; i++) counts[target[i]] = 0; \
    return 0; \
} \
static int margins_##REAL(const REAL *x, const int64_t *target, Py_ssize_t rows, Py_ssize_t n, REAL *counts, double *losses) \
{ \
    for (Py_ssize_t row = 0; row < rows; row++, x += n, target += n) { \
        double loss = 0; \
        if (mark_##REAL(target, n, counts)) return -1; \
        for (Py_ssize_t i = 0; i < n && target[i] >= 0; i++) { \
            const REAL own = x[target[i]]; \
            double part = 0; \
            SIMD_(reduction(+ : part)) \
            for (Py_ssize_t b = 0; b < n; b++) { \
                REAL gap = 1 - own + x[b]; \
                part += (double)((gap > 0) & (counts[b] != 0) ? gap : 0); \
            } \
            loss += part; \
        } \
        losses[row] = loss / n; \
    } \
    return 0; \
} \
static int margins_grad_##REAL(const REAL *g, int each, const REAL *x, const int64_t *target, Py_ssize_t rows, Py_ssize_t n, \
                               REAL less, REAL *counts, REAL *dx) \
{ \
    for (Py_ssize_t row = 0; row < rows; row++, x += n, target += n, dx += n) { \
        const REAL share = g[each ? row : 0] / (REAL)n / less; \
        if (mark_##REAL(target, n, counts)) return -1; \
        for (Py_ssize_t b = 0; b < n; b++) dx[b] = 0; \
        for (Py_ssize_t i = 0; i < n && target[i] >= 0; i++) { \
            const REAL own = x[target[i]]; \
            double inside = 0; \
            SIMD_(reduction(+ : inside)) \
            for (Py_ssize_t b = 0; b < n; b++) { \
                REAL gap = 1 - own + x[b], one = (gap > 0) & (counts[b] != 0) ? (REAL)1 : (REAL)0; \
                dx[b] += one; \
                inside += (double)one; \
            } \
            dx[target[i]] -= (REAL)inside; \
        } \
        for (Py_ssize_t b = 0; b < n; b++) dx[b] *= share; \
    } \
    return 0; \
}
MARGINS(float)
MARGINS(double)

/* Of each row of n classes the sum of max(0, 1 - x[a] + x[b]) / n over targets a and other classes b; -1 where a target lies
 * outside, -2 without memory. */
static int label_margins(const void *x, const int64_t *target, int wide, Py_ssize_t rows, Py_ssize_t n, double *losses)
{
    void *counts = malloc((size_t)n * sizeof(double));
    if (counts == NULL) return -2;
    int failed = wide ? margins_double(x, target, rows, n, counts, losses) : margins_float(x, target, rows, n, counts, losses);
    free(counts);
    return failed;
}

/* Its gradient, divided by `less`: g is that of the loss of `each` row, or of all of them. */
static int label_margins_grad(const void *g, int each, const void *x, const int64_t *target, int wide, Py_ssize_t rows, Py_ssize_t n,
                              double less, void *dx)
{
    void *counts = malloc((size_t)n * sizeof(double));
    if (counts == NULL) return -2;
    int failed = wide ? margins_grad_double(g, each, x, target, rows, n, less, counts, dx)
        : margins_grad_float(g, each, x, target, rows, n, (float)less, counts, dx);
    free(counts);
    return failed;
}

#define ONE_MARGIN(REAL) \
static double margin_part_##REAL(const REAL *x, Py_ssize_t n, REAL own, REAL factor, int square, REAL margin) \
{ \
    double loss = 0; \
    SIMD_(reduction(+ : loss)) \
    for (Py_ssize_t b = 0; b < n; b++) { \
        REAL gap = margin - own + x[b]; \
        gap = gap > 0 ? gap : 0; \
        loss += (double)(factor * (square ? gap * gap : gap)); \
    } \
    return loss; \
} \
static double margin_slope_##REAL(const REAL *x, Py_ssize_t n, REAL own, REAL factor, int square, REAL margin, REAL *dx) \
{ \
    double sum = 0; \
    SIMD_(reduction(+ : sum)) \
    for (Py_ssize_t b = 0; b < n; b++) { \
        REAL gap = margin - own + x[b], slope = gap > 0 ? factor * (square ? 2 * gap : 1) : 0; \
        dx[b] = slope; \
        sum += (double)slope; \
    } \
    return sum; \
} \
static int one_margin_##REAL(const REAL *x, const int64_t *target, const REAL *weight, Py_ssize_t rows, Py_ssize_t n, int square, \
                             REAL margin, double *losses) \
{ \
    for (Py_ssize_t row = 0; row < rows; row++, x += n) { \
        const int64_t a = target[row]; \
        if (a < 0 || a >= n) return -1; \
        const REAL own = x[a], factor = weight ? weight[a] : 1; \
        losses[row] = (margin_part_##REAL(x, a, own, factor, square, margin) \
                       + margin_part_##REAL(x + a + 1, n - a - 1, own, factor, square, margin)) / n; \
    } \
    return 0; \
} \
static int one_margin_grad_##REAL(const REAL *g, int each, const REAL *x, const int64_t *target, const REAL *weight, Py_ssize_t rows, \
                                  Py_ssize_t n, int square, REAL margin, REAL less, REAL *dx) \
{ \
    for (Py_ssize_t row = 0; row < rows; row++, x += n, dx += n) { \
        const int64_t a = target[row]; \
        if (a < 0 || a >= n) return -1; \
        const REAL own = x[a], factor = (weight ? weight[a] : 1) * (g[each ? row : 0] / (REAL)n / less); \
        dx[a] = (REAL)-(margin_slope_##REAL(x, a, own, factor, square, margin, dx) \
                        + margin_slope_##REAL(x + a + 1, n - a - 1, own, factor, square, margin, dx + a + 1)); \
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

/* Its gradient, as above. */
static int class_margins_grad(const void *g, int each, const void *x, const int64_t *target, const void *weight, int wide,
                              Py_ssize_t rows, Py_ssize_t n, int square, double margin, double less, void *dx)
{
    return wide ? one_margin_grad_double(g, each, x, target, weight, rows, n, square, margin, less, dx)
        : one_margin_grad_float(g, each, x, target, weight, rows, n, square, (float)margin, (float)less, dx);
}
