/* What recurrent_loops.c offers to recurrent_entry.pyx. */
#ifndef LEAFWARD_RECURRENT_LOOPS_H
#define LEAFWARD_RECURRENT_LOOPS_H
#include <stddef.h>

/* An LSTM on `batch` sequences of `steps` steps, row t * batch + i being step t of sequence i. Of rows that hold gates each has
 * four times `hidden` numbers: i, f, g and o. Arrays are dense. */
typedef struct {
    ptrdiff_t steps, batch, hidden;
    int reverse, wide;
    const void *x, *h0, *c0, *weight;                    /* forward; the weight is (4 hidden, hidden) */
    void *out, *cells, *gates;                           /* backward reads the last two, and writes `out` again */
    const void *grad_out, *grad_cells, *grad_gates;
    void *dx, *dh0, *dc0;
    char *packed;
    ptrdiff_t pitch;                                     /* from row to row of the packed weight */
    int failed;
} lstm;

/* Why these kernels serve nobody here, or NULL. */
extern const char *recurrent_obstacle;
int recurrent_start(void);

/* Each is 0, or -1 where memory is short. */
int lstm_forward(lstm *l);
int lstm_backward(lstm *l);
#endif
