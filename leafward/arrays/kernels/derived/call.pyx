# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# distutils: sources = leafward/arrays/kernels/derived/layouts.c
"""Derived kernels as functions: ``kernel(*values, out=None)``.

Forms of one op are tried in order, each asking whether it serves these values; the first that does runs. Where none does, the
answer is None, and the paragraph is run instead.
"""
cimport numpy as cnp
from cpython.object cimport PyObject, PyTypeObject
from cpython.pycapsule cimport PyCapsule_GetPointer
from cpython.ref cimport Py_INCREF
from libc.math cimport NAN

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PyMethodDef:
        const char* ml_name
        void* ml_meth
        int ml_flags
        const char* ml_doc
    int METH_FASTCALL, METH_KEYWORDS
    object PyCFunction_New(PyMethodDef* definition, object self)
    double PyLong_AsDouble(object x) except? -1.0
    int PyUnicode_CompareWithASCIIString(object x, const char* word)
    object PyArray_NewFromDescr(PyTypeObject* subtype, cnp.dtype descr, int ndim, const Py_ssize_t* dims, const Py_ssize_t* strides,
                                void* data, int flags, PyObject* like)

cdef extern from "layouts.h":
    enum: MOST_OPERANDS, MOST_DIMS
    ctypedef void (*loop_function)(char** data, Py_ssize_t count, const double* numbers) noexcept nogil
    struct parameter:
        char letter, optional
        const char* word
        double number
    struct form:
        const char* op
        const char* serves
        int count
        const parameter* parameters
        const char* inputs
        const char* outputs
        char sized, total, moves
        int (*guard)(const double* numbers) noexcept nogil
        loop_function demand
        loop_function as_numbers
        loop_function run
    enum: TABLES
    struct tables:
        const form* of[8]
    struct operands:
        int count, inputs, ndim
        Py_ssize_t size
        Py_ssize_t shape[32]
        char* data[10]
        int bytes[10]
        int half[10]
        Py_ssize_t step[10][32]
    void order_of_result(const operands* o, int* order) noexcept nogil
    void run_loop(loop_function loop, operands* o, const double* numbers) noexcept nogil
    double run_total(loop_function loop, operands* o, const double* numbers) noexcept nogil
    int connect_to_pool() except -1

connect_to_pool()

DEF NUMBERS = 16
#: From so many elements on, other Python threads may run meanwhile.
DEF LONG = 8192
#: What stands for an operand of a half type: the loop of float32 serves it.
cdef enum:
    FLOAT16 = 1
    BFLOAT16 = 2
#: Whole numbers up to here are the same in double.
DEF EXACT = 1 << 53


cdef class Kernel:
    """The forms of one paragraph for each dtype, a table of which `count` lines are its own."""

    cdef const form* forms[TABLES]
    cdef int counts[TABLES]
    cdef readonly str op, serves
    cdef public bint halves             # the op is one that computes half types in float32 and rounds once

    def __init__(self, op, serves):
        self.op, self.serves = op, serves
        for which in range(TABLES):
            self.counts[which] = 0
        self.halves = False


cdef int half_of(object x) noexcept:
    """Which half type the elements of an array are of; 0: of none."""
    cdef int kind = cnp.PyArray_TYPE(<cnp.ndarray> x)
    if kind == cnp.NPY_FLOAT16:
        return FLOAT16
    # bfloat16 is none of NumPy's own, and has a letter of its own
    return BFLOAT16 if kind > cnp.NPY_FLOAT16 and (<cnp.ndarray> x).descr.type == b'E' else 0


cdef bint serves(const form* f, PyObject** values, Py_ssize_t count, int kind, int half, PyObject** arrays,
                 double* numbers) noexcept:
    """Whether ``f`` answers this call: the arrays and numbers among the values, in order."""
    cdef const parameter* p
    cdef object value
    cdef int k, found = 0, known = 0, wanted
    if count > f.count:
        return False
    for k in range(f.count):
        p = &f.parameters[k]
        if k >= count:
            if not p.optional:
                return False
            if p.letter == b'n':
                numbers[known] = p.number
                known += 1
            continue
        value = <object> values[k]
        if p.letter == b'T' or p.letter == b'b':
            wanted = kind if p.letter == b'T' else <int> cnp.NPY_BOOL
            if not cnp.PyArray_CheckExact(value) or not cnp.PyArray_ISBEHAVED_RO(<cnp.ndarray> value):
                return False
            if half_of(value) != half if half and p.letter == b'T' else cnp.PyArray_TYPE(<cnp.ndarray> value) != wanted:
                return False
            arrays[found] = values[k]
            found += 1
        elif p.letter == b'n':
            if type(value) is float:
                numbers[known] = <double> value
            elif type(value) is not int or not holds(value, &numbers[known]):
                return False
            known += 1
        elif p.letter == b'i':
            if type(value) is not int or not holds(value, &numbers[NUMBERS - 1]) or numbers[NUMBERS - 1] != p.number:
                return False
        elif p.letter == b's':
            if type(value) is not str or PyUnicode_CompareWithASCIIString(value, p.word) != 0:
                return False
        elif value is not (None if p.letter == b'-' else p.letter == b't'):
            return False
    if f.sized:
        numbers[known] = 0
        for k in range(found):
            numbers[known] = max(numbers[known], <double> cnp.PyArray_SIZE(<cnp.ndarray> <object> arrays[k]))
    return f.guard == NULL or f.guard(numbers) != 0


cdef bint holds(object value, double* number) noexcept:
    """Whether an int is the same in double, which is put into ``number``."""
    try:
        number[0] = PyLong_AsDouble(value)
    except OverflowError:
        return False
    return -EXACT <= number[0] <= EXACT


cdef object answer(Kernel kernel, PyObject** values, Py_ssize_t count, object out):
    """What the first form that serves these values makes of them, or None."""
    cdef PyObject* arrays[MOST_OPERANDS]
    cdef double numbers[NUMBERS]
    cdef const form* f
    cdef int kind = -1, half = 0, which, k
    cdef bint moved = False
    for k in range(count):
        if cnp.PyArray_CheckExact(<object> values[k]):
            kind = cnp.PyArray_TYPE(<cnp.ndarray> values[k])
            if kind != cnp.NPY_BOOL:
                break
    if kind < 0:
        return None
    which = table_of(kind)
    if which < 0:
        half = half_of(<object> values[k])
        if half:
            if not kernel.halves:
                return None
            kind, which = cnp.NPY_FLOAT32, 0
    if which < 0 or kernel.counts[which] == 0:
        if kind > cnp.NPY_CDOUBLE:
            return None
        which, moved = table_of_size(size_of_kind(kind)), True
        if which < 0:
            return None
    f = kernel.forms[which]
    for k in range(kernel.counts[which]):
        if (f.moves or not moved) and serves(f, values, count, kind, half, arrays, numbers):
            if half:
                return None if f.total else run_any(f, kind, half, arrays, numbers, out)
            if out is None and not f.total and f.demand == NULL and is_flat(f, arrays):
                return run_flat(f, kind, arrays, numbers)
            return run_any(f, kind, 0, arrays, numbers, out)
        f += 1
    return None


cdef int table_of(int kind) noexcept:
    """Which of the tables serves elements of a type; -1: none."""
    if kind == cnp.NPY_FLOAT32:
        return 0
    if kind == cnp.NPY_FLOAT64:
        return 1
    if kind == cnp.NPY_BOOL:
        return 2
    if kind == cnp.NPY_UINT8:
        return 3
    if kind == cnp.NPY_INT8:
        return 4
    if kind == cnp.NPY_INT16:
        return 5
    if kind == cnp.NPY_INT32:
        return 6
    return 7 if kind == cnp.NPY_INT64 else -1


cdef int table_of_size(int size) noexcept:
    """Which of the tables has loops that move elements of so many bytes; -1: none."""
    return 3 if size == 1 else 5 if size == 2 else 0 if size == 4 else 1 if size == 8 else -1


cdef bint is_flat(const form* f, PyObject** arrays) noexcept:
    """Whether all arrays are of one shape, and contiguous."""
    cdef cnp.ndarray first = <object> arrays[0], other
    cdef int k = 1, d
    if not cnp.PyArray_IS_C_CONTIGUOUS(first):
        return False
    while f.inputs[k]:
        other = <object> arrays[k]
        if not cnp.PyArray_IS_C_CONTIGUOUS(other) or cnp.PyArray_NDIM(other) != cnp.PyArray_NDIM(first):
            return False
        for d in range(cnp.PyArray_NDIM(first)):
            if cnp.PyArray_DIM(other, d) != cnp.PyArray_DIM(first, d):
                return False
        k += 1
    return True


cdef object run_flat(const form* f, int kind, PyObject** arrays, double* numbers):
    """New arrays from contiguous ones."""
    cdef cnp.ndarray first = <object> arrays[0]
    cdef Py_ssize_t size = cnp.PyArray_SIZE(first)
    cdef operands o
    cdef char* data[MOST_OPERANDS]
    cdef object result = None, results = None
    cdef int k = 0, made = 0
    while f.inputs[k]:
        data[k] = <char*> cnp.PyArray_DATA(<cnp.ndarray> <object> arrays[k])
        k += 1
    if f.outputs[1]:
        results = []
    while f.outputs[made]:
        result = cnp.PyArray_EMPTY(cnp.PyArray_NDIM(first), cnp.PyArray_DIMS(first), kind if f.outputs[made] == b'T' else <int> cnp.NPY_BOOL, 0)
        data[k + made] = <char*> cnp.PyArray_DATA(<cnp.ndarray> result)
        if results is not None:
            results.append(result)
        made += 1
    if size < LONG:
        f.run(data, size, numbers)
    else:
        o.count, o.inputs, o.ndim, o.size, o.shape[0] = k + made, k, 1, size, size
        for d in range(o.count):
            o.data[d] = data[d]
            o.half[d] = 0
            o.bytes[d] = o.step[d][0] = width_of(f.inputs[d] if d < k else f.outputs[d - k], kind)
        with nogil:
            run_loop(f.run, &o, numbers)
    return result if results is None else tuple(results)


cdef int size_of_kind(int kind) noexcept:
    return cnp.PyArray_DescrFromType(kind).itemsize


cdef inline int width_of(char letter, int kind) noexcept:
    """The bytes of an element."""
    if letter == b'b' or kind == cnp.NPY_BOOL:
        return 1
    return 4 if kind == cnp.NPY_FLOAT32 else 8 if kind == cnp.NPY_FLOAT64 else <int> size_of_kind(kind)


cdef object run_any(const form* f, int kind, int half, PyObject** arrays, double* numbers, object out):
    """Arrays of any layout, broadcast, into ``out`` or into new ones; None where that does not fit."""
    cdef object model = None
    cdef loop_function loop = f.run
    cdef operands o
    cdef Py_ssize_t strides[MOST_DIMS]
    cdef int order[MOST_DIMS]
    cdef Py_ssize_t size, step
    cdef int k, d, ndim = 0, made = 0, shift
    cdef cnp.ndarray array
    cdef cnp.dtype descr
    cdef list results = []
    o.inputs = 0
    while f.inputs[o.inputs]:
        ndim = max(ndim, cnp.PyArray_NDIM(<cnp.ndarray> <object> arrays[o.inputs]))
        o.inputs += 1
    while not f.total and f.outputs[made]:
        made += 1
    o.count, o.ndim, o.size = o.inputs + made, ndim, 1
    if ndim > MOST_DIMS or out is not None and (made != 1 or f.total):
        return None
    for d in range(ndim):
        o.shape[d] = 1
    for k in range(o.inputs):
        array = <object> arrays[k]
        shift = ndim - cnp.PyArray_NDIM(array)
        for d in range(shift, ndim):
            size = cnp.PyArray_DIM(array, d - shift)
            if size != 1:
                if o.shape[d] != 1 and o.shape[d] != size:
                    return None
                o.shape[d] = size
    for d in range(ndim):
        o.size *= o.shape[d]
    if f.sized and o.size != numbers[count_of(f) - 1]:
        return None                     # two operands are stretched over each other: the paragraph knows how
    for k in range(o.inputs):
        array = <object> arrays[k]
        shift = ndim - cnp.PyArray_NDIM(array)
        o.data[k] = <char*> cnp.PyArray_DATA(array)
        o.bytes[k], o.half[k] = width_of(f.inputs[k], kind), 0
        if half and f.inputs[k] == b'T' and cnp.PyArray_ITEMSIZE(array) == 2:
            o.bytes[k], o.half[k], model = 2, half, array
        for d in range(ndim):
            o.step[k][d] = 0 if d < shift or cnp.PyArray_DIM(array, d - shift) == 1 else cnp.PyArray_STRIDE(array, d - shift)
    if f.demand != NULL and not all_serve(f, o, numbers):
        return None
    if f.total:
        return total_of(f, kind, &o, numbers)
    if out is not None:
        if not takes(out, f, kind, half, &o, arrays):
            return None
        results.append(out)
    else:
        order_of_result(&o, order)
        for k in range(made):
            step = 2 if half and f.outputs[k] == b'T' else width_of(f.outputs[k], kind)
            for d in range(ndim):
                strides[order[d]] = step
                step *= o.shape[order[d]] if o.shape[order[d]] > 0 else 1
            if half and f.outputs[k] == b'T':
                descr = model.dtype
            else:
                descr = cnp.PyArray_DescrFromType(kind if f.outputs[k] == b'T' else <int> cnp.NPY_BOOL)
            Py_INCREF(descr)
            results.append(PyArray_NewFromDescr(<PyTypeObject*> cnp.ndarray, descr, ndim, o.shape, strides, NULL, 0, NULL))
    for k in range(made):
        array = results[k]
        o.data[o.inputs + k] = <char*> cnp.PyArray_DATA(array)
        o.bytes[o.inputs + k], o.half[o.inputs + k] = <int> cnp.PyArray_ITEMSIZE(array), 0
        if half and f.outputs[k] == b'T':
            o.bytes[o.inputs + k], o.half[o.inputs + k] = 2, half
        for d in range(ndim):
            o.step[o.inputs + k][d] = cnp.PyArray_STRIDE(array, d)
    if f.outputs[0] == b'b' and not cnp.PyArray_ISBOOL(<cnp.ndarray> results[0]):
        loop = f.as_numbers
    if o.size < LONG:
        run_loop(loop, &o, numbers)
    else:
        with nogil:
            run_loop(loop, &o, numbers)
    return results[0] if made == 1 else tuple(results)


cdef int count_of(const form* f) noexcept:
    """How many numbers the loop gets."""
    cdef int k, count = f.sized
    for k in range(f.count):
        count += f.parameters[k].letter == b'n'
    return count


cdef bint all_serve(const form* f, operands o, const double* numbers) noexcept:
    """Whether each of the elements answers as the form demands."""
    o.count = o.inputs
    if o.size < LONG:
        return run_total(f.demand, &o, numbers) == 0
    with nogil:
        return run_total(f.demand, &o, numbers) == 0


cdef object total_of(const form* f, int kind, operands* o, double* numbers):
    """The sum or the mean of what the loop computes, as a 0-dim array."""
    cdef cnp.ndarray result = cnp.PyArray_EMPTY(0, NULL, kind, 0)
    cdef double total
    cdef Py_ssize_t size = o.size
    if size < LONG:
        total = run_total(f.run, o, numbers)
    else:
        with nogil:
            total = run_total(f.run, o, numbers)
    if f.total == b'm':
        total = total / size if size else NAN
    if kind == cnp.NPY_FLOAT32:
        (<float*> cnp.PyArray_DATA(result))[0] = <float> total
    else:
        (<double*> cnp.PyArray_DATA(result))[0] = total
    return result


cdef bint takes(object out, const form* f, int kind, int half, const operands* o, PyObject** arrays) noexcept:
    """Whether ``out`` can be written: of the result's shape and dtype, or of the inputs' where it is bool; none lies across it."""
    cdef int d, k
    cdef cnp.ndarray array
    cdef bint same
    cdef bint fits = cnp.PyArray_CheckExact(out)
    if fits and half and f.outputs[0] == b'T':
        fits = half_of(out) == half
    elif fits:
        fits = cnp.PyArray_ISBOOL(<cnp.ndarray> out) if f.outputs[0] == b'b' else False
        if cnp.PyArray_TYPE(<cnp.ndarray> out) == kind and (f.outputs[0] == b'T' or f.as_numbers != NULL):
            fits = True
    if not fits or not cnp.PyArray_ISBEHAVED(<cnp.ndarray> out) or cnp.PyArray_NDIM(<cnp.ndarray> out) != o.ndim:
        return False
    for d in range(o.ndim):
        if cnp.PyArray_DIM(<cnp.ndarray> out, d) != o.shape[d]:
            return False
    if not has_own_elements(<cnp.ndarray> out):
        return False
    for k in range(o.inputs):
        array = <object> arrays[k]
        if not may_meet(<cnp.ndarray> out, array):
            continue
        same = cnp.PyArray_DATA(array) == cnp.PyArray_DATA(<cnp.ndarray> out) \
            and cnp.PyArray_ITEMSIZE(array) == cnp.PyArray_ITEMSIZE(<cnp.ndarray> out)
        for d in range(o.ndim):
            if o.shape[d] > 1 and o.step[k][d] != cnp.PyArray_STRIDE(<cnp.ndarray> out, d):
                same = False
        if not same:
            return False
    return True


cdef bint has_own_elements(cnp.ndarray x) noexcept:
    """Whether each element has memory of its own, as far as the sizes of the steps tell."""
    cdef int d, c, ndim = cnp.PyArray_NDIM(x)
    cdef Py_ssize_t step, other, reach
    for d in range(ndim):
        if cnp.PyArray_DIM(x, d) <= 1:
            continue
        step, reach = abs(cnp.PyArray_STRIDE(x, d)), cnp.PyArray_ITEMSIZE(x)
        for c in range(ndim):
            other = abs(cnp.PyArray_STRIDE(x, c))
            if c != d and cnp.PyArray_DIM(x, c) > 1 and (other < step or other == step and c < d):
                reach += other * (cnp.PyArray_DIM(x, c) - 1)
        if step < reach:
            return False
    return True


cdef bint may_meet(cnp.ndarray x, cnp.ndarray y) noexcept:
    """Whether the stretches of memory that two arrays lie in have a byte in common."""
    cdef char* first[2]
    cdef char* last[2]
    stretch(x, first, last)
    stretch(y, first + 1, last + 1)
    return first[0] < last[1] and first[1] < last[0]


cdef void stretch(cnp.ndarray x, char** first, char** last) noexcept:
    cdef int d
    cdef Py_ssize_t reach
    first[0] = <char*> cnp.PyArray_DATA(x)
    last[0] = first[0] + cnp.PyArray_ITEMSIZE(x)
    for d in range(cnp.PyArray_NDIM(x)):
        reach = (cnp.PyArray_DIM(x, d) - 1) * cnp.PyArray_STRIDE(x, d)
        if reach > 0:
            last[0] += reach
        else:
            first[0] += reach


# --- as functions of Python --------------------------------------------------------------------------------------------

cdef object called(PyObject* self, PyObject** values, Py_ssize_t count, PyObject* keywords):
    if keywords == NULL:
        return answer(<Kernel> <object> self, values, count, None)
    if <object> keywords != ("out",):
        raise TypeError(f"a kernel takes no {<object> keywords}, but out= alone")
    return answer(<Kernel> <object> self, values, count, <object> values[count])


cdef PyMethodDef definition = PyMethodDef(b"kernel", <void*> called, METH_FASTCALL | METH_KEYWORDS,
                                          b"kernel(*values, out=None): the result, or None where it does not serve the call.")


def kernels_of(module):
    """The kernels in a module of loops: ``{(op, what the rule serves): function}``."""
    cdef const tables* all = <const tables*> PyCapsule_GetPointer(module.forms, module.__name__.encode())
    cdef const form* f
    cdef Kernel kernel
    cdef int which
    found = {}
    for which in range(TABLES):
        f = all.of[which]
        while f.op != NULL:
            at = f.op.decode(), f.serves.decode()
            kernel = found.get(at)
            if kernel is None:
                kernel = found[at] = Kernel(*at)
            if kernel.counts[which] == 0:
                kernel.forms[which] = f
            kernel.counts[which] += 1
            f += 1
    return {at: PyCFunction_New(&definition, kernel) for at, kernel in found.items()}


cdef extern from *:
    """
    /* The instruction sets that modules of loops are compiled for, as this processor has them. */
    static int processor_level(void)
    {
    #if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
        __builtin_cpu_init();
        if (!__builtin_cpu_supports("sse4.2") || !__builtin_cpu_supports("popcnt")) return -1;
        if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return 0;
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") ? 2 : 1;
    #else
        return 0;
    #endif
    }
    """
    int processor_level() nogil


def level():
    """How far up the list of targets this processor reaches: plain, avx2, avx512; -1 where not even the first runs."""
    return processor_level()
