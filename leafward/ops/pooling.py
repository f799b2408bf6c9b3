"""Maximum and mean over windows. The public forms for one, two and three dimensions share the ops at the top.

Args:
    input: `(n, c, *space)`, or without `n`
    padding: how many are put on each side, which never win a maximum and are zeros in a mean: an int for all dims, or one
        each
"""
from leafward.core.op import Meta, composite, op

from leafward.ops.dims import count, normalize
from leafward.ops.kinds import refuse_kinds

# --- maximum ---------------------------------------------------------------------------------------------------------

def max_pool_node(given):
    return {1: "SqueezeBackward1", 2: "MaxPool2DWithIndicesBackward0",
            3: "MaxPool3DWithIndicesBackward0"}[len(given["kernel"])]


@op("torch._max_pool", row_major=True, keeps_format="x", residuals="positions", node=max_pool_node, domain="distinct",
    samples=["2 3 6 ; places=(3,), kernel=(2,), stride=(2,), padding=(0,), dilation=(1,)",
             "2 5 4 ; places=(3, 4), kernel=(3, 2), stride=(2, 1), padding=(1, 1), dilation=(1, 2)",
             "1 2 4 4 4 ; places=(2, 2, 2), kernel=(2, 2, 2), stride=(2, 2, 2), padding=(0, 0, 0), dilation=(1, 1, 1)"])
def max_pool(xp, x, places, kernel, stride, padding, dilation, saving=False):
    """The largest element of each window."""
    if len(kernel) == 1 and not saving:
        refuse_kinds(x, "biuc", "max_pool1d_impl")
    refuse_kinds(x, "bc", f"max_pool{max(len(kernel), 2)}d")
    if saving:
        return xp.kernels.pool_max_at(x, places, kernel, stride, padding, dilation, narrow=True)
    return xp.kernels.pool_max(x, places, kernel, stride, padding, dilation), None


@max_pool.onnx
def max_pool_onnx(onnx, x, places, kernel, stride, padding, dilation):
    size = x.shape[x.ndim - len(kernel):]
    up = int(places != places_of(size, kernel, stride, padding, dilation, False))
    return with_batch(onnx, x, len(kernel), lambda x: onnx.MaxPool(
        x, kernel_shape=[*kernel], strides=[*stride], pads=[*padding, *padding], dilations=[*dilation], ceil_mode=up))


def with_batch(onnx, x, dims, pool):
    """What ``pool`` makes of ``x`` as a batch of images with channels, which ONNX wants."""
    missing = tuple(range(dims + 2 - x.ndim))
    return onnx.Squeeze(pool(onnx.expand_dims(x, missing)), missing) if missing else pool(x)


@max_pool.vjp("x")
def max_pool_dx(xp, g, x: Meta, positions, kernel):
    return xp._pool_scatter(g, positions, x.shape[x.ndim - len(kernel):])


@max_pool.decomposition
def max_pool_parts(fns, x, places, kernel, stride, padding, dilation):
    positions = fns._max_pool_positions(x, places, kernel, stride, padding, dilation)
    return fns._pool_gather(x, positions, len(kernel))


@op("torch._max_pool_positions", nondifferentiable="x", keeps_format="x",
    batch="leading", samples=["distinct: 2 5 4 ; places=(3, 4), kernel=(3, 2), stride=(2, 1), padding=(1, 1), dilation=(1, 2)"])
def max_pool_positions(xp, x, places, kernel, stride, padding, dilation):
    """Where in the flattened image the largest element of each window is."""
    return xp.kernels.pool_max_at(x, places, kernel, stride, padding, dilation)[1]


@op("torch._pool_scatter", nondifferentiable="positions",
    batch="leading", samples=["2 3 | int8: 2 3 ; size=(8,)", "1 2 2 3 | int12: 1 2 2 3 ; size=(3, 4)"])
def pool_scatter(xp, x, positions, size):
    """Add each element of ``x`` up at its position in a zero image of ``size``."""
    return xp.kernels.pool_scatter(x, positions, tuple(size))


@pool_scatter.vjp("x")
def pool_scatter_dx(xp, g, positions, size):
    return xp._pool_gather(g, positions, len(size))


@op("torch._max_unpool", nondifferentiable="positions", batch="leading",
    node=lambda given: f"MaxUnpool{len(given['size'])}DBackward0" if len(given["size"]) > 1 else "SqueezeBackward1",
    samples=["2 1 | int8: 2 1 ; size=(8,)", "1 2 1 1 | int12: 1 2 1 1 ; size=(3, 4)"],
    errors=[("1 | int8: 1 ; size=(0,)", RuntimeError, "Found an invalid max index")])
def max_unpool(xp, x, positions, size):
    """Put each element of ``x`` to its position in an image of zeros, of ``size``."""
    out = xp.kernels.pool_put(x, positions, size)
    if out is None:
        outside = positions[(positions < 0) | (positions >= count(size))]
        raise RuntimeError(f"Found an invalid max index: {int(xp.to_host(outside[0]))} "
                           f"(output volumes are of size {'x'.join(map(str, size))})")
    return out


@max_unpool.vjp("x")
def max_unpool_dx(xp, g, positions, size):
    return xp._pool_gather(g, positions, len(size))


@op("torch._pool_gather", nondifferentiable="positions",
    batch="leading", samples=["2 8 | int8: 2 3 ; dims=1", "1 2 3 4 | int12: 1 2 2 3 ; dims=2"])
def pool_gather(xp, x, positions, dims):
    """The elements of ``x`` at their positions in its flattened last ``dims`` dimensions."""
    return xp.kernels.pool_gather(x, positions, dims)


@pool_gather.vjp("x")
def pool_gather_dx(xp, g, x: Meta, positions, dims):
    return xp._pool_scatter(g, positions, x.shape[x.ndim - dims:])


def pool_arguments(name, dims, kernel_size, stride, padding, dilation=1):
    """Kernel, stride, padding and dilation, each once per dimension."""
    values = []
    for what, value in (("kernel_size", kernel_size), ("stride", stride), ("padding", padding), ("dilation", dilation)):
        if value is None or value == () or value == []:
            value = kernel_size                    # the stride's default
        if isinstance(value, int):
            values.append((value,) * dims)
        elif len(value) in (1, dims):
            values.append(tuple(value) * (dims // len(value)))
        elif dims == 1:
            raise RuntimeError(f"{name}() {what} must be an int, list of ints or tuple of ints of size 1 but got size "
                               f"{len(value)}")
        else:
            omitted = "omitted, " if what == "stride" else ""
            raise RuntimeError(f"{name}: {what} must either be {omitted}a single int, or a tuple of "
                               f"{'two' if dims == 2 else 'three'} ints")
    if any(abs(n) >= 2**31 for given in values for n in given if isinstance(n, int)):
        raise RuntimeError("value cannot be converted to type int without overflow")
    return values


def places_of(size, kernel, stride, padding, dilation, ceil_mode):
    """How many windows fit; ``ceil_mode`` allows a last one that starts inside and ends outside."""
    result = []
    for n, k, s, p, d in zip(size, kernel, stride, padding, dilation):
        count = (n + 2 * p - d * (k - 1) - 1 + (s - 1 if ceil_mode else 0)) // s + 1
        result.append(count - 1 if ceil_mode and (count - 1) * s >= n + p else count)
    return tuple(result)


def check_windows(name, size, kernel, stride, padding, dilation):
    if name == "max_pool1d":
        for what, (value,) in (("kernel_size", kernel), ("stride", stride), ("dilation", dilation)):
            if value <= 0:
                raise RuntimeError(f"max_pool1d() {what} must be greater than zero, but got {value}")
        if padding[0] < 0:
            raise RuntimeError(f"max_pool1d() padding must be non-negative, but got {padding[0]}")
        if padding[0] > kernel[0] // 2:
            raise RuntimeError("max_pool1d() padding should be at most half of kernel size, but got "
                               f"padding={padding[0]} and kernel_size={kernel[0]}")
        return
    if 0 in stride:
        raise RuntimeError("stride should not be zero")
    line = (1,) * (len(kernel) == 1)                # PyTorch pools a sequence as an image of one line
    for what, letter, values in (("kernel size", "k", (*line, *kernel)), ("stride", "d", (*line, *stride))):
        if min(values) <= 0:
            axes = ("T", "H", "W")[-len(values):]
            raise RuntimeError(f"{what} should be greater than zero, but got "
                               + " ".join(f"{letter}{axis}: {value}" for axis, value in zip(axes, values)))
    if min(dilation) <= 0:
        axes = ("dilationT", "dilationH", "dilationW")[-len(kernel):]
        raise RuntimeError("dilation should be greater than zero, but got "
                           + " ".join(f"{axis}: {d}" for axis, d in zip(axes, dilation)))
    for p, k, d in zip(padding, kernel, dilation):
        if p < 0:
            raise RuntimeError(f"pad must be non-negative, but got pad: {p}")
        if p > (d * (k - 1) + 1) // 2:
            raise RuntimeError("pad should be at most half of effective kernel size, but got "
                               f"pad={p}, kernel_size={k} and dilation={d}")


def check_places(name, x, places):
    dims = len(places)
    if min(places) < 1:
        if name == "max_pool1d":
            raise RuntimeError(f"max_pool1d() Invalid computed output size: {places[0]}")
        given, computed = (tuple(x.shape[-dims - 1:]), (x.shape[-dims - 1], *places))
        if dims == 1:                           # PyTorch pools a sequence as an image of one line
            given, computed = (given[0], 1, given[1]), (computed[0], 1, computed[1])
        raise RuntimeError("Given input size: ({}). Calculated output size: ({}). Output size is too small".format(
            "x".join(map(str, given)), "x".join(map(str, computed))))


def check_pooled(name, dims, x):
    """A batched or unbatched image, empty in the batch at most."""
    if x.ndim not in (dims + 1, dims + 2):
        if name == "avg_pool2d":
            normalize(-3, x.ndim)                           # refuses fewer dims
        if name == "max_pool1d":
            raise RuntimeError("max_pool1d: Expected 2D or 3D (batch mode) tensor with optional 0 dim batch size for "
                               f"input, but got:{list(x.shape)}")
        if dims == 1:
            raise RuntimeError(f"Expected 2 to 3 dimensions, but got {x.ndim}-dimensional tensor for argument #1 "
                               f"'self' (while checking arguments for {name})")
        raise RuntimeError(f"non-empty {dims + 1}D or {dims + 2}D (batch mode) tensor expected for input")
    if 0 in x.shape[1 if x.ndim == dims + 2 else 0:]:
        raise RuntimeError(f"Expected {dims + 1}D or {dims + 2}D (batch mode) tensor with optional 0 dim batch size "
                           f"for input, but got:{list(x.shape)}")


def pool_largest(fns, dims, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices):
    name = f"max_pool{dims}d"
    windows = pool_arguments(name, dims, kernel_size, stride, padding, dilation)
    check_windows(name, input.shape, *windows)
    check_pooled(name, dims, input)
    places = places_of(input.shape[-dims:], *windows, ceil_mode)
    check_places(name, input, places)
    if not return_indices:
        return fns._max_pool(input, places, *windows)
    if dims == 1:                               # an image of one line, as in PyTorch
        input, places = input.unsqueeze(-2), (1, *places)
        windows = [(first, *each) for first, each in zip((1, 1, 0, 1), windows)]
    out = fns._max_pool(input, places, *windows)
    positions = fns._max_pool_positions(input.detach(), places, *windows)
    return (out.squeeze(-2), positions.squeeze(-2)) if dims == 1 else (out, positions)


@composite("nn.functional.max_pool1d", "torch.max_pool1d", domain="distinct",
           samples=["2 3 6 ; kernel_size=2", "3 7 ; kernel_size=3, stride=2, padding=1, ceil_mode=True",
                    "2 3 7 ; kernel_size=2, dilation=2, return_indices=True"],
           errors=[("5 ; kernel_size=2", RuntimeError, "max_pool1d: Expected 2D or 3D (batch mode) tensor"),
                   ("1 1 1 ; kernel_size=2", RuntimeError, "max_pool1d() Invalid computed output size: 0")])
def max_pool1d(fns, input, kernel_size: int | tuple, stride: int | tuple = None, padding: int | tuple = 0,
               dilation: int | tuple = 1, ceil_mode=False, return_indices: "bool" = False) -> object:
    """The largest element of each window of a sequence ``(n, c, length)`` or ``(c, length)``."""
    return pool_largest(fns, 1, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@composite("nn.functional.max_pool2d", "torch.max_pool2d", domain="distinct",
           samples=["2 3 4 6 ; kernel_size=2", "3 5 7 ; kernel_size=3, stride=2, padding=1, ceil_mode=True",
                    "2 3 7 6 ; kernel_size=(2, 3), stride=(2, 1), dilation=(2, 1)",
                    "1 2 4 4 ; kernel_size=2, return_indices=True", "0 3 4 4 ; kernel_size=2"],
           errors=[("1 3 5 5 ; kernel_size=2, padding=2", RuntimeError,
                    "pad should be at most half of effective kernel size, but got pad=2, kernel_size=2 and dilation=1"),
                   ("1 1 1 1 ; kernel_size=2", RuntimeError,
                    "Given input size: (1x1x1). Calculated output size: (1x0x0). Output size is too small"),
                   ("5 5 ; kernel_size=2", RuntimeError, "non-empty 3D or 4D (batch mode) tensor expected for input")])
def max_pool2d(fns, input, kernel_size: int | tuple, stride: int | tuple = None, padding: int | tuple = 0,
               dilation: int | tuple = 1, ceil_mode=False, return_indices: "bool" = False) -> object:
    """The largest element of each window of an image ``(n, c, h, w)`` or ``(c, h, w)``.

    ``stride`` is ``kernel_size`` unless given. Among equals the first in reading order gets the gradient.

    >>> lw.nn.functional.max_pool2d(lw.arange(16.).reshape(1, 4, 4), 2)
    tensor([[[ 5.,  7.],
             [13., 15.]]])
    """
    return pool_largest(fns, 2, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


@composite("nn.functional.max_pool3d", "torch.max_pool3d", domain="distinct",
           autocast="float32",
           samples=["1 2 4 4 4 ; kernel_size=2", "2 4 5 4 ; kernel_size=3, stride=2, padding=1, return_indices=True"])
def max_pool3d(fns, input, kernel_size: int | tuple, stride: int | tuple = None, padding: int | tuple = 0,
               dilation: int | tuple = 1, ceil_mode=False, return_indices: "bool" = False) -> object:
    """The largest element of each window of a volume ``(n, c, d, h, w)`` or ``(c, d, h, w)``."""
    return pool_largest(fns, 3, input, kernel_size, stride, padding, dilation, ceil_mode, return_indices)


# --- mean ------------------------------------------------------------------------------------------------------------

def avg_pool_node(given):
    return f"AvgPool{len(given['kernel'])}DBackward0"


@op("torch._avg_pool", row_major=True, keeps_format="x", linear=True, node=avg_pool_node,
    batch="leading",
    samples=["2 5 4 ; places=(3, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1), include_pad=True, divisor=None",
             "2 5 4 ; places=(3, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1), include_pad=False, divisor=None",
             "2 5 4 ; places=(3, 3), kernel=(3, 2), stride=(2, 2), padding=(1, 1), include_pad=True, divisor=5"])
def avg_pool(xp, x, places, kernel, stride, padding, include_pad, divisor):
    """The mean of each window, or its sum over ``divisor``."""
    refuse_kinds(x, "bc", "avg_pool3d_out_frame" if len(kernel) == 3 else "avg_pool2d")
    return xp.kernels.pool_mean(x, places, kernel, stride, padding, include_pad, divisor)


@avg_pool.onnx
def avg_pool_onnx(onnx, x, places, kernel, stride, padding, include_pad, divisor):
    size, ones = x.shape[x.ndim - len(kernel):], (1,) * len(kernel)
    up = int(tuple(places) != places_of(size, kernel, stride, padding, ones, False))
    if divisor is not None or up and include_pad:
        return None
    return with_batch(onnx, x, len(kernel), lambda x: onnx.AveragePool(
        x, kernel_shape=[*kernel], strides=[*stride], pads=[*padding, *padding], ceil_mode=up,
        count_include_pad=int(include_pad)))


@avg_pool.vjp("x")
def avg_pool_dx(xp, g, x: Meta, kernel, stride, padding, include_pad, divisor):
    return xp._avg_pool_adjoint(g, x.shape[x.ndim - len(kernel):], kernel, stride, padding, include_pad, divisor)


@op("torch._avg_pool_adjoint", linear=True,
    batch="leading",
    samples=["2 3 3 ; size=(5, 4), kernel=(3, 2), stride=(2, 2), padding=(1, 1), include_pad=True, divisor=None",
             "2 3 3 ; size=(5, 4), kernel=(3, 2), stride=(2, 2), padding=(1, 1), include_pad=False, divisor=None"])
def avg_pool_adjoint(xp, x, size, kernel, stride, padding, include_pad, divisor):
    """Give each element of an image of ``size`` its share of ``x`` from every window that holds it."""
    return xp.kernels.pool_mean_adjoint(x, tuple(size), kernel, stride, padding, include_pad, divisor)


@avg_pool_adjoint.vjp("x")
def avg_pool_adjoint_dx(xp, g, x: Meta, kernel, stride, padding, include_pad, divisor):
    return xp._avg_pool(g, tuple(x.shape[x.ndim - len(kernel):]), kernel, stride, padding, include_pad, divisor)


def pool_average(fns, dims, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor=None):
    name = f"avg_pool{dims}d"
    kernel, stride, padding, dilation = pool_arguments(name, dims, kernel_size, stride, padding)
    check_pooled(name, dims, input)
    check_windows(name, input.shape, kernel, stride, padding, dilation)
    if divisor == 0:
        raise RuntimeError("divisor must be not zero")
    if dims == 3 and any(n < k for n, k in zip(input.shape[-3:], kernel)):           # whatever the padding adds, as in PyTorch
        sizes, sides = (" ".join(f"{letter}{axis}: {n}" for axis, n in zip("THW", numbers))
                        for letter, numbers in (("", input.shape[-3:]), ("k", kernel)))
        raise RuntimeError(f"input image ({sizes}) smaller than kernel size ({sides})")
    places = places_of(input.shape[-dims:], kernel, stride, padding, dilation, ceil_mode)
    check_places(name, input, places)
    if dims == 1:                                           # an image one high, of which a view is given back
        return fns._avg_pool(input.unsqueeze(-2), (1, *places), (1, *kernel), (1, *stride), (0, *padding), count_include_pad,
                             divisor).squeeze(-2)
    return fns._avg_pool(input, places, kernel, stride, padding, count_include_pad, divisor)


@composite("nn.functional.avg_pool1d", "torch.avg_pool1d",
           samples=["2 3 6 ; kernel_size=2", "3 7 ; kernel_size=3, stride=2, padding=1, ceil_mode=True",
                    "2 3 6 ; kernel_size=3, padding=1, count_include_pad=False"])
def avg_pool1d(fns, input, kernel_size: int | tuple, stride: int | tuple = None, padding: int | tuple = 0, ceil_mode=False,
               count_include_pad=True):
    """The mean of each window of a sequence ``(n, c, length)`` or ``(c, length)``."""
    return pool_average(fns, 1, input, kernel_size, stride, padding, ceil_mode, count_include_pad)


@composite("nn.functional.avg_pool2d",
           samples=["2 3 4 6 ; kernel_size=2", "3 5 8 ; kernel_size=3, stride=2, padding=1, ceil_mode=True",
                    "2 3 5 8 ; kernel_size=3, stride=2, padding=1, ceil_mode=True, count_include_pad=False",
                    "2 3 5 5 ; kernel_size=(2, 3), divisor_override=4"],
           errors=[("1 3 5 5 ; kernel_size=2, padding=2", RuntimeError,
                    "pad should be at most half of effective kernel size"),
                   ("1 3 5 5 ; kernel_size=2, divisor_override=0", RuntimeError, "divisor must be not zero")])
def avg_pool2d(fns, input, kernel_size: int | tuple, stride: int | tuple = None, padding: int | tuple = 0, ceil_mode=False,
               count_include_pad=True, divisor_override: int = None):
    """The mean of each window of an image ``(n, c, h, w)`` or ``(c, h, w)``; padding counts as zeros."""
    return pool_average(fns, 2, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)


@composite("nn.functional.avg_pool3d", autocast="float32",
           samples=["1 2 4 4 4 ; kernel_size=2", "2 4 5 4 ; kernel_size=3, padding=1"])
def avg_pool3d(fns, input, kernel_size: int | tuple, stride: int | tuple = None, padding: int | tuple = 0, ceil_mode=False,
               count_include_pad=True, divisor_override: int = None):
    """The mean of each window of a volume ``(n, c, d, h, w)`` or ``(c, d, h, w)``."""
    input = input.contiguous()                              # volumes are laid out row by row, as in PyTorch
    return pool_average(fns, 3, input, kernel_size, stride, padding, ceil_mode, count_include_pad, divisor_override)
