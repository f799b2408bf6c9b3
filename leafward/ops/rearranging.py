"""Shapes and places put to use: sums to a smaller shape, unraveled numbers, pieces, laid-out memory.

Args:
    indices: the numbers of the elements
    shape: the shape of the tensor that they number
    split_size: the size of each piece
    split_sizes: the sizes of the pieces
    chunks: how many pieces
    storage_offset: where the view begins, in elements; None: where `input` does
    physical_layout: the dims in the order of memory, the outermost first
    kwargs: the options of `empty`
    stride: for each dim how many elements apart its neighbours are
    size: the shape of the result
"""
import math

from leafward import dtypes
from leafward.core.op import composite, op

from leafward.ops import dims
from leafward.ops.pieces import pieces, pieces_dx


@composite("Tensor.sum_to_size",
           samples=["3 4 ; size=(1, 4)", "2 3 4 ; size=(3, 1)", "3 4 ; size=(3, 4)", "3 ; size=(1,)", " ; size=((),)"],
           errors=[("3 4 ; size=(2, 4)", RuntimeError, "size {[2, 4]} is not expandable to size {[3, 4]}.")])
def sum_to_size(fns, input, *size):
    """Sum away what broadcasting from ``size`` would have added."""
    size = tuple(size[0]) if len(size) == 1 and not isinstance(size[0], int) else size
    extra = input.ndim - len(size)
    if extra < 0 or any(n not in (1, m) for n, m in zip(size, input.shape[extra:])):
        raise RuntimeError(f"size {{{list(size)}}} is not expandable to size {{{list(input.shape)}}}.")
    axes = [*range(extra), *(extra + d for d, n in enumerate(size) if n == 1 and input.shape[extra + d] != 1)]
    if not input.ndim:
        return input.sum()                          # as in PyTorch: of a bool, an integer
    out = input.sum(tuple(axes), keepdim=True) if axes else input
    return out.view(size) if extra else out


@composite("torch.unravel_index", differentiable=False,
           samples=["int6: 4 ; shape=(2, 3)", "int4: ; shape=4", "int12: 2 3 ; shape=(3, 4)"],
           errors=[("3 ; shape=4", TypeError, "expected 'indices' to be integer dtype, but got torch.float32"),
                   ("int2: 3 ; shape=(2, -3)", ValueError, "'shape' cannot have negative values, but got (2, -3)")])
def unravel_index(fns, indices, shape) -> tuple:
    """The coordinates of elements that are numbered in row-major order in a tensor of ``shape``.

    >>> lw.unravel_index(lw.tensor([3, 5]), (2, 3))
    (tensor([1, 1]), tensor([0, 2]))
    """
    if indices.dtype.is_floating_point or indices.dtype.is_complex or indices.dtype.name == "bool":
        raise TypeError(f"expected 'indices' to be integer dtype, but got {indices.dtype}")
    if not isinstance(shape, (int, tuple, list)):
        raise TypeError(f"expected 'shape' to be int or sequence of ints, but got {type(shape)}")
    shape = (shape,) if isinstance(shape, int) else tuple(shape)
    if any(n < 0 for n in shape):
        raise ValueError(f"'shape' cannot have negative values, but got {shape}")
    if not shape:
        return ()
    sizes, steps = [fns.cat([fns.full((1,), n, dtype=dtypes.int64) for n in numbers]) for numbers in (
        shape, [math.prod(shape[k + 1:]) for k in range(len(shape))])]
    if not indices.numel():
        sizes, steps = fns.clamp(sizes, min=1), fns.clamp(steps, min=1)             # nothing is divided by 0
    return fns.remainder(fns.floor_divide(indices.long().unsqueeze(-1), steps), sizes).unbind(-1)


@composite("nonzero_static", differentiable=False,
           samples=["3 4 ; size=3", "int2: 3 4 ; size=20, fill_value=7", " ; size=2"],
           errors=[("3 ; size=-2", RuntimeError, "nonzero_static: 'size' must be an non-negative integer")])
def nonzero_static(fns, input, *, size: int, fill_value: int = -1):
    """The places of the elements that are not zero, cut off or filled up to ``size`` rows."""
    if size < 0:
        raise RuntimeError("nonzero_static: 'size' must be an non-negative integer")
    found = input.nonzero()[:size]
    rest = fns.full((size - found.shape[0], found.shape[1]), fill_value, dtype=dtypes.int64)
    return fns.cat((found, rest))


# --- pieces that autograd does not know to be views ------------------------------------------------------------------

@op("torch._unsafe_split", alias="x", untracked=True, linear=True, outputs="*",
    node=lambda given: "UnsafeSplitWithSizesBackward0" if given["with_sizes"] else "UnsafeSplitBackward0",
    batch="dims", samples=["5 3 ; sizes=(2, 3), dim=0, with_sizes=True"],
    reference=lambda torch, x, sizes, dim, with_sizes: torch.unsafe_split_with_sizes(x, sizes, dim))
def unsafe_pieces(xp, x, sizes, dim, with_sizes):
    """Consecutive pieces of these ``sizes`` along ``dim``."""
    return pieces.forward(xp, x, sizes, dim, with_sizes)


unsafe_pieces.vjp("x")(pieces_dx)


def unsafe(fns, parts, input, dim, with_sizes):
    dim, input = dims.normalize(dim, input.ndim), input.resolve_conj().resolve_neg()
    return fns._unsafe_split(input, tuple([part.shape[dim] for part in parts]), dim, with_sizes)


def equal_sizes(size, each):
    """The sizes of pieces that are equal but for the last."""
    return (each,) * (size // each) + ((size % each,) if size % each or not size else ())


@composite("unsafe_split", views=True, samples=["5 3 ; split_size=2", "3 5 ; split_size=2, dim=-1"])
def unsafe_split(fns, input, split_size: int, dim=0) -> tuple:
    """:func:`split` for pieces of which only one is used, or none is written: they share memory, unknown to autograd.

    Each counts its own versions. Writing to one is not seen by the gradients of the others, nor by those of ``input``.
    """
    if type(split_size) is int and split_size > 0 and input.ndim and not (input.is_conj() or input.is_neg()):
        dim = dims.normalize(dim, input.ndim)
        return fns._unsafe_split(input, equal_sizes(input.shape[dim], split_size), dim, False)
    return unsafe(fns, fns.split(input.detach(), split_size, dim), input, dim, False)


@composite("unsafe_split_with_sizes", views=True, samples=["5 3 ; split_sizes=[1, 4]"])
def unsafe_split_with_sizes(fns, input, split_sizes: tuple, dim=0) -> tuple:
    """:func:`split_with_sizes` as :func:`unsafe_split` does it.

    >>> lw.unsafe_split_with_sizes(lw.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if isinstance(split_sizes, (list, tuple)) and input.ndim and not (input.is_conj() or input.is_neg()):
        at = dims.normalize(dim, input.ndim)
        if all([type(size) is int and size >= 0 for size in split_sizes]) and sum(split_sizes) == input.shape[at]:
            return fns._unsafe_split(input, tuple(split_sizes), at, True)
    return unsafe(fns, fns.split_with_sizes(input.detach(), split_sizes, dim), input, dim, True)


@composite("unsafe_chunk", views=True, samples=["7 ; chunks=3", "3 4 ; chunks=2, dim=1"])
def unsafe_chunk(fns, input, chunks: int, dim=0) -> tuple:
    """:func:`chunk` as :func:`unsafe_split` does it."""
    if type(chunks) is int and chunks > 0 and input.ndim and not (input.is_conj() or input.is_neg()):
        dim = dims.normalize(dim, input.ndim)
        if size := input.shape[dim]:
            return fns._unsafe_split(input, equal_sizes(size, (size + chunks - 1) // chunks), dim, False)
    return unsafe(fns, fns.chunk(input.detach(), chunks, dim), input, dim, False)


# --- memory ----------------------------------------------------------------------------------------------------------

@composite("as_strided_scatter", samples=["3 4 | 2 2 ; size=(2, 2), stride=(1, 2), storage_offset=0"])
def as_strided_scatter(fns, input, src, size: tuple, stride: tuple, storage_offset: int = None):
    """A copy of ``input`` with ``src`` in the places that ``as_strided`` would show."""
    length = input.untyped_storage().nbytes() // input.element_size()
    repeats = any(step == 0 and n > 1 for step, n in zip(input.stride(), input.shape, strict=True))
    if length == input.numel() or repeats or input.is_conj() or input.is_neg():
        out = input.clone()
    else:               # the places are those of its storage, gaps included
        memory = input.as_strided((length,), (1,), 0).clone()
        out = memory.as_strided(input.shape, input.stride(), input.storage_offset())
    places = out.as_strided(size, stride, storage_offset)
    if places.shape != src.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. "
                           f"src size = {list(src.shape)}, slice size = {list(places.shape)}")
    places.copy_(src)
    return out if out._base is None or out.requires_grad else out.detach()      # a new tensor, not a view of one


@composite("torch.empty_permuted", random=True, differentiable=False,
           samples=[" ; size=(2, 3, 4), physical_layout=(0, 2, 1)"])
def empty_permuted(fns, size, physical_layout, **kwargs):
    """An uninitialized tensor whose memory is laid out along the dimensions in the order of ``physical_layout``."""
    if len(size) != len(physical_layout):
        raise RuntimeError("Number of dimensions in size does not match the length of the physical_layout; i.e. len(size) = "
                           f"{len(size)} is not equal to len(physical_layout) = {len(physical_layout)}")
    for dim in physical_layout:
        if not 0 <= dim < len(size):
            raise RuntimeError(f"Dimension out of range (expected to be between 0 and {len(size) - 1}, but got {dim} at "
                               f"index {list(physical_layout).index(dim)}).  NB: negative dims not currently supported; "
                               "file an issue if you want it.")
    if len(set(physical_layout)) != len(size):
        raise RuntimeError("Duplicate dim not allowed")
    out = fns.empty([size[dim] for dim in physical_layout], **kwargs)
    return out.permute([list(physical_layout).index(dim) for dim in range(len(size))])
