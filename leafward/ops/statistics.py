"""How values are spread: variance, standard deviation, quantiles.

Args:
    q: which shares, in [0, 1]: 0.5 is the median; a number or a 1-D tensor
    interpolation: what to take between two values: `"linear"`, `"lower"`, `"higher"`, `"midpoint"` or `"nearest"`
    fweights: how often each observation counts; None: once
    aweights: how much each observation counts; None: the same
"""
from numbers import Real

from leafward import dtypes
from leafward.core.op import composite, op
from leafward.errors import warn

from leafward.ops.checks import scalar_name
from leafward.ops.dims import axes, normalize, restore
from leafward.ops.reduction import axis_of, mean_dx, reduced_count

NOT_FLOATING = "std and var only support floating point and complex dtypes"


def spread_along(xp, name, x, dim, correction, keepdim):
    """Variance, or standard deviation for a ``name`` that begins so, with PyTorch's warning where there is none."""
    if x.dtype.kind in "bui":
        raise RuntimeError(f"{name} only support floating point and complex dtypes" if "_" in name else NOT_FLOATING)
    reduce = xp.std if name.startswith("std") else xp.var
    out = reduce(x, axis=axis_of(x, dim), correction=correction, keepdims=keepdim)
    if (x.size // out.size if out.size else 0) <= correction:
        warn(f"{name}(): degrees of freedom is <= 0. Correction should be strictly less than the reduction factor (input "
             "numel divided by output numel).")
    return out


@op("torch._var", node="VarBackward0", batch="dims", kernel="variance_along",
    samples=["3 4 ; dim=None, correction=1, keepdim=False", "3 4 ; dim=1, correction=0, keepdim=True"],
    errors=[("int5: 3 ; dim=None, correction=1, keepdim=False", RuntimeError, NOT_FLOATING)],
    reference=lambda torch, x, dim, correction, keepdim: torch.var(x, dim, correction=correction, keepdim=keepdim))
def var_(xp, x, dim, correction, keepdim: bool):
    """``out = sum(|x - mean(x)| ** 2) / (n - correction)`` along ``dim``."""
    return spread_along(xp, "var", x, dim, correction, keepdim)

@var_.vjp("x")
def var_dx(xp, g, x, dim, correction, keepdim):
    return spread_dx(xp, restore(g, x.shape, dim, keepdim), x, dim, correction)


def spread_dx(xp, g, x, dim, correction):
    """The derivative of the variance times ``g``: ``2 / (n - correction) * (x - mean(x))``."""
    freedom = reduced_count(x.shape, dim) - correction
    mean = xp.mean(x, axis=axes(dim, x.ndim) or None, keepdims=x.ndim > 0)
    if freedom <= 0 and (dim is None or x.ndim == 0):       # PyTorch's answer where nothing is left to divide by
        return g * xp.where(x == mean, float("nan"), float("inf"))
    return (x - mean) * (g * (2.0 / freedom if freedom else float("inf")))              # inf * 0 is PyTorch's NaN


@op("torch._std", node="StdBackward0", batch="dims", kernel="deviation_along",
    samples=["3 4 ; dim=None, correction=1, keepdim=False", "3 4 ; dim=1, correction=0, keepdim=True",
             "+2.0 +2.0 ; dim=None, correction=1, keepdim=False"],
    errors=[("int5: 3 ; dim=None, correction=1, keepdim=False", RuntimeError, NOT_FLOATING)],
    reference=lambda torch, x, dim, correction, keepdim: torch.std(x, dim, correction=correction, keepdim=keepdim))
def std_(xp, x, dim, correction, keepdim: bool):
    """The square root of the variance along ``dim``."""
    return spread_along(xp, "std", x, dim, correction, keepdim)

@std_.vjp("x")
def std_dx(xp, g, x, out, dim, correction, keepdim):
    same = out == 0                                         # equal values: no gradient, not 0/0
    scaled = xp.where(same, 0, g * (0.5 / xp.where(same, xp.ones_like(out), out)))
    return spread_dx(xp, restore(scaled, x.shape, dim, keepdim), x, dim, correction)


def spread_arguments(dim, unbiased, correction):
    """``dim`` and ``correction`` from PyTorch's overloads: ``var(True)`` gives ``unbiased`` in the place of ``dim``."""
    if isinstance(dim, bool):
        dim, unbiased = None, dim
    if correction is None:
        correction = 1 if unbiased is None or unbiased else 0
    return dim, correction


SPREAD_SAMPLES = ["3 4", "3 4 ; dim=1", "2 3 4 ; dim=(0, -1), correction=0, keepdim=True", "3 4 ; dim=0, unbiased=False",
                  "3 4 ; unbiased=False"]


@composite("var", samples=SPREAD_SAMPLES)
def var(fns, input, dim=None, unbiased: bool = None, keepdim=False, *, correction: Real = None):
    """The variance along ``dim``: ``out = sum(|x - mean(x)| ** 2) / (n - correction)``.

    The divisor is the number of elements less ``correction``, 1 unless given.

    >>> x = lw.tensor([1., 2., 3., 4.])
    >>> x.var(), x.var(correction=0)
    (tensor(1.6667), tensor(1.2500))
    """
    dim, correction = spread_arguments(dim, unbiased, correction)
    return fns._var(input, dim, correction, keepdim)


@composite("std", samples=SPREAD_SAMPLES)
def std(fns, input, dim=None, unbiased: bool = None, keepdim=False, *, correction: Real = None):
    """The standard deviation along ``dim``: the square root of the variance.

    The root of the variance, whose divisor is the number of elements less ``correction``, 1 unless given.

    >>> lw.std(lw.tensor([[1., 3.], [2., 6.]]), dim=1)
    tensor([1.4142, 2.8284])
    """
    dim, correction = spread_arguments(dim, unbiased, correction)
    return fns._std(input, dim, correction, keepdim)


@op("torch._var_mean", outputs="var, mean", kernel="variance_and_mean", batch="dims",
    samples=["3 4 ; dim=1, correction=1, keepdim=False"],
    reference=lambda torch, x, dim, correction, keepdim: torch.var_mean(x, dim, correction=correction, keepdim=keepdim))
def var_mean_(xp, x, dim, correction, keepdim: bool):
    """Variance and mean along ``dim``."""
    return spread_along(xp, "var_mean", x, dim, correction, keepdim), xp.mean(x, axis=axis_of(x, dim), keepdims=keepdim)

@var_mean_.vjp("x")
def var_mean_dx(xp, g_var, g_mean, x, dim, correction, keepdim):
    return var_dx(xp, g_var, x, dim, correction, keepdim) + mean_dx(xp, g_mean, x, dim, keepdim)


@op("torch._std_mean", outputs="std, mean", takes_none=True, kernel="deviation_and_mean", batch="dims",
    samples=["3 4 ; dim=1, correction=1, keepdim=False"],
    reference=lambda torch, x, dim, correction, keepdim: torch.std_mean(x, dim, correction=correction, keepdim=keepdim))
def std_mean_(xp, x, dim, correction, keepdim: bool):
    """Standard deviation and mean along ``dim``."""
    return spread_along(xp, "std_mean", x, dim, correction, keepdim), xp.mean(x, axis=axis_of(x, dim), keepdims=keepdim)

@std_mean_.vjp("x")
def std_mean_dx(xp, g_std, g_mean, x, std, dim, correction, keepdim):
    if g_std is None or g_mean is None:             # of equal values the deviation has none, and the mean has one
        return mean_dx(xp, g_mean, x, dim, keepdim) if g_std is None else std_dx(xp, g_std, x, std, dim, correction, keepdim)
    return std_dx(xp, g_std, x, std, dim, correction, keepdim) + mean_dx(xp, g_mean, x, dim, keepdim)


@composite("torch.var_mean", samples=SPREAD_SAMPLES)
def var_mean(fns, input, dim=None, unbiased: bool = None, keepdim=False, *, correction: Real = None) -> tuple:
    """Variance and mean along ``dim``."""
    dim, correction = spread_arguments(dim, unbiased, correction)
    return tuple(fns._var_mean(input, dim, correction, keepdim))


@composite("torch.std_mean", samples=SPREAD_SAMPLES)
def std_mean(fns, input, dim=None, unbiased: bool = None, keepdim=False, *, correction: Real = None) -> tuple:
    """Standard deviation and mean along ``dim``."""
    dim, correction = spread_arguments(dim, unbiased, correction)
    return tuple(fns._std_mean(input, dim, correction, keepdim))


# --- quantiles -------------------------------------------------------------------------------------------------------

INTERPOLATIONS = ("linear", "lower", "higher", "midpoint", "nearest")


def check_quantile(fns, input, q, interpolation):
    """``q`` as a tensor of the input's dtype, once everything about the call is known to be right."""
    if not input.numel():
        raise RuntimeError("quantile() input tensor must be non-empty")
    if input.dtype not in (dtypes.float32, dtypes.float64):
        raise RuntimeError("quantile() input tensor must be either float or double dtype")
    if interpolation not in INTERPOLATIONS:
        raise RuntimeError("quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, "
                           f"but got {interpolation}")
    if isinstance(q, (int, float)):
        if not 0 <= q <= 1:
            raise RuntimeError(f"quantile() q must be in the range [0, 1] but got {q:g}")
        return fns.full((), q, dtype=input.dtype)
    if q.ndim > 1:
        raise RuntimeError("quantile() q must be a scalar or 1D tensor")
    if q.dtype != input.dtype:
        raise RuntimeError("quantile() q tensor must be same dtype as the input tensor")
    if not fns.all(fns.logical_and(fns.ge(q, 0), fns.le(q, 1))):
        raise RuntimeError("quantile() q values must be in the range [0, 1]")
    return q


def quantile_along(fns, name, input, q, dim, keepdim, interpolation):
    """Quantiles ``q`` of what is sorted along one dim: between two neighbours, as ``interpolation`` says."""
    q = check_quantile(fns, input, q, interpolation)
    shape = tuple(input.shape)
    if dim is None or not shape:
        normalize(dim or 0, len(shape))
        values = fns.reshape(input, (*(1,) * (len(shape) if keepdim else 0), input.numel()))
    elif keepdim:
        values = fns.transpose(fns.unsqueeze(input, -1), normalize(dim, len(shape)), -1)
    else:
        values = fns.movedim(input, normalize(dim, len(shape)), -1)
    ordered = fns.sort(values, -1)[0]                                            # ... n
    if name == "nanquantile":
        last = fns.sub(fns.sum(fns.eq(ordered, ordered), -1, True), 1)           # ... 1: NaN sorts last
    else:
        last = fns.full_like(ordered[..., :1], values.shape[-1] - 1, dtype=dtypes.int64)
        has_nan = fns.any(fns.isnan(ordered), -1, True)
    rank = fns.mul(fns.reshape(q, (-1,)), fns.clamp(last, min=0).to(input.dtype))  # ... q
    if name == "quantile":
        rank = fns.where(has_nan, fns.full_like(rank, values.shape[-1] - 1), rank)  # the last one is NaN
    below = {"lower": fns.floor, "higher": fns.ceil, "nearest": fns.round}.get(interpolation, fns.floor)(rank)
    out = fns.gather(ordered, -1, below.long())
    if interpolation in ("linear", "midpoint"):
        weight = fns.sub(rank, below) if interpolation == "linear" else fns.full_like(rank, 0.5)
        out = fns.lerp(out, fns.gather(ordered, -1, fns.ceil(rank).long()), weight)
    if q.ndim:
        out = out.unsqueeze_(0).transpose_(0, -1)                                # q ... 1
    return out.squeeze_(-1)                                                      # in place: a tensor of its own, no view


@composite("quantile", records_out=True, autocast="float32",
           samples=["3 4 ; q=0.3", "3 4 ; q=0.5, dim=1", "3 4 ; q=0.9, dim=0, keepdim=True",
                    "5 ; q=0.4, interpolation='lower'", "5 ; q=0.4, interpolation='midpoint'",
                    "5 ; q=0.6, interpolation='nearest'", "5 ; q=0.6, interpolation='higher'",
                    "+1.0 +nan +2.0 ; q=0.5"],
           errors=[("3 ; q=1.5", RuntimeError, "quantile() q must be in the range [0, 1] but got 1.5"),
                   ("0 ; q=0.5", RuntimeError, "quantile() input tensor must be non-empty"),
                   ("3 ; q=0.5, interpolation='foo'", RuntimeError, "quantile() interpolation must be one of linear, "
                    "lower, higher, midpoint or nearest, but got foo")])
def quantile(fns, input, q, dim=None, keepdim=False, *, interpolation: str = "linear"):
    """The value below which a part ``q`` of the elements along ``dim`` lies.

    Source: Hyndman and Fan, 1996, The American Statistician 50: "linear" is their definition 7

    >>> lw.quantile(lw.tensor([1., 2., 3., 4.]), lw.tensor([0., 0.5, 1.]))
    tensor([1.0000, 2.5000, 4.0000])
    """
    return quantile_along(fns, "quantile", input, q, dim, keepdim, interpolation)


@composite("nanquantile", records_out=True, autocast="float32", samples=["3 4 ; q=0.3, dim=1", "+1.0 +nan +2.0 +5.0 ; q=0.5"])
def nanquantile(fns, input, q, dim=None, keepdim=False, *, interpolation: str = "linear"):
    """The quantile ``q`` of what is not NaN."""
    return quantile_along(fns, "nanquantile", input, q, dim, keepdim, interpolation)


# --- covariance ------------------------------------------------------------------------------------------------------

def check_weights(name, weights, kind, observations):
    if weights.ndim > 1:
        raise RuntimeError(f"cov(): expected {name} to have one or fewer dimensions but got {name} with {weights.ndim} "
                           "dimensions")
    fits = weights.dtype.is_floating_point if kind == "floating point" else (
        not weights.dtype.is_floating_point and not weights.dtype.is_complex)
    if not fits or weights.dtype.name == "bool":
        raise RuntimeError(f"cov(): expected {name} to have {kind} dtype but got {name} with {scalar_name(weights)} dtype")
    if weights.numel() != observations:
        raise RuntimeError(f"cov(): expected {name} to have the same numel as there are observations in the input but got "
                           f"{weights.numel()} != {observations}")
    if weights.numel() and bool((weights < 0).any()):
        raise RuntimeError(f"cov(): {name} cannot be negative")


@composite("cov", samples=["3 4", "4", " ", "3 4 ; correction=0", "3 4 ; fweights=t.tensor([1, 2, 1, 3])",
                           "3 4 ; aweights=t.tensor([0.1, 0.2, 0.3, 0.4]), correction=0"],
           errors=[("2 2 2", RuntimeError, "cov(): expected input to have two or fewer dimensions but got an input with 3"),
                   ("3 4 ; fweights=t.tensor([1, -2, 1, 3])", RuntimeError, "cov(): fweights cannot be negative")])
def cov(fns, input, *, correction: int = 1, fweights=None, aweights=None):
    """Covariances of the rows of ``input``, whose columns are observations.

    ``fweights`` says how often each observation counts, ``aweights`` how much.
    """
    if input.ndim > 2:
        raise RuntimeError("cov(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.ndim} dimensions")
    if input.dtype.name == "bool":
        raise RuntimeError("cov(): bool dtype is not supported for input")
    rows = input.view(1, -1) if input.ndim < 2 else input
    observations = rows.shape[1]
    for name, weights, kind in (("fweights", fweights, "integral"), ("aweights", aweights, "floating point")):
        if weights is not None:
            check_weights(name, weights, kind, observations)
    weight = fweights if aweights is None else aweights if fweights is None else aweights * fweights
    if weight is None:
        total, mean = observations, rows.sum(1, keepdim=True) / observations if observations else float("nan")
    else:
        total = weight.sum()
        mean = (rows * weight).sum(1, keepdim=True) / total
    if aweights is None or correction == 0:
        freedom = total - correction
    else:
        freedom = total - correction * (weight * aweights).sum() / total
    if freedom <= 0:
        warn("cov(): degrees of freedom is <= 0. Correction should be strictly less than the number of observations.")
        freedom = 0
    centred = rows - mean
    weighted = centred if weight is None else centred * weight
    return (fns.mm(centred, weighted.t().conj()) / freedom).squeeze()


@composite("corrcoef", samples=["3 4", "2 5", " "],
           errors=[("2 2 2", RuntimeError, "corrcoef(): expected input to have two or fewer dimensions but got an input")])
def corrcoef(fns, input):
    """Correlations of the rows of ``input``: their covariances divided by both standard deviations.

    >>> lw.corrcoef(lw.tensor([[1., 2., 3.], [6., 4., 2.]]))
    tensor([[ 1., -1.],
            [-1.,  1.]])
    """
    if input.ndim > 2:
        raise RuntimeError("corrcoef(): expected input to have two or fewer dimensions but got an input with "
                           f"{input.ndim} dimensions")
    covariance = fns.cov(input)
    if covariance.ndim == 0:
        return covariance / covariance
    variance = covariance.diagonal()
    deviation = (variance.real if covariance.dtype.is_complex else variance).sqrt()
    out = covariance / deviation.view(-1, 1) / deviation.view(1, -1)
    return fns.complex(out.real.clip(-1, 1), out.imag.clip(-1, 1)) if out.dtype.is_complex else out.clip(-1, 1)
