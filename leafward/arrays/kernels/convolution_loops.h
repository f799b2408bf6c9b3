/* What convolution_loops.c offers to convolution_loops.pyx, and what its parts share. */
#ifndef LEAFWARD_CONVOLUTION_LOOPS_H
#define LEAFWARD_CONVOLUTION_LOOPS_H
#include <stddef.h>

enum { DIMS = 3 };

/* A batch of images anywhere in memory: n, c, then DIMS dims of places (the first ones of size 1 where there are fewer). */
typedef struct {
    char *data;
    ptrdiff_t size[2 + DIMS], stride[2 + DIMS];          /* strides in elements */
} images;

typedef struct {
    ptrdiff_t stride[DIMS], padding[DIMS], dilation[DIMS], groups;
} windows;

/* Why these kernels serve nobody here, or NULL. */
extern const char *convolution_obstacle;
int convolution_start(void);

/* The three solutions of the trilinear form in ops/convolution.py; `wide` is 1 for float64. `weight` is an images of
 * (o, c / groups, kernel). What is written is dense. Each is 0, or says why nothing came of it: an
 * adjoint with an infinite weight is UNFIT, for the zeros around the gradient would make a NaN of it. */
enum { SHORT_OF_MEMORY = 1, UNFIT };
int convolve(const images *x, const images *weight, const void *bias, const images *out, const windows *w, int wide);
int convolve_adjoint(const images *g, const images *weight, const void *bias, const images *out, const windows *w, int wide);
int convolve_weights(const images *g, const images *x, const images *out, const windows *w, int wide);
#endif
