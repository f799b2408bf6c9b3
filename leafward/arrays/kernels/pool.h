/* leafward's own threads, for kernels in C.
 *
 * A job is cut into shares, numbered from 0, whose sizes depend on the data and never on how many threads there are: so a
 * result has the same bits with any number of them. Whoever includes this calls import_pool() once, with the GIL, when its
 * module is imported; each_share() then needs no GIL, and may be called from a share, where it runs in place. */
#ifndef LEAFWARD_POOL_H
#define LEAFWARD_POOL_H
#include <Python.h>

/* Does share `number` of `job`. It may not raise, touch Python objects, or wait for another share. */
typedef void (*share_function)(void *job, Py_ssize_t number);

/* What threads.c offers, in the capsule `leafward.arrays.kernels.pool.interface`. */
typedef struct {
    void (*each_share)(share_function run, void *job, Py_ssize_t count);
    int (*threads)(void);
} pool_interface;

/* threads.c's own, which pool.pyx shows to Python. */
extern const char *pool_obstacle;
int pool_threads(void);
void pool_allow(int count);
void pool_each_share(share_function run, void *job, Py_ssize_t count);

static const pool_interface *pool;

/* 0, or -1 with an exception set. */
static inline int import_pool(void)
{
    PyObject *module = PyImport_ImportModule("leafward.arrays.kernels.pool");
    PyObject *capsule = module == NULL ? NULL : PyObject_GetAttrString(module, "interface");
    if (capsule != NULL) pool = (const pool_interface *)PyCapsule_GetPointer(capsule, "leafward.arrays.kernels.pool.interface");
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    return pool == NULL ? -1 : 0;
}

/* run(job, i) for each i < count, on as many threads as are allowed; back when all are done. */
static inline void each_share(share_function run, void *job, Py_ssize_t count)
{
    if (count == 1) run(job, 0);
    else if (count > 1) pool->each_share(run, job, count);
}

/* How many shares of `size` there are in `n`; the last may be smaller. */
static inline Py_ssize_t shares_of(Py_ssize_t n, Py_ssize_t size)
{
    return (n + size - 1) / size;
}

#endif
