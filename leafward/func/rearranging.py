"""``rearrange``: permutations, merged and split dims, written as a pattern of names."""
from __future__ import annotations

import re
from typing import TYPE_CHECKING

from leafward.core.tensor import TensorBase
from leafward.derive.functions import fns

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

TOKEN = re.compile(r"\.\.\.|[()]|\w+|\S")
ELLIPSIS = "..."


class DimensionBindError(Exception):
    """Sizes of named dims that do not fit the tensor."""


def rearrange(tensor: Tensor, pattern: str, **axes_lengths: int) -> Tensor:
    """``tensor`` (or a list of equal ones, stacked in front) with its dims named and put in another order.

    ``(a b)`` is one dim made of two, ``...`` all dims that are not named, ``1`` or ``()`` a dim of size 1; a length is
    given where it does not follow.

    >>> import leafward as lw
    >>> images = lw.zeros(32, 30, 40, 3)
    >>> lw.func.rearrange(images, "b h w c -> b c h w").shape
    torch.Size([32, 3, 30, 40])
    >>> lw.func.rearrange(images, "b (h1 h) w c -> (b h1) h w c", h1=2).shape
    torch.Size([64, 15, 40, 3])
    """
    if not isinstance(tensor, TensorBase):
        tensor = fns.stack(list(tensor))
    sides = pattern.split("->")
    if len(sides) != 2:
        raise ValueError("Pattern must contain a single '->' separator")
    left, right = (parsed(side, pattern) for side in sides)
    if any(ELLIPSIS in group for group in left if group != ELLIPSIS):
        raise ValueError(f"Ellipsis is parenthesis in the left side is not allowed: {pattern}")
    refuse_names(left, right, axes_lengths, pattern)
    left, right = spread(left, right, tensor.ndim)
    if len(left) != tensor.ndim:
        raise ValueError(f"Number of dimensions in pattern ({len(left)}) must be equal to the number of dimensions in the "
                         f"tensor ({tensor.ndim})")
    sizes = sizes_of(left, tensor.shape, axes_lengths)
    order = [name for group in left for name in group]
    taken_apart = tensor.reshape([sizes[name] for name in order])
    wanted = [name for group in right for name in group]
    shape = [product(sizes[name] for name in group) for group in right]
    return taken_apart.permute([order.index(name) for name in wanted]).reshape(shape)


def parsed(side, pattern):
    """``"a (b c) 1 ..."`` -> ``[["a"], ["b", "c"], [], "..."]``: the names of each dim."""
    groups, group, seen = [], None, set()
    for token in TOKEN.findall(side):
        if token == "(" and group is None:
            group = []
        elif token == ")" and group is not None:
            groups.append(group)
            group = None
        elif token in "()":
            raise ValueError("Brackets are not balanced")
        elif token == ELLIPSIS or token.isidentifier() or token == "1":
            if token in seen and token != "1":
                if token == ELLIPSIS:
                    raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
                raise ValueError(f"Indexing expression contains duplicate dimension '{token}'")
            seen.add(token)
            names = [] if token == "1" else [token]
            if group is None:
                groups.append(ELLIPSIS if token == ELLIPSIS else names)
            else:
                group += names
        elif "." in token:
            raise ValueError("Expression may contain dots only inside ellipsis (...); only one ellipsis for tensor ")
        else:
            raise ValueError(f"Invalid axis identifier: {token!r} in {pattern!r}")
    if group is not None:
        raise ValueError(f"Imbalanced parentheses in expression: '{side}'")
    return groups


def refuse_names(left, right, lengths, pattern):
    here, there = ({name for group in side for name in ([group] if group == ELLIPSIS else group)} for side in (left, right))
    if ELLIPSIS in there and ELLIPSIS not in here:
        raise ValueError(f"Ellipsis found in right side, but not left side of a pattern {pattern}")
    if lonely := here ^ there:
        raise ValueError(f"Identifiers only on one side of rearrange expression (should be on both): {lonely}")
    if unknown := set(lengths) - here:
        raise ValueError(f"Identifiers not found in rearrange expression: {unknown}")


def spread(left, right, ndim):
    """Both sides with numbers, one for each dim, for the ellipsis."""
    others = list(range(ndim - sum(group != ELLIPSIS for group in left)))
    # Outside of parentheses the dims stay apart, inside they become one with their neighbours.
    left, right = ([g for group in side for g in ([[k] for k in others] if group == ELLIPSIS else [group])]
                   for side in (left, right))
    return left, [[n for name in group for n in (others if name == ELLIPSIS else [name])] for group in right]


def sizes_of(groups, shape, lengths):
    """The size of every name."""
    sizes = {}
    for group, size in zip(groups, shape, strict=True):
        unknown = [name for name in group if name not in lengths]
        known = product(lengths[name] for name in group if name in lengths)
        if len(unknown) > 1:
            raise DimensionBindError(f"cannot infer the sizes of two dimensions at once {' and '.join(map(str, unknown))}")
        if not group and size != 1:
            raise DimensionBindError(f"a dimension of size {size} cannot be dropped: name it")
        if unknown and (known == 0 or size % known) or not unknown and known != size:
            raise DimensionBindError(f"inferred dimension does not evenly fit into larger dimension: {size} vs {known}")
        sizes.update({name: lengths.get(name, size // known if unknown else 0) for name in group})
    return sizes


def product(numbers):
    total = 1
    for number in numbers:
        total *= number
    return total
