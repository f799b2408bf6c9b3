"""Mistakes in another file than the one that trains: the line that is named lies there."""
import sys

import pytest

import leafward
from tests.trust.programs import run

#: name -> the files of a program, the file and the line of the mistake.
FILES = {
    "a cut": ({"shapes_features": """
def features(net, x):
    h = net(x)
    return h.detach()
"""}, """
from shapes_features import features
body, head = nn.Linear(2, 2), nn.Linear(2, 1)
opt = lw.optim.SGD([*body.parameters(), *head.parameters()], lr=0.1)
head(features(body, lw.ones(3, 2))).mean().backward()
opt.step()
""", "shapes_features.py:3"),
    "a nan": ({"shapes_norms": """
def length(v):
    return v.pow(2).sum(-1).sqrt()
"""}, """
from shapes_norms import length
length(lw.zeros(2, 3, requires_grad=True) * 1).sum().backward()
""", "shapes_norms.py:2"),
    "a buffer": ({"shapes_loader": """
import numpy as np
import leafward
class Loader:
    def __init__(self):
        self.buffer = np.zeros(2, np.float32)
    def __iter__(self):
        for i in range(3):
            self.buffer[:] = i + 1
            yield leafward.from_numpy(self.buffer)
"""}, """
from shapes_loader import Loader
w = lw.ones(2, requires_grad=True)
sum((x * w).exp().sum() for x in Loader()).backward()
""", "shapes_loader.py:8"),
    "a hook": ({"shapes_hooks": """
def limited(g):
    g.clamp_(max=0.1)
"""}, """
from shapes_hooks import limited
a, b = lw.ones(2, requires_grad=True), lw.ones(2, requires_grad=True)
other, hooked = b * 1.0, a * 1.0
hooked.register_hook(limited)
((hooked + other) * 3).sum().backward()
""", "shapes_hooks.py:2"),
    "indices": ({"shapes_memory": """
def put(memory, places, values):
    memory[places] = values
    return memory
"""}, """
from shapes_memory import put
v = lw.rand(3).requires_grad_()
put(lw.zeros(4), lw.tensor([1, 1, 2]), v * 2).sum().backward()
""", "shapes_memory.py:2"),
    "a column": ({"shapes_losses": """
def squared(a, b):
    return (a - b).pow(2).mean()
"""}, """
from shapes_losses import squared
squared(nn.Linear(3, 1)(lw.rand(5, 3)), lw.rand(5)).backward()
""", "shapes_losses.py:2"),
    "an expanded tensor": ({"shapes_rows": """
def first(rows, value):
    rows[0] = value
"""}, """
from shapes_rows import first
rows = (lw.ones(1, 2, requires_grad=True) * 2).expand(3, 2)
first(rows, 5.0)
rows.sum().backward()
""", "shapes_rows.py:2"),
    "a checkpoint": ({"shapes_layers": """
from leafward.utils.checkpoint import checkpoint
SEEN = []
def layer(x):
    SEEN.append(1)
    return (x * len(SEEN)).exp()
def run(x):
    return checkpoint(layer, x, use_reentrant=False)
"""}, """
from shapes_layers import run
run(lw.ones(2, requires_grad=True)).sum().backward()
""", "shapes_layers.py:4"),
}


@pytest.mark.parametrize("name", FILES)
def test_the_line_is_named_in_another_file(name, tmp_path, monkeypatch):
    files, program, where = FILES[name]
    monkeypatch.syspath_prepend(tmp_path)
    for module, text in files.items():
        (tmp_path / f"{module}.py").write_text(text.lstrip("\n"))
        monkeypatch.delitem(sys.modules, module, raising=False)
    leafward.manual_seed(0)
    outcome = run(program)
    assert outcome.error is None
    assert any(where in str(warned) for warned in outcome.warned), outcome.warned
