# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/places_loops.c
"""What ``scatter.py`` and ``layout.py`` do at places that an index names, in C, for any strides.

Each answers None where it does not apply, or where a place lies outside: nothing has been written then, NumPy does the work,
or the caller finds the words of the refusal.
"""
from libc.stdint cimport int64_t
cimport numpy as cnp

import numpy as np

from leafward.arrays.kernels.row_arrays cimport lie_apart
from leafward.arrays.kernels.small_views cimport window

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    bint same_shape "PyArray_SAMESHAPE"(cnp.ndarray, cnp.ndarray) noexcept
    object PyArray_ZEROS(int, cnp.npy_intp*, int, int)

cdef extern from "places_loops.h":
    int MOST_DIMS, WRITE, ADD, MULTIPLY, MAXIMUM, MINIMUM
    int BOOL, INT8, UINT8, INT16, UINT16, INT32, UINT32, INT64, UINT64, FLOAT32, FLOAT64, COMPLEX64, COMPLEX128
    ctypedef struct rows_job:
        char* table
        char* rows
        const int64_t* index
        int64_t limit, wrap, stride
        int ready
        Py_ssize_t count, row_step
        int dims
        Py_ssize_t[32] size
        Py_ssize_t[32] table_steps
        Py_ssize_t[32] row_steps
        Py_ssize_t n, table_in, row_in
        int itemsize, kind, way
    ctypedef struct elements_job:
        char* table
        char* values
        const char* index
        int64_t limit, stride
        int dims
        Py_ssize_t[32] size
        Py_ssize_t[32] table_steps
        Py_ssize_t[32] value_steps
        Py_ssize_t[32] index_steps
        Py_ssize_t middle, table_middle, value_middle, index_middle
        Py_ssize_t n, table_in, value_in, index_in
        int itemsize, kind, way, cut
    int prepare_places() except -1
    int read_rows(rows_job* job) noexcept nogil
    int write_rows(rows_job* job) noexcept nogil
    int read_elements(elements_job* job) noexcept nogil
    int write_elements(elements_job* job) noexcept nogil
    int all_inside(const int64_t* index, Py_ssize_t count, int64_t limit, int64_t wrap) noexcept nogil
    int add_places(int64_t* flat, const int64_t* index, Py_ssize_t count, int64_t limit, int wraps, int64_t stride) noexcept nogil

prepare_places()

cdef dict WAYS = {None: WRITE, "add": ADD, "multiply": MULTIPLY, "maximum": MAXIMUM, "minimum": MINIMUM}


cdef bint is_served(object x) except -1:
    """Whether the elements of ``x`` can be moved: a plain array, aligned, of some 1 to 16 bytes, and not of objects."""
    if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> x):
        return False
    cdef int size = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    return (size == 1 or size == 2 or size == 4 or size == 8 or size == 16) and cnp.PyArray_TYPE(<cnp.ndarray> x) not in (
        cnp.NPY_OBJECT, cnp.NPY_VOID, cnp.NPY_LONGDOUBLE)


cdef int kind_of(object x, int way) noexcept:
    """The kind of number to be combined; -1 where there is no loop for it."""
    cdef int type = cnp.PyArray_TYPE(<cnp.ndarray> x), wide = cnp.PyArray_ITEMSIZE(<cnp.ndarray> x)
    if way == WRITE:
        return 0
    if type == cnp.NPY_BOOL:
        return BOOL
    if cnp.PyTypeNum_ISUNSIGNED(type):
        return UINT8 if wide == 1 else UINT16 if wide == 2 else UINT32 if wide == 4 else UINT64
    if cnp.PyTypeNum_ISINTEGER(type):
        return INT8 if wide == 1 else INT16 if wide == 2 else INT32 if wide == 4 else INT64
    if type == cnp.NPY_FLOAT32 or type == cnp.NPY_FLOAT64:
        return FLOAT32 if wide == 4 else FLOAT64
    if type == cnp.NPY_COMPLEX64 or type == cnp.NPY_COMPLEX128:
        return -1 if way > MULTIPLY else COMPLEX64 if wide == 8 else COMPLEX128
    return -1


cdef inline bint same_type(object x, object y) except -1:
    return cnp.PyArray_DESCR(<cnp.ndarray> x) is cnp.PyArray_DESCR(<cnp.ndarray> y) or x.dtype == y.dtype


cdef object as_index(object index):
    """Places as int64 side by side; None where they are none."""
    if not cnp.PyArray_CheckExact(index):
        return None
    if cnp.PyArray_TYPE(<cnp.ndarray> index) == cnp.NPY_INT64 and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray> index):
        return index
    return np.array(index, np.int64, order="C") if index.dtype.kind == "i" else None


cdef class Places:
    """Index tensors in the dims ``at`` of a table, as one flat index; and how a result of rows is shaped."""
    cdef rows_job job
    cdef object index                   # kept alive for the job
    cdef tuple shape                    # of the places
    cdef int first                      # where their dims stand in the result
    cdef list rest                      # the dims of the table that are not indexed


cdef Places find_places(object table, list indices, tuple at, bint wrap):
    """The places in ``table``; None where there is none to serve, or one lies outside."""
    cdef Places found = Places.__new__(Places)
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray> table), d, k, last
    cdef cnp.npy_intp size
    cdef int64_t* flat
    cdef const int64_t* part
    if not at or ndim > 30 or cnp.PyArray_SIZE(<cnp.ndarray> table) == 0:
        return None
    for k in range(1, len(at)):
        if <int> at[k] <= <int> at[k - 1]:
            return None
    last = at[len(at) - 1]
    found.first = at[0] if last - <int> at[0] < len(at) else 0
    found.rest = [d for d in range(ndim) if d not in at]
    found.job.ready = len(at) > 1 or <int> at[0] > 0         # else each is used for one row only
    if not found.job.ready:
        found.shape = indices[0].shape
        found.index = as_index(indices[0])
        if found.index is None:
            return None
        d = at[0]
        found.job.limit, found.job.stride = cnp.PyArray_DIM(<cnp.ndarray> table, d), cnp.PyArray_STRIDE(<cnp.ndarray> table, d)
        found.job.wrap = found.job.limit if wrap else 0
    else:
        found.shape = shape_of_all(indices)
        if found.shape is None:
            return None
        size = tuple_size(found.shape)
        found.index = PyArray_ZEROS(1, &size, cnp.NPY_INT64, 0)
        flat = <int64_t*> cnp.PyArray_DATA(<cnp.ndarray> found.index)
        for k in range(len(at)):
            index = as_index(np.broadcast_to(indices[k], found.shape) if indices[k].shape != found.shape else indices[k])
            if index is None:
                return None
            d = at[k]
            part = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> index)
            if size and add_places(flat, part, size, cnp.PyArray_DIM(<cnp.ndarray> table, d), wrap,
                                   cnp.PyArray_STRIDE(<cnp.ndarray> table, d)):
                return None
    found.job.count = tuple_size(found.shape)
    if found.job.count == 0:
        return None
    found.job.index = <const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> found.index)
    found.job.table = <char*> cnp.PyArray_DATA(<cnp.ndarray> table)
    found.job.itemsize = cnp.PyArray_ITEMSIZE(<cnp.ndarray> table)
    return found


cdef tuple shape_of_all(list indices):
    """The shape that the ``indices`` have together; None where they do not fit."""
    cdef Py_ssize_t k
    for k in range(len(indices)):
        if not cnp.PyArray_Check(indices[k]) or not same_shape(<cnp.ndarray> indices[k], <cnp.ndarray> indices[0]):
            try:
                return np.broadcast_shapes(*[index.shape for index in indices])
            except ValueError:
                return None
    return indices[0].shape


cdef object spread(object values, tuple shape):
    """A view of ``values`` in this shape, to be read; None where they do not broadcast to it."""
    cdef cnp.npy_intp sizes[32]
    cdef cnp.npy_intp steps[32]
    cdef int d, ndim = <int> len(shape), own = cnp.PyArray_NDIM(<cnp.ndarray> values), lead = ndim - own
    if lead < 0 or ndim > 32:
        return None
    for d in range(ndim):
        sizes[d], steps[d] = shape[d], 0
        if d < lead:
            continue
        if cnp.PyArray_DIM(<cnp.ndarray> values, d - lead) == sizes[d]:
            steps[d] = cnp.PyArray_STRIDE(<cnp.ndarray> values, d - lead)
        elif cnp.PyArray_DIM(<cnp.ndarray> values, d - lead) != 1:
            return None
    return window(<cnp.ndarray> values, ndim, sizes, steps, cnp.PyArray_BYTES(<cnp.ndarray> values))


cdef Py_ssize_t tuple_size(tuple shape) except -1:
    cdef Py_ssize_t all = 1
    for n in shape:
        all *= <Py_ssize_t> n
    return all


cdef void describe_rows(Places at, object table, object rows):
    """Into ``at.job``: how the dims that are not indexed lie in the table and in ``rows``, neighbours taken together."""
    cdef rows_job* job = &at.job
    cdef int d, k, ndim = len(at.shape), dims = 0
    cdef Py_ssize_t size, table_step, row_step
    job.rows = <char*> cnp.PyArray_DATA(<cnp.ndarray> rows)
    for k in range(<int> len(at.rest)):
        d = at.rest[k]
        size, table_step = cnp.PyArray_DIM(<cnp.ndarray> table, d), cnp.PyArray_STRIDE(<cnp.ndarray> table, d)
        row_step = cnp.PyArray_STRIDE(<cnp.ndarray> rows, k if k < at.first else k + ndim)
        if size == 1:
            continue
        if dims and job.table_steps[dims - 1] == size * table_step and job.row_steps[dims - 1] == size * row_step:
            job.size[dims - 1] *= size
            job.table_steps[dims - 1], job.row_steps[dims - 1] = table_step, row_step
            continue
        job.size[dims], job.table_steps[dims], job.row_steps[dims] = size, table_step, row_step
        dims += 1
    job.row_step = cnp.PyArray_STRIDE(<cnp.ndarray> rows, at.first + ndim - 1) if ndim else 0
    # The last one is the inner loop, unless its elements lie apart: then the places are.
    if dims and job.table_steps[dims - 1] == job.itemsize:
        dims -= 1
        job.n, job.table_in, job.row_in = job.size[dims], job.table_steps[dims], job.row_steps[dims]
    else:
        job.n, job.table_in, job.row_in = 1, job.itemsize, job.itemsize
    job.dims = dims


cdef tuple shape_of_rows(Places at, object table):
    cdef list sizes = [cnp.PyArray_DIM(<cnp.ndarray> table, d) for d in at.rest]
    return (*sizes[:at.first], *at.shape, *sizes[at.first:])


def pick(table, list indices, tuple at, bint wrap=True):
    """``table[..., indices, ...]`` with index arrays in the dims ``at``, row-major; ``wrap``: places may count from the end."""
    cdef Places places
    cdef int outside
    if not is_served(table):
        return None
    places = find_places(table, indices, at, wrap)
    if places is None:
        return None
    rows = np.empty(shape_of_rows(places, table), table.dtype)
    describe_rows(places, table, rows)
    with nogil:
        outside = read_rows(&places.job)
    return None if outside else rows


def look_up(table, list indices, tuple at):
    """What ``layout.look_up`` makes of index arrays in the dims ``at``, where all lie in order and have one shape."""
    cdef Py_ssize_t k
    if not cnp.PyArray_CheckExact(table) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> table):
        return None
    for k in range(len(indices)):
        if not cnp.PyArray_CheckExact(indices[k]) or not cnp.PyArray_IS_C_CONTIGUOUS(<cnp.ndarray> indices[k]) \
                or (k and not cnp.PyArray_SAMESHAPE(<cnp.ndarray> indices[k], <cnp.ndarray> indices[0])):
            return None
    return pick(table, indices, at)


def put(table, list indices, tuple at, values, way=None, bint wrap=True):
    """``table[..., indices, ...] = values``, or combined with what is there; True where it was done."""
    cdef Places places
    cdef bint inside
    cdef int outside, how = WAYS[way], kind
    if not is_served(table) or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> table) or not cnp.PyArray_CheckExact(values) \
            or not same_type(values, table):
        return None
    kind = kind_of(table, how)
    if kind < 0:
        return None
    places = find_places(table, indices, at, wrap)
    if places is None:
        return None
    with nogil:
        inside = places.job.ready or all_inside(places.job.index, places.job.count, places.job.limit, places.job.wrap)
    if not inside or not lie_apart(table, places.index):
        return None
    shape = shape_of_rows(places, table)
    if values.shape != shape:
        values = spread(values, shape)
        if values is None:
            return None
    # The dims of the places are taken as one, so they have to lie so.
    if not lie_apart(table, values) or not is_served(values) or (len(places.shape) > 1 and not one_step(
            values, places.first, len(places.shape))):
        values = np.array(values, order="C")
    describe_rows(places, table, values)
    places.job.way, places.job.kind = how, kind
    with nogil:
        outside = write_rows(&places.job)
    return True


cdef bint one_step(object x, int first, int ndim):
    """Whether ``ndim`` dims of ``x`` from ``first`` on lie as one would, of the last one's step."""
    cdef int d
    cdef Py_ssize_t step = cnp.PyArray_STRIDE(<cnp.ndarray> x, first + ndim - 1)
    for d in range(first + ndim - 1, first - 1, -1):
        if cnp.PyArray_STRIDE(<cnp.ndarray> x, d) != step:
            return False
        step *= cnp.PyArray_DIM(<cnp.ndarray> x, d)
    return True


#: Of so few columns a share is cut between two places: reading in another order costs more than it gains.
DEF FEW = 64


cdef void describe_elements(elements_job* job, object table, object values, object index, int dim, bint reads):
    """Into ``job``: the nest of loops. The places' dim is the middle one, or the last where it lies so."""
    cdef int d, ndim = cnp.PyArray_NDIM(<cnp.ndarray> index), inner = ndim - 1
    cdef Py_ssize_t step
    job.table, job.values = <char*> cnp.PyArray_DATA(<cnp.ndarray> table), <char*> cnp.PyArray_DATA(<cnp.ndarray> values)
    job.index = <const char*> cnp.PyArray_DATA(<cnp.ndarray> index)
    job.limit, job.stride = cnp.PyArray_DIM(<cnp.ndarray> table, dim), cnp.PyArray_STRIDE(<cnp.ndarray> table, dim)
    job.itemsize, job.dims = cnp.PyArray_ITEMSIZE(<cnp.ndarray> table), 0
    job.middle, job.table_middle, job.value_middle, job.index_middle = 1, 0, 0, 0
    job.cut = reads or dim != inner
    for d in range(ndim):
        step = 0 if d == dim else cnp.PyArray_STRIDE(<cnp.ndarray> table, d)
        if d == inner:
            job.n, job.table_in = cnp.PyArray_DIM(<cnp.ndarray> index, d), step
            job.value_in = cnp.PyArray_STRIDE(<cnp.ndarray> values, d)
            job.index_in = cnp.PyArray_STRIDE(<cnp.ndarray> index, d)
        elif d == dim and not (reads and cnp.PyArray_DIM(<cnp.ndarray> index, inner) < FEW):
            job.middle = cnp.PyArray_DIM(<cnp.ndarray> index, d)
            job.value_middle = cnp.PyArray_STRIDE(<cnp.ndarray> values, d)
            job.index_middle = cnp.PyArray_STRIDE(<cnp.ndarray> index, d)
        else:
            job.size[job.dims], job.table_steps[job.dims] = cnp.PyArray_DIM(<cnp.ndarray> index, d), step
            job.value_steps[job.dims] = cnp.PyArray_STRIDE(<cnp.ndarray> values, d)
            job.index_steps[job.dims] = cnp.PyArray_STRIDE(<cnp.ndarray> index, d)
            job.dims += 1


cdef bint fit(object index, object table, int dim, object values) except -1:
    """Whether ``index`` is no larger than the table in the other dims, nor than ``values`` in any."""
    cdef int d, ndim = cnp.PyArray_NDIM(<cnp.ndarray> index)
    if ndim != cnp.PyArray_NDIM(<cnp.ndarray> table) or not 0 <= dim < ndim or ndim > 30:
        return False
    if values is not None and cnp.PyArray_NDIM(<cnp.ndarray> values) != ndim:
        return False
    for d in range(ndim):
        if d != dim and cnp.PyArray_DIM(<cnp.ndarray> index, d) > cnp.PyArray_DIM(<cnp.ndarray> table, d):
            return False
        if values is not None and cnp.PyArray_DIM(<cnp.ndarray> index, d) > cnp.PyArray_DIM(<cnp.ndarray> values, d):
            return False
    return True


cdef object as_element_index(object index):
    """An index of int64 with any strides, as the loops over elements read it; None where it is none."""
    if not cnp.PyArray_CheckExact(index):
        return None
    if cnp.PyArray_TYPE(<cnp.ndarray> index) == cnp.NPY_INT64 and cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> index):
        return index
    return index.astype(np.int64) if index.dtype.kind == "i" else None


def gather(table, int dim, index):
    """``out[p] = table[..., index[p], ...]`` along ``dim`` for every place ``p`` of ``index``; row-major."""
    cdef elements_job job
    cdef int outside
    index = as_element_index(index)
    if index is None or not is_served(table) or not fit(index, table, dim, None):
        return None
    out = np.empty(index.shape, table.dtype)
    describe_elements(&job, table, out, index, dim, True)
    with nogil:
        outside = read_elements(&job)
    return None if outside else out


def scatter(table, int dim, index, values, way=None):
    """``table[..., index[p], ...] = values[p]`` along ``dim``, or combined; ``values`` may be a number. True where it was done.

    The places have been checked; where one lies outside by now, its share is not done.
    """
    cdef elements_job job
    cdef int how = WAYS[way], kind
    if not is_served(table) or not cnp.PyArray_ISWRITEABLE(<cnp.ndarray> table):
        return None
    kind = kind_of(table, how)
    index = as_element_index(index)
    if kind < 0 or index is None:
        return None
    if not isinstance(values, np.ndarray) or values.ndim == 0:
        values = np.broadcast_to(np.asarray(values).astype(table.dtype), index.shape)
    if not fit(index, table, dim, values) or not same_type(values, table) or not lie_apart(table, index):
        return None
    if not lie_apart(table, values) or not is_served(values):
        values = np.array(values, order="C")
    describe_elements(&job, table, values, index, dim, False)
    job.way, job.kind = how, kind
    with nogil:
        write_elements(&job)
    return True


# --- whole forwards, where nothing is to be refused -------------------------------------------------------------------------

cdef int dim_of(object dim, object x) except -2:
    """``dim`` counted from the front; -1 where ``x`` has no such dim."""
    cdef int ndim = cnp.PyArray_NDIM(<cnp.ndarray> x)
    if type(dim) is not int or not -ndim <= dim < ndim:
        return -1
    return dim if dim >= 0 else dim + ndim


cdef bint holds_places(object index) noexcept:
    """Whether ``index`` has some, of int64 or int32."""
    cdef int kind
    if not cnp.PyArray_CheckExact(index) or cnp.PyArray_NDIM(<cnp.ndarray> index) == 0 or cnp.PyArray_SIZE(<cnp.ndarray> index) == 0:
        return False
    kind = cnp.PyArray_TYPE(<cnp.ndarray> index)
    return kind == cnp.NPY_INT64 or kind == cnp.NPY_INT32


def gather_elements(x, dim, index, sparse_grad=False):
    """The forward of ``gather``."""
    cdef int at
    if not cnp.PyArray_CheckExact(x) or not holds_places(index):
        return None
    at = dim_of(dim, x)
    return None if at < 0 else gather(x, at, index)


cdef object combined(object x, object dim, object index, object values, object way, object out):
    """``x``, or a copy of it, with ``values`` put or combined at the places; None where the forward has to look at it."""
    cdef int at
    cdef bint inside
    if not cnp.PyArray_CheckExact(x) or not holds_places(index) or not (out is None or out is x):
        return None
    at, index = dim_of(dim, x), as_index(index)
    if at < 0 or index is None:
        return None
    if cnp.PyArray_CheckExact(values):
        if not same_type(values, x):
            return None
    elif not ((type(values) is float or type(values) is int) and x.dtype.char in "fd"
              and (-3e38 < values < 3e38 or values - values != 0)):
        return None
    if not fit(index, x, at, values if cnp.PyArray_CheckExact(values) else None):
        return None
    with nogil:
        inside = all_inside(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> index), cnp.PyArray_SIZE(<cnp.ndarray> index),
                            cnp.PyArray_DIM(<cnp.ndarray> x, at), 0)
    if not inside:
        return None
    table = np.array(x, order="C") if out is None else out
    return table if scatter(table, at, index, values, way) else None


def put_elements(x, dim, index, src=None, value=None, reduce=None, out=None):
    """The forward of ``scatter``."""
    if (reduce is not None and reduce != "add" and reduce != "multiply") or (src is not None and value is not None):
        return None
    return combined(x, dim, index, value if src is None else src, reduce, out)


def add_elements(x, dim, index, src, out=None):
    """The forward of ``scatter_add``."""
    return combined(x, dim, index, src, "add", out) if cnp.PyArray_CheckExact(src) else None


cdef dict REDUCTIONS = {"sum": "add", "prod": "multiply", "amax": "maximum", "amin": "minimum"}


def reduce_elements(x, dim, index, src, reduce, include_self=True, out=None):
    """The forward of ``scatter_reduce``, where what was there counts; a mean needs counts."""
    way = REDUCTIONS.get(reduce)
    if way is None or include_self is not True or not cnp.PyArray_CheckExact(src):
        return None
    return combined(x, dim, index, src, way, out)


def reduce_slices(x, dim, index, source, reduce, include_self=True, out=None):
    """The forward of ``index_reduce``, of floats and whole numbers."""
    cdef int at
    cdef Py_ssize_t n
    cdef bint inside
    way = "add" if reduce == "mean" else REDUCTIONS.get(reduce)
    if way is None or reduce == "sum" or not cnp.PyArray_CheckExact(x) or not cnp.PyArray_CheckExact(source) \
            or not holds_places(index) or cnp.PyArray_NDIM(<cnp.ndarray> index) != 1 or not (out is None or out is x) \
            or source.dtype != x.dtype or x.dtype.char not in "fdbBhilHILqQ" or not x.flags.writeable and out is not None:
        return None
    at, index = dim_of(dim, x), as_index(index)
    if at < 0 or index is None or cnp.PyArray_SIZE(<cnp.ndarray> x) == 0:
        return None
    n = cnp.PyArray_DIM(<cnp.ndarray> x, at)
    if source.shape != (*x.shape[:at], index.size, *x.shape[at + 1:]):
        return None
    with nogil:
        inside = all_inside(<const int64_t*> cnp.PyArray_DATA(<cnp.ndarray> index), cnp.PyArray_SIZE(<cnp.ndarray> index), n, 0)
    if not inside or not lie_apart(x, index) or not is_served(x) or (out is not None and not is_served(source)):
        return None
    if out is not None and not lie_apart(out, source):
        source = source.copy()
    table = np.array(x, order="C") if out is None else out
    lines = (slice(None),) * at
    if not include_self:
        table[(*lines, index)] = start_of(reduce, x.dtype)
    if not put(table, [index], (at,), source, way, False):
        return None
    if reduce == "mean":
        counts = np.maximum(np.bincount(index, minlength=n) + (1 if include_self else 0), 1)
        counts = counts.reshape(-1, *(1,) * (cnp.PyArray_NDIM(<cnp.ndarray> x) - 1 - at))
        if x.dtype.kind == "f":
            np.divide(table, counts.astype(x.dtype), out=table)
        else:
            np.floor_divide(table, counts, out=table, casting="unsafe")
    return table


cdef object start_of(object reduce, object dtype):
    """What a place starts from that does not count what was there."""
    if reduce == "prod" or reduce == "mean":
        return 1 if reduce == "prod" else 0
    if dtype.kind == "f":
        return -np.inf if reduce == "amax" else np.inf
    return np.iinfo(dtype).min if reduce == "amax" else np.iinfo(dtype).max
