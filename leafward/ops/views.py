"""The same memory under another shape. Every op here returns a view whose strides are PyTorch's.

Args:
    sizes: the new sizes; one may be -1 and follows from the others
    shape: the new shape, as one sequence
    start_dim: the first dim to join
    end_dim: the last dim to join
    size: the shape of the view; one may be -1 and follows from the others
    input: the tensor that is viewed
    dtype: read the memory as this dtype, in place of `size`; None: as it is
    tensors: one tensor, or several
"""
from math import gcd

from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops import dims
from leafward.ops.dims import index as as_index

INCOMPATIBLE = ("view size is not compatible with input tensor's size and stride (at least one dimension spans across "
                "two contiguous subspaces). Use .reshape(...) instead.")


# --- view, reshape ---------------------------------------------------------------------------------------------------

def sizes(given):
    """Sizes as a user gave them: one after the other, or in a tuple."""
    return tuple(given[0]) if len(given) == 1 and isinstance(given[0], (tuple, list)) else tuple(given)


def to_shape(fns, call):
    """Of a batch: each example in the shape that the first option names."""
    shape = call.option(call.op.options[0])
    return None if shape is None else call.front(0).reshape(call.size, *sizes(shape))      # None: view(dtype)


@op("Tensor.view", alias="x", linear=True, varargs="size", kernel="view", retypes=True,
    batch=to_shape,
    samples=["3 4 ; size=(12,)", "3 4 ; size=(2, -1)", "3 4 ; size=(3, 1, 4, 1)", " ; size=(1, 1)", "1 ; size=()",
             "0 3 ; size=(3, 0, 2)"],
    errors=[("3 4 ; size=(5,)", RuntimeError, "shape '[5]' is invalid for input of size 12"),
            ("3 4 ; size=(-1, -1)", RuntimeError, "only one dimension can be inferred"),
            ("3 4 ; size=(-2, 6)", RuntimeError, "invalid shape dimension -2 at index 0 of shape [-2, 6]"),
            ("0 ; size=(-1, 0)", RuntimeError, "cannot reshape tensor of 0 elements into shape [-1, 0]")])
def view(xp, x, size=None, dtype=None):
    """The same memory under another ``size``, or with its bytes read as another ``dtype``.

    The result shares memory with ``input``: what is written to one is seen in the other. Where the strides do not allow that,
    ``reshape`` copies.

    >>> x = lw.arange(6)
    >>> x.view(2, 3), x.view(3, -1).shape
    (tensor([[0, 1, 2],
            [3, 4, 5]]), torch.Size([3, 2]))
    """
    if dtype is not None or not isinstance(size, tuple):
        if dtype is not None or isinstance(size, dtypes.dtype):
            return view_bytes(xp, x, size if dtype is None else dtype)
        if size is None:
            raise TypeError("view() received an invalid combination of arguments - got (), but expected one of:\n"
                            " * (torch.dtype dtype)\n * (tuple of ints size)")
    shape = dims.infer_shape(size, x.size)
    if x.size and shape and x.ndim and x.shape[-1] != 1 and x.flags.c_contiguous:
        return x.reshape(shape)
    strides = dims.view_strides(x.shape, xp.strides_of(x), shape)
    if strides is None:
        raise RuntimeError(INCOMPATIBLE)
    return xp.strided(x, shape, strides)

@view.onnx
def view_onnx(onnx, x, size, dtype):
    if dtype is not None or not isinstance(size, (tuple, list)):
        return None
    return onnx.reshape(x, dims.as_sizes(size))


@view.vjp("x")
def view_dx(g, x: Meta, size, dtype):
    if dtype is not None or isinstance(size, dtypes.dtype):
        return None                                         # bytes read as another type have no derivative
    return g.reshape(x.shape)


def view_bytes(xp, x, dtype):
    """The bytes of ``x`` as ``dtype``; where the sizes differ, the last dim shrinks or grows."""
    target = xp.numpy_dtype(dtype)
    was, now = x.itemsize, target.itemsize
    if was != now:
        # The sentences name dtypes as `Float`, not `torch.float32`.
        pair = f"{dtypes.scalar_name(xp.dtype_of(x))} as {dtypes.scalar_name(dtype)} (different element sizes)"
        if x.ndim == 0:
            raise RuntimeError(f"self.dim() cannot be 0 to view {pair}")
        ratio = max(was, now) // gcd(was, now)
        if now > was and x.shape[-1] % ratio:
            raise RuntimeError(f"self.size(-1) must be divisible by {ratio} to view {pair}, but got {x.shape[-1]}")
        *outer, step = xp.strides_of(x)
        if x.size == 0:
            return xp.empty((*x.shape[:-1], x.shape[-1] * was // now), dtype=dtype)
        if step != 1:
            raise RuntimeError(f"self.stride(-1) must be 1 to view {pair}, but got {step}")
        if now > was:
            if (offset := xp.offset_of(x)) % ratio:
                raise RuntimeError(f"self.storage_offset() must be divisible by {ratio} to view {pair}, but got {offset}")
            for d, stride in enumerate(outer):
                if stride % ratio:
                    raise RuntimeError(f"self.stride({d}) must be divisible by {ratio} to view {pair}, but got {stride}")
    return x.view(target)


@op("torch._reshape_alias", alias="x", linear=True, node="ReshapeAliasBackward0",
    batch=to_shape, samples=["3 4 ; shape=(3, 2, 2)"], reference=lambda torch, x, shape: torch.reshape(x, shape))
def reshape_alias(xp, x, shape):
    """What ``reshape`` returns for a tensor that is not contiguous and still needs no copy."""
    return xp.strided(x, shape, dims.view_strides(x.shape, xp.strides_of(x), shape))

@reshape_alias.onnx
def reshape_alias_onnx(onnx, x, shape):
    return onnx.reshape(x, shape)


@reshape_alias.vjp("x")
def reshape_alias_dx(g, x: Meta):
    return g.reshape(x.shape)


@op("torch._unsafe_view", linear=True, batch=to_shape, samples=["3 4 ; shape=(2, 6)"],
    reference=lambda torch, x, shape: torch.reshape(x.clone(), shape))
def unsafe_view(xp, x, shape):
    """What ``reshape`` returns where only a copy can have that shape."""
    return x.reshape(shape)

@unsafe_view.vjp("x")
def unsafe_view_dx(g, x: Meta):
    return g.reshape(x.shape)


@composite("reshape", views=True, samples=["3 4 ; shape=(12,)", "3 4 ; shape=(2, -1)", "0 3 ; shape=(-1,)"],
           errors=[("3 4 ; shape=(5,)", RuntimeError, "shape '[5]' is invalid for input of size 12")])
def reshape(fns, input, *sizes, shape=None):
    """Another ``shape``: a view where the strides allow one, else a copy.

    One size may be -1: it is what the number of elements leaves.

    >>> lw.arange(6).reshape(2, 3).t().reshape(-1)
    tensor([0, 3, 1, 4, 2, 5])
    """
    shape = sizes if shape is None else shape
    if input.is_contiguous():
        return fns.view(input, shape)
    shape = dims.infer_shape(shape, input.numel())
    if dims.view_strides(tuple(input.shape), input.stride(), shape) is None:
        return fns._unsafe_view(input, shape)
    return fns._reshape_alias(input, shape)


@composite("Tensor.reshape_as", views="shapes", samples=["3 4 | 2 6"])
def reshape_as(fns, input, other):
    """``input`` in the shape of ``other``."""
    return fns.reshape(input, other.shape)


@composite("Tensor.view_as", views="shapes", samples=["3 4 | 2 6"])
def view_as(fns, input, other):
    """A view of ``input`` in the shape of ``other``."""
    return fns.view(input, tuple(other.shape))


@composite("flatten", views=True, samples=["2 3 4", "2 3 4 ; start_dim=1", "2 3 4 ; start_dim=0, end_dim=1", "", "3"],
           errors=[("2 3 ; start_dim=1, end_dim=0", RuntimeError,
                    "flatten() has invalid args: start_dim cannot come after end_dim"),
                   ("2 3 ; end_dim=5", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 5)")])
def flatten(fns, input, start_dim: int = 0, end_dim: int = -1):
    """The dims from ``start_dim`` to ``end_dim`` (included) run together into one.

    A view where the strides allow one, else a copy.

    >>> lw.zeros(2, 3, 4).flatten(start_dim=1).shape
    torch.Size([2, 12])
    """
    ndim = input.ndim
    start, end = dims.normalize(start_dim, ndim), dims.normalize(end_dim, ndim)
    if start > end:
        raise RuntimeError("flatten() has invalid args: start_dim cannot come after end_dim")
    if ndim == 0:
        return fns.reshape(input, (1,))
    if start == end:
        return input
    shape = tuple(input.shape)
    return fns.reshape(input, (*shape[:start], dims.count(shape[start:end + 1]), *shape[end + 1:]))


@composite("ravel", views=True, samples=["2 3", "", "0"])
def ravel(fns, input):
    """All elements in one dim."""
    return fns.view(fns.contiguous(input), (-1,))


@composite("unflatten", views=True, samples=["2 12 ; dim=1, sizes=(3, 4)", "2 12 ; dim=-1, sizes=(3, -1)"],
           errors=[("2 4 ; dim=1, sizes=(2, 3)", RuntimeError, "unflatten: Provided sizes [2, 3] don't multiply up to "
                    "the size of dim 1 (4) in the input tensor"),
                   ("2 4 ; dim=1, sizes=()", RuntimeError, "unflatten: sizes must be non-empty")])
def unflatten(fns, input, dim, sizes: tuple):
    """The dim ``dim`` cut into several of these ``sizes``.

    Args:
        dim: the dim to cut up
        sizes: what it becomes; one may be -1
    """
    dim = dims.normalize(dim, input.ndim)
    sizes = dims.as_sizes(sizes)
    if not input.ndim:
        raise RuntimeError("unflatten got an unexpected error:\na 0-dim tensor has no dim to cut")
    if not sizes:
        raise RuntimeError("unflatten: sizes must be non-empty")
    size = input.shape[dim]
    try:
        inferred = dims.infer_shape(sizes, size)
    except RuntimeError:
        raise RuntimeError(f"unflatten: Provided sizes {list(sizes)} don't multiply up to the size of dim {dim} "
                           f"({size}) in the input tensor") from None
    return fns.view(input, (*input.shape[:dim], *inferred, *input.shape[dim + 1:]))


# --- dims of size one ------------------------------------------------------------------------------------------------

def squeeze_node(options):
    dim = options["dim"]
    if dim is None:
        return "SqueezeBackward0"
    return "SqueezeBackward2" if isinstance(dim, (tuple, list)) and len(dim) != 1 else "SqueezeBackward1"

@op("squeeze", alias="x", linear=True, varargs="dim", node=squeeze_node,
    samples=["3 1 4 1", "3 1 ; dim=1", "3 1 ; dim=0", "1 3 1 ; dim=(0, -1)", "", " ; dim=0"],
    errors=[("3 4 ; dim=2", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
            ("3 1 ; dim=(1, 1)", RuntimeError, "dim 1 appears multiple times in the list of dims")])
def squeeze(xp, x, dim=None):
    """Drop the dims of size one: all of them, or those named.

    A dim of another size stays, even if it is named.

    Args:
        dim: the dims to drop, where they are of size one; None: all such

    >>> lw.zeros(1, 3, 1).squeeze().shape, lw.zeros(1, 3, 1).squeeze(0).shape
    (torch.Size([3]), torch.Size([3, 1]))
    """
    if dim is None:
        wanted = range(x.ndim)
    else:
        wanted = dims.normalize_all(dims.as_sizes(dim), x.ndim)
    return x[tuple([0 if n == 1 and d in wanted else slice(None) for d, n in enumerate(x.shape)]) + (...,)]

@squeeze.onnx
def squeeze_onnx(onnx, x, dim):
    wanted = range(x.ndim) if dim is None else dims.normalize_all(dims.as_sizes(dim), x.ndim) if x.ndim else ()
    return onnx.squeeze(x, tuple([d for d in wanted if x.shape[d] == 1]))


@squeeze.vjp("x")
def squeeze_dx(g, x: Meta):
    return g.reshape(x.shape)


@squeeze.batch
def squeeze_batch(fns, call):
    x, dim = call.front(0), call.option("dim")
    rank = call.rank(0)
    dims = range(rank) if dim is None else dim if isinstance(dim, (tuple, list)) else (dim,)
    places = tuple([p for p in (call.shift(d, max(rank, 1)) for d in dims) if p < x.ndim])
    return fns.squeeze(x, places) if places else fns.alias(x)


@op("unsqueeze", alias="x", linear=True, basic_index="None", batch="new dim",
    samples=["3 4 ; dim=0", "3 4 ; dim=-1", "3 4 ; dim=1", " ; dim=0"],
    errors=[("3 4 ; dim=3", IndexError, "Dimension out of range (expected to be in range of [-3, 2], but got 3)")])
def unsqueeze(xp, x, dim):
    """Insert a dim of size one at ``dim``.

    Args:
        dim: where the new dim is to be

    >>> lw.zeros(3).unsqueeze(0).shape, lw.zeros(3).unsqueeze(-1).shape
    (torch.Size([1, 3]), torch.Size([3, 1]))
    """
    shape, strides = x.shape, xp.strides_of(x)
    dim = dims.normalize(as_index(dim), x.ndim + 1)
    step = shape[dim] * strides[dim] if dim < x.ndim else 1
    return xp.strided(x, (*shape[:dim], 1, *shape[dim:]), (*strides[:dim], step, *strides[dim:]))

@unsqueeze.onnx
def unsqueeze_onnx(onnx, x, dim):
    return onnx.expand_dims(x, dims.normalize(as_index(dim), x.ndim + 1))


@unsqueeze.vjp("x")
def unsqueeze_dx(g, x: Meta):
    return g.reshape(x.shape)


@op("Tensor.expand", alias="x", linear=True, varargs="size", repeats=True,
    samples=["3 1 ; size=(3, 4)", "3 1 ; size=(2, -1, 4)", " ; size=(2, 3)", "1 4 ; size=(0, 4)", "3 ; size=(1, 3)"],
    errors=[("3 4 ; size=(2, 4)", RuntimeError, "The expanded size of the tensor (2) must match the existing size (3) "
             "at non-singleton dimension 0.  Target sizes: [2, 4].  Tensor sizes: [3, 4]"),
            ("3 4 ; size=(-1, 3, 4)", RuntimeError,
             "The expanded size of the tensor (-1) isn't allowed in a leading, non-existing dimension 0"),
            ("3 4 ; size=(4,)", RuntimeError, "the number of sizes provided (1) must be greater or equal to the number "
             "of dimensions in the tensor (2)")])
def expand(xp, x, size, implicit: bool = False):
    """Repeat dims of size one, and new leading dims, without copying: their stride is 0.

    A size of -1 stays as it is. Writing to the result writes the one element that several places share.

    >>> lw.tensor([[1], [2]]).expand(2, 3)
    tensor([[1, 1, 1],
            [2, 2, 2]])

    Args:
        implicit: without effect: PyTorch's tracer marks its own calls with it
    """
    size = dims.as_sizes(size)
    if len(size) < x.ndim:
        raise RuntimeError(
            f"expand({dtypes.type_name(xp.dtype_of(x))}{{{list(x.shape)}}}, size={list(size)}): the number of sizes provided "
            f"({len(size)}) must be greater or equal to the number of dimensions in the tensor ({x.ndim})")
    return xp.strided(x, *dims.expanded(x.shape, xp.strides_of(x), size))

@expand.onnx
def expand_onnx(onnx, x, size, implicit):
    size = dims.as_sizes(size)
    new = len(size) - x.ndim
    return onnx.broadcast_to(x, tuple([x.shape[d - new] if n == -1 else n for d, n in enumerate(size)]))


@expand.vjp("x")
def expand_dx(g):
    return g                                                # the engine sums over what was repeated


@expand.batch
def expand_batch(fns, call):
    size = sizes(call.option("size"))
    return call.aligned(0, len(size)).expand(call.size, *size)


@composite("Tensor.expand_as", views="shapes", samples=["3 1 | 2 3 4"])
def expand_as(fns, input, other):
    """``input`` repeated, without copying, to the shape of ``other``."""
    return fns.expand(input, tuple(other.shape))


@composite("broadcast_to", views=True, samples=["3 1 ; size=(2, 3, 4)", " ; size=(2,)"])
def broadcast_to(fns, input, size):
    """``input`` repeated, without copying, to ``size``."""
    return fns.expand(input, tuple(size))


@composite("torch.broadcast_tensors", samples=["[3 1, 4]", "[2 3, 3, ]"],
           errors=[("[3 4, 3]", RuntimeError, "The size of tensor a (4) must match the size of tensor b (3) at "
                    "non-singleton dimension 1")])
def broadcast_tensors(fns, *tensors) -> tuple:
    """All ``tensors`` repeated, without copying, to their common shape."""
    tensors = listed(tensors)
    shape = dims.broadcast(*[tuple(t.shape) for t in tensors])
    return tuple([t if tuple(t.shape) == shape else fns.expand(t, shape) for t in tensors])


def listed(tensors):
    """Tensors given one by one, or as one list."""
    if len(tensors) == 1 and isinstance(tensors[0], (list, tuple)):
        return list(tensors[0])
    return list(tensors)


def at_least(fns, tensors, widen):
    if len(tensors) == 1 and not isinstance(tensors[0], (list, tuple)):
        return widen(tensors[0])
    return tuple([widen(t) for t in listed(tensors)])


@composite("torch.atleast_1d", views=True, samples=["", "3", "2 3"])
def atleast_1d(fns, *tensors):
    """A 0-dim tensor as one element; anything else as it is."""
    return at_least(fns, tensors, lambda t: fns.reshape(t, (1,)) if t.ndim == 0 else t)


@composite("torch.atleast_2d", views=True, samples=["", "3", "2 3"])
def atleast_2d(fns, *tensors):
    """A vector as one row; anything of two or more dims as it is."""
    return at_least(fns, tensors, lambda t: t if t.ndim > 1 else
                    fns.unsqueeze(t, 0) if t.ndim else fns.reshape(t, (1, 1)))


@composite("torch.atleast_3d", views=True, samples=["", "3", "2 3", "2 3 4"])
def atleast_3d(fns, *tensors):
    """A vector as ``1 n 1``, a matrix as ``n m 1``; anything of three or more dims as it is."""
    def widen(t):
        if t.ndim == 0:
            return fns.reshape(t, (1, 1, 1))
        if t.ndim == 1:
            return fns.unsqueeze(fns.unsqueeze(t, 0), -1)
        return fns.unsqueeze(t, -1) if t.ndim == 2 else t
    return at_least(fns, tensors, widen)
