/* norm_loops.c for one type and one kind of processor. */

/* Of `n` neighbours; g is times `weight` where that is given. A lane adds 32 numbers, then the blocks are merged in double. */
static inline summary NAME(norm_summary)(const REAL *x, const REAL *g, const REAL *weight, Py_ssize_t n)
{
    summary all = {0};
    for (Py_ssize_t at = 0, end; at < n; at = end) {
        end = smaller(at + 32 * ABREAST, n);
        REAL s[ABREAST] ALIGNED = {0}, square[ABREAST] ALIGNED = {0}, sum_g[ABREAST] ALIGNED = {0}, gx[ABREAST] ALIGNED = {0};
        EACH_LANE(at, end, AHEAD_OF_LANES(x), s[j] += x[i];)
        JOIN(s[j] += s[k];)
        REAL mean = s[0] / (REAL)(end - at);
        if (g == NULL) {
            EACH_LANE(at, end, , REAL d = x[i] - mean; square[j] += d * d;)
        } else if (weight == NULL) {
            EACH_LANE(at, end, AHEAD_OF_LANES(g),
                REAL d = x[i] - mean;
                square[j] += d * d;
                sum_g[j] += g[i];
                gx[j] += g[i] * d;
            )
        } else {
            EACH_LANE(at, end, AHEAD_OF_LANES(g),
                REAL d = x[i] - mean, pull = g[i] * weight[i];
                square[j] += d * d;
                sum_g[j] += pull;
                gx[j] += pull * d;
            )
        }
        JOIN(square[j] += square[k];)
        if (g != NULL) JOIN(sum_g[j] += sum_g[k]; gx[j] += gx[k];)
        summary block = {(double)(end - at), mean, square[0], sum_g[0], gx[0]};
        /* `mean` is rounded: what is left of the sum of distances, which would count as much as the squares otherwise */
        double left = ((double)s[0] - (double)mean * block.count) / block.count;
        block.mean += left;
        block.square -= left * left * block.count;
        block.gx -= left * block.g;
        if (at == 0) all = block;
        else merge(&all, &block);
    }
    return all;
}

/* --- by rows ------------------------------------------------------------------------------------------------------- */

static void NAME(norm_row)(const REAL *x, REAL *y, const REAL *weight, const REAL *bias, Py_ssize_t n, REAL mean, REAL scale)
{
    if (weight != NULL && bias != NULL) {
        EACH_LINE(n, AHEAD(x) AHEAD(y), y[i] = (x[i] - mean) * scale * weight[i] + bias[i];)
    } else if (weight != NULL) {
        EACH_LINE(n, AHEAD(x) AHEAD(y), y[i] = (x[i] - mean) * scale * weight[i];)
    } else if (bias != NULL) {
        EACH_LINE(n, AHEAD(x) AHEAD(y), y[i] = (x[i] - mean) * scale + bias[i];)
    } else {
        EACH_LINE(n, AHEAD(x) AHEAD(y), y[i] = (x[i] - mean) * scale;)
    }
}

/* dx, and what the row adds to dweight and dbias. */
static void NAME(norm_row_grad)(const REAL *x, const REAL *g, const REAL *weight, REAL *restrict dx, REAL *restrict dweight,
                                REAL *restrict dbias, Py_ssize_t n, const summary *all, double rstd)
{
    REAL mean = (REAL)all->mean, scale = (REAL)rstd, a = (REAL)(all->g / (double)n);
    REAL b = (REAL)(all->gx * rstd * rstd / (double)n);
    if (weight != NULL) {
        EACH_LINE(n, AHEAD(dx),
            REAL d = x[i] - mean;
            dx[i] = scale * (g[i] * weight[i] - a - d * b);
            dweight[i] += g[i] * d * scale;
            dbias[i] += g[i];
        )
    } else {
        EACH_LINE(n, AHEAD(dx),
            REAL d = x[i] - mean;
            dx[i] = scale * (g[i] - a - d * b);
            dweight[i] += g[i] * d * scale;
            dbias[i] += g[i];
        )
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
        const REAL *scales = weight == NULL ? NULL : weight + place;
        summary all = g == NULL ? NAME(norm_summary)(x + row * n, NULL, NULL, n)
            : NAME(norm_summary)(x + row * n, g + row * n, scales, n);
        double variance = all.square / all.count, rstd = 1 / sqrt(variance + job->eps);
        if (g == NULL) {
            NAME(norm_row)(x + row * n, out + row * n, scales, bias == NULL ? NULL : bias + place, n, (REAL)all.mean, (REAL)rstd);
            if (job->mean != NULL) ((REAL *)job->mean)[row] = (REAL)all.mean;
            if (job->variance != NULL) ((REAL *)job->variance)[row] = (REAL)variance;
            continue;
        }
        NAME(norm_row_grad)(x + row * n, g + row * n, scales, out + row * n, recent + place, recent + width + place, n,
                            &all, rstd);
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

static void NAME(norm_summary_share)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    const REAL *x = job->x, *g = job->g;
    Py_ssize_t n = job->n, first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    for (Py_ssize_t piece = first; piece < last; piece++)
        job->summaries[piece] = NAME(norm_summary)(x + piece * n, g == NULL ? NULL : g + piece * n, NULL, n);
}

/* From the runs' summaries and their group's, `all`, to the three numbers per run with which its elements are written:
 * `mean`, and out = (x - mean) * g + gx, or dx = g * `g` - (x - mean) * `square` - `gx`. */
static void NAME(norm_join_group)(const norm_job *job, Py_ssize_t group, summary all)
{
    const REAL *weight = job->weight, *bias = job->bias;
    Py_ssize_t channels = job->channels, count = job->joined ? job->joined : job->outer, from = job->joined ? group * count : group;
    Py_ssize_t step = job->joined ? 1 : channels;
    double *sums = job->partial;
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

static void NAME(norm_join)(norm_job *job)
{
    Py_ssize_t channels = job->channels, groups = job->joined ? job->outer * channels / job->joined : channels;
    Py_ssize_t count = job->joined ? job->joined : job->outer, step = job->joined ? 1 : channels;
    for (Py_ssize_t group = 0; group < groups; group++) {
        summary all = {0};
        for (Py_ssize_t k = 0; k < count; k++) merge(&all, &job->summaries[(job->joined ? group * count : group) + k * step]);
        NAME(norm_join_group)(job, group, all);
    }
    for (Py_ssize_t c = 0; c < channels && job->g != NULL; c++) {
        ((REAL *)job->dweight)[c] = (REAL)job->partial[c];
        ((REAL *)job->dbias)[c] = (REAL)job->partial[channels + c];
    }
}

static void NAME(norm_write)(const REAL *x, const REAL *g, REAL *out, Py_ssize_t n, const summary *run)
{
    REAL mean = (REAL)run->mean, scale = (REAL)run->g, offset = (REAL)run->gx, along = (REAL)run->square;
    if (g == NULL) {
        EACH_LINE(n, AHEAD(x) AHEAD(out), out[i] = (x[i] - mean) * scale + offset;)
    } else {
        EACH_LINE(n, AHEAD(x) AHEAD(g) AHEAD(out), out[i] = g[i] * scale - (x[i] - mean) * along - offset;)
    }
}

static void NAME(norm_write_share)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    const REAL *x = job->x, *g = job->g;
    REAL *out = job->out;
    Py_ssize_t n = job->n, first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    for (Py_ssize_t piece = first; piece < last; piece++)
        NAME(norm_write)(x + piece * n, g == NULL ? NULL : g + piece * n, out + piece * n, n, &job->summaries[piece]);
}

/* Forward, where a group's channels are neighbours and fit the cache: each group is read, joined and written at once. */
static void NAME(norm_group_share)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    const REAL *x = job->x;
    Py_ssize_t n = job->n, first = number * job->per_share, last = smaller(first + job->per_share, job->pieces);
    for (Py_ssize_t group = first; group < last; group++) {
        Py_ssize_t from = group * job->joined, end = from + job->joined;
        NAME(norm_join_group)(job, group, NAME(norm_summary)(x + from * n, NULL, NULL, job->joined * n));
        for (Py_ssize_t run = from; run < end; run++)
            NAME(norm_write)(x + run * n, NULL, (REAL *)job->out + run * n, n, &job->summaries[run]);
    }
}

/* --- by columns ---------------------------------------------------------------------------------------------------- */

/* What is known of each column of `before` rows becomes that of `count` more: four lines of numbers, one `step` after the
 * other, that are the fields of a summary. */
static void NAME(norm_columns_merge)(double *restrict into, Py_ssize_t step, const double *restrict from, Py_ssize_t stride,
                                     Py_ssize_t width, double before, double count, int with_g)
{
    double share = count / (before + count), both = before * share;
    if (with_g) {
        SIMD()
        for (Py_ssize_t j = 0; j < width; j++) {
            double apart = from[j] - into[j], shift = apart * share, g = from[2 * stride + j];
            into[3 * step + j] += from[3 * stride + j] - shift * into[2 * step + j] + (apart - shift) * g;
            into[2 * step + j] += g;
        }
    }
    SIMD()
    for (Py_ssize_t j = 0; j < width; j++) {
        double apart = from[j] - into[j];
        into[step + j] += from[stride + j] + apart * (apart * both);
        into[j] += apart * share;
    }
}

/* Of ABREAST columns, or fewer, and some rows: into four lines as of norm_columns_merge, PANEL numbers apart. */
static inline __attribute__((always_inline)) void NAME(norm_few)(const REAL *x, const REAL *g, Py_ssize_t step, Py_ssize_t rows,
                                                                 Py_ssize_t lanes, double *block)
{
    REAL mean[ABREAST] ALIGNED = {0}, left[ABREAST] ALIGNED = {0}, square[ABREAST] ALIGNED = {0};
    REAL sum_g[ABREAST] ALIGNED = {0}, gx[ABREAST] ALIGNED = {0};
    const double count = (double)rows;
    for (Py_ssize_t i = 0; i < rows; i++) {
        for (Py_ssize_t j = 0; j < lanes; j += 64 / sizeof(REAL)) {
            __builtin_prefetch(x + (i + rows) * step + j, 0, 2);
            if (g != NULL) __builtin_prefetch(g + (i + rows) * step + j, 0, 2);
        }
        SIMD()
        for (Py_ssize_t j = 0; j < lanes; j++) mean[j] += x[i * step + j];
    }
    for (Py_ssize_t j = 0; j < lanes; j++) mean[j] /= (REAL)count;
    for (Py_ssize_t i = 0; i < rows; i++) {
        if (g == NULL) {
            SIMD()
            for (Py_ssize_t j = 0; j < lanes; j++) {
                REAL d = x[i * step + j] - mean[j];
                left[j] += d;
                square[j] += d * d;
            }
        } else {
            SIMD()
            for (Py_ssize_t j = 0; j < lanes; j++) {
                REAL d = x[i * step + j] - mean[j], pull = g[i * step + j];
                left[j] += d;
                square[j] += d * d;
                sum_g[j] += pull;
                gx[j] += pull * d;
            }
        }
    }
    SIMD()
    for (Py_ssize_t j = 0; j < lanes; j++) {
        double shift = (double)left[j] / count;
        block[j] = mean[j] + shift;
        block[PANEL + j] = square[j] - shift * left[j];
        block[2 * PANEL + j] = sum_g[j];
        block[3 * PANEL + j] = gx[j] - shift * sum_g[j];
    }
}

static void NAME(norm_strip)(const REAL *x, const REAL *g, Py_ssize_t step, Py_ssize_t rows, Py_ssize_t lanes, double *block)
{
    if (lanes < ABREAST) NAME(norm_few)(x, g, step, rows, lanes, block);
    else if (g == NULL) NAME(norm_few)(x, NULL, step, rows, ABREAST, block);        /* which stays in registers */
    else NAME(norm_few)(x, g, step, rows, ABREAST, block);
}

static void NAME(norm_columns_share)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    Py_ssize_t step = job->channels, wide = shares_of(step, PANEL), lot = number / wide, column = number % wide * PANEL;
    Py_ssize_t first = lot * job->chunk, last = smaller(first + job->chunk, job->outer), width = smaller(PANEL, step - column);
    const REAL *x = (const REAL *)job->x + column, *g = job->g == NULL ? NULL : (const REAL *)job->g + column;
    double *lines = job->partial + lot * 4 * step + column, block[4 * PANEL];
    for (Py_ssize_t at = first; at < last; at += 16) {
        Py_ssize_t end = smaller(at + 16, last);
        double count = (double)(end - at);
        for (Py_ssize_t strip = 0; strip < width; strip += ABREAST) {
            Py_ssize_t lanes = smaller(ABREAST, width - strip);
            NAME(norm_strip)(x + at * step + strip, g == NULL ? NULL : g + at * step + strip, step, end - at, lanes, block + strip);
        }
        if (at == first)
            for (int k = 0; k < 4; k++) memcpy(lines + k * step, block + k * PANEL, (size_t)width * sizeof(double));
        else
            NAME(norm_columns_merge)(lines, step, block, PANEL, width, (double)(at - first), count, g != NULL);
    }
}

/* From the lots to the columns, and to the four numbers for each with which its elements are written (as in norm_write). */
static void NAME(norm_columns_join)(norm_job *job)
{
    Py_ssize_t channels = job->channels, lots = shares_of(job->outer, job->chunk);
    double *all = job->partial, n = (double)job->outer;
    const REAL *weight = job->weight, *bias = job->bias;
    REAL *mean = job->numbers, *scale = mean + channels, *offset = scale + channels, *along = offset + channels;
    for (Py_ssize_t lot = 1; lot < lots; lot++) {
        Py_ssize_t before = lot * job->chunk, count = smaller(job->chunk, job->outer - before);
        NAME(norm_columns_merge)(all, channels, all + lot * 4 * channels, channels, channels, (double)before, (double)count,
                                 job->g != NULL);
    }
    for (Py_ssize_t c = 0; c < channels; c++) {
        double variance = all[channels + c] / n, rstd = 1 / sqrt(variance + job->eps), factor = weight == NULL ? 1 : weight[c];
        mean[c] = (REAL)all[c];
        scale[c] = (REAL)(rstd * factor);
        if (job->mean != NULL) ((REAL *)job->mean)[c] = (REAL)all[c];
        if (job->variance != NULL) ((REAL *)job->variance)[c] = (REAL)variance;
        if (job->g == NULL) {
            offset[c] = bias == NULL ? 0 : bias[c];
            continue;
        }
        double g = all[2 * channels + c], gx = all[3 * channels + c];
        offset[c] = (REAL)(rstd * factor * g / n);
        along[c] = (REAL)(rstd * rstd * rstd * factor * gx / n);
        ((REAL *)job->dweight)[c] = (REAL)(gx * rstd);
        ((REAL *)job->dbias)[c] = (REAL)g;
    }
}

static void NAME(norm_columns_write)(void *given, Py_ssize_t number)
{
    const norm_job *job = given;
    Py_ssize_t step = job->channels, wide = shares_of(step, PANEL), column = number % wide * PANEL;
    Py_ssize_t first = number / wide * job->chunk, last = smaller(first + job->chunk, job->outer);
    Py_ssize_t width = smaller(PANEL, step - column);
    const REAL *mean = (const REAL *)job->numbers + column, *scale = mean + step, *offset = scale + step, *along = offset + step;
    for (Py_ssize_t row = first; row < last; row++) {
        const REAL *x = (const REAL *)job->x + row * step + column;
        REAL *out = (REAL *)job->out + row * step + column;
        if (job->g == NULL) {
            EACH_LINE(width, AHEAD(x) AHEAD(out), out[i] = (x[i] - mean[i]) * scale[i] + offset[i];)
        } else {
            const REAL *g = (const REAL *)job->g + row * step + column;
            EACH_LINE(width, AHEAD(x) AHEAD(g) AHEAD(out), out[i] = g[i] * scale[i] - (x[i] - mean[i]) * along[i] - offset[i];)
        }
    }
}
