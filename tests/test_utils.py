"""What stands around a training loop: ``summary``, ``progress``, TensorBoard's event files, pytest's plugin."""
import io
import subprocess
import sys

import pytest

import leafward as lw
from leafward import nn


class Shared(nn.Module):
    """One layer used twice, and one that does not run."""

    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 3)
        self.memory = nn.LSTM(3, 2)
        self.idle = nn.Linear(7, 7)

    def forward(self, x, scale=1):
        return {"out": self.memory(self.layer(self.layer(x)) * scale)}


def test_summary_lists_what_ran():
    model = Shared().eval()
    model.layer.bias.requires_grad_(False)
    found = lw.summary(model, {"x": lw.zeros(5, 3), "scale": 2})
    lstm = 4 * 2 * (3 + 2 + 2)
    shapes = [(5, 2), (1, 2), (1, 2)]
    assert [(*row[:3], list(row[3]), row[4]) for row in found.rows] == [
        (0, "", "Shared", shapes, 12 + lstm + 56), (1, "layer", "Linear", [(5, 3)], 12), (1, "memory", "LSTM", shapes, lstm)]
    assert (found.total, found.trainable) == (12 + lstm + 56, 9 + lstm + 56)
    assert not any(module._forward_hooks or module._forward_pre_hooks for module in model.modules())


def test_summary_without_an_input_and_to_a_depth():
    model = nn.Sequential(nn.Sequential(nn.Linear(1, 1)), nn.ReLU())
    assert [row[2] for row in lw.summary(model).rows] == ["Sequential", "Sequential", "Linear", "ReLU"]
    assert [row[2] for row in lw.summary(model, depth=1).rows] == ["Sequential", "Sequential", "ReLU"]


def test_summary_leaves_no_hook_where_the_model_fails():
    model = nn.Sequential(nn.Linear(2, 2))
    with pytest.raises(RuntimeError):
        lw.summary(model, lw.zeros(3))
    assert not model._forward_hooks and not model[0]._forward_pre_hooks


def test_progress_is_tqdms():
    pytest.importorskip("tqdm")
    shown = io.StringIO()
    assert list(lw.progress(range(3), "epoch 1", file=shown, ascii=True)) == [0, 1, 2]
    assert "epoch 1: 100%" in shown.getvalue() and "3/3" in shown.getvalue()


def test_a_bar_over_a_loader_knows_how_many_batches_there_are():
    tqdm = pytest.importorskip("tqdm")
    shown, data = io.StringIO(), lw.utils.data
    loader = data.DataLoader(data.TensorDataset(lw.arange(10.0)), batch_size=4)
    with tqdm.tqdm(loader, file=shown, ascii=True, mininterval=0) as bar:
        for batch, in bar:
            bar.set_postfix(loss=batch.sum())
    assert bar.total == 3 and "3/3" in shown.getvalue() and "loss=tensor(17.)" in shown.getvalue()


@pytest.mark.parametrize("package, use", [("tqdm", "leafward.progress([])"),
                                          ("tensorboard", "import leafward.utils.tensorboard")])
def test_a_missing_package_is_named(package, use):
    source = f"import sys; sys.modules[{package!r}] = None; import leafward; {use}"
    done = subprocess.run([sys.executable, "-c", source], env={"PYTHONPATH": ":".join(sys.path)},
                          capture_output=True, text=True)
    assert f"pip install {package}" in done.stderr.splitlines()[-1]


def test_compilers_return_what_they_are_given_with_one_notice(monkeypatch):
    from leafward import jit
    monkeypatch.setattr(jit, "noticed", set())
    layer = nn.Linear(2, 2)
    with pytest.warns(UserWarning, match="leafward has no graph compiler") as said:
        assert lw.compile(layer) is layer and lw.compile(mode="max-autotune")(layer) is layer
        assert jit.script(layer) is layer and jit.trace(layer, lw.ones(2)) is layer and jit.script(layer) is layer
    assert len(said) == 3 and all(warning.filename == __file__ for warning in said)
    assert jit.ignore(layer) is layer and jit.ignore(drop=True)(layer) is layer and jit.export(layer) is layer
    assert not jit.is_scripting() and not jit.is_tracing()
    with pytest.raises(AttributeError, match="no attribute 'freeze'\nleafward does not have torch.jit.freeze"):
        jit.freeze  # noqa: B018
    assert [("torch.onnx.export" in str(warning.message)) for warning in said] == [False, True, True]    # not of compile
    with pytest.raises(AttributeError, match="'Linear' object has no attribute 'save'\n.*torch.save.*torch.onnx.export"):
        jit.trace(layer, lw.ones(2)).save("model.pt")
    with pytest.raises(NotImplementedError, match="subclass torch.nn.Module"):
        jit.ScriptModule()


def test_pytest_runs_tests_on_leafward_as_torch(tmp_path):
    (tmp_path / "conftest.py").write_text("import torch\n")
    (tmp_path / "test_it.py").write_text("def test_it():\n    import leafward, torch\n    assert torch is leafward\n")
    done = subprocess.run([sys.executable, "-m", "pytest", "-q", "-p", "leafward.as_torch", "-p", "no:cacheprovider"],
                          cwd=tmp_path, env={"PYTHONPATH": ":".join(sys.path)}, capture_output=True, text=True)
    assert "1 passed" in done.stdout, done.stdout + done.stderr
