"""Gradients and saved values that users' own functions get hold of: hooks, pack hooks, checkpointed functions."""
import pytest

import leafward
from tests.trust.programs import lines_of, run

SHARED = """
def damp(g):
    g.mul_(0.1)
a = lw.tensor([1.0, 2.0], requires_grad=True)
b = lw.tensor([3.0, 4.0], requires_grad=True)
right, left = b * 1.0, a * 1.0
left.register_hook(damp)
class Sum(lw.autograd.Function):
    @staticmethod
    def forward(ctx, x, y):
        return x + y
    @staticmethod
    def backward(ctx, g):
        return g, g
s = Sum.apply(left, right)
(s * lw.tensor([5.0, 7.0])).sum().backward()
"""


def test_a_hook_changes_its_own_gradient_only():
    outcome = run(SHARED)
    assert outcome.grad("a") == pytest.approx([0.5, 0.7])
    assert outcome.grad("b") == [5.0, 7.0]
    said = outcome.story.splitlines()
    assert said[0] == ("a hook changed its gradient in place, and another tensor's gradient is in the same memory. "
                       "PyTorch would change both without a word.")
    assert lines_of(outcome.story) == {"changed by": [2], "fix": [2]}
    assert said[-1] == "  fix          train.py:2   return g.mul(0.1)"


def test_its_fix():
    outcome = run(SHARED.replace("g.mul_(0.1)", "return g.mul(0.1)"))
    assert not outcome.warned
    assert outcome.grad("a") == pytest.approx([0.5, 0.7])
    assert outcome.grad("b") == [5.0, 7.0]


@pytest.mark.parametrize(("hook", "fix"), [
    ("lambda g: g.mul_(0.1)", "left.register_hook(lambda g: g.mul(0.1))"),
    ("lambda g: g.detach().mul_(0.1) and None if False else g.mul_(0.1)", "g.mul(0.1)"),
])
def test_a_hook_on_one_line(hook, fix):
    outcome = run(SHARED.replace("register_hook(damp)", f"register_hook({hook})"))
    assert outcome.grad("b") == [5.0, 7.0]
    assert lines_of(outcome.story)["changed by"] == [6]
    assert fix in outcome.story


def test_a_hook_under_strict():
    outcome = run(SHARED.replace("(s * lw", "with lw.strict(): (s * lw"))
    assert type(outcome.error) is leafward.SilentGradientError


def test_a_prehook_of_a_node():
    prehook = "left.grad_fn.register_prehook(lambda gs: None if gs[0].mul_(0.1) is None else None)"
    outcome = run(SHARED.replace("left.register_hook(damp)", prehook))
    assert outcome.grad("b") == [5.0, 7.0]
    assert len(outcome.warned) == 1


QUIET_HOOKS = {
    "a gradient of its own": SHARED.replace("return g, g", "return g * 2, g * 2"),
    "a new gradient": SHARED.replace("    g.mul_(0.1)", "    return g * 0.1"),
    "nothing written": SHARED.replace("    g.mul_(0.1)", "    g.mul(0.1)"),
}


@pytest.mark.parametrize("name", QUIET_HOOKS)
def test_hooks_that_are_right(name):
    outcome = run(QUIET_HOOKS[name])
    assert outcome.error is None
    assert not outcome.warned


# -- pack hooks --------------------------------------------------------------------------------------------------

PACKED = """
x = lw.tensor([1.0, 2.0], requires_grad=True)
with lw.autograd.graph.saved_tensors_hooks(lambda t: t, lambda t: t):
    y = x.exp()
y.detach().zero_()
y.sum().backward()
"""


def test_a_pack_hook_that_keeps_the_tensor_itself():
    outcome = run(PACKED)
    assert outcome.error is None
    assert outcome.grad() == [0.0, 0.0]
    assert lines_of(outcome.story)["changed by"] == [4]
    assert "let it return tensor.clone()" in outcome.story


@pytest.mark.parametrize("program", [
    PACKED.replace("lambda t: t,", "lambda t: t.clone(),"),
    PACKED.replace("y.detach().zero_()", "y.detach().clone().zero_()"),
])
def test_pack_hooks_that_are_right(program):
    outcome = run(program)
    assert not outcome.warned
    assert outcome.grad() == pytest.approx([2.7182817, 7.389056])


# -- checkpoints -------------------------------------------------------------------------------------------------

CHECKPOINT = """
from leafward.utils.checkpoint import checkpoint
gain = lw.ones(1)
w = lw.tensor([1.0, -2.0], requires_grad=True)
def inner(x):
    return (gain * w * x) ** 2
loss = checkpoint(inner, lw.tensor([3.0, 1.0]), use_reentrant=False).sum()
gain.fill_(5.0)
loss.backward()
"""


def test_a_checkpoint_that_reads_other_values():
    outcome = run(CHECKPOINT)
    named = lines_of(outcome.story)
    assert named["needed by"] == [6]
    assert named["changed by"] == [7]
    assert "change it after backward()" in outcome.story


def test_its_value_from_elsewhere():
    outcome = run("""
        from leafward.utils.checkpoint import checkpoint
        scale = [1.0]
        w = lw.tensor([1.0, -2.0], requires_grad=True)
        loss = checkpoint(lambda x: (scale[0] * w * x) ** 2, lw.tensor([3.0, 1.0]), use_reentrant=False).sum()
        scale[0] = 4.0
        loss.backward()
        """)
    assert lines_of(outcome.story)["needed by"] == [4]


@pytest.mark.parametrize("program", [
    CHECKPOINT.replace("gain.fill_(5.0)\nloss.backward()", "loss.backward()\ngain.fill_(5.0)"),
    CHECKPOINT.replace("gain.fill_(5.0)\n", "gain.fill_(1.0)\n"),
    CHECKPOINT.replace("gain * w * x", "lw.nn.functional.dropout(gain * w * x, 0.5)").replace("gain.fill_(5.0)\n", ""),
])
def test_checkpoints_that_are_right(program):
    outcome = run(program)
    assert outcome.error is None
    assert not outcome.warned


# -- gradients that are spread over their shape ------------------------------------------------------------------

@pytest.mark.parametrize(("write", "expected"), [
    ("g.zero_()", [0.0, 0.0, 0.0]), ("g.fill_(3)", [3.0, 3.0, 3.0]), ("g[0] = 5.0", [5.0, 5.0, 5.0]),
    ("g.numpy()[1] = 9.0", [9.0, 9.0, 9.0]), ("lw.zeros(3, out=g)", [0.0, 0.0, 0.0]), ("g.data.fill_(2)", [2.0, 2.0, 2.0])])
@pytest.mark.parametrize("hooked", ["a.register_hook(hook)", "h.register_hook(hook)",
                                    "h.grad_fn.register_prehook(lambda gs: hook(*gs))"])
def test_a_hook_may_write_to_a_gradient_that_a_sum_spread(write, expected, hooked):
    program = f"def hook(g):\n    {write}\na = lw.ones(3, requires_grad=True)\nh = a + 0\n{hooked}\nh.sum().backward()"
    outcome = run(program)
    assert outcome.error is None
    assert outcome.grad("a") == expected                    # PyTorch's numbers: the elements are one
    assert outcome.warned == []


def test_a_spread_gradient_of_two_is_changed_for_one():
    outcome = run(SHARED.replace("g.mul_(0.1)", "g.zero_()").replace("* lw.tensor([5.0, 7.0])", ""))
    assert outcome.grad("a") == [0.0, 0.0]
    assert outcome.grad("b") == [1.0, 1.0]
    assert len(outcome.warned) == 1
