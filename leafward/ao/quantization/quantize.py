"""``quantize_dynamic``: the layers of a model exchanged for quantized ones."""
from __future__ import annotations

import copy
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward import nn
from leafward.ao.nn import quantized
from leafward.ao.nn.quantized import dynamic
from leafward.ao.quantization.qconfig import (
    QConfig, default_dynamic_qconfig, float16_dynamic_qconfig, float_qparams_weight_only_qconfig,
)
from leafward.core.tracebacks import short
from leafward.nn.modules.linear import NonDynamicallyQuantizableLinear

if TYPE_CHECKING:
    from leafward.nn import Module

#: Float layers, and what is put in their places.
DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS = {
    nn.GRUCell: dynamic.GRUCell, nn.Linear: dynamic.Linear, NonDynamicallyQuantizableLinear: dynamic.Linear,
    nn.LSTM: dynamic.LSTM, nn.GRU: dynamic.GRU, nn.LSTMCell: dynamic.LSTMCell, nn.RNNCell: dynamic.RNNCell,
    nn.EmbeddingBag: quantized.EmbeddingBag, nn.Embedding: quantized.Embedding,
}
#: What is quantized by which observers where nothing else is said.
LAYERS = (nn.Linear, nn.LSTM, nn.GRU, nn.LSTMCell, nn.RNNCell, nn.GRUCell)
TABLES = (nn.EmbeddingBag, nn.Embedding)
DEFAULTS = {lw.qint8: (LAYERS, default_dynamic_qconfig), lw.float16: (LAYERS, float16_dynamic_qconfig),
            lw.quint8: (TABLES, float_qparams_weight_only_qconfig)}


def get_default_dynamic_quant_module_mappings() -> dict:
    """A copy of what :func:`quantize_dynamic` exchanges, by type.

    >>> from leafward.ao.quantization import get_default_dynamic_quant_module_mappings
    >>> get_default_dynamic_quant_module_mappings()[lw.nn.Linear]
    <class 'leafward.ao.nn.quantized.dynamic.linear.Linear'>
    """
    return dict(DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS)


@short
def quantize_dynamic(model: Module, qconfig_spec: Any = None, dtype: Any = lw.qint8, mapping: Any = None,
                     inplace: bool = False) -> Module:
    """The model with 8-bit weights in place of its layers' float ones, in evaluation mode.

    Each weight becomes the nearest of 256 multiples of one scale, in a quarter of the memory. A layer rounds its input to 128
    steps between its smallest and its largest number, at each call, and multiplies integers. The model given itself is not
    exchanged, only what is in it; for inference alone: results have no history.

    model: a trained model, which is left as it is unless ``inplace``
    qconfig_spec: which layers: a set of types and names of submodules, or a dict of them with a :class:`QConfig` (None: leave
        it). By default Linear, LSTM, GRU and the cells; for ``quint8`` the tables, Embedding and EmbeddingBag
    dtype: ``qint8``, ``float16`` for weights that are only shortened, or ``quint8`` for tables; where ``qconfig_spec`` has
        configurations, these say it
    mapping: by which type a layer's type is replaced, each having ``from_float``; by default those of
        ``get_default_dynamic_quant_module_mappings()``
    inplace: whether the model itself is changed

    >>> from leafward import nn
    >>> from leafward.ao.quantization import quantize_dynamic
    >>> model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    >>> small = quantize_dynamic(model, {nn.Linear})
    >>> small[0].weight().int_repr().dtype
    torch.int8
    """
    if qconfig_spec is None or isinstance(qconfig_spec, (set, frozenset, list, tuple)):
        if dtype not in DEFAULTS:
            raise NotImplementedError("leafward quantizes to torch.qint8, torch.float16 and, tables, to torch.quint8, "
                                      f"not to {dtype}")
        types, config = DEFAULTS[dtype]
        qconfig_spec = dict.fromkeys(types if qconfig_spec is None else qconfig_spec, config)
    for key, config in qconfig_spec.items():
        if config is not None and not isinstance(config, QConfig):
            raise ValueError(f"qconfig_spec[{key!r}] has to be a QConfig or None, not {type(config).__name__}")
    known = {name for name, _ in model.named_modules()}
    if unknown := [name for name in qconfig_spec if isinstance(name, str) and name not in known]:
        raise ValueError(f"the model has no submodule {unknown[0]!r}")
    if not inplace:
        model = copy.deepcopy(model)
    model.eval()
    changed = {}
    _find(model, "", None, qconfig_spec, DEFAULT_DYNAMIC_QUANT_MODULE_MAPPINGS if mapping is None else mapping, changed)
    _exchange(model, changed)
    return model


def quantize(model: Module, run_fn: Any, run_args: Any, mapping: Any = None, inplace: bool = False) -> Module:
    """PyTorch's quantization by ranges that a run over data finds, which leafward does not have: it refuses.

    model, run_fn, run_args, mapping, inplace: PyTorch's arguments, of which nothing is done

    >>> from leafward.ao.quantization import quantize
    >>> quantize(lw.nn.Linear(2, 2), print, [])
    Traceback (most recent call last):
    NotImplementedError: leafward does not have torch.ao.quantization.quantize: use torch.ao.quantization.quantize_dynamic, ...
    """
    raise NotImplementedError("leafward does not have torch.ao.quantization.quantize: use "
                              "torch.ao.quantization.quantize_dynamic, which needs no run over data: layers look at each input")


def _find(module, path, config, spec, mapping, changed):
    """Make what every layer below ``module`` is exchanged for: ``{layer: its successor}``. Nothing is exchanged yet.

    The configuration of a layer is the one that it has itself, or that of its name, of its type, or of what it is in.
    """
    config = getattr(module, "qconfig", spec.get(path, spec.get(type(module), config)))
    if config is not None and type(module) in mapping and path and module not in changed:
        module.qconfig = config
        try:
            changed[module] = made = mapping[type(module)].from_float(module)
        finally:
            del module.qconfig
        made.eval()
        for hook in module._forward_pre_hooks.values():
            made.register_forward_pre_hook(hook)
        for hook in module._forward_hooks.values():
            made.register_forward_hook(hook)
    for name, child in module.named_children():
        _find(child, f"{path}.{name}".removeprefix("."), config, spec, mapping, changed)


def _exchange(module, changed):
    """Put the successors into their places: a layer that stands in two of them stays one."""
    for name, child in module._modules.items():
        if child in changed:
            module._modules[name] = changed[child]
        elif child is not None:
            _exchange(child, changed)
