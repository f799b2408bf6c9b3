# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Elementwise kernels for small contiguous float32 and float64 arrays.

NumPy needs about 0.3 µs to start a loop, more than a small array's arithmetic takes; these need 0.07. A kernel
answers None where it does not apply (another dtype or layout, broadcasting, a large array, where NumPy's vector
loops win), and the op's own forward or rule runs instead. Every kernel is named in the declaration that it serves,
and the tests hold the two to the same values.
"""
cimport cython
from cpython.ref cimport PyObject
from libc.math cimport cos, cosf, exp, expf, fabs, fabsf, log, logf, sin, sinf, sqrt, sqrtf, tanh, tanhf
cimport numpy as cnp

from leafward import dtypes

cnp.import_array()

cdef object float32 = dtypes.float32
cdef object float64 = dtypes.float64

#: Above this many elements NumPy's vectorised loops are faster.
DEF LIMIT = 1024

cdef enum Code:
    ADD, SUB, MUL, DIV, SIGMOID_GRAD, TANH_GRAD, RELU_GRAD
    NEG, EXP, LOG, SQRT, TANH, SIGMOID, RELU, ABS, SIN, COS, SQUARE


cdef inline bint fits(object x) noexcept:
    """Whether ``x`` is a small, contiguous array of float32 or float64."""
    cdef int kind
    if not cnp.PyArray_CheckExact(x):
        return False
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64:
        return False
    return cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) and cnp.PyArray_SIZE(<cnp.ndarray> x) <= LIMIT


cdef inline void two(Code code, cython.floating* x, Py_ssize_t dx, cython.floating* y, Py_ssize_t dy,
                     cython.floating* out, Py_ssize_t n) noexcept nogil:
    """``out[i] = x[i * dx] <code> y[i * dy]``; a step of 0 repeats a 0-dim operand."""
    cdef Py_ssize_t i
    if code == MUL:
        if dx and dy:
            for i in range(n):
                out[i] = x[i] * y[i]
        else:
            for i in range(n):
                out[i] = x[i * dx] * y[i * dy]
    elif code == ADD:
        if dx and dy:
            for i in range(n):
                out[i] = x[i] + y[i]
        else:
            for i in range(n):
                out[i] = x[i * dx] + y[i * dy]
    elif code == SUB:
        for i in range(n):
            out[i] = x[i * dx] - y[i * dy]
    elif code == DIV:
        for i in range(n):
            out[i] = x[i * dx] / y[i * dy]
    elif code == SIGMOID_GRAD:
        for i in range(n):
            out[i] = x[i * dx] * ((1 - y[i * dy]) * y[i * dy])
    elif code == TANH_GRAD:
        for i in range(n):
            out[i] = x[i * dx] * (1 - y[i * dy] * y[i * dy])
    else:
        for i in range(n):
            out[i] = 0 if y[i * dy] <= 0 else x[i * dx]


cdef inline void one(Code code, cython.floating* x, cython.floating* out, Py_ssize_t n) noexcept nogil:
    """``out[i] = <code> x[i]``."""
    cdef Py_ssize_t i
    if code == NEG:
        for i in range(n):
            out[i] = -x[i]
    elif code == RELU:
        for i in range(n):
            out[i] = 0 if x[i] <= 0 else x[i]
    elif code == SQUARE:
        for i in range(n):
            out[i] = x[i] * x[i]
    elif code == EXP:
        for i in range(n):
            out[i] = expf(x[i]) if cython.floating is float else exp(x[i])
    elif code == LOG:
        for i in range(n):
            out[i] = logf(x[i]) if cython.floating is float else log(x[i])
    elif code == SQRT:
        for i in range(n):
            out[i] = sqrtf(x[i]) if cython.floating is float else sqrt(x[i])
    elif code == TANH:
        for i in range(n):
            out[i] = tanhf(x[i]) if cython.floating is float else tanh(x[i])
    elif code == SIGMOID:
        for i in range(n):
            out[i] = 1 / (1 + (expf(-x[i]) if cython.floating is float else exp(-x[i])))
    elif code == ABS:
        for i in range(n):
            out[i] = fabsf(x[i]) if cython.floating is float else fabs(x[i])
    elif code == SIN:
        for i in range(n):
            out[i] = sinf(x[i]) if cython.floating is float else sin(x[i])
    else:
        for i in range(n):
            out[i] = cosf(x[i]) if cython.floating is float else cos(x[i])


cdef object apply_one(Code code, object x):
    cdef cnp.ndarray out
    if not fits(x):
        return None
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.PyArray_TYPE(x), 0)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        one(code, <float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(out), cnp.PyArray_SIZE(out))
    else:
        one(code, <double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(out), cnp.PyArray_SIZE(out))
    return out


cdef object apply_two(Code code, object x, object y):
    cdef cnp.ndarray out, shape
    cdef float single
    cdef double number
    cdef Py_ssize_t dx = 1, dy = 1, i
    cdef void* other
    if not fits(x):
        return None
    shape = x
    if isinstance(y, float) or type(y) is int:
        try:
            number = y
        except OverflowError:
            return None
        single = <float> number
        other = <void*> &single if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32 else <void*> &number
        dy = 0
    else:
        if not fits(y) or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(y):
            return None
        other = cnp.PyArray_DATA(y)
        if cnp.PyArray_NDIM(x) == cnp.PyArray_NDIM(y):
            for i in range(cnp.PyArray_NDIM(x)):
                if cnp.PyArray_DIMS(x)[i] != cnp.PyArray_DIMS(y)[i]:
                    return None
        elif cnp.PyArray_NDIM(y) == 0:
            dy = 0
        elif cnp.PyArray_NDIM(x) == 0:
            dx, shape = 0, y
        else:
            return None
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(shape), cnp.PyArray_DIMS(shape), cnp.PyArray_TYPE(x), 0)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        two(code, <float*> cnp.PyArray_DATA(x), dx, <float*> other, dy, <float*> cnp.PyArray_DATA(out),
            cnp.PyArray_SIZE(out))
    else:
        two(code, <double*> cnp.PyArray_DATA(x), dx, <double*> other, dy, <double*> cnp.PyArray_DATA(out),
            cnp.PyArray_SIZE(out))
    return out


def add_into(object x, object y):
    """``x += y``; True when that was done. Not where they share memory: NumPy then works on a copy."""
    cdef Py_ssize_t i
    cdef char* first
    cdef char* second
    if not fits(x) or not fits(y) or cnp.PyArray_TYPE(x) != cnp.PyArray_TYPE(y) or cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(y):
        return None
    if not cnp.PyArray_ISWRITEABLE(x):
        return None
    for i in range(cnp.PyArray_NDIM(x)):
        if cnp.PyArray_DIMS(x)[i] != cnp.PyArray_DIMS(y)[i]:
            return None
    first, second = <char*> cnp.PyArray_DATA(x), <char*> cnp.PyArray_DATA(y)
    if first < second + cnp.PyArray_NBYTES(y) and second < first + cnp.PyArray_NBYTES(x):
        return None
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        two(ADD, <float*> cnp.PyArray_DATA(x), 1, <float*> cnp.PyArray_DATA(y), 1, <float*> cnp.PyArray_DATA(x),
            cnp.PyArray_SIZE(x))
    else:
        two(ADD, <double*> cnp.PyArray_DATA(x), 1, <double*> cnp.PyArray_DATA(y), 1, <double*> cnp.PyArray_DATA(x),
            cnp.PyArray_SIZE(x))
    return True


cpdef bint same_kind(object x, object shape, object dtype):
    """Whether ``x`` is a float32 or float64 array of exactly this shape and dtype; of other dtypes it says no."""
    cdef int kind = cnp.NPY_FLOAT32 if dtype is float32 else cnp.NPY_FLOAT64 if dtype is float64 else -1
    cdef Py_ssize_t i
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != kind or type(shape) is not tuple:
        return False
    if cnp.PyArray_NDIM(<cnp.ndarray> x) != len(<tuple> shape):
        return False
    for i in range(len(<tuple> shape)):
        if cnp.PyArray_DIMS(<cnp.ndarray> x)[i] != <Py_ssize_t> (<tuple> shape)[i]:
            return False
    return True


cpdef viewed(object x, object shape, object dtype):
    """A row-major array under another shape, of which one size may be -1; None for whatever is less usual."""
    cdef cnp.npy_intp sizes[8]
    cdef cnp.npy_intp known = 1, size, total
    cdef int i, unknown = -1
    cdef cnp.PyArray_Dims dims
    if dtype is not None or type(shape) is not tuple or not cnp.PyArray_CheckExact(x):
        return None
    array = <cnp.ndarray> x
    ndim = cnp.PyArray_NDIM(array)
    total = cnp.PyArray_SIZE(array)
    # Elements of a last dim of size one may lie at any distance, which PyTorch's strides would show.
    if total == 0 or ndim == 0 or not cnp.PyArray_IS_C_CONTIGUOUS(array) or cnp.PyArray_DIM(array, ndim - 1) == 1:
        return None
    count = len(<tuple> shape)
    if count == 0 or count > 8:
        return None
    for i in range(count):
        if type((<tuple> shape)[i]) is not int:
            return None
        try:
            size = (<tuple> shape)[i]
        except OverflowError:
            return None
        if size == -1 and unknown < 0:
            unknown = i
            size = 1
        if size < 1 or size > total // known:
            return None
        known *= size
        sizes[i] = size
    if unknown >= 0 and total % known == 0:
        sizes[unknown] = total // known
    elif known != total:
        return None
    dims.ptr, dims.len = sizes, <int> count
    return cnp.PyArray_Newshape(array, &dims, cnp.NPY_CORDER)


cdef make_one(Code code):
    def kernel(x):
        return apply_one(code, x)
    return kernel


cdef make_two(Code code):
    def kernel(x, y):
        return apply_two(code, x, y)
    return kernel


#: Kernels by the name that declarations give.
kernels = {
    "add": make_two(ADD), "sub": make_two(SUB), "mul": make_two(MUL), "div": make_two(DIV),
    "sigmoid_grad": make_two(SIGMOID_GRAD), "tanh_grad": make_two(TANH_GRAD), "relu_grad": make_two(RELU_GRAD),
    "neg": make_one(NEG), "exp": make_one(EXP), "log": make_one(LOG), "sqrt": make_one(SQRT), "tanh": make_one(TANH),
    "sigmoid": make_one(SIGMOID), "relu": make_one(RELU), "abs": make_one(ABS), "sin": make_one(SIN),
    "cos": make_one(COS), "square": make_one(SQUARE), "add_into": add_into,
    "view": viewed,
}
