"""``SummaryWriter``: scalars, pictures, sounds and more in an event file."""
from __future__ import annotations

import os
import socket
import time

from google.protobuf.message import Message
from tensorboard.compat.proto.event_pb2 import Event
from tensorboard.compat.proto.summary_pb2 import Summary
from tensorboard.plugins.projector.projector_config_pb2 import ProjectorConfig
from tensorboard.summary.writer.event_file_writer import EventFileWriter
from typing import Any, Self, TYPE_CHECKING

import leafward as lw

from leafward.utils.tensorboard import embedding, summary
from leafward.utils.tensorboard.pictures import picture_of, pixels_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from leafward.tensor.tensor import Tensor

#: What PyTorch's writer has beyond this one, and what to use instead.
INSTEAD = {
    "add_graph": "nothing traces a model here: add_text(tag, str(model)) shows its layers, and "
                 "leafward.trust.explain(loss) the graph of a loss",
    "add_onnx_graph": "leafward reads no ONNX files: add_text(tag, str(model)) shows the layers of a model",
    "add_video": "pictures in motion need a film encoder: use add_images for all frames at once, or add_image with a "
                 "global_step for each",
    "add_image_with_boxes": "draw the boxes with matplotlib, and use add_figure",
}


class SummaryWriter:
    """Writes what it is given to an event file in ``log_dir`` (``runs/<time>_<host><comment>``), for TensorBoard to show.

    Values may be tensors or numbers; ``global_step`` is where they stand on the x axis. A ``with`` block closes it.
    """

    def __init__(self, log_dir: str | None = None, comment: str = "", purge_step: int | None = None, max_queue: int = 10,
                 flush_secs: int = 120, filename_suffix: str = "") -> None:
        if log_dir is None or log_dir == "":
            log_dir = os.path.join("runs", time.strftime("%b%d_%H-%M-%S_") + socket.gethostname() + comment)
        self.log_dir = str(log_dir)
        self.purge_step = purge_step
        self.options = max_queue, flush_secs, filename_suffix
        self.projected = ProjectorConfig()
        self.writers = {}
        self.writer_in(self.log_dir)

    def writer_in(self, folder: Any):
        if folder not in self.writers:
            self.writers[folder] = EventFileWriter(folder, *self.options)
            if self.purge_step is not None:
                self.writers[folder].add_event(Event(wall_time=time.time(), step=self.purge_step,
                                                     file_version="brain.Event:2"))
        return self.writers[folder]

    def add(self, values: Any, global_step: int, walltime: float | None = None, folder: Any = None) -> None:
        values = [values] if isinstance(values, Message) else values
        event = Event(summary=Summary(value=values), wall_time=time.time() if walltime is None else walltime)
        if global_step is not None:
            event.step = int(global_step)
        self.writer_in(folder or self.log_dir).add_event(event)

    def get_logdir(self) -> str:
        return self.log_dir

    # --- numbers ------------------------------------------------------------------------------------------------

    def add_scalar(self, tag: str, scalar_value: Any, global_step: int | None = None, walltime: float | None = None,
                   new_style: bool = False, double_precision: bool = False) -> None:
        """One number."""
        self.add(summary.scalar(tag, scalar_value, new_style, double_precision), global_step, walltime)

    def add_scalars(self, main_tag: str, tag_scalar_dict: Mapping[str, Any], global_step: int | None = None,
                    walltime: float | None = None) -> None:
        """Several numbers in one chart: each has a folder of its own beside the event file."""
        for tag, scalar in tag_scalar_dict.items():
            folder = os.path.join(self.log_dir, main_tag.replace("/", "_") + "_" + tag)
            self.add(summary.scalar(main_tag, scalar), global_step, walltime, folder)

    def add_tensor(self, tag: str, tensor: Tensor, global_step: int | None = None, walltime: float | None = None) -> None:
        """A tensor, for programs that read the event file."""
        self.add(summary.tensor(tag, tensor), global_step, walltime)

    def add_histogram(self, tag: str, values: Any, global_step: int | None = None, bins: Any = "tensorflow",
                      walltime: float | None = None, max_bins: int | None = None) -> None:
        """How often the numbers in ``values`` fall into bins whose bounds grow by tenths, or that ``bins`` says."""
        self.add(summary.histogram(tag, values, bins, max_bins), global_step, walltime)

    def add_histogram_raw(self, tag: str, min: Any, max: Any, num: Any, sum: Any, sum_squares: Any, bucket_limits: Any,
                          bucket_counts: Any, global_step: int | None = None, walltime: float | None = None) -> None:
        """A histogram that was counted elsewhere: ``bucket_limits`` are the upper bounds of its bins."""
        if len(bucket_limits) != len(bucket_counts):
            raise ValueError("len(bucket_limits) != len(bucket_counts), see the document.")
        self.add(summary.histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts), global_step,
                 walltime)

    def add_pr_curve(self, tag: str, labels: Any, predictions: Any, global_step: int | None = None, num_thresholds: int = 127,
                     weights: Sequence[float] | Tensor | None = None, walltime: float | None = None) -> None:
        """Precision against recall of ``predictions`` between 0 and 1, for ``labels`` of 0 and 1."""
        labels, predictions = lw.as_tensor(labels), lw.as_tensor(predictions)
        self.add(summary.pr_curve(tag, labels, predictions, num_thresholds, weights), global_step, walltime)

    def add_pr_curve_raw(self, tag: str, true_positive_counts: Any, false_positive_counts: Any, true_negative_counts: Any,
                         false_negative_counts: Any, precision: Any, recall: Any, global_step: int | None = None,
                         num_thresholds: int = 127, weights: Sequence[float] | Tensor | None = None,
                         walltime: float | None = None) -> None:
        """The same, counted elsewhere: each has one number for every threshold."""
        rows = lw.stack([lw.as_tensor(row).reshape(-1) for row in (
            true_positive_counts, false_positive_counts, true_negative_counts, false_negative_counts, precision, recall)])
        self.add(summary.pr_curve_raw(tag, rows, num_thresholds), global_step, walltime)

    def add_hparams(self, hparam_dict: Any, metric_dict: Any, hparam_domain_discrete: Any = None, run_name: Any = None,
                    global_step: int | None = None) -> None:
        """The settings of a run and what came out of it, in a folder of their own."""
        messages = summary.hparams(hparam_dict, metric_dict, hparam_domain_discrete)
        folder = os.path.join(self.log_dir, str(time.time()) if run_name is None else run_name)
        for message in (*messages, *(summary.scalar(k, v) for k, v in metric_dict.items())):
            self.add(message, global_step, folder=folder)
        self.writers.pop(folder).close()

    def add_custom_scalars(self, layout: Any) -> None:
        """Charts of several scalars: ``{category: {title: ["Multiline", tags]}}``, or "Margin" with three tags."""
        self.add(summary.custom_scalars(layout), None)

    def add_custom_scalars_multilinechart(self, tags: Any, category: str = "default", title: str = "untitled") -> None:
        """One chart of several scalars."""
        self.add_custom_scalars({category: {title: ["Multiline", tags]}})

    def add_custom_scalars_marginchart(self, tags: Any, category: str = "default", title: str = "untitled") -> None:
        """One scalar between two others: ``tags`` are its own, the lower and the upper bound's."""
        self.add_custom_scalars({category: {title: ["Margin", tags]}})

    # --- things to look at and to listen to ---------------------------------------------------------------------

    def add_image(self, tag: str, img_tensor: Any, global_step: int | None = None, walltime: float | None = None,
                  dataformats: str = "CHW") -> None:
        """A picture with one, three or four channels: uint8, or floats from 0 to 1. ``dataformats`` names the dims."""
        self.add(summary.image(tag, pixels_of(lw.as_tensor(img_tensor), dataformats)), global_step, walltime)

    def add_images(self, tag: str, img_tensor: Any, global_step: int | None = None, walltime: float | None = None,
                   dataformats: str = "NCHW") -> None:
        """Pictures of one size, eight in a row."""
        self.add_image(tag, img_tensor, global_step, walltime, dataformats)

    def add_figure(self, tag: str, figure: Any, global_step: int | None = None, close: bool = True,
                   walltime: float | None = None) -> None:
        """A matplotlib figure, or a list of figures of one size."""
        if isinstance(figure, list):
            pictures = lw.stack([picture_of(one, close) for one in figure])
            self.add_image(tag, pictures, global_step, walltime, "NCHW")
        else:
            self.add_image(tag, picture_of(figure, close), global_step, walltime)

    def add_text(self, tag: str, text_string: str, global_step: int | None = None, walltime: float | None = None) -> None:
        """A text in Markdown."""
        self.add(summary.text(tag, text_string), global_step, walltime)

    def add_audio(self, tag: str, snd_tensor: Any, global_step: int | None = None, sample_rate: int = 44100,
                  walltime: float | None = None) -> None:
        """A sound (1, samples) with values between -1 and 1."""
        self.add(summary.audio(tag, lw.as_tensor(snd_tensor), sample_rate), global_step, walltime)

    def add_mesh(self, tag: str, vertices: Any, colors: Any = None, faces: Any = None, config_dict: Any = None,
                 global_step: int | None = None, walltime: float | None = None) -> None:
        """Points in space (n, v, 3), their ``colors`` (n, v, 3), and the triangles (n, f, 3) between them."""
        self.add(summary.mesh(tag, vertices, colors, faces, config_dict), global_step, walltime)

    def add_embedding(self, mat: Any, metadata: Any = None, label_img: Any = None, global_step: int | None = None,
                      tag: str = "default", metadata_header: Any = None) -> None:
        """Points (n, d) for the projector, with a label (or a row under ``metadata_header``) and a picture for each."""
        info = embedding.write_points(self.log_dir, lw.as_tensor(mat), metadata, metadata_header, label_img, global_step, tag)
        self.projected.embeddings.append(info)
        embedding.write_list(self.log_dir, self.projected)

    def __getattr__(self, name: Any) -> Any:
        if name in INSTEAD:
            raise NotImplementedError(f"SummaryWriter.{name} is not there: {INSTEAD[name]}")
        raise AttributeError(f"'SummaryWriter' object has no attribute '{name}'")

    # --- the file -----------------------------------------------------------------------------------------------

    def flush(self) -> None:
        """Write everything to the disk."""
        for writer in self.writers.values():
            writer.flush()

    def close(self) -> None:
        """Flush and close the files; whatever is added later opens new ones."""
        for writer in self.writers.values():
            writer.close()
        self.writers = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: Any, error: Any, traceback: Any) -> None:
        self.close()
