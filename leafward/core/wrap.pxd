cimport cython
from .op cimport Op
from .quick cimport blank, call_site, instance
from .runtime cimport Runtime
from .storage cimport Alias, Storage, VersionCounter
from .tensor cimport TensorBase

cdef Runtime runtime

@cython.locals(storage=Storage, tensor=TensorBase)
cpdef TensorBase new_tensor(object array, object dtype)
cpdef TensorBase wrap(object array)
@cython.locals(tensor=TensorBase)
cpdef TensorBase share(TensorBase source, object array, object kind)
@cython.locals(alias=Alias)
cpdef Alias link_alias(object kind, Alias parent)
@cython.locals(position=Py_ssize_t)
cpdef TensorBase owned(object array, list arrays)
cpdef bint shares(object base, list parts)
@cython.locals(view=TensorBase)
cpdef TensorBase view_of(Op op, TensorBase source, object options, object array, Py_ssize_t number, bint recording)
