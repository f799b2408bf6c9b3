# distutils: sources = leafward/arrays/kernels/step_loops.c
# distutils: extra_compile_args = -ffp-contract=off
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The updates of ``optim.py`` in one pass over memory, operation for operation the same. The loops are in C.

Each returns whether it did the update: it does those of aligned, contiguous float32 or float64 arrays, and has changed nothing
where it says no.
"""
cimport numpy as cnp
from libc.math cimport sqrt

cdef extern from "step_loops.h":
    ctypedef struct step_job:
        Py_ssize_t n
        void* p
        void* a
        void* b
        void* c
        const void* g
        double k[8]
        double rectified, decay, shrink
        int descends, flag
    enum: SGD, ADAM, ADAMAX, NADAM, RADAM, RMSPROP, ADAGRAD, ADADELTA, ASGD, RPROP, COMBINED
    int prepare_steps() except -1
    void step_loops(step_job* job, int which, int wide) noexcept nogil

cnp.import_array()
prepare_steps()


cdef inline bint is_like(object x, int kind, cnp.npy_intp size) noexcept:
    """Whether ``x`` is None, or a behaved C-contiguous array of this type and size."""
    if x is None:
        return True
    if type(x) is not cnp.ndarray:
        return False
    return (cnp.PyArray_TYPE(<cnp.ndarray> x) == kind and cnp.PyArray_SIZE(<cnp.ndarray> x) == size
            and cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x) and cnp.PyArray_ISBEHAVED(<cnp.ndarray> x))


cdef inline void* data(object x) noexcept:
    return NULL if x is None else cnp.PyArray_DATA(<cnp.ndarray> x)


cdef bint fits(step_job* job, object p, object g, object a, object b, object c, bint maximize) except -1:
    """Whether the arrays can be updated in C; then ``job`` has them."""
    if type(p) is not cnp.ndarray:
        return False
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> p)
    job.n = cnp.PyArray_SIZE(<cnp.ndarray> p)
    if kind != cnp.NPY_FLOAT and kind != cnp.NPY_DOUBLE:
        return False
    if not (is_like(p, kind, job.n) and is_like(g, kind, job.n) and is_like(a, kind, job.n) and is_like(b, kind, job.n)
            and is_like(c, kind, job.n)):
        return False
    job.p, job.g, job.a, job.b, job.c = data(p), data(g), data(a), data(b), data(c)
    job.descends, job.flag, job.decay, job.shrink = not maximize, 0, 0, 1
    return True


cdef bint is_counter(object x) except -1:
    """Whether ``x`` is one number to be counted on: float32 or float64."""
    return is_like(x, cnp.NPY_FLOAT, 1) and x is not None or is_like(x, cnp.NPY_DOUBLE, 1) and x is not None


cdef bint run(step_job* job, int which, object p, double k0, double k1, double k2, double k3, double k4, double k5, double k6,
              double k7) except -1:
    cdef int wide = cnp.PyArray_TYPE(<cnp.ndarray> p) == cnp.NPY_DOUBLE
    job.k[0], job.k[1], job.k[2], job.k[3], job.k[4], job.k[5], job.k[6], job.k[7] = k0, k1, k2, k3, k4, k5, k6, k7
    with nogil:
        step_loops(job, which, wide)
    return True


cdef void decay_by(step_job* job, double lr, double weight_decay, bint decoupled) noexcept:
    if decoupled:
        job.shrink = 1 - lr * weight_decay
    else:
        job.decay = weight_decay


def sgd(p, g, buffer, bint is_new, double lr, double momentum, double dampening, double weight_decay, bint nesterov,
        bint maximize):
    """``optim.sgd``."""
    cdef step_job job
    if not fits(&job, p, g, buffer if momentum != 0 else None, None, None, maximize):
        return False
    job.decay, job.flag = weight_decay, is_new + 2 * nesterov
    return run(&job, SGD, p, lr, momentum, 1 - dampening, 0, 0, 0, 0, 0)


def adam(p, g, step, mean, square, largest, double lr, double beta1, double beta2, double eps, double weight_decay,
         bint decoupled, bint maximize):
    """``optim.adam``."""
    cdef step_job job
    if not is_counter(step) or not fits(&job, p, g, mean, square, largest, maximize):
        return False
    step += 1
    t = step.item()
    decay_by(&job, lr, weight_decay, decoupled)
    return run(&job, ADAM, p, lr / (1 - beta1 ** t), 1 - beta1, 1 - (1 - beta1), beta2, 1 - beta2, sqrt(1 - beta2 ** t), eps, 0)


def adamax(p, g, step, mean, largest, double lr, double beta1, double beta2, double eps, double weight_decay, bint maximize):
    """``optim.adamax``."""
    cdef step_job job
    if not is_counter(step) or not fits(&job, p, g, mean, largest, None, maximize):
        return False
    step += 1
    job.decay = weight_decay
    return run(&job, ADAMAX, p, lr / (1 - beta1 ** step.item()), 1 - beta1, 1 - (1 - beta1), beta2, eps, 0, 0, 0)


def nadam(p, g, step, product, mean, square, double lr, double beta1, double beta2, double eps, double weight_decay,
          double momentum_decay, bint decoupled, bint maximize):
    """``optim.nadam``."""
    cdef step_job job
    cdef double t, mu, mu_next, mu_product
    if not is_counter(step) or not is_counter(product) or not fits(&job, p, g, mean, square, None, maximize):
        return False
    step += 1
    t = step.item()
    decay_by(&job, lr, weight_decay, decoupled)
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (t * momentum_decay))
    mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((t + 1) * momentum_decay))
    product *= mu
    mu_product = product.item()
    return run(&job, NADAM, p, lr * (1.0 - mu) / (1.0 - mu_product), 1 - beta1, 1 - (1 - beta1), beta2, 1 - beta2,
               1 - beta2 ** t, eps, lr * mu_next / (1.0 - mu_product * mu_next))


def radam(p, g, step, mean, square, double lr, double beta1, double beta2, double eps, double weight_decay, bint decoupled,
          bint maximize):
    """``optim.radam``."""
    cdef step_job job
    cdef double t, correction2, limit, rho
    if not is_counter(step) or not fits(&job, p, g, mean, square, None, maximize):
        return False
    step += 1
    t = step.item()
    decay_by(&job, lr, weight_decay, decoupled)
    correction2 = 1 - beta2 ** t
    limit = 2 / (1 - beta2) - 1
    rho = limit - 2 * t * beta2 ** t / correction2
    if rho > 5.0:
        job.flag, job.rectified = 1, sqrt((rho - 4) * (rho - 2) * limit / ((limit - 4) * (limit - 2) * rho))
    return run(&job, RADAM, p, lr, 1 - beta1, 1 - (1 - beta1), beta2, 1 - beta2, 1 - beta1 ** t, eps, sqrt(correction2))


def rmsprop(p, g, step, square, mean, buffer, double lr, double alpha, double eps, double weight_decay, double momentum,
            bint maximize):
    """``optim.rmsprop``."""
    cdef step_job job
    if not is_counter(step) or not fits(&job, p, g, square, mean, buffer, maximize):
        return False
    step += 1
    job.decay = weight_decay
    return run(&job, RMSPROP, p, lr, 1 - alpha, 1 - (1 - alpha), alpha, eps, momentum, 0, 0)


def adagrad(p, g, step, total, double lr, double lr_decay, double weight_decay, double eps, bint maximize):
    """``optim.adagrad``."""
    cdef step_job job
    if not is_counter(step) or not fits(&job, p, g, total, None, None, maximize):
        return False
    step += 1
    job.decay = weight_decay
    return run(&job, ADAGRAD, p, lr / (1 + (step.item() - 1) * lr_decay), eps, 0, 0, 0, 0, 0, 0)


def adadelta(p, g, step, square, delta_square, double lr, double rho, double eps, double weight_decay, bint maximize):
    """``optim.adadelta``."""
    cdef step_job job
    if not is_counter(step) or not fits(&job, p, g, square, delta_square, None, maximize):
        return False
    step += 1
    job.decay = weight_decay
    return run(&job, ADADELTA, p, lr, rho, 1 - rho, eps, 0, 0, 0, 0)


def asgd(p, g, step, eta, mu, mean, double lr, double lambd, double alpha, double t0, double weight_decay, bint maximize):
    """``optim.asgd``."""
    cdef step_job job
    cdef double rate, share, t
    if not (is_counter(step) and is_counter(eta) and is_counter(mu)) or not fits(&job, p, g, mean, None, None, maximize):
        return False
    step += 1
    rate, share, t = eta.item(), mu.item(), step.item()
    job.decay, job.flag = weight_decay, share == 1
    eta[...] = lr / (1 + lambd * lr * t) ** alpha
    mu[...] = 1 / max(1, t - t0)
    return run(&job, ASGD, p, 1 - lambd * rate, rate, share, 0, 0, 0, 0, 0)


def rprop(p, g, step, previous, size, double smallest, double largest, double down, double up, bint maximize):
    """``optim.rprop``."""
    cdef step_job job
    if not is_counter(step) or not fits(&job, p, g, previous, size, None, maximize):
        return False
    step += 1
    return run(&job, RPROP, p, smallest, largest, down, up, 0, 0, 0, 0)


def combined(x, double a, y, double b, bint as_bfloat16):
    """``x a + y b`` in a new array, the product with a and the sum rounded once; None for arrays that are not of float32."""
    cdef step_job job
    if type(x) is not cnp.ndarray or cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.NPY_FLOAT or y is None:
        return None
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x), cnp.NPY_FLOAT, 0)
    if not fits(&job, out, y, x, None, None, False):
        return None
    job.flag = as_bfloat16
    run(&job, COMBINED, out, a, b, 0, 0, 0, 0, 0, 0)
    return out
