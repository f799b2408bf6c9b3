"""Writes that PyTorch does not see: its number, and a warning that names the line; correct programs hear nothing."""
import warnings

import pytest

import leafward
from tests.trust.programs import BACKWARD, EXP, lines_of, run


def test_the_warning():
    outcome = run(EXP + "y.data.zero_()" + BACKWARD)
    assert outcome.grad() == [0.0, 0.0, 0.0]
    assert type(outcome.warned[0]) is leafward.SilentGradientWarning
    assert outcome.story == """\
this gradient is computed from overwritten values. PyTorch would return it without a word.
  needed by    y = x.exp()      train.py:2   saved its own output, f32[3]
  changed by   y.data.zero_()   train.py:3   an untracked write: PyTorch does not notice writes through .data
  effect       x.grad used the new values, at first [0., 0., 0.]
  fix          replace train.py:2 by   y = x.exp().clone()   the gradient keeps its own copy, and the write stays as it is"""


#: The write, the gradient that PyTorch gives, and why it does not see it.
THROUGH_DATA = "PyTorch does not notice writes through .data"
WRITES = {
    "data": ("y.data.zero_()", [0.0, 0.0, 0.0], THROUGH_DATA),
    "data, by a name of its own": ("view = y.data; view.zero_()", [0.0, 0.0, 0.0], THROUGH_DATA),
    "out=": ("lw.zeros(3, out=y.data)", [0.0, 0.0, 0.0], THROUGH_DATA),
    "out= of an operation": ("lw.mul(x.detach(), 2, out=y.data)", [2.0, 4.0, 6.0], THROUGH_DATA),
    "storage": ("y.untyped_storage().fill_(0)", [0.0, 0.0, 0.0], "PyTorch does not notice writes to a storage"),
    "set_": ("lw.empty(0).set_(y.detach()).zero_()", [0.0, 0.0, 0.0], "set_() shares memory, and PyTorch does not notice"),
    "preserved version": (
        "with lw.autograd._unsafe_preserve_version_counter(y): y.detach().zero_()", [0.0, 0.0, 0.0],
        "told not to count"),
}


@pytest.mark.parametrize("name", WRITES)
def test_untracked_write(name):
    write, gradient, reason = WRITES[name]
    outcome = run(EXP + write + BACKWARD)
    assert outcome.error is None
    assert outcome.grad() == gradient
    assert lines_of(outcome.story)["needed by"] == [2]
    assert lines_of(outcome.story)["changed by"] == [3]
    assert reason in outcome.story


@pytest.mark.parametrize("name", WRITES)
def test_untracked_write_under_strict(name):
    outcome = run(EXP + WRITES[name][0] + "\nwith lw.strict():\n    y.sum().backward()")
    assert type(outcome.error) is leafward.SilentGradientError
    assert isinstance(outcome.error, RuntimeError)
    assert "train.py:3" in str(outcome.error)
    assert outcome.names["x"].grad is None


def test_a_leaf_given_other_memory():
    outcome = run("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x * x
        x.data = lw.zeros(2)
        y.sum().backward()
        """)
    assert outcome.grad() == [2.0, 4.0]         # the values that were used are still there: nothing to tell
    assert not outcome.warned


STEP_BETWEEN = """
enc = lw.tensor([1.0, 2.0], requires_grad=True)
dec = lw.tensor([3.0, 4.0], requires_grad=True)
out = enc * dec
out.sum().backward(retain_graph=True)
for p in (enc, dec):
    p.data -= 0.1 * p.grad
out.sum().backward()
"""


def test_a_parameter_updated_between_two_backwards():
    outcome = run(STEP_BETWEEN)
    assert outcome.error is None
    assert len(outcome.warned) == 2             # both parameters were kept
    for message in outcome.warned:
        named = lines_of(str(message))
        assert (named["needed by"], named["changed by"]) == ([3], [6])
        assert "compute the loss again after it" in str(message) or "out = enc * dec" in str(message)


CORRECT = {
    "an update between iterations": """
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        for step in range(3):
            (w * w).sum().backward()
            w.data -= 0.1 * w.grad
            w.grad = None
        """,
    "weights clipped after the step": """
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        for step in range(3):
            (w ** 3).sum().backward()
            w.data.clamp_(-1, 1)
        """,
    "a value that nothing keeps": """
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x + 1
        z = y * 2
        y.data.zero_()
        z.sum().backward()
        """,
    "a copy": """
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y.data.clone().zero_()
        y.sum().backward()
        """,
    "a write after backward": """
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        y = x.exp()
        y.sum().backward()
        y.data.zero_()
        """,
    "weights swapped out and in again": """
        p = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (p * x).sum()
        keep = p.data.clone()
        p.data.copy_(lw.zeros(3))
        p.data.copy_(keep)
        y.backward()
        """,
    "weights scaled and scaled back": """
        p = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (p * x).sum()
        p.data.mul_(2.0)
        p.data.mul_(0.5)
        y.backward()
        """,
    "equal values copied in": """
        p = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (p * x).sum()
        p.data.copy_(lw.ones(3))
        y.backward()
        """,
    "a clamp that changes nothing": """
        p = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (p * x).sum()
        p.data.clamp_(-1, 1)
        y.backward()
        """,
    "a parameter given a copy of itself": """
        p = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (p * x).sum()
        p.data = p.data.clone()
        y.backward()
        """,
    "the weights of a layer given a copy of themselves": """
        p = lw.ones(3,3, requires_grad=True)
        x = lw.ones(2,3, requires_grad=True)
        y = nn.functional.linear(x, p).sum()
        p.data = p.data.clone()
        y.backward()
        """,
    "another input's value, for a gradient that does not need it": """
        w = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (w * x).sum()
        w.data -= 0.5
        y.backward(inputs=[w])
        """,
    "another input's value, in a layer": """
        w = lw.ones(3,3, requires_grad=True)
        x = lw.ones(2,3, requires_grad=True)
        y = nn.functional.linear(x, w).sum()
        w.data -= 0.5
        y.backward(inputs=[w])
        """,
    "many other rows through .data": """
        x = lw.ones(3, requires_grad=True)
        buf = lw.zeros(50,3)
        y = (buf[0] * x).sum()
        for i in range(1,50):
            buf.data[i] = 5.
        y.backward()
        """,
    "many other rows": """
        x = lw.ones(3, requires_grad=True)
        buf = lw.zeros(50,3)
        y = (buf[0] * x).sum()
        for i in range(1,50):
            buf[i] = 5.
        y.backward()
        """,
    "a storage filled with what it holds": """
        x = lw.ones(3, requires_grad=True)
        y = lw.zeros(3)
        z = (y*x).sum()
        y.untyped_storage().fill_(0)
        z.backward()
        """,
    "out= with the same values": """
        x = lw.ones(3, requires_grad=True)
        y = lw.zeros(3)
        z = (y*x).sum()
        lw.zeros(3, out=y.data)
        z.backward()
        """,
    "memory swapped and swapped back": """
        p = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (p * x).sum()
        old = p.data
        p.data = lw.zeros(3)
        p.data = old
        y.backward()
        """,
    "an element set and set back": """
        p = lw.ones(3, requires_grad=True)
        x = lw.ones(3, requires_grad=True)
        y = (p * x).sum()
        p.data[0] = 7.
        p.data[0] = 1.
        y.backward()
        """,
    "another row": """
        x = lw.ones(2, 3, requires_grad=True)
        y = x.exp()
        z = y[0] * y[0]
        rest = y.data[1]
        z.sum()
        """,
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_look_alikes(name):
    outcome = run(CORRECT[name])
    assert outcome.error is None
    assert outcome.warned == []


def test_changed_and_only_partly_changed_back():
    outcome = run("""
        p = lw.tensor([1.0, 2.0], requires_grad=True)
        x = lw.ones(2, requires_grad=True)
        y = (p * x).sum()
        p.data.mul_(2)
        p.data[0] = 1.0
        y.backward()
        """)
    assert outcome.grad() == [1.0, 4.0]
    assert lines_of(outcome.story)["changed by"] == [4]


def test_a_loop_is_warned_of_once():
    loop = f"for step in range(5):\n    y = (x * (step + 1)).exp()\n    y.data.fill_(step)\n    {BACKWARD.strip()}"
    names = {"lw": leafward, "x": leafward.ones(2, requires_grad=True)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(compile(loop, "loop.py", "exec"), names)
    assert [(w.filename, w.lineno, w.category) for w in caught] == [("loop.py", 4, leafward.SilentGradientWarning)]


def test_strict_is_a_decorator_and_nests():
    runtime = leafward.core.runtime.runtime

    @leafward.strict()
    def inside():
        with leafward.strict():
            pass
        return runtime.strict

    assert inside()
    assert not runtime.strict


def test_checks_off_is_pytorch():
    outcome = run(EXP + "y.data.zero_()" + BACKWARD, checks=False)
    assert outcome.warned == []
    assert outcome.grad() == [0.0, 0.0, 0.0]
