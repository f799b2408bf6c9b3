"""Transformers: encoder and decoder layers, stacks of them, and both together (Vaswani et al.)."""
from __future__ import annotations

import copy
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.errors import warn
from leafward.nn import functional as F
from leafward.nn.init import xavier_uniform_
from leafward.nn.modules.activation import GELU, ReLU
from leafward.nn.modules.container import ModuleList
from leafward.nn.modules.dropout import Dropout
from leafward.nn.modules.linear import Linear
from leafward.nn.modules.module import Module
from leafward.nn.modules.multihead_attention import MultiheadAttention
from leafward.nn.modules.normalization import LayerNorm
from leafward.nn.multihead import _canonical_mask, _none_or_dtype

if TYPE_CHECKING:
    from collections.abc import Callable
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor

__all__ = ["Transformer", "TransformerDecoder", "TransformerDecoderLayer", "TransformerEncoder",
           "TransformerEncoderLayer"]


# --- masks -----------------------------------------------------------------------------------------------------------

def _generate_square_subsequent_mask(sz, device=None, dtype=None):
    """(sz, sz): -inf above the diagonal, 0 elsewhere, so that no position sees a later one."""
    return lw.triu(lw.full((sz, sz), float("-inf"), dtype=dtype, device=device), diagonal=1)


def _get_seq_len(src, batch_first):
    """The length of a sequence (t, e), (t, n, e), or (n, t, e) with ``batch_first``."""
    if src.dim() == 2:
        return src.shape[0]
    return src.shape[1 if batch_first else 0]


def _detect_is_causal_mask(mask, is_causal=None, size=None):
    """Whether ``mask`` is the causal one: as the hint says, or by looking."""
    if is_causal is not None or mask is None:
        return is_causal is True
    causal = _generate_square_subsequent_mask(mask.size(-2) if size is None else size, mask.device, mask.dtype)
    return mask.size() == causal.size() and bool((mask == causal).all())


def is_left_aligned(padding):
    """Whether every row of a padding mask is False up to some place and True after it."""
    later = padding[:, 1:].logical_or(padding[:, :-1].logical_not())
    return bool(later.all())


# --- layers ----------------------------------------------------------------------------------------------------------

def _get_activation_fn(activation):
    if activation == "relu":
        return F.relu
    if activation == "gelu":
        return F.gelu
    raise RuntimeError(f"activation should be relu/gelu, not {activation}")


class _Layer(Module):
    """What encoder and decoder layers share: attention, then two linear maps, with a norm and a dropout for each."""

    __constants__ = ["norm_first"]

    def __setstate__(self, state):
        super().__setstate__(state)
        if not hasattr(self, "activation"):                  # saved before it could be chosen
            self.activation = F.relu

    def _ff_block(self, x):
        return self._after_ff(self.linear2(self.dropout(self.activation(self.linear1(x)))))

    def _sa_block(self, x, attn_mask, key_padding_mask, is_causal=False):
        attended = self.self_attn(x, x, x, attn_mask=attn_mask, key_padding_mask=key_padding_mask, need_weights=False,
                                  is_causal=is_causal)[0]
        return self.dropout1(attended)


class TransformerEncoderLayer(_Layer):
    """``x = norm(x + attention(x))``, ``x = norm(x + network(x))``: (t, n, e) -> (t, n, e).

    {d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype}
    Source: Vaswani et al., Attention Is All You Need, 2017; Xiong et al., 2020, for ``norm_first``.

    >>> from leafward import nn
    >>> nn.TransformerEncoderLayer(d_model=8, nhead=2)(leafward.ones(5, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: str | Callable[[Tensor], Tensor] = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        if isinstance(activation, str):
            activation = _get_activation_fn(activation)
        if activation is F.relu or isinstance(activation, ReLU):
            self.activation_relu_or_gelu = 1
        elif activation is F.gelu or isinstance(activation, GELU):
            self.activation_relu_or_gelu = 2
        else:
            self.activation_relu_or_gelu = 0
        self.activation = activation

    def _after_ff(self, x):
        return self.dropout2(x)

    def forward(self, src: Tensor, src_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool = False) -> Tensor:
        src_key_padding_mask = _canonical_mask(src_key_padding_mask, "src_key_padding_mask", _none_or_dtype(src_mask),
                                               "src_mask", src.dtype)
        src_mask = _canonical_mask(src_mask, "src_mask", None, "", src.dtype, check_other=False)
        x = src
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), src_mask, src_key_padding_mask, is_causal)
            return x + self._ff_block(self.norm2(x))
        x = self.norm1(x + self._sa_block(x, src_mask, src_key_padding_mask, is_causal))
        return self.norm2(x + self._ff_block(x))


class TransformerDecoderLayer(_Layer):
    """An encoder layer that also reads ``memory`` by attention, before its network.

    Shape: tgt (t, n, e), memory (s, n, e) -> (t, n, e)

    {d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first, bias, device, dtype}
    Source: Vaswani et al., Attention Is All You Need, 2017.

    >>> lw.nn.TransformerDecoderLayer(d_model=8, nhead=2)(lw.ones(5, 3, 8), lw.ones(7, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    def __init__(self, d_model: int, nhead: int, dim_feedforward: int = 2048, dropout: float = 0.1,
                 activation: str | Callable[[Tensor], Tensor] = F.relu, layer_norm_eps: float = 1e-5, batch_first: bool = False,
                 norm_first: bool = False, bias: bool = True, device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        self.self_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made)
        self.multihead_attn = MultiheadAttention(d_model, nhead, dropout=dropout, batch_first=batch_first, **made)
        self.linear1 = Linear(d_model, dim_feedforward, **made)
        self.dropout = Dropout(dropout)
        self.linear2 = Linear(dim_feedforward, d_model, **made)
        self.norm_first = norm_first
        self.norm1 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm2 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.norm3 = LayerNorm(d_model, eps=layer_norm_eps, **made)
        self.dropout1 = Dropout(dropout)
        self.dropout2 = Dropout(dropout)
        self.dropout3 = Dropout(dropout)
        self.activation = _get_activation_fn(activation) if isinstance(activation, str) else activation

    def _after_ff(self, x):
        return self.dropout3(x)

    def _mha_block(self, x, mem, attn_mask, key_padding_mask, is_causal=False):
        attended = self.multihead_attn(x, mem, mem, attn_mask=attn_mask, key_padding_mask=key_padding_mask,
                                       is_causal=is_causal, need_weights=False)[0]
        return self.dropout2(attended)

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                tgt_is_causal: bool = False, memory_is_causal: bool = False) -> Tensor:
        own = tgt_mask, tgt_key_padding_mask, tgt_is_causal
        other = memory, memory_mask, memory_key_padding_mask, memory_is_causal
        x = tgt
        if self.norm_first:
            x = x + self._sa_block(self.norm1(x), *own)
            x = x + self._mha_block(self.norm2(x), *other)
            return x + self._ff_block(self.norm3(x))
        x = self.norm1(x + self._sa_block(x, *own))
        x = self.norm2(x + self._mha_block(x, *other))
        return self.norm3(x + self._ff_block(x))


# --- stacks ----------------------------------------------------------------------------------------------------------

def _get_clones(module, N):
    return ModuleList([copy.deepcopy(module) for _ in range(N)])


def why_not_nested(layer):
    """What keeps PyTorch from dropping padded positions in evaluation; None where nothing does."""
    if not isinstance(layer, TransformerEncoderLayer):
        return "encoder_layer was not TransformerEncoderLayer"
    attention = layer.self_attn
    for holds, reason in (
            (layer.norm_first, "norm_first was True"),
            (not attention.batch_first,
             "self_attn.batch_first was not True(use batch_first for better inference performance)"),
            (not attention._qkv_same_embed_dim, "self_attn._qkv_same_embed_dim was not True"),
            (attention.in_proj_bias is None, "self_attn was passed bias=False"),
            (not layer.activation_relu_or_gelu, "activation_relu_or_gelu was not True"),
            (layer.norm1.eps != layer.norm2.eps, "norm1.eps was not equal to encoder_layer.norm2.eps"),
            (attention.num_heads % 2 == 1, "self_attn.num_heads is odd")):
        if holds:
            return f"encoder_layer.{reason}"
    return None


class TransformerEncoder(Module):
    """``num_layers`` copies of ``encoder_layer``, one after another, and ``norm`` at the end: (t, n, e) -> (t, n, e).

    As in PyTorch, in evaluation and without gradients padded positions come out as zeros (``enable_nested_tensor``).

    encoder_layer: a :class:`TransformerEncoderLayer`, copied with its weights
    num_layers: how many
    norm: the layer norm at the end; None: none
    enable_nested_tensor: whether padded positions come out as zeros where PyTorch would pack them away
    mask_check: whether this asks for padding at the end of each sequence

    >>> layer = lw.nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True)
    >>> lw.nn.TransformerEncoder(layer, num_layers=2)(lw.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, encoder_layer: Module, num_layers: int, norm: Module | None = None, enable_nested_tensor: bool = True,
                 mask_check: bool = True) -> None:
        super().__init__()
        self.layers = _get_clones(encoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm
        self.enable_nested_tensor = enable_nested_tensor
        self.use_nested_tensor = enable_nested_tensor
        self.mask_check = mask_check
        reason = why_not_nested(encoder_layer)
        if enable_nested_tensor and reason:
            warn("enable_nested_tensor is True, but self.use_nested_tensor is False because " + reason)
            self.use_nested_tensor = False

    def _drops_padding(self, src, mask, padding):
        first = self.layers[0]
        if (padding is None or mask is not None or src.dim() != 3 or first.training
                or not getattr(self, "use_nested_tensor", False)):
            return False
        if lw.is_grad_enabled() and (src.requires_grad or any(p.requires_grad for p in first.parameters())):
            return False
        return not getattr(self, "mask_check", True) or is_left_aligned(padding)

    def forward(self, src: Tensor, mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                is_causal: bool | None = None) -> Tensor:
        src_key_padding_mask = _canonical_mask(src_key_padding_mask, "src_key_padding_mask", _none_or_dtype(mask),
                                               "mask", src.dtype)
        mask = _canonical_mask(mask, "mask", None, "", src.dtype, check_other=False)
        padding = None if src_key_padding_mask is None else src_key_padding_mask != 0
        is_causal = _detect_is_causal_mask(mask, is_causal, _get_seq_len(src, self.layers[0].self_attn.batch_first))
        output = src
        for layer in self.layers:
            output = layer(output, src_mask=mask, is_causal=is_causal, src_key_padding_mask=src_key_padding_mask)
        if self._drops_padding(src, mask, padding):
            output = output.masked_fill(padding.unsqueeze(-1), 0.0)
        return output if self.norm is None else self.norm(output)


class TransformerDecoder(Module):
    """``num_layers`` copies of ``decoder_layer``, one after another, and ``norm`` at the end.

    Shape: tgt (t, n, e), memory (s, n, e) -> (t, n, e)

    decoder_layer: a :class:`TransformerDecoderLayer`, copied with its weights
    num_layers: how many
    norm: the layer norm at the end; None: none

    >>> layer = lw.nn.TransformerDecoderLayer(d_model=8, nhead=2, dim_feedforward=16)
    >>> lw.nn.TransformerDecoder(layer, num_layers=2)(lw.ones(5, 3, 8), lw.ones(7, 3, 8)).shape
    torch.Size([5, 3, 8])
    """

    __constants__ = ["norm"]

    def __init__(self, decoder_layer: Module, num_layers: int, norm: Module | None = None) -> None:
        super().__init__()
        self.layers = _get_clones(decoder_layer, num_layers)
        self.num_layers = num_layers
        self.norm = norm

    def forward(self, tgt: Tensor, memory: Tensor, tgt_mask: Tensor | None = None, memory_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:
        length = _get_seq_len(tgt, self.layers[0].self_attn.batch_first)
        tgt_is_causal = _detect_is_causal_mask(tgt_mask, tgt_is_causal, length)
        output = tgt
        for layer in self.layers:
            output = layer(output, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                           tgt_key_padding_mask=tgt_key_padding_mask, memory_key_padding_mask=memory_key_padding_mask,
                           tgt_is_causal=tgt_is_causal, memory_is_causal=memory_is_causal)
        return output if self.norm is None else self.norm(output)


class Transformer(Module):
    """An encoder that reads ``src``, and a decoder that reads the result and ``tgt``: (s, n, e), (t, n, e) -> (t, n, e).

    Embeddings and positions are the caller's; masks come from :meth:`generate_square_subsequent_mask`.

    {d_model, nhead}
    num_encoder_layers, num_decoder_layers: layers of each
    {dim_feedforward, dropout, activation}
    custom_encoder, custom_decoder: what to use instead; None: the usual ones
    {layer_norm_eps, batch_first, norm_first, bias, device, dtype}
    Source: Vaswani et al., Attention Is All You Need, 2017.

    >>> from leafward import nn
    >>> model = nn.Transformer(d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, dim_feedforward=16,
    ...                        batch_first=True)
    >>> model(leafward.ones(3, 7, 8), leafward.ones(3, 5, 8)).shape
    torch.Size([3, 5, 8])
    """

    def __init__(self, d_model: int = 512, nhead: int = 8, num_encoder_layers: int = 6, num_decoder_layers: int = 6,
                 dim_feedforward: int = 2048, dropout: float = 0.1, activation: str | Callable[[Tensor], Tensor] = F.relu,
                 custom_encoder: Any = None, custom_decoder: Any = None, layer_norm_eps: float = 1e-5,
                 batch_first: bool = False, norm_first: bool = False, bias: bool = True, device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__()
        made = {"bias": bias, "device": device, "dtype": dtype}
        options = (d_model, nhead, dim_feedforward, dropout, activation, layer_norm_eps, batch_first, norm_first)
        if custom_encoder is not None:
            self.encoder = custom_encoder
        else:
            layer = TransformerEncoderLayer(*options, **made)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **made)
            self.encoder = TransformerEncoder(layer, num_encoder_layers, norm)
        if custom_decoder is not None:
            self.decoder = custom_decoder
        else:
            layer = TransformerDecoderLayer(*options, **made)
            norm = LayerNorm(d_model, eps=layer_norm_eps, **made)
            self.decoder = TransformerDecoder(layer, num_decoder_layers, norm)
        self._reset_parameters()
        self.d_model = d_model
        self.nhead = nhead
        self.batch_first = batch_first

    def _reset_parameters(self):
        for p in self.parameters():
            if p.dim() > 1:
                xavier_uniform_(p)

    @staticmethod
    def generate_square_subsequent_mask(sz: int, device: Device | None = None, dtype: DType | None = None) -> Tensor:
        """(sz, sz): -inf above the diagonal, 0 elsewhere, so that no position sees a later one."""
        return _generate_square_subsequent_mask(sz, dtype=dtype, device=device)

    def forward(self, src: Tensor, tgt: Tensor, src_mask: Tensor | None = None, tgt_mask: Tensor | None = None,
                memory_mask: Tensor | None = None, src_key_padding_mask: Tensor | None = None,
                tgt_key_padding_mask: Tensor | None = None, memory_key_padding_mask: Tensor | None = None,
                src_is_causal: bool | None = None, tgt_is_causal: bool | None = None, memory_is_causal: bool = False) -> Tensor:
        n_at = 0 if self.batch_first else 1
        if src.dim() == 3 and src.size(n_at) != tgt.size(n_at):
            raise RuntimeError("the batch number of src and tgt must be equal")
        if src.size(-1) != self.d_model or tgt.size(-1) != self.d_model:
            raise RuntimeError("the feature number of src and tgt must be equal to d_model")
        memory = self.encoder(src, mask=src_mask, src_key_padding_mask=src_key_padding_mask, is_causal=src_is_causal)
        return self.decoder(tgt, memory, tgt_mask=tgt_mask, memory_mask=memory_mask,
                            tgt_key_padding_mask=tgt_key_padding_mask,
                            memory_key_padding_mask=memory_key_padding_mask, tgt_is_causal=tgt_is_causal,
                            memory_is_causal=memory_is_causal)
