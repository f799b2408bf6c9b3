# cython: boundscheck=False, wraparound=False, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/mask_loops.c leafward/arrays/kernels/bins_loops.c
"""Where masks are true and what they choose, and how often numbers occur, and where. None for what they do not take."""
from libc.math cimport isfinite
from libc.stdint cimport int64_t, uint8_t
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport in_order, lie_apart, like, same_shape, width_of

cdef extern from "mask_loops.h":
    Py_ssize_t count_true(const uint8_t* mask, Py_ssize_t n) noexcept nogil
    void true_places(const uint8_t* mask, int ndim, const Py_ssize_t* shape, Py_ssize_t total, int64_t* out) noexcept nogil
    void choose(const char* x, const uint8_t* mask, Py_ssize_t n, Py_ssize_t total, int itemsize, char* out) noexcept nogil
    void fill(const char* x, const uint8_t* mask, Py_ssize_t n, const char* value, int itemsize, char* out) noexcept nogil
    void put_in_order(const char* x, const uint8_t* mask, Py_ssize_t n, const char* values, Py_ssize_t total, int itemsize,
                      char* out) noexcept nogil
    bint all_the_same(const char* x, const char* y, Py_ssize_t bytes) noexcept nogil
    bint all_equal_floats(const void* x, const void* y, Py_ssize_t n, int width) noexcept nogil
    void number_range(const int64_t* x, Py_ssize_t n, int64_t* least, int64_t* largest) noexcept nogil
    void count_numbers(const int64_t* x, Py_ssize_t n, int64_t* counts) noexcept nogil
    void add_weights(const int64_t* x, const void* weights, int wide, Py_ssize_t n, double* totals) noexcept nogil
    void count_in_bins(const void* x, int wide, Py_ssize_t n, double low, double high, Py_ssize_t bins, int64_t* counts) noexcept nogil
    Py_ssize_t find_runs(const void* x, int itemsize, int floating, Py_ssize_t n, int64_t* begins, int64_t* run) noexcept nogil

cdef extern from "bins_loops.h":
    int BIN_DIMS
    ctypedef struct bins_job:
        const char* points
        Py_ssize_t n, point_step, dim_step
        int dims, wide
        const void* edges[16]
        Py_ssize_t bins[16]
        const void* weights
        void* counts
        int64_t* places
    int prepare_bins() except -1
    void count_points(bins_job* job) noexcept nogil

cnp.import_array()
prepare_bins()

#: Whole numbers up to here are the same in double.
DEF EXACT = 1 << 53


cdef inline bint is_mask(object x) noexcept:
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_BOOL


def true_rows(x):
    """The forward of ``nonzero``: a row for each element that is not zero, its places along the dims."""
    cdef Py_ssize_t n, total
    cdef cnp.npy_intp shape[2]
    cdef cnp.npy_intp* sizes
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_NDIM(<cnp.ndarray> x) == 0:
        return None
    x = in_order(x if is_mask(x) else np.not_equal(x, 0))
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    total = count_true(<const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> x), n)
    shape[0], shape[1] = cnp.PyArray_NDIM(<cnp.ndarray> x), total
    out, sizes = cnp.PyArray_EMPTY(2, shape, cnp.NPY_INT64, 0), cnp.PyArray_DIMS(<cnp.ndarray> x)
    with nogil:
        true_places(<const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> x), <int> shape[0], <const Py_ssize_t*> sizes, total,
                    <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out.T


def chosen_by_mask(x, mask):
    """The forward of ``masked_select``, for a mask of the shape of ``x``."""
    cdef Py_ssize_t n, total
    cdef cnp.npy_intp size
    cdef int itemsize
    if not is_mask(mask) or not cnp.PyArray_CheckExact(x) or x.shape != mask.shape or x.dtype.kind == "O":
        return None
    itemsize = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    if itemsize not in (1, 2, 4, 8):
        return None
    x, mask = in_order(x), in_order(mask)
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    size = total = count_true(<const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> mask), n)
    out = np.empty(size, x.dtype)
    with nogil:
        choose(<const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> mask), n, total,
               itemsize, <char*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out


cdef bint lies_in_order(object x) noexcept:
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x)


cdef int masked_size(object x, object mask, object out) except -1:
    """The bytes of an element of ``x``, and 0 where the loops do not serve: both in order and of one shape, ``out`` none or x."""
    cdef int itemsize, d, ndim
    if not lies_in_order(x) or not is_mask(mask) or not lies_in_order(mask) or not (out is None or out is x):
        return 0
    ndim, itemsize = cnp.PyArray_NDIM(<cnp.ndarray> x), <int> cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    if ndim != cnp.PyArray_NDIM(<cnp.ndarray> mask) or itemsize not in (1, 2, 4, 8) or cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_OBJECT:
        return 0
    for d in range(ndim):
        if cnp.PyArray_DIM(<cnp.ndarray> x, d) != cnp.PyArray_DIM(<cnp.ndarray> mask, d):
            return 0
    if out is not None and (not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> x) or not lie_apart(x, mask)):
        return 0
    return itemsize


#: Of more elements moving them is all that counts, which derived loops do on several threads.
DEF FEW = 16384


def filled_by_mask(x, mask, value, out=None):
    """The forward of ``masked_fill`` for a mask of the shape of ``x``, where the value is of its dtype or it is one of floats."""
    cdef int kind, itemsize = masked_size(x, mask, out)
    cdef double number
    cdef float single
    cdef const char* given
    if itemsize == 0 or cnp.PyArray_SIZE(<cnp.ndarray> x) > FEW:
        return None
    kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if type(value) is float or type(value) is int and -EXACT <= value <= EXACT:
        number = value
        single = <float> number
        if kind == cnp.NPY_FLOAT32 and (isfinite(single) or not isfinite(number)):
            given = <const char*> &single
        elif kind == cnp.NPY_FLOAT64:
            given = <const char*> &number
        else:
            return None
    elif cnp.PyArray_CheckExact(value) and cnp.PyArray_NDIM(<cnp.ndarray> value) == 0 and value.dtype == x.dtype \
            and cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> value):
        given = <const char*> cnp.PyArray_DATA(<cnp.ndarray> value)
        if out is not None and not lie_apart(x, value):
            return None
    else:
        return None
    if out is None:
        out = like(x)
    fill(<const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> mask),
         cnp.PyArray_SIZE(<cnp.ndarray> x), given, itemsize, <char*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out


def put_by_mask(x, mask, source, out=None):
    """The forward of ``masked_scatter`` for a mask of the shape of ``x``."""
    cdef int itemsize = masked_size(x, mask, out)
    cdef Py_ssize_t n, total
    if itemsize == 0 or not lies_in_order(source) or source.dtype != x.dtype or out is not None and not lie_apart(x, source):
        return None
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    total = count_true(<const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> mask), n)
    if total > cnp.PyArray_SIZE(<cnp.ndarray> source):
        return None
    if out is None:
        out = like(x)
    with nogil:
        put_in_order(<const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <const uint8_t*> cnp.PyArray_DATA(<cnp.ndarray> mask), n,
                     <const char*> cnp.PyArray_DATA(<cnp.ndarray> source), total, itemsize, <char*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out


def all_are_equal(x, y):
    """The forward of ``_all_equal``, which ends with the first that differ."""
    cdef bint same
    cdef int width, kind
    cdef Py_ssize_t n
    if not lies_in_order(x) or not lies_in_order(y) or not same_shape(x, y):
        return None
    n, width, kind = cnp.PyArray_SIZE(<cnp.ndarray> x), width_of(x), cnp.PyArray_TYPE(<cnp.ndarray> x)
    if width == 0 and kind > cnp.NPY_ULONGLONG:
        return None
    with nogil:
        if width:
            same = all_equal_floats(cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> y), n, width)
        else:
            same = all_the_same(<const char*> cnp.PyArray_DATA(<cnp.ndarray> x), <const char*> cnp.PyArray_DATA(<cnp.ndarray> y),
                                cnp.PyArray_NBYTES(<cnp.ndarray> x))
    return np.asarray(same)


def counts_of_numbers(x, weights, minlength):
    """The forward of ``bincount``."""
    cdef int64_t least, largest
    cdef Py_ssize_t n
    cdef int width = 0
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.NPY_INT64 or cnp.PyArray_NDIM(<cnp.ndarray> x) != 1 \
            or type(minlength) is not int or minlength < 0:
        return None
    if weights is not None:
        width = width_of(weights)
        if width == 0 or weights.shape != x.shape:
            return None
        weights = in_order(weights)
    x = in_order(x)
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    if n == 0:
        return None
    number_range(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> x), n, &least, &largest)
    if least < 0 or largest > 1 << 40:                      # the paragraph refuses the one, NumPy tells what is too much
        return None
    out = np.zeros(max(largest + 1, minlength), np.int64 if weights is None else np.float64)
    with nogil:
        if width == 0:
            count_numbers(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> x), n, <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> out))
        else:
            add_weights(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_DATA(<cnp.ndarray> weights), width == 8, n,
                        <double*> cnp.PyArray_DATA(<cnp.ndarray> out))
    return out.astype(np.float32) if width == 4 else out


def counts_in_bins(x, bins, low, high):
    """The forward of ``histc``."""
    cdef int width = width_of(x)
    cdef Py_ssize_t n
    cdef double first, last
    cdef Py_ssize_t many
    if width == 0 or type(bins) is not int or not 0 < bins < 1 << 40 or type(low) not in (int, float) or type(high) not in (int, float):
        return None
    x, many = in_order(x), bins
    n = cnp.PyArray_SIZE(<cnp.ndarray> x)
    first, last = low, high
    if n == 0 or first > last:
        return None
    if first == last:
        first, last = np.min(x), np.max(x)
    if first == last:
        first, last = first - 1, last + 1
    if not isfinite(first) or not isfinite(last):
        return None
    counts = np.zeros(many, np.int64)
    with nogil:
        count_in_bins(cnp.PyArray_DATA(<cnp.ndarray> x), width == 8, n, first, last, many, <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> counts))
    return counts.astype(x.dtype)


def counts_of_points(points, edges, weight):
    """The forward of ``_count_points``."""
    cdef bins_job job
    cdef int d, width = width_of(points)
    if width == 0 or cnp.PyArray_NDIM(<cnp.ndarray> points) != 2 or not 0 < len(edges) <= BIN_DIMS \
            or points.shape[1] != len(edges):
        return None
    job.n, job.dims, job.wide = cnp.PyArray_DIM(<cnp.ndarray> points, 0), <int> len(edges), width == 8
    job.points = <const char*> cnp.PyArray_DATA(<cnp.ndarray> points)
    job.point_step, job.dim_step = cnp.PyArray_STRIDE(<cnp.ndarray> points, 0), cnp.PyArray_STRIDE(<cnp.ndarray> points, 1)
    edges = list(edges)
    for d in range(job.dims):
        if width_of(edges[d]) != width or cnp.PyArray_NDIM(<cnp.ndarray> edges[d]) != 1 or edges[d].size < 2 \
                or not np.all(edges[d][1:] >= edges[d][:edges[d].size - 1]):
            return None
        edges[d] = in_order(edges[d])
        job.edges[d], job.bins[d] = cnp.PyArray_DATA(<cnp.ndarray> edges[d]), cnp.PyArray_SIZE(<cnp.ndarray> edges[d]) - 1
    job.weights = NULL
    if weight is not None:
        if width_of(weight) != width or cnp.PyArray_NDIM(<cnp.ndarray> weight) != 1 or cnp.PyArray_SIZE(<cnp.ndarray> weight) != job.n:
            return None
        weight = in_order(weight)
        job.weights = cnp.PyArray_DATA(<cnp.ndarray> weight)
    counts, places = np.zeros([job.bins[d] for d in range(job.dims)], points.dtype), np.empty(job.n, np.int64)
    job.counts, job.places = cnp.PyArray_DATA(<cnp.ndarray> counts), <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> places)
    with nogil:
        count_points(&job)
    return counts


def runs_of_equals(x, dim):
    """The forward of ``_unique_consecutive`` for all elements in a row."""
    cdef Py_ssize_t n, count
    cdef int itemsize, floating
    if dim is not None or not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x) \
            or x.dtype.char not in "?bBhHilqILQfd" or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    x = in_order(x)
    n, itemsize, floating = cnp.PyArray_SIZE(<cnp.ndarray> x), <int> cnp.PyArray_ITEMSIZE(<cnp.ndarray> x), x.dtype.kind == "f"
    begins, run = np.empty(n, np.int64), np.empty(x.shape, np.int64)
    with nogil:
        count = find_runs(cnp.PyArray_DATA(<cnp.ndarray> x), itemsize, floating, n,
                          <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> begins), <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> run))
    begins = begins[:count]
    lengths = np.empty(count, np.int64)
    np.subtract(begins[1:], begins[:count - 1], lengths[:count - 1])
    lengths[count - 1] = n - begins[count - 1]
    return x.reshape(n)[begins], run, lengths


def one_at_number(x, Py_ssize_t count):
    """The forward of ``_one_hot``: None where a number is none of ``count``, too."""
    cdef Py_ssize_t i, n
    cdef const int64_t* numbers
    cdef int64_t* ones
    cdef int outside = 0
    if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.NPY_INT64 \
            or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x) or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    x = in_order(x)
    if count == -1:
        count = np.max(x) + 1
    if count <= 0:
        return None
    out = np.zeros((*x.shape, count), np.int64)
    n, numbers = cnp.PyArray_SIZE(<cnp.ndarray> x), <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> x)
    ones = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> out)
    with nogil:
        for i in range(n):
            if not 0 <= numbers[i] < count:
                outside = 1
                break
            ones[i * count + numbers[i]] = 1
    return None if outside else out
