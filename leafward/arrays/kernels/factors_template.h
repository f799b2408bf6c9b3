/* Triangular factors for one target and float type. */
#include "turn.h"

/* A matrix in the middle of it: `block` columns from `k` on are done. */
typedef struct {
    REAL *a;
    ptrdiff_t pitch, rows, columns, k, block;
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

/* What the block does to ROWS of the rows behind it: the product of its columns there and its rows, or where the matrix is symmetric of
 * its columns and themselves, as far as the diagonal. */
static void NAME(update_share)(void *given, Py_ssize_t number)
{
    const NAME(elimination) *e = given;
    REAL factor[ROWS * TERMS];
    ptrdiff_t behind = e->k + e->block, row = behind + number * ROWS, rows = least(ROWS, e->rows - row);
    ptrdiff_t columns = e->symmetric ? row + rows - behind : e->columns - behind;
    for (ptrdiff_t k = e->k; k < behind; k += TERMS) {
        ptrdiff_t terms = least(TERMS, behind - k);
        const REAL *y = e->a + (e->symmetric ? behind * e->pitch + k : k * e->pitch + behind);
        NAME(negate)(e->a + row * e->pitch + k, e->pitch, rows, terms, factor);
        products->run[sizeof(REAL) == 8](0, e->symmetric, rows, columns, terms, factor, terms, y, e->pitch, 1,
                                         e->a + row * e->pitch + behind, e->pitch);
    }
}

/* The columns of a block, from row k on, with the largest number of each, or the first NaN, exchanged to the diagonal. */
static void NAME(lu_block)(const NAME(elimination) *e, int32_t *pivots, int32_t *info)
{
    ptrdiff_t pitch = e->pitch, end = e->k + e->block;
    for (ptrdiff_t j = e->k; j < end; j++) {
        REAL *row = e->a + j * pitch, most = (REAL)fabs(row[j]);
        ptrdiff_t best = j;
        for (ptrdiff_t i = j + 1; i < e->rows && most == most; i++) {
            REAL size = (REAL)fabs(e->a[i * pitch + j]);
            if (!(size <= most)) best = i, most = size;
        }
        pivots[j] = (int32_t)best + 1;
        if (best != j)
            for (ptrdiff_t c = 0; c < e->columns; c++) {
                REAL kept = row[c];
                row[c] = e->a[best * pitch + c];
                e->a[best * pitch + c] = kept;
            }
        if (row[j] == 0 && *info == 0) *info = (int32_t)j + 1;
        REAL pivot = row[j] == 0 ? 1 : row[j];
        for (ptrdiff_t i = j + 1; i < e->rows; i++) {
            REAL *line = e->a + i * pitch;
            line[j] /= pivot;
            NAME(subtract)(line + j + 1, row + j + 1, line[j], end - j - 1);
        }
    }
}

static void NAME(lu_share)(void *given, Py_ssize_t number)
{
    const factors *f = given;
    ptrdiff_t steps = least(f->rows, f->columns);
    NAME(elimination) e = {(REAL *)f->data + number * f->rows * f->columns, f->columns, f->rows, f->columns, 0, 0, 0};
    f->info[number] = 0;
    for (; e.k < steps; e.k += e.block) {
        e.block = least(BLOCK, steps - e.k);
        NAME(lu_block)(&e, f->pivots + number * steps, &f->info[number]);
        ptrdiff_t behind = e.k + e.block;
        for (ptrdiff_t r = e.k + 1; r < behind; r++)
            for (ptrdiff_t s = e.k; s < r; s++)
                NAME(subtract)(e.a + r * e.pitch + behind, e.a + s * e.pitch + behind, e.a[r * e.pitch + s], e.columns - behind);
        if (e.columns > behind && e.rows > behind) each_share(NAME(update_share), &e, shares_of(e.rows - behind, ROWS));
    }
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
    NAME(elimination) e = {a, pitch, n, n, 0, half, 1};
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

/* Some columns of one system, block of rows by block of rows: what is solved is taken off the next ones as a product. */
static void NAME(triangle_share)(void *given, Py_ssize_t number)
{
    triangles *t = given;
    ptrdiff_t bands = shares_of(t->columns, COLUMNS), n = t->size, m = t->columns, first = number % bands * COLUMNS;
    ptrdiff_t width = least(COLUMNS, m - first), blocks = shares_of(n, BLOCK);
    const REAL *a = (const REAL *)t->a + number / bands * t->step;
    REAL *x = (REAL *)t->x + number / bands * n * m + first, *factor = malloc((size_t)(BLOCK * n) * sizeof(REAL));
    if (factor == NULL) t->failed = 1;
    else
        for (ptrdiff_t b = 0; b < blocks; b++) {
            ptrdiff_t k = (t->upper ? blocks - 1 - b : b) * BLOCK, rows = least(BLOCK, n - k);
            ptrdiff_t begin = t->upper ? k + rows : 0, solved = t->upper ? n - begin : k;
            if (solved > 0) {
                NAME(negate)(a + k * n + begin, n, rows, solved, factor);
                products->run[sizeof(REAL) == 8](0, 0, rows, width, solved, factor, solved, x + begin * m, m, 1, x + k * m, m);
            }
            for (ptrdiff_t i = 0; i < rows; i++) {
                ptrdiff_t r = t->upper ? k + rows - 1 - i : k + i, s = t->upper ? r + 1 : k, end = t->upper ? k + rows : r;
                for (; s < end; s++) NAME(subtract)(x + r * m, x + s * m, a[r * n + s], width);
                if (!t->unit)
                    for (ptrdiff_t c = 0; c < width; c++) x[r * m + c] /= a[r * n + r];
            }
        }
    free(factor);
}

#include "symmetric_template.h"
