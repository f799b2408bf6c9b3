from leafward.core cimport modes
from leafward.core.from_array cimport new_tensor
from leafward.core.runtime cimport Runtime
from leafward.core.tensor cimport TensorBase, is_plain

cdef Runtime runtime
cdef unsigned int ANSWERED, FUNCTIONS, LEVELS
