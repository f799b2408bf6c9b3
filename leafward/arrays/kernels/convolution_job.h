/* A convolution's job, as the kernels of convolution_template.h see it. */
#ifndef LEAFWARD_CONVOLUTION_JOB_H
#define LEAFWARD_CONVOLUTION_JOB_H
#include <stdint.h>
#include "convolution_loops.h"

/* How source pixels are packed along one dim, and which of them an output reads.
 *
 * Place j of phase a holds the source's pixel `step * j + a + origin`, or zero where there is none. The output at position r
 * reads, for each tap, place r + shift of the tap's phase. */
typedef struct {
    ptrdiff_t step, origin, phases, reach;               /* reach: the largest shift */
    ptrdiff_t positions;
    ptrdiff_t shared;                                    /* places that are zero for two neighbours, and held once */
    ptrdiff_t out_step, out_origin;                      /* position r of pass a is written at out_step * r + a + out_origin */
} axis;

/* One list of taps, and where what they give is written: a convolution has one, an adjoint one for each phase of its output. */
typedef struct {
    ptrdiff_t taps, phase[DIMS], first_offset, weights;  /* where its offsets and its packed weights begin */
} pass;

/* A few images, or of one image some positions along the dim `along`. */
typedef struct {
    ptrdiff_t image, images, begin, end;
} unit;

typedef struct {
    images x, y, weight;
    axis axes[DIMS];
    ptrdiff_t input_dim, output_dim;                     /* which dim of the weight goes along the channels that are read, written */
    ptrdiff_t groups, inputs, outputs;                   /* channels of one group */
    const void *bias;

    int along;
    ptrdiff_t images_each, positions_each, units_along, units, group_parts, block_parts;
    ptrdiff_t pitch[2 + DIMS];                           /* packed: from channel to channel, image to image, plane, row, 1 */
    ptrdiff_t slot;                                      /* from one phase to the next */
    int gathered;                                        /* what tiles read is gathered first, without the places between lines */
    ptrdiff_t result_pitch[2 + DIMS];                    /* from result to result: as packed, or without those places */

    pass *passes;
    ptrdiff_t pass_count, taps, *weight_at;              /* the taps of all passes; each tap's weights */
    ptrdiff_t *offsets, *weight_of;                      /* for each term what it reads, and its weight for output 0 */
    int tile;                                            /* which of the template's tiles */
    ptrdiff_t channels, step;                            /* how many channels and places it does */
    char *packed;                                        /* the weights, block by block of channels; NULL: read where they lie */
    ptrdiff_t packed_group;                              /* elements from group to group */

    ptrdiff_t bands, bands_each, chunks, rows, columns;  /* of weights' gradients: see convolve_weights() */
    char *partial;
    int failed, suspect;                                 /* suspect: a result is not finite */
} job;

typedef void (*tile_function)(const void *, const ptrdiff_t *, const void *, const ptrdiff_t *, ptrdiff_t, ptrdiff_t, void *, ptrdiff_t, int);
typedef struct {
    tile_function run[4];                                /* for 1, 2, ... vectors of places */
    int channels, vectors, lanes;
} tile_kind;

/* For weights' gradients: consecutive places, `count` of them from the packed place `at` on. */
typedef struct {
    ptrdiff_t at, count;
} run;
typedef struct {
    void (*run)(const void *, const ptrdiff_t *, const run *, ptrdiff_t, const void *, void *);
    int lines, channels;
} sums_kind;
/* So many places are turned at a time, in so many runs at most: their gradients stay in the L1 cache. */
enum { PLACES = 128, RUNS = 64 };

/* Sums are cut into pieces of so many terms: rounding grows with the terms of one and with the number of them. */
enum { PIECE = 128 };

static inline ptrdiff_t least(ptrdiff_t a, ptrdiff_t b) { return a < b ? a : b; }
static inline ptrdiff_t most(ptrdiff_t a, ptrdiff_t b) { return a > b ? a : b; }
/* Division that rounds down, for negative numbers too; of positive ones, up. */
static inline ptrdiff_t floor_of(ptrdiff_t a, ptrdiff_t b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }
static inline ptrdiff_t pieces_of(ptrdiff_t a, ptrdiff_t b) { return (a + b - 1) / b; }

/* Where a group's weights begin: groups follow one another along the first dim, which goes along outputs or inputs. */
static inline ptrdiff_t group_at(const job *j, ptrdiff_t group)
{
    return group * (j->output_dim == 0 ? j->outputs : j->inputs) * j->weight.stride[0];
}

static inline unit unit_at(const job *j, ptrdiff_t number)
{
    ptrdiff_t n = number / j->units_along * j->images_each, begin = number % j->units_along * j->positions_each;
    unit u = {n, least(j->images_each, j->x.size[0] - n), begin, least(begin + j->positions_each, j->axes[j->along].positions)};
    return u;
}
#endif
