# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Whole forwards that read, write or move slices and flat places, where nothing is to be refused. None for the rest."""
from libc.stdint cimport int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.string cimport memcpy
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.copies_entry import copy_into
from leafward.arrays.kernels.places_entry import pick, put
from leafward.arrays.kernels.row_arrays cimport copied
from leafward.arrays.kernels.small_views cimport window

cnp.import_array()


#: The most dims that arrays have here which are joined.
DEF MOST = 30


cdef inline bint is_plain(object x) noexcept:
    """Whether ``x`` is an array in row-major order with elements, and not of Python objects."""
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x) and cnp.PyArray_NDIM(<cnp.ndarray> x) > 0 \
        and cnp.PyArray_SIZE(<cnp.ndarray> x) > 0 and cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.NPY_OBJECT


cdef inline bint is_long(object index) noexcept:
    return is_plain(index) and cnp.PyArray_TYPE(<cnp.ndarray> index) == cnp.NPY_INT64


cdef inline bint adds_up(object x) noexcept:
    """Whether what is added to ``x`` is rounded as it is: half types are added in float32."""
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    return kind == cnp.NPY_FLOAT32 or kind == cnp.NPY_FLOAT64 or kind == cnp.NPY_INT64 or kind == cnp.NPY_INT32


cdef int dim_of(object dim, object x) except -2:
    """``dim`` counted from the front; -1 where ``x`` has no such dim."""
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if type(dim) is not int or not -ndim <= dim < ndim:
        return -1
    return dim if dim >= 0 else dim + ndim


cdef object side_by_side(object x):
    """The elements of ``x`` side by side: itself, a view, or else a copy."""
    cdef cnp.npy_intp size = cnp.PyArray_SIZE(<cnp.ndarray> x), step = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    if cnp.PyArray_NDIM(<cnp.ndarray> x) == 1:
        return x
    if not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> x):
        return x.reshape(-1)
    return window(<cnp.ndarray> x, 1, &size, &step, cnp.PyArray_BYTES(<cnp.ndarray> x))


def taken(x, index):
    """The forward of ``take``."""
    return pick(side_by_side(x), [index], (0,)) if is_plain(x) and is_long(index) else None


def put_flat(x, index, source, accumulate=False, out=None):
    """The forward of ``put``."""
    if not is_plain(x) or not is_long(index) or not is_plain(source) or type(accumulate) is not bool \
            or not (out is None or out is x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.PyArray_TYPE(<cnp.ndarray> source) \
            or cnp.PyArray_SIZE(<cnp.ndarray> index) != cnp.PyArray_SIZE(<cnp.ndarray> source) or (accumulate and not adds_up(x)):
        return None
    table = copied(x) if out is None else out
    done = put(side_by_side(table), [side_by_side(index)], (0,), side_by_side(source), "add" if accumulate else None)
    return table if done else None


def put_places(x, indices, values, at, accumulate, out=None):
    """The forward of ``_index_put``."""
    cdef int d, last = -1
    if not is_plain(x) or type(indices) is not list or type(at) is not tuple or len(at) != len(indices) or len(at) == 0 \
            or type(accumulate) is not bool or not (out is None or out is x) or not cnp.PyArray_CheckExact(values) \
            or (accumulate and not adds_up(x)):
        return None
    for index, dim in zip(indices, at):
        d = dim_of(dim, x)
        if d <= last or not is_long(index):
            return None
        last = d
    table = copied(x) if out is None else out
    return table if put(table, indices, at, values, "add" if accumulate else None) else None


def picked_slices(x, dim, index):
    """The forward of ``index_select``."""
    cdef int at
    if not is_plain(x) or not is_long(index) or cnp.PyArray_NDIM(<cnp.ndarray> index) != 1:
        return None
    at = dim_of(dim, x)
    return None if at < 0 else pick(x, [index], (at,), False)


cdef object with_slices(object x, object dim, object index, object source, object way, object out):
    """``x``, or a copy of it, with ``source`` put or combined at ``index`` along ``dim``."""
    cdef int at, d
    if not is_plain(x) or not is_long(index) or cnp.PyArray_NDIM(<cnp.ndarray> index) != 1 or not cnp.PyArray_CheckExact(source) \
            or not (out is None or out is x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != cnp.PyArray_TYPE(<cnp.ndarray> source) \
            or cnp.PyArray_NDIM(<cnp.ndarray> x) != cnp.PyArray_NDIM(<cnp.ndarray> source):
        return None
    at = dim_of(dim, x)
    if at < 0:
        return None
    for d in range(cnp.PyArray_NDIM(<cnp.ndarray> x)):
        if cnp.PyArray_DIM(<cnp.ndarray> source, d) != cnp.PyArray_DIM(<cnp.ndarray> index if d == at else <cnp.ndarray> x,
                                                                       0 if d == at else d):
            return None
    table = copied(x) if out is None else out
    return table if put(table, [index], (at,), source, way, False) else None


def copied_slices(x, dim, index, source, out=None):
    """The forward of ``index_copy``."""
    return with_slices(x, dim, index, source, None, out)


def added_slices(x, dim, index, source, alpha=1, out=None):
    """The forward of ``index_add``."""
    if type(alpha) is not int or alpha != 1 or not cnp.PyArray_CheckExact(x) or not adds_up(x):
        return None
    return with_slices(x, dim, index, source, "add", out)


cdef object alike(object tensors):
    """The first of some arrays in row-major order, of numbers of one type and of as many dims; None where they are not."""
    cdef int kind, ndim
    if not isinstance(tensors, (list, tuple)) or len(tensors) == 0:
        return None
    first = tensors[0]
    if not cnp.PyArray_CheckExact(first):
        return None
    kind, ndim = cnp.PyArray_TYPE(<cnp.ndarray> first), cnp.PyArray_NDIM(<cnp.ndarray> first)
    if ndim > MOST or not (cnp.PyTypeNum_ISNUMBER(kind) or kind == cnp.NPY_BOOL or kind == cnp.NPY_FLOAT16):
        return None
    for x in tensors:
        if not cnp.PyArray_CheckExact(x) or cnp.PyArray_TYPE(<cnp.ndarray> x) != kind or cnp.PyArray_NDIM(<cnp.ndarray> x) != ndim \
                or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> x) or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
            return None
    return first


#: More bytes are copied by several threads.
DEF SHARED = 65536
#: Of so few dims there are no more than eight pieces.
DEF FEW_DIMS = 3
#: Many pieces of fewer bytes are not copied one by one.
DEF NARROW = 32


cdef put_side_by_side(object out, object tensors, Py_ssize_t outer):
    """Copy the arrays, each cut into ``outer`` pieces, into ``out``: the first piece of each, the second of each ..."""
    cdef Py_ssize_t k, piece, whole = cnp.PyArray_NBYTES(<cnp.ndarray> out) // outer, at = 0, size
    cdef const char* source
    cdef char* target = <char*> cnp.PyArray_DATA(<cnp.ndarray> out)
    if cnp.PyArray_NBYTES(<cnp.ndarray> out) > SHARED or outer > NARROW and whole < NARROW * <Py_ssize_t> len(tensors):
        rows = out.reshape(outer, -1)
        for x in tensors:
            size = cnp.PyArray_SIZE(<cnp.ndarray> x) // outer
            part, own = rows[:, at:at + size], x.reshape(outer, size)
            if not copy_into(part, own):
                part[...] = own
            at += size
        return
    for x in tensors:
        source, piece = <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), cnp.PyArray_NBYTES(<cnp.ndarray> x) // outer
        for k in range(outer):
            memcpy(target + k * whole + at, source + k * piece, piece)
        at += piece


def joined(tensors, dim=0):
    """The forward of ``cat``, of arrays in row-major order."""
    cdef cnp.npy_intp sizes[MOST + 1]
    cdef Py_ssize_t outer = 1
    cdef int d, at, ndim
    first = alike(tensors)
    if first is None:
        return None
    at, ndim = dim_of(dim, first), cnp.PyArray_NDIM(<cnp.ndarray> first)
    if at < 0:
        return None
    for d in range(ndim):
        sizes[d] = cnp.PyArray_DIM(<cnp.ndarray> first, d)
        if d < at:
            outer *= sizes[d]
    sizes[at] = 0
    for x in tensors:
        for d in range(ndim):
            if d == at:
                sizes[at] += cnp.PyArray_DIM(<cnp.ndarray> x, d)
            elif cnp.PyArray_DIM(<cnp.ndarray> x, d) != sizes[d]:
                return None
    out = cnp.PyArray_EMPTY(ndim, sizes, cnp.PyArray_TYPE(<cnp.ndarray> first), 0)
    put_side_by_side(out, tensors, outer)
    return out


#: Images may lie otherwise than row by row, which the forward sees to.
DEF IMAGES = 4


def stacked(tensors, dim=0):
    """The forward of ``stack``, of arrays in row-major order."""
    cdef cnp.npy_intp sizes[MOST + 1]
    cdef Py_ssize_t outer = 1
    cdef int d, at, ndim
    first = alike(tensors)
    if first is None or type(dim) is not int:
        return None
    ndim = cnp.PyArray_NDIM(<cnp.ndarray> first)
    if ndim >= IMAGES or not -ndim - 1 <= dim <= ndim:
        return None
    at = dim if dim >= 0 else dim + ndim + 1
    for x in tensors:
        if not cnp.PyArray_SAMESHAPE(<cnp.ndarray> x, <cnp.ndarray> first):
            return None
    for d in range(ndim):
        sizes[d if d < at else d + 1] = cnp.PyArray_DIM(<cnp.ndarray> first, d)
        if d < at:
            outer *= cnp.PyArray_DIM(<cnp.ndarray> first, d)
    sizes[at] = len(tensors)
    out = cnp.PyArray_EMPTY(ndim + 1, sizes, cnp.PyArray_TYPE(<cnp.ndarray> first), 0)
    put_side_by_side(out, tensors, outer)
    return out


#: So few elements are laid out one by one: that takes less time than to make them look like more.
DEF FEW = 4096


def fill_slices(x, dim, index, value, out=None):
    """The forward of ``index_fill`` for a number."""
    cdef int at, kind
    cdef Py_ssize_t k, count
    cdef cnp.npy_intp sizes[64]                             # as many dims as NumPy has
    cdef double number
    cdef cnp.ndarray filling
    if not cnp.PyArray_CheckExact(x) or not (out is x if out is not None else is_plain(x)) or not is_long(index) \
            or cnp.PyArray_NDIM(<cnp.ndarray> index) != 1 or type(value) not in (int, float) \
            or not (-3e38 < value < 3e38 or value - value != 0):
        return None
    at, kind = dim_of(dim, x), cnp.PyArray_TYPE(<cnp.ndarray> x)
    if at < 0 or not (kind == cnp.NPY_FLOAT32 or kind == cnp.NPY_FLOAT64):
        return None
    count = cnp.PyArray_SIZE(<cnp.ndarray> index)
    for k in range(cnp.PyArray_NDIM(<cnp.ndarray> x)):
        sizes[k] = cnp.PyArray_SIZE(<cnp.ndarray> index) if k == at else cnp.PyArray_DIM(<cnp.ndarray> x, k)
        count = count if k == at else count * sizes[k]
    if cnp.PyArray_NDIM(<cnp.ndarray> x) > 30 or count > FEW:
        filling, count = cnp.PyArray_EMPTY(0, NULL, kind, 0), 1
    else:
        filling = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray> x), sizes, kind, 0)
    number = value
    if kind == cnp.NPY_FLOAT32:
        for k in range(count):
            (<float*> cnp.PyArray_DATA(filling))[k] = <float> number
    else:
        for k in range(count):
            (<double*> cnp.PyArray_DATA(filling))[k] = number
    table = copied(x) if out is None else out
    return table if put(table, [index], (at,), filling, None, False) else None


def repeated_numbers(counts):
    """The forward of ``_repeated_places``."""
    cdef Py_ssize_t k, at = 0, total = 0
    cdef int64_t i
    cdef const int64_t* times
    cdef int64_t* numbers
    if not is_long(counts) or cnp.PyArray_NDIM(<cnp.ndarray> counts) != 1:
        return None
    times = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> counts)
    for k in range(cnp.PyArray_SIZE(<cnp.ndarray> counts)):
        if not 0 <= times[k] < 1 << 40:
            return None
        total += times[k]
    out = np.empty(total, np.int64)
    numbers = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> out)
    with nogil:
        for k in range(cnp.PyArray_SIZE(<cnp.ndarray> counts)):
            for i in range(min(times[k], total - at)):
                numbers[at] = k
                at += 1
    return out if at == total else None


cdef object rolled_pieces(object target, object source, int d, int last, const Py_ssize_t* shifts):
    """The same for large arrays, in pieces that do not come apart: some rows are copied by each thread."""
    cdef Py_ssize_t shift = shifts[d] if d <= last else 0, n
    if d > last:
        if not copy_into(target, source):
            target[...] = source
        return
    n = target.shape[d]
    before = (slice(None),) * d
    if shift:
        rolled_pieces(target[(*before, slice(None, shift))], source[(*before, slice(n - shift, None))], d + 1, last, shifts)
    rolled_pieces(target[(*before, slice(shift, None))], source[(*before, slice(None, n - shift))], d + 1, last, shifts)


cdef void roll_rows(char* target, const char* source, int d, int last, const cnp.npy_intp* sizes, const Py_ssize_t* shifts,
                    const Py_ssize_t* steps) noexcept nogil:
    """What is in dim ``d`` and those behind it, moved on as far as dim ``last``; ``steps`` are in bytes."""
    cdef Py_ssize_t k, rest = sizes[d] - shifts[d]
    if d == last:
        memcpy(target + shifts[d] * steps[d], source, rest * steps[d])
        memcpy(target, source + rest * steps[d], shifts[d] * steps[d])
        return
    for k in range(sizes[d]):
        roll_rows(target + (k + shifts[d] if k < rest else k - rest) * steps[d], source + k * steps[d], d + 1, last, sizes, shifts, steps)


def rolled(x, shifts, dims=()):
    """The forward of ``roll``."""
    cdef cnp.npy_intp all_of_it
    cdef cnp.npy_intp* sizes
    cdef Py_ssize_t moved[MOST]
    cdef Py_ssize_t steps[MOST]
    cdef int d, k, ndim, last = 0
    if not is_plain(x) or cnp.PyArray_NDIM(<cnp.ndarray> x) > MOST:
        return None
    ndim, sizes = cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x)
    shifts = shifts if type(shifts) in (tuple, list) else (shifts,)
    dims = dims if type(dims) in (tuple, list) else (dims,)
    for shift in shifts:
        if type(shift) is not int or not -(1 << 62) < shift < 1 << 62:
            return None
    steps[ndim - 1] = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    for d in range(ndim - 2, -1, -1):
        steps[d] = steps[d + 1] * sizes[d + 1]
    if len(dims) == 0 and len(shifts) == 1:
        all_of_it = cnp.PyArray_SIZE(<cnp.ndarray> x)
        steps[0], sizes, moved[0] = steps[ndim - 1], &all_of_it, shifts[0] % all_of_it
    elif len(dims) != len(shifts) or len(dims) == 0 or ndim == 0:
        return None
    else:
        for d in range(ndim):
            moved[d] = 0
        for k in range(<int> len(dims)):
            d = dim_of(dims[k], x)
            if d < 0:
                return None
            moved[d], last = (moved[d] + <Py_ssize_t> (shifts[k] % sizes[d])) % sizes[d], max(last, d)
    out = np.empty(x.shape, x.dtype)
    if cnp.PyArray_NBYTES(<cnp.ndarray> out) > SHARED and last < FEW_DIMS:
        flat = len(dims) == 0
        rolled_pieces(out.reshape(-1) if flat else out, x.reshape(-1) if flat else x, 0, last, moved)
        return out
    with nogil:
        roll_rows(<char*> cnp.PyArray_DATA(<cnp.ndarray> out), <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), 0, last, sizes,
                  moved, steps)
    return out


cdef void lay_out(char* target, const char* source, int d, int ndim, const cnp.npy_intp* sizes, const cnp.npy_intp* times,
                  const Py_ssize_t* wide, const Py_ssize_t* own) noexcept nogil:
    """What is in dim ``d`` and those behind it, once and then again and again: ``wide`` and ``own`` are the bytes of one place there."""
    cdef Py_ssize_t k, done = 1, block = sizes[d] * wide[d]
    if d == ndim - 1:
        memcpy(target, source, block)
    else:
        for k in range(sizes[d]):
            lay_out(target + k * wide[d], source + k * own[d], d + 1, ndim, sizes, times, wide, own)
    while done < times[d]:                                  # as much again as there is
        k = min(done, times[d] - done)
        memcpy(target + done * block, target, k * block)
        done += k


def repeated(x, repeats):
    """The forward of ``repeat``."""
    cdef cnp.npy_intp sizes[MOST]
    cdef cnp.npy_intp times[MOST]
    cdef Py_ssize_t wide[MOST]
    cdef Py_ssize_t own[MOST]
    cdef int d, ndim, new
    cdef double whole
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x) or type(repeats) not in (tuple, list) \
            or cnp.PyArray_TYPE(<cnp.ndarray> x) == cnp.NPY_OBJECT:
        return None
    ndim = len(repeats)
    new, whole = ndim - cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_NBYTES(<cnp.ndarray> x)
    if new < 0 or not 0 < ndim <= MOST // 2 or whole == 0:
        return None
    for d in range(ndim):
        if type(repeats[d]) is not int or not 0 < repeats[d] < 1 << 40:
            return None
        times[d], sizes[d] = repeats[d], 1 if d < new else cnp.PyArray_DIM(<cnp.ndarray> x, d - new)
        whole *= times[d]
    if whole > 1e15:                                        # the forward knows what to say
        return None
    out = np.empty([sizes[d] * times[d] for d in range(ndim)], x.dtype)
    if cnp.PyArray_NBYTES(<cnp.ndarray> out) > SHARED:
        own_shape, target_shape = [], []
        for d in range(ndim):
            own_shape += [1, sizes[d]]
            target_shape += [times[d], sizes[d]]
        target, source = out.reshape(target_shape), x.reshape(own_shape)
        if not copy_into(target, source):
            target[...] = source
        return out
    x = cnp.PyArray_GETCONTIGUOUS(<cnp.ndarray> x)
    wide[ndim - 1] = own[ndim - 1] = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    for d in range(ndim - 2, -1, -1):
        wide[d], own[d] = wide[d + 1] * sizes[d + 1] * times[d + 1], own[d + 1] * sizes[d + 1]
    with nogil:
        lay_out(<char*> cnp.PyArray_DATA(<cnp.ndarray> out), <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), 0, ndim, sizes, times,
                wide, own)
    return out


ctypedef fused element:
    uint8_t
    uint16_t
    uint32_t
    uint64_t


cdef void turn(element* target, const element* source, Py_ssize_t n) noexcept nogil:
    cdef Py_ssize_t k
    for k in range(n):
        target[k] = source[n - 1 - k]


cdef void turn_rows(char* target, const char* source, int d, int ndim, const cnp.npy_intp* sizes, const bint* turned,
                    const Py_ssize_t* steps) noexcept nogil:
    """What is in dim ``d`` and those behind it, in reverse along those that are ``turned``; ``steps`` are in bytes."""
    cdef Py_ssize_t k, size = steps[ndim - 1]
    if d < ndim - 1:
        for k in range(sizes[d]):
            turn_rows(target + k * steps[d], source + (sizes[d] - 1 - k if turned[d] else k) * steps[d], d + 1, ndim, sizes,
                      turned, steps)
    elif not turned[d]:
        memcpy(target, source, sizes[d] * size)
    elif size == 4:
        turn(<uint32_t*> target, <const uint32_t*> source, sizes[d])
    elif size == 8:
        turn(<uint64_t*> target, <const uint64_t*> source, sizes[d])
    elif size == 2:
        turn(<uint16_t*> target, <const uint16_t*> source, sizes[d])
    elif size == 1:
        turn(<uint8_t*> target, <const uint8_t*> source, sizes[d])
    else:
        for k in range(sizes[d]):
            memcpy(target + k * size, source + (sizes[d] - 1 - k) * size, size)


def flipped(x, dims):
    """The forward of ``flip``."""
    cdef cnp.npy_intp* sizes
    cdef bint turned[MOST]
    cdef Py_ssize_t steps[MOST]
    cdef Py_ssize_t size
    cdef int d, ndim
    if not is_plain(x) or cnp.PyArray_NDIM(<cnp.ndarray> x) > MOST:
        return None
    ndim, sizes = cnp.PyArray_NDIM(<cnp.ndarray> x), cnp.PyArray_DIMS(<cnp.ndarray> x)
    size = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    for d in range(ndim - 1, -1, -1):
        turned[d], steps[d] = False, size
        if cnp.PyArray_STRIDE(<cnp.ndarray> x, d) != size:      # of a dim of one element, which says how the others lie
            return None
        size *= sizes[d]
    for dim in dims if type(dims) in (tuple, list) else (dims,):
        d = dim_of(dim, x)
        if d < 0 or turned[d]:
            return None
        turned[d] = True
    out = np.empty(x.shape, x.dtype)
    if cnp.PyArray_NBYTES(<cnp.ndarray> out) > SHARED:
        source = x[tuple([slice(None, None, -1) if turned[d] else slice(None) for d in range(ndim)])]
        if not copy_into(out, source):
            out[...] = source
        return out
    with nogil:
        turn_rows(<char*> cnp.PyArray_DATA(<cnp.ndarray> out), <const char*> cnp.PyArray_DATA(<cnp.ndarray> x), 0, ndim, sizes,
                  turned, steps)
    return out
