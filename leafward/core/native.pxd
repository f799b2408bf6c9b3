from leafward.core.tensor cimport TensorBase

cpdef object allocate(object cls)
cpdef TensorBase allocate_tensor(object cls)
cpdef bint fits_int64(object value)
cpdef object call_site()
