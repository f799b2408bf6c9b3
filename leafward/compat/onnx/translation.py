"""From a call of an op to nodes: by the op's own rule for ONNX, or by running its forward in the namespace of the graph."""
from leafward.core.compute import arrays_of
from leafward.core.op import onnx_rules, parameter_names
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.compat.onnx.sizes import TracedSize
from leafward.compat.onnx.symbols import Symbol, Untranslatable


def bound_symbols(space, op, values, inputs, symbol_of):
    """What each parameter of the forward gets: symbols of the inputs, as promotion casts them, and the options."""
    arrays = arrays_of(op, inputs, values)
    half = runtime.xp.half_among(arrays) if op.widens else None
    known = dict(zip(op.names, values, strict=True))
    for name, value, array in zip(op.inputs, inputs, arrays, strict=True):
        if isinstance(value, list):
            known[name] = [as_operand(space, v, a, half, symbol_of) for v, a in zip(value, array, strict=True)]
        else:
            known[name] = as_operand(space, value, array, half, symbol_of)
    return known, half


def as_operand(space, value, array, half, symbol_of):
    if isinstance(value, TensorBase):
        found = space.astype(symbol_of(value), array.dtype)
        return space.astype(found, runtime.xp.widened(array[:0] if array.ndim else array).dtype) if half is not None else found
    if isinstance(value, TracedSize):
        return space.symbol(value, getattr(array, "dtype", runtime.xp.asarray(array).dtype))
    return array


def translated(space, op, known):
    """The symbol of the output, or a list of those of all outputs."""
    rule = onnx_rules.get(op.name)
    result = None if rule is None else rule(space, *[known[name] for name in parameter_names(rule)[1:]])
    if result is not None:
        return list(result) if op.outputs else result
    result = run_forward(space, op, known)
    count = max(len(op.outputs), 1)
    if op.outputs == ("*",):
        return list(result)
    if count == 1:
        return result[0] if op.residuals else result
    return list(result[:count])


def run_forward(space, op, known):
    """The forward of ``op`` in the namespace ``space``."""
    named = {name: known[name] for name in op.names}
    if op.takes_saving:
        named["saving"] = False
    first = named.pop(op.names[0]) if op.names else None
    space.running.append(op)
    try:
        return op.forward(space, first, **named) if op.names else op.forward(space)
    except Untranslatable:
        raise
    except (TypeError, AttributeError, ValueError, NotImplementedError) as error:    # it does with arrays what symbols cannot
        raise Untranslatable(f"on symbols it raises {type(error).__name__}: {str(error)[:120]}") from error
    finally:
        space.running.pop()


def checked(space, op, symbols, outputs, half):
    """``symbols`` for the tensors ``outputs``, in their dtypes; each knows the arrays that were computed."""
    found = []
    for symbol, (first, second) in zip(symbols, outputs, strict=True):
        if symbol is None:                                  # ONNX has no such output
            found.append(Symbol(space, None, first._array, second._array))
            continue
        if not isinstance(symbol, Symbol):
            symbol = space.symbol(symbol, first._array.dtype)
        if symbol.array is not None and half is None and symbol.array.dtype != first._array.dtype:
            symbol = space.astype(symbol, first._array.dtype)
        if half is not None and first._array.dtype == half:
            symbol = Symbol(space, space.graph.node("Cast", [symbol.name], to=space.type_number(half)))
        if symbol.array is not None and symbol.array.shape != first._array.shape:
            symbol = space.broadcast_to(symbol, Symbol(space, symbol.name, first._array, second._array).shape)
        found.append(Symbol(space, symbol.name, first._array, second._array))
    return found


