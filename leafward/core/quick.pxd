from .tensor cimport TensorBase

cpdef object instance(object cls)
cpdef TensorBase blank(object cls)
cpdef object call_site()
