# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Elementwise kernels for small contiguous float32 and float64 arrays.

NumPy needs about 0.3 µs to start a loop, more than a small array's arithmetic takes; these need 0.07. A kernel
answers None where it does not apply (another dtype or layout, broadcasting, a large array, where NumPy's vector
loops win), and the op's own forward or rule runs instead. Declarations name their kernels; every function of this file and of
others called ``small*`` can be named, and is found by its name.
"""
cimport numpy as cnp

from leafward import dtypes

cnp.import_array()

cdef object float32 = dtypes.float32
cdef object float64 = dtypes.float64

#: Above this many elements NumPy's vectorised loops are faster.
DEF LIMIT = 1024

# Below, a kernel is a line: its name, by which declarations find it, and what it makes of an element `a`, or of two, `a` and
# `b`. `F` chooses a function's float or double form, and what stands beside `1.0` is computed in double. Each line becomes one
# loop for either type.
cdef extern from *:
    """
    #include <math.h>

    #define OF_ONE(KERNEL) \
        KERNEL(neg, -a) \
        KERNEL(abs, F(fabs)(a)) \
        KERNEL(relu, a <= 0 ? 0 : a) \
        KERNEL(square, a * a) \
        KERNEL(exp, F(exp)(a)) \
        KERNEL(log, F(log)(a)) \
        KERNEL(sqrt, F(sqrt)(a)) \
        KERNEL(sin, F(sin)(a)) \
        KERNEL(cos, F(cos)(a)) \
        KERNEL(tanh, F(tanh)(a)) \
        KERNEL(sigmoid, 1.0 / (1.0 + F(exp)(-a)))

    #define OF_TWO(KERNEL) \
        KERNEL(add, a + b) \
        KERNEL(sub, a - b) \
        KERNEL(mul, a * b) \
        KERNEL(div, a / b) \
        KERNEL(sigmoid_grad, a * ((1.0 - b) * b)) \
        KERNEL(tanh_grad, a * (1.0 - b * b)) \
        KERNEL(relu_grad, b <= 0 ? 0 : a)

    #define LOOP_OVER_ONE(T, function, value) \
        static void function(const T *x, T *out, Py_ssize_t n) { \
            for (Py_ssize_t i = 0; i < n; i++) { T a = x[i]; out[i] = value; } \
        }
    /* A step of 0 repeats a 0-dim operand. */
    #define LOOP_OVER_TWO(T, function, value) \
        static void function(const T *x, Py_ssize_t dx, const T *y, Py_ssize_t dy, T *out, Py_ssize_t n) { \
            if (dx && dy) for (Py_ssize_t i = 0; i < n; i++) { T a = x[i], b = y[i]; out[i] = value; } \
            else for (Py_ssize_t i = 0; i < n; i++) { T a = x[i * dx], b = y[i * dy]; out[i] = value; } \
        }

    #define F(function) function##f
    #define FLOAT_OF_ONE(name, value) LOOP_OVER_ONE(float, name##_of_floats, value)
    #define FLOAT_OF_TWO(name, value) LOOP_OVER_TWO(float, name##_of_floats, value)
    OF_ONE(FLOAT_OF_ONE)
    OF_TWO(FLOAT_OF_TWO)
    #undef F
    #define F(function) function
    #define DOUBLE_OF_ONE(name, value) LOOP_OVER_ONE(double, name##_of_doubles, value)
    #define DOUBLE_OF_TWO(name, value) LOOP_OVER_TWO(double, name##_of_doubles, value)
    OF_ONE(DOUBLE_OF_ONE)
    OF_TWO(DOUBLE_OF_TWO)

    #define ENTRY(name, value) {#name, name##_of_floats, name##_of_doubles},
    typedef struct { const char *name; void (*floats)(const float *, float *, Py_ssize_t);
                     void (*doubles)(const double *, double *, Py_ssize_t); } LoopsOfOne;
    typedef struct { const char *name;
                     void (*floats)(const float *, Py_ssize_t, const float *, Py_ssize_t, float *, Py_ssize_t);
                     void (*doubles)(const double *, Py_ssize_t, const double *, Py_ssize_t, double *, Py_ssize_t); } LoopsOfTwo;
    static const LoopsOfOne kernels_of_one[] = {OF_ONE(ENTRY) {0}};
    static const LoopsOfTwo kernels_of_two[] = {OF_TWO(ENTRY) {0}};
    """
    ctypedef struct LoopsOfOne:
        const char* name
        void (*floats)(const float*, float*, Py_ssize_t) noexcept nogil
        void (*doubles)(const double*, double*, Py_ssize_t) noexcept nogil
    ctypedef struct LoopsOfTwo:
        const char* name
        void (*floats)(const float*, Py_ssize_t, const float*, Py_ssize_t, float*, Py_ssize_t) noexcept nogil
        void (*doubles)(const double*, Py_ssize_t, const double*, Py_ssize_t, double*, Py_ssize_t) noexcept nogil
    const LoopsOfOne kernels_of_one[]
    const LoopsOfTwo kernels_of_two[]
    void add_of_floats(const float*, Py_ssize_t, const float*, Py_ssize_t, float*, Py_ssize_t) noexcept nogil
    void add_of_doubles(const double*, Py_ssize_t, const double*, Py_ssize_t, double*, Py_ssize_t) noexcept nogil


cdef inline bint fits(object x) noexcept:
    """Whether ``x`` is a small, contiguous array of float32 or float64."""
    cdef int kind
    if not cnp.PyArray_CheckExact(x):
        return False
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if kind != cnp.NPY_FLOAT32 and kind != cnp.NPY_FLOAT64:
        return False
    return cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) and cnp.PyArray_SIZE(<cnp.ndarray> x) <= LIMIT


cdef bint can_hold(object out, cnp.ndarray shape, object x, object y) noexcept:
    """Whether a kernel may write into ``out`` what it makes, in the shape of ``shape``, of ``x``, an array, and ``y``."""
    cdef int i
    cdef char* start
    cdef char* other
    if not fits(out) or cnp.PyArray_TYPE(<cnp.ndarray> out) != cnp.PyArray_TYPE(shape) \
            or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> out) or not cnp.PyArray_ISALIGNED(<cnp.ndarray> out) \
            or cnp.PyArray_NDIM(<cnp.ndarray> out) != cnp.PyArray_NDIM(shape):
        return False
    for i in range(cnp.PyArray_NDIM(shape)):
        if cnp.PyArray_DIMS(<cnp.ndarray> out)[i] != cnp.PyArray_DIMS(shape)[i]:
            return False
    start = <char*> cnp.PyArray_DATA(<cnp.ndarray> out)
    for operand in (x, y):              # in the same place element by element, or elsewhere
        if cnp.PyArray_CheckExact(operand):
            other = <char*> cnp.PyArray_DATA(<cnp.ndarray> operand)
            if not (start == other and cnp.PyArray_NBYTES(<cnp.ndarray> operand) == cnp.PyArray_NBYTES(<cnp.ndarray> out)) and (
                    start < other + cnp.PyArray_NBYTES(<cnp.ndarray> operand)
                    and other < start + cnp.PyArray_NBYTES(<cnp.ndarray> out)):
                return False
    return True


cdef object apply_one(const LoopsOfOne* loops, object x, object given):
    cdef cnp.ndarray out
    if not fits(x):
        return None
    if given is not None:
        if not can_hold(given, x, x, None):
            return None
        out = given
    else:
        out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.PyArray_TYPE(x), 0)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        loops.floats(<float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(out), cnp.PyArray_SIZE(out))
    else:
        loops.doubles(<double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(out), cnp.PyArray_SIZE(out))
    return out


cdef object apply_two(const LoopsOfTwo* loops, object x, object y, object given):
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
    if given is not None:
        if not can_hold(given, shape, x, y):
            return None
        out = given
    else:
        out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(shape), cnp.PyArray_DIMS(shape), cnp.PyArray_TYPE(x), 0)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        loops.floats(<float*> cnp.PyArray_DATA(x), dx, <float*> other, dy, <float*> cnp.PyArray_DATA(out),
                     cnp.PyArray_SIZE(out))
    else:
        loops.doubles(<double*> cnp.PyArray_DATA(x), dx, <double*> other, dy, <double*> cnp.PyArray_DATA(out),
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
        add_of_floats(<float*> cnp.PyArray_DATA(x), 1, <float*> cnp.PyArray_DATA(y), 1, <float*> cnp.PyArray_DATA(x),
                      cnp.PyArray_SIZE(x))
    else:
        add_of_doubles(<double*> cnp.PyArray_DATA(x), 1, <double*> cnp.PyArray_DATA(y), 1, <double*> cnp.PyArray_DATA(x),
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


def view(object x, object shape, object dtype):
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


cdef make_one(const LoopsOfOne* loops):
    def kernel(x, out=None):
        return apply_one(loops, x, out)
    return kernel


cdef make_two(const LoopsOfTwo* loops):
    def kernel(x, y, out=None):
        return apply_two(loops, x, y, out)
    return kernel


cdef int position = 0
while kernels_of_one[position].name:
    globals()[kernels_of_one[position].name.decode()] = make_one(&kernels_of_one[position])
    position += 1
position = 0
while kernels_of_two[position].name:
    globals()[kernels_of_two[position].name.decode()] = make_two(&kernels_of_two[position])
    position += 1
