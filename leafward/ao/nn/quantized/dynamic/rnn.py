"""Recurrent layers and cells with weights of 8 bits.

The input is rounded once for all steps, and multiplied; each step rounds the state before it, and multiplies that.
"""
from __future__ import annotations

from itertools import accumulate
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward import nn
from leafward.ao.nn.quantized.packed import Packed, observer_for
from leafward.ao.quantization.observer import default_weight_observer
from leafward.nn import functional as F
from leafward.ops.recurrent_layers import last_states

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

# --- a step: what the input and the last state give, and the last states -> the next states ----------------------------------

def lstm_step(given, own, states):
    i, f, g, o = (given + own).chunk(4, 1)
    c = f.sigmoid() * states[1] + i.sigmoid() * g.tanh()
    return [o.sigmoid() * c.tanh(), c]


def gru_step(given, own, states):
    (r, z, n), (own_r, own_z, own_n) = given.chunk(3, 1), own.chunk(3, 1)
    n = (n + (r + own_r).sigmoid() * own_n).tanh()
    return [n + (z + own_z).sigmoid() * (states[0] - n)]


def pack(module, source, dtype):
    """The weights of ``source``, a float layer, as parts of ``module``: ``ih_l0`` for ``weight_ih_l0`` and ``bias_ih_l0``.

    Without a source there are none yet, and codes of zeros of the same shapes stand for what a state will bring.
    """
    for name in [name for name in module._parameters if name.startswith("weight_")]:
        part, bias = name.removeprefix("weight_"), name.replace("weight", "bias")
        if source is None:
            packed = Packed(getattr(module, name).shape, module.bias, dtype, lw.per_tensor_symmetric)
        else:
            observer = observer_for(source, default_weight_observer)
            if observer.dtype not in (lw.qint8, lw.float16):
                raise RuntimeError(f"Unsupported dtype specified for dynamic quantized LSTM: {observer.dtype}")
            packed = Packed.of(getattr(source, name), getattr(source, bias, None), observer)
        for gone in (name, bias):
            module._parameters.pop(gone, None)
        setattr(module, part, packed)


# --- layers ------------------------------------------------------------------------------------------------------------------

def scan(step, hh, given, first, sizes, reverse):
    """Outputs of all rows, and each sequence's last states; ``given`` (rows, gates) has ``sizes[t]`` rows of step t."""
    ends = list(accumulate(sizes))
    spans = list(zip([end - size for end, size in zip(ends, sizes, strict=True)], ends, strict=True))
    states, outputs, ended = [state[:sizes[-1] if reverse else sizes[0]] for state in first], [], []
    for start, end in reversed(spans) if reverse else spans:
        held, size = len(states[0]), end - start
        if size < held:
            ended.insert(0, [state[size:] for state in states])
            states = [state[:size] for state in states]
        elif size > held:
            states = [lw.cat([state, begun[held:size]]) for state, begun in zip(states, first, strict=True)]
        states = step(given[start:end], hh(states[0]), states)
        outputs.append(states[0])
    last = [lw.cat(parts) for parts in zip(states, *ended, strict=True)]
    return lw.cat(outputs[::-1] if reverse else outputs), last


class Layers:
    """What quantized recurrent layers do instead of float ones; the checks of what they are given are those."""

    step: Any
    floats: Any

    def __init__(self, *args: Any, dtype: Any = lw.qint8, **kwargs: Any) -> None:
        with lw.random.fork_rng():                              # the float layer draws weights, which are not kept
            super().__init__(*args, **kwargs)
        if self.proj_size:
            raise NotImplementedError("quantized layers have no projections: proj_size has to be 0")
        pack(self, None, dtype)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The layer with the weights of a float one, by the observer that its ``qconfig`` makes."""
        if type(mod) is not cls.floats:
            raise AssertionError(f"nn.quantized.dynamic.RNNBase.from_float only works for nn.LSTM and nn.GRU, not {type(mod)}")
        if mod.proj_size:
            raise NotImplementedError("quantized layers have no projections: proj_size has to be 0")
        with lw.random.fork_rng():
            made = cls.__new__(cls)
            cls.floats.__init__(made, mod.input_size, mod.hidden_size, mod.num_layers, mod.bias, mod.batch_first, mod.dropout,
                                mod.bidirectional)
        pack(made, mod, None)
        return made

    def _get_name(self):
        return f"DynamicQuantized{super()._get_name()}"

    def __repr__(self) -> str:
        return f"{self._get_name()}({self.extra_repr()})"

    @property
    def _flat_weights(self):
        return [lw.empty(0)]                                    # the checks ask which type the input has to have

    def _run(self, rows, first, sizes):
        directions = ("", "_reverse") if self.bidirectional else ("",)
        finals = []
        for layer in range(self.num_layers):
            outputs = []
            for suffix in directions:
                ih, hh = (getattr(self, f"{part}_l{layer}{suffix}") for part in ("ih", "hh"))
                states = [state[len(finals)] for state in first]
                out, last = self._scan(hh, ih(rows), states, sizes, bool(suffix))
                outputs.append(out)
                finals.append(last)
            rows = lw.cat(outputs, 1)
            if self.dropout and self.training and layer < self.num_layers - 1:
                rows = F.dropout(rows, self.dropout, True)
        return rows, tuple(lw.stack(states) for states in zip(*finals, strict=True))

    def _scan(self, hh, given, states, sizes, reverse):
        return scan(self.step, hh, given, states, sizes, reverse)

    def _compute(self, given, *arguments):
        if lw.is_tensor(arguments[0]) and arguments[0].dim() == 1:              # of packed rows: how many each step has
            sizes, hx = arguments[0].tolist(), arguments[1]
            rows, final = self._run(given, hx if isinstance(hx, tuple) else (hx,), sizes)
        else:
            hx = arguments[0]
            steps = given.transpose(0, 1) if self.batch_first else given
            if not len(steps):
                raise RuntimeError("Expected sequence length to be larger than 0 in RNN")
            rows, final = self._run(steps.reshape(-1, steps.size(2)), hx if isinstance(hx, (tuple, list)) else (hx,),
                                    [steps.size(1)] * len(steps))
            rows = rows.reshape(len(steps), steps.size(1), rows.size(1))
            rows = rows.transpose(0, 1) if self.batch_first else rows
        return rows, final if isinstance(hx, (tuple, list)) else final[0]


class LSTM(Layers, nn.LSTM):
    """:class:`leafward.nn.LSTM` with codes of 8 bits: (time, n, input_size) -> (time, n, directions * hidden_size).

    args, kwargs: as of the float layer, without ``proj_size``
    dtype: ``qint8``, or ``float16`` for weights that are only shortened

    >>> layer = leafward.ao.nn.quantized.dynamic.LSTM(4, 3)
    >>> layer(leafward.ones(5, 2, 4))[0].shape
    torch.Size([5, 2, 3])
    """

    step, floats = staticmethod(lstm_step), nn.LSTM

    def _scan(self, hh, given, states, sizes, reverse):
        if hh.dtype is lw.float16 or given.dtype is not lw.float32:
            return super()._scan(hh, given, states, sizes, reverse)
        found = lw._quantized_lstm_scan(given, *states, hh.weight, hh.scale, hh.bias, sizes=tuple(sizes), reverse=reverse)
        return found[0], [last_states(lw, each, sizes, reverse) for each in found]


class GRU(Layers, nn.GRU):
    """:class:`leafward.nn.GRU` with codes of 8 bits: (time, n, input_size) -> (time, n, directions * hidden_size).

    args, kwargs: as of the float layer
    dtype: ``qint8``, or ``float16`` for weights that are only shortened

    >>> layer = leafward.ao.nn.quantized.dynamic.GRU(4, 3)
    >>> layer(leafward.ones(5, 2, 4))[0].shape
    torch.Size([5, 2, 3])
    """

    step, floats = staticmethod(gru_step), nn.GRU


# --- cells -------------------------------------------------------------------------------------------------------------------

class Cell:
    """What quantized cells share."""

    step: Any
    floats: Any

    def __init__(self, *args: Any, dtype: Any = lw.qint8, **kwargs: Any) -> None:
        with lw.random.fork_rng():
            super().__init__(*args, **kwargs)
        pack(self, None, dtype)

    @classmethod
    def from_float(cls, mod: Any, use_precomputed_fake_quant: bool = False) -> Any:
        """The cell with the weights of a float one, by the observer that its ``qconfig`` makes."""
        if type(mod) is not cls.floats:
            raise AssertionError("nn.quantized.dynamic.RNNCellBase.from_float only works for nn.LSTMCell, nn.GRUCell and "
                                 f"nn.RNNCell, not {type(mod)}")
        with lw.random.fork_rng():
            made = cls.__new__(cls)
            cls.floats.__init__(made, mod.input_size, mod.hidden_size, mod.bias)
        made.nonlinearity = getattr(mod, "nonlinearity", "tanh")
        pack(made, mod, None)
        return made

    def _get_name(self):
        return f"DynamicQuantized{super()._get_name()}"

    def __repr__(self) -> str:
        return f"{self._get_name()}({self.extra_repr()})"

    def _next(self, input, states):
        self._check_rank("input", input)
        rows = input if input.dim() == 2 else input.unsqueeze(0)
        states = [lw.zeros(len(rows), self.hidden_size) if state is None else state.reshape(-1, self.hidden_size)
                  for state in states]
        if any(len(state) != len(rows) for state in states):
            raise RuntimeError(f"Input batch size {len(rows)} doesn't match hidden batch size {len(states[0])}")
        found = self.step(self.ih(rows), self.hh(states[0]), states)
        return found if input.dim() == 2 else [state.squeeze(0) for state in found]

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        return self._next(input, [hx])[0]


class LSTMCell(Cell, nn.LSTMCell):
    """:class:`leafward.nn.LSTMCell` with codes of 8 bits: (n, input_size), (h, c) -> (h', c').

    args, kwargs: as of the float cell
    dtype: ``qint8`` or ``float16``

    >>> leafward.ao.nn.quantized.dynamic.LSTMCell(4, 3)(leafward.ones(2, 4))[0].shape
    torch.Size([2, 3])
    """

    step, floats = staticmethod(lstm_step), nn.LSTMCell

    def forward(self, input: Tensor, hx: Any = None) -> Any:
        return tuple(self._next(input, (None, None) if hx is None else hx))


class GRUCell(Cell, nn.GRUCell):
    """:class:`leafward.nn.GRUCell` with codes of 8 bits: (n, input_size), (n, hidden_size) -> (n, hidden_size).

    args, kwargs: as of the float cell
    dtype: ``qint8`` or ``float16``

    >>> leafward.ao.nn.quantized.dynamic.GRUCell(4, 3)(leafward.ones(2, 4)).shape
    torch.Size([2, 3])
    """

    step, floats = staticmethod(gru_step), nn.GRUCell


class RNNCell(Cell, nn.RNNCell):
    """:class:`leafward.nn.RNNCell` with codes of 8 bits: (n, input_size), (n, hidden_size) -> (n, hidden_size).

    args, kwargs: as of the float cell
    dtype: ``qint8`` or ``float16``

    >>> leafward.ao.nn.quantized.dynamic.RNNCell(4, 3)(leafward.ones(2, 4)).shape
    torch.Size([2, 3])
    """

    floats = nn.RNNCell

    def step(self, given, own, states):
        """The next state."""
        return [getattr(given + own, self.nonlinearity)()]
