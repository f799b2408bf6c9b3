"""Pictures as TensorBoard takes them: pixels of three or four channels, in a PNG file."""
import math
import struct
import zlib

import leafward as lw


def grid(pictures, columns):
    """Pictures (n, c, h, w), row by row in a picture (c, rows * h, columns * w); black where there are none."""
    n, c, h, w = pictures.shape
    rows = math.ceil(n / columns)
    filled = lw.cat([pictures, lw.zeros(rows * columns - n, c, h, w, dtype=pictures.dtype)])
    return filled.reshape(rows, columns, c, h, w).permute(2, 0, 3, 1, 4).reshape(c, rows * h, columns * w)


def pixels_of(picture, dataformats, columns=8):
    """``picture`` as uint8 of shape (height, width, channels); several in a grid of at most ``columns``."""
    dims = dataformats.upper()
    known = (["C", "H", "N", "W"], ["C", "H", "W"], ["H", "W"])
    if sorted(dims) not in known or len(dims) != picture.dim():
        raise ValueError(f"size of input tensor and input format are different: tensor shape: "
                         f"{tuple(picture.shape)}, input_format: {dataformats}")
    picture = picture.detach()
    if picture.dtype != lw.uint8:
        picture = (picture.to(lw.float32) * 255).clamp(0, 255).to(lw.uint8)
    if "N" in dims:
        picture = picture.permute(*(dims.index(d) for d in "NCHW"))
        picture, dims = grid(picture, min(len(picture), columns)), "CHW"
    if "C" not in dims:
        picture, dims = picture.unsqueeze(-1), dims + "C"
    picture = picture.permute(*(dims.index(d) for d in "HWC"))
    if picture.shape[2] not in (1, 3, 4):
        raise ValueError(f"a picture has 1, 3 or 4 channels, not {picture.shape[2]}")
    return picture.expand(-1, -1, 3) if picture.shape[2] == 1 else picture


def png(pixels):
    """The bytes of a PNG file: a header, one compressed chunk of rows (each after a byte 0: not filtered), an end."""
    height, width, channels = pixels.shape

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = lw.cat([lw.zeros(height, 1, dtype=lw.uint8), pixels.reshape(height, -1)], dim=1)
    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows.numpy().tobytes()))
            + chunk(b"IEND", b""))


def picture_of(figure, close):
    """A matplotlib figure as pixels (3, height, width)."""
    from matplotlib import pyplot
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    width, height = canvas.get_width_height()
    pixels = lw.frombuffer(bytearray(canvas.buffer_rgba()), dtype=lw.uint8).reshape(height, width, 4)
    if close:
        pyplot.close(figure)
    return pixels[..., :3].permute(2, 0, 1)


def sprite(pictures):
    """Pictures (n, c, h, w) in as many columns as rows, on a square, as the projector wants them."""
    pixels = pixels_of(pictures, "NCHW", columns=math.ceil(math.sqrt(len(pictures))))
    height, width, _ = pixels.shape
    return lw.nn.functional.pad(pixels, (0, 0, 0, max(height - width, 0), 0, max(width - height, 0)))
