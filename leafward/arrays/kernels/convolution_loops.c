/* Convolution without columns of windows: products of shifted lines.
 *
 * Images are packed so that each line is followed by the zeros that pad it. Then one tap of the kernel, at all places, is the
 * packed image from some offset on times one weight; an output is the sum of these, over channels and taps, and a tile of
 * outputs stays in registers meanwhile. What is computed for the places between lines is dropped.
 *
 * Steps (`stride`) are phases: the packed image has, one after the other, the pixels 0, s, 2 s, ..., then 1, s + 1, ... . Of the
 * adjoint, it is the output that has phases, each with the taps that reach it; the sum is the same. Both run through
 * convolve_unit(), a share of it for some images, or a band of one. Shares depend on sizes alone, and each output's terms
 * are added up in one order, so the bits are the same on any number of threads. */
#include "pool.h"
#include "convolution_job.h"

#if defined(__GNUC__)
#include "targets.h"
#define TEMPLATE "convolution_template.h"
#include "targets.h"
#define TEMPLATE "convolution_sums_template.h"
#include "targets.h"

const char *convolution_obstacle = NULL;
static int target;

static const tile_kind *const tiles[TARGETS][2] = FUNCTIONS(tiles);
static const share_function pack_weights[TARGETS][2] = FUNCTIONS(pack_weights);
static int (*const has_infinities[TARGETS][2])(const images *) = FUNCTIONS(has_infinities);
static const share_function convolve_unit[TARGETS][2] = FUNCTIONS(convolve_unit);
static const sums_kind *const sums_tiles[TARGETS][2] = FUNCTIONS(sums_tiles);
static const share_function sums_unit[TARGETS][2] = FUNCTIONS(sums_unit);
static const share_function sums_end[TARGETS][2] = FUNCTIONS(sums_end);
static const share_function few_sums_unit[TARGETS][2] = FUNCTIONS(few_sums_unit);
static const share_function few_sums_end[TARGETS][2] = FUNCTIONS(few_sums_end);

int convolution_start(void)
{
    target = find_target();
    return import_pool();
}

/* A unit is to have so many shares at least, more threads than most machines have; to fill some tiles; and to stay in the L2 cache. */
enum { SHARES = 16, FEW_PLACES = 192, MANY_PLACES = 4096, CACHED = 1 << 17 };

/* Copying a vector takes as long as so many multiplications of one. */
enum { GATHERING = 4 };

/* Weights are packed where each is multiplied so often; and where channels lie so many bytes apart, as they then take each other's
 * places in the L1 cache. */
enum { OFTEN = 512, COLLIDING = 4096 };

/* Each part of the outputs packs the images for itself: it is to multiply each pixel so often. */
enum { SHARED = 256 };

/* Less work than this (multiplications) is not worth waking a thread for. */
enum { LITTLE = 1 << 16 };

static void run_shares(const job *j, share_function run, ptrdiff_t count, double work)
{
    if (work < LITTLE)
        for (ptrdiff_t i = 0; i < count; i++) run((void *)j, i);
    else each_share(run, (void *)j, count);
}

/* Of one dim of a convolution: what is read, and what each tap reads. */
static axis forward_axis(ptrdiff_t positions, ptrdiff_t kernel, ptrdiff_t stride, ptrdiff_t padding, ptrdiff_t dilation)
{
    ptrdiff_t span = dilation * (kernel - 1);
    axis a = {stride, -padding, least(stride, span + 1), span / stride, positions, 0, 1, 0};
    return a;
}

/* Of its adjoint: output i = stride * r + phase - padding is read from places r - (dilation * tap) / stride. */
static axis adjoint_axis(ptrdiff_t size, ptrdiff_t kernel, ptrdiff_t stride, ptrdiff_t padding, ptrdiff_t dilation)
{
    ptrdiff_t first = padding / stride, last = (size - 1 + padding) / stride, reach = dilation * (kernel - 1) / stride;
    axis a = {1, first - reach, 1, reach, last - first + 1, 0, stride, stride * first - padding};
    return a;
}

/* How the images are cut into units, and how a unit's are packed. */
static void lay_out(job *j, ptrdiff_t channels)
{
    ptrdiff_t batch = j->x.size[0], each = 1;
    for (int d = 0; d < DIMS; d++) each *= j->axes[d].positions;
    ptrdiff_t wanted = most(FEW_PLACES, least(MANY_PLACES, CACHED / channels));
    j->along = j->axes[0].positions > 1 ? 0 : j->axes[1].positions > 1 ? 1 : 2;
    ptrdiff_t positions = j->axes[j->along].positions;
    j->images_each = most(1, least(wanted / each, pieces_of(batch, SHARES)));
    if (each < FEW_PLACES) j->images_each = most(j->images_each, FEW_PLACES / each);
    j->images_each = pieces_of(batch, pieces_of(batch, least(j->images_each, batch)));    /* none has much less than another */
    ptrdiff_t bands = pieces_of(each, wanted);
    if (batch < SHARES) bands = most(bands, least(pieces_of(SHARES, batch), each / FEW_PLACES));
    bands = j->images_each > 1 ? 1 : least(most(bands, 1), positions);
    j->positions_each = pieces_of(positions, bands);
    j->units_along = pieces_of(positions, j->positions_each);
    j->units = pieces_of(batch, j->images_each) * j->units_along;
    ptrdiff_t pitch = 1, end = 1;
    for (int d = DIMS - 1; d >= 0; d--) {
        axis *a = &j->axes[d];
        ptrdiff_t outputs = d == j->along ? j->positions_each : a->positions, count = outputs + a->reach;
        /* The zeros after a line are those before the next, too. */
        ptrdiff_t after = a->positions + a->reach + a->origin - j->x.size[2 + d];
        a->shared = a->step > 1 || outputs < a->positions ? 0 : most(0, least(-a->origin, after));
        j->pitch[2 + d] = pitch;
        end += (count - 1) * pitch;
        pitch *= count - a->shared;
    }
    j->pitch[1] = pitch;
    j->slot = end + (j->images_each - 1) * pitch;
    j->pitch[0] = j->slot * j->axes[0].phases * j->axes[1].phases * j->axes[2].phases;
}

/* Of small images a good part of the places lies between lines. Where there are outputs enough to share what it costs, the
 * others are gathered for the tiles, and no more than these computed. */
static void choose_gathering(job *j, const tile_kind *tile)
{
    ptrdiff_t packed = (j->images_each - 1) * j->pitch[1] + 1, gathered = j->images_each, lines = j->images_each, pitch = 1;
    for (int d = DIMS - 1; d >= 0; d--) {
        ptrdiff_t positions = d == j->along ? j->positions_each : j->axes[d].positions;
        j->result_pitch[2 + d] = pitch;
        pitch *= positions;
        packed += (positions - 1) * j->pitch[2 + d];
        gathered *= positions;
        if (d < DIMS - 1) lines *= positions;
    }
    j->result_pitch[1] = pitch;
    ptrdiff_t less = pieces_of(packed, tile->lanes) - pieces_of(gathered, tile->lanes);
    ptrdiff_t copied = lines * pieces_of(j->axes[2].positions, tile->lanes);
    j->gathered = less * pieces_of(j->outputs, tile->channels) * tile->channels > GATHERING * copied && j->slot < INT32_MAX;
    if (!j->gathered) memcpy(j->result_pitch, j->pitch, sizeof j->pitch);
}

/* The offsets of all terms, pass by pass, and where in the weight the taps of each are. */
static int list_terms(job *j, const windows *w, int adjoint)
{
    const ptrdiff_t *kernel = j->weight.size + 2, *stride = j->weight.stride + 2;
    ptrdiff_t shift[DIMS], phases[DIMS];
    j->taps = kernel[0] * kernel[1] * kernel[2];
    for (int d = 0; d < DIMS; d++) phases[d] = adjoint ? w->stride[d] : 1;
    j->pass_count = phases[0] * phases[1] * phases[2];
    j->passes = malloc((size_t)j->pass_count * sizeof(pass));
    j->offsets = malloc((size_t)(j->taps * j->inputs + 16) * sizeof(ptrdiff_t));
    j->weight_of = malloc((size_t)(j->taps * j->inputs) * sizeof(ptrdiff_t));
    j->weight_at = malloc((size_t)j->taps * sizeof(ptrdiff_t));
    if (j->passes == NULL || j->offsets == NULL || j->weight_of == NULL || j->weight_at == NULL) return -1;
    ptrdiff_t found = 0, blocks = pieces_of(j->outputs, j->channels);
    for (ptrdiff_t p = 0; p < j->pass_count; p++) {
        pass *one = &j->passes[p];
        ptrdiff_t own[DIMS] = {p / phases[2] / phases[1], p / phases[2] % phases[1], p % phases[2]}, before = found;
        memcpy(one->phase, own, sizeof own);
        one->first_offset = found * j->inputs;
        one->weights = found * j->inputs * blocks * j->channels;
        ptrdiff_t *offsets = j->offsets + one->first_offset;
        for (ptrdiff_t t = 0; t < j->taps; t++) {
            ptrdiff_t tap[DIMS] = {t / kernel[2] / kernel[1], t / kernel[2] % kernel[1], t % kernel[2]}, slot = 0, offset = 0, at = 0;
            int reached = 1;
            for (int d = 0; d < DIMS; d++) {
                ptrdiff_t far = tap[d] * w->dilation[d], phase = far % w->stride[d];
                shift[d] = adjoint ? j->axes[d].reach - far / w->stride[d] : far / w->stride[d];
                reached &= !adjoint || phase == own[d];
                slot = slot * j->axes[d].phases + (adjoint ? 0 : phase);
                offset += shift[d] * j->pitch[2 + d];
                at += tap[d] * stride[d];
            }
            if (!reached) continue;
            offsets[found - before] = offset + slot * j->slot;
            j->weight_at[found++] = at;
        }
        one->taps = found - before;
        for (ptrdiff_t c = j->inputs - 1; c >= 0; c--)   /* backwards: the first channel's are what the others are made of */
            for (ptrdiff_t t = 0; t < one->taps; t++) {
                offsets[c * one->taps + t] = offsets[t] + c * j->pitch[0];
                j->weight_of[one->first_offset + c * one->taps + t] = j->weight_at[before + t] + c * j->weight.stride[j->input_dim];
            }
    }
    for (int i = 0; i < 16; i++) j->offsets[j->taps * j->inputs + i] = 0;   /* where a tile has more lines than there are left */
    return 0;
}

static void forget(job *j)
{
    free(j->passes);
    free(j->offsets);
    free(j->weight_of);
    free(j->weight_at);
    free(j->packed);
    free(j->partial);
}

/* The smallest tile that does all output channels of a group at once, or the largest. */
static void choose_tile(job *j, int wide)
{
    const tile_kind *kinds = tiles[target][wide];
    j->tile = 0;
    while (j->tile < 2 && kinds[j->tile + 1].channels >= j->outputs) j->tile++;
    if (j->tile == 1 && j->outputs <= 2 && kinds[1].channels > 2) j->tile = 2;
    j->channels = kinds[j->tile].channels;
    j->step = kinds[j->tile].vectors * kinds[j->tile].lanes;
}

static int multiply(job *j, const windows *w, int adjoint, int wide)
{
    size_t size = wide ? sizeof(double) : sizeof(float);
    choose_tile(j, wide);
    lay_out(j, j->inputs + j->outputs);
    choose_gathering(j, &tiles[target][wide][j->tile]);
    ptrdiff_t blocks = pieces_of(j->outputs, j->channels), taps = j->weight.size[2] * j->weight.size[3] * j->weight.size[4];
    ptrdiff_t least_blocks = j->gathered ? 32 : most(4, SHARED / (taps * j->channels));
    j->group_parts = most(1, least(j->groups, SHARES / j->units));
    j->block_parts = j->groups > 1 ? 1 : most(1, least(blocks / least_blocks, SHARES / j->units));
    int failed = list_terms(j, w, adjoint);
    j->packed_group = j->taps * j->inputs * blocks * j->channels;
    double places = (double)j->x.size[0], weights = (double)(j->groups * j->packed_group);
    for (int d = 0; d < DIMS; d++) places *= (double)j->axes[d].positions;
    int direct = places < OFTEN && j->outputs % j->channels == 0 && (size_t)j->weight.stride[j->output_dim] * size % COLLIDING != 0;
    if (!failed && !direct) {
        j->packed = aligned_alloc(64, ((size_t)(j->groups * j->packed_group) * size + 63) & ~(size_t)63);
        failed = j->packed == NULL;
    }
    if (failed) {
        forget(j);
        return SHORT_OF_MEMORY;
    }
    if (!direct) run_shares(j, pack_weights[target][wide], j->groups * blocks, weights);
    run_shares(j, convolve_unit[target][wide], j->units * j->group_parts * j->block_parts, weights * places);
    /* Of an adjoint, infinite weights would have met the zeros beside the lines. */
    failed = j->failed ? j->failed : j->suspect && has_infinities[target][wide](&j->weight) ? UNFIT : 0;
    forget(j);
    return failed;
}

int convolve(const images *x, const images *weight, const void *bias, const images *out, const windows *w, int wide)
{
    job j = {.x = *x, .y = *out, .weight = *weight, .input_dim = 1, .output_dim = 0, .groups = w->groups, .inputs = weight->size[1],
             .outputs = weight->size[0] / w->groups, .bias = bias};
    for (int d = 0; d < DIMS; d++)
        j.axes[d] = forward_axis(out->size[2 + d], weight->size[2 + d], w->stride[d], w->padding[d], w->dilation[d]);
    return multiply(&j, w, 0, wide);
}

int convolve_adjoint(const images *g, const images *weight, const void *bias, const images *out, const windows *w, int wide)
{
    job j = {.x = *g, .y = *out, .weight = *weight, .input_dim = 0, .output_dim = 1, .groups = w->groups,
             .inputs = weight->size[0] / w->groups, .outputs = weight->size[1], .bias = bias};
    for (int d = 0; d < DIMS; d++)
        j.axes[d] = adjoint_axis(out->size[2 + d], weight->size[2 + d], w->stride[d], w->padding[d], w->dilation[d]);
    return multiply(&j, w, 1, wide);
}

int convolve_weights(const images *g, const images *x, const images *out, const windows *w, int wide)
{
    job j = {.x = *x, .y = *g, .weight = *out, .groups = w->groups, .inputs = out->size[1], .outputs = out->size[0] / w->groups};
    for (int d = 0; d < DIMS; d++)
        j.axes[d] = forward_axis(g->size[2 + d], out->size[2 + d], w->stride[d], w->padding[d], w->dilation[d]);
    const sums_kind *kinds = sums_tiles[target][wide];
    int few = j.outputs < 4;
    j.tile = j.outputs <= 2 * kinds[1].channels;
    j.channels = 1;
    j.step = 64;                                         /* what tiles may read beyond an image's end */
    lay_out(&j, j.inputs + 1);
    ptrdiff_t pairs, lines = few ? 1 : kinds[j.tile].lines;
    j.columns = few ? j.outputs : kinds[j.tile].channels;
    j.bands = few ? 1 : pieces_of(j.outputs, j.columns);
    int failed = list_terms(&j, w, 0);
    pairs = j.inputs * j.taps;
    j.rows = pieces_of(pairs, lines) * lines;
    j.bands_each = few ? 1 : least(j.bands, pieces_of(SHARED, j.taps * j.columns));
    ptrdiff_t parts = pieces_of(j.bands, j.bands_each);
    j.chunks = least(j.units, pieces_of(SHARES, parts * j.groups));
    size_t size = few || wide ? sizeof(double) : sizeof(float);
    if (!failed) j.partial = aligned_alloc(64, ((size_t)(j.groups * j.bands * j.chunks * j.rows * j.columns) * size + 63) & ~(size_t)63);
    if (failed || j.partial == NULL) {
        forget(&j);
        return SHORT_OF_MEMORY;
    }
    double work = (double)(j.groups * pairs * j.outputs) * (double)g->size[0];
    for (int d = 0; d < DIMS; d++) work *= (double)g->size[2 + d];
    run_shares(&j, (few ? few_sums_unit : sums_unit)[target][wide], j.groups * parts * j.chunks, work);
    run_shares(&j, (few ? few_sums_end : sums_end)[target][wide], j.groups * j.bands, (double)(j.groups * pairs * j.outputs));
    failed = j.failed;
    forget(&j);
    return failed;
}
#else
const char *convolution_obstacle = "convolutions run on NumPy: their kernels need the vector types of GCC or Clang";
int convolution_start(void) { return 0; }
int convolve(const images *x, const images *weight, const void *bias, const images *out, const windows *w, int wide) { return UNFIT; }
int convolve_adjoint(const images *x, const images *weight, const void *bias, const images *out, const windows *w, int wide) { return UNFIT; }
int convolve_weights(const images *g, const images *x, const images *out, const windows *w, int wide) { return UNFIT; }
#endif
