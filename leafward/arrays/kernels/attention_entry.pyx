# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/attention_loops.c
"""The attention of ``attention.py`` in C, for float32 and float64.

As in ``small.pyx`` a kernel answers None where it does not apply, and NumPy does the work.
"""
cimport numpy as cnp
from libc.stdlib cimport free, malloc

cnp.import_array()

cdef extern from "attention_loops.h":
    ctypedef struct attention:
        Py_ssize_t heads
        Py_ssize_t queries
        Py_ssize_t keys
        Py_ssize_t width
        Py_ssize_t depth
        double scale
        int causal
        int wide
        const char* mask
        const Py_ssize_t* mask_at
        Py_ssize_t mask_rows
        Py_ssize_t mask_columns
        const char* query
        const char* key
        const char* value
        const char* grad
        char* out
        char* dquery
        char* dkey
        char* dvalue
        int failed
    const char* attention_obstacle
    int attention_start() except -1
    int attend(attention*) noexcept nogil
    int attend_backward(attention*) noexcept nogil

attention_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if attention_obstacle == NULL else attention_obstacle.decode()


cdef int kind_of(cnp.ndarray x):
    cdef int kind = cnp.PyArray_TYPE(x)
    fits = kind in (cnp.NPY_FLOAT32, cnp.NPY_FLOAT64) and cnp.PyArray_NDIM(x) == 4 and cnp.PyArray_SIZE(x) > 0
    return kind if fits else -1


cdef const char* place_mask(attention* a, cnp.ndarray mask, cnp.ndarray query, Py_ssize_t** starts) except NULL:
    """Where the mask of each head begins, in ``starts``; the mask's dims are those of scores, some of no step."""
    cdef Py_ssize_t size = cnp.PyArray_ITEMSIZE(mask), n, h, heads = cnp.PyArray_DIMS(query)[1]
    cdef cnp.npy_intp* steps = cnp.PyArray_STRIDES(mask)
    starts[0] = <Py_ssize_t*> malloc(a.heads * sizeof(Py_ssize_t))
    if starts[0] == NULL:
        raise MemoryError("attention needs more memory than there is")
    for n in range(cnp.PyArray_DIMS(query)[0]):
        for h in range(heads):
            starts[0][n * heads + h] = (n * steps[0] + h * steps[1]) // size
    a.mask_at, a.mask_rows, a.mask_columns = starts[0], steps[2] // size, steps[3] // size
    return <const char*> cnp.PyArray_DATA(mask)


cdef cnp.ndarray like(cnp.ndarray x, Py_ssize_t width, int kind):
    """An array of ``x``'s sizes, but the last."""
    cdef cnp.npy_intp[4] shape
    cdef int d
    for d in range(3):
        shape[d] = cnp.PyArray_DIMS(x)[d]
    shape[3] = width
    return cnp.PyArray_EMPTY(4, shape, kind, 0)


cdef object run(query, key, value, mask, grad, double scale, bint causal):
    """The output, or with ``grad`` the gradients of query, key and value."""
    cdef attention a
    cdef cnp.ndarray q, k, v, g, out, dq, dk, dv
    cdef Py_ssize_t* starts = NULL
    cdef int kind, failed
    for x in (query, key, value):
        if not cnp.PyArray_CheckExact(x):
            return None
    kind = kind_of(query)
    if kind < 0 or kind_of(key) != kind or kind_of(value) != kind:
        return None
    q, k, v = cnp.PyArray_GETCONTIGUOUS(query), cnp.PyArray_GETCONTIGUOUS(key), cnp.PyArray_GETCONTIGUOUS(value)
    a.heads = cnp.PyArray_DIMS(q)[0] * cnp.PyArray_DIMS(q)[1]
    a.queries, a.keys = cnp.PyArray_DIMS(q)[2], cnp.PyArray_DIMS(k)[2]
    a.width, a.depth = cnp.PyArray_DIMS(q)[3], cnp.PyArray_DIMS(v)[3]
    if query.shape[:2] != key.shape[:2] or query.shape[:2] != value.shape[:2] or query.shape[3] != key.shape[3] or (
            key.shape[2] != value.shape[2]):
        return None
    a.scale, a.causal, a.wide, a.failed = scale, causal, kind == cnp.NPY_FLOAT64, 0
    a.query, a.key, a.value = <const char*> cnp.PyArray_DATA(q), <const char*> cnp.PyArray_DATA(k), <const char*> cnp.PyArray_DATA(v)
    a.mask = NULL
    if mask is not None:
        if cnp.PyArray_TYPE(mask) != kind or mask.shape != (*query.shape[:3], key.shape[2]):
            return None
        if any([step % mask.itemsize for step in mask.strides]):
            mask = mask.copy()
    result = None
    try:
        if mask is not None:
            a.mask = place_mask(&a, mask, q, &starts)
        if grad is None:
            out = like(q, a.depth, kind)
            a.out = <char*> cnp.PyArray_DATA(out)
            with nogil:
                failed = attend(&a)
            result = out
        else:
            g = cnp.PyArray_GETCONTIGUOUS(grad)
            a.grad = <const char*> cnp.PyArray_DATA(g)
            dq, dk, dv = like(q, a.width, kind), like(k, a.width, kind), like(v, a.depth, kind)
            a.dquery, a.dkey, a.dvalue = <char*> cnp.PyArray_DATA(dq), <char*> cnp.PyArray_DATA(dk), <char*> cnp.PyArray_DATA(dv)
            with nogil:
                failed = attend_backward(&a)
            result = dq, dk, dv
    finally:
        free(starts)
    if failed:
        raise MemoryError("attention needs more memory than there is")
    return result


def attend_to(query, key, value, mask, double scale, bint causal):
    """``softmax(scale * query @ key.mT + mask) @ value``; a query whose mask leaves it nothing gets zeros."""
    return run(query, key, value, mask, None, scale, causal)


def attend_to_backward(grad, query, key, value, mask, double scale, bint causal):
    """The gradients of the same for query, key and value."""
    return run(query, key, value, mask, grad, scale, causal)
