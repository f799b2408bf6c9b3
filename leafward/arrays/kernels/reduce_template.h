/* reduce_loops.c for one type and one kind of processor. */

/* What a sum of each kind adds for a number v. */
#define EACH_SUM(kind, ADD) \
    switch (kind) { \
    case NUMBERS: ADD(v == v ? v : 0); break; \
    case SIZES: ADD(v < 0 ? -v : v); break; \
    case ROOT_OF_SQUARES: ADD(v * v); break; \
    default: ADD(v); \
    }

/* A few blocks at a time, so that one addition need not wait for the one before. */
static Py_ssize_t NAME(sum_blocks)(const REAL *x, Py_ssize_t n, int kind, cascade *sum)
{
    enum { TOGETHER = 4 * BLOCK };
    Py_ssize_t from = 0;
    for (; from + TOGETHER <= n; from += TOGETHER) {
        REAL s[COLUMNS] = {0};
#define ADD(term) \
        for (Py_ssize_t i = from; i < from + TOGETHER; i += COLUMNS) { \
            SIMD() \
            for (Py_ssize_t j = 0; j < COLUMNS; j++) { \
                REAL v = x[i + j]; \
                s[j] += term; \
            } \
        }
        EACH_SUM(kind, ADD)
#undef ADD
        for (Py_ssize_t width = COLUMNS / 2; width > 0; width /= 2) {
            SIMD()
            for (Py_ssize_t j = 0; j < width; j++) s[j] += s[j + width];
        }
        add_to(sum, s[0]);
    }
    return from;
}

static double NAME(row_sum)(const REAL *x, Py_ssize_t n, int kind)
{
    cascade sum = {.count = 0};
    Py_ssize_t done = NAME(sum_blocks)(x, n, kind, &sum);
    x += done;
    n -= done;
    EACH_BLOCK(n) {
        REAL s = 0;
#define ADD(term) \
        SIMD(reduction(+ : s)) \
        for (Py_ssize_t i = at; i < end; i++) { \
            REAL v = x[i]; \
            s += term; \
        }
        EACH_SUM(kind, ADD)
#undef ADD
        add_to(&sum, s);
    }
    return total_of(&sum);
}

/* What becomes of a number `a` with the next, v; a NaN stays. */
#define EACH_FOLD(kind, PUT) \
    switch (kind) { \
    case PRODUCT: PUT(a * v); break; \
    case LARGEST: PUT(v > a || v != v ? v : a); break; \
    case SMALLEST: PUT(v < a || v != v ? v : a); break; \
    default: v = v < 0 ? -v : v; PUT(v > a || v != v ? v : a); \
    }

static inline REAL NAME(fold)(int kind, REAL a, REAL v)
{
#define PUT(value) a = value
    EACH_FOLD(kind, PUT)
#undef PUT
    return a;
}

/* `width` <= COLUMNS columns, each put together down n rows, with what is there. */
static void NAME(fold_rows)(const REAL *x, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width, int kind, REAL *all)
{
#define DOWN(one) \
    for (Py_ssize_t i = 0; i < n; i++, x += step) { \
        SIMD() \
        for (Py_ssize_t j = 0; j < width; j++) all[j] = NAME(fold)(one, all[j], x[j]); \
    }
    switch (kind) {                                      /* each kind a loop of its own */
    case PRODUCT: DOWN(PRODUCT) break;
    case LARGEST: DOWN(LARGEST) break;
    case SMALLEST: DOWN(SMALLEST) break;
    default: DOWN(LARGEST_SIZE)
    }
#undef DOWN
}

static void NAME(fold_columns)(const REAL *x, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width, int kind, REAL *all)
{
    REAL none = kind == PRODUCT ? 1 : kind == LARGEST ? -(REAL)INFINITY : kind == SMALLEST ? (REAL)INFINITY : 0;
    for (Py_ssize_t j = 0; j < width; j++) all[j] = none;
    NAME(fold_rows)(x, n, step, width, kind, all);
}

static REAL NAME(row_fold)(const REAL *x, Py_ssize_t n, int kind)
{
    REAL all[COLUMNS];
    Py_ssize_t width = smaller(n, COLUMNS), whole = n / width * width;
    if (width == COLUMNS) NAME(fold_columns)(x, n / COLUMNS, COLUMNS, COLUMNS, kind, all);
    else NAME(fold_columns)(x, 1, width, width, kind, all);
    while (width > 1) {
        Py_ssize_t half = width / 2;
        NAME(fold_rows)(all + width - half, 1, half, half, kind, all);
        width -= half;
    }
    REAL one = all[0];
    for (Py_ssize_t i = whole; i < n; i++) one = NAME(fold)(kind, one, x[i]);
    return one;
}

static spread NAME(row_spread)(const REAL *x, Py_ssize_t n)
{
    spread all = {0, 0, 0};
    EACH_BLOCK(n) {
        REAL sum = 0, square = 0, left = 0, count = (REAL)(end - at);
        SIMD(reduction(+ : sum))
        for (Py_ssize_t i = at; i < end; i++) sum += x[i];
        REAL mean = sum / count;
        SIMD(reduction(+ : square, left))
        for (Py_ssize_t i = at; i < end; i++) {
            REAL d = x[i] - mean;
            square += d * d;
            left += d;
        }
        double shift = (double)left / count;
        merge_spread(&all, count, mean + shift, square - shift * shift * count);
    }
    return all;
}

static void NAME(reduce_rows)(void *given, Py_ssize_t number)
{
    const reduce_job *job = given;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    for (Py_ssize_t piece = first; piece < last; piece++) {
        Py_ssize_t from = piece % job->parts * SHARE, count = smaller(SHARE, job->n - from);
        const REAL *x = (const REAL *)job->x + piece / job->parts * job->n + from;
        spread all = {0, 0, 0};
        if (is_sum(job->kind)) all.mean = NAME(row_sum)(x, count, job->kind);
        else if (is_fold(job->kind)) all.mean = NAME(row_fold)(x, count, job->kind);
        else all = NAME(row_spread)(x, count);
        if (job->parts > 1) {
            double *to = job->partial + 3 * piece;
            to[0] = all.count; to[1] = all.mean; to[2] = all.square;
        } else {
            ((REAL *)job->out)[piece] = (REAL)finished(job, job->kind < VARIANCE ? all.mean : all.square);
        }
    }
}

static void NAME(reduce_collect)(const reduce_job *job)
{
    for (Py_ssize_t row = 0; row < job->outer; row++) {
        const double *of = job->partial + 3 * row * job->parts;
        cascade sum = {.count = 0};
        spread all = {0, 0, 0};
        REAL one = (REAL)of[1];
        for (Py_ssize_t part = 0; part < job->parts; part++, of += 3) {
            if (is_sum(job->kind)) add_to(&sum, of[1]);
            else if (is_fold(job->kind)) one = part == 0 ? one : NAME(fold)(job->kind, one, (REAL)of[1]);
            else merge_spread(&all, of[0], of[1], of[2]);
        }
        ((REAL *)job->out)[row] = (REAL)finished(job, is_sum(job->kind) ? total_of(&sum) : is_fold(job->kind) ? one : all.square);
    }
}

/* Up to COLUMNS rows side by side, a few of their elements at a time. */
static void NAME(reduce_columns)(void *given, Py_ssize_t number)
{
    const reduce_job *job = given;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    Py_ssize_t n = job->n, step = job->inner, wide = shares_of(step, COLUMNS);
    for (Py_ssize_t piece = first; piece < last; piece++) {
        Py_ssize_t column = piece % wide * COLUMNS, width = smaller(COLUMNS, step - column);
        const REAL *x = (const REAL *)job->x + piece / wide * n * step + column;
        REAL *out = (REAL *)job->out + piece / wide * step + column;
        if (is_fold(job->kind)) {
            NAME(fold_columns)(x, n, step, width, job->kind, out);
            continue;
        }
        spread all[COLUMNS];
        for (Py_ssize_t j = 0; j < width; j++) all[j] = (spread){0, 0, 0};
        for (Py_ssize_t at = 0; at < n; at += FEW_ROWS) {
            Py_ssize_t end = smaller(at + FEW_ROWS, n);
            REAL sum[COLUMNS] = {0}, square[COLUMNS] = {0}, left[COLUMNS] = {0}, count = (REAL)(end - at);
            for (Py_ssize_t i = at; i < end; i++) {
#define ADD(term) \
                SIMD() \
                for (Py_ssize_t j = 0; j < width; j++) { \
                    REAL v = x[i * step + j]; \
                    sum[j] += term; \
                }
                EACH_SUM(job->kind, ADD)
#undef ADD
            }
            if (is_sum(job->kind)) {
                for (Py_ssize_t j = 0; j < width; j++) all[j].mean += sum[j];
                continue;
            }
            for (Py_ssize_t j = 0; j < width; j++) sum[j] /= count;
            for (Py_ssize_t i = at; i < end; i++) {
                SIMD()
                for (Py_ssize_t j = 0; j < width; j++) {
                    REAL d = x[i * step + j] - sum[j];
                    square[j] += d * d;
                    left[j] += d;
                }
            }
            for (Py_ssize_t j = 0; j < width; j++) {
                double shift = (double)left[j] / count;
                merge_spread(&all[j], count, sum[j] + shift, square[j] - shift * shift * count);
            }
        }
        for (Py_ssize_t j = 0; j < width; j++) out[j] = (REAL)finished(job, is_sum(job->kind) ? all[j].mean : all[j].square);
    }
}
#undef EACH_SUM
#undef EACH_FOLD
