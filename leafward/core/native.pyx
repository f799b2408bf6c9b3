"""The C form of ``native.py``: the same functions, on CPython's own calls."""
from cpython.ref cimport PyObject, Py_DECREF, Py_INCREF, Py_XDECREF

from leafward.core.provenance import forgetters, is_hidden, known
from leafward.core.runtime import runtime as the_runtime
from leafward.core.runtime cimport Runtime

cdef extern from "Python.h":
    ctypedef struct PyTypeObject:
        object (*tp_new)(PyTypeObject*, PyObject*, PyObject*)
        PyObject* tp_dict
    void PyObject_GC_UnTrack(object)
    int PyDict_DelItem(PyObject*, object) except -1
    void PyType_Modified(PyTypeObject*)
    ctypedef struct PyFrameObject:
        pass
    ctypedef struct PyCodeObject:
        pass
    PyObject* _PyObject_GenericGetAttrWithDict(object, object, PyObject*, int)
    PyObject* _PyType_Lookup(PyTypeObject*, object)
    int PyObject_GenericSetAttr(object, object, object) except -1
    PyObject* PyDict_GetItemWithError(object, object) except? NULL
    PyFrameObject* PyEval_GetFrame()
    PyCodeObject* PyFrame_GetCode(PyFrameObject*)
    PyFrameObject* PyFrame_GetBack(PyFrameObject*)
    int PyFrame_GetLasti(PyFrameObject*)
    long long PyLong_AsLongLongAndOverflow(object, int*)
    ctypedef struct PyThreadState:
        pass
    PyThreadState* PyThreadState_Get()
    unsigned long long PyThreadState_GetID(PyThreadState*)

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #define OF_EACH_THREAD __declspec(thread)
    #else
    #define OF_EACH_THREAD __thread
    #endif
    /* What `modes` keeps for this thread, which owns it, and for which of Python's threads: one may follow another. */
    static OF_EACH_THREAD PyObject* thread_state;
    static OF_EACH_THREAD unsigned long long thread_id;
    """
    PyObject* thread_state
    unsigned long long thread_id

cdef Runtime runtime = the_runtime
cdef tuple EMPTY = ()
cdef tuple REGISTERS = ("_parameters", "_buffers", "_modules")
cdef dict codes = known
# The answers for the codes met last, by address, which `known` keeps their own: a dict's answer takes four times as long.
cdef PyObject* met[128]
cdef int met_hidden[128]

# What was noted of a place in the user's program, which it owns: a dict's answer takes ten times as long.
DEF PLACES = 512

cdef struct Noted:
    PyObject* code
    int offset
    PyObject* what
    PyObject* site
    PyObject* note

cdef Noted noted_here[PLACES]

# The sites that were asked for last: a loop has one for each of its calls, however often it runs.
cdef struct Site:
    PyObject* code              # which the site owns
    int offset
    PyObject* site

cdef Site sites[PLACES]


cpdef object allocate(object cls):
    return (<PyTypeObject*> cls).tp_new(<PyTypeObject*> cls, <PyObject*> EMPTY, NULL)


cpdef object allocate_by(object base, object cls):
    return (<PyTypeObject*> base).tp_new(<PyTypeObject*> cls, <PyObject*> EMPTY, NULL)


cpdef object untrack(object value):
    PyObject_GC_UnTrack(value)
    return value


cpdef int set_attribute(object self, object name, object value) except -1:
    cdef object cls
    if not runtime.cycles and not (value is None or isinstance(value, (int, float, str))):
        cls = type(self)
        if _PyType_Lookup(<PyTypeObject*> cls, name) == NULL:
            runtime.cycles = True                           # the tensor's own dict will hold it
    return PyObject_GenericSetAttr(self, name, value)


def inherit_attributes(object cls):
    # A class whose dict has a __getattr__ makes each of its subclasses look for that, and call it through Python. Without
    # the name they inherit the C slot, which goes on doing what it did.
    PyDict_DelItem((<PyTypeObject*> cls).tp_dict, "__getattr__")
    PyType_Modified(<PyTypeObject*> cls)


def attribute_of(self, name):
    # A Python __getattr__ alone would be reached by way of an AttributeError, which is made and told before it is dropped.
    cdef PyObject* found = _PyObject_GenericGetAttrWithDict(self, name, NULL, 1)
    cdef PyObject* register
    if found != NULL:
        value = <object> found
        Py_DECREF(value)
        return value
    for field in REGISTERS:
        register = _PyObject_GenericGetAttrWithDict(self, field, NULL, 1)
        if register != NULL:
            owned = <object> register
            Py_DECREF(owned)
            if isinstance(owned, dict):
                found = PyDict_GetItemWithError(owned, name)
                if found != NULL:
                    return <object> found
    raise AttributeError(f"'{type(self).__name__}' object has no attribute '{name}'")


cpdef object current_state():
    if thread_state != NULL and thread_id == PyThreadState_GetID(PyThreadState_Get()):
        return <object> thread_state
    return None


cpdef remember_state(object state):
    global thread_state, thread_id
    thread_state = <PyObject*> state                        # borrowed
    thread_id = PyThreadState_GetID(PyThreadState_Get())


cpdef forget_state(object state):
    global thread_state
    if thread_state == <PyObject*> state:
        thread_state = NULL


cpdef count_threads(int special, int levels, int inference):
    # In C nothing of Python's runs in between, so no lock is needed.
    runtime.special += special
    runtime.levels += levels
    runtime.inference += inference


cpdef bint fits_int64(object value):
    cdef int overflow = 0
    PyLong_AsLongLongAndOverflow(value, &overflow)
    return overflow == 0


cdef PyObject* user_code(int* offset) except? NULL:
    # The code of the nearest frame outside leafward, borrowed from that frame, and where it stands; NULL if there is none.
    cdef PyFrameObject* frame = PyEval_GetFrame()           # borrowed, as all frames here: they run, and so they stay
    cdef PyObject* code
    cdef size_t position
    while frame != NULL:
        code = <PyObject*> PyFrame_GetCode(frame)
        Py_DECREF(<object> code)
        position = (<size_t> code >> 6) & 127
        if met[position] != code:
            entry = codes.get(<size_t> code)
            hidden = is_hidden(<object> code) if entry is None else (<tuple> entry)[1]
            met_hidden[position] = hidden is True
            met[position] = code
        if not met_hidden[position]:
            offset[0] = PyFrame_GetLasti(frame)
            return code
        frame = PyFrame_GetBack(frame)
        Py_XDECREF(<PyObject*> frame)
    return NULL


cpdef object call_site():
    cdef int offset = 0
    cdef PyObject* code = user_code(&offset)
    cdef Site* entry = &sites[((<size_t> code >> 4) ^ <size_t> (offset * 37)) & (PLACES - 1)]
    cdef PyObject* old
    if code == NULL:
        return None
    if entry.code == code and entry.offset == offset:
        return <object> entry.site
    site = (<object> code, offset)
    PyObject_GC_UnTrack(site)                               # neither can be part of a cycle
    old = entry.site
    Py_INCREF(site)
    entry.code, entry.offset, entry.site = code, offset, <PyObject*> site
    Py_XDECREF(old)
    return site


cpdef Py_ssize_t address(object value) noexcept:
    return <Py_ssize_t> <PyObject*> value


cdef inline Noted* noted_at(PyObject* code, int offset, PyObject* what) noexcept:
    return &noted_here[((<size_t> code >> 4) ^ (<size_t> what >> 4) ^ <size_t> (offset * 37)) & (PLACES - 1)]


cpdef object noted(object what):
    cdef int offset = 0
    cdef PyObject* code = user_code(&offset)
    cdef Noted* entry = noted_at(code, offset, <PyObject*> what)
    if entry.code == code and entry.offset == offset and entry.what == <PyObject*> what and code != NULL:
        return <object> entry.note
    return None


cpdef note(object what, object site, object note):
    cdef Noted* entry = noted_at(<PyObject*> (<tuple> site)[0], (<tuple> site)[1], <PyObject*> what)
    Py_INCREF(what)
    Py_INCREF(site)
    Py_INCREF(note)
    drop(entry)
    entry.code, entry.offset = <PyObject*> (<tuple> site)[0], (<tuple> site)[1]
    entry.what, entry.site, entry.note = <PyObject*> what, <PyObject*> site, <PyObject*> note


cdef drop(Noted* entry):
    cdef Noted old = entry[0]
    entry[0] = Noted(NULL, 0, NULL, NULL, NULL)
    Py_XDECREF(old.what)
    Py_XDECREF(old.site)
    Py_XDECREF(old.note)


cpdef forget_notes():
    cdef size_t position
    for position in range(PLACES):
        drop(&noted_here[position])


def forget_call_sites():
    # Where `known` no longer keeps the codes, another may come to lie at the address of one.
    cdef size_t position
    cdef PyObject* old
    for position in range(128):
        met[position] = NULL
    for position in range(PLACES):
        old = sites[position].site
        sites[position] = Site(NULL, 0, NULL)
        Py_XDECREF(old)
    forget_notes()


forgetters.append(forget_call_sites)
