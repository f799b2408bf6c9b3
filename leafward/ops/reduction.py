"""Sums, means, products and norms along dims. ``dim`` is None (all), an int, or a sequence.

Args:
    input: the numbers to reduce
    p: the order of the norm
    ord: the order of the norm: any number, inf and -inf
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops import dims
from leafward.ops.dims import axes, restore


def whole_sum_dtype(x, dtype):
    """Integers and bools add up in int64 unless told otherwise."""
    return dtypes.int64 if dtype is None and x.dtype.kind in "bui" else dtype


def axis_of(x, dim):
    """``dim`` as NumPy's axis: None means all, at no cost."""
    return None if dim is None else axes(dim, x.ndim)


def reduced_count(shape, dim):
    """How many elements a reduction along ``dim`` puts together."""
    return dims.count([shape[d] for d in axes(dim, len(shape))])


def one_or_along(name):
    """PyTorch's node names: one for the whole tensor, another along a dim."""
    return lambda options: f"{name}Backward0" if options["dim"] is None else f"{name}Backward1"


@op("sum", linear=True, casts_out=True, kernel="sum_along", node=one_or_along("Sum"),
    batch="dims",
    samples=["3 4", "3 4 ; dim=1", "2 3 4 ; dim=(0, -1), keepdim=True", "", " ; dim=0", "0 3 ; dim=0", "3 4 ; dim=()"],
    errors=[("3 4 ; dim=2", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
            ("3 4 ; dim=(0, 0)", RuntimeError, "dim 0 appears multiple times in the list of dims")])
def sum(xp, x, dim=None, keepdim=False, *, dtype=None):
    """Add up along ``dim``; integers add up in int64.

    ``dim`` is dropped from the shape, or has size 1 with ``keepdim``. The sum of nothing is 0.

    >>> x = lw.tensor([[1., 2.], [3., 4.]])
    >>> lw.sum(x)
    tensor(10.)
    >>> x.sum(dim=1), x.sum(0, keepdim=True)
    (tensor([3., 7.]), tensor([[4., 6.]]))
    """
    return xp.sum(x, axis=axis_of(x, dim), dtype=whole_sum_dtype(x, dtype), keepdims=keepdim)

@sum.vjp("x")
def sum_dx(xp, g, x: Meta, dim, keepdim):
    return xp.broadcast_to(restore(g, x.shape, dim, keepdim), x.shape)


@op("mean", linear=True, casts_out=True, kernel="mean_along", node=one_or_along("Mean"),
    batch="dims", samples=["3 4", "3 4 ; dim=1", "2 3 4 ; dim=(0, -1), keepdim=True", "", "0 3 ; dim=0"],
    errors=[("int5: 3", RuntimeError, "mean(): could not infer output dtype. Input dtype must be either a floating "
             "point or complex dtype. Got: Long")])
def mean(xp, x, dim=None, keepdim=False, *, dtype=None):
    """The sum along ``dim`` divided by how many were added.

    The mean of nothing is NaN. Integers have none: give a floating ``dtype``, or call ``x.float()`` first.

    >>> x = lw.tensor([[1., 2.], [3., 4.]])
    >>> x.mean(), x.mean(dim=0)
    (tensor(2.5000), tensor([2., 3.]))
    """
    if dtype is None and x.dtype.kind in "bui":
        raise RuntimeError("mean(): could not infer output dtype. Input dtype must be either a floating point or "
                           f"complex dtype. Got: {dtypes.scalar_name(xp.dtype_of(x))}")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("mean(): could not infer output dtype. Optional dtype must be either a floating point or "
                           f"complex dtype. Got: {dtypes.scalar_name(dtype)}")
    return xp.mean(x, axis=axis_of(x, dim), dtype=dtype, keepdims=keepdim)

@mean.vjp("x")
def mean_dx(xp, g, x: Meta, dim, keepdim):
    g = restore(g, x.shape, dim, keepdim) / max(reduced_count(x.shape, dim), 1)
    return xp.broadcast_to(g, x.shape)


@op("prod", casts_out=True, kernel="product_along", node=one_or_along("Prod"),
    autocast="float32", batch="dims",
    samples=["3 4", "3 4 ; dim=1", "3 4 ; dim=0, keepdim=True", "", "+2.0 +0.0 -3.0", "+2.0 +0.0 +0.0", "0 3 ; dim=0"])
def prod(xp, x, dim=None, keepdim=False, *, dtype=None):
    """Multiply along one ``dim``, or everything; integers multiply in int64.

    Args:
        dim: the dim to reduce; None: all of them
    """
    if dim is not None:
        dim = dims.normalize(dim, x.ndim) if x.ndim else axes(dims.normalize(dim, 0), 0)
    return xp.prod(x, axis=dim, dtype=whole_sum_dtype(x, dtype), keepdims=keepdim)

@prod.vjp("x")
def prod_dx(xp, g, x, out, dim, keepdim):
    g = restore(g, x.shape, dim, keepdim)
    if not x.shape:
        return g
    if x.dtype.kind == "c" != out.dtype.kind:            # `dtype` was real: the real parts were multiplied
        x = xp.real(x)
    if xp.without_zeros(x):
        return g * xp.conj(restore(out, x.shape, dim, keepdim) / x)
    if dim is None:
        return (g * xp.conj(product_of_others(xp, x.reshape((-1,)), 0))).reshape(x.shape)
    return g * xp.conj(product_of_others(xp, x, dims.normalize(dim, x.ndim)))


def product_of_others(xp, x, dim):
    """For each element the product of all others along ``dim``: exact where some are zero."""
    before = exclusive_cumprod(xp, x, dim)
    after = xp.flip(exclusive_cumprod(xp, xp.flip(x, axis=dim), dim), axis=dim)
    return before * after


def exclusive_cumprod(xp, x, dim):
    """For each element the product of those before it along ``dim``."""
    first = (slice(None),) * dim
    one = xp.ones_like(x[(*first, slice(0, 1))])
    return xp.concat([one, xp.cumprod(x[(*first, slice(0, -1))], dim)], axis=dim)


@op("nansum", casts_out=True, kernel="numbers_along", batch="dims",
    samples=["3 4", "+1.0 +nan -2.0", "3 4 ; dim=1, keepdim=True"])
def nansum(xp, x, dim=None, keepdim=False, *, dtype=None):
    """The sum along ``dim`` with NaN counted as zero."""
    if x.dtype.kind == "c":
        raise RuntimeError("nansum on CPU does not support complex inputs")
    if x.dtype.kind not in "bui":
        x = xp.where(xp.isnan(x), xp.zeros((), dtype=x.dtype), x)
    return xp.sum(x, axis=axis_of(x, dim), dtype=whole_sum_dtype(x, dtype), keepdims=keepdim)

@nansum.vjp("x")
def nansum_dx(xp, g, x, dim, keepdim):
    return restore(g, x.shape, dim, keepdim) * (x == x)     # NaN differs from itself


@composite("nanmean", samples=["3 4", "+1.0 +nan -2.0", "3 4 ; dim=1, keepdim=True"],
           errors=[("int5: 3", RuntimeError,
                    "nanmean(): expected input to have floating point or complex dtype but got Long")])
def nanmean(fns, input, dim=None, keepdim=False, *, dtype=None):
    """The mean along ``dim`` of what is not NaN."""
    if not (input.is_floating_point() or input.is_complex()):
        raise RuntimeError("nanmean(): expected input to have floating point or complex dtype but got "
                           f"{dtypes.scalar_name(input.dtype)}")
    if dtype is not None and not (dtype.is_floating_point or dtype.is_complex):
        raise RuntimeError("nanmean(): could not infer output dtype. Optional dtype must be either a floating point or complex "
                           f"dtype. Got: {dtypes.scalar_name(dtype)}")
    there = fns.sum(fns.eq(input, input), dim, keepdim)
    return fns.div(fns.nansum(input, dim, keepdim, dtype=dtype), there)


@op("count_nonzero", nondifferentiable="x", kernel="count_of_small",
    samples=["3 4", "int2: 3 4 ; dim=1", "bool: 2 3 4 ; dim=(0, 2)", "", "0 3", "5", "2 3 2"])
def count_nonzero(xp, x, dim=None):
    """How many elements along ``dim`` are not zero."""
    if dim is None:
        return xp.asarray(xp.count_nonzero(x != 0), dtype=dtypes.int64)
    return xp.sum(x != 0, axis=axis_of(x, dim), dtype=dtypes.int64)


@count_nonzero.batch
def count_nonzero_batch(fns, call):
    return call.along_dims(over_all=True)


def truth(xp, x, reduce, dim, keepdim):
    """all and any: bool, but uint8 for uint8, and an empty ``dim`` reduces nothing."""
    if isinstance(dim, (tuple, list)) and not dim:
        result = x != 0
    else:
        result = reduce(x, axis=axis_of(x, dim), keepdims=keepdim)
    return xp.astype(xp.asarray(result), dtypes.uint8) if x.dtype.kind == "u" and x.itemsize == 1 else result


@op("all", nondifferentiable="x", kernel="all_of_small",
    samples=["bool: 3 4", "bool: 3 4 ; dim=1", "3 4 ; dim=(0, 1), keepdim=True", "0 3", "", "3 ; dim=()",
             "3 4", "5", "2 3 2"])
def all(xp, x, dim=None, keepdim=False):
    """Whether everything along ``dim`` is true.

    Anything but 0 is true. Of nothing the answer is True.

    >>> lw.all(lw.tensor([[True, False], [True, True]]), dim=1)
    tensor([False,  True])
    """
    return truth(xp, x, xp.all, dim, keepdim)


@all.batch
def all_batch(fns, call):
    return None if call.option("dim") == () else call.along_dims()        # for these, no dims are none


@op("any", nondifferentiable="x", kernel="any_of_small",
    samples=["bool: 3 4", "bool: 3 4 ; dim=1", "3 4 ; dim=(0, 1), keepdim=True", "0 3", "", "3 ; dim=()",
             "3 4", "5", "2 3 2"])
def any(xp, x, dim=None, keepdim=False):
    """Whether anything along ``dim`` is true.

    Anything but 0 is true. Of nothing the answer is False.

    >>> lw.any(lw.tensor([[False, False], [True, False]]), dim=1)
    tensor([False,  True])
    """
    return truth(xp, x, xp.any, dim, keepdim)


@any.batch
def any_batch(fns, call):
    return None if call.option("dim") == () else call.along_dims()        # for these, no dims are none


# --- logarithms of sums ----------------------------------------------------------------------------------------------

@op("logsumexp", "special.logsumexp", dtype="floating", casts_out=True, kernel="logsumexp",
    batch="dims", samples=["3 4 ; dim=1", "2 3 4 ; dim=(0, 2), keepdim=True", "-90.0 +90.0 ; dim=0", "-inf -inf ; dim=0",
             "+inf +1.0 ; dim=0", " ; dim=0", "0 3 ; dim=0"])
def logsumexp(xp, x, dim, keepdim=False):
    """``out = log(sum(exp(x)))`` along ``dim``.

    Computed relative to the largest element, so that no exponential overflows.

    Args:
        dim: the dim, or several, to reduce

    >>> lw.logsumexp(lw.tensor([1000., 1000.]), dim=0)
    tensor(1000.6932)
    """
    axis = axes(dim, x.ndim)
    if x.size == 0:
        return xp.log(xp.sum(xp.exp(x), axis=axis, keepdims=keepdim))
    most = xp.max(xp.real(x), axis=axis, keepdims=True)
    # Infinite maxima are left alone: inf - inf would be NaN.
    most = xp.where(xp.isfinite(most), most, xp.zeros((), dtype=most.dtype))
    out = xp.log(xp.sum(xp.exp(x - most), axis=axis, keepdims=True)) + most
    return out if keepdim else out.reshape([n for d, n in enumerate(x.shape) if d not in axis])


@logsumexp.vjp("x", kernel="logsumexp_grad")
def logsumexp_dx(xp, g, x, out, dim, keepdim):
    distance = x - restore(out, x.shape, dim, keepdim)
    # Where out is infinite, x - out can be NaN; such an x has weight 1 if it is the maximum itself.
    return restore(g, x.shape, dim, keepdim) * xp.conj(xp.exp(distance))


# --- norms -----------------------------------------------------------------------------------------------------------

INF = float("inf")


@op("linalg.vector_norm", kernel="size_along", foreach="norm", batch="dims",
    samples=["3 4", "3 4 ; ord=1", "3 4 ; ord=3.5, dim=1", "3 4 ; ord=inf, dim=0, keepdim=True",
                                   "3 4 ; ord=-inf", "3 4 ; ord=0", "away: 3 4 ; ord=0.5", "away: 3 4 ; ord=-1",
                                   "3 4 ; ord=1.5", "+0.0 +0.0", "+2.0 -2.0 +1.0 ; ord=inf", "", "0 3"],
    errors=[("int5: 3", RuntimeError,
             "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long"),
            ("3 ; dtype=torch.float16", RuntimeError, "linalg.vector_norm: the dtype of the input (Float) should be "
             "convertible without narrowing to the specified dtype (Half)"),
            ("3 ; dtype=torch.complex64", RuntimeError,
             "linalg.vector_norm: dtype should be real for real inputs, but got ComplexFloat"),
            ("0 3 ; ord=inf", RuntimeError, "linalg.vector_norm cannot compute the inf norm on an empty tensor because "
             "the operation does not have an identity")])
def linalg_vector_norm(xp, x, ord: float | str = 2, dim=None, keepdim=False, *, dtype=None):
    """``out = sum(|x| ** ord) ** (1 / ord)`` along ``dim``; inf and -inf: the largest and smallest; 0: how many."""
    if x.dtype.kind in "bui":
        raise RuntimeError("linalg.vector_norm: Expected a floating point or complex tensor as input. "
                           f"Got {dtypes.scalar_name(xp.dtype_of(x))}")
    if isinstance(ord, str):
        raise TypeError(f"linalg_vector_norm(): argument 'ord' (position 2) must be Number, not {type(ord).__name__}")
    if isinstance(ord, complex):
        raise RuntimeError("linalg.vector_norm: Expected a non-complex scalar as the order of norm.")
    if dtype is not None:
        refuse_narrowing("linalg.vector_norm", xp.dtype_of(x), dtype)
    axis = axes(dim, x.ndim)
    if (ord < 0 or ord == INF) and dims.count([x.shape[d] for d in axis]) == 0:
        where = "an empty tensor because" if dim is None else f"the dimension {axis[0]}because this dimension is empty and"
        raise RuntimeError(f"linalg.vector_norm cannot compute the {ord:g} norm on {where} the operation does not have "
                           "an identity")
    if dtype is not None:
        x = xp.astype(x, dtype)
    result_dtype = xp.real(x).dtype
    if xp.is_half(x.dtype):
        x = xp.astype(x, dtypes.float32)
    out = norm_along(xp, x, ord, axis, keepdim)
    return xp.astype(xp.asarray(out), result_dtype)


def refuse_narrowing(name, dtype, wanted):
    """Raise if a norm of ``dtype`` is ``wanted`` in a dtype of another kind, or one that holds less."""
    if not (wanted.is_floating_point or wanted.is_complex):
        raise RuntimeError(f"{name}: dtype should be floating point or complex, but got {dtypes.scalar_name(wanted)}")
    if dtype.is_complex != wanted.is_complex:
        kind = "complex" if dtype.is_complex else "real"
        raise RuntimeError(f"{name}: dtype should be {kind} for {kind} inputs, but got {dtypes.scalar_name(wanted)}")
    if dtypes.promote_types(dtype, wanted) != wanted:
        raise RuntimeError(f"{name}: the dtype of the input ({dtypes.scalar_name(dtype)}) should be convertible without "
                           f"narrowing to the specified dtype ({dtypes.scalar_name(wanted)})")


def norm_along(xp, x, ord, axis, keepdim):
    if ord != 0 and dims.count([x.shape[d] for d in axis]) == 1:      # one number, whose powers may leave the range
        return xp.sum(xp.abs(x), axis=axis, keepdims=keepdim)
    if ord == 2 and x.dtype.kind != "c":
        return xp.sqrt(xp.sum(x * x, axis=axis, keepdims=keepdim))
    size = xp.abs(x)
    if ord == INF:
        return xp.max(size, axis=axis, keepdims=keepdim)
    if ord == -INF:
        return xp.min(size, axis=axis, keepdims=keepdim)
    if ord == 0:
        return xp.sum(size != 0, axis=axis, keepdims=keepdim)
    if ord == 1:
        return xp.sum(size, axis=axis, keepdims=keepdim)
    return xp.sum(size ** ord, axis=axis, keepdims=keepdim) ** (1 / ord)

@linalg_vector_norm.vjp("x")
def linalg_vector_norm_dx(xp, g, x, out, ord, dim, keepdim):
    if ord == 0:
        return None
    g, out = restore(g, x.shape, dim, keepdim), restore(out, x.shape, dim, keepdim)
    if ord == 2:
        # Of nothing but zeros the gradient is zero, and nothing is 0/0. g / out could overflow where x / out is at most 1.
        return x / xp.where(out == 0, xp.ones_like(out), out) * xp.where(out == 0, xp.zeros_like(g), g)
    direction = xp.sgn(x)
    if ord == 1:
        return g * direction
    size = xp.abs(x)
    if ord in (INF, -INF):
        most = xp.astype((size == out) | (size != size), g.dtype)          # ties share the gradient, and so does NaN
        return direction * (g * most / xp.sum(most, axis=axes(dim, x.ndim) or None, keepdims=x.ndim > 0))
    if ord < 1:
        size = xp.where(size == 0, xp.ones_like(size), size)    # direction is 0 there
    length = xp.where(out == 0, xp.ones_like(out), out)
    slope = size ** (ord - 1) * (g / length ** (ord - 1))
    return direction * xp.where(out == 0, xp.zeros_like(slope), slope)


@composite("torch._powsum", foreach="powsum", samples=["3 4", "3 4 ; ord=3", ""],
           reference=lambda torch, x, ord=2: x.abs().pow(ord).sum())
def powsum(fns, input, ord=2, dtype=None):
    """What a norm takes the root of: ``sum(abs(x) ** ord)``."""
    return (input if dtype is None else input.to(dtype)).abs().pow(ord).sum()


@composite("norm", samples=["3 4", "3 4 ; p=1", "3 4 ; p='fro', dim=(0, 1)", "3 4 ; p=inf, dim=0, keepdim=True"],
           errors=[("int5: 3", RuntimeError,
                    "linalg.vector_norm: Expected a floating point or complex tensor as input. Got Long")])
def norm(fns, input, p="fro", dim=None, keepdim=False, dtype=None):
    """The vector norm of order ``p`` along ``dim``; ``"fro"`` is 2, ``"nuc"`` sums the singular values of a matrix.

    Args:
        p: the order of the norm; `"fro"` is 2, `"nuc"` the sum of the singular values

    >>> lw.norm(lw.tensor([[3., 4.], [6., 8.]]), dim=1)
    tensor([ 5., 10.])
    """
    if p is None or p == "fro":
        p = 2
    elif isinstance(p, str):
        return fns.linalg_matrix_norm(input, p, dim=(-2, -1) if dim is None else dim, keepdim=keepdim, dtype=dtype)
    return fns.linalg_vector_norm(input, p, dim, keepdim, dtype=dtype)


@op("renorm", kernel="renormalized", row_major=True, inplace=True,
    samples=["3 4 ; p=2, dim=0, maxnorm=1.0", "3 4 ; p=1, dim=1, maxnorm=2.0", "2 3 4 ; p=3, dim=-1, maxnorm=1.5"],
    errors=[("3 ; p=2, dim=0, maxnorm=1.0", RuntimeError, "renorm: input needs at least 2 dimensions, got 1 dimensions"),
            ("3 4 ; p=0, dim=0, maxnorm=1.0", RuntimeError, "renorm: non-positive-norm not supported"),
            ("3 4 ; p=2, dim=0, maxnorm=-1.0", RuntimeError, "renorm: expected maxnorm to be >= 0 but got -1"),
            ("3 4 ; p=nan, dim=0, maxnorm=1.0", RuntimeError, "renorm: non-positive-norm not supported"),
            ("3 4 ; p=2, dim=0, maxnorm=1j", RuntimeError, "renorm: maxnorm must be real-valued")])
def renorm(xp, x, p, dim, maxnorm):
    """Slices along ``dim`` whose ``p``-norm exceeds ``maxnorm``, scaled down to it.

    Args:
        p: the order of the norm
        dim: the dim whose slices are measured
        maxnorm: the norm that none may exceed
    """
    for name, value in (("p", p), ("maxnorm", maxnorm)):
        if isinstance(value, complex):
            raise RuntimeError(f"renorm: {name} must be real-valued")
    if not p > 0:
        raise RuntimeError("renorm: non-positive-norm not supported")
    if not maxnorm >= 0:
        raise RuntimeError(f"renorm: expected maxnorm to be >= 0 but got {maxnorm:g}")
    if x.ndim < 2:
        raise RuntimeError(f"renorm: input needs at least 2 dimensions, got {x.ndim} dimensions")
    return xp.astype(x * renorm_scale(xp, slice_norms(xp, x, p, dim), maxnorm), x.dtype)


def slice_norms(xp, x, p, dim):
    return xp.linalg_vector_norm(x, p, other_axes(x.ndim, dim), True)


def other_axes(ndim, dim):
    return tuple([d for d in range(ndim) if d != dims.normalize(dim, ndim)])


def renorm_scale(xp, norm, maxnorm):
    return xp.where(norm > maxnorm, maxnorm / (norm + 1e-7), xp.ones_like(norm))


@renorm.vjp("x")
def renorm_dx(xp, g, x, p, dim, maxnorm):
    along_dims = other_axes(x.ndim, dim)
    norm = slice_norms(xp, x, p, dim)
    along = xp.sum(xp.real(g * xp.conj(x)), axis=along_dims, keepdims=True)
    scale = 1 / (norm + 1e-7)
    turned = linalg_vector_norm_dx(xp, along * scale, x, norm, p, along_dims, True)
    # What is left as it is has the gradient that came in, also where the norm is NaN and so has no slope.
    return xp.where(norm > maxnorm, maxnorm * scale * (g - turned), g)
