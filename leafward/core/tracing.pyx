"""What the garbage collector knows of a graph: nothing, until it matters; then one object per node.

A node has a tuple of targets, a list of values and, among these, saved values. Were each of them the collector's own, a long
chain would cost it four times as much. They are not (``untrack``); here a node answers for them, as long as nobody else
holds them: where somebody does, the collector takes what they hold to be alive.

Nor does it know the nodes of ops at first. A node refers to older nodes and to leaves, so that no circle closes unless
something is hung onto one of these that may refer to a younger one: a hook, an attribute, a gradient with a history
(``runtime.cycles``). Till then what is no longer held goes by its reference counts, and the collector, which would look
through a growing graph at each of its rounds, finds nothing to do. Nodes wait in a list meanwhile. They join the collector
when such a thing was hung up, and before each of its full rounds, which so find every circle, however it was closed.
"""
import gc

from cpython.object cimport visitproc
from cpython.ref cimport PyObject

from leafward.core.node cimport Node
from leafward.core.recording cimport OpNode
from leafward.core.runtime import runtime as the_runtime
from leafward.core.runtime cimport Runtime
from leafward.core.saved cimport Saved

cdef extern from "Python.h":
    ctypedef int (*traverseproc)(PyObject*, visitproc, void*) noexcept
    ctypedef PyObject* (*newfunc)(Type*, PyObject*, PyObject*) noexcept
    ctypedef void (*destructor)(PyObject*) noexcept
    ctypedef struct Type "PyTypeObject":
        traverseproc tp_traverse
        newfunc tp_new
        destructor tp_dealloc
    Py_ssize_t Py_REFCNT(PyObject*) noexcept
    Type* Py_TYPE(PyObject*) noexcept
    int PyObject_GC_IsTracked(PyObject*) noexcept
    void PyObject_GC_Track(PyObject*) noexcept
    void PyObject_GC_UnTrack(PyObject*) noexcept
    Py_ssize_t PyList_GET_SIZE(PyObject*) noexcept
    PyObject* PyList_GET_ITEM(PyObject*, Py_ssize_t) noexcept

cdef Runtime runtime = the_runtime
cdef traverseproc usual = (<Type*> <PyObject*> Node).tp_traverse
cdef newfunc usual_new = (<Type*> <PyObject*> OpNode).tp_new
cdef destructor usual_dealloc = (<Type*> <PyObject*> OpNode).tp_dealloc
cdef PyObject* youngest = NULL              # of the nodes that wait; each knows the next older and the next younger one


# --- what a node answers for ------------------------------------------------------------------------------------------

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


# --- the nodes that wait ----------------------------------------------------------------------------------------------

cdef PyObject* new_node(Type* cls, PyObject* args, PyObject* kwargs) noexcept:
    global youngest
    cdef PyObject* node = usual_new(cls, args, kwargs)
    if node != NULL and not runtime.cycles:
        PyObject_GC_UnTrack(node)
        (<OpNode> node).waits = True
        (<OpNode> node).older = youngest
        if youngest != NULL:
            (<OpNode> youngest).younger = node
        youngest = node
    return node


cdef inline void leave(PyObject* node) noexcept:
    global youngest
    cdef PyObject* older = (<OpNode> node).older
    cdef PyObject* younger = (<OpNode> node).younger
    if older != NULL:
        (<OpNode> older).younger = younger
    if younger != NULL:
        (<OpNode> younger).older = older
    else:
        youngest = older
    (<OpNode> node).older = (<OpNode> node).younger = NULL
    (<OpNode> node).waits = False


cdef void dealloc(PyObject* node) noexcept:
    if (<OpNode> node).waits:
        leave(node)
    usual_dealloc(node)


cdef void join() noexcept:
    cdef PyObject* node = youngest
    cdef PyObject* older
    while node != NULL:
        older = (<OpNode> node).older
        if Py_REFCNT(node) > 0:             # (not one that is being freed this moment)
            leave(node)
            PyObject_GC_Track(node)
        node = older


def track_nodes():
    """Let the collector know every node that is alive."""
    join()


def before_collection(phase, info):
    """``gc`` calls this before each of its rounds, the last ones of a process too, when modules have lost their names."""
    if youngest != NULL and phase == "start" and (runtime.cycles or info["generation"] == 2):
        join()


(<Type*> <PyObject*> Node).tp_traverse = traverse
(<Type*> <PyObject*> OpNode).tp_new = new_node
(<Type*> <PyObject*> OpNode).tp_dealloc = dealloc
runtime.track_nodes = track_nodes
gc.callbacks.append(before_collection)
