#include "ctc_loops.h"
#include "sums.h"

static void tell_failed(ctc_job *job)
{
    __atomic_store_n(&job->failed, 1, __ATOMIC_RELAXED);
}

#define TEMPLATE "ctc_template.h"
#include "targets.h"

static const share_function losses[TARGETS][2] = FUNCTIONS(ctc_loss);
static const share_function gradients[TARGETS][2] = FUNCTIONS(ctc_gradient);
static int target;

int prepare_ctc(void)
{
    target = find_target();
    return import_pool();
}

int find_ctc_losses(ctc_job *job, int wide)
{
    job->failed = 0;
    each_share(losses[target][wide], job, job->n);
    return -job->failed;
}

int find_ctc_gradients(ctc_job *job, int wide)
{
    job->failed = 0;
    each_share(gradients[target][wide], job, job->n);
    return -job->failed;
}
