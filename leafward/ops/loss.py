"""Losses of a prediction against values, probabilities or classes. Margins and distances are in ``margin_losses.py``.

Args:
    weight: how much each element counts, or each class; None: all the same
    input: the predictions
    target: what they ought to be
    ignore_index: targets of this number count nothing
    beta: where the parabola becomes a line
    delta: where the parabola becomes a line
"""
from leafward.core.op import Meta, composite, op
from leafward.errors import warn

from leafward.ops.arithmetic import TWO_BOOLS
from leafward.ops.checks import scalar_name
from leafward.ops.dims import broadcast, refuse_wider
from leafward.ops.kinds import is_bool, is_whole, refuse_gradient, refuse_kinds, unsupported
from leafward.ops.loss_reductions import (
    broadcast_first, check_class_shapes, check_classes, each, reduce_array, reduced, reduced_at_last, reduction_of, refuse_cast,
    refuse_weight, warn_about_size, weighted,
)

# --- against values --------------------------------------------------------------------------------------------------

@op("torch._mse_loss", dtype="promote", node="MseLossBackward0",
    batch="loss", samples=["3 4 | 3 4", "3 4 | 3 4 ; reduction='sum'", "3 4 | 3 4 ; reduction='none'"])
def mse(xp, x, target, reduction="mean"):
    """``out = (x - target) ** 2``, reduced."""
    refuse_kinds(x, "biuc", "mse_cpu")
    broadcast(x.shape, target.shape)               # refuses what does not
    difference = xp.subtract(x, target)
    return reduce_array(xp, difference * difference, reduction)


def as_values(target, x):
    """``target`` of booleans as numbers: a rule may not subtract those."""
    return target.to(x.dtype) if is_bool(target) and hasattr(target, "to") else target


@mse.vjp("x")
def mse_dx(g, x, target, reduction):
    return each(2 * g, reduction, x, target) * (x - as_values(target, x))


@mse.vjp("target")
def mse_dtarget(g, x, target, reduction):
    return each(2 * g, reduction, x, target) * (target - x)


@composite("nn.functional.mse_loss",
           autocast="float32", samples=["3 4 | 3 4", "3 4 | 3 4 ; reduction='sum'", "3 4 | 3 4 ; reduction='none'",
                    "3 4 | 3 4 | None | None ; weight=None"],
           errors=[("3 4 | 3 4 ; reduction='x'", ValueError, "x is not a valid value for reduction"),
                   ("3 4 | 3", RuntimeError, "The size of tensor a (4) must match the size of tensor b (3)")])
def mse_loss(fns, input, target, size_average=None, reduce=None, reduction="mean", weight: "object" = None):
    """Mean squared error: ``mean((input - target) ** 2)``.

    >>> lw.nn.functional.mse_loss(lw.tensor([1., 2.]), lw.tensor([0., 4.]))
    tensor(2.5000)
    """
    warn_about_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if weight is not None:
        refuse_weight(weight, input)
        x, y = broadcast_first(input, target)
        return weighted((x - y).pow(2), weight, reduction, input)
    return fns._mse_loss(*broadcast_first(input, target), reduction)


@composite("nn.functional.l1_loss", autocast="float32",
           samples=["3 4 | 3 4", "3 4 | 3 4 ; reduction='sum'", "3 4 | 3 4 ; reduction='none'"])
def l1_loss(fns, input, target, size_average=None, reduce=None, reduction="mean", weight: "object" = None):
    """Mean absolute error: ``mean(abs(input - target))``."""
    warn_about_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    x, y = broadcast_first(input, target)
    if weight is not None:
        refuse_weight(weight, input)
    losses = (x - y).abs()
    return reduced(losses, reduction) if weight is None else weighted(losses, weight, reduction, input)


@op("torch._huber", dtype="promote", batch="loss",
    node=lambda given: "SmoothL1LossBackward0" if given["smooth_l1"] else "HuberLossBackward0",
    samples=["3 4 | 3 4 ; delta=0.5, smooth_l1=True, reduction='mean'",
             "+1. +2. +3. -1. | -1. +2. +2. +0. ; delta=1.0, smooth_l1=False, reduction='none'"])
def huber(xp, x, target, delta, smooth_l1, reduction):
    """``d * d / 2`` where ``d = abs(x - target)`` is up to ``delta``, else ``delta * (d - delta / 2)``.

    ``smooth_l1``: divided by ``delta``.
    """
    refuse_kinds(x, "biuc", "smooth_l1_cpu" if smooth_l1 else "huber_cpu")
    d = xp.abs(x - target)
    losses = scale_of(delta, smooth_l1) * xp.where(d < delta, 0.5 * d * d, delta * (d - 0.5 * delta))
    return reduce_array(xp, xp.astype(losses, x.dtype), reduction)


@huber.vjp("x, target")
def huber_d(xp, g, x, target, delta, smooth_l1, reduction):
    d = x - as_values(target, x)
    g = scale_of(delta, smooth_l1) * g
    dx = each(g, reduction, x, target) * xp.where(d <= -delta, -delta, xp.where(d >= delta, delta, d))
    return dx, -dx


def scale_of(delta, smooth_l1):
    return 1 / delta if smooth_l1 else 1


@composite("nn.functional.huber_loss",
           autocast="float32", samples=["3 4 | 3 4", "3 4 | 3 4 ; delta=0.3, reduction='sum'", "3 4 | 3 4 ; reduction='none'"],
           errors=[("3 4 | 3 4 ; delta=-1.0", RuntimeError, "huber_loss does not support non-positive values for delta."),
                   ("3 4 | 3 4 ; delta=nan", RuntimeError, "huber_loss does not support non-positive values for delta.")])
def huber_loss(fns, input, target, reduction="mean", delta=1.0, weight: "object" = None):
    """Squared error up to ``delta`` and straight from there, with the same slope where they meet.

    ``0.5 * d ** 2`` where ``d = abs(input - target) <= delta``, and ``delta * (d - 0.5 * delta)`` elsewhere.

    Source: Huber, 1964, Annals of Mathematical Statistics 35
    """
    warn_about_size(input, target)
    if weight is not None:
        refuse_weight(weight, input)
    else:
        reduction = reduction_of(None, None, reduction)
    if not delta > 0:
        raise RuntimeError("huber_loss does not support non-positive values for delta.")
    input, target = broadcast_first(input, target)
    if weight is not None:
        return reduced_at_last(fns._huber(input, target, delta, False, "none") * weight, None, None, reduction)
    if input.dtype is target.dtype:
        return fns._huber(input, target, delta, False, reduction)
    refuse_cast(input, target, input)
    return reduced(fns._huber(input, target, delta, False, "none").to(input.dtype), reduction)


@composite("nn.functional.smooth_l1_loss",
           autocast="float32",
           samples=["3 4 | 3 4", "3 4 | 3 4 ; beta=0.3, reduction='sum'", "3 4 | 3 4 ; beta=0.0, reduction='none'"],
           errors=[("3 4 | 3 4 ; beta=-1.0", RuntimeError, "smooth_l1_loss does not support negative values for beta."),
                   ("3 4 | 3 4 ; beta=nan", RuntimeError, "smooth_l1_loss does not support negative values for beta.")])
def smooth_l1_loss(fns, input, target, size_average=None, reduce=None, reduction="mean", beta=1.0):
    """Huber's loss divided by ``beta``: the absolute error with a rounded tip.

    ``0.5 * d ** 2 / beta`` where ``d = abs(input - target) < beta``, and ``d - 0.5 * beta`` elsewhere.

    Source: Girshick, 2015, arXiv:1504.08083
    """
    warn_about_size(input, target)
    reduction = reduction_of(size_average, reduce, reduction)
    if not beta >= 0:
        raise RuntimeError("smooth_l1_loss does not support negative values for beta.")
    input, target = broadcast_first(input, target)
    if beta == 0:
        return reduced((input - target).abs(), reduction)
    return fns._huber(input, target, beta, True, reduction)


# --- against probabilities -------------------------------------------------------------------------------------------

def times(values, weight):
    return values if weight is None else values * weight


@op("torch._binary_cross_entropy", nondifferentiable="weight", node="BinaryCrossEntropyBackward0", domain="unit",
    batch="loss", samples=["3 4 | 3 4 ; reduction='mean'", "3 4 | 3 4 | 4 ; reduction='sum'",
             "+0. +1. +0. +1. | +0. +1. +1. +0. ; reduction='none'"])
def binary_cross_entropy_each(xp, x, target, weight=None, *, reduction):
    """``out = -(target * log(x) + (1 - target) * log(1 - x)) * weight``, a logarithm being at least -100; reduced."""
    refuse_kinds(x, "biuc", "binary_cross_entropy")
    if not xp.to_host(xp.all((x >= 0) & (x <= 1))):
        raise RuntimeError("all elements of input should be between 0 and 1")
    if not xp.to_host(xp.all((target >= 0) & (target <= 1))):
        raise RuntimeError("all elements of target should be between 0 and 1")
    losses = (target - 1) * xp.maximum(xp.log1p(-x), -100) - target * xp.maximum(xp.log(x), -100)
    return reduce_array(xp, xp.astype(times(losses, weight), x.dtype), reduction)


@binary_cross_entropy_each.vjp("x")
def binary_cross_entropy_dx(xp, g, x, target, weight, reduction):
    variance = (1 - x) * x
    return times(each(g, reduction, x, target) * (x - target), weight) / xp.where(variance > 1e-12, variance, 1e-12)


@binary_cross_entropy_each.vjp("target")
def binary_cross_entropy_dtarget(xp, g, x, target, weight, reduction):
    return times(each(g, reduction, x, target), weight) * (xp.log1p(-x) - xp.log(x))


@composite("nn.functional.binary_cross_entropy", domain="unit",
           autocast="float32", samples=["3 4 | 3 4", "3 4 | 3 4 | 3 4 ; reduction='sum'", "3 4 | 3 4 | 4 ; reduction='none'"],
           errors=[("3 | 4", ValueError, "Using a target size (torch.Size([4])) that is different to the input size"),
                   ("+0.5 +2. | +1. +1.", RuntimeError, "all elements of input should be between 0 and 1"),
                   ("+0.5 +0.5 | +1. +2.", RuntimeError, "all elements of target should be between 0 and 1")])
def binary_cross_entropy(fns, input, target, weight: "object" = None, size_average=None, reduce=None, reduction="mean"):
    """Cross entropy of a yes with probability ``input``: ``-(target * log(input) + (1 - target) * log(1 - input))``.

    Args:
        input: the probabilities
        target: 1 or 0, or what lies between

    >>> lw.nn.functional.binary_cross_entropy(lw.tensor([0.5, 0.25]), lw.tensor([1., 0.]))
    tensor(0.4904)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if tuple(target.shape) != tuple(input.shape):
        raise ValueError(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}) is "
                         "deprecated. Please ensure they have the same size.")
    if target.dtype != input.dtype:
        raise RuntimeError(f"Found dtype {scalar_name(target)} but expected {scalar_name(input)}")
    if weight is not None:
        refuse_gradient("binary_cross_entropy", weight=weight)
        refuse_cast(weight, input, input)
        refuse_wider(input.shape, weight.shape)
    return fns._binary_cross_entropy(input, target, weight, reduction=reduction)


@op("torch._binary_cross_entropy_with_logits", nondifferentiable="weight, pos_weight",
    node="BinaryCrossEntropyWithLogitsBackward0",
    dtype="promote", promote="x, target",
    batch="loss", samples=["3 4 | 3 4 ; reduction='mean'", "3 4 | 3 4 | pos: 4 | pos: 4 ; reduction='none'",
             "-200. +200. | +1. +0. ; reduction='sum'"])
def logits_cross_entropy(xp, x, target, weight=None, pos_weight=None, *, reduction):
    """``out = (log(1 + exp(x)) - target * x) * weight``, yes counting ``pos_weight`` times; reduced."""
    refuse_kinds(x, "biuc", "log_sigmoid_cpu")
    losses = (1 - target) * x + yes_weight(target, pos_weight) * softplus(xp, -x)
    return reduce_array(xp, xp.astype(times(losses, weight), x.dtype), reduction)


def softplus(xp, x):
    return xp.where(x > 0, x, 0) + xp.log1p(xp.exp(-xp.abs(x)))


def yes_weight(target, pos_weight):
    return 1 if pos_weight is None else 1 + (pos_weight - 1) * target


@logits_cross_entropy.vjp("x")
def logits_cross_entropy_dx(xp, g, x, target, weight, pos_weight, reduction):
    no = 0.5 - 0.5 * xp.tanh(0.5 * x)                  # 1 - sigmoid(x)
    return times(each(g, reduction, x, target) * ((1 - target) - yes_weight(target, pos_weight) * no), weight)


@logits_cross_entropy.vjp("target")
def logits_cross_entropy_dtarget(xp, g, x, target, weight, pos_weight, reduction):
    slope = -x if pos_weight is None else (pos_weight - 1) * softplus(xp, -x) - x
    return times(each(g, reduction, x, target) * slope, weight)


@composite("nn.functional.binary_cross_entropy_with_logits",
           autocast="float32",
           samples=["3 4 | unit: 3 4", "3 4 | unit: 3 4 | 3 4 ; reduction='sum'", "3 4 | unit: 3 4 | 4 ; reduction='none'"],
           errors=[("3 4 | 3", ValueError,
                    "Target size (torch.Size([3])) must be the same as input size (torch.Size([3, 4]))"),
                   ("3 4 | int2: 3 4", RuntimeError, "result type Float can't be cast to the desired output type Long")])
def binary_cross_entropy_with_logits(fns, input, target, weight=None, size_average=None, reduce=None, reduction="mean",
                                     pos_weight=None):
    """Cross entropy of a yes with probability ``sigmoid(input)``, exact for large inputs too.

    Args:
        pos_weight: how much positive targets count, broadcast; None: as much as negative ones
        input: the scores: logarithms of odds
        target: 1 or 0, or what lies between
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if tuple(target.shape) != tuple(input.shape):
        raise ValueError(f"Target size ({target.shape}) must be the same as input size ({input.shape})")
    if is_bool(target):
        raise RuntimeError(TWO_BOOLS)
    refuse_cast(input, target, target)
    if is_whole(input):
        raise unsupported(input, "log_sigmoid_cpu")
    for factor in (weight, pos_weight):
        if factor is not None and factor.dtype.is_complex:
            refuse_cast(input, factor, input)
        if factor is not None:
            refuse_wider(input.shape, factor.shape)
    refuse_gradient("binary_cross_entropy_with_logits", weight=weight, pos_weight=pos_weight)
    if input.dtype is target.dtype:
        return fns._binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction=reduction)
    losses = fns._binary_cross_entropy_with_logits(input, target, weight, pos_weight, reduction="none")
    return reduced(losses.to(target.dtype), reduction)


@composite("nn.functional.kl_div",
           autocast="float32", samples=["3 4 | pos: 3 4 ; reduction='batchmean'", "3 4 | pos: 3 4 ; reduction='sum'",
                    "3 4 | 3 4 ; reduction='none', log_target=True"],
           errors=[("3 4 | 3 4 ; reduction='x'", ValueError, "x is not a valid value for reduction")])
def kl_div(fns, input, target, size_average=None, reduce=None, reduction="mean", log_target=False):
    """Divergence of ``exp(input)`` from ``target``: ``target * (log(target) - input)``.

    A mean goes over all elements; that over distributions is the sum divided by the batch size, ``"batchmean"``.

    Args:
        reduction: `"mean"`, `"sum"` and `"none"` as elsewhere; `"batchmean"` divides the sum by the size of the batch
        log_target: True: `target` holds logarithms as well. False: probabilities
        input: the logarithms of the predicted probabilities
        target: the probabilities
    Source: Kullback and Leibler, 1951, Annals of Mathematical Statistics 22
    """
    by_batch = reduction == "batchmean"
    if reduction == "mean" and size_average is None and reduce is None:
        warn("reduction: 'mean' divides the total loss by both the batch size and the support size."
             "'batchmean' divides only by the batch size, and aligns with the KL div math definition."
             "'mean' will be changed to behave the same as 'batchmean' in the next major release.")
    reduction = reduction_of(size_average, reduce, "sum" if by_batch else reduction)
    for given in (input, target):
        if not given.dtype.is_floating_point:
            raise RuntimeError(f"kl_div: {'Complex' if given.dtype.is_complex else 'Integral'} inputs not supported.")
    losses = target.exp() * (target - input) if log_target else fns.xlogy(target, target) - target * input
    out = reduced(losses, reduction)
    return out / input.shape[0] if by_batch and input.ndim else out


# --- against classes -------------------------------------------------------------------------------------------------

@op("torch._class_scatter", nondifferentiable="target", linear=True,
    samples=["3 | int4: 3 ; classes=4, ignore_index=-100", "3 2 | int4: 3 2 ; classes=4, ignore_index=-100"])
def class_scatter(xp, x, target, classes, ignore_index: int):
    """Zeros ``(n, classes, ...)`` with ``x[n]`` at class ``target[n]``."""
    return xp.kernels.class_scatter(x, target, classes, ignore_index)


@class_scatter.vjp("x")
def class_scatter_dx(xp, g, target, ignore_index):
    return xp._class_gather(g, target, ignore_index)


@op("torch._class_gather", row_major=True, nondifferentiable="target", linear=True,
    samples=["3 4 | int4: 3 ; ignore_index=-100", "3 4 2 | int4: 3 2 ; ignore_index=-100"])
def class_gather(xp, x, target, ignore_index: int):
    """``out[n] = x[n, target[n]]``."""
    return xp.kernels.class_gather(x, target, ignore_index)


@class_gather.vjp("x")
def class_gather_dx(xp, g, x: Meta, target, ignore_index):
    return xp._class_scatter(g, target, x.shape[1 if x.ndim > 1 else 0], ignore_index)


@op("torch._nll_loss", nondifferentiable="target, weight", residuals="share", kernel="nll",
    node=lambda given: "NllLossBackward0" if given["x"].ndim <= 2 else "NllLoss2DBackward0",
    samples=["3 4 | int4: 3 ; reduction='mean', ignore_index=1",
             "3 4 2 | int4: 3 2 | pos: 4 ; reduction='mean', ignore_index=1",
             "4 | int4: | pos: 4 ; reduction='none', ignore_index=-100"])
def nll(xp, x, target, weight=None, *, reduction, ignore_index: int):
    """``out = -x[n, target[n]] * weight[target[n]]``, reduced."""
    check_classes(x, target, weight)
    if weight is not None and weight.dtype != x.dtype:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(weight)}")
    refuse_kinds(x, "biuc", "nll_loss_out_frame" if x.ndim <= 2 else "nll_loss2d_forward_out_frame")
    return xp.kernels.negative_pick(x, target, weight, reduction, ignore_index)


@nll.vjp("x", kernel="nll_grad")
def nll_dx(xp, g, x: Meta, target, share, ignore_index):
    return xp._class_scatter(-g * share, target, x.shape[1 if x.ndim > 1 else 0], ignore_index)


@nll.decomposition
def nll_parts(fns, x, target, weight, reduction, ignore_index):
    dim = 1 if x.ndim > 1 else 0
    valid = target != ignore_index
    target = fns.where(valid, target, 0)
    share = valid.to(x.dtype) if weight is None else weight.detach()[target] * valid
    losses = -x.gather(dim, target.unsqueeze(dim)).squeeze(dim) * share
    if reduction == "none":
        return losses
    return losses.sum() / share.sum() if reduction == "mean" else losses.sum()


@composite("nn.functional.nll_loss",
           autocast="float32",
           samples=["3 4 | int4: 3", "3 4 | int4: 3 | pos: 4 ; ignore_index=2", "3 4 2 2 | int4: 3 2 2 ; reduction='sum'",
                    "4 | int4: ", "3 4 2 | int4: 3 2 ; reduction='none', ignore_index=0"],
           errors=[("3 4 | int4: 2", ValueError, "Expected input batch_size (3) to match target batch_size (2)."),
                   ("3 4 | 3", RuntimeError, "expected target dtype to be Long or Byte, but got"),
                   ("3 4 | int4: 3 | 3", RuntimeError, "weight tensor should be defined either for all 4 classes"),
                   ("3 4 | int4: 3 ; reduction='q'", ValueError, "q is not a valid value for reduction")])
def nll_loss(fns, input, target, weight=None, size_average=None, ignore_index: int = -100, reduce=None, reduction="mean"):
    """Negative log-likelihood of the ``target`` classes, given log-probabilities: ``-input[n, target[n]]``.

    A mean divides by the classes' total weight; places whose target is ``ignore_index`` count nothing.

    Args:
        input: log-probabilities of the classes, `(n, c, ...)` or `(c,)`
        target: the class numbers, without `c`
        weight: how much each class counts; None: all the same

    >>> lw.nn.functional.nll_loss(lw.tensor([[-0.5, -1.5], [-2., -0.25]]), lw.tensor([0, 1]))
    tensor(0.3750)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if input.ndim == 1 and target.ndim == 1 and target.shape[0] != 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")
    check_class_shapes(input, target)
    refuse_weight_gradient(input, weight)
    if input.ndim < 2:
        target = target.reshape(())
    out = fns._nll_loss(input, target, weight, reduction=reduction, ignore_index=ignore_index)
    # PyTorch has images in mind, and views what it gets for a sequence or a volume.
    return out.view(target.shape) if reduction == "none" and input.ndim not in (1, 2, 4) else out


def refuse_weight_gradient(input, weight):
    refuse_gradient("nll_loss_forward" if input.ndim < 3 else "nll_loss2d_forward", weight=weight)


@composite("nn.functional.cross_entropy",
           autocast="float32",
           samples=["3 4 | int4: 3", "3 4 | int4: 3 | pos: 4 ; ignore_index=2", "3 4 2 | int4: 3 2 ; reduction='sum'",
                    "4 | int4: ", "3 4 | int4: 3 ; reduction='none'", "3 4 | int4: 3 | pos: 4 ; label_smoothing=0.1",
                    "3 4 2 | int4: 3 2 ; label_smoothing=0.2, ignore_index=1, reduction='sum'",
                    "3 4 | unit: 3 4", "3 4 2 | unit: 3 4 2 | pos: 4 ; label_smoothing=0.1", "4 | unit: 4 ; reduction='none'"],
           errors=[("3 4 | int4: 2", ValueError, "Expected input batch_size (3) to match target batch_size (2)."),
                   ("3 4 | int4: 3 1", RuntimeError, "0D or 1D target tensor expected, multi-target not supported"),
                   ("3 4 2 | int4: 3 3", RuntimeError, "Expected target size [3, 2], got [3, 3]"),
                   ("3 4 | int4: 3 4", RuntimeError,
                    "Expected floating point type for target with class probabilities, got Long"),
                   ("3 4 | int4: 3 ; label_smoothing=2.0", RuntimeError,
                    "label_smoothing must be between 0.0 and 1.0. Got: 2"),
                   ("3 4 | unit: 3 4 ; ignore_index=1", RuntimeError,
                    "ignore_index is not supported for floating point target"),
                   ("3 4 | int4: 3 ; weight=t.ones(4, dtype=t.float64)", RuntimeError,
                    "expected scalar type Float but found Double")])
def cross_entropy(fns, input, target, weight=None, size_average=None, ignore_index: int = -100, reduce=None, reduction="mean",
                  label_smoothing=0.0):
    """Negative log-probability of the ``target`` classes under ``softmax(input)``.

    ``input`` holds a score per class, ``(n, c, ...)`` or ``(c,)``; ``target`` holds class numbers without the ``c``, or
    probabilities in the shape of ``input``.

    Args:
        label_smoothing: the share of the target that is spread evenly over all classes, in [0, 1]
        input: a score for each class
        target: class numbers, or a probability for each class
        weight: how much each class counts; None: all the same
    Source: label smoothing: Szegedy et al., 2015, arXiv:1512.00567

    >>> lw.nn.functional.cross_entropy(lw.zeros(2, 10), lw.tensor([3, 7]))
    tensor(2.3026)
    """
    reduction = reduction_of(size_average, reduce, reduction)
    label_smoothing = max(label_smoothing, 0.0)             # less is none, as in PyTorch
    if label_smoothing > 1:
        raise RuntimeError(f"label_smoothing must be between 0.0 and 1.0. Got: {label_smoothing:g}")
    if tuple(target.shape) == tuple(input.shape):
        if not target.dtype.is_floating_point:
            raise RuntimeError("Expected floating point type for target with class probabilities, "
                               f"got {scalar_name(target)}")
        if ignore_index >= 0:
            raise RuntimeError("ignore_index is not supported for floating point target")
        return against_probabilities(fns, input, target, weight, reduction, label_smoothing)
    axis = 0 if input.ndim == 1 else 1
    scores = fns.log_softmax(input, axis)
    check_class_shapes(input, target)
    refuse_weight_gradient(input, weight)
    sharp = fns._nll_loss(scores, target, weight, reduction=reduction, ignore_index=ignore_index)
    if not label_smoothing:
        return sharp
    if weight is not None:
        scores = scores * along_classes(weight, input)
    smooth = fns.masked_fill(-scores.sum(axis), target == ignore_index, 0.0)
    if reduction == "mean":
        kept = target != ignore_index
        total = kept.sum()
        if weight is not None:
            total = (weight.gather(0, fns.where(kept, target, 0).flatten()) * kept.flatten()).sum()
        smooth = smooth.sum() / total
    else:
        smooth = reduced(smooth, reduction)
    return (1 - label_smoothing) * sharp + (label_smoothing / input.shape[axis]) * smooth


def along_classes(weight, input):
    return weight if input.ndim <= 2 else weight.view(-1, *(1,) * (input.ndim - 2))


def against_probabilities(fns, input, target, weight, reduction, label_smoothing):
    if not input.ndim:
        raise IndexError("Dimension specified as 1 but tensor has no dimensions")
    axis = 1 if input.ndim > 1 else 0
    classes = input.shape[axis]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(f"cross_entropy: weight tensor should be defined either for all {classes} classes or no "
                           f"classes but got weight tensor of shape: {list(weight.shape)}")
    if label_smoothing:
        target = target * (1 - label_smoothing) + label_smoothing / classes
    products = input.log_softmax(axis) * target
    if weight is not None:
        products = products * along_classes(weight, input)
    if reduction == "mean":
        return -products.sum() / (input.numel() / classes if input.numel() else 1)
    return reduced(-products.sum(axis), reduction)
