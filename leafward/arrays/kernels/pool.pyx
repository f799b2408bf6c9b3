# distutils: sources = leafward/arrays/kernels/threads.c
"""leafward's own threads, for Python: how many there may be, and a job whose shares are Python functions.

Kernels in C call ``threads.c`` through the capsule ``interface``, which ``pool.h`` fetches.
"""
from cpython.pycapsule cimport PyCapsule_New

cdef extern from "pool.h":
    ctypedef struct pool_interface:
        void (*each_share)(share_function run, void* job, Py_ssize_t count) noexcept nogil
        int (*threads)() noexcept nogil
    const char* pool_obstacle
    int pool_threads() noexcept nogil
    void pool_allow(int count) noexcept nogil
    void pool_each_share(share_function run, void* job, Py_ssize_t count) noexcept nogil

cdef pool_interface table
table.each_share = pool_each_share
table.threads = pool_threads
interface = PyCapsule_New(&table, "leafward.arrays.kernels.pool.interface", NULL)

#: Why kernels run on the calling thread alone here, or None.
obstacle = None if pool_obstacle == NULL else pool_obstacle.decode()


def threads():
    """How many threads a kernel may use, the caller's included."""
    return pool_threads()


def allow(int count):
    """Let kernels use ``count`` threads."""
    pool_allow(count)


cdef struct PythonJob:
    void* function
    void* errors


cdef void python_share(void* job, Py_ssize_t number) noexcept nogil:
    cdef PythonJob* python = <PythonJob*> job
    with gil:
        try:
            (<object> python.function)(number)
        except BaseException as error:
            (<dict> python.errors)[number] = error


def each(function, Py_ssize_t count):
    """Call ``function(i)`` for each ``i < count`` on the threads: worth it where it lets go of the GIL, as NumPy does.

    All are called even if one raises; the error of the first is raised in the end.
    """
    cdef dict errors = {}
    cdef PythonJob job = PythonJob(<void*> function, <void*> errors)
    with nogil:
        if count == 1:
            python_share(&job, 0)
        else:
            pool_each_share(python_share, &job, count)
    if errors:
        raise errors[min(errors)]
