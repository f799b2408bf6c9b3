# distutils: sources = leafward/arrays/kernels/memory_blocks.c
"""NumPy's memory of a megabyte or more from ``memory_blocks.c``, through NumPy's own hook; less than that, as ever.

An array knows which allocator it came from, and frees its memory there: those of before and of other threads stay what they are.
The hook counts for the thread that :func:`use` is called in.
"""
from cpython.object cimport PyObject
from cpython.pycapsule cimport PyCapsule_GetPointer, PyCapsule_New
from libc.string cimport memcpy, strcpy
cimport numpy as cnp

cnp.import_array()

cdef extern from "memory_blocks.h":
    ctypedef struct block_figures:
        unsigned long long taken, reused, returned
        size_t live, most_live, kept, limit
    const char* blocks_obstacle
    int prepare_blocks(size_t limit) noexcept nogil
    void* take_block(size_t size, int zeros) noexcept nogil
    int give_block(void* data) noexcept nogil
    size_t size_of_block(const void* data) noexcept nogil
    void drop_blocks() noexcept nogil
    block_figures figures_of_blocks() noexcept nogil

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyDataMemAllocator:
        void* ctx
        void* (*malloc)(void* ctx, size_t size) noexcept nogil
        void* (*calloc)(void* ctx, size_t count, size_t size) noexcept nogil
        void* (*realloc)(void* ctx, void* data, size_t size) noexcept nogil
        void (*free)(void* ctx, void* data, size_t size) noexcept nogil
    ctypedef struct PyDataMem_Handler:
        char[127] name
        unsigned char version
        PyDataMemAllocator allocator
    object PyDataMem_SetHandler(object handler)
    object PyDataMem_GetHandler()
    PyObject* PyDataMem_DefaultHandler

#: From so many bytes on a block is kept: glibc keeps what is smaller by itself.
DEF LARGE = 1 << 20

#: Why large blocks are not kept here, or None.
obstacle = None if blocks_obstacle == NULL else blocks_obstacle.decode()

cdef PyDataMemAllocator usual = (<PyDataMem_Handler*> PyCapsule_GetPointer(<object> PyDataMem_DefaultHandler, "mem_handler")).allocator


cdef void* take(void* ctx, size_t size) noexcept nogil:
    return take_block(size, False) if size >= LARGE else usual.malloc(usual.ctx, size)


cdef void* take_zeros(void* ctx, size_t count, size_t size) noexcept nogil:
    if size and count > (<size_t> -1) // size:
        return NULL
    if count * size < LARGE:
        return usual.calloc(usual.ctx, count, size)
    return take_block(count * size, True)


cdef void give(void* ctx, void* data, size_t size) noexcept nogil:
    if data != NULL and (size < LARGE or not give_block(data)):
        usual.free(usual.ctx, data, size)


cdef void* take_again(void* ctx, void* data, size_t size) noexcept nogil:
    cdef size_t before = 0 if data == NULL else size_of_block(data)
    cdef void* other
    if before == 0:                     # a small one, which stays with those even where it grows
        return usual.realloc(usual.ctx, data, size)
    other = take(ctx, size)
    if other != NULL:
        memcpy(other, data, before if before < size else size)
        give_block(data)
    return other


cdef PyDataMem_Handler handler
strcpy(handler.name, "leafward")
handler.version = 1
handler.allocator.ctx = NULL
handler.allocator.malloc, handler.allocator.calloc = take, take_zeros
handler.allocator.realloc, handler.allocator.free = take_again, give
cdef object capsule = PyCapsule_New(&handler, "mem_handler", NULL)


def use():
    """Let NumPy's arrays of this thread have their memory from here; where another allocator is in use, it stays."""
    if PyDataMem_GetHandler() is <object> PyDataMem_DefaultHandler:
        PyDataMem_SetHandler(capsule)


def prepare(size_t limit):
    """Once, before :func:`use`: how many bytes may wait."""
    if prepare_blocks(limit):
        raise MemoryError("no memory to watch for forks")


def empty():
    """Give what waits back to the system."""
    with nogil:
        drop_blocks()


def figures():
    """Counts and bytes, as a dict."""
    return figures_of_blocks()
