"""Functions that PyTorch keeps under ``torch`` in its inner order of arguments, and copies of views.

Those of ``torch.nn.functional`` are what programs usually call: there a reduction has a name. Here it is a number, 0 for none,
1 for the mean and 2 for the sum, and nothing is reduced unless it is given.
"""
from operator import methodcaller

import leafward as lw
from leafward.derive.functions import fns
from leafward.nn import functional as F

REDUCTIONS = {1: "mean", 2: "sum"}


# -- losses -----------------------------------------------------------------------------------------------------------

def named(reduction):
    """The name of a reduction; of a number that stands for none, ``"none"``."""
    return REDUCTIONS.get(reduction, "none")


def hinge_embedding_loss(input, target, margin=1.0, reduction=0):
    """:func:`nn.functional.hinge_embedding_loss`."""
    return F.hinge_embedding_loss(input, target, margin, reduction=named(reduction))


def cosine_embedding_loss(input1, input2, target, margin=0.0, reduction=0):
    """:func:`nn.functional.cosine_embedding_loss`."""
    return F.cosine_embedding_loss(input1, input2, target, margin, reduction=named(reduction))


def margin_ranking_loss(input1, input2, target, margin=0.0, reduction=0):
    """:func:`nn.functional.margin_ranking_loss`."""
    return F.margin_ranking_loss(input1, input2, target, margin, reduction=named(reduction))


def triplet_margin_loss(anchor, positive, negative, margin=1.0, p=2.0, eps=1e-6, swap=False, reduction=0):
    """:func:`nn.functional.triplet_margin_loss`."""
    return F.triplet_margin_loss(anchor, positive, negative, margin, p, eps, swap, reduction=named(reduction))


def kl_div(input, target, reduction=0, *, log_target=False):
    """:func:`nn.functional.kl_div`; its mean is that of all elements."""
    return F.kl_div(input, target, reduction="none", log_target=log_target).mean() if reduction == 1 else F.kl_div(
        input, target, reduction=named(reduction), log_target=log_target)


def binary_cross_entropy_with_logits(input, target, weight=None, pos_weight=None, reduction=0):
    """:func:`nn.functional.binary_cross_entropy_with_logits`."""
    return F.binary_cross_entropy_with_logits(input, target, weight, reduction=named(reduction), pos_weight=pos_weight)


def ctc_loss(log_probs, targets, input_lengths, target_lengths, blank=0, reduction=0, zero_infinity=False):
    """:func:`nn.functional.ctc_loss`."""
    return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, blank, named(reduction), zero_infinity)


# -- layers -----------------------------------------------------------------------------------------------------------

def batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps, cudnn_enabled):
    """:func:`nn.functional.batch_norm`."""
    return F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)


def instance_norm(input, weight, bias, running_mean, running_var, use_input_stats, momentum, eps, cudnn_enabled):
    """:func:`nn.functional.instance_norm`."""
    return F.instance_norm(input, running_mean, running_var, weight, bias, use_input_stats, momentum, eps)


def embedding(weight, indices, padding_idx=-1, scale_grad_by_freq=False, sparse=False):
    """:func:`nn.functional.embedding`; with ``padding_idx=-1`` there is no such row."""
    return F.embedding(indices, weight, None if padding_idx < 0 else padding_idx, scale_grad_by_freq=scale_grad_by_freq,
                       sparse=sparse)


def embedding_bag(weight, indices, offsets, scale_grad_by_freq=False, mode=0, sparse=False, per_sample_weights=None,
                  include_last_offset=False, padding_idx=-1):
    """:func:`nn.functional.embedding_bag`, and what PyTorch keeps for its backward, which has no gradient here either.

    Four tensors: the bags' values; the bag of each index; how many rows each bag has; the rows of the maxima. Of sums only the
    first says something, and the last of means repeats the sizes.

    Args:
        mode: 0 for the sum, 1 for the mean, 2 for the maximum
        padding_idx: the row that does not count; -1: none
    """
    values = F.embedding_bag(indices, weight, offsets, None, 2.0, scale_grad_by_freq, ("sum", "mean", "max")[mode], sparse,
                             per_sample_weights, include_last_offset, None if padding_idx < 0 else padding_idx)
    count = len(values)
    places = lw.arange(len(indices))
    bags = lw.bucketize(places, offsets[:count], right=True) - 1
    if mode == 0:
        return values, bags if padding_idx >= 0 else bags[:0], lw.zeros_like(offsets[:count]), lw.zeros_like(offsets[:count])
    kept = indices != padding_idx
    sizes = lw.bincount(bags[kept], minlength=count).to(offsets.dtype)
    if mode == 1:
        return values, bags, sizes, sizes.clone()
    rows = lw.zeros(count, weight.shape[1], dtype=offsets.dtype)
    for bag in sizes.nonzero().reshape(-1).tolist():
        inside = indices[kept & (bags == bag)]
        rows[bag] = inside[weight.detach()[inside].argmax(0)].to(rows.dtype)
    return values, bags, sizes, rows


def adaptive_max_pool1d(input, output_size):
    """:func:`nn.functional.adaptive_max_pool1d`, with the places of the maxima."""
    return F.adaptive_max_pool1d(input, output_size, return_indices=True)


def alpha_dropout(input, p, train):
    """:func:`nn.functional.alpha_dropout`."""
    return F.alpha_dropout(input, p, train)


def alpha_dropout_(input, p, train):
    """The same in place."""
    return F.alpha_dropout(input, p, train, inplace=True)


def feature_alpha_dropout(input, p, train):
    """:func:`nn.functional.feature_alpha_dropout`."""
    return F.feature_alpha_dropout(input, p, train)


def feature_alpha_dropout_(input, p, train):
    """The same in place."""
    return F.feature_alpha_dropout(input, p, train, inplace=True)


def feature_dropout_(input, p, train):
    """``feature_dropout`` in place."""
    return input.copy_(lw.feature_dropout(input, p, train))


def rrelu_(input, lower=1 / 8, upper=1 / 3, training=False):
    """:func:`nn.functional.rrelu` in place."""
    return F.rrelu(input, lower, upper, training, inplace=True)


channel_shuffle = native_channel_shuffle = F.channel_shuffle


def native_dropout(input, p, train):
    """:func:`nn.functional.dropout`, and which elements it kept."""
    if train is False:
        return input, lw.ones_like(input, dtype=lw.bool)
    kept = lw.empty_like(input, dtype=lw.bool).bernoulli_(1 - p)
    return input * kept * (0.0 if p == 1 else 1 / (1 - p)), kept


def moments(x, dims, eps):
    """The mean over ``dims``, and one by the standard deviation: without a gradient."""
    x = x.detach()
    return x.mean(dims, keepdim=True), (x.var(dims, correction=0, keepdim=True) + eps).rsqrt()


def native_layer_norm(input, normalized_shape, weight, bias, eps):
    """:func:`nn.functional.layer_norm`, the means, and one by the standard deviations."""
    out = F.layer_norm(input, normalized_shape, weight, bias, eps)
    return out, *moments(input, tuple(range(-len(normalized_shape), 0)), eps)


def native_group_norm(input, weight, bias, N, C, HxW, group, eps):
    """:func:`nn.functional.group_norm`, the mean of each group, and one by its standard deviation."""
    mean, scale = moments(input.reshape(N, group, -1), -1, eps)
    return F.group_norm(input, group, weight, bias, eps), mean.squeeze(-1), scale.squeeze(-1)


def native_batch_norm(input, weight, bias, running_mean, running_var, training, momentum, eps):
    """:func:`nn.functional.batch_norm`; in training the means too, and one by the standard deviations."""
    out = F.batch_norm(input, running_mean, running_var, weight, bias, training, momentum, eps)
    if not training:
        return out, input.new_zeros(0), input.new_zeros(0)
    mean, scale = moments(input, [dim for dim in range(input.ndim) if dim != 1], eps)
    return out, mean.reshape(-1), scale.reshape(-1)


def conv_tbc(input, weight, bias, pad=0):
    """:func:`nn.functional.conv1d` of ``(time, batch, channels)`` with a weight ``(width, channels in, channels out)``."""
    return F.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad).permute(2, 0, 1).contiguous()


def max_pool1d_with_indices(input, kernel_size, stride=(), padding=0, dilation=1, ceil_mode=False):
    """:func:`nn.functional.max_pool1d`, with the places of the maxima."""
    return F.max_pool1d(input, kernel_size, stride or None, padding, dilation, ceil_mode, return_indices=True)


def affine_grid_generator(theta, size, align_corners):
    """:func:`nn.functional.affine_grid`."""
    return F.affine_grid(theta, size, align_corners)


def embedding_renorm_(input, indices, max_norm, norm_type):
    """Shorten the rows at ``indices`` that are longer than ``max_norm``."""
    F._no_grad_embedding_renorm_(input, indices, max_norm, norm_type)
    return input


def as_strided_(input, size, stride, storage_offset=None):
    """:meth:`Tensor.as_strided_`."""
    return input.as_strided_(size, stride, storage_offset)


# -- matrices ---------------------------------------------------------------------------------------------------------

def frobenius_norm(input, dim, keepdim=False):
    """The root of the sum of squares over one or two dims; over all of them for ``()``."""
    return lw.linalg.vector_norm(input, 2, dim, keepdim)


def nuclear_norm(input, dim=(-2, -1), keepdim=False):
    """The sum of the singular values over two dims.

    Args:
        dim: the two dims; a bool is taken for ``keepdim``
    """
    dim, keepdim = ((-2, -1), dim) if isinstance(dim, bool) else (dim, keepdim)
    return lw.linalg.matrix_norm(input, "nuc", dim, keepdim)


def norm_except_dim(v, pow=2, dim=0):
    """The norm over all dims but ``dim``; over all for -1."""
    if dim == -1:
        return v.norm(pow)
    return v.norm(pow, [other for other in range(v.ndim) if other != dim % v.ndim], keepdim=True)


def vander(x, N=None, increasing=False):
    """The powers of each element of a vector, a row for each: from the highest down, or up with ``increasing``.

    >>> lw.vander(lw.tensor([1, 2, 3]))
    tensor([[1, 1, 1],
            [4, 2, 1],
            [9, 3, 1]])
    """
    if x.ndim != 1:
        raise RuntimeError("x must be a one-dimensional tensor.")
    N = len(x) if N is None else N
    if N < 0:
        raise RuntimeError("N must be non-negative.")
    if N < 2:
        return x.new_ones(len(x), N, dtype=x.dtype if x.dtype.is_floating_point or x.dtype.is_complex else lw.int64)
    powers = lw.linalg.vander(x, N=N)
    return powers if increasing else powers.flip(-1)


# -- views, copied ----------------------------------------------------------------------------------------------------

def copied(x):
    """A row-major copy of a view, or of each of several."""
    if isinstance(x, (tuple, list)):
        return tuple([copied(part) for part in x])
    return x.clone(memory_format=lw.contiguous_format)


def copy_of(view, name):
    """A function that gives what ``view`` does in memory of its own."""
    def copy(input, *args, out=None, **kwargs):
        result = copied(view(input, *args, **kwargs))
        if out is None:
            return result
        for target, part in zip(out, result, strict=True) if isinstance(result, tuple) else ((out, result),):
            fns.clone(part, out=target) if target.shape == part.shape else target.resize_(part.shape).copy_(part)
        return None if isinstance(result, tuple) else out
    copy.__name__ = copy.__qualname__ = name
    copy.__doc__ = f"``{name.removesuffix('_copy')}``, in memory of its own."
    return copy


def slice_of(input, dim=0, start=None, end=None, step=1):
    return fns._slice(input, dim, start, end, step)


def narrow_copy(input, dim, start, length, *, out=None):
    """``narrow``, in memory of its own."""
    return copy_of(lw.narrow, "narrow_copy")(input, dim, start, length, out=out)


VIEWS = {
    "slice": slice_of, "detach": lw.Tensor.detach, "alias": fns.alias, "as_strided": lw.as_strided, "permute": lw.permute,
    "view": lw.Tensor.view, "expand": lw.Tensor.expand, "unfold": lw.Tensor.unfold, "select": lw.select, "split": lw.split,
    "split_with_sizes": lw.split_with_sizes, "squeeze": lw.squeeze, "t": lw.t, "transpose": lw.transpose, "unbind": lw.unbind,
    "unsqueeze": lw.unsqueeze, "view_as_complex": lw.view_as_complex, "view_as_real": lw.view_as_real,
    **{name: methodcaller(name) for name in ("indices", "values", "crow_indices", "col_indices")},
}
COPIES = {f"{name}_copy": copy_of(view, f"{name}_copy") for name, view in VIEWS.items()}
globals().update(COPIES)
