"""Attention, and how alike or far apart vectors are.

Args:
    x1: one set of vectors
    x2: the other
    p: the order of the norm: 2 is the Euclidean distance, inf the largest difference
    eps: what keeps the denominator or the difference from zero
"""
import math

from leafward import dtypes
from leafward.core.op import composite, op, recorded
from leafward.errors import OptionError

from leafward.ops import dims
from leafward.ops.checks import cpp_name, scalar_name
from leafward.ops.kinds import refuse_kinds, result_type
from leafward.ops.reduction import linalg_vector_norm, linalg_vector_norm_dx

# --- attention -------------------------------------------------------------------------------------------------------

def check_attention(query, key, value, attn_mask, is_causal):
    if min(query.ndim, key.ndim, value.ndim) < 2:
        raise RuntimeError("Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: "
                           f"{query.ndim} key.dim: {key.ndim} and value.dim: {value.ndim} instead.")
    if not query.dtype == key.dtype == value.dtype:
        raise RuntimeError(f"Expected query, key, and value to have the same dtype, but got query.dtype: "
                           f"{cpp_name(query)} key.dtype: {cpp_name(key)} and value.dtype: {cpp_name(value)} instead.")
    if attn_mask is None:
        return
    if is_causal:
        raise RuntimeError("_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True")
    if attn_mask.dtype.name not in ("bool", "float32", query.dtype.name):
        raise RuntimeError("Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                           f"attn_mask.dtype: {cpp_name(attn_mask)} and  query.dtype: {cpp_name(query)} instead.")


@op("torch._attention", nondifferentiable="mask", node="ScaledDotProductFlashAttentionForCpuBackward0",
    samples=["1 2 3 4 | 1 2 5 4 | 1 2 5 6 ; scale=0.5, causal=False", "2 1 3 2 | 2 1 4 2 | 2 1 4 2 ; scale=0.7, causal=True",
             "1 2 3 4 | 1 2 5 4 | 1 2 5 4 | 3 5 ; scale=-0.5, causal=False"])
def attention(xp, query, key, value, mask=None, *, scale, causal):
    """``softmax(scale * query @ key.mT + mask) @ value`` for four dims, a block of queries at a time."""
    refuse_kinds(query, "biuc", "softmax_lastdim_kernel_impl")
    return xp.kernels.attend(query, key, value, mask, scale, causal)


@attention.vjp("query, key, value")
def attention_d(xp, g, query, key, value, mask, scale, causal):
    return xp._attention_backward(g, query, key, value, mask, scale=scale, causal=causal)


@attention.decomposition
def attention_parts(fns, query, key, value, mask, scale, causal):
    mask = None if mask is None else mask.detach()
    return fns.matmul(shares_of(fns, query, key, mask, scale, causal), value)


def shares_of(xp, query, key, mask, scale, causal):
    """How much of each value a query gets."""
    scores = xp.matmul(query, xp.swapaxes(key, -2, -1)) * scale
    if causal:
        scores = xp.where(xp.tril(xp.ones_like(scores)) > 0, scores, float("-inf"))
    if mask is None:
        return xp.softmax(scores, -1)
    scores = scores + mask
    blind = xp.all(scores == float("-inf"), axis=-1, keepdims=True)
    return xp.where(blind, 0.0, xp.softmax(xp.where(blind, 0.0, scores), -1))


@op("torch._attention_backward", outputs="dquery, dkey, dvalue", nondifferentiable="mask",
    samples=["1 2 3 6 | 1 2 3 4 | 1 2 5 4 | 1 2 5 6 ; scale=0.5, causal=False",
             "2 1 3 2 | 2 1 3 2 | 2 1 4 2 | 2 1 4 2 ; scale=0.7, causal=True",
             "1 2 3 4 | 1 2 3 4 | 1 2 5 4 | 1 2 5 4 | 3 5 ; scale=-0.5, causal=False"])
def attention_backward(xp, grad, query, key, value, mask=None, *, scale, causal):
    """The gradients of ``_attention`` for query, key and value."""
    return xp.kernels.attend_backward(grad, query, key, value, mask, scale, causal)


@attention_backward.vjp("grad, query, key, value")
def attention_backward_d(xp, g_dquery, g_dkey, g_dvalue, grad, query, key, value, mask, scale, causal):
    # With shares p, slopes t = grad @ value.mT and s = p (t - mean(t)), where mean(v) = sum(p v), the outputs are
    # scale s @ key, scale s.mT @ query and p.mT @ grad.
    def turned(v):
        return xp.swapaxes(v, -2, -1)

    def mean(v):
        return xp.sum(shares * v, axis=-1, keepdims=True)

    shares, slopes = shares_of(xp, query, key, mask, scale, causal), xp.matmul(grad, turned(value))
    centred = slopes - mean(slopes)
    of_s = scale * (xp.matmul(g_dquery, turned(key)) + xp.matmul(query, turned(g_dkey)))
    of_slopes = shares * (of_s - mean(of_s))
    of_shares = of_s * centred - slopes * mean(of_s) + xp.matmul(grad, turned(g_dvalue))
    of_scores = scale * shares * (of_shares - mean(of_shares))
    s = scale * shares * centred
    return (xp.matmul(of_slopes, value) + xp.matmul(shares, g_dvalue), xp.matmul(s, g_dkey) + xp.matmul(of_scores, key),
            xp.matmul(turned(s), g_dquery) + xp.matmul(turned(of_scores), query), xp.matmul(turned(of_slopes), grad))


def is_plain(query, key, value, attn_mask, dropout_p):
    """Whether ``_attention`` does it, for which PyTorch's has the same conditions: four dims, one width, nothing empty, no
    gradient for the mask. Others go by way of all shares."""
    lead, width = tuple(query.shape[:-2]), query.shape[-1]
    return (query.ndim == 4 and lead == tuple(key.shape[:-2]) == tuple(value.shape[:-2]) and not dropout_p > 0
            and width == key.shape[-1] == value.shape[-1] and key.shape[-2] == value.shape[-2]
            and query.dtype.name in ("float32", "float64") and all(x.numel() for x in (query, key, value))
            and (attn_mask is None or not recorded(attn_mask)))


@composite("nn.functional.scaled_dot_product_attention",
           autocast="low",
           samples=["2 3 4 | 2 3 4 | 2 3 4", "1 2 3 4 | 1 2 5 4 | 1 2 5 6", "2 3 4 | 2 3 4 | 2 3 4 ; is_causal=True",
                    "1 2 3 4 | 1 2 5 4 | 1 2 5 4 ; is_causal=True", "2 2 3 4 | 2 2 5 4 | 2 2 5 4 | bool: 3 5",
                    "2 3 4 | 2 5 4 | 2 5 4 | bool: 3 5", "2 3 4 | 2 5 4 | 2 5 4 | 3 5 ; scale=0.3",
                    "1 4 3 2 | 1 2 3 2 | 1 2 3 2 ; enable_gqa=True",
                    "1 3 4 | 1 5 4 | 1 5 2 ; scale=-1.5"],
           errors=[("3 | 3 4 | 3 4", RuntimeError, "Expected query, key, and value to all be  at least 2 dimensional"),
                   ("1 3 3 2 | 1 2 3 2 | 1 2 3 2 ; enable_gqa=True", RuntimeError,
                    "Number of heads in key and value must divide the number of heads in ")])
def scaled_dot_product_attention(fns, query, key, value, attn_mask=None, dropout_p=0.0, is_causal=False, *, scale=None,
                                 enable_gqa=False):
    """Mean of the values, weighted by how well their keys answer: ``softmax(scale * query @ key.mT + mask) @ value``.

    ``query`` is ``(*, l, e)``, ``key`` ``(*, s, e)`` and ``value`` ``(*, s, v)``; the result is ``(*, l, v)``. A boolean
    ``attn_mask`` says which keys take part, any other is added to the scores. A query that may see no key gets zeros.

    Args:
        query: what is asked for, `(*, l, e)`
        key: what answers, `(*, s, e)`
        value: what is averaged, `(*, s, v)`
        attn_mask: which keys take part, or what is added to their scores; None: all
        dropout_p: the probability with which a weight is zeroed
        is_causal: True: a query sees the keys up to its own place only
        scale: the factor of the scores; None: `1 / sqrt(e)`
        enable_gqa: True: groups of queries share a head of keys and values
    Source: Vaswani et al., 2017, arXiv:1706.03762
    """
    check_attention(query, key, value, attn_mask, is_causal)
    if not (query.shape[-2] and value.numel()):      # nobody asks, or nothing is there: zeros, of gradients, too
        nothing = fns.cat([x.reshape(-1)[:0] for x in (query, key, value)]).sum()
        return fns.zeros((*query.shape[:-1], value.shape[-1]), dtype=query.dtype) + nothing
    if enable_gqa:
        heads = [dims.size_at(x, -3) for x in (query, key, value)]
        if heads[0] % heads[1] or heads[0] % heads[2]:
            raise RuntimeError("Number of heads in key and value must divide the number of heads in ")
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
        value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
    if dropout_p > 1:
        raise RuntimeError(f"dropout probability has to be between 0 and 1, but got {dropout_p:g}")
    if attn_mask is not None:
        scores = (*dims.broadcast(query.shape[:-2], key.shape[:-2]), query.shape[-2], key.shape[-2])
        dims.refuse_wider(scores, attn_mask.shape)
    if query.dtype.itemsize == 2:                    # in float32, rounded once
        if attn_mask is not None and attn_mask.dtype.is_floating_point:
            attn_mask = attn_mask.float()
        return fns.scaled_dot_product_attention(query.float(), key.float(), value.float(), attn_mask, dropout_p, is_causal,
                                                scale=scale).to(query.dtype)
    if scale is None:
        scale = max(query.shape[-1], 1) ** -0.5
    if is_plain(query, key, value, attn_mask, dropout_p):
        if dropout_p != 0 and all(x.stride(-1) == 1 for x in (query, key, value)):
            raise RuntimeError("scaled_dot_product_attention_flash_attention: Currently do not support dropout > 0")
        if attn_mask is not None:
            if attn_mask.dtype.name == "bool":
                attn_mask = fns.zeros(attn_mask.shape, dtype=query.dtype).masked_fill(attn_mask.logical_not(), float("-inf"))
            attn_mask = attn_mask.to(query.dtype)
        return fns._attention(query, key, value, attn_mask, scale=scale, causal=is_causal)
    root = abs(scale) ** 0.5                         # on both sides, so that half types do not overflow in between
    scores = fns.matmul(query * (root if scale >= 0 else -root), key.transpose(-2, -1) * root)
    if is_causal:
        attn_mask = fns.ones(scores.shape[-2:], dtype=scores.dtype).tril() != 0
    if attn_mask is None:
        weights = fns.softmax(scores, -1)
    else:
        if attn_mask.dtype.name == "bool":
            scores = scores.masked_fill(attn_mask.logical_not(), float("-inf"))
        else:
            scores = scores + attn_mask
        blind = (scores == float("-inf")).all(-1, keepdim=True)
        weights = fns.softmax(scores.masked_fill(blind, 0.0), -1).masked_fill(blind, 0.0)
    if dropout_p > 0:
        weights = fns.dropout(weights, dropout_p, True)
    return fns.matmul(weights, value)


# --- likeness and distance -------------------------------------------------------------------------------------------

@composite("cosine_similarity", "nn.functional.cosine_similarity",
           samples=["3 4 | 3 4", "2 3 4 | 2 3 4 ; dim=-1", "3 4 | 4 ; dim=1", "+0. +0. | +1. +2. ; dim=0"])
def cosine_similarity(fns, x1, x2, dim=1, eps=1e-08):
    """Cosine of the angle between vectors along ``dim``: ``sum(x1 * x2) / (norm(x1) * norm(x2))``, norms at least ``eps``."""
    common = result_type((x1.dtype, x1.ndim), (x2.dtype, x2.ndim))
    if not common.is_floating_point:
        raise RuntimeError("expected common dtype to be floating point, yet common dtype is "
                           f"{dtypes.scalar_name(common)}")
    if eps < 0:
        raise RuntimeError(f"eps must be non-negative, got: {eps:g}")
    x1, x2 = fns.broadcast_tensors(x1.to(common), x2.to(common))

    def length(x):
        # The gradient is that of the norm itself, also where eps replaces its value.
        norm = fns.linalg_vector_norm(x, 2, dim, keepdim=True)
        if not recorded(x):
            return norm.clamp_min(eps)
        value = norm.detach()
        return norm + (value.clamp_min(eps) - value)
    return (x1 / length(x1) * (x2 / length(x2))).sum(dim)


# As PyTorch's C++ code has it: the older norm, whose node has another name.
norm = op("torch._norm", node="NormBackward1", batch="dims", samples=["3 4 ; ord=2, dim=1"])(linalg_vector_norm.forward)
norm.vjp("x")(linalg_vector_norm_dx)


def gap_in_torch(torch, x, y, eps):
    common = torch.result_type(x, y)
    common = common if common.is_floating_point or common.is_complex else torch.get_default_dtype()
    return torch.as_tensor(x).to(common) - torch.as_tensor(y).to(common) + eps


@op("torch._gap", elementwise=True, dtype="floating", inplace=False, reference=gap_in_torch,
    samples=["3 4 | 3 4 ; eps=0.1", "4 | 3 4 ; eps=1e-6"])
def gap(xp, x, y, eps: float, out=None):
    """``out = (x - y) + eps``."""
    return xp.add(x - y, eps, out=out)


@gap.vjp("x")
def gap_dx(g):
    return g


@gap.vjp("y")
def gap_dy(g):
    return -g


@composite("torch.pairwise_distance", "nn.functional.pairwise_distance",
           samples=["3 4 | 3 4", "4 | 3 4 ; p=1.0", "3 4 | 3 4 ; keepdim=True, eps=0.1"])
def pairwise_distance(fns, x1, x2, p: float = 2.0, eps=1e-06, keepdim=False):
    """The ``p``-norm of ``x1 - x2 + eps`` along the last dimension."""
    eps, dtype = float(eps), x1.dtype                          # a bool counts as a number
    together = x2.dtype is dtype and dtype.is_floating_point and dtype.itemsize >= 4        # others are rounded in between
    return fns._norm(fns._gap(x1, x2, eps) if together else x1 - x2 + eps, p, -1, keepdim)


@op("torch._cdist", kernel="distances_of_rows", row_major=True, node="CdistBackward0",
    samples=["3 4 | 5 4 ; p=2.0", "2 3 4 | 5 4 ; p=1.0", "0 4 | 5 4 ; p=2.0", "3 4 | 2 5 4 ; p=2.0, by_product=True"])
def distances(xp, x, y, p, by_product=False):
    """The ``p``-norm distance of every row of ``x`` from every row of ``y``.

    With ``by_product`` the Euclidean one as ``sqrt(x x + y y - 2 x y)``, of which rows that lie close leave few digits
    (the kernel takes the differences of short rows nevertheless).
    """
    if by_product:
        if x.dtype.kind == "c":
            raise RuntimeError("cdist only supports floating-point dtypes")
        size_x, size_y = (xp.sum(v * v, axis=-1, keepdims=True) for v in (x, y))
        x = xp.concat([-2 * x, size_x, xp.ones_like(size_x)], axis=-1)
        y = xp.concat([y, xp.ones_like(size_y), size_y], axis=-1)
        return xp.sqrt(xp.maximum(xp.kernels.matmul(x, xp.matrix_transpose(y)), 0))
    return xp.linalg_vector_norm(differences(xp, x, y), p, -1)


def differences(xp, x, y):
    return xp.expand_dims(x, axis=-2) - xp.expand_dims(y, axis=-3)


@distances.vjp("x, y", kernel="distances_of_rows_grad")
def distances_d(xp, g, x, y, out, p, by_product):
    if by_product:
        share = xp.where(out == 0, 0, g / xp.where(out == 0, 1, out))
        of_x, of_y = (xp.expand_dims(xp.sum(share, axis=a), axis=-1) for a in (-1, -2))
        return x * of_x - xp.matmul(share, y), y * of_y - xp.matmul(xp.matrix_transpose(share), x)
    each = linalg_vector_norm_dx(xp, g, differences(xp, x, y), out, p, -1, False)
    if each is None:                                    # of the 0-norm
        return xp.zeros_like(x), xp.zeros_like(y)
    return xp.sum(each, axis=-2), -xp.sum(each, axis=-3)


CDIST_MODES = ("use_mm_for_euclid_dist_if_necessary", "use_mm_for_euclid_dist", "donot_use_mm_for_euclid_dist")


@composite("torch.cdist", autocast="float32", samples=["3 4 | 5 4", "2 3 4 | 5 4 ; p=1.0", "3 4 | 5 4 ; p=inf", "0 4 | 5 4"],
           errors=[("3 4 | 5 3", RuntimeError, "X1 and X2 must have the same number of columns. X1: 4 X2: 3"),
                   ("3 4 | 5 4 ; p='a'", TypeError, "cdist(): argument 'p' "),
                   ("3 4 | 5 4 ; compute_mode='a'", ValueError, "a is not a valid value for compute_mode")])
def cdist(fns, x1, x2, p=2.0, compute_mode="use_mm_for_euclid_dist_if_necessary"):
    """The ``p``-norm distance of every row of ``x1`` from every row of ``x2``: ``(*, n, d), (*, m, d) -> (*, n, m)``.

    Args:
        compute_mode: whether Euclidean distances may go by a product of matrices: `"use_mm_for_euclid_dist_if_necessary"`,
            `"use_mm_for_euclid_dist"` or `"donot_use_mm_for_euclid_dist"`
    """
    if compute_mode not in CDIST_MODES:
        raise ValueError(f"{compute_mode} is not a valid value for compute_mode")
    for name, x in (("X1", x1), ("X2", x2)):
        if x.ndim < 2:
            raise RuntimeError(f"cdist only supports at least 2D tensors, {name} got: {x.ndim}D")
        if not x.dtype.is_floating_point:
            raise RuntimeError(f"cdist only supports floating-point dtypes, {name} got: {scalar_name(x)}")
    if x1.shape[-1] != x2.shape[-1]:
        raise RuntimeError("X1 and X2 must have the same number of columns. "
                           f"X1: {x1.shape[-1]} X2: {x2.shape[-1]}")
    if not (isinstance(p, (int, float)) or hasattr(p, "__float__")):
        raise OptionError(p, "float")
    if not p >= 0:
        raise RuntimeError("cdist only supports non-negative p values")
    if x1.dtype != x2.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x1)} but found {scalar_name(x2)}")
    if p == math.inf and x1.dtype.itemsize == 2:        # rounded, no distance would say which difference is the largest
        return fns._cdist(x1.float(), x2.float(), p, False).to(x1.dtype)
    many = compute_mode == CDIST_MODES[0] and max(x1.shape[-2], x2.shape[-2]) > 25
    return fns._cdist(x1, x2, p, bool(p == 2) and (many or compute_mode == CDIST_MODES[1]))


@op("torch._pdist", kernel="distances_of_pairs", node="PdistBackward0", samples=["4 3 ; p=2.0", "5 2 ; p=1.0"])
def row_distances(xp, x, p):
    """The ``p``-norm distances of the rows of ``x`` in pairs: each row's from those behind it."""
    rows, columns = pairs(xp, x.shape[0])
    return xp.linalg_vector_norm(xp.take(x, rows, axis=0) - xp.take(x, columns, axis=0), p, -1)


def pairs(xp, n):
    """The numbers of both members of each pair of ``n``."""
    numbers = xp.arange(n)
    found = xp._nonzero(xp.expand_dims(numbers, axis=1) < numbers)
    return found[:, 0], found[:, 1]


@row_distances.vjp("x", kernel="distances_of_pairs_grad")
def row_distances_dx(xp, g, x, out, p):
    rows, columns = pairs(xp, x.shape[0])
    each = linalg_vector_norm_dx(xp, g, xp.take(x, rows, axis=0) - xp.take(x, columns, axis=0), out, p, -1, False)
    if each is None:                                    # of the 0-norm
        return xp.zeros_like(x)
    return xp.index_add(xp.index_add(xp.zeros_like(x), 0, rows, each), 0, columns, -each)


@composite("torch.pdist", "nn.functional.pdist", samples=["4 3", "3 2 ; p=1.0", "3 4 ; p=inf", "3 4 ; p=3.0"],
           errors=[("4 3 ; p=-1.0", RuntimeError, "pdist only supports non-negative p values"),
                   ("4 3 ; p=nan", RuntimeError, "pdist only supports non-negative p values")])
def pdist(fns, input, p=2.0):
    """The distances of ``cdist(input, input)`` above the diagonal, row by row.

    Args:
        input: the vectors, one in each row
    """
    if input.ndim != 2:
        raise RuntimeError(f"pdist only supports 2D tensors, got: {input.ndim}D")
    if not input.dtype.is_floating_point:
        raise RuntimeError("pdist only supports floating-point dtypes")
    if not p >= 0:
        raise RuntimeError("pdist only supports non-negative p values")
    if p == math.inf and input.dtype.itemsize == 2:     # as cdist
        return fns._pdist(input.float(), p if input.shape[1] else 2.0).to(input.dtype)
    return fns._pdist(input, p if input.shape[1] else 2.0)      # vectors of nothing lie at distance 0 by any norm
