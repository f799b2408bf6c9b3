"""The gradients of convolutions as functions."""
import leafward as lw
from leafward.nn import functional as F


def of_convolution(conv, of, input, weight, grad_output, stride, padding, dilation, groups):
    with lw.enable_grad():
        wanted = (input if of == "input" else weight).detach().requires_grad_()
        input, weight = (wanted, weight) if of == "input" else (input, wanted)
        output = conv(input, weight, None, stride, padding, dilation, groups)
    return lw.autograd.grad(output, wanted, grad_output)[0]


def gradient_for_input(dims):
    conv = getattr(F, f"conv{dims}d")

    def conv_input(input_size, weight, grad_output, stride=1, padding=0, dilation=1, groups=1):
        input = lw.zeros(input_size, dtype=grad_output.dtype)
        return of_convolution(conv, "input", input, weight, grad_output, stride, padding, dilation, groups)
    conv_input.__name__ = f"conv{dims}d_input"
    conv_input.__doc__ = f"The gradient of :func:`conv{dims}d` for its input, of size ``input_size``."
    return conv_input


def gradient_for_weight(dims):
    conv = getattr(F, f"conv{dims}d")

    def conv_weight(input, weight_size, grad_output, stride=1, padding=0, dilation=1, groups=1):
        weight = lw.zeros(weight_size, dtype=grad_output.dtype)
        return of_convolution(conv, "weight", input, weight, grad_output, stride, padding, dilation, groups)
    conv_weight.__name__ = f"conv{dims}d_weight"
    conv_weight.__doc__ = f"The gradient of :func:`conv{dims}d` for its weight, of size ``weight_size``."
    return conv_weight


conv1d_input, conv2d_input, conv3d_input = map(gradient_for_input, (1, 2, 3))
conv1d_weight, conv2d_weight, conv3d_weight = map(gradient_for_weight, (1, 2, 3))
