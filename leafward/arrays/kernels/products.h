/* Products of matrices on one thread, for kernels that need some: products_loops.c has them. Whoever includes this calls
 * import_products() once, with the GIL. */
#ifndef LEAFWARD_PRODUCTS_H
#define LEAFWARD_PRODUCTS_H
#include <Python.h>
#include <stddef.h>

/* out = x y, or out += x y if there is `more`; x has n rows, y m columns. A pitch leads from row to row, of what is turned from column to
 * column. `out` may be neither of the others; inner > 0. */
typedef void (*product_function)(int turned_x, int turned_y, ptrdiff_t n, ptrdiff_t m, ptrdiff_t inner, const void *x, ptrdiff_t x_pitch,
                                 const void *y, ptrdiff_t y_pitch, int more, void *out, ptrdiff_t pitch);

/* What products_loops.c offers, in the capsule `leafward.arrays.kernels.products_entry.interface`. */
typedef struct {
    product_function run[2];                             /* for float32 and float64; NULL where the compiler lacks vector types */
} products_interface;

static const products_interface *products;

/* 0, or -1 with an exception set. */
static inline int import_products(void)
{
    PyObject *module = PyImport_ImportModule("leafward.arrays.kernels.products_entry");
    PyObject *capsule = module == NULL ? NULL : PyObject_GetAttrString(module, "interface");
    if (capsule != NULL)
        products = (const products_interface *)PyCapsule_GetPointer(capsule, "leafward.arrays.kernels.products_entry.interface");
    Py_XDECREF(capsule);
    Py_XDECREF(module);
    return products == NULL ? -1 : 0;
}
#endif
