"""Mean and maximum over a given number of bins, which cover the input evenly.

Bin `k` of `m` goes from `floor(n k / m)` to `ceil(n (k + 1) / m)` of the `n` elements along a dimension.

Args:
    input: `(n, c, *space)`, or without `n`
    output_size: how many bins there are: an int for all dims, or one each; None: as many as elements
"""
from leafward.core.op import Meta, composite, op

from leafward.ops.dims import normalize
from leafward.ops.kinds import refuse_kinds
from leafward.ops.pooling import with_batch


def adaptive_avg_pool_node(given):
    return f"AdaptiveAvgPool{len(given['size'])}DBackward0"


@op("torch._adaptive_avg_pool", keeps_format="x", linear=True, node=adaptive_avg_pool_node,
    batch="leading", samples=["2 5 7 ; size=(2, 3)", "2 3 4 ; size=(3, 6)"])
def adaptive_avg_pool(xp, x, size):
    """The mean of each of ``size`` bins, which cover the image evenly."""
    refuse_kinds(x, "biuc", "adaptive_avg_pool3d_cpu" if len(size) == 3 else "adaptive_avg_pool2d")
    return xp.kernels.adaptive_mean(x, size)


@adaptive_avg_pool.onnx
def adaptive_avg_pool_onnx(onnx, x, size):
    given = x.shape[x.ndim - len(size):]
    if set(size) == {1}:
        return onnx.mean(x, axis=tuple(range(-len(size), 0)), keepdims=True)
    if any(type(n) is not int or n % m for n, m in zip(given, size, strict=True)):
        return by_bins(onnx, x, size, onnx.mean)
    kernel = [n // m for n, m in zip(given, size, strict=True)]
    return with_batch(onnx, x, len(size), lambda x: onnx.AveragePool(x, kernel_shape=kernel, strides=kernel))


def by_bins(onnx, x, size, reduce):
    """``reduce`` of each bin, one dim after the other."""
    for dim, bins in enumerate(size, x.ndim - len(size)):
        n = x.shape[dim]
        parts = [onnx.cut(x, dim, n * k // bins, (n * (k + 1) + bins - 1) // bins, 1) for k in range(bins)]
        x = onnx.concat([reduce(part, axis=dim, keepdims=True) for part in parts], axis=dim)
    return x


@adaptive_avg_pool.vjp("x")
def adaptive_avg_pool_dx(xp, g, x: Meta, size):
    return xp._adaptive_avg_pool_adjoint(g, tuple(x.shape[x.ndim - len(size):]))


@op("torch._adaptive_avg_pool_adjoint", linear=True, batch="leading", samples=["2 2 3 ; size=(5, 7)"])
def adaptive_avg_pool_adjoint(xp, x, size):
    """Spread each element of ``x`` evenly over its bin of an image of ``size``."""
    return xp.kernels.adaptive_mean_adjoint(x, size)


@adaptive_avg_pool_adjoint.vjp("x")
def adaptive_avg_pool_adjoint_dx(xp, g, x: Meta, size):
    return xp._adaptive_avg_pool(g, tuple(x.shape[x.ndim - len(size):]))


@op("torch._adaptive_max_pool", keeps_format="x", outputs="values, indices", no_grad_outputs="indices", domain="distinct",
    node=lambda given: f"AdaptiveMaxPool{len(given['size'])}DBackward0",
    batch="leading", samples=["2 5 7 ; size=(2, 3)", "2 3 4 ; size=(3, 6)"])
def adaptive_max_pool(xp, x, size):
    """The largest element of each of ``size`` bins, and its position in the flattened image."""
    refuse_kinds(x, "biuc", "adaptive_max_pool3d_cpu" if len(size) == 3 else "adaptive_max_pool2d")
    return xp.kernels.pool_max_bins(x, size)


@adaptive_max_pool.onnx
def adaptive_max_pool_onnx(onnx, x, size):
    return by_bins(onnx, x, size, onnx.max), None


@adaptive_max_pool.vjp("x")
def adaptive_max_pool_dx(xp, g_values, x: Meta, indices, size):
    return xp._pool_scatter(g_values, indices, x.shape[x.ndim - len(size):])


def adaptive_size(name, dims, input, output_size):
    """The output size once per dimension; None keeps the input's."""
    if isinstance(output_size, int) or output_size is None:
        output_size = (output_size,) * dims
    elif dims > 1 and input.ndim <= len(output_size):
        raise ValueError(f"Input dimension should be at least {len(output_size) + 1}")
    elif len(output_size) != dims:
        raise RuntimeError(f"{name}() argument 'output_size' should contain one int (got {len(output_size)})" if dims == 1
                           else f"{name}(): internal error: output_size.size() must be {dims}" if "max" in name
                           else f"{name}: output_size must be {dims}")
    if dims > 1 and "avg" in name and set(output_size) == {1}:          # PyTorch takes the mean then, of any tensor
        normalize(-2 if input.ndim < 2 else -dims, input.ndim)
    elif input.ndim not in (dims + 1, dims + 2):
        if dims == 1:
            raise RuntimeError(f"Expected 2 to 3 dimensions, but got {input.ndim}-dimensional tensor for argument #1 "
                               f"'self' (while checking arguments for {name})")
        colon = ":" if "max" in name else ""
        raise RuntimeError(f"{name}(): Expected {dims + 1}D or {dims + 2}D tensor, but got{colon} {list(input.shape)}")
    mean = "avg" in name and set(output_size) == {1}        # of nothing it is NaN
    for dim in range(1 if "max" in name else input.ndim - dims, input.ndim):
        if input.shape[dim] == 0 and not mean:
            raise RuntimeError(f"{name}(): Expected input to have non-zero size for non-batch dimensions, but input "
                               f"has sizes {list(input.shape)} with dimension {dim} being empty")
    size = tuple([n if m is None else m for n, m in zip(input.shape[-dims:], output_size)])
    if min(size) < 0:
        values = ", ".join(map(str, size))
        raise RuntimeError(f"{name}: elements of output_size must be greater than or equal to 0 but received "
                           f"{{{values}}}")
    return size


def average_bins(fns, dims, input, output_size):
    size = adaptive_size(f"adaptive_avg_pool{dims}d", dims, input, output_size)
    if size == (1,):
        return input.unsqueeze(-2).mean((-2, -1), keepdim=True).squeeze(-2)
    if dims == 3 and 0 in input.shape[1:] and set(size) != {1}:
        raise RuntimeError("adaptive_avg_pool3d(): Expected input to have non-zero size for non-batch dimensions, but input "
                           f"has sizes {list(input.shape)} with dimension {input.shape.index(0, 1)} being empty")
    if set(size) == {1}:
        return input.mean(tuple(range(-dims, 0)), keepdim=True)        # as PyTorch does
    if dims == 1:
        return fns._adaptive_avg_pool(input.unsqueeze(-2), (1, *size)).squeeze(-2)
    return fns._adaptive_avg_pool(input, size)


def largest_of_bins(fns, dims, input, output_size, return_indices):
    size = adaptive_size(f"adaptive_max_pool{dims}d", dims, input, output_size)
    out, indices = fns._adaptive_max_pool(input, size) if dims > 1 else fns._adaptive_max_pool(input.unsqueeze(-2), (1, *size))
    results = (out, indices) if return_indices else (out,)
    if dims == 1:                                           # views of an image one high, as of the mean
        results = tuple([x.squeeze(-2) for x in results])
    return results if return_indices else results[0]


@composite("nn.functional.adaptive_avg_pool1d", "torch.adaptive_avg_pool1d",
           samples=["2 3 7 ; output_size=3", "3 4 ; output_size=1"])
def adaptive_avg_pool1d(fns, input, output_size: int | tuple):
    """The means of ``output_size`` bins that cover a sequence evenly."""
    return average_bins(fns, 1, input, output_size)


@composite("nn.functional.adaptive_avg_pool2d",
           samples=["2 3 7 5 ; output_size=(3, 2)", "3 4 6 ; output_size=1", "2 3 4 4 ; output_size=(None, 2)"],
           errors=[("5 5 ; output_size=2", RuntimeError, "adaptive_avg_pool2d(): Expected 3D or 4D tensor"),
                   ("5 5 ; output_size=(2, 2)", ValueError, "Input dimension should be at least 3"),
                   ("1 2 3 4 ; output_size=()", RuntimeError, "adaptive_avg_pool2d: output_size must be 2")])
def adaptive_avg_pool2d(fns, input, output_size: int | tuple):
    """The means of ``output_size`` bins that cover an image evenly; None keeps a dimension's size."""
    return average_bins(fns, 2, input, output_size)


@composite("nn.functional.adaptive_avg_pool3d", autocast="float32", samples=["1 2 4 5 3 ; output_size=(2, 2, 1)"])
def adaptive_avg_pool3d(fns, input, output_size: int | tuple):
    """The means of ``output_size`` bins that cover a volume evenly."""
    return average_bins(fns, 3, input.contiguous(), output_size)


@composite("nn.functional.adaptive_max_pool1d", domain="distinct",
           samples=["2 3 7 ; output_size=3", "3 4 ; output_size=2, return_indices=True"])
def adaptive_max_pool1d(fns, input, output_size: int | tuple, return_indices: "bool" = False) -> object:
    """The largest elements of ``output_size`` bins that cover a sequence evenly."""
    return largest_of_bins(fns, 1, input, output_size, return_indices)


@composite("nn.functional.adaptive_max_pool2d", domain="distinct",
           samples=["2 3 7 5 ; output_size=(3, 2)", "3 4 6 ; output_size=2, return_indices=True"],
           errors=[("5 5 ; output_size=2", RuntimeError, "adaptive_max_pool2d(): Expected 3D or 4D tensor"),
                   ("5 5 ; output_size=(2, 2)", ValueError, "Input dimension should be at least 3")])
def adaptive_max_pool2d(fns, input, output_size: int | tuple, return_indices: "bool" = False) -> object:
    """The largest elements of ``output_size`` bins that cover an image evenly."""
    return largest_of_bins(fns, 2, input, output_size, return_indices)


@composite("nn.functional.adaptive_max_pool3d", domain="distinct", autocast="float32",
           samples=["1 2 4 5 3 ; output_size=(2, 2, 1)"])
def adaptive_max_pool3d(fns, input, output_size: int | tuple, return_indices: "bool" = False):
    """The largest elements of ``output_size`` bins that cover a volume evenly."""
    return largest_of_bins(fns, 3, input.contiguous(), output_size, return_indices)
