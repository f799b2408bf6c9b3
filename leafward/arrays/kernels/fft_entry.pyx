# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/fft_loops.c
"""Fourier transforms in C, of dense arrays of floats and along any dims; ``fft.py`` makes the tables that they need.

Each answers None where it does not apply: NumPy has long lines that are few, and lengths with large prime factors.
"""
cimport numpy as cnp

cnp.import_array()

cdef extern from "fft_loops.h":
    enum: LONGEST_PRIME
    enum fft_kind:
        COMPLEX, TO_HALF, TO_WHOLE, FROM_HALF
    ctypedef struct fft:
        Py_ssize_t size
        Py_ssize_t points
        Py_ssize_t lines
        Py_ssize_t inner
        fft_kind kind
        int wide
        int backward
        double scale
        const void* x
        void* out
        const void* turns
        const void* halves
    const char* fft_obstacle
    int fft_start() except -1
    int fft_run(fft*) noexcept nogil
    int are_finite(const void*, Py_ssize_t, int) noexcept nogil

fft_start()

#: Why these kernels serve nobody here, or None.
obstacle = None if fft_obstacle == NULL else fft_obstacle.decode()
#: The longest prime factor of a length.
longest_prime = LONGEST_PRIME
#: What makes the tables for so many points, of float64 or not: ``fft.py``'s.
make_tables = None

#: Lines go side by side: of fewer than these NumPy transforms one after the other as fast, unless they are short.
DEF FEW = 4
DEF SHORT = 1024
#: A spectrum that has an infinity or a NaN spoils all of a signal here; in one of fewer points NumPy keeps them apart.
DEF SHORTEST = 32
#: So many lengths' tables are kept.
DEF KEPT = 64
DEF DIMS = 64

#: Tables, by the number of points and whether they are of float64.
cdef dict tables = {}


cdef bint is_smooth(Py_ssize_t n) noexcept:
    """Whether no prime factor of ``n`` is too large."""
    cdef Py_ssize_t p = 3
    while n % 2 == 0:
        n //= 2
    while n > 1 and p <= LONGEST_PRIME:
        if n % p == 0:
            n //= p
        else:
            p += 2
    return n == 1


cdef bint serves(Py_ssize_t n, Py_ssize_t lines) noexcept:
    return n > 0 and (n <= SHORT or lines >= FEW) and is_smooth(n)


cdef int find_axes(cnp.ndarray x, dim, int* axes) except -1:
    """The dims of ``dim``, counted from the first; 0 for more than there are places."""
    cdef int count = 0, d, ndim = cnp.PyArray_NDIM(x)
    if len(dim) > DIMS:
        return 0
    for given in dim:
        d = given
        axes[count] = d + ndim if d < 0 else d
        count += 1
    return count


cdef bint are_served(cnp.ndarray x, int* axes, int count, Py_ssize_t last) noexcept:
    """Whether all lengths are, the one along the last dim being ``last``."""
    cdef int k
    cdef Py_ssize_t n, size = cnp.PyArray_SIZE(x)
    if size == 0:
        return False
    for k in range(count):
        n = cnp.PyArray_DIM(x, axes[k])
        if not serves(last if k == count - 1 else n, size // n):
            return False
    return True


cdef double scale_of(cnp.ndarray x, int* axes, int count, Py_ssize_t last, int normalization) noexcept:
    cdef double points = last
    cdef int k
    for k in range(count - 1):
        points *= cnp.PyArray_DIM(x, axes[k])
    return 1 if normalization == 0 else points ** -0.5 if normalization == 1 else 1 / points


cdef int along(cnp.ndarray x, cnp.ndarray out, int axis, Py_ssize_t size, fft_kind kind, bint wide, bint backward, double scale) except -1:
    """Transform dense ``x`` along ``axis``, where the signal has ``size`` numbers, into dense ``out``, which may be ``x``."""
    cdef fft f
    cdef int failed, d
    f.size, f.points = size, size // 2 if kind != COMPLEX and size % 2 == 0 else size
    f.kind, f.wide, f.backward, f.scale = kind, wide, backward, scale
    f.inner = 1
    for d in range(axis + 1, cnp.PyArray_NDIM(x)):
        f.inner *= cnp.PyArray_DIM(x, d)
    f.lines = cnp.PyArray_SIZE(x) // cnp.PyArray_DIM(x, axis)
    f.x, f.out = cnp.PyArray_DATA(x), cnp.PyArray_DATA(out)
    key = 2 * f.points + wide
    found = tables.get(key)
    if found is None:
        if len(tables) >= KEPT:
            tables.clear()
        found = tables[key] = make_tables(f.points, wide)
    f.turns, f.halves = cnp.PyArray_DATA(<cnp.ndarray> (<tuple> found)[0]), cnp.PyArray_DATA(<cnp.ndarray> (<tuple> found)[1])
    with nogil:
        failed = fft_run(&f)
    if failed:
        raise MemoryError("a Fourier transform needs more memory than there is")
    return 0


cdef cnp.ndarray like(cnp.ndarray x, int axis, Py_ssize_t size, int kind):
    """A new dense array like ``x`` with ``size`` numbers along ``axis``, of NumPy's type ``kind``."""
    cdef cnp.npy_intp[DIMS] shape
    cdef int d, ndim = cnp.PyArray_NDIM(x)
    for d in range(ndim):
        shape[d] = size if d == axis else cnp.PyArray_DIM(x, d)
    return cnp.PyArray_EMPTY(ndim, shape, kind, 0)


cdef cnp.ndarray complex_passes(cnp.ndarray x, int* axes, int count, bint backward, double scale, bint ours):
    """Complex transforms of ``x``, the last of ``axes`` first; ``ours``: it may be overwritten. The last pass scales."""
    cdef bint wide = cnp.PyArray_TYPE(x) == cnp.NPY_COMPLEX128
    cdef cnp.ndarray out
    cdef int k
    for k in range(count - 1, -1, -1):
        out = x if ours else like(x, -1, 0, cnp.PyArray_TYPE(x))
        along(x, out, axes[k], cnp.PyArray_DIM(x, axes[k]), COMPLEX, wide, backward, 1 if k else scale)
        x, ours = out, True
    return x


def transform(cnp.ndarray x, dim, int normalization, bint forward):
    """``_fft_c2c``."""
    cdef int[DIMS] axes
    cdef int kind = cnp.PyArray_TYPE(x), count = find_axes(x, dim, axes)
    cdef Py_ssize_t last
    if count == 0 or kind not in (cnp.NPY_COMPLEX64, cnp.NPY_COMPLEX128) or not cnp.PyArray_ISNOTSWAPPED(x):
        return None
    last = cnp.PyArray_DIM(x, axes[count - 1])
    if not are_served(x, axes, count, last):
        return None
    return complex_passes(cnp.PyArray_GETCONTIGUOUS(x), axes, count, not forward, scale_of(x, axes, count, last, normalization),
                          False)


def transform_real(cnp.ndarray x, dim, int normalization, bint onesided):
    """``_fft_r2c``."""
    cdef int[DIMS] axes
    cdef int kind = cnp.PyArray_TYPE(x), count = find_axes(x, dim, axes), axis
    cdef Py_ssize_t last
    cdef double scale
    cdef bint wide = kind == cnp.NPY_FLOAT64
    if count == 0 or not (wide or kind == cnp.NPY_FLOAT32) or not cnp.PyArray_ISNOTSWAPPED(x):
        return None
    axis = axes[count - 1]
    last = cnp.PyArray_DIM(x, axis)
    if not are_served(x, axes, count, last):
        return None
    scale = scale_of(x, axes, count, last, normalization)
    out = like(x, axis, last // 2 + 1 if onesided else last, cnp.NPY_COMPLEX128 if wide else cnp.NPY_COMPLEX64)
    along(cnp.PyArray_GETCONTIGUOUS(x), out, axis, last, TO_HALF if onesided else TO_WHOLE, wide, False, 1 if count > 1 else scale)
    return complex_passes(out, axes, count - 1, False, scale, True)


def transform_to_real(cnp.ndarray x, dim, int normalization, Py_ssize_t last):
    """``_fft_c2r``."""
    cdef int[DIMS] axes
    cdef int kind = cnp.PyArray_TYPE(x), count = find_axes(x, dim, axes), axis
    cdef bint wide = kind == cnp.NPY_COMPLEX128
    cdef cnp.ndarray half
    if count == 0 or not (wide or kind == cnp.NPY_COMPLEX64) or not cnp.PyArray_ISNOTSWAPPED(x):
        return None
    axis = axes[count - 1]
    if cnp.PyArray_DIM(x, axis) != last // 2 + 1 or not are_served(x, axes, count, last):
        return None
    half = cnp.PyArray_GETCONTIGUOUS(x)
    if last < SHORTEST and not are_finite(cnp.PyArray_DATA(half), 2 * cnp.PyArray_SIZE(half), wide):
        return None
    half = complex_passes(half, axes, count - 1, True, 1, False)
    out = like(x, axis, last, cnp.NPY_FLOAT64 if wide else cnp.NPY_FLOAT32)
    along(half, out, axis, last, FROM_HALF, wide, True, scale_of(x, axes, count, last, normalization))
    return out
