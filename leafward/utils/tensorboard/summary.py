"""Values as TensorBoard's messages: each function returns the ``Summary.Value`` (or a list) that its plugin reads."""
import io
import json
import wave

import leafward as lw
from tensorboard.compat.proto.summary_pb2 import HistogramProto, Summary, SummaryMetadata
from tensorboard.compat.proto.tensor_pb2 import TensorProto
from tensorboard.compat.proto.tensor_shape_pb2 import TensorShapeProto
from tensorboard.plugins.custom_scalar import layout_pb2 as layouts
from tensorboard.plugins.hparams import api_pb2 as hyper
from tensorboard.plugins.hparams.plugin_data_pb2 import HParamsPluginData, SessionEndInfo, SessionStartInfo
from tensorboard.plugins.mesh.plugin_data_pb2 import MeshPluginData
from tensorboard.plugins.pr_curve.plugin_data_pb2 import PrCurvePluginData
from tensorboard.plugins.text.plugin_data_pb2 import TextPluginData
from leafward.errors import warn
from leafward.utils.tensorboard.pictures import png

#: The field of a message that holds the elements, by dtype.
FIELDS = {
    lw.float32: ("DT_FLOAT", "float_val"), lw.float64: ("DT_DOUBLE", "double_val"), lw.int64: ("DT_INT64", "int64_val"),
    lw.bool: ("DT_BOOL", "bool_val"), lw.int32: ("DT_INT32", "int_val"), lw.int16: ("DT_INT16", "int_val"),
    lw.int8: ("DT_INT8", "int_val"), lw.uint8: ("DT_UINT8", "uint32_val"), lw.float16: ("DT_HALF", "half_val"),
    lw.bfloat16: ("DT_BFLOAT16", "half_val"),
}


def about(plugin, content=b""):
    return SummaryMetadata(plugin_data=SummaryMetadata.PluginData(plugin_name=plugin, content=content))


def message_of(tensor):
    """A tensor with its shape and dtype."""
    if tensor.dtype not in FIELDS:
        raise ValueError(f"Unsupported dtype: {tensor.dtype}")
    name, field = FIELDS[tensor.dtype]
    flat = tensor.detach().reshape(-1)
    values = (flat.view(lw.int16).to(lw.int32) & 0xFFFF if field == "half_val" else flat).tolist()
    shape = TensorShapeProto(dim=[TensorShapeProto.Dim(size=size) for size in tensor.shape])
    return TensorProto(dtype=name, tensor_shape=shape, **{field: values})


def tensor(tag, value):
    return Summary.Value(tag=tag, tensor=message_of(value), metadata=about("tensor"))


def scalar(tag, value, new_style=False, double_precision=False):
    """One number: as a plain field, or (``new_style``) as a tensor."""
    if not new_style:
        return Summary.Value(tag=tag, simple_value=float(value))
    proto = TensorProto(double_val=[float(value)], dtype="DT_DOUBLE") if double_precision else \
        TensorProto(float_val=[float(value)], dtype="DT_FLOAT")
    return Summary.Value(tag=tag, tensor=proto, metadata=about("scalars"))


def text(tag, words):
    """A text."""
    string = TensorProto(dtype="DT_STRING", string_val=[words.encode("utf-8")],
                         tensor_shape=TensorShapeProto(dim=[TensorShapeProto.Dim(size=1)]))
    return Summary.Value(tag=f"{tag}/text_summary", tensor=string,
                         metadata=about("text", TextPluginData(version=0).SerializeToString()))


def image(tag, pixels):
    """uint8 pixels (height, width, channels)."""
    height, width, channels = pixels.shape
    return Summary.Value(tag=tag, image=Summary.Image(height=height, width=width, colorspace=channels,
                                                      encoded_image_string=png(pixels)))


def audio(tag, samples, rate):
    """Samples between -1 and 1 as a WAV file of 16 bits."""
    samples = samples.detach().to(lw.float64)
    if samples.numel() and samples.abs().max() > 1:
        warn("audio amplitude out of range, auto clipped.")
    numbers = (samples.clamp(-1, 1) * 32767).to(lw.int16)
    file = io.BytesIO()
    with wave.open(file, "wb") as sound:
        sound.setnchannels(1)
        sound.setsampwidth(2)
        sound.setframerate(rate)
        sound.writeframes(numbers.numpy().astype("<i2").tobytes())
    return Summary.Value(tag=tag, audio=Summary.Audio(
        sample_rate=rate, num_channels=1, length_frames=numbers.shape[-1], encoded_audio_string=file.getvalue(),
        content_type="audio/wav"))


# --- histograms ------------------------------------------------------------------------------------------------------

def default_bounds():
    """The bounds of a histogram's bins: 1e-12 and up by tenths, and the same below zero."""
    bound, above = 1e-12, []
    while bound < 1e20:
        above.append(bound)
        bound *= 1.1
    return [-bound for bound in reversed(above)] + [0.0] + above


def even_bounds(values, count):
    """The bounds of ``count`` bins of one width, from the smallest value to the largest."""
    low, high = values.min().item(), values.max().item()
    if low == high:
        low, high = low - 0.5, high + 0.5
    return [low + k * ((high - low) / count) for k in range(count)] + [high]


def histogram(tag, values, bins, max_bins=None):
    """How often ``values`` fall into ``bins``: "tensorflow", a count of them, or their bounds."""
    if isinstance(bins, str) and bins != "tensorflow":
        raise NotImplementedError(f"add_histogram(bins={bins!r}) chooses bins by their number, which leafward does not: say "
                                  "how many (bins=30), their bounds, or leave it out")
    values = lw.as_tensor(values).detach().reshape(-1).to(lw.float64)
    if values.numel() == 0:
        raise ValueError("The input has no element.")
    bounds = default_bounds() if isinstance(bins, str) else even_bounds(values, bins) if isinstance(bins, int) else bins
    counts, limits = lw.histogram(values, lw.as_tensor(bounds, dtype=lw.float64))
    if max_bins is not None and len(counts) > max_bins:                     # every so many become one
        together = len(counts) // max_bins
        counts = lw.nn.functional.pad(counts, (0, -len(counts) % together)).reshape(-1, together).sum(1)
        limits = lw.cat([limits[::together][:len(counts)], limits[-1:]])
    full = counts.nonzero().reshape(-1)
    if not full.numel():
        raise ValueError("The histogram is empty, please file a bug report.")
    first, last = int(full[0]), int(full[-1])
    # The empty bin in front says where the first full one begins.
    shown = lw.cat([counts[first - 1:first] if first else lw.zeros(1, dtype=lw.float64), counts[first:last + 1]])
    return histogram_raw(tag, values.min().item(), values.max().item(), values.numel(), values.sum().item(),
                         values.dot(values).item(), limits[first:last + 2].tolist(), shown.tolist())


def histogram_raw(tag, min, max, num, sum, sum_squares, bucket_limits, bucket_counts):
    """A histogram that was counted elsewhere."""
    return Summary.Value(tag=tag, histo=HistogramProto(
        min=min, max=max, num=num, sum=sum, sum_squares=sum_squares, bucket_limit=bucket_limits, bucket=bucket_counts))


# --- curves of precision and recall ----------------------------------------------------------------------------------

def pr_curve_raw(tag, rows, thresholds):
    """``rows`` (6, thresholds): true and false positives, true and false negatives, precision, recall."""
    thresholds = min(thresholds, 127)                           # more than that TensorBoard cannot show
    content = PrCurvePluginData(version=0, num_thresholds=thresholds).SerializeToString()
    return Summary.Value(tag=tag, tensor=message_of(rows.to(lw.float32)), metadata=about("pr_curves", content))


def pr_curve(tag, labels, predictions, thresholds, weights):
    """Both at ``thresholds`` evenly spaced levels, from labels of 0 and 1 and predictions between them."""
    thresholds = min(thresholds, 127)
    level = (predictions.detach().reshape(-1).to(lw.float64) * (thresholds - 1)).floor().to(lw.int64)
    is_true = labels.detach().reshape(-1).to(lw.float64)
    weights = lw.as_tensor(1.0 if weights is None else weights, dtype=lw.float64).detach().reshape(-1).expand_as(is_true)

    def at_or_above(counted):
        return lw.bincount(level, counted, thresholds).flip(0).cumsum(0).flip(0)
    true_positive, false_positive = at_or_above(is_true * weights), at_or_above((1 - is_true) * weights)
    true_negative, false_negative = false_positive[0] - false_positive, true_positive[0] - true_positive
    precision = true_positive / (true_positive + false_positive).clamp(min=1e-7)
    recall = true_positive / (true_positive + false_negative).clamp(min=1e-7)
    return pr_curve_raw(tag, lw.stack([true_positive, false_positive, true_negative, false_negative, precision, recall]),
                        thresholds)


# --- settings of a run -----------------------------------------------------------------------------------------------

#: The type of a setting, and how it is written in a list of alternatives.
KINDS = ((str, hyper.DATA_TYPE_STRING, "string_value"), ((int, float), hyper.DATA_TYPE_FLOAT64, "number_value"))


def hparams(settings, metrics, alternatives=None):
    """What was set and what is measured: the experiment, the start of a run and its end."""
    if not isinstance(settings, dict) or not isinstance(metrics, dict):
        raise TypeError("hparam_dict and metric_dict should be dictionary.")
    alternatives = alternatives or {}
    for name, values in alternatives.items():
        if name not in settings or not isinstance(values, list) or not all(
                isinstance(v, type(settings[name])) for v in values):
            raise TypeError(f"parameter: hparam_domain_discrete[{name}] should be a list of same type as "
                            f"hparam_dict[{name}].")
    start, infos = SessionStartInfo(), []
    for name, value in settings.items():
        if value is None:
            continue
        value = value.item() if isinstance(value, lw.Tensor) else value
        kind, field = next(((kind, field) for types, kind, field in KINDS if isinstance(value, types)), (None, None))
        if kind is None:
            raise ValueError("value should be one of int, float, str, bool, or torch.Tensor")
        setattr(start.hparams[name], field, value)
        info = hyper.HParamInfo(name=name, type=kind)
        for other in alternatives.get(name, ()):
            setattr(info.domain_discrete.values.add(), field, other)
        infos.append(info)
    experiment = hyper.Experiment(hparam_infos=infos, metric_infos=[
        hyper.MetricInfo(name=hyper.MetricName(tag=name)) for name in metrics])
    end = SessionEndInfo(status=hyper.STATUS_SUCCESS)
    return [Summary.Value(tag=f"_hparams_/{part}", metadata=about("hparams", HParamsPluginData(
        version=0, **{part: content}).SerializeToString()))
        for part, content in (("experiment", experiment), ("session_start_info", start), ("session_end_info", end))]


# --- meshes and layouts ----------------------------------------------------------------------------------------------

def mesh(tag, vertices, colors, faces, config):
    """The parts of a mesh that are given: vertices (n, v, 3), colors (n, v, 3) and faces (n, f, 3)."""
    kinds = MeshPluginData.ContentType
    parts = [(kind, name, part) for kind, name, part in (
        (kinds.VERTEX, "VERTEX", vertices), (kinds.FACE, "FACE", faces), (kinds.COLOR, "COLOR", colors)) if part is not None]
    shown = sum(1 << kind for kind, _, _ in parts)
    return [Summary.Value(
        tag=f"{tag}_{name}", tensor=message_of(part.to(lw.float32)), metadata=about("mesh", MeshPluginData(
            version=0, name=tag, content_type=kind, components=shown, shape=list(part.shape),
            json_config=json.dumps(config or {}, sort_keys=True)).SerializeToString())) for kind, name, part in parts]


def custom_scalars(layout):
    """``{category: {title: [kind, tags]}}``, kind being "Multiline", or "Margin" with a value and its two bounds."""
    def chart(title, kind, tags):
        if kind == "Margin":
            if len(tags) != 3:
                raise AssertionError(f"Expected 3 tags for Margin chart, got {len(tags)}")
            series = layouts.MarginChartContent.Series(value=tags[0], lower=tags[1], upper=tags[2])
            return layouts.Chart(title=title, margin=layouts.MarginChartContent(series=[series]))
        return layouts.Chart(title=title, multiline=layouts.MultilineChartContent(tag=tags))
    page = layouts.Layout(category=[layouts.Category(title=category, chart=[
        chart(title, kind, tags) for title, (kind, tags) in charts.items()]) for category, charts in layout.items()])
    return Summary.Value(tag="custom_scalars__config__", metadata=about("custom_scalars"), tensor=TensorProto(
        dtype="DT_STRING", string_val=[page.SerializeToString()], tensor_shape=TensorShapeProto()))
