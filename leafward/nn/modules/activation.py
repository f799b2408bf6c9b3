"""Activation functions as layers."""
from __future__ import annotations


from typing import TYPE_CHECKING

import leafward as lw
from leafward.errors import warn
from leafward.nn import functional as F
from leafward.nn.modules.module import Module
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class _Inplace(Module):
    """An activation whose only option is whether it overwrites its input."""

    __constants__ = ["inplace"]

    def __init__(self, inplace: bool = False) -> None:
        super().__init__()
        self.inplace = inplace

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class ReLU(_Inplace):
    """``out = max(0, input)``, element by element: (*) -> (*).

    {inplace}

    >>> lw.nn.ReLU()(lw.tensor([-1.0, 2.0]))
    tensor([0., 2.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.relu(input, inplace=self.inplace)


class SELU(_Inplace):
    """``out = scale * (max(0, input) + min(0, alpha * (exp(input) - 1)))`` with fixed alpha and scale: (*) -> (*).

    {inplace}
    Source: Klambauer et al., Self-Normalizing Neural Networks, 2017.

    >>> lw.nn.SELU()(lw.tensor([-1.0, 2.0]))
    tensor([-1.1113,  2.1014])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.selu(input, self.inplace)


class SiLU(_Inplace):
    """``out = input * sigmoid(input)``, also called swish: (*) -> (*).

    {inplace}

    >>> lw.nn.SiLU()(lw.tensor([-1.0, 2.0]))
    tensor([-0.2689,  1.7616])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.silu(input, inplace=self.inplace)


class Mish(_Inplace):
    """``out = input * tanh(softplus(input))``: (*) -> (*).

    {inplace}

    >>> lw.nn.Mish()(lw.tensor([-1.0, 2.0]))
    tensor([-0.3034,  1.9440])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.mish(input, inplace=self.inplace)


class Hardswish(_Inplace):
    """``out = input * clip(input + 3, 0, 6) / 6``: (*) -> (*).

    {inplace}

    >>> lw.nn.Hardswish()(lw.tensor([-1.0, 3.0]))
    tensor([-0.3333,  3.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardswish(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardsigmoid(_Inplace):
    """``out = clip(input + 3, 0, 6) / 6``: (*) -> (*).

    {inplace}

    >>> lw.nn.Hardsigmoid()(lw.tensor([-3.0, 0.0, 3.0]))
    tensor([0.0000, 0.5000, 1.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardsigmoid(input, self.inplace)

    def extra_repr(self) -> str:
        return ""


class Hardtanh(Module):
    """``out = clip(input, min_val, max_val)``: (*) -> (*).

    min_val, max_val: the bounds, the lower one below the upper one
    {inplace}
    min_value, max_value: older names of the bounds; None: not given

    >>> lw.nn.Hardtanh()(lw.tensor([-2.0, 0.5]))
    tensor([-1.0000,  0.5000])
    """

    __constants__ = ["min_val", "max_val", "inplace"]

    def __init__(self, min_val: float = -1.0, max_val: float = 1.0, inplace: bool = False, min_value: float | None = None,
                 max_value: float | None = None) -> None:
        super().__init__()
        if min_value is not None:
            warn("keyword argument `min_value` is deprecated and renamed to `min_val`", FutureWarning)
            min_val = min_value
        if max_value is not None:
            warn("keyword argument `max_value` is deprecated and renamed to `max_val`", FutureWarning)
            max_val = max_value
        if max_val <= min_val:
            raise AssertionError(f"max_val ({max_val}) must be greater than min_val ({min_val})")
        self.min_val = min_val
        self.max_val = max_val
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.hardtanh(input, self.min_val, self.max_val, self.inplace)

    def extra_repr(self) -> str:
        return f"min_val={self.min_val}, max_val={self.max_val}" + (", inplace=True" if self.inplace else "")


class ReLU6(Hardtanh):
    """``out = clip(input, 0, 6)``: (*) -> (*).

    {inplace}

    >>> lw.nn.ReLU6()(lw.tensor([-1.0, 8.0]))
    tensor([0., 6.])
    """

    def __init__(self, inplace: bool = False) -> None:
        super().__init__(0.0, 6.0, inplace)

    def forward(self, input: Tensor) -> Tensor:
        return F.relu6(input, self.inplace)

    def extra_repr(self) -> str:
        return "inplace=True" if self.inplace else ""


class LeakyReLU(Module):
    """``out = input if input > 0 else negative_slope * input``: (*) -> (*).

    negative_slope: slope below zero
    {inplace}

    >>> lw.nn.LeakyReLU(0.1)(lw.tensor([-1.0, 2.0]))
    tensor([-0.1000,  2.0000])
    """

    __constants__ = ["inplace", "negative_slope"]

    def __init__(self, negative_slope: float = 1e-2, inplace: bool = False) -> None:
        super().__init__()
        self.negative_slope = negative_slope
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.leaky_relu(input, self.negative_slope, self.inplace)

    def extra_repr(self) -> str:
        return f"negative_slope={self.negative_slope}" + (", inplace=True" if self.inplace else "")


class RReLU(Module):
    """:class:`LeakyReLU` with a slope drawn from [lower, upper) while training, their mean in evaluation: (*) -> (*).

    lower, upper: bounds of the slope
    {inplace}

    >>> lw.nn.RReLU(0.1, 0.3).eval()(lw.tensor([-1.0, 2.0]))
    tensor([-0.2000,  2.0000])
    """

    __constants__ = ["lower", "upper", "inplace"]

    def __init__(self, lower: float = 1.0 / 8, upper: float = 1.0 / 3, inplace: bool = False) -> None:
        super().__init__()
        self.lower = lower
        self.upper = upper
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.rrelu(input, self.lower, self.upper, self.training, self.inplace)

    def extra_repr(self) -> str:
        return f"lower={self.lower}, upper={self.upper}" + (", inplace=True" if self.inplace else "")


class PReLU(Module):
    """:class:`LeakyReLU` with trained slopes ``weight``: (n, c, *) -> (n, c, *).

    num_parameters: 1, one slope for all channels, or c, one for each
    init: their initial value
    {device, dtype}
    Source: He et al., Delving Deep into Rectifiers, 2015.

    >>> lw.nn.PReLU()(lw.tensor([-1.0, 2.0])).tolist()
    [-0.25, 2.0]
    """

    __constants__ = ["num_parameters"]

    def __init__(self, num_parameters: int = 1, init: float = 0.25, device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__()
        self.num_parameters = num_parameters
        self.init = init
        self.weight = Parameter(lw.empty(num_parameters, device=device, dtype=dtype))
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """All slopes ``init``."""
        with lw.no_grad():
            self.weight.fill_(self.init)

    def forward(self, input: Tensor) -> Tensor:
        return F.prelu(input, self.weight)

    def extra_repr(self) -> str:
        return f"num_parameters={self.num_parameters}"


class _Alpha(Module):
    """An activation with a factor ``alpha`` and an in-place switch."""

    __constants__ = ["alpha", "inplace"]

    def __init__(self, alpha: float = 1.0, inplace: bool = False) -> None:
        super().__init__()
        self.alpha = alpha
        self.inplace = inplace

    def extra_repr(self) -> str:
        return f"alpha={self.alpha}" + (", inplace=True" if self.inplace else "")


class ELU(_Alpha):
    """``out = input if input > 0 else alpha * (exp(input) - 1)``: (*) -> (*).

    alpha: minus the limit at minus infinity
    {inplace}

    >>> lw.nn.ELU()(lw.tensor([-1.0, 2.0]))
    tensor([-0.6321,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.elu(input, self.alpha, self.inplace)


class CELU(_Alpha):
    """``out = max(0, input) + min(0, alpha * (exp(input / alpha) - 1))``, smooth at 0 for every alpha: (*) -> (*).

    alpha: minus the limit at minus infinity
    {inplace}

    >>> lw.nn.CELU(2.0)(lw.tensor([-1.0, 2.0]))
    tensor([-0.7869,  2.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.celu(input, self.alpha, self.inplace)


class GELU(Module):
    """``out = input * Phi(input)``, Phi the normal distribution function: (*) -> (*).

    approximate: "none", exactly; "tanh", ``Phi(x) = (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))) / 2``
    Source: Hendrycks and Gimpel, Gaussian Error Linear Units, 2016.

    >>> lw.nn.GELU()(lw.tensor([-1.0, 2.0]))
    tensor([-0.1587,  1.9545])
    """

    __constants__ = ["approximate"]

    def __init__(self, approximate: str = "none") -> None:
        super().__init__()
        self.approximate = approximate

    def forward(self, input: Tensor) -> Tensor:
        return F.gelu(input, approximate=self.approximate)

    def extra_repr(self) -> str:
        return f"approximate={self.approximate!r}"


class GLU(Module):
    """``out = a * sigmoid(b)``, a and b the halves of the input along ``dim``: (*, 2 n, *) -> (*, n, *).

    dim: the dimension that is halved
    Raises: RuntimeError where that size is odd

    >>> lw.nn.GLU()(lw.tensor([3.0, 0.0]))
    tensor([1.5000])
    """

    __constants__ = ["dim"]

    def __init__(self, dim: int = -1) -> None:
        super().__init__()
        self.dim = dim

    def forward(self, input: Tensor) -> Tensor:
        return F.glu(input, self.dim)

    def extra_repr(self) -> str:
        return f"dim={self.dim}"


class Sigmoid(Module):
    """``out = 1 / (1 + exp(-input))``: (*) -> (*).

    >>> lw.nn.Sigmoid()(lw.tensor([0.0, 2.0]))
    tensor([0.5000, 0.8808])
    """

    def forward(self, input: Tensor) -> Tensor:
        return lw.sigmoid(input)


class Tanh(Module):
    """``out = tanh(input)``: (*) -> (*).

    >>> lw.nn.Tanh()(lw.tensor([0.0, 2.0]))
    tensor([0.0000, 0.9640])
    """

    def forward(self, input: Tensor) -> Tensor:
        return lw.tanh(input)


class LogSigmoid(Module):
    """``out = log(sigmoid(input))``, without underflow: (*) -> (*).

    >>> lw.nn.LogSigmoid()(lw.tensor([0.0, -200.0]))
    tensor([  -0.6931, -200.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.logsigmoid(input)


class Softsign(Module):
    """``out = input / (1 + |input|)``: (*) -> (*).

    >>> lw.nn.Softsign()(lw.tensor([-1.0, 3.0]))
    tensor([-0.5000,  0.7500])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softsign(input)


class Tanhshrink(Module):
    """``out = input - tanh(input)``: (*) -> (*).

    >>> lw.nn.Tanhshrink()(lw.tensor([0.0, 2.0]))
    tensor([0.0000, 1.0360])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.tanhshrink(input)


class Softplus(Module):
    """``out = log(1 + exp(beta * input)) / beta``, and ``input`` where beta * input exceeds ``threshold``: (*) -> (*).

    beta: sharpness; the larger, the nearer to ReLU
    threshold: from where on the function is taken for linear

    >>> lw.nn.Softplus()(lw.tensor([0.0, 30.0]))
    tensor([ 0.6931, 30.0000])
    """

    __constants__ = ["beta", "threshold"]

    def __init__(self, beta: float = 1.0, threshold: float = 20.0) -> None:
        super().__init__()
        self.beta = beta
        self.threshold = threshold

    def forward(self, input: Tensor) -> Tensor:
        return F.softplus(input, self.beta, self.threshold)

    def extra_repr(self) -> str:
        return f"beta={self.beta}, threshold={self.threshold}"


class _Shrink(Module):
    """A shrinkage with the half-width ``lambd``."""

    __constants__ = ["lambd"]

    def __init__(self, lambd: float = 0.5) -> None:
        super().__init__()
        self.lambd = lambd

    def extra_repr(self) -> str:
        return f"{self.lambd}"


class Softshrink(_Shrink):
    """``out = sign(input) * max(0, |input| - lambd)``: (*) -> (*).

    lambd: half the width of what becomes zero, at least 0

    >>> lw.nn.Softshrink()(lw.tensor([-2.0, 0.3]))
    tensor([-1.5000,  0.0000])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.softshrink(input, self.lambd)


class Hardshrink(_Shrink):
    """``out = input if |input| > lambd else 0``: (*) -> (*).

    lambd: half the width of what becomes zero

    >>> lw.nn.Hardshrink()(lw.tensor([-2.0, 0.3]))
    tensor([-2.,  0.])
    """

    def forward(self, input: Tensor) -> Tensor:
        return F.hardshrink(input, self.lambd)


class Threshold(Module):
    """``out = input if input > threshold else value``: (*) -> (*).

    threshold: the bound
    value: what replaces elements up to it
    {inplace}

    >>> lw.nn.Threshold(1.0, -5.0)(lw.tensor([0.5, 2.0]))
    tensor([-5.,  2.])
    """

    __constants__ = ["threshold", "value", "inplace"]

    def __init__(self, threshold: float, value: float, inplace: bool = False) -> None:
        super().__init__()
        self.threshold = threshold
        self.value = value
        self.inplace = inplace

    def forward(self, input: Tensor) -> Tensor:
        return F.threshold(input, self.threshold, self.value, self.inplace)

    def extra_repr(self) -> str:
        return f"threshold={self.threshold}, value={self.value}" + (", inplace=True" if self.inplace else "")
