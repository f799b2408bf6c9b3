/* Gradients of a convolution's weights for one target and float type: what each pair of channels and tap has seen together. */
#if BROAD
#define LINES 6
#define VECTORS 4
#include "convolution_sums_tile.h"
#undef LINES
#undef VECTORS
#define LINES 12
#define VECTORS 1
#include "convolution_sums_tile.h"
#undef LINES
#undef VECTORS
static const sums_kind NAME(sums_tiles)[] = {{NAME(GLUE(sums, 6, 4)), 6, 4 * LANES}, {NAME(GLUE(sums, 12, 1)), 12, LANES}};
#else
#define LINES 3
#define VECTORS 4
#include "convolution_sums_tile.h"
#undef LINES
#undef VECTORS
#define LINES 6
#define VECTORS 1
#include "convolution_sums_tile.h"
#undef LINES
#undef VECTORS
static const sums_kind NAME(sums_tiles)[] = {{NAME(GLUE(sums, 3, 4)), 3, 4 * LANES}, {NAME(GLUE(sums, 6, 1)), 6, LANES}};
#endif

/* Of the gradient, the channels from `first` on, `channels` of them, turned so that they lie beside each other: a run of places. */
static void NAME(turn)(const REAL *from, ptrdiff_t channel_stride, ptrdiff_t place_stride, ptrdiff_t channels, ptrdiff_t count,
                       ptrdiff_t width, REAL *to)
{
    if (place_stride == 1) {
        NAME(turn_matrix)(from, channel_stride, channels, count, to, width);
        return;
    }
    for (ptrdiff_t o = 0; o < channels; o += 16) {       /* sixteen lines are read side by side: more would not stay in the cache */
        ptrdiff_t some = least(16, channels - o);
        const REAL *line = from + o * channel_stride;
        for (ptrdiff_t k = 0; k < count; k++) {
            if (some == 16)
                for (ptrdiff_t i = 0; i < 16; i++) to[k * width + o + i] = line[i * channel_stride + k * place_stride];
            else
                for (ptrdiff_t i = 0; i < some; i++) to[k * width + o + i] = line[i * channel_stride + k * place_stride];
        }
    }
}

/* One band of output channels over one unit, whose packed images these are: what each of its places has seen, into `total`. */
static void NAME(sums_of_band)(const job *j, const unit *u, const REAL *image, ptrdiff_t channel, ptrdiff_t channels, REAL *turned, REAL *total)
{
    const sums_kind *tile = &NAME(sums_tiles)[j->tile];
    const images *g = &j->y;
    run runs[RUNS];
    ptrdiff_t count = 0, places = 0, end[DIMS], n = 0, at[DIMS] = {0, 0, 0};
    for (int d = 0; d < DIMS; d++) end[d] = d == j->along ? u->end : j->axes[d].positions;
    at[j->along] = u->begin;
    while (n < u->images) {                              /* a run is what is left of a line, and of the space for turned places */
        run *r = &runs[count++];
        ptrdiff_t packed = n * j->pitch[1];
        for (int d = 0; d < DIMS; d++) packed += (at[d] - (d == j->along ? u->begin : 0)) * j->pitch[2 + d];
        r->at = packed;
        r->count = least(end[2] - at[2], PLACES - places);
        const REAL *line = (const REAL *)g->data + (u->image + n) * g->stride[0] + channel * g->stride[1] + at[0] * g->stride[2]
                           + at[1] * g->stride[3] + at[2] * g->stride[4];
        NAME(turn)(line, g->stride[1], g->stride[4], channels, r->count, j->columns, turned + places * j->columns);
        places += r->count;
        at[2] += r->count;
        for (int d = 2; d > 0 && at[d] == end[d]; d--) {
            at[d] = d == j->along ? u->begin : 0;
            at[d - 1]++;
        }
        if (at[0] == end[0]) {
            at[0] = j->along == 0 ? u->begin : 0;
            n++;
        }
        if (count == RUNS || places == PLACES || n == u->images) {
            for (ptrdiff_t l = 0; l < j->rows; l += tile->lines)
                tile->run(image, j->offsets + l, runs, count, turned, total + l * j->columns);
            count = places = 0;
        }
    }
}

/* The sums of some bands of a group over one chunk of the units, in `partial`. */
static void NAME(sums_unit)(void *given, Py_ssize_t number)
{
    job *j = given;
    ptrdiff_t parts = pieces_of(j->bands, j->bands_each), chunk = number % j->chunks, part = number / j->chunks % parts;
    ptrdiff_t group = number / j->chunks / parts, first = part * j->bands_each, last = least(first + j->bands_each, j->bands);
    REAL *image = NAME(memory)(j->inputs * j->pitch[0] + j->step);
    REAL *turned = NAME(memory)(PLACES * j->columns);
    if (image == NULL || turned == NULL) j->failed = SHORT_OF_MEMORY;
    else {
        ptrdiff_t size = j->rows * j->columns;
        REAL *total = (REAL *)j->partial + (group * j->bands * j->chunks + chunk) * size;    /* of band 0: the chunks of one lie side by side */
        for (ptrdiff_t b = first; b < last; b++) memset(total + b * j->chunks * size, 0, (size_t)size * sizeof(REAL));
        memset(turned, 0, (size_t)(PLACES * j->columns) * sizeof(REAL));
        for (ptrdiff_t i = chunk * j->units / j->chunks; i < (chunk + 1) * j->units / j->chunks; i++) {
            unit u = unit_at(j, i);
            NAME(pack_images)(j, &u, group * j->inputs, j->inputs, image);
            for (ptrdiff_t b = first; b < last; b++)
                NAME(sums_of_band)(j, &u, image, group * j->outputs + b * j->columns, least(j->outputs - b * j->columns, j->columns), turned,
                                   total + b * j->chunks * size);
        }
    }
    free(image);
    free(turned);
}

/* The chunks' sums of one band of one group added up, in their order, and written to where the weights lie. */
static void NAME(sums_end)(void *given, Py_ssize_t number)
{
    const job *j = given;
    ptrdiff_t band = number % j->bands, group = number / j->bands, size = j->rows * j->columns, pairs = j->inputs * j->taps;
    REAL *total = (REAL *)j->partial + number * j->chunks * size;
    for (ptrdiff_t c = 1; c < j->chunks; c++)
        for (ptrdiff_t i = 0; i < size; i++) total[i] += total[c * size + i];
    ptrdiff_t first = group * j->outputs + band * j->columns;
    NAME(turn_matrix)(total, j->columns, pairs, least(j->columns, j->outputs - band * j->columns), (REAL *)j->weight.data + first * pairs, pairs);
}

/* Where a group has few outputs, as in a depthwise convolution: lanes are places instead. One group's sums over one chunk. */
static void NAME(few_sums_unit)(void *given, Py_ssize_t number)
{
    enum { AT_ONCE = BROAD ? 9 : 6 };
    job *j = given;
    ptrdiff_t chunk = number % j->chunks, group = number / j->chunks, pairs = j->inputs * j->taps, length = j->slot + LANES;
    double *total = (double *)j->partial + number * j->outputs * pairs;
    REAL *image = NAME(memory)(j->inputs * j->pitch[0] + j->step);
    REAL *grad = NAME(memory)(length);
    memset(total, 0, (size_t)(j->outputs * pairs) * sizeof(double));
    if (image == NULL || grad == NULL) j->failed = SHORT_OF_MEMORY;
    else
        for (ptrdiff_t i = chunk * j->units / j->chunks; i < (chunk + 1) * j->units / j->chunks; i++) {
            unit u = unit_at(j, i);
            ptrdiff_t end[DIMS], begin[DIMS] = {0, 0, 0}, last = (u.images - 1) * j->pitch[1] + 1;
            const images *g = &j->y;
            NAME(pack_images)(j, &u, group * j->inputs, j->inputs, image);
            begin[j->along] = u.begin;
            for (int d = 0; d < DIMS; d++) {
                end[d] = d == j->along ? u.end - u.begin : j->axes[d].positions;
                last += (end[d] - 1) * j->pitch[2 + d];
            }
            for (ptrdiff_t o = 0; o < j->outputs; o++) {
                memset(grad, 0, (size_t)(last + LANES) * sizeof(REAL));
#define LINES_OF_THE_UNIT \
    for (ptrdiff_t n = 0; n < u.images; n++) \
        for (ptrdiff_t d = 0; d < end[0]; d++) \
            for (ptrdiff_t h = 0; h < end[1]; h++)
                LINES_OF_THE_UNIT {
                    const REAL *line = (const REAL *)g->data + (u.image + n) * g->stride[0] + (group * j->outputs + o) * g->stride[1]
                                       + (begin[0] + d) * g->stride[2] + (begin[1] + h) * g->stride[3] + begin[2] * g->stride[4];
                    REAL *to = grad + n * j->pitch[1] + d * j->pitch[2] + h * j->pitch[3];
                    if (g->stride[4] == 1) memcpy(to, line, (size_t)end[2] * sizeof(REAL));
                    else
                        for (ptrdiff_t k = 0; k < end[2]; k++) to[k] = line[k * g->stride[4]];
                }
                for (ptrdiff_t l = 0; l < pairs; l += AT_ONCE) {
                    ptrdiff_t some = least(AT_ONCE, pairs - l);
                    VECTOR sum[AT_ONCE] = {0};
                    const REAL *p[AT_ONCE];
                    for (int i = 0; i < AT_ONCE; i++) p[i] = image + j->offsets[l + least(i, some - 1)];
                    for (ptrdiff_t q = 0; q < last; q += LANES) {
                        VECTOR in = *(const VECTOR *)(grad + q);
#pragma GCC unroll 9
                        for (int i = 0; i < AT_ONCE; i++) sum[i] += in * *(const VECTOR *)(p[i] + q);
                    }
                    for (int i = 0; i < some; i++) {
                        double s = 0;
                        for (int k = 0; k < LANES; k++) s += sum[i][k];
                        if (!(s - s == 0)) {             /* the zeros between lines times an infinity: without them */
                            s = 0;
                            LINES_OF_THE_UNIT {
                                ptrdiff_t line = n * j->pitch[1] + d * j->pitch[2] + h * j->pitch[3];
                                for (ptrdiff_t k = 0; k < end[2]; k++) s += (double)grad[line + k] * p[i][line + k];
                            }
                        }
                        total[o * pairs + l + i] += s;
                    }
                }
            }
        }
    free(image);
    free(grad);
}
#undef LINES_OF_THE_UNIT

static void NAME(few_sums_end)(void *given, Py_ssize_t group)
{
    const job *j = given;
    ptrdiff_t size = j->outputs * j->inputs * j->taps;
    const double *total = (const double *)j->partial + group * j->chunks * size;
    for (ptrdiff_t i = 0; i < size; i++) {
        double s = 0;
        for (ptrdiff_t c = 0; c < j->chunks; c++) s += total[c * size + i];
        ((REAL *)j->weight.data)[group * size + i] = (REAL)s;
    }
}
