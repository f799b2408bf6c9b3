"""The call path: from the arguments of a call to a tensor with a history.

There are several ways to call an op, because most calls are of the simplest kind and should cost no more than they need.
All of them go through the same four stages, in this order, and differ only in what a stage may take for granted:

========= ===================================== ============================== ================== ==========================
way       check                                 compute                        wrap               record
========= ===================================== ============================== ================== ==========================
unary     in ``callables.py``: ``fast_dtype``   ``compute_unary``              ``new_tensor``     ``record_plain``
binary    in ``callables.py``: ``fast_binary``  ``compute_binary``             ``new_tensor``     ``record_plain``
view      in ``callables.py``: ``is_plain``     ``compute_view``               ``view_of``        ``record``
met view  in ``known_views.py``: met before     ``runtime.view_again``         ``shown``          ``record``
index     in ``basic_index.py``                 ``runtime.basic_index``        ``view_of``        ``record``
known     in ``known_calls.py``: met before     a kernel or a tape, again      ``new_tensor``     nothing may be wanted
general   ``check_inputs``, who else answers    ``arrays_of``, ``run_forward`` ``new_tensor``     ``record``
write     ``fast_dtype``, ``is_free``           a kernel, into the target      it is the target   ``note_write``
in place  the same as general, and ``refuse``   ``compute_into`` the target    it is the target   half before, half after
writer    the same, and ``refuse``              the forward, which writes      it is the target   half before, half after
``out=``  the same, and ``check_outs``          ``apply``, without a graph     ``write_out``      nothing may be wanted
========= ===================================== ============================== ================== ==========================

A thread's switches are one word (``modes.word()``), which the check reads: bits of it say whether somebody else answers the
call, and whether anything is recorded. Under ``no_grad`` or ``inference_mode`` a call goes the same way, and stops after
wrap. *write* is in place where nothing is recorded: ``x.add_(y)``, and ``x[0] = y`` (``basic_write``).

*check* (``check.py``, ``bind.py``; of writes ``inplace.py``) finds out what the arguments are, and refuses before anything
is changed. *compute* (``compute.py``) knows arrays only. *wrap* (``from_array.py``) makes tensors of them. *record*
(``recording.py``) puts a node behind these if a gradient is wanted. A write is recorded in two halves, around compute: what
a node keeps of an input has to be kept before the bytes change, and what it keeps of the output after that.

What happens in ``y = x.sigmoid(); y.backward()``, file by file, and why each file is there:

* ``callables.py``: ``x.sigmoid`` is a closure made for this op, so that no argument is looked up by name. It *checks* that
  the call is of the simplest kind, by the thread's word of modes and the class and dtype of ``x`` (``tensor.py``).
* ``call.py``, ``apply_unary``: asks ``history.py`` whether ``x`` wants a gradient; a view may first have to find out.
* ``compute.py`` *computes*: a kernel (``arrays/kernels``), or else the op's own forward in ``ops/``, run quietly.
* ``from_array.py`` *wraps*: a tensor, and a storage that owns the array. ``native.py`` allocates both, as C does.
* ``recording.py`` *records*: ``plan.py`` knows what sigmoid's rule asks for (its output) and ``saved.py`` keeps that, with
  the counts that will tell whether it was written since. ``history.py`` connects the node to what made ``x``, and
  notes where in the user's program this was (``native.py``).
* ``tensor/tensor.py`` and ``autograd/__init__.py``: backward's arguments, and the gradient to start from.
* ``engine.py``: counts who waits for whom, and visits the nodes, the youngest first, in a thread state that ``modes.py``
  holds. ``recording.py`` runs the rule of sigmoid (in ``ops/``) on what ``saved.py`` hands back, checked; then the engine puts
  the gradient into ``x.grad``, as a tensor of its own (``from_array.py``) or added to what is there (``accumulate.py``).
"""
from leafward import dtypes
from leafward.errors import GradientError, OptionError, warn
from leafward.core import modes
from leafward.core.bind import bind, function_overrides, hand_over
from leafward.core.check import all_plain, check_inputs, check_options
from leafward.core.cuts import cut_by, cut_of_call, cut_of_pair, merged
from leafward.core.compute import arrays_of, compute_binary, compute_unary, compute_view, row_major, run_forward
from leafward.core.history import connect, connect_pair, wants_grad
from leafward.core.mode_bits import ANSWERED, LEVELS, UNRECORDED
from leafward.core.inplace import (
    any_requires_grad, node_of_write, check_outs, check_results, check_shape, compute_into, attach_node, end_history, is_free,
    mask_of_write, refuse, refuse_dense_overlap, refuse_partial_overlap, with_dims, with_gradients, write_out,
)
from leafward.core.native import call_site, fits_int64
from leafward.core.overwritten import look_for_overwritten
from leafward.core.transform_levels import innermost
from leafward.core.views import repeats_elements
from leafward.core.recording import any_differentiable, is_recorded, may_differ, record, record_plain, wanted_mask
from leafward.core.runtime import runtime
from leafward.core.storage import count_write
from leafward.core.saved import same_place
from leafward.core.tensor import DEFAULT, TensorBase, array_of, fast_dtype, requires_grad
from leafward.core.tracebacks import left
from leafward.core.from_array import new_tensor, tensor_from_result, view_of


# -- one or two operands of one dtype, plain tensors, nobody else answers ---------------------------------------------------

def apply_unary(op, x, word):
    """``op(x)`` for a plain tensor whose dtype the op keeps; ``word``: the thread's modes, none of which answers instead."""
    recorded = word & UNRECORDED == 0 and wants_grad(x) and op.differentiable[0]
    array = compute_unary(op, x._array)
    result = new_tensor(array, x._dtype)
    if recorded:
        node = record_plain(op, False, 1, (x,), result)
        connect(node, (x,))
        result._node = node
    elif is_cut(x, word):
        note_cut(op, x, None, result, word)
    return result


def apply_binary(op, x, y, word):
    """The same for ``op(x, y)``, with another tensor of that dtype, or a Python number; None where their shapes do not fit."""
    other = y if isinstance(y, TensorBase) else None        # a name with a type in call.pxd: its fields are C fields
    mask = 0
    if word & UNRECORDED == 0:
        if wants_grad(x) and op.differentiable[0]:
            mask = 1
        if other is not None and wants_grad(other) and op.differentiable[1]:
            mask |= 2
    array = compute_binary(op, x._array, y if other is None else other._array)
    if array is None:
        return None
    result = new_tensor(array, x._dtype)
    if mask != 0:
        node = record_plain(op, other is None, mask, (x, y), result)
        connect_pair(node, x, y)
        result._node = node
    elif is_cut(x, word) or other is not None and is_cut(other, word):
        note_cut(op, x, other, result, word)
    return result


def is_cut(x, word):
    """Whether what is computed from ``x``, and not recorded, has a cut to carry."""
    return x._cut is not None or (word & UNRECORDED != 0 and requires_grad(x))


def note_cut(op, x, y, result, word):
    """Let ``result``, which has no history, carry the cuts of the operands ``x`` and ``y``, which may be None."""
    if runtime.checks:
        result._cut = cut_of_pair(op, x, y, word & UNRECORDED == 0)


# -- views: of a plain tensor, with options only, nobody else answers ----------------------------------------------------

def apply_view(op, values):
    """The view, or the tuple of them, that ``op`` makes of the first of the bound arguments; the others are options."""
    if op.option_kinds:
        check_options(op, values)
    source = values[0]
    recording = modes.grad_enabled()
    wanted = recording and wants_grad(source)               # a view without a way back to its base says so first
    values[0] = source._array
    result = compute_view(op, values)
    del values[0]
    own_lists(values)
    if op.outputs:
        return finish_views(op, 1 if wanted and op.differentiable[0] else 0, [source], values, result, recording)
    return record_view(op, source, values, result, recording)


def own_lists(options):
    """Keep lists among the ``options`` of a view as they are now: it is made again by these, and a user's list may change."""
    for position in range(len(options)):
        if type(options[position]) is list:
            options[position] = list(options[position])


def record_view(op, source, options, array, recording):
    """The last two stages alone: the view of ``source`` that ``op`` makes, from the ``array`` that is its compute."""
    view = view_of(op, source, options, array, -1, recording)
    if recording and wants_grad(source) and op.differentiable[0] and is_recorded(op, view):
        view._node = record(op, 1, (source,), options, (view,), (), False)
    elif runtime.checks and requires_grad(source):
        view._cut = cut_by(op, source, recording)
    return view


# -- any call ------------------------------------------------------------------------------------------------------------

def call(op, args, kwargs, out=None):
    """Bind the arguments, hand over to ``__torch_function__`` where one is defined, and apply."""
    try:
        values = bind(op, args, kwargs)
        return apply(op, values) if out is None else apply_out(op, values, out)
    except OptionError as error:
        raise error.of_call(op.name, op.shown_names, args, kwargs) from None
    except Exception as error:
        raise left(error)      # noqa: B904  (it is no new one)


def apply(op, values):
    """Run ``op`` on bound arguments."""
    # check
    inputs = check_inputs(op, values)
    word = modes.word()
    if word & ANSWERED or not all_plain(inputs):
        overrides = function_overrides(inputs)
        if overrides is not None:
            return hand_over(op, values, overrides)
        level = innermost(inputs, op.random)
        if level is not None:
            return level.apply(op, values, inputs)
    if op.writes is not None:
        return apply_writer(op, values, inputs)
    recording = word & UNRECORDED == 0
    mask = wanted_mask(op, inputs) if recording and not op.gives_bools else 0
    # compute
    arrays = arrays_of(op, inputs, values)
    result = run_forward(op, values, inputs, arrays, mask)
    if op.row_major:
        result = row_major(result)
    residuals = ()
    if op.residuals:
        count = max(len(op.outputs), 1)
        residuals = result[count:]
        result = result[0] if count == 1 else result[:count]
    # wrap, record
    options = values_at(values, op.option_at)
    if op.alias is not None:
        own_lists(options)
        return finish_views(op, mask, inputs, options, result, recording)
    if op.format_at:
        result = runtime.xp.creation.in_format_of(values_at(arrays, op.format_at), result)
    if not op.outputs:
        output = tensor_from_result(result, arrays)
        if mask != 0 and may_differ(op, 0, output):
            output._node = record(op, mask, inputs, options, (output,), residuals, False)
            if op.overwrites is not None and runtime.checks:
                look_for_overwritten(op, values, inputs, output, output._node)
        elif runtime.checks:
            output._cut = cut_of_call(op, inputs, recording)
        return output
    outputs = [tensor_from_result(a, arrays) for a in result]
    if runtime.checks and (mask == 0 or op.no_grad_outputs):
        note_cuts(op, mask, outputs, cut_of_call(op, inputs, recording))
    if mask != 0 and any_differentiable(op, outputs):
        node = record(op, mask, inputs, options, outputs, residuals, False)
        for number, output in enumerate(outputs):
            if may_differ(op, number, output):
                output._node = node
                output._output_nr = number
    return op.package(outputs)


def finish_views(op, mask, inputs, options, result, recording):
    """Wrap the views that an alias op returned, with their way back to the base, and record them."""
    source = inputs[op.alias_at]
    if not op.outputs:
        view = view_of(op, source, options, result, -1, recording)
        if mask != 0 and is_recorded(op, view):
            view._node = record(op, mask, inputs, options, (view,), (), False)
        elif runtime.checks:
            view._cut = cut_of_call(op, inputs, recording)
        return view
    outputs = [view_of(op, source, options, array, number, recording) for number, array in enumerate(result)]
    if mask == 0 and runtime.checks:
        note_cuts(op, mask, outputs, cut_of_call(op, inputs, recording))
    if mask != 0 and any_differentiable(op, outputs):
        node = record(op, mask, inputs, options, outputs, (), False)
        for number, view in enumerate(outputs):
            view._node = node
            view._output_nr = number
    return op.package(outputs)


def note_cuts(op, mask, outputs, record):
    """Let those of the ``outputs`` that get no history carry ``record``."""
    if record is not None:
        for number, output in enumerate(outputs):
            if mask == 0 or not may_differ(op, number, output):
                output._cut = record


def values_at(values, places):
    """The ``values`` at ``places``."""
    return [values[position] for position in places]


# -- writes: by a kernel, of plain tensors, where nothing is recorded; a look at what is written is all of the check -------

def write_unary(op, x, name):
    """``x.op_()``; None where the general way must be gone, and nothing was written."""
    word = modes.word()
    if op.kernel is None or fast_dtype(x) is None:
        return None
    target = x
    if not is_free(target, word) or op.kernel(target._array, out=target._array) is None:
        return None
    note_write(target, name)
    return target


def write_binary(op, x, y, name):
    """``x.op_(y)``, the same way: ``y`` has the dtype of ``x``, or is a Python number."""
    word = modes.word()
    dtype = fast_dtype(x) if op.kernel is not None else None
    if dtype is None:
        return None
    target = x
    if not is_free(target, word):
        return None
    other = None
    if fast_dtype(y) is dtype:
        other = y
        if word & UNRECORDED == 0 and requires_grad(other) or (other._storage is target._storage and other is not target):
            return None
        operand = other._array
    elif type(y) is float or (type(y) is int and fits_int64(y)):
        operand = y
    else:
        return None
    if op.kernel(target._array, operand, out=target._array) is None:
        return None
    note_write(target, name)
    if other is not None and is_cut(other, word):
        note_cut_of_write(op, target, other, word)
    return target


def note_write(target, name):
    """Count the write: it is the target that a write wraps its result in."""
    count_write(target._counter, target._storage, target._array, target._alias, name, call_site() if runtime.checks else None)


# -- writes: any --------------------------------------------------------------------------------------------------------------

def apply_inplace(op, values, name):
    """``x.mul_(y)``: run ``op`` and store the result in its first input, or raise and change nothing."""
    # check
    inputs = check_inputs(op, values)
    if modes.word() & ANSWERED or not all_plain(inputs):
        overrides = function_overrides(inputs)
        if overrides is not None:
            return hand_over(op, values, overrides, op.public_inplace)
        level = innermost(inputs)
        if level is not None:
            return level.apply_inplace(op, values, inputs, name)
    if not isinstance(inputs[0], TensorBase):
        raise TypeError(f"{name}(): argument 'input' (position 1) must be Tensor, not {type(inputs[0]).__name__}")
    target = inputs[0]
    if not op.elementwise:
        refuse_other_dtype(op, values, target)
    recorded = any_requires_grad(inputs)
    try:
        refuse(target, recorded, name, op.writes_repeated and (not recorded or modes.word() & UNRECORDED != 0))
    except RuntimeError as error:
        raise first_refusal(op, values, target, error, op.writes_repeated) from None
    if op.writes_repeated and not op.elementwise and repeats_elements(target._array):
        warn(f"Use of {name.lstrip('_')} on expanded tensors is deprecated. Please clone() the tensor before performing this "
             "operation. This also applies to advanced indexing e.g. tensor[indices] = values")
    mask = mask_of_write(op, target, inputs)
    arrays = arrays_of(op, inputs, values)
    if op.elementwise:
        check_shape(target, arrays)
    try:
        refuse_partial_overlap(target, inputs if op.dtype is not None else with_dims(inputs))
        if op.no_overlap:
            refuse_dense_overlap(op, target, inputs)
    except RuntimeError as error:
        raise first_refusal(op, values, target, error) from None
    # record, what is to be kept of the inputs; compute; wrap: the target, with a note of the write; record the rest
    node = node_of_write(op, values, inputs, mask)
    compute_into(op, values, inputs, arrays, target, mask)
    note_write(target, name)
    attach_node(op, node, target, mask)
    if op.overwrites is not None and node is not None and runtime.checks:
        look_for_overwritten(op, values, inputs, target, target._node if target._base is None else target._base._node)
    if mask == 0:
        note_cuts_of_write(op, inputs, target)
    return target


def first_refusal(op, values, target, error, not_there=False):
    """What to raise where the memory of ``target`` is refused by ``error``: what ``op`` itself refuses, if it does.

    PyTorch looks at the arguments first, but for elementwise ops in memory that they would write twice, and leaves. Whether
    there is an element at a place that they name it finds out when it is about to write: here all name the first one.
    ``not_there``: PyTorch does not refuse this memory.
    """
    if isinstance(error, GradientError) or target._creation != DEFAULT or op.random or (
            (op.elementwise or op.memory_first) and not target._inference and not not_there):
        return error
    values = list(values)
    if not target._inference:
        for name, position in zip(op.inputs, op.input_at, strict=True):
            if name in op.nondifferentiable and isinstance(values[position], TensorBase):
                places = values[position]
                values[position] = new_tensor(runtime.xp.zeros(places._array.shape, dtype=places._dtype), places._dtype)
    try:
        with modes.recording(False):
            apply(op, values)
    except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as own:
        return own
    return error


def refuse_other_dtype(op, values, target):
    """Raise if an option asks for the result in another dtype than that of ``target``."""
    position = op.position_of.get("dtype", -1)
    if position >= 0 and values[position] is not None and values[position] is not target._dtype:
        raise RuntimeError(f"Bad in-place call: input tensor dtype {dtypes.cpp_name(target._dtype)} and output tensor dtype "
                           f"{dtypes.cpp_name(values[position])} should match")


def apply_writer(op, values, inputs):
    """An op that is a write (``normal_``): its forward writes into the array it is given."""
    # check
    target = inputs[0]
    uniform = not op.random
    for value in inputs:
        if isinstance(value, TensorBase) and value is not target and not (
                op is runtime.copy and same_place(value._array, target._array)):
            uniform = False
    wanted = any_requires_grad(inputs) and (
        op is not runtime.copy or target._dtype.is_floating_point or target._dtype.is_complex)
    refuse(target, wanted, op.name, uniform)
    refuse_partial_overlap(target, inputs if op is runtime.copy else with_dims(inputs))
    mask = mask_of_write(op, target, inputs)
    arrays = [array_of(value) if isinstance(value, TensorBase) else value for value in inputs]
    # record, what is to be kept of the inputs; compute; wrap: the target, with a note of the write; record the rest
    node = node_of_write(op, values, inputs, mask)
    run_forward(op, values, inputs, arrays, mask)
    if arrays[0] is not target._array:
        target._array[...] = arrays[0]
    note_write(target, op.name)
    attach_node(op, node, target, mask)
    if mask == 0 and len(inputs) > 1:
        note_cuts_of_write(op, inputs, target)
    return target


def note_cuts_of_write(op, inputs, target):
    """Let ``target``, which has no history, carry the cuts of what was written into it."""
    if runtime.checks and not requires_grad(target):
        carry(target, cut_of_call(op, inputs, modes.grad_enabled()))


def note_cut_of_write(op, target, source, word):
    """The same where ``source`` was written into ``target``."""
    if runtime.checks and not requires_grad(target):
        carry(target, cut_of_pair(op, target, source, word & UNRECORDED == 0))


def carry(target, record):
    """Let ``target`` carry ``record``, and what it is a view of, too."""
    target._cut = record
    if record is not None and target._base is not None:
        target._base._cut = merged(target._base._cut, record)


def apply_out(op, values, out):
    """``out=``: compute without a graph, then copy into the tensors given."""
    # check
    inputs = check_inputs(op, values)
    overrides = function_overrides([*inputs, *(out if isinstance(out, (tuple, list)) else (out,))])
    if overrides is not None:
        return hand_over(op, values, overrides, None, out)
    several = len(op.outputs) > 1
    outs = list(out) if several else [out]
    if modes.word() & LEVELS:
        level = innermost([*inputs, *outs])
        if level is not None:
            return level.refuse_out(op)
    check_outs(op, inputs, outs)
    if op.casts_out and "dtype" in op.options and not several and values[op.names.index("dtype")] is None:
        values[op.names.index("dtype")] = out._dtype        # sum(x, out=y) adds up in the dtype of y
    # compute
    with modes.recording(False):
        results = apply(op, values)
    results = list(results) if several else [results]
    check_results(op, inputs, results, outs)
    # wrap
    for result, o in zip(results, outs, strict=True):
        write_out(o, result, op.name, ordered=op.elementwise)
    if modes.grad_enabled() and not (op.rules and not op.ends_history_as or op.gives_bools):
        end_history(op.ends_history_as or op.name, inputs if op.rules else [], with_gradients(op, outs))
    return op.package(outs) if several else out


runtime.apply = apply
