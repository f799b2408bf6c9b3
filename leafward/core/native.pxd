from leafward.core.tensor cimport TensorBase

cpdef object allocate(object cls)
cpdef TensorBase allocate_tensor(object cls)
cpdef object current_state()
cpdef remember_state(object state)
cpdef forget_state(object state)
cpdef bint fits_int64(object value)
cpdef object call_site()
