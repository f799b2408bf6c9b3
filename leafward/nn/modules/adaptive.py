"""A softmax over many classes that spends little on rare ones (Grave et al.)."""
from __future__ import annotations

from collections import namedtuple
from itertools import pairwise
from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn import functional as F
from leafward.nn.modules.container import ModuleList, Sequential
from leafward.nn.modules.linear import Linear
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from collections.abc import Sequence
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor

_ASMoutput = namedtuple("_ASMoutput", ["output", "loss"])
_ASMoutput.__module__ = __name__


class AdaptiveLogSoftmaxWithLoss(Module):
    """``log_softmax`` over a head of frequent classes and clusters of rare ones, each with a narrower layer.

    Shape: (n, in_features), (n) of classes sorted by falling frequency -> the target's log-probabilities (n), and their loss.

    in_features: features of the input
    n_classes: classes
    cutoffs: where clusters begin, in rising order: below the first lies the head
    div_value: cluster i is projected to ``in_features / div_value ** i`` features
    head_bias: whether the head has a bias
    {device, dtype}
    Source: Grave et al., Efficient Softmax Approximation for GPUs, 2017.

    >>> from leafward import nn
    >>> layer = nn.AdaptiveLogSoftmaxWithLoss(16, n_classes=20, cutoffs=[5, 10])
    >>> layer(leafward.ones(2, 16), leafward.tensor([1, 15])).output.shape
    torch.Size([2])
    """

    def __init__(self, in_features: int, n_classes: int, cutoffs: Sequence[int], div_value: float = 4.0,
                 head_bias: bool = False, device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__()
        cutoffs = list(cutoffs)
        if len(cutoffs) == 0:
            raise ValueError("cutoffs should be a sequence of length larger than 0")
        if (cutoffs != sorted(set(cutoffs)) or cutoffs[0] <= 0 or cutoffs[-1] > n_classes - 1
                or any(int(c) != c for c in cutoffs)):
            raise ValueError("cutoffs should be a sequence of unique, positive integers sorted in an increasing order, "
                             "where each value is between 1 and n_classes-1")
        self.in_features = in_features
        self.n_classes = n_classes
        self.cutoffs = [*cutoffs, n_classes]
        self.div_value = div_value
        self.head_bias = head_bias
        self.shortlist_size = self.cutoffs[0]
        self.n_clusters = len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        made = {"device": device, "dtype": dtype}
        self.head = Linear(in_features, self.head_size, bias=head_bias, **made)
        self.tail = ModuleList()
        for i, (start, stop) in enumerate(pairwise(self.cutoffs)):
            narrow = int(in_features // (div_value ** (i + 1)))
            self.tail.append(Sequential(Linear(in_features, narrow, bias=False, **made),
                                        Linear(narrow, stop - start, bias=False, **made)))

    def reset_parameters(self) -> None:
        """Draw all weights anew."""
        self.head.reset_parameters()
        for first, second in self.tail:
            first.reset_parameters()
            second.reset_parameters()

    def _check(self, input, target):
        if target.dim() > 1:
            raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
        if target.dim() == 1 and input.size(0) != target.size(0):
            raise RuntimeError("Input and target should have the same size in the batch dimension.")
        if input.dim() != target.dim() + 1:
            raise RuntimeError(f"{target.dim()}D target tensor expects {target.dim() + 1}D input tensors, "
                               f"but found inputs with size {input.size()}")

    def forward(self, input_: Tensor, target_: Tensor) -> _ASMoutput:
        self._check(input_, target_)
        batched = target_.dim() > 0
        input, target = (input_, target_) if batched else (input_.unsqueeze(0), target_.unsqueeze(0))
        in_tail = lw.zeros(target.size(0), dtype=input.dtype)
        in_head = target.clone()                             # the column of the head that leads to each target
        known = target < self.shortlist_size
        known &= target >= 0
        for i, (start, stop) in enumerate(pairwise(self.cutoffs)):
            here = (target >= start) & (target < stop)
            rows = here.nonzero().squeeze(1)
            if rows.numel() == 0:
                continue
            known |= here
            in_head = in_head.index_fill(0, rows, self.shortlist_size + i)
            shares = F.log_softmax(self.tail[i](input.index_select(0, rows)), dim=1)
            own = shares.gather(1, (target[rows] - start).unsqueeze(1)).squeeze(1)
            in_tail = in_tail.index_copy(0, rows, own)
        if not bool(known.all()):
            raise RuntimeError(f"Target values should be in [0, {self.n_classes - 1}], but values in range "
                               f"[{target.min().item()}, {target.max().item()}] were found. ")
        output = in_tail + F.log_softmax(self.head(input), dim=1).gather(1, in_head.unsqueeze(1)).squeeze(1)
        loss = (-output).mean()
        return _ASMoutput(output if batched else output.squeeze(0), loss)

    def _get_full_log_prob(self, input, head_output):
        """The log-probabilities of all classes, from the head's scores."""
        head = F.log_softmax(head_output, dim=1)
        parts = [head[:, :self.shortlist_size]]
        for i, cluster in enumerate(self.tail):
            parts.append(F.log_softmax(cluster(input), dim=1) + head[:, self.shortlist_size + i].unsqueeze(1))
        return lw.cat(parts, 1)

    def log_prob(self, input: Tensor) -> Tensor:
        """The log-probabilities of all classes: (n, in_features) -> (n, n_classes)."""
        return self._get_full_log_prob(input, self.head(input))

    def predict(self, input: Tensor) -> Tensor:
        """The most likely class: (n, in_features) -> (n)."""
        head_output = self.head(input)
        best = head_output.argmax(dim=1)
        rare = best >= self.shortlist_size
        if not bool(rare.any()):
            return best
        best[rare] = self._get_full_log_prob(input[rare], head_output[rare]).argmax(dim=1)
        return best
