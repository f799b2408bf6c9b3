"""Maximum over windows at places that are drawn at random: fractional max pooling (Graham).

Args:
    output_ratio: the size of the result as a share of the input's, in place of `output_size`; None: `output_size` is given
    _random_samples: where the windows begin, `(n, c, dims)` in [0, 1); None: drawn
    output_size: the size of the result; None: `output_ratio` is given
Source: Graham, 2014, arXiv:1412.6071
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.dims import normalize, refuse_negative
from leafward.ops.kinds import refuse_gradient


@op("torch._fractional_max_pool", outputs="values, indices", no_grad_outputs="indices", nondifferentiable="samples",
    domain="distinct",
    node=lambda given: f"FractionalMaxPool{len(given['kernel'])}DBackward0",
    samples=["2 3 6 7 | unit: 2 3 2 ; kernel=(2, 3), size=(3, 2)",
             "1 2 4 5 6 | unit: 1 2 3 ; kernel=(2, 2, 2), size=(2, 3, 3)"])
def fractional_max_pool(xp, x, samples, kernel, size):
    """The largest element of windows that begin at places drawn by ``samples`` (n, c, dims), and where it is.

    (n, c, *space) or (c, *space) -> (n, c, *size) or (c, *size).
    """
    if 0 in size:
        empty = (*x.shape[:x.ndim - len(size)], *size)
        return xp.zeros(empty, dtype=x.dtype), xp.zeros(empty, dtype=dtypes.int64)
    return xp.kernels.pool_max_drawn(x, samples, kernel, size)


@fractional_max_pool.vjp("x")
def fractional_max_pool_dx(xp, g_values, x: Meta, indices, size):
    return xp._pool_scatter(g_values, indices, tuple(x.shape[x.ndim - len(size):]))


def each(value, dims):
    return value if isinstance(value, tuple) else (value,) * dims


def wanted(dims, shape, output_size, output_ratio):
    """The output size, one number a dim, of an input of this shape."""
    name = f"fractional_max_pool{dims}d"
    if output_size is None and output_ratio is None:
        raise ValueError(f"{name} requires specifying either an output_size or an output_ratio")
    if output_size is not None:
        return each(output_size, dims)
    if dims == 2:
        len(output_ratio)                                   # refuses numbers, which volumes may be given
    ratios = each(output_ratio, dims)
    if len(ratios) > dims:
        raise ValueError(f"{name} requires output_ratio to either be a single Int or tuple of Ints.")
    return tuple([int(n * ratios[k]) for k, n in enumerate(shape[-dims:])])


def check_sizes(dims, shape, kernel, size):
    """Refuse what an input of this shape cannot be pooled to."""
    name, space = f"fractional_max_pool{dims}d", shape[-dims:]
    if len(shape) not in (dims + 1, dims + 2):
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got: {list(shape)}")
    for word, sizes in ("output_size", size), ("kernel_size", kernel):
        if len(sizes) != dims:
            raise RuntimeError(f"{name}: {word} must either be a single Int or tuple of {('two', 'three')[dims - 2]} Ints")
    if min(kernel) < 1:
        raise RuntimeError(f"{name}(): kernel_size must be greater than zero, but got {list(kernel)}")
    if 0 in shape[1:]:                                      # the first may be empty, be it the batch or the channels
        empty = [dim for dim, n in enumerate(shape) if n == 0 and dim]
        raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but got"
                           f"{list(shape)} with dimension {empty[0]} being empty.")
    axes = ("time", "height", "width")[-dims:]
    for axis, n, k, places in zip(axes, space, kernel, size):
        if places + k - 1 + (dims == 3) > n:                # volumes need one place more
            asked = f"{name}_out" if dims == 3 else name
            raise RuntimeError(f"{asked}(): pool {axis} {k} too large relative to input {axis} {n}")


def fixed(value):
    return tuple(value) if isinstance(value, list) else value


def pool(fns, dims, input, kernel_size, output_size, output_ratio, return_indices, samples):
    shape = tuple(input.shape)
    kernel, size = each(fixed(kernel_size), dims), wanted(dims, shape, fixed(output_size), fixed(output_ratio))
    normalize(-dims - 1, len(shape))                        # refuses fewer dims
    n = 1 if len(shape) == dims + 1 else shape[0]
    if samples is None:
        samples = fns.rand(n, shape[-dims - 1], dims, dtype=input.dtype)
    else:
        refuse_gradient(f"fractional_max_pool{dims}d", random_samples=samples)
        samples = samples[:n]
    check_sizes(dims, shape, kernel, size)
    refuse_negative([*shape[:len(shape) - dims], *size])
    values, indices = fns._fractional_max_pool(input, samples, kernel, size)
    return (values, indices) if return_indices else values


@composite("nn.functional.fractional_max_pool2d", domain="distinct", random=True,
           autocast="float32", samples=["2 3 6 7 ; kernel_size=2, output_size=(3, 4)",
                    "3 6 7 ; kernel_size=(2, 3), output_ratio=(0.5, 0.4)"])
def fractional_max_pool2d(fns, input, kernel_size: int | tuple, output_size: int | tuple = None, output_ratio=None,
                          return_indices: "bool" = False, _random_samples=None):
    """The largest element of windows at random places: (n, c, h, w) -> (n, c, *output_size)."""
    return pool(fns, 2, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)


@composite("nn.functional.fractional_max_pool3d", domain="distinct", random=True,
           autocast="float32", samples=["1 2 4 5 6 ; kernel_size=2, output_size=(2, 3, 3)"])
def fractional_max_pool3d(fns, input, kernel_size: int | tuple, output_size: int | tuple = None, output_ratio=None,
                          return_indices: "bool" = False, _random_samples=None):
    """The largest element of windows at random places: (n, c, d, h, w) -> (n, c, *output_size)."""
    return pool(fns, 3, input, kernel_size, output_size, output_ratio, return_indices, _random_samples)
