cdef class Runtime:
    cdef public Py_ssize_t special, levels, inference
    cdef public long long sequence, written
    cdef public object xp, recorded, ndarray, asarray, tensor, parameter, size_of, missing_method, disabled, float32, float64, array_float32
    cdef public object new_tapes, new_calls, new_templates, new_draws, drawing_of, path_in, learn_composite, new_quiet, overlap, same_kind, other_ndim, select, slice, unsqueeze, basic_index, fill, copy, apply, introspection, backward, array_api
    cdef public object view_again, note_view, same_or_apart, track_nodes
    cdef public list quiet
    cdef public dict kernels, derived
    cdef public object dtype_of, array_dtype         # dicts that look up what they lack
    cdef public bint strict, checks, cycles


cpdef quietly(object function, object args)
