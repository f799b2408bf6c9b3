"""``torch._foreach_*``: one op for every tensor of a list, as optimizers write it.

``_foreach_add(xs, ys)`` is ``tuple(add(x, y) for x, y in zip(xs, ys))``, and ``_foreach_add_`` writes into ``xs``. Each
argument after the first is one value for all, or a list with one value for each. They are the declared ops
themselves, called for one tensor after another: gradients, dtypes and refusals follow.

>>> import leafward as lw
>>> lw._foreach_mul([lw.ones(2), lw.ones(3)], [2, 3])
(tensor([2., 2.]), tensor([3., 3., 3.]))
"""
from itertools import repeat

from leafward.core.call import wants_grad
from leafward.core.inplace import refuse
from leafward.core.op import Op, registry
from leafward.core.tensor import TensorBase


def declared_forms():
    """``{name: (declaration, whether it writes)}``: ``foreach`` names them, and what has an in-place form has one for lists."""
    found = {}
    for declared in registry.values():
        for name in declared.foreach:
            found[f"_foreach_{name}"] = declared, isinstance(declared, Op) and declared.writes is not None
            if declared.public_inplace is not None:
                found[f"_foreach_{name}_"] = declared, True
    return found


FORMS = declared_forms()
#: PyTorch's names of arguments, in their places; the rest are options.
PLACES = {"other": 0, "scalar": 0, "scalars": 0, "exponent": 0, "mat2": 0, "src": 0, "tensors1": 0, "ord": 0, "tensor1": 0,
          "tensor2": 1, "weight": 1, "weights": 1}
#: Where an op has this option, it may be given as a number for each tensor, after the operands or as ``scalars``.
EACH_ITS_OWN = "value"


def foreach(name):
    """The function called ``_foreach_<op>`` or ``_foreach_<op>_``."""
    declared, writes = FORMS[name]
    op = name.removeprefix("_foreach_").removesuffix("_")
    function = declared.public_inplace if writes and declared.public_inplace is not None else declared.public_function
    operands = count_of_operands(declared)

    def apply(*args, **kwargs):
        tensors, given, options = arguments(name, declared, writes, args, kwargs)
        count = len(given[0]) if isinstance(tensors, (int, float, complex)) else len(tensors)
        rows = zip(*[each(name, value, count, operands is not None and position >= operands)
                     for position, value in enumerate((tensors, *given))])
        if writes:
            for x in tensors:                       # all, before the first is written
                refuse(x, wants_grad(x), name, uniform=declared.writes is not None and len(declared.inputs) == 1)
        if operands is not None and len(given) >= operands:
            results = [function(*row, **{EACH_ITS_OWN: value}) for *row, value in rows]
        else:
            results = [function(*row, **options) for row in rows]
        return tensors if writes else tuple(results)
    apply.__name__ = apply.__qualname__ = name
    apply.__module__ = "leafward"
    apply.__doc__ = f"``{op}{'_' * writes}`` for every tensor of a list."
    return apply


def count_of_operands(declared):
    """How many operands stand before the option that each tensor may have its own of; None where there is no such option."""
    return len(declared.inputs) if isinstance(declared, Op) and EACH_ITS_OWN in declared.options else None


def option_names(declared):
    """The options of an op by name: what is the same for all tensors."""
    return declared.options if isinstance(declared, Op) else [p.name for p in declared.parameters]


def arguments(name, declared, writes, args, kwargs):
    """The list of tensors, what else goes with them in order, and options."""
    operands = count_of_operands(declared)
    places = PLACES if operands is None else {**PLACES, "scalars": operands - 1, EACH_ITS_OWN: operands - 1}
    args = list(args)
    if "self" in kwargs:
        args.insert(0, kwargs.pop("self"))
    if not args:
        raise TypeError(f'{name}() missing 1 required positional arguments: "self"')
    named = {places[key]: value for key, value in kwargs.items() if key in places}
    options = {key: value for key, value in kwargs.items() if key not in places}
    positions = [*range(len(args) - 1), *sorted(named)]
    if positions != list(range(len(positions))) or not set(options) <= set(option_names(declared)):
        raise TypeError(f"{name}() received an invalid combination of arguments: {', '.join(map(repr, kwargs))}")
    tensors, *given = [*args, *(named[position] for position in sorted(named))]
    if isinstance(tensors, (list, tuple)):
        if not tensors:
            raise RuntimeError("Tensor list must have at least one tensor.")
        for position, x in enumerate(tensors):
            if not isinstance(x, TensorBase):
                raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    elif writes or isinstance(tensors, TensorBase) or not (isinstance(declared, Op) and declared.takes_number[0]):
        raise TypeError(f"{name}() takes a list of tensors, not one {type(tensors).__name__}: call {declared.name}() on it")
    return tensors, given, options


def each(name, value, count, packed):
    """``value`` as ``count`` values: a list has one for each tensor, and so has a ``packed`` tensor; the rest is for all."""
    if isinstance(value, TensorBase) and packed:
        if value.ndim != 1:
            raise RuntimeError(f"Expected packed scalar Tensor to be of dimension 1. Got {value.ndim} instead.")
        if len(value) != count:
            raise RuntimeError(f"Expected length of scalars to match input of length {count} but got {len(value)} instead.")
        return value.tolist()
    if isinstance(value, TensorBase) and value.ndim:
        raise RuntimeError("scalar tensor expected to be 0 dim but it has "
                           f"{value.ndim} dimensions and {value.numel()} elements.")
    if not isinstance(value, (list, tuple)):
        return repeat(value, count)
    if len(value) != count:
        if isinstance(value[0] if value else None, TensorBase):
            raise RuntimeError(f"Tensor lists must have the same number of tensors, got {count} and {len(value)}")
        raise RuntimeError("Tensor list must have same number of elements as scalar list.")
    return value
