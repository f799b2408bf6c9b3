# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""``sgd`` and ``adam`` of ``optim.py`` in one pass over memory, operation for operation the same.

Each returns whether it did the update: it does those of aligned, contiguous float32 or float64 arrays.
"""
cimport numpy as cnp
from cython cimport floating
from libc.math cimport pow, sqrt, sqrtf

cnp.import_array()


cdef inline bint is_like(object a, int kind, cnp.npy_intp size) noexcept:
    """Whether ``a`` is None, or a behaved C-contiguous array of this type and size."""
    if a is None:
        return True
    if type(a) is not cnp.ndarray:
        return False
    cdef cnp.ndarray array = <cnp.ndarray>a
    return (cnp.PyArray_TYPE(array) == kind and cnp.PyArray_SIZE(array) == size
            and cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_ISBEHAVED(array))


cdef inline void* data(object a) noexcept:
    return NULL if a is None else cnp.PyArray_DATA(<cnp.ndarray>a)


cdef inline floating root(floating x) noexcept nogil:
    if floating is float:
        return sqrtf(x)
    else:                                     # without it Cython calls the double branch unreachable
        return sqrt(x)


cdef void sgd_loop(cnp.npy_intp n, floating* p, const floating* g, floating* buffer, bint is_new, floating lr,
                   floating momentum, floating undamped, floating decay, bint nesterov, floating sign) noexcept nogil:
    cdef cnp.npy_intp i
    cdef floating d
    if buffer == NULL:
        for i in range(n):
            d = sign * g[i]
            if decay != 0:
                d = d + p[i] * decay
            p[i] = p[i] - d * lr
        return
    for i in range(n):
        d = sign * g[i]
        if decay != 0:
            d = d + p[i] * decay
        buffer[i] = d if is_new else buffer[i] * momentum + d * undamped
        d = d + buffer[i] * momentum if nesterov else buffer[i]
        p[i] = p[i] - d * lr


def sgd(p, g, buffer, bint is_new, double lr, double momentum, double dampening, double weight_decay, bint nesterov,
        bint maximize):
    """``optim.sgd`` if the arrays allow; whether they did."""
    if type(p) is not cnp.ndarray:
        return False
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>p)
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(<cnp.ndarray>p)
    if not (is_like(p, kind, n) and is_like(g, kind, n) and is_like(buffer, kind, n)):
        return False
    if kind == cnp.NPY_FLOAT:
        sgd_loop[float](n, <float*>data(p), <float*>data(g), <float*>data(buffer), is_new, <float>lr,
                        <float>momentum, <float>(1 - dampening), <float>weight_decay, nesterov,
                        -1 if maximize else 1)
    elif kind == cnp.NPY_DOUBLE:
        sgd_loop[double](n, <double*>data(p), <double*>data(g), <double*>data(buffer), is_new, lr, momentum,
                         1 - dampening, weight_decay, nesterov, -1 if maximize else 1)
    else:
        return False
    return True


cdef void adam_loop(cnp.npy_intp n, floating* p, const floating* g, floating* mean, floating* square,
                    floating* largest, floating size, floating shrink, floating rest1, floating weight1,
                    floating beta2, floating weight2, floating root2, floating eps, floating decay,
                    floating sign) noexcept nogil:
    cdef cnp.npy_intp i
    cdef floating d, v
    cdef bint near = weight1 < 0.5
    for i in range(n):
        d = sign * g[i]
        if shrink != 1:
            p[i] = p[i] * shrink
        if decay != 0:
            d = d + p[i] * decay
        mean[i] = mean[i] + (d - mean[i]) * weight1 if near else d - (d - mean[i]) * rest1
        v = square[i] * beta2 + d * weight2 * d
        square[i] = v
        if largest != NULL:
            if v > largest[i] or v != v:
                largest[i] = v
            v = largest[i]
        p[i] = p[i] - size * mean[i] / (root(v) / root2 + eps)


def adam(p, g, step, mean, square, largest, double lr, double beta1, double beta2, double eps, double weight_decay,
         bint decoupled, bint maximize):
    """``optim.adam`` if the arrays allow; whether they did."""
    if type(p) is not cnp.ndarray or type(step) is not cnp.ndarray:
        return False
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray>p)
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(<cnp.ndarray>p)
    if not (is_like(p, kind, n) and is_like(g, kind, n) and is_like(mean, kind, n) and is_like(square, kind, n)
            and is_like(largest, kind, n)) or (kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE):
        return False
    cdef double t
    if is_like(step, cnp.NPY_FLOAT, 1):
        (<float*>data(step))[0] += 1
        t = (<float*>data(step))[0]
    elif is_like(step, cnp.NPY_DOUBLE, 1):
        (<double*>data(step))[0] += 1
        t = (<double*>data(step))[0]
    else:
        return False
    cdef double size = lr / (1 - pow(beta1, t))
    cdef double root2 = sqrt(1 - pow(beta2, t))
    cdef double shrink = 1 - lr * weight_decay if decoupled else 1
    cdef double decay = 0 if decoupled else weight_decay
    cdef double weight1 = 1 - beta1
    cdef double rest1 = 1 - weight1
    if kind == cnp.NPY_FLOAT:
        adam_loop[float](n, <float*>data(p), <float*>data(g), <float*>data(mean), <float*>data(square),
                         <float*>data(largest), <float>size, <float>shrink, <float>rest1, <float>weight1,
                         <float>beta2, <float>(1 - beta2), <float>root2, <float>eps, <float>decay,
                         -1 if maximize else 1)
    else:
        adam_loop[double](n, <double*>data(p), <double*>data(g), <double*>data(mean), <double*>data(square),
                          <double*>data(largest), size, shrink, rest1, weight1, beta2, 1 - beta2, root2, eps,
                          decay, -1 if maximize else 1)
    return True
