from .call cimport apply, apply_binary, apply_unary, call, show_view
from .bind cimport bind
from .op cimport Op
from .runtime cimport Runtime
from .tensor cimport TensorBase, fast_dtype, is_plain

cdef Runtime runtime

cpdef fast_binary(Op op, object x, object y, bint takes_number)
