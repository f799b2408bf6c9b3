"""Causal masks for queries and keys of different lengths."""
from __future__ import annotations

from enum import IntEnum

import leafward as lw

__all__ = ["CausalBias", "CausalVariant", "causal_lower_right", "causal_upper_left"]


class CausalVariant(IntEnum):
    """At which corner the diagonal of the mask ends."""

    UPPER_LEFT = 1
    LOWER_RIGHT = 2


class CausalBias(lw.Tensor):
    """A bool mask that tells where it came from: ``variant``, ``seq_len_q`` and ``seq_len_kv``."""

    __torch_function__ = lw._C._disabled_torch_function_impl    # what is computed with it is an ordinary tensor

    def __new__(cls, variant: CausalVariant, seq_len_q: int, seq_len_kv: int) -> CausalBias:
        first = seq_len_kv - seq_len_q if variant is CausalVariant.LOWER_RIGHT else 0
        mask = lw.ones(seq_len_q, seq_len_kv, dtype=lw.bool).tril(first).as_subclass(cls)
        mask.variant, mask.seq_len_q, mask.seq_len_kv = variant, seq_len_q, seq_len_kv
        return mask


def causal_upper_left(*size: int) -> CausalBias:
    """The mask of ``size`` (queries, keys) in which query ``i`` sees keys 0 to ``i``.

    >>> lw.nn.attention.bias.causal_upper_left(2, 3).int()
    tensor([[1, 0, 0],
            [1, 1, 0]], dtype=torch.int32)
    """
    if len(size) != 2:
        raise RuntimeError("causal_upper_left only supports 2D tensors")
    return CausalBias(CausalVariant.UPPER_LEFT, *size)


def causal_lower_right(*size: int) -> CausalBias:
    """The mask of ``size`` (queries, keys) in which the last query sees all keys, the one before it one less, and so on.

    >>> lw.nn.attention.bias.causal_lower_right(2, 3).int()
    tensor([[1, 1, 0],
            [1, 1, 1]], dtype=torch.int32)
    """
    if len(size) != 2:
        raise RuntimeError("causal_lower_right only supports 2D tensors")
    return CausalBias(CausalVariant.LOWER_RIGHT, *size)
