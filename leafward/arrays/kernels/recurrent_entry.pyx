# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/recurrent_loops.c
"""The scan of an LSTM over equally long sequences in C, for float32 and float64.

As in ``small.pyx`` a kernel answers None where it does not apply, and the op's own steps run.
"""
cimport numpy as cnp

cnp.import_array()

cdef extern from "recurrent_loops.h":
    ctypedef struct lstm:
        Py_ssize_t steps
        Py_ssize_t batch
        Py_ssize_t hidden
        int reverse
        int wide
        const void* x
        const void* h0
        const void* c0
        const void* weight
        void* out
        void* cells
        void* gates
        const void* grad_out
        const void* grad_cells
        const void* grad_gates
        void* dx
        void* dh0
        void* dc0
        int failed
    const char* recurrent_obstacle
    int recurrent_start() except -1
    int c_forward "lstm_forward" (lstm*) noexcept nogil
    int c_backward "lstm_backward" (lstm*) noexcept nogil

recurrent_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if recurrent_obstacle == NULL else recurrent_obstacle.decode()


cdef list dense(arrays, int kind):
    """The arrays as the kernels read them, or None."""
    found = []
    for x in arrays:
        if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(x) != kind or cnp.PyArray_NDIM(x) != 2:
            return None
        found.append(cnp.PyArray_GETCONTIGUOUS(x))
    return found


cdef cnp.ndarray made(Py_ssize_t rows, Py_ssize_t columns, int kind):
    cdef cnp.npy_intp[2] shape
    shape[0], shape[1] = rows, columns
    return cnp.PyArray_EMPTY(2, shape, kind, 0)


cdef int describe(lstm* l, cnp.ndarray c0, cnp.ndarray weight, Py_ssize_t steps, bint reverse, int kind) noexcept:
    l.steps, l.batch, l.hidden = steps, cnp.PyArray_DIMS(c0)[0], cnp.PyArray_DIMS(c0)[1]
    l.reverse, l.wide, l.failed = reverse, kind == cnp.NPY_FLOAT64, 0
    l.c0, l.weight = cnp.PyArray_DATA(c0), cnp.PyArray_DATA(weight)
    return steps > 0 and l.batch > 0 and l.hidden > 0


def lstm_steps(x, h0, c0, weight, Py_ssize_t steps, bint reverse):
    """Outputs, cells and gates of all rows; see ``lstm_scan``."""
    cdef lstm l
    cdef int kind = cnp.PyArray_TYPE(x), failed
    cdef cnp.ndarray out, cells, gates
    given = dense((x, h0, c0, weight), kind) if kind in (cnp.NPY_FLOAT32, cnp.NPY_FLOAT64) else None
    if given is None or not describe(&l, given[2], given[3], steps, reverse, kind):
        return None
    if h0.shape != c0.shape or x.shape != (steps * l.batch, 4 * l.hidden) or weight.shape != (4 * l.hidden, l.hidden):
        return None
    l.x, l.h0 = cnp.PyArray_DATA(given[0]), cnp.PyArray_DATA(given[1])
    rows = steps * l.batch
    out, cells, gates = made(rows, l.hidden, kind), made(rows, l.hidden, kind), made(rows, 4 * l.hidden, kind)
    l.out, l.cells, l.gates = cnp.PyArray_DATA(out), cnp.PyArray_DATA(cells), cnp.PyArray_DATA(gates)
    with nogil:
        failed = c_forward(&l)
    if failed:
        raise MemoryError("an LSTM needs more memory than there is")
    return out, cells, gates


def lstm_steps_backward(g_out, g_cells, g_gates, c0, weight, cells, gates, Py_ssize_t steps, bint reverse):
    """Gradients of the rows, of the first states h and c; and the outputs once more."""
    cdef lstm l
    cdef int kind = cnp.PyArray_TYPE(cells), failed
    cdef cnp.ndarray out, dx, dh0, dc0
    given = dense((g_out, g_cells, g_gates, c0, weight, cells, gates), kind) if kind in (cnp.NPY_FLOAT32, cnp.NPY_FLOAT64) else None
    if given is None or not describe(&l, given[3], given[4], steps, reverse, kind):
        return None
    rows = steps * l.batch
    if g_out.shape != (rows, l.hidden) or weight.shape != (4 * l.hidden, l.hidden) or cells.shape != (rows, l.hidden):
        return None
    l.grad_out, l.grad_cells, l.grad_gates = (
        cnp.PyArray_DATA(given[0]), cnp.PyArray_DATA(given[1]), cnp.PyArray_DATA(given[2]))
    l.cells, l.gates = cnp.PyArray_DATA(given[5]), cnp.PyArray_DATA(given[6])
    out, dx = made(rows, l.hidden, kind), made(rows, 4 * l.hidden, kind)
    dh0, dc0 = made(l.batch, l.hidden, kind), made(l.batch, l.hidden, kind)
    l.out, l.dx, l.dh0, l.dc0 = cnp.PyArray_DATA(out), cnp.PyArray_DATA(dx), cnp.PyArray_DATA(dh0), cnp.PyArray_DATA(dc0)
    with nogil:
        failed = c_backward(&l)
    if failed:
        raise MemoryError("an LSTM needs more memory than there is")
    return dx, dh0, dc0, out
