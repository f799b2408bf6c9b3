"""One step of a recurrent layer: RNNCell, LSTMCell and GRUCell."""
from __future__ import annotations

import math
from typing import TYPE_CHECKING

import leafward as lw
from leafward.nn import init
from leafward.nn.modules.module import Module
from leafward.nn.parameter import Parameter

if TYPE_CHECKING:
    from leafward.tensor.annotations import DType, Device
    from leafward.tensor.tensor import Tensor


class RNNCellBase(Module):
    """What the cells share: the weights of ``num_chunks`` gates, (n, input_size) -> (n, hidden_size), with or without n.

    {input_size, hidden_size, bias}
    num_chunks: gates, whose weights lie one below the other in ``weight_ih`` and ``weight_hh``
    {device, dtype}

    >>> lw.nn.RNNCellBase(4, 3, True, num_chunks=2).weight_ih.shape
    torch.Size([6, 4])
    """

    __constants__ = ["input_size", "hidden_size", "bias"]

    def __init__(self, input_size: int, hidden_size: int, bias: bool, num_chunks: int, device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__()
        self.input_size = input_size
        self.hidden_size = hidden_size
        self.bias = bias
        gates = num_chunks * hidden_size
        self.weight_ih = Parameter(lw.empty((gates, input_size), device=device, dtype=dtype))
        self.weight_hh = Parameter(lw.empty((gates, hidden_size), device=device, dtype=dtype))
        for name in ("bias_ih", "bias_hh"):
            self.register_parameter(name, Parameter(lw.empty(gates, device=device, dtype=dtype)) if bias else None)
        self.reset_parameters()

    def reset_parameters(self) -> None:
        """Draw all weights uniformly from ±1/sqrt(hidden_size)."""
        bound = 1.0 / math.sqrt(self.hidden_size) if self.hidden_size > 0 else 0
        for weight in self.parameters():
            init.uniform_(weight, -bound, bound)

    def extra_repr(self) -> str:
        text = f"{self.input_size}, {self.hidden_size}"
        if self.bias is not True:
            text += f", bias={self.bias}"
        if getattr(self, "nonlinearity", "tanh") != "tanh":
            text += f", nonlinearity={self.nonlinearity}"
        return text

    def _check_rank(self, name, value):
        if value.dim() not in (1, 2):
            raise ValueError(f"{self._get_name()}: Expected {name} to be 1D or 2D, got {value.dim()}D instead")

    def _with_batch(self, input, state):
        """The input and the state with a batch dimension; a state of zeros where there is none."""
        if input.dim() == 1:
            input = input.unsqueeze(0)
            state = state if state is None else state.unsqueeze(0)
        if state is None:
            state = lw.zeros(input.size(0), self.hidden_size, dtype=input.dtype)
        return input, state

    def _weights(self):
        return self.weight_ih, self.weight_hh, self.bias_ih, self.bias_hh


class RNNCell(RNNCellBase):
    """``h' = tanh(W_ih x + b_ih + W_hh h + b_hh)``, or ``relu``: (n, input_size), (n, hidden_size) -> (n, hidden_size).

    {input_size, hidden_size, bias}
    nonlinearity: "tanh" or "relu"
    {device, dtype}

    >>> lw.nn.RNNCell(4, 3)(lw.ones(2, 4)).shape
    torch.Size([2, 3])
    """

    __constants__ = ["input_size", "hidden_size", "bias", "nonlinearity"]

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, nonlinearity: str = "tanh",
                 device: Device | None = None, dtype: DType | None = None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=1, device=device, dtype=dtype)
        self.nonlinearity = nonlinearity

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_rank("input", input)
        if hx is not None:
            self._check_rank("hidden", hx)
        rows, hx = self._with_batch(input, hx)
        if self.nonlinearity not in ("tanh", "relu"):
            raise RuntimeError(f"Unknown nonlinearity: {self.nonlinearity}")
        cell = lw.rnn_tanh_cell if self.nonlinearity == "tanh" else lw.rnn_relu_cell
        h = cell(rows, hx, *self._weights())
        return h if input.dim() == 2 else h.squeeze(0)


class LSTMCell(RNNCellBase):
    """``c' = f * c + i * g``, ``h' = o * tanh(c')``, one step of :class:`LSTM`: (n, input_size), (h, c) -> (h', c').

    {input_size, hidden_size, bias, device, dtype}

    >>> from leafward import nn
    >>> h, c = nn.LSTMCell(4, 3)(leafward.ones(2, 4))
    >>> h.shape, c.shape
    (torch.Size([2, 3]), torch.Size([2, 3]))
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=4, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: tuple[Tensor, Tensor] | None = None) -> tuple[Tensor, Tensor]:
        self._check_rank("input", input)
        for k, state in enumerate(hx or ()):
            self._check_rank(f"hx[{k}]", state)
        h, c = (None, None) if hx is None else hx
        rows, h = self._with_batch(input, h)
        _, c = self._with_batch(input, c)
        h, c = lw.lstm_cell(rows, (h, c), *self._weights())
        return (h, c) if input.dim() == 2 else (h.squeeze(0), c.squeeze(0))


class GRUCell(RNNCellBase):
    """``h' = (1 - z) * n + z * h``, one step of :class:`GRU`: (n, input_size), (n, hidden_size) -> (n, hidden_size).

    {input_size, hidden_size, bias, device, dtype}

    >>> lw.nn.GRUCell(4, 3)(lw.ones(2, 4), lw.zeros(2, 3)).shape
    torch.Size([2, 3])
    """

    def __init__(self, input_size: int, hidden_size: int, bias: bool = True, device: Device | None = None,
                 dtype: DType | None = None) -> None:
        super().__init__(input_size, hidden_size, bias, num_chunks=3, device=device, dtype=dtype)

    def forward(self, input: Tensor, hx: Tensor | None = None) -> Tensor:
        self._check_rank("input", input)
        if hx is not None:
            self._check_rank("hidden", hx)
        rows, hx = self._with_batch(input, hx)
        h = lw.gru_cell(rows, hx, *self._weights())
        return h if input.dim() == 2 else h.squeeze(0)
