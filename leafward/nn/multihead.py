"""Attention with several heads as a function, and what its masks mean."""
import math

from leafward.derive.functions import fns, public
from leafward.errors import warn
from leafward.tensor.tensor import Tensor

F = public["nn.functional"]


# --- masks -----------------------------------------------------------------------------------------------------------

def _none_or_dtype(input):
    """The dtype of a mask, None for none."""
    if input is None:
        return None
    if not isinstance(input, Tensor):
        raise RuntimeError("input to _none_or_dtype() must be None or torch.Tensor")
    return input.dtype


def _canonical_mask(mask, mask_name, other_type, other_name, target_type, check_other=True):
    """A mask to be added to the scores: a boolean one becomes -inf where it is True."""
    if mask is None:
        return None
    is_float = mask.is_floating_point()
    if str(mask.dtype) != "torch.bool" and not is_float:
        raise AssertionError(f"only bool and floating types of {mask_name} are supported")
    if check_other and other_type is not None and mask.dtype != other_type:
        warn(f"Support for mismatched {mask_name} and {other_name} is deprecated. Use same type for both "
             "instead.")
    if is_float:
        return mask
    return fns.zeros_like(mask, dtype=target_type).masked_fill_(mask, float("-inf"))


def _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads):
    """Whether the inputs have a batch; refused where their ranks do not go together."""
    rank = query.dim()
    if rank not in (2, 3):
        raise AssertionError("query should be unbatched 2D or batched 3D tensor but received "
                             f"{rank}-D query tensor")
    kind = "batched (3-D)" if rank == 3 else "unbatched (2-D)"
    if key.dim() != rank or value.dim() != rank:
        raise AssertionError(f"For {kind} `query`, expected `key` and `value` to be {rank}-D but found {key.dim()}-D "
                             f"and {value.dim()}-D tensors respectively")
    if key_padding_mask is not None and key_padding_mask.dim() != rank - 1:
        raise AssertionError(f"For {kind} `query`, expected `key_padding_mask` to be `None` or {rank - 1}-D but found "
                             f"{key_padding_mask.dim()}-D tensor instead")
    if attn_mask is not None:
        if attn_mask.dim() not in (2, 3):
            raise AssertionError(f"For {kind} `query`, expected `attn_mask` to be `None`, 2-D or 3-D but found "
                                 f"{attn_mask.dim()}-D tensor instead")
        expected = (num_heads, query.shape[0], key.shape[0])
        if rank == 2 and attn_mask.dim() == 3 and attn_mask.shape != expected:
            raise AssertionError(f"Expected `attn_mask` shape to be {expected} but got {attn_mask.shape}")
    return rank == 3


def check_attention_mask(attn_mask, per_head, target, source):
    """``attn_mask`` as (1 or n * heads, target, source)."""
    if attn_mask is None:
        return None
    for rank, expected in ((2, (target, source)), (3, (per_head, target, source))):
        if attn_mask.dim() == rank and attn_mask.shape != expected:
            raise RuntimeError(f"The shape of the {rank}D attn_mask is {attn_mask.shape}, but should be {expected}.")
    return attn_mask.unsqueeze(0) if attn_mask.dim() == 2 else attn_mask


def _check_key_padding_mask(key_padding_mask, src_len, bsz):
    for dim, expected in enumerate((bsz, src_len)):
        if key_padding_mask.shape[dim] != expected:
            raise AssertionError(f"Expected key_padded_mask.shape[{dim}] to be {expected}, "
                                 f"but got {key_padding_mask.shape[dim]}")


# --- projections -----------------------------------------------------------------------------------------------------

def project_packed(query, key, value, weight, bias=None):
    """Queries, keys and values by one (3 e, e) weight; tensors that are the same object share a product."""
    if query is key and key is value:
        return F["linear"](query, weight, bias).chunk(3, -1)
    width = query.size(-1)
    parts = ((query, 1), (key, 2)) if key is value else ((query, 1), (key, 1), (value, 1))
    found, start = [], 0
    for input, count in parts:
        stop = start + count * width
        projected = F["linear"](input, weight[start:stop], None if bias is None else bias[start:stop])
        found.extend(projected.chunk(count, -1))
        start = stop
    return found


def project_each(inputs, weights, biases):
    """Queries, keys and values, each by its own weight; all as wide as the queries."""
    width = inputs[0].size(-1)
    found = []
    for name, input, weight, b in zip(("query", "key", "value"), inputs, weights, biases, strict=True):
        expected = (width, input.size(-1))
        if weight.shape != expected:
            raise AssertionError(f"expecting {name} weights shape of {expected}, but got {weight.shape}")
        if b is not None and b.shape != (width,):
            raise AssertionError(f"expecting {name} bias shape of {(width,)}, but got {b.shape}")
        found.append(F["linear"](input, weight, b))
    return found


def in_heads(x, heads):
    """(length, n, heads * d) -> (n * heads, length, d)."""
    length, n, width = x.shape
    return x.reshape(length, n * heads, width // heads).transpose(0, 1)


def static_in_heads(static, name, per_head, width):
    for dim, expected in ((0, per_head), (2, width)):
        if static.size(dim) != expected:
            raise AssertionError(f"expecting {name}.size({dim}) of {expected}, but got {static.size(dim)}")
    return static


def longer_mask(mask):
    """One more key, which every query may see."""
    return None if mask is None else F["pad"](mask, (0, 1))


# --- attention -------------------------------------------------------------------------------------------------------

def check_sizes(query, key, value, embed_dim_to_check, num_heads, separate):
    width = query.shape[-1]
    if width != embed_dim_to_check:
        raise AssertionError(f"was expecting embedding dimension of {embed_dim_to_check}, but got {width}")
    if width % num_heads != 0:
        raise AssertionError(f"embed_dim {width} not divisible by num_heads {num_heads}")
    if separate:
        if key.shape[:2] != value.shape[:2]:
            raise AssertionError(f"key's sequence and batch dims {key.shape[:2]} do not match value's "
                                 f"{value.shape[:2]}")
    elif key.shape != value.shape:
        raise AssertionError(f"key shape {key.shape} does not match value shape {value.shape}")


def multi_head_attention_forward(
        query, key, value, embed_dim_to_check, num_heads, in_proj_weight, in_proj_bias, bias_k, bias_v, add_zero_attn,
        dropout_p, out_proj_weight, out_proj_bias, training=True, key_padding_mask=None, need_weights=True,
        attn_mask=None, use_separate_proj_weight=False, q_proj_weight=None, k_proj_weight=None, v_proj_weight=None,
        static_k=None, static_v=None, average_attn_weights=True, is_causal=False):
    """Attention in ``num_heads`` slices of the projected inputs, projected back: see ``nn.MultiheadAttention``.

    query (l, n, e), key and value (s, n, e), or without n -> output (l, n, e), weights (n, l, s) or None.
    """
    batched = _mha_shape_check(query, key, value, key_padding_mask, attn_mask, num_heads)
    if not batched:
        same = key is query, value is key
        query = query.unsqueeze(1)
        key = query if same[0] else key.unsqueeze(1)
        value = key if same[1] else value.unsqueeze(1)
        key_padding_mask = None if key_padding_mask is None else key_padding_mask.unsqueeze(0)
    target, n, width = query.shape
    per_head = n * num_heads
    key_padding_mask = _canonical_mask(key_padding_mask, "key_padding_mask", _none_or_dtype(attn_mask), "attn_mask",
                                       query.dtype)
    if is_causal and attn_mask is None:
        raise RuntimeError("Need attn_mask if specifying the is_causal hint. You may use the Transformer module method "
                           "`generate_square_subsequent_mask` to create this mask.")
    if is_causal and key_padding_mask is None and not need_weights:
        attn_mask = None                                     # the hint alone is enough
    else:
        attn_mask = _canonical_mask(attn_mask, "attn_mask", None, "", query.dtype, check_other=False)
        is_causal = False
    check_sizes(query, key, value, embed_dim_to_check, num_heads, use_separate_proj_weight)
    if use_separate_proj_weight:
        weights = {"q_proj_weight": q_proj_weight, "k_proj_weight": k_proj_weight, "v_proj_weight": v_proj_weight}
        for name, weight in weights.items():
            if weight is None:
                raise AssertionError(f"use_separate_proj_weight is True but {name} is None")
        q, k, v = project_each((query, key, value), weights.values(),
                               (None,) * 3 if in_proj_bias is None else in_proj_bias.chunk(3))
    else:
        if in_proj_weight is None:
            raise AssertionError("use_separate_proj_weight is False but in_proj_weight is None")
        q, k, v = project_packed(query, key, value, in_proj_weight, in_proj_bias)
    attn_mask = check_attention_mask(attn_mask, per_head, target, key.shape[0])
    if bias_k is not None and bias_v is not None:
        for kind, static in (("key", static_k), ("value", static_v)):
            if static is not None:
                raise AssertionError(f"bias cannot be added to static {kind}.")
        k, v = fns.cat([k, bias_k.repeat(1, n, 1)]), fns.cat([v, bias_v.repeat(1, n, 1)])
        attn_mask, key_padding_mask = longer_mask(attn_mask), longer_mask(key_padding_mask)
    elif bias_k is not None or bias_v is not None:
        set_, missing = ("bias_k", "bias_v") if bias_k is not None else ("bias_v", "bias_k")
        raise AssertionError(f"{set_} is set but {missing} is None")
    q = in_heads(q, num_heads)                                                                  # (n heads) l d
    d = width // num_heads
    k = in_heads(k, num_heads) if static_k is None else static_in_heads(static_k, "static_k", per_head, d)
    v = in_heads(v, num_heads) if static_v is None else static_in_heads(static_v, "static_v", per_head, d)
    if add_zero_attn:
        zeros = fns.zeros(per_head, 1, d, dtype=k.dtype)
        k, v = fns.cat([k, zeros], 1), fns.cat([v, zeros], 1)
        attn_mask, key_padding_mask = longer_mask(attn_mask), longer_mask(key_padding_mask)
    source = k.size(1)
    if key_padding_mask is not None:
        _check_key_padding_mask(key_padding_mask, source, n)
        padding = key_padding_mask.view(n, 1, 1, source).expand(-1, num_heads, -1, -1)
        padding = padding.reshape(per_head, 1, source)
        attn_mask = padding if attn_mask is None else attn_mask + padding
    dropout_p = dropout_p if training else 0.0
    if need_weights:
        scores = q * math.sqrt(1.0 / d) @ k.transpose(-2, -1)
        shares = fns.softmax(scores if attn_mask is None else scores + attn_mask, -1)
        if dropout_p > 0.0:
            shares = F["dropout"](shares, dropout_p)
        attended = shares @ v
        shares = shares.reshape(n, num_heads, target, source)
        shares = shares.mean(1) if average_attn_weights else shares
    else:
        if attn_mask is not None:
            attn_mask = attn_mask.reshape(n if attn_mask.size(0) != 1 or per_head == 1 else 1, -1, *attn_mask.shape[1:])
        q, k, v = (x.reshape(n, num_heads, x.size(1), d) for x in (q, k, v))
        attended = F["scaled_dot_product_attention"](q, k, v, attn_mask, dropout_p, is_causal)
        attended, shares = attended.reshape(per_head, target, d), None
    output = F["linear"](attended.transpose(0, 1).reshape(target, n, width), out_proj_weight, out_proj_bias)
    if not batched:
        output, shares = output.squeeze(1), None if shares is None else shares.squeeze(0)
    return output, shares
