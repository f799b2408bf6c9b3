"""Filling tensors with initial values, drawing from the generator exactly as PyTorch does.

Every function writes into its tensor without recording and returns it.
"""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw
from leafward.core.tracebacks import short
from leafward.errors import warn
from leafward.tensor.missing import names_missing_from
from leafward.utils.docstrings import explain_shared_arguments

if TYPE_CHECKING:
    from leafward.tensor.random import Generator
    from leafward.tensor.tensor import Tensor


def calculate_gain(nonlinearity: str, param: float | None = None) -> float:
    """What keeps the size of values through an activation: 1, ``sqrt(2)`` for ReLU, 5/3 for tanh, 3/4 for SELU.

    nonlinearity: "linear", "conv1d" ... "conv_transpose3d", "sigmoid", "tanh", "relu", "leaky_relu" or "selu"
    param: the slope of a leaky ReLU; None: 0.01

    >>> calculate_gain("leaky_relu", 1.0)
    1.0
    """
    if nonlinearity in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
                        "conv_transpose3d", "sigmoid"):
        return 1
    if nonlinearity == "tanh":
        return 5.0 / 3
    if nonlinearity == "relu":
        return math.sqrt(2.0)
    if nonlinearity == "leaky_relu":
        if param is None:
            slope = 0.01
        elif isinstance(param, (int, float)) and not isinstance(param, bool):
            slope = param
        else:
            raise ValueError(f"negative_slope {param} not a valid number")
        return math.sqrt(2.0 / (1 + slope ** 2))
    if nonlinearity == "selu":
        return 3.0 / 4
    raise ValueError(f"Unsupported nonlinearity {nonlinearity}")


def _calculate_fan_in_and_fan_out(tensor):
    """How many values feed one output, and how many outputs one value feeds."""
    if tensor.dim() < 2:
        raise ValueError("Fan in and fan out can not be computed for tensor with fewer than 2 dimensions")
    receptive_field = math.prod(tensor.shape[2:])
    return tensor.size(1) * receptive_field, tensor.size(0) * receptive_field


def _calculate_correct_fan(tensor, mode):
    mode = mode.lower()
    if mode not in ("fan_in", "fan_out"):
        raise ValueError(f"Mode {mode} not supported, please use one of ['fan_in', 'fan_out']")
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return fan_in if mode == "fan_in" else fan_out


def uniform_(tensor: Tensor, a: float = 0.0, b: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw from the uniform distribution over [a, b).

    {tensor}
    a, b: the bounds
    {generator}

    >>> uniform_(lw.empty(3), 2.0, 3.0).floor()
    tensor([2., 2., 2.])
    """
    with lw.no_grad():
        return tensor.uniform_(a, b, generator=generator)


def normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw from the normal distribution.

    {tensor}
    mean, std: mean and standard deviation
    {generator}

    >>> normal_(lw.empty(2), mean=3.0, std=0.0)
    tensor([3., 3.])
    """
    with lw.no_grad():
        return tensor.normal_(mean, std, generator=generator)


def trunc_normal_(tensor: Tensor, mean: float = 0.0, std: float = 1.0, a: float = -2.0, b: float = 2.0,
                  generator: Generator | None = None) -> Tensor:
    """Draw from the normal distribution, cut off outside [a, b].

    By rejection: proposals are drawn for the whole tensor until every element has an accepted one.

    {tensor}
    mean, std: mean and standard deviation before the cut
    a, b: the bounds
    {generator}

    >>> trunc_normal_(lw.empty(100)).abs().max() <= 2
    tensor(True)
    """
    if mean < a - 2 * std or mean > b + 2 * std:
        warn("mean is more than 2 std from [a, b] in nn.init.trunc_normal_. "
             "The distribution of values may be incorrect.")
    with lw.no_grad():
        inside = _normal_cdf((b - mean) / std) - _normal_cdf((a - mean) / std)
        if inside > 0.3:
            return _redraw(tensor, lambda t: t.normal_(mean, std, generator=generator),
                           lambda t: (t < a) | (t > b))
        # Too few normal draws would fall inside: draw uniformly, and reject where the density is low.
        peak = min(max(mean, a), b)
        at_peak = ((peak - mean) / std) ** 2

        def rejected(t):
            density = lw.exp(-0.5 * (((t - mean) / std) ** 2 - at_peak))
            return lw.empty_like(t).uniform_(0, 1, generator=generator) > density
        return _redraw(tensor, lambda t: t.uniform_(a, b, generator=generator), rejected)


# The names under which PyTorch's own functions and others' initializers call these.
_no_grad_uniform_, _no_grad_normal_, _no_grad_trunc_normal_ = uniform_, normal_, trunc_normal_


def _normal_cdf(x):
    return (1.0 + math.erf(x / math.sqrt(2.0))) / 2.0


def _redraw(tensor, draw, is_rejected):
    draw(tensor)
    rejected = is_rejected(tensor)
    while rejected.any():
        tensor.copy_(lw.where(rejected, draw(lw.empty_like(tensor)), tensor))
        rejected = rejected & is_rejected(tensor)
    return tensor


def constant_(tensor: Tensor, val: float) -> Tensor:
    """Fill with ``val``.

    {tensor}
    val: a number

    >>> constant_(lw.empty(2), 0.5)
    tensor([0.5000, 0.5000])
    """
    with lw.no_grad():
        return tensor.fill_(val)


_no_grad_fill_ = constant_


def ones_(tensor: Tensor) -> Tensor:
    """Fill with ones.

    {tensor}

    >>> ones_(lw.empty(2))
    tensor([1., 1.])
    """
    return constant_(tensor, 1.0)


def zeros_(tensor: Tensor) -> Tensor:
    """Fill with zeros.

    {tensor}

    >>> zeros_(lw.empty(2))
    tensor([0., 0.])
    """
    with lw.no_grad():
        return tensor.zero_()


def eye_(tensor: Tensor) -> Tensor:
    """Fill a matrix with the identity: ones on the diagonal, zeros elsewhere.

    {tensor}

    >>> eye_(lw.empty(2, 3))
    tensor([[1., 0., 0.],
            [0., 1., 0.]])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    with lw.no_grad():
        tensor.copy_(lw.eye(*tensor.shape, dtype=tensor.dtype, device=tensor.device))
    return tensor


def dirac_(tensor: Tensor, groups: int = 1) -> Tensor:
    """Fill a convolution's weight so that it passes its input channels through unchanged.

    {tensor}
    groups: of the convolution, each of which passes its channels through

    >>> dirac_(lw.empty(1, 1, 3))
    tensor([[[0., 1., 0.]]])
    """
    if tensor.dim() not in (3, 4, 5):
        raise ValueError("Only tensors with 3, 4, or 5 dimensions are supported")
    if tensor.size(0) % groups != 0:
        raise ValueError("dim 0 must be divisible by groups")
    channels_out = tensor.size(0) // groups
    centre = tuple(k // 2 for k in tensor.shape[2:])
    with lw.no_grad():
        tensor.zero_()
        for group in range(groups):
            for c in range(min(channels_out, tensor.size(1))):
                tensor[(group * channels_out + c, c, *centre)] = 1
    return tensor


@short
def xavier_uniform_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw uniformly with ``std = gain * sqrt(2 / (fan_in + fan_out))``.

    {tensor, gain, generator}
    Source: Glorot and Bengio, Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010.

    >>> xavier_uniform_(lw.empty(2, 4)).abs().max() <= 1
    tensor(True)
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    bound = math.sqrt(3.0) * (gain * math.sqrt(2.0 / float(fan_in + fan_out)))
    return uniform_(tensor, -bound, bound, generator)


@short
def xavier_normal_(tensor: Tensor, gain: float = 1.0, generator: Generator | None = None) -> Tensor:
    """Draw normally with ``std = gain * sqrt(2 / (fan_in + fan_out))``.

    {tensor, gain, generator}
    Source: Glorot and Bengio, Understanding the Difficulty of Training Deep Feedforward Neural Networks, 2010.

    >>> xavier_normal_(lw.empty(2, 4)).shape
    torch.Size([2, 4])
    """
    fan_in, fan_out = _calculate_fan_in_and_fan_out(tensor)
    return normal_(tensor, 0.0, gain * math.sqrt(2.0 / float(fan_in + fan_out)), generator)


def _kaiming_std(tensor, a, mode, nonlinearity):
    fan = _calculate_correct_fan(tensor, mode)
    return calculate_gain(nonlinearity, a) / math.sqrt(fan)


def _is_empty(tensor):
    if 0 not in tensor.shape:
        return False
    warn("Initializing zero-element tensors is a no-op")
    return True


@short
def kaiming_uniform_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                     generator: Generator | None = None) -> Tensor:
    """Draw uniformly with ``std = gain / sqrt(fan)``, gain being :func:`calculate_gain` of the activation that follows.

    {tensor, a, mode, nonlinearity, generator}
    Source: He et al., Delving Deep into Rectifiers, 2015.

    >>> kaiming_uniform_(lw.empty(2, 6), nonlinearity="relu").abs().max() <= 1
    tensor(True)
    """
    if _is_empty(tensor):
        return tensor
    bound = math.sqrt(3.0) * _kaiming_std(tensor, a, mode, nonlinearity)
    return uniform_(tensor, -bound, bound, generator)


@short
def kaiming_normal_(tensor: Tensor, a: float = 0, mode: str = "fan_in", nonlinearity: str = "leaky_relu",
                    generator: Generator | None = None) -> Tensor:
    """Draw normally with ``std = gain / sqrt(fan)``, gain being :func:`calculate_gain` of the activation that follows.

    {tensor, a, mode, nonlinearity, generator}
    Source: He et al., Delving Deep into Rectifiers, 2015.

    >>> kaiming_normal_(lw.empty(2, 4), mode="fan_out").shape
    torch.Size([2, 4])
    """
    if _is_empty(tensor):
        return tensor
    return normal_(tensor, 0, _kaiming_std(tensor, a, mode, nonlinearity), generator)


def orthogonal_(tensor: Tensor, gain: float = 1, generator: Generator | None = None) -> Tensor:
    """Fill with a (semi-)orthogonal matrix, times ``gain``; trailing dimensions count as columns.

    {tensor}
    gain: what the matrix is multiplied by
    {generator}
    Source: Saxe, McClelland and Ganguli, Exact Solutions to the Nonlinear Dynamics of Learning, 2014.

    >>> Q = orthogonal_(lw.empty(3, 3))
    >>> lw.allclose(Q.T @ Q, lw.eye(3), atol=1e-5)
    True
    """
    if tensor.dim() < 2:
        raise ValueError("Only tensors with 2 or more dimensions are supported")
    if tensor.numel() == 0:
        return tensor
    rows = tensor.size(0)
    columns = tensor.numel() // rows
    with lw.no_grad():
        drawn = lw.empty((rows, columns), dtype=tensor.dtype, device=tensor.device).normal_(0, 1, generator=generator)
        q, r = lw.linalg.qr(drawn.t() if rows < columns else drawn)
        q = q * lw.diag(r, 0).sign()          # makes the result unique, and uniform over the orthogonal matrices
        tensor.copy_((q.t() if rows < columns else q).reshape(tensor.shape))
        return tensor.mul_(gain)


def sparse_(tensor: Tensor, sparsity: float, std: float = 0.01, generator: Generator | None = None) -> Tensor:
    """Fill a matrix with normal draws and set a part of each column to zero.

    {tensor}
    sparsity: which part, from 0 to 1
    std: standard deviation of the draws
    {generator}
    Source: Martens, Deep Learning via Hessian-Free Optimization, 2010.

    >>> (sparse_(lw.empty(4, 3), sparsity=0.5) == 0).sum(0)
    tensor([2, 2, 2])
    """
    if tensor.dim() != 2:
        raise ValueError("Only tensors with 2 dimensions are supported")
    rows, columns = tensor.shape
    zeros = math.ceil(sparsity * rows)
    with lw.no_grad():
        tensor.normal_(0, std, generator=generator)
        for column in range(columns):
            tensor[lw.randperm(rows)[:zeros], column] = 0
    return tensor


explain_shared_arguments({
    "tensor": "what to fill; it is returned",
    "generator": "what draws; None: the default generator",
    "gain": "factor for the activation that follows, from :func:`calculate_gain`",
    "a": "the slope of a leaky ReLU",
    "mode": 'fan is the inputs of one output, "fan_in", which keeps the size of values forward, or the outputs that one\n'
            '    input feeds, "fan_out", which keeps that of gradients',
    "nonlinearity": "the activation, by its name in :mod:`functional`",
}, [value for value in vars().values() if callable(value) and getattr(value, "__module__", "") == __name__])


def _deprecated(function):
    old = function.__name__.removesuffix("_")

    def call(*args, **kwargs):
        warn(f"`nn.init.{old}` is now deprecated in favor of `nn.init.{function.__name__}`.",
             FutureWarning)
        return function(*args, **kwargs)
    call.__name__ = old
    call.__doc__ = f"The older name of :func:`{function.__name__}`; it warns.\n\n    {function.__doc__}"
    return call


uniform = _deprecated(uniform_)
normal = _deprecated(normal_)
constant = _deprecated(constant_)
eye = _deprecated(eye_)
dirac = _deprecated(dirac_)
xavier_uniform = _deprecated(xavier_uniform_)
xavier_normal = _deprecated(xavier_normal_)
kaiming_uniform = _deprecated(kaiming_uniform_)
kaiming_normal = _deprecated(kaiming_normal_)
orthogonal = _deprecated(orthogonal_)
sparse = _deprecated(sparse_)

__getattr__ = names_missing_from("torch.nn.init", globals())
