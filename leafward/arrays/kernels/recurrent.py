"""The scans of LSTMs and GRUs in C (``recurrent_loops.c``); None where they do not apply, and the op's own steps run."""
from leafward.arrays.kernels.products import matmul

try:
    from leafward.arrays.kernels import recurrent_entry as compiled
except ImportError:                       # not compiled
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled

#: Each thread multiplies a few sequences with the weight, step by step: it stays in the cache, up to so many elements, and is
#: packed once. A larger one, or one that few steps would use, is multiplied with all sequences at once, if these are so many.
HELD, PACKED_FOR, MANY = 1 << 18, 4, 16


def product_for(weight, batch, sizes):
    """What multiplies with the weight step by step, or None."""
    return matmul if batch >= MANY and (weight.size > HELD or len(sizes) < PACKED_FOR) else None


def lstm_steps(x, h0, c0, weight_hh, weight_hr, sizes, reverse):
    """``(out, cells, gates)`` of equally long sequences, whose outputs are not projected."""
    if compiled is None or weight_hr is not None or sizes[0] != sizes[-1]:
        return None
    return compiled.lstm_steps(x, h0, c0, weight_hh, len(sizes), reverse, product_for(weight_hh, sizes[0], sizes))


def lstm_steps_backward(g_out, g_cells, g_gates, c0, weight_hh, weight_hr, cells, gates, sizes, reverse):
    """The gradients of what was added to the gates and of both first states; and the outputs once more."""
    if compiled is None or weight_hr is not None or sizes[0] != sizes[-1]:
        return None
    return compiled.lstm_steps_backward(g_out, g_cells, g_gates, c0, weight_hh, cells, gates, len(sizes), reverse,
                                        product_for(weight_hh, sizes[0], sizes))


def gru_steps(x, h0, weight_hh, bias_hh, sizes, reverse):
    """``(out, gates, inner)`` of equally long sequences."""
    if compiled is None or sizes[0] != sizes[-1]:
        return None
    return compiled.gru_steps(x, h0, weight_hh, bias_hh, len(sizes), reverse, product_for(weight_hh, sizes[0], sizes))


def gru_steps_backward(g_out, g_gates, g_inner, h0, weight_hh, out, gates, inner, sizes, reverse):
    """The gradients of the rows, of what the states added to the gates, and of the first state."""
    if compiled is None or sizes[0] != sizes[-1]:
        return None
    return compiled.gru_steps_backward(g_out, g_gates, g_inner, h0, weight_hh, out, gates, inner, len(sizes), reverse,
                                       product_for(weight_hh, sizes[0], sizes))
