/* What resampling_loops.c offers to resampling_entry.pyx. */
#ifndef LEAFWARD_RESAMPLING_LOOPS_H
#define LEAFWARD_RESAMPLING_LOOPS_H
#include <stddef.h>
#include <stdint.h>

/* y[o][i][k] = sum over starts[i] <= t < starts[i + 1] of values[t] * x[o][columns[t]][k], all dense. */
typedef struct {
    const void *x, *values;
    const int64_t *starts, *columns;
    void *y;
    ptrdiff_t outer, size, places, inner, rows_each;     /* the last is filled in by weigh() */
    int wide;
} weighing;

/* The last two dims of x, (outer, height, width): down to `rows` by starts, down_columns and down_values as above (starts NULL: as
 * they are), then along to `places`, each by `taps` weights that lie tap by tap. `plain`: one tap each, all of weight 1. */
typedef struct {
    const void *x, *down_values, *values;
    const int64_t *starts, *down_columns;
    const int32_t *columns;
    void *y;
    int *failed;
    ptrdiff_t outer, height, width, rows, places, taps, rows_each;
    int plain, wide;
} image_weighing;

extern const char *resampling_obstacle;
int resampling_start(void);
void weigh(weighing *w);
/* -1 where memory is short. */
int weigh_image(image_weighing *w);
#endif
