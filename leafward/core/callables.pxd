from .call cimport apply, apply_binary, apply_unary, call, fast_dtype, is_plain, show_view
from .bind cimport bind
from .runtime cimport Runtime
from .tensor cimport TensorBase

cdef Runtime runtime
