"""Reading an image at any places: affine grids and grid sampling (spatial transformers).

Args:
    theta: the affine maps, `(n, 2, 3)` or `(n, 3, 4)`
    size: the size of the image that the grid is for, `(n, c, *space)`
    grid: where to read, `(n, *places, 2 or 3)`: -1 and 1 are the edges; x comes first
    align_corners: True: -1 and 1 are the centres of the corner pixels. False and None: their outer edges
    mode: how to read between pixels: `"bilinear"`, `"nearest"` or `"bicubic"`
    padding_mode: what lies outside: `"zeros"`, `"border"` (the nearest pixel) or `"reflection"`
    interpolation_mode: how to read between pixels, by number: 0 bilinear, 1 nearest, 2 bicubic
    input: the image, `(n, c, *space)`
Source: Jaderberg et al., 2015, arXiv:1506.02025
"""
from itertools import product

from leafward.core.op import composite
from leafward.errors import warn

from leafward.ops.kinds import is_whole, unsupported

CHANGED = ("Default grid_sample and affine_grid behavior has changed to align_corners=False since 1.3.0. Please "
           "specify align_corners=True if the old behavior is desired. See the documentation of grid_sample for "
           "details.")

# --- grids -----------------------------------------------------------------------------------------------------------

def positions(fns, n, align_corners, dtype):
    """``n`` evenly spaced places from -1 to 1: the corners themselves, or the middles of pixels between them."""
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
def affine_grid(fns, theta, size, align_corners=None):
    """Where each pixel of an image of ``size`` reads, moved by ``theta`` (n, d, d + 1): (n, *space, d) in [-1, 1]."""
    if align_corners is None:
        warn(CHANGED)
        align_corners = False
    check_affine(theta, size, align_corners)
    n, _, *space = size
    axes = fns.meshgrid(*[positions(fns, s, align_corners, theta.dtype) for s in space], indexing="ij")
    base = fns.stack([*axes[::-1], fns.ones(*space, dtype=theta.dtype)], -1)                         # *space d+1
    grid = fns.matmul(base.reshape(1, -1, len(space) + 1), theta.transpose(1, 2))
    return grid.reshape(n, *space, len(space))


# --- sampling --------------------------------------------------------------------------------------------------------

def unnormalized(x, size, align_corners):
    """Places within [-1, 1] in pixels."""
    if align_corners:
        return (x + 1) / 2 * (size - 1)
    return ((x + 1) * size - 1) / 2


def reflected(fns, x, twice_low, twice_high):
    """Places folded back between two mirrors, given by twice their places."""
    if twice_low == twice_high:
        return x * 0
    low, span = twice_low / 2, (twice_high - twice_low) / 2
    distance = (x - low).abs()
    folds = (distance / span).detach().floor()
    extra = distance - folds * span
    return fns.where(folds % 2 == 0, extra + low, span - extra + low)


def inside(fns, x, size, padding_mode, align_corners):
    """Places in pixels as the padding sees them."""
    if padding_mode == "reflection":
        x = reflected(fns, x, 0, 2 * (size - 1)) if align_corners else reflected(fns, x, -1, 2 * size - 1)
    if padding_mode != "zeros":
        at = x.detach()
        x = fns.where((at <= 0) | (at >= size - 1), at.clamp(0, size - 1), x)       # no slope on the border either
        return x.masked_fill(at.isnan(), 0)                                 # NaN is the first pixel, as in PyTorch
    # What cannot be a place is read outside, as in PyTorch.
    return x.masked_fill(~((x.detach() > -1e9) & (x.detach() < 1e9)), -100.0)


def read(fns, flat, places, space):
    """Pixels of (n, c, pixels) at whole places, one tensor (n, *out) a dimension; zeros outside."""
    n, c = flat.shape[:2]
    index, valid = 0, None
    for at, size in zip(places, space):
        here = (at >= 0) & (at < size)
        valid = here if valid is None else valid & here
        index = index * size + at.clamp(0, size - 1).long()
    picked = flat.gather(2, index.reshape(n, 1, -1).expand(-1, c, -1))
    return picked.masked_fill(~valid.reshape(n, 1, -1), 0)              # not a product: nothing comes of an infinity outside


def near_weights(fns, x):
    """The two pixels around each place, and their linear weights."""
    low = x.detach().floor()
    part = x - low
    return [(low, 1 - part), (low + 1, part)]


def cubic_weights(fns, x):
    """The four pixels around each place, and the weights of the cubic with A = -0.75."""
    low = x.detach().floor()
    t = x - low
    a = -0.75

    def close(d):
        return ((a + 2) * d - (a + 3)) * d * d + 1

    def far(d):
        return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a
    return [(low - 1, far(t + 1)), (low, close(t)), (low + 1, close(1 - t)), (low + 2, far(2 - t))]


def check_grid(input, grid, mode, padding_mode):
    if mode not in ("bilinear", "nearest", "bicubic"):
        raise ValueError("nn.functional.grid_sample(): expected mode to be 'bilinear', 'nearest' or 'bicubic', but "
                         f"got: '{mode}'")
    if padding_mode not in ("zeros", "border", "reflection"):
        raise ValueError("nn.functional.grid_sample(): expected padding_mode to be 'zeros', 'border', or 'reflection', "
                         f"but got: '{padding_mode}'")
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
    if input.ndim == 5 and mode == "bicubic":
        raise RuntimeError("grid_sampler(): bicubic interpolation only supports 4D input")
    if is_whole(input):
        raise unsupported(input, "grid_sampler_2d_cpu_kernel_impl" if input.ndim == 4 else "grid_sampler3d_cpu")


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
def grid_sample(fns, input, grid, mode="bilinear", padding_mode="zeros", align_corners=None):
    """An image (n, c, *space) read at the places of a grid (n, *out, d) within [-1, 1], x first: (n, c, *out)."""
    check_grid(input, grid, mode, padding_mode)
    if align_corners is None:
        warn(CHANGED)
        align_corners = False
    if input.dtype.itemsize == 2:                            # a half: computed in float32, rounded once
        return grid_sample.function(fns, input.float(), grid.float(), mode, padding_mode, align_corners).to(input.dtype)
    n, c, *space = input.shape
    flat = input.reshape(n, c, -1)
    places = [unnormalized(grid[..., k], size, align_corners) for k, size in enumerate(space[::-1])][::-1]
    if mode == "bicubic":
        total = cubic_sample(fns, flat, places, space, padding_mode, align_corners)
    else:
        places = [inside(fns, x, size, padding_mode, align_corners) for x, size in zip(places, space)]
        if mode == "nearest":
            total = read(fns, flat, [x.detach().round() for x in places], space) + 0 * places[0].sum()
        else:
            total = weighted_sum(fns, flat, [near_weights(fns, x) for x in places], space)
    return total.reshape(n, c, *grid.shape[1:-1])


def weighted_sum(fns, flat, neighbours, space, fold=lambda places: places):
    """The pixels of all combinations of neighbours, by the products of their weights."""
    total = 0
    for corner in product(*neighbours):
        weight = corner[0][1]
        for _, w in corner[1:]:
            weight = weight * w
        total = total + read(fns, flat, fold([at for at, _ in corner]), space) * weight.reshape(len(weight), 1, -1)
    return total


def cubic_sample(fns, flat, places, space, padding_mode, align_corners):
    # The neighbours are padded one by one, not the place between them.
    def fold(corner):
        return [inside(fns, at, size, padding_mode, align_corners) for at, size in zip(corner, space)]
    return weighted_sum(fns, flat, [cubic_weights(fns, x) for x in places], space, fold)


# --- PyTorch's inner functions ---------------------------------------------------------------------------------------

MODES = "bilinear", "nearest", "bicubic"
PADDING_MODES = "zeros", "border", "reflection"


def by_number(name, number, names):
    if number not in range(len(names)):
        raise ValueError(f"grid_sampler(): expected {name} to be 0, 1 or 2, but got {number}")
    return names[number]


@composite("torch.grid_sampler",
           autocast="float32", samples=["2 3 4 5 | 2 2 3 2 ; interpolation_mode=0, padding_mode=0, align_corners=False",
                    "1 2 3 4 5 | 1 2 2 3 3 ; interpolation_mode=1, padding_mode=2, align_corners=True"])
def grid_sampler(fns, input, grid, interpolation_mode, padding_mode, align_corners):
    """:func:`grid_sample` with its modes by number: bilinear, nearest, bicubic; zeros, border, reflection.

    Args:
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
    """
    mode = by_number("interpolation_mode", interpolation_mode, MODES)
    return fns.grid_sample(input, grid, mode, by_number("padding_mode", padding_mode, PADDING_MODES), align_corners)


def check_rank(input, grid, ndim):
    if input.ndim != ndim or grid.ndim != ndim:
        raise RuntimeError(f"grid_sampler(): expected {ndim}D input and grid with same number of dimensions, but got input "
                           f"with sizes {list(input.shape)} and grid with sizes {list(grid.shape)}")


@composite("torch.grid_sampler_2d",
           autocast="float32", samples=["2 3 4 5 | 2 2 3 2 ; interpolation_mode=0, padding_mode=1, align_corners=True",
                    "2 3 4 5 | 2 2 3 2 ; interpolation_mode=2, padding_mode=0, align_corners=False"],
           errors=[("1 2 3 4 5 | 1 2 2 3 3 ; interpolation_mode=0, padding_mode=0, align_corners=True", RuntimeError,
                    "grid_sampler(): expected 4D input and grid with same number of dimensions, but got input with sizes")])
def grid_sampler_2d(fns, input, grid, interpolation_mode, padding_mode, align_corners):
    """:func:`grid_sampler` of images (n, c, height, width).

    Args:
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
    """
    check_rank(input, grid, 4)
    return fns.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)


@composite("torch.grid_sampler_3d",
           autocast="float32", samples=["1 2 3 4 5 | 1 2 2 3 3 ; interpolation_mode=0, padding_mode=0, align_corners=False",
                    "1 2 3 4 5 | 1 2 2 3 3 ; interpolation_mode=1, padding_mode=1, align_corners=True"],
           errors=[("2 3 4 5 | 2 2 3 2 ; interpolation_mode=0, padding_mode=0, align_corners=True", RuntimeError,
                    "grid_sampler(): expected 5D input and grid with same number of dimensions, but got input with sizes")])
def grid_sampler_3d(fns, input, grid, interpolation_mode, padding_mode, align_corners):
    """:func:`grid_sampler` of volumes (n, c, depth, height, width).

    Args:
        padding_mode: what lies outside, by number: 0 zeros, 1 border, 2 reflection
    """
    check_rank(input, grid, 5)
    return fns.grid_sampler(input, grid, interpolation_mode, padding_mode, align_corners)
