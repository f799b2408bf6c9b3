"""A tensor in pieces along one dim: unbind, split, chunk.

Args:
    split_size_or_sections: the size of each piece, the last may be smaller; or a list of sizes
    split_sizes: the sizes of the pieces
    chunks: how many pieces at most
    indices_or_sections: how many pieces, or where to cut
    input: the tensor that is viewed
"""

from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops import dims
from leafward.ops.dims import index as as_index
from leafward.ops.slices import at


@op("unbind", alias="x", outputs="*", linear=True, batch="dims", samples=["3 4", "3 4 ; dim=-1", "0 3"],
    errors=[("", IndexError, "Dimension specified as 0 but tensor has no dimensions")])
def unbind(xp, x, dim=0):
    """The parts along ``dim``, one by one, without that dim.

    >>> lw.unbind(lw.tensor([[1, 2], [3, 4]]))
    (tensor([1, 2]), tensor([3, 4]))
    """
    if x.ndim == 0:
        raise IndexError(f"Dimension specified as {dims.normalize(dim, 0)} but tensor has no dimensions")
    dim = dims.normalize(dim, x.ndim)
    return [x[at(dim, i)] for i in range(x.shape[dim])]

@unbind.vjp("x")
def unbind_dx(xp, g, x: Meta, dim):
    if not g:
        return xp.zeros(x.shape, dtype=x.dtype)
    return xp.stack(g, axis=dims.normalize(dim, x.ndim))


@op("torch._pieces", alias="x", outputs="*", linear=True,
    node=lambda options: "SplitWithSizesBackward0" if options["with_sizes"] else "SplitBackward0",
    batch="dims", samples=["5 3 ; sizes=(2, 3), dim=0, with_sizes=True"],
    reference=lambda torch, x, sizes, dim, with_sizes: torch.split(x, sizes, dim))
def pieces(xp, x, sizes, dim, with_sizes):
    """Consecutive pieces of these ``sizes`` along ``dim``."""
    cut, start = [], 0
    for size in sizes:
        cut.append(x[at(dim, slice(start, start + size))])
        start += size
    return cut

@pieces.vjp("x")
def pieces_dx(xp, g, dim):
    return xp.concat(g, axis=dim)


def whole_pieces(fns, input, size, dim):
    """Pieces of ``size`` along ``dim``; the last may be smaller."""
    total = input.shape[dim]
    if size == 0:
        if total:
            raise RuntimeError(f"split_size can only be 0 if dimension size is 0, but got dimension size of {total}")
        return fns._pieces(input, (0,), dim, False)
    count = max((total + size - 1) // size, 1)
    return fns._pieces(input, (size,) * (count - 1) + (total - size * (count - 1),), dim, False)


@composite("split", views=True, argument_aliases={"split_size": "split_size_or_sections", "tensor": "input"},
           samples=["5 3 ; split_size_or_sections=2", "5 3 ; split_size_or_sections=[1, 4]",
                    "3 5 ; split_size_or_sections=2, dim=-1"],
           reference=lambda torch, x, split_size_or_sections, dim=0: torch.split(x, split_size_or_sections, dim),
           errors=[("3 ; split_size_or_sections=0", RuntimeError,
                    "split_size can only be 0 if dimension size is 0, but got dimension size of 3"),
                   ("3 ; split_size_or_sections=-1", RuntimeError,
                    "split expects split_size be non-negative, but got split_size=-1"),
                   (" ; split_size_or_sections=1", RuntimeError, "split expects at least a 1-dimensional tensor"),
                   ("3 ; split_size_or_sections=[1, 1]", RuntimeError, "split_with_sizes expects split_sizes to sum "
                    "exactly to 3 (input tensor's size at dimension 0), but got split_sizes=[1, 1]")])
def split(fns, input, split_size_or_sections, dim=0) -> tuple:
    """Consecutive pieces along ``dim``: all of one size, or of the sizes in a list.

    The pieces are views: writing to one writes to ``input``.

    >>> lw.split(lw.arange(5), 2)
    (tensor([0, 1]), tensor([2, 3]), tensor([4]))
    >>> lw.arange(5).split([1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    size = split_size_or_sections
    if input.ndim == 0:
        raise RuntimeError("split expects at least a 1-dimensional tensor")
    if isinstance(size, (tuple, list)):
        return fns.split_with_sizes(input, size, dim)
    size = as_index(size)
    if size < 0:
        raise RuntimeError(f"split expects split_size be non-negative, but got split_size={size}")
    return whole_pieces(fns, input, size, dims.normalize(dim, input.ndim))


@composite("split_with_sizes", views=True, samples=["5 3 ; split_sizes=[1, 4]", "5 3 ; split_sizes=(1, 0, 2), dim=1"],
           errors=[("3 ; split_sizes=[4, -1]", RuntimeError, "split_with_sizes expects split_sizes have only "
                    "non-negative entries, but got split_sizes=[4, -1]")])
def split_with_sizes(fns, input, split_sizes: tuple, dim=0) -> tuple:
    """Consecutive pieces of these sizes along ``dim``.

    >>> lw.split_with_sizes(lw.arange(5), [1, 4])
    (tensor([0]), tensor([1, 2, 3, 4]))
    """
    if input.ndim == 0:
        raise RuntimeError("split_with_sizes expects at least a 1-dimensional tensor")
    sizes, dim = dims.as_sizes(split_sizes), dims.normalize(dim, input.ndim)
    if any(n < 0 for n in sizes):
        raise RuntimeError("split_with_sizes expects split_sizes have only non-negative entries, "
                           f"but got split_sizes={list(sizes)}")
    if sum(sizes) != input.shape[dim]:
        raise RuntimeError(f"split_with_sizes expects split_sizes to sum exactly to {input.shape[dim]} "
                           f"(input tensor's size at dimension {dim}), but got split_sizes={list(sizes)}")
    return fns._pieces(input, sizes, dim, True)


@composite("chunk", views=True, samples=["7 ; chunks=3", "3 4 ; chunks=2, dim=1", "3 ; chunks=5", "0 3 ; chunks=2"],
           errors=[("3 ; chunks=0", RuntimeError, "chunk expects `chunks` to be greater than 0, got: 0"),
                   (" ; chunks=1", RuntimeError, "chunk expects at least a 1-dimensional tensor")])
def chunk(fns, input, chunks: int, dim=0) -> tuple:
    """At most ``chunks`` consecutive pieces along ``dim``, equal but for the last.

    The pieces are views. There may be fewer than ``chunks``: five elements in four chunks are 2, 2 and 1.

    >>> lw.chunk(lw.arange(5), 2)
    (tensor([0, 1, 2]), tensor([3, 4]))
    """
    if input.ndim == 0:
        raise RuntimeError("chunk expects at least a 1-dimensional tensor")
    if chunks <= 0:
        raise RuntimeError(f"chunk expects `chunks` to be greater than 0, got: {chunks}")
    dim = dims.normalize(dim, input.ndim)
    size = (input.shape[dim] + chunks - 1) // chunks
    if size == 0:
        return fns._pieces(input, (0,) * chunks, dim, True)
    return whole_pieces(fns, input, size, dim)


#: So many pieces are a second's work. Those beyond the size of the dimension are empty.
MOST_PIECES = 1 << 20

#: By these names PyTorch tells the two kinds apart.
CUTS = {"indices": "indices_or_sections", "sections": "indices_or_sections"}


@composite("tensor_split", views=True, argument_aliases={**CUTS, "tensor_indices_or_sections": "indices_or_sections"},
           samples=["7 ; indices_or_sections=3", "5 3 ; indices_or_sections=(1, 3)",
                    "3 5 ; indices_or_sections=[0, 2, 1], dim=1"],
           reference=lambda torch, x, indices_or_sections, dim=0: torch.tensor_split(x, indices_or_sections, dim),
           errors=[("3 ; indices_or_sections=0", RuntimeError, "number of sections must be larger than 0, got 0"),
                   (" ; indices_or_sections=1", RuntimeError,
                    "tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")])
def tensor_split(fns, input, indices_or_sections, dim=0) -> tuple:
    """Pieces along ``dim``: so many of nearly equal size, or cut at the given places."""
    cuts = indices_or_sections
    if input.ndim == 0:
        raise RuntimeError("tensor_split expected at least a 1-dimensional tensor, but got a tensor with 0 dims")
    dim = dims.normalize(dim, input.ndim)
    size = input.shape[dim]
    if hasattr(cuts, "tolist"):
        if cuts.dtype is not dtypes.int64:
            raise RuntimeError("tensor_split expected tensor_indices_or_sections to have dtype of long, but got "
                               f"{dtypes.scalar_name(cuts.dtype)}")
        cuts = cuts.tolist()
    if isinstance(cuts, (tuple, list)):
        bounds = [None, *cuts, None]
    else:
        if cuts <= 0:
            raise RuntimeError(f"number of sections must be larger than 0, got {cuts}")
        if cuts > max(size, MOST_PIECES):
            raise RuntimeError(f"std::bad_alloc: {cuts} pieces of a dimension of size {size}, nearly all of them empty")
        small, larger = divmod(size, cuts)
        bounds = [i * small + min(i, larger) for i in range(cuts + 1)]
    return tuple([fns._slice(input, dim, start, end) for start, end in zip(bounds, bounds[1:])])


def split_evenly(fns, name, input, cuts, dim, least):
    """``tensor_split`` along a fixed dim, into equal pieces only."""
    if input.ndim < least:
        raise RuntimeError(f"torch.{name} requires a tensor with at least {least} dimension, "
                           f"but got a tensor with {input.ndim} dimensions!")
    if isinstance(cuts, int) and (cuts == 0 or input.shape[dim] % cuts):
        raise RuntimeError(f"torch.{name} attempted to split along dimension {dim}, but the size of the "
                           f"dimension {input.shape[dim]} is not divisible by the split_size {cuts}!")
    return fns.tensor_split(input, cuts, dim)


@composite("hsplit", views=True, argument_aliases=CUTS,
           samples=["3 4 ; indices_or_sections=2", "4 ; indices_or_sections=2"],
           reference=lambda torch, x, indices_or_sections: torch.hsplit(x, indices_or_sections),
           errors=[("3 4 ; indices_or_sections=3", RuntimeError, "torch.hsplit attempted to split along dimension 1, "
                    "but the size of the dimension 4 is not divisible by the split_size 3!")])
def hsplit(fns, input, indices_or_sections) -> tuple:
    """Pieces along the columns (along the only dim of a vector)."""
    return split_evenly(fns, "hsplit", input, indices_or_sections, 1 if input.ndim > 1 else 0, 1)


@composite("vsplit", views=True, argument_aliases=CUTS,
           samples=["4 3 ; indices_or_sections=2", "4 3 ; indices_or_sections=[1]"],
           reference=lambda torch, x, indices_or_sections: torch.vsplit(x, indices_or_sections),
           errors=[("3 4 ; indices_or_sections=2", RuntimeError, "torch.vsplit attempted to split along dimension 0, "
                    "but the size of the dimension 3 is not divisible by the split_size 2!")])
def vsplit(fns, input, indices_or_sections) -> tuple:
    """Pieces along the rows."""
    return split_evenly(fns, "vsplit", input, indices_or_sections, 0, 2)


@composite("dsplit", views=True, argument_aliases=CUTS, samples=["2 2 4 ; indices_or_sections=2"],
           reference=lambda torch, x, indices_or_sections: torch.dsplit(x, indices_or_sections),
           errors=[("3 4 ; indices_or_sections=1", RuntimeError, "torch.dsplit requires a tensor with at least 3 "
                    "dimension, but got a tensor with 2 dimensions!")])
def dsplit(fns, input, indices_or_sections) -> tuple:
    """Pieces along the third dim."""
    return split_evenly(fns, "dsplit", input, indices_or_sections, 2, 3)
