"""Errors raised before anything happens: the write to a leaf, and backward without a history."""
import pytest

import leafward
from tests.trust.programs import lines_of, run


def test_the_leaf():
    outcome = run("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        w.add_(1)
        """)
    assert type(outcome.error) is leafward.LeafOverwriteError
    assert str(outcome.error) == """\
a leaf Variable that requires grad is being used in an in-place operation.

  `w` is a leaf that requires grad: backward() gives its gradient at the value it has now. Nothing was written.

  refused   w.add_(1)   train.py:2
            ^^^^^^^^^

  fix   replace train.py:2 by   with lw.no_grad(): w.add_(1)   if this sets or updates a parameter
        replace train.py:2 by   w = w.add(1)                   if gradients should flow through it: this makes a new tensor"""
    assert outcome.names["w"].tolist() == [1.0, 2.0]


@pytest.mark.parametrize(("write", "name"), [
    ("w += 1", "`w` is a leaf"),
    ("w[0] = 5", "`w[0]` is a view of a leaf"),
    ("w[0].zero_()", "`w[0]` is a view of a leaf"),
    ("nn.init.zeros_(w); w.mul_(w)", "`w` is a leaf"),
    ("lw.add(w.detach(), 1).copy_(w); w.copy_(w)", "`w` is a leaf"),
])
def test_every_form_of_the_write(write, name):
    outcome = run(f"w = lw.tensor([1.0, 2.0], requires_grad=True)\n{write}")
    assert type(outcome.error) is leafward.LeafOverwriteError
    assert lines_of(outcome.story)["refused"] == [2]
    assert name in outcome.story
    assert ("w.detach()." if ";" in write else "with lw.no_grad(): ") in outcome.story      # alone, where it shares the line


def test_the_cut_is_shown_where_the_tensor_itself_was_cut():
    outcome = run("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = (x * x).detach()
        y.backward(lw.ones(2))
        """)
    assert type(outcome.error) is leafward.NoHistoryError
    assert str(outcome.error).startswith("element 0 of tensors does not require grad and does not have a grad_fn\n\n")
    assert lines_of(outcome.story) == {"asked in": [3], "cut here": [2], "fix": [2]}


UPDATE = """
w = lw.tensor(0.0, requires_grad=True)
for step in range(2):
    loss = (w - 3.0) ** 2
    loss.backward()
    with lw.no_grad():
        w = w - 0.1 * w.grad
"""


def test_an_update_that_makes_a_new_tensor_is_named():
    outcome = run(UPDATE)
    assert type(outcome.error) is leafward.NoHistoryError
    assert lines_of(outcome.story) == {"asked in": [4], "cut here": [6], "fix": [6]}
    assert "w -= 0.1 * w.grad" in outcome.story
    assert run(UPDATE.replace("w = w - 0.1 * w.grad", "w -= 0.1 * w.grad")).error is None
    assert "w.copy_(0.5 * w)" in run(UPDATE.replace("w - 0.1 * w.grad", "0.5 * w")).story


def test_an_update_elsewhere_is_not_blamed():
    outcome = run(UPDATE.replace("w = w - 0.1 * w.grad", "v = w; v = v * 2") + "loss = v.sum().detach(); loss.backward()\n")
    assert "v = v * 2" in outcome.story
    assert lines_of(outcome.story)["cut here"] == [6]
    outcome = run(UPDATE.replace("w = w - 0.1 * w.grad", "v = w; v = v * 2") + "lw.ones(1).sum().backward()\n")
    assert type(outcome.error) is leafward.NoHistoryError
    assert "cut here" not in outcome.story
