/* Connectionist temporal classification: the loss of each sequence, and its gradient. */
#include "pool.h"
#include <stdint.h>

typedef struct {
    const void *x;                      /* (t, n, classes), in row-major order */
    const int64_t *targets;             /* (n, longest) */
    const int64_t *steps, *lengths;     /* of each sequence: how many times count, and how many labels */
    void *out;                          /* (n); or the gradient, like x */
    const void *g;                      /* (n) */
    Py_ssize_t t, n, classes, longest;
    int64_t blank;
    int zero_infinity;
    int failed;                         /* filled in by the loops: whether there was not memory enough */
} ctc_job;

int prepare_ctc(void);
int find_ctc_losses(ctc_job *job, int wide);        /* 0, or -1 without memory */
int find_ctc_gradients(ctc_job *job, int wide);
