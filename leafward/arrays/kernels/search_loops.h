/* Places in sorted rows: for each value the number of elements that come before it. NaN comes behind all numbers. */
#include "pool.h"
#include <stdint.h>

enum { FLOATS, DOUBLES, INTS, LONGS };

typedef struct {
    const void *rows, *values;          /* `outer` rows of n elements, or one for all; per row `wanted` values */
    void *places;                       /* int64, or int32 */
    Py_ssize_t outer, n, wanted;
    int kind, one_row, right, short_places;
    Py_ssize_t pieces;                  /* of each row's values; filled in by search_rows */
} search_job;

int prepare_search(void);
void search_rows(search_job *job);
