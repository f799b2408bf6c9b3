cimport cython
from leafward.core cimport modes
from leafward.core.op cimport Op
from leafward.core.native cimport allocate, call_site, untrack
from leafward.core.runtime cimport Runtime
from leafward.core.storage cimport Alias, Storage, VersionCounter
from leafward.core.tensor cimport TensorBase, allocate_tensor

cdef Runtime runtime

@cython.locals(storage=Storage, tensor=TensorBase)
cpdef TensorBase new_tensor(object array, object dtype)
cpdef TensorBase tensor_from_array(object array)
@cython.locals(tensor=TensorBase)
cpdef TensorBase alias_of(TensorBase source, object array, object kind)
@cython.locals(alias=Alias)
cpdef Alias link_alias(object kind, Alias parent)
@cython.locals(position=Py_ssize_t)
cpdef TensorBase tensor_from_result(object array, list arrays)
cpdef bint shares(object base, list parts)
cdef bint is_retyped(object options)
@cython.locals(view=TensorBase)
cpdef TensorBase view_of(Op op, TensorBase source, object options, object array, Py_ssize_t number, bint recording)
