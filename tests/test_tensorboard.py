"""``SummaryWriter`` against PyTorch's: the same calls give the same messages and files."""
import io
import math
from pathlib import Path

import pytest

import leafward as lw
from tests.oracle import torch

pytest.importorskip("tensorboard")
Image = pytest.importorskip("PIL.Image")
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning:tensorboard.*")


def numbers(t, *shape, high=1.0):
    """The same numbers on both sides: from 0 to ``high``."""
    count = math.prod(shape)
    return (t.arange(count, dtype=t.float64) * 7919 % 101 / 100 * high).reshape(shape).float()


def points(t):
    return numbers(t, 3, 2)


#: What is called on the writer, given the namespace that makes tensors.
CALLS = {
    "scalar": lambda t, w: w.add_scalar("loss", t.tensor(1.5), 3),
    "scalar in new style": lambda t, w: w.add_scalar("loss", 1.5, 3, new_style=True),
    "scalar in double": lambda t, w: w.add_scalar("loss", 0.1, 3, new_style=True, double_precision=True),
    "scalars": lambda t, w: w.add_scalars("a/b", {"c": 1, "d": t.tensor(2.0)}, 4),
    "tensor": lambda t, w: [w.add_tensor(str(d), t.ones(2, 3, dtype=getattr(t, d)), 1) for d in (
        "float32", "float64", "int64", "int32", "int16", "int8", "uint8", "bool")],
    "histogram": lambda t, w: w.add_histogram("h", numbers(t, 50) - 0.3, 5),
    "histogram of few": lambda t, w: w.add_histogram("h", t.tensor([0.0]), 5),
    "histogram of ints": lambda t, w: w.add_histogram("h", t.arange(10), 5),
    "histogram by count": lambda t, w: w.add_histogram("h", numbers(t, 50), 5, bins=7),
    "histogram of one value by count": lambda t, w: w.add_histogram("h", t.ones(4), 5, bins=3),
    "histogram by bounds": lambda t, w: w.add_histogram("h", numbers(t, 50, high=4), 5, bins=[0.0, 1.0, 3.0, 10.0]),
    "histogram of fewer bins": lambda t, w: w.add_histogram("h", numbers(t, 50, high=4), 5, bins=30, max_bins=4),
    "raw histogram": lambda t, w: w.add_histogram_raw("h", 0, 1, 4, 2.0, 3.0, [1.0, 2.0], [1.0, 3.0], 5),
    "curve": lambda t, w: w.add_pr_curve("pr", (numbers(t, 40) > 0.4).float(), numbers(t, 40).flip(0), 2),
    "curve of few thresholds": lambda t, w: w.add_pr_curve("pr", t.tensor([0, 1, 1.0]), t.tensor([0.1, 0.9, 0.3]), 1, 5),
    "curve with weights": lambda t, w: w.add_pr_curve("pr", t.tensor([0, 1, 1.0]), t.tensor([0.1, 0.9, 0.3]), 1, 5,
                                                      weights=t.tensor([1.0, 2.0, 0.5]).numpy()),
    "raw curve": lambda t, w: w.add_pr_curve_raw("pr", *(numbers(t, 5) + k for k in range(6)), 1, num_thresholds=5),
    "settings": lambda t, w: w.add_hparams({"lr": 0.1, "bias": True, "name": "x", "n": 3}, {"loss": 0.5},
                                           {"name": ["x", "y"]}, run_name="r", global_step=3),
    "settings in tensors": lambda t, w: w.add_hparams({"lr": t.tensor([0.5])}, {}, run_name="r"),
    "layout": lambda t, w: w.add_custom_scalars({"T": {"c": ["Multiline", ["a", "b"]],
                                                       "m": ["Margin", ["x", "y", "z"]]}}),
    "multiline chart": lambda t, w: w.add_custom_scalars_multilinechart(["a", "b"], "c", "d"),
    "margin chart": lambda t, w: w.add_custom_scalars_marginchart(["a", "b", "c"]),
    "picture": lambda t, w: w.add_image("i", numbers(t, 3, 4, 5, high=1.4), 1),
    "gray picture": lambda t, w: w.add_image("i", numbers(t, 4, 5), 1, dataformats="HW"),
    "one channel": lambda t, w: w.add_image("i", numbers(t, 4, 5, 1), 1, dataformats="HWC"),
    "four channels": lambda t, w: w.add_image("i", numbers(t, 4, 5, 4), 1, dataformats="HWC"),
    "bytes": lambda t, w: w.add_image("i", (numbers(t, 3, 4, 5) * 255).to(t.uint8), 1),
    "pictures": lambda t, w: w.add_images("i", numbers(t, 10, 3, 4, 5), 1),
    "pictures otherwise": lambda t, w: w.add_images("i", numbers(t, 3, 4, 5, 1), 1, dataformats="NHWC"),
    "text": lambda t, w: w.add_text("note", "*done*", 8),
    "sound": lambda t, w: w.add_audio("a", numbers(t, 1, 30) * 2 - 1, 1, sample_rate=8000),
    "mesh": lambda t, w: w.add_mesh("m", numbers(t, 1, 3, 3), colors=t.ones(1, 3, 3, dtype=t.uint8),
                                    faces=t.tensor([[[0, 1, 2]]]), config_dict={"b": 1, "a": [2]}, global_step=2),
    "vertices alone": lambda t, w: w.add_mesh("m", numbers(t, 2, 3, 3)),
    "points": lambda t, w: w.add_embedding(points(t)),
    "labelled points": lambda t, w: (w.add_embedding(points(t), metadata=["a", "b", "c"], global_step=3, tag="x/y%"),
                                     w.add_embedding(points(t), metadata=[["a", 1], ["b", 2], ["c", 3]],
                                                     metadata_header=["name", "n"])),
    "points with pictures": lambda t, w: w.add_embedding(points(t), label_img=numbers(t, 3, 3, 2, 4), global_step=12345678),
}


def events(folder):
    from tensorboard.backend.event_processing.event_file_loader import RawEventFileLoader
    from tensorboard.compat.proto.event_pb2 import Event
    for file in sorted(Path(folder).rglob("*tfevents*")):
        for raw in RawEventFileLoader(str(file)).Load():
            event = Event.FromString(raw)
            for value in event.summary.value:
                yield str(file.parent.relative_to(folder)), event.step, value


def pixels(data):
    picture = Image.open(io.BytesIO(data))
    return picture.mode, picture.size, picture.tobytes()


def written(folder):
    """What lies in ``folder``: messages, with pictures decoded, and other files."""
    found = []
    for place, step, value in events(folder):
        shown = None
        if value.HasField("image"):
            shown = pixels(value.image.encoded_image_string)
            value.image.encoded_image_string = b""
        plugin = value.metadata.plugin_data
        content, plugin.content = plugin.content, b""
        found.append((place, step, value, parsed(plugin.plugin_name, content), shown))
    files = {str(f.relative_to(folder)): pixels(f.read_bytes()) if f.suffix == ".png" else f.read_text()
             for f in sorted(Path(folder).rglob("*")) if f.is_file() and "tfevents" not in f.name}
    return found, files


def parsed(plugin, content):
    """A plugin's own message: the order of a map in its bytes is nobody's business."""
    if plugin == "hparams":
        from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData
        return HParamsPluginData.FromString(content)
    return content


@pytest.mark.parametrize("name", CALLS)
def test_messages_are_pytorchs(name, tmp_path):
    from torch.utils.tensorboard import SummaryWriter as TheirWriter

    from leafward.utils.tensorboard import SummaryWriter
    found = []
    for t, writer in ((lw, SummaryWriter), (torch, TheirWriter)):
        folder = tmp_path / t.__name__
        with writer(str(folder)) as w:
            CALLS[name](t, w)
        found.append(written(folder))
    (ours, our_files), (theirs, their_files) = found
    assert len(ours) == len(theirs)
    for mine, expected in zip(ours, theirs, strict=True):
        assert mine == expected
    assert our_files == their_files


@pytest.mark.parametrize("several", [False, True])
def test_figures(several, tmp_path):
    pyplot = pytest.importorskip("matplotlib.pyplot")
    from torch.utils.tensorboard import SummaryWriter as TheirWriter

    from leafward.utils.tensorboard import SummaryWriter
    found = []
    for writer, place in ((SummaryWriter, "ours"), (TheirWriter, "theirs")):
        figures = []
        for _ in range(2):
            figure = pyplot.figure(figsize=(2, 1))
            figure.gca().plot([1, 3, 2])
            figures.append(figure)
        with writer(str(tmp_path / place)) as w:
            w.add_figure("f", figures if several else figures[0], 3)
        found.append(written(tmp_path / place))
        assert len(pyplot.get_fignums()) == (0 if several else 1)
        pyplot.close("all")
    assert found[0] == found[1]


def test_tensors_of_half_precision(writer):
    """TensorBoard's own reader gives the values back; PyTorch writes the bits of other numbers."""
    from tensorboard.util.tensor_util import make_ndarray
    writer.add_tensor("half", lw.tensor([1.0, -2.5], dtype=lw.float16))
    writer.flush()
    (_, _, value), = events(writer.log_dir)
    assert make_ndarray(value.tensor).tolist() == [1.0, -2.5]


@pytest.fixture
def writer(tmp_path):
    from leafward.utils.tensorboard import SummaryWriter
    with SummaryWriter(tmp_path) as made:
        yield made


@pytest.mark.parametrize("name, advice", [
    ("add_graph", "add_text"), ("add_onnx_graph", "add_text"), ("add_video", "add_images"),
    ("add_image_with_boxes", "add_figure")])
def test_what_is_not_there_says_what_to_use(writer, name, advice):
    with pytest.raises(NotImplementedError, match=f"SummaryWriter.{name} is not there: .*{advice}"):
        getattr(writer, name)(None)
    with pytest.raises(AttributeError, match="no attribute 'add_smell'"):
        writer.add_smell()


def test_nothing_that_pytorchs_writer_has_is_forgotten(writer):
    from torch.utils.tensorboard import SummaryWriter as TheirWriter

    from leafward.utils.tensorboard.writer import INSTEAD
    public = {n for n in dir(TheirWriter) if not n.startswith("_")}
    assert {n for n in public if n not in dir(type(writer))} == set(INSTEAD)


@pytest.mark.parametrize("call, kind, text", [
    (lambda w: w.add_image("x", lw.zeros(2, 2)), ValueError, "size of input tensor and input format are different"),
    (lambda w: w.add_image("x", lw.zeros(2, 2, 2)), ValueError, "a picture has 1, 3 or 4 channels, not 2"),
    (lambda w: w.add_histogram("x", lw.zeros(0)), ValueError, "The input has no element."),
    (lambda w: w.add_histogram("x", lw.ones(2), bins="auto"), NotImplementedError, r"say how many \(bins=30\)"),
    (lambda w: w.add_histogram("x", lw.ones(2), bins=[3.0, 4.0]), ValueError, "The histogram is empty"),
    (lambda w: w.add_histogram_raw("x", 0, 1, 1, 1, 1, [1], [1, 2]), ValueError, r"len\(bucket_limits\) != len"),
    (lambda w: w.add_hparams([], {}), TypeError, "hparam_dict and metric_dict should be dictionary."),
    (lambda w: w.add_hparams({"a": [1]}, {}), ValueError, "value should be one of int, float, str, bool, or torch.Tensor"),
    (lambda w: w.add_hparams({"a": 1}, {}, {"a": ["x"]}), TypeError, r"hparam_domain_discrete\[a\] should be a list of same"),
    (lambda w: w.add_custom_scalars_marginchart(["a"]), AssertionError, "3"),
    (lambda w: w.add_embedding(lw.ones(2)), AssertionError, "mat should be 2D"),
    (lambda w: w.add_embedding(lw.ones(2, 2), metadata=["a"]), AssertionError, "#labels should equal with #data points"),
    (lambda w: w.add_embedding(lw.ones(2, 2), label_img=lw.ones(1, 3, 2, 2)), AssertionError, "#images should equal"),
    (lambda w: w.add_tensor("x", lw.ones(2, dtype=lw.complex64)), ValueError, "Unsupported dtype: torch.complex64"),
])
def test_refusals(writer, call, kind, text):
    with pytest.raises(kind, match=text):
        call(writer)
    writer.flush()
    assert not list(events(writer.log_dir))


def test_a_sound_that_is_too_loud_is_clipped(writer):
    with pytest.warns(UserWarning, match="audio amplitude out of range, auto clipped."):
        writer.add_audio("a", lw.tensor([[0.0, 2.0]]))


def test_reopening_and_purging(tmp_path):
    from leafward.utils.tensorboard import SummaryWriter
    writer = SummaryWriter(tmp_path, purge_step=7)
    writer.add_scalar("a", 1.0, 7)
    writer.close()
    writer.add_scalar("a", 2.0, 8)
    writer.close()
    assert [(step, value.simple_value) for _, step, value in events(tmp_path)] == [(7, 1.0), (8, 2.0)]
