/* Pooling for one target and float type. WORD, as wide as REAL, counts positions, so that vectors of both fit together. */
#define WORD NAME(word)
typedef __typeof__(__builtin_choose_expr(sizeof(REAL) == 4, (int32_t)0, (int64_t)0)) WORD;

/* One tap of the kernel at the places begin to end of a line: the larger one stays, and of NaN the last. */
static inline __attribute__((always_inline)) void NAME(tap)(const REAL *from, ptrdiff_t step, ptrdiff_t begin, ptrdiff_t end, WORD position,
                                                            REAL *best, WORD *at)
{
    for (ptrdiff_t j = begin; j < end; j++) {
        REAL v = from[j * step], old = best[j];
        int taken = (v > old) | (v != v);
        best[j] = taken ? v : old;
        if (at != NULL) at[j] = taken ? (WORD)(position + j * step) : at[j];
    }
}

static inline __attribute__((always_inline)) void NAME(tap_of_step)(const REAL *from, ptrdiff_t step, ptrdiff_t begin, ptrdiff_t end,
                                                                    WORD position, REAL *best, WORD *at)
{
    if (step == 1) NAME(tap)(from, 1, begin, end, position, best, at);      /* known steps become shuffles instead of single loads */
    else if (step == 2) NAME(tap)(from, 2, begin, end, position, best, at);
    else NAME(tap)(from, step, begin, end, position, best, at);
}

/* The first tap that is inside, along one dim. */
static inline ptrdiff_t NAME(first_inside)(ptrdiff_t start, ptrdiff_t dilation)
{
    return start >= 0 ? start : start + (-start + dilation - 1) / dilation * dilation;
}

/* The maxima of one plane; `at` is a line's worth of memory, or NULL. */
static void NAME(max_plane)(const job *j, const REAL *x, REAL *out, void *positions, WORD *at)
{
    const pooling *p = j->p;
    ptrdiff_t width = p->size[2], places = p->places[2], step = p->stride[2];
    for (ptrdiff_t line = 0; line < p->places[0] * p->places[1]; line++, out += places) {
        ptrdiff_t start[2] = {line / p->places[1] * p->stride[0] - p->padding[0], line % p->places[1] * p->stride[1] - p->padding[1]};
        ptrdiff_t first = (NAME(first_inside)(start[0], p->dilation[0]) * p->size[1] + NAME(first_inside)(start[1], p->dilation[1])) * width;
        for (ptrdiff_t k = 0; k < places; k++) out[k] = -(REAL)INFINITY;
        if (at != NULL)                                  /* where all are -inf it is the first */
            for (ptrdiff_t k = 0; k < places; k++)
                at[k] = (WORD)(first + NAME(first_inside)(k * step - p->padding[2], p->dilation[2]));
        for (ptrdiff_t a = 0; a < p->kernel[0]; a++) {
            ptrdiff_t d = start[0] + a * p->dilation[0];
            if (d < 0 || d >= p->size[0]) continue;
            for (ptrdiff_t b = 0; b < p->kernel[1]; b++) {
                ptrdiff_t h = start[1] + b * p->dilation[1], position = (d * p->size[1] + h) * width;
                if (h < 0 || h >= p->size[1]) continue;
                for (ptrdiff_t c = 0; c < p->kernel[2]; c++) {
                    ptrdiff_t shift = c * p->dilation[2] - p->padding[2];
                    ptrdiff_t begin = shift >= 0 ? 0 : (-shift + step - 1) / step, end = least(places, (width - shift + step - 1) / step);
                    if (at != NULL) NAME(tap_of_step)(x + position + shift, step, begin, end, (WORD)(position + shift), out, at);
                    else NAME(tap_of_step)(x + position + shift, step, begin, end, 0, out, NULL);
                }
            }
        }
        if (at == NULL) continue;
        if (j->long_places)
            for (ptrdiff_t k = 0; k < places; k++) ((int64_t *)positions)[line * places + k] = at[k];
        else
            for (ptrdiff_t k = 0; k < places; k++) ((int32_t *)positions)[line * places + k] = (int32_t)at[k];
    }
}

/* The last NaN among n elements. */
static int NAME(last_lost)(const REAL *x, ptrdiff_t n, ptrdiff_t *where)
{
    ptrdiff_t at = n - 1;
    while (at >= 0 && x[at] == x[at]) at--;
    *where = at;
    return at >= 0;
}

/* The largest of n elements against `best`: whether it is larger, and then where it is; of NaN the last. */
static inline __attribute__((always_inline)) int NAME(largest)(const REAL *x, ptrdiff_t n, REAL *best, ptrdiff_t *where)
{
    REAL most_yet = *best;
    int lost = 0;
    ptrdiff_t found = -1;
    if (n < 2 * (ptrdiff_t)LANES) {
        for (ptrdiff_t i = 0; i < n; i++)
            if (x[i] > most_yet || x[i] != x[i]) most_yet = x[i], found = i;
    } else {
#pragma omp simd reduction(max:most_yet) reduction(|:lost)
        for (ptrdiff_t i = 0; i < n; i++) {
            most_yet = x[i] > most_yet ? x[i] : most_yet;
            lost |= x[i] != x[i];
        }
        if (lost) {
            for (found = n - 1; x[found] == x[found];) found--;
            most_yet = x[found];
        } else if (most_yet > *best) {
            ptrdiff_t block = 0;
            for (int here = 0; ; block += 2 * LANES) {     /* the first block that has it, then the element */
                ptrdiff_t end = least(block + 2 * (ptrdiff_t)LANES, n);
#pragma omp simd reduction(|:here)
                for (ptrdiff_t i = block; i < end; i++) here |= x[i] == most_yet;
                if (here) break;
            }
            for (found = block; x[found] != most_yet;) found++;
        }
    }
    *best = most_yet;
    *where = found;
    return found >= 0;
}

/* The maxima of one plane's bins, which may overlap. */
static void NAME(max_of_bins)(const job *j, bin *const *bins, const REAL *x, REAL *out, void *positions)
{
    const pooling *p = j->p;
    ptrdiff_t k = 0;
    for (const bin *a = bins[0]; a < bins[0] + p->places[0]; a++)
        for (const bin *b = bins[1]; b < bins[1] + p->places[1]; b++)
            for (const bin *c = bins[2]; c < bins[2] + p->places[2]; c++, k++) {
                ptrdiff_t at = (a->begin * p->size[1] + b->begin) * p->size[2] + c->begin, found;
                REAL best = -(REAL)INFINITY;
                for (ptrdiff_t z = a->begin; z < a->end; z++)
                    for (ptrdiff_t h = b->begin; h < b->end; h++) {
                        ptrdiff_t line = (z * p->size[1] + h) * p->size[2] + c->begin;
                        /* A NaN is only left for another one. */
                        if (best == best ? NAME(largest)(x + line, c->end - c->begin, &best, &found)
                                         : NAME(last_lost)(x + line, c->end - c->begin, &found)) at = line + found;
                    }
                out[k] = best;
                if (positions == NULL) continue;
                if (j->long_places) ((int64_t *)positions)[k] = at;
                else ((int32_t *)positions)[k] = (int32_t)at;
            }
}

/* Where windows begin that numbers in [0, 1), one for each dim of each plane, place between the edges, in PyTorch's rounding. */
static void NAME(draw_bins)(const job *j, ptrdiff_t plane, bin **bins)
{
    const pooling *p = j->p;
    for (int d = 3 - j->dims; d < 3; d++) {
        /* Of volumes the first number is for the first dim, of images for the last. */
        ptrdiff_t span = p->size[d] - p->kernel[d], places = p->places[d], which = j->dims == 3 ? d : 2 - d;
        REAL sample = ((const REAL *)j->samples)[plane * j->dims + which];
        REAL step = places > 1 ? (REAL)((double)span / (double)(places - 1)) : 0;
        ptrdiff_t first = (ptrdiff_t)(sample * step);
        for (ptrdiff_t i = 0; i < places; i++) {
            ptrdiff_t begin = i < places - 1 ? (ptrdiff_t)(((REAL)i + sample) * step) - first : span;
            begin = most(0, least(begin, span));
            bins[d][i] = (bin){begin, begin + p->kernel[d], p->kernel[d]};
        }
    }
}

static void NAME(max_share)(void *given, Py_ssize_t number)
{
    job *j = given;
    ptrdiff_t begin = number * j->planes_each, end = least(begin + j->planes_each, j->p->planes);
    WORD few[FEW_COLUMNS], *at = j->at == NULL ? NULL : j->p->places[2] > FEW_COLUMNS ? malloc((size_t)j->p->places[2] * sizeof(WORD)) : few;
    if (j->at != NULL && at == NULL) j->failed = -1;
    else if (j->bins[0] != NULL)
        for (ptrdiff_t n = begin; n < end; n++)
            NAME(max_of_bins)(j, j->bins, (const REAL *)j->x + n * j->area, (REAL *)j->out + n * j->outputs,
                              j->at == NULL ? NULL : (char *)j->at + (size_t)(n * j->outputs) * (j->long_places ? 8 : 4));
    else
        for (ptrdiff_t n = begin; n < end; n++)
            NAME(max_plane)(j, (const REAL *)j->x + n * j->area, (REAL *)j->out + n * j->outputs,
                            j->at == NULL ? NULL : (char *)j->at + (size_t)(n * j->outputs) * (j->long_places ? 8 : 4), at);
    if (at != few) free(at);
}

/* The same of windows at drawn places: each plane has its own. */
static void NAME(max_drawn_share)(void *given, Py_ssize_t number)
{
    job *j = given;
    const ptrdiff_t *places = j->p->places;
    ptrdiff_t begin = number * j->planes_each, end = least(begin + j->planes_each, j->p->planes);
    bin *bins[3] = {malloc((size_t)(places[0] + places[1] + places[2]) * sizeof(bin))};
    if (bins[0] == NULL) {
        j->failed = -1;
        return;
    }
    for (int d = 0; d < 3; d++) {
        if (d > 0) bins[d] = bins[d - 1] + places[d - 1];
        bins[d][0] = (bin){0, 1, 1};                     /* of dims that there are not */
    }
    for (ptrdiff_t n = begin; n < end; n++) {
        NAME(draw_bins)(j, n, bins);
        NAME(max_of_bins)(j, bins, (const REAL *)j->x + n * j->area, (REAL *)j->out + n * j->outputs,
                          (int64_t *)j->at + n * j->outputs);
    }
    free(bins[0]);
}

static void NAME(scatter_share)(void *given, Py_ssize_t number)
{
    job *j = given;
    ptrdiff_t begin = number * j->planes_each, end = least(begin + j->planes_each, j->p->planes);
    for (ptrdiff_t n = begin; n < end; n++) {
        const REAL *g = (const REAL *)j->x + n * j->outputs;
        REAL *out = (REAL *)j->out + n * j->area;
        memset(out, 0, (size_t)j->area * sizeof(REAL));
        for (ptrdiff_t k = 0; k < j->outputs; k++) {
            int64_t at = j->long_places ? ((const int64_t *)j->at)[n * j->outputs + k] : ((const int32_t *)j->at)[n * j->outputs + k];
            if (at < 0 || at >= j->area) j->failed = 1;
            else out[at] = j->replaces ? g[k] : out[at] + g[k];
        }
    }
}

/* Means: lines of a window are added up to one line, and that in bins; the adjoint goes the other way. */
static void NAME(mean_share)(void *given, Py_ssize_t number)
{
    job *j = given;
    const pooling *p = j->p;
    ptrdiff_t width = p->size[2], begin = number * j->planes_each, end = least(begin + j->planes_each, p->planes);
    REAL few[FEW_COLUMNS], *sum = width > FEW_COLUMNS ? malloc((size_t)width * sizeof(REAL)) : few, *out = (REAL *)j->out + begin * j->outputs;
    if (sum == NULL) j->failed = -1;
    else
        for (ptrdiff_t n = begin; n < end; n++)
            for (ptrdiff_t line = 0; line < p->places[0] * p->places[1]; line++, out += p->places[2]) {
                const bin *a = &j->bins[0][line / p->places[1]], *b = &j->bins[1][line % p->places[1]];
                const REAL *plane = (const REAL *)j->x + n * j->area;
                if (width < (ptrdiff_t)LANES)            /* a short line: column by column, in the same order */
                    for (ptrdiff_t w = 0; w < width; w++) {
                        REAL s = 0;
                        for (ptrdiff_t d = a->begin; d < a->end; d++)
                            for (ptrdiff_t h = b->begin; h < b->end; h++) s += plane[(d * p->size[1] + h) * width + w];
                        sum[w] = s;
                    }
                else {
                    memset(sum, 0, (size_t)width * sizeof(REAL));
                    for (ptrdiff_t d = a->begin; d < a->end; d++)
                        for (ptrdiff_t h = b->begin; h < b->end; h++) {
                            const REAL *x = plane + (d * p->size[1] + h) * width;
                            for (ptrdiff_t w = 0; w < width; w++) sum[w] += x[w];
                        }
                }
                for (ptrdiff_t k = 0; k < p->places[2]; k++) {
                    const bin *c = &j->bins[2][k];
                    REAL s = 0;
                    for (ptrdiff_t w = c->begin; w < c->end; w++) s += sum[w];
                    out[k] = s / (REAL)(p->divisor != 0 ? p->divisor : (double)(a->count * b->count * c->count));
                }
            }
    if (sum != few) free(sum);
}

static void NAME(mean_adjoint_share)(void *given, Py_ssize_t number)
{
    job *j = given;
    const pooling *p = j->p;
    ptrdiff_t width = p->size[2], begin = number * j->planes_each, end = least(begin + j->planes_each, p->planes);
    const REAL *g = (const REAL *)j->x + begin * j->outputs;
    REAL few[FEW_COLUMNS], *part = width > FEW_COLUMNS ? malloc((size_t)width * sizeof(REAL)) : few;
    if (part == NULL) j->failed = -1;
    else
        for (ptrdiff_t n = begin; n < end; n++) {
            REAL *out = (REAL *)j->out + n * j->area;
            memset(out, 0, (size_t)j->area * sizeof(REAL));
            for (ptrdiff_t line = 0; line < p->places[0] * p->places[1]; line++, g += p->places[2]) {
                const bin *a = &j->bins[0][line / p->places[1]], *b = &j->bins[1][line % p->places[1]];
                memset(part, 0, (size_t)width * sizeof(REAL));
                for (ptrdiff_t k = 0; k < p->places[2]; k++) {
                    const bin *c = &j->bins[2][k];
                    REAL v = g[k] / (REAL)(p->divisor != 0 ? p->divisor : (double)(a->count * b->count * c->count));
                    for (ptrdiff_t w = c->begin; w < c->end; w++) part[w] += v;
                }
                for (ptrdiff_t d = a->begin; d < a->end; d++)
                    for (ptrdiff_t h = b->begin; h < b->end; h++) {
                        REAL *to = out + (d * p->size[1] + h) * width;
                        for (ptrdiff_t w = 0; w < width; w++) to[w] += part[w];
                    }
            }
        }
    if (part != few) free(part);
}
#undef WORD
