"""The scan of an LSTM in C (``recurrent_loops.c``); None where it does not apply, and the op's own steps run."""
try:
    from leafward.arrays.kernels import recurrent_entry as compiled
except ImportError:                       # not compiled
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled


def lstm_steps(x, h0, c0, weight_hh, weight_hr, sizes, reverse):
    """``(out, cells, gates)`` of equally long sequences, whose outputs are not projected."""
    if compiled is None or weight_hr is not None or sizes[0] != sizes[-1]:
        return None
    return compiled.lstm_steps(x, h0, c0, weight_hh, len(sizes), reverse)


def lstm_steps_backward(g_out, g_cells, g_gates, c0, weight_hh, weight_hr, cells, gates, sizes, reverse):
    """The gradients of what was added to the gates and of both first states; and the outputs once more."""
    if compiled is None or weight_hr is not None or sizes[0] != sizes[-1]:
        return None
    return compiled.lstm_steps_backward(g_out, g_cells, g_gates, c0, weight_hh, cells, gates, len(sizes), reverse)
