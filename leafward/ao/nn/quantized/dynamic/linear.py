"""``Linear`` with weights of 8 bits."""
from __future__ import annotations

from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.ao.nn.quantized.packed import Packed, observer_for
from leafward.ao.quantization.observer import default_weight_observer
from leafward.nn import Module
from leafward.nn.modules.linear import Linear as FloatLinear, NonDynamicallyQuantizableLinear

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


class Linear(Module):
    """``out = input @ weight.T + bias`` with codes of 8 bits: (..., in_features) -> (..., out_features).

    The input is rounded to 128 steps between its smallest and its largest number, anew at each call. The result has no history.

    in_features, out_features: sizes of the last dimension before and after
    bias_: whether a bias is added
    dtype: ``qint8``, or ``float16`` for weights that are only shortened

    >>> from leafward import nn
    >>> model = leafward.ao.quantization.quantize_dynamic(nn.Sequential(nn.Linear(4, 2)))
    >>> model[0]
    DynamicQuantizedLinear(in_features=4, out_features=2, dtype=torch.qint8, qscheme=torch.per_tensor_affine)
    """

    def __init__(self, in_features: int, out_features: int, bias_: bool = True, dtype: Any = lw.qint8) -> None:
        super().__init__()
        self.in_features, self.out_features = in_features, out_features
        self._packed_params = Packed((out_features, in_features), bias_, dtype, lw.per_tensor_symmetric)

    @classmethod
    def from_float(cls, mod: Module, use_precomputed_fake_quant: bool = False) -> Linear:
        """The layer with the weights of a float one, by the observer that its ``qconfig`` makes."""
        if type(mod) not in (FloatLinear, NonDynamicallyQuantizableLinear):
            raise AssertionError(f"nn.quantized.dynamic.Linear.from_float only works for Linear, got {type(mod)}")
        observer = observer_for(mod, default_weight_observer)
        if observer.dtype not in (lw.qint8, lw.float16):
            raise AssertionError("The only supported dtypes for dynamic quantized linear are qint8 and float16, "
                                 f"got: {observer.dtype}")
        made = cls(mod.in_features, mod.out_features, mod.bias is not None, observer.dtype)
        made._packed_params = Packed.of(mod.weight, mod.bias, observer)
        return made

    def weight(self) -> Any:
        """The weights as codes: ``int_repr()``, ``q_scale()``, ``dequantize()``; those of 16 bits as a tensor."""
        return self._packed_params.codes()

    def bias(self) -> Tensor | None:
        """The bias, or None."""
        return self._packed_params.bias

    def forward(self, x: Tensor) -> Tensor:
        return self._packed_params.forward(x)

    def _get_name(self):
        return "DynamicQuantizedLinear"

    def extra_repr(self) -> str:
        packed = self._packed_params
        scheme = "" if packed.qscheme is None else f", qscheme={self.weight().qscheme()}"
        return f"in_features={self.in_features}, out_features={self.out_features}, dtype={packed.dtype}{scheme}"

    def __repr__(self) -> str:
        return f"{self._get_name()}({self.extra_repr()})"
