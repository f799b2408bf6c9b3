# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The samplers of ``arrays/samplers.py``, compiled: one number after another, from the words that these take. Their sources stand there."""
cimport numpy as cnp
from libc.math cimport INFINITY, NAN, ceil, exp, fabs, floor, isnan, lgamma, log, log1p, pow, sqrt
from libc.stdint cimport int64_t

from leafward.arrays.kernels.twister cimport Twister, real

cnp.import_array()

cdef double THIRD = <float> 1 / <float> 3
cdef double SQUEEZE = <float> 0.0331
cdef double TAIL[10]
for number in range(10):
    TAIL[number] = lgamma(number + 1.0) - ((number + 0.5) * log(number + 1.0) - (number + 1.0) + 0.9189385332046727)


cdef double one_poisson(Twister engine, double rate) noexcept nogil:
    cdef double limit, product, count, a, b, log_alpha, v_r, log_rate, u, v, us, k
    if rate == 0:
        return 0
    if rate < 10:
        limit, product, count = exp(-rate), engine.uniform(), 0
        while product > limit:
            product *= engine.uniform()
            count += 1
        return count
    if not rate < INFINITY:
        return NAN
    b = 0.931 + 2.53 * sqrt(rate)
    a, log_alpha, v_r, log_rate = -0.059 + 0.02483 * b, log(1.1239 + 1.1328 / (b - 3.4)), 0.9277 - 3.6224 / (b - 2), log(rate)
    while True:
        u = engine.uniform() - 0.5
        v = engine.uniform()
        us = 0.5 - fabs(u)
        k = floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or us < 0.013 and v > us:
            continue
        if log(v) + log_alpha - log(a / (us * us) + b) <= -rate + k * log_rate - lgamma(k + 1):
            return k


cdef inline double stirling_tail(double k) noexcept nogil:
    if k < 10:
        return TAIL[<int> k]
    return (1.0 / 12 - (1.0 / 360 - 1.0 / 1260 / ((k + 1) * (k + 1))) / ((k + 1) * (k + 1))) / (k + 1)


cdef double by_waiting(Twister engine, double count, double prob) noexcept nogil:
    cdef double waited = 0, successes = 0, log_q = log1p(-prob)
    while True:
        waited += ceil(log(engine.uniform()) / log_q)
        if waited > count:
            return successes
        successes += 1


cdef double by_rejection(Twister engine, double count, double prob) noexcept nogil:
    cdef double deviation = sqrt(count * prob * (1 - prob)), b = 1.15 + 2.53 * deviation
    cdef double a = -0.0873 + 0.0248 * b + 0.01 * prob, c = count * prob + 0.5, v_r = 0.92 - 4.2 / b, odds = prob / (1 - prob)
    cdef double alpha = (2.83 + 5.1 / b) * deviation, m = floor((count + 1) * prob), u, v, us, k, bound
    while True:
        u = engine.uniform() - 0.5
        v = engine.uniform()
        us = 0.5 - fabs(u)
        k = floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            return k
        if k < 0 or k > count:
            continue
        v = log(v * alpha / (a / (us * us) + b))
        bound = ((m + 0.5) * log((m + 1) / (odds * (count - m + 1)))
                 + (count + 1) * log((count - m + 1) / (count - k + 1))
                 + (k + 0.5) * log(odds * (count - k + 1) / (k + 1))
                 + stirling_tail(m) + stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k))
        if v <= bound:
            return k


cdef double one_binomial(Twister engine, double count, double prob) noexcept nogil:
    cdef double rarer, found
    if count <= 0 or prob <= 0:
        return 0
    if prob >= 1:
        return count
    if isnan(prob):
        return NAN
    rarer = min(prob, 1 - prob)
    found = by_rejection(engine, count, rarer) if count * rarer >= 10 else by_waiting(engine, count, rarer)
    return found if prob <= 0.5 else count - found


cdef double one_gamma(Twister engine, double alpha, bint single) except? -1:
    """``single``: sums and quotients of ``alpha`` are rounded to float32."""
    cdef double scale = 1, d, c, x, y, v, u, xx
    if alpha < 1:
        if alpha == 0:
            return 0
        scale = pow(1 - engine.uniform(), <float> (1 / alpha) if single else 1 / alpha)
        alpha = <float> (alpha + 1) if single else alpha + 1
    if not alpha < INFINITY:
        return alpha
    d = <float> (alpha - THIRD) if single else alpha - THIRD
    c = 1 / sqrt(9 * d)
    while True:
        y = 0
        while y <= 0:
            x = engine.normal()
            y = 1 + c * x
        v = y * y * y
        u = 1 - engine.uniform()
        xx = x * x
        if u < 1 - SQUEEZE * xx * xx or log(u) < 0.5 * xx + d * (1 - v + log(v)):
            return scale * d * v


cdef object plain(object x):
    """``x`` with its elements in order, of float32 or float64; None for another."""
    if not cnp.PyArray_Check(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) not in (cnp.NPY_FLOAT32, cnp.NPY_FLOAT64) \
            or not cnp.PyArray_ISNOTSWAPPED(<cnp.ndarray> x):
        return None
    return x if cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x) else cnp.PyArray_GETCONTIGUOUS(<cnp.ndarray> x)


cdef object like(cnp.ndarray x):
    return cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.PyArray_TYPE(x), 0)


cdef Py_ssize_t poissons(Twister engine, const real* rate, real* to, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        if not rate[i] >= 0:
            return -1
    for i in range(n):
        to[i] = <real> one_poisson(engine, rate[i])
    return n


def poisson(Twister engine, object rate):
    """Numbers of these rates; None for what is no plain float array; False for a rate that is negative."""
    cdef cnp.ndarray x, out
    cdef Py_ssize_t done, n
    rate = plain(rate)
    if rate is None:
        return None
    x, out, n = rate, like(rate), cnp.PyArray_SIZE(rate)
    engine.note(None)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        with nogil:
            done = poissons(engine, <const float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(out), n)
    else:
        with nogil:
            done = poissons(engine, <const double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(out), n)
    return out if done == n else False


cdef void binomials(Twister engine, const real* count, const real* prob, real* to, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t i
    for i in range(n):
        to[i] = <real> one_binomial(engine, count[i], prob[i])


def binomial(Twister engine, object count, object prob):
    """Numbers of successes; None for what are not two plain float arrays of one shape and type."""
    cdef cnp.ndarray x, y, out
    count, prob = plain(count), plain(prob)
    if count is None or prob is None or cnp.PyArray_TYPE(count) != cnp.PyArray_TYPE(prob) or not cnp.PyArray_SAMESHAPE(count, prob):
        return None
    x, y, out = count, prob, like(count)
    engine.note(None)
    if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
        with nogil:
            binomials(engine, <const float*> cnp.PyArray_DATA(x), <const float*> cnp.PyArray_DATA(y), <float*> cnp.PyArray_DATA(out),
                      cnp.PyArray_SIZE(x))
    else:
        with nogil:
            binomials(engine, <const double*> cnp.PyArray_DATA(x), <const double*> cnp.PyArray_DATA(y), <double*> cnp.PyArray_DATA(out),
                      cnp.PyArray_SIZE(x))
    return out


def gamma(Twister engine, object alpha, bint single):
    """Gamma numbers in float64 of these shapes; None for what is no plain float array. ``single`` as in :func:`one_gamma`."""
    cdef cnp.ndarray x, out
    cdef Py_ssize_t i
    cdef double* to
    alpha = plain(alpha)
    if alpha is None:
        return None
    x = alpha
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), cnp.PyArray_DIMS(x), cnp.NPY_FLOAT64, 0)
    to = <double*> cnp.PyArray_DATA(out)
    engine.note(None)
    for i in range(cnp.PyArray_SIZE(x)):
        to[i] = one_gamma(engine, (<float*> cnp.PyArray_DATA(x))[i] if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32
                          else (<double*> cnp.PyArray_DATA(x))[i], single)
    return out


cdef Py_ssize_t share_of(real* share, const real* weights, Py_ssize_t n) noexcept nogil:
    """The running sums of ``weights`` as parts of the last; -1 where these are no weights, -2 where they are all 0."""
    cdef Py_ssize_t i
    cdef real total = 0
    for i in range(n):
        if not 0 <= weights[i] < INFINITY:
            return -1
        total += weights[i]
        share[i] = total
    if not total > 0:
        return -2
    for i in range(n):
        share[i] /= total
    share[n - 1] = 1
    return n


cdef Py_ssize_t draw_places(Twister engine, const real* weights, real* share, int64_t* to, Py_ssize_t rows, Py_ssize_t n,
                            Py_ssize_t samples) noexcept nogil:
    cdef Py_ssize_t row, i, low, high, middle, fault
    cdef double u
    for row in range(rows):                                 # all of them are looked at before anything is drawn
        fault = share_of(share, weights + row * n, n)
        if fault < 0:
            return fault
    for row in range(rows):
        if rows > 1:
            share_of(share, weights + row * n, n)
        for i in range(samples):
            u, low, high = engine.uniform(), 0, n
            while low < high:
                middle = (low + high) >> 1
                if share[middle] < u:
                    low = middle + 1
                else:
                    high = middle
            to[row * samples + i] = low
    return 0


def places(Twister engine, object weights, Py_ssize_t samples):
    """For each row of ``weights`` places drawn with these, with replacement; None for what these are not, or are refused."""
    cdef cnp.ndarray x, out, share
    cdef Py_ssize_t rows, n, done
    cdef cnp.npy_intp sizes[2]
    weights = plain(weights)
    if weights is None:
        return None
    x = weights
    if not 1 <= cnp.PyArray_NDIM(x) <= 2 or cnp.PyArray_SIZE(x) == 0:
        return None
    n = cnp.PyArray_DIM(x, cnp.PyArray_NDIM(x) - 1)
    rows = cnp.PyArray_SIZE(x) // n
    sizes[0], sizes[1] = rows, samples
    out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(x), &sizes[2 - cnp.PyArray_NDIM(x)], cnp.NPY_INT64, 0)
    sizes[0] = n
    share = cnp.PyArray_EMPTY(1, sizes, cnp.PyArray_TYPE(x), 0)
    engine.note(None)
    with nogil:
        if cnp.PyArray_TYPE(x) == cnp.NPY_FLOAT32:
            done = draw_places(engine, <const float*> cnp.PyArray_DATA(x), <float*> cnp.PyArray_DATA(share),
                               <int64_t*> cnp.PyArray_DATA(out), rows, n, samples)
        else:
            done = draw_places(engine, <const double*> cnp.PyArray_DATA(x), <double*> cnp.PyArray_DATA(share),
                               <int64_t*> cnp.PyArray_DATA(out), rows, n, samples)
    return out if done == 0 else None
