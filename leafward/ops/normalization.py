"""Normalization: standardize groups of elements, then scale and shift them.

All forms share one op, in which ``view = (outer, groups, inner)`` says what a group is; its mean and variance go over
``outer`` and ``inner``. ``weight`` and ``bias`` have the shape ``affine`` and broadcast against the shape ``grid``.

Args:
    eps: what is added to the variance before its root is taken
    weight: the factors at the end; None: 1
    bias: what is added at the end; None: 0
    input: `(n, c, *)`, or of `layer_norm` and `rms_norm` any shape that ends in `normalized_shape`
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.dims import count
from leafward.ops.kinds import refuse_gradient, refuse_kinds, unsupported

# --- the op ----------------------------------------------------------------------------------------------------------
# The mean and variance are recomputed in the backward: as saved numbers they would be constants of a second derivative.

LAYER_NORM, GROUP_NORM = "NativeLayerNormBackward0", "NativeGroupNormBackward0"


@op("torch._normalize", row_major=True, kernel="normalize",
    node=lambda given: GROUP_NORM if given["by_channel"] else LAYER_NORM,
    samples=["4 3 | 3 | 3 ; view=(1, 4, 3), grid=(1, 4, 3), affine=(1, 1, 3), eps=1e-5, by_channel=False",
             "4 3 ; view=(1, 4, 3), grid=(1, 4, 3), affine=(1, 1, 3), eps=1e-5, by_channel=False"],
    tolerance=(1e-5, 1e-5))                        # the variance is a difference of close numbers
def normalize_groups(xp, x, weight=None, bias=None, *, view, grid, affine, eps, by_channel):
    """``out = (x - mean) / sqrt(variance + eps) * weight + bias`` for each group of ``view``.

    ``by_channel``: the groups are of channels, not of the last dimensions, and PyTorch has a function of its own for that.
    """
    refuse_kinds(x, "biuc", "GroupNormKernelImpl" if by_channel else "LayerNormKernelImpl")
    return xp.kernels.normalize_groups(x, weight, bias, view, grid, affine, eps)[0]


@normalize_groups.onnx
def normalize_groups_onnx(onnx, x, weight, bias, view, eps, by_channel):
    if by_channel:
        return None
    dims, inner = 0, 1                              # the last dims that make up a group
    while inner != view[2] or dims == 0:
        dims += 1
        inner = x.shape[-dims] * inner
    if weight is None:
        weight = onnx.ones(x.shape[-dims:], x.dtype)
    return onnx.LayerNormalization(x, weight, bias, axis=-dims, epsilon=eps)


@normalize_groups.vjp("x, weight, bias", kernel="normalize_grad")
def normalize_groups_d(xp, g, x, weight, bias: Meta, view, grid, affine, eps):
    dx, dweight, dbias = xp._normalize_backward(g, x, weight, view=view, grid=grid, affine=affine, eps=eps)
    return (dx, None if weight is None else dweight.reshape(weight.shape),
            None if bias is None else dbias.reshape(bias.shape))


@normalize_groups.decomposition
def normalize_groups_parts(fns, x, weight, bias, view, grid, affine, eps, by_channel):
    return normalize_with_moments_parts(fns, x, weight, bias, view, grid, affine, eps)[0]


# The same for images, whose channels stay innermost.
normalize_images = op("torch._normalize_images", row_major=True, keeps_format="x", kernel="normalize",
                      node="NativeGroupNormBackward0",
                      samples=["4 3 | 3 | 3 ; view=(1, 4, 3), grid=(1, 4, 3), affine=(1, 1, 3), eps=1e-5, by_channel=True"],
                      tolerance=(1e-5, 1e-5))(normalize_groups.forward)
normalize_images.vjp("x, weight, bias", kernel="normalize_grad")(normalize_groups_d)
normalize_images.decomposition(normalize_groups_parts)


@op("torch._normalize_with_moments", row_major=True, keeps_format="x", outputs="out, mean, variance",
    no_grad_outputs="mean, variance", kernel="normalize_with_moments",
    node="NativeBatchNormBackward0",
    samples=["4 3 2 | 3 | 3 ; view=(4, 3, 2), grid=(4, 3, 2), affine=(1, 3, 1), eps=1e-5",
             "4 3 ; view=(4, 3, 1), grid=(4, 3, 1), affine=(1, 3, 1), eps=1e-5"],
    tolerance=(1e-5, 1e-5))                        # as above
def normalize_with_moments(xp, x, weight=None, bias=None, *, view, grid, affine, eps):
    """As ``_normalize``, with the groups' means and variances for running estimates."""
    refuse_kinds(x, "biuc", "batch_norm")
    return xp.kernels.normalize_groups(x, weight, bias, view, grid, affine, eps)


@normalize_with_moments.vjp("x, weight, bias", kernel="normalize_moments_grad")
def normalize_with_moments_d(xp, g_out, x, weight, view, grid, affine, eps):
    return xp._normalize_backward(g_out, x, weight, view=view, grid=grid, affine=affine, eps=eps)


@normalize_with_moments.decomposition
def normalize_with_moments_parts(fns, x, weight, bias, view, grid, affine, eps):
    groups = x.reshape(view)
    mean = groups.mean((0, 2), keepdim=True)
    variance = ((groups - mean) ** 2).mean((0, 2), keepdim=True)
    out = ((groups - mean) * (variance + eps).rsqrt()).reshape(grid)
    if weight is not None:
        out = out * weight.reshape(affine)
    if bias is not None:
        out = out + bias.reshape(affine)
    return out.reshape(x.shape), mean.detach().reshape(-1), variance.detach().reshape(-1)


@op("torch._normalize_backward", outputs="dx, dweight, dbias",
    samples=["4 3 2 | 4 3 2 | 3 ; view=(4, 3, 2), grid=(4, 3, 2), affine=(1, 3, 1), eps=1e-5",
             "4 3 | 4 3 | 3 ; view=(1, 4, 3), grid=(1, 4, 3), affine=(1, 1, 3), eps=1e-5",
             "2 4 3 | 2 4 3 | 4 ; view=(1, 4, 6), grid=(2, 4, 3), affine=(1, 4, 1), eps=1e-5"],
    tolerance=(1e-4, 1e-4))                        # as above, times the gradients
def normalize_backward(xp, grad, x, weight=None, *, view, grid, affine, eps):
    """The gradients of ``_normalize`` for ``x``, ``weight`` and ``bias``."""
    return xp.kernels.normalize_groups_backward(grad, x, weight, view, grid, affine, eps)


@normalize_backward.vjp("grad, x, weight")
def normalize_backward_d(xp, g_dx, g_dweight, g_dbias, grad, x, weight, view, grid, affine, eps, wanted):
    # With h = weight * grad and the standardized z, the kernel's first output is s P(h), where
    # P(v) = v - mean(v) - z mean(v z) is its own adjoint, and s = 1 / sqrt(variance + eps) depends on x as z does.
    def mean(v):
        return xp.mean(v, axis=(0, 2), keepdims=True)

    def project(v):
        return v - mean(v) - z * mean(v * z)

    shape = x.shape
    x = x.reshape(view)
    centred = x - mean(x)
    s = 1 / xp.sqrt(mean(centred * centred) + eps)
    z = centred * s
    scale = None if weight is None else weight.reshape(affine)
    h = grad.reshape(grid) if scale is None else grad.reshape(grid) * scale
    a, h = g_dx.reshape(view), h.reshape(view)

    dh = (s * project(a)).reshape(grid)
    dgrad = dh if scale is None else dh * scale
    dz = -s * (a * mean(h * z) + h * mean(a * z))
    if g_dweight is not None:
        b = g_dweight.reshape(affine)
        dgrad = dgrad + b * z.reshape(grid)
        dz = dz + (b * grad.reshape(grid)).reshape(view)
    if g_dbias is not None:
        dgrad = dgrad + g_dbias.reshape(affine)
    dx = s * project(dz) - s * s * z * mean(a * project(h))
    if weight is None:
        return dgrad.reshape(shape), dx.reshape(shape), None
    axes = tuple([d for d, n in enumerate(affine) if n == 1])
    dweight = xp.sum(dh * grad.reshape(grid), axis=axes)
    return dgrad.reshape(shape), dx.reshape(shape), dweight.reshape(weight.shape)


@op("torch._normalize_by", row_major=True, keeps_format="x", nondifferentiable="mean, variance",
    node="NativeBatchNormBackward0",
    samples=["4 3 2 | 3 | pos: 3 | 3 | 3 ; eps=1e-5", "4 3 | 3 | pos: 3 ; eps=1e-5"])
def normalize_by(xp, x, mean, variance, weight=None, bias=None, *, eps):
    """``out = (x - mean) / sqrt(variance + eps) * weight + bias``, a number each per channel, which is axis 1."""
    refuse_kinds(x, "biuc", "batch_norm")
    shape = (-1, *(1,) * (x.ndim - 2))
    scale = 1 / xp.sqrt(variance + eps)
    if weight is not None:
        scale = scale * weight
    offset = -mean * scale
    if bias is not None:
        offset = offset + bias
    return xp.astype(x * scale.reshape(shape) + offset.reshape(shape), x.dtype)


@normalize_by.onnx
def normalize_by_onnx(onnx, x, mean, variance, weight, bias, eps):
    weight = onnx.ones_like(mean) if weight is None else weight
    bias = onnx.zeros_like(mean) if bias is None else bias
    return onnx.BatchNormalization(x, weight, bias, mean, variance, epsilon=eps)


@normalize_by.vjp("x")
def normalize_by_dx(xp, g, variance, weight, eps):
    scale = 1 / xp.sqrt(variance + eps)
    if weight is not None:
        scale = scale * weight
    return g * scale.reshape((-1, *(1,) * (g.ndim - 2)))


@normalize_by.vjp("weight")
def normalize_by_dweight(xp, g, x, mean, variance, eps):
    shape = (-1, *(1,) * (x.ndim - 2))
    z = (x - mean.reshape(shape)) * (1 / xp.sqrt(variance + eps)).reshape(shape)
    return xp.sum(g * z, axis=(0, *range(2, x.ndim)))


@normalize_by.vjp("bias")
def normalize_by_dbias(xp, g):
    return xp.sum(g, axis=(0, *range(2, g.ndim)))


# --- batch and instance ----------------------------------------------------------------------------------------------

def check_channels(channels, *tensors):
    """``tensors``: the running mean and variance, the weight and the bias."""
    for number, tensor in enumerate(tensors):
        if tensor is not None and (found := count(tensor.shape)) != channels:
            name = ("running_mean", "running_var", "weight", "bias")[number]
            raise RuntimeError(f"{name} should contain {channels} elements not {found}")


def check_parameters(input, *parameters):
    """All are of the input's dtype, or, beside a half type, all of float32."""
    found = [parameter.dtype for parameter in parameters if parameter is not None]
    if not found or all([dtype is input.dtype for dtype in found]):
        return
    if found[0] is input.dtype:
        other = next(dtype for dtype in found if dtype is not input.dtype)
        raise RuntimeError(f"expected scalar type {dtypes.scalar_name(input.dtype)} but found {dtypes.scalar_name(other)}")
    if any([dtype is not dtypes.float32 for dtype in found]):
        raise RuntimeError("mixed dtype (CPU): expect parameter to have scalar type of Float")
    if input.dtype.itemsize != 2:
        raise RuntimeError("mixed dtype (CPU): all inputs must share same datatype.")


def moved_in_torch(torch, x, y, momentum, factor=1.0):
    common = torch.result_type(x, y)
    return x.to(common) * (1 - momentum) + torch.as_tensor(y).to(common) * (factor * momentum)


@op("Tensor._moved", elementwise=True, dtype="floating", reference=moved_in_torch,
    samples=["3 4 | 3 4 ; momentum=0.1", "3 | 3 ; momentum=0.25, factor=1.5"])
def moved(xp, x, y, momentum: float, factor=1.0, out=None):
    """A running estimate, moved towards a new one: ``out = x * (1 - momentum) + y * (factor * momentum)``.

    Args:
        momentum: how far it moves, from 0 to 1
        factor: what the new one is multiplied by
    """
    return xp.add(x * (1 - momentum), y * (factor * momentum), out=out)


@moved.vjp("x")
def moved_dx(g, momentum):
    return g * (1 - momentum)


@moved.vjp("y")
def moved_dy(g, momentum, factor):
    return g * (factor * momentum)


def move_running(running, value, momentum, factor=1.0):
    if running is None:
        return
    if running.dtype.itemsize == 2:                # rounded once
        running.copy_(running.float()._moved(value, momentum, factor))
    else:
        running._moved_(value, momentum, factor)


@composite("nn.functional.batch_norm",
           samples=["4 3 | 3 | pos: 3 ; training=True", "4 3 2 2 | 3 | pos: 3 | 3 | 3 ; training=True, momentum=0.3",
                    "4 3 2 | 3 | pos: 3 | 3 | 3", "4 3 | None | None | 3 ; training=True", "2 3 2 2 | 3 | pos: 3"],
           errors=[("1 4 | 4 | 4 ; training=True", ValueError, "Expected more than 1 value per channel when training"),
                   ("3 4 | 3 | 4", RuntimeError, "running_mean should contain 4 elements not 3"),
                   ("3 4 | 4 | 4 | 3", RuntimeError, "weight should contain 4 elements not 3"),
                   ("3 4 | None | None", RuntimeError, "running_mean must be defined in evaluation mode")],
           tolerance=(1e-5, 1e-5))                 # the variance is a difference of close numbers
def batch_norm(fns, input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    """Standardize each channel (axis 1), then ``* weight + bias``.

    In training the mean and variance are the batch's, and the running estimates move towards them by ``momentum`` (the
    variance's with Bessel's correction); otherwise they are the running ones.

    Source: Ioffe and Szegedy, 2015, arXiv:1502.03167
    """
    shape = input.shape
    if training and shape[0] * count(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {shape}")
    if training and eps <= 0:
        raise ValueError(f"batch_norm eps must be positive during training, but got {eps}")
    if eps < 0:
        raise ValueError(f"batch_norm eps must be non-negative, but got {eps}")
    return by_channel(fns, input, running_mean, running_var, weight, bias, training, momentum, eps)


def channels_of(shape):
    return shape[1] if len(shape) > 1 else 0


def by_channel(fns, input, running_mean, running_var, weight, bias, training, momentum, eps):
    """Batch norm of any number of values per channel, and any ``eps``."""
    shape, channels = input.shape, channels_of(input.shape)
    if count(shape) == 0:                          # nothing is looked at then, the sizes of the others neither
        out = input.clone() if weight is None else input * weight[0]
        return out if bias is None else out + bias[0]
    if not training:
        for name, running in (("running_mean", running_mean), ("running_var", running_var)):
            if running is None:
                raise RuntimeError(f"{name} must be defined in evaluation mode")
    check_channels(channels, running_mean, running_var, weight, bias)
    if training and (running_mean is None) != (running_var is None):
        raise ValueError("running_mean and running_var must either both be None or neither be None")
    check_parameters(input, weight, bias, running_mean, running_var)
    refuse_gradient("native_batch_norm", running_mean=running_mean, running_var=running_var)
    if not training:
        return fns._normalize_by(input, running_mean, running_var, weight, bias, eps=eps)
    view = (shape[0], channels, count(shape[2:]))
    out, mean, variance = fns._normalize_with_moments(input, weight, bias, view=view, grid=view,
                                                      affine=(1, channels, 1), eps=eps)
    size = view[0] * view[2]
    move_running(running_mean, mean, momentum)
    move_running(running_var, variance, momentum, size / (size - 1))
    return out


@composite("nn.functional.instance_norm",
           samples=["2 3 4", "2 3 4 2 | None | None | 3 | 3", "2 3 4 | 3 | pos: 3 ; use_input_stats=False",
                    "2 3 4 | 3 | pos: 3 ; momentum=0.3"],
           errors=[("1 4 1", ValueError, "Expected more than 1 spatial element when training"),
                   ("2 3 4 ; use_input_stats=False", RuntimeError,
                    "Expected running_mean and running_var to be defined when use_input_stats is false")],
           tolerance=(1e-5, 1e-5))                 # as above
def instance_norm(fns, input, running_mean=None, running_var=None, weight=None, bias=None, use_input_stats=True,
                  momentum: float = 0.1, eps=1e-05):
    """Standardize each channel (axis 1) of each sample, then ``* weight + bias``.

    Args:
        use_input_stats: True: the statistics of each sample. False: the running ones
    Source: Ulyanov, Vedaldi and Lempitsky, 2016, arXiv:1607.08022
    """
    shape = input.shape
    if not use_input_stats and (running_mean is None or running_var is None):
        raise RuntimeError("Expected running_mean and running_var to be defined when use_input_stats is false")
    if use_input_stats and count(shape[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {shape}")
    if len(shape) < 2:
        raise IndexError(f"instance_norm needs a batch and channels, (n, c, ...), and not {len(shape)} dimensions")
    batch, channels = shape[:2]
    if count(shape):
        check_channels(channels, running_mean, running_var, weight, bias)

    if use_input_stats and running_mean is not None and running_var is not None and (
            running_mean.dtype is input.dtype is not running_var.dtype and count(shape)):
        raise RuntimeError(f"expected scalar type {dtypes.scalar_name(input.dtype)} but found "
                           f"{dtypes.scalar_name(running_var.dtype)}")

    def per_sample(vector):
        return None if vector is None else vector.repeat(batch)

    # Every channel of every sample is a channel of one larger batch norm.
    means, variances = [None if running is None else per_sample(running.to(input.dtype))
                        for running in (running_mean, running_var)]
    out = by_channel(fns, input.reshape(1, batch * channels, *shape[2:]), means, variances, per_sample(weight),
                     per_sample(bias), use_input_stats, momentum, eps)
    if use_input_stats:
        for running, moved in ((running_mean, means), (running_var, variances)):
            if running is not None:
                running.copy_(moved.view(batch, channels).mean(0))
    return out.view(shape)


# --- layer and group -------------------------------------------------------------------------------------------------

def check_normalized_shape(input, normalized_shape, weight, bias=None, stars="[*, "):
    if not normalized_shape:
        raise RuntimeError("Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
                           "element, but got normalized_shape = []")
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != normalized_shape:
            raise RuntimeError(f"Expected {name} to be of same shape as normalized_shape, but got {name} of shape "
                               f"{list(tensor.shape)} and normalized_shape = {list(normalized_shape)}")
    if tuple(input.shape[-len(normalized_shape):]) != normalized_shape:
        sizes = ", ".join(map(str, normalized_shape))
        raise RuntimeError(f"Given normalized_shape={list(normalized_shape)}, expected input with shape {stars}{sizes}]"
                           f", but got input of size{list(input.shape)}")


@composite("nn.functional.layer_norm", "torch.layer_norm",
           samples=["2 3 4 ; normalized_shape=(4,)", "3 4 ; normalized_shape=[3, 4]",
                    "0 4 ; normalized_shape=(4,)"],
           errors=[("3 4 ; normalized_shape=(3,)", RuntimeError,
                    "Given normalized_shape=[3], expected input with shape [*, 3], but got input of size[3, 4]"),
                   ("3 4 ; normalized_shape=()", RuntimeError, "Expected normalized_shape to be at least 1-dimensional")],
           tolerance=(1e-5, 1e-5))                 # as above
def layer_norm(fns, input, normalized_shape: tuple, weight=None, bias=None, eps=1e-05):
    """Standardize over the last dimensions, those of ``normalized_shape``, then ``* weight + bias`` element by element.

    ``out = (x - mean) / sqrt(var + eps) * weight + bias``, the variance without Bessel's correction.

    Source: Ba, Kiros and Hinton, 2016, arXiv:1607.06450

    >>> lw.nn.functional.layer_norm(lw.tensor([[1., 2., 3.]]), (3,))
    tensor([[-1.2247,  0.0000,  1.2247]])
    """
    if isinstance(normalized_shape, int):
        raise TypeError("layer_norm(): argument 'normalized_shape' (position 2) must be tuple of ints, not int")
    normalized_shape = tuple(normalized_shape)
    check_normalized_shape(input, normalized_shape, weight, bias)
    size = count(normalized_shape)
    view = (1, count(input.shape[:-len(normalized_shape)]), size)
    return fns._normalize(input, weight, bias, view=view, grid=view, affine=(1, 1, size), eps=eps, by_channel=False)


@composite("nn.functional.group_norm", "torch.group_norm",
           samples=["2 4 3 ; num_groups=2", "3 4 ; num_groups=2", "2 6 2 2 ; num_groups=3, eps=0.1"],
           errors=[("3 4 ; num_groups=3", RuntimeError,
                    "Expected number of channels in input to be divisible by num_groups, but got input of shape [3, 4] "
                    "and num_groups=3"),
                   ("1 2 ; num_groups=2", ValueError,
                    "Expected more than 1 value per channel when training, got input size [1, 2]")],
           tolerance=(1e-5, 1e-5))                 # as above
def group_norm(fns, input, num_groups: int, weight=None, bias=None, eps=1e-05):
    """Standardize each of ``num_groups`` groups of channels (axis 1) of each sample, then ``* weight + bias`` by channel.

    ``out = (x - mean) / sqrt(var + eps) * weight + bias``, over the channels of a group and all places of a sample.

    Source: Wu and He, 2018, arXiv:1803.08494
    """
    shape = input.shape
    if input.ndim < 2:
        raise RuntimeError(f"Expected at least 2 dimensions for input tensor but received {input.ndim}")
    batch, channels = shape[:2]
    if num_groups > 0 and batch * channels // num_groups * count(shape[2:]) == 1:
        raise ValueError("Expected more than 1 value per channel when training, got input size "
                         f"{[batch * channels // num_groups, num_groups, *shape[2:]]}")
    if num_groups <= 0:
        raise RuntimeError(f"Expected num groups to be greater than 0, got {num_groups}")
    if channels % num_groups:
        raise RuntimeError("Expected number of channels in input to be divisible by num_groups, but got input of shape "
                           f"{list(shape)} and num_groups={num_groups}")
    for name, tensor in (("weight", weight), ("bias", bias)):
        if tensor is not None and tuple(tensor.shape) != (channels,):
            raise RuntimeError(f"Expected {name} to be a vector of size equal to the number of channels in input, but "
                               f"got {name} of shape {list(tensor.shape)} and input of shape {list(shape)}")
    size = count(shape[2:])
    return fns._normalize_images(input, weight, bias, view=(1, batch * num_groups, channels // num_groups * size),
                                 grid=(batch, channels, size), affine=(1, channels, 1), eps=eps, by_channel=True)


@composite("nn.functional.rms_norm", "torch.rms_norm",
           samples=["2 3 4 ; normalized_shape=(4,)", "3 4 ; normalized_shape=[3, 4], eps=0.1"],
           errors=[("3 4 ; normalized_shape=(3,)", RuntimeError,
                    "Given normalized_shape=[3], expected input with shape [*3], but got input of size[3, 4]")])
def rms_norm(fns, input, normalized_shape: tuple, weight=None, eps: float = None):
    """Divide by the root of the mean square over the last dimensions: ``out = x / sqrt(mean(x * x) + eps) * weight``.

    ``eps`` is the dtype's ``finfo(...).eps`` unless given, that of float32 for half types, which are computed in it.

    Args:
        eps: what is added to the mean square; None: the dtype's `eps`
    Source: Zhang and Sennrich, 2019, arXiv:1910.07467
    """
    normalized_shape = tuple(normalized_shape)
    if input.ndim < len(normalized_shape):
        raise ValueError(f"Input tensor must have at least {len(normalized_shape)} dimensions, but got {input.ndim}")
    check_normalized_shape(input, normalized_shape, weight, stars="[*")
    if not (input.dtype.is_floating_point or input.dtype.is_complex):
        raise unsupported(input, "rms_norm")
    x = input.float() if input.dtype.itemsize == 2 else input
    if eps is None:
        eps = dtypes.finfo(x.dtype).eps
    axes = tuple(range(-len(normalized_shape), 0))
    out = x * fns.rsqrt(x.square().mean(axes, keepdim=True) + eps)
    return (out if weight is None else out * weight).to(input.dtype)


@composite("nn.functional.local_response_norm", samples=["2 3 4 ; size=2", "2 5 3 3 ; size=3, alpha=0.1, k=2.0"])
def local_response_norm(fns, input, size, alpha=0.0001, beta=0.75, k=1.0):
    """Divide by the energy of ``size`` neighbouring channels: ``out = x / (k + alpha * mean(x * x)) ** beta``.

    Args:
        size: how many channels
        alpha: the factor of the mean square
        beta: the power
        k: what is added
    Source: Krizhevsky, Sutskever and Hinton, 2012, NIPS
    """
    if input.ndim < 3:
        raise ValueError(f"Expected 3D or higher dimensionality                          input (got {input.ndim} dimensions)")
    if input.numel() == 0:
        return input
    batch, channels = input.shape[:2]
    energy = (input * input).reshape(batch, 1, channels, count(input.shape[2:]))
    energy = fns.avg_pool2d(fns.pad(energy, (0, 0, size // 2, (size - 1) // 2)), (size, 1), stride=1)
    return input / energy.reshape(input.shape).mul(alpha).add(k).pow(beta).contiguous(input._suggested_format())
