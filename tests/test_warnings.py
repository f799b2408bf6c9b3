"""A warning from deep inside points to the line of the user's program that led there."""
import ast
import inspect
import types
import warnings
from pathlib import Path

import pytest

import leafward as lw
from leafward.optim import lr_scheduler


class Net(lw.nn.Module):
    """A layer of the user's, whose own line is the one to name."""

    def forward(self, x):
        return lw.nn.functional.softmax(x)


def scheduler():
    return lr_scheduler.StepLR(lw.optim.SGD([lw.nn.Parameter(lw.ones(1))]), 1)


def shared():
    return [lw.nn.Parameter(lw.ones(1))] * 2


def anomalous():
    loss = lw.zeros(1, requires_grad=True).sqrt().mul(0).sum()
    with lw.autograd.set_detect_anomaly(True), pytest.raises(RuntimeError, match="nan values"):
        loss.backward()


#: What is called -> a word of its warning. Each stands on one line, which is the line to name.
CALLS = {
    "an op": (lambda: lw.range(1, 3), "torch.range is deprecated"),
    "a function of nn": (lambda: lw.nn.functional.softmax(lw.ones(2, 2)), "Implicit dimension"),
    "a layer": (lambda: lw.nn.Softmax()(lw.ones(2, 2)), "Implicit dimension"),
    "layers in a layer": (lambda: lw.nn.Sequential(lw.nn.Softmax())(lw.ones(2, 2)), "Implicit dimension"),
    "a layer's constructor": (lambda: lw.nn.LSTM(2, 2, dropout=0.5), "dropout option adds dropout"),
    "a subclass's constructor": (lambda: lw.nn.MSELoss(size_average=False), "reduction='sum'"),
    "attention": (lambda: lw.nn.TransformerEncoder(lw.nn.TransformerEncoderLayer(3, 1), 1), "enable_nested_tensor"),
    "init": (lambda: lw.nn.init.xavier_uniform(lw.ones(2, 2)), "deprecated in favor"),
    "no weights": (lambda: lw.nn.Linear(0, 3), "zero-element tensors"),
    "an attribute": (lambda: (lw.ones(2, requires_grad=True) * 2).grad, "not a leaf Tensor"),
    "a transpose": (lambda: lw.ones(()).mT, "deprecated on 0-D"),
    "construction": (lambda: lw.tensor(lw.ones(2)), "To copy construct"),
    "out=": (lambda: lw.add(lw.ones(3), 1, out=lw.empty(2)), "An output with one or more elements was resized"),
    "an optimizer": (lambda: lw.optim.SGD(shared()), "duplicate parameters"),
    "a scheduler": (lambda: scheduler().step(), "Detected call of"),
    "a scheduler's rate": (lambda: scheduler().get_lr(), "get_last_lr"),
    "a data loader": (lambda: lw.utils.data.random_split([1], [0.5, 0.5]), "Length of split"),
    "a context manager": (lambda: lw.random.fork_rng(devices=[0]).__enter__(), "fork_rng"),
    "autocast": (lambda: lw.autocast("cpu", dtype=lw.float64), "target dtype is not supported"),
    "a distribution": (lambda: lw.distributions.Normal(0.0, 1.0).sample_n(2), "sample_n"),
    "a checkpoint": (lambda: lw.utils.checkpoint.checkpoint(lw.sin, lw.ones(1)), "use_reentrant"),
    "clipping": (lambda: lw.nn.utils.clip_grad_norm_((p for p in ()), 1.0), "empty generator"),
}


def caught_from(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return caught


@pytest.mark.parametrize("name", CALLS)
def test_the_users_line_is_named(name):
    call, word = CALLS[name]
    found = [w for w in caught_from(call) if word in str(w.message)]
    assert found, "it warns of nothing"
    assert {(w.filename, w.lineno) for w in found} == {(__file__, call.__code__.co_firstlineno)}


def test_a_layer_of_the_users_is_the_user():
    """The nearest line of the user's, not the outermost: it is where the mistake is."""
    (warning,) = caught_from(lambda: Net()(lw.ones(2, 2)))
    assert warning.filename == __file__
    assert warning.lineno == Net.forward.__code__.co_firstlineno + 1


def test_anomaly_mode_names_the_backward():
    (warning,) = caught_from(anomalous)
    assert (warning.filename, warning.lineno) == (__file__, anomalous.__code__.co_firstlineno + 3)


def test_under_the_name_torch():
    """A frame of a module that was imported as ``torch.…`` is one of ours, and ``torchvision`` is not."""
    from leafward.errors import warn
    for name, whose in (("torch.nn.modules", "ours"), ("torchvision.models", "the user's")):
        module = types.ModuleType(name)
        module.warn = warn
        exec(compile("def call(): warn('here')", f"<{name}>", "exec"), vars(module))
        (warning,) = caught_from(lambda call=module.call: call())
        assert (warning.filename == __file__) == (whose == "ours")


def test_nobody_but_leafward_on_the_stack():
    """A warning from a thread whose frames are all ours still has a place."""
    from leafward import errors
    frame = types.FunctionType(compile("warn('alone')", "<ours>", "exec"), {"__name__": "leafward.x", "warn": errors.warn})
    assert [str(w.message) for w in caught_from(frame)] == ["alone"]


def test_no_place_is_counted_by_hand():
    """``errors.warn`` finds the user's line; a number of frames is wrong as soon as a function is split in two."""
    package = Path(inspect.getfile(lw)).parent
    counted = []
    for path in package.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in ("warnings.warn", "warn") and (
                    any(k.arg == "stacklevel" for k in node.keywords) and path.name != "errors.py"):
                counted.append(f"{path.relative_to(package)}:{node.lineno}")
    assert not counted
