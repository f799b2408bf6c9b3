"""What looks at numbers and chooses the codes that stand for them: a scale, and the code of 0."""
from __future__ import annotations

from functools import partial
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.nn import Module

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

#: The smallest and the largest code.
LIMITS = {lw.qint8: (-128, 127), lw.quint8: (0, 255)}


class ObserverBase(Module):
    """What observers share: the type of the codes, and how a class with arguments filled in is passed around.

    dtype: the type of the codes: ``qint8``, ``quint8``, or ``float16`` for numbers that are only shortened

    >>> from leafward.ao.quantization import MinMaxObserver
    >>> MinMaxObserver.with_args(dtype=lw.quint8)().dtype
    torch.quint8
    """

    def __init__(self, dtype: Any) -> None:
        super().__init__()
        self.dtype = dtype

    @classmethod
    def with_args(cls, **arguments: Any) -> Any:
        """What makes an observer with these arguments each time it is called."""
        return partial(cls, **arguments)


class PlaceholderObserver(ObserverBase):
    """Looks at nothing, and says of which type numbers will be: (*) -> (*).

    dtype: that type

    >>> from leafward.ao.quantization import PlaceholderObserver
    >>> PlaceholderObserver(dtype=lw.float16)(lw.ones(2))
    tensor([1., 1.])
    """

    def __init__(self, dtype: Any = lw.float32, **ignored: Any) -> None:
        super().__init__(dtype)

    def forward(self, x: Tensor) -> Tensor:
        return x


class MinMaxObserver(ObserverBase):
    """Keeps the smallest and the largest number that it has seen, of which the scale is made: (*) -> (*).

    dtype: ``qint8`` or ``quint8``, the type of the codes
    qscheme: ``per_tensor_affine``: the range is that of the numbers and 0; ``per_tensor_symmetric``: as far below 0 as above

    >>> from leafward.ao.quantization import MinMaxObserver
    >>> observer = MinMaxObserver(dtype=lw.qint8, qscheme=lw.per_tensor_symmetric)
    >>> _ = observer(lw.tensor([-0.5, 12.75]))
    >>> observer.calculate_qparams()
    (tensor([0.1000]), tensor([0]))
    """

    qschemes = (lw.per_tensor_affine, lw.per_tensor_symmetric)
    min_val: Any
    max_val: Any

    def __init__(self, dtype: Any = lw.quint8, qscheme: Any = lw.per_tensor_affine) -> None:
        super().__init__(dtype)
        if dtype not in LIMITS:
            raise NotImplementedError(f"codes are torch.qint8 or torch.quint8 here, not {dtype}")
        if qscheme not in self.qschemes:
            raise NotImplementedError(f"{type(self).__name__} knows {self.qschemes}, not {qscheme}")
        self.qscheme = qscheme
        self.register_buffer("min_val", lw.tensor(lw.inf))
        self.register_buffer("max_val", lw.tensor(-lw.inf))

    def _extremes(self, x):
        return x.min(), x.max()

    def forward(self, x: Tensor) -> Tensor:
        if x.numel():
            low, high = self._extremes(x.detach().float())
            self.min_val, self.max_val = lw.minimum(self.min_val, low), lw.maximum(self.max_val, high)
        return x

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:
        """The scale and the code of 0, as tensors of one element or of one for each row."""
        low, high = lw.clamp(self.min_val, max=0.0).reshape(-1), lw.clamp(self.max_val, min=0.0).reshape(-1)
        if not (lw.isfinite(low) & lw.isfinite(high)).all():
            raise ValueError("these numbers have a NaN or an infinity among them: nothing can be quantized with them")
        bottom, top = LIMITS[self.dtype]
        eps = lw.finfo(lw.float32).eps
        if self.qscheme in (lw.per_tensor_symmetric, lw.per_channel_symmetric):
            scale = lw.clamp(lw.maximum(-low, high) / ((top - bottom) / 2), min=eps)
            return scale, lw.full_like(scale, 0 if self.dtype is lw.qint8 else 128, dtype=lw.int64)
        scale = lw.clamp((high - low) / (top - bottom), min=eps)
        return scale, lw.clamp(bottom - lw.round(low / scale), bottom, top).long()


class PerChannelMinMaxObserver(MinMaxObserver):
    """:class:`MinMaxObserver` for each row of a matrix: (rows, n) -> (rows, n).

    dtype: ``qint8`` or ``quint8``, the type of the codes
    qscheme: ``per_channel_symmetric``, ``per_channel_affine``, or ``per_channel_affine_float_qparams``, whose zero is a float
    ch_axis: 0

    >>> from leafward.ao.quantization import PerChannelMinMaxObserver
    >>> observer = PerChannelMinMaxObserver(dtype=lw.qint8, qscheme=lw.per_channel_symmetric)
    >>> _ = observer(lw.tensor([[-12.75, 1.0], [0.0, 1.275]]))
    >>> observer.calculate_qparams()
    (tensor([0.1000, 0.0100]), tensor([0, 0]))
    """

    qschemes = (lw.per_channel_affine, lw.per_channel_symmetric, lw.per_channel_affine_float_qparams)

    def __init__(self, dtype: Any = lw.quint8, qscheme: Any = lw.per_channel_affine, ch_axis: int = 0) -> None:
        super().__init__(dtype, qscheme)
        if ch_axis != 0:
            raise NotImplementedError("a scale belongs to a row here: ch_axis=0")

    def _extremes(self, x):
        rows = x.flatten(1)
        return rows.amin(1), rows.amax(1)

    def calculate_qparams(self) -> tuple[Tensor, Tensor]:
        """The scale of each row, and its code of 0."""
        if self.qscheme is not lw.per_channel_affine_float_qparams:
            return super().calculate_qparams()
        if not (lw.isfinite(self.min_val) & lw.isfinite(self.max_val)).all():
            raise ValueError("this table has a NaN or an infinity in it: it cannot be quantized")
        bottom, top = LIMITS[self.dtype]
        scale = (self.max_val - self.min_val) / (top - bottom)
        scale = lw.where(scale > lw.finfo(lw.float32).eps, scale, lw.ones_like(scale))
        return scale, -self.min_val / scale


default_weight_observer = MinMaxObserver.with_args(dtype=lw.qint8, qscheme=lw.per_tensor_symmetric)
default_per_channel_weight_observer = PerChannelMinMaxObserver.with_args(dtype=lw.qint8, qscheme=lw.per_channel_symmetric)
default_float_qparams_observer = PerChannelMinMaxObserver.with_args(
    dtype=lw.quint8, qscheme=lw.per_channel_affine_float_qparams, ch_axis=0)
default_dynamic_quant_observer = PlaceholderObserver.with_args(dtype=lw.quint8, is_dynamic=True)
default_placeholder_observer = PlaceholderObserver
