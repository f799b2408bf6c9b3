"""Losses by margins and distances: how far apart two scores or two vectors ought to be.

Args:
    weight: how much each class counts; None: all the same
    input: the predictions, or scores
    target: what they ought to be; of two inputs 1 or -1
    input1: the first vectors, or scores
    input2: the second ones
    anchor: the vectors to compare with
    positive: those that ought to be near
    negative: those that ought to be far
    swap: True: take the distance from positive to negative where it is smaller
    full: True: with the terms that do not depend on `input`. False: without them
    p: the order of the distance, or the power of what is over the margin
"""
from numbers import Real

from math import log, pi

from leafward import dtypes
from leafward.core.op import composite, op
from leafward.errors import inplace_shape_error

from leafward.ops.checks import as_element, scalar_name
from leafward.ops.dims import count, broadcast
from leafward.ops.kinds import is_whole, refuse_gradient, refuse_kinds
from leafward.ops.loss_reductions import (
    each, reduce_array, reduced, reduced_at_last, reduction_of, refuse_reduction,
)

# --- pairs and triplets ----------------------------------------------------------------------------------------------

@composite("nn.functional.cosine_embedding_loss",
           autocast="float32", samples=["3 4 | 3 4 | +1. -1. +1.", "3 4 | 3 4 | -1. -1. +1. ; margin=0.2, reduction='sum'",
                                        "3 4 | 3 4 | -1. -1. +1. ; margin=True"])
def cosine_embedding_loss(fns, input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``1 - cos`` where ``target`` is 1, ``max(0, cos - margin)`` where it is -1, for the cosine between two vectors."""
    reduction = reduction_of(size_average, reduce, reduction)
    if target.ndim > 1:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    if input1.ndim != target.ndim + 1 or input2.ndim != target.ndim + 1:
        raise RuntimeError(f"{target.ndim}D target tensor expects {target.ndim + 1}D input tensors, but found inputs with "
                           f"sizes {list(input1.shape)} and {list(input2.shape)}.")
    dim = 1 if target.ndim == 1 else 0
    product = (input1 * input2).sum(dim)
    squares = ((input1 * input1).sum(dim) + 1e-12) * ((input2 * input2).sum(dim) + 1e-12)
    cosine = product / squares.sqrt()
    alike = fns.where(target == 1, 1 - cosine, 0.0)
    unlike = fns.where(target == -1, (cosine - float(margin)).clamp_min(0), 0.0)
    return reduced(alike + unlike, reduction)


@composite("nn.functional.hinge_embedding_loss",
           autocast="float32", samples=["4 | +1. -1. +1. -1.", "4 | +1. -1. +1. -1. ; margin=0.5, reduction='none'",
                                        "4 | +1. -1. +1. -1. ; margin=True"])
def hinge_embedding_loss(fns, input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """A distance where ``target`` is 1, ``max(0, margin - distance)`` where it is -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    zeros = fns.zeros_like(input)
    margin = as_element(float(margin), dtypes.int64) if is_whole(input) else float(margin)
    far = fns.where(target != 1, (margin - input).clamp_min(0).to(input.dtype), zeros)
    near = fns.where(target != -1, input, zeros)
    return reduced(far + near, reduction)


@composite("nn.functional.margin_ranking_loss",
           autocast="float32", samples=["4 | 4 | +1. -1. +1. -1.", "4 | 4 | +1. -1. +1. -1. ; margin=0.5, reduction='none'"])
def margin_ranking_loss(fns, input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``max(0, margin - target * (input1 - input2))``: which of two scores ought to be larger."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                           f"{input1.shape}, input2: {input2.shape}, target: {target.shape} ")
    return reduced((-target * (input1 - input2) + float(margin)).clamp_min(0), reduction)


@composite("nn.functional.triplet_margin_loss",
           autocast="float32", samples=["3 4 | 3 4 | 3 4", "3 4 | 3 4 | 3 4 ; margin=0.5, p=1, swap=True, reduction='none'"],
           errors=[("3 4 | 3 4 | 3 4 ; margin=-1.0", ValueError, "margin must be greater than 0, got -1.0")])
def triplet_margin_loss(fns, anchor, positive, negative, margin=1.0, p: float = 2, eps=1e-06, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """``max(0, margin + |anchor - positive| - |anchor - negative|)``, with ``swap`` the nearer of the negative's two.

    Source: Balntas et al., 2016, BMVC
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    refuse_several_dims(anchor, positive, negative)
    near = fns.pairwise_distance(anchor, positive, p, eps)
    far = fns.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = fns.minimum(far, fns.pairwise_distance(positive, negative, p, eps))
    return reduced((margin + near - far).clamp_min(0), reduction)


def refuse_several_dims(anchor, positive, negative):
    if not anchor.ndim == positive.ndim == negative.ndim:
        raise RuntimeError("The anchor, positive, and negative tensors are expected to have the same number of dimensions, "
                           f"but got: anchor {anchor.ndim}D, positive {positive.ndim}D, and negative {negative.ndim}D inputs")


@composite("nn.functional.triplet_margin_with_distance_loss",
           samples=["3 4 | 3 4 | 3 4", "3 4 | 3 4 | 3 4 ; margin=0.5, swap=True, reduction='none'"])
def triplet_margin_with_distance_loss(fns, anchor, positive, negative, *, distance_function=None, margin=1.0,
                                      swap: "bool" = False, reduction="mean"):
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))`` for any distance.

    Args:
        distance_function: a function of two batches of vectors; None: the Euclidean distance
    """
    reduction = reduction_of(None, None, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    refuse_several_dims(anchor, positive, negative)
    distance = fns.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = fns.minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


# --- classes by margin -----------------------------------------------------------------------------------------------

def as_rows(name, x):
    """``(n, c)``, from a batch, from the scores of one sample, or from a single score."""
    if x.ndim > 2 or x.shape[-1:] == (0,):
        raise RuntimeError(f"Expected non-empty vector or matrix with optional 0-dim batch size, but got: {list(x.shape)}")
    return x.reshape((1, -1)) if x.ndim < 2 else x


def check_targets(x, target, weight):
    rows = x.shape[0] if x.ndim == 2 else 1
    if target.ndim > 1 or count(target.shape) != rows:
        raise RuntimeError("multi_margin_loss: target tensor should be 1-D with size equal to the number of input samples "
                           f"(batch size). Expected target size [{rows}], but got {list(target.shape)}. Input has shape "
                           f"{list(x.shape)}.")
    if str(target.dtype).rpartition(".")[2] != "int64":
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")
    if weight is not None and weight.shape[0] != (x.shape[-1] if x.ndim else 1):
        raise RuntimeError(f"inconsistent weight size, expected {x.shape[-1]} but got {list(weight.shape)}")


def share(g, reduction, rows, classes):
    """The gradient ``(rows,)`` of one sample's sum over ``classes``."""
    g = g.reshape((-1,)) / classes
    return g / max(rows, 1) if reduction == "mean" else g


def reduce_rows(xp, losses, reduction, shape):
    """The losses ``(n,)`` of the samples, reduced; that of a single sample has no dimension."""
    if reduction == "none":
        return losses.reshape(shape)
    total = xp.sum(losses)
    return xp.astype(total / max(losses.size, 1), losses.dtype) if reduction == "mean" else total


def excesses(xp, x, target, weight, p, margin):
    """``margin - x[target] + x`` and how much its positive part counts: nothing for the target itself."""
    places = xp.expand_dims(target.reshape((-1,)), axis=-1)
    own = xp.take_along_axis(x, places, axis=-1)
    counts = xp.astype(xp.expand_dims(xp.arange(x.shape[-1]), axis=0) != places, x.dtype)
    if weight is not None:
        counts = counts * xp.expand_dims(xp.take(weight.reshape((-1,)), target.reshape((-1,)), axis=0), axis=-1)
    return margin - own + x, counts


@op("torch._multi_margin", kernel="class_margin_loss", nondifferentiable="target, weight", node="MultiMarginLossBackward0",
    samples=["3 4 | int4: 3 ; reduction='mean'", "3 4 | int4: 3 | pos: 4 ; p=2, margin=0.5, reduction='none'",
             "4 | int4: ; p=2, reduction='sum'"])
def multi_margin(xp, x, target, weight=None, p=1, margin=1.0, *, reduction):
    """The mean over the other classes of ``max(0, margin - x[target] + x[class]) ** p``, reduced."""
    refuse_kinds(x, "biuc", "multi_margin_loss_cpu_kernel")
    rows = as_rows("multi_margin_loss", x)
    check_targets(x, target, weight)
    if target.size and xp.to_host((xp.min(target) < 0) | (xp.max(target) >= rows.shape[1])):
        raise RuntimeError("target out of range")
    excess, counts = excesses(xp, rows, target, weight, p, margin)
    losses = xp.sum(counts * xp.where(excess > 0, excess, 0) ** p, axis=-1) / rows.shape[1]
    return reduce_rows(xp, xp.astype(losses, x.dtype), reduction, x.shape[:-1])


@multi_margin.check
def multi_margin_check(x, target, weight):
    if weight is not None and weight.dtype != x.dtype and x.dtype.is_floating_point:
        raise RuntimeError(f"expected scalar type {scalar_name(x)} but found {scalar_name(weight)}")


@multi_margin.vjp("x", kernel="class_margin_grad")
def multi_margin_dx(xp, g, x, target, weight, p, margin, reduction):
    rows = as_rows("multi_margin_loss", x)
    excess, counts = excesses(xp, rows, target, weight, p, margin)
    slope = counts * xp.where(excess > 0, xp.ones_like(excess) if p == 1 else 2 * excess, xp.zeros_like(excess))
    slope = slope * xp.expand_dims(share(g, reduction, *rows.shape), axis=-1)
    own = xp.expand_dims(xp.arange(rows.shape[1]), axis=0) == xp.expand_dims(target.reshape((-1,)), axis=-1)
    return (slope - xp.where(own, xp.sum(slope, axis=-1, keepdims=True), 0.0)).reshape(x.shape)


@composite("nn.functional.multi_margin_loss",
           autocast="float32",
           samples=["3 4 | int4: 3", "3 4 | int4: 3 | pos: 4 ; p=2, margin=0.5, reduction='none'", "4 | int4: "],
           errors=[("3 4 | int4: 3 ; p=3", ValueError, "only p == 1 and p == 2 supported"),
                   ("3 4 | int4: 2", RuntimeError, "multi_margin_loss: target tensor should be 1-D with size equal to"),
                   ("3 4 | int4: 3 | 3 ; p=1, margin=1.0", RuntimeError, "inconsistent weight size, expected 4 but got [3]")])
def multi_margin_loss(fns, input, target, p: "int" = 1, margin: Real = 1.0, weight: "object" = None, size_average=None,
                      reduce=None, reduction="mean"):
    """Mean over the other classes of ``max(0, margin - x[target] + x[class]) ** p``.

    Args:
        target: the class numbers
    """
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    refuse_gradient("multi_margin_loss", weight=weight)
    if input.ndim < 3 and input.numel():                    # for kernels, too
        check_targets(input, target, None)
        target = target.reshape((1,)) if input.ndim == 2 and not target.ndim else target
    return fns._multi_margin(input, target, weight, p, margin, reduction=reduction)


def label_gaps(xp, x, target):
    """``1 - x[a] + x[b]`` for a target ``a`` and a class ``b``, ``(n, targets, c)``; which pairs count; and the ``a``."""
    kept = xp.cumulative_prod(xp.astype(target >= 0, target.dtype), axis=-1) == 1       # up to the first -1
    places = xp.where(kept, target, 0)
    classes = xp.arange(x.shape[-1]).reshape((1, 1, -1))
    chosen = (xp.expand_dims(places, axis=-1) == classes) & xp.expand_dims(kept, axis=-1)          # n a b
    gaps = 1 - xp.expand_dims(xp.take_along_axis(x, places, axis=-1), axis=-1) + xp.expand_dims(x, axis=-2)
    return gaps, xp.expand_dims(kept, axis=-1) & ~xp.any(chosen, axis=-2, keepdims=True), chosen


@op("torch._multilabel_margin", kernel="label_margin_loss", nondifferentiable="target", node="MultilabelMarginLossBackward0",
    samples=["2 4 | int4: 2 4 ; reduction='mean'", "4 | int4: 4 ; reduction='sum'"])
def multilabel_margin(xp, x, target, *, reduction):
    """The mean over the classes of ``max(0, 1 - x[a] + x[b])`` for targets ``a`` and other classes ``b``, reduced."""
    refuse_kinds(x, "biuc", "multilabel_margin_loss_forward_out_frame")
    rows = as_rows("multilabel_margin_loss", x)
    if target.shape != x.shape:
        raise RuntimeError(f"inconsistent target size: {list(target.shape)} for input of size: {list(x.shape)}")
    if target.dtype.name != "int64":
        raise RuntimeError(f"expected scalar type Long but found {scalar_name(target)}")
    if target.size and xp.to_host((xp.min(target) < -1) | (xp.max(target) >= rows.shape[1])):
        raise RuntimeError("argument #2 'target' is out of range")
    gaps, counted, _ = label_gaps(xp, rows, target.reshape(rows.shape))
    losses = xp.sum(xp.where(counted & (gaps > 0), gaps, 0), axis=(-2, -1)) / rows.shape[1]
    return reduce_rows(xp, xp.astype(losses, x.dtype), reduction, x.shape[:-1])


@multilabel_margin.vjp("x", kernel="label_margin_grad")
def multilabel_margin_dx(xp, g, x, target, reduction):
    rows = as_rows("multilabel_margin_loss", x)
    gaps, counted, chosen = label_gaps(xp, rows, target.reshape(rows.shape))
    inside = xp.astype(counted & (gaps > 0), x.dtype)                                               # n a b
    own = xp.sum(xp.where(chosen, xp.sum(inside, axis=-1, keepdims=True), 0.0), axis=-2)
    slope = xp.sum(inside, axis=-2) - own
    return (slope * xp.expand_dims(share(g, reduction, *rows.shape), axis=-1)).reshape(x.shape)


@composite("nn.functional.multilabel_margin_loss",
           autocast="float32", samples=["2 4 | int4: 2 4", "4 | int4: 4 ; reduction='sum'",
                    "1 4 ; target=t.tensor([[2, 0, -1, 1]]), reduction='none'"],
           errors=[("3 4 | int4: 3", RuntimeError, "inconsistent target size: [3] for input of size: [3, 4]"),
                   ("3 4 | int9: 3 4", RuntimeError, "argument #2 'target' is out of range")])
def multilabel_margin_loss(fns, input, target, size_average=None, reduce=None, reduction="mean"):
    """Mean over the classes of ``max(0, 1 - x[a] + x[b])`` for every target class ``a`` and every other class ``b``.

    The targets of a sample are those before its first -1.

    Args:
        target: the numbers of the target classes, and -1 behind the last
    """
    return fns._multilabel_margin(input, target, reduction=reduction_of(size_average, reduce, reduction))


@composite("nn.functional.multilabel_soft_margin_loss",
           samples=["3 4 | unit: 3 4", "3 4 | unit: 3 4 | pos: 4 ; reduction='none'"])
def multilabel_soft_margin_loss(fns, input, target, weight: "object" = None, size_average=None, reduce=None, reduction="mean"):
    """Mean over the classes of the cross entropy of a yes or no for each.

    Args:
        target: for each class 1 or 0
    """
    losses = -(target * fns.logsigmoid(input) + (1 - target) * fns.logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return reduced_at_last(losses.sum(input.ndim - 1) / input.shape[-1], size_average, reduce, reduction)


@op("torch._soft_margin", nondifferentiable="target", node="SoftMarginLossBackward0",
    batch="loss", samples=["3 4 | 3 4 ; reduction='mean'", "4 | +1. -1. +1. -1. ; reduction='none'"])
def soft_margin(xp, x, target, *, reduction):
    """``log(1 + exp(-target * x))``, reduced."""
    if x.dtype.kind in "biu":
        raise RuntimeError(f"result type Float can't be cast to the desired output type {scalar_name(x)}")
    if target.dtype.kind == "c" != x.dtype.kind:
        raise RuntimeError(f"result type {scalar_name(target)} can't be cast to the desired output type {scalar_name(x)}")
    broadcast(x.shape, target.shape)               # refuses what does not
    return reduce_array(xp, xp.log1p(xp.exp(-x * xp.astype(target, x.dtype))), reduction)


@soft_margin.vjp("x")
def soft_margin_dx(xp, g, x, target, reduction):
    target = xp.astype(target, x.dtype)
    return each(g, reduction, x, target) * xp.conj(target * (0.5 * xp.tanh(0.5 * target * x) - 0.5))


@composite("nn.functional.soft_margin_loss",
           autocast="float32", samples=["3 4 | 3 4", "4 | +1. -1. +1. -1. ; reduction='none'"],
           errors=[("3 | 2", RuntimeError, "The size of tensor a (3) must match the size of tensor b (2)")])
def soft_margin_loss(fns, input, target, size_average=None, reduce=None, reduction="mean"):
    """``log(1 + exp(-target * input))``, the logistic loss for targets 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    refuse_gradient("soft_margin_loss", target=target)
    if (wide := broadcast(input.shape, target.shape)) != tuple(input.shape):
        raise inplace_shape_error(input.shape, wide)
    return fns._soft_margin(input, target, reduction=reduction)


# --- likelihoods -----------------------------------------------------------------------------------------------------

@composite("nn.functional.poisson_nll_loss", "torch.poisson_nll_loss",
           autocast="float32", samples=["3 4 | pos: 3 4", "pos: 3 4 | pos: 3 4 ; log_input=False, full=True, reduction='sum'"])
def poisson_nll_loss(fns, input, target, log_input=True, full=False, size_average=None, eps: float = 1e-08, reduce=None,
                     reduction="mean"):
    """Negative log-likelihood of counts under a Poisson distribution of rate ``exp(input)``, or ``input`` itself.

    ``full`` adds Stirling's approximation of ``log(target!)`` for targets above 1.

    Args:
        log_input: True: `input` is the logarithm of the rate. False: the rate itself
        target: the counts
    """
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    refuse_reduction(reduction)
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * pi * target).log()
        losses = losses + stirling.masked_fill(target <= 1, 0.0).to(losses.dtype)
    return reduced(losses, reduction)


@composite("nn.functional.gaussian_nll_loss",
           samples=["3 4 | 3 4 | pos: 3 4", "3 4 | 3 4 | pos: 3 ; full=True, reduction='sum'", "3 4 | 3 4 ; var=0.5"],
           errors=[("2 | 2 | -1. +1.", ValueError, "var has negative entry/entries"),
                   ("3 4 | 3 4 | pos: 2", ValueError, "var is of incorrect size")])
def gaussian_nll_loss(fns, input, target, var, full: "bool" = False, eps=1e-06, reduction="mean"):
    """Negative log-likelihood under a normal distribution of mean ``input``: ``(log(var) + (input - target) ** 2 / var) / 2``.

    The variance is at least ``eps``; ``full`` adds the constant ``log(2 pi) / 2``.

    Args:
        var: the variances, one for each element or sample
        input: the means
        target: the observations
    Source: Nix and Weigend, 1994, ICNN
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = var * fns.ones_like(input)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if tuple(var.shape) != tuple(input.shape):
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif input.ndim != var.ndim or sum(v for n, v in zip(input.shape, var.shape) if n != v) != 1:
            raise ValueError("var is of incorrect size")
    refuse_reduction(reduction)
    floor = var.detach()
    bounded = floor.clone().clamp_(min=eps)
    var = var + fns.where(bounded > floor, bounded - floor, 0)  # the value is bounded, the gradient is not
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * log(2 * pi)
    return reduced(losses, reduction)
