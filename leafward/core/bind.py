"""Arguments: PyTorch's names and orders to an op's parameters, and the way out to ``__torch_function__``."""
from leafward.errors import warn
from leafward.core import modes
from leafward.core.mode_bits import FUNCTIONS
from leafward.core.op import REQUIRED
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.core.wrong_calls import foreign_tensor_error, missing_argument, too_many_arguments, unexpected_keyword

#: What NumPy calls the parameters that PyTorch calls otherwise; both are accepted, as in PyTorch.
NUMPY_NAMES = {"axis": "dim", "keepdims": "keepdim", "axes": "dims", "x": "input", "a": "input", "x1": "input", "x2": "other"}


def user_names(names):
    """The parameter names that users see: ``x`` is ``input``, ``y`` is ``other``, ``from_`` is ``from``."""
    shown = []
    for name in names:
        shown.append("input" if name == "x" else "other" if name == "y" else name.removesuffix("_"))
    return tuple(shown)


def input_by_name(function, kwargs):
    """The first argument of a call that gives none by position, taken out of ``kwargs``."""
    for given, ours in NUMPY_NAMES.items():
        if ours == "input" and given in kwargs:
            return kwargs.pop(given)
    raise TypeError(f'{function}() missing 1 required positional arguments: "input"')


def bind(op, args, kwargs):
    """The arguments in the order of the op's parameters."""
    values = list(args)
    given = len(values)
    if op.varargs_at >= 0 and given > op.varargs_at and not isinstance(values[op.varargs_at], (tuple, list)):
        spread = values[op.varargs_at:]
        if given > op.varargs_at + 1 or isinstance(spread[0], int):
            values[op.varargs_at:] = [tuple(spread)]
            given = len(values)
    if given > op.positional:
        values, kwargs = legacy_order(op, values, kwargs)
        given = len(values)
    if given == op.arity and not kwargs:
        return values
    values.extend(op.defaults[given:])
    if kwargs:
        for name in kwargs:
            position = op.position_of.get(name, -1)
            if position < 0:
                raise unexpected_keyword(op, name)
            if position < given:
                raise TypeError(f"{op.name}() got multiple values for argument '{name}'")
            values[position] = kwargs[name]
    for position in range(given, op.arity):
        if values[position] is REQUIRED:
            raise missing_argument(op, op.shown_names[position])
    return values


def legacy_order(op, values, kwargs):
    """The tensors of ``add(x, 2, y)``, and by name the numbers that stand among them: an order from before PyTorch 0.4."""
    if len(values) == len(op.legacy) + op.positional == 3 and not is_tensor_like(values[1]):
        if not is_tensor_like(values[2]):                       # add(x, 2.5, 3): a number has its factor behind it
            return values[:2], {**kwargs, op.legacy[0]: values[2]}
    tensors = [v for v in values if is_tensor_like(v)]
    numbers = [v for v in values if not is_tensor_like(v)]
    if len(tensors) != op.positional or len(numbers) > len(op.legacy) or not is_tensor_like(values[-1]):
        raise too_many_arguments(op, len(values))
    if not warned_of_order:
        warned_of_order.append(op)
        operands, options = iter(op.shown_names), iter(op.legacy)
        order = [next(operands if is_tensor_like(v) else options) for v in values]
        now = ", ".join([*op.shown_names[:op.positional], "*", *op.legacy])
        warn(f"This overload of {op.name} is deprecated:\n\t{op.name}({', '.join(order)})\n"
             f"Consider using this one instead:\n\t{op.name}({now})")
    return tensors, {**kwargs, **dict(zip(op.legacy, numbers))}


#: The op that was first called like that: as in PyTorch, one warning is enough.
warned_of_order = []


def unwrap_scalar(value):
    """A Python number for a number of any kind (NumPy scalars too); None for anything else."""
    if isinstance(value, (bool, int, float, complex)):
        return value
    item = getattr(value, "item", None)
    if item is not None and getattr(value, "shape", None) == ():
        return item()
    return None


def function_overrides(inputs):
    """The arguments whose class defines its own ``__torch_function__``, or None: the usual case."""
    found = None
    for value in inputs:
        for v in (value if isinstance(value, list) else (value,)):
            cls = type(v)
            if cls is runtime.tensor or cls is runtime.parameter or v is None:
                continue
            if getattr(cls, "__torch_function__", None) is not None and cls.__torch_function__ is not runtime.disabled:
                if found is None:
                    found = [v]
                elif cls not in [type(f) for f in found]:
                    found.append(v)
    if found is None and modes.word() & FUNCTIONS == 0:
        return None
    state = modes.current()
    if state.function_disabled or (found is None and not state.function_modes):
        return None
    return found or []


def hand_over(op, values, overrides, function=None, out=None):
    """Let ``__torch_function__`` answer: modes first, then subclasses before their bases, then left to right."""
    named = {}
    for position in range(op.positional, op.arity):
        if values[position] is not op.defaults[position]:
            named[op.shown_names[position]] = values[position]
    if out is not None:
        named["out"] = out
    given = op.positional
    while given > 1 and values[given - 1] is op.defaults[given - 1]:
        given -= 1
    return dispatch(op.public_function if function is None else function, tuple(values[:given]), named, overrides)


def dispatch(function, args, kwargs, overrides):
    """Ask each candidate in turn; all of them declining is a TypeError."""
    state = modes.current()
    types = tuple(type(v) for v in overrides)
    if state.function_modes:
        mode = state.function_modes.pop()
        state.changed()
        try:
            result = mode.__torch_function__(function, types, args, kwargs)
        finally:
            state.function_modes.append(mode)
            state.changed()
        if result is not NotImplemented:
            return result
    ordered = []
    for value in overrides:
        position = len(ordered)
        for i, other in enumerate(ordered):
            if issubclass(type(value), type(other)):
                position = i
                break
        ordered.insert(position, value)
    for value in ordered:
        if type(value).__module__.partition(".")[0] == "torch" and not isinstance(value, TensorBase):
            raise foreign_tensor_error(function)
        result = type(value).__torch_function__(function, types, args, kwargs)
        if result is not NotImplemented:
            return result
    raise TypeError(f"Multiple dispatch failed for '{getattr(function, '__name__', function)}'; "
                    f"all __torch_function__ handlers returned NotImplemented: {[t.__name__ for t in types]}")


def is_tensor_like(inp):
    """Whether ``inp`` is a tensor or overrides ``__torch_function__``."""
    return isinstance(inp, TensorBase) or hasattr(type(inp), "__torch_function__")
