"""Repairs where no order of lines helps: a copy for the gradient, or for the write; and what a quotient is divided by."""
import textwrap

import pytest

from tests.trust.fixes import suggestions
from tests.trust.programs import run
from tests.trust.test_fixes import equal, meant, tried

#: A program, and replacements that make it the one that was meant.
PROGRAMS = {
    "a buffer that a method sets": ("""
        class Scaler(nn.Module):
            def __init__(self):
                super().__init__()
                self.register_buffer("s", lw.ones(3))
            def set(self, v):
                self.s.copy_(v)
            def forward(self, x):
                return x * self.s
        m = Scaler()
        w = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        losses = []
        for k in (1.0, 2.0):
            m.set(lw.full((3,), k))
            losses.append(m(w * w).sum())
        sum(losses).backward()
        """, [("self.s.copy_(v)", "self.s = v.clone()")]),
    "a parameter that a property sets": ("""
        class Gate(nn.Module):
            def __init__(self):
                super().__init__()
                self.raw = nn.Parameter(lw.tensor([1.0, 2.0, 3.0]))
            @property
            def value(self):
                return self.raw.data
            @value.setter
            def value(self, v):
                self.raw.data.copy_(v)
        g = Gate()
        x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
        loss = (g.raw * x).sum()
        g.value = lw.zeros(3)
        loss.backward()
        """, [("g.value = lw.zeros(3)\nloss.backward()", "loss.backward()")]),
    "rows of a memory that is read as a whole": ("""
        w = lw.tensor([[0.1, 0.2], [0.3, 0.4]], requires_grad=True)
        mem = lw.zeros(3, 2)
        loss = 0
        for t in range(1, 3):
            mem[t] = lw.tanh(mem[t - 1] @ w + 1)
            loss = loss + mem.pow(2).sum()
        loss.backward()
        """, [("mem[t] = lw.tanh(mem[t - 1] @ w + 1)",
               "mem = lw.cat([mem[:t], lw.tanh(mem[t - 1] @ w + 1)[None], mem[t + 1:]])")]),
    "a quotient of two zeros": ("""
        x = lw.ones(4, 2, requires_grad=True)
        z = (x - x.mean(0)) / x.std(0)
        z.pow(2).sum().backward()
        """, [("/ x.std(0)", "/ (x.std(0) + 1e-12)")]),
    "the logarithm of a sum of powers": ("""
        x = lw.tensor([100.0, 200.0], requires_grad=True)
        lw.log(lw.exp(x).sum()).backward()
        """, [("lw.log(lw.exp(x).sum())", "(x - 200.0).exp().sum().log()")]),
    "the same along a dim, as methods": ("""
        x = lw.tensor([[100.0, 99.0], [1.0, 2.0]], requires_grad=True)
        loss = (x * 2).exp().sum(dim=1).log()
        loss.sum().backward()
        """, [("(x * 2).exp()", "(x * 2 - lw.tensor([[200.0], [0.0]])).exp()")]),
    "a mask times an infinity": ("""
        x = lw.tensor([[0.5, 1.0, 2.0], [1.0, 3.0, 0.0]], requires_grad=True)
        mask = lw.tensor([[1.0, 1.0, 0.0], [1.0, 0.0, 0.0]])
        p = (x + (1 - mask) * float("-inf")).softmax(-1)
        p.pow(2).sum().backward()
        """, [("x + (1 - mask) * float(\"-inf\")", "x + (1 - mask) * -1e30")]),
    "the end of a domain": ("""
        x = lw.tensor([1.0, 0.5], requires_grad=True)
        angle = lw.acos(x)
        angle.sum().backward()
        """, [("lw.acos(x)", "lw.acos(x.clamp(-1 + 1e-6, 1 - 1e-6))")]),
    "one over what vanished": ("""
        w = lw.tensor([-200.0, 1.0], requires_grad=True)
        s = lw.exp(w)
        loss = (1 / s).sum().log()
        loss.backward()
        """, [("1 / s", "1 / (s + 1e-12)")]),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_fix_repairs(name):
    source, replacements = PROGRAMS[name]
    source = textwrap.dedent(source).strip("\n") + "\n"
    outcome = run(source)
    told = [str(outcome.error)] if outcome.error is not None else [str(w) for w in outcome.warned]
    fixes = [edits for text in told for edits in suggestions(text)]
    assert fixes, told
    wanted = meant(source, replacements)
    for edits in fixes:
        found = tried(source, edits)
        assert found is not None, f"it still raises or warns: {edits}"
        assert equal(found, wanted), f"silently wrong: {edits}"
