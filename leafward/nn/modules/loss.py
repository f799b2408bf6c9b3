"""Loss functions as layers. Each one calls the function of the same name in ``nn.functional``.

``reduction`` is "mean", "sum" or "none"; ``size_average`` and ``reduce`` are its older spellings.
"""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

from leafward.errors import warn
from leafward.nn import _reduction as _Reduction
from leafward.nn import functional as F
from leafward.nn.modules.distance import PairwiseDistance
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from leafward.tensor.tensor import Tensor


class _Loss(Module):
    __constants__ = ["reduction"]

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__()
        if size_average is not None or reduce is not None:
            reduction = _Reduction.legacy_get_string(size_average, reduce)
        self.reduction = reduction


class _WeightedLoss(_Loss):
    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)


class L1Loss(_Loss):
    """``|input - target|``, reduced: (*), (*) -> scalar, or (*) unreduced.

    {size_average, reduce, reduction}

    >>> lw.nn.L1Loss()(lw.tensor([1.0, 5.0]), lw.tensor([2.0, 2.0]))
    tensor(2.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.l1_loss(input, target, reduction=self.reduction)


class MSELoss(_Loss):
    """``(input - target) ** 2``, reduced: (*), (*) -> scalar, or (*) unreduced.

    {size_average, reduce, reduction}

    >>> lw.nn.MSELoss()(lw.tensor([1.0, 5.0]), lw.tensor([2.0, 2.0]))
    tensor(5.)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.mse_loss(input, target, reduction=self.reduction)


class SmoothL1Loss(_Loss):
    """``d ** 2 / (2 * beta)`` where ``d = |input - target| < beta``, else ``d - beta / 2``: (*), (*) -> scalar, or (*).

    {size_average, reduce, reduction}
    beta: from where on the loss is linear; 0: everywhere
    Source: Girshick, Fast R-CNN, 2015.

    >>> lw.nn.SmoothL1Loss()(lw.tensor([0.5, 5.0]), lw.zeros(2))
    tensor(2.3125)
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                 beta: float = 1.0) -> None:
        super().__init__(size_average, reduce, reduction)
        self.beta = beta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.smooth_l1_loss(input, target, reduction=self.reduction, beta=self.beta)


class HuberLoss(_Loss):
    """``d ** 2 / 2`` where ``d = |input - target| < delta``, else ``delta * (d - delta / 2)``: (*), (*) -> scalar, or (*).

    {reduction}
    delta: from where on the loss is linear

    >>> lw.nn.HuberLoss()(lw.tensor([0.5, 5.0]), lw.zeros(2))
    tensor(2.3125)
    """

    __constants__ = ["reduction", "delta"]

    def __init__(self, reduction: str = "mean", delta: float = 1.0) -> None:
        super().__init__(reduction=reduction)
        self.delta = delta

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.huber_loss(input, target, reduction=self.reduction, delta=self.delta)


class NLLLoss(_WeightedLoss):
    """``-weight[target] * input[target]``: log-probabilities (n, c, *) and classes (n, *) -> scalar, or (n, *) unreduced.

    weight: factor of each class (c); None: ones. "mean" divides by the sum of those that count
    {size_average, ignore_index, reduce, reduction}
    Raises: IndexError for a target that is no class

    >>> lw.nn.NLLLoss()(lw.tensor([[-1.0, -2.0]]), lw.tensor([1]))
    tensor(2.)
    """

    __constants__ = ["ignore_index", "reduction"]

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.nll_loss(input, target, weight=self.weight, ignore_index=self.ignore_index, reduction=self.reduction)


class NLLLoss2d(NLLLoss):
    """The older name of :class:`NLLLoss`: (n, c, h, w), (n, h, w) -> scalar.

    weight: factor of each class (c); None: ones
    {size_average, ignore_index, reduce, reduction}

    >>> issubclass(lw.nn.NLLLoss2d, lw.nn.NLLLoss)
    True
    """

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        warn("`NLLLoss2d` has been deprecated. Please use `NLLLoss` instead as a drop-in replacement and see "
             "https://pytorch.org/docs/main/nn.html#torch.nn.NLLLoss for more details.", FutureWarning)
        super().__init__(weight, size_average, ignore_index, reduce, reduction)


class CrossEntropyLoss(_WeightedLoss):
    """``-log_softmax(input)[target]``: scores (n, c, *) or (c) and classes (n, *) or () -> scalar, or (n, *) unreduced.

    The target may instead be probabilities of the shape of the input: ``-sum(target * log_softmax(input))``.

    weight: factor of each class (c); None: ones. "mean" divides by the sum of those that count
    {size_average, ignore_index, reduce, reduction}
    label_smoothing: share of the target, 0 to 1, that is spread evenly over all classes
    Raises: IndexError for a target that is no class

    >>> lw.nn.CrossEntropyLoss()(lw.zeros(1, 2), lw.tensor([0]))
    tensor(0.6931)
    """

    __constants__ = ["ignore_index", "reduction", "label_smoothing"]

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, ignore_index: int = -100,
                 reduce: bool | None = None, reduction: str = "mean", label_smoothing: float = 0.0) -> None:
        super().__init__(weight, size_average, reduce, reduction)
        self.ignore_index = ignore_index
        self.label_smoothing = label_smoothing

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.cross_entropy(input, target, weight=self.weight, ignore_index=self.ignore_index,
                               reduction=self.reduction, label_smoothing=self.label_smoothing)


class BCELoss(_WeightedLoss):
    """``-weight * (target * log(input) + (1 - target) * log(1 - input))``: probabilities (*), (*) -> scalar, or (*) unreduced.

    weight: factors that broadcast against the input; None: ones
    {size_average, reduce, reduction}
    Raises: RuntimeError for an input outside [0, 1]

    >>> lw.nn.BCELoss()(lw.tensor([0.5]), lw.tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy(input, target, weight=self.weight, reduction=self.reduction)


class BCEWithLogitsLoss(_Loss):
    """:class:`BCELoss` of ``sigmoid(input)``, computed without overflow: (*), (*) -> scalar, or (*) unreduced.

    weight: factors that broadcast against the input; None: ones
    {size_average, reduce, reduction}
    pos_weight: factors of the term with ``target``, one per class: above 1 for rare ones; None: ones

    >>> lw.nn.BCEWithLogitsLoss()(lw.tensor([0.0]), lw.tensor([1.0]))
    tensor(0.6931)
    """

    def __init__(self, weight: Tensor | None = None, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean", pos_weight: Tensor | None = None) -> None:
        super().__init__(size_average, reduce, reduction)
        self.register_buffer("weight", weight)
        self.register_buffer("pos_weight", pos_weight)

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.binary_cross_entropy_with_logits(input, target, self.weight, pos_weight=self.pos_weight,
                                                  reduction=self.reduction)


class KLDivLoss(_Loss):
    """``target * (log(target) - input)`` for log-probabilities ``input``: (*), (*) -> scalar, or (*) unreduced.

    {size_average, reduce}
    reduction: "batchmean": the divergence itself, averaged over dimension 0; "mean" of all elements; "sum"; or "none"
    log_target: whether the target is a log-probability too

    >>> lw.nn.KLDivLoss(reduction="batchmean")(lw.tensor([[0.5, 0.5]]).log(), lw.tensor([[1.0, 0.0]]))
    tensor(0.6931)
    """

    def __init__(self, size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean",
                 log_target: bool = False) -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_target = log_target

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.kl_div(input, target, reduction=self.reduction, log_target=self.log_target)


class PoissonNLLLoss(_Loss):
    """``exp(input) - target * input``, or ``input - target * log(input + eps)``: (*), (*) -> scalar, or (*) unreduced.

    log_input: whether the input is the logarithm of the rate (the first formula) or the rate
    full: whether to add Stirling's ``target * log(target) - target + log(2 pi target) / 2`` where target > 1
    {size_average}
    eps: keeps the logarithm of a rate finite
    {reduce, reduction}

    >>> lw.nn.PoissonNLLLoss()(lw.tensor([0.0]), lw.tensor([2.0]))
    tensor(1.)
    """

    __constants__ = ["log_input", "full", "eps", "reduction"]

    def __init__(self, log_input: bool = True, full: bool = False, size_average: bool | None = None, eps: float = 1e-8,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.log_input = log_input
        self.full = full
        self.eps = eps

    def forward(self, log_input: Any, target: Tensor) -> Tensor:
        return F.poisson_nll_loss(log_input, target, log_input=self.log_input, full=self.full, eps=self.eps,
                                  reduction=self.reduction)


class GaussianNLLLoss(_Loss):
    """``(log(var) + (input - target) ** 2 / var) / 2``: (*), (*), var (*) or broadcast to it -> scalar, or (*) unreduced.

    full: whether to add the constant ``log(2 pi) / 2``
    eps: lower bound of ``var``
    {reduction}
    Raises: ValueError for a negative ``var``

    >>> lw.nn.GaussianNLLLoss()(lw.tensor([1.0]), lw.tensor([3.0]), lw.tensor([1.0]))
    tensor(2.)
    """

    __constants__ = ["full", "eps", "reduction"]

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        self.full = full
        self.eps = eps

    def forward(self, input: Tensor, target: Tensor, var: Tensor | float) -> Tensor:
        return F.gaussian_nll_loss(input, target, var, full=self.full, eps=self.eps, reduction=self.reduction)


class HingeEmbeddingLoss(_Loss):
    """``input`` where target is 1, ``max(0, margin - input)`` where it is -1: (*), (*) -> scalar, or (*) unreduced.

    margin: distance up to which pairs of target -1 cost
    {size_average, reduce, reduction}

    >>> lw.nn.HingeEmbeddingLoss()(lw.tensor([0.5, 0.25]), lw.tensor([1, -1]))
    tensor(0.6250)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin: float = 1.0, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.hinge_embedding_loss(input, target, margin=self.margin, reduction=self.reduction)


class SoftMarginLoss(_Loss):
    """``log(1 + exp(-target * input))``, for targets of 1 and -1: (*), (*) -> scalar, or (*) unreduced.

    {size_average, reduce, reduction}

    >>> lw.nn.SoftMarginLoss()(lw.tensor([0.0]), lw.tensor([1.0]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.soft_margin_loss(input, target, reduction=self.reduction)


class MultiLabelMarginLoss(_Loss):
    """``sum of max(0, 1 - (input[target] - input[other])) / c`` over all pairs: (n, c), (n, c) -> scalar, or (n).

    A target lists its classes, ended by -1.

    {size_average, reduce, reduction}

    >>> lw.nn.MultiLabelMarginLoss()(lw.tensor([0.1, 0.2, 0.4, 0.8]), lw.tensor([3, 0, -1, 1]))
    tensor(0.8500)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_margin_loss(input, target, reduction=self.reduction)


class MultiLabelSoftMarginLoss(_WeightedLoss):
    """The mean over classes of :class:`BCEWithLogitsLoss`: (n, c), (n, c) of 0 and 1 -> scalar, or (n) unreduced.

    weight: factor of each class (c); None: ones
    {size_average, reduce, reduction}

    >>> lw.nn.MultiLabelSoftMarginLoss()(lw.zeros(1, 3), lw.tensor([[1.0, 0.0, 1.0]]))
    tensor(0.6931)
    """

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multilabel_soft_margin_loss(input, target, weight=self.weight, reduction=self.reduction)


class MultiMarginLoss(_WeightedLoss):
    """``sum of max(0, margin - input[target] + input[other]) ** p / c``: (n, c), (n) -> scalar, or (n) unreduced.

    p: the power, 1 or 2
    margin: how much larger the target's score shall be
    weight: factor of each class (c); None: ones
    {size_average, reduce, reduction}

    >>> lw.nn.MultiMarginLoss()(lw.tensor([[0.1, 0.2, 0.4, 0.8]]), lw.tensor([3]))
    tensor(0.3250)
    """

    __constants__ = ["p", "margin", "reduction"]

    def __init__(self, p: float = 1, margin: float = 1.0, weight: Tensor | None = None, size_average: bool | None = None,
                 reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(weight, size_average, reduce, reduction)
        if p not in (1, 2):
            raise ValueError("only p == 1 and p == 2 supported")
        if weight is not None and weight.dim() != 1:
            raise ValueError(f"MultiMarginLoss: expected weight to be None or 1D tensor, got {weight.dim()}D instead")
        self.p = p
        self.margin = margin

    def forward(self, input: Tensor, target: Tensor) -> Tensor:
        return F.multi_margin_loss(input, target, p=self.p, margin=self.margin, weight=self.weight,
                                   reduction=self.reduction)


class CosineEmbeddingLoss(_Loss):
    """``1 - cos(x1, x2)`` where target is 1, ``max(0, cos(x1, x2) - margin)`` where it is -1.

    Shape: (n, d), (n, d), (n) -> scalar, or (n) unreduced

    margin: cosine up to which pairs of target -1 cost nothing
    {size_average, reduce, reduction}

    >>> lw.nn.CosineEmbeddingLoss()(lw.tensor([[1.0, 0.0]]), lw.tensor([[0.0, 1.0]]), lw.tensor([1]))
    tensor(1.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.cosine_embedding_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class MarginRankingLoss(_Loss):
    """``max(0, -target * (x1 - x2) + margin)``: (n), (n), (n) -> scalar, or (n) unreduced.

    Target 1 says that x1 should be larger, target -1 that x2 should.

    margin: by how much
    {size_average, reduce, reduction}

    >>> lw.nn.MarginRankingLoss()(lw.tensor([1.0]), lw.tensor([3.0]), lw.tensor([1.0]))
    tensor(2.)
    """

    __constants__ = ["margin", "reduction"]

    def __init__(self, margin: float = 0.0, size_average: bool | None = None, reduce: bool | None = None,
                 reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        self.margin = margin

    def forward(self, input1: Tensor, input2: Tensor, target: Tensor) -> Tensor:
        return F.margin_ranking_loss(input1, input2, target, margin=self.margin, reduction=self.reduction)


class TripletMarginLoss(_Loss):
    """``max(0, |anchor - positive| - |anchor - negative| + margin)``: three times (n, d) -> scalar, or (n) unreduced.

    margin: how much nearer the positive shall be
    p: norm of the distances
    eps: added to the differences, so that the gradient at 0 exists
    swap: whether the distance from positive to negative counts, where it is smaller than the anchor's
    {size_average, reduce, reduction}

    >>> lw.nn.TripletMarginLoss()(lw.zeros(1, 2), lw.ones(1, 2), lw.ones(1, 2))
    tensor(1.0000)
    """

    __constants__ = ["margin", "p", "eps", "swap", "reduction"]

    def __init__(self, margin: float = 1.0, p: float = 2.0, eps: float = 1e-6, swap: bool = False,
                 size_average: bool | None = None, reduce: bool | None = None, reduction: str = "mean") -> None:
        super().__init__(size_average, reduce, reduction)
        if margin <= 0:
            raise ValueError(f"TripletMarginLoss: expected margin to be greater than 0, got {margin} instead")
        self.margin = margin
        self.p = p
        self.eps = eps
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_loss(anchor, positive, negative, margin=self.margin, p=self.p, eps=self.eps,
                                     swap=self.swap, reduction=self.reduction)


class TripletMarginWithDistanceLoss(_Loss):
    """``max(0, d(anchor, positive) - d(anchor, negative) + margin)``: three times (n, *) -> scalar, or (n) unreduced.

    distance_function: d, a function of two tensors; None: :class:`PairwiseDistance`
    margin: how much nearer the positive shall be
    swap: whether the distance from positive to negative counts, where it is smaller than the anchor's
    {reduction}

    >>> lw.nn.TripletMarginWithDistanceLoss(distance_function=lw.nn.PairwiseDistance(1))(*lw.zeros(3, 1, 2))
    tensor(1.)
    """

    __constants__ = ["margin", "swap", "reduction"]

    def __init__(self, *, distance_function: Callable[[Tensor, Tensor], Tensor] | None = None, margin: float = 1.0,
                 swap: bool = False, reduction: str = "mean") -> None:
        super().__init__(reduction=reduction)
        if margin <= 0:
            raise ValueError(
                f"TripletMarginWithDistanceLoss: expected margin to be greater than 0, got {margin} instead")
        self.distance_function = distance_function if distance_function is not None else PairwiseDistance()
        self.margin = margin
        self.swap = swap

    def forward(self, anchor: Tensor, positive: Tensor, negative: Tensor) -> Tensor:
        return F.triplet_margin_with_distance_loss(
            anchor, positive, negative, distance_function=self.distance_function, margin=self.margin, swap=self.swap,
            reduction=self.reduction)


class CTCLoss(_Loss):
    """The negative log-probability of a target sequence, over all its alignments to the input.

    Shape: log_probs (t, n, c) from log_softmax, targets (n, s) or (all lengths), both lengths (n) -> scalar, or (n) unreduced.

    blank: class that stands for no label
    reduction: "mean" over the batch of losses divided by target lengths, their "sum", or "none"
    zero_infinity: whether targets too long to align cost 0, with gradient 0, instead of infinity
    Source: Graves et al., Connectionist Temporal Classification, 2006.

    >>> lw.nn.CTCLoss()(lw.zeros(4, 1, 3).log_softmax(2), lw.tensor([[1, 2]]), lw.tensor([4]), lw.tensor([2]))
    tensor(0.8432)
    """

    __constants__ = ["blank", "reduction"]

    def __init__(self, blank: int = 0, reduction: str = "mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction=reduction)
        self.blank = blank
        self.zero_infinity = zero_infinity

    def forward(self, log_probs: Tensor, targets: Tensor, input_lengths: Tensor | Sequence[int],
                target_lengths: Tensor | Sequence[int]) -> Tensor:
        return F.ctc_loss(log_probs, targets, input_lengths, target_lengths, self.blank, self.reduction,
                          self.zero_infinity)
