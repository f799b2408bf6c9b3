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

  `w` is a leaf that requires grad: its history starts from its value. Nothing was written.

  refused   w.add_(1)   train.py:2
            ^^^^^^^^^

  fix   train.py:2   with lw.no_grad(): w.add_(1)   if this sets or updates a parameter
        train.py:2   w = w.add(1)                   if gradients should flow through it: this makes a new tensor"""
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
    assert "with lw.no_grad(): " in outcome.story


def test_the_cut_is_shown_where_the_tensor_itself_was_cut():
    outcome = run("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = (x * x).detach()
        y.backward(lw.ones(2))
        """)
    assert type(outcome.error) is leafward.NoHistoryError
    assert str(outcome.error).startswith("element 0 of tensors does not require grad and does not have a grad_fn\n\n")
    assert lines_of(outcome.story) == {"asked in": [3], "cut here": [2]}
