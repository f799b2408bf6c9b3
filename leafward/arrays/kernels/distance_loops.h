/* Distances between rows, of the 1-norm, the 2-norm and the largest difference, and their derivatives. */
#include "pool.h"
#include <stdint.h>

enum { TAXICAB, EUCLIDEAN, FARTHEST };

typedef struct {
    const void *x, *y;                  /* (n, d) and (m, d), both in row-major order */
    const void *g, *far;                /* of the derivative: the gradient and the distances */
    void *out;                          /* distances; or the gradient of x, in row-major order */
    Py_ssize_t batch, n, m, d;
    Py_ssize_t x_step, y_step, out_step;    /* elements from one of the batch to the next; of g and `far` `out_step` */
    Py_ssize_t by_x, by_y;              /* elements between the distances of two rows of x, and of y */
    int pairs;                          /* y is x, and the distances are those above the diagonal, row by row */
    int norm;
    Py_ssize_t per_share, shares;       /* filled in by the loops */
} distance_job;

int prepare_distances(void);
void find_distances(distance_job *job, int wide);
void find_distance_gradients(distance_job *job, int wide);
