"""Recurrent layers over whole sequences: RNN, LSTM and GRU."""
from __future__ import annotations

import math
import numbers
from typing import Any, TYPE_CHECKING

import leafward as lw
from leafward.errors import warn
from leafward.nn import init
from leafward.nn.modules.module import Module
from leafward.nn.modules.rnn_cells import GRUCell, LSTMCell, RNNCell, RNNCellBase
from leafward.nn.parameter import Parameter
from leafward.nn.utils.rnn import PackedSequence

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "RNN", "RNNBase", "RNNCell", "RNNCellBase"]

GATES = {"LSTM": 4, "GRU": 3, "RNN_TANH": 1, "RNN_RELU": 1}


def check_options(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size):
    """Refuse what PyTorch refuses, in its order."""
    if not isinstance(dropout, numbers.Number) or not 0 <= dropout <= 1 or isinstance(dropout, bool):
        raise ValueError("dropout should be a number in range [0, 1] representing the probability of an element being "
                         "zeroed")
    if dropout > 0 and num_layers == 1:
        warn("dropout option adds dropout after all but last recurrent layer, so non-zero dropout expects "
             f"num_layers greater than 1, but got dropout={dropout} and num_layers={num_layers}")
    for name, value, kind in (("bias", bias, bool), ("batch_first", batch_first, bool),
                              ("input_size", input_size, int), ("hidden_size", hidden_size, int)):
        if not isinstance(value, kind):
            raise TypeError(f"{name} should be of type {kind.__name__}, got: {type(value).__name__}")
        if kind is int and value <= 0:
            raise ValueError(f"{name} must be greater than zero")
    if num_layers <= 0:
        raise ValueError("num_layers must be greater than zero")
    if proj_size < 0:
        raise ValueError("proj_size should be a positive integer or zero to disable projections")
    if proj_size >= hidden_size:
        raise ValueError("proj_size has to be smaller than hidden_size")
    if mode not in GATES:
        raise ValueError("Unrecognized RNN mode: " + mode)


class RNNBase(Module):
    """What the recurrent layers share: their weights by layer and direction, and the checks of what they are given.

    Shape: input (time, n, input_size), hx (num_layers * directions, n, hidden_size) -> output (time, n, directions *
    hidden_size), the last hidden states as hx; without n for one sequence; or a PackedSequence -> a PackedSequence.

    mode: "RNN_TANH", "RNN_RELU", "LSTM" or "GRU"
    {input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype}

    >>> lw.nn.RNNBase("GRU", 4, 3).weight_ih_l0.shape
    torch.Size([9, 4])
    """

    __constants__ = ["mode", "input_size", "hidden_size", "num_layers", "bias", "batch_first", "dropout",
                     "bidirectional", "proj_size"]

    def __init__(self, mode: str, input_size: int, hidden_size: int, num_layers: int = 1, bias: bool = True,
                 batch_first: bool = False, dropout: float = 0.0, bidirectional: bool = False, proj_size: int = 0,
                 device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__()
        check_options(mode, input_size, hidden_size, num_layers, bias, batch_first, dropout, proj_size)
        self.mode = mode
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.num_layers = num_layers
        self.bias = bias
        self.batch_first = batch_first
        self.dropout = float(dropout)
        self.bidirectional = bidirectional
        self.proj_size = proj_size
        self._all_weights = []
        gates, given, fed_back = GATES[mode] * hidden_size, input_size, proj_size or hidden_size
        for layer in range(num_layers):
            for suffix in ("", "_reverse") if bidirectional else ("",):
                shapes = {"weight_ih": (gates, given), "weight_hh": (gates, fed_back)}
                if bias:
                    shapes.update(bias_ih=(gates,), bias_hh=(gates,))
                if proj_size:
                    shapes["weight_hr"] = (proj_size, hidden_size)
                names = [f"{name}_l{layer}{suffix}" for name in shapes]
                for name, shape in zip(names, shapes.values(), strict=True):
                    setattr(self, name, Parameter(lw.empty(shape, device=device, dtype=dtype)))
                self._all_weights.append(names)
            given = fed_back * (2 if bidirectional else 1)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights uniformly from ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    @property
    def all_weights(self) -> list[list[Parameter]]:
        """The weights of each layer and direction."""
        return [[getattr(self, name) for name in names] for names in self._all_weights]

    @property
    def _flat_weights_names(self):
        return [name for names in self._all_weights for name in names]

    @property
    def _flat_weights(self):
        by_hand = self.__dict__.get("_weights_set_by_hand")
        return [getattr(self, name) for name in self._flat_weights_names] if by_hand is None else by_hand

    @_flat_weights.setter
    def _flat_weights(self, weights):
        own = [getattr(self, name, None) for name in self._flat_weights_names]
        same = len(own) == len(weights) and all(a is b for a, b in zip(own, weights))
        self.__dict__["_weights_set_by_hand"] = None if same else list(weights)

    def _apply(self, fn, recurse=True):
        self.__dict__.pop("_weights_set_by_hand", None)
        return super()._apply(fn, recurse)

    def flatten_parameters(self) -> None:
        """Nothing: the weights need not lie side by side here."""

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        for name, usual in (("proj_size", 0), ("num_layers", 1), ("bias", True), ("batch_first", False),
                            ("dropout", 0), ("bidirectional", False)):
            if getattr(self, name) != usual:
                text += f", {name}={getattr(self, name)}"
        return text

    # --- checks -------------------------------------------------------------------------------------------------

    def check_input(self, input: Tensor, batch_sizes: Tensor) -> None:
        """Refuse an input of the wrong dtype, rank or width."""
        dtype = self._flat_weights[0].dtype
        if input.dtype != dtype:
            raise ValueError(f"RNN input dtype ({input.dtype}) does not match weight dtype ({dtype}). "
                             f"Convert input: input.to({dtype}), or convert model: model.to({input.dtype})")
        rank = 3 if batch_sizes is None else 2
        if input.dim() != rank:
            raise RuntimeError(f"input must have {rank} dimensions, got {input.dim()}")
        if self.input_size != input.size(-1):
            raise RuntimeError("input.size(-1) must be equal to input_size. "
                               f"Expected {self.input_size}, got {input.size(-1)}")

    def _state_shape(self, input, batch_sizes, width):
        if batch_sizes is not None:
            n = int(batch_sizes[0])
        else:
            n = input.size(0 if self.batch_first else 1)
        return self.num_layers * (2 if self.bidirectional else 1), n, width

    def get_expected_hidden_size(self, input: Tensor, batch_sizes: Tensor) -> tuple[int, int, int]:
        """The shape of the states: (layers * directions, n, h)."""
        return self._state_shape(input, batch_sizes, self.proj_size or self.hidden_size)

    def check_hidden_size(self, hx: Tensor, expected_hidden_size: Any, msg: str = "Expected hidden size {}, got {}") -> None:
        """Refuse states of another shape."""
        if hx.size() != expected_hidden_size:
            raise RuntimeError(msg.format(expected_hidden_size, list(hx.size())))

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor) -> None:
        """Refuse an input or states that do not fit the weights."""
        self.check_input(input, batch_sizes)
        self.check_hidden_size(hidden, self.get_expected_hidden_size(input, batch_sizes))

    def permute_hidden(self, hx: Tensor, permutation: Any) -> Any:
        """The states of the sequences in another order."""
        return hx if permutation is None else hx.index_select(1, permutation)

    # --- running ------------------------------------------------------------------------------------------------

    def _first_states(self, input, batch_sizes):
        return lw.zeros(self.get_expected_hidden_size(input, batch_sizes), dtype=input.dtype)

    def _check_states_rank(self, hx, rank):
        if hx.dim() != rank:
            kind = "batched 3-D" if rank == 3 else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, hx should also be {rank}-D but got {hx.dim()}-D tensor")

    def _each_state(self, hx, change):
        return change(hx)

    def _compute(self, *arguments):
        """The outputs and the last states, from what ``torch.lstm`` and its kin take."""
        raise NotImplementedError(f"{type(self).__name__} is a base class: use RNN, LSTM or GRU")

    def _options(self):
        return self.bias, self.num_layers, self.dropout, self.training, self.bidirectional

    def forward(self, input: Tensor | PackedSequence, hx: Any = None) -> tuple[Any, Any]:
        if isinstance(input, PackedSequence):
            return self._forward_packed(input, hx)
        if input.dim() not in (2, 3):
            kind = self._get_name() if self.mode in ("LSTM", "GRU") else "RNN"
            tensor = " tensor" if kind == "RNN" else ""
            raise ValueError(f"{kind}: Expected input to be 2D or 3D, got {input.dim()}D{tensor} instead")
        batched = input.dim() == 3
        n_at = 0 if self.batch_first else 1
        if hx is not None:
            self._check_states_rank(hx, input.dim())
        if not batched:
            input = input.unsqueeze(n_at)
            if hx is not None:
                hx = self._each_state(hx, lambda state: state.unsqueeze(1))
        if hx is None:
            hx = self._first_states(input, None)
        self.check_forward_args(input, hx, None)
        output, hidden = self._compute(input, hx, self._flat_weights, *self._options(), self.batch_first)
        if batched:
            return output, hidden
        return output.squeeze(n_at), self._each_state(hidden, lambda state: state.squeeze(1))

    def _forward_packed(self, packed, hx):
        rows, batch_sizes, order, back = packed
        if hx is None:
            hx = self._first_states(rows, batch_sizes)
        else:
            hx = self.permute_hidden(hx, order)
        self.check_forward_args(rows, hx, batch_sizes)
        output, hidden = self._compute(rows, batch_sizes, hx, self._flat_weights, *self._options())
        return PackedSequence(output, batch_sizes, order, back), self.permute_hidden(hidden, back)


class RNN(RNNBase):
    """``h[t] = tanh(W_ih x[t] + b_ih + W_hh h[t-1] + b_hh)``, or ``relu``: (time, n, input_size) -> (time, n, h).

    Called with the input and, if not zeros, the first states (num_layers * directions, n, hidden_size); returns the outputs
    of the last layer and the last states of all. A PackedSequence gives one.

    {input_size, hidden_size, num_layers}
    nonlinearity: "tanh" (the default) or "relu"
    {bias, batch_first, dropout, bidirectional, device, dtype}
    Source: Elman, Finding Structure in Time, 1990.

    >>> from leafward import nn
    >>> output, h = nn.RNN(4, 3, num_layers=2)(leafward.ones(5, 2, 4))
    >>> output.shape, h.shape
    (torch.Size([5, 2, 3]), torch.Size([2, 2, 3]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        if len(args) > 3:
            self.nonlinearity = args[3]
            args = args[:3] + args[4:]
        else:
            self.nonlinearity = kwargs.pop("nonlinearity", "tanh")
        if self.nonlinearity not in ("tanh", "relu"):
            raise ValueError(f"Unknown nonlinearity '{self.nonlinearity}'. Select from 'tanh' or 'relu'.")
        super().__init__(f"RNN_{self.nonlinearity.upper()}", *args, **kwargs)

    def _compute(self, *arguments):
        return (lw.rnn_tanh if self.mode == "RNN_TANH" else lw.rnn_relu)(*arguments)


class LSTM(RNNBase):
    """``c[t] = f * c[t-1] + i * g``, ``h[t] = o * tanh(c[t])``: (time, n, input_size) -> (time, n, h).

    The gates i, f, o are sigmoids and g is the tanh of ``W_ih x[t] + b_ih + W_hh h[t-1] + b_hh``. With ``proj_size``,
    h is projected by ``weight_hr``. Returns the outputs of the last layer, and the last states ``(h, c)``.

    {input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, proj_size, device, dtype}
    Source: Hochreiter and Schmidhuber, Long Short-Term Memory, 1997; Sak et al., 2014, for the projection.

    >>> from leafward import nn
    >>> output, (h, c) = nn.LSTM(4, 3, bidirectional=True)(leafward.ones(5, 2, 4))
    >>> output.shape, h.shape, c.shape
    (torch.Size([5, 2, 6]), torch.Size([2, 2, 3]), torch.Size([2, 2, 3]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__("LSTM", *args, **kwargs)

    def get_expected_cell_size(self, input: Tensor, batch_sizes: Tensor) -> tuple[int, int, int]:
        """The shape of the cells: (layers * directions, n, hidden_size)."""
        return self._state_shape(input, batch_sizes, self.hidden_size)

    def check_forward_args(self, input: Tensor, hidden: Any, batch_sizes: Tensor) -> None:
        """Refuse an input or states that do not fit the weights."""
        self.check_input(input, batch_sizes)
        for k, expected in enumerate((self.get_expected_hidden_size, self.get_expected_cell_size)):
            self.check_hidden_size(hidden[k], expected(input, batch_sizes),
                                   f"Expected hidden[{k}] size {{}}, got {{}}")

    def permute_hidden(self, hx: Tensor, permutation: Any) -> Any:
        """The states of the sequences in another order."""
        return self._each_state(hx, lambda state: super(LSTM, self).permute_hidden(state, permutation))

    def _first_states(self, input, batch_sizes):
        return (super()._first_states(input, batch_sizes),
                lw.zeros(self.get_expected_cell_size(input, batch_sizes), dtype=input.dtype))

    def _check_states_rank(self, hx, rank):
        if hx[0].dim() != rank or hx[1].dim() != rank:
            kind = "batched 3-D" if rank == 3 else "unbatched 2-D"
            raise RuntimeError(f"For {kind} input, hx and cx should also be {rank}-D "
                               f"but got ({hx[0].dim()}-D, {hx[1].dim()}-D) tensors")

    def _each_state(self, hx, change):
        return change(hx[0]), change(hx[1])

    def _compute(self, *arguments):
        output, h, c = lw.lstm(*arguments)
        return output, (h, c)


class GRU(RNNBase):
    """``h[t] = (1 - z) * n + z * h[t-1]``: (time, n, input_size) -> (time, n, h).

    The gates r and z are sigmoids of ``W_ih x[t] + b_ih + W_hh h[t-1] + b_hh``;
    ``n = tanh(W_in x[t] + b_in + r * (W_hn h[t-1] + b_hn))``.

    {input_size, hidden_size, num_layers, bias, batch_first, dropout, bidirectional, device, dtype}
    Source: Cho et al., Learning Phrase Representations using RNN Encoder-Decoder, 2014.

    >>> from leafward import nn
    >>> output, h = nn.GRU(4, 3, batch_first=True)(leafward.ones(2, 5, 4))
    >>> output.shape, h.shape
    (torch.Size([2, 5, 3]), torch.Size([1, 2, 3]))
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if "proj_size" in kwargs:
            raise ValueError("proj_size argument is only supported for LSTM, not RNN or GRU")
        super().__init__("GRU", *args, **kwargs)

    def _compute(self, *arguments):
        return lw.gru(*arguments)
