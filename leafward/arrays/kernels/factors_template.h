/* Triangular factors for one target and float type. */

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
    REAL factor[ROWS * BLOCK];
    ptrdiff_t behind = e->k + e->block, row = behind + number * ROWS, rows = least(ROWS, e->rows - row);
    ptrdiff_t columns = e->symmetric ? row + rows - behind : e->columns - behind;
    const REAL *y = e->a + (e->symmetric ? behind * e->pitch + e->k : e->k * e->pitch + behind);
    NAME(negate)(e->a + row * e->pitch + e->k, e->pitch, rows, e->block, factor);
    products->run[sizeof(REAL) == 8](0, e->symmetric, rows, columns, e->block, factor, e->block, y, e->pitch, 1,
                                     e->a + row * e->pitch + behind, e->pitch);
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

/* line[k ...] of a row: what the triangle of the block, whose rows are done, leaves of it, for `count` columns. */
static inline void NAME(cholesky_row)(const NAME(elimination) *e, REAL *line, ptrdiff_t count)
{
    for (ptrdiff_t j = e->k; j < e->k + count; j++) {
        const REAL *row = e->a + j * e->pitch;
        REAL sum = 0;
        for (ptrdiff_t s = e->k; s < j; s++) sum += line[s] * row[s];
        line[j] = (line[j] - sum) / row[j];
    }
}

static void NAME(cholesky_rows)(void *given, Py_ssize_t number)
{
    const NAME(elimination) *e = given;
    ptrdiff_t row = e->k + e->block + number * ROWS, end = least(row + ROWS, e->rows);
    for (; row < end; row++) NAME(cholesky_row)(e, e->a + row * e->pitch, e->block);
}

static void NAME(cholesky_share)(void *given, Py_ssize_t number)
{
    const factors *f = given;
    ptrdiff_t n = f->rows;
    NAME(elimination) e = {(REAL *)f->data + number * n * n, n, n, n, 0, 0, 1};
    f->info[number] = 0;
    for (; e.k < n; e.k += e.block) {
        e.block = least(BLOCK, n - e.k);
        for (ptrdiff_t j = e.k; j < e.k + e.block; j++) {
            REAL *line = e.a + j * n, sum = 0;
            NAME(cholesky_row)(&e, line, j - e.k);
            for (ptrdiff_t s = e.k; s < j; s++) sum += line[s] * line[s];
            if (!(line[j] - sum > 0)) {
                f->info[number] = (int32_t)j + 1;
                return;
            }
            line[j] = (REAL)sqrt(line[j] - sum);
        }
        ptrdiff_t bands = shares_of(n - e.k - e.block, ROWS);
        each_share(NAME(cholesky_rows), &e, bands);
        each_share(NAME(update_share), &e, bands);
    }
    for (ptrdiff_t r = 0; r < n; r++) memset(e.a + r * n + r + 1, 0, (size_t)(n - r - 1) * sizeof(REAL));
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
