cimport cython
from leafward.core cimport modes
from leafward.core.call cimport record_view
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, is_plain

cdef Runtime runtime
cdef unsigned int ANSWERED

@cython.locals(ndim=Py_ssize_t, dim=Py_ssize_t, view=TensorBase)
cpdef basic_view(TensorBase x, object index)
cdef bint is_simple(object part)
cdef bint is_full(object part)
@cython.locals(size=Py_ssize_t)
cdef select_view(TensorBase x, Py_ssize_t dim, Py_ssize_t index)
cdef slice_view(TensorBase x, Py_ssize_t dim, object part)
cdef tuple at(Py_ssize_t dim, object item)
