cimport cython
from leafward.core cimport modes
from leafward.core.from_array cimport new_tensor
from leafward.core.known_calls cimport Row, row_of
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, is_plain

cdef Runtime runtime
cdef unsigned int ANSWERED, FUNCTIONS, LEVELS

@cython.locals(row=Row)
cdef tuple made_before(object templates, tuple args, object kwargs, object dtype)
cdef finished(object array, object requires_grad)
