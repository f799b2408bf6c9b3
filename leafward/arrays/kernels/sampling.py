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


def served(*arrays):
    """Whether the kernels answer for these: what is called directly where a tape does (``tapes.direct``)."""
    dtype = arrays[0].dtype
    return bool(compiled) and dtype.char in "fd" and dtype.isnative and all([x.dtype == dtype and x.size for x in arrays])


sample_grid.direct = lambda x, grid, *options: (compiled.sample, (x, grid, *options)) if served(x, grid) else None


def sample_grid_backward(g, x, grid, mode, padding_mode, align_corners, wanted):
    """The gradients of ``x`` and of ``grid``; None for what is not ``wanted``."""
    return compiled and compiled.sample_backward(g, x, grid, mode, padding_mode, align_corners, *wanted)


sample_grid_backward.direct = lambda g, x, grid, mode, padding_mode, align_corners, wanted: (
    (compiled.sample_backward, (g, x, grid, mode, padding_mode, align_corners, *wanted)) if served(g, x, grid) else None)
