from .call cimport apply, apply_binary, apply_unary, call, fast_dtype, is_plain, show_view
from .bind cimport bind
from .op cimport Op
from .runtime cimport Runtime
from .tensor cimport TensorBase

cdef Runtime runtime

cpdef fast_binary(Op op, object x, object y, bint takes_number)
