/* The optimizers' updates of one parameter, each in one pass: operation for operation what the bodies in optim.py do. */
#include "pool.h"

typedef struct {
    Py_ssize_t n;
    void *p, *a, *b, *c;            /* the parameter and its state; what an update does not keep is NULL */
    const void *g;
    double k[8], rectified;          /* numbers of the update */
    double decay, shrink;           /* of weight decay: in the gradient, or apart from it (1: none) */
    int descends, flag;             /* 0: maximize; what is asked beside */
} step_job;

enum { SGD, ADAM, ADAMAX, NADAM, RADAM, RMSPROP, ADAGRAD, ADADELTA, ASGD, RPROP, COMBINED, STEPS };

int prepare_steps(void);
void step_loops(step_job *job, int which, int wide);
