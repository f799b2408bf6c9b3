/* What columns_loops.c offers to columns_entry.pyx. */
#ifndef LEAFWARD_COLUMNS_LOOPS_H
#define LEAFWARD_COLUMNS_LOOPS_H
#include "convolution_loops.h"

/* The windows of images as columns: for each image, channel and tap of the kernel a row of places, which lie side by side.
 * From image to image there are `image` elements, from row to row `row`. */
typedef struct {
    char *data;
    ptrdiff_t image, row, kernel[DIMS], places[DIMS];
} columns;

extern const char *columns_obstacle;
int columns_start(void);

/* Windows copied to columns, zeros where they reach over the edge; and columns added up where their windows lie, in an
 * image that is dense. 0, or SHORT_OF_MEMORY. */
int unfold(const images *x, const columns *to, const windows *w, int wide);
int fold(const columns *from, const images *x, const windows *w, int wide);
#endif
