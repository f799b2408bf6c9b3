# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from builtins import bool as _bool, complex as _complex, float as _float, int as _int, str as _str
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple, Self, overload

from leafward.devices import device as _device
from leafward.dtypes import dtype as _dtype
from leafward.tensor.random import Generator
from leafward.tensor.tensor import Tensor

_Number = _int | _float | _complex

def adaptive_avg_pool1d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of ``output_size`` bins that cover a sequence evenly."""
def adaptive_avg_pool2d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of ``output_size`` bins that cover an image evenly; None keeps a dimension's size."""
def adaptive_avg_pool3d(input: Tensor, output_size: _int | Sequence[_int]) -> Tensor:
    """The means of ``output_size`` bins that cover a volume evenly."""
def adaptive_max_pool1d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor | Any:
    """The largest elements of ``output_size`` bins that cover a sequence evenly."""
def adaptive_max_pool2d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor | Any:
    """The largest elements of ``output_size`` bins that cover an image evenly."""
def adaptive_max_pool3d(input: Tensor, output_size: _int | Sequence[_int], return_indices: _bool = False) -> Tensor:
    """The largest elements of ``output_size`` bins that cover a volume evenly."""
def affine_grid(theta: Any, size: _int | Sequence[_int], align_corners: Any = None) -> Tensor:
    """Where each pixel of an image of ``size`` reads, moved by ``theta`` (n, d, d + 1): (n, *space, d) in [-1, 1]."""
def alpha_dropout(input: Tensor, p: _Number = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Set elements to SELU's lower limit with probability ``p``, and keep mean 0 and variance 1."""
def avg_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True) -> Tensor:
    """The mean of each window of a sequence ``(n, c, length)`` or ``(c, length)``."""
def avg_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: Any = None) -> Tensor:
    """The mean of each window of an image ``(n, c, h, w)`` or ``(c, h, w)``; padding counts as zeros."""
def avg_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, ceil_mode: _bool = False, count_include_pad: _bool = True, divisor_override: Any = None) -> Tensor:
    """The mean of each window of a volume ``(n, c, d, h, w)`` or ``(c, d, h, w)``."""
def batch_norm(input: Tensor, running_mean: Any, running_var: Any, weight: Tensor | None = None, bias: Tensor | None = None, training: _bool = False, momentum: _Number = 0.1, eps: _Number = 1e-05) -> Tensor:
    """Standardize each channel (axis 1), then ``* weight + bias``."""
def bilinear(input1: Any, input2: Any, weight: Tensor, bias: Tensor | None = None) -> Tensor:
    """A bilinear form per output: ``out[..., k] = sum_ij input1[..., i] * weight[k, i, j] * input2[..., j] + bias[k]``."""
def binary_cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Cross entropy of a yes with probability ``input``: ``-(target * log(input) + (1 - target) * log(1 - input))``."""
def binary_cross_entropy_with_logits(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', pos_weight: Tensor | None = None) -> Tensor:
    """Cross entropy of a yes with probability ``sigmoid(input)``, exact for large inputs too."""
def celu(input: Tensor, alpha: _Number = 1.0, inplace: _bool = False) -> Tensor:
    """Ramp with a smooth exponential tail: ``out = x if x > 0 else alpha * (exp(x / alpha) - 1)``. ``inplace``: write the result into ``input``."""
def celu_(input: Tensor, alpha: _Number = 1.0) -> Tensor:
    """Ramp with a smooth exponential tail: ``out = x if x > 0 else alpha * (exp(x / alpha) - 1)``."""
def conv1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide ``weight`` along a sequence."""
def conv2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide ``weight`` over an image."""
def conv3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, groups: _int = 1) -> Tensor:
    """Slide ``weight`` through a volume: as ``conv2d`` with three spatial dimensions."""
def conv_transpose1d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of ``conv1d``: each element of ``input`` is spread as a copy of ``weight``, which is ``(c, o / groups, k)``."""
def conv_transpose2d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of ``conv2d``: each pixel of ``input`` is spread as a copy of ``weight``, ``(c, o / groups, kh, kw)``."""
def conv_transpose3d(input: Tensor, weight: Tensor, bias: Tensor | None = None, stride: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, output_padding: _int | Sequence[_int] = 0, groups: _int = 1, dilation: _int | Sequence[_int] = 1) -> Tensor:
    """Adjoint of ``conv3d``: each voxel of ``input`` is spread as a copy of ``weight``."""
def cosine_embedding_loss(input1: Any, input2: Any, target: Tensor, margin: _Number = 0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """``1 - cos`` where ``target`` is 1, ``max(0, cos - margin)`` where it is -1, for the cosine between two vectors."""
def cosine_similarity(x1: Any, x2: Any, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-08) -> Tensor:
    """Cosine of the angle between vectors along ``dim``: ``sum(x1 * x2) / (norm(x1) * norm(x2))``, norms at least ``eps``."""
def cross_entropy(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: _int = -100, reduce: _str | None = None, reduction: _str = 'mean', label_smoothing: _Number = 0.0) -> Tensor:
    """Negative log-probability of the ``target`` classes under ``softmax(input)``."""
def ctc_loss(log_probs: Any, targets: Tensor, input_lengths: Any, target_lengths: Any, blank: _Number = 0, reduction: _str = 'mean', zero_infinity: _bool = False) -> Tensor:
    """``-log`` of the probability that a sequence reads as its target, its places summed out."""
def dropout(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero each element with probability ``p`` and scale the others by ``1 / (1 - p)``; in evaluation, do nothing."""
def dropout1d(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero whole channels of ``(N, C, L)`` or ``(C, L)`` with probability ``p`` and scale the others."""
def dropout2d(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero whole channels of ``(N, C, H, W)`` with probability ``p`` and scale the others."""
def dropout3d(input: Tensor, p: _Number = 0.5, training: _bool = True, inplace: _bool = False) -> Tensor:
    """Zero whole channels of ``(N, C, D, H, W)`` or ``(C, D, H, W)`` with probability ``p`` and scale the others."""
def elu(input: Tensor, alpha: _Number = 1.0, inplace: _bool = False) -> Tensor:
    """Ramp with an exponential tail: ``out = x if x > 0 else alpha * (exp(x) - 1)``. ``inplace``: write the result into ``input``."""
def elu_(input: Tensor, alpha: _Number = 1.0) -> Tensor:
    """Ramp with an exponential tail: ``out = x if x > 0 else alpha * (exp(x) - 1)``."""
def embedding(input: Tensor, weight: Tensor, padding_idx: _int | None = None, max_norm: Any = None, norm_type: _Number = 2.0, scale_grad_by_freq: _bool = False, sparse: _bool = False) -> Tensor:
    """Rows of ``weight`` by number: ``out[...] = weight[input[...]]``."""
def embedding_bag(input: Tensor, weight: Tensor, offsets: Any = None, max_norm: Any = None, norm_type: _Number = 2, scale_grad_by_freq: _bool = False, mode: _str = 'mean', sparse: _bool = False, per_sample_weights: Tensor | None = None, include_last_offset: _bool = False, padding_idx: _int | None = None) -> Tensor:
    """The sum, mean or maximum of the rows of each bag."""
def feature_alpha_dropout(input: Tensor, p: _Number = 0.5, training: _bool = False, inplace: _bool = False) -> Tensor:
    """As ``alpha_dropout``, for whole channels."""
def fold(input: Tensor, output_size: _int | Sequence[_int], kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Add columns up where their windows lie: ``(n, c k k, places) -> (n, c, h, w)``."""
def fractional_max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> Tensor:
    """The largest element of windows at random places: (n, c, h, w) -> (n, c, *output_size)."""
def fractional_max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], output_size: _int | Sequence[_int] | None = None, output_ratio: Any = None, return_indices: _bool = False, _random_samples: Any = None) -> Tensor:
    """The largest element of windows at random places: (n, c, d, h, w) -> (n, c, *output_size)."""
def gaussian_nll_loss(input: Tensor, target: Tensor, var: Any, full: _bool = False, eps: _Number = 1e-06, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood under a normal distribution of mean ``input``: ``(log(var) + (input - target) ** 2 / var) / 2``."""
def gelu(input: Tensor, *, approximate: _str = 'none', out: Tensor | None = None) -> Tensor:
    """Gate by the normal distribution: ``out = x * P(X <= x)``, exactly or (``tanh``) approximately."""
def glu(input: Tensor, dim: _int | Sequence[_int] = -1, *, out: Tensor | None = None) -> Tensor:
    """Gate one half by the other: ``out = a * sigmoid(b)``, where a and b are the halves of x along ``dim``."""
def grid_sample(input: Tensor, grid: Any, mode: _str = 'bilinear', padding_mode: _str = 'zeros', align_corners: Any = None) -> Tensor:
    """An image (n, c, *space) read at the places of a grid (n, *out, d) within [-1, 1], x first: (n, c, *out)."""
def group_norm(input: Tensor, num_groups: Any, weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize each of ``num_groups`` groups of channels (axis 1) of each sample, then ``* weight + bias`` by channel."""
def gumbel_softmax(logits: Any, tau: _Number = 1, hard: _bool = False, eps: _Number = 1e-10, dim: _int | Sequence[_int] = -1) -> Tensor:
    """A random choice that has a gradient: softmax of logits with Gumbel noise, at temperature ``tau``."""
def hardshrink(input: Tensor, lambd: _Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Nothing near zero: ``out = 0 if abs(x) <= lambd else x``."""
def hardsigmoid(input: Tensor, inplace: _bool = False) -> Tensor:
    """Straight from 0 to 1: ``out = clamp(x + 3, 0, 6) / 6``. ``inplace``: write the result into ``input``."""
def hardswish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Gate by the straight sigmoid: ``out = x * clamp(x + 3, 0, 6) / 6``. ``inplace``: write the result into ``input``."""
def hardtanh(input: Tensor, min_val: _Number = -1.0, max_val: _Number = 1.0, inplace: _bool = False) -> Tensor:
    """Straight between bounds: ``out = minimum(maximum(x, min_val), max_val)``. ``inplace``: write the result into ``input``."""
def hardtanh_(input: Tensor, min_val: _Number = -1.0, max_val: _Number = 1.0) -> Tensor:
    """Straight between bounds: ``out = minimum(maximum(x, min_val), max_val)``."""
def hinge_embedding_loss(input: Tensor, target: Tensor, margin: _Number = 1.0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """A distance where ``target`` is 1, ``max(0, margin - distance)`` where it is -1."""
def huber_loss(input: Tensor, target: Tensor, reduction: _str = 'mean', delta: _Number = 1.0, weight: Tensor | None = None) -> Tensor:
    """Squared error up to ``delta`` and straight from there, with the same slope where they meet."""
def instance_norm(input: Tensor, running_mean: Any = None, running_var: Any = None, weight: Tensor | None = None, bias: Tensor | None = None, use_input_stats: _bool = True, momentum: _Number = 0.1, eps: _Number = 1e-05) -> Tensor:
    """Standardize each channel (axis 1) of each sample, then ``* weight + bias``."""
def interpolate(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None, recompute_scale_factor: Any = None, antialias: _bool = False) -> Tensor:
    """The image ``(n, c, ...)`` at another ``size``, or ``scale_factor`` times as large."""
def kl_div(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', log_target: _bool = False) -> Tensor:
    """Divergence of ``exp(input)`` from ``target``: ``target * (log(target) - input)``."""
def l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """Mean absolute error: ``mean(abs(input - target))``."""
def layer_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, bias: Tensor | None = None, eps: _Number = 1e-05) -> Tensor:
    """Standardize over the last dimensions, those of ``normalized_shape``, then ``* weight + bias`` element by element."""
def leaky_relu(input: Tensor, negative_slope: _Number = 0.01, inplace: _bool = False) -> Tensor:
    """Ramp that goes on below zero: ``out = x if x > 0 else negative_slope * x``. ``inplace``: write the result into ``input``."""
def leaky_relu_(input: Tensor, negative_slope: _Number = 0.01) -> Tensor:
    """Ramp that goes on below zero: ``out = x if x > 0 else negative_slope * x``."""
def linear(input: Tensor, weight: Tensor, bias: Tensor | None = None, *, out: Tensor | None = None) -> Tensor:
    """Affine map of the last dimension: ``out = x @ weight.T + bias``."""
def local_response_norm(input: Tensor, size: _int | Sequence[_int], alpha: _Number = 0.0001, beta: _Number = 0.75, k: _Number = 1.0) -> Tensor:
    """Divide by the energy of ``size`` neighbouring channels: ``out = x / (k + alpha * mean(x * x)) ** beta``."""
def log_softmax(input: Tensor, dim: _int | Sequence[_int] | None = None, _stacklevel: _Number = 3, dtype: _dtype | None = None) -> Tensor:
    """Logarithm of softmax: ``out = x - log(sum(exp(x)))`` along ``dim``."""
def logsigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Logarithm of the logistic curve: ``out = -log(1 + exp(-x))``."""
def margin_ranking_loss(input1: Any, input2: Any, target: Tensor, margin: _Number = 0, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """``max(0, margin - target * (input1 - input2))``: which of two scores ought to be larger."""
def max_pool1d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a sequence ``(n, c, length)`` or ``(c, length)``."""
def max_pool2d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of an image ``(n, c, h, w)`` or ``(c, h, w)``."""
def max_pool3d(input: Tensor, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, dilation: _int | Sequence[_int] = 1, ceil_mode: _bool = False, return_indices: _bool = False) -> Tensor | Any:
    """The largest element of each window of a volume ``(n, c, d, h, w)`` or ``(c, d, h, w)``."""
def mish(input: Tensor, inplace: _bool = False) -> Tensor:
    """Gate by tanh of softplus: ``out = x * tanh(log(1 + exp(x)))``. ``inplace``: write the result into ``input``."""
def mse_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', weight: Tensor | None = None) -> Tensor:
    """Mean squared error: ``mean((input - target) ** 2)``."""
def multi_margin_loss(input: Tensor, target: Tensor, p: _Number = 1, margin: _Number = 1.0, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Mean over the other classes of ``max(0, margin - x[target] + x[class]) ** p``."""
def multilabel_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Mean over the classes of ``max(0, 1 - x[a] + x[b])`` for every target class ``a`` and every other class ``b``."""
def multilabel_soft_margin_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Mean over the classes of the cross entropy of a yes or no for each."""
def nll_loss(input: Tensor, target: Tensor, weight: Tensor | None = None, size_average: Any = None, ignore_index: _int = -100, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood of the ``target`` classes, given log-probabilities: ``-input[n, target[n]]``."""
def normalize(input: Tensor, p: _Number = 2.0, dim: _int | Sequence[_int] = 1, eps: _Number = 1e-12, out: Any = None) -> Tensor:
    """Scale to length one along ``dim``: ``out = x / max(norm(x), eps)``."""
def one_hot(tensor: Tensor, num_classes: _int = -1) -> Tensor:
    """A new last dimension with 1 at the class number and 0 elsewhere."""
def pad(input: Tensor, pad: _int | Sequence[_int], mode: _str = 'constant', value: Any = None) -> Tensor:
    """Lengthen the last dimensions at both ends: two widths in ``pad`` for each, the last dimension's first."""
def pairwise_distance(x1: Any, x2: Any, p: _Number = 2.0, eps: _Number = 1e-06, keepdim: _bool = False) -> Tensor:
    """The ``p``-norm of ``x1 - x2 + eps`` along the last dimension."""
def pdist(input: Tensor, p: _Number = 2.0) -> Tensor:
    """The distances of ``cdist(input, input)`` above the diagonal, row by row."""
def pixel_shuffle(input: Tensor, upscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn groups of channels into blocks of pixels: ``(*, c r r, h, w) -> (*, c, h r, w r)``."""
def pixel_unshuffle(input: Tensor, downscale_factor: _int, *, out: Tensor | None = None) -> Tensor:
    """Turn blocks of pixels into groups of channels: ``(*, c, h r, w r) -> (*, c r r, h, w)``."""
def poisson_nll_loss(input: Tensor, target: Tensor, log_input: _bool = True, full: _bool = False, size_average: Any = None, eps: _Number = 1e-08, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """Negative log-likelihood of counts under a Poisson distribution of rate ``exp(input)``, or ``input`` itself."""
def prelu(input: Tensor, weight: Tensor) -> Tensor:
    """Ramp with a learnt slope below zero, one for all or one per channel (dim 1)."""
def relu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Ramp: ``out = max(x, 0)``. ``inplace``: write the result into ``input``."""
def relu6(input: Tensor, inplace: _bool = False) -> Tensor:
    """Ramp up to 6: ``out = minimum(maximum(x, 0), 6)``."""
def relu_(input: Tensor) -> Tensor:
    """Ramp: ``out = max(x, 0)``."""
def rms_norm(input: Tensor, normalized_shape: _int | Sequence[_int], weight: Tensor | None = None, eps: Any = None) -> Tensor:
    """Divide by the root of the mean square over the last dimensions: ``out = x / sqrt(mean(x * x) + eps) * weight``."""
def rrelu(input: Tensor, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False, inplace: _bool = False) -> Tensor:
    """Ramp whose slope below zero is random in ``training``, else halfway between the bounds."""
def scaled_dot_product_attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: _Number = 0.0, is_causal: _bool = False, *, scale: Any = None, enable_gqa: _bool = False) -> Tensor:
    """Mean of the values, weighted by how well their keys answer: ``softmax(scale * query @ key.mT + mask) @ value``."""
def selu(input: Tensor, inplace: _bool = False) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1. ``inplace``: write the result into ``input``."""
def selu_(input: Tensor) -> Tensor:
    """The ELU whose outputs keep mean 0 and variance 1."""
def sigmoid(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Squash to (0, 1): ``out = 1 / (1 + exp(-x))``."""
def silu(input: Tensor, inplace: _bool = False) -> Tensor:
    """Gate by the logistic curve: ``out = x * sigmoid(x)``. ``inplace``: write the result into ``input``."""
def smooth_l1_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean', beta: _Number = 1.0) -> Tensor:
    """Huber's loss divided by ``beta``: the absolute error with a rounded tip."""
def soft_margin_loss(input: Tensor, target: Tensor, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """``log(1 + exp(-target * input))``, the logistic loss for targets 1 and -1."""
def softmax(input: Tensor, dim: _int | Sequence[_int] | None = None, _stacklevel: _Number = 3, dtype: _dtype | None = None) -> Tensor:
    """Exponentials as shares of their sum: ``out = exp(x) / sum(exp(x))`` along ``dim``."""
def softmin(input: Tensor, dim: _int | Sequence[_int] | None = None, _stacklevel: _Number = 3, dtype: _dtype | None = None) -> Tensor:
    """Softmax of the negative: the smallest gets the largest share."""
def softplus(input: Tensor, beta: _Number = 1.0, threshold: _Number = 20.0, *, out: Tensor | None = None) -> Tensor:
    """Smooth ramp: ``out = log(1 + exp(beta * x)) / beta``, and x itself where ``beta * x > threshold``."""
def softshrink(input: Tensor, lambd: _Number = 0.5, *, out: Tensor | None = None) -> Tensor:
    """Towards zero by ``lambd``, and not beyond: ``out = x - clamp(x, -lambd, lambd)``."""
def softsign(input: Tensor) -> Tensor:
    """Squash to (-1, 1): ``out = x / (1 + abs(x))``."""
def tanh(input: Tensor, *, out: Tensor | None = None) -> Tensor:
    """Hyperbolic tangent: ``out = sinh(x) / cosh(x)``."""
def tanhshrink(input: Tensor) -> Tensor:
    """What tanh takes away: ``out = x - tanh(x)``."""
def threshold(input: Tensor, threshold: Any, value: Any, inplace: _bool = False) -> Tensor:
    """Nothing changes above the threshold: ``out = x if x > threshold else value``. ``inplace``: write the result into ``input``."""
def threshold_(input: Tensor, threshold: Any, value: Any) -> Tensor:
    """Nothing changes above the threshold: ``out = x if x > threshold else value``."""
def triplet_margin_loss(anchor: Any, positive: Any, negative: Any, margin: _Number = 1.0, p: _Number = 2, eps: _Number = 1e-06, swap: _bool = False, size_average: Any = None, reduce: _str | None = None, reduction: _str = 'mean') -> Tensor:
    """``max(0, margin + |anchor - positive| - |anchor - negative|)``, with ``swap`` the nearer of the negative's two."""
def triplet_margin_with_distance_loss(anchor: Any, positive: Any, negative: Any, *, distance_function: Any = None, margin: _Number = 1.0, swap: _bool = False, reduction: _str = 'mean') -> Tensor:
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))`` for any distance."""
def unfold(input: Tensor, kernel_size: _int | Sequence[_int], dilation: _int | Sequence[_int] = 1, padding: _int | Sequence[_int] = 0, stride: _int | Sequence[_int] = 1, *, out: Tensor | None = None) -> Tensor:
    """Sliding windows as columns: ``(n, c, h, w) -> (n, c k k, places)``."""
def adaptive_max_pool1d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`adaptive_max_pool1d` with the places of the values beside them."""
def adaptive_max_pool2d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`adaptive_max_pool2d` with the places of the values beside them."""
def adaptive_max_pool3d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`adaptive_max_pool3d` with the places of the values beside them."""
def channel_shuffle(input: Tensor, groups: _int) -> Any:
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *)."""
def conv_tbc(input: Tensor, weight: Any, bias: Any, pad: _int | Sequence[_int] = 0) -> Any:
    """A convolution of (time, n, channels) with a weight (kernel, in, out) -> (time', n, out)."""
def fractional_max_pool2d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`fractional_max_pool2d` with the places of the values beside them."""
def fractional_max_pool3d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`fractional_max_pool3d` with the places of the values beside them."""
def linear_cross_entropy(input: Tensor, linear_weight: Any, target: Tensor, *, linear_bias: Any = None, weight: Any = None, reduction: _str = 'mean', ignore_index: _int | None = None, label_smoothing: _Number = 0.0, options: Any = None) -> Any:
    """``cross_entropy(input @ linear_weight.T + linear_bias, target)``."""
def lp_pool(pool: Any, input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int], ceil_mode: Any) -> Any: ...
def lp_pool1d(input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Any:
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, l) -> (n, c, l')."""
def lp_pool2d(input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Any:
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, h, w) -> (n, c, h', w')."""
def lp_pool3d(input: Tensor, norm_type: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, ceil_mode: _bool = False) -> Any:
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, d, h, w) -> (n, c, d', h', w')."""
def max_pool1d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`max_pool1d` with the places of the values beside them."""
def max_pool2d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`max_pool2d` with the places of the values beside them."""
def max_pool3d_with_indices(*args: Any, **kwargs: Any) -> Any:
    """:func:`max_pool3d` with the places of the values beside them."""
def max_unpool(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int], padding: _int | Sequence[_int], output_size: _int | Sequence[_int], dims: _int | Sequence[_int]) -> Any: ...
def max_unpool1d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Any:
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool1d`."""
def max_unpool2d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Any:
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool2d`."""
def max_unpool3d(input: Tensor, indices: Any, kernel_size: _int | Sequence[_int], stride: _int | Sequence[_int] | None = None, padding: _int | Sequence[_int] = 0, output_size: _int | Sequence[_int] | None = None) -> Any:
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool3d`."""
def native_channel_shuffle(input: Tensor, groups: _int) -> Any:
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *)."""
def rrelu_(input: Tensor, lower: _Number = 0.125, upper: _Number = 0.3333333333333333, training: _bool = False) -> Any:
    """:func:`rrelu` in place."""
def upsample(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None, mode: _str = 'nearest', align_corners: Any = None) -> Any:
    """The older name of :func:`interpolate`."""
def upsample_bilinear(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None) -> Any:
    """The older name of ``interpolate(mode="bilinear", align_corners=True)``."""
def upsample_nearest(input: Tensor, size: _int | Sequence[_int] | None = None, scale_factor: Any = None) -> Any:
    """The older name of ``interpolate(mode="nearest")``."""
def with_indices(pool: Any) -> Any: ...
