"""The functions behind the layers: everything declared under ``nn.functional``, and what Python makes of it."""
import math

from leafward.core.op import Composite, parameter_names, registry
from leafward.derive.functions import fns, public
from leafward.errors import warn
from leafward.nn import _reduction as _Reduction  # noqa: F401  (PyTorch's place)
from leafward.nn.checks import *  # noqa: F403  (what authors of layers import from here)
from leafward.tensor.missing import names_missing_from
from leafward.nn.multihead import (  # noqa: F401  (re-exported)
    _canonical_mask, _check_key_padding_mask, _mha_shape_check, _none_or_dtype, multi_head_attention_forward,
)
from leafward.nn.ntuple import ntuple

globals().update(public["nn.functional"])


def rrelu_(input, lower=1.0 / 8, upper=1.0 / 3, training=False):
    """:func:`rrelu` in place."""
    return fns.rrelu(input, lower, upper, training, inplace=True)


# --- channels --------------------------------------------------------------------------------------------------------

def channel_shuffle(input, groups: int):
    """Deal the channels out over ``groups``: (n, g * c, *) -> (n, c * g, *)."""
    if input.dim() < 3:
        raise RuntimeError(f"channel_shuffle expects input with > 2 dims, but got input with sizes {list(input.shape)}")
    if groups <= 0:
        raise RuntimeError(f"Number of groups to divide channels in must be positive. Value of groups:{groups}")
    channels = input.shape[1]
    if channels % groups != 0:
        raise RuntimeError(f"Number of channels must be divisible by groups. Got {channels} channels and {groups} "
                           "groups.")
    return fns._channel_shuffle(input, groups) if channels else input.clone()


native_channel_shuffle = channel_shuffle


# --- pooling ---------------------------------------------------------------------------------------------------------

def lp_pool(pool, input, norm_type, kernel_size, stride, ceil_mode):
    if abs(norm_type) == math.inf:
        sign = math.copysign(1, norm_type)
        largest = globals()[f"max_pool{len(kernel_size)}d"]
        return sign * largest(sign * input.abs(), kernel_size, stride, 0, 1, ceil_mode)
    mean = pool(input.pow(norm_type), kernel_size, kernel_size if stride is None else stride, 0, ceil_mode)
    # relu gives the zero its gradient of 0, where the root alone would give 0 * inf; sign makes odd powers NaN.
    total = (fns.sign(mean) * fns.relu(fns.abs(mean))) * math.prod(kernel_size)
    return total.pow(1.0 / norm_type)


def lp_pool1d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, l) -> (n, c, l')."""
    return lp_pool(fns.avg_pool1d, input, norm_type, ntuple(1, "single")(kernel_size), stride, ceil_mode)


def lp_pool2d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, h, w) -> (n, c, h', w')."""
    return lp_pool(fns.avg_pool2d, input, norm_type, ntuple(2, "pair")(kernel_size), stride, ceil_mode)


def lp_pool3d(input, norm_type, kernel_size, stride=None, ceil_mode=False):
    """The p-norm of each window: ``out = (sum x ** p) ** (1 / p)``, (n, c, d, h, w) -> (n, c, d', h', w')."""
    return lp_pool(fns.avg_pool3d, input, norm_type, ntuple(3, "triple")(kernel_size), stride, ceil_mode)


def with_indices(pool):
    def pooled(*args, **kwargs):
        kwargs["return_indices"] = True
        return pool(*args, **kwargs)
    pooled.__name__ = f"{pool.__name__}_with_indices"
    pooled.__wrapped__ = pool                   # whose parameters it takes
    pooled.__doc__ = f":func:`{pool.__name__}` with the places of the values beside them."
    return pooled


for _pool in registry.values():
    if isinstance(_pool, Composite) and "return_indices" in parameter_names(_pool.function):
        globals()[f"{_pool.name}_with_indices"] = with_indices(_pool.public_function)


def _unpool_output_size(input, kernel_size, stride, padding, output_size):
    """The spatial sizes that unpooling gives: those asked for, checked, or the smallest."""
    dims = len(kernel_size)
    smallest = [(input.shape[input.dim() - dims + d] - 1) * stride[d] + kernel_size[d] - 2 * padding[d]
                for d in range(dims)]
    if output_size is None:
        return smallest
    asked = list(output_size)
    if len(asked) == dims + 2:
        asked = asked[2:]
    if len(asked) != dims:
        raise ValueError(f"output_size should be a sequence containing {dims} or {dims + 2} elements, "
                         f"but it has a length of '{len(asked)}'")
    for d in range(dims):
        low, high = smallest[d] - stride[d], smallest[d] + stride[d]
        if not low < asked[d] < high:
            shown = "(" + ", ".join(map(str, asked)) + ("," if dims == 1 else "") + ")"
            raise ValueError(f'invalid output_size "{shown}" (dim {d} must be between {low} and {high})')
    return asked


def max_unpool(input, indices, kernel_size, stride, padding, output_size, dims):
    per_dim = ntuple(dims, "sizes")
    kernel_size, padding = per_dim(kernel_size), per_dim(padding)
    stride = kernel_size if stride is None else per_dim(stride)
    if input.dim() not in (dims + 1, dims + 2):
        raise RuntimeError(f"Input to max_unpooling{dims}d should be a {dims + 1}d or {dims + 2}d Tensor, "
                           f"but got a tensor with {input.dim()} dimensions.")
    shape = _unpool_output_size(input, kernel_size, stride, padding, output_size)
    if str(indices.dtype) != "torch.int64":
        raise RuntimeError(f"elements in indices should be type int64 but got: "
                           f"{indices.type().removeprefix('torch.').removesuffix('Tensor')}")
    if input.shape != indices.shape:
        raise RuntimeError("Expected shape of indices to be same as that of the input tensor "
                           f"({list(input.shape)}) but got indices tensor with shape: {list(indices.shape)}")
    return fns._max_unpool(input, indices, tuple(shape))


def max_unpool1d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool1d`."""
    return max_unpool(input, indices, kernel_size, stride, padding, output_size, 1)


def max_unpool2d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool2d`."""
    return max_unpool(input, indices, kernel_size, stride, padding, output_size, 2)


def max_unpool3d(input, indices, kernel_size, stride=None, padding=0, output_size=None):
    """Put each value to its place in the output, zeros elsewhere: the partial inverse of :func:`max_pool3d`."""
    return max_unpool(input, indices, kernel_size, stride, padding, output_size, 3)


# --- convolution and loss --------------------------------------------------------------------------------------------

def conv_tbc(input, weight, bias, pad=0):
    """A convolution of (time, n, channels) with a weight (kernel, in, out) -> (time', n, out)."""
    out = fns.conv1d(input.permute(1, 2, 0), weight.permute(2, 1, 0), bias, padding=pad)
    return out.permute(2, 0, 1)


def linear_cross_entropy(input, linear_weight, target, *, linear_bias=None, weight=None, reduction="mean",
                         ignore_index: int = None, label_smoothing=0.0, options=None):
    """``cross_entropy(input @ linear_weight.T + linear_bias, target)``.

    input (n, in) or (in), linear_weight (classes, *, in), target (n, *). ``options`` says how PyTorch cuts the product
    into chunks; here it is whole, with the same result.
    """
    if input.dim() not in (1, 2):
        raise RuntimeError(f"expected input with dimensionality 1 or 2, got {input.dim()}")
    if linear_weight.dim() < 2:
        raise RuntimeError(f"expected linear_weight with dimensionality at least 2, got {linear_weight.dim()}")
    if input.shape[-1] != linear_weight.shape[-1]:
        raise RuntimeError("expected equal input and linear_weight last dimensions (in_features), "
                           f"got {input.shape[-1]} and {linear_weight.shape[-1]}, respectively")
    classes = tuple(linear_weight.shape[:-1])
    if linear_bias is not None and tuple(linear_bias.shape) != classes:
        raise RuntimeError(f"expected linear_bias shape {classes}, got {tuple(linear_bias.shape)}")
    if len(classes) > 1 and input.dim() == 1:
        raise RuntimeError(f"K-dimensional loss defined by linear_weight shape {tuple(linear_weight.shape)} requires "
                           f"batched input, (N, {input.shape[-1]}), got unbatched input with shape "
                           f"{tuple(input.shape)}")
    shape = (*input.shape[:-1], *classes)
    if tuple(target.shape) == shape and ignore_index is not None:
        raise RuntimeError("ignore_index cannot be specified when target contains probabilities")
    scores = fns.linear(input, linear_weight.reshape(-1, input.shape[-1]),
                        None if linear_bias is None else linear_bias.reshape(-1)).reshape(shape)
    return fns.cross_entropy(scores, target, weight=weight, reduction=reduction, label_smoothing=label_smoothing,
                             ignore_index=-100 if ignore_index is None else ignore_index)


# --- older names -----------------------------------------------------------------------------------------------------

def upsample(input, size=None, scale_factor=None, mode="nearest", align_corners=None):
    """The older name of :func:`interpolate`."""
    warn("`nn.functional.upsample` is deprecated. Use `nn.functional.interpolate` instead.")
    return fns.interpolate(input, size, scale_factor, mode, align_corners)


def upsample_nearest(input, size=None, scale_factor=None):
    """The older name of ``interpolate(mode="nearest")``."""
    warn("`nn.functional.upsample_nearest` is deprecated. Use `nn.functional.interpolate` instead.")
    return fns.interpolate(input, size, scale_factor, mode="nearest")


def upsample_bilinear(input, size=None, scale_factor=None):
    """The older name of ``interpolate(mode="bilinear", align_corners=True)``."""
    warn("`nn.functional.upsample_bilinear` is deprecated. Use `nn.functional.interpolate` instead.")
    return fns.interpolate(input, size, scale_factor, mode="bilinear", align_corners=True)


__getattr__ = names_missing_from("torch.nn.functional", globals())
