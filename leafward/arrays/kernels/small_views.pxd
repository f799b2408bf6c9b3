cimport numpy as cnp

cdef object window(cnp.ndarray array, int ndim, cnp.npy_intp* sizes, cnp.npy_intp* steps, char* data)
