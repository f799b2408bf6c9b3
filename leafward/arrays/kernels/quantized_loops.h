/* Rows of float32 rounded to codes of 7 bits, times codes of 8 bits. */
#ifndef LEAFWARD_QUANTIZED_LOOPS_H
#define LEAFWARD_QUANTIZED_LOOPS_H
#include "pool.h"
#include <stdint.h>

typedef struct {
    const float *x;                         /* (rows, inner) */
    const int8_t *weight;                   /* (columns, inner) */
    const float *scale, *bias;              /* the scale of column n is scale[n * scale_step]; bias may be NULL */
    float *out;                             /* (rows, columns) */
    Py_ssize_t rows, inner, columns, scale_step;
    uint8_t *codes;                         /* filled in by quantized_product: x in rows of `pitch` bytes, and one of ones */
    Py_ssize_t pitch, share;
    float step;
    int32_t zero;
} quantized_job;

int prepare_quantized(void);
int quantized_product(quantized_job *job);  /* -1 where there is no memory */
#endif
