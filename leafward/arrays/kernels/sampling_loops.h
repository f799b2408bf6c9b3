/* What sampling_loops.c offers to sampling_entry.pyx. */
#ifndef LEAFWARD_SAMPLING_LOOPS_H
#define LEAFWARD_SAMPLING_LOOPS_H
#include <stddef.h>

enum { BILINEAR, NEAREST, BICUBIC };
enum { ZEROS, BORDER, REFLECTION };

/* Images (n, channels, size[0], size[1], size[2]) and a grid (n, places, dims), all dense. Images of two dims have size[0] 1. */
typedef struct {
    const void *x, *grid, *g;                            /* `g`: the outputs' gradient, (n, channels, places) */
    void *out, *dx, *dgrid;                              /* NULL: not wanted */
    ptrdiff_t n, channels, dims, size[3], places;
    int mode, padding, align_corners, wide;
    ptrdiff_t blocks, channels_each, channel_parts;      /* filled in by sampling_loops.c */
} sampling;

extern const char *sampling_obstacle;
int sampling_start(void);
void sample(sampling *s);
void sample_backward(sampling *s);
#endif
