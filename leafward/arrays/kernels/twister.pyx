# distutils: sources = leafward/arrays/kernels/draws_loops.c
# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The Mersenne Twister, compiled: whole blocks of 624 words at a time, in loops that the C compiler vectorises.

``NumpyTwister`` in ``leafward/arrays/twister.py`` is the same class in NumPy, and ``Engine`` there says what the
methods return.
"""
cimport numpy as cnp
from libc.math cimport ceil, cos, exp, fma, log, log1p, pi, sin, sqrt, tan
from libc.stdint cimport int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy

cdef extern from "draws_loops.h":
    void prepare_draws() noexcept
    void normals_by_sixteens(float* values, Py_ssize_t n) noexcept nogil
    void words_below(const uint32_t* words, Py_ssize_t n, uint32_t count, int64_t low, int64_t* to) noexcept nogil
    void floats_between(float* u, Py_ssize_t n, float low, float high) noexcept nogil
    void doubles_between(double* u, Py_ssize_t n, double low, double high) noexcept nogil

cnp.import_array()
prepare_draws()

cdef enum:
    AHEAD = 397
    CHUNK = 512

# As in arrays/twister.py.
cdef enum:
    UNIFORM
    NORMAL
    EXPONENTIAL
    CAUCHY
    BERNOULLI
    INTEGERS
    GEOMETRIC
    LOG_NORMAL
    SHUFFLED

cdef uint32_t MATRIX = 0x9908B0DF
cdef uint32_t TOP = 0x80000000
cdef uint32_t LOW24 = 0xFFFFFF
cdef uint64_t LOW53 = 0x1FFFFFFFFFFFFF
cdef float SCALE24 = 2.0**-24
cdef double SCALE53 = 2.0**-53
cdef double TURN = 6.283185307179586


cdef inline uint32_t twisted(uint32_t first, uint32_t second) noexcept nogil:
    cdef uint32_t mixed = (first & TOP) | (second & ~TOP)
    return (mixed >> 1) ^ ((0 - (second & 1)) & MATRIX)


cdef inline uint32_t tempered(uint32_t word) noexcept nogil:
    word ^= word >> 11
    word ^= (word << 7) & 0x9D2C5680u
    word ^= (word << 15) & 0xEFC60000u
    return word ^ (word >> 18)


cdef void turn(uint32_t* key) noexcept nogil:
    """The next 624 words of the recurrence."""
    cdef int i
    for i in range(BLOCK - AHEAD):
        key[i] = key[i + AHEAD] ^ twisted(key[i], key[i + 1])
    for i in range(BLOCK - AHEAD, BLOCK - 1):
        key[i] = key[i + AHEAD - BLOCK] ^ twisted(key[i], key[i + 1])
    key[BLOCK - 1] = key[AHEAD - 1] ^ twisted(key[BLOCK - 1], key[0])


cdef inline uint64_t joined(uint32_t* pair) noexcept nogil:
    return <uint64_t>pair[0] << 32 | pair[1]


cdef object empty(Py_ssize_t n, int kind):
    cdef cnp.npy_intp size = n
    return cnp.PyArray_EMPTY(1, &size, kind, 0)



cdef class Twister:
    """The words that follow from one seed.

    ``noted``: a list, where somebody wants to know what is drawn: of each ``fill_few`` its arguments, of all else None.
    """

    cpdef start(self, uint32_t seed):
        cdef uint32_t i
        self.key[0] = seed
        for i in range(1, <uint32_t>BLOCK):
            self.key[i] = 1812433253u * (self.key[i - 1] ^ (self.key[i - 1] >> 30)) + i
        self.position = BLOCK
        self.next_normal = None

    cpdef tuple get_key(self):
        cdef cnp.ndarray key = empty(BLOCK, cnp.NPY_UINT32)
        memcpy(cnp.PyArray_DATA(key), self.key, sizeof(self.key))
        return key, self.position

    cpdef set_key(self, cnp.ndarray key, int position):
        memcpy(self.key, cnp.PyArray_DATA(key), sizeof(self.key))
        self.position = position

    cdef int note(self, object drawn) except -1:
        if self.noted is not None:
            self.noted.append(drawn)
        return 0

    cdef uint32_t word(self) noexcept nogil:
        if self.position == BLOCK:
            turn(self.key)
            self.position = 0
        self.position += 1
        return tempered(self.key[self.position - 1])

    cdef uint64_t word64(self) noexcept nogil:
        cdef uint64_t high = self.word()
        return high << 32 | self.word()

    cdef double uniform(self) noexcept nogil:
        return (self.word64() & LOW53) * SCALE53

    cdef int ready(self, Py_ssize_t wanted) noexcept nogil:
        """How many of the ``wanted`` words are there now, at least one."""
        if self.position == BLOCK:
            turn(self.key)
            self.position = 0
        return <int>min(wanted, <Py_ssize_t>(BLOCK - self.position))

    cdef void fill(self, uint32_t* to, Py_ssize_t n) noexcept nogil:
        """The next ``n`` words."""
        cdef uint32_t* source
        cdef int i, count
        while n:
            count = self.ready(n)
            source = self.key + self.position
            for i in range(count):
                to[i] = tempered(source[i])
            self.position += count
            to += count
            n -= count

    cpdef words(self, Py_ssize_t n):
        self.note(None)
        cdef cnp.ndarray out = empty(n, cnp.NPY_UINT32)
        cdef uint32_t* to = <uint32_t*>cnp.PyArray_DATA(out)
        with nogil:
            self.fill(to, n)
        return out

    cpdef uniform24(self, Py_ssize_t n):
        self.note(None)
        cdef cnp.ndarray out = empty(n, cnp.NPY_FLOAT32)
        cdef float* to = <float*>cnp.PyArray_DATA(out)
        with nogil:
            self.floats(to, n)
        return out

    cdef void floats(self, float* to, Py_ssize_t n) noexcept nogil:
        """The next ``n`` uniform numbers of 24 bits."""
        cdef uint32_t* source
        cdef int i, count
        while n:
            count = self.ready(n)
            source = self.key + self.position
            for i in range(count):
                # Below 2**24 the sign bit is clear, and the signed conversion is the fast one.
                to[i] = <int>(tempered(source[i]) & LOW24) * SCALE24
            self.position += count
            to += count
            n -= count

    cpdef words64(self, Py_ssize_t n):
        self.note(None)
        cdef cnp.ndarray out = empty(n, cnp.NPY_UINT64)
        cdef uint64_t* to = <uint64_t*>cnp.PyArray_DATA(out)
        cdef uint32_t pairs[2 * CHUNK]
        cdef Py_ssize_t i, count
        with nogil:
            while n:
                count = min(n, <Py_ssize_t>CHUNK)
                self.fill(pairs, 2 * count)
                for i in range(count):
                    to[i] = joined(pairs + 2 * i)
                to += count
                n -= count
        return out

    cpdef uniform53(self, Py_ssize_t n):
        self.note(None)
        cdef cnp.ndarray out = empty(n, cnp.NPY_FLOAT64)
        cdef double* to = <double*>cnp.PyArray_DATA(out)
        cdef uint32_t pairs[2 * CHUNK]
        cdef Py_ssize_t i, count
        with nogil:
            while n:
                count = min(n, <Py_ssize_t>CHUNK)
                self.fill(pairs, 2 * count)
                for i in range(count):
                    to[i] = <int64_t>(joined(pairs + 2 * i) & LOW53) * SCALE53
                to += count
                n -= count
        return out

    cpdef below53(self, Py_ssize_t n, uint64_t limit):
        self.note(None)
        cdef cnp.ndarray out = empty(n, cnp.NPY_BOOL)
        cdef uint8_t* to = <uint8_t*>cnp.PyArray_DATA(out)
        cdef uint32_t pairs[2 * CHUNK]
        cdef Py_ssize_t i, count
        with nogil:
            while n:
                count = min(n, <Py_ssize_t>CHUNK)
                self.fill(pairs, 2 * count)
                for i in range(count):
                    to[i] = (joined(pairs + 2 * i) & LOW53) < limit
                to += count
                n -= count
        return out

    cdef double normal(self) except? -1:
        """The next of the Box-Muller pairs."""
        cdef double angle, radius
        if self.next_normal is not None:
            angle, self.next_normal = self.next_normal, None
            return angle
        angle = TURN * self.uniform()
        radius = sqrt(-2 * log1p(-self.uniform()))
        self.next_normal = radius * sin(angle)
        return radius * cos(angle)

    cpdef normals(self, Py_ssize_t n):
        self.note(None)
        cdef cnp.ndarray out = empty(n, cnp.NPY_FLOAT64)
        cdef double* to = <double*>cnp.PyArray_DATA(out)
        cdef Py_ssize_t i = 0
        cdef double angle, radius, second
        if n and self.next_normal is not None:
            to[0] = self.next_normal
            self.next_normal = None
            i = 1
        while i < n:
            angle = TURN * self.uniform()
            radius = sqrt(-2 * log1p(-self.uniform()))
            to[i] = radius * cos(angle)
            second = radius * sin(angle)
            if i + 1 < n:
                to[i + 1] = second
            else:
                self.next_normal = second
            i += 2
        return out

    cpdef shuffled(self, Py_ssize_t n):
        cdef cnp.ndarray out = empty(n, cnp.NPY_INT64)
        with nogil:
            self.shuffle(<int64_t*>cnp.PyArray_DATA(out), n)
        self.note((SHUFFLED, out, 0.0, 0.0))
        return out

    cdef void shuffle(self, int64_t* order, Py_ssize_t n) noexcept nogil:
        """The numbers below ``n`` in random order."""
        cdef Py_ssize_t i, j
        for i in range(n):
            order[i] = i
        for i in range(n - 1):
            j = i + self.word() % <uint32_t>(n - i)
            order[i], order[j] = order[j], order[i]

    cpdef bint fill_few(self, int distribution, object x, double a, double b) except -1:
        """Fill ``x``, where it is a row-major array of float32 or float64 (or int64, with integers); else nothing is drawn.

        Many float32 numbers of some distributions are left to NumPy, which takes logarithms and tangents in vectors.
        The numbers are those of the functions of ``arrays/random.py``, rounded once.
        """
        cdef int kind
        cdef Py_ssize_t n
        cdef void* to
        cdef bint filled = False
        cdef list noted = self.noted
        if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY(<cnp.ndarray>x):
            return False
        self.noted = None                                   # what it draws with is no draw of its own
        kind, n, to = cnp.PyArray_TYPE(<cnp.ndarray>x), cnp.PyArray_SIZE(<cnp.ndarray>x), cnp.PyArray_DATA(<cnp.ndarray>x)
        if kind == cnp.NPY_FLOAT32 and distribution == NORMAL and n >= 16:
            filled = True
            self.normal_blocks(<float*>to, n, <float>a, <float>b)
        elif kind == cnp.NPY_FLOAT32 and distribution == UNIFORM and a == 0 and b == 1:
            filled = True
            with nogil:
                self.floats(<float*>to, n)
        elif kind == cnp.NPY_INT64 and distribution == INTEGERS and b > 1:
            filled = True
            with nogil:
                self.integers(<int64_t*>to, n, <int64_t>a, <uint32_t>b)
        elif distribution == SHUFFLED:
            filled = kind == cnp.NPY_INT64
            if filled:
                with nogil:
                    self.shuffle(<int64_t*>to, n)
        elif kind == cnp.NPY_FLOAT32 and n > CHUNK and distribution not in (UNIFORM, BERNOULLI, INTEGERS, CAUCHY):
            pass
        elif kind == cnp.NPY_FLOAT32:
            filled = self.few(distribution, <float*>to, n, a, b)
        elif kind == cnp.NPY_FLOAT64:
            filled = self.few(distribution, <double*>to, n, a, b)
        self.noted = noted
        if filled:
            self.note((distribution, x, a, b))
        return filled

    cdef void integers(self, int64_t* to, Py_ssize_t n, int64_t low, uint32_t count) noexcept nogil:
        cdef uint32_t words[CHUNK]
        cdef Py_ssize_t some
        while n:
            some = min(n, <Py_ssize_t>CHUNK)
            self.fill(words, some)
            words_below(words, some, count, low, to)
            to += some
            n -= some

    cpdef bint fill_each(self, object x, object p) except -1:
        """Fill ``x`` with ones, each with its own probability in ``p``, and zeros; or draw nothing, as :meth:`fill_few`."""
        cdef Py_ssize_t n, d
        if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY(<cnp.ndarray>x) or not cnp.PyArray_CheckExact(p) \
                or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>p) or not cnp.PyArray_SAMESHAPE(<cnp.ndarray>x, <cnp.ndarray>p) \
                or cnp.PyArray_TYPE(<cnp.ndarray>x) != cnp.PyArray_TYPE(<cnp.ndarray>p) or cnp.PyArray_SIZE(<cnp.ndarray>x) > CHUNK:
            return False
        self.note(None)
        n = cnp.PyArray_SIZE(<cnp.ndarray>x)
        if cnp.PyArray_TYPE(<cnp.ndarray>x) == cnp.NPY_FLOAT32:
            return self.each(<float*>cnp.PyArray_DATA(<cnp.ndarray>x), <const float*>cnp.PyArray_DATA(<cnp.ndarray>p), n)
        if cnp.PyArray_TYPE(<cnp.ndarray>x) == cnp.NPY_FLOAT64:
            return self.each(<double*>cnp.PyArray_DATA(<cnp.ndarray>x), <const double*>cnp.PyArray_DATA(<cnp.ndarray>p), n)
        return False

    cdef bint each(self, real* to, const real* p, Py_ssize_t n) except -1:
        cdef Py_ssize_t i
        for i in range(n):
            if not 0 <= p[i] <= 1:
                return False
        for i in range(n):
            if real is float:
                to[i] = <int>(self.word() & LOW24) * SCALE24 < p[i]
            else:
                to[i] = self.uniform() < p[i]
        return True

    cdef bint few(self, int distribution, real* to, Py_ssize_t n, double a, double b) except -1:
        if distribution == LOG_NORMAL:
            self.log_normals(to, n, a, b)
        elif distribution == NORMAL:                      # a product alone, or a sum: nothing that a compiler could round once
            if a != 0 and b != 1 or n >= 16:
                return False
            self.scaled_normals(to, n, a, b)
        else:
            with nogil:
                self.blocks(distribution, to, n, a, b)
        return True

    cdef void blocks(self, int distribution, real* to, Py_ssize_t n, double a, double b) noexcept nogil:
        cdef uint32_t words[2 * CHUNK]
        cdef int64_t whole[CHUNK]
        cdef uint64_t limit
        cdef Py_ssize_t i, some
        while n:
            some = min(n, <Py_ssize_t>CHUNK)
            if distribution == INTEGERS:                  # from a on, b of them
                self.fill(words, some)
                if b > 1:
                    words_below(words, some, <uint32_t>b, <int64_t>a, whole)
                for i in range(some):
                    to[i] = <real>(whole[i] if b > 1 else <int64_t>a)
            elif distribution == UNIFORM and real is float:
                self.floats(<float*>to, some)
            else:
                self.fill(words, 2 * some)
            if distribution == UNIFORM:                   # from a to b
                if real is float:
                    floats_between(<float*>to, some, <float>a, <float>b)
                else:
                    for i in range(some):
                        to[i] = <int64_t>(joined(words + 2 * i) & LOW53) * SCALE53
                    if a != 0 or b != 1:
                        doubles_between(<double*>to, some, a, b)
            elif distribution == BERNOULLI:               # a is 2**53 times the probability of b
                limit = <uint64_t>a
                for i in range(some):
                    to[i] = <real>b if (joined(words + 2 * i) & LOW53) < limit else 0
            elif distribution == EXPONENTIAL:             # times a
                for i in range(some):
                    to[i] = <real>(a * log1p(-(<int64_t>(joined(words + 2 * i) & LOW53) * SCALE53)))
            elif distribution == CAUCHY and a == 0 and b == 1:
                for i in range(some):
                    to[i] = <real>tan(pi * (<int64_t>(joined(words + 2 * i) & LOW53) * SCALE53 - 0.5))
            elif distribution == CAUCHY:
                for i in range(some):
                    to[i] = <real>fma(tan(pi * (<int64_t>(joined(words + 2 * i) & LOW53) * SCALE53 - 0.5)), b, a)
            elif distribution == GEOMETRIC:               # a is log(1 - p)
                for i in range(some):
                    to[i] = <real>ceil(log(<int64_t>(joined(words + 2 * i) & LOW53) * SCALE53) / a)
            to += some
            n -= some

    cdef scaled_normals(self, real* to, Py_ssize_t n, double mean, double std):
        cdef Py_ssize_t i
        cdef cnp.ndarray values = self.normals(n)
        cdef double* drawn = <double*>cnp.PyArray_DATA(values)
        for i in range(n):
            to[i] = <real>(drawn[i] + mean if mean != 0 else drawn[i] * std)

    cdef log_normals(self, real* to, Py_ssize_t n, double mean, double std):
        cdef Py_ssize_t i
        cdef cnp.ndarray values = self.normals(n)
        cdef double* drawn = <double*>cnp.PyArray_DATA(values)
        for i in range(n):
            drawn[i] *= std
        for i in range(n):                                # in a loop of its own: no compiler is to round both at once
            to[i] = <real>exp(drawn[i] + mean)

    cdef int normal_blocks(self, float* to, Py_ssize_t n, float mean, float std) except -1:
        """As ``normal_blocks`` in ``arrays/random.py``."""
        cdef Py_ssize_t start, count, rest = n % 16, whole = n - rest
        cdef float unused[16]
        with nogil:
            start = 0
            while start < whole:
                count = min(whole - start, <Py_ssize_t>CHUNK)
                self.sixteens(to + start, count, mean, std)
                start += count
            if rest:
                self.floats(unused, rest)
                self.sixteens(to + n - 16, 16, mean, std)
        return 0

    cdef void sixteens(self, float* to, Py_ssize_t n, float mean, float std) noexcept nogil:
        cdef Py_ssize_t i
        self.floats(to, n)
        normals_by_sixteens(to, n)
        if std != 1:
            for i in range(n):
                to[i] *= std
        if mean != 0:                                     # in a loop of its own: no compiler is to round both at once
            for i in range(n):
                to[i] += mean

    cpdef object normals_around(self, object mean, object std):
        """Normal numbers of these means and deviations, arrays of one shape or one of them a number; None for what is not in order."""
        cdef cnp.ndarray of = mean if isinstance(mean, cnp.ndarray) else std
        cdef cnp.ndarray out
        cdef Py_ssize_t i, n = cnp.PyArray_SIZE(of)
        cdef float* to
        cdef const float* given
        if n < 16 or not plain_floats(of, of) or mean is not of and not isinstance(mean, float) \
                or std is not of and not isinstance(std, float) and not plain_floats(std, of):
            return None
        out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(of), cnp.PyArray_DIMS(of), cnp.NPY_FLOAT32, 0)
        to = <float*>cnp.PyArray_DATA(out)
        self.normal_blocks(to, n, 0, 1 if isinstance(std, cnp.ndarray) else <float><double>std)
        if isinstance(std, cnp.ndarray):
            given = <const float*>cnp.PyArray_DATA(<cnp.ndarray>std)
            for i in range(n):
                to[i] *= given[i]
        if isinstance(mean, cnp.ndarray):
            given = <const float*>cnp.PyArray_DATA(<cnp.ndarray>mean)
            for i in range(n):
                to[i] += given[i]
        elif <double>mean != 0:
            for i in range(n):
                to[i] += <float><double>mean
        self.note(None)
        return out


    cpdef object ramp_slopes(self, object x, double low, double high):
        """One where ``x`` is above 0, else a uniform number, in order; None for what is no array of float32 or float64 in order."""
        cdef cnp.ndarray out
        if not cnp.PyArray_CheckExact(x) or not cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>x) \
                or cnp.PyArray_TYPE(<cnp.ndarray>x) not in (cnp.NPY_FLOAT32, cnp.NPY_FLOAT64):
            return None
        out = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(<cnp.ndarray>x), cnp.PyArray_DIMS(<cnp.ndarray>x), cnp.PyArray_TYPE(<cnp.ndarray>x), 0)
        self.note(None)
        if cnp.PyArray_TYPE(out) == cnp.NPY_FLOAT32:
            self.slopes(<const float*>cnp.PyArray_DATA(<cnp.ndarray>x), <float*>cnp.PyArray_DATA(out), cnp.PyArray_SIZE(out), low, high)
        else:
            self.slopes(<const double*>cnp.PyArray_DATA(<cnp.ndarray>x), <double*>cnp.PyArray_DATA(out), cnp.PyArray_SIZE(out), low, high)
        return out

    cdef void slopes(self, const real* x, real* to, Py_ssize_t n, double low, double high) noexcept:
        cdef Py_ssize_t i
        cdef double u
        with nogil:
            for i in range(n):
                if x[i] <= 0:
                    u = fma(self.uniform(), high - low, low)
                    to[i] = <real>(low if u == high else u)
                else:
                    to[i] = 1


cdef bint plain_floats(object x, cnp.ndarray shaped):
    """Whether ``x`` is an array of float32 in order, of the shape of ``shaped``."""
    return cnp.PyArray_CheckExact(x) and cnp.PyArray_TYPE(<cnp.ndarray>x) == cnp.NPY_FLOAT32 \
        and cnp.PyArray_ISCARRAY_RO(<cnp.ndarray>x) and cnp.PyArray_SAMESHAPE(<cnp.ndarray>x, shaped)


cpdef blocks_of_normals(cnp.ndarray uniforms):
    """Box-Muller on float32 uniforms by sixteens, in their place: 8 cosines from the first 8 radii and the last 8 angles, then 8 sines."""
    cdef Py_ssize_t n = cnp.PyArray_SIZE(uniforms)
    with nogil:
        normals_by_sixteens(<float*>cnp.PyArray_DATA(uniforms), n)
    return uniforms
