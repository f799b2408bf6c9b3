# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/recurrent_loops.c
"""The scans of LSTMs and GRUs over equally long sequences in C, for float32 and float64.

As in ``small.pyx`` a kernel answers None where it does not apply, and the op's own steps run. ``product`` computes the products
with the weight, step by step (``product(x, y, out=)``); None: each thread does those of its own sequences.
"""
cimport numpy as cnp

cnp.import_array()

cdef extern from "recurrent_loops.h":
    ctypedef struct recurrence:
        Py_ssize_t steps
        Py_ssize_t batch
        Py_ssize_t hidden
        Py_ssize_t parts
        int reverse
        int wide
        int by_product
        const void* x
        const void* h0
        const void* c0
        const void* weight
        const void* bias
        const void* own
        void* out
        void* cells
        void* gates
        void* inner
        const void* grad_out
        const void* grad_cells
        const void* grad_gates
        const void* grad_inner
        void* dx
        void* d_own
        void* dh0
        void* dc0
        int failed
    const char* recurrent_obstacle
    int recurrent_start() except -1
    int lstm_forward(recurrence*) noexcept nogil
    int lstm_backward(recurrence*) noexcept nogil
    int gru_forward(recurrence*) noexcept nogil
    int gru_backward(recurrence*) noexcept nogil

recurrent_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if recurrent_obstacle == NULL else recurrent_obstacle.decode()

ctypedef int (*scan)(recurrence*) noexcept nogil


cdef list dense(arrays):
    """The arrays as the kernels read them: float32, or float64, of two dims (a bias: one); or None."""
    cdef int kind = cnp.PyArray_TYPE(arrays[0]) if cnp.PyArray_CheckExact(arrays[0]) else cnp.NPY_BOOL
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64:
        return None
    found = []
    for x in arrays:
        if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(x) != kind or cnp.PyArray_NDIM(x) == 0:
            return None
        found.append(cnp.PyArray_GETCONTIGUOUS(x))
    return found


cdef cnp.ndarray made(Py_ssize_t rows, Py_ssize_t columns, int kind, bint zeros=False):
    cdef cnp.npy_intp[2] shape
    shape[0], shape[1] = rows, columns
    return cnp.PyArray_ZEROS(2, shape, kind, 0) if zeros else cnp.PyArray_EMPTY(2, shape, kind, 0)


cdef bint describe(recurrence* l, cnp.ndarray first, cnp.ndarray weight, Py_ssize_t parts, Py_ssize_t steps, bint reverse,
                   product) noexcept:
    """Whether states like ``first``, (batch, hidden), and the weight fit each other."""
    cdef recurrence nothing
    if cnp.PyArray_NDIM(first) != 2 or cnp.PyArray_NDIM(weight) != 2:
        return False
    nothing.steps, nothing.batch, nothing.hidden, nothing.parts = steps, cnp.PyArray_DIMS(first)[0], cnp.PyArray_DIMS(first)[1], parts
    nothing.reverse, nothing.wide, nothing.by_product = reverse, cnp.PyArray_TYPE(first) == cnp.NPY_FLOAT64, product is not None
    nothing.x = nothing.h0 = nothing.c0 = nothing.bias = nothing.own = NULL
    nothing.out = nothing.cells = nothing.gates = nothing.inner = NULL
    nothing.grad_out = nothing.grad_cells = nothing.grad_gates = nothing.grad_inner = NULL
    nothing.dx = nothing.d_own = nothing.dh0 = nothing.dc0 = NULL
    nothing.failed = 0
    l[0] = nothing
    l.weight = cnp.PyArray_DATA(weight)
    return (steps > 0 and l.batch > 0 and l.hidden > 0 and cnp.PyArray_DIMS(weight)[0] == parts * l.hidden
            and cnp.PyArray_DIMS(weight)[1] == l.hidden)


cdef bint has_shape(cnp.ndarray x, Py_ssize_t rows, Py_ssize_t columns) noexcept:
    return cnp.PyArray_NDIM(x) == 2 and cnp.PyArray_DIMS(x)[0] == rows and cnp.PyArray_DIMS(x)[1] == columns


cdef void* at(cnp.ndarray x, Py_ssize_t row) noexcept:
    """Where a row of ``x`` begins."""
    return <char*> cnp.PyArray_DATA(x) + row * cnp.PyArray_STRIDES(x)[0] if cnp.PyArray_NDIM(x) == 2 else cnp.PyArray_DATA(x)


cdef int do(scan function, recurrence* l) except -1:
    cdef int failed
    with nogil:
        failed = function(l)
    if failed:
        raise MemoryError("a recurrent layer needs more memory than there is")
    return 0


def in_order(Py_ssize_t steps, bint reverse):
    """The number of each step, in the order in which a scan visits them; each beside the one before it, or -1."""
    numbers = range(steps - 1, -1, -1) if reverse else range(steps)
    return list(zip(numbers, [-1, *numbers]))


def lstm_steps(x, h0, c0, weight, Py_ssize_t steps, bint reverse, product):
    """Outputs, cells and gates of all rows; see ``lstm_scan``."""
    cdef recurrence l
    cdef cnp.ndarray out, cells, gates, own
    cdef Py_ssize_t number, earlier
    given = dense((x, h0, c0, weight))
    if given is None or not describe(&l, given[1], given[3], 4, steps, reverse, product):
        return None
    x, h0, c0, weight = given
    rows, kind = steps * l.batch, cnp.PyArray_TYPE(x)
    if not has_shape(c0, l.batch, l.hidden) or not has_shape(x, rows, 4 * l.hidden):
        return None
    out, cells, gates = made(rows, l.hidden, kind), made(rows, l.hidden, kind), made(rows, 4 * l.hidden, kind)
    if product is None:
        l.x, l.h0, l.c0 = at(x, 0), at(h0, 0), at(c0, 0)
        l.out, l.cells, l.gates = at(out, 0), at(cells, 0), at(gates, 0)
        do(lstm_forward, &l)
        return out, cells, gates
    l.steps, turned, own = 1, weight.T, made(l.batch, 4 * l.hidden, kind)
    for number, earlier in in_order(steps, reverse):
        product(h0 if earlier < 0 else out[earlier * l.batch:(earlier + 1) * l.batch], turned, out=own)
        number, earlier = number * l.batch, earlier * l.batch
        l.own, l.x, l.c0 = at(own, 0), at(x, number), at(c0, 0) if earlier < 0 else at(cells, earlier)
        l.h0, l.out, l.cells, l.gates = at(h0, 0), at(out, number), at(cells, number), at(gates, number)
        do(lstm_forward, &l)
    return out, cells, gates


def lstm_steps_backward(g_out, g_cells, g_gates, c0, weight, cells, gates, Py_ssize_t steps, bint reverse, product):
    """Gradients of the rows, of the first states h and c; and the outputs once more."""
    cdef recurrence l
    cdef cnp.ndarray out, dx, dh0, dc0
    cdef Py_ssize_t number, earlier
    given = dense((g_out, g_cells, g_gates, c0, weight, cells, gates))
    if given is None or not describe(&l, given[3], given[4], 4, steps, reverse, product):
        return None
    g_out, g_cells, g_gates, c0, weight, cells, gates = given
    rows, kind = steps * l.batch, cnp.PyArray_TYPE(cells)
    for one in g_out, g_cells, cells:
        if not has_shape(one, rows, l.hidden):
            return None
    if not has_shape(g_gates, rows, 4 * l.hidden) or not has_shape(gates, rows, 4 * l.hidden):
        return None
    out, dx = made(rows, l.hidden, kind), made(rows, 4 * l.hidden, kind)
    dh0, dc0 = made(l.batch, l.hidden, kind, True), made(l.batch, l.hidden, kind, True)
    l.dh0, l.dc0 = at(dh0, 0), at(dc0, 0)
    for number, earlier in in_order(steps, reverse)[::-1] if product is not None else [(0, -1)]:
        if product is not None:
            l.steps = 1
        number, earlier = number * l.batch, earlier * l.batch
        l.c0 = at(c0, 0) if earlier < 0 else at(cells, earlier)
        l.grad_out, l.grad_cells, l.grad_gates = at(g_out, number), at(g_cells, number), at(g_gates, number)
        l.cells, l.gates, l.out, l.dx = at(cells, number), at(gates, number), at(out, number), at(dx, number)
        do(lstm_backward, &l)
        if product is not None:
            product(dx[number:number + l.batch], weight, out=dh0)
    return dx, dh0, dc0, out


def gru_steps(x, h0, weight, bias, Py_ssize_t steps, bint reverse, product):
    """Outputs, gates and what the states add to the last gate, of all rows; see ``gru_scan``."""
    cdef recurrence l
    cdef cnp.ndarray out, gates, inner, own
    cdef Py_ssize_t number, earlier
    given = dense((x, h0, weight) if bias is None else (x, h0, weight, bias))
    if given is None or not describe(&l, given[1], given[2], 3, steps, reverse, product):
        return None
    x, h0, weight = given[:3]
    rows, kind = steps * l.batch, cnp.PyArray_TYPE(x)
    bias = made(1, 3 * l.hidden, kind, True) if bias is None else given[3]
    if cnp.PyArray_SIZE(bias) != 3 * l.hidden or not has_shape(x, rows, 3 * l.hidden):
        return None
    out, gates, inner = made(rows, l.hidden, kind), made(rows, 3 * l.hidden, kind), made(rows, l.hidden, kind)
    l.bias = cnp.PyArray_DATA(bias)
    if product is None:
        l.x, l.h0, l.out, l.gates, l.inner = at(x, 0), at(h0, 0), at(out, 0), at(gates, 0), at(inner, 0)
        do(gru_forward, &l)
        return out, gates, inner
    l.steps, turned, own = 1, weight.T, made(l.batch, 3 * l.hidden, kind)
    for number, earlier in in_order(steps, reverse):
        before = h0 if earlier < 0 else out[earlier * l.batch:(earlier + 1) * l.batch]
        product(before, turned, out=own)
        number *= l.batch
        l.own, l.x, l.h0 = at(own, 0), at(x, number), at(before, 0)
        l.out, l.gates, l.inner = at(out, number), at(gates, number), at(inner, number)
        do(gru_forward, &l)
    return out, gates, inner


def gru_steps_backward(g_out, g_gates, g_inner, h0, weight, out, gates, inner, Py_ssize_t steps, bint reverse, product):
    """Gradients of the rows, of what the states added to the gates, and of the first state."""
    cdef recurrence l
    cdef cnp.ndarray dx, d_own, dh0
    cdef Py_ssize_t number, earlier
    given = dense((g_out, g_gates, g_inner, h0, weight, out, gates, inner))
    if given is None or not describe(&l, given[3], given[4], 3, steps, reverse, product):
        return None
    g_out, g_gates, g_inner, h0, weight, out, gates, inner = given
    rows, kind = steps * l.batch, cnp.PyArray_TYPE(out)
    for one in g_out, g_inner, out, inner:
        if not has_shape(one, rows, l.hidden):
            return None
    if not has_shape(g_gates, rows, 3 * l.hidden) or not has_shape(gates, rows, 3 * l.hidden):
        return None
    dx, d_own, dh0 = made(rows, 3 * l.hidden, kind), made(rows, 3 * l.hidden, kind), made(l.batch, l.hidden, kind, True)
    l.dh0 = at(dh0, 0)
    for number, earlier in in_order(steps, reverse)[::-1] if product is not None else [(0, -1)]:
        if product is not None:
            l.steps = 1
        number, earlier = number * l.batch, earlier * l.batch
        l.h0 = at(h0, 0) if earlier < 0 else at(out, earlier)
        l.grad_out, l.grad_gates, l.grad_inner = at(g_out, number), at(g_gates, number), at(g_inner, number)
        l.out, l.gates, l.inner, l.dx, l.d_own = (
            at(out, number), at(gates, number), at(inner, number), at(dx, number), at(d_own, number))
        do(gru_backward, &l)
        if product is not None:
            dh0 += product(d_own[number:number + l.batch], weight)
    return dx, d_own, dh0
