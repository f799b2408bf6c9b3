/* Windows of images as columns, and columns added back up to images. A share does some channels of some images.
 *
 * Lines of many places are copied one by one. Small images are copied into a frame of zeros first, where a list says which
 * pixel each element of a channel's columns shows: then a short line costs no more than its elements. */
#include "pool.h"
#include "convolution_job.h"
#include "columns_loops.h"

#if defined(__GNUC__)
typedef struct {
    images x;
    columns y;
    windows w;
    ptrdiff_t channels_each;
    ptrdiff_t padded[DIMS], framed;                      /* the sizes of a frame, and how many pixels it has */
    int32_t *at;                                         /* of each tap and place, its pixel of the frame; NULL: line by line */
    int failed;
} columns_job;

#include "targets.h"
#define TEMPLATE "columns_template.h"
#include "targets.h"

const char *columns_obstacle = NULL;
static int target;
static const share_function unfold_share[TARGETS][2] = FUNCTIONS(unfold_share);
static const share_function fold_share[TARGETS][2] = FUNCTIONS(fold_share);

int columns_start(void)
{
    target = find_target();
    return import_pool();
}

/* Lines so short, in frames so small, are worth a list. A share is to have so many elements at least. */
enum { SHORT_LINE = 16, SMALL_FRAME = 1 << 12, MANY_ENTRIES = 1 << 16, SHARE = 1 << 15 };

static int list_pixels(columns_job *j)
{
    const columns *y = &j->y;
    ptrdiff_t entries = 1, found = 0;
    j->framed = 1;
    for (int d = 0; d < DIMS; d++) {
        j->padded[d] = most(j->x.size[2 + d] + 2 * j->w.padding[d],
                            (y->places[d] - 1) * j->w.stride[d] + (y->kernel[d] - 1) * j->w.dilation[d] + 1);
        j->framed *= j->padded[d];
        entries *= y->kernel[d] * y->places[d];
        if (j->framed > SMALL_FRAME || entries > MANY_ENTRIES) return 0;
    }
    if (y->places[2] >= SHORT_LINE) return 0;
    j->at = malloc((size_t)entries * sizeof(int32_t));
    if (j->at == NULL) return SHORT_OF_MEMORY;
    for (ptrdiff_t k = 0; k < y->kernel[0] * y->kernel[1] * y->kernel[2]; k++)
        for (ptrdiff_t p = 0; p < y->places[0] * y->places[1] * y->places[2]; p++) {
            ptrdiff_t tap[DIMS] = {k / y->kernel[2] / y->kernel[1], k / y->kernel[2] % y->kernel[1], k % y->kernel[2]};
            ptrdiff_t place[DIMS] = {p / y->places[2] / y->places[1], p / y->places[2] % y->places[1], p % y->places[2]}, pixel = 0;
            for (int d = 0; d < DIMS; d++) pixel = pixel * j->padded[d] + place[d] * j->w.stride[d] + tap[d] * j->w.dilation[d];
            j->at[found++] = (int32_t)pixel;
        }
    return 0;
}

static int run_columns(const images *x, const columns *y, const windows *w, share_function run)
{
    columns_job j = {.x = *x, .y = *y, .w = *w};
    ptrdiff_t each = 1;
    if (list_pixels(&j)) return SHORT_OF_MEMORY;
    for (int d = 0; d < DIMS; d++) each *= most(y->kernel[d] * y->places[d], x->size[2 + d]);
    j.channels_each = most(1, SHARE / each);
    each_share(run, &j, pieces_of(x->size[0] * x->size[1], j.channels_each));
    free(j.at);
    return j.failed;
}

int unfold(const images *x, const columns *to, const windows *w, int wide) { return run_columns(x, to, w, unfold_share[target][wide]); }
int fold(const columns *from, const images *x, const windows *w, int wide) { return run_columns(x, from, w, fold_share[target][wide]); }
#else
const char *columns_obstacle = "columns of windows are made by NumPy: their kernels need the vector types of GCC or Clang";
int columns_start(void) { return 0; }
int unfold(const images *x, const columns *to, const windows *w, int wide) { return SHORT_OF_MEMORY; }
int fold(const columns *from, const images *x, const windows *w, int wide) { return SHORT_OF_MEMORY; }
#endif
