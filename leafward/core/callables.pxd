cimport cython
from leafward.core.call cimport apply, apply_binary, apply_inplace, apply_unary, apply_view, call, write_binary, write_unary
from leafward.core cimport modes
from leafward.core.bind cimport bind
from leafward.core.check cimport check_composite
from leafward.core.known_calls cimport Row, known, known_write, write_alone
from leafward.core.known_composites cimport known_composite, new_composite_calls, recorded_composite
from leafward.core.known_views cimport known_views, note_views
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, fast_dtype, is_plain

cdef Runtime runtime
cdef unsigned int ANSWERED, FUNCTIONS

@cython.locals(word=cython.uint)
cpdef fast_binary(Op op, object x, object y, bint takes_number)

cdef bint is_number(object value)

cpdef bint lies_in_order(TensorBase tensor)
