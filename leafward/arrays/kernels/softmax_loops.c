#include "softmax_loops.h"
#include "sums.h"

/* Rows that do not lie in order are taken so many side by side, and short ones so many one after the other. */
enum { COLUMNS = 64, ROWS = 32, SHARE = 16384 };

#define TEMPLATE "softmax_template.h"
#define TYPES "wide_types.h"
#include "targets.h"

static const share_function shares[TARGETS][2] = FUNCTIONS(softmax_share);
static int target;

int prepare_softmax(void)
{
    target = find_target();
    return import_pool();
}

void softmax_loops(softmax_job *job, int wide)
{
    Py_ssize_t width = smaller(job->inner, COLUMNS);
    job->pieces = job->outer * shares_of(job->inner, COLUMNS);
    job->per_share = larger(1, SHARE / (job->n * width));
    each_share(shares[target][wide], job, shares_of(job->pieces, job->per_share));
}
