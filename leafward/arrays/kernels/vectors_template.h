/* vectors_loops.c for one type and one kind of processor. */

/* Numbers that are added in lanes before a sum goes on in double. */
#define STRIP (64 * LANES)

static double NAME(strip_dot)(const REAL *x, const REAL *y, Py_ssize_t n)
{
    VECTOR sum[4] = {{0}, {0}, {0}, {0}};
    Py_ssize_t i = 0;
    REAL rest = 0;
    for (; i + 4 * LANES <= n; i += 4 * LANES)
#pragma GCC unroll 4
        for (int v = 0; v < 4; v++) sum[v] += *(const VECTOR *)(x + i + v * LANES) * *(const VECTOR *)(y + i + v * LANES);
    for (; i + LANES <= n; i += LANES) sum[0] += *(const VECTOR *)(x + i) * *(const VECTOR *)(y + i);
    for (; i < n; i++) rest += x[i] * y[i];
    sum[0] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    double total = rest;
    for (int lane = 0; lane < LANES; lane++) total += sum[0][lane];
    return total;
}

static double NAME(dot)(const void *first, const void *second, Py_ssize_t n)
{
    const REAL *x = first, *y = second;
    if (n <= STRIP) return NAME(strip_dot)(x, y, n);
    cascade sum = {.count = 0};
    for (Py_ssize_t at = 0; at < n; at += STRIP) add_to(&sum, NAME(strip_dot)(x + at, y + at, smaller(STRIP, n - at)));
    return total_of(&sum);
}

static void NAME(dot_share)(void *given, Py_ssize_t number)
{
    vector_job *job = given;
    Py_ssize_t at = number * job->per_share;
    job->partial[number] = NAME(dot)((const REAL *)job->a + at, (const REAL *)job->x + at, smaller(job->per_share, job->columns - at));
}

static void NAME(rows_share)(void *given, Py_ssize_t number)
{
    const vector_job *job = given;
    REAL *out = job->out;
    for (Py_ssize_t r = number * job->per_share; r < smaller(job->rows, (number + 1) * job->per_share); r++)
        out[r] = (REAL)NAME(dot)((const REAL *)job->a + r * job->pitch, job->x, job->columns);
}

/* Some columns of the matrix, all rows: up to LINES rows are added one to the other, then the sums of these in double. */
static void NAME(columns_share)(void *given, Py_ssize_t number)
{
    enum { LINES = 64 };
    const vector_job *job = given;
    const REAL *x = job->x;
    for (Py_ssize_t first = number * job->per_share; first < smaller(job->columns, (number + 1) * job->per_share); first += TILE) {
        Py_ssize_t width = smaller(smaller(TILE, (number + 1) * job->per_share - first), job->columns - first);
        REAL lines[TILE], *out = (REAL *)job->out + first;
        double total[TILE];
        for (Py_ssize_t from = 0; from < job->rows; from += LINES) {
            Py_ssize_t to = smaller(job->rows, from + LINES);
            memset(lines, 0, (size_t)width * sizeof(REAL));
            Py_ssize_t r = from;
            for (; r + 4 <= to; r += 4) {
                const REAL *a = (const REAL *)job->a + r * job->pitch + first, *b = a + job->pitch, *d = b + job->pitch;
                const REAL *e = d + job->pitch;
                REAL p = x[r], q = x[r + 1], s = x[r + 2], t = x[r + 3];
                SIMD()
                for (Py_ssize_t c = 0; c < width; c++) lines[c] += (p * a[c] + q * b[c]) + (s * d[c] + t * e[c]);
            }
            for (; r < to; r++) {
                const REAL *a = (const REAL *)job->a + r * job->pitch + first;
                REAL factor = x[r];
                SIMD()
                for (Py_ssize_t c = 0; c < width; c++) lines[c] += factor * a[c];
            }
            if (job->rows <= LINES) break;
            for (Py_ssize_t c = 0; c < width; c++) total[c] = from ? total[c] + (double)lines[c] : (double)lines[c];
        }
        if (job->rows <= LINES) memcpy(out, lines, (size_t)width * sizeof(REAL));
        else
            for (Py_ssize_t c = 0; c < width; c++) out[c] = (REAL)total[c];
    }
}

static void NAME(scaled)(const void *factor, const void *from, Py_ssize_t n, void *to)
{
    const REAL *x = from;
    REAL *out = to, by = *(const REAL *)factor;
    SIMD()
    for (Py_ssize_t i = 0; i < n; i++) out[i] = by * x[i];
}

/* out[j] = beta * x[j] + alpha * (factor * y[j]) */
static void NAME(added)(const void *at, const void *factor, const void *with, Py_ssize_t n, double of_x, double of_product, void *to)
{
    const REAL *x = at, *y = with;
    REAL *out = to, by = *(const REAL *)factor, beta = (REAL)of_x, alpha = (REAL)of_product;
    if (beta == 1 && alpha == 1) {
        SIMD()
        for (Py_ssize_t j = 0; j < n; j++) out[j] = x[j] + by * y[j];
    } else {
        SIMD()
        for (Py_ssize_t j = 0; j < n; j++) out[j] = beta * x[j] + alpha * (by * y[j]);
    }
}

/* --- blocks: x of (n, columns) times each row of y, (m, width), of which out has n * m rows ------------------------- */

static void NAME(blocks_share)(void *given, Py_ssize_t number)
{
    const blocks_job *job = given;
    const REAL *y = job->y;
    for (Py_ssize_t row = number * job->per_share; row < smaller(job->n * job->m, (number + 1) * job->per_share); row++) {
        const REAL *x = (const REAL *)job->x + row / job->m * job->columns, *line = y + row % job->m * job->width;
        REAL *out = (REAL *)job->out + row * job->columns * job->width;
        for (Py_ssize_t j = 0; j < job->columns; j++, out += job->width) {
            REAL factor = x[j];
            SIMD()
            for (Py_ssize_t l = 0; l < job->width; l++) out[l] = factor * line[l];
        }
    }
}

/* The gradient of x for `out`, that of the result: rows of x. */
static void NAME(blocks_left_share)(void *given, Py_ssize_t number)
{
    const blocks_job *job = given;
    for (Py_ssize_t i = number * job->per_share; i < smaller(job->n, (number + 1) * job->per_share); i++)
        for (Py_ssize_t j = 0; j < job->columns; j++) {
            double total = 0;
            for (Py_ssize_t k = 0; k < job->m; k++)
                total += NAME(strip_dot)((const REAL *)job->out + ((i * job->m + k) * job->columns + j) * job->width,
                                         (const REAL *)job->y + k * job->width, job->width);
            ((REAL *)job->dx)[i * job->columns + j] = (REAL)total;
        }
}

/* The gradient of y: rows of y. */
static void NAME(blocks_right_share)(void *given, Py_ssize_t number)
{
    const blocks_job *job = given;
    for (Py_ssize_t k = number * job->per_share; k < smaller(job->m, (number + 1) * job->per_share); k++)
        for (Py_ssize_t first = 0; first < job->width; first += TILE) {
            Py_ssize_t width = smaller(TILE, job->width - first);
            double total[TILE] = {0};
            for (Py_ssize_t i = 0; i < job->n; i++)
                for (Py_ssize_t j = 0; j < job->columns; j++) {
                    const REAL *g = (const REAL *)job->out + ((i * job->m + k) * job->columns + j) * job->width + first;
                    REAL factor = ((const REAL *)job->x)[i * job->columns + j];
                    SIMD()
                    for (Py_ssize_t l = 0; l < width; l++) total[l] += (double)(factor * g[l]);
                }
            for (Py_ssize_t l = 0; l < width; l++) ((REAL *)job->dx)[k * job->width + first + l] = (REAL)total[l];
        }
}
#undef STRIP
