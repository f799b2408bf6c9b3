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

extern const char *resampling_obstacle;
int resampling_start(void);
void weigh(weighing *w);
#endif
