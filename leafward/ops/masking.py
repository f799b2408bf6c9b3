"""Elements by a mask: filled, selected, scattered.

Args:
    source: the values that are put in, in order
"""
from leafward import dtypes
from leafward.core.op import Meta, op
from leafward.errors import inplace_shape_error

from leafward.ops import batched_indexing as batched, dims
from leafward.ops.checks import cpp_name, scalar_name
from leafward.ops.indexing import target
from leafward.ops.kinds import is_number
from leafward.ops.places import fill_value


def broadcast_with(xp, mask, x):
    """The common shape of a mask and what it masks."""
    return dims.broadcast(mask.shape, x.shape)


@op("masked_fill", kernel="filled_by_mask", nondifferentiable="mask", inplace=True, writes_repeated=True,
    node=lambda given: "MaskedFillBackward0" if is_number(given["value"]) else "MaskedFillBackward1",
    batch=batched.masked_fill_batch,
    samples=["3 4 | bool: 3 4 | = 2.5", "3 4 | bool: 4 |  ", "3 1 | bool: 2 3 4 | = -inf", " | bool:  | = 1.0"],
    errors=[("3 4 | bool: 2 4 | = 1.0", RuntimeError,
             "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0"),
            ("3 4 | int5: 3 4 | = 1.0", RuntimeError,
             "masked_fill_ only supports boolean masks, but got mask with dtype long int"),
            ("3 4 | bool: 3 4 | 1", RuntimeError, "masked_fill_ only supports a 0-dimensional value tensor, but got "
             "tensor with 1 dimension(s).")])
def masked_fill(xp, x, mask, value, out=None):
    """``x`` with ``value`` wherever ``mask`` is true."""
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_fill_ only supports boolean masks, but got mask with dtype {cpp_name(mask)}")
    value = xp.asarray(fill_value(xp, x, value, "masked_fill_"), dtype=x.dtype)
    shape = broadcast_with(xp, mask, x) if out is None else broadcast_with(xp, x, mask)
    if out is None:
        if mask.shape == x.shape and mask.flags.c_contiguous and x.flags.c_contiguous:
            return xp._where(mask, value, x)
        x = out = xp.copy(xp.broadcast_to(x, shape))        # row-major
    elif shape != x.shape:
        raise inplace_shape_error(x.shape, shape)
    elif not x.flags.forc:                  # elements may share their memory: those beside the mask are not to be written
        out[xp.broadcast_to(mask, shape)] = value
        return out
    return xp._where(mask, value, x, out=out)

@masked_fill.onnx
def masked_fill_onnx(onnx, x, mask, value):
    return onnx.where(mask, value if getattr(value, "dtype", x.dtype) == x.dtype else onnx.astype(value, x.dtype), x)


@masked_fill.vjp("x")
def masked_fill_dx(xp, g, mask):
    return xp.masked_fill(g, mask, 0)

@masked_fill.vjp("value")
def masked_fill_dvalue(xp, g, mask):
    return xp.where(mask, g, xp.zeros_like(g))


@op("torch._mask_put", node="IndexPutBackward0", kernel="filled_by_mask", nondifferentiable="mask", inplace=True,
    writes_repeated=True, memory_first=True, batch=batched.masked_fill_batch,
    samples=["3 4 | bool: 3 4 |  ", "3 4 | bool: 3 1 | 1", "2 3 4 | bool: 3 1 |  "],
    reference=lambda torch, x, mask, values: x.index_put((mask.expand_as(x),), values))
def mask_put(xp, x, mask, values, out=None):
    """``x`` with one value wherever ``mask`` is true: what :func:`index_put` does with one mask.

    Args:
        values: the value, a tensor of one element
    """
    return xp.masked_fill(x, mask, values if is_number(values) else values.reshape(()), out=out)

@mask_put.onnx
def mask_put_onnx(onnx, x, mask, values):
    return onnx.where(mask, values, x)


mask_put.vjp("x")(masked_fill_dx)
mask_put.vjp("values")(masked_fill_dvalue)


@op("masked_select", kernel="chosen_by_mask", nondifferentiable="mask", no_overlap="x, mask",
    batch=batched.masked_select_batch, samples=["3 4 | bool: 3 4", "3 4 | bool: 4", "3 1 | bool: 2 3 4", " | bool: "],
    errors=[("3 4 | int5: 3 4", RuntimeError, "masked_select: expected BoolTensor for mask"),
            ("3 4 | bool: 2 4", RuntimeError,
             "The size of tensor a (2) must match the size of tensor b (3) at non-singleton dimension 0")])
def masked_select(xp, x, mask):
    """The elements of ``x`` where ``mask`` is true, in row-major order."""
    if mask.dtype.kind != "b":
        raise RuntimeError("masked_select: expected BoolTensor for mask")
    shape = broadcast_with(xp, mask, x)
    return xp.broadcast_to(x, shape)[xp.broadcast_to(mask, shape)]

@masked_select.onnx
def masked_select_onnx(onnx, x, mask):
    shape = broadcast_with(onnx, mask, x)
    return onnx.Compress(*[onnx.broadcast_to(each, shape).reshape(-1) for each in (x, mask)], axis=0)


@masked_select.vjp("x")
def masked_select_dx(xp, g, x: Meta, mask):
    zeros = xp.zeros(dims.broadcast(tuple(mask.shape), tuple(x.shape)), dtype=g.dtype)
    return xp.masked_scatter(zeros, mask, g)


@op("masked_scatter", kernel="put_by_mask", nondifferentiable="mask", inplace=True,
    samples=["3 4 | bool: 3 4 | 12", "3 4 | bool: 4 | 20"],
    errors=[("3 4 | bool: 3 4 | 0", RuntimeError, "Number of elements of source < number of ones in mask"),
            ("3 4 | bool: 3 4 | int5: 12", RuntimeError,
             "masked_scatter: expected self and source to have same dtypes but gotFloat and Long")])
def masked_scatter(xp, x, mask, source, out=None):
    """``x`` with the elements of ``source``, in order, where ``mask`` is true."""
    if mask.dtype.kind != "b":
        raise RuntimeError(f"masked_scatter_ only supports boolean masks, but got mask with dtype {scalar_name(mask)}")
    if x.dtype != source.dtype:
        raise RuntimeError("masked_scatter: expected self and source to have same dtypes but got"
                           f"{scalar_name(x)} and {scalar_name(source)}")
    mask = xp.broadcast_to(mask, broadcast_with(xp, mask, x)) if out is None else xp.expand(mask, x.shape)
    shape = mask.shape
    wanted = int(xp.to_host(xp.count_nonzero(mask)))
    if wanted > source.size:
        raise RuntimeError("Number of elements of source < number of ones in mask")
    values = source.reshape(-1)[:wanted]
    if out is not None:                                     # x.masked_scatter_(mask, x) reads what it has not yet written
        mask, values = xp.copy(mask), xp.copy(values)
    out = xp.copy(xp.broadcast_to(x, shape)) if out is None else target(xp, x, out)
    out[mask] = values
    return out

@masked_scatter.onnx
def masked_scatter_onnx(onnx, x, mask, source):
    shape = broadcast_with(onnx, mask, x)
    mask = onnx.broadcast_to(mask, shape)
    places = onnx.cumulative_sum(onnx.astype(mask.reshape(-1), dtypes.int64)) - 1
    return onnx.where(mask, onnx.take(source.reshape(-1), onnx.maximum(places, 0), 0).reshape(shape), x)


masked_scatter.vjp("x")(masked_fill_dx)

@masked_scatter.vjp("source")
def masked_scatter_dsource(xp, g, mask, source: Meta):
    # Counted along the mask, so that no shape depends on its values; what is not from `source` goes to a place after it.
    size = dims.count(source.shape)
    mask = xp.broadcast_to(mask, g.shape).reshape((-1,))
    places = xp.where(mask, xp.cumulative_sum(xp.astype(mask, dtypes.int64), axis=0) - 1, size)
    taken = xp.index_add(xp.zeros((size + 1,), dtype=g.dtype), 0, places, g.reshape((-1,)))
    return taken[:size].reshape(source.shape)
