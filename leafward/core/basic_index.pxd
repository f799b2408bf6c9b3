cimport cython
from leafward.core cimport modes
from leafward.core.call cimport is_cut, note_cut_of_write, record_view
from leafward.core.cuts cimport cut_by
from leafward.core.from_array cimport link_alias, view_of
from leafward.core.history cimport wants_grad
from leafward.core.inplace cimport is_free
from leafward.core.native cimport call_site, fits_int64
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.storage cimport Alias, count_write
from leafward.core.tensor cimport TensorBase, fast_dtype, is_plain, requires_grad

cdef Runtime runtime
cdef unsigned int ANSWERED, UNRECORDED

@cython.locals(word=cython.uint, source=TensorBase, view=TensorBase, items=tuple, steps=list, op=Op)
cpdef basic_view(object x, object index)
cdef object with_numbers(object index)
@cython.locals(tensor=TensorBase)
cdef object number_of(object item)
@cython.locals(chain=object, alias=Alias, op=Op, view=TensorBase)
cdef TensorBase shown_at_once(TensorBase x, list steps, object array, unsigned int word)
@cython.locals(dim=Py_ssize_t, steps=list)
cdef list steps_of(tuple items, object array)
cdef tuple at(Py_ssize_t dim, object item)
@cython.locals(word=cython.uint, target=TensorBase, source=TensorBase, alias=Alias, writer=Op, op=Op)
cpdef bint basic_write(object x, object index, object value)
