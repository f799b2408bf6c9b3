#include <stddef.h>
#include <stdlib.h>
#include "distance_loops.h"
#include "sums.h"

/* Differences in a share; columns whose sums are kept at a time; rows of y that stay near while rows of x pass;
 * so many of both are worth to turn those of y. */
enum { SHARE = 65536, STRIP = 256, NEAR = 16, TOGETHER = 64, MANY = 32 };

/* The place of the distance of rows i and j among all. */
static inline Py_ssize_t distance_at(const distance_job *job, Py_ssize_t i, Py_ssize_t j)
{
    if (!job->pairs) return i * job->by_x + j * job->by_y;
    Py_ssize_t first = i < j ? i : j, last = i < j ? j : i;
    return first * (2 * job->n - first - 1) / 2 + last - first - 1;
}

#define TEMPLATE "distance_template.h"
#include "targets.h"

static const share_function distance_shares[TARGETS][2] = FUNCTIONS(distances_share);
static const share_function tile_shares[TARGETS][2] = FUNCTIONS(tiles_share);
static const share_function gradient_shares[TARGETS][2] = FUNCTIONS(distance_gradients_share);
static int target;

int prepare_distances(void)
{
    target = find_target();
    return import_pool();
}

static void run(distance_job *job, share_function share, Py_ssize_t least_rows)
{
    job->per_share = larger(least_rows, SHARE / larger(1, job->m * job->d));
    job->shares = shares_of(job->n, job->per_share);
    each_share(share, job, job->batch * job->shares);
}

void find_distances(distance_job *job, int wide)
{
    int tiles = job->norm == EUCLIDEAN && job->n >= MANY && job->m >= MANY;
    run(job, (tiles ? tile_shares : distance_shares)[target][wide], tiles ? MANY : 1);
}

void find_distance_gradients(distance_job *job, int wide) { run(job, gradient_shares[target][wide], 1); }
