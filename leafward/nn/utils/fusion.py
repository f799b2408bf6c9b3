"""Batch norm folded into the layer before it, for evaluation."""
from __future__ import annotations

import copy
from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from leafward.nn.modules.module import Module
    from leafward.tensor.tensor import Tensor

__all__ = ["fuse_conv_bn_eval", "fuse_conv_bn_weights", "fuse_linear_bn_eval", "fuse_linear_bn_weights"]


def folded(w, b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape):
    """``norm(w x + b)`` as one affine map: its weight and its bias, as parameters."""
    bn_w = lw.ones_like(bn_rm) if bn_w is None else bn_w
    bn_b = lw.zeros_like(bn_rm) if bn_b is None else bn_b
    b = lw.zeros_like(bn_rm) if b is None else b
    scale = bn_w * lw.rsqrt(bn_rv + bn_eps)
    weight = (w * scale.reshape(shape)).to(dtype=w.dtype)
    bias = ((b - bn_rm) * scale + bn_b).to(dtype=b.dtype)
    return Parameter(weight, w.requires_grad), Parameter(bias, b.requires_grad)


def fuse_conv_bn_weights(conv_w: Tensor, conv_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
                         bn_w: Tensor | None, bn_b: Tensor | None, transpose: bool = False) -> tuple[Parameter, Parameter]:
    """The weight and bias of the convolution that does what one and the batch norm after it do.

    conv_w, conv_b: of the convolution; None: no bias
    {bn_rm, bn_rv, bn_eps, bn_w, bn_b}
    transpose: whether it is a transposed convolution

    >>> one = lw.ones(1)
    >>> weight, bias = fuse_conv_bn_weights(lw.ones(1, 1, 3, 3), None, one, one, 0.0, 2 * one, one)
    >>> weight.shape, bias.item()
    (torch.Size([1, 1, 3, 3]), -1.0)
    """
    channels_at = 1 if transpose else 0
    shape = [-1 if d == channels_at else 1 for d in range(conv_w.dim())]
    return folded(conv_w, conv_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, shape)


def fuse_linear_bn_weights(linear_w: Tensor, linear_b: Tensor | None, bn_rm: Tensor, bn_rv: Tensor, bn_eps: float,
                           bn_w: Tensor, bn_b: Tensor) -> tuple[Parameter, Parameter]:
    """The weight and bias of the linear layer that does what one and the batch norm after it do.

    linear_w, linear_b: of the linear layer; None: no bias
    {bn_rm, bn_rv, bn_eps, bn_w, bn_b}

    >>> one = lw.ones(1)
    >>> weight, bias = fuse_linear_bn_weights(lw.ones(1, 1), None, one, one, 0.0, 2 * one, one)
    >>> weight.item(), bias.item()
    (2.0, -1.0)
    """
    return folded(linear_w, linear_b, bn_rm, bn_rv, bn_eps, bn_w, bn_b, (-1, 1))


def refuse_unfit(layer, bn):
    if layer.training or bn.training:
        raise AssertionError("Fusion only for eval!")
    if bn.running_mean is None or bn.running_var is None:
        raise AssertionError("bn.running_mean and bn.running_var must not be None")


def fuse_conv_bn_eval(conv: Module, bn: Module, transpose: bool = False) -> Module:
    """A copy of ``conv`` that does the batch norm ``bn`` as well; both in evaluation.

    conv: a convolution
    bn: the batch norm after it
    transpose: whether ``conv`` is a transposed convolution

    >>> from leafward import nn
    >>> conv, bn = nn.Conv2d(1, 2, 3).eval(), nn.BatchNorm2d(2).eval()
    >>> x = leafward.ones(1, 1, 4, 4)
    >>> leafward.allclose(nn.utils.fuse_conv_bn_eval(conv, bn)(x), bn(conv(x)))
    True
    """
    refuse_unfit(conv, bn)
    fused = copy.deepcopy(conv)
    fused.weight, fused.bias = fuse_conv_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias, transpose)
    return fused


def fuse_linear_bn_eval(linear: Module, bn: Module) -> Module:
    """A copy of ``linear`` that does the batch norm ``bn`` as well; both in evaluation.

    linear: a linear layer
    bn: the batch norm after it, of as many features, or of one

    >>> linear, bn = lw.nn.Linear(2, 3).eval(), lw.nn.BatchNorm1d(3).eval()
    >>> x = lw.ones(4, 2)
    >>> lw.allclose(fuse_linear_bn_eval(linear, bn)(x), bn(linear(x)))
    True
    """
    refuse_unfit(linear, bn)
    if linear.out_features != bn.num_features and bn.num_features != 1:
        raise AssertionError("To fuse, linear.out_features == bn.num_features or bn.num_features == 1")
    fused = copy.deepcopy(linear)
    fused.weight, fused.bias = fuse_linear_bn_weights(
        fused.weight, fused.bias, bn.running_mean, bn.running_var, bn.eps, bn.weight, bn.bias)
    return fused
