"""Convolutions: one trilinear form ``sum grad * weight * x``, solved for each of its three arguments.

``convolution`` gives the output, ``convolution_input_grad`` the image and ``convolution_weight_grad`` the weight, each
from the other two; so the derivatives of each are the other two, to any order.

Args:
    weight: the kernels: `(out, in / groups, *kernel_size)`; of a transposed one `(in, out / groups, *kernel_size)`
    input: the signals: `(n, c, *space)`, or without `n`
    bias: one number for each output channel; None: nothing is added
    padding: zeros on each side: an int for all dims, or one each; where there is a `str` form, `"valid"` is none and `"same"`
        keeps the size
Source: Dumoulin and Visin, 2016, arXiv:1603.07285
"""
from leafward.core.op import Meta, composite, op

from leafward.ops.checks import cpp_name, refuse_bool, scalar_name

# --- the trilinear form ----------------------------------------------------------------------------------------------


def in_channels(fns, x):
    """Of a batch: (batch, rows, channels, ...) -> (rows, batch * channels, ...)"""
    return fns.movedim(x, 0, 1).flatten(1, 2)


def out_of_channels(fns, x, size):
    return fns.movedim(x.unflatten(1, (size, -1)), 1, 0)


@op("torch._convolution_input_grad",
    samples=["2 4 3 | 4 3 3 ; size=(5,), stride=(1,), padding=(0,), dilation=(1,), groups=1",
             "2 4 2 2 | 4 1 3 3 ; size=(3, 4), stride=(2, 1), padding=(1, 0), dilation=(1, 1), groups=2"])
def convolution_input_grad(xp, grad, weight, size, stride, padding, dilation, groups: int):
    """The image of ``size`` whose windows, where they overlap, add up ``weight`` times ``grad``.

    >>> weight = lw.tensor([[[1., 3.]]])
    >>> lw._convolution_input_grad(lw.ones(1, 1, 2), weight, (3,), stride=(1,), padding=(0,), dilation=(1,), groups=1)
    tensor([[[1., 4., 3.]]])
    """
    return xp.kernels.convolve_transposed(grad, weight, tuple(size), stride, padding, dilation, groups)


@convolution_input_grad.vjp("grad")
def convolution_input_grad_dgrad(xp, g, weight, stride, padding, dilation, groups):
    return xp.convolution(g, xp.conj(weight), None, stride, padding, dilation, False, (0,) * len(stride), groups)


@convolution_input_grad.vjp("weight")
def convolution_input_grad_dweight(xp, g, grad, weight: Meta, stride, padding, dilation, groups):
    return xp._convolution_weight_grad(xp.conj(grad), g, weight.shape[2:], stride, padding, dilation, groups)


@convolution_input_grad.batch
def convolution_input_grad_batch(fns, call):
    if call.is_batched(0) and not call.is_batched(1):
        grad = call.front(0)
        return call.run([grad.flatten(0, 1), call.inputs[1]])[0].unflatten(0, grad.shape[:2])
    call.set_option("groups", call.option("groups") * call.size)
    return out_of_channels(fns, call.run([in_channels(fns, call.front(0)), call.front(1).flatten(0, 1)])[0], call.size)


@op("torch._convolution_weight_grad",
    samples=["2 4 3 | 2 3 5 ; kernel=(3,), stride=(1,), padding=(0,), dilation=(1,), groups=1",
             "2 4 2 2 | 2 2 3 4 ; kernel=(3, 3), stride=(2, 1), padding=(1, 0), dilation=(1, 1), groups=2"])
def convolution_weight_grad(xp, grad, x, kernel, stride, padding, dilation, groups: int):
    """The kernel that each output in ``grad`` has seen: its windows of ``x``, weighted and added up."""
    return xp.kernels.convolve_weight_gradient(grad, x, tuple(kernel), stride, padding, dilation, groups)


@convolution_weight_grad.vjp("grad")
def convolution_weight_grad_dgrad(xp, g, x, stride, padding, dilation, groups):
    return xp.convolution(xp.conj(x), g, None, stride, padding, dilation, False, (0,) * len(stride), groups)


@convolution_weight_grad.vjp("x")
def convolution_weight_grad_dx(xp, g, grad, x: Meta, stride, padding, dilation, groups):
    return xp._convolution_input_grad(xp.conj(grad), g, x.shape[2:], stride, padding, dilation, groups)


@convolution_weight_grad.batch
def convolution_weight_grad_batch(fns, call):
    call.set_option("groups", call.option("groups") * call.size)
    return call.run([in_channels(fns, call.front(0)), in_channels(fns, call.front(1))])[0].unflatten(0, (call.size, -1))


#: Lists of options of other lengths than there are dims would be read beyond their ends.
REFUSED = "stride={stride}, padding={padding}, dilation={dilation}, transposed=False, output_padding=[0], groups=1"


@op("torch.convolution", keeps_format="x, weight",
    samples=["2 3 5 | 4 3 3 | 4 ; stride=[1], padding=[0], dilation=[1], transposed=False, output_padding=[0], groups=1",
             "2 4 3 5 | 4 2 3 3 | None ; stride=(2, 1), padding=(1, 2), dilation=(1, 2), transposed=False, "
             "output_padding=(0, 0), groups=2",
             "2 4 3 2 | 4 3 3 2 | 6 ; stride=(2, 3), padding=(1, 0), dilation=(1, 2), transposed=True, "
             "output_padding=(1, 2), groups=2",
             "2 4 3 5 | 4 4 3 3 | None ; stride=[2], padding=[1], dilation=[1], transposed=False, output_padding=[0], "
             "groups=1"],
    errors=[(f"2 3 5 5 | 4 3 3 3 | 4 ; {REFUSED.format(**{'stride': [1], 'padding': [0], 'dilation': [1], **bad})}",
             RuntimeError, f"expected {name} to be a single integer value or a list of 2 values to match the convolution "
             f"dimensions, but got {name}={value}")
            for bad in ({"stride": []}, {"stride": [1, 1, 1]}, {"padding": []}, {"dilation": [1, 2, 3]})
            for name, value in bad.items()])
def convolution(xp, x, weight, bias, stride: tuple, padding: tuple, dilation: tuple, transposed: bool, output_padding: tuple,
                groups: int):
    """Slide ``weight`` over ``x``, or with ``transposed`` its adjoint.

    ``out[n, o, h] = bias[o] + sum_{c, k} weight[o, c, k] * x[n, c, stride * h + dilation * k - padding]``

    Args:
        transposed: True: the adjoint, as `conv_transpose2d`. False: the convolution

    >>> x, weight = lw.ones(1, 1, 4, 4), lw.ones(1, 1, 3, 3)
    >>> lw.convolution(x, weight, None, [1, 1], [0, 0], [1, 1], False, [0, 0], 1)
    tensor([[[[9., 9.],
              [9., 9.]]]])
    """
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    stride, padding, dilation, output_padding = spread_all(
        weight.ndim - 2, stride=stride, padding=padding, dilation=dilation, output_padding=output_padding)
    check_convolution(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups)
    if not transposed:
        return xp.kernels.convolve(x, weight, bias, stride, padding, dilation, groups)
    size = transposed_size(x.shape[2:], weight.shape[2:], stride, padding, dilation, output_padding)
    bias = bias if bias is None else xp.astype(bias, x.dtype)
    return xp.kernels.convolve_transposed(x, weight, size, stride, padding, dilation, groups, bias)


@convolution.onnx
def convolution_onnx(onnx, x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    stride, padding, dilation, output_padding = spread_all(
        len(weight.shape) - 2, stride=stride, padding=padding, dilation=dilation, output_padding=output_padding)
    windows = {"strides": [*stride], "pads": [*padding, *padding], "dilations": [*dilation], "group": groups}
    if transposed:
        return onnx.ConvTranspose(x, weight, bias, output_padding=[*output_padding], **windows)
    return onnx.Conv(x, weight, bias, **windows)


@convolution.vjp("x")
def convolution_dx(xp, g, x: Meta, weight, stride, padding, dilation, transposed, output_padding, groups):
    stride, padding, dilation = spread_all(len(x.shape) - 2, stride=stride, padding=padding, dilation=dilation)
    weight = xp.conj(weight)
    if transposed:
        return xp.convolution(g, weight, None, stride, padding, dilation, False, (0,) * len(stride), groups)
    return xp._convolution_input_grad(g, weight, x.shape[2:], stride, padding, dilation, groups)


@convolution.vjp("weight")
def convolution_dweight(xp, g, x, weight: Meta, stride, padding, dilation, transposed, groups):
    stride, padding, dilation = spread_all(len(x.shape) - 2, stride=stride, padding=padding, dilation=dilation)
    grad, image = (xp.conj(x), g) if transposed else (g, xp.conj(x))
    return xp._convolution_weight_grad(grad, image, weight.shape[2:], stride, padding, dilation, groups)


@convolution.vjp("bias")
def convolution_dbias(xp, g):
    return xp.sum(g, axis=(0, *range(2, g.ndim)))


@convolution.batch
def convolution_batch(fns, call):
    """The batch beside the rows; or, where each example has its own weight, in the groups."""
    x, weight, bias = call.inputs
    if not call.is_batched(1) and not call.is_batched(2):
        x = call.front(0)
        return call.run([x.flatten(0, 1), weight, bias])[0].unflatten(0, x.shape[:2])
    x = in_channels(fns, call.front(0))
    weight = call.front(1).flatten(0, 1)
    bias = None if bias is None else call.front(2).flatten(0, 1)
    call.set_option("groups", call.option("groups") * call.size)
    return out_of_channels(fns, call.run([x, weight, bias])[0], call.size)


# --- refusals --------------------------------------------------------------------------------------------------------

def transposed_size(size, kernel, stride, padding, dilation, output_padding):
    return tuple([(n - 1) * s - 2 * p + d * (k - 1) + extra + 1
                  for n, k, s, p, d, extra in zip(size, kernel, stride, padding, dilation, output_padding)])


def by(sizes):
    return "(" + " x ".join(map(str, sizes)) + ")"


def bool_kernel(dims, transposed):
    if transposed:
        return f"slow_conv_transpose{max(dims, 2)}d_out_cpu"
    return "compute_columns3d" if dims == 3 else "slow_conv2d_cpu"


def is_added_last(x, bias, transposed):
    """Whether the bias may have another dtype than ``x``: adjoints of lines and images add it to what they have written."""
    return transposed and x.ndim < 5 and "c" not in (x.dtype.kind, bias.dtype.kind) and (
        x.dtype.kind not in "biu" or bias.dtype.kind in "biu")


def check_convolution(x, weight, bias, stride, padding, dilation, transposed, output_padding, groups):
    if x.ndim != weight.ndim:
        raise RuntimeError(f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight "
                           f"{list(weight.shape)}, but got {x.ndim}-dimensional input of size {list(x.shape)} instead")
    if x.dtype != weight.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(weight)}")
    if bias is not None and bias.dtype != x.dtype and not is_added_last(x, bias, transposed):
        raise RuntimeError(f"Input type ({cpp_name(x)}) and bias type ({cpp_name(bias)}) should be the same")
    if x.dtype.kind == "b":
        refuse_bool(x, bool_kernel(x.ndim - 2, transposed))
    if min(padding) < 0:
        raise RuntimeError("negative padding is not supported")
    if min(output_padding) < 0:
        raise RuntimeError("negative output_padding is not supported")
    if min(stride) <= 0:
        raise RuntimeError("non-positive stride is not supported")
    if min(dilation) <= 0:
        raise RuntimeError(f"dilation should be greater than zero, but got {list(dilation)}")
    if groups <= 0:
        raise RuntimeError("non-positive groups is not supported")
    shape, kernel = list(weight.shape), weight.shape[2:]
    if shape[0] < groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be at least {groups} at dimension 0, but got "
                           f"weight of size {shape} instead")
    if shape[0] % groups:
        raise RuntimeError(f"Given groups={groups}, expected weight to be divisible by {groups} at dimension 0, but "
                           f"got weight of size {shape} instead")
    channels, outputs = (shape[0], shape[1] * groups) if transposed else (shape[1] * groups, shape[0])
    given = f"transposed={int(transposed)}" if transposed else f"groups={groups}"
    if x.shape[1] != channels:
        raise RuntimeError(f"Given {given}, weight of size {shape}, expected input{list(x.shape)} to have {channels} "
                           f"channels, but got {x.shape[1]} channels instead")
    if bias is not None and bias.shape != (outputs,):
        given = given if transposed else ""
        raise RuntimeError(f"Given {given + ', ' if given else ''}weight of size {shape}, expected bias to be "
                           f"1-dimensional with {outputs} elements, but got bias of size {list(bias.shape)} instead")
    if transposed and x.size and not outputs and 0 not in kernel:
        asked = ("2D or 4D weight tensor expected" if len(kernel) < 3 else
                 "5D (n_output_plane x n_input_plane x kernel_depth x kernel_height x kernel_width) tensor expected for weight")
        raise RuntimeError(f"non-empty {asked}, but got: {shape if len(kernel) > 1 else [*shape[:2], 1, *kernel]}")
    if 0 in kernel:
        shown = (" x ".join(map(str, kernel)) + " (TxHxW)" if len(kernel) == 3 else
                 f"kernel_height: {kernel[0] if len(kernel) == 2 else 1} kernel_width: {kernel[-1]}")
        raise RuntimeError(f"kernel size should be greater than zero, but got{':' * (len(kernel) == 3)} {shown}")
    size = x.shape[2:]
    if not transposed:
        padded = [n + 2 * p for n, p in zip(size, padding)]
        reach = [d * (k - 1) + 1 for d, k in zip(dilation, kernel)]
        if any(n < k for n, k in zip(padded, reach)):
            raise RuntimeError(f"Calculated padded input size per channel: {by(padded)}. Kernel size: {by(reach)}. "
                               "Kernel size can't be greater than actual input size")
        refuse_no_places(x)
        return
    if any(extra >= s and extra >= d for extra, s, d in zip(output_padding, stride, dilation)):
        facts = [f"{what}_{axis}: {value}"
                 for what, values in (("output_padding", output_padding), ("stride", stride), ("dilation", dilation))
                 for axis, value in zip(("depth", "height", "width")[-len(size):], values)]
        raise RuntimeError("output padding must be smaller than either stride or dilation, but got " + " ".join(facts))
    out = transposed_size(size, kernel, stride, padding, dilation, output_padding)
    if min(out) <= 0:
        raise RuntimeError(f"Given input size per channel: {by(size)}. Calculated output size per channel: {by(out)}. "
                           "Output size is too small")
    refuse_no_places(x)


def refuse_no_places(x):
    if 0 in x.shape[2:] and 0 not in x.shape[:2]:
        shape = list(x.shape) if x.ndim > 3 else [*x.shape[:2], 1, x.shape[2]]
        raise RuntimeError(f"Only zero batch or zero channel inputs are supported, but got input shape: {shape}")


# --- the public forms ------------------------------------------------------------------------------------------------

def spread(value, dims, name):
    """``value`` once per spatial dimension."""
    if isinstance(value, int):
        return (value,) * dims
    value = tuple(value)
    if len(value) == 1:
        return value * dims
    if len(value) != dims:
        raise RuntimeError(f"expected {name} to be a single integer value or a list of {dims} values to match the "
                           f"convolution dimensions, but got {name}={list(value)}")
    return value


def spread_all(dims, **options):
    return [spread(value, dims, name) for name, value in options.items()]


def convolve(fns, name, dims, input, weight, bias, stride, padding, dilation, groups, output_padding=None):
    if input.ndim not in (dims + 1, dims + 2):
        raise RuntimeError(f"Expected {dims + 1}D (unbatched) or {dims + 2}D (batched) input to {name}, but got input "
                           f"of size: {list(input.shape)}")
    if weight.ndim < 3:
        raise RuntimeError("weight should have at least three dimensions")
    inner = weight.ndim - 2
    if inner != dims:
        raise RuntimeError(f"Expected {weight.ndim}-dimensional input for {weight.ndim}-dimensional weight"
                           f"{list(weight.shape)}, but got {input.ndim}-dimensional input of size {list(input.shape)} "
                           "instead")
    stride, dilation = spread(stride, inner, "stride"), spread(dilation, inner, "dilation")
    batched = input if input.ndim == dims + 2 else input.unsqueeze(0)
    if isinstance(padding, str):
        batched, padding = pad_by_name(fns, batched, weight.shape[2:], stride, padding, dilation)
    padding = spread(padding, inner, "padding")
    extra = spread(0 if output_padding is None else output_padding, inner, "output_padding")
    if any(0 < s <= e < d for e, s, d in zip(extra, stride, dilation)):     # as far as zeros after the input would reach
        zeros = [e // s if 0 < s <= e < d else 0 for e, s, d in zip(extra, stride, dilation)]
        batched = fns.constant_pad_nd(batched, [w for n in zeros[::-1] for w in (0, n)])
        extra = [e - n * s for e, n, s in zip(extra, zeros, stride)]
    out = fns.convolution(batched, weight, bias, stride, padding, dilation, output_padding is not None, extra, groups)
    return out if batched.ndim == input.ndim else out.squeeze(0)


def pad_by_name(fns, input, kernel, stride, padding, dilation):
    """The input and its padding for "valid" (none) or "same" (as many places as the input has)."""
    if padding == "valid":
        return input, 0
    if padding != "same":
        raise RuntimeError(f"Invalid padding string: '{padding}'")
    if any(s != 1 for s in stride):
        raise RuntimeError("padding='same' is not supported for strided convolutions")
    total = [d * (k - 1) for d, k in zip(dilation, kernel)]
    if any(t % 2 for t in total):       # an even window reaches one further to the right
        odd = []
        for t in reversed(total):
            odd += [0, t % 2]
        input = fns.pad(input, odd)
    return input, tuple([t // 2 for t in total])


@composite("nn.functional.conv1d", "torch.conv1d",
           autocast="low", samples=["2 3 5 | 4 3 3 | 4", "2 3 5 | 4 3 2 ; stride=2, padding=1", "3 5 | 4 3 3 ; padding='same'",
                    "2 4 6 | 4 2 3 ; groups=2, dilation=2", "2 3 5 | 4 3 1", "0 3 5 | 4 3 3 | 4"],
           errors=[("5 | 4 3 3", RuntimeError, "Expected 2D (unbatched) or 3D (batched) input to conv1d")])
def conv1d(fns, input, weight, bias=None, stride: int | tuple = 1, padding: int | tuple | str = 0, dilation: int | tuple = 1,
           groups: int = 1):
    """Slide ``weight`` along a sequence.

    ``input`` is ``(n, c, length)`` or ``(c, length)``, ``weight`` is ``(o, c / groups, k)``, ``bias`` is ``(o,)``.
    """
    return convolve(fns, "conv1d", 1, input, weight, bias, stride, padding, dilation, groups)


@composite("nn.functional.conv2d", "torch.conv2d",
           autocast="low", samples=["2 3 5 5 | 4 3 3 3 | 4", "2 3 5 4 | 4 3 3 2 | 4 ; stride=(2, 1), padding=1",
                    "3 5 5 | 4 3 3 3 ; padding='same'", "1 2 5 5 | 2 2 2 4 ; padding='same'",
                    "2 3 5 5 | 4 3 3 3 ; padding='valid'", "1 4 5 6 | 6 2 3 3 | 6 ; groups=2, dilation=(2, 1)",
                    "1 4 5 5 | 4 1 3 3 ; groups=4, padding=1", "2 3 5 5 | 4 3 1 1 | 4", "2 3 5 5 | 4 3 1 1 ; stride=2",
                    "0 3 5 5 | 4 3 3 3 | 4"],
           errors=[("1 2 5 5 | 4 3 3 3", RuntimeError,
                    "Given groups=1, weight of size [4, 3, 3, 3], expected input[1, 2, 5, 5] to have 3 channels, but "
                    "got 2 channels instead"),
                   ("1 3 2 2 | 4 3 3 3", RuntimeError,
                    "Calculated padded input size per channel: (2 x 2). Kernel size: (3 x 3). Kernel size can't be "
                    "greater than actual input size"),
                   ("1 3 5 5 | 4 3 3 3 | 3", RuntimeError,
                    "Given weight of size [4, 3, 3, 3], expected bias to be 1-dimensional with 4 elements, but got "
                    "bias of size [3] instead"),
                   ("1 3 5 5 | 4 3 3 3 ; stride=0", RuntimeError, "non-positive stride is not supported"),
                   ("1 3 5 5 | 4 3 3 3 ; padding='sam'", RuntimeError, "Invalid padding string: 'sam'"),
                   ("2 5 | 4 3 3 3", RuntimeError, "Expected 3D (unbatched) or 4D (batched) input to conv2d")])
def conv2d(fns, input, weight, bias=None, stride: int | tuple = 1, padding: int | tuple | str = 0, dilation: int | tuple = 1,
           groups: int = 1):
    """Slide ``weight`` over an image.

    ``input`` is ``(n, c, h, w)`` or ``(c, h, w)``, ``weight`` is ``(o, c / groups, kh, kw)``, ``bias`` is ``(o,)``.
    ``padding`` is a number of zeros on each side, ``"valid"`` (none) or ``"same"`` (as large an output as the input).

    >>> lw.nn.functional.conv2d(lw.ones(1, 1, 4, 4), lw.ones(1, 1, 3, 3), stride=2, padding=1)
    tensor([[[[4., 6.],
              [6., 9.]]]])
    """
    return convolve(fns, "conv2d", 2, input, weight, bias, stride, padding, dilation, groups)


@composite("nn.functional.conv3d", "torch.conv3d",
           autocast="low", samples=["1 2 3 4 3 | 3 2 2 3 2 | 3", "1 2 4 4 4 | 2 1 2 2 2 ; stride=2, padding=1, groups=2"])
def conv3d(fns, input, weight, bias=None, stride: int | tuple = 1, padding: int | tuple | str = 0, dilation: int | tuple = 1,
           groups: int = 1):
    """Slide ``weight`` through a volume: as ``conv2d`` with three spatial dimensions."""
    return convolve(fns, "conv3d", 3, input, weight, bias, stride, padding, dilation, groups)


@composite("nn.functional.conv_transpose1d", "torch.conv_transpose1d",
           autocast="low",
           samples=["2 3 5 | 3 4 3 | 4", "2 4 3 | 4 2 3 ; stride=2, padding=1, output_padding=1, groups=2", "3 5 | 3 2 2"])
def conv_transpose1d(fns, input, weight, bias=None, stride: int | tuple = 1, padding: int | tuple = 0,
                     output_padding: int | tuple = 0, groups: int = 1, dilation: int | tuple = 1):
    """Adjoint of ``conv1d``: each element of ``input`` is spread as a copy of ``weight``, which is ``(c, o / groups, k)``."""
    return convolve(fns, "conv_transpose1d", 1, input, weight, bias, stride, padding, dilation, groups, output_padding)


@composite("nn.functional.conv_transpose2d", "torch.conv_transpose2d",
           autocast="low",
           samples=["2 3 3 4 | 3 4 3 3 | 4", "1 4 3 3 | 4 2 3 2 ; stride=2, padding=1, output_padding=(1, 0), groups=2",
                    "3 4 4 | 3 2 2 2 ; dilation=2"],
           errors=[("1 2 5 5 | 3 4 3 3", RuntimeError,
                    "Given transposed=1, weight of size [3, 4, 3, 3], expected input[1, 2, 5, 5] to have 3 channels"),
                   ("1 3 5 5 | 3 4 3 3 ; output_padding=1", RuntimeError,
                    "output padding must be smaller than either stride or dilation")])
def conv_transpose2d(fns, input, weight, bias=None, stride: int | tuple = 1, padding: int | tuple = 0,
                     output_padding: int | tuple = 0, groups: int = 1, dilation: int | tuple = 1):
    """Adjoint of ``conv2d``: each pixel of ``input`` is spread as a copy of ``weight``, ``(c, o / groups, kh, kw)``."""
    return convolve(fns, "conv_transpose2d", 2, input, weight, bias, stride, padding, dilation, groups, output_padding)


@composite("nn.functional.conv_transpose3d", "torch.conv_transpose3d",
           autocast="low", samples=["1 2 2 2 3 | 2 3 2 2 2 | 3", "1 2 2 2 2 | 2 1 3 3 3 ; stride=2, padding=1, groups=2"])
def conv_transpose3d(fns, input, weight, bias=None, stride: int | tuple = 1, padding: int | tuple = 0,
                     output_padding: int | tuple = 0, groups: int = 1, dilation: int | tuple = 1):
    """Adjoint of ``conv3d``: each voxel of ``input`` is spread as a copy of ``weight``."""
    return convolve(fns, "conv_transpose3d", 3, input, weight, bias, stride, padding, dilation, groups, output_padding)
