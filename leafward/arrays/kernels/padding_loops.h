/* Arrays made longer, or shorter, at the ends of their dims: by one value, or by what they hold. And the adjoint of the latter. */
#include "pool.h"
#include <stdint.h>

enum { PADDED_DIMS = 32 };
enum { CONSTANT, REFLECT, REPLICATE, CIRCULAR };

typedef struct {
    const char *x;
    char *out;                          /* both in row-major order: `outer` blocks of the dims below */
    Py_ssize_t outer;
    int dims, mode, itemsize;           /* at least one dim; of the adjoint `itemsize` says float32 or float64 */
    Py_ssize_t size[PADDED_DIMS], longer[PADDED_DIMS];      /* of the array as it was, and as it is when padded */
    Py_ssize_t before[PADDED_DIMS], after[PADDED_DIMS];
    char value[16];
    Py_ssize_t rows, block, padded_block, per_share;        /* filled in by the loops */
} padding_job;

int prepare_padding(void);
void pad_rows(padding_job *job);        /* out: padded */
void gather_padding(padding_job *job);  /* x: padded; out: each of its elements added at the place that it shows */
