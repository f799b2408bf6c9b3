cdef class Meta:
    cdef public object shape, dtype

cdef class Op:
    cdef public object forward, paths, name, doc, elementwise, linear, alias, writes, residuals, outputs, no_grad_outputs, nondifferentiable
    cdef public object dtype, promote, exact, whole, variadic, random, inplace, varargs, argument_aliases, legacy, self_name, node, samples, errors, domain
    cdef public object overwrites, repeats
    cdef public object tapes, out_tapes, calls, write_calls, kernel_name, kernel, reference, tolerance, casts_out, no_overlap, ends_history_as, rules, jvp_rule, precondition, is_complete, takes_out, takes_saving
    cdef public dict plans, chosen
    cdef public tuple names, defaults, inputs, options, input_at, option_at, promoted, differentiable, option_kinds
    cdef public Py_ssize_t positional, arity, variadic_at, exact_at, whole_at, varargs_at, alias_at
    cdef public bint kernel_takes_out
    cdef public bint memory_first, writes_repeated, rereads, widens, narrows, has_general_kernel, row_major, untracked, retypes, gives_bools, takes_none, records
    cdef public object shown_names, position_of, plain_signature, default_options, node_choice, node_class
    cdef public object number_class, numbers, rounds
    cdef public tuple takes_number, rounded_at, precondition_at, format_at, keeps_format
    cdef public object package, public_function, public_inplace
    cdef public object autocast, foreach, operator, array_api, basic_index, batch_rule, parts
