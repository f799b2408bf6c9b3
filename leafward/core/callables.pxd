cimport cython
from leafward.core.call cimport apply, apply_binary, apply_inplace, apply_unary, apply_view, call, write_binary, write_unary
from leafward.core cimport modes
from leafward.core.bind cimport bind
from leafward.core.known_calls cimport Row, known, known_write
from leafward.core.known_composites cimport known_composite, new_composite_calls
from leafward.core.op cimport Op
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, fast_dtype, is_plain

cdef Runtime runtime
cdef unsigned int ANSWERED, FUNCTIONS

@cython.locals(word=cython.uint)
cpdef fast_binary(Op op, object x, object y, bint takes_number)
@cython.locals(source=TensorBase)
cpdef viewed_before(dict calls, tuple args, dict kwargs)
@cython.locals(source=TensorBase)
cpdef note_views(dict calls, tuple args, dict kwargs, object views)
cpdef list asked(TensorBase source, tuple args, dict kwargs)
