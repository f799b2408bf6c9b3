"""Images at other sizes, and their pixels in another order.

Args:
    size: the size of the result in the last dims; None: `scale_factor` is given
    scale_factor: how many times as large the result is; None: `size` is given
    recompute_scale_factor: True: the scale is computed from both sizes. False and None: `scale_factor` is used as it is
    antialias: True: average over all pixels that a smaller image puts together
    upscale_factor: how many times as high and wide
    downscale_factor: how many times as high and wide the input is
    align_corners: True: the corner pixels' centres stay in the corners. False and None: the image's edges do
    input: the image, `(n, c, *space)`
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.dims import count, size_at
from leafward.ops.kinds import refuse_kinds

# --- at another size -------------------------------------------------------------------------------------------------

def upsample_node(given):
    mode, dims = given["mode"], len(given["size"])
    name = {"nearest": "Nearest", "nearest-exact": "NearestExact", "bicubic": "Bicubic",
            "linear": ("Linear", "Bilinear", "Trilinear")[dims - 1]}[mode]
    return f"Upsample{name}{dims}D{'Aa' if given['antialias'] else ''}Backward0"


@op("torch._interpolate", keeps_format="x", linear=True, node=upsample_node,
    batch="leading", samples=["1 2 3 ; size=(5,), mode='linear', align_corners=False, steps=(0.6,), antialias=False",
             "2 3 3 ; size=(5, 2), mode='bicubic', align_corners=True, steps=(0.5, 2.0), antialias=False",
             "2 3 4 ; size=(5, 2), mode='nearest', align_corners=False, steps=(0.6, 2.0), antialias=False",
             "2 3 8 ; size=(5, 2), mode='linear', align_corners=False, steps=(0.6, 4.0), antialias=True"])
def interpolate_op(xp, x, size, mode, align_corners, steps, antialias):
    """The last dimensions at ``size`` positions, which lie ``steps`` elements apart."""
    if x.dtype.name == "uint8" and mode.startswith("nearest"):
        wide = xp.kernels.interpolate(xp.astype(x, dtypes.float32), size, mode, align_corners, steps, antialias)
        return xp.astype(wide, x.dtype)
    if x.dtype.name == "uint8" and len(size) == 2:
        return xp.kernels.interpolate_bytes(x, size, mode, align_corners, steps, antialias)
    channels_last = "_channels_last" if mode.startswith("nearest") and len(size) == 2 else ""
    refuse_kinds(x, "biuc", upsample_kernel(mode, len(size)) + channels_last)
    return xp.kernels.interpolate(x, size, mode, align_corners, steps, antialias)


def upsample_kernel(mode, dims):
    mode = ("linear", "bilinear", "trilinear")[dims - 1] if mode == "linear" else mode
    return f"upsample_{mode}{dims}d"


@interpolate_op.onnx
def interpolate_onnx(onnx, x, size, mode, align_corners, steps, antialias):
    kinds = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "bicubic": "cubic"}
    if mode not in kinds or antialias or mode == "bicubic" and x.ndim != 4:
        return None
    corners = "asymmetric" if mode == "nearest" else "align_corners" if align_corners else "half_pixel"
    return onnx.Resize(x, None, None, (*x.shape[:x.ndim - len(size)], *size), mode=kinds[mode], nearest_mode="floor",
                       coordinate_transformation_mode=corners, cubic_coeff_a=-0.75)


@interpolate_op.vjp("x")
def interpolate_dx(xp, g, x: Meta, size, mode, align_corners, steps, antialias):
    return xp._interpolate_adjoint(g, tuple(x.shape[x.ndim - len(size):]), mode, align_corners, steps, antialias)


@op("torch._interpolate_adjoint", linear=True,
    batch="leading", samples=["2 5 2 ; size=(3, 4), mode='linear', align_corners=False, steps=(0.6, 2.0), antialias=False"])
def interpolate_adjoint(xp, x, size, mode, align_corners, steps, antialias):
    """Give each element of an image of ``size`` its weighted share of ``x``."""
    return xp.kernels.interpolate_adjoint(x, size, mode, align_corners, steps, antialias)


@interpolate_adjoint.vjp("x")
def interpolate_adjoint_dx(xp, g, x: Meta, size, mode, align_corners, steps, antialias):
    return xp._interpolate(g, tuple(x.shape[x.ndim - len(size):]), mode, align_corners, steps, antialias)


MODES = "nearest | linear | bilinear | bicubic | trilinear | lanczos | area | nearest-exact"
NEEDED = {"linear": 3, "bilinear": 4, "bicubic": 4, "trilinear": 5}


def per_dimension(value, name, shape_word, letters, input):
    dims = input.ndim - 2
    if not isinstance(value, (tuple, list)):
        return (value,) * dims
    if len(value) != dims:
        given = "output size of" if name == "size" else "scale_factor of shape"
        shown = "output" if name == "size" else "scale_factor"
        raise ValueError(
            f"Input and {shown} must have the same number of spatial dimensions, but got input with spatial dimensions "
            f"of {list(input.shape[2:])} and {given} {tuple(value)}. Please provide input tensor in (N, C, d1, d2, "
            f"...,dK) format and {shape_word} in ({letters}1, {letters}2, ...,{letters}K) format.")
    return tuple(value)


@composite("nn.functional.interpolate",
           samples=["1 2 3 ; size=5", "2 2 3 4 ; scale_factor=2", "1 2 5 6 ; scale_factor=(0.5, 1.5), mode='nearest-exact'",
                    "1 2 3 ; size=5, mode='linear'", "1 2 3 4 ; size=(5, 7), mode='bilinear'",
                    "1 2 3 4 ; scale_factor=1.7, mode='bilinear', align_corners=True",
                    "1 2 3 4 ; scale_factor=1.7, mode='bilinear', recompute_scale_factor=True",
                    "1 2 5 4 ; size=(3, 9), mode='bicubic'", "1 1 5 4 ; size=(3, 9), mode='bicubic', align_corners=True",
                    "1 1 2 3 2 ; size=(3, 2, 4), mode='trilinear'", "1 2 6 5 ; size=3, mode='area'",
                    "1 1 8 7 ; size=3, mode='bilinear', antialias=True", "1 1 8 7 ; size=3, mode='bicubic', antialias=True"],
           errors=[("1 2 3 3", ValueError, "either size or scale_factor should be defined"),
                   ("1 2 3 3 ; size=2, scale_factor=2", ValueError, "only one of size or scale_factor should be defined"),
                   ("1 2 3 ; size=2, mode='bilinear'", NotImplementedError,
                    "Got 3D input, but bilinear mode needs 4D input"),
                   ("1 2 3 3 ; size=2, align_corners=True", ValueError, "align_corners option can only be set with"),
                   ("1 2 3 3 ; size=0", RuntimeError, "Input and output sizes should be greater than 0")],
           tolerance=(1e-5, 1e-5))             # PyTorch computes the weights in float32
def interpolate(fns, input, size=None, scale_factor=None, mode="nearest", align_corners=None,
                recompute_scale_factor=None, antialias: "bool" = False):
    """The image ``(n, c, ...)`` at another ``size``, or ``scale_factor`` times as large.

    ``mode`` is ``"nearest"``, ``"nearest-exact"``, ``"linear"``, ``"bilinear"``, ``"bicubic"``, ``"trilinear"`` or
    ``"area"``. With ``align_corners`` the corner pixels' centres stay where they are, otherwise the image's edges do.

    Args:
        mode: how to read between pixels
    Source: cubic convolution: Keys, 1981, IEEE Transactions on Acoustics, Speech and Signal Processing 29
    """
    if mode in ("nearest", "nearest-exact", "area"):
        if align_corners is not None:
            raise ValueError("align_corners option can only be set with the interpolating modes: linear | bilinear | "
                             "bicubic | trilinear")
    if size is None and scale_factor is None:
        raise ValueError("either size or scale_factor should be defined")
    if size is not None and scale_factor is not None:
        raise ValueError("only one of size or scale_factor should be defined")
    lengths = tuple(input.shape[2:])
    scales = None
    if size is None:
        scales = tuple([float(s) for s in per_dimension(scale_factor, "scale_factor", "scale_factor", "s", input)])
        size = tuple([int(n * s) for n, s in zip(lengths, scales)])
    else:
        size = per_dimension(size, "size", "output size", "o", input)
        if recompute_scale_factor:
            raise ValueError("recompute_scale_factor is not meaningful with an explicit size.")
    if antialias and not (mode in ("bilinear", "bicubic") and input.ndim == 4):
        raise ValueError("Anti-alias option is restricted to bilinear, bicubic, and lanczos modes and requires a 4-D "
                         "tensor as input")
    if not 3 <= input.ndim <= 5 or mode not in MODES.split(" | ") or (mode == "bicubic" and input.ndim == 5):
        raise NotImplementedError(f"Input Error: Only 3D, 4D and 5D input Tensors supported (got {input.ndim}D) for the "
                                  f"modes: {MODES} (got {mode})")
    if mode in NEEDED and input.ndim != NEEDED[mode]:
        raise NotImplementedError(f"Got {input.ndim}D input, but {mode} mode needs {NEEDED[mode]}D input")
    if min(*lengths, *size) <= 0:
        letters = ("W", "HW", "DHW")[len(size) - 1]
        joint = "and output" if len(size) == 1 else "output"
        given, wanted = (", ".join(f"{letter}: {n}" for letter, n in zip(letters, sizes)) for sizes in (lengths, size))
        raise RuntimeError(f"Input and output sizes should be greater than 0, but got input ({given}) {joint} ({wanted})")
    if mode != "area" and 0 in input.shape[1:]:
        raise RuntimeError(f"Non-empty {input.ndim}D data tensor expected but got a tensor with sizes {list(input.shape)}")
    if mode == "area":
        return getattr(fns, f"adaptive_avg_pool{len(size)}d")(input, size)
    if align_corners:
        steps = tuple([(n - 1) / (m - 1) if m > 1 else 0.0 for n, m in zip(lengths, size)])
    elif scales is not None and not recompute_scale_factor:
        steps = tuple([1 / s for s in scales])
    else:
        steps = tuple([n / m for n, m in zip(lengths, size)])
    kind = "linear" if mode.endswith("linear") else mode
    return fns._interpolate(input, size, kind, bool(align_corners), steps, bool(antialias))


# --- pixels in another order -----------------------------------------------------------------------------------------

@op("pixel_shuffle", "nn.functional.pixel_shuffle", linear=True, keeps_format="x",
    batch="leading", samples=["1 8 2 3 ; upscale_factor=2", "9 1 2 ; upscale_factor=3"],
    errors=[("1 3 2 2 ; upscale_factor=2", RuntimeError,
             "pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of upscale_factor"),
            ("2 2 ; upscale_factor=2", RuntimeError, "pixel_shuffle expects input to have at least 3 dimensions")])
def pixel_shuffle(xp, x, upscale_factor: int):
    """Turn groups of channels into blocks of pixels: ``(*, c r r, h, w) -> (*, c, h r, w r)``.

    Source: Shi et al., 2016, arXiv:1609.05158
    """
    r = upscale_factor
    if x.ndim < 3:
        raise RuntimeError(f"pixel_shuffle expects input to have at least 3 dimensions, but got input with {x.ndim} "
                           "dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_shuffle expects a positive upscale_factor, but got {r}")
    *lead, c, h, w = x.shape
    if c % (r * r):
        raise RuntimeError("pixel_shuffle expects its input's 'channel' dimension to be divisible by the square of "
                           f"upscale_factor, but input.size(-3)={c} is not divisible by {r * r}")
    blocks = x.reshape((count(lead) * c // (r * r), r, r, h, w))                                         # c r r h w
    rows = xp.permute_dims(blocks, (0, 3, 1, 4, 2))                              # c h r w r
    return rows.reshape((*lead, c // (r * r), h * r, w * r))


@pixel_shuffle.vjp("x")
def pixel_shuffle_dx(xp, g, upscale_factor):
    return xp.pixel_unshuffle(g, upscale_factor)


@op("pixel_unshuffle", "nn.functional.pixel_unshuffle", linear=True, keeps_format="x",
    batch="leading", samples=["1 2 4 6 ; downscale_factor=2", "1 3 6 ; downscale_factor=3"],
    errors=[("1 3 3 2 ; downscale_factor=2", RuntimeError,
             "pixel_unshuffle expects height to be divisible by downscale_factor, but input.size(-2)=3 is not divisible "
             "by 2")])
def pixel_unshuffle(xp, x, downscale_factor: int):
    """Turn blocks of pixels into groups of channels: ``(*, c, h r, w r) -> (*, c r r, h, w)``."""
    r = downscale_factor
    if x.ndim < 3:
        raise RuntimeError(f"pixel_unshuffle expects input to have at least 3 dimensions, but got input with {x.ndim} "
                           "dimension(s)")
    if r <= 0:
        raise RuntimeError(f"pixel_unshuffle expects a positive downscale_factor, but got {r}")
    *lead, c, h, w = x.shape
    for dim, name, size in ((-2, "height", h), (-1, "width", w)):
        if size % r:
            raise RuntimeError(f"pixel_unshuffle expects {name} to be divisible by downscale_factor, but "
                               f"input.size({dim})={size} is not divisible by {r}")
    blocks = x.reshape((count(lead) * c, h // r, r, w // r, r))                               # c h r w r
    channels = xp.permute_dims(blocks, (0, 2, 4, 1, 3))                          # c r r h w
    return channels.reshape((*lead, c * r * r, h // r, w // r))


@pixel_unshuffle.vjp("x")
def pixel_unshuffle_dx(xp, g, downscale_factor):
    return xp.pixel_shuffle(g, downscale_factor)


@op("torch._channel_shuffle", linear=True, row_major=True, keeps_format="x", node="ChannelShuffleBackward0",
    samples=["2 6 3 ; groups=2", "1 6 2 2 ; groups=3"], reference=lambda torch, x, groups: torch.channel_shuffle(x, groups))
def shuffle_channels(xp, x, groups):
    """Deal the channels out: those of ``groups`` groups one after the other become neighbours."""
    n, channels, *space = x.shape
    return xp.permute_dims(x.reshape((n, groups, channels // groups, count(space))), (0, 2, 1, 3)).reshape(x.shape)


@shuffle_channels.vjp("x")
def shuffle_channels_dx(xp, g, groups):
    return xp._channel_shuffle(g, g.shape[1] // groups)


@shuffle_channels.batch
def shuffle_channels_batch(fns, call):
    x = call.front(0)
    return call.run([x.flatten(0, 1)])[0].unflatten(0, x.shape[:2])


# --- windows as columns ----------------------------------------------------------------------------------------------

def pairs(**options):
    """Each option as one for the height and one for the width."""
    for name, value in options.items():
        if not isinstance(value, int) and len(value) != 2:
            raise RuntimeError(f"It is expected {name} equals to 2, but got size {len(value)}")
    return [(value, value) if isinstance(value, int) else tuple(value) for value in options.values()]


def blocks_of(size, kernel, dilation, padding, stride):
    return tuple([(n + 2 * p - d * (k - 1) - 1) // s + 1 for n, k, d, p, s in zip(size, kernel, dilation, padding, stride)])


def check_blocks(kernel, dilation, padding, stride):
    for what, name, (high, wide) in (("kernel size", "kernel", kernel), ("dilation", "dilation", dilation),
                                     ("stride", "stride", stride)):
        if high <= 0 or wide <= 0:
            raise RuntimeError(f"{what} should be greater than zero, but got {name}_height: {high} {name}_width: {wide}")
    if min(padding) < 0:
        raise RuntimeError(f"padding should be non-negative, but got pad_height: {padding[0]} pad_width: {padding[1]}")


@op("torch.im2col", "nn.functional.unfold", linear=True, node="Im2ColBackward0", reference="nn.functional.unfold",
    samples=["2 3 4 5 ; kernel_size=2", "1 2 5 5 ; kernel_size=(3, 2), dilation=(1, 2), padding=1, stride=2",
             "2 4 4 ; kernel_size=2"],
    errors=[("1 1 1 1 ; kernel_size=2", RuntimeError, "Given input with spatial size (1, 1), kernel_size=(2, 2)"),
            ("2 3 4 5 ; kernel_size=2, dilation=(1,)", RuntimeError, "It is expected dilation equals to 2, but got size 1")])
def unfold_windows(xp, x, kernel_size, dilation: int | tuple = 1, padding: int | tuple = 0, stride: int | tuple = 1):
    """Sliding windows as columns: ``(n, c, h, w) -> (n, c k k, places)``."""
    kernel, dilation, padding, stride = pairs(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    check_blocks(kernel, dilation, padding, stride)
    size_at(x, 1) and size_at(x, 2)                         # refuses fewer dims; the second is looked up if the first is not 0
    if x.ndim not in (3, 4) or not x.shape[-3]:
        raise RuntimeError("Expected 3D or 4D (batch mode) tensor with possibly 0 batch size and other non-zero "
                           f"dimensions for input, but got: {list(x.shape)}")
    size = x.shape[-2:]
    blocks = blocks_of(size, kernel, dilation, padding, stride)
    if min(blocks) < 1:
        raise RuntimeError(f"Given input with spatial size {tuple(size)}, kernel_size={kernel}, dilation={dilation}, "
                           f"padding={padding}, calculated shape of the array of sliding blocks as {blocks}, but its "
                           "components must be at least one.")
    refuse_kinds(x, "iu", "im2col_out_cpu")
    columns = xp.kernels.unfold(x if x.ndim == 4 else x[None], kernel, stride, padding, dilation)
    return columns if x.ndim == 4 else columns[0]


@unfold_windows.onnx
def unfold_windows_onnx(onnx, x, kernel_size, dilation, padding, stride):
    kernel, dilation, padding, stride = pairs(kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    batch = x if x.ndim == 4 else x[None]
    blocks = blocks_of(batch.shape[2:], kernel, dilation, padding, stride)
    padded = onnx.pad(batch, [(0, 0), (0, 0), *[(width, width) for width in padding]])
    parts = []
    for i in range(kernel[0]):
        for j in range(kernel[1]):
            part = padded
            for dim, at, number, step in zip((2, 3), (i * dilation[0], j * dilation[1]), blocks, stride, strict=True):
                part = onnx.cut(part, dim, at, at + (number - 1) * step + 1, step)
            parts.append(part)
    columns = onnx.stack(parts, 2)
    columns = columns.reshape((*columns.shape[:1], columns.shape[1] * len(parts), blocks[0] * blocks[1]))
    return columns if x.ndim == 4 else columns[0]


@unfold_windows.vjp("x")
def unfold_windows_dx(xp, g, x: Meta, kernel_size, dilation, padding, stride):
    return xp.col2im(g, tuple(x.shape[-2:]), kernel_size, dilation, padding, stride)


@unfold_windows.batch
def unfold_windows_batch(fns, call):
    return call.rows(4)


@op("torch.col2im", "nn.functional.fold", linear=True, node="Col2ImBackward0", reference="nn.functional.fold",
    samples=["1 8 9 ; output_size=4, kernel_size=2", "18 4 ; output_size=(5, 6), kernel_size=3, padding=1, stride=3",
             "2 4 4 ; output_size=4, kernel_size=2, stride=2"],
    errors=[("1 7 9 ; output_size=(4, 4), kernel_size=2", RuntimeError, "to be divisible by the product of kernel_size"),
            ("1 8 8 ; output_size=(4, 4), kernel_size=2", RuntimeError, "number of sliding blocks 3 * 3 = 9")])
def fold_windows(xp, x, output_size, kernel_size, dilation: int | tuple = 1, padding: int | tuple = 0, stride: int | tuple = 1):
    """Add columns up where their windows lie: ``(n, c k k, places) -> (n, c, h, w)``.

    Args:
        output_size: height and width of the image
        input: the columns, `(n, c k k, places)`
    """
    size, kernel, dilation, padding, stride = pairs(
        output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    if x.ndim not in (2, 3) or 0 in x.shape[-2:]:
        raise RuntimeError("Expected 2D or 3D (batch mode) tensor for input with possibly 0 batch size and non-zero "
                           f"dimensions for input, but got: {list(x.shape)}")
    check_blocks(kernel, dilation, padding, stride)
    rows, columns = x.shape[-2:]
    if rows % (kernel[0] * kernel[1]):
        raise RuntimeError("Expected size of input's dimension 1 to be divisible by the product of kernel_size, but got "
                           f"input.size(1)={rows} and kernel_size={kernel}.")
    high, wide = blocks_of(size, kernel, dilation, padding, stride)
    if columns != high * wide:
        raise RuntimeError(f"Given output_size={size}, kernel_size={kernel}, dilation={dilation}, padding={padding}, "
                           f"stride={stride}, expected size of input's dimension 2 to match the calculated number of "
                           f"sliding blocks {high} * {wide} = {high * wide}, but got input.size(2)={columns}.")
    refuse_kinds(x, "iu", "col2im_out_cpu")
    images = xp.kernels.fold(x if x.ndim == 3 else x[None], size, kernel, stride, padding, dilation)
    return images if x.ndim == 3 else images[0]


@fold_windows.onnx
def fold_windows_onnx(onnx, x, output_size, kernel_size, dilation, padding, stride):
    size, kernel, dilation, padding, stride = pairs(
        output_size=output_size, kernel_size=kernel_size, dilation=dilation, padding=padding, stride=stride)
    images = onnx.Col2Im(x if x.ndim == 3 else x[None], size, kernel, dilations=[*dilation], pads=[*padding, *padding],
                         strides=[*stride])
    return images if x.ndim == 3 else onnx.Squeeze(images, (0,))


@fold_windows.vjp("x")
def fold_windows_dx(xp, g, kernel_size, dilation, padding, stride):
    return xp.im2col(g, kernel_size, dilation, padding, stride)


@fold_windows.batch
def fold_windows_batch(fns, call):
    return call.rows(3)
