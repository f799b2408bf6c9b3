"""Layers whose weights are codes of 8 bits, and whose inputs are rounded to codes anew at each call."""
from leafward.ao.nn.quantized.dynamic.linear import Linear
from leafward.ao.nn.quantized.dynamic.rnn import GRU, GRUCell, LSTM, LSTMCell, RNNCell

__all__ = ["GRU", "GRUCell", "LSTM", "LSTMCell", "Linear", "RNNCell"]
