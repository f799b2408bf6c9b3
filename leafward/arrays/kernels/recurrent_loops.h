/* What recurrent_loops.c offers to recurrent_entry.pyx. */
#ifndef LEAFWARD_RECURRENT_LOOPS_H
#define LEAFWARD_RECURRENT_LOOPS_H
#include <stddef.h>

/* A layer on `batch` sequences of `steps` steps, row t * batch + i being step t of sequence i. Of rows that hold gates each has
 * `parts` times `hidden` numbers: i, f, g and o of an LSTM; r, z and n of a GRU. Arrays are dense.
 *
 * `by_product`: the caller multiplies with the weight, one step at a time. Forward reads what came of it in `own`; backward
 * leaves the product of its rows with the weight to the caller. The gradients of the first states begin as what later steps
 * want of them. */
typedef struct {
    ptrdiff_t steps, batch, hidden, parts;
    int reverse, wide, by_product;
    const void *x, *h0, *c0, *weight, *bias, *own;       /* forward; the weight is (parts hidden, hidden) */
    void *out, *cells, *gates, *inner;                   /* backward reads these; an LSTM's writes `out` again */
    const void *grad_out, *grad_cells, *grad_gates, *grad_inner;
    void *dx, *d_own, *dh0, *dc0;
    char *packed;
    ptrdiff_t pitch;                                     /* from row to row of the packed weight, and of what it adds */
    int failed;
} recurrence;

/* Why these kernels serve nobody here, or NULL. */
extern const char *recurrent_obstacle;
int recurrent_start(void);

/* Each is 0, or -1 where memory is short. */
int lstm_forward(recurrence *l);
int lstm_backward(recurrence *l);
int gru_forward(recurrence *l);
int gru_backward(recurrence *l);
#endif
