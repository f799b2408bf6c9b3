"""Results that are written to where nothing is recorded, and used afterwards: told by ``leafward check``."""
import pytest

from leafward.app.watch import Watch
from tests.trust.programs import lines_of, run

#: What is written, the line of it, and the repair.
TOLD = {
    "through .data": ("y = w * 2\ny.data.clamp_(min=0)\nloss = (y ** 2).sum()", 3, "y = y.clamp(min=0)"),
    "through detach()": ("y = w * 2\ny.detach().mul_(3)\nloss = (y ** 2).sum()", 3, "y = y.mul(3)"),
    "under no_grad": ("y = w * 2\nwith lw.no_grad():\n    y.clamp_(min=0)\nloss = (y ** 2).sum()", 4, "y = y.clamp(min=0)"),
    "before a mean, which keeps nothing": ("y = w * 2\nwith lw.no_grad():\n    y.clamp_(min=0)\nloss = y.mean()", 4,
                                           "y = y.clamp(min=0)"),
    "before a difference": ("y = w * 2\ny.data.mul_(3)\nloss = (y - 1).sum()", 3, "y = y.mul(3)"),
    "a row": ("y = w * 2\ny.data[0] = 5\nloss = (y ** 2).sum()", 3, "make a new tensor"),
    "a state from turn to turn": ("h = w\nfor _ in range(3):\n    h = h * w\n    h.data.mul_(0.5)\nloss = h.sum()", 5, ""),
}
RIGHT = {
    "recorded in place": "y = w * 2\ny.clamp_(min=0)\ny += 1\nloss = (y ** 2).sum()",
    "a recorded view": "y = w * 2\ny[0] = 5\nloss = (y ** 2).sum()",
    "written after its use": "y = w + 2\nloss = (y * lw.ones(2)).sum()\ny.data.zero_()",
    "written after a mean": "y = w * 2\nloss = y.mean()\ny.data.zero_()",
    "recorded before a mean": "y = w * 2\ny.clamp_(min=0)\nloss = y.mean()",
    "a part before a mean of another": "y = w * 2\ny.data[1] = 5\nloss = y[:1].mean()",
    "a leaf": "w.data.clamp_(min=0)\nloss = (w ** 2).sum()",
    "straight through": "y = w * 2\ny = y + (y.round() - y).detach()\nloss = (y ** 2).sum()",
    "a state that is cut": "h = w * 1\nfor _ in range(3):\n    h = (h.detach() * w).tanh()\n"
                            "    h2 = h.detach().clone().mul_(2)\nloss = h.sum()",
    "another row": "y = w * 2\ny.data[1] = 5\nloss = (y[0] ** 2).sum()",
    "dropout in place": "y = nn.functional.dropout(w * 2, inplace=True)\nloss = (y ** 2).sum()",
    "a buffer that is used again": "out = lw.empty(2)\nlw.mul(w.detach(), 2, out=out)\n"
                                   "lw.mul(w.detach(), 3, out=out)\nloss = (w * out).sum()",
}


def found_in(source):
    with Watch() as watch:
        outcome = run(f"w = lw.tensor([1.0, -2.0], requires_grad=True)\n{source}\nloss.backward()")
    return outcome, [finding for key, finding in watch.findings.items() if key[0] == "rewritten"]


@pytest.mark.parametrize("name", TOLD)
def test_what_is_told(name):
    source, line, repair = TOLD[name]
    outcome, findings = found_in(source)
    assert outcome.error is None
    (finding,) = findings
    assert lines_of(finding.text)["changed by"] == [line]
    assert repair in finding.text


@pytest.mark.parametrize("name", RIGHT)
def test_what_is_right(name):
    assert found_in(RIGHT[name])[1] == []
