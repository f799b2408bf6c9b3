"""One object per node for the garbage collector: what only a node holds is traced through the node itself.

A node has a tuple of targets, a list of values and, among these, saved values. Were each of them the collector's own, a long
chain would cost it four times as much. They are not (``untrack``); here a node answers for them, as long as nobody else
holds them: where somebody does, the collector takes what they hold to be alive.
"""
from cpython.ref cimport PyObject
from cpython.object cimport visitproc

from leafward.core.node cimport Node
from leafward.core.saved cimport Saved

cdef extern from "Python.h":
    ctypedef int (*traverseproc)(PyObject*, visitproc, void*) noexcept
    ctypedef struct Type "PyTypeObject":
        traverseproc tp_traverse
    Py_ssize_t Py_REFCNT(PyObject*) noexcept
    Type* Py_TYPE(PyObject*) noexcept
    int PyObject_GC_IsTracked(PyObject*) noexcept
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept

cdef traverseproc usual = (<Type*> <PyObject*> Node).tp_traverse


cdef inline int through(PyObject* held, visitproc visit, void* arg) noexcept:
    """Visit what ``held`` holds, if only the node holds that, and the collector does not know it."""
    if held == <PyObject*> None or Py_REFCNT(held) != 1 or PyObject_GC_IsTracked(held):
        return 0
    return Py_TYPE(held).tp_traverse(held, visit, arg)


cdef int traverse(PyObject* self, visitproc visit, void* arg) noexcept:
    cdef PyObject* values = <PyObject*> (<Node> self)._values
    cdef PyObject* item
    cdef Py_ssize_t i
    cdef int result = usual(self, visit, arg) or through(<PyObject*> (<Node> self)._targets, visit, arg) \
        or through(values, visit, arg)
    if result or values == <PyObject*> None or Py_REFCNT(values) != 1 or PyObject_GC_IsTracked(values):
        return result
    for i in range(PyList_GET_SIZE(values)):
        item = PyList_GET_ITEM(values, i)
        if Py_TYPE(item) == <Type*> <PyObject*> Saved:
            result = through(item, visit, arg)
            if result:
                return result
    return 0


(<Type*> <PyObject*> Node).tp_traverse = traverse
