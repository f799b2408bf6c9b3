"""Which observers a layer is quantized with."""
from __future__ import annotations

from typing import Any, NamedTuple

import leafward as lw
from leafward.ao.quantization.observer import (
    PlaceholderObserver, default_dynamic_quant_observer, default_float_qparams_observer, default_per_channel_weight_observer,
    default_placeholder_observer, default_weight_observer,
)


class QConfig(NamedTuple):
    """What makes the observers of a layer's inputs and of its weights.

    activation: what is called for an observer of the inputs; dynamic layers look at each input anew, and ask no observer
    weight: what is called for an observer of the weights
    """

    activation: Any
    weight: Any


#: Linear and recurrent layers: codes of 8 bits, with one scale for a matrix.
default_dynamic_qconfig = QConfig(default_dynamic_quant_observer, default_weight_observer)
#: The same with a scale for each row of a matrix.
per_channel_dynamic_qconfig = QConfig(default_dynamic_quant_observer, default_per_channel_weight_observer)
#: Weights of 16 bits, which are floats still.
float16_dynamic_qconfig = QConfig(
    PlaceholderObserver.with_args(dtype=lw.float16, is_dynamic=True), PlaceholderObserver.with_args(dtype=lw.float16))
#: Tables: codes of 8 bits, with a scale and a zero for each row.
float_qparams_weight_only_qconfig = QConfig(default_placeholder_observer, default_float_qparams_observer)
