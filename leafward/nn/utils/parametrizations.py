"""Ready-made parametrizations: orthogonal matrices, weight norm, spectral norm."""
from __future__ import annotations

from enum import Enum, auto
from typing import Any

import leafward as lw
from leafward.nn import functional as F
from leafward.nn.modules.conv import ConvTranspose1d, ConvTranspose2d, ConvTranspose3d
from leafward.nn.modules.module import Module
from leafward.nn.utils.parametrize import register_parametrization
from leafward.nn.utils.weight_norm import norm_except_dim, normalized_weight
from leafward.tensor.tensor import Tensor

__all__ = ["orthogonal", "spectral_norm", "weight_norm"]


# --- orthogonal ------------------------------------------------------------------------------------------------------

def _is_orthogonal(Q, eps=None):
    """Whether ``Q^H Q`` is the identity, up to rounding."""
    n = Q.size(-1)
    eps = 10.0 * n * lw.finfo(Q.dtype).eps if eps is None else eps
    return lw.allclose(Q.mH @ Q, lw.eye(n, dtype=Q.dtype), atol=eps)


def _make_orthogonal(A):
    """The orthogonal factor of a QR decomposition whose R has a positive diagonal."""
    Q, R = lw.linalg.qr(A)
    return Q * R.diagonal(dim1=-2, dim2=-1).sgn().unsqueeze(-2)


class _OrthMaps(Enum):
    matrix_exp = auto()
    cayley = auto()
    householder = auto()


class _Orthogonal(Module):
    """An orthogonal matrix from any matrix, by its exponential, Cayley's map or Householder reflections."""

    def __init__(self, weight, orthogonal_map, *, use_trivialization=True):
        super().__init__()
        if weight.is_complex() and orthogonal_map == _OrthMaps.householder:
            raise ValueError("The householder parametrization does not support complex tensors.")
        self.shape = weight.shape
        self.orthogonal_map = orthogonal_map
        if use_trivialization:
            self.register_buffer("base", None)

    def forward(self, X):
        wide = X.size(-2) < X.size(-1)
        X = X.mT if wide else X
        n, k = X.size(-2), X.size(-1)
        if self.orthogonal_map == _OrthMaps.householder:
            A = X.tril(-1)
            tau = 2.0 / (1.0 + (A * A).sum(dim=-2))
            Q = lw.linalg.householder_product(A, tau) * X.diagonal(dim1=-2, dim2=-1).int().unsqueeze(-2)
        else:
            X = X.tril()
            if n != k:
                X = lw.cat([X, lw.zeros(*X.shape[:-2], n, n - k, dtype=X.dtype)], -1)
            A = X - X.mH                                     # skew: its exponential is orthogonal
            if self.orthogonal_map == _OrthMaps.matrix_exp:
                Q = lw.matrix_exp(A)
            else:
                one = lw.eye(n, dtype=A.dtype)
                Q = lw.linalg.solve(one - 0.5 * A, one + 0.5 * A)
            Q = Q[..., :k] if n != k else Q
        if hasattr(self, "base"):
            Q = self.base @ Q
        return Q.mT if wide else Q

    @lw.no_grad()
    def right_inverse(self, Q):
        """The matrix that becomes ``Q``; one that is not orthogonal is made so."""
        if Q.shape != self.shape:
            raise ValueError(f"Expected a matrix or batch of matrices of shape {self.shape}. "
                             f"Got a tensor of shape {Q.shape}.")
        given = Q
        wide = Q.size(-2) < Q.size(-1)
        Q = Q.mT if wide else Q
        n, k = Q.size(-2), Q.size(-1)
        if not hasattr(self, "base"):
            if self.orthogonal_map != _OrthMaps.householder:
                raise NotImplementedError("It is not possible to assign to the matrix exponential or the Cayley "
                                          "parametrizations when use_trivialization=False.")
            # The reflections of its QR decomposition, with the signs of R on the diagonal.
            A, tau = lw.geqrf(Q)
            signs = A.diagonal(dim1=-2, dim2=-1).sign_()
            signs[tau == 0] *= -1
            return A.mT if wide else A
        if n != k:
            Q = _make_orthogonal(lw.cat([Q, lw.randn(*Q.shape[:-2], n, n - k, dtype=Q.dtype)], -1))
        else:
            Q = Q.clone() if _is_orthogonal(Q) else _make_orthogonal(Q)
        self.base = Q
        # -1 is what all three maps send to the identity.
        negative = lw.zeros_like(given)
        negative.diagonal(dim1=-2, dim2=-1).fill_(-1.0)
        return negative


def orthogonal(module: Any, name: str = "weight", orthogonal_map: Any = None, *, use_trivialization: bool = True) -> Any:
    """Keep the matrix ``module.<name>`` orthogonal: ``Q^H Q = 1``, or ``Q Q^H = 1`` where it is wide.

    {module, name}
    orthogonal_map: how Q is made of the trained matrix: "matrix_exp" or "cayley", of its skew part, or "householder", by
        reflections; None: "matrix_exp" for square matrices, else "householder"
    use_trivialization: whether the trained matrix is relative to the present Q, which is then kept apart
    Source: Lezcano-Casado, Trivializations for Gradient-Based Optimization on Manifolds, 2019.

    >>> Q = orthogonal(lw.nn.Linear(3, 3)).weight
    >>> lw.allclose(Q.T @ Q, lw.eye(3), atol=1e-5)
    True
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if weight.ndim < 2:
        raise ValueError(f"Expected a matrix or batch of matrices. Got a tensor of {weight.ndim} dimensions.")
    if orthogonal_map is None:
        square = weight.size(-2) == weight.size(-1)
        orthogonal_map = "matrix_exp" if square or weight.is_complex() else "householder"
    if orthogonal_map not in _OrthMaps.__members__:
        raise ValueError('orthogonal_map has to be one of "matrix_exp", "cayley", "householder". '
                         f"Got: {orthogonal_map}")
    made = _Orthogonal(weight, _OrthMaps[orthogonal_map], use_trivialization=use_trivialization)
    return register_parametrization(module, name, made, unsafe=True)


# --- weight norm -----------------------------------------------------------------------------------------------------

class _WeightNorm(Module):
    """``weight = g * v / |v|``, a length and a direction for each slice along ``dim``."""

    def __init__(self, dim=0):
        super().__init__()
        self.dim = -1 if dim is None else dim

    def forward(self, weight_g, weight_v):
        return normalized_weight(weight_v, weight_g, self.dim)

    def right_inverse(self, weight):
        """The length and the direction of ``weight``."""
        return norm_except_dim(weight, 2, self.dim), weight


def weight_norm(module: Any, name: str = "weight", dim: int | None = 0) -> Module:
    """Train length and direction of ``module.<name>`` apart: ``weight = g * v / |v|``.

    {module, name}
    dim: where the slices lie that have a g each; None: one g for the whole
    Source: Salimans and Kingma, Weight Normalization, 2016.

    >>> layer = weight_norm(lw.nn.Linear(2, 3))
    >>> layer.parametrizations.weight.original0.shape
    torch.Size([3, 1])
    """
    register_parametrization(module, name, _WeightNorm(dim), unsafe=True)

    def rename(state_dict, prefix, *rest):
        # States of the older nn.utils.weight_norm.
        old = [f"{prefix}{name}_g", f"{prefix}{name}_v"]
        if all(key in state_dict for key in old):
            for i, key in enumerate(old):
                state_dict[f"{prefix}parametrizations.{name}.original{i}"] = state_dict.pop(key)

    module._register_load_state_dict_pre_hook(rename)
    return module


# --- spectral norm ---------------------------------------------------------------------------------------------------

class _SpectralNorm(Module):
    """``weight / sigma``, with sigma the largest singular value, followed by power iterations while training."""

    def __init__(self, weight, n_power_iterations=1, dim=0, eps=1e-12):
        super().__init__()
        ndim = weight.ndim
        if not -ndim <= dim < ndim:
            raise IndexError(f"Dimension out of range (expected to be in range of [-{ndim}, {ndim - 1}] but got {dim})")
        if n_power_iterations <= 0:
            raise ValueError("Expected n_power_iterations to be positive, but got "
                             f"n_power_iterations={n_power_iterations}")
        self.dim = dim % ndim
        self.eps = eps
        if ndim > 1:
            self.n_power_iterations = n_power_iterations
            matrix = self._reshape_weight_to_matrix(weight)
            u, v = (lw.empty(size, dtype=matrix.dtype).normal_(0, 1) for size in matrix.shape)
            self.register_buffer("_u", F.normalize(u, dim=0, eps=eps))
            self.register_buffer("_v", F.normalize(v, dim=0, eps=eps))
            self._power_method(matrix, 15)

    def _reshape_weight_to_matrix(self, weight):
        return weight.movedim(self.dim, 0).flatten(1)

    @lw.no_grad()
    def _power_method(self, matrix, n_power_iterations):
        # In place: the buffers stay the same tensors.
        for _ in range(n_power_iterations):
            self._u.copy_(F.normalize(lw.mv(matrix, self._v), dim=0, eps=self.eps))
            self._v.copy_(F.normalize(lw.mv(matrix.mH, self._u), dim=0, eps=self.eps))

    def forward(self, weight):
        if weight.ndim == 1:
            return F.normalize(weight, dim=0, eps=self.eps)
        matrix = self._reshape_weight_to_matrix(weight)
        if self.training:
            self._power_method(matrix, self.n_power_iterations)
        # Copies, as the next forward overwrites the buffers.
        u, v = self._u.clone(), self._v.clone()
        return weight / lw.vdot(u, lw.mv(matrix, v))

    def right_inverse(self, value):
        """``value`` itself: what is divided by its norm is any matrix."""
        return value


def spectral_norm(module: Any, name: str = "weight", n_power_iterations: int = 1, eps: float = 1e-12,
                  dim: int | None = None) -> Module:
    """Keep the largest singular value of ``module.<name>`` at 1: ``weight / sigma``, sigma from power iterations.

    {module, name, n_power_iterations, eps}
    dim: output features of the weight, the rows of its matrix; None: 0, or 1 for transposed convolutions
    Source: Miyato et al., Spectral Normalization for Generative Adversarial Networks, 2018.

    >>> spectral_norm(lw.nn.Linear(2, 3)).weight.shape
    torch.Size([3, 2])
    """
    weight = getattr(module, name, None)
    if not isinstance(weight, Tensor):
        raise ValueError(f"Module '{module}' has no parameter or buffer with name '{name}'")
    if dim is None:
        dim = 1 if isinstance(module, (ConvTranspose1d, ConvTranspose2d, ConvTranspose3d)) else 0
    return register_parametrization(module, name, _SpectralNorm(weight, n_power_iterations, dim, eps))
