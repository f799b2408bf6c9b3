"""Tracebacks show the user's frames, and layers' errors say which layer it was, what came in and what would fit."""
import os
import subprocess
import re
import sys
import traceback
import types

import pytest

import leafward as lw
from leafward import nn
from tests.trust.programs import run


def frames(error):
    """The files of a traceback after the frame that caught it."""
    return [frame.filename for frame in traceback.extract_tb(error.__traceback__)[1:]]


class Block(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.fc1 = nn.Linear(4, 4)
        self.fc2 = nn.Linear(features, 4)

    def forward(self, x):
        return self.fc2(self.fc1(x).relu())


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = nn.Sequential(Block(4), Block(5))

    def forward(self, x):
        return self.blocks(x)


def stale():
    x = lw.ones(3, requires_grad=True)
    y = x.exp()
    y.detach().zero_()
    y.sum().backward()


def twice():
    x = lw.ones(3, requires_grad=True)
    loss = x.exp().sum()
    loss.backward()
    loss.backward()


def no_history():
    lw.ones(3).sum().backward()


@pytest.mark.parametrize("function", [stale, twice, no_history])
def test_no_frame_of_leafwards_is_left(function):
    with pytest.raises(lw.GradientError) as caught:
        function()
    assert frames(caught.value) == [__file__]


def test_of_modules_only_the_users_frames_are_left():
    with pytest.raises(RuntimeError) as caught:
        Net()(lw.ones(2, 4))
    assert frames(caught.value) == [__file__, __file__]             # Net.forward, Block.forward


def test_autograd_grad_leaves_at_most_its_own():
    x = lw.ones(3, requires_grad=True)
    y = x.exp()
    y.detach().zero_()
    with pytest.raises(lw.InplaceGradientError) as caught:
        lw.autograd.grad(y.sum(), x)
    assert len(frames(caught.value)) <= 3


def test_a_hook_of_the_users_stays():
    def hook(grad):
        raise ValueError("mine")
    x = lw.ones(3, requires_grad=True)
    y = x.exp()
    y.register_hook(hook)
    with pytest.raises(ValueError, match="mine") as caught:
        y.sum().backward()
    assert [f.name for f in traceback.extract_tb(caught.value.__traceback__)[1:]] == ["hook"]
    assert not hasattr(caught.value, "__notes__")


def test_all_of_them_on_demand():
    program = "import leafward as lw\nlw.ones(3).sum().backward()"
    for full, shown in (("full", True), ("", False)):
        ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False,
                             env={**os.environ, "LEAFWARD_TRACEBACK": full})
        assert "NoHistoryError" in ran.stderr
        assert ("autograd" in ran.stderr) == shown


# -- layers ------------------------------------------------------------------------------------------------------

def test_the_note_of_a_layer():
    outcome = run("""
        class Head(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(5, 2)
            def forward(self, x):
                return self.fc(x)
        net = nn.Sequential(nn.Linear(3, 4), Head())
        net(lw.ones(2, 3))
        """)
    assert "fc" not in str(outcome.error)                           # the text itself is PyTorch's
    assert outcome.error.__notes__ == ["""\
  in layer    1.fc: Linear(in_features=5, out_features=2, bias=True)
  came in     f32[2, 4]
  called at   return self.fc(x)   train.py:6 in Head.forward()
  repair      the last dim of the input has 4 elements, not 5: make the layer with in_features=4, or give it 5"""]


#: layer, what it is given, the repair
REPAIRS = {
    "another float": (lambda: nn.Linear(2, 2), lambda: (lw.ones(2).double(),), "pass x.float(); or convert the layer"),
    "integers": (lambda: nn.Linear(2, 2), lambda: (lw.ones(2).long(),), "pass x.float()"),
    "floats as indices": (lambda: nn.Embedding(3, 2), lambda: (lw.ones(2),), "pass x.long()"),
    "an index too large": (lambda: nn.Embedding(3, 2), lambda: (lw.tensor([1, 3]),), "num_embeddings=4"),
    "no channels": (lambda: nn.Conv2d(1, 2, 3), lambda: (lw.ones(4, 8, 8),), "x.unsqueeze(1) has shape [4, 1, 8, 8]"),
    "channels at the end": (lambda: nn.Conv2d(3, 2, 3), lambda: (lw.ones(4, 8, 8, 3),), "x.permute(0, 3, 1, 2)"),
    "other channels": (lambda: nn.Conv1d(3, 2, 3), lambda: (lw.ones(4, 5, 8),), "in_channels=5"),
    "no batch": (lambda: nn.BatchNorm1d(3), lambda: (lw.ones(3),), "x.unsqueeze(0) has shape [1, 3]"),
    "other features": (lambda: nn.BatchNorm1d(3), lambda: (lw.ones(2, 4),), "num_features=4"),
    "a recurrent layer": (lambda: nn.LSTM(3, 4), lambda: (lw.ones(2, 2, 5),), "input_size=5"),
    "a normalized shape": (lambda: nn.LayerNorm(5), lambda: (lw.ones(2, 4),), "the layer was made for [5]"),
    "a column and a row": (nn.BCELoss, lambda: (lw.ones(2, 1), lw.ones(2)), "x.squeeze(-1)"),
}


@pytest.mark.parametrize("name", REPAIRS)
def test_repairs(name):
    layer, inputs, said = REPAIRS[name]
    with pytest.raises((RuntimeError, ValueError, IndexError)) as caught:
        layer()(*inputs())
    (note,) = caught.value.__notes__
    assert "in layer" in note
    assert "came in" in note
    assert said in note


def test_the_users_own_errors_are_left_alone():
    class Mine(nn.Module):
        def forward(self, x):
            raise ValueError("mine")
    with pytest.raises(ValueError, match="mine") as caught:
        nn.Sequential(Mine())(lw.ones(2))
    assert not hasattr(caught.value, "__notes__")


def test_the_error_can_be_pickled_and_keeps_no_layer_alive():
    import pickle
    import weakref
    layer = nn.Linear(2, 2)
    with pytest.raises(RuntimeError) as caught:
        layer(lw.ones(3))
    assert type(pickle.loads(pickle.dumps(caught.value))) is RuntimeError
    gone = weakref.ref(layer)
    del layer
    assert gone() is None


def test_cells_of_a_notebook_have_their_names(monkeypatch):
    class Compile:
        def format_code_name(self, name):
            return ("Cell", "In[6]") if name == "train.py" else None
    shell = types.SimpleNamespace(compile=Compile())
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    story = run("x = lw.ones(3, requires_grad=True)\nx.add_(1)").story
    assert "Cell In[6], line 2" in story


#: What a notebook shows: an error of backward, a warning, and one of a layer.
CELLS = {
    "a saved value is overwritten": """
        x = lw.ones(3, requires_grad=True)
        y = x.exp()
        s = y.detach()
        s.zero_()
        y.sum().backward()
        """,
    "a column against a row": "w = lw.ones(3, 1, requires_grad=True) * 1\n((w - lw.ones(3)) ** 2).mean().backward()",
    "a layer of another size": "net = nn.Sequential(nn.Linear(3, 2))\nnet(lw.ones(4, 5))",
}


@pytest.mark.parametrize("name", CELLS)
def test_a_notebook_shows_one_thing_below_the_other(name, monkeypatch):
    names = types.SimpleNamespace(format_code_name=lambda name: ("Cell", "In[6]"))
    shell = types.SimpleNamespace(kernel=object(), compile=names)
    monkeypatch.setitem(sys.modules, "IPython", types.SimpleNamespace(get_ipython=lambda: shell))
    outcome = run(CELLS[name])
    error = outcome.error
    said = [*(str(w) for w in outcome.warned), *([str(error), *getattr(error, "__notes__", ())] if error else [])]
    rows = [line for text in said for line in text.splitlines() if line.startswith("  ") and not line.endswith(".")]
    assert len(rows) >= 4
    assert max(map(len, rows)) <= 62, rows                  # the longest are lines of the program
    assert any(line.lstrip().startswith("Cell In[6], line") or "Cell In[6], line" in line for line in rows)
    assert not any(re.search(r"\S {4,}\S", line) for line in rows), rows
