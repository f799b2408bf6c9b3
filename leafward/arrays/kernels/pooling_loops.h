/* Pooling of planes that lie row by row: what pooling_loops.c offers to pooling_entry.pyx. */
#ifndef LEAFWARD_POOLING_LOOPS_H
#define LEAFWARD_POOLING_LOOPS_H
#include <stddef.h>
#include <stdint.h>

/* Windows over the last three dims (the first ones of size 1 where there are fewer). */
typedef struct {
    ptrdiff_t planes, size[3], places[3], kernel[3], stride[3], padding[3], dilation[3];
    int even;                                            /* bins that cover each dim evenly; then only the sizes count */
    int include_pad;                                     /* of means: zeros outside count */
    double divisor;                                      /* of means: 0: how many there are */
} pooling;

/* Why these kernels serve nobody here, or NULL. */
extern const char *pooling_obstacle;
int pooling_start(void);

/* Each is 0, or -1 where memory is short. `wide`: float64, `long_places`: positions are int64 and not int32.
 * The largest of each window, the last NaN or else the first of equals, and where in its plane it is, unless `at` is NULL. */
int pool_max(const void *x, void *out, void *at, int long_places, const pooling *p, int wide);
/* The same where windows begin at drawn places: of each plane its numbers in [0, 1), one for each of the last `dims` dims. */
int pool_max_drawn(const void *x, const void *samples, int dims, void *out, int64_t *at, const pooling *p, int wide);
/* Add up each element of `g` at its position, or if it `replaces` put the last one there; 1 where one lies outside, and nothing is right then. */
int pool_scatter(const void *g, const void *at, int long_places, void *out, ptrdiff_t planes, ptrdiff_t places, ptrdiff_t area, int replaces,
                 int wide);
int pool_mean(const void *x, void *out, const pooling *p, int wide);
int pool_mean_adjoint(const void *g, void *out, const pooling *p, int wide);
#endif
