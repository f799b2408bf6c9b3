"""How far apart two batches of vectors are."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.nn import functional as F
from leafward.nn.modules.module import Module

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class PairwiseDistance(Module):
    """``out = (sum |x1 - x2 + eps| ** p) ** (1 / p)`` along the last dimension: (n, d), (n, d) -> (n).

    p: norm; it may be infinity
    eps: keeps the gradient finite where both are equal
    keepdim: whether the last dimension stays, with size 1

    >>> lw.nn.PairwiseDistance(eps=0.0)(lw.zeros(1, 2), lw.tensor([[3.0, 4.0]]))
    tensor([5.])
    """

    __constants__ = ["norm", "eps", "keepdim"]

    def __init__(self, p: float = 2.0, eps: float = 1e-6, keepdim: bool = False) -> None:
        super().__init__()
        self.norm = p
        self.eps = eps
        self.keepdim = keepdim

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.pairwise_distance(x1, x2, self.norm, self.eps, self.keepdim)


class CosineSimilarity(Module):
    """``out = x1 . x2 / (|x1| |x2|)`` along ``dim``: (*, d, *), (*, d, *) -> (*, *).

    dim: dimension of the vectors
    eps: lower bound of each norm

    >>> lw.nn.CosineSimilarity(dim=0)(lw.tensor([1.0, 0.0]), lw.tensor([1.0, 1.0]))
    tensor(0.7071)
    """

    __constants__ = ["dim", "eps"]

    def __init__(self, dim: int = 1, eps: float = 1e-8) -> None:
        super().__init__()
        self.dim = dim
        self.eps = eps

    def forward(self, x1: Tensor, x2: Tensor) -> Tensor:
        return F.cosine_similarity(x1, x2, self.dim, self.eps)
