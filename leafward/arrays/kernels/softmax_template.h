/* softmax_loops.c for one type and one kind of processor. */

/* exp(r) for |r| <= log(2) / 2, as exact as float32 is beside 1 */
static inline __attribute__((always_inline)) REAL NAME(near)(REAL r)
{
    REAL q = (REAL)0.0013814336029142353;
    q = q * r + (REAL)0.008368851313334064; q = q * r + (REAL)0.0416684007778781; q = q * r + (REAL)0.16666519521387058;
    q = q * r + (REAL)0.4999999337456111; q = q * r + 1;
    return q * r + 1;
}

/* exp(x) for x <= 0, or NaN: to 1 ulp. 2^n is multiplied in two steps, since it may itself be too small to be a number. */
static inline __attribute__((always_inline)) REAL NAME(exponential)(REAL x)
{
    const REAL low = sizeof(REAL) == 4 ? (REAL)-104 : (REAL)-746, magic = sizeof(REAL) == 4 ? (REAL)0x1.8p23 : (REAL)0x1.8p52;
    x = x < low ? low : x;
    REAL shifted = x * (REAL)1.4426950408889634 + magic, n = shifted - magic;
    REAL r = x - n * (sizeof(REAL) == 4 ? (REAL)0x1.62e4p-1 : (REAL)0x1.62e42feep-1);
    r = r - n * (sizeof(REAL) == 4 ? (REAL)0x1.7f7d1cp-20 : (REAL)0x1.a39ef35793c76p-33);
    if (sizeof(REAL) == 4) {
        int small = x < -86;
        union { float value; uint32_t bits; } two = {(float)shifted + (small ? 191.0f : 127.0f)};
        two.bits <<= 23;
        REAL e = NAME(near)(r) * (REAL)two.value;
        return small ? e * (REAL)0x1p-64 : e;
    }
    REAL q, half = (n * (REAL)0.5 + magic) - magic;
    q = (REAL)2.0914679376583935e-9;
    q = q * r + (REAL)2.5105206373957011e-8; q = q * r + (REAL)2.7557273661348636e-7;
    q = q * r + (REAL)2.7557255425746434e-6; q = q * r + (REAL)2.4801587325533364e-5;
    q = q * r + (REAL)0.00019841269874800492; q = q * r + (REAL)0.0013888888888883752;
    q = q * r + (REAL)0.0083333333333261409; q = q * r + (REAL)0.04166666666666667;
    q = q * r + (REAL)0.16666666666666671; q = q * r + (REAL)0.5;
    union { uint64_t bits; double value; } a = {(uint64_t)((int64_t)half + 1023) << 52}, b = {(uint64_t)((int64_t)(n - half) + 1023) << 52};
    return (1 + (r * r * q + r)) * a.value * b.value;
}

/* exp(x) for x <= 0, or NaN, as a summand beside 1: what is too small to count there is some 1e-38 (float64: 1e-308). */
static inline __attribute__((always_inline)) REAL NAME(summand)(REAL x)
{
    const REAL low = sizeof(REAL) == 4 ? (REAL)-87 : (REAL)-708, magic = sizeof(REAL) == 4 ? (REAL)0x1.8p23 : (REAL)0x1.8p52;
    x = x < low ? low : x;
    REAL shifted = x * (REAL)1.4426950408889634 + magic, n = shifted - magic, q;
    REAL r = x - n * (sizeof(REAL) == 4 ? (REAL)0x1.62e4p-1 : (REAL)0x1.62e42feep-1);
    r = r - n * (sizeof(REAL) == 4 ? (REAL)0x1.7f7d1cp-20 : (REAL)0x1.a39ef35793c76p-33);
    if (sizeof(REAL) == 4) {
        union { float value; uint32_t bits; } two = {(float)shifted + 127};
        two.bits <<= 23;
        return NAME(near)(r) * (REAL)two.value;
    }
    q = (REAL)2.0914679376583935e-9;
    q = q * r + (REAL)2.5105206373957011e-8; q = q * r + (REAL)2.7557273661348636e-7;
    q = q * r + (REAL)2.7557255425746434e-6; q = q * r + (REAL)2.4801587325533364e-5;
    q = q * r + (REAL)0.00019841269874800492; q = q * r + (REAL)0.0013888888888883752;
    q = q * r + (REAL)0.0083333333333261409; q = q * r + (REAL)0.04166666666666667;
    q = q * r + (REAL)0.16666666666666671; q = q * r + (REAL)0.5;
    union { double value; uint64_t bits; } two = {(double)shifted + 1023};
    two.bits <<= 52;
    return (1 + (r * r * q + r)) * (REAL)two.value;
}

/* The logarithm of softmax of so many short rows. */
static void NAME(log_softmax_rows)(const REAL *x, REAL *y, Py_ssize_t n, Py_ssize_t count)
{
    REAL most[ROWS], less[ROWS];
    for (Py_ssize_t row = 0; row < count; row++) {
        const REAL *a = x + row * n;
        REAL m = -INFINITY, s = 0;
        SIMD(reduction(max : m))
        for (Py_ssize_t i = 0; i < n; i++) m = a[i] > m ? a[i] : m;
        SIMD(reduction(+ : s))
        for (Py_ssize_t i = 0; i < n; i++) s += NAME(summand)(a[i] - m);
        most[row] = m;
        less[row] = s;
    }
    SIMD()
    for (Py_ssize_t row = 0; row < count; row++) {
        double s = (double)less[row], y = WIDE(logarithm)(s);
        less[row] = (REAL)(s != s ? s : y);
    }
    for (Py_ssize_t row = 0; row < count; row++) {
        const REAL *a = x + row * n, m = most[row], l = less[row];
        REAL *b = y + row * n;
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) b[i] = a[i] - m - l;
    }
}

static void NAME(softmax_row)(const REAL *x, REAL *y, Py_ssize_t n, int logarithm)
{
    REAL m[ABREAST] ALIGNED;
    for (Py_ssize_t j = 0; j < ABREAST; j++) m[j] = -INFINITY;
    EACH_LANE(0, n, AHEAD_OF_LANES(x), m[j] = x[i] > m[j] ? x[i] : m[j];)
    JOIN(m[j] = m[j] > m[k] ? m[j] : m[k];)
    const REAL most = m[0];
    cascade sum; sum.count = 0;
    EACH_LONG_BLOCK(n) {
        REAL s[ABREAST] ALIGNED = {0};
        if (logarithm) {
            EACH_LANE(at, end, , s[j] += NAME(summand)(x[i] - most);)
        } else {
            EACH_LANE(at, end, AHEAD_OF_LANES(y), REAL e = NAME(exponential)(x[i] - most); y[i] = e; s[j] += e;)
        }
        JOIN(s[j] += s[k];)
        add_to(&sum, s[0]);
    }
    if (logarithm) {
        REAL less = (REAL)log(total_of(&sum));
        EACH_LINE(n, AHEAD(y), y[i] = x[i] - most - less;)
    } else {
        REAL total = (REAL)total_of(&sum);
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) y[i] = y[i] / total;
    }
}

static void NAME(softmax_row_grad)(const REAL *y, const REAL *g, REAL *dx, Py_ssize_t n, int logarithm)
{
    cascade sum; sum.count = 0;
    EACH_LONG_BLOCK(n) {
        REAL s[ABREAST] ALIGNED = {0};
        if (logarithm) {
            EACH_LANE(at, end, AHEAD_OF_LANES(g) AHEAD_OF_LANES(y), s[j] += g[i];)
        } else {
            EACH_LANE(at, end, AHEAD_OF_LANES(g) AHEAD_OF_LANES(y), s[j] += g[i] * y[i];)
        }
        JOIN(s[j] += s[k];)
        add_to(&sum, s[0]);
    }
    REAL total = (REAL)total_of(&sum), rest = (REAL)(total_of(&sum) - total);       /* `g - total` cancels */
    if (logarithm) {
        EACH_LINE(n, AHEAD(dx), dx[i] = g[i] - NAME(exponential)(y[i]) * total;)
    } else {
        EACH_LINE(n, AHEAD(dx), dx[i] = y[i] * (g[i] - total - rest);)
    }
}

/* Up to COLUMNS rows side by side: their elements are `step` apart, those of neighbours 1. */
static void NAME(softmax_columns)(const REAL *x, REAL *y, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width, int logarithm)
{
    REAL most[COLUMNS], s[COLUMNS];
    double total[COLUMNS];
    for (Py_ssize_t j = 0; j < width; j++) most[j] = -INFINITY, s[j] = 0, total[j] = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        SIMD()
        for (Py_ssize_t j = 0; j < width; j++) most[j] = x[i * step + j] > most[j] ? x[i * step + j] : most[j];
    }
    for (Py_ssize_t i = 0; i < n; i++) {
        SIMD()
        for (Py_ssize_t j = 0; j < width; j++) {
            REAL e = NAME(exponential)(x[i * step + j] - most[j]);
            if (!logarithm) y[i * step + j] = e;
            s[j] += e;
        }
        if ((i & 15) == 15 || i == n - 1)
            for (Py_ssize_t j = 0; j < width; j++) total[j] += s[j], s[j] = 0;
    }
    for (Py_ssize_t j = 0; j < width; j++) s[j] = logarithm ? (REAL)log(total[j]) : (REAL)total[j];
    for (Py_ssize_t i = 0; i < n; i++) {
        if (logarithm) {
            SIMD()
            for (Py_ssize_t j = 0; j < width; j++) y[i * step + j] = x[i * step + j] - most[j] - s[j];
        } else {
            SIMD()
            for (Py_ssize_t j = 0; j < width; j++) y[i * step + j] = y[i * step + j] / s[j];
        }
    }
}

static void NAME(softmax_columns_grad)(const REAL *y, const REAL *g, REAL *dx, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width,
                                       int logarithm)
{
    REAL s[COLUMNS];
    double total[COLUMNS];
    for (Py_ssize_t j = 0; j < width; j++) s[j] = 0, total[j] = 0;
    for (Py_ssize_t i = 0; i < n; i++) {
        SIMD()
        for (Py_ssize_t j = 0; j < width; j++) s[j] += logarithm ? g[i * step + j] : g[i * step + j] * y[i * step + j];
        if ((i & 15) == 15 || i == n - 1)
            for (Py_ssize_t j = 0; j < width; j++) total[j] += s[j], s[j] = 0;
    }
    for (Py_ssize_t j = 0; j < width; j++) s[j] = (REAL)total[j];
    for (Py_ssize_t i = 0; i < n; i++) {
        SIMD()
        for (Py_ssize_t j = 0; j < width; j++) {
            Py_ssize_t k = i * step + j;
            dx[k] = logarithm ? g[k] - NAME(exponential)(y[k]) * s[j] : y[k] * (g[k] - s[j]);
        }
    }
}

/* log(sum(exp(x))) of a row; of one whose largest is no number, or infinite, that. */
static REAL NAME(logsumexp_row)(const REAL *x, Py_ssize_t n)
{
    REAL m[ABREAST] ALIGNED;
    for (Py_ssize_t j = 0; j < ABREAST; j++) m[j] = -INFINITY;
    EACH_LANE(0, n, AHEAD_OF_LANES(x), m[j] = x[i] > m[j] ? x[i] : m[j];)
    JOIN(m[j] = m[j] > m[k] ? m[j] : m[k];)
    const REAL most = m[0];
    if (most - most != 0) {                                         /* else a NaN makes the sum one */
        for (Py_ssize_t i = 0; i < n; i++) if (x[i] != x[i]) return NAN;
        return most;
    }
    cascade sum; sum.count = 0;
    EACH_LONG_BLOCK(n) {
        REAL s[ABREAST] ALIGNED = {0};
        EACH_LANE(at, end, , s[j] += NAME(exponential)(x[i] - most);)
        JOIN(s[j] += s[k];)
        add_to(&sum, s[0]);
    }
    return (REAL)(log(total_of(&sum)) + most);
}

static void NAME(logsumexp_row_grad)(const REAL *x, REAL sum, REAL g, REAL *dx, Py_ssize_t n)
{
    EACH_LINE(n, AHEAD(x) AHEAD(dx), dx[i] = g * NAME(exponential)(x[i] - sum);)
}

static void NAME(softmax_share)(void *given, Py_ssize_t number)
{
    const softmax_job *job = given;
    const REAL *x = job->x, *g = job->g;
    REAL *y = job->y;
    Py_ssize_t n = job->n, step = job->inner;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    if (step == 1 && n <= BLOCK && g == NULL && job->logarithm) {
        for (Py_ssize_t row = first; row < last; row += ROWS)
            NAME(log_softmax_rows)(x + row * n, y + row * n, n, smaller(ROWS, last - row));
        return;
    }
    for (Py_ssize_t piece = first; piece < last; piece++) {
        if (job->summed) {
            if (g == NULL) y[piece] = NAME(logsumexp_row)(x + piece * n, n);
            else NAME(logsumexp_row_grad)(x + piece * n, ((const REAL *)job->sums)[piece], g[piece], y + piece * n, n);
            continue;
        }
        if (step == 1) {
            if (g == NULL) NAME(softmax_row)(x + piece * n, y + piece * n, n, job->logarithm);
            else NAME(softmax_row_grad)(x + piece * n, g + piece * n, y + piece * n, n, job->logarithm);
            continue;
        }
        Py_ssize_t wide = shares_of(step, COLUMNS), column = piece % wide * COLUMNS, at = piece / wide * n * step + column;
        Py_ssize_t width = smaller(COLUMNS, step - column);
        if (g == NULL) NAME(softmax_columns)(x + at, y + at, n, step, width, job->logarithm);
        else NAME(softmax_columns_grad)(x + at, g + at, y + at, n, step, width, job->logarithm);
    }
}
