/* Reading, writing and combining at places that an index names.
 *
 * Rows: for each place a row of the table, of the dims that are not indexed. Elements: for each place one element, along one dim
 * (gather, scatter). Every place is compared with the table's size where it is used, so that nothing outside is ever touched,
 * even where another thread changes the index meanwhile. Whatever arrives at one place of the table arrives there in the
 * order of the index: shares are cut across the rows, and never between two places. */
#include "pool.h"
#include <stdint.h>

enum { MOST_DIMS = 32 };
enum { WRITE, ADD, MULTIPLY, MAXIMUM, MINIMUM, WAYS };
enum { BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128, KINDS };

typedef struct {
    char *table, *rows;
    const int64_t *index;               /* contiguous */
    int64_t limit, wrap, stride;        /* places are below `limit`; negative ones get `wrap` added; bytes between places */
    int ready;                          /* `index` holds such bytes already, found by add_places in memory of our own */
    Py_ssize_t count, row_step;         /* places, and the bytes from one's row to the next's */
    int dims;                           /* the dims of a row but its last */
    Py_ssize_t size[MOST_DIMS], table_steps[MOST_DIMS], row_steps[MOST_DIMS];
    Py_ssize_t n, table_in, row_in;     /* the last */
    int itemsize, kind, way;
    Py_ssize_t outer, pieces, piece, units, per_share;      /* filled in by the loops, as is `outside` */
    int writes, outside;
} rows_job;

typedef struct {
    char *table, *values;
    const char *index;
    int64_t limit, stride;
    int dims;                           /* all but the two below; steps of the table are 0 along the dim of the places */
    Py_ssize_t size[MOST_DIMS], table_steps[MOST_DIMS], value_steps[MOST_DIMS], index_steps[MOST_DIMS];
    Py_ssize_t middle, table_middle, value_middle, index_middle;
    Py_ssize_t n, table_in, value_in, index_in;
    int itemsize, kind, way, cut;       /* `cut`: whether the last dim may be cut into shares */
    Py_ssize_t outer, pieces, piece, units, per_share;
    int outside;
} elements_job;

int prepare_places(void);             /* once, with the GIL: 0, or -1 with an exception set */
/* Of each: 0, or -1 where a place lies outside; what is read is then to be thrown away, and nothing outside was written. */
int read_rows(rows_job *job);
int write_rows(rows_job *job);
int read_elements(elements_job *job);
int write_elements(elements_job *job);

/* Whether all of `count` places are in [-wrap, limit). */
int all_inside(const int64_t *index, Py_ssize_t count, int64_t limit, int64_t wrap);
/* flat[i] += index[i] * stride, where it `wraps` counted from the front; -1 where a place lies outside. */
int add_places(int64_t *flat, const int64_t *index, Py_ssize_t count, int64_t limit, int wraps, int64_t stride);
