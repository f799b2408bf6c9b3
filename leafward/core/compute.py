"""The second stage of a call: from arrays to arrays. First a compiled kernel is asked, which may decline, then the forward."""
from leafward import dtypes
from leafward.errors import allocation_error, broadcast_error
from leafward.core.runtime import quietly, runtime
from leafward.core.tensor import TensorBase, array_of
from leafward.core.wrong_calls import argument_error


# -- operands of one dtype -----------------------------------------------------------------------------------------------

def compute_unary(op, array):
    """The array that ``op`` makes of one."""
    try:
        result = op.kernel(array) if op.kernel is not None else None
        if result is None:
            result = quietly(op.forward, (runtime.xp, array))
    except MemoryError as raw:
        raise allocation_error(raw) from None
    return result if type(result) is runtime.ndarray else runtime.asarray(result)


def compute_binary(op, array, operand):
    """The same for two; the second may be a Python number. None where it fails: the general way says why."""
    try:
        result = op.kernel(array, operand) if op.kernel is not None else None
        if result is None:
            result = quietly(op.forward, (runtime.xp, array, operand))
    except (ValueError, MemoryError):
        return None
    return result if type(result) is runtime.ndarray else runtime.asarray(result)


# -- views -----------------------------------------------------------------------------------------------------------------

def compute_view(op, values):
    """The view that ``op`` makes of the array that comes first, or the list of them: by a kernel, or by the forward."""
    result = None if op.kernel is None else op.kernel(*values)
    return op.forward(runtime.xp, *values) if result is None else result


# -- any operands: promoted to a common dtype, then run ------------------------------------------------------------------

def one_dtype(op, inputs):
    """The dtype that all promoting inputs have, beside numbers of no later kind; None if it is not so simple."""
    common = None
    rank = 0                                # of the numbers: 1 whole ones, 2 real ones
    for position in range(len(inputs)):
        if not op.promoted[position]:
            continue
        value = inputs[position]
        if isinstance(value, TensorBase):
            tensor = value                  # a name with a type in compute.pxd, as `value` cannot have one
            if common is None:
                common = tensor._dtype
            elif tensor._dtype is not common:
                return None
        elif type(value) is float:
            rank = 2
        elif type(value) is int:
            rank = max(rank, 1)
        elif isinstance(value, list):
            for part in value:
                if not isinstance(part, TensorBase):
                    return None
                tensor = part
                if common is None:
                    common = tensor._dtype
                elif tensor._dtype is not common:
                    return None
        elif value is not None:
            return None
    if common is None or common is runtime.float32 or common is runtime.float64:
        return common
    return None if common.rank < (2 if op.dtype == "floating" else rank) else common


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
    if common in dtypes.PACKED:
        raise NotImplementedError(f"{op.name}() of float16 with complex numbers would be {common}, which is there for memory "
                                  "alone: use x.cfloat() first")
    if op.dtype == "floating" and not (common.is_floating_point or common.is_complex) and (
            op.whole_at < 0 or values[op.whole_at] is None):
        common = dtypes.get_default_dtype()
    return common


def arrays_of(op, inputs, values):
    """The arrays that the forward gets, cast to the common dtype where the op promotes."""
    if op.precondition is not None:
        op.precondition(*inputs, *[values[position] for position in op.precondition_at])
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
        tensor = value                      # the same
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
            if op.rounded_at:
                values = [runtime.xp.scalar_for(value, half) if position in op.rounded_at and type(value) is float else value
                          for position, value in enumerate(values)]
            if op.has_general_kernel:
                result = op.kernel(*with_arrays(op, values, arrays))
                if result is not None:
                    return result
            wide = [runtime.xp.widened(a) for a in arrays]
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
    args = with_arrays(op, values, arrays)
    try:
        if op.has_general_kernel:
            result = op.kernel(*args)
            if result is None and op.narrows and holds_two_bytes(arrays):
                result = by_wide_kernel(op, values, arrays)
            if result is not None:
                return result
        if op.tapes is not None:
            if op.takes_saving:
                args.append(mask != 0)
            result = op.tapes.answer(args)
            if result is not None:
                return result
            if op.takes_saving:
                args.pop()
        args.insert(0, runtime.xp)
        if op.alias_at >= 0 and op.plain_signature:         # a view computes nothing that could warn
            return op.forward(*args)
        if op.plain_signature:
            return quietly(op.forward, args)
        positional = args[:op.positional + 1]
        named = {}
        for position in range(op.positional, op.arity):
            value = args[position + 1]
            if value is not op.defaults[position]:
                named[op.names[position]] = value
        if op.takes_saving:
            named["saving"] = mask != 0
        if not named:
            return quietly(op.forward, positional)
        return quietly(with_names, (op.forward, positional, named))
    except (ValueError, MemoryError, OverflowError) as raw:
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


def with_arrays(op, values, arrays):
    """The values of a call with ``arrays`` for the inputs."""
    args = list(values)
    for index, position in enumerate(op.input_at):
        args[position] = arrays[index]
    return args


def by_wide_kernel(op, values, arrays):
    """What a kernel of float32 makes of half types, rounded once; or None."""
    half = runtime.xp.half_among(arrays)
    asked = op.position_of.get("dtype", -1)
    if half is None or (asked >= 0 and values[asked] is not None):      # half.sum(dtype=float32) is not rounded
        return None
    result = op.kernel(*with_arrays(op, values, [runtime.xp.widened(a) for a in arrays]))
    if result is None:
        return None
    if 0 < len(op.no_grad_outputs) < len(op.outputs):       # statistics: running ones may be of float32
        return tuple([quietly(runtime.xp.narrowed, (part, half)) if op.outputs[number] not in op.no_grad_outputs else part
                      for number, part in enumerate(result)])
    return quietly(runtime.xp.narrowed, (result, half))


def with_names(function, positional, named):
    return function(*positional, **named)


def row_major(result):
    """An array whose elements lie in order, without gaps; a tuple of them."""
    if isinstance(result, tuple):
        return tuple([row_major(part) for part in result])
    return result.copy() if type(result) is runtime.ndarray and not result.flags.c_contiguous else result
