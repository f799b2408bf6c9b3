/* Copies between any two layouts, and casts: between float32 and the half types, and of numbers to real ones. */
#include "pool.h"
#include <stdint.h>

enum { MOST_DIMS = 32 };
enum { TO_FLOAT16, FROM_FLOAT16, TO_BFLOAT16, FROM_BFLOAT16, HALF_CASTS,
       FLOAT_TO_DOUBLE = HALF_CASTS, DOUBLE_TO_FLOAT, LONG_TO_FLOAT, LONG_TO_DOUBLE, INT_TO_FLOAT, INT_TO_DOUBLE,
       BYTE_TO_FLOAT, BYTE_TO_DOUBLE };

typedef struct {
    char *target;
    const char *source;
    int itemsize, dims;
    Py_ssize_t size[MOST_DIMS], target_steps[MOST_DIMS], source_steps[MOST_DIMS];
    Py_ssize_t rows, pieces, piece, across, turns, per_share;   /* filled in by copy_loops */
} copy_job;

typedef struct { void *target; const void *source; Py_ssize_t count; int how; } cast_job;

/* `steps` numbers, the first half counted from `start`, the second back from `end`, each rounded once. */
typedef struct { void *target; int32_t steps; int wide; double step, start, end; } spaced_job;

/* start, start + step, ... of each 32 bytes, the first of which is rounded before the others start from it; but of the last, less than
 * 64 bytes, each. */
typedef struct { void *target; Py_ssize_t count; int wide; double start, step; } counted_job;

int prepare_copies(void);
void copy_loops(copy_job *job);
void cast_loops(cast_job *job);
void spaced_loops(spaced_job *job);
void counted_loops(counted_job *job);

/* A number that is another one wherever one byte of `size` is another. */
uint64_t mixed_bytes(const void *bytes, size_t size);
