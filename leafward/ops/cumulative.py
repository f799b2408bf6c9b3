"""Running sums, products, maxima and logarithms of sums along a dim.

Args:
    dim: the dim to run along; a negative one counts from the end
"""
from leafward import dtypes
from leafward.core.op import composite, op

from leafward.ops.dims import normalize
from leafward.ops.kinds import refuse_kinds
from leafward.ops.reduction import exclusive_cumprod, whole_sum_dtype


def along(dim, start, end):
    """The index that takes ``start:end`` along ``dim``."""
    return (slice(None),) * dim + (slice(start, end),)


def refuse_sums_in_bool(x, dtype, kernel):
    if dtype is dtypes.bool and x.size:
        raise NotImplementedError(f'"{kernel}" not implemented for \'Bool\'')


@op("cumsum", row_major=True, linear=True, inplace=True, casts_out=True, kernel="running_sum",
    batch="dims", samples=["3 4 ; dim=0", "3 4 ; dim=-1"],
    errors=[("3 4 ; dim=2", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)"),
            ("3 ; dim=0, dtype=torch.bool", NotImplementedError, "\"cumsum_out_cpu\" not implemented for 'Bool'")])
def cumsum(xp, x, dim, *, dtype=None):
    """``out[i] = x[0] + ... + x[i]`` along ``dim``; integers add up in int64.

    The last place holds the whole sum.

    >>> lw.cumsum(lw.tensor([1, 2, 3]), dim=0)
    tensor([1, 3, 6])
    """
    dim, dtype = normalize(dim, x.ndim), whole_sum_dtype(x, dtype)
    if x.ndim == 0:
        return x if dtype is None else xp.astype(x, dtype)
    refuse_sums_in_bool(x, dtype, "cumsum_out_cpu")
    return xp.cumulative_sum(x, axis=dim, dtype=dtype)

@cumsum.vjp("x", kernel="running_sum_grad")
def cumsum_dx(xp, g, dim):
    return backwards(xp, g, dim, lambda part: xp.cumsum(part, dim))


def backwards(xp, x, dim, function):
    """``function`` with the order along ``dim`` reversed before and after."""
    if x.ndim == 0:
        return x
    dim = normalize(dim, x.ndim)
    return xp.flip(function(xp.flip(x, axis=dim)), axis=dim)


@op("cumprod", row_major=True, inplace=True, casts_out=True, kernel="running_product",
    batch="dims", samples=["3 4 ; dim=0", "3 4 ; dim=-1", "+2.0 +0.0 -3.0 +0.0 +1.0 ; dim=0"],
    errors=[("3 ; dim=0, dtype=torch.bool", NotImplementedError, "\"cumprod_out_cpu\" not implemented for 'Bool'")])
def cumprod(xp, x, dim, *, dtype=None):
    """``out[i] = x[0] * ... * x[i]`` along ``dim``; integers multiply in int64."""
    dim, dtype = normalize(dim, x.ndim), whole_sum_dtype(x, dtype)
    if x.ndim == 0:
        return x if dtype is None else xp.astype(x, dtype)
    refuse_sums_in_bool(x, dtype, "cumprod_out_cpu")
    return xp.cumulative_prod(x, axis=dim, dtype=dtype)

@cumprod.vjp("x")
def cumprod_dx(xp, g, x, out, dim):
    # dx[k] = sum over i >= k of g[i] * (product of x[0..i] without x[k])
    dim = normalize(dim, x.ndim)
    if x.ndim == 0 or x.shape[dim] == 1:
        return g
    if xp.without_zeros(x):
        return backwards(xp, g * xp.conj(out), dim, lambda part: xp.cumsum(part, dim)) / xp.conj(x)
    # The sum is before[k] * s[k], with s[k] = g[k] + x[k+1] * s[k+1]: no division by zero.
    following = xp.concat([x[along(dim, 1, None)], xp.zeros_like(x[along(dim, 0, 1)])], axis=dim)
    following = xp.flip(xp.conj(following), axis=dim)
    s = backwards(xp, g, dim, lambda part: xp._recurrence(part, following, dim))
    return xp.conj(exclusive_cumprod(xp, x, dim)) * s


@op("torch._recurrence", dtype="promote", batch="dims", samples=["3 4 | 3 4 ; dim=1"],
    reference=lambda torch, b, a, dim: recurrence_in(torch, b, a, dim))
def recurrence(xp, b, a, dim):
    """``h[k] = b[k] + a[k] * h[k-1]`` along ``dim``, starting from ``h[-1] = 0``."""
    h = xp.copy(b)
    for k in range(1, b.shape[dim]):
        here, before = along(dim, k, k + 1), along(dim, k - 1, k)
        h[here] += a[here] * h[before]
    return h

@recurrence.vjp("b")
def recurrence_db(xp, g, a, dim):
    return carried_back(xp, g, a, dim)

@recurrence.vjp("a")
def recurrence_da(xp, g, a, out, dim):
    before = xp.concat([xp.zeros_like(out[along(dim, 0, 1)]), out[along(dim, 0, -1)]], axis=dim)
    return carried_back(xp, g, a, dim) * xp.conj(before)


def carried_back(xp, g, a, dim):
    """``s[k] = g[k] + a[k+1] * s[k+1]``: the recurrence run from the end."""
    following = xp.concat([a[along(dim, 1, None)], xp.zeros_like(a[along(dim, 0, 1)])], axis=dim)
    following = xp.flip(xp.conj(following), axis=dim)
    return backwards(xp, g, dim, lambda part: xp._recurrence(part, following, dim))


def recurrence_in(torch, b, a, dim):
    rows, last = [], None
    for x, factor in zip(b.unbind(dim), a.unbind(dim), strict=True):
        last = x if last is None else x + factor * last
        rows.append(last)
    return torch.stack(rows, dim)


@op("logcumsumexp", row_major=True, kernel="running_logarithm", batch="dims",
    samples=["3 4 ; dim=0", "3 4 ; dim=-1", " ; dim=0", "-90.0 +90.0 -90.0 ; dim=0"],
    errors=[("int5: 3 ; dim=0", NotImplementedError, "\"logcumsumexp_out_cpu\" not implemented for 'Long'")])
def logcumsumexp(xp, x, dim):
    """``out[i] = log(exp(x[0]) + ... + exp(x[i]))`` along ``dim``."""
    refuse_kinds(x, "bui", "logcumsumexp_out_cpu")
    dim = normalize(dim, x.ndim)
    if x.ndim == 0:
        return x
    wide = xp.astype(x, dtypes.float32) if xp.is_half(x.dtype) else x
    if x.dtype.kind == "c":
        return complex_logcumsumexp(xp, x, dim)
    return xp.astype(xp.logaddexp.accumulate(wide, dim), x.dtype)

def complex_logcumsumexp(xp, x, dim):
    out = xp.empty_like(x)
    before = xp.full_like(x[along(dim, 0, 1)], -xp.inf)
    for k in range(x.shape[dim]):
        here = x[along(dim, k, k + 1)]
        larger = before.real > here.real
        most, least = xp.where(larger, before, here), xp.where(larger, here, before)
        total = most + xp.log(1 + xp.exp(least - most))                         # the angle may go round: as in PyTorch
        same = xp.isinf(before.real) & (before.real == here.real)               # their difference would be nan
        total = xp.where(same, xp.where(before.real < 0, before, xp.log(xp.exp(before) + xp.exp(here))), total)
        before = xp.where(xp.isnan(before) | xp.isnan(here), complex(xp.nan, xp.nan), total)
        out[along(dim, k, k + 1)] = before
    return out

@logcumsumexp.vjp("x")
def logcumsumexp_dx(xp, g, x, out, dim):
    # dx[k] = exp(x[k] - out[k]) * t[k], with t[k] = g[k] + exp(out[k] - out[k+1]) * t[k+1]: every factor is at most 1.
    if x.ndim == 0:
        return g
    dim = normalize(dim, x.ndim)
    shrink = quotient_of_powers(xp, out[along(dim, 0, -1)], out[along(dim, 1, None)])
    shrink = xp.flip(xp.concat([shrink, xp.zeros_like(out[along(dim, 0, 1)])], axis=dim), axis=dim)
    t = backwards(xp, g, dim, lambda part: xp._recurrence(part, shrink, dim))
    return t * quotient_of_powers(xp, x, out)


def quotient_of_powers(xp, x, y):
    """``conj(exp(x) / exp(y))``; 1 for equal infinities: with -inf nothing was added yet. NaN stays."""
    size = xp.real(x)
    return xp.conj(xp.exp(xp.where(xp.isinf(size) & (size == xp.real(y)), xp.zeros_like(x), x - y)))


# --- running extremes ------------------------------------------------------------------------------------------------

def running_extreme(xp, x, dim, reach, name):
    """Running values along ``dim`` and where each was last seen; NaN wins over everything from where it appears."""
    dim = normalize(dim, x.ndim)
    if x.ndim == 0:
        return x, xp.zeros((), dtype=dtypes.int64)
    refuse_kinds(x, "c", f"{name}_cpu")
    values = reach.accumulate(x, dim)
    places = xp.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    reached = (x == values) | (x != x)
    return values, xp.maximum.accumulate(xp.where(reached, places, 0), dim)


@op("cummax", row_major=True, outputs="values, indices", no_grad_outputs="indices", node="CummaxBackward0",
    kernel="running_maximum", batch="dims",
    samples=["3 4 ; dim=0", "3 4 ; dim=-1", "+1.0 +1.0 +0.0 +2.0 +2.0 ; dim=0", "+1.0 +nan +3.0 +nan ; dim=0"],
    errors=[("3 4 ; dim=2", IndexError, "Dimension out of range (expected to be in range of [-2, 1], but got 2)")])
def cummax(xp, x, dim):
    """The largest so far along ``dim``, and where it is (the last place of equals)."""
    return running_extreme(xp, x, dim, xp.maximum, "cummax")

@cummax.vjp("x")
def cummax_dx(xp, g_values, indices, dim):
    return xp._gather_backward(g_values, dim, indices, g_values.shape)


@op("cummin", row_major=True, outputs="values, indices", no_grad_outputs="indices", node="CumminBackward0",
    kernel="running_minimum", batch="dims",
    samples=["3 4 ; dim=0", "3 4 ; dim=-1", "+1.0 +1.0 +2.0 +0.0 +0.0 ; dim=0"])
def cummin(xp, x, dim):
    """The smallest so far along ``dim``, and where it is (the last place of equals)."""
    return running_extreme(xp, x, dim, xp.minimum, "cummin")

@cummin.vjp("x")
def cummin_dx(xp, g_values, indices, dim):
    return xp._gather_backward(g_values, dim, indices, g_values.shape)


@composite("diff", samples=["5", "3 4 ; n=2", "3 4 ; dim=0"],
           errors=[("", RuntimeError, "diff expects input to be at least one-dimensional"),
                   ("4 ; prepend=t.ones(2, 2)", RuntimeError,
                    "diff expects prepend or append to be the same dimension as input")])
def diff(fns, input, n: int = 1, dim=-1, prepend=None, append=None):
    """Differences of neighbours along ``dim``, ``n`` times over.

    Args:
        n: how often to take differences
        dim: the dim to work along: the last unless given
        prepend: what is put in front first; None: nothing
        append: what is put behind first; None: nothing
    """
    if input.ndim == 0:
        raise RuntimeError("diff expects input to be at least one-dimensional")
    if n < 0:
        raise RuntimeError(f"order must be non-negative but got {n}")
    if n == 0 and prepend is None and append is None:
        return fns.clone(input)                             # whatever the dim
    dim = normalize(dim, input.ndim)
    if any(part is not None and part.ndim != input.ndim for part in (prepend, append)):
        raise RuntimeError("diff expects prepend or append to be the same dimension as input")
    parts = [part for part in (prepend, input, append) if part is not None]
    input = fns.cat(parts, dim) if len(parts) > 1 else input
    for _ in range(min(n, input.shape[dim])):
        later, earlier = fns._slice(input, dim, 1), fns._slice(input, dim, 0, -1)
        input = fns.logical_xor(later, earlier) if input.dtype is dtypes.bool else fns.sub(later, earlier)
    return fns.clone(input) if n == 0 else input
