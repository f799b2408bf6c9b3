"""A second backward: who freed the graph, what both calls share, and whether that was made outside the loop."""
import pytest

import leafward
from tests.trust.programs import lines_of, run

OUTSIDE_THE_LOOP = """
w = lw.tensor([1.0, 2.0], requires_grad=True)
raw = lw.tensor([1.0, 2.0])
xs = lw.exp(raw * w)
for step in range(3):
    out = xs * w
    loss = out.sum()
    loss.backward()
"""


def test_the_line_outside_the_loop():
    outcome = run(OUTSIDE_THE_LOOP)
    assert type(outcome.error) is leafward.GraphFreedError
    assert str(outcome.error).startswith(
        "Trying to backward through the graph a second time (or directly access saved tensors after they have already "
        "been freed). Saved intermediate values of the graph are freed when you call .backward() or autograd.grad(). ")
    assert outcome.story == """\
  backward() needs values that an earlier backward() freed.
  freed by    loss.backward()        train.py:7   call 1
  needed by   loss.backward()        train.py:7   call 2
  shared      xs = lw.exp(raw * w)   train.py:3   built once, before the loop; the loss was rebuilt at train.py:6
  fix         move train.py:3 into the loop, or xs = lw.exp(raw * w).detach() if it should not train
  careful     retain_graph=True hides this: the old values are used again, and it breaks after optimizer.step()"""


@pytest.mark.parametrize("fixed", [
    OUTSIDE_THE_LOOP.replace("xs = lw.exp(raw * w)\n", "").replace("    out =", "    xs = lw.exp(raw * w)\n    out ="),
    OUTSIDE_THE_LOOP.replace("(raw * w)", "(raw * w).detach()"),
])
def test_the_fixes_repair_it(fixed):
    assert run(fixed).error is None


PROGRAMS = {
    "the same loss twice": ("""
        x = lw.ones(2, requires_grad=True)
        loss = (x * x).sum()
        loss.backward()
        loss.backward()
        """, {"freed by": [3], "needed by": [4], "shared": [2], "fix": [3]},
        "loss.backward(retain_graph=True)   if both calls are meant"),
    "one loss for the whole loop": ("""
        x = lw.ones(2, requires_grad=True)
        loss = (x * x).sum()
        for step in range(3):
            loss.backward()
        """, {"freed by": [4], "needed by": [4], "shared": [2], "fix": [2]}, "move train.py:2 into the loop"),
    "a state carried from turn to turn": ("""
        x = lw.ones(2, requires_grad=True)
        h = lw.ones(2)
        for step in range(3):
            h = lw.exp(h * x)
            h.sum().backward()
        """, {"freed by": [5], "needed by": [5], "shared": [4, 5], "fix": [4]},
        "before train.py:4 add   h = h.detach()   gradients then stop"),
    "a state that a network keeps": ("""
        class Cell(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(lw.ones(2))
                self.h = lw.ones(2)
            def forward(self, x):
                self.h = lw.tanh(self.w * self.h + x)
                return self.h
        cell = Cell()
        for x in (0.3, -0.4):
            loss = cell(x).sum()
            loss.backward()
        """, {"freed by": [12], "needed by": [12], "shared": [7, 11], "fix": [7]},
        "before train.py:7 add   self.h = self.h.detach()   gradients then stop"),
    "a state that another line keeps": ("""
        class Cell(nn.Module):
            def __init__(self):
                super().__init__()
                self.w = nn.Parameter(lw.ones(2))
                self.h = lw.ones(2)
            def forward(self, x):
                h = lw.tanh(self.w * self.h + x)
                self.h = h
                return h
        cell = Cell()
        for x in (0.3, -0.4):
            loss = cell(x).sum()
            loss.backward()
        """, {"freed by": [13], "needed by": [13], "shared": [7, 12], "fix": [8]}, "self.h = h.detach()"),
    "two losses on one part": ("""
        x = lw.ones(2, requires_grad=True)
        fake = lw.exp(x)
        (fake * 2).sum().backward()
        (fake * 3).sum().backward()
        """, {"freed by": [3], "needed by": [4], "shared": [2, 4]}, "fake.detach() in one of them"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_names_what_is_shared(name):
    program, lines, said = PROGRAMS[name]
    outcome = run(program)
    assert type(outcome.error) is leafward.GraphFreedError
    assert lines_of(outcome.story) == lines
    assert said in outcome.story


def test_calls_are_counted_by_their_line():
    outcome = run("""
        x = lw.ones(2, requires_grad=True)
        for step in range(5):
            if step < 3:
                y = x.exp()
            y.sum().backward()
        """)
    assert "train.py:5   call 3" in outcome.story
    assert "train.py:5   call 4" in outcome.story


def test_saved_tensors_read_after_backward():
    outcome = run("""
        class Square(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, g):
                return 2 * ctx.saved_tensors[0] * g
        x = lw.ones(2, requires_grad=True)
        y = Square.apply(x)
        y.sum().backward()
        y.grad_fn.saved_tensors
        """)
    assert type(outcome.error) is leafward.GraphFreedError
    assert lines_of(outcome.story) == {"freed by": [11], "read from": [10]}


def test_nothing_saved_nothing_freed():
    outcome = run("""
        x = lw.ones(2, requires_grad=True)
        loss = (x + x).sum()
        loss.backward()
        loss.backward()
        """)
    assert outcome.error is None
    assert outcome.grad() == [4.0, 4.0]
