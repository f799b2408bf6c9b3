"""Reading and writing one element per index: gather, scatter and its reductions.

Args:
    index: for each element its place along `dim`; no larger than `input` in the other dims
    sparse_grad: False; True is refused, since there are no sparse gradients
    indices: the places along `dim`; broadcast with `input`
    reduce: how to put together what meets: `"sum"`, `"prod"`, `"mean"`, `"amax"` or `"amin"`
    src: the values that are put in
    dim: the dim that `index` counts along
"""
import math

from leafward import dtypes
from leafward.core.op import Meta, composite, op
from leafward.errors import warn_once

from leafward.ops import dims
from leafward.ops.batched_indexing import index_add_batch
from leafward.ops.indexing import target
from leafward.ops.kinds import is_number, refuse_kinds
from leafward.ops.places import check_gather, fill_value, refuse_dim_beyond


def one_dim(x):
    """A 0-dim array as one element: gather and scatter treat it so."""
    return x if x.ndim else x.reshape(1)


def grown(xp, g, shape):
    """``g`` followed by zeros along every dim, up to ``shape``; an empty one may be larger than that in the others."""
    if 0 in g.shape:
        return xp.zeros(shape, dtype=g.dtype)
    for d, size in enumerate(shape):
        if g.shape[d] != size:
            g = xp._slice_backward(g, (*g.shape[:d], size, *g.shape[d + 1:]), d, 0, g.shape[d], 1)
    return g


def scatter_batch(fns, call):
    """Of a batch: along the dim one further on, where all have the same number of dims."""
    inputs = call.all_in_front()
    if call.rank(0) == 0 or any(call.is_tensor(k) and x.ndim != inputs[0].ndim for k, x in enumerate(inputs)):
        return None
    rank = call.rank(0)
    if "shape" in call.op.options:
        rank = len(call.option("shape"))
        call.set_option("shape", (call.size, *call.option("shape")))
    call.set_option("dim", call.shift(call.option("dim"), rank))
    return call.run(inputs)


@op("gather", kernel="gather_elements", row_major=True, nondifferentiable="index", no_overlap="x, index",
    batch=scatter_batch,
    samples=["3 4 | int3: 2 4 ; dim=0", "3 4 | int4: 3 5 ; dim=-1", "3 4 | int3: 1 1 ; dim=0", " | int1:  ; dim=0",
             "3 4 | int3: 0 4 ; dim=0"],
    errors=[("2 4 | int9: 40 1 ; dim=0", RuntimeError, "is out of bounds for dimension 0 with size 2"),
            ("3 4 | int3: 2 ; dim=0", RuntimeError,
             "Index tensor must have the same number of dimensions as input tensor"),
            ("3 4 | 2 4 ; dim=0", RuntimeError, "gather(): Expected dtype int32/int64 for index"),
            ("3 4 | int3: 4 1 ; dim=1", RuntimeError, "Size does not match at dimension 0 expected index [4, 1] to be no "
             "larger than self [3, 4] apart from dimension 1")])
def gather(xp, x, dim, index, *, sparse_grad=False):
    """``out[p] = x[..., index[p], ...]`` along ``dim``: one element for each place ``p`` of ``index``.

    ``out[i][j] = input[index[i][j]][j]`` for ``dim=0``, ``input[i][index[i][j]]`` for ``dim=1``; and so on.

    >>> lw.gather(lw.tensor([[1., 2.], [3., 4.]]), 1, lw.tensor([[1], [0]]))
    tensor([[2.],
            [3.]])
    """
    dim = check_gather(xp, "gather", x, dim, index)
    if index.size == 0:
        return xp.empty(index.shape, dtype=x.dtype)
    return xp.gather_from(one_dim(x), dim, one_dim(index)).reshape(index.shape)

@gather.onnx
def gather_onnx(onnx, x, dim, index):
    return onnx.GatherElements(x, index, axis=dims.normalize(dim, x.ndim)) if x.ndim else None


@gather.vjp("x")
def gather_dx(xp, g, x: Meta, dim, index):
    return xp._gather_backward(g, dim, index, x.shape)


@op("torch._gather_backward", nondifferentiable="index", batch=scatter_batch, samples=["2 4 | int3: 2 4 ; dim=0, shape=(3, 4)"],
    reference=lambda torch, g, dim, index, shape: torch.zeros(shape, dtype=g.dtype).scatter_add(dim, index, g))
def gather_backward(xp, g, dim, index, shape):
    """Zeros of ``shape`` with each ``g[p]`` added at ``index[p]`` along ``dim``."""
    out = xp.zeros(shape, dtype=g.dtype)
    if g.size:
        xp.scatter_into(one_dim(out), dims.normalize(dim, len(shape)), one_dim(index), one_dim(g), "add")
    return out

@gather_backward.vjp("g")
def gather_backward_dg(xp, g, dim, index):
    return xp.gather(g, dim, index)


@op("scatter", kernel="put_elements", nondifferentiable="index", inplace=True, no_overlap="index, src",
    overwrites=("src", "reduce", "scatter_add"),
    node=lambda given: "ScatterBackward1" if given["src"] is None or is_number(given["src"]) else "ScatterBackward0",
    batch=scatter_batch,
    samples=["3 4 | int3: 1 4 | 1 4 ; dim=0", "3 4 | int4: 3 1 | 3 2 ; dim=-1", "3 4 | int3: 1 2 | = 2.5 ; dim=0",
             " | int1:  |  ; dim=0"],
    errors=[("2 4 | int9: 40 1 | = 1.0 ; dim=0", RuntimeError, "is out of bounds for dimension 0 with size 2"),
            ("3 4 | int3: 1 2 | 1 1 ; dim=0", RuntimeError, "Expected index [1, 2] to be no larger than self [3, 4] apart "
             "from dimension 0 and to be no larger size than src [1, 1]"),
            ("3 4 | int3: 1 1 | int5: 1 1 ; dim=0", RuntimeError,
             "scatter(): Expected self.dtype to be equal to src.dtype"),
            ("3 4 | 1 1 | = 1.0 ; dim=0", RuntimeError, "scatter(): Expected dtype int32/int64 for index"),
            ("3 4 | int3: 1 1 | = 1.0 ; dim=0, reduce='foo'", RuntimeError,
             "reduce argument must be either add or multiply.")])
def scatter(xp, x, dim, index, src=None, *, value=None, reduce=None, out=None):
    """``x`` with ``out[..., index[p], ...] = src[p]`` along ``dim`` (or a number everywhere); ``reduce`` combines instead.

    Args:
        value: a number in place of `src`; None: `src` is given
        reduce: None: written over. `"add"`, `"multiply"`: combined with what is there

    >>> lw.zeros(2, 3).scatter(1, lw.tensor([[2], [0]]), 1.)
    tensor([[0., 0., 1.],
            [1., 0., 0.]])
    """
    if reduce not in (None, "add", "multiply"):
        raise RuntimeError("reduce argument must be either add or multiply.")
    if src is not None and value is not None:
        raise TypeError("scatter() received an invalid combination of arguments - got both src and value")
    if src is None and value is None:
        raise TypeError("scatter() missing 1 required positional arguments: \"src\"")
    dense = hasattr(src, "ndim")
    if src is None:
        src = value if not hasattr(value, "item") else value.item()
    dim = check_gather(xp, "scatter", x, dim, index, src if dense else None)
    if not dense:
        src = fill_value(xp, x, src, "scatter")
    elif src.dtype != x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    out = target(xp, x, out)
    if index.size:
        xp.scatter_into(one_dim(out), dim, one_dim(index), one_dim(src) if dense else src, reduce)
    return out


@scatter.check
def scatter_of_tensors_is_not_to_reduce(x, index, src, reduce):
    if reduce is not None and hasattr(src, "ndim"):
        warn_once("The reduce argument of torch.scatter with Tensor src is deprecated and will be removed in a future PyTorch "
                  "release. Use torch.scatter_reduce instead for more reduction options.")


@scatter.onnx
def scatter_onnx(onnx, x, dim, index, src, value, reduce):
    src = value if src is None else src
    if not x.ndim or reduce is not None:
        return None
    if not hasattr(src, "dtype") or not src.ndim:
        src = onnx.broadcast_to(onnx.symbol(src, x.dtype), index.shape)
    return onnx.ScatterElements(x, index, as_many(onnx, src, index), axis=dims.normalize(dim, x.ndim))


def as_many(onnx, src, index):
    """As much of ``src`` as there are places in ``index``."""
    for d, (n, m) in enumerate(zip(src.shape, index.shape, strict=True)):
        src = src if n == m else onnx.cut(src, d, 0, m, 1)
    return src


@scatter.vjp("x")
def scatter_dx(xp, g, dim, index, reduce):
    if reduce == "multiply":
        raise NotImplementedError("scatter with reduce='multiply' has no derivative: "
                                  "use scatter_reduce(dim, index, src, 'prod')")
    return g if reduce == "add" else xp.scatter(g, dim, index, 0)

@scatter.vjp("src")
def scatter_dsrc(xp, g, dim, index, src: Meta, reduce):
    if reduce == "multiply":
        raise NotImplementedError("scatter with reduce='multiply' has no derivative: "
                                  "use scatter_reduce(dim, index, src, 'prod')")
    return grown(xp, xp.gather(g, dim, index), src.shape)


@op("scatter_add", kernel="add_elements", nondifferentiable="index", inplace=True, no_overlap="index, src",
    batch=scatter_batch, samples=["3 4 | int3: 5 4 | 5 4 ; dim=0", "3 4 | int4: 2 3 | 3 5 ; dim=1"],
    errors=[("2 4 | int9: 40 1 | 40 1 ; dim=0", RuntimeError, "is out of bounds for dimension 0 with size 2"),
            ("3 4 | int3: 1 2 | 1 1 ; dim=0", RuntimeError, "Expected index [1, 2] to be no larger than self [3, 4] apart "
             "from dimension 0 and to be no larger size than src [1, 1]")])
def scatter_add(xp, x, dim, index, src, out=None):
    """``x`` with ``out[..., index[p], ...] += src[p]`` along ``dim``; repeated places add up.

    >>> lw.zeros(2).scatter_add(0, lw.tensor([0, 1, 1]), lw.tensor([1., 2., 3.]))
    tensor([1., 5.])
    """
    dim = check_gather(xp, "scatter", x, dim, index, src)
    if src.dtype != x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    out = target(xp, x, out)
    if index.size:
        xp.scatter_into(one_dim(out), dim, one_dim(index), one_dim(src), "add")
    return out

@scatter_add.onnx
def scatter_add_onnx(onnx, x, dim, index, src):
    return onnx.ScatterElements(x, index, as_many(onnx, src, index), axis=dims.normalize(dim, x.ndim), reduction="add")


@scatter_add.vjp("x")
def scatter_add_dx(g):
    return g

@scatter_add.vjp("src")
def scatter_add_dsrc(xp, g, dim, index, src: Meta):
    return grown(xp, xp.gather(g, dim, index), src.shape)


#: For each reduction how values combine, and what a place starts from that does not count what was there.
REDUCTIONS = {"sum": ("add", 0), "mean": ("add", 0), "prod": ("multiply", 1), "amax": ("maximum", None),
              "amin": ("minimum", None)}


@op("scatter_reduce", kernel="reduce_elements", nondifferentiable="index", inplace=True, no_overlap="index, src",
    batch=scatter_batch, samples=["3 4 | int3: 5 4 | 5 4 ; dim=0, reduce='sum'", "3 4 | int3: 5 4 | 5 4 ; dim=0, reduce='mean'",
             "3 4 | int3: 5 4 | 5 4 ; dim=0, reduce='prod'", "3 4 | int3: 5 4 | 5 4 ; dim=0, reduce='amax'",
             "3 4 | int4: 3 5 | 3 5 ; dim=1, reduce='amin', include_self=False",
             "3 4 | int3: 5 4 | 5 4 ; dim=0, reduce='mean', include_self=False",
             "3 4 | int3: 5 4 | 5 4 ; dim=0, reduce='prod', include_self=False"],
    errors=[("3 4 | int3: 1 1 | 1 1 ; dim=0, reduce='foo'", RuntimeError,
             "reduce argument must be either sum, prod, mean, amax or amin, got foo")])
def scatter_reduce(xp, x, dim, index, src, reduce, *, include_self=True, out=None):
    """``x`` with all ``src[p]`` that arrive at one place along ``dim`` reduced, together with what was there or without."""
    if reduce not in REDUCTIONS:
        raise RuntimeError(f"reduce argument must be either sum, prod, mean, amax or amin, got {reduce}")
    dim = check_gather(xp, "scatter", x, dim, index, src)
    if src.dtype != x.dtype:
        raise RuntimeError("scatter(): Expected self.dtype to be equal to src.dtype")
    if reduce == "mean":
        refuse_kinds(x, "b", "scatter_gather_tensor_cpu_reduce_mean")
    elif reduce in ("amax", "amin"):
        refuse_kinds(x, "c", f"scatter_gather_tensor_cpu_reduce_{reduce}")
    out = target(xp, x, out)
    if index.size == 0:
        return out
    reduced_into(xp, x, dim, one_dim(index), one_dim(src), reduce, include_self, one_dim(out), xp.scatter_into)
    return out


def reduced_into(xp, x, dim, places, values, reduce, include_self, out, into):
    """``out``, which holds ``x``, with ``values`` reduced into it; ``into`` combines them with what is at their places."""
    combine, start = REDUCTIONS[reduce]
    if not include_self:
        if start is None:
            start = lowest(xp, x) if reduce == "amax" else highest(xp, x)
        into(out, dim, places, start)
    into(out, dim, places, values, combine)
    if reduce == "mean":
        count = xp.zeros(out.shape, dtype=dtypes.int64)
        into(count, dim, places, 1, "add")
        count = xp.maximum(count + (1 if include_self else 0), 1)
        out[...] = out // count if x.dtype.kind in "iu" else out / xp.astype(count, xp.real(x).dtype)
    return out


def lowest(xp, x):
    return xp.iinfo(x.dtype).min if x.dtype.kind in "iu" else False if x.dtype.kind == "b" else -xp.inf


def highest(xp, x):
    return xp.iinfo(x.dtype).max if x.dtype.kind in "iu" else True if x.dtype.kind == "b" else xp.inf

@scatter_reduce.vjp("x, src")
def scatter_reduce_dxsrc(xp, g, x, src, out, dim, index, reduce, include_self):
    dx, dsrc = REDUCTION_RULES[reduce](xp, g, x, src, out, dim, index, include_self)
    if not include_self:
        dx = xp.scatter(dx, dim, index, 0)
    return dx, grown(xp, dsrc, src.shape)


def sum_rule(xp, g, x, src, out, dim, index, include_self):
    return g, xp.gather(g, dim, index)


def mean_rule(xp, g, x, src, out, dim, index, include_self):
    own = xp.ones_like(x) if include_self else xp.zeros_like(x)
    count = xp.scatter_add(own, dim, index, xp.ones(index.shape, dtype=x.dtype))
    g = g / xp.where(count == 0, xp.ones_like(count), count)
    return g, xp.gather(g, dim, index)


def prod_rule(xp, g, x, src, out, dim, index, include_self):
    src = src[tuple([slice(n) for n in index.shape])]
    own = x if include_self else xp.ones_like(x)
    if xp.without_zeros(own) and xp.without_zeros(src):
        product = xp.scatter_reduce(own, dim, index, src, "prod")
        return g * xp.conj(product / own), xp.gather(g, dim, index) * xp.conj(xp.gather(product, dim, index) / src)
    # An element's own derivative is the product of the others; multiplied out it has right derivatives itself.
    count = math.prod(x.shape)
    own_group = xp.arange(count).reshape(x.shape)
    group = xp.concat([own_group.reshape((count,)), xp.gather(own_group, dim, index).reshape((-1,))])
    order = xp.argsort(group)
    values = xp.gather(xp.concat([own.reshape((count,)), src.reshape((-1,))]), 0, order)
    others = xp.gather(products_of_others(xp, values, xp.gather(group, 0, order)), 0, xp.argsort(order))
    dx = g * xp.conj(others[:count].reshape(x.shape))
    return dx, xp.gather(g, dim, index) * xp.conj(others[count:].reshape(src.shape))


def products_of_others(xp, values, group):
    """For each value the product of the others of its group; the members of a group stand side by side."""
    backwards = products_of_earlier(xp, xp.flip(values, axis=0), xp.flip(group, axis=0))
    return products_of_earlier(xp, values, group) * xp.flip(backwards, axis=0)


def products_of_earlier(xp, values, group):
    """For each value the product of those that come before it in its group."""
    count = group.shape[0]

    def earlier(product, step):
        """``product`` as it was ``step`` values before; 1 where another group was there."""
        same = group[step:] == group[:-step]
        moved = xp.where(same, product[:count - step], xp.ones_like(product[step:]))
        return xp.concat([xp.ones_like(product[:step]), moved]), same

    product, more = earlier(values, 1) if count > 1 else (xp.ones_like(values), group != group)
    step = 1
    # `product` is of up to `step` values: twice as many each time, until no group has more. Of a batch nobody asks.
    while step < count and not xp.without_zeros(~more):
        moved, more = earlier(product, step)
        product = product * moved
        step *= 2
    return product


def extreme_rule(xp, g, x, src, out, dim, index, include_self):
    src = src[tuple([slice(n) for n in index.shape])]
    own = xp.astype(x == out, g.dtype)
    if not include_self:
        own = xp.scatter(own, dim, index, 0)
    sent = xp.astype(src == xp.gather(out, dim, index), g.dtype)
    count = xp.scatter_add(own, dim, index, sent)           # equals share the gradient
    g = g / xp.where(count == 0, xp.ones_like(count), count)
    # Where nothing arrived x stays, and count is 1.
    return g * own, sent * xp.gather(g, dim, index)


REDUCTION_RULES = {"sum": sum_rule, "mean": mean_rule, "prod": prod_rule, "amax": extreme_rule, "amin": extreme_rule}


@composite("take_along_dim", samples=["3 4 | int4: 3 2 ; dim=1", "3 4 | int3: 1 4 ; dim=0", "3 4 | int12: 5",
                                      "3 4 ; indices=t.tensor([[-1], [0], [-4]]), dim=1"],
           errors=[("3 4 | 3 2 ; dim=1", RuntimeError,
                    "torch.take_along_dim(): dtype of indices should be Long but got Float"),
                   ("3 4 | int4: 2 ; dim=1", RuntimeError, "torch.take_along_dim(): input and indices should have the "
                    "same number of dimensions, but got 2 dimensions for input, and 1 dimensions for indices")])
def take_along_dim(fns, input, indices, dim=None):
    """The elements at ``indices`` along ``dim``; the other dims broadcast.

    Args:
        dim: the dim to work along; None: all elements in a row
    """
    if indices.dtype is not dtypes.int64 and dim is not None:
        raise RuntimeError("torch.take_along_dim(): dtype of indices should be Long but got "
                           f"{dtypes.scalar_name(indices.dtype)}")
    flat = dim is None
    if flat:
        input, indices, dim = fns.view(input, (-1,)), fns.view(indices, (-1,)), 0
    if input.ndim != indices.ndim:
        raise RuntimeError("torch.take_along_dim(): input and indices should have the same number of dimensions, but "
                           f"got {input.ndim} dimensions for input, and {indices.ndim} dimensions for indices")
    dim = dims.normalize(dim, input.ndim)
    ours, theirs = list(input.shape), list(indices.shape)
    common = list(dims.broadcast((*ours[:dim], 1, *ours[dim + 1:]), (*theirs[:dim], 1, *theirs[dim + 1:])))
    common[dim] = ours[dim]
    input = fns.expand(input, tuple(common))
    common[dim] = theirs[dim]
    if not flat and ours[dim]:
        indices = fns.remainder(indices, ours[dim])         # those beyond the end begin again, and -1 is the last
    return fns.gather(input, dim, fns.expand(indices, tuple(common)))


# --- a slice per index -----------------------------------------------------------------------------------------------

def spread_index(xp, index, shape, dim):
    """The index of slices as an index of elements."""
    return xp.broadcast_to(index.reshape(tuple([-1 if d == dim else 1 for d in range(len(shape))])), shape)


def refuse_reduction(xp, x, reduce):
    if reduce == "mean":
        refuse_kinds(x, "b", "div_floor_cpu")
    elif reduce != "prod":
        refuse_kinds(x, "c", "maximum_cpu" if reduce == "amax" else "minimum_cpu")


@op("index_reduce", kernel="reduce_slices", nondifferentiable="index", inplace=True, no_overlap="index, source",
    batch=index_add_batch, samples=["3 4 | int3: 5 | 5 4 ; dim=0, reduce='mean'", "3 4 | int3: 5 | 5 4 ; dim=0, reduce='prod'",
             "3 4 | int3: 5 | 5 4 ; dim=0, reduce='amax'", "3 4 | int4: 2 | 3 2 ; dim=1, reduce='amin', include_self=False",
             "3 4 | int3: 2 | 2 4 ; dim=0, reduce='mean', include_self=False", "3 4 | int3: 0 | 0 4 ; dim=0, reduce='amax'",
             "3 4 | int3: 0 | 0 4 ; dim=0, reduce='amin', include_self=False"],
    errors=[("3 4 | int3: 3 | 3 4 ; dim=0, reduce='sum'", RuntimeError,
             "index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got sum."),
            ("3 4 | int3: 3 | 2 4 ; dim=0, reduce='mean'", RuntimeError,
             "index_reduce_(): Number of indices (3) should be equal to source.size(dim): (2), for dim: 0"),
            ("3 4 | int9: 90 | 90 4 ; dim=0, reduce='mean'", IndexError, "index out of range in self")])
def index_reduce(xp, x, dim, index, source, reduce, *, include_self=True, out=None):
    """``x`` with all slices of ``source`` that go to one slice along ``dim`` reduced, together with it or without."""
    if reduce not in ("prod", "mean", "amax", "amin"):
        raise RuntimeError(f"index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {reduce}.")
    dim = dims.normalize(dim, x.ndim)
    if index.ndim > 1:
        raise IndexError(f"index_reduce_(): Index is supposed to be a vector, but got dim: {index.ndim} with type: "
                         f"{dtypes.scalar_name(xp.dtype_of(index))} and size: {list(index.shape)}")
    if index.dtype.kind != "i" or index.itemsize < 4:
        raise RuntimeError("index_reduce_(): Expected dtype int32/int64 for index but got: "
                           f"{dtypes.scalar_name(xp.dtype_of(index))}")
    if x.dtype != source.dtype:
        raise RuntimeError(f"index_reduce_(): self ({dtypes.scalar_name(xp.dtype_of(x))}) and source "
                           f"({dtypes.scalar_name(xp.dtype_of(source))}) must have the same scalar type")
    refuse_dim_beyond("index_reduce", dim, index, x, source)
    if index.size != (source.shape[dim] if source.ndim else 1):
        raise RuntimeError(f"index_reduce_(): Number of indices ({index.size}) should be equal to source.size(dim): "
                           f"({source.shape[dim] if source.ndim else 1}), for dim: {dim}")
    rest = [tuple(a.shape[:dim] + a.shape[dim + 1:]) for a in (x, source)]
    if rest[0] != rest[1]:
        raise RuntimeError("source tensor shape must match self tensor shape, excluding the specified dimension. Got "
                           f"self.shape = {list(x.shape)} source.shape = {list(source.shape)}")
    if not include_self and reduce in ("amax", "amin"):
        refuse_kinds(x, "bc", "index_reduce_func_exclude_input_init")
    if index.size and xp.to_host((xp.min(index) < 0) | (xp.max(index) >= (x.shape[dim] if x.ndim else 1))):
        raise IndexError("index out of range in self")
    if not index.size:
        return target(xp, x, out)
    refuse_reduction(xp, x, reduce)
    if x.ndim == 0:
        return scatter_reduce.forward(xp, x, dim, index, source, reduce, include_self=include_self, out=out)
    return reduced_into(xp, x, dim, index.reshape(-1), source, reduce, include_self, target(xp, x, out), xp.rows_into)


@index_reduce.vjp("x, source")
def index_reduce_dxsource(xp, g, x, source, out, dim, index, reduce, include_self):
    dim = dims.normalize(dim, len(x.shape))
    if reduce == "mean" and x.ndim:                         # what counts is a number for each slice
        own = xp.ones if include_self else xp.zeros
        count = xp.index_add(own((x.shape[dim],), dtype=g.dtype), 0, index, xp.ones(index.shape, dtype=g.dtype))
        count = xp.where(count == 0, xp.ones_like(count), count)
        g = g / count.reshape([-1 if d == dim else 1 for d in range(x.ndim)])
        return g if include_self else xp.index_fill(g, dim, index, 0), xp.index_select(g, dim, index)
    places = spread_index(xp, index, tuple(source.shape), dim)
    return scatter_reduce_dxsrc(xp, g, x, source, out, dim, places, reduce, include_self)
