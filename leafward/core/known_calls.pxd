cimport cython
from leafward.core cimport modes
from leafward.core.bind cimport bind
from leafward.core.call cimport apply_inplace, call, note_cuts, note_cuts_of_write, note_write
from leafward.core.check cimport check_inputs
from leafward.core.compute cimport arrays_of, holds_two_bytes
from leafward.core.cuts cimport cut_of_call
from leafward.core.from_array cimport tensor_from_array
from leafward.core.inplace cimport is_free, keeps_dtype
from leafward.core.native cimport allocate
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime, quietly
from leafward.core.tensor cimport TensorBase, fast_dtype, is_plain, requires_grad

cdef Runtime runtime
cdef unsigned int ANSWERED, UNRECORDED
cdef object CONSTANT, DTYPE

@cython.freelist(16)
cdef class Row:
    cdef public list parts, tensors
    cdef public bint cut

cpdef Row row_of(tuple args, object kwargs, bint recorded, TensorBase target)
@cython.locals(tensor=TensorBase, inner=list)
cdef bint take(Row row, list parts, object value, bint recorded, TensorBase target) except -1
@cython.locals(word=cython.uint, recording=bint, row=Row, output=TensorBase)
cpdef known(Op op, tuple args, object kwargs)
@cython.locals(position=Py_ssize_t, tensor=TensorBase)
cpdef TensorBase tensor_of(object array, list inputs)
@cython.locals(count=Py_ssize_t)
cdef outputs_of(Op op, object result)
@cython.locals(word=cython.uint, row=Row, target=TensorBase)
cpdef known_write(Op op, tuple args, object kwargs, object name)
@cython.locals(target=TensorBase)
cpdef write_alone(Op op, object x)
