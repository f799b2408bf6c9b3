"""``torch.ao.quantization``: from a trained model to one with weights of 8 bits, which takes a quarter of the memory."""
from leafward.ao.quantization.observer import (
    MinMaxObserver, ObserverBase, PerChannelMinMaxObserver, PlaceholderObserver, default_dynamic_quant_observer,
    default_float_qparams_observer, default_per_channel_weight_observer, default_placeholder_observer, default_weight_observer,
)
from leafward.ao.quantization.qconfig import (
    QConfig, default_dynamic_qconfig, float16_dynamic_qconfig, float_qparams_weight_only_qconfig, per_channel_dynamic_qconfig,
)
from leafward.ao.quantization.quantize import (
    DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS, get_default_dynamic_quant_module_mappings, quantize, quantize_dynamic,
)
from leafward.tensor.missing import names_missing_from

__all__ = [
    "DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS", "MinMaxObserver", "ObserverBase", "PerChannelMinMaxObserver",
    "PlaceholderObserver",
    "QConfig", "default_dynamic_qconfig", "default_dynamic_quant_observer", "default_float_qparams_observer",
    "default_per_channel_weight_observer", "default_placeholder_observer", "default_weight_observer", "float16_dynamic_qconfig",
    "float_qparams_weight_only_qconfig", "get_default_dynamic_quant_module_mappings", "per_channel_dynamic_qconfig",
    "quantize", "quantize_dynamic",
]

__getattr__ = names_missing_from("torch.ao.quantization", globals())
