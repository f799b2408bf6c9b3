/* The products of NumPy's own BLAS, called one thread at a time from leafward's threads.
 *
 * OpenBLAS's threads and ours would wait for each other's cores: after a product its threads look for more work for a while.
 * So a product is cut into tiles here, and each is one call of a BLAS that has been told to use one thread; between calls it has
 * as many again as its user wants. Whoever includes this calls import_blas() once, with the GIL. */
#ifndef LEAFWARD_BLAS_H
#define LEAFWARD_BLAS_H
#include <Python.h>
#include <stdint.h>

enum { ROW_MAJOR = 101, AS_IT_IS = 111, TURNED = 112 };

typedef void (*sgemm_function)(int, int, int, int64_t, int64_t, int64_t, float, const float *, int64_t, const float *, int64_t, float, float *, int64_t);
typedef void (*dgemm_function)(int, int, int, int64_t, int64_t, int64_t, double, const double *, int64_t, const double *, int64_t, double, double *, int64_t);

/* What products_loops.c offers, in the capsule `leafward.arrays.kernels.products_entry.interface`. */
typedef struct {
    sgemm_function sgemm;                                /* NULL where NumPy has another BLAS */
    dgemm_function dgemm;
    void (*begin)(void), (*end)(void);                   /* around calls, in whichever thread: with one thread, as before */
} blas_interface;

static const blas_interface *blas;

/* 0, or -1 with an exception set. */
static inline int import_blas(void)
{
    PyObject *module = PyImport_ImportModule("leafward.arrays.kernels.products_entry");
    PyObject *capsule = module == NULL ? NULL : PyObject_GetAttrString(module, "interface");
    if (capsule != NULL)
        blas = (const blas_interface *)PyCapsule_GetPointer(capsule, "leafward.arrays.kernels.products_entry.interface");
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    return blas == NULL ? -1 : 0;
}
#endif
