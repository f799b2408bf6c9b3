/* Convolution for one target and float type: images packed, tiles run over them, results written where they belong. */
#include "turn.h"

#if BROAD
#define MOST 8
#define FEWER 4
#else
#define MOST 4
#define FEWER 2
#endif
#define CHANNELS MOST
#define VECTORS 1
#include "convolution_tile.h"
#define VECTORS 2
#include "convolution_tile.h"
#define VECTORS 3
#include "convolution_tile.h"
#undef CHANNELS
#define CHANNELS FEWER
#define VECTORS 1
#include "convolution_tile.h"
#define VECTORS 2
#include "convolution_tile.h"
#define VECTORS 3
#include "convolution_tile.h"
#define VECTORS 4
#include "convolution_tile.h"
#undef CHANNELS
#define CHANNELS 1
#define VECTORS 1
#include "convolution_tile.h"
#define VECTORS 2
#include "convolution_tile.h"
#define VECTORS 3
#include "convolution_tile.h"
#define VECTORS 4
#include "convolution_tile.h"
#undef CHANNELS
#define TILES(channels) NAME(GLUE(tile, channels, 1)), NAME(GLUE(tile, channels, 2)), NAME(GLUE(tile, channels, 3))
static const tile_kind NAME(tiles)[] = {
    {{TILES(MOST)}, MOST, 3, LANES},
    {{TILES(FEWER), NAME(GLUE(tile, FEWER, 4))}, FEWER, 4, LANES},
    {{TILES(1), NAME(GLUE(tile, 1, 4))}, 1, 4, LANES}};
#undef TILES
#undef MOST
#undef FEWER

static REAL *NAME(memory)(ptrdiff_t count)
{
    return aligned_alloc(64, ((size_t)count * sizeof(REAL) + 63) & ~(size_t)63);
}

/* to[k] = from[k * step], for k < count. A call costs more than a short line, and numbers that lie side by side go some at a time. */
static inline void NAME(copy_line)(const REAL *restrict from, ptrdiff_t step, ptrdiff_t count, REAL *restrict to)
{
    ptrdiff_t k = 0;
    if (step == 1) {
        for (; k + LANES <= count; k += LANES) *(VECTOR *)(to + k) = *(const VECTOR *)(from + k);
        for (; k + 4 <= count; k += 4) memcpy(to + k, from + k, 4 * sizeof(REAL));
        for (; k < count; k++) to[k] = from[k];
    } else {
#ifndef __clang__                                        /* which makes shuffles of the loop below by itself */
        typedef INTEGER places __attribute__((vector_size(BYTES)));
        places every_other;                              /* of two vectors, the second beginning one earlier than it might */
        for (int l = 0; l < LANES; l++) every_other[l] = l < LANES / 2 ? 2 * l : 2 * l + 1;
        for (; step == 2 && k + LANES <= count; k += LANES)
            *(VECTOR *)(to + k) = __builtin_shuffle(*(const VECTOR *)(from + 2 * k), *(const VECTOR *)(from + 2 * k + LANES - 1), every_other);
#endif
        for (; k + 4 <= count; k += 4) {                 /* by hand: of a plain loop the compiler makes gathers, which are slow */
            const REAL *four = from + k * step;
            to[k] = four[0], to[k + 1] = four[step], to[k + 2] = four[2 * step], to[k + 3] = four[3 * step];
        }
        for (; k < count; k++) to[k] = from[k * step];
    }
}

/* The channels first, first + 1, ... of a unit's images into a buffer that is zero, phase by phase, plane by plane, line by line. */
static void NAME(pack_images)(const job *j, const unit *u, ptrdiff_t first, ptrdiff_t channels, REAL *to)
{
    const images *x = &j->x;
    memset(to, 0, (size_t)(channels * j->pitch[0] + j->step) * sizeof(REAL));
    for (ptrdiff_t p = 0; p < j->axes[0].phases * j->axes[1].phases * j->axes[2].phases; p++) {
        ptrdiff_t phase[DIMS] = {p / j->axes[2].phases / j->axes[1].phases, p / j->axes[2].phases % j->axes[1].phases, p % j->axes[2].phases};
        ptrdiff_t begin[DIMS], end[DIMS], step[DIMS], from = 0, into = p * j->slot;    /* the places that show a pixel */
        for (int d = 0; d < DIMS; d++) {
            const axis *a = &j->axes[d];
            ptrdiff_t along = d == j->along, count = (along ? u->end - u->begin : a->positions) + a->reach;
            ptrdiff_t pixel = phase[d] + a->origin + (along ? a->step * u->begin : 0);    /* of place 0 */
            begin[d] = pixel >= 0 ? 0 : pieces_of(-pixel, a->step);
            end[d] = least(count, floor_of(x->size[2 + d] - 1 - pixel, a->step) + 1);
            step[d] = a->step * x->stride[2 + d];
            from += pixel * x->stride[2 + d] + begin[d] * step[d];
            into += begin[d] * j->pitch[2 + d];
        }
        if (begin[2] >= end[2]) continue;
        for (ptrdiff_t c = 0; c < channels; c++)
            for (ptrdiff_t n = 0; n < u->images; n++) {
                const REAL *image = (const REAL *)x->data + (u->image + n) * x->stride[0] + (first + c) * x->stride[1] + from;
                REAL *packed = to + c * j->pitch[0] + n * j->pitch[1] + into;
                for (ptrdiff_t d = 0; d < end[0] - begin[0]; d++)
                    for (ptrdiff_t h = 0; h < end[1] - begin[1]; h++)
                        NAME(copy_line)(image + d * step[0] + h * step[1], step[2], end[2] - begin[2],
                                        packed + d * j->pitch[2] + h * j->pitch[3]);
            }
    }
}

/* The results of `channels` channels from `first` on, from where tiles left them to where they belong, with the bias. */
static void NAME(write_out)(const job *j, const pass *p, const unit *u, ptrdiff_t first, ptrdiff_t channels, const REAL *from, ptrdiff_t pitch)
{
    const images *y = &j->y;
    ptrdiff_t begin[DIMS], end[DIMS], at[DIMS];          /* the positions to be written, and where position 0 would be */
    for (int d = 0; d < DIMS; d++) {
        const axis *a = &j->axes[d];
        ptrdiff_t start = d == j->along ? u->begin : 0, count = d == j->along ? u->end - u->begin : a->positions;
        at[d] = a->out_step * start + p->phase[d] + a->out_origin;
        begin[d] = at[d] >= 0 ? 0 : pieces_of(-at[d], a->out_step);
        end[d] = least(count, floor_of(y->size[2 + d] - 1 - at[d], a->out_step) + 1);
    }
    ptrdiff_t step = j->axes[2].out_step;
    for (ptrdiff_t o = 0; o < channels; o++) {
        REAL bias = j->bias == NULL ? 0 : ((const REAL *)j->bias)[first + o];
        for (ptrdiff_t n = 0; n < u->images; n++)
            for (ptrdiff_t d = begin[0]; d < end[0]; d++)
                for (ptrdiff_t h = begin[1]; h < end[1]; h++) {
                    const REAL *row = from + o * pitch + n * j->result_pitch[1] + d * j->result_pitch[2] + h * j->result_pitch[3];
                    REAL *to = (REAL *)y->data + (u->image + n) * y->stride[0] + (first + o) * y->stride[1]
                               + (j->axes[0].out_step * d + at[0]) * y->stride[2] + (j->axes[1].out_step * h + at[1]) * y->stride[3] + at[2];
                    if (step == 1)
                        for (ptrdiff_t k = begin[2]; k < end[2]; k++) to[k] = row[k] + bias;
                    else
                        for (ptrdiff_t k = begin[2]; k < end[2]; k++) to[k * step] = row[k] + bias;
                }
    }
}

/* The weights of one block of output channels, term by term; zeros beyond the last channel. */
static void NAME(pack_weights)(void *given, Py_ssize_t number)
{
    job *j = given;
    ptrdiff_t blocks = pieces_of(j->outputs, j->channels), group = number / blocks, block = number % blocks;
    ptrdiff_t in = j->weight.stride[j->input_dim], out = j->weight.stride[j->output_dim];
    ptrdiff_t count = least(j->channels, j->outputs - block * j->channels);
    const REAL *from = (const REAL *)j->weight.data + group_at(j, group) + block * j->channels * out;
    for (ptrdiff_t p = 0; p < j->pass_count; p++) {
        const pass *one = &j->passes[p];
        REAL *to = (REAL *)j->packed + group * j->packed_group + one->weights + block * one->taps * j->inputs * j->channels;
        const ptrdiff_t *taps = j->weight_at + one->first_offset / j->inputs;
        int in_order = 1;                                /* taps lie side by side, and so may the inputs */
        for (ptrdiff_t t = 1; t < one->taps; t++) in_order &= taps[t] == taps[0] + t;
        ptrdiff_t at_once = in_order && in == one->taps ? j->inputs : 1;
        for (ptrdiff_t c = 0; c < j->inputs; c += at_once, to += at_once * one->taps * j->channels) {
            if (count < j->channels) memset(to, 0, (size_t)(at_once * one->taps * j->channels) * sizeof(REAL));
            if (in_order && one->taps > 0) NAME(turn_matrix)(from + c * in + taps[0], out, count, at_once * one->taps, to, j->channels);
            else for (ptrdiff_t o = 0; o < count; o++)
                for (ptrdiff_t t = 0; t < one->taps; t++) to[t * j->channels + o] = from[c * in + o * out + taps[t]];
        }
    }
}

/* Where in a packed channel each line of a unit's results begins to read. */
static ptrdiff_t NAME(list_lines)(const job *j, const unit *u, int32_t *lines)
{
    ptrdiff_t count = 0, end[DIMS];
    for (int d = 0; d < DIMS; d++) end[d] = d == j->along ? u->end - u->begin : j->axes[d].positions;
    for (ptrdiff_t n = 0; n < u->images; n++)
        for (ptrdiff_t d = 0; d < end[0]; d++)
            for (ptrdiff_t h = 0; h < end[1]; h++) lines[count++] = (int32_t)(n * j->pitch[1] + d * j->pitch[2] + h * j->pitch[3]);
    return count;
}

/* What the tiles read for one piece of terms, line after line, `some` numbers at a time: the next line covers what was too much. */
static inline __attribute__((always_inline)) void NAME(gather_by)(ptrdiff_t some, const REAL *image, const ptrdiff_t *offsets, ptrdiff_t terms,
                                                                 const int32_t *lines, ptrdiff_t count, ptrdiff_t length, REAL *to,
                                                                 ptrdiff_t pitch)
{
    for (ptrdiff_t t = 0; t < terms; t++)
        for (ptrdiff_t l = 0; l < count; l++) {
            const REAL *from = image + offsets[t] + lines[l];
            REAL *line = to + t * pitch + l * length;
            for (ptrdiff_t k = 0; k < length; k += some) memcpy(line + k, from + k, (size_t)some * sizeof(REAL));
        }
}

static void NAME(gather)(const REAL *image, const ptrdiff_t *offsets, ptrdiff_t terms, const int32_t *lines, ptrdiff_t count, ptrdiff_t length,
                         REAL *to, ptrdiff_t pitch)
{
    if (length <= 4) NAME(gather_by)(4, image, offsets, terms, lines, count, length, to, pitch);
    else if (length <= 8) NAME(gather_by)(8, image, offsets, terms, lines, count, length, to, pitch);
    else NAME(gather_by)(16, image, offsets, terms, lines, count, length, to, pitch);
}

/* Of a unit: its packed images, what is gathered of them, and the results of `count` places, at this pitch. */
typedef struct {
    REAL *image, *gathered, *flat;
    int32_t *lines;
    ptrdiff_t line_count, line_length, count, pitch;
} NAME(desk);

/* All terms of one pass, for the blocks first to last of a group. What tiles read stays in the L1 cache, and weights pass by. */
static void NAME(run_tiles)(const job *j, const pass *one, ptrdiff_t group, const NAME(desk) *desk, ptrdiff_t first, ptrdiff_t last)
{
    const tile_kind *tile = &NAME(tiles)[j->tile];
    ptrdiff_t terms = one->taps * j->inputs, pitch = desk->pitch, own_offsets[PIECE];
    if (terms == 0) memset(desk->flat, 0, (size_t)((last - first) * tile->channels * pitch) * sizeof(REAL));
    for (ptrdiff_t t = 0; t < PIECE; t++) own_offsets[t] = t * pitch;
    ptrdiff_t out = j->weight.stride[j->output_dim];
    for (ptrdiff_t t = 0; t < terms; t += PIECE) {
        const ptrdiff_t *offsets = j->offsets + one->first_offset + t, *weight_of = j->weight_of + one->first_offset + t;
        ptrdiff_t some = least(PIECE, terms - t), vectors;
        if (desk->gathered)
            NAME(gather)(desk->image, offsets, some, desk->lines, desk->line_count, desk->line_length, desk->gathered, pitch);
        for (ptrdiff_t q = 0; q < desk->count; q += vectors * LANES) {
            vectors = least(tile->vectors, pieces_of(desk->count - q, LANES));
            for (ptrdiff_t b = first; b < last; b++) {
                const REAL *weights = j->packed == NULL
                    ? (const REAL *)j->weight.data + group_at(j, group) + b * tile->channels * out
                    : (const REAL *)j->packed + group * j->packed_group + one->weights + (b * terms + t) * tile->channels;
                tile->run[vectors - 1]((desk->gathered ? desk->gathered : desk->image) + q, desk->gathered ? own_offsets : offsets,
                                       weights, j->packed == NULL ? weight_of : NULL, out, some,
                                       desk->flat + (b - first) * tile->channels * pitch + q, pitch, t > 0);
            }
        }
    }
}

/* Whether all are finite: the sum of what each lacks to itself is 0 then. */
static int NAME(all_finite)(const REAL *from, ptrdiff_t count)
{
    VECTOR sum = {0};
    for (ptrdiff_t i = 0; i < count; i += LANES) sum += *(const VECTOR *)(from + i) - *(const VECTOR *)(from + i);
    for (int l = 0; l < LANES; l++)
        if (!(sum[l] == 0)) return 0;
    return 1;
}

/* One unit of images, for some of the groups, and of the output channels of a group some blocks. */
static void NAME(convolve_unit)(void *given, Py_ssize_t number)
{
    job *j = given;
    unit u = unit_at(j, number % j->units);
    ptrdiff_t part = number / j->units, block_part = part % j->block_parts, group_part = part / j->block_parts;
    ptrdiff_t blocks = pieces_of(j->outputs, j->channels);
    ptrdiff_t first_block = block_part * blocks / j->block_parts, last_block = (block_part + 1) * blocks / j->block_parts;
    ptrdiff_t last = (u.images - 1) * j->result_pitch[1] + 1;    /* beyond the last position that is computed */
    for (int d = 0; d < DIMS; d++) last += ((d == j->along ? u.end - u.begin : j->axes[d].positions) - 1) * j->result_pitch[2 + d];
    ptrdiff_t pitch = (pieces_of(last, LANES) | 1) * LANES;      /* odd, lest channels push each other out of the cache */
    ptrdiff_t results = (last_block - first_block) * j->channels * pitch, lines = pieces_of(last, j->axes[2].positions);
    NAME(desk) desk = {NAME(memory)(j->inputs * j->pitch[0] + j->step), NULL, NAME(memory)(results), NULL, 0, j->axes[2].positions, last, pitch};
    if (j->gathered) {
        desk.gathered = NAME(memory)(PIECE * pitch + 16);
        desk.lines = malloc((size_t)lines * sizeof(int32_t));
    }
    if (desk.image == NULL || desk.flat == NULL || (j->gathered && (desk.gathered == NULL || desk.lines == NULL))) j->failed = SHORT_OF_MEMORY;
    else {
        if (j->gathered) {
            desk.line_count = NAME(list_lines)(j, &u, desk.lines);
            memset(desk.gathered, 0, (size_t)(PIECE * pitch + 16) * sizeof(REAL));
        }
        for (ptrdiff_t group = group_part * j->groups / j->group_parts; group < (group_part + 1) * j->groups / j->group_parts; group++) {
            NAME(pack_images)(j, &u, group * j->inputs, j->inputs, desk.image);
            for (ptrdiff_t p = 0; p < j->pass_count; p++) {
                const pass *one = &j->passes[p];
                ptrdiff_t channel = first_block * j->channels;
                NAME(run_tiles)(j, one, group, &desk, first_block, last_block);
                if (j->input_dim == 0 && !NAME(all_finite)(desk.flat, results)) j->suspect = 1;
                NAME(write_out)(j, one, &u, group * j->outputs + channel, least(last_block * j->channels, j->outputs) - channel, desk.flat,
                                pitch);
            }
        }
    }
    free(desk.image);
    free(desk.flat);
    free(desk.gathered);
    free(desk.lines);
}

/* Whether a weight is no finite number. */
static int NAME(has_infinities)(const images *weight)
{
    int found = 0;
    for (ptrdiff_t o = 0; o < weight->size[0]; o++)
        for (ptrdiff_t c = 0; c < weight->size[1]; c++)
            for (ptrdiff_t d = 0; d < weight->size[2]; d++)
                for (ptrdiff_t h = 0; h < weight->size[3]; h++)
                    for (ptrdiff_t k = 0; k < weight->size[4]; k++) {
                        const REAL *w = (const REAL *)weight->data + o * weight->stride[0] + c * weight->stride[1];
                        REAL number = w[d * weight->stride[2] + h * weight->stride[3] + k * weight->stride[4]];
                        found |= !(number - number == 0);
                    }
    return found;
}
