/* Sums of the rows of a table by bags, and what they hand back to the table. */
#include "pool.h"
#include <stdint.h>

/* out[b] = the sum over i from starts[b] to starts[b + 1] of table[index[i]] * factors[i]; and its adjoints. */
typedef struct {
    const char *table;                  /* (limit, n): what is looked up; of the adjoints g, (count, n) */
    char *out;
    const int64_t *index, *bags;        /* a row of the table, and a bag, for each of `total`; the bags ascend */
    const char *factors;                /* or NULL */
    const char *sizes;                  /* of each bag: what its sum is divided by; or NULL */
    int64_t *winners;                   /* of each bag and column: the row that holds the largest. NULL: sums are wanted */
    Py_ssize_t total, count, limit, n;
    int wide, outside;                  /* `outside` and `piece` are filled in by the loops */
    Py_ssize_t piece;
} bags_job;
int prepare_bags(void);               /* once, with the GIL: 0, or -1 with an exception set */
/* Of each: 0, or -1 where a place lies outside; what was made is then to be thrown away. */
int sum_bags(bags_job *job);          /* or the largest, if `winners` are wanted */
int spread_bags(bags_job *job);
int bags_ascend(const int64_t *bags, Py_ssize_t count);
