"""Reading an image at any positions: affine grids and grid sampling (spatial transformers).

Args:
    theta: the affine maps, `(n, 2, 3)` or `(n, 3, 4)`
    size: the size of the image that the grid is for, `(n, c, *space)`
    grid: where to read, `(n, *positions, 2 or 3)`: -1 and 1 are the edges; x comes first
    align_corners: True: -1 and 1 are the centres of the corner pixels. False and None: their outer edges
    mode: how to read between pixels: `"bilinear"`, `"nearest"` or `"bicubic"`
    padding_mode: what lies outside: `"zeros"`, `"border"` (the nearest pixel) or `"reflection"`
    interpolation_mode: how to read between pixels, by number: 0 bilinear, 1 nearest, 2 bicubic
    input: the image, `(n, c, *space)`
Source: Jaderberg et al., 2015, arXiv:1506.02025
"""
from functools import reduce
from itertools import product
from math import prod
from operator import mul

from leafward import dtypes
from leafward.core.op import composite, op
from leafward.errors import warn

from leafward.ops.dims import size_at
from leafward.ops.kinds import is_complex, is_whole, unsupported

CHANGED = ("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
           "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
           "details.")

# --- grids -----------------------------------------------------------------------------------------------------------

def positions(fns, n, align_corners, dtype):
    """``n`` evenly spaced positions from -1 to 1: the corners themselves, or the middles of pixels between them."""
    if n <= 1:
        return fns.zeros(n, dtype=dtype)
    span = fns.linspace(-1, 1, n, dtype=dtype)
    return span if align_corners else span * ((n - 1) / n)


def check_affine(theta, size, align_corners):
    if not theta.dtype.is_floating_point:
        raise ValueError(f"Expected theta to have floating point type, but got {theta.dtype}")
    if len(size) not in (4, 5):
        raise NotImplementedError("affine_grid only supports 4D and 5D sizes, for 2D and 3D affine transforms, "
                                  f"respectively. Got size {size}.")
    d = len(size) - 2
    if theta.ndim != 3 or tuple(theta.shape[-2:]) != (d, d + 1):
        raise ValueError(f"Expected a batch of {d}D affine matrices of shape Nx{d}x{d + 1} for size {size}. "
                         f"Got {theta.shape}.")
    if align_corners and min(size[2:]) == 1:
        warn("Since version 1.3.0, affine_grid behavior has changed for unit-size grids when align_corners=True. This "
             "is not an intended use case of affine_grid. See the documentation of affine_grid for details.")
    elif min(size) <= 0:
        raise ValueError(f"Expected non-zero, positive output size. Got {size}")


@composite("nn.functional.affine_grid",
           samples=["2 2 3 ; size=(2, 1, 3, 4), align_corners=False", "2 2 3 ; size=(2, 1, 3, 4), align_corners=True",
                    "1 3 4 ; size=(1, 2, 2, 3, 4), align_corners=False"],
           errors=[("2 3 3 ; size=(2, 1, 3, 4)", ValueError, "Expected a batch of 2D affine matrices of shape Nx2x3")])
def affine_grid(fns, theta, size, align_corners: bool = None):
    """Where each pixel of an image of ``size`` reads, moved by ``theta`` (n, d, d + 1): (n, *space, d) in [-1, 1]."""
    if align_corners is None:
        warn(CHANGED)
        align_corners = False
    check_affine(theta, size, align_corners)
    n, _, *space = size
    axes = fns.meshgrid(*[positions(fns, s, align_corners, theta.dtype) for s in space], indexing="ij")
    base = fns.stack([*axes[::-1], fns.ones(*space, dtype=theta.dtype)], -1)                         # *space d+1
    grid = fns.matmul(base.reshape(1, -1, len(space) + 1), theta.transpose(1, 2))
    return fns._unsafe_view(grid, (n, *space, len(space)))


# --- sampling --------------------------------------------------------------------------------------------------------

MODES = "bilinear", "nearest", "bicubic"
PADDING_MODES = "zeros", "border", "reflection"
BILINEAR, NEAREST, BICUBIC = range(3)
ZEROS, BORDER, REFLECTION = range(3)


def inside(xp, x, size, padding_mode, align_corners):
    """Places in pixels as the padding sees them, and how these move with ``x``: by 1, -1 or not at all."""
    if padding_mode == ZEROS:         # what cannot be a position is read outside, as in PyTorch
        there = (x > -1e9) & (x < 1e9)
        return xp.where(there, x, -100.0), xp.astype(there, xp.dtype_of(x))
    slope, low, span = xp.ones_like(x), 0 if align_corners else -0.5, size - 1 if align_corners else size
    if padding_mode == REFLECTION and span == 0:
        x = xp.zeros_like(x)
    elif padding_mode == REFLECTION:                                    # folded back between two mirrors
        distance = xp.abs(x - low)
        folds = xp.floor(distance / span)
        extra = distance - folds * span
        even = folds % 2 == 0
        slope = xp.where(even, slope, -slope) * xp.sign(x - low)
        x = xp.where(even, extra + low, span - extra + low)
    last = size - 1.0
    slope = xp.where((x > 0) & (x < last), slope, 0.0)                  # none on the border either
    return xp.where(x >= last, last, xp.where(x > 0, x, 0.0)), slope    # NaN is the first pixel, as in PyTorch


def cubic_pieces(t):
    """The four weights of the cubic with A = -0.75 around a position ``t`` behind its second pixel, and their slopes."""
    a = -0.75

    def close(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1, (3 * (a + 2) * d - 2 * (a + 3)) * d

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a, (3 * a * d - 10 * a) * d + 8 * a
    (w0, s0), (w1, s1), (w2, s2), (w3, s3) = far(t + 1), close(t), close(1 - t), far(2 - t)
    return (w0, s0), (w1, s1), (w2, -s2), (w3, -s3)


def neighbours(xp, x, size, mode, padding_mode, align_corners):
    """The pixels of one dim around each position within [-1, 1]: where each is, its weight, and how that changes with ``x``."""
    position, scale = ((x + 1) / 2 * (size - 1), (size - 1) / 2) if align_corners else (((x + 1) * size - 1) / 2, size / 2)
    if mode == BICUBIC:                                 # the neighbours are padded one by one, not the position between them
        low = xp.floor(position)
        pieces = enumerate(cubic_pieces(position - low), -1)
        return [(inside(xp, low + k, size, padding_mode, align_corners)[0], w, scale * s) for k, (w, s) in pieces]
    position, slope = inside(xp, position, size, padding_mode, align_corners)
    if mode == NEAREST:
        return [(xp.round(position), xp.ones_like(position), xp.zeros_like(position))]
    low, slope = xp.floor(position), slope * scale
    part = position - low
    return [(low, 1 - part, -slope), (low + 1, part, slope)]


def corners(xp, grid, space, *options):
    """All combinations of neighbours: the pixels' indices (n, positions), whether they are there, weights and slopes by dim."""
    flat = grid.reshape((grid.shape[0], prod(grid.shape[1:-1]), grid.shape[-1]))
    found = [neighbours(xp, flat[..., len(space) - 1 - d], size, *options) for d, size in enumerate(space)]
    for corner in product(*found):
        index, valid = 0, None
        for (at, _, _), size in zip(corner, space):
            here = (at >= 0) & (at < size)
            valid = here if valid is None else valid & here
            index = index * size + xp.astype(xp.clip(at, 0, size - 1), dtypes.int64)
        yield index, valid, [w for _, w, _ in corner], [s for _, _, s in corner]


def times(factors):
    return reduce(mul, factors)


def read(xp, flat, index, valid):
    """(n, c, pixels) at positions: (n, c, positions); zeros where there is none. No product: infinity outside adds nothing."""
    n, c = flat.shape[:2]
    index = xp.broadcast_to(xp.expand_dims(index, axis=1), (n, c, index.shape[1]))
    return xp.where(xp.expand_dims(valid, axis=1), xp.gather(flat, 2, index), 0.0)


def sample(xp, input, grid, mode, padding_mode, align_corners):
    """The forward of both ops below."""
    check_grid(input, grid, mode)
    if 0 in (*input.shape, *grid.shape):
        return xp.zeros((*input.shape[:2], *grid.shape[1:-1]), dtype=input.dtype)
    if xp.is_half(input.dtype):                              # computed in float32, rounded once
        wide = sample(xp, xp.astype(input, dtypes.float32), xp.astype(grid, dtypes.float32), mode, padding_mode, align_corners)
        return xp.astype(wide, input.dtype)
    out = xp.kernels.sample_grid(input, grid, mode, padding_mode, align_corners)
    if out is None:
        n, c, *space = input.shape
        flat, out = input.reshape((n, c, prod(space))), 0
        for index, valid, weights, _ in corners(xp, grid, space, mode, padding_mode, align_corners):
            out = out + read(xp, flat, index, valid) * xp.expand_dims(times(weights), axis=1)
        out = out.reshape((n, c, *grid.shape[1:-1]))
    return out


def sample_backward(xp, g, input, grid, mode, padding_mode, align_corners, wanted):
    """The rule of both ops below."""
    if 0 in (*input.shape, *grid.shape):
        return xp.zeros_like(input), xp.zeros_like(grid)
    if mode == 1 and wanted[1]:             # steps have no slope, not even beside an infinity
        rest = sample_backward(xp, g, input, grid, mode, padding_mode, align_corners, (True, False)) if wanted[0] else (None,)
        return rest[0], xp.zeros_like(grid)
    found = xp.kernels.sample_grid_backward(g, input, grid, mode, padding_mode, align_corners, wanted)
    if found is not None:
        return found
    n, c, *space = input.shape
    flat, g = input.reshape((n, c, prod(space))), g.reshape((n, c, prod(grid.shape[1:-1])))
    d_input, d_grid = xp.zeros_like(flat), [0] * len(space)
    for index, valid, weights, slopes in corners(xp, grid, space, mode, padding_mode, align_corners):
        if wanted[0]:
            share = xp.where(xp.expand_dims(valid, axis=1), g * xp.expand_dims(times(weights), axis=1), 0.0)
            d_input = xp.scatter_add(d_input, 2, xp.broadcast_to(xp.expand_dims(index, axis=1), share.shape), share)
        if wanted[1]:
            pull = xp.sum(xp.where(xp.expand_dims(valid, axis=1), g * read(xp, flat, index, valid), 0), axis=1)
            for d, slope in enumerate(slopes):
                d_grid[d] = d_grid[d] + pull * times([slope, *weights[:d], *weights[d + 1:]])
    return (d_input.reshape(input.shape) if wanted[0] else None,
            xp.stack(d_grid[::-1], axis=-1).reshape(grid.shape) if wanted[1] else None)


def check_mode_names(mode, padding_mode):
    if mode not in MODES:
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
                         f"got: '{mode}'")
    if padding_mode not in PADDING_MODES:
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
                         f"but got: '{padding_mode}'")


def check_modes(mode, padding_mode):
    for name, number in ("interpolation_mode", mode), ("padding_mode", padding_mode):
        if number not in (0, 1, 2):
            raise ValueError(f"grid_sampler(): expected {name} to be 0, 1 or 2, but got {number}")


def check_grid(input, grid, mode):
    if input.dtype != grid.dtype:
        raise RuntimeError("grid_sampler(): expected input and grid to have same dtype, but input has "
                           f"{input.dtype.name} and grid has {grid.dtype.name}")
    if input.ndim not in (4, 5) or input.ndim != grid.ndim:
        raise RuntimeError("grid_sampler(): expected 4D or 5D input and grid with same number of dimensions, but got "
                           f"input with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}")
    if input.shape[0] != grid.shape[0]:
        raise RuntimeError("grid_sampler(): expected grid and input to have same batch size, but got input with sizes "
                           f"{list(input.shape)} and grid with sizes {list(grid.shape)}")
    if grid.shape[-1] != input.ndim - 2:
        raise RuntimeError(f"grid_sampler(): expected grid to have size {input.ndim - 2} in last dimension, but got "
                           f"grid with sizes {list(grid.shape)}")
    for dim, size in enumerate(input.shape[2:], 2):
        if size == 0:
            raise RuntimeError("grid_sampler(): expected input to have non-empty spatial dimensions, but input has "
                               f"sizes {list(input.shape)} with dimension {dim} being empty")
    if input.ndim == 5 and mode == BICUBIC:
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if (is_whole(input) or is_complex(input)) and 0 not in (*input.shape, *grid.shape):
        raise unsupported(input, "grid_sampler_2d_cpu_kernel_impl" if input.ndim == 4 else "grid_sampler3d_cpu")


def check_sampler(input, grid, ndim, interpolation_mode, padding_mode):
    size_at(input, 0), size_at(grid, 0)
    check_modes(interpolation_mode, padding_mode)
    if input.ndim != ndim or grid.ndim != ndim:
        raise RuntimeError(f"grid_sampler(): expected {ndim}D input and grid with same number of dimensions, but got input "
                           f"with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}")


def sampler_batch(fns, call):
    """A batch beside the images."""
    input, grid = call.front(0), call.front(1)
    return call.run([input.flatten(0, 1), grid.flatten(0, 1)])[0].unflatten(0, input.shape[:2])


@op("torch.grid_sampler_2d", node="GridSampler2DBackward0", batch=sampler_batch,
    autocast="float32", samples=[
        f"2 3 4 5 | 2 2 3 2 ; interpolation_mode={mode}, padding_mode={padding_mode}, align_corners={align_corners}"
        for mode, padding_mode, align_corners in product(range(3), range(3), (True, False))] + [
        "0 3 4 5 | 0 2 3 2 ; interpolation_mode=0, padding_mode=0, align_corners=True",
        "2 3 4 5 | 2 0 3 2 ; interpolation_mode=2, padding_mode=0, align_corners=True"],
    errors=[("1 2 3 4 5 | 1 2 2 3 3 ; interpolation_mode=0, padding_mode=0, align_corners=True", RuntimeError,
             "grid_sampler(): expected 4D input and grid with same number of dimensions, but got input with sizes")])
def grid_sampler_2d(xp, input, grid, interpolation_mode: int, padding_mode: int, align_corners: bool):
    """:func:`grid_sampler` of images (n, c, height, width).

    Args:
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
    """
    check_sampler(input, grid, 4, interpolation_mode, padding_mode)
    return sample(xp, input, grid, interpolation_mode, padding_mode, align_corners)


def sampled_by_onnx(onnx, input, grid, interpolation_mode, padding_mode, align_corners):
    kind = ("linear", "nearest", "cubic")[interpolation_mode]
    if onnx.opset < 20:                                     # the names until then, which had no volumes
        kind = {"linear": "bilinear", "cubic": "bicubic"}.get(kind, kind)
    return onnx.GridSample(input, grid, mode=kind, padding_mode=("zeros", "border", "reflection")[padding_mode],
                           align_corners=int(align_corners)) if input.ndim == 4 or onnx.opset >= 20 else None


grid_sampler_2d.onnx(sampled_by_onnx)


@grid_sampler_2d.vjp("input, grid")
def grid_sampler_2d_dx(xp, g, input, grid, interpolation_mode, padding_mode, align_corners, wanted):
    return sample_backward(xp, g, input, grid, interpolation_mode, padding_mode, align_corners, wanted)


@op("torch.grid_sampler_3d", node="GridSampler3DBackward0", batch=sampler_batch,
    autocast="float32", samples=[
        f"1 2 3 4 5 | 1 2 2 3 3 ; interpolation_mode={mode}, padding_mode={padding_mode}, align_corners={align_corners}"
        for mode, padding_mode, align_corners in product(range(2), range(3), (True, False))],
    errors=[("2 3 4 5 | 2 2 3 2 ; interpolation_mode=0, padding_mode=0, align_corners=True", RuntimeError,
             "grid_sampler(): expected 5D input and grid with same number of dimensions, but got input with sizes")])
def grid_sampler_3d(xp, input, grid, interpolation_mode: int, padding_mode: int, align_corners: bool):
    """:func:`grid_sampler` of volumes (n, c, depth, height, width).

    Args:
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
    """
    check_sampler(input, grid, 5, interpolation_mode, padding_mode)
    return sample(xp, input, grid, interpolation_mode, padding_mode, align_corners)


grid_sampler_3d.onnx(sampled_by_onnx)


@grid_sampler_3d.vjp("input, grid")
def grid_sampler_3d_dx(xp, g, input, grid, interpolation_mode, padding_mode, align_corners, wanted):
    return sample_backward(xp, g, input, grid, interpolation_mode, padding_mode, align_corners, wanted)


@composite("torch.grid_sampler",
           autocast="float32", samples=["2 3 4 5 | 2 2 3 2 ; interpolation_mode=0, padding_mode=0, align_corners=False",
                    "1 2 3 4 5 | 1 2 2 3 3 ; interpolation_mode=1, padding_mode=2, align_corners=True"])
def grid_sampler(fns, input, grid, interpolation_mode: int, padding_mode: int, align_corners: bool):
    """:func:`grid_sample` with its modes by number: bilinear, nearest, bicubic; zeros, border, reflection.

    Args:
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
    """
    size_at(input, 0), size_at(grid, 0)
    if input.ndim not in (4, 5) or input.ndim != grid.ndim:
        check_modes(interpolation_mode, padding_mode)
        check_grid(input, grid, interpolation_mode)
    sampler = fns.grid_sampler_2d if input.ndim == 4 else fns.grid_sampler_3d
    return sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@composite("nn.functional.grid_sample",
           autocast="float32", samples=["2 3 4 5 | 2 2 3 2 ; align_corners=False", "2 3 4 5 | 2 2 3 2 ; align_corners=True",
                    "2 3 4 5 | 2 2 3 2 ; padding_mode='border', align_corners=False",
                    "2 3 4 5 | 2 2 3 2 ; padding_mode='reflection', align_corners=False",
                    "2 3 4 5 | 2 2 3 2 ; padding_mode='reflection', align_corners=True",
                    "2 3 4 5 | 2 2 3 2 ; mode='bicubic', align_corners=False",
                    "2 3 4 5 | 2 2 3 2 ; mode='bicubic', padding_mode='border', align_corners=True",
                    "2 3 4 5 | 2 2 3 2 ; mode='nearest', align_corners=False",
                    "1 2 3 4 5 | 1 2 2 3 3 ; align_corners=False",
                    "1 2 3 4 5 | 1 2 2 3 3 ; mode='nearest', padding_mode='border', align_corners=False"],
           errors=[("2 3 4 5 | 2 2 3 3 ; align_corners=False", RuntimeError,
                    "grid_sampler(): expected grid to have size 2 in last dimension"),
                   ("2 3 4 5 | 2 2 3 2 ; mode='x', align_corners=False", ValueError,
                    "nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic'")])
def grid_sample(fns, input, grid, mode="bilinear", padding_mode="zeros", align_corners: "bool" = None):
    """An image (n, c, *space) read at the positions of a grid (n, *out, d) within [-1, 1], x first: (n, c, *out)."""
    check_mode_names(mode, padding_mode)
    if align_corners is None:
        warn(CHANGED)
        align_corners = False
    return fns.grid_sampler(input, grid, MODES.index(mode), PADDING_MODES.index(padding_mode), align_corners)
