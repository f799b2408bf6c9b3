/* Rows of float32 rounded to codes of 7 bits, times codes of 8 bits. */
#ifndef LEAFWARD_QUANTIZED_LOOPS_H
#define LEAFWARD_QUANTIZED_LOOPS_H
#include "pool.h"
#include <stdint.h>

/* A panel has the weights of WIDE columns: for each four neighbours in a row, PANEL codes, four of each column. Rows of codes that it
 * meets at a time; from how many on there are panels. */
enum { WIDE = 32, PANEL = 4 * WIDE, TALL = 8, MANY = 32 };

typedef struct {
    const float *x;                         /* (rows, inner) */
    const int8_t *weight;                   /* (columns, inner) */
    const float *scale, *bias;              /* the scale of column n is scale[n * scale_step]; bias may be NULL */
    float *out;                             /* (rows, columns) */
    Py_ssize_t rows, inner, columns, scale_step;
    uint8_t *codes;                         /* filled in by quantized_product: x in rows of `pitch` bytes, and one of ones */
    int8_t *panels;                         /* or NULL; `totals` is then what each row of weights adds up to */
    int32_t *totals;
    Py_ssize_t pitch, share;
    float step;
    int32_t zero;
} quantized_job;

/* An LSTM on `batch` sequences of `steps` steps, row t * batch + i being step t of sequence i; `x` has four gates in a row, i, f, g
 * and o, to which each step adds the product of `weight`, (4 hidden, hidden), with the states before it. */
typedef struct {
    const float *x, *h0, *c0;
    const int8_t *weight;
    const float *scale, *bias;
    float *out, *cells;
    Py_ssize_t steps, batch, hidden, scale_step;
    int reverse;
} quantized_lstm;

int prepare_quantized(void);
/* Each is 0, or -1 where there is no memory. */
int quantized_product(quantized_job *job);
int quantized_lstm_steps(quantized_lstm *lstm);
#endif
