from leafward.core.tensor cimport TensorBase

cpdef object instance(object cls)
cpdef TensorBase blank(object cls)
cpdef bint is_long(object value)
cpdef object call_site()
