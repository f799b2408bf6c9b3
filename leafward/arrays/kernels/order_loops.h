/* Rows in order: sorted, or the first few, or one of them; with the places that they had. Rows lie along the middle of
 * (outer, n, inner). NaN counts as the largest, and -0.0 equals 0.0. */
#include "pool.h"
#include <stdint.h>

enum { BYTES_U, BYTES_I, SHORTS, INTS, LONGS, HALVES, BRAIN_HALVES, FLOATS, DOUBLES };

/* What is wanted of a row. Where `tied`, equals come as PyTorch's library leaves them, otherwise in their order. */
enum { ALL, FIRST, KTH, MEDIAN, MEDIAN_OF_NUMBERS, MODE, LARGEST, SMALLEST };

typedef struct {
    const char *x;
    char *values;                       /* (outer, count, inner), or NULL */
    int64_t *places;                    /* the same, or NULL */
    Py_ssize_t outer, n, inner, count;
    Py_ssize_t k;                       /* for KTH: which, from 0 */
    int kind, way, descending, tied;
    Py_ssize_t per_share, groups;       /* the rest is filled in by order_rows */
    int itemsize, bits, failed;
} order_job;

/* The distinct elements of a row, in order. */
typedef struct {
    const char *x;
    char *values;                       /* room for n */
    int64_t *inverse, *counts;          /* of each element, which of them it is; of each of them, how often it occurs */
    Py_ssize_t n, found;
    int kind;
} distinct_job;

int prepare_order(void);

/* Both: -1 where there is no memory, else 0. */
int order_rows(order_job *job);
int find_distinct(distinct_job *job);
