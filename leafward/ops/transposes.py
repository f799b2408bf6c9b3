"""The order of dims: transpose, permute, movedim and adjoint, all views.

Args:
    destination: where each of `source` goes
    source: the dims to move
    input: the tensor that is viewed
    dims: the dims in their new order
"""
from leafward.core.op import composite, op
from leafward.errors import warn

from leafward.ops import dims
from leafward.ops.views import sizes


@op("transpose", "swapdims", alias="x", linear=True,
    batch="dims", samples=["3 4 ; dim0=0, dim1=1", "2 3 4 ; dim0=-1, dim1=0", " ; dim0=0, dim1=-1"],
    errors=[("3 4 ; dim0=0, dim1=2", IndexError,
             "Dimension out of range (expected to be in range of [-2, 1], but got 2)")])
def transpose(xp, x, dim0, dim1):
    """Exchange two dims.

    Nothing is copied: two strides change places.

    >>> lw.zeros(2, 3, 4).transpose(1, 2).shape
    torch.Size([2, 4, 3])
    """
    ndim = x.ndim
    dim0, dim1 = dims.normalize(dim0, ndim), dims.normalize(dim1, ndim)
    return x.swapaxes(dim0, dim1) if ndim else x[...]

@transpose.vjp("x")
def transpose_dx(xp, g, dim0, dim1):
    return xp.transpose(g, dim0, dim1)


@composite("swapaxes", views=True, samples=["3 4 ; axis0=0, axis1=1"])
def swapaxes(fns, input, axis0, axis1):
    """Exchange two dims."""
    return fns.transpose(input, axis0, axis1)


@op("t", alias="x", linear=True, node="TBackward0", samples=["3 4", "3", ""],
    errors=[("2 2 2", RuntimeError, "t() expects a tensor with <= 2 dimensions, but self is 3D")])
def t(xp, x):
    """The transpose of a matrix; a vector or a number stays as it is.

    >>> lw.tensor([[1, 2, 3]]).t().shape
    torch.Size([3, 1])
    """
    if x.ndim > 2:
        raise RuntimeError(f"t() expects a tensor with <= 2 dimensions, but self is {x.ndim}D")
    return x.T if x.ndim == 2 else x[...]

@t.vjp("x")
def t_dx(xp, g):
    return xp.permute_dims(g, (1, 0)) if g.ndim == 2 else g


@t.batch
def t_batch(fns, call):
    x = call.front(0)
    return x.transpose(1, 2) if x.ndim == 3 else fns.alias(x)


@op("permute", alias="x", linear=True, varargs="dims",
    samples=["2 3 4 ; dims=(2, 0, 1)", "2 3 ; dims=(-1, 0)", " ; dims=()"],
    errors=[("3 4 ; dims=(0,)", RuntimeError, "number of dimensions in the tensor input does not match the length of "
             "the desired ordering of dimensions i.e. input.dim() = 2 is not equal to len(dims) = 1"),
            ("3 4 ; dims=(0, 0)", RuntimeError, "permute(): duplicate dims are not allowed."),
            ("3 4 ; dims=(0, 2)", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)")])
def permute(xp, x, dims):
    """The dims in another order: dim ``i`` of the result is dim ``dims[i]`` of ``x``.

    Nothing is copied: the strides change places.

    >>> lw.zeros(2, 3, 4).permute(2, 0, 1).shape
    torch.Size([4, 2, 3])
    """
    order = order_of(dims, x.ndim)
    return x.transpose(order) if order else x[...]

@permute.vjp("x")
def permute_dx(xp, g, dims):
    if not g.ndim:
        return g
    order = order_of(dims, g.ndim)
    back = [0] * len(order)
    for new, old in enumerate(order):
        back[old] = new
    return xp.permute_dims(g, tuple(back))


@permute.batch
def permute_batch(fns, call):
    return call.front(0).permute((0, *call.shift(sizes(call.option("dims")), call.rank(0))))


def order_of(wanted, ndim):
    """The permutation ``wanted``, counted from the front."""
    wanted = dims.as_sizes(wanted)
    if len(wanted) != ndim:
        raise RuntimeError(
            "permute(sparse_coo): number of dimensions in the tensor input does not match the length of the desired "
            f"ordering of dimensions i.e. input.dim() = {ndim} is not equal to len(dims) = {len(wanted)}")
    order = tuple([dims.normalize(d, ndim) for d in wanted])
    if len(set(order)) != ndim:
        raise RuntimeError("permute(): duplicate dims are not allowed.")
    return order


@composite("movedim", "moveaxis", views=True,
           samples=["2 3 4 ; source=0, destination=2", "2 3 4 ; source=(0, 1), destination=(-1, 0)"],
           errors=[("3 4 ; source=(0, 1), destination=(0, 0)", RuntimeError,
                    "movedim: repeated dim in `destination` ([0, 0])"),
                   ("3 4 ; source=(0, 0), destination=(0, 1)", RuntimeError,
                    "movedim: repeated dim in `source` ([0, 0])"),
                   ("3 4 ; source=(0, 1), destination=(0,)", RuntimeError,
                    "movedim: Invalid source or destination dims: source ([0, 1] dims) should contain the same number of dims "
                    "as destination ([0] dims)")])
def movedim(fns, input, source, destination):
    """The dims ``source`` moved to the places ``destination``; the others keep their order."""
    ndim = input.ndim
    source, destination = dims.as_sizes(source), dims.as_sizes(destination)
    if len(source) != len(destination):
        raise RuntimeError(f"movedim: Invalid source or destination dims: source ({list(source)} dims) should contain "
                           f"the same number of dims as destination ({list(destination)} dims)")
    old, new = [dims.normalize(d, ndim) for d in source], [dims.normalize(d, ndim) for d in destination]
    for given, counted, name in ((source, old, "source"), (destination, new, "destination")):
        if len(set(counted)) != len(counted):
            raise RuntimeError(f"movedim: repeated dim in `{name}` ({list(given)})")
    order = [d for d in range(ndim) if d not in old]
    for to, origin in sorted(zip(new, old, strict=True)):
        order.insert(to, origin)
    return fns.permute(input, tuple(order)) if ndim else fns.alias(input)


@composite("adjoint", views=True, samples=["3 4", "2 3 4", "complex: 2 3"],
           errors=[("3", RuntimeError,
                    "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")])
def adjoint(fns, input):
    """The conjugate transpose of a matrix, or of each matrix of a batch."""
    if input.ndim == 0:
        warn("adjoint() is deprecated on 0-D tensors. Consider using x.conj().")
    if input.ndim == 1:
        raise RuntimeError(
            "tensor.adjoint() is only supported on matrices or batches of matrices. Got 1-D tensor.")
    flipped = fns.transpose(input, -2, -1) if input.ndim else input
    return fns.conj(flipped) if input.is_complex() else flipped


@op("Tensor.alias", "torch.alias", alias="x", linear=True, batch="leading", samples=["3 4", ""],
    reference=lambda torch, x: torch.ops.aten.alias(x))
def alias(xp, x):
    """The same memory, shape and strides: what ``x[...]`` is."""
    return x[...]

@alias.vjp("x")
def alias_dx(g):
    return g
