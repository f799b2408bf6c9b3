/* norm_loops.c for one type and one kind of processor. */

static summary NAME(norm_summary)(const REAL *x, const REAL *g, Py_ssize_t n)
{
    summary all = {0};
    EACH_BLOCK(n) {
        REAL sum = 0, square = 0, sum_g = 0, gx = 0;
        SIMD(reduction(+ : sum))
        for (Py_ssize_t i = at; i < end; i++) sum += x[i];
        REAL mean = sum / (REAL)(end - at);
        if (g == NULL) {
            SIMD(reduction(+ : square))
            for (Py_ssize_t i = at; i < end; i++) square += (x[i] - mean) * (x[i] - mean);
        } else {
            SIMD(reduction(+ : square, sum_g, gx))
            for (Py_ssize_t i = at; i < end; i++) {
                REAL d = x[i] - mean;
                square += d * d;
                sum_g += g[i];
                gx += g[i] * d;
            }
        }
        summary block = {(double)(end - at), mean, square, sum_g, gx};
        /* `mean` is rounded: what is left of the sum of distances, which would count as much as the squares otherwise */
        double left = ((double)sum - (double)mean * block.count) / block.count;
        block.mean += left;
        block.square -= left * left * block.count;
        block.gx -= left * block.g;
        merge(&all, &block);
    }
    return all;
}

/* --- by rows ------------------------------------------------------------------------------------------------------- */

static void NAME(norm_row)(const REAL *x, REAL *y, const REAL *weight, const REAL *bias, Py_ssize_t n, REAL mean, REAL scale)
{
    if (weight != NULL && bias != NULL) {
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) y[i] = (x[i] - mean) * scale * weight[i] + bias[i];
    } else if (weight != NULL) {
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) y[i] = (x[i] - mean) * scale * weight[i];
    } else if (bias != NULL) {
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) y[i] = (x[i] - mean) * scale + bias[i];
    } else {
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) y[i] = (x[i] - mean) * scale;
    }
}

/* dx, and what the row adds to dweight and dbias. */
static void NAME(norm_row_grad)(const REAL *x, const REAL *g, const REAL *weight, REAL *dx, REAL *dweight, REAL *dbias,
                                Py_ssize_t n, double middle, double rstd)
{
    REAL mean = (REAL)middle, scale = (REAL)rstd;
    cascade sum = {.count = 0}, along = {.count = 0};
    EACH_BLOCK(n) {
        REAL s = 0, t = 0;
        if (weight != NULL) {
            SIMD(reduction(+ : s, t))
            for (Py_ssize_t i = at; i < end; i++) {
                REAL pull = g[i] * weight[i];
                s += pull;
                t += pull * (x[i] - mean);
            }
        } else {
            SIMD(reduction(+ : s, t))
            for (Py_ssize_t i = at; i < end; i++) {
                s += g[i];
                t += g[i] * (x[i] - mean);
            }
        }
        add_to(&sum, s);
        add_to(&along, t);
    }
    REAL a = (REAL)(total_of(&sum) / n), b = (REAL)(total_of(&along) * rstd * rstd / n);
    SIMD()
    for (Py_ssize_t i = 0; i < n; i++) {
        REAL d = x[i] - mean, pull = weight != NULL ? g[i] * weight[i] : g[i];
        dx[i] = scale * (pull - a - d * b);
        dweight[i] += g[i] * d * scale;
        dbias[i] += g[i];
    }
}

static void NAME(norm_row_share)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    Py_ssize_t n = job->n, width = n * job->period, first = number * job->per_share;
    Py_ssize_t last = smaller(first + job->per_share, job->rows);
    const REAL *x = job->x, *g = job->g, *weight = job->weight, *bias = job->bias;
    double *sums = job->partial + number * 4 * width;           /* and behind them what the last few rows add */
    REAL *out = job->out, *recent = (REAL *)(sums + 2 * width);
    for (Py_ssize_t row = first; row < last; row++) {
        Py_ssize_t place = row % job->period * n;
        summary all = NAME(norm_summary)(x + row * n, NULL, n);
        double variance = all.square / all.count, rstd = 1 / sqrt(variance + job->eps);
        const REAL *scales = weight == NULL ? NULL : weight + place;
        if (g == NULL) {
            NAME(norm_row)(x + row * n, out + row * n, scales, bias == NULL ? NULL : bias + place, n, (REAL)all.mean, (REAL)rstd);
            if (job->mean != NULL) ((REAL *)job->mean)[row] = (REAL)all.mean;
            if (job->variance != NULL) ((REAL *)job->variance)[row] = (REAL)variance;
            continue;
        }
        NAME(norm_row_grad)(x + row * n, g + row * n, scales, out + row * n, recent + place, recent + width + place, n,
                            all.mean, rstd);
        if ((row - first) / job->period % 16 == 15 || row >= last - job->period) {
            for (Py_ssize_t i = place; i < place + n; i++) {
                sums[i] += recent[i];
                sums[width + i] += recent[width + i];
                recent[i] = recent[width + i] = 0;
            }
        }
    }
}

static void NAME(norm_collect_rows)(norm_job *job)
{
    Py_ssize_t width = job->n * job->period, parts = shares_of(job->rows, job->per_share);
    for (Py_ssize_t part = 1; part < parts; part++)
        for (Py_ssize_t i = 0; i < 2 * width; i++) job->partial[i] += job->partial[part * 4 * width + i];
    for (Py_ssize_t i = 0; i < width; i++) {
        ((REAL *)job->dweight)[i] = (REAL)job->partial[i];
        ((REAL *)job->dbias)[i] = (REAL)job->partial[width + i];
    }
}

/* --- by channels --------------------------------------------------------------------------------------------------- */

/* Columns of a matrix whose rows are `step` long, as many as `width`, from its rows `first` to `last`. */
static void NAME(norm_columns_summary)(const REAL *x, const REAL *g, Py_ssize_t first, Py_ssize_t last, Py_ssize_t step,
                                       Py_ssize_t width, summary *all)
{
    for (Py_ssize_t at = first; at < last; at += 16) {
        Py_ssize_t end = smaller(at + 16, last);
        REAL mean[COLUMNS] = {0}, square[COLUMNS] = {0}, sum_g[COLUMNS] = {0}, gx[COLUMNS] = {0}, count = (REAL)(end - at);
        REAL left[COLUMNS] = {0};
        for (Py_ssize_t i = at; i < end; i++)
            for (Py_ssize_t j = 0; j < width; j++) mean[j] += x[i * step + j];
        for (Py_ssize_t j = 0; j < width; j++) mean[j] /= count;
        for (Py_ssize_t i = at; i < end; i++) {
            SIMD()
            for (Py_ssize_t j = 0; j < width; j++) {
                REAL d = x[i * step + j] - mean[j];
                left[j] += d;
                square[j] += d * d;
                if (g != NULL) {
                    sum_g[j] += g[i * step + j];
                    gx[j] += g[i * step + j] * d;
                }
            }
        }
        for (Py_ssize_t j = 0; j < width; j++) {
            double shift = (double)left[j] / count;
            summary block = {count, mean[j] + shift, square[j] - shift * shift * count, sum_g[j], gx[j] - shift * sum_g[j]};
            merge(&all[j], &block);
        }
    }
}

static void NAME(norm_summary_share)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    const REAL *x = job->x, *g = job->g;
    Py_ssize_t n = job->n, first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    for (Py_ssize_t piece = first; piece < last; piece++) {
        if (n > 1) {
            job->summaries[piece] = NAME(norm_summary)(x + piece * n, g == NULL ? NULL : g + piece * n, n);
            continue;
        }
        Py_ssize_t wide = shares_of(job->channels, COLUMNS), column = piece % wide * COLUMNS, from = piece / wide * job->chunk;
        NAME(norm_columns_summary)(x + column, g == NULL ? NULL : g + column, from, smaller(from + job->chunk, job->outer),
                                   job->channels, smaller(COLUMNS, job->channels - column),
                                   job->summaries + piece / wide * job->channels + column);
    }
}

/* From the runs' summaries to the groups', and to the three numbers per run with which its elements are written:
 * `mean`, and out = (x - mean) * g + gx, or dx = g * `g` - (x - mean) * `square` - `gx`. */
static void NAME(norm_join)(norm_job *job)
{
    const REAL *weight = job->weight, *bias = job->bias;
    Py_ssize_t channels = job->channels, lots = shares_of(job->outer, job->chunk);
    Py_ssize_t groups = job->joined ? job->outer * channels / job->joined : channels;
    double *sums = job->partial;
    for (Py_ssize_t group = 0; group < groups; group++) {
        Py_ssize_t count = job->joined ? job->joined : lots, from = job->joined ? group * count : group;
        Py_ssize_t step = job->joined ? 1 : channels;
        summary all = {0};
        for (Py_ssize_t k = 0; k < count; k++) merge(&all, &job->summaries[from + k * step]);
        double variance = all.square / all.count, rstd = 1 / sqrt(variance + job->eps), a = 0, b = 0;
        if (job->mean != NULL) ((REAL *)job->mean)[group] = (REAL)all.mean;
        if (job->variance != NULL) ((REAL *)job->variance)[group] = (REAL)variance;
        for (Py_ssize_t k = 0; k < count && job->g != NULL; k++) {
            summary *run = &job->summaries[from + k * step];
            Py_ssize_t c = (from + k * step) % channels;
            double scale = weight == NULL ? 1 : weight[c];
            run->gx += (run->mean - all.mean) * run->g;
            a += scale * run->g;
            b += scale * run->gx;
            sums[c] += run->gx * rstd;
            sums[channels + c] += run->g;
        }
        for (Py_ssize_t k = 0; k < count; k++) {
            summary *run = &job->summaries[from + k * step];
            Py_ssize_t c = (from + k * step) % channels;
            run->mean = all.mean;
            run->g = rstd * (weight == NULL ? 1 : weight[c]);
            run->gx = job->g == NULL ? (bias == NULL ? 0 : bias[c]) : rstd * a / all.count;
            run->square = rstd * rstd * rstd * b / all.count;
        }
    }
    for (Py_ssize_t c = 0; c < channels && job->g != NULL; c++) {
        ((REAL *)job->dweight)[c] = (REAL)sums[c];
        ((REAL *)job->dbias)[c] = (REAL)sums[channels + c];
    }
}

static void NAME(norm_write)(const REAL *x, const REAL *g, REAL *out, Py_ssize_t n, const summary *run)
{
    REAL mean = (REAL)run->mean, scale = (REAL)run->g, offset = (REAL)run->gx, along = (REAL)run->square;
    if (g == NULL) {
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) out[i] = (x[i] - mean) * scale + offset;
    } else {
        SIMD()
        for (Py_ssize_t i = 0; i < n; i++) out[i] = g[i] * scale - (x[i] - mean) * along - offset;
    }
}

static void NAME(norm_write_share)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    const REAL *x = job->x, *g = job->g;
    REAL *out = job->out;
    Py_ssize_t n = job->n, first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    for (Py_ssize_t piece = first; piece < last; piece++) {
        if (n > 1) {
            NAME(norm_write)(x + piece * n, g == NULL ? NULL : g + piece * n, out + piece * n, n, &job->summaries[piece]);
            continue;
        }
        Py_ssize_t wide = shares_of(job->channels, COLUMNS), column = piece % wide * COLUMNS, from = piece / wide * job->chunk;
        Py_ssize_t width = smaller(COLUMNS, job->channels - column);
        const summary *runs = job->summaries + piece / wide * job->channels + column;
        REAL mean[COLUMNS], scale[COLUMNS], offset[COLUMNS], along[COLUMNS];
        for (Py_ssize_t j = 0; j < width; j++) {
            mean[j] = (REAL)runs[j].mean; scale[j] = (REAL)runs[j].g; offset[j] = (REAL)runs[j].gx; along[j] = (REAL)runs[j].square;
        }
        for (Py_ssize_t i = from; i < smaller(from + job->chunk, job->outer); i++) {
            const REAL *of = x + i * job->channels + column;
            REAL *to = out + i * job->channels + column;
            if (g == NULL) {
                for (Py_ssize_t j = 0; j < width; j++) to[j] = (of[j] - mean[j]) * scale[j] + offset[j];
            } else {
                const REAL *gs = g + i * job->channels + column;
                for (Py_ssize_t j = 0; j < width; j++) to[j] = gs[j] * scale[j] - (of[j] - mean[j]) * along[j] - offset[j];
            }
        }
    }
}
