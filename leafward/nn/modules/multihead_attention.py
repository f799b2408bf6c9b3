"""``MultiheadAttention``: every query reads a weighted mean of the values, in several slices at once."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.nn import functional as F, init
from leafward.nn.modules.linear import NonDynamicallyQuantizableLinear
from leafward.nn.modules.module import Module
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class MultiheadAttention(Module):
    """``softmax(Q K^T / sqrt(d)) V`` in ``num_heads`` slices of the projected inputs, projected back by ``out_proj``.

    Shape: query (l, n, embed_dim), key (s, n, kdim), value (s, n, vdim), n first with ``batch_first``
    -> output as the query, weights (n, l, s), or (n, heads, l, s) unless ``average_attn_weights``.

    embed_dim: features of queries and outputs, a multiple of ``num_heads``
    num_heads: heads, of ``d = embed_dim / num_heads`` features each
    dropout: probability with which a weight is dropped while training
    bias: whether the four projections add a bias
    add_bias_kv: whether a trained position is added to keys and values
    add_zero_attn: whether a position of zeros is added to keys and values
    kdim, vdim: features of keys and values; None: ``embed_dim``
    batch_first: whether inputs and output are (n, time, features)
    {device, dtype}
    Source: Vaswani et al., Attention Is All You Need, 2017.
    Raises: AssertionError where ``num_heads`` does not divide ``embed_dim``

    >>> from leafward import nn
    >>> x = leafward.ones(2, 5, 8)
    >>> output, weights = nn.MultiheadAttention(8, 2, batch_first=True)(x, x, x)
    >>> output.shape, weights.shape
    (torch.Size([2, 5, 8]), torch.Size([2, 5, 5]))
    """

    __constants__ = ["batch_first"]

    def __init__(self, embed_dim: int, num_heads: int, dropout: float = 0.0, bias: bool = True, add_bias_kv: bool = False,
                 add_zero_attn: bool = False, kdim: int | None = None, vdim: int | None = None, batch_first: bool = False,
                 device: Device | None = None, dtype: DType | None = None) -> None:
        if embed_dim <= 0 or num_heads <= 0:
            raise ValueError(f"embed_dim and num_heads must be greater than 0, got embed_dim={embed_dim} and "
                             f"num_heads={num_heads} instead")
        super().__init__()
        self.embed_dim = embed_dim
        self.kdim = embed_dim if kdim is None else kdim
        self.vdim = embed_dim if vdim is None else vdim
        self._qkv_same_embed_dim = self.kdim == embed_dim and self.vdim == embed_dim
        self.num_heads = num_heads
        self.dropout = dropout
        self.batch_first = batch_first
        self.head_dim = embed_dim // num_heads
        if self.head_dim * num_heads != embed_dim:
            raise AssertionError("embed_dim must be divisible by num_heads")

        def made(*shape):
            return Parameter(lw.empty(shape, device=device, dtype=dtype))

        packed = self._qkv_same_embed_dim
        for name, width in (("q_proj_weight", embed_dim), ("k_proj_weight", self.kdim), ("v_proj_weight", self.vdim)):
            self.register_parameter(name, None if packed else made(embed_dim, width))
        self.register_parameter("in_proj_weight", made(3 * embed_dim, embed_dim) if packed else None)
        self.register_parameter("in_proj_bias", made(3 * embed_dim) if bias else None)
        self.out_proj = NonDynamicallyQuantizableLinear(embed_dim, embed_dim, bias=bias, device=device, dtype=dtype)
        self.bias_k = made(1, 1, embed_dim) if add_bias_kv else None
        self.bias_v = made(1, 1, embed_dim) if add_bias_kv else None
        self.add_zero_attn = add_zero_attn
        self._reset_parameters()

    def _reset_parameters(self):
        for weight in (self.in_proj_weight, self.q_proj_weight, self.k_proj_weight, self.v_proj_weight):
            if weight is not None:
                init.xavier_uniform_(weight)
        if self.in_proj_bias is not None:
            init.constant_(self.in_proj_bias, 0.0)
            init.constant_(self.out_proj.bias, 0.0)
        for bias in (self.bias_k, self.bias_v):
            if bias is not None:
                init.xavier_normal_(bias)

    def __setstate__(self, state):
        state.setdefault("_qkv_same_embed_dim", True)        # states older than the separate projections
        super().__setstate__(state)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, key_padding_mask: Tensor | None = None,
                need_weights: bool = True, attn_mask: Tensor | None = None, average_attn_weights: bool = True,
                is_causal: bool = False) -> tuple[Tensor, Tensor | None]:
        batched = query.dim() == 3
        if self.batch_first and batched:
            query, key, value = self._time_first(query, key, value)
        output, weights = F.multi_head_attention_forward(
            query, key, value, self.embed_dim, self.num_heads, self.in_proj_weight, self.in_proj_bias, self.bias_k,
            self.bias_v, self.add_zero_attn, self.dropout, self.out_proj.weight, self.out_proj.bias,
            training=self.training, key_padding_mask=key_padding_mask, need_weights=need_weights, attn_mask=attn_mask,
            use_separate_proj_weight=not self._qkv_same_embed_dim, q_proj_weight=self.q_proj_weight,
            k_proj_weight=self.k_proj_weight, v_proj_weight=self.v_proj_weight,
            average_attn_weights=average_attn_weights, is_causal=is_causal)
        return output.transpose(0, 1) if self.batch_first and batched else output, weights

    @staticmethod
    def _time_first(query, key, value):
        # The same tensor stays the same object, so that it is projected once.
        turned = {id(x): x.transpose(0, 1) for x in (query, key, value)}
        return turned[id(query)], turned[id(key)], turned[id(value)]

    def merge_masks(self, attn_mask: Tensor | None, key_padding_mask: Tensor | None, query: Tensor) -> Any:
        """Both masks as one (n, heads, l, s), and its kind: 0 attention, 1 padding, 2 both; None for no mask."""
        if attn_mask is None:
            return key_padding_mask, None if key_padding_mask is None else 1
        n, length = query.shape[:2]
        if attn_mask.dim() == 3:
            merged = attn_mask.view(n, -1, length, length)
        else:
            merged = attn_mask.view(1, 1, length, length).expand(n, self.num_heads, -1, -1)
        if key_padding_mask is not None:
            merged = merged + key_padding_mask.view(n, 1, 1, length).expand(-1, self.num_heads, -1, -1)
        return merged, 2
