"""Losses by margins and distances: how far apart two scores or two vectors ought to be."""
from math import log, pi

from leafward.core.op import composite

from .loss import reduced, reduction_of

# --- pairs and triplets ----------------------------------------------------------------------------------------------

@composite("nn.functional.cosine_embedding_loss", "torch.cosine_embedding_loss",
           samples=["3 4 | 3 4 | +1. -1. +1.", "3 4 | 3 4 | -1. -1. +1. ; margin=0.2, reduction='sum'"])
def cosine_embedding_loss(lw, input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``1 - cos`` where ``target`` is 1, ``max(0, cos - margin)`` where it is -1, for the cosine between two vectors."""
    reduction = reduction_of(size_average, reduce, reduction)
    dim = 1 if target.ndim == 1 else 0
    product = (input1 * input2).sum(dim)
    squares = ((input1 * input1).sum(dim) + 1e-12) * ((input2 * input2).sum(dim) + 1e-12)
    cosine = product / squares.sqrt()
    alike = lw.where(target == 1, 1 - cosine, 0.0)
    unlike = lw.where(target == -1, (cosine - margin).clamp_min(0), 0.0)
    return reduced(alike + unlike, reduction)


@composite("nn.functional.hinge_embedding_loss", "torch.hinge_embedding_loss",
           samples=["4 | +1. -1. +1. -1.", "4 | +1. -1. +1. -1. ; margin=0.5, reduction='none'"])
def hinge_embedding_loss(lw, input, target, margin=1.0, size_average=None, reduce=None, reduction="mean"):
    """A distance where ``target`` is 1, ``max(0, margin - distance)`` where it is -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    far = lw.where(target != 1, (margin - input).clamp_min(0), 0.0)
    near = lw.where(target != -1, input, 0.0)
    return reduced(far + near, reduction)


@composite("nn.functional.margin_ranking_loss", "torch.margin_ranking_loss",
           samples=["4 | 4 | +1. -1. +1. -1.", "4 | 4 | +1. -1. +1. -1. ; margin=0.5, reduction='none'"])
def margin_ranking_loss(lw, input1, input2, target, margin=0, size_average=None, reduce=None, reduction="mean"):
    """``max(0, margin - target * (input1 - input2))``: which of two scores ought to be larger."""
    reduction = reduction_of(size_average, reduce, reduction)
    if not input1.ndim == input2.ndim == target.ndim:
        raise RuntimeError("margin_ranking_loss : All input tensors should have same dimension but got sizes: input1: "
                           f"{input1.shape}, input2: {input2.shape}, target: {target.shape} ")
    return reduced((-target * (input1 - input2) + margin).clamp_min(0), reduction)


@composite("nn.functional.triplet_margin_loss", "torch.triplet_margin_loss",
           samples=["3 4 | 3 4 | 3 4", "3 4 | 3 4 | 3 4 ; margin=0.5, p=1, swap=True, reduction='none'"],
           errors=[("3 4 | 3 4 | 3 4 ; margin=-1.0", ValueError, "margin must be greater than 0, got -1.0")])
def triplet_margin_loss(lw, anchor, positive, negative, margin=1.0, p=2, eps=1e-06, swap=False, size_average=None,
                        reduce=None, reduction="mean"):
    """``max(0, margin + |anchor - positive| - |anchor - negative|)``, with ``swap`` the nearer of the negative's two."""
    reduction = reduction_of(size_average, reduce, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    near = lw.pairwise_distance(anchor, positive, p, eps)
    far = lw.pairwise_distance(anchor, negative, p, eps)
    if swap:
        far = lw.minimum(far, lw.pairwise_distance(positive, negative, p, eps))
    return reduced((near - far + margin).clamp_min(0), reduction)


@composite("nn.functional.triplet_margin_with_distance_loss",
           samples=["3 4 | 3 4 | 3 4", "3 4 | 3 4 | 3 4 ; margin=0.5, swap=True, reduction='none'"])
def triplet_margin_with_distance_loss(lw, anchor, positive, negative, *, distance_function=None, margin=1.0, swap=False,
                                      reduction="mean"):
    """``max(0, margin + d(anchor, positive) - d(anchor, negative))`` for any distance."""
    reduction = reduction_of(None, None, reduction)
    if margin <= 0:
        raise ValueError(f"margin must be greater than 0, got {margin}")
    distance = lw.pairwise_distance if distance_function is None else distance_function
    near, far = distance(anchor, positive), distance(anchor, negative)
    if swap:
        far = lw.minimum(far, distance(positive, negative))
    return reduced((margin + near - far).clamp_min(0), reduction)


# --- classes by margin -----------------------------------------------------------------------------------------------

@composite("nn.functional.multi_margin_loss",
           samples=["3 4 | int4: 3", "3 4 | int4: 3 | pos: 4 ; p=2, margin=0.5, reduction='none'", "4 | int4: "],
           errors=[("3 4 | int4: 3 ; p=3", ValueError, "only p == 1 and p == 2 supported")])
def multi_margin_loss(lw, input, target, p=1, margin=1.0, weight=None, size_average=None, reduce=None,
                      reduction="mean"):
    """Mean over the other classes of ``max(0, margin - x[target] + x[class]) ** p``."""
    reduction = reduction_of(size_average, reduce, reduction)
    if p not in (1, 2):
        raise ValueError("only p == 1 and p == 2 supported")
    if weight is not None and weight.ndim != 1:
        raise ValueError("weight must be one-dimensional")
    classes = input.shape[-1]
    places = target.unsqueeze(-1)
    own = input.gather(-1, places)
    excess = (margin - own + input).clamp_min(0)
    if p == 2:
        excess = excess * excess
    if weight is not None:
        excess = excess * weight[target].unsqueeze(-1)
    excess = excess.masked_fill(lw.arange(classes) == places, 0.0)
    return reduced(excess.sum(-1) / classes, reduction)


@composite("nn.functional.multilabel_margin_loss",
           samples=["2 4 | int4: 2 4", "4 | int4: 4 ; reduction='sum'",
                    "1 4 ; target=t.tensor([[2, 0, -1, 1]]), reduction='none'"])
def multilabel_margin_loss(lw, input, target, size_average=None, reduce=None, reduction="mean"):
    """Mean over the classes of ``max(0, 1 - x[a] + x[b])`` for every target class ``a`` and every other class ``b``.

    The targets of a sample are those before its first -1.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    classes = input.shape[-1]
    counted = (target >= 0).long().cumprod(-1)
    places = target * counted
    is_target = lw.zeros(target.shape, dtype=target.dtype).scatter_add(-1, places, counted) > 0
    own = input.gather(-1, places)
    gaps = (1 - own.unsqueeze(-1) + input.unsqueeze(-2)).clamp_min(0)
    gaps = gaps * counted.unsqueeze(-1) * is_target.logical_not().unsqueeze(-2)
    return reduced(gaps.sum((-2, -1)) / classes, reduction)


@composite("nn.functional.multilabel_soft_margin_loss",
           samples=["3 4 | unit: 3 4", "3 4 | unit: 3 4 | pos: 4 ; reduction='none'"])
def multilabel_soft_margin_loss(lw, input, target, weight=None, size_average=None, reduce=None, reduction="mean"):
    """Mean over the classes of the cross entropy of a yes or no for each."""
    reduction = reduction_of(size_average, reduce, reduction)
    losses = -(target * lw.logsigmoid(input) + (1 - target) * lw.logsigmoid(-input))
    if weight is not None:
        losses = losses * weight
    return reduced(losses.sum(-1) / input.shape[-1], reduction)


@composite("nn.functional.soft_margin_loss",
           samples=["3 4 | 3 4", "4 | +1. -1. +1. -1. ; reduction='none'"])
def soft_margin_loss(lw, input, target, size_average=None, reduce=None, reduction="mean"):
    """``log(1 + exp(-target * input))``, the logistic loss for targets 1 and -1."""
    reduction = reduction_of(size_average, reduce, reduction)
    return reduced(lw.log1p((-target * input).exp()), reduction)


# --- likelihoods -----------------------------------------------------------------------------------------------------

@composite("nn.functional.poisson_nll_loss", "torch.poisson_nll_loss",
           samples=["3 4 | pos: 3 4", "pos: 3 4 | pos: 3 4 ; log_input=False, full=True, reduction='sum'"])
def poisson_nll_loss(lw, input, target, log_input=True, full=False, size_average=None, eps=1e-08, reduce=None,
                     reduction="mean"):
    """Negative log-likelihood of counts under a Poisson distribution of rate ``exp(input)``, or ``input`` itself.

    ``full`` adds Stirling's approximation of ``log(target!)`` for targets above 1.
    """
    reduction = reduction_of(size_average, reduce, reduction)
    losses = input.exp() - target * input if log_input else input - target * (input + eps).log()
    if full:
        stirling = target * target.log() - target + 0.5 * (2 * pi * target).log()
        losses = losses + stirling.masked_fill(target <= 1, 0.0)
    return reduced(losses, reduction)


@composite("nn.functional.gaussian_nll_loss",
           samples=["3 4 | 3 4 | pos: 3 4", "3 4 | 3 4 | pos: 3 ; full=True, reduction='sum'", "3 4 | 3 4 ; var=0.5"],
           errors=[("2 | 2 | -1. +1.", ValueError, "var has negative entry/entries"),
                   ("3 4 | 3 4 | pos: 2", ValueError, "var is of incorrect size")])
def gaussian_nll_loss(lw, input, target, var, full=False, eps=1e-06, reduction="mean"):
    """Negative log-likelihood under a normal distribution of mean ``input``: ``(log(var) + (input - target) ** 2 / var) / 2``.

    The variance is at least ``eps``; ``full`` adds the constant ``log(2 pi) / 2``.
    """
    if isinstance(var, float):
        if var < 0:
            raise ValueError("var has negative entry/entries")
        var = lw.full(input.shape, var, dtype=input.dtype)
    elif (var < 0).any():
        raise ValueError("var has negative entry/entries")
    if tuple(var.shape) != tuple(input.shape):
        if tuple(input.shape[:-1]) == tuple(var.shape):
            var = var.unsqueeze(-1)
        elif tuple(input.shape[:-1]) != tuple(var.shape[:-1]) or var.shape[-1] != 1:
            raise ValueError("var is of incorrect size")
    reduction = reduction_of(None, None, reduction)
    floor = var.detach()
    var = var + (floor.clamp_min(eps) - floor)        # the value is bounded, the gradient is not
    losses = 0.5 * (var.log() + (input - target) ** 2 / var)
    if full:
        losses = losses + 0.5 * log(2 * pi)
    return reduced(losses, reduction)
