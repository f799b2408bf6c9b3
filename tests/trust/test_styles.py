"""Mistakes as many hands write them: each is told, with the line that did it, and a traceback of the user's own frames."""
import os
import textwrap
import traceback

import pytest

import leafward
from tests.trust.programs import run
from tests.trust.styles import STYLES

PACKAGE = os.path.dirname(leafward.__file__)
#: Mistakes that backward and layers tell of, each a line.
SHORT = {
    "backward twice": "loss = x.exp().sum(); loss.backward(); loss.backward()",
    "nothing requires grad": "lw.ones(3).sum().backward()",
    "no scalar": "(x * 2).backward()",
    "a saved value is written": "y = x.exp(); y.add_(1); y.sum().backward()",
    "features of a layer": "nn.Sequential(nn.Linear(4, 2))(x)",
    "the dtype of a layer": "nn.Linear(3, 2)(lw.ones(3, dtype=lw.int64))",
    "an index out of range": "nn.Embedding(3, 2)(lw.tensor([7]))",
    "targets of another size": "nn.CrossEntropyLoss()(lw.ones(2, 3), lw.tensor([0, 1, 2]))",
}


@pytest.mark.parametrize("name", STYLES)
def test_each_is_told_with_its_line(name):
    program = textwrap.dedent(STYLES[name]).strip("\n")
    line = next(number for number, text in enumerate(program.splitlines(), 1) if text.endswith("#!"))
    file = f"{name.replace(' ', '_')}.py"
    outcome = run(program, file)
    told = [*outcome.warned, outcome.error]
    assert any(isinstance(said, (leafward.GradientWarning, leafward.GradientError)) for said in told)
    assert f"{file}:{line}" in "\n".join(map(str, told))
    assert outcome.error is None or frames_of_leafward(outcome.error) == []


def test_there_are_many():
    assert len(STYLES) >= 35


def frames_of_leafward(error):
    """The frames of a traceback that are leafward's: compiled ones name their files from its root."""
    files = [frame.filename for frame in traceback.extract_tb(error.__traceback__)]
    return [file for file in files if file.startswith((PACKAGE, "leafward" + os.sep))]


@pytest.mark.parametrize("name", SHORT)
def test_the_traceback_shows_the_users_frames(name):
    outcome = run(f"x = lw.ones(3, requires_grad=True)\n{SHORT[name]}")
    assert outcome.error is not None
    assert frames_of_leafward(outcome.error) == []
    assert traceback.extract_tb(outcome.error.__traceback__)[-1].filename == "train.py"
