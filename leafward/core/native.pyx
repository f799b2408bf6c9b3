"""The C form of ``native.py``: the same functions, on CPython's own calls."""
from cpython.ref cimport PyObject, Py_XDECREF

from leafward.core.provenance import forgetters, is_hidden, known

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

cdef tuple EMPTY = ()
cdef dict codes = known
# The answers for the codes met last, by address, which `known` keeps their own: a dict's answer takes four times as long.
cdef PyObject* met[128]
cdef int met_hidden[128]


cpdef object allocate(object cls):
    return (<PyTypeObject*> cls).tp_new(<PyTypeObject*> cls, <PyObject*> EMPTY, NULL)


cpdef object allocate_by(object base, object cls):
    return (<PyTypeObject*> base).tp_new(<PyTypeObject*> cls, <PyObject*> EMPTY, NULL)


cpdef object untrack(object value):
    PyObject_GC_UnTrack(value)
    return value


def inherit_attributes(object cls):
    # A class whose dict has a __getattr__ makes each of its subclasses look for that, and call it through Python. Without
    # the name they inherit the C slot, which goes on doing what it did.
    PyDict_DelItem((<PyTypeObject*> cls).tp_dict, "__getattr__")
    PyType_Modified(<PyTypeObject*> cls)


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


cpdef bint fits_int64(object value):
    cdef int overflow = 0
    PyLong_AsLongLongAndOverflow(value, &overflow)
    return overflow == 0


cpdef object call_site():
    cdef PyFrameObject* frame = PyEval_GetFrame()           # borrowed
    cdef PyFrameObject* back = NULL                         # what we own
    cdef PyObject* code
    cdef size_t position
    while frame != NULL:
        code = <PyObject*> PyFrame_GetCode(frame)
        position = (<size_t> code >> 6) & 127
        if met[position] != code:
            entry = codes.get(<size_t> code)
            hidden = is_hidden(<object> code) if entry is None else (<tuple> entry)[1]
            met_hidden[position] = hidden is True
            met[position] = code
        if not met_hidden[position]:
            site = (<object> code, PyFrame_GetLasti(frame))
            PyObject_GC_UnTrack(site)                       # neither can be part of a cycle
            Py_XDECREF(code)
            Py_XDECREF(<PyObject*> back)
            return site
        Py_XDECREF(code)
        frame = PyFrame_GetBack(frame)
        Py_XDECREF(<PyObject*> back)
        back = frame
    return None


def forget_call_sites():
    # Where `known` no longer keeps the codes, another may come to lie at the address of one.
    cdef size_t position
    for position in range(128):
        met[position] = NULL


forgetters.append(forget_call_sites)
