"""Triangles, diagonals, parts replaced, and grids: copies that are mostly zeros, or all but one part of a tensor.

Args:
    input: the tensor that is read
    start: where the slice begins; None: at 0
    end: where it ends, not included; None: at the end
    step: the distance of its elements
    tensors: the tensors, in order
"""
from leafward.core.op import Meta, composite, op
from leafward.errors import warn_once

from leafward.ops.shape import refuse_none
from leafward.ops.slices import diagonal, plane, select, slice_
from leafward.ops.views import listed


# --- triangles and diagonals -----------------------------------------------------------------------------------------

def refuse_vector(x, name):
    if x.ndim < 2:
        raise RuntimeError(f"{name}: input tensor must have at least 2 dimensions")


@op("tril", row_major=True, linear=True, inplace=True, batch="leading", kernel="lower_triangle",
    samples=["3 4", "2 3 3 ; diagonal=-1", "3 4 ; diagonal=2"],
    errors=[("3", RuntimeError, "tril: input tensor must have at least 2 dimensions")])
def tril(xp, x, diagonal: int = 0):
    """The lower triangle of each matrix, up to the given ``diagonal``; zeros above.

    Of a batch, of each matrix.

    >>> lw.tril(lw.ones(3, 3))
    tensor([[1., 0., 0.],
            [1., 1., 0.],
            [1., 1., 1.]])
    """
    refuse_vector(x, "tril")
    return xp.tril(x, diagonal)

@tril.vjp("x", kernel="lower_triangle")
def tril_dx(xp, g, diagonal):
    return xp.tril(g, diagonal)


@op("triu", row_major=True, linear=True, inplace=True, batch="leading", kernel="upper_triangle",
    samples=["3 4", "2 3 3 ; diagonal=-1", "3 4 ; diagonal=2"],
    errors=[("3", RuntimeError, "triu: input tensor must have at least 2 dimensions")])
def triu(xp, x, diagonal: int = 0):
    """The upper triangle of each matrix, from the given ``diagonal`` on; zeros below.

    >>> lw.triu(lw.ones(3, 3), diagonal=1)
    tensor([[0., 1., 1.],
            [0., 0., 1.],
            [0., 0., 0.]])
    """
    refuse_vector(x, "triu")
    return xp.triu(x, diagonal)

@triu.vjp("x", kernel="upper_triangle")
def triu_dx(xp, g, diagonal):
    return xp.triu(g, diagonal)


@op("diag_embed", linear=True, batch="new dim", samples=["3", "2 3 ; offset=1", "2 3 ; offset=-2, dim1=0, dim2=2"],
    errors=[("3 4 ; offset=0, dim1=0, dim2=0", RuntimeError, "diagonal dimensions cannot be identical 0, 0"),
            ("3 4 ; offset=0, dim1=0, dim2=5", IndexError,
             "Dimension out of range (expected to be in range of [-3, 2], but got 5)")])
def diag_embed(xp, x, offset: int = 0, dim1=-2, dim2=-1):
    """Zeros with the last dim of ``x`` on a diagonal of the plane ``dim1``, ``dim2`` of the result."""
    first, second = plane(x.ndim + 1, dim1, dim2)
    out = xp.zeros(embedded_shape(x, offset, first, second), dtype=x.dtype)
    diagonal.forward(xp, out, offset, first, second)[...] = x
    return out


def embedded_shape(x, offset, first, second):
    """The shape of zeros that have room for the last dim of ``x`` on a diagonal."""
    size = x.shape[-1] + abs(offset)
    shape = list(x.shape[:-1])
    for d in sorted((first, second)):
        shape.insert(d, size)
    return tuple(shape)

@diag_embed.onnx
def diag_embed_onnx(onnx, x, offset, dim1, dim2):
    first, second = plane(x.ndim + 1, dim1, dim2)
    zeros = onnx.zeros(embedded_shape(x, offset, first, second), x.dtype)
    return onnx.in_view(zeros, lambda whole: onnx.diagonal(whole, offset, first, second), x)


@diag_embed.vjp("x")
def diag_embed_dx(xp, g, offset, dim1, dim2):
    return xp.diagonal(g, offset, dim1, dim2)


@composite("linalg.diagonal", views=True, samples=["3 4", "2 3 4 ; offset=1", "2 3 4 ; dim1=0, dim2=1"])
def linalg_diagonal(fns, A, *, offset: int = 0, dim1=-2, dim2=-1):
    """A diagonal of each matrix: ``out[..., i] = A[..., i, i + offset]``, a view."""
    return fns.diagonal(A, offset, dim1, dim2)


@op("torch.diagonal_copy", linear=True, node="DiagonalBackward0_copy", batch="dims", ends_history_as="diagonal_copy",
    samples=["3 4", "2 3 4 ; offset=1, dim1=0, dim2=2"])
def diagonal_copy(xp, x, offset: int = 0, dim1=0, dim2=1):
    """:meth:`diagonal`, copied."""
    return xp.copy(diagonal.forward(xp, x, offset, dim1, dim2))

@diagonal_copy.vjp("x")
def diagonal_copy_dx(xp, g, x: Meta, offset, dim1, dim2):
    return xp._diagonal_backward(g, x.shape, offset, dim1, dim2)


@composite("diag", records_out=lambda input, diagonal=0: "diag_embed" if input.ndim == 1 else "diagonal_copy",
           samples=["3", "3 4", "3 4 ; diagonal=1", "2 ; diagonal=-1"],
           errors=[("2 2 2", RuntimeError, "diag(): Supports 1D or 2D tensors. Got 3D"),
                   ("", RuntimeError, "diag(): Supports 1D or 2D tensors. Got 0D")])
def diag(fns, input, diagonal: int = 0):
    """A vector as the diagonal of a matrix; of a matrix, a copy of its diagonal.

    >>> lw.diag(lw.tensor([1, 2]))
    tensor([[1, 0],
            [0, 2]])
    """
    if input.ndim == 1:
        return fns.diag_embed(input, diagonal)
    if input.ndim == 2:
        return fns.diagonal_copy(input, diagonal)
    raise RuntimeError(f"diag(): Supports 1D or 2D tensors. Got {input.ndim}D")


@composite("diagflat", samples=["3", "2 2 ; offset=1"])
def diagflat(fns, input, offset: int = 0):
    """All elements, in order, as the diagonal of a matrix."""
    return fns.diag_embed(fns.flatten(input), offset)


@op("torch._block_diag", variadic="tensors", dtype="promote", linear=True, samples=["[2 3, 3, ]", "[2 0, 1 2]"],
    reference=lambda torch, tensors: torch.block_diag(*tensors),
    errors=[("[2 2 2]", RuntimeError,
             "torch.block_diag: Input tensors must have 2 or fewer dimensions. Input 0 has 3 dimensions")])
def block_diag_(xp, tensors):
    """A matrix with ``tensors`` along its diagonal and zeros elsewhere."""
    for i, x in enumerate(tensors):
        if x.ndim > 2:
            raise RuntimeError("torch.block_diag: Input tensors must have 2 or fewer dimensions. "
                               f"Input {i} has {x.ndim} dimensions")
    blocks = [as_block(x.shape) for x in tensors]
    out = xp.zeros((sum([h for h, _ in blocks]), sum([w for _, w in blocks])), dtype=tensors[0].dtype)
    for x, position in zip(tensors, block_places(blocks), strict=True):
        out[position] = x
    return out

@block_diag_.vjp("tensors")
def block_diag_dtensors(g, tensors: Meta):
    places = block_places([as_block(x.shape) for x in tensors])
    return [g[position].reshape(x.shape) for x, position in zip(tensors, places, strict=True)]


def as_block(shape):
    """A number or a vector counts as one row."""
    return (1,) * (2 - len(shape)) + tuple(shape)


def block_places(blocks):
    """Where blocks of these shapes lie, one after the other down the diagonal."""
    places, top, left = [], 0, 0
    for height, width in blocks:
        places.append((slice(top, top + height), slice(left, left + width)))
        top, left = top + height, left + width
    return places


@composite("torch.block_diag", samples=["[2 3, 3, ]", "3"])
def block_diag(fns, *tensors):
    """A matrix with ``tensors`` along its diagonal and zeros elsewhere."""
    return fns._block_diag(listed(tensors))


# --- one part replaced -----------------------------------------------------------------------------------------------

def scatter_into_view(xp, x, src, part):
    """A copy of ``x`` with ``src`` in the place of the view that ``part`` takes of it."""
    out = xp.copy_with_gaps(x)
    view = part(out)
    if src.shape != view.shape:
        raise RuntimeError("expected src to have a size equal to the slice of self. src size = "
                           f"{list(src.shape)}, slice size = {list(view.shape)}")
    view[...] = xp.astype(src, x.dtype)
    return out


@op("select_scatter", linear=True, batch="dims", samples=["3 4 | 4 ; dim=0, index=1"],
    errors=[("3 4 | 3 ; dim=0, index=0", RuntimeError, "expected src to have a size equal to the slice of self. "
             "src size = [3], slice size = [4]")])
def select_scatter(xp, x, src, dim, index: int):
    """A copy of ``x`` with ``src`` in the place of ``x.select(dim, index)``.

    Args:
        index: the place along `dim`; a negative one counts from the end
    """
    return scatter_into_view(xp, x, src, lambda out: select.forward(xp, out, dim, index))

@select_scatter.onnx
def select_scatter_onnx(onnx, x, src, dim, index):
    return onnx.in_view(x, lambda whole: onnx.select(whole, dim, index), src)


@select_scatter.vjp("x")
def select_scatter_dx(xp, g, src: Meta, dim, index):
    return xp.select_scatter(g, xp.zeros(src.shape, dtype=g.dtype), dim, index)

@select_scatter.vjp("src")
def select_scatter_dsrc(xp, g, dim, index):
    return xp.select(g, dim, index)


@op("slice_scatter", linear=True, batch="dims", ends_history_as="slice_scatter",
    samples=["5 4 | 2 4 ; dim=0, start=1, end=3", "5 4 | 5 2 ; dim=1, step=2"],
    errors=[("3 4 | 3 ; dim=0, start=0, end=1", RuntimeError, "expected src to have a size equal to the slice of "
             "self. src size = [3], slice size = [1, 4]")])
def slice_scatter(xp, x, src, dim=0, start=None, end=None, step: int = 1):
    """A copy of ``x`` with ``src`` in the place of its slice ``start:end:step`` along ``dim``."""
    return scatter_into_view(xp, x, src, lambda out: slice_.forward(xp, out, dim, start, end, step))

@slice_scatter.onnx
def slice_scatter_onnx(onnx, x, src, dim, start, end, step):
    return onnx.in_view(x, lambda whole: onnx._slice(whole, dim, start, end, step), src)


@slice_scatter.vjp("x")
def slice_scatter_dx(xp, g, src: Meta, dim, start, end, step):
    return xp.slice_scatter(g, xp.zeros(src.shape, dtype=g.dtype), dim, start, end, step)

@slice_scatter.vjp("src")
def slice_scatter_dsrc(xp, g, dim, start, end, step):
    return xp._slice(g, dim, start, end, step)


@op("diagonal_scatter", linear=True, batch="dims", samples=["3 4 | 3", "3 4 | 3 ; offset=1"],
    errors=[("3 4 | 2", RuntimeError, "expected src to have a size equal to the slice of self. src size = [2], "
             "slice size = [3]")])
def diagonal_scatter(xp, x, src, offset: int = 0, dim1=0, dim2=1):
    """A copy of ``x`` with ``src`` on its diagonal."""
    return scatter_into_view(xp, x, src, lambda out: diagonal.forward(xp, out, offset, dim1, dim2))

@diagonal_scatter.onnx
def diagonal_scatter_onnx(onnx, x, src, offset, dim1, dim2):
    return onnx.in_view(x, lambda whole: onnx.diagonal(whole, offset, dim1, dim2), src)


@diagonal_scatter.vjp("x")
def diagonal_scatter_dx(xp, g, src: Meta, offset, dim1, dim2):
    return xp.diagonal_scatter(g, xp.zeros(src.shape, dtype=g.dtype), offset, dim1, dim2)

@diagonal_scatter.vjp("src")
def diagonal_scatter_dsrc(xp, g, offset, dim1, dim2):
    return xp.diagonal(g, offset, dim1, dim2)


# --- grids and combinations ------------------------------------------------------------------------------------------

@composite("torch.meshgrid", samples=["[3, 4]", "[3, 4, ] ; indexing='xy'"],
           reference=lambda torch, *tensors, indexing="ij": torch.meshgrid(*tensors, indexing=indexing),
           errors=[("[3, int5: 2]", RuntimeError, "meshgrid expects all tensors to have the same dtype"),
                   ("[3, 2] ; indexing='zz'", RuntimeError,
                    "torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: zz")])
def meshgrid(fns, *tensors, indexing=None) -> tuple:
    """Each vector repeated, without copying, over the grid of all: its values vary along a dim of its own.

    Args:
        indexing: `"ij"`: the first tensor goes down the rows. `"xy"`: along the columns. None: `"ij"`, with a warning

    >>> rows, columns = lw.meshgrid(lw.tensor([1, 2]), lw.tensor([3, 4, 5]), indexing="ij")
    >>> rows, columns
    (tensor([[1, 1, 1],
            [2, 2, 2]]), tensor([[3, 4, 5],
            [3, 4, 5]]))
    """
    tensors = listed(tensors)
    refuse_none(tensors, "meshgrid")
    if indexing is None:
        warn_once("torch.meshgrid: in an upcoming release, it will be required to pass the indexing argument.")
        indexing = "ij"
    for t in tensors:
        if t.ndim > 1:
            raise RuntimeError(f"torch.meshgrid: Expected 0D or 1D tensor in the tensor list but got: {t}")
        if t.dtype != tensors[0].dtype:
            raise RuntimeError("meshgrid expects all tensors to have the same dtype")
    if indexing not in ("ij", "xy"):
        raise RuntimeError(f"torch.meshgrid: indexing must be one of \"xy\" or \"ij\", but received: {indexing}")
    swap = indexing == "xy" and len(tensors) >= 2
    if swap:                                                # xy: the first vector runs along the columns
        tensors[:2] = tensors[1], tensors[0]
    shape = tuple([t.numel() for t in tensors])
    grids = [fns.expand(fns.view(t, (1,) * i + (-1,) + (1,) * (len(tensors) - 1 - i)), shape)
             for i, t in enumerate(tensors)]
    if swap:
        grids[:2] = grids[1], grids[0]
    return tuple(grids)


@composite("torch.cartesian_prod", samples=["3", "[3, 2]"],
           errors=[("2 2", RuntimeError, "Expect a 1D vector, but got shape [2, 2]")])
def cartesian_prod(fns, *tensors):
    """Every choice of one element from each vector, one row each."""
    tensors = listed(tensors)
    for t in tensors:
        if t.ndim != 1:
            raise RuntimeError(f"Expect a 1D vector, but got shape {list(t.shape)}")
    if len(tensors) == 1:
        return tensors[0]
    return fns.stack([fns.flatten(grid) for grid in fns.meshgrid(*tensors, indexing="ij")], 1)


@composite("combinations", samples=["4", "4 ; r=3", "3 ; r=2, with_replacement=True", "3 ; r=0"],
           errors=[("3 4", RuntimeError, "Expect a 1D vector, but got shape [3, 4]"),
                   ("2 ; r=-1", RuntimeError, "Expect a non-negative number, but got -1")])
def combinations(fns, input, r: int = 2, with_replacement=False):
    """Every choice of ``r`` elements of a vector, one row each.

    Args:
        r: how many are chosen
        with_replacement: True: an element can be chosen again
    """
    if input.ndim != 1:
        raise RuntimeError(f"Expect a 1D vector, but got shape {list(input.shape)}")
    if r < 0:
        raise RuntimeError(f"Expect a non-negative number, but got {r}")
    if r == 0:
        return fns.empty((0,), dtype=input.dtype)
    places = fns.meshgrid(*[fns.arange(input.shape[0])] * r, indexing="ij")
    follows = fns.le if with_replacement else fns.lt
    chosen = fns.full(tuple(places[0].shape), True)
    for one, next_one in zip(places, places[1:]):
        chosen = fns.logical_and(chosen, follows(one, next_one))
    return fns.stack([fns.masked_select(grid, chosen) for grid in fns.meshgrid(*[input] * r, indexing="ij")], 1)
