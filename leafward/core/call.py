"""The call path: from the arguments of a call to a tensor with a history."""
from leafward import dtypes
from leafward.errors import OptionError, allocation_error, argument_error, broadcast_error, element_error, refuse_overflow
from leafward.core import modes
from leafward.core.bind import bind, checked_option, function_overrides, hand_over, is_tensor_like, unwrap_scalar
from leafward.core.op import REQUIRED
from leafward.core.plan import plan_for, save
from leafward.core.native import allocate, call_site, fits_int64
from leafward.core.runtime import quietly, runtime
from leafward.core.tensor import TensorBase, array_of, is_plain, requires_grad
from leafward.core.views import refresh
from leafward.core.from_array import new_tensor, tensor_from_result, view_of


def wants_grad(tensor):
    """Whether ``tensor`` is a leaf that requires grad, a view of one, or has a history, which is brought up to date."""
    if tensor._base is not None:
        if tensor._history_version != tensor._counter.version:
            refresh(tensor)
        return requires_grad(tensor)
    return tensor._requires_grad or tensor._node is not None


def begin(node):
    """Number ``node``, and note the user's line."""
    node._sequence = runtime.sequence
    runtime.sequence += 1
    if runtime.checks:
        node._site = call_site()
    if runtime.special != 0 and modes.current().anomaly:
        import traceback
        node.metadata["traceback_"] = traceback.format_stack()


def gradient_target(tensor):
    """Where the gradient of ``tensor`` goes: the node that made it, the leaf itself, or nowhere."""
    if tensor._node is not None:
        return tensor._node
    return tensor if tensor._requires_grad else None


def connect_pair(node, x, y):
    """:func:`connect` for two operands, of which the second may be a number."""
    begin(node)
    if not isinstance(y, TensorBase):
        node._targets = (gradient_target(x), None)
        if x._output_nr != 0:
            node._numbers = (x._output_nr, 0)
        return
    b = y
    node._targets = (gradient_target(x), gradient_target(b))
    if x._output_nr != 0 or b._output_nr != 0:
        node._numbers = (x._output_nr, b._output_nr)


def connect(node, inputs):
    """Point ``node`` at what made its inputs."""
    begin(node)
    ends = []
    numbers = None
    for position in range(len(inputs)):
        if not isinstance(inputs[position], TensorBase):
            ends.append(None)
            continue
        tensor = inputs[position]
        ends.append(gradient_target(tensor))
        if tensor._output_nr != 0:
            if numbers is None:
                numbers = [0] * len(inputs)
            numbers[position] = tensor._output_nr
    node._targets = tuple(ends)
    node._numbers = None if numbers is None else tuple(numbers)


def new_node(op, inputs, options):
    """An empty node of the class that ``op`` (and, for some, its options) calls for."""
    cls = op.node_class if op.node_choice is None else op.node_choice(inputs, options)
    return allocate(cls)


def wanted_mask(op, inputs):
    """One bit per input that wants a gradient and can have one."""
    mask = 0
    for position in range(len(inputs)):
        value = inputs[position]
        if not op.differentiable[position]:
            continue
        if isinstance(value, TensorBase):
            if wants_grad(value):
                mask |= 1 << position
        elif isinstance(value, list):
            for v in value:
                if isinstance(v, TensorBase) and wants_grad(v):
                    mask |= 1 << position
                    break
    return mask


def record(op, mask, inputs, options, outputs, residuals, in_place):
    """Make the node of a call. ``outputs`` is a list; the caller hangs the node on them."""
    plan = plan_for(op, mask)
    node = new_node(op, inputs, options)
    node._plan = plan
    node._values = save(plan, inputs, options, outputs, residuals, in_place)
    if op.node_choice is not None:
        node._given = tensors_among(inputs)
    if op.variadic_at >= 0:
        at = op.variadic_at
        inputs = [*inputs[:at], *inputs[at], *inputs[at + 1:]]
    connect(node, inputs)
    describe_outputs(op, node, outputs)
    return node


def tensors_among(inputs):
    """One bit per input that is a tensor, or a sequence of them; 0 where none is a number."""
    mask = 0
    found = False
    for position in range(len(inputs)):
        if isinstance(inputs[position], (TensorBase, list)):
            mask |= 1 << position
        elif inputs[position] is not None:
            found = True
    return mask if found else 0


def describe_outputs(op, node, outputs):
    """Give ``node`` the shape and dtype of its outputs."""
    if op.outputs:
        node._metas = tuple([(t._array.shape, t._dtype) for t in outputs])
    else:
        node._shape = outputs[0]._array.shape
        node._dtype = outputs[0]._dtype


# -- the fast paths: one dtype, plain tensors, default modes ------------------------------------------------

def apply_unary(op, x):
    """``op(x)`` for a plain tensor whose dtype the op keeps, in default modes."""
    recorded = wants_grad(x) and op.differentiable[0]
    array = op.kernel(x._array) if op.kernel is not None else None
    if array is None:
        try:
            array = quietly(op.forward, (runtime.xp, x._array))
        except MemoryError as raw:
            raise allocation_error(raw) from None
    if type(array) is not runtime.ndarray:
        array = runtime.asarray(array)
    result = new_tensor(array, x._dtype)
    if recorded:
        plan = plan_for(op, 1)
        node = allocate(op.node_class)
        node._plan = plan
        node._values = save(plan, (x,), op.default_options, (result,), (), False)
        node._shape = array.shape
        node._dtype = x._dtype
        connect(node, (x,))
        result._node = node
    return result


def apply_binary(op, x, y):
    """``op(x, y)`` for a plain tensor and another of its dtype, or a Python number, in default modes."""
    paired = isinstance(y, TensorBase)
    operand = y._array if paired else y
    mask = 1 if wants_grad(x) and op.differentiable[0] else 0
    if paired and wants_grad(y) and op.differentiable[1]:
        mask |= 2
    array = op.kernel(x._array, operand) if op.kernel is not None else None
    if array is None:
        try:
            array = quietly(op.forward, (runtime.xp, x._array, operand))
        except (ValueError, MemoryError) as raw:
            error = allocation_error(raw) or broadcast_error(x._array.shape, getattr(operand, "shape", ()))
            if error is None:
                raise
            raise error from None
    if type(array) is not runtime.ndarray:
        array = runtime.asarray(array)
    result = new_tensor(array, x._dtype)
    if mask != 0:
        plan = plan_for(op, mask)
        node = allocate(op.node_class if paired else op.number_class)
        node._plan = plan
        node._values = save(plan, (x, y), op.default_options, (result,), (), False)
        node._shape = array.shape
        node._dtype = x._dtype
        connect_pair(node, x, y)
        result._node = node
    return result


# -- the general path ----------------------------------------------------------------------------------------

def call(op, args, kwargs, out=None):
    """Bind the arguments, hand over to ``__torch_function__`` where one is defined, and apply."""
    values = bind(op, args, kwargs)
    try:
        if out is not None:
            from leafward.core.inplace import apply_out
            return apply_out(op, values, out)
        return apply(op, values)
    except OptionError as error:
        raise error.of_call(op.name, op.shown_names, args, kwargs) from None


def check_inputs(op, values):
    """The input tensors of a call; Python scalars stay scalars, anything else is refused."""
    inputs = []
    for index, position in enumerate(op.input_at):
        value = values[position]
        if value is None:
            if (index == 0 or op.elementwise or op.writes is not None) and op.defaults[position] is REQUIRED:
                raise argument_error(op, index, value, "Tensor")
        elif isinstance(value, TensorBase) and index != op.variadic_at:
            pass
        elif index == op.variadic_at:
            if not isinstance(value, (list, tuple)):
                raise argument_error(op, index, value, "tuple of Tensors")
            value = list(value)
            for number, v in enumerate(value):
                if not is_tensor_like(v):
                    raise element_error(number, v, position)
        elif type(value) is not float and type(value) is not int and is_tensor_like(value):
            pass                                            # it answers for itself
        else:
            scalar = unwrap_scalar(value)
            if scalar is None or not op.takes_number[index] or (
                    index == 0 and op.numbers != "all" and not any([isinstance(v, TensorBase) for v in values])):
                raise argument_error(op, index, value, "Tensor")
            value = scalar
            if type(value) is int and not fits_int64(value):
                refuse_overflow(value)
            if index == 0 and op.numbers == "all" and not any([is_tensor_like(v) for v in values]):
                value = number_tensor(value)                # numbers alone: of the dtype that they count as
        inputs.append(value)
    for position, kind in op.option_kinds:
        if type(values[position]) is not kind:
            values[position] = checked_option(op, position, values[position])
    return inputs


def number_tensor(value):
    """A Python number as the 0-dim tensor that it stands for."""
    dtype = dtypes.scalar_dtype(value)
    return new_tensor(runtime.xp.full((), value, dtype), dtype)


def one_dtype(op, inputs):
    """The floating dtype that all promoting inputs have, beside real Python numbers; None if it is not so simple."""
    common = None
    for position in range(len(inputs)):
        if not op.promoted[position]:
            continue
        value = inputs[position]
        if isinstance(value, TensorBase):
            tensor = value
            if common is None:
                common = tensor._dtype
            elif tensor._dtype is not common:
                return None
        elif not (type(value) is float or type(value) is int or value is None):
            return None
    return common if common is runtime.float32 or common is runtime.float64 else None


def common_dtype(op, inputs, values):
    """PyTorch's result type of the promoting inputs: dimensioned tensors, then 0-dim ones, then Python numbers."""
    common = one_dtype(op, inputs)
    if common is not None:
        return common
    dimensioned = zero_dim = scalar = None
    for position in range(len(inputs)):
        if not op.promoted[position]:
            continue
        value = inputs[position]
        for v in (value if isinstance(value, list) else (value,)):
            if isinstance(v, TensorBase):
                if v._array.ndim:
                    dimensioned = v._dtype if dimensioned is None else dtypes.promote_types(dimensioned, v._dtype)
                else:
                    zero_dim = v._dtype if zero_dim is None else dtypes.promote_types(zero_dim, v._dtype)
            elif v is not None:
                kind = dtypes.scalar_dtype(v)
                scalar = kind if scalar is None else dtypes.promote_types(scalar, kind)
    common = dtypes.result_type(dimensioned, zero_dim, scalar)
    if op.dtype == "floating" and not (common.is_floating_point or common.is_complex) and (
            op.whole_at < 0 or values[op.whole_at] is None):
        common = dtypes.get_default_dtype()
    return common


def arrays_of(op, inputs, values):
    """The arrays that the forward gets, cast to the common dtype where the op promotes."""
    if op.precondition is not None:
        op.precondition(*inputs)
    common = common_dtype(op, inputs, values) if op.dtype is not None else None
    arrays = []
    for position in range(len(inputs)):
        value = inputs[position]
        if position == op.alias_at:                         # a view of a conjugate is one
            value = value._array
        target = common if common is not None and op.promoted[position] else None
        if position == op.exact_at and target is not None and target.itemsize == 2:
            target = exact_dtype(value, target)
        if isinstance(value, list):
            arrays.append([as_array(v, target) for v in value])
        else:
            arrays.append(as_array(value, target))
    return arrays


def exact_dtype(value, dtype):
    """In which a Python number, or a 0-dim float32 or float64 ``value``, goes into arithmetic in ``dtype``, a half type."""
    wide = not isinstance(value, TensorBase) or (
        value._array.ndim == 0 and value._dtype in (runtime.float32, runtime.float64))
    return runtime.float32 if wide and dtype.is_floating_point else dtype


def as_array(value, dtype):
    """A tensor's array as ``dtype``; a Python number as one that this dtype can hold, for half types rounded."""
    if isinstance(value, TensorBase):
        tensor = value
        array = array_of(tensor)
        return array if dtype is None or tensor._dtype is dtype else quietly(runtime.xp.astype, (array, dtype))
    if dtype is None or value is None or (type(value) is float and dtype.is_floating_point and dtype.itemsize != 2):
        return value
    return quietly(runtime.xp.scalar_for, (value, dtype))


def run_forward(op, values, inputs, arrays, mask):
    """The forward on arrays; its result as it comes. An elementwise op on half types runs in float32, rounded once."""
    if op.widens and holds_two_bytes(arrays):
        half = runtime.xp.half_among(arrays)
        if half is not None:
            wide = [runtime.xp.widened(a) for a in arrays]
            if op.rounded_at:
                values = [runtime.xp.scalar_for(value, half) if position in op.rounded_at and type(value) is float else value
                          for position, value in enumerate(values)]
            return quietly(runtime.xp.narrowed, (run_on(op, values, wide, mask), half))
    return run_on(op, values, arrays, mask)


def holds_two_bytes(arrays):
    """Whether one of ``arrays`` may be of a half type: its elements have two bytes."""
    for position in range(len(arrays)):
        part = arrays[position]
        if type(part) is runtime.ndarray and part.itemsize == 2:
            return True
    return False


def run_on(op, values, arrays, mask):
    """Call the forward with ``arrays`` for the inputs."""
    if op.has_general_kernel:
        result = op.kernel(*arrays)
        if result is not None:
            return result
    args = list(values)
    for index, position in enumerate(op.input_at):
        args[position] = arrays[index]
    args.insert(0, runtime.xp)
    try:
        if op.alias_at >= 0 and op.plain_signature:         # a view computes nothing that could warn
            return op.forward(*args)
        if op.plain_signature:
            return quietly(op.forward, args)
        positional = args[:op.positional + 1]
        named = dict(zip(op.names[op.positional:], args[op.positional + 1:], strict=True))
        if op.takes_saving:
            named["saving"] = mask != 0
        return quietly(with_names, (op.forward, positional, named))
    except (ValueError, MemoryError) as raw:
        error = allocation_error(raw)
        if error is None and op.elementwise:
            error = broadcast_error(*[a.shape for a in arrays if hasattr(a, "shape")])
        if error is None:
            raise
        raise error from None
    except AttributeError as error:
        for index in range(len(arrays)):                    # a number, or None, that only this forward cannot do with
            if arrays[index] is error.obj and hasattr(runtime.tensor, error.name):
                raise argument_error(op, index, arrays[index], "Tensor") from None
        raise


def with_names(function, positional, named):
    return function(*positional, **named)


def all_plain(inputs):
    """Whether no input can have a ``__torch_function__`` of its own."""
    for position in range(len(inputs)):
        value = inputs[position]
        if value is None or is_plain(value):
            continue
        if isinstance(value, list):
            for part in value:
                if not is_plain(part):
                    return False
        elif type(value) is not float and type(value) is not int and is_tensor_like(value):
            return False
    return True


def values_at(values, places):
    """The ``values`` at ``places``."""
    return [values[position] for position in places]


def apply(op, values):
    """Run ``op`` on bound arguments."""
    inputs = check_inputs(op, values)
    if runtime.special != 0 or not all_plain(inputs):
        overrides = function_overrides(inputs)
        if overrides is not None:
            return hand_over(op, values, overrides)
        from leafward.core.transform_levels import innermost
        level = innermost(inputs, op.random)
        if level is not None:
            return level.apply(op, values, inputs)
    if op.writes is not None:
        from leafward.core.inplace import apply_writer
        return apply_writer(op, values, inputs)
    recording = modes.grad_enabled()
    mask = wanted_mask(op, inputs) if recording else 0
    arrays = arrays_of(op, inputs, values)
    result = run_forward(op, values, inputs, arrays, mask)
    if op.row_major:
        result = row_major(result)
    options = values_at(values, op.option_at)
    residuals = ()
    if op.residuals:
        count = max(len(op.outputs), 1)
        residuals = result[count:]
        result = result[0] if count == 1 else result[:count]
    if op.alias is not None:
        return finish_views(op, mask, inputs, options, result, recording)
    if op.format_at:
        result = runtime.xp.creation.in_format_of(values_at(arrays, op.format_at), result)
    if not op.outputs:
        output = tensor_from_result(result, arrays)
        if mask != 0 and may_differ(op, 0, output):
            output._node = record(op, mask, inputs, options, (output,), residuals, False)
        return output
    outputs = [tensor_from_result(a, arrays) for a in result]
    if mask != 0 and any_differentiable(op, outputs):
        node = record(op, mask, inputs, options, outputs, residuals, False)
        for number, output in enumerate(outputs):
            if may_differ(op, number, output):
                output._node = node
                output._output_nr = number
    return op.package(outputs)


def row_major(result):
    """An array whose elements lie in order, without gaps; a tuple of them."""
    if isinstance(result, tuple):
        return tuple([row_major(part) for part in result])
    return result.copy() if type(result) is runtime.ndarray and not result.flags.c_contiguous else result


def may_differ(op, number, output):
    """Whether output ``number`` can have a gradient: floating, and not declared without one."""
    dtype = output._dtype
    if not (dtype.is_floating_point or dtype.is_complex):
        return False
    return not op.no_grad_outputs or op.outputs == ("*",) or op.outputs[number] not in op.no_grad_outputs


def any_differentiable(op, outputs):
    return any([may_differ(op, number, output) for number, output in enumerate(outputs)])


def record_view(op, source, options, array):
    """The view of ``source`` that ``op`` makes, from the ``array`` that its forward would return."""
    recording = modes.grad_enabled()
    view = view_of(op, source, options, array, -1, recording)
    if recording and wants_grad(source) and op.differentiable[0] and is_recorded(op, view):
        view._node = record(op, 1, (source,), options, (view,), (), False)
    return view


def is_recorded(op, view):
    return may_differ(op, 0, view) and (view._base is not None or not op.retypes)


def apply_view(op, values):
    """The same for bound arguments of which the first is a plain tensor and the others options, in default modes."""
    source = values[0]
    wants_grad(source)                                      # a view without a way back to its base says so first
    values[0] = source._array
    array = None if op.kernel is None else op.kernel(*values)
    if array is None:
        array = op.forward(runtime.xp, *values)
    del values[0]
    return record_view(op, source, values, array)


def finish_views(op, mask, inputs, options, result, recording):
    """Wrap the views that an alias op returned, with their way back to the base."""
    source = inputs[op.alias_at]
    if not op.outputs:
        view = view_of(op, source, options, result, -1, recording)
        if mask != 0 and is_recorded(op, view):
            view._node = record(op, mask, inputs, options, (view,), (), False)
        return view
    outputs = [view_of(op, source, options, array, number, recording) for number, array in enumerate(result)]
    if mask != 0 and any_differentiable(op, outputs):
        node = record(op, mask, inputs, options, outputs, (), False)
        for number, view in enumerate(outputs):
            view._node = node
            view._output_nr = number
    return op.package(outputs)
