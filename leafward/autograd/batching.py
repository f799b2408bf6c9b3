"""``vmap``: a function of one example becomes a function of a batch."""
from __future__ import annotations

import functools
from typing import Any, TYPE_CHECKING

from leafward.autograd import batched_functions  # noqa: F401  (what a level does with custom functions)
from leafward.autograd.batched import VmapLevel, batched
from leafward.autograd.trees import Spec, broadcast, flatten, unflatten
from leafward.core.tensor import TensorBase
from leafward.core.tracebacks import short
from leafward.derive.functions import fns

if TYPE_CHECKING:
    from collections.abc import Callable


def vmap(func: Callable[..., Any], in_dims: Any = 0, out_dims: Any = 0, randomness: str = "error", *,
         chunk_size: int | None = None) -> Callable[..., Any]:
    """``func`` of each example along ``in_dims``, all at once; the results are stacked along ``out_dims``.

    ``in_dims`` is a dim, or nested like the arguments; None: the same for all. ``randomness`` says what random functions
    inside do: ``"error"``, ``"same"`` or ``"different"``. ``chunk_size`` limits how many examples run at once.

    >>> import leafward as lw
    >>> lw.vmap(lw.dot)(lw.eye(3), lw.ones(3, 3))
    tensor([1., 1., 1.])
    """
    if randomness not in ("error", "different", "same"):
        raise RuntimeError("Only allowed values for randomness are 'error', 'different', or 'same'. Got " + randomness)
    if chunk_size is not None and chunk_size <= 0:
        raise ValueError(f"vmap: chunk_size should be None or greater than 0. (got {chunk_size})")

    @short
    @functools.wraps(func)
    def over_batch(*args, **kwargs):
        leaves, dims, spec, size = taken_apart(func, in_dims, args)
        if chunk_size is None or chunk_size >= size:
            return run(func, leaves, dims, spec, kwargs, size, out_dims, randomness)
        parts = []
        for start in range(0, size, chunk_size):
            count = min(chunk_size, size - start)
            part = [x if d is None else x.narrow(d, start, count) for x, d in zip(leaves, dims, strict=True)]
            parts.append(run(func, part, dims, spec, kwargs, count, out_dims, randomness))
        return concatenated(parts, out_dims)
    return over_batch


def name_of(func):
    return getattr(func, "__name__", repr(func))


def taken_apart(func, in_dims, args):
    """The leaves of the arguments, the dim of each, how to put them together again, and the size of the batch."""
    if not isinstance(in_dims, (int, tuple)):
        raise ValueError(f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): expected `in_dims` to be int or a "
                         f"(potentially nested) tuple matching the structure of inputs, got: {type(in_dims)}.")
    if not args:
        raise ValueError(f"vmap({name_of(func)})(<inputs>): got no inputs. Maybe you forgot to add inputs, or you are "
                         "trying to vmap over a function with no inputs. The latter is unsupported.")
    leaves, spec = flatten(args)
    dims = broadcast(in_dims, spec)
    said = f"vmap({name_of(func)}, in_dims={in_dims}, ...)(<inputs>): "
    if dims is None:
        raise ValueError(f"{said}in_dims is not compatible with the structure of `inputs`. in_dims has structure "
                         f"{flatten(in_dims)[1]} but inputs has structure {spec}.")
    checked = []
    for x, dim in zip(leaves, dims, strict=True):
        if dim is None:
            checked.append(None)
            continue
        if not isinstance(dim, int) or isinstance(dim, bool):
            raise ValueError(f"{said}Got in_dim={dim} for an input but in_dim must be either an integer dimension or None.")
        if not isinstance(x, TensorBase):
            raise ValueError(f"{said}Got in_dim={dim} for an input but the input is of type {type(x)}. We cannot vmap over "
                             "non-Tensor arguments, please use None as the respective in_dim")
        if not -x.ndim <= dim < x.ndim:
            raise ValueError(f"{said}Got in_dim={dim} for some input, but that input is a Tensor of dimensionality {x.ndim} so "
                             f"expected in_dim to satisfy -{x.ndim} <= in_dim < {x.ndim}.")
        checked.append(dim % x.ndim)
    sizes = [x.shape[d] for x, d in zip(leaves, checked, strict=True) if d is not None]
    if not sizes:
        raise ValueError("vmap: Expected at least one Tensor to vmap over")
    if any(size != sizes[0] for size in sizes):
        raise ValueError("vmap: Expected all tensors to have the same size in the mapped dimension, got sizes "
                         f"{sizes} for the mapped dimension")
    return leaves, checked, spec, sizes[0]


def run(func, leaves, dims, spec, kwargs, size, out_dims, randomness):
    """One pass over a batch, or a chunk of it."""
    level = VmapLevel(size, randomness)
    with level:
        shown = [x if d is None else batched(x, d, level) for x, d in zip(leaves, dims, strict=True)]
        outputs = func(*unflatten(shown, spec), **kwargs)
    found, spec = flatten(outputs)
    places = places_for(func, out_dims, found, spec)
    return unflatten([whole(func, x, position, level) for x, position in zip(found, places, strict=True)], spec)


def places_for(func, out_dims, found, spec):
    """The dim that the batch is to have in each output."""
    if not (out_dims is None or isinstance(out_dims, int)):
        leaves, _ = flatten(out_dims)
        if not all(d is None or isinstance(d, int) for d in leaves) or not isinstance(out_dims, (tuple, list, dict)):
            raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims}): `out_dims` must be an int, None or a python "
                             "collection of ints representing where in the outputs the vmapped dimension should appear.")
    places = broadcast(out_dims, spec)
    if places is None and spec.type is None and isinstance(out_dims, (tuple, list)) and len(out_dims) == 1:
        places = list(out_dims)
    if places is None and spec.type in (tuple, list) and isinstance(out_dims, (tuple, list)):
        places = broadcast(out_dims, Spec(type(out_dims), None, spec.children()))
    if places is None:
        raise ValueError(f"vmap({name_of(func)}, ..., out_dims={out_dims})(<inputs>): out_dims is not compatible with the "
                         f"structure of `outputs`. out_dims has structure {flatten(out_dims)[1]} but outputs has structure "
                         f"{spec}.")
    return places


def whole(func, x, position, level):
    """One output with the batch at its place; what did not depend on the batch is repeated."""
    if position is None:
        if level.holds(x):
            raise ValueError(f"vmap({name_of(func)}, ...): `{name_of(func)}` can not return a BatchedTensor when out_dim is "
                             "None")
        return x
    if not isinstance(x, TensorBase):
        raise ValueError(f"vmap({name_of(func)}, ...): `{name_of(func)}` must only return Tensors, got type {type(x)}. Did you "
                         "mean to set out_dims= to None for output?")
    if level.holds(x):
        return x._value if x._bdim == position else fns.movedim(x._value, x._bdim, position)
    if not -x.ndim - 1 <= position <= x.ndim:
        raise IndexError(f"Dimension out of range (expected to be in range of [{-x.ndim - 1}, {x.ndim}], but got {position})")
    x = x.unsqueeze(position)
    shape = list(x.shape)
    shape[position] = level.size
    return x.expand(shape)


def concatenated(parts, out_dims):
    """The outputs of several chunks as one."""
    columns = [flatten(part) for part in parts]
    spec = columns[0][1]
    places = broadcast(out_dims, spec) or [0] * spec.num_leaves
    joined = [several[0] if position is None else fns.cat(list(several), position)
              for several, position in zip(zip(*[leaves for leaves, _ in columns], strict=True), places, strict=True)]
    return unflatten(joined, spec)
