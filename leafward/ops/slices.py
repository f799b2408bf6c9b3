"""Parts of a tensor as views: rows, slices, diagonals, windows. And the way back: a gradient put in its place.

Args:
    start: where it begins
    length: how many
    dimension: the dim along which windows slide
    step: how far a window moves
    storage_offset: where the view begins in memory, in elements; None: where `input` does
    size: the shape of the view; of `unfold` the length of a window
    stride: for each dim how many elements apart its neighbours are
    input: the tensor that is viewed
"""

from leafward.core.op import Meta, composite, op

from leafward.ops import dims
from leafward.ops.dims import index as as_index


def at(dim, position):
    """The index that applies ``position`` along ``dim``; an array (not a scalar) comes out even when no dim is left."""
    return (slice(None),) * dim + (position, ...)


# --- one place, or a range of places, along one dim ------------------------------------------------------------------

@op("select", alias="x", linear=True,
    basic_index="int", batch="dims",
    samples=["3 4 ; dim=0, index=1", "3 4 ; dim=-1, index=-1", "2 3 4 ; dim=1, index=2", "3 ; dim=0, index=0"],
    errors=[("3 4 ; dim=0, index=3", IndexError,
             "select(): index 3 out of range for tensor of size [3, 4] at dimension 0"),
            ("3 4 ; dim=2, index=0", IndexError,
             "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
            (" ; dim=0, index=0", IndexError, "select() cannot be applied to a 0-dim tensor.")])
def select(xp, x, dim, index: int):
    """The part at ``index`` along ``dim``; that dim is gone.

    Args:
        index: the place along `dim`; a negative one counts from the end

    >>> lw.tensor([[1, 2], [3, 4]]).select(1, 0)
    tensor([1, 3])
    """
    if x.ndim == 0:
        raise IndexError("select() cannot be applied to a 0-dim tensor.")
    dim, index = dims.normalize(dim, x.ndim), as_index(index)
    if not -x.shape[dim] <= index < x.shape[dim]:
        raise IndexError(f"select(): index {index} out of range for tensor of size {list(x.shape)} at dimension {dim}")
    return x[at(dim, index)]

@select.vjp("x")
def select_dx(xp, g, x: Meta, dim, index):
    return xp._select_backward(g, x.shape, dim, index)


@op("torch._select_backward", linear=True, batch="dims", samples=["4 ; shape=(3, 4), dim=0, index=1"],
    reference=lambda torch, g, shape, dim, index: torch.select_scatter(torch.zeros(shape, dtype=g.dtype), g, dim, index))
def select_backward(xp, g, shape, dim, index):
    """Zeros of ``shape`` with ``g`` at ``index`` along ``dim``."""
    out = xp.zeros(shape, dtype=g.dtype)
    out[at(dims.normalize(dim, len(shape)), index)] = g
    return out

@select_backward.vjp("g")
def select_backward_dg(xp, g, dim, index):
    return xp.select(g, dim, index)


@op("Tensor._slice", alias="x", linear=True, node="SliceBackward0",
    basic_index="slice", batch="dims",
    samples=["5 3 ; dim=0, start=1, end=4", "5 3 ; dim=0, start=0, end=5, step=2", "3 5 ; dim=-1, start=-2",
             "5 ; dim=0, start=4, end=2"],
    errors=[("3 ; dim=0, step=0", RuntimeError, "slice step must be positive")],
    reference=lambda torch, x, *args, **kwargs: torch.ops.aten.slice.Tensor(x, *args, **kwargs))
def slice_(xp, x, dim=0, start=None, end=None, step=1):
    """The places ``start:end:step`` along ``dim``."""
    if x.ndim == 0:
        raise IndexError("slice() cannot be applied to a 0-dim tensor.")
    if step <= 0:
        raise RuntimeError("slice step must be positive")
    dim = dims.normalize(dim, x.ndim)
    start, end = dims.slice_bounds(start, end, x.shape[dim])
    return x[at(dim, slice(start, end, step))]

@slice_.onnx
def slice_onnx(onnx, x, dim, start, end, step):
    return onnx.indexed(x, at(dims.normalize(dim, x.ndim), slice(start, end, step)))


@slice_.vjp("x")
def slice_dx(xp, g, x: Meta, dim, start, end, step):
    return xp._slice_backward(g, x.shape, dim, start, end, step)


@op("torch._slice_backward", linear=True, batch="dims", samples=["3 4 ; shape=(5, 4), dim=0, start=1, end=4, step=1"],
    reference=lambda torch, g, shape, dim, start, end, step: torch.slice_scatter(
        torch.zeros(shape, dtype=g.dtype), g, dim, start, end, step))
def slice_backward(xp, g, shape, dim, start, end, step):
    """Zeros of ``shape`` with ``g`` at ``start:end:step`` along ``dim``."""
    out = xp.zeros(shape, dtype=g.dtype)
    dim = dims.normalize(dim, len(shape))
    start, end = dims.slice_bounds(start, end, shape[dim])
    out[at(dim, slice(start, end, step))] = g
    return out

@slice_backward.vjp("g")
def slice_backward_dg(xp, g, dim, start, end, step):
    return xp._slice(g, dim, start, end, step)


@composite("narrow", views=True, samples=["4 3 ; dim=0, start=1, length=2", "4 3 ; dim=0, start=-2, length=1"],
           errors=[("3 4 ; dim=0, start=2, length=2", RuntimeError,
                    "start (2) + length (2) exceeds dimension size (3)."),
                   ("3 4 ; dim=0, start=4, length=0", IndexError,
                    "start out of range (expected to be in range of [-3, 3], but got 4)"),
                   ("3 4 ; dim=0, start=0, length=-1", RuntimeError, "narrow(): length must be non-negative."),
                   (" ; dim=0, start=0, length=1", RuntimeError, "narrow() cannot be applied to a 0-dim tensor.")])
def narrow(fns, input, dim, start, length: int):
    """The ``length`` places from ``start`` on along ``dim``.

    >>> lw.arange(5).narrow(0, 1, 3)
    tensor([1, 2, 3])
    """
    if input.ndim == 0:
        raise RuntimeError("narrow() cannot be applied to a 0-dim tensor.")
    if getattr(start, "ndim", 0) or (hasattr(start, "dtype") and start.dtype.name == "bool"):
        raise RuntimeError("start must be an 0-dim integral Tensor.")
    start, length = as_index(start), as_index(length)
    if length < 0:
        raise RuntimeError("narrow(): length must be non-negative.")
    dim = dims.normalize(dim, input.ndim)
    size = input.shape[dim]
    if not -size <= start <= size:
        raise IndexError(f"start out of range (expected to be in range of [-{size}, {size}], but got {start})")
    if start < 0:
        start += size
    if start + length > size:
        raise RuntimeError(f"start ({start}) + length ({length}) exceeds dimension size ({size}).")
    return fns._slice(input, dim, start, start + length)


@composite("Tensor.fill_diagonal_", samples=["3 4 ; fill_value=2.5", "7 2 ; fill_value=1",
                                             "2 2 2 ; fill_value=-1."],
           errors=[("3 ; fill_value=1", RuntimeError, "dimensions must larger than 1"),
                   ("2 2 3 ; fill_value=1", RuntimeError, "all dimensions of input must be of equal length")])
def fill_diagonal_(fns, input, fill_value, wrap=False):
    """Write ``fill_value`` where all indices are equal.

    Args:
        input: the tensor to write into: a matrix, or more dims of one size
        fill_value: the number to write
        wrap: True: in a tall matrix the diagonal starts anew, one row below its end

    >>> lw.zeros(2, 3).fill_diagonal_(5)
    tensor([[5., 0., 0.],
            [0., 5., 0.]])
    """
    if input.ndim < 2:
        raise RuntimeError("dimensions must larger than 1")
    if input.ndim > 2 and len(set(input.shape)) > 1:
        raise RuntimeError("all dimensions of input must be of equal length")
    if input.ndim > 2:
        diagonal_of = input
        for _ in range(input.ndim - 1):                     # the last dim of each step is the diagonal so far
            diagonal_of = fns.diagonal(diagonal_of, 0, 0, -1)
        diagonal_of.fill_(fill_value)
        return input
    rows, columns = input.shape
    for first in range(0, max(rows, 1) if wrap else 1, columns + 1):       # of nothing, too, it is a write
        fns.diagonal(input[first:] if first else input).fill_(fill_value)
    return input



# --- diagonals and windows -------------------------------------------------------------------------------------------

def plane(ndim, dim1, dim2):
    """Two different dims, counted from the front."""
    first, second = dims.normalize(dim1, ndim), dims.normalize(dim2, ndim)
    if first == second:
        raise RuntimeError(f"diagonal dimensions cannot be identical {dim1}, {dim2}")
    return first, second


@op("diagonal", alias="x", linear=True,
    batch="dims", samples=["3 4", "3 4 ; offset=1", "3 4 ; offset=-2", "3 4 ; offset=4", "2 3 4 ; offset=0, dim1=-1, dim2=0"],
    errors=[("3 4 ; dim1=0, dim2=0", RuntimeError, "diagonal dimensions cannot be identical 0, 0"),
            ("3 4 ; dim1=0, dim2=2", IndexError,
             "Dimension out of range (expected to be in range of [-2, 1], but got 2)")])
def diagonal(xp, x, offset: int = 0, dim1=0, dim2=1):
    """The elements whose place along ``dim2`` is ``offset`` further than along ``dim1``, as the last dim.

    >>> lw.diagonal(lw.tensor([[1, 2], [3, 4]]))
    tensor([1, 4])
    """
    dim1, dim2 = plane(x.ndim, dim1, dim2)
    shape, strides = x.shape, xp.strides_of(x)
    down, right = (0, offset) if offset >= 0 else (-offset, 0)
    length = max(min(shape[dim1] - down, shape[dim2] - right), 0)
    start = down * strides[dim1] + right * strides[dim2] if length else 0
    others = [d for d in range(x.ndim) if d not in (dim1, dim2)]
    return xp.strided(x, (*[shape[d] for d in others], length),
                      (*[strides[d] for d in others], strides[dim1] + strides[dim2]), start)

@diagonal.vjp("x")
def diagonal_dx(xp, g, x: Meta, offset, dim1, dim2):
    return xp._diagonal_backward(g, x.shape, offset, dim1, dim2)


@op("torch._diagonal_backward", linear=True, batch="dims", samples=["3 ; shape=(3, 4), offset=1, dim1=0, dim2=1"],
    reference=lambda torch, g, shape, offset, dim1, dim2: torch.diagonal_scatter(
        torch.zeros(shape, dtype=g.dtype), g, offset, dim1, dim2))
def diagonal_backward(xp, g, shape, offset: int, dim1, dim2):
    """Zeros of ``shape`` with ``g`` on a diagonal."""
    out = xp.zeros(shape, dtype=g.dtype)
    diagonal.forward(xp, out, offset, dim1, dim2)[...] = g
    return out

@diagonal_backward.vjp("g")
def diagonal_backward_dg(xp, g, offset, dim1, dim2):
    return xp.diagonal(g, offset, dim1, dim2)


@op("Tensor.unfold", alias="x", linear=True, repeats=True,
    samples=["5 3 ; dimension=0, size=2, step=1", "2 7 ; dimension=-1, size=3, step=2", " ; dimension=0, size=1, step=1"],
    errors=[("3 4 ; dimension=0, size=4, step=1", RuntimeError, "maximum size for tensor at dimension 0 is 3 but size is 4"),
            ("3 4 ; dimension=0, size=-1, step=1", RuntimeError, "size is -1 but must be >= 0"),
            ("3 4 ; dimension=0, size=2, step=0", RuntimeError, "step is 0 but must be > 0")])
def unfold(xp, x, dimension: int, size: int, step: int):
    """All windows of ``size`` neighbours along ``dimension``, ``step`` apart; a window's elements are the last dim.

    >>> lw.arange(5).unfold(0, 3, 1)
    tensor([[0, 1, 2],
            [1, 2, 3],
            [2, 3, 4]])
    """
    dim = dims.normalize(dimension, x.ndim)
    shape, strides = (x.shape, xp.strides_of(x)) if x.ndim else ((1,), (1,))
    if size < 0:
        raise RuntimeError(f"size is {size} but must be >= 0")
    if size > shape[dim]:
        raise RuntimeError(f"maximum size for tensor at dimension {dim} is {shape[dim]} but size is {size}")
    if step <= 0:
        raise RuntimeError(f"step is {step} but must be > 0")
    if x.ndim == 0:
        return xp.strided(x, (size,), (1,))
    windows = (shape[dim] - size) // step + 1
    if strides[dim] * step * x.itemsize >= 2**63:
        step = 1            # there is one window: nobody takes the step, and it would lead beyond all addresses
    return xp.strided(x, (*shape[:dim], windows, *shape[dim + 1:], size),
                      (*strides[:dim], strides[dim] * step, *strides[dim + 1:], strides[dim]))

@unfold.vjp("x")
def unfold_dx(xp, g, x: Meta, dimension, size, step):
    return xp._unfold_backward(g, x.shape, dimension, size, step)


@unfold.batch
def unfold_batch(fns, call):
    return None if call.rank(0) == 0 else call.along_dims()


@op("torch._unfold_backward", linear=True, samples=["4 3 2 ; shape=(5, 3), dimension=0, size=2, step=1"],
    reference=lambda torch, g, shape, dimension, size, step: torch.ops.aten.unfold_backward(g, shape, dimension, size, step))
def unfold_backward(xp, g, shape, dimension: int, size, step):
    """Each window's gradient added to the places that the window shows."""
    total = xp.widened(xp.zeros(shape, dtype=g.dtype))              # in float32 for half types, rounded once
    if not g.size or not total.size:
        return xp.astype(total, g.dtype)
    if not shape:
        return xp.copy(g).reshape(shape)
    dim = dims.normalize(dimension, len(shape))
    before, windows = [slice(None)] * dim, g.shape[dim]
    if windows < size:
        for number in range(windows):
            total[(*before, slice(number * step, number * step + size))] += xp.moveaxis(g[(*before, number)], -1, dim)
    else:
        for within in range(size):                              # the window: no two windows have this element in common
            total[(*before, slice(within, within + step * (windows - 1) + 1, step))] += g[..., within]
    return xp.astype(total, g.dtype)


@unfold_backward.vjp("g")
def unfold_backward_dg(xp, g, dimension, size, step):
    return xp.unfold(g, dimension, size, step)


@unfold_backward.batch
def unfold_backward_batch(fns, call):
    return call.along_dims() if call.option("shape") else None


def no_places(fns, call):
    raise RuntimeError("vmap: as_strided names places in memory, which each example has in common with the others. Use the "
                       "views that it stands for: select, narrow, transpose, unfold.")


@op("torch._as_strided", alias="x", linear=True, node="AsStridedBackward0", repeats=True,
    batch=no_places, samples=["12 ; size=(3, 2), stride=(4, 1), offset=1, own=(1,)"])
def as_strided_view(xp, x, size, stride, offset: int, own):
    """The memory of ``x`` from ``offset`` elements after its start, with any sizes and strides.

    ``own`` are the strides of ``x``, which the derivative needs to find its elements in that memory.
    """
    return xp.strided(x, size, stride, offset)

@as_strided_view.vjp("x")
def as_strided_dx(xp, g, x: Meta, size, stride, offset, own):
    return xp._move_strided(g, size, stride, offset, x.shape, own, 0)


@op("torch._move_strided", linear=True,
    batch=no_places, samples=["3 2 ; size=(3, 2), stride=(4, 1), offset=1, new_size=(12,), new_stride=(1,), new_offset=0"],
    reference=lambda torch, g, size, stride, offset, new_size, new_stride, new_offset: torch.as_strided_scatter(
        torch.zeros(new_size, dtype=g.dtype), g, size, stride, offset))
def move_strided(xp, g, size, stride, offset: int, new_size, new_stride, new_offset):
    """Add ``g`` into zeroed memory through one set of sizes and strides, and read it through another."""
    first = min(offset, new_offset)
    offset, new_offset = offset - first, new_offset - first
    length = max(offset + xp.spans(size, stride), new_offset + xp.spans(new_size, new_stride))
    places = xp.strided(xp.arange(length), size, stride, offset)
    memory = xp.add_at(xp.zeros((length,), dtype=g.dtype), places, g)
    return xp.copy(xp.strided(memory, new_size, new_stride, new_offset))

@move_strided.vjp("g")
def move_strided_dg(xp, g, size, stride, offset, new_size, new_stride, new_offset):
    return xp._move_strided(g, new_size, new_stride, new_offset, size, stride, offset)


@composite("as_strided", views="storage",
           samples=["12 ; size=(3, 2), stride=(4, 1)", "3 4 ; size=(2, 2), stride=(1, 2), storage_offset=1"],
           errors=[("3 4 ; size=(2, 2), stride=(1,)", RuntimeError, "mismatch in length of strides and shape"),
                   ("3 4 ; size=(2, 2), stride=(-1, 1)", RuntimeError, "as_strided: Negative strides are not "
                    "supported at the moment, got strides: [-1, 1]"),
                   ("3 4 ; size=(2, 2), stride=(1, 1), storage_offset=-1", RuntimeError,
                    "Tensor: invalid storage offset -1"),
                   ("3 4 ; size=(20, 20), stride=(1, 1)", RuntimeError, "setStorage: sizes [20, 20], strides [1, 1], "
                    "storage offset 0, and itemsize 4 requiring a storage size of 156 are out of bounds for storage "
                    "of size 48")])
def as_strided(fns, input, size: tuple, stride: tuple, storage_offset: int = None):
    """The storage of ``input`` from ``storage_offset`` on, seen with any sizes and strides."""
    size, stride = dims.as_sizes(size), dims.as_sizes(stride)
    own_offset = input.storage_offset()
    offset = own_offset if storage_offset is None else as_index(storage_offset)
    if any(n < 0 for n in stride):
        raise RuntimeError(
            f"as_strided: Negative strides are not supported at the moment, got strides: {list(stride)}")
    dims.refuse_outside(size, stride, offset, input.element_size(), input.untyped_storage().nbytes())
    return fns._as_strided(input, size, stride, offset - own_offset, tuple(input.stride()))
