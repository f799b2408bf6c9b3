"""Images whose channels lie innermost in memory: they come to lie so, and stay so, where they do in PyTorch."""
import warnings

import numpy as np
import pytest

import leafward as lw
from tests.oracle import to_numpy, torch

KEPT = {
    "conv": "F.conv2d(x, w(3, 4, 3, 3), padding=1, bias=w(3))", "conv 1x1": "F.conv2d(x, w(3, 4, 1, 1))",
    "conv in groups": "F.conv2d(x, w(4, 1, 3, 3), groups=4)", "conv with steps": "F.conv2d(x, w(3, 4, 3, 3), stride=2)",
    "conv, weights": "F.conv2d(x.contiguous(), last(w(3, 4, 3, 3)))", "transposed conv": "F.conv_transpose2d(x, w(4, 3, 3, 3))",
    "max": "F.max_pool2d(x, 2)", "max, indices": "F.max_pool2d(x, 2, return_indices=True)", "mean": "F.avg_pool2d(x, 2)",
    "adaptive mean": "F.adaptive_avg_pool2d(x, 2)", "adaptive mean, one": "F.adaptive_avg_pool2d(x, 1)",
    "adaptive max": "F.adaptive_max_pool2d(x, 2, return_indices=True)", "lp": "F.lp_pool2d(x, 2, 2)",
    "batch": "F.batch_norm(x, None, None, w(4), w(4), training=True)", "running": "F.batch_norm(x, w(4), w(4).abs())",
    "group": "F.group_norm(x, 2)", "group, weights": "F.group_norm(x, 2, w(4), w(4))", "instance": "F.instance_norm(x)",
    "layer": "F.layer_norm(x, (5,))", "layer of all": "F.layer_norm(x, (4, 6, 5))", "rms": "F.rms_norm(x, (5,))",
    **{mode: f"F.interpolate(x, scale_factor=2, mode='{mode}')" for mode in (
        "nearest", "nearest-exact", "bilinear", "bicubic")},
    "area": "F.interpolate(x, size=(3, 2), mode='area')",
    "antialias": "F.interpolate(x, size=(3, 2), mode='bilinear', antialias=True)", "pad": "F.pad(x, (1, 1, 1, 1))",
    **{mode: f"F.pad(x, (1, 2, 1, 1), mode='{mode}')" for mode in ("reflect", "replicate", "circular")},
    **{f"stack {dim}": f"t.stack([x, 2 * x], {dim})" for dim in (0, 1, 2, 4, -2)},
    "stack, mixed": "t.stack([x, x.contiguous()])",
    **{f"roll {a}": f"x.roll({a})" for a in ("1", "1, 1", "-2, 3", "(1, 2), (1, 2)", "(1, 0), (1, 2)", "4, 1", "7, (2,)")},
    "channels dealt": "t.channel_shuffle(x, 2)", "channels as they were": "F.channel_shuffle(x, 1)",
    "flip": "x.flip(1, 3)", "rot90": "x.rot90(1, (2, 3))",
    **{f"response, {size}": f"F.local_response_norm(x, {size}, alpha=1.)" for size in (2, 3)},
    "cat": "t.cat([x, x], 1)", "cat of rows": "t.cat([x, 2 * x, x], 0)", "cat, mixed": "t.cat([x, x.contiguous()], 1)",
    "relu": "F.relu(x)", "gelu": "F.gelu(x)", "dropout": "F.dropout(x, 0.)", "add": "x + w(4, 1, 1)", "double": "x.double()",
    "clone": "x.clone()", "clamp": "x.clamp(0, 1)", "mean of places": "x.mean((2, 3), keepdim=True)",
    "a network": "t.nn.Sequential(t.nn.Conv2d(4, 3, 3), t.nn.BatchNorm2d(3), t.nn.ReLU(), t.nn.MaxPool2d(2), "
                 "t.nn.Conv2d(3, 2, 1)).to(memory_format=t.channels_last)(x)",
}


def seen(tensor):
    """Shape, and the steps along dims of more than one element."""
    return tuple(tensor.shape), [s for s, n in zip(tensor.stride(), tensor.shape) if n > 1]


def run(t, expression, x):
    def weights(*shape):
        count = int(np.prod(shape))
        return (t.arange(count) % 7 - 3.).reshape(shape) / 4
    t.manual_seed(1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = eval(expression, {"t": t, "F": t.nn.functional, "x": x, "w": weights,
                                  "last": lambda v: v.contiguous(memory_format=t.channels_last)})
    return list(found) if isinstance(found, (list, tuple)) else [found]


@pytest.mark.parametrize("shape", [(2, 4, 6, 5), (1, 4, 6, 5)], ids=str)
@pytest.mark.parametrize("order", ["channels last", "row-major", "a slice", "turned"])
@pytest.mark.parametrize("name", KEPT)
def test_memory_order_of_the_result(name, order, shape):
    results = []
    for t in (lw, torch):
        values = ((t.arange(2 * 4 * 12 * 5) * 37 % 101) / 50.).reshape(2, 4, 12, 5)
        if order == "turned":
            values = values[:, :, :6].transpose(2, 3).contiguous().transpose(2, 3)[:shape[0]]
        else:
            values = values[:shape[0], :, :6] if order != "a slice" else values[:shape[0]]
            values = values.contiguous(memory_format=t.contiguous_format if order == "row-major" else t.channels_last)
            values = values[:, :, ::2] if order == "a slice" else values
        x = values.detach().requires_grad_()
        outputs = run(t, KEPT[name], x)
        outputs[0].square().sum().backward()
        results.append((*outputs, x.grad))
    ours, theirs = results
    gradient = order in ("channels last", "row-major")                  # elsewhere ours may lie row by row
    for place, (mine, their) in enumerate(zip(ours, theirs, strict=True)):
        if (gradient or place < len(ours) - 1) and (name[:3], order) not in (
                    ("rms", "turned"), ("res", "turned")):
            assert seen(mine) == seen(their)
        np.testing.assert_allclose(to_numpy(mine), to_numpy(their), rtol=2e-4, atol=2e-5)


@pytest.mark.parametrize("expression", [
    "F.conv3d(x, w(3, 4, 2, 2, 2))", "F.max_pool3d(x, 2)", "F.avg_pool3d(x, 2)", "F.batch_norm(x, w(4), w(4).abs())",
    "F.interpolate(x, scale_factor=2)", "t.cat([x, x], 1)", "F.pad(x, (1, 1, 1, 1, 1, 1))", "F.group_norm(x, 2)",
    "F.adaptive_avg_pool3d(x, 2)", "F.adaptive_max_pool3d(x, 2)", "F.conv_transpose3d(x, w(4, 3, 2, 2, 2))",
    "F.pad(x, (1, 1, 1, 1, 1, 1), mode='replicate')", "F.pad(x, (1, 1, 1, 1, 1, 1), mode='reflect')",
    "F.interpolate(x, scale_factor=2, mode='trilinear')", "F.max_pool3d(x, 2, return_indices=True)",
])
def test_volumes_too(expression):
    found = []
    for t in (lw, torch):
        v = (t.arange(2 * 4 * 3 * 4 * 4) % 11 / 5.).reshape(2, 4, 3, 4, 4).contiguous(memory_format=t.channels_last_3d)
        found.append(run(t, expression, v)[0])
    assert seen(found[0]) == seen(found[1])
    np.testing.assert_allclose(to_numpy(found[0]), to_numpy(found[1]), rtol=1e-4, atol=1e-5)


EXPRESSIONS = """
x.to(memory_format=t.channels_last); x.to(t.float64, memory_format=t.channels_last); x.to("cpu", memory_format=t.channels_last)
x.to("cpu", t.float64, memory_format=t.channels_last); x.to(t.float32, False, False, memory_format=t.channels_last)
x.to(c, memory_format=t.contiguous_format); c.to(memory_format=t.contiguous_format); c.to(memory_format=t.channels_last)
c.to(memory_format=t.preserve_format); c.to(t.float64); c.to(t.float64, memory_format=t.contiguous_format)
c.to(t.float64, memory_format=t.preserve_format); x.double(memory_format=t.channels_last); x.half(memory_format=t.channels_last)
x.float(memory_format=t.channels_last); x.cpu(memory_format=t.channels_last); x.type(t.float64, memory_format=t.channels_last)
x[0].to(memory_format=t.channels_last); t.ones(2, 3, 4, 5, 6).to(memory_format=t.channels_last_3d); x.to(memory_format=3)
t.ones(2, 3, 4, 5, 6).to(memory_format=t.channels_last); x.permute(0, 2, 3, 1).to(memory_format=t.contiguous_format)
x.permute(0, 3, 1, 2).to(memory_format=t.channels_last); c.clone(memory_format=t.contiguous_format); t.zeros_like(c)
t.empty(2, 3, 4, 5, memory_format=t.channels_last); c.detach().resize_(2, 3, 4, 5, memory_format=t.channels_last)
t.empty(0).resize_(2, 3, 4, 5, memory_format=t.channels_last)
t.empty(0).resize_as_(c.detach(), memory_format=t.preserve_format)
t.empty(0).resize_as_(x.detach(), memory_format=t.channels_last); t.empty(0).resize_(2, 3, memory_format=t.channels_last)
t.nn.Conv2d(3, 4, 3).to(memory_format=t.channels_last).weight; t.nn.Conv3d(3, 4, 3).to(memory_format=t.channels_last).weight
t.nn.Conv2d(3, 4, 3).to(t.float64, memory_format=t.channels_last).weight; x.to(memory_format=None)
t.nn.Conv3d(3, 4, 3).to(memory_format=t.channels_last_3d).weight; t.nn.Conv2d(3, 4, 3).to(memory_format=t.channels_last).bias
t.ones(1, 3, 4, 4).contiguous(memory_format=t.channels_last).to(memory_format=t.contiguous_format); x.to(t.float64).relu()
t.ones(2, 1, 4, 4).to(memory_format=t.channels_last); t.ones(2, 3, 1, 1).to(memory_format=t.channels_last)
t.ones(2, 1, 1, 1).to(memory_format=t.channels_last); x.to(t.float32, copy=True, memory_format=t.channels_last)
"""


@pytest.mark.parametrize("expression", [e.strip() for e in EXPRESSIONS.replace("\n", ";").split(";") if e.strip()])
def test_asked_for_by_name(expression):
    found = []
    for t in (lw, torch):
        x = t.arange(120.).reshape(2, 3, 4, 5).requires_grad_()
        c = x.detach().contiguous(memory_format=t.channels_last).requires_grad_()
        try:
            y = eval(expression, {"t": t, "x": x, "c": c})
            found.append((str(y.dtype), tuple(y.shape), y.stride(), type(y.grad_fn).__name__, y is x, y is c))
        except Exception as error:
            found.append(next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins"))
    assert found[0] == found[1]
