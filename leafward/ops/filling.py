"""Writing itself: copy, fill, zero, and copies of a tensor.

Args:
    non_blocking: taken and ignored: copies are finished when the call returns
    src: the values that are put in
"""
from leafward import dtypes
from leafward.core.op import composite, op

from leafward.ops import dims
from leafward.ops.checks import warn_of_imaginary_part
from leafward.ops.kinds import is_number
from leafward.ops.places import fill_value


@op("Tensor.copy_", argument_aliases={"other": "src"}, writes="x", kernel="copy_into", basic_index="= tensor",
    node="torch::autograd::CopyBackwards", foreach=True, samples=["3 4 | 3 4", "3 4 | 4", "3 4 | ", "3 4 | int5: 3 4"],
    errors=[("3 4 | 2", RuntimeError,
             "The size of tensor a (4) must match the size of tensor b (2) at non-singleton dimension 1")])
def copy_(xp, x, src, non_blocking=False):
    """Overwrite ``x`` with the values of ``src``, cast to its dtype and broadcast to its shape.

    >>> x = lw.zeros(2)
    >>> x.copy_(lw.tensor([1, 2]))
    tensor([1., 2.])
    """
    if is_number(src):
        x[...] = fill_value(xp, x, src, "copy_")
        return x
    dims.refuse_wider(x.shape, src.shape)
    warn_of_imaginary_part(src, x.dtype)
    xp.assign(x, xp.astype(src, x.dtype))
    return x

@copy_.vjp("x")
def copy_dx(xp, g):
    return xp.zeros_like(g)

@copy_.vjp("src")
def copy_dsrc(g):
    return g


FILL_SAMPLES = ["3 4 | = 2.5", "3 4 | ", " | = 1.0"]
FILL_ERRORS = [("3 4 | 1", RuntimeError, "fill_ only supports 0-dimension value tensor but got tensor with 1 dimensions.")]


def filling(xp, x, value):
    if getattr(value, "ndim", 0):
        raise RuntimeError(f"fill_ only supports 0-dimension value tensor but got tensor with {value.ndim} dimensions.")
    return fill_value(xp, x, value, "fill_")


@op("torch.fill", samples=FILL_SAMPLES, errors=FILL_ERRORS,
    node=lambda given: "FillBackward0" if is_number(given["value"]) else "FillBackward1")
def fill(xp, x, value):
    """``value`` everywhere, in the shape and dtype of ``x``."""
    out = xp.empty_in_order(x)
    xp.assign(out, filling(xp, x, value))
    return out

@fill.vjp("x")
def fill_dx(xp, g):
    return xp.zeros_like(g)

@fill.vjp("value")
def fill_dvalue(xp, g):
    return xp.sum(g)


@fill.batch
def fill_batch(fns, call):
    x, value = call.front(0), call.inputs[1]
    if not call.is_tensor(1):
        return call.run([x, value])
    return call.align(value.to(x.dtype), call.dims[1], call.rank(0)).expand(x.shape).clone()


@op("Tensor.fill_", "torch.fill_", writes="x", kernel="fill_into", basic_index="= number", samples=FILL_SAMPLES,
    errors=FILL_ERRORS,
    node=lambda given: "FillBackward2" if is_number(given["value"]) else "FillBackward3")
def fill_(xp, x, value):
    """Overwrite ``x`` with ``value``.

    >>> lw.zeros(2).fill_(7)
    tensor([7., 7.])
    """
    xp.assign(x, filling(xp, x, value))
    return x

@fill_.vjp("x")
def fill__dx(xp, g):
    return xp.zeros_like(g)

@fill_.vjp("value")
def fill__dvalue(xp, g):
    return xp.sum(g)


@op("Tensor.zero_", "torch.zero_", writes="x", kernel="zero_into", node="ZeroBackward0", foreach=True, samples=["3 4", ""])
def zero_(xp, x):
    """Overwrite ``x`` with zeros.

    >>> lw.ones(2).zero_()
    tensor([0., 0.])
    """
    xp.assign(x, 0)
    return x

@zero_.vjp("x")
def zero_dx(xp, g):
    return xp.zeros_like(g)


@op("clone", node="CloneBackward0", linear=True, foreach=True, batch="leading", samples=["3 4", ""])
def clone(xp, x, *, memory_format=dtypes.preserve_format):
    """A copy with a history: the gradient passes straight through.

    Gradients flow through: ``detach().clone()`` is a copy without history.

    >>> x = lw.tensor([1., 2.])
    >>> y = x.clone()
    >>> y[0] = 5.
    >>> x
    tensor([1., 2.])
    """
    if memory_format is dtypes.channels_last or memory_format is dtypes.channels_last_3d:
        return in_channels_last(xp, x, memory_format)
    if memory_format is dtypes.preserve_format and not x.flags.c_contiguous:
        return xp.copy_in_order(x)
    return xp.copy(x)

@clone.vjp("x")
def clone_dx(g):
    return g


def in_channels_last(xp, x, memory_format):
    """A copy whose second dim is the innermost in memory."""
    rank = 4 if memory_format is dtypes.channels_last else 5
    if x.ndim != rank:
        raise RuntimeError(f"required rank {rank} tensor to use {memory_format.name} format")
    there = (0, *range(2, rank), 1)
    back = (0, rank - 1, *range(1, rank - 1))
    return xp.copy(x.transpose(there)).transpose(back)


@composite("Tensor.contiguous", views=True, row_major_itself=True, samples=["3 4", ""])
def contiguous(fns, input, memory_format=dtypes.contiguous_format):
    """``input`` itself if it lies in memory in this order, else a copy that does.

    A tensor that already lies so is returned itself.

    >>> x = lw.zeros(2, 3).t()
    >>> x.is_contiguous(), x.contiguous().is_contiguous()
    (False, True)
    """
    if input.is_contiguous(memory_format=memory_format):
        return input
    return fns.clone(input, memory_format=memory_format)
