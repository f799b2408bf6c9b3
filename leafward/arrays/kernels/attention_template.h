/* Attention for one target and float type. */

#include "exponentials.h"

/* The scores of one query, its mask added, to the shares that its first `seen` keys get, all of which may be none; the others get 0. */
static void NAME(shares)(REAL *s, ptrdiff_t seen, ptrdiff_t columns, REAL scale, const REAL *mask, ptrdiff_t step)
{
    enum { SUMS = 16 };
    REAL largest = -(REAL)INFINITY, sums[SUMS] = {0}, sum = 0;
    int lost = 0;
    if (mask == NULL)
        for (ptrdiff_t j = 0; j < seen; j++) s[j] *= scale;
    else if (step == 1)
        for (ptrdiff_t j = 0; j < seen; j++) s[j] = s[j] * scale + mask[j];
    else
        for (ptrdiff_t j = 0; j < seen; j++) s[j] = s[j] * scale + mask[j * step];
    for (ptrdiff_t j = 0; j < seen; j++) {
        lost |= s[j] != s[j];
        largest = s[j] > largest ? s[j] : largest;
    }
    memset(s + seen, 0, (size_t)(columns - seen) * sizeof(REAL));
    if (lost) largest = (REAL)NAN;
    if (largest == -(REAL)INFINITY) {                    /* it sees nothing: nothing is what it gets */
        if (mask == NULL)
            for (ptrdiff_t j = 0; j < seen; j++) s[j] = (REAL)NAN;
        else memset(s, 0, (size_t)seen * sizeof(REAL));
        return;
    }
    ptrdiff_t whole = seen / SUMS * SUMS;
    for (ptrdiff_t j = 0; j < seen; j++) s[j] = NAME(exp_below)(s[j] - largest);
    for (ptrdiff_t j = 0; j < whole; j += SUMS)
        for (int i = 0; i < SUMS; i++) sums[i] += s[j + i];
    for (ptrdiff_t j = whole; j < seen; j++) sums[j - whole] += s[j];
    for (int i = 0; i < SUMS; i++) sum += sums[i];
    REAL factor = 1 / sum;
    for (ptrdiff_t j = 0; j < seen; j++) s[j] *= factor;
}

/* The shares of a block of queries of one head; how many keys any of them may see. */
static ptrdiff_t NAME(block_of_shares)(const attention *a, ptrdiff_t head, ptrdiff_t row, ptrdiff_t rows, REAL *s)
{
    ptrdiff_t columns = a->causal && row + rows < a->keys ? row + rows : a->keys;
    const REAL *query = (const REAL *)a->query + (head * a->queries + row) * a->width, *key = (const REAL *)a->key + head * a->keys * a->width;
    products->run[sizeof(REAL) == 8](0, 1, rows, columns, a->width, query, a->width, key, a->width, 0, s, columns);
    for (ptrdiff_t i = 0; i < rows; i++) {
        ptrdiff_t seen = a->causal && row + i + 1 < a->keys ? row + i + 1 : a->keys;
        const REAL *mask = a->mask == NULL ? NULL : (const REAL *)a->mask + a->mask_at[head] + (row + i) * a->mask_rows;
        NAME(shares)(s + i * columns, seen, columns, (REAL)a->scale, mask, a->mask_columns);
    }
    return columns;
}

static void NAME(attend_share)(void *given, Py_ssize_t number)
{
    attention *a = given;
    ptrdiff_t blocks = (a->queries + ROWS - 1) / ROWS, head = number / blocks, row = number % blocks * ROWS;
    ptrdiff_t rows = a->queries - row < ROWS ? a->queries - row : ROWS;
    REAL *s = malloc((size_t)(rows * a->keys) * sizeof(REAL));
    if (s == NULL) a->failed = -1;
    else {
        ptrdiff_t columns = NAME(block_of_shares)(a, head, row, rows, s);
        products->run[sizeof(REAL) == 8](0, 0, rows, a->depth, columns, s, columns, (const REAL *)a->value + head * a->keys * a->depth, a->depth, 0,
                          (REAL *)a->out + (head * a->queries + row) * a->depth, a->depth);
    }
    free(s);
}

/* All gradients of one head, block by block of its queries. */
static void NAME(backward_share)(void *given, Py_ssize_t head)
{
    attention *a = given;
    ptrdiff_t keys = head * a->keys, queries = head * a->queries, rows_at_most = a->queries < ROWS ? a->queries : ROWS;
    const REAL *key = (const REAL *)a->key + keys * a->width, *value = (const REAL *)a->value + keys * a->depth;
    REAL *dkey = (REAL *)a->dkey + keys * a->width, *dvalue = (REAL *)a->dvalue + keys * a->depth;
    REAL *shares = malloc((size_t)(rows_at_most * a->keys) * sizeof(REAL)), *slopes = malloc((size_t)(rows_at_most * a->keys) * sizeof(REAL));
    memset(dkey, 0, (size_t)(a->keys * a->width) * sizeof(REAL));
    memset(dvalue, 0, (size_t)(a->keys * a->depth) * sizeof(REAL));
    if (shares == NULL || slopes == NULL) a->failed = -1;
    else
        for (ptrdiff_t row = 0; row < a->queries; row += ROWS) {
            ptrdiff_t rows = a->queries - row < ROWS ? a->queries - row : ROWS, columns = NAME(block_of_shares)(a, head, row, rows, shares);
            const REAL *grad = (const REAL *)a->grad + (queries + row) * a->depth, *query = (const REAL *)a->query + (queries + row) * a->width;
            products->run[sizeof(REAL) == 8](1, 0, columns, a->depth, rows, shares, columns, grad, a->depth, 1, dvalue, a->depth);
            products->run[sizeof(REAL) == 8](0, 1, rows, columns, a->depth, grad, a->depth, value, a->depth, 0, slopes, columns);
            for (ptrdiff_t i = 0; i < rows; i++) {       /* share * (slope - mean of the slopes) * scale */
                enum { SUMS = 8 };
                REAL *p = shares + i * columns, *g = slopes + i * columns;
                double sums[SUMS] = {0}, ones[SUMS] = {0}, sum = 0, one = 0;   /* slopes are nearly alike: what is left of them is small */
                ptrdiff_t whole = columns / SUMS * SUMS;
                for (ptrdiff_t j = 0; j < whole; j += SUMS)
                    for (int k = 0; k < SUMS; k++) {
                        sums[k] += (double)p[j + k] * g[j + k];
                        ones[k] += p[j + k];
                    }
                for (ptrdiff_t j = whole; j < columns; j++) {
                    sums[j - whole] += (double)p[j] * g[j];
                    ones[j - whole] += p[j];
                }
                for (int k = 0; k < SUMS; k++) {
                    sum += sums[k];
                    one += ones[k];
                }
                double mean = one == 0 ? 0 : sum / one;  /* the shares' sum is 1 but for rounding */
                REAL most = (REAL)mean, rest = (REAL)(mean - most);
                for (ptrdiff_t j = 0; j < columns; j++) g[j] = p[j] * ((g[j] - most) - rest) * (REAL)a->scale;
            }
            products->run[sizeof(REAL) == 8](1, 0, columns, a->width, rows, slopes, columns, query, a->width, 1, dkey, a->width);
            products->run[sizeof(REAL) == 8](0, 0, rows, a->width, columns, slopes, columns, key, a->width, 0,
                              (REAL *)a->dquery + (queries + row) * a->width, a->width);
        }
    free(shares);
    free(slopes);
}
