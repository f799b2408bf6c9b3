"""``SummaryWriter``: scalars, histograms, images and texts for TensorBoard, through its ``tensorboard`` package."""
import os
import socket
import struct
import time
import zlib

import leafward as lw

try:
    from tensorboard.compat.proto.event_pb2 import Event
    from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
    from tensorboard.compat.proto.tensor_pb2 import TensorProto
    from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
    from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData
    from tensorboard.summary.writer.event_file_writer import EventFileWriter
except ImportError as missing:
    raise ModuleNotFoundError("torch.utils.tensorboard writes through TensorBoard's own package: "
                              "pip install tensorboard", name="tensorboard") from missing

#: The upper bounds of a histogram's bins: 1e-12 and up by tenths, and the same below zero.
POSITIVE = [1e-12 * 1.1**i for i in range(774)]
BOUNDS = [-bound for bound in reversed(POSITIVE)] + [0.0] + POSITIVE


class SummaryWriter:
    """Writes what it is given to an event file in ``log_dir`` (``runs/<time>_<host><comment>``), for TensorBoard to show.

    Values may be tensors or numbers; ``global_step`` is where they stand on the x axis. A ``with`` block closes it.
    """

    def __init__(self, log_dir=None, comment="", purge_step=None, max_queue=10, flush_secs=120, filename_suffix=""):
        if log_dir is None or log_dir == "":
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S_") + socket.gethostname() + comment)
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self.options = max_queue, flush_secs, filename_suffix
        self.writers = {}
        self.writer_in(self.log_dir)

    def writer_in(self, folder):
        if folder not in self.writers:
            self.writers[folder] = EventFileWriter(folder, *self.options)
            if self.purge_step is not None:
                self.writers[folder].add_event(Event(wall_time=time.time(), step=self.purge_step,
                                                     file_version="brain.Event:2"))
        return self.writers[folder]

    def add(self, value, global_step, walltime, folder=None):
        event = Event(summary=Summary(value=[value]), wall_time=time.time() if walltime is None else walltime)
        if global_step is not None:
            event.step = int(global_step)
        self.writer_in(folder or self.log_dir).add_event(event)

    def get_logdir(self):
        return self.log_dir

    def add_scalar(self, tag, scalar_value, global_step=None, walltime=None, new_style=False, double_precision=False):
        """One number."""
        self.add(Summary.Value(tag=tag, simple_value=float(scalar_value)), global_step, walltime)

    def add_scalars(self, main_tag, tag_scalar_dict, global_step=None, walltime=None):
        """Several numbers in one chart: each has a folder of its own beside the event file."""
        for tag, scalar in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, main_tag.replace("/", "_") + "_" + tag)
            self.add(Summary.Value(tag=main_tag, simple_value=float(scalar)), global_step, walltime, folder)

    def add_histogram(self, tag, values, global_step=None, bins="tensorflow", walltime=None, max_bins=None):
        """How often the numbers in ``values`` fall into bins whose bounds grow by tenths."""
        if bins != "tensorflow" or max_bins is not None:
            raise NotImplementedError("add_histogram has TensorBoard's own bins only: leave out bins= and max_bins=")
        values = lw.as_tensor(values).detach().reshape(-1).to(lw.float64)
        if values.numel() == 0:
            raise ValueError("The input has no element.")
        places = lw.searchsorted(lw.tensor(BOUNDS, dtype=lw.float64), values, right=True)
        counts = lw.bincount(places.clamp(max=len(BOUNDS) - 1), minlength=len(BOUNDS)).tolist()
        first = next(i for i, count in enumerate(counts) if count)
        last = max(i for i, count in enumerate(counts) if count)
        start = max(first - 1, 0)                                   # the empty bin says where the first full one begins
        proto = HistogramProto(
            min=values.min().item(), max=values.max().item(), num=values.numel(), sum=values.sum().item(),
            sum_squares=values.square().sum().item(), bucket_limit=BOUNDS[start:last + 1],
            bucket=[float(count) for count in counts[start:last + 1]])
        self.add(Summary.Value(tag=tag, histo=proto), global_step, walltime)

    def add_image(self, tag, img_tensor, global_step=None, walltime=None, dataformats="CHW"):
        """A picture with one, three or four channels: uint8, or floats from 0 to 1. ``dataformats`` names the dims."""
        pixels = pixels_of(lw.as_tensor(img_tensor), dataformats)
        height, width, channels = pixels.shape
        image = Summary.Image(height=height, width=width, colorspace=channels, encoded_image_string=png(pixels))
        self.add(Summary.Value(tag=tag, image=image), global_step, walltime)

    def add_images(self, tag, img_tensor, global_step=None, walltime=None, dataformats="NCHW"):
        """Pictures of one size, side by side."""
        pictures = lw.as_tensor(img_tensor)
        along = dataformats.upper().index("N")
        rest = dataformats.upper().replace("N", "")
        row = lw.cat(list(pictures.unbind(along)), dim=rest.index("W"))
        self.add_image(tag, row, global_step, walltime, rest)

    def add_text(self, tag, text_string, global_step=None, walltime=None):
        """A text in Markdown."""
        about = SummaryMetadata(plugin_data=SummaryMetadata.PluginData(
            plugin_name="text", content=TextPluginData(version=0).SerializeToString()))
        tensor = TensorProto(dtype="DT_STRING", string_val=[text_string.encode("utf-8")],
                             tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]))
        self.add(Summary.Value(tag=f"{tag}/text_summary", metadata=about, tensor=tensor), global_step, walltime)

    def __getattr__(self, name):
        if name.startswith("add_"):
            raise NotImplementedError(f"SummaryWriter.{name} is not there: use add_scalar, add_scalars, add_histogram, "
                                      "add_image, add_images or add_text")
        raise AttributeError(f"'SummaryWriter' object has no attribute '{name}'")

    def flush(self):
        """Write everything to the disk."""
        for writer in self.writers.values():
            writer.flush()

    def close(self):
        """Flush and close the files; whatever is added later opens new ones."""
        for writer in self.writers.values():
            writer.close()
        self.writers = {}

    def __enter__(self):
        return self

    def __exit__(self, kind, error, traceback):
        self.close()


def pixels_of(picture, dataformats):
    """``picture`` as uint8 of shape (height, width, channels)."""
    dims = dataformats.upper()
    if sorted(dims) not in (["C", "H", "W"], ["H", "W"]) or len(dims) != picture.dim():
        raise ValueError(f"size of input tensor and input format are different: tensor shape: "
                         f"{tuple(picture.shape)}, input_format: {dataformats}")
    picture = picture.detach()
    if picture.dtype != lw.uint8:
        picture = (picture.to(lw.float32) * 255).clamp(0, 255).to(lw.uint8)
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
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(bytes(rows.reshape(-1).tolist())))
            + chunk(b"IEND", b""))
