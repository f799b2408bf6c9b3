"""``torch._foreach_*``: one op for every tensor of a list, as optimizers write it.

``_foreach_add(xs, ys)`` is ``tuple(add(x, y) for x, y in zip(xs, ys))``, and ``_foreach_add_`` writes into ``xs``. Each
argument after the first is one value for all, or a list with one value for each. They are the declared ops
themselves, called for one tensor after another: gradients, dtypes and refusals follow.

>>> import leafward as lw
>>> lw._foreach_mul([lw.ones(2), lw.ones(3)], [2, 3])
(tensor([2., 2.]), tensor([3., 3., 3.]))
"""
from itertools import repeat

from leafward.core.runtime import runtime
from leafward.core.call import wants_grad
from leafward.core.inplace import refuse
from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns

#: The ops that PyTorch has for lists.
OPS = (
    "abs acos add addcdiv addcmul asin atan ceil clamp_max clamp_min clone copy_ cos cosh div erf erfc exp expm1 floor frac "
    "lerp lgamma log log10 log1p log2 max maximum minimum mm mul neg norm pow powsum reciprocal round rsqrt sigmoid sign "
    "sin sinh sqrt sub tan tanh trunc zero_").split()
#: Those with no in-place form.
ONLY_NEW = ("clone", "max", "mm", "norm", "powsum")
NAMES = [f"_foreach_{op}" for op in OPS] + [f"_foreach_{op}_" for op in OPS if op[-1] != "_" and op not in ONLY_NEW]


def powsum(x, ord=2, dtype=None):
    """``sum(abs(x) ** ord)``, what a norm takes the root of."""
    return (x if dtype is None else x.to(dtype)).abs().pow(ord).sum()


#: What is called for an op, where its function of that name is not it: these take numbers and lists alike.
CALLED = {"norm": "linalg_vector_norm", "maximum": "clamp_min", "minimum": "clamp_max"}
#: PyTorch's names of arguments, in their places; the rest are options.
PLACES = {"other": 0, "scalar": 0, "scalars": 0, "exponent": 0, "mat2": 0, "src": 0, "tensors1": 0, "ord": 0, "tensor1": 0,
          "tensor2": 1, "weight": 1, "weights": 1}
OPTIONS = ("alpha", "dtype", "memory_format", "non_blocking")
ADDED_PRODUCTS = ("addcdiv", "addcmul")


def foreach(name):
    """The function called ``_foreach_<op>`` or ``_foreach_<op>_``."""
    op = name.removeprefix("_foreach_")
    writes = op.endswith("_")
    op = op.removesuffix("_")
    target = CALLED.get(op, op) + "_" * writes
    function = powsum if op == "powsum" else getattr(fns, target, None) or getattr(runtime.tensor, target)

    def apply(*args, **kwargs):
        tensors, given, options = arguments(name, op, args, kwargs)
        count = len(given[0]) if isinstance(tensors, (int, float, complex)) else len(tensors)
        rows = zip(*[each(name, op, tensors, count, position) for position, tensors in enumerate((tensors, *given))])
        if writes:
            for x in tensors:                       # all, before the first is written
                refuse(x, wants_grad(x), name, uniform=op == "zero")
        if op in ADDED_PRODUCTS and len(given) > 2:
            results = [function(*row, value=value) for *row, value in rows]
        else:
            results = [function(*row, **options) for row in rows]
        return tensors if writes else tuple(results)
    apply.__name__ = apply.__qualname__ = name
    apply.__module__ = "leafward"
    apply.__doc__ = f"``{op}{'_' * writes}`` for every tensor of a list."
    return apply


def arguments(name, op, args, kwargs):
    """The list of tensors, what else goes with them in order, and options."""
    places = {**PLACES, **({"scalars": 2, "value": 2} if op in ADDED_PRODUCTS else {})}
    args = list(args)
    if "self" in kwargs:
        args.insert(0, kwargs.pop("self"))
    if not args:
        raise TypeError(f'{name}() missing 1 required positional arguments: "self"')
    named = {places[key]: value for key, value in kwargs.items() if key in places}
    options = {key: value for key, value in kwargs.items() if key not in places}
    positions = [*range(len(args) - 1), *sorted(named)]
    if positions != list(range(len(positions))) or not set(options) <= set(OPTIONS):
        raise TypeError(f"{name}() received an invalid combination of arguments: {', '.join(map(repr, kwargs))}")
    tensors, *given = [*args, *(named[position] for position in sorted(named))]
    if isinstance(tensors, (list, tuple)):
        if not tensors:
            raise RuntimeError("Tensor list must have at least one tensor.")
        for position, x in enumerate(tensors):
            if not isinstance(x, TensorBase):
                raise TypeError(f"expected Tensor as element {position} in argument 0, but got {type(x).__name__}")
    elif op != "pow" or isinstance(tensors, TensorBase):
        raise TypeError(f"{name}() takes a list of tensors, not one {type(tensors).__name__}: call {op}() on it")
    return tensors, given, options


def each(name, op, value, count, position):
    """``value`` as ``count`` values: a list has one for each tensor, anything else is for all of them."""
    if isinstance(value, TensorBase) and op in ADDED_PRODUCTS and position == 3:
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
