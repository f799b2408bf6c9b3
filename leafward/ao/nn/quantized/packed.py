"""Weights as codes: what quantized layers keep."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.ao.quantization.observer import LIMITS
from leafward.nn import Module, functional as F

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

STORED = {lw.qint8: lw.int8, lw.quint8: lw.uint8, lw.float16: lw.float16}


class Codes:
    """A matrix as codes: ``dequantize()`` gives ``scale * (codes - zero)``. It answers as PyTorch's quantized tensors do.

    codes: int8 or uint8
    scale, zero_point: tensors of one element, or of one for each row
    dtype, qscheme: what the codes are called
    """

    is_quantized = True

    def __init__(self, codes: Tensor, scale: Tensor, zero_point: Tensor, dtype: Any, qscheme: Any) -> None:
        self.codes, self.scale, self.zero_point, self.dtype, self._qscheme = codes, scale, zero_point, dtype, qscheme
        self.shape = codes.shape

    def __repr__(self) -> str:
        return f"Codes({self.dequantize()}, dtype={self.dtype}, quantization_scheme={self._qscheme})"

    def int_repr(self) -> Tensor:
        """The codes."""
        return self.codes.clone()

    def dequantize(self) -> Tensor:
        """The numbers that the codes stand for."""
        return (self.codes.float() - self.zero_point.reshape(-1, 1)) * self.scale.reshape(-1, 1)

    def qscheme(self) -> Any:
        """How many scales there are, and whether 0 has a code of its own."""
        return self._qscheme

    def q_scale(self) -> float:
        """The one scale."""
        return self.scale.item()

    def q_zero_point(self) -> int:
        """The one code of 0."""
        return int(self.zero_point.item())

    def q_per_channel_scales(self) -> Tensor:
        """The scales of the rows."""
        return self.scale

    def q_per_channel_zero_points(self) -> Tensor:
        """What stands for 0 in each row."""
        return self.zero_point

    def q_per_channel_axis(self) -> int:
        """Along which dim there is a scale for each place."""
        return 0

    def size(self, dim: int | None = None) -> Any:
        """The shape, or one size of it."""
        return self.shape if dim is None else self.shape[dim]


class Packed(Module):
    """The codes of a matrix in the buffers ``weight``, ``scale`` and ``zero_point``, and a ``bias``, in a layer's state.

    shape: of the matrix
    dtype: ``qint8``, ``quint8``, or ``float16`` for a matrix that is only shortened
    qscheme: one scale, or one for each row
    """

    weight: Any
    scale: Any
    zero_point: Any
    bias: Any

    def __init__(self, shape: Any, bias: bool, dtype: Any, qscheme: Any) -> None:
        super().__init__()
        if dtype not in STORED:
            raise NotImplementedError(f"weights are torch.qint8, torch.quint8 or torch.float16 here, not {dtype}")
        self.dtype, self.qscheme = dtype, None if dtype is lw.float16 else qscheme
        self.register_buffer("weight", lw.zeros(shape, dtype=STORED[dtype]))
        each = () if qscheme in (lw.per_tensor_affine, lw.per_tensor_symmetric) else shape[:1]
        zero = lw.float32 if qscheme is lw.per_channel_affine_float_qparams else None
        self.register_buffer("scale", None if dtype is lw.float16 else lw.ones(each))
        self.register_buffer("zero_point", lw.zeros(each, dtype=zero) if zero else None)
        self.register_buffer("bias", lw.zeros(shape[0]) if bias else None)

    @classmethod
    def of(cls, weight: Tensor, bias: Tensor | None, observer: Any) -> Packed:
        """A float matrix in the codes that an observer chooses for it."""
        weight = bare(weight)
        observer(weight)
        made = cls(weight.shape, bias is not None, observer.dtype, getattr(observer, "qscheme", lw.per_tensor_affine))
        if made.dtype is lw.float16:
            made.weight = weight.half()
        else:
            scale, zero = observer.calculate_qparams()
            if made.zero_point is None and zero.any():
                raise NotImplementedError("weights are quantized around 0 here: use an observer with a symmetric qscheme")
            codes = lw.round(weight * (1 / scale).reshape(-1, 1) + zero.reshape(-1, 1))
            made.weight = codes.clamp(*LIMITS[made.dtype]).to(STORED[made.dtype])
            made.scale = scale.reshape(made.scale.shape)
            made.zero_point = None if made.zero_point is None else zero
        if bias is not None:
            made.bias = bare(bias)
        return made

    def codes(self) -> Any:
        """The matrix as :class:`Codes`; one of 16 bits as a float32 tensor."""
        if self.dtype is lw.float16:
            return self.weight.float()
        zero = lw.zeros_like(self.scale, dtype=lw.int64) if self.zero_point is None else self.zero_point
        return Codes(self.weight, self.scale, zero, self.dtype, shown(self.qscheme))

    def forward(self, x: Tensor) -> Tensor:
        """``x @ weight.T + bias``, in float32, as the type that ``x`` has: a floating one."""
        dtype = x.dtype
        if not dtype.is_floating_point:
            found = x.type().removeprefix("torch.").removesuffix("Tensor")
            raise RuntimeError(f"expected scalar type Float but found {found}: a quantized layer takes floats, x.float()")
        if self.dtype is lw.float16:
            return F.linear(x.float(), self.weight.float(), self.bias).to(dtype)
        out = lw._quantized_linear(in_float32(x), self.weight, in_float32(self.scale), in_float32(self.bias))
        return out if dtype is lw.float32 else out.to(dtype)


def bare(x):
    """A copy in float32 without a history, and without a note of where it was cut off: stories would tell of it."""
    found = x.detach().float().clone()
    found._cut = None
    return found


def in_float32(x):
    """``x``, which ``model.half()`` may have shortened."""
    return x if x is None or x.dtype is lw.float32 else x.float()


def shown(qscheme):
    """Symmetric codes are affine ones whose zero is 0, and PyTorch calls them so."""
    affine = {lw.per_tensor_symmetric: lw.per_tensor_affine, lw.per_channel_symmetric: lw.per_channel_affine}
    return affine.get(qscheme, qscheme)


def observer_for(module, default):
    """The observer of a float layer's weights."""
    config = getattr(module, "qconfig", None)
    return (default if config is None or config.weight is None else config.weight)()
