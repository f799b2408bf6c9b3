"""Gradients and saved values that users' own functions get hold of: hooks, pack hooks, checkpointed functions."""
import gc
import textwrap

import pytest

import leafward
import leafward as lw
from leafward.core.assigned import Log
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
    assert said[-1] == "  fix          replace train.py:2 by   return g.mul(0.1)   out of place: in memory of its own"


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
    assert "let the hook keep tensor.clone()" in outcome.story


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


KINDS = pytest.mark.parametrize("kind", ["use_reentrant=False", "use_reentrant=True"])


def checkpointed(program, kind):
    """``program`` with its checkpoints of this kind; a reentrant one wants an input that requires grad."""
    program = program.replace("use_reentrant=False", kind)
    return program.replace("[3.0, 1.0])", "[3.0, 1.0], requires_grad=True)") if "True" in kind else program


@KINDS
def test_a_checkpoint_that_reads_other_values(kind):
    outcome = run(checkpointed(CHECKPOINT, kind))
    named = lines_of(outcome.story)
    assert named["needed by"] == [6]
    assert named["changed by"] == [7]
    assert "change it after backward()" in outcome.story
    assert outcome.grad("w") == [450.0, -100.0]


HEAD = """
from leafward.utils.checkpoint import checkpoint
import random
import numpy as np
from functools import partial
x = lw.tensor([3.0, 1.0], requires_grad=True)
w = lw.tensor([1.0, -2.0], requires_grad=True)
"""
#: what stands behind HEAD -> the lines that kept and changed, and words of the repair
OTHERWISE = {
    "a number from elsewhere": ("""
        scale = [1.0]
        loss = checkpoint(lambda x: (scale[0] * w * x) ** 2, x, use_reentrant=False).sum()
        scale[0] = 4.0
        loss.backward()
        """, 8, 9, "pass it to checkpoint() as an argument"),
    "a global of another function": ("""
        gain = lw.ones(1)
        def inner(v):
            return v * gain
        def layer(v):
            return inner(v).exp()
        loss = checkpoint(layer, x, use_reentrant=False).sum()
        gain += 1
        loss.backward()
        """, 12, 13, "change it after backward()"),
    "weights after a step": ("""
        net = nn.Sequential(nn.Linear(2, 2), nn.Tanh(), nn.Linear(2, 1))
        opt = lw.optim.SGD(net.parameters(), lr=1e-6)
        net(x.detach()).sum().backward()
        loss = checkpoint(net, x, use_reentrant=False).sum()
        opt.step()
        loss.backward()
        """, 10, 11, "change it after backward()"),
    "weights after a step, of a method's object": ("""
        class Model(nn.Module):
            def __init__(self):
                super().__init__()
                self.fc = nn.Linear(2, 1)
            def inner(self, v):
                return self.fc(v).tanh()
        net = Model()
        loss = checkpoint(net.inner, x, use_reentrant=False).sum()
        with lw.no_grad():
            for p in net.parameters():
                p.mul_(0.5)
        loss.backward()
        """, 14, 17, "change it after backward()"),
    "a tensor of an object": ("""
        class Layer:
            def __init__(self):
                self.gain, self.other = lw.ones(1), lw.ones(1)
            def __call__(self, v):
                return (v * self.gain).exp()
        layer = Layer()
        loss = checkpoint(layer, x, use_reentrant=False).sum()
        layer.other.fill_(3)
        layer.gain.fill_(2)
        loss.backward()
        """, 13, 15, "change it after backward()"),
    "an argument of a partial function": ("""
        gain = lw.ones(2)
        loss = checkpoint(partial(lw.mul, gain), x, use_reentrant=False).exp().sum()
        gain.fill_(2)
        loss.backward()
        """, 8, 9, "change it after backward()"),
    "its own writes": ("""
        count = lw.zeros(1)
        def layer(v):
            count.add_(1)
            return (v * count).exp()
        loss = checkpoint(layer, x, use_reentrant=False).sum()
        loss.backward()
        """, 11, 9, "write it outside of the function"),
    "random numbers that are drawn anew": ("""
        drop = nn.Dropout(0.5)
        lw.manual_seed(0)
        loss = checkpoint(drop, x * lw.ones(64, 1), use_reentrant=False, preserve_rng_state=False).exp().sum()
        loss.backward()
        """, 9, None, "loss = checkpoint(drop, x * lw.ones(64, 1), use_reentrant="),
    "random numbers of NumPy": ("""
        loss = checkpoint(lambda v: (v * float(np.random.rand())).exp(), x, use_reentrant=False).sum()
        loss.backward()
        """, 7, 7, "draw them outside of the function"),
    "an attribute of a module": ("""
        class Layer(nn.Module):
            gain, seen = 1.0, None
            def forward(self, v):
                self.last = (v * self.gain).exp()
                return self.last + 1
        layer = Layer()
        layer.gain = 0.5
        loss = checkpoint(layer, x, use_reentrant=False).sum()
        layer.seen = loss.item()
        layer.gain = 2.0
        loss.backward()
        """, 14, 16, "change it after backward()"),
    "a counter of a module": ("""
        class Layer(nn.Module):
            calls = 0
            def forward(self, v):
                self.calls += 1
                return (v / self.calls).exp()
        layer = Layer()
        def both(v):
            return layer(v)
        loss = checkpoint(both, x, use_reentrant=False).sum()
        loss.backward()
        """, 15, 10, "write it outside of the function"),
    "an attribute of a layer": ("""
        net = nn.Sequential(nn.Dropout(0.5))
        def run(v):
            return checkpoint(net, v, use_reentrant=False).exp().sum()
        loss = run(x * lw.ones(64, 1))
        net[0].p = 0.9
        loss.backward()
        """, 9, 11, "change it after backward()"),
    "a counter of an object": ("""
        class Layer:
            calls, runs = 0, 0
            def scale(self):
                self.calls += 1
                return 1 / self.calls
            def __call__(self, v):
                return (v * self.scale()).exp()
        loss = checkpoint(Layer(), x, use_reentrant=False).sum()
        loss.backward()
        """, 14, 10, "write it outside of the function"),
    "the next of an iterator": ("""
        factors = iter([1.0, 2.0, 3.0])
        def layer(v):
            factor = next(factors)
            return (v * factor).exp()
        loss = checkpoint(layer, x, use_reentrant=False).sum()
        loss.backward()
        """, 11, 9, "write it outside of the function"),
    "a generator of NumPy's": ("""
        rng = np.random.default_rng(0)
        def layer(v):
            noise = rng.normal(size=2)
            return (v + lw.tensor(noise, dtype=lw.float32)).exp()
        loss = checkpoint(layer, x, use_reentrant=False).sum()
        loss.backward()
        """, 11, 9, "draw them outside of the function"),
    "either of two": ("""
        count = [0]
        def layer(v):
            count[0] += 1
            return (v * random.random() + count[0]).exp()
        loss = checkpoint(layer, x, use_reentrant=False).sum()
        loss.backward()
        """, 11, None, "depend on its arguments alone"),
}


@KINDS
@pytest.mark.parametrize("name", OTHERWISE)
def test_what_makes_the_second_run_differ(name, kind):
    program, kept, changed, repair = OTHERWISE[name]
    outcome = run(HEAD.strip("\n") + textwrap.dedent(program).replace("use_reentrant=False", kind))
    assert outcome.error is None
    named = lines_of(outcome.story)
    assert named["needed by"] == [kept]
    assert named.get("changed by") == (None if changed is None else [changed])
    assert repair in outcome.story
    assert ("changed by   random numbers" in outcome.story) == ("drawn anew" in name)


@KINDS
@pytest.mark.parametrize("program", [
    CHECKPOINT.replace("gain.fill_(5.0)\nloss.backward()", "loss.backward()\ngain.fill_(5.0)"),
    CHECKPOINT.replace("gain.fill_(5.0)\n", "gain.fill_(1.0)\n"),
    CHECKPOINT.replace("gain * w * x", "lw.nn.functional.dropout(gain * w * x, 0.5)").replace("gain.fill_(5.0)\n", ""),
    CHECKPOINT.replace("gain * w * x", "lw.where(x > 2, lw.nan, w * x)"),
    CHECKPOINT.replace("loss = ", "y = ").replace(".sum()\n", "\n").replace("gain.fill_(5.0)", "loss = y.mul_(2).sum()"),
    CHECKPOINT.replace("loss = checkpoint(inner,", "bn = nn.BatchNorm1d(1)\nloss = checkpoint(lambda v: bn(v[:, None]) * w,")
    .replace("gain.fill_(5.0)", "bn(lw.ones(2, 1))"),
], ids=["after backward", "nothing new", "dropout", "nan", "its result is written", "batch norm"])
def test_checkpoints_that_are_right(program, kind):
    outcome = run(checkpointed(program, kind))
    assert outcome.error is None
    assert not [w for w in outcome.warned if type(w) is leafward.SilentGradientWarning]


def test_assignments_are_remembered_only_while_a_function_waits():
    layer, x = lw.nn.Dropout(), lw.ones(2, requires_grad=True)
    gc.collect()
    before = Log.waiting
    loss = lw.utils.checkpoint.checkpoint(layer, x, use_reentrant=False).sum()
    layer.p = 0.1
    assert Log.waiting == before + 1
    assert Log.recent[-1].name == "p"
    del loss
    assert Log.waiting == before
    count = Log.count
    if not before:
        assert not Log.recent
        layer.p = 0.2
        assert Log.count == count


@KINDS
def test_checkpoints_without_checks(kind):
    assert run(checkpointed(CHECKPOINT, kind), checks=False).warned == []


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
