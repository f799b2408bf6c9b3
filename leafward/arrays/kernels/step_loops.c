#include "step_loops.h"
#include "sums.h"

enum { SHARE = 16384 };

#define TEMPLATE "step_template.h"
#include "targets.h"

static const share_function shares[STEPS][TARGETS][2] = {
    [SGD] = FUNCTIONS(sgd_share), [ADAM] = FUNCTIONS(adam_share), [ADAMAX] = FUNCTIONS(adamax_share),
    [NADAM] = FUNCTIONS(nadam_share), [RADAM] = FUNCTIONS(radam_share), [RMSPROP] = FUNCTIONS(rmsprop_share),
    [ADAGRAD] = FUNCTIONS(adagrad_share), [ADADELTA] = FUNCTIONS(adadelta_share), [ASGD] = FUNCTIONS(asgd_share),
    [RPROP] = FUNCTIONS(rprop_share), [COMBINED] = FUNCTIONS(combined_share),
};
static int target;

int prepare_steps(void)
{
    target = find_target();
    return import_pool();
}

void step_loops(step_job *job, int which, int wide)
{
    each_share(shares[which][target][wide], job, shares_of(job->n, SHARE));
}
