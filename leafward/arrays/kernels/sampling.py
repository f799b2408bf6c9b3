"""Images read at the places of a grid, in C (``sampling_loops.c``); None where that does not apply."""
try:
    from leafward.arrays.kernels import sampling_entry as compiled
except ImportError:                       # not compiled
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled


def sample_grid(x, grid, mode, padding_mode, align_corners):
    """``x`` (n, c, *space) at the places of ``grid`` (n, *out, dims): (n, c, *out)."""
    return compiled and compiled.sample(x, grid, mode, padding_mode, align_corners)


def sample_grid_backward(g, x, grid, mode, padding_mode, align_corners, wanted):
    """The gradients of ``x`` and of ``grid``; None for what is not ``wanted``."""
    return compiled and compiled.sample_backward(g, x, grid, mode, padding_mode, align_corners, *wanted)
