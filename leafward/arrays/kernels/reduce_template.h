/* reduce_loops.c for one type and one kind of processor. */

/* What a sum of each kind adds for a number v. */
#define EACH_SUM(kind, ADD) \
    switch (kind) { \
    case NUMBERS: ADD(v == v ? v : 0); break; \
    case SIZES: ADD(v < 0 ? -v : v); break; \
    case ROOT_OF_SQUARES: ADD(v * v); break; \
    default: ADD(v); \
    }

/* COLUMNS numbers that are read soon: processors do not look beyond a page by themselves. */
static inline __attribute__((always_inline)) void NAME(fetch)(const REAL *x)
{
    for (size_t at = 0; at < COLUMNS * sizeof(REAL); at += 64) __builtin_prefetch((const char *)x + at);
}

/* A few blocks at a time, so that one addition need not wait for the one before. Their sums stay in lanes, which are added
 * pairwise as `cascade` does it and put together once: as that costs as much as adding a block. */
static Py_ssize_t NAME(sum_blocks)(const REAL *x, Py_ssize_t n, int kind, cascade *sum)
{
    enum { TOGETHER = 4 * BLOCK, WIDTH = COLUMNS / 4, LEVELS = 8 };     /* of at most SHARE numbers there are 32 blocks */
    double level[LEVELS][WIDTH] ALIGNED, total[WIDTH] ALIGNED = {0};
    size_t count = 0;
    Py_ssize_t from = 0;
    for (; from + TOGETHER <= n; from += TOGETHER) {
        REAL s[COLUMNS] ALIGNED = {0};
#define ADD(term) \
        for (Py_ssize_t i = from; i < from + TOGETHER; i += COLUMNS) { \
            NAME(fetch)(x + i + SOON); \
            SIMD() \
            for (Py_ssize_t j = 0; j < COLUMNS; j++) { \
                REAL v = x[i + j]; \
                s[j] += term; \
            } \
        }
        EACH_SUM(kind, ADD)
#undef ADD
        double wide[WIDTH] ALIGNED;
        SIMD()
        for (Py_ssize_t j = 0; j < WIDTH; j++) wide[j] = (double)((s[j] + s[j + WIDTH]) + (s[j + 2 * WIDTH] + s[j + 3 * WIDTH]));
        int k = 0;
        for (size_t c = count++; c & 1; c >>= 1, k++) {
            SIMD()
            for (Py_ssize_t j = 0; j < WIDTH; j++) wide[j] += level[k][j];
        }
        SIMD()
        for (Py_ssize_t j = 0; j < WIDTH; j++) level[k][j] = wide[j];
    }
    if (count == 0) return 0;
    for (int k = 0; count; count >>= 1, k++) {
        if (!(count & 1)) continue;
        SIMD()
        for (Py_ssize_t j = 0; j < WIDTH; j++) total[j] += level[k][j];
    }
#define HALVE(width) SIMD() for (Py_ssize_t j = 0; j < width; j++) total[j] += total[j + width];
    HALVE(8) HALVE(4) HALVE(2)
#undef HALVE
    add_to(sum, total[0] + total[1]);
    return from;
}

static double NAME(row_sum)(const REAL *x, Py_ssize_t n, int kind)
{
    cascade sum; sum.count = 0;
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
#define DOWN(one, count, held) \
    for (Py_ssize_t i = 0; i < n; i++, x += step) { \
        SIMD() \
        for (Py_ssize_t j = 0; j < count; j++) held[j] = NAME(fold)(one, held[j], x[j]); \
    }
#define EACH_KIND(count, held) \
    switch (kind) {                                      /* each kind a loop of its own */ \
    case PRODUCT: DOWN(PRODUCT, count, held) break; \
    case LARGEST: DOWN(LARGEST, count, held) break; \
    case SMALLEST: DOWN(SMALLEST, count, held) break; \
    default: DOWN(LARGEST_SIZE, count, held) \
    }
    if (width < COLUMNS) {
        EACH_KIND(width, all)
    } else {
        REAL held[COLUMNS] ALIGNED;                              /* which stays in registers */
        memcpy(held, all, sizeof held);
        EACH_KIND(COLUMNS, held)
        memcpy(all, held, sizeof held);
    }
#undef EACH_KIND
#undef DOWN
}

static void NAME(fold_columns)(const REAL *x, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width, int kind, REAL *all)
{
    REAL none = kind == PRODUCT ? 1 : kind == LARGEST ? -(REAL)INFINITY : kind == SMALLEST ? (REAL)INFINITY : 0;
    for (Py_ssize_t j = 0; j < width; j++) all[j] = none;
    NAME(fold_rows)(x, n, step, width, kind, all);
}

/* The extreme of n >= COLUMNS numbers, into `one`; 0 where there is a NaN among them. That is looked for in two numbers at
 * once and beside the comparison, which takes one instruction if it need not heed them. */
static int NAME(row_extreme)(const REAL *x, Py_ssize_t n, int kind, REAL *one)
{
    enum { HALF = COLUMNS / 2 };
    REAL a[COLUMNS] ALIGNED;
    INTEGER unordered[HALF] ALIGNED = {0}, any = 0;
    for (Py_ssize_t j = 0; j < COLUMNS; j++) a[j] = kind == LARGEST_SIZE ? 0 : x[j];
#define EXTREME(term, BETTER) \
    for (Py_ssize_t at = 0; at < n; at += COLUMNS) { \
        const REAL *from = x + smaller(at, n - COLUMNS);          /* the last few may count twice */ \
        NAME(fetch)(from + SOON); \
        SIMD() \
        for (Py_ssize_t j = 0; j < COLUMNS; j++) { \
            REAL v = from[j]; \
            v = term; \
            a[j] = v BETTER a[j] ? v : a[j]; \
        } \
        SIMD() \
        for (Py_ssize_t j = 0; j < HALF; j++) unordered[j] |= isunordered(from[j], from[j + HALF]) ? -1 : 0; \
    } \
    HALVE(32, BETTER) HALVE(16, BETTER) HALVE(8, BETTER) HALVE(4, BETTER) HALVE(2, BETTER) HALVE(1, BETTER)
#define HALVE(width, BETTER) \
    SIMD() \
    for (Py_ssize_t j = 0; j < width; j++) a[j] = a[j] BETTER a[j + width] ? a[j] : a[j + width];
    switch (kind) {
    case LARGEST: EXTREME(v, >) break;
    case SMALLEST: EXTREME(v, <) break;
    default: EXTREME(v < 0 ? -v : v, >)
    }
#undef HALVE
#undef EXTREME
    SIMD(reduction(| : any))
    for (Py_ssize_t j = 0; j < HALF; j++) any |= unordered[j];
    *one = a[0];
    return any == 0;
}

/* The product of n >= COLUMNS numbers, in double: hundreds of ordinary float32 factors pass through what is too small for their
 * own type, where a processor takes a hundred times as long, and may come back from there. */
static REAL NAME(row_product)(const REAL *x, Py_ssize_t n)
{
    double all[ABREAST] ALIGNED;
    for (Py_ssize_t j = 0; j < ABREAST; j++) all[j] = 1;
    Py_ssize_t at = 0;
    for (; at + COLUMNS <= n; at += COLUMNS) {
        NAME(fetch)(x + at + SOON);
        SIMD()
        for (Py_ssize_t j = 0; j < ABREAST; j++) all[j] *= (double)x[at + j] * x[at + j + ABREAST];
    }
    for (; at < n; at++) all[at % ABREAST] *= x[at];
    JOIN(all[j] *= all[k];)
    return (REAL)all[0];
}

static REAL NAME(row_fold)(const REAL *x, Py_ssize_t n, int kind)
{
    REAL all[COLUMNS], one;
    if (kind == PRODUCT && n >= COLUMNS) return NAME(row_product)(x, n);
    if (kind != PRODUCT && n >= COLUMNS && NAME(row_extreme)(x, n, kind, &one)) return one;
    Py_ssize_t width = smaller(n, COLUMNS), whole = n / width * width;
    if (width == COLUMNS) NAME(fold_columns)(x, n / COLUMNS, COLUMNS, COLUMNS, kind, all);
    else NAME(fold_columns)(x, 1, width, width, kind, all);
    while (width > 1) {
        Py_ssize_t half = width / 2;
        NAME(fold_rows)(all + width - half, 1, half, half, kind, all);
        width -= half;
    }
    one = all[0];
    for (Py_ssize_t i = whole; i < n; i++) one = NAME(fold)(kind, one, x[i]);
    return one;
}

static spread NAME(row_spread)(const REAL *x, Py_ssize_t n)
{
    spread all = {0, 0, 0};
    EACH_LONG_BLOCK(n) {
        REAL sum[ABREAST] ALIGNED = {0}, square[ABREAST] ALIGNED = {0}, left[ABREAST] ALIGNED = {0}, count = (REAL)(end - at);
        EACH_LANE(at, end, AHEAD_OF_LANES(x), sum[j] += x[i];)
        JOIN(sum[j] += sum[k];)
        REAL mean = sum[0] / count;
        EACH_LANE(at, end, , REAL d = x[i] - mean; square[j] += d * d; left[j] += d;)
        JOIN(square[j] += square[k]; left[j] += left[k];)
        double shift = (double)left[0] / count;
        merge_spread(&all, count, mean + shift, square[0] - shift * shift * count);
    }
    return all;
}

/* The sums of rows of up to SHORT numbers, one after the other and to 0 (so that none is -0): whole vectors of rows at once where the compiler knows how long. */
static void NAME(short_sums)(const reduce_job *job, Py_ssize_t first, Py_ssize_t last)
{
    const REAL *x = job->x;
    REAL *out = job->out;
    Py_ssize_t n = job->n;
#define SUMS(count) \
    SIMD() \
    for (Py_ssize_t row = first; row < last; row++) { \
        REAL sum = 0 + x[row * count]; \
        for (Py_ssize_t i = 1; i < count; i++) sum += x[row * count + i]; \
        out[row] = sum; \
    }
    if (n == 2) { SUMS(2) } else if (n == 3) { SUMS(3) } else if (n == 4) { SUMS(4) } else if (n == 8) { SUMS(8) } else {
        for (Py_ssize_t row = first; row < last; row++) {
            REAL sum = 0 + x[row * n];
            for (Py_ssize_t i = 1; i < n; i++) sum += x[row * n + i];
            out[row] = sum;
        }
    }
#undef SUMS
}

static void NAME(reduce_rows)(void *given, Py_ssize_t number)
{
    const reduce_job *job = given;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    if (job->kind == SUM && job->n <= SHORT) {
        NAME(short_sums)(job, first, last);
        return;
    }
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
        cascade sum; sum.count = 0;
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

/* The first place of `one`, which is among the n numbers; of a NaN, if that is what it is. */
static Py_ssize_t NAME(place_of)(const REAL *x, Py_ssize_t n, REAL one)
{
    Py_ssize_t i = 0;
    for (; i + COLUMNS <= n; i += COLUMNS) {
        INTEGER found = 0;
        SIMD(reduction(| : found))
        for (Py_ssize_t j = 0; j < COLUMNS; j++) found |= (x[i + j] == one) | isunordered(x[i + j], one);
        if (found && (one == one || NAME(row_extreme)(x + i, COLUMNS, LARGEST, &(REAL){0}) == 0)) break;
    }
    while (x[i] != one && (one == one || x[i] == x[i])) i++;
    return i;
}

static void NAME(place_in_rows)(void *given, Py_ssize_t number)
{
    const reduce_job *job = given;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    for (Py_ssize_t row = first; row < last; row++) {
        const REAL *x = (const REAL *)job->x + row * job->n;
        REAL one = NAME(row_fold)(x, job->n, job->kind);
        job->places[row] = NAME(place_of)(x, job->n, one);
        ((REAL *)job->out)[row] = x[job->places[row]];
    }
}

static void NAME(place_in_columns)(void *given, Py_ssize_t number)
{
    const reduce_job *job = given;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    Py_ssize_t n = job->n, step = job->inner, wide = shares_of(step, job->columns);
    for (Py_ssize_t piece = first; piece < last; piece++) {
        Py_ssize_t from = piece % wide * job->columns, end = smaller(from + job->columns, step);
        const REAL *x = (const REAL *)job->x + piece / wide * n * step;
        REAL *out = (REAL *)job->out + piece / wide * step;
        int64_t *places = job->places + piece / wide * step;
        REAL best[WIDEST] ALIGNED;
        INTEGER at[WIDEST] ALIGNED;
        for (Py_ssize_t j = from; j < end; j++) {
            best[j - from] = x[j];
            at[j - from] = 0;
        }
        for (Py_ssize_t i = 1; i < n; i++) {
            const REAL *line = x + i * step + from;
#define BETTER(compared) \
            SIMD() \
            for (Py_ssize_t j = 0; j < end - from; j++) { \
                REAL v = line[j], a = best[j]; \
                int better = (v compared a) | ((v != v) & (a == a)); \
                best[j] = better ? v : a; \
                at[j] = better ? (INTEGER)i : at[j]; \
            }
            if (job->kind == LARGEST) { BETTER(>) } else { BETTER(<) }
#undef BETTER
        }
        for (Py_ssize_t j = from; j < end; j++) {
            out[j] = best[j - from];
            places[j] = at[j - from];
        }
    }
}

static void NAME(spread_columns)(const reduce_job *job, const REAL *x, Py_ssize_t width, REAL *out)
{
    Py_ssize_t n = job->n, step = job->inner;
    spread all[COLUMNS];
    for (Py_ssize_t j = 0; j < width; j++) all[j] = (spread){0, 0, 0};
    for (Py_ssize_t at = 0; at < n; at += FEW_ROWS) {
        Py_ssize_t end = smaller(at + FEW_ROWS, n);
        REAL sum[COLUMNS] = {0}, square[COLUMNS] = {0}, left[COLUMNS] = {0}, count = (REAL)(end - at);
        for (Py_ssize_t i = at; i < end; i++) {
            SIMD()
            for (Py_ssize_t j = 0; j < width; j++) sum[j] += x[i * step + j];
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
    for (Py_ssize_t j = 0; j < width; j++) out[j] = (REAL)finished(job, all[j].square);
}

static void NAME(add_columns)(const REAL *x, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width, int kind, double *total)
{
    for (Py_ssize_t at = 0; at < n; at += FEW_ROWS) {
        Py_ssize_t end = smaller(at + FEW_ROWS, n);
        REAL sum[COLUMNS] ALIGNED = {0};
#define DOWN(count, term) \
        for (Py_ssize_t i = at; i < end; i++) { \
            NAME(fetch)(x + i * step + COLUMNS); \
            SIMD() \
            for (Py_ssize_t j = 0; j < count; j++) { \
                REAL v = x[i * step + j]; \
                sum[j] += term; \
            } \
        }
#define ADD(term) if (width == COLUMNS) { DOWN(COLUMNS, term) } else { DOWN(width, term) }
        EACH_SUM(kind, ADD)
#undef ADD
#undef DOWN
        SIMD()
        for (Py_ssize_t j = 0; j < width; j++) total[j] += sum[j];
    }
}

/* The sums of columns of up to SHORT numbers, likewise. */
static void NAME(short_columns)(const REAL *x, Py_ssize_t n, Py_ssize_t step, Py_ssize_t width, REAL *out)
{
    Py_ssize_t j = 0;
    for (; j + COLUMNS <= width; j += COLUMNS) {
        REAL sum[COLUMNS] ALIGNED;
        SIMD()
        for (Py_ssize_t k = 0; k < COLUMNS; k++) sum[k] = 0 + x[j + k];
        for (Py_ssize_t i = 1; i < n; i++) {
            SIMD()
            for (Py_ssize_t k = 0; k < COLUMNS; k++) sum[k] += x[i * step + j + k];
        }
        memcpy(out + j, sum, sizeof sum);
    }
    for (; j < width; j++) {
        REAL sum = 0 + x[j];
        for (Py_ssize_t i = 1; i < n; i++) sum += x[i * step + j];
        out[j] = sum;
    }
}

/* Some rows at a time over all columns of a share: pages of memory are gone through in order, as far as may be. */
static void NAME(reduce_columns)(void *given, Py_ssize_t number)
{
    enum { SOME_ROWS = 4 * FEW_ROWS };
    const reduce_job *job = given;
    Py_ssize_t first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    Py_ssize_t n = job->n, step = job->inner, wide = shares_of(step, job->columns);
    for (Py_ssize_t piece = first; piece < last; piece++) {
        Py_ssize_t from = piece % wide * job->columns, end = smaller(from + job->columns, step);
        const REAL *x = (const REAL *)job->x + piece / wide * n * step;
        REAL *out = (REAL *)job->out + piece / wide * step;
        double total[WIDEST];
        if (job->kind == SUM && n <= SHORT) {
            NAME(short_columns)(x + from, n, step, end - from, out + from);
            continue;
        }
        if (!is_sum(job->kind) && !is_fold(job->kind)) {
            for (Py_ssize_t j = from; j < end; j += COLUMNS) NAME(spread_columns)(job, x + j, smaller(COLUMNS, end - j), out + j);
            continue;
        }
        for (Py_ssize_t j = from; j < end; j++) total[j - from] = 0;
        for (Py_ssize_t at = 0; at < n; at += SOME_ROWS)
            for (Py_ssize_t j = from; j < end; j += COLUMNS) {
                const REAL *block = x + at * step + j;
                Py_ssize_t rows = smaller(SOME_ROWS, n - at), width = smaller(COLUMNS, end - j);
                if (is_sum(job->kind)) NAME(add_columns)(block, rows, step, width, job->kind, total + j - from);
                else if (at == 0) NAME(fold_columns)(block, rows, step, width, job->kind, out + j);
                else NAME(fold_rows)(block, rows, step, width, job->kind, out + j);
            }
        for (Py_ssize_t j = from; j < end && is_sum(job->kind); j++) out[j] = (REAL)finished(job, total[j - from]);
    }
}
#undef EACH_SUM
#undef EACH_FOLD
