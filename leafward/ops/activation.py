"""Activation functions. Softmax is in ``softmax.py``; the logistic curve and tanh are with their families.

Args:
    alpha: the height of the tail: values go down to `-alpha`
    lambd: up to this distance from zero
    inplace: True: `input` is overwritten with the result and returned
    lower: the least slope below zero
    upper: the greatest slope below zero
    training: True: slopes are drawn. False: `(lower + upper) / 2`
"""
import math
from numbers import Real

from leafward import dtypes
from leafward.core.op import composite, op

from leafward.ops.checks import as_element, scalar_name
from leafward.ops.kinds import refuse_kinds

SQRT_HALF = math.sqrt(0.5)
SQRT_2_PI = math.sqrt(2 * math.pi)
SELU_ALPHA, SELU_SCALE = 1.6732632423543772848170429916717, 1.0507009873554804934193349852946
NOT_FLOAT = "biuc"


def functional(declared, *samples):
    """``nn.functional``'s form of an activation: the op with ``inplace`` behind its own arguments."""
    name = declared.name
    count = len(declared.names) - 1

    def form(fns, input, *args, inplace=False, **options):
        if len(args) > count:
            *args, inplace = args
        return getattr(fns, f"{name}_" if inplace else name)(input, *args, **options)

    form.__doc__ = declared.doc
    composite(f"torch._functional_{name}", f"nn.functional.{name}", reference=f"nn.functional.{name}", like=declared,
              samples=samples or ["3 4"])(form)


# --- ramps -----------------------------------------------------------------------------------------------------------

@op("relu", elementwise=True, inplace="method, function, nn.functional",
    samples=["3 4", "", "+0. -0. -1. +nan +inf"],
    errors=[("bool: 3", RuntimeError, "Boolean inputs not supported for relu")])
def relu(xp, x, out=None):
    """Ramp: ``out = max(x, 0)``."""
    if x.dtype.kind in "bc":
        if x.dtype.kind == "b":
            raise RuntimeError("Boolean inputs not supported for relu")
        raise NotImplementedError("clamp is not supported for complex types")
    return xp.clip(x, 0, out=out)


@relu.vjp("x")
def relu_dx(xp, g, out):
    return xp.where(out <= 0, 0, g)


@op("nn.functional.leaky_relu", elementwise=True, inplace="nn.functional",
    samples=["3 4", "3 4 ; negative_slope=0.2", "+0. -1. +nan"])
def leaky_relu(xp, x, negative_slope: Real = 0.01):
    """Ramp that goes on below zero: ``out = x if x > 0 else negative_slope * x``.

    Args:
        negative_slope: the slope below zero
    """
    refuse_kinds(x, NOT_FLOAT, "leaky_relu_cpu")
    return xp.where(x > 0, x, x * negative_slope)


@leaky_relu.vjp("x")
def leaky_relu_dx(xp, g, x, negative_slope):
    return xp.where(x > 0, g, g * negative_slope)


@op("nn.functional.hardtanh", elementwise=True, inplace="nn.functional",
    samples=["3 4", "3 4 ; min_val=-0.5, max_val=0.2", "+1. -1. +nan +0."],
    errors=[("3 ; min_val=2., max_val=1.", ValueError, "min_val cannot be greater than max_val"),
            ("bool: 3", RuntimeError, "Bool inputs not supported for hardtanh")])
def hardtanh(xp, x, min_val=-1.0, max_val=1.0, out=None):
    """Straight between bounds: ``out = minimum(maximum(x, min_val), max_val)``.

    Args:
        min_val: the least value
        max_val: the greatest value
    """
    if min_val > max_val:
        raise ValueError("min_val cannot be greater than max_val")
    kind = x.dtype.kind
    if kind == "b":
        raise RuntimeError("Bool inputs not supported for hardtanh")
    if kind == "c":
        raise NotImplementedError("clamp is not supported for complex types")
    if kind in "iu":
        min_val, max_val = as_element(min_val, dtypes.int64), as_element(max_val, dtypes.int64)
    if kind == "u" and min_val < 0:
        raise RuntimeError("cannot do hardtanh on an unsigned type with negative limits")
    low, high = [xp.scalar_for(as_element(bound, xp.dtype_of(x)), x.dtype) for bound in (min_val, max_val)]
    return xp.clip(x, low, high, out=out)


@hardtanh.vjp("x")
def hardtanh_dx(xp, g, x, min_val, max_val):
    return xp.where((x <= min_val) | (x >= max_val), 0, g)


@composite("nn.functional.relu6", samples=["3 4", "+0. +6. +7. -1."])
def relu6(fns, input, inplace: "bool" = False):
    """Ramp up to 6: ``out = minimum(maximum(x, 0), 6)``."""
    return (fns.hardtanh_ if inplace else fns.hardtanh)(input, 0.0, 6.0)


@op("threshold", "nn.functional.threshold", elementwise=True, inplace="method, function, nn.functional",
    samples=["3 4 ; threshold=0.5, value=-2.", "+1. -1. +nan ; threshold=1, value=20"])
def threshold(xp, x, threshold, value):
    """Nothing changes above the threshold: ``out = x if x > threshold else value``.

    Args:
        threshold: up to here
        value: the result up to there
    """
    refuse_kinds(x, "bc", "threshold_cpu")
    threshold, value = as_element(threshold, xp.dtype_of(x)), as_element(value, xp.dtype_of(x))
    return xp.where(x <= threshold, xp.scalar_for(value, x.dtype), x)


@threshold.vjp("x")
def threshold_dx(xp, g, x, threshold):
    return xp.where(x <= threshold, 0, g)


@op("hardshrink", "nn.functional.hardshrink", elementwise=True, rounds="lambd",
    samples=["3 4", "3 4 ; lambd=1.", "+0.5 -0.5 +0.6 +nan"])
def hardshrink(xp, x, lambd: Real = 0.5):
    """Nothing near zero: ``out = 0 if abs(x) <= lambd else x``."""
    refuse_kinds(x, NOT_FLOAT, "hardshrink_cpu")
    return xp.where((x >= -lambd) & (x <= lambd), 0, x)


@hardshrink.vjp("x")
def hardshrink_dx(xp, g, x, lambd):
    return xp.where((x >= -lambd) & (x <= lambd), 0, g)


@op("nn.functional.softshrink", elementwise=True, samples=["3 4", "3 4 ; lambd=1.", "+0.5 -0.5 +0.6 +nan"],
    errors=[("3 ; lambd=-1.", RuntimeError,
             "lambda must be in range [0, 3.40282e+38] for input dtype Float, but found -1")])
def softshrink(xp, x, lambd: Real = 0.5):
    """Towards zero by ``lambd``, and not beyond: ``out = x - clamp(x, -lambd, lambd)``."""
    refuse_kinds(x, NOT_FLOAT, "softshrink_check")
    if not 0 <= lambd <= 65504 and not 0 <= lambd <= float(xp.finfo(x.dtype).max):       # every dtype has the first
        raise RuntimeError(f"lambda must be in range [0, {float(xp.finfo(x.dtype).max):g}] for input dtype "
                           f"{scalar_name(x)}, but found {lambd:g}")
    return x - xp.clip(x, -lambd, lambd)


@softshrink.vjp("x")
def softshrink_dx(xp, g, x, lambd):
    return xp.where((x >= -lambd) & (x <= lambd), 0, g)


@op("torch._prelu_kernel", elementwise=True, samples=["3 4 | = 0.2", "3 4 | 4", "+0. -1. | +0.5 +0.5"])
def prelu_kernel(xp, x, weight):
    """Ramp with a learnt slope below zero: ``out = x if x > 0 else weight * x``."""
    refuse_kinds(x, NOT_FLOAT, "prelu_cpu")
    return xp.where(x > 0, x, weight * x)


@prelu_kernel.vjp("x")
def prelu_kernel_dx(xp, g, x, weight):
    return xp.where(x > 0, g, weight * g)


@prelu_kernel.vjp("weight")
def prelu_kernel_dweight(xp, g, x):
    return xp.where(x > 0, 0, x * g)


@composite("prelu", "nn.functional.prelu", autocast="low", samples=["3 4 | 4", "3 4 | 1", "2 3 2 | 3", "3 | 1"],
           errors=[("2 3 | 2", RuntimeError, "Mismatch of parameter numbers and input channel size. "
                    "Found parameter numbers = 2 and channel size = 3.")])
def prelu(fns, input, weight):
    """Ramp with a learnt slope below zero, one for all or one per channel (dim 1).

    Args:
        weight: the slopes below zero: one, or one per channel
    Source: He et al., 2015, arXiv:1502.01852
    """
    if weight.dtype is not input.dtype:
        raise RuntimeError(f"prelu: Type promoting not supported. Got {scalar_name(input)} and {scalar_name(weight)}")
    if weight.ndim > 1:
        raise RuntimeError(f"prelu: Expected `weight` to be a scalar or 1D tensor, but got: ndim = {weight.ndim}")
    if weight.numel() != 1:
        channels = input.shape[1] if input.ndim > 1 else 1
        if channels != weight.numel():
            raise RuntimeError("Mismatch of parameter numbers and input channel size. Found parameter numbers = "
                               f"{weight.numel()} and channel size = {channels}.")
    if input.ndim > 1:
        weight = weight.reshape((1, -1) + (1,) * (input.ndim - 2))
    elif input.ndim == 0:
        weight = weight.reshape(())
    return fns._prelu_kernel(input, weight)


@op("torch._rrelu_with_noise", elementwise=True, nondifferentiable="slope", samples=["3 4 | unit: 3 4"])
def rrelu_with_noise(xp, x, slope, out=None):
    """Each number times a slope of its own: ``out = slope * x``."""
    refuse_kinds(x, NOT_FLOAT, "rrelu_with_noise_out_cpu")
    return xp.multiply(x, slope, out=out)


@rrelu_with_noise.vjp("x")
def rrelu_with_noise_dx(g, slope):
    return g * slope


@composite("rrelu", "nn.functional.rrelu", samples=["3 4", "3 4 ; lower=0.1, upper=0.5"], inplace=True)
def rrelu(fns, input, lower: Real = 1.0 / 8, upper: Real = 1.0 / 3, training=False, inplace=False):
    """Ramp whose slope below zero is random in ``training``, else halfway between the bounds.

    Source: Xu et al., 2015, arXiv:1505.00853
    """
    for what, bound in (("lower", lower), ("upper", upper)):
        if not math.isfinite(bound):
            raise RuntimeError(f"rrelu: {what} bound must be finite, got {bound}")
    if lower > upper:
        raise RuntimeError("Lower bound should be less than or equal to the upper bound")
    if not training:
        return (fns._rrelu_evaluated_ if inplace else fns._rrelu_evaluated)(input, (lower + upper) / 2)
    slope = fns._rrelu_slopes(input, lower, upper)
    return (fns._rrelu_with_noise_ if inplace else fns._rrelu_with_noise)(input, slope)


@op("torch._rrelu_evaluated", elementwise=True, node="RreluWithNoiseBackward0",
    samples=["3 4 ; slope=0.2", "+0. -1. +nan ; slope=0.2"],
    reference=lambda torch, x, slope: torch.nn.functional.leaky_relu(x, slope))
def rrelu_evaluated(xp, x, slope, out=None):
    """The ramp whose slope below zero was random in training: ``out = x if x > 0 else slope * x``."""
    refuse_kinds(x, NOT_FLOAT, "leaky_relu_cpu")
    return xp.where(x > 0, x, x * slope)


@rrelu_evaluated.vjp("x")
def rrelu_evaluated_dx(xp, g, x, slope):
    return xp.where(x > 0, g, g * slope)


@op("torch._rrelu_slopes", random=True, nondifferentiable="x", samples=["3 4 ; lower=0.1, upper=0.5"])
def rrelu_slopes(xp, x, lower, upper):
    """1 for what is above zero, and for all else a number drawn from ``lower`` to ``upper``."""
    refuse_kinds(x, NOT_FLOAT, "rrelu_with_noise_out_cpu")
    return xp.random.ramp_slopes(xp.random.default, x, float(lower), float(upper))


# --- exponential tails -----------------------------------------------------------------------------------------------

def elu_value(xp, x, alpha, scale):
    return xp.where(x < 0, xp.expm1(x) * (alpha * scale), x * scale)


def elu_slope(xp, x, alpha, scale):
    # NaN counts as above 0, and at 0 itself the slope does not change: PyTorch's second derivative there is 0.
    return xp.where(x <= 0, xp.exp(xp.where(x < 0, x, 0)) * (alpha * scale), scale)


@op("nn.functional.elu", elementwise=True, inplace="nn.functional", samples=["3 4", "3 4 ; alpha=0.5", "+0. -90. +90. +nan"])
def elu(xp, x, alpha: Real = 1.0):
    """Ramp with an exponential tail: ``out = x if x > 0 else alpha * (exp(x) - 1)``.

    Source: Clevert, Unterthiner and Hochreiter, 2015, arXiv:1511.07289
    """
    refuse_kinds(x, NOT_FLOAT, "elu_cpu")
    return elu_value(xp, x, alpha, 1.0)


@elu.vjp("x")
def elu_dx(xp, g, x, alpha):
    return g * elu_slope(xp, x, alpha, 1.0)


@op("selu", elementwise=True, inplace="method, function, nn.functional", node="EluBackward0", samples=["3 4", "+0. -90. +90."])
def selu(xp, x):
    """The ELU whose outputs keep mean 0 and variance 1.

    ``out = scale * x`` above 0, ``scale * alpha * (exp(x) - 1)`` below, with scale = 1.0507 and alpha = 1.6733.

    Source: Klambauer et al., 2017, arXiv:1706.02515
    """
    refuse_kinds(x, NOT_FLOAT, "elu_cpu")
    return elu_value(xp, x, SELU_ALPHA, SELU_SCALE)


@selu.vjp("x")
def selu_dx(xp, g, x):
    return g * elu_slope(xp, x, SELU_ALPHA, SELU_SCALE)


@op("celu", elementwise=True, inplace="method, function, nn.functional", samples=["3 4", "3 4 ; alpha=2.", "+0. -90. +90."],
    errors=[("3 ; alpha=0.", RuntimeError, "ZeroDivisionError: alpha cannot be 0 for CELU")])
def celu(xp, x, alpha: Real = 1.0):
    """Ramp with a smooth exponential tail: ``out = x if x > 0 else alpha * (exp(x / alpha) - 1)``.

    Source: Barron, 2017, arXiv:1704.07483
    """
    if alpha == 0:
        raise RuntimeError("ZeroDivisionError: alpha cannot be 0 for CELU")
    refuse_kinds(x, NOT_FLOAT, "elu_cpu")
    return xp.where(x < 0, xp.expm1(x / alpha) * alpha, x)


@celu.vjp("x")
def celu_dx(xp, g, x, alpha):
    return g * xp.where(x < 0, xp.exp(x / alpha), 1)


@op("nn.functional.softplus", elementwise=True, samples=["3 4", "3 4 ; beta=2., threshold=1.", "-40. +40. +0."])
def softplus(xp, x, beta: Real = 1.0, threshold: Real = 20.0):
    """Smooth ramp: ``out = log(1 + exp(beta * x)) / beta``, and x itself where ``beta * x > threshold``.

    Args:
        beta: how sharp the bend is
        threshold: from `beta * x` above this the result is x itself
    """
    refuse_kinds(x, NOT_FLOAT, "softplus_cpu")
    steep = x * beta
    return xp.where(steep > threshold, x, xp.log1p(xp.exp(steep)) / beta)


@softplus.vjp("x")
def softplus_dx(xp, g, x, beta, threshold):
    steep = x * beta
    return xp.where(steep > threshold, g, g * xp.sigmoid(steep))


@op("nn.functional.logsigmoid", elementwise=True, row_major=True, node="LogSigmoidBackward0",
    samples=["3 4", "-900. +900. +0."])
def logsigmoid(xp, x):
    """Logarithm of the logistic curve: ``out = -log(1 + exp(-x))``."""
    refuse_kinds(x, NOT_FLOAT, "log_sigmoid_cpu")
    return xp.minimum(x, 0) - xp.log1p(xp.exp(-xp.abs(x)))


@logsigmoid.vjp("x")
def logsigmoid_dx(xp, g, x):
    return g * xp.sigmoid(-x)


# --- gates: x times something between 0 and 1 ------------------------------------------------------------------------

@op("nn.functional.gelu", elementwise=True,
    samples=["3 4", "3 4 ; approximate='tanh'", "-40. +40. +0.", "-40. +40. +0. ; approximate='tanh'"],
    errors=[("3 ; approximate='x'", RuntimeError, "approximate argument must be either none or tanh.")])
def gelu(xp, x, *, approximate: str = "none"):
    """Gate by the normal distribution: ``out = x * P(X <= x)``, exactly or (``tanh``) approximately.

    Args:
        approximate: `"none"`: by the error function. `"tanh"`: by the hyperbolic tangent
    Source: Hendrycks and Gimpel, 2016, arXiv:1606.08415
    """
    refuse_kinds(x, NOT_FLOAT, "GeluKernelImpl")
    if approximate == "none":
        return 0.5 * x * (1 + xp.erf(x * SQRT_HALF))
    if approximate == "tanh":
        return 0.5 * x * (1 + xp.tanh(gelu_angle(x)))
    raise RuntimeError("approximate argument must be either none or tanh.")


def gelu_angle(x):
    return math.sqrt(2 / math.pi) * (x + 0.044715 * (x * x * x))


@gelu.onnx
def gelu_onnx(onnx, x, approximate):
    return onnx.Gelu(x, approximate=approximate) if onnx.opset >= 20 else None


@gelu.vjp("x")
def gelu_dx(xp, g, x, approximate):
    if approximate == "none":
        return g * (0.5 * (1 + xp.erf(x * SQRT_HALF)) + x * xp.exp(-0.5 * (x * x)) / SQRT_2_PI)
    tanh = xp.tanh(gelu_angle(x))
    slope = math.sqrt(2 / math.pi) * (1 + 3 * 0.044715 * (x * x))
    return g * (0.5 * (1 + tanh) + 0.5 * x * (1 - tanh * tanh) * slope)


@op("nn.functional.silu", elementwise=True, inplace=True, samples=["3 4", "", "-90. +90. +0."])
def silu(xp, x):
    """Gate by the logistic curve: ``out = x * sigmoid(x)``.

    Source: Elfwing, Uchibe and Doya, 2017, arXiv:1702.03118
    """
    refuse_kinds(x, "biu", "silu_cpu")
    return x * xp.sigmoid(x)


@silu.vjp("x")
def silu_dx(xp, g, x):
    s = xp.sigmoid(x)
    return g * xp.conj(s * (1 + x * (1 - s)))


@op("nn.functional.mish", elementwise=True, inplace=True, samples=["3 4", "", "-90. +90. +0."])
def mish(xp, x):
    """Gate by tanh of softplus: ``out = x * tanh(log(1 + exp(x)))``.

    Source: Misra, 2019, arXiv:1908.08681
    """
    refuse_kinds(x, NOT_FLOAT, "mish_cpu")
    return x * xp.tanh(xp.log1p(xp.exp(x)))


@mish.vjp("x")
def mish_dx(xp, g, x):
    tanh = xp.tanh(xp.softplus(x))
    return g * (tanh + x * (1 - tanh * tanh) * xp.sigmoid(x))


@op("nn.functional.hardsigmoid", elementwise=True, inplace=True, samples=["3 4", "-3. +3. +0. -5. +5."])
def hardsigmoid(xp, x):
    """Straight from 0 to 1: ``out = clamp(x + 3, 0, 6) / 6``.

    Source: Howard et al., 2019, arXiv:1905.02244
    """
    refuse_kinds(x, NOT_FLOAT, "hardsigmoid_cpu")
    return xp.clip(x + 3, 0, 6) / 6


@hardsigmoid.vjp("x")
def hardsigmoid_dx(xp, g, x):
    return xp.where((x > -3) & (x < 3), g * (1 / 6), 0)


@op("nn.functional.hardswish", elementwise=True, inplace=True, samples=["3 4", "-3. +3. +0. -5. +5."])
def hardswish(xp, x):
    """Gate by the straight sigmoid: ``out = x * clamp(x + 3, 0, 6) / 6``.

    Source: Howard et al., 2019, arXiv:1905.02244
    """
    refuse_kinds(x, NOT_FLOAT, "hardswish_cpu")
    return x * xp.clip(x + 3, 0, 6) / 6


@hardswish.vjp("x")
def hardswish_dx(xp, g, x):
    return xp.where(x <= -3, 0, xp.where(x < 3, g * (x / 3 + 0.5), g))


# --- made of others --------------------------------------------------------------------------------------------------

@composite("nn.functional.softsign", samples=["3 4", "int5: 3"])
def softsign(fns, input):
    """Squash to (-1, 1): ``out = x / (1 + abs(x))``."""
    return input / (input.abs() + 1)


@composite("nn.functional.tanhshrink", samples=["3 4", "+0. +9."])
def tanhshrink(fns, input):
    """What tanh takes away: ``out = x - tanh(x)``."""
    return input - input.tanh()


for declared in (relu, leaky_relu, hardtanh, elu, selu, celu, silu, mish, hardsigmoid, hardswish):
    functional(declared)
functional(threshold, "3 4 ; threshold=0.5, value=-2.")
