/* reduce_loops.c for one type and one kind of processor. */

static double NAME(row_sum)(const REAL *x, Py_ssize_t n)
{
    cascade sum = {.count = 0};
    EACH_BLOCK(n) {
        REAL s = 0;
        SIMD(reduction(+ : s))
        for (Py_ssize_t i = at; i < end; i++) s += x[i];
        add_to(&sum, s);
    }
    return total_of(&sum);
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
        if (job->kind < VARIANCE) all.mean = NAME(row_sum)(x, count);
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
        for (Py_ssize_t part = 0; part < job->parts; part++, of += 3) {
            if (job->kind < VARIANCE) add_to(&sum, of[1]);
            else merge_spread(&all, of[0], of[1], of[2]);
        }
        ((REAL *)job->out)[row] = (REAL)finished(job, job->kind < VARIANCE ? total_of(&sum) : all.square);
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
        spread all[COLUMNS];
        for (Py_ssize_t j = 0; j < width; j++) all[j] = (spread){0, 0, 0};
        for (Py_ssize_t at = 0; at < n; at += FEW_ROWS) {
            Py_ssize_t end = smaller(at + FEW_ROWS, n);
            REAL sum[COLUMNS] = {0}, square[COLUMNS] = {0}, left[COLUMNS] = {0}, count = (REAL)(end - at);
            for (Py_ssize_t i = at; i < end; i++) {
                SIMD()
                for (Py_ssize_t j = 0; j < width; j++) sum[j] += x[i * step + j];
            }
            if (job->kind < VARIANCE) {
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
        for (Py_ssize_t j = 0; j < width; j++) out[j] = (REAL)finished(job, job->kind < VARIANCE ? all[j].mean : all[j].square);
    }
}
