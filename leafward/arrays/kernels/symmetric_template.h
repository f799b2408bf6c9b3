/* `L D L^T` of symmetric matrices, in blocks of columns, for one target and float type (Bunch and Kaufman, 1977).
 *
 * A matrix lies column by column, and its lower triangle is read and written. `w` holds, for each column of the block, L D, which
 * is what the block takes off the rest, times L. */

/* What is left of a matrix, of n columns. */
typedef struct {
    REAL *a, *w;
    ptrdiff_t n, pitch, done;
} NAME(rest);

static inline REAL NAME(size)(REAL x) { return (REAL)fabs(x); }

/* into = column `at` as what was done of the block leaves it, from row k on. */
static void NAME(make_column)(const NAME(rest) *m, ptrdiff_t k, ptrdiff_t at, REAL *into)
{
    for (ptrdiff_t i = k; i < at; i++) into[i] = m->a[i * m->pitch + at];
    memcpy(into + at, m->a + at * m->pitch + at, (size_t)(m->n - at) * sizeof(REAL));
    ptrdiff_t s = 0;
    for (; s + 4 <= k; s += 4) {
        const REAL *a = m->a + s * m->pitch, *b = a + m->pitch, *c = b + m->pitch, *d = c + m->pitch, *w = m->w + s * m->pitch + at;
        REAL p = w[0], q = w[m->pitch], r = w[2 * m->pitch], t = w[3 * m->pitch];
        for (ptrdiff_t i = k; i < m->n; i++) into[i] -= (p * a[i] + q * b[i]) + (r * c[i] + t * d[i]);
    }
    for (; s < k; s++) NAME(subtract)(into + k, m->a + s * m->pitch + k, m->w[s * m->pitch + at], m->n - k);
}

/* Where the largest number of a column is, from row k on but for row `not`. */
static ptrdiff_t NAME(largest)(const REAL *column, ptrdiff_t k, ptrdiff_t n, ptrdiff_t not, REAL *size)
{
    ptrdiff_t best = -1;
    *size = 0;
    for (ptrdiff_t i = k; i < n; i++)
        if (i != not && (best < 0 || NAME(size)(column[i]) > *size)) best = i, *size = NAME(size)(column[i]);
    return best;
}

static inline void NAME(change)(REAL *a, REAL *b)
{
    REAL kept = *a;
    *a = *b;
    *b = kept;
}

/* Rows and columns i < j change places in what is not done, where column i itself is in `w`. */
static void NAME(exchange)(const NAME(rest) *m, ptrdiff_t k, ptrdiff_t i, ptrdiff_t j)
{
    REAL *a = m->a;
    ptrdiff_t pitch = m->pitch;
    a[j * pitch + j] = a[i * pitch + i];
    for (ptrdiff_t c = i + 1; c < j; c++) a[c * pitch + j] = a[i * pitch + c];
    memcpy(a + j * pitch + j + 1, a + i * pitch + j + 1, (size_t)(m->n - j - 1) * sizeof(REAL));
    for (ptrdiff_t s = 0; s < k; s++) NAME(change)(a + s * pitch + i, a + s * pitch + j);
    for (ptrdiff_t s = 0; s <= i; s++) NAME(change)(m->w + s * pitch + i, m->w + s * pitch + j);
}

/* Column k, or with column k + 1 a pair, is eliminated; how many were. */
static ptrdiff_t NAME(eliminate)(const NAME(rest) *m, ptrdiff_t k, int32_t *pivots, int *zero)
{
    ptrdiff_t n = m->n, pitch = m->pitch, other = k, pair = 0;
    REAL *w = m->w + k * pitch, *next = w + pitch, *a = m->a + k * pitch, colmax, rowmax;
    NAME(make_column)(m, k, k, w);
    REAL here = NAME(size)(w[k]);
    ptrdiff_t best = NAME(largest)(w, k + 1, n, -1, &colmax);
    *zero = !(here > 0) && !(here == here && colmax > 0);
    if (!*zero && here < ENOUGH * colmax) {
        NAME(make_column)(m, k, best, next);
        NAME(largest)(next, k, n, best, &rowmax);
        if (here >= ENOUGH * colmax * (colmax / rowmax)) pair = 0;
        else if (NAME(size)(next[best]) >= ENOUGH * rowmax) {
            other = best;
            memcpy(w + k, next + k, (size_t)(n - k) * sizeof(REAL));
        } else other = best, pair = 1;
    }
    if (other != k + pair) NAME(exchange)(m, k, k + pair, other);
    if (!pair) {
        REAL pivot = w[k];
        a[k] = pivot;
        for (ptrdiff_t i = k + 1; i < n; i++) a[i] = *zero ? w[i] : w[i] / pivot;
        pivots[k] = (int32_t)other + 1;
        return 1;
    }
    REAL beside = w[k + 1], low = next[k + 1] / beside, high = w[k] / beside, scale = 1 / (low * high - 1) / beside;
    REAL *b = a + pitch;
    for (ptrdiff_t i = k + 2; i < n; i++) {
        a[i] = scale * (low * w[i] - next[i]);
        b[i] = scale * (high * next[i] - w[i]);
    }
    a[k] = w[k], a[k + 1] = beside, b[k + 1] = next[k + 1];
    pivots[k] = pivots[k + 1] = -(int32_t)other - 1;
    return 2;
}

/* What the block takes off ROWS of the columns behind it, from the first of these rows on. */
static void NAME(symmetric_update)(void *given, Py_ssize_t number)
{
    const NAME(rest) *m = given;
    ptrdiff_t first = m->done + number * ROWS, count = least(ROWS, m->n - first);
    products->run[sizeof(REAL) == 8](1, 0, count, m->n - first, m->done, m->w + first, m->pitch, m->a + first, m->pitch, 1,
                                     m->a + first * (m->pitch + 1), m->pitch);
}

/* Columns of a block are eliminated, as many as there are if these are all; how many were. */
static ptrdiff_t NAME(symmetric_block)(NAME(rest) *m, ptrdiff_t wide, int32_t *pivots, int32_t *info, ptrdiff_t before)
{
    ptrdiff_t k = 0, n = m->n, pitch = m->pitch;
    while (k < n && (k + 1 < wide || wide >= n)) {
        int zero;
        ptrdiff_t at = k;
        k += NAME(eliminate)(m, k, pivots, &zero);
        if (zero && *info == 0) *info = (int32_t)(before + at) + 1;
    }
    if (k < n) {
        for (ptrdiff_t s = 0; s < k; s++)
            for (ptrdiff_t i = k; i < n; i++) m->w[s * pitch + i] = -m->w[s * pitch + i];
        m->done = k;
        each_share(NAME(symmetric_update), m, shares_of(n - k, ROWS));
    }
    /* LAPACK leaves the rows of a column of L where they were when it was made. */
    for (ptrdiff_t j = k - 1; j >= 0; j--) {
        ptrdiff_t row = j, other = pivots[j];
        if (other < 0) other = -other, j--;
        for (ptrdiff_t s = 0; other - 1 != row && s < j; s++) NAME(change)(m->a + s * pitch + row, m->a + s * pitch + other - 1);
    }
    for (ptrdiff_t j = 0; j < k; j++) pivots[j] += (int32_t)(pivots[j] < 0 ? -before : before);
    return k;
}

static void NAME(symmetric_share)(void *given, Py_ssize_t number)
{
    factors *f = given;
    ptrdiff_t n = f->rows, pitch = (n + LANES - 1) / LANES * LANES + LANES, wide = least(n, 2 * PANEL);      /* no power of two */
    REAL few[2 * SMALL * (SMALL + 2 * LANES)], *memory = few, *out = (REAL *)f->data + number * n * n;
    if (n > SMALL) memory = malloc((size_t)((n + wide) * pitch) * sizeof(REAL));
    if (memory == NULL) {
        f->failed = 1;
        return;
    }
    NAME(rest) m = {memory, memory + n * pitch, n, pitch, 0};
    int32_t *pivots = f->pivots + number * n, *info = f->info + number;
    NAME(turn_matrix)((const REAL *)f->from + number * n * n, n, n, n, memory, pitch);
    *info = 0;
    for (ptrdiff_t k = 0; k < n; m.n = n - k, m.a = memory + k * (pitch + 1))
        k += NAME(symmetric_block)(&m, m.n <= 2 * PANEL ? m.n : PANEL, pivots + k, info, k);
    for (ptrdiff_t c = 0; c < n; c++) {
        memset(out + c * n, 0, (size_t)c * sizeof(REAL));
        memcpy(out + c * n + c, memory + c * (pitch + 1), (size_t)(n - c) * sizeof(REAL));
    }
    if (memory != few) free(memory);
}
