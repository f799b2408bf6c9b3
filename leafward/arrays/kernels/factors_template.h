/* Triangular factors for one target and float type. */
#include "turn.h"

/* A matrix in the middle of it: `block` columns from `k` on are done. */
typedef struct {
    REAL *a;
    ptrdiff_t pitch, rows, columns, k, block, lines;     /* lines: rows of a share */
    int symmetric;
} NAME(elimination);

static inline void NAME(subtract)(REAL *to, const REAL *from, REAL factor, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++) to[i] -= factor * from[i];
}

/* to[r][c] = -from[r][c] */
static void NAME(negate)(const REAL *from, ptrdiff_t pitch, ptrdiff_t rows, ptrdiff_t columns, REAL *to)
{
    for (ptrdiff_t r = 0; r < rows; r++)
        for (ptrdiff_t c = 0; c < columns; c++) to[r * columns + c] = -from[r * pitch + c];
}

/* What the block does to some of the rows behind it: the product of its columns there and its rows, or where the matrix is symmetric of
 * its columns and themselves, as far as the diagonal. */
static void NAME(update_share)(void *given, Py_ssize_t number)
{
    const NAME(elimination) *e = given;
    REAL factor[ROWS * TERMS];
    ptrdiff_t behind = e->k + e->block, row = behind + number * e->lines, rows = least(e->lines, e->rows - row);
    ptrdiff_t columns = e->symmetric ? row + rows - behind : e->columns - behind;
    for (ptrdiff_t k = e->k; k < behind; k += TERMS) {
        ptrdiff_t terms = least(TERMS, behind - k);
        const REAL *y = e->a + (e->symmetric ? behind * e->pitch + k : k * e->pitch + behind);
        NAME(negate)(e->a + row * e->pitch + k, e->pitch, rows, terms, factor);
        products->run[sizeof(REAL) == 8](0, e->symmetric, rows, columns, terms, factor, terms, y, e->pitch, 1,
                                         e->a + row * e->pitch + behind, e->pitch);
    }
}

/* Which of n numbers is the largest in size, or the first NaN. Neighbours are looked at together: few have a larger one among them. */
static ptrdiff_t NAME(find_pivot)(const REAL *column, ptrdiff_t n)
{
    enum { NEIGHBOURS = 64 };
    ptrdiff_t best = 0;
    REAL most = (REAL)fabs(column[0]);
    for (ptrdiff_t at = 0; at < n && most == most; at += NEIGHBOURS) {
        ptrdiff_t end = least(n, at + NEIGHBOURS);
        int larger = 0;
        for (ptrdiff_t i = at; i < end; i++) larger |= !((REAL)fabs(column[i]) <= most);
        for (ptrdiff_t i = at; i < end && larger && most == most; i++) {
            REAL size = (REAL)fabs(column[i]);
            if (!(size <= most)) best = i, most = size;
        }
    }
    return best;
}

/* The columns of a block, from row k on, with the largest number of each, or the first NaN, exchanged to the diagonal. They are turned
 * for that, into `block` lines of memory: so every step runs along lines. */
static void NAME(lu_block)(const NAME(elimination) *e, REAL *turned, int32_t *pivots, int32_t *info)
{
    ptrdiff_t pitch = e->pitch, n = e->rows - e->k, behind = e->k + e->block;
    REAL *first = e->a + e->k * pitch;
    NAME(turn_matrix)(first + e->k, pitch, n, e->block, turned, n);
    for (ptrdiff_t j = 0; j < e->block; j++) {
        REAL *column = turned + j * n;
        ptrdiff_t best = j + NAME(find_pivot)(column + j, n - j);
        pivots[e->k + j] = (int32_t)(e->k + best) + 1;
        for (ptrdiff_t c = 0; c < e->block && best != j; c++) {
            REAL kept = turned[c * n + j];
            turned[c * n + j] = turned[c * n + best];
            turned[c * n + best] = kept;
        }
        for (ptrdiff_t c = 0; c < e->columns && best != j; c++) {
            if (c == e->k) c = behind;
            if (c == e->columns) break;
            REAL kept = first[j * pitch + c];
            first[j * pitch + c] = first[best * pitch + c];
            first[best * pitch + c] = kept;
        }
        if (column[j] == 0 && *info == 0) *info = (int32_t)(e->k + j) + 1;
        REAL pivot = column[j] == 0 ? 1 : column[j];
        for (ptrdiff_t i = j + 1; i < n; i++) column[i] /= pivot;
        for (ptrdiff_t c = j + 1; c < e->block; c++)
            NAME(subtract)(turned + c * n + j + 1, column + j + 1, turned[c * n + j], n - j - 1);
    }
    NAME(turn_matrix)(turned, n, e->block, n, first + e->k, pitch);
}

static void NAME(lu_share)(void *given, Py_ssize_t number)
{
    factors *f = given;
    ptrdiff_t steps = least(f->rows, f->columns), size = f->rows * least(BLOCK, steps);
    NAME(elimination) e = {(REAL *)f->data + number * f->rows * f->columns, f->columns, f->rows, f->columns, 0, 0, MANY_ROWS, 0};
    REAL few[BLOCK * BLOCK], *turned = size > BLOCK * BLOCK ? malloc((size_t)size * sizeof(REAL)) : few;
    f->info[number] = 0;
    if (turned == NULL) {
        f->failed = 1;
        return;
    }
    for (; e.k < steps; e.k += e.block) {
        e.block = least(BLOCK, steps - e.k);
        NAME(lu_block)(&e, turned, f->pivots + number * steps, &f->info[number]);
        ptrdiff_t behind = e.k + e.block;
        for (ptrdiff_t r = e.k + 1; r < behind; r++)
            for (ptrdiff_t s = e.k; s < r; s++)
                NAME(subtract)(e.a + r * e.pitch + behind, e.a + s * e.pitch + behind, e.a[r * e.pitch + s], e.columns - behind);
        if (e.columns > behind && e.rows > behind) each_share(NAME(update_share), &e, shares_of(e.rows - behind, MANY_ROWS));
    }
    if (turned != few) free(turned);
}

/* x becomes x l^-T: `rows` lines of `size` numbers each, `pitch` apart as those of the lower triangle l, of `size` rows. */
typedef struct {
    const REAL *l;
    REAL *x;
    ptrdiff_t pitch, size, rows, done, step;             /* done: columns that were divided, whose part is taken off the next `step` */
} NAME(division);

/* LANES lines at a time, turned, so that each column is a vector. */
static void NAME(divide_share)(void *given, Py_ssize_t number)
{
    const NAME(division) *d = given;
    VECTOR column[BLOCK];
    for (ptrdiff_t row = number * LINES; row < least(d->rows, (number + 1) * LINES); row += LANES) {
        ptrdiff_t count = least(LANES, d->rows - row);
        if (count < LANES) memset(column, 0, sizeof column);
        NAME(turn_matrix)(d->x + row * d->pitch, d->pitch, count, d->size, (REAL *)column, LANES);
        for (ptrdiff_t s = 0; s < d->size; s++) {
            VECTOR done = column[s] /= d->l[s * d->pitch + s];
            for (ptrdiff_t j = s + 1; j < d->size; j++) column[j] -= d->l[j * d->pitch + s] * done;
        }
        NAME(turn_matrix)((REAL *)column, LANES, d->size, count, d->x + row * d->pitch, d->pitch);
    }
}

/* What the columns that were divided leave of the next ones, ROWS lines of them. */
static void NAME(take_off_share)(void *given, Py_ssize_t number)
{
    const NAME(division) *d = given;
    REAL factor[ROWS * TERMS];
    ptrdiff_t row = number * ROWS, rows = least(ROWS, d->rows - row);
    for (ptrdiff_t k = 0; k < d->done; k += TERMS) {
        ptrdiff_t terms = least(TERMS, d->done - k);
        NAME(negate)(d->x + row * d->pitch + k, d->pitch, rows, terms, factor);
        products->run[sizeof(REAL) == 8](0, 1, rows, d->step, terms, factor, terms, d->l + d->done * d->pitch + k, d->pitch, 1,
                                         d->x + row * d->pitch + d->done, d->pitch);
    }
}

static void NAME(divide)(const REAL *l, REAL *x, ptrdiff_t pitch, ptrdiff_t size, ptrdiff_t rows)
{
    NAME(division) d = {l, x, pitch, size, rows, 0, 0};
    if (size <= BLOCK) {
        each_share(NAME(divide_share), &d, shares_of(rows, LINES));
        return;
    }
    d.done = half_of(size), d.step = size - d.done;
    NAME(divide)(l, x, pitch, d.done, rows);
    each_share(NAME(take_off_share), &d, shares_of(rows, ROWS));
    NAME(divide)(l + d.done * (pitch + 1), x + d.done, pitch, d.step, rows);
}

/* A block on the diagonal, whose columns are the rows of `up`. The step that found no positive pivot, counted from 1, or 0. */
static ptrdiff_t NAME(cholesky_block)(REAL *a, ptrdiff_t pitch, ptrdiff_t n)
{
    REAL up[BLOCK * BLOCK];
    NAME(turn_matrix)(a, pitch, n, n, up, BLOCK);
    for (ptrdiff_t j = 0; j < n; j++) {
        REAL *row = up + j * BLOCK, pivot = row[j];
        if (!(pivot > 0)) return j + 1;
        row[j] = pivot = (REAL)sqrt(pivot);
        for (ptrdiff_t i = j + 1; i < n; i++) row[i] /= pivot;
        for (ptrdiff_t i = j + 1; i < n; i++) NAME(subtract)(up + i * BLOCK + i, row + i, row[i], n - i);
    }
    for (ptrdiff_t i = 0; i < n; i++)
        for (ptrdiff_t j = 0; j <= i; j++) a[i * pitch + j] = up[j * BLOCK + i];
    return 0;
}

/* Half of the columns first, and what they leave of the rest after that: so nearly all is done in large products. */
static ptrdiff_t NAME(cholesky)(REAL *a, ptrdiff_t pitch, ptrdiff_t n)
{
    if (n <= BLOCK) return NAME(cholesky_block)(a, pitch, n);
    ptrdiff_t half = half_of(n), failed = NAME(cholesky)(a, pitch, half);
    if (failed) return failed;
    NAME(divide)(a, a + half * pitch, pitch, half, n - half);
    NAME(elimination) e = {a, pitch, n, n, 0, half, ROWS, 1};
    each_share(NAME(update_share), &e, shares_of(n - half, ROWS));
    failed = NAME(cholesky)(a + half * (pitch + 1), pitch, n - half);
    return failed ? failed + half : 0;
}

static void NAME(cholesky_share)(void *given, Py_ssize_t number)
{
    const factors *f = given;
    ptrdiff_t n = f->rows;
    REAL *a = (REAL *)f->data + number * n * n;
    f->info[number] = (int32_t)NAME(cholesky)(a, n, n);
    if (f->info[number] == 0)
        for (ptrdiff_t r = 0; r < n; r++) memset(a + r * n + r + 1, 0, (size_t)(n - r - 1) * sizeof(REAL));
}

/* `width` columns of one system, the rows from k on, n of them: half of them first, and what these leave of the others after that. */
static void NAME(solve_rows)(const triangles *t, const REAL *a, REAL *x, ptrdiff_t width, ptrdiff_t k, ptrdiff_t n, REAL *factor)
{
    ptrdiff_t size = t->size, m = t->columns;
    if (n <= BLOCK) {
        for (ptrdiff_t i = 0; i < n; i++) {
            ptrdiff_t r = t->upper ? k + n - 1 - i : k + i, s = t->upper ? r + 1 : k, end = t->upper ? k + n : r;
            for (; s < end; s++) NAME(subtract)(x + r * m, x + s * m, a[r * size + s], width);
            if (!t->unit)
                for (ptrdiff_t c = 0; c < width; c++) x[r * m + c] /= a[r * size + r];
        }
        return;
    }
    ptrdiff_t half = half_of(n), solved = t->upper ? k + n - half : k, rest = t->upper ? k : k + half, end = rest + n - half;
    NAME(solve_rows)(t, a, x, width, solved, half, factor);
    for (ptrdiff_t s = 0; s < half; s += TERMS)
        for (ptrdiff_t r = rest; r < end; r += MANY_ROWS) {
            ptrdiff_t terms = least(TERMS, half - s), rows = least(MANY_ROWS, end - r);
            NAME(negate)(a + r * size + solved + s, size, rows, terms, factor);
            products->run[sizeof(REAL) == 8](0, 0, rows, width, terms, factor, terms, x + (solved + s) * m, m, 1, x + r * m, m);
        }
    NAME(solve_rows)(t, a, x, width, rest, n - half, factor);
}

/* Some columns of one system. */
static void NAME(triangle_share)(void *given, Py_ssize_t number)
{
    triangles *t = given;
    ptrdiff_t bands = shares_of(t->columns, COLUMNS), n = t->size, m = t->columns, first = number % bands * COLUMNS;
    REAL *factor = NULL;
    if (n > BLOCK && (factor = malloc((size_t)(least(MANY_ROWS, n) * TERMS) * sizeof(REAL))) == NULL) t->failed = 1;
    else
        NAME(solve_rows)(t, (const REAL *)t->a + number / bands * t->step, (REAL *)t->x + number / bands * n * m + first,
                         least(COLUMNS, m - first), 0, n, factor);
    free(factor);
}

#include "symmetric_template.h"
