/* What attention_loops.c offers to attention_entry.pyx. */
#ifndef LEAFWARD_ATTENTION_LOOPS_H
#define LEAFWARD_ATTENTION_LOOPS_H
#include <stddef.h>

/* `heads` of `queries` times `keys`; queries and keys have `width` numbers each and values `depth`. The inner dims of a mask are
 * `mask_rows` and `mask_columns` elements apart, and `mask_at` says where that of each head begins; none: NULL. */
typedef struct {
    ptrdiff_t heads, queries, keys, width, depth;
    double scale;
    int causal, wide;
    const char *mask;
    const ptrdiff_t *mask_at;
    ptrdiff_t mask_rows, mask_columns;
    const char *query, *key, *value, *grad;
    char *out, *dquery, *dkey, *dvalue;
    int failed;
} attention;

/* Why these kernels serve nobody here, or NULL. */
extern const char *attention_obstacle;
int attention_start(void);

/* Each is 0, or -1 where memory is short. */
int attend(attention *a);
int attend_backward(attention *a);
#endif
