"""Attention: means of values weighted by how well their keys answer, in C (``attention_loops.c``) or by products of NumPy.

Axes: n batch, h heads, l queries, s keys, e and v widths.
"""
import numpy as np

from leafward.arrays.kernels.products import matmul

try:
    from leafward.arrays.kernels import attention_entry as compiled
except ImportError:                       # not compiled: products, and all shares at once
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled


def spread(mask, query, key):
    """``mask`` with the dims of the scores: a view."""
    return None if mask is None else np.broadcast_to(mask, (*query.shape[:-1], key.shape[-2]))


def shares_of(query, key, mask, scale, causal):
    """How much of each value a query gets, ``n h l s``: in all 1, or nothing where its mask leaves it no key."""
    scores = matmul(query, key.swapaxes(-1, -2)) * query.dtype.type(scale)
    if causal:
        scores[..., ~np.tri(*scores.shape[-2:], dtype=bool)] = -np.inf
    if mask is None:
        blind = False
    else:
        scores += mask
        blind = (scores == -np.inf).all(-1, keepdims=True)
    shares = np.exp(scores - np.where(blind, 0, scores.max(-1, keepdims=True)))
    return shares / np.where(blind, 1, shares.sum(-1, keepdims=True))


def attend(query, key, value, mask, scale, causal):
    """``softmax(scale * query @ key.mT + mask) @ value``; ``causal``: no query sees a key after its own place."""
    mask = spread(mask, query, key)
    if compiled:
        out = compiled.attend_to(query, key, value, mask, scale, causal)
        if out is not None:
            return out
    return np.ascontiguousarray(matmul(shares_of(query, key, mask, scale, causal), value))


def attend_backward(grad, query, key, value, mask, scale, causal):
    """The gradients of :func:`attend` for query, key and value."""
    mask = spread(mask, query, key)
    if compiled:
        found = compiled.attend_to_backward(grad, query, key, value, mask, scale, causal)
        if found is not None:
            return found
    shares = shares_of(query, key, mask, scale, causal)
    slopes = matmul(grad, value.swapaxes(-1, -2))
    slopes = shares * (slopes - (shares * slopes).sum(-1, keepdims=True)) * grad.dtype.type(scale)
    return matmul(slopes, key), matmul(slopes.swapaxes(-1, -2), query), matmul(shares.swapaxes(-1, -2), grad)
