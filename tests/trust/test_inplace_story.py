"""The in-place error: PyTorch's sentence, then both lines, the alias between them, and an edit that repairs it."""
import pytest

import leafward
from tests.trust.programs import lines_of, run

SENTENCE = (
    "one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.FloatTensor [3]], which is output 0 of SigmoidBackward0, is at version 1; expected version 0 instead. "
    "Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True, check_nan=False).")

TWO_FUNCTIONS = """
def layer(x):
    h = lw.sigmoid(x)
    return h

def log(h):
    s = h.detach()
    s.zero_()

x = lw.tensor([1.0, 2.0, 3.0], requires_grad=True)
h = layer(x)
log(h)
loss = h.sum()
loss.backward()
"""


def test_sentence_first_then_the_story():
    error = run(TWO_FUNCTIONS).error
    assert type(error) is leafward.InplaceGradientError
    assert isinstance(error, RuntimeError)
    assert str(error) == SENTENCE + """

  The gradient of sigmoid needs the value of `h`, and `h` was overwritten.

  needed by    h = lw.sigmoid(x)   train.py:2 in layer()
                   ^^^^^^^^^^^^^     saved its own output, f32[3]
  changed by   s.zero_()           train.py:7 in log()
               ^^^^^^^^^             changed once since it was saved
  through      s = h.detach()      train.py:6 in log()
                   ^^^^^^^^^^        shares h's memory: detach() does not copy
  found in     loss.backward()     train.py:13
               ^^^^^^^^^^^^^^^

  fix   replace train.py:6 by   s = h.detach().clone()      if the write was meant for a private copy
        replace train.py:2 by   h = lw.sigmoid(x).clone()   the gradient keeps its own copy, and the write stays as it is"""


def test_both_fixes_repair_the_program():
    for broken, fixed in (("h.detach()", "h.detach().clone()"), ("lw.sigmoid(x)", "lw.sigmoid(x).clone()")):
        assert run(TWO_FUNCTIONS.replace(broken, fixed)).error is None


#: name -> (program, the lines named, something said)
PROGRAMS = {
    "a write through detach() on the same line": ("""
        x = lw.ones(3, requires_grad=True)
        y = x.exp()
        y.detach().zero_()
        y.sum().backward()
        """, {"needed by": [2], "changed by": [3], "found in": [4], "fix": [2]},
        "shares y's memory: detach() does not copy"),
    "a write under no_grad": ("""
        x = lw.ones(3, requires_grad=True)
        y = x.exp()
        with lw.no_grad():
            y.clamp_(0, 1)
        y.sum().backward()
        """, {"needed by": [2], "changed by": [4], "found in": [5], "fix": [2]}, "y = x.exp().clone()"),
    "out=": ("""
        x = lw.ones(3, requires_grad=True)
        y = x.exp()
        lw.mul(x.detach(), 2, out=y.detach())
        y.sum().backward()
        """, {"needed by": [2], "changed by": [3], "found in": [4], "fix": [2]}, "y = x.exp().clone()"),
    "an augmented assignment": ("""
        x = lw.ones(3, requires_grad=True)
        y = x * 2
        z = y ** 2
        y *= 3
        z.sum().backward()
        """, {"needed by": [3], "changed by": [4], "found in": [5], "fix": [4, 3]}, "z = y.clone() ** 2"),
    "a write through a view with a name": ("""
        x = lw.ones(3, requires_grad=True)
        y = x * 2
        z = y ** 2
        head = y[:2]
        head.zero_()
        z.sum().backward()
        """, {"needed by": [3], "changed by": [5], "through": [4], "found in": [6], "fix": [3]},
        "z = y.clone() ** 2"),
    "an input that is a view": ("""
        x = lw.ones(2, 2, requires_grad=True)
        buffer = lw.zeros(4)
        w = buffer.view(2, 2)
        z = x @ w
        buffer += 1
        z.sum().backward()
        """, {"needed by": [4], "changed by": [5], "through": [3], "found in": [6], "fix": [5, 4]},
        "a view of buffer: the same memory"),
    "two writes": ("""
        x = lw.ones(3, requires_grad=True)
        y = x.exp()
        y[0] = 5
        y[1] = 6
        y.sum().backward()
        """, {"needed by": [2], "changed by": [3, 4], "found in": [5], "fix": [2]},
        "and 1 more write, the last one here"),
    "more writes than are remembered": ("""
        x = lw.ones(3, requires_grad=True)
        y = x.exp()
        for i in range(40):
            y.detach().fill_(i)
        y.sum().backward()
        """, {"needed by": [2], "changed by": [4], "found in": [5], "fix": [2]},
        "the last of 40 writes since: not all of them are remembered"),
    "a custom function": ("""
        class Cube(lw.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            def backward(ctx, g):
                x, = ctx.saved_tensors
                return 3 * x ** 2 * g
        x = lw.ones(3, requires_grad=True)
        h = x * 1
        y = Cube.apply(h)
        h.detach().zero_()
        y.sum().backward()
        """, {"needed by": [12], "changed by": [13], "found in": [8], "fix": [12]},
        "The gradient of Cube needs the value of `h`"),
    "an in-place module": ("""
        net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU(inplace=True))
        out = net(lw.ones(1, 2))
        out.sum().backward()
        """, {"needed by": [2], "changed by": [2], "found in": [3], "fix": [1]}, "nn.ReLU(inplace=False))   it runs relu_()"),
    "an in-place module that is made elsewhere": ("""
        kinds = {"inplace": True}
        net = nn.Sequential(nn.Linear(2, 2), nn.Sigmoid(), nn.ReLU(**kinds))
        out = net(lw.ones(1, 2))
        out.sum().backward()
        """, {"needed by": [3], "changed by": [3], "found in": [4], "fix": [3]}, "in a module: inplace=False"),
    "a write in a function that has no other form": ("""
        optimizer = lw.optim.SGD([p := lw.ones(2, requires_grad=True)], lr=1.0)
        p.sum().backward()
        w = lw.ones(2, requires_grad=True)
        loss = (p.grad * w).sum()
        optimizer.zero_grad(set_to_none=False)
        loss.backward()
        """, {"needed by": [4], "changed by": [5], "found in": [6], "fix": [4]}, "p.grad.clone() * w"),
    "an optimizer between forward and backward": ("""
        G = nn.Linear(2, 2)
        D = nn.Sequential(nn.Linear(2, 3), nn.ReLU(), nn.Linear(3, 1))
        opt_D = lw.optim.SGD(D.parameters(), lr=0.1)
        fake = G(lw.ones(4, 2))
        D(fake.detach()).mean().backward()
        g_loss = -D(fake).mean()
        opt_D.step()
        g_loss.backward()
        """, {"needed by": [6], "changed by": [7], "found in": [8], "fix": [7]},
        "SGD.step() updated 4 parameters of D; changed once since it was saved"),
    "a buffer": ("""
        bn = nn.BatchNorm1d(3)
        x = lw.ones(4, 3, requires_grad=True)
        bn.eval()
        y = bn(x)
        bn.train()
        bn(x.detach())
        y.sum().backward()
        """, {"needed by": [4], "changed by": [6], "found in": [7], "fix": [6, 7]}, "writes the buffer bn.running_"),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_names_both_lines(name):
    program, lines, said = PROGRAMS[name]
    outcome = run(program)
    assert type(outcome.error) is leafward.InplaceGradientError
    assert lines_of(outcome.story) == lines
    assert said in outcome.story


def test_the_parameter_is_named_as_its_network_names_it():
    program, _, _ = PROGRAMS["an optimizer between forward and backward"]
    assert "The gradient of linear needs the value of `D.2.weight`" in run(program).story


def test_a_name_is_given_only_where_it_is_certain():
    """The hidden layer's output is not ``out``, though the call is assigned to it."""
    program, _, _ = PROGRAMS["an in-place module"]
    story = run(program).story
    assert "The gradient of sigmoid needs its output, and it was overwritten." in story
    assert "`out`" not in story


def test_a_number_is_not_named_as_the_tensor():
    story = run("""
        k = 3.0
        x = lw.ones(3, requires_grad=True)
        y = x * 1
        z = y.pow(k)
        y.detach().zero_()
        z.sum().backward()
        """).story
    assert "needs the value of `y`" in story


def test_the_version_is_the_one_at_the_raise():
    outcome = run(TWO_FUNCTIONS)
    outcome.names["h"].detach().zero_()
    assert "is at version 1; expected version 0" in str(outcome.error)


def test_double_backward_is_told_too():
    outcome = run("""
        x = lw.ones(3, requires_grad=True)
        y = x * 1
        z = (y ** 3).sum()
        g, = lw.autograd.grad(z, y, create_graph=True)
        y.detach().zero_()
        g.sum().backward()
        """)
    assert type(outcome.error) is leafward.InplaceGradientError
    assert lines_of(outcome.story)["changed by"] == [5]


def test_without_checks_what_is_known_is_said():
    outcome = run("x = lw.ones(2, requires_grad=True)\ny = x.exp()\ny.zero_()\ny.sum().backward()", checks=False)
    assert outcome.story.splitlines()[2] == "  needed by    exp saved its own output, f32[2]"


def test_changes_are_counted_in_words():
    outcome = run("x = lw.ones(2, requires_grad=True)\ny = x.exp()\ny.mul_(2)\ny.mul_(3)\ny.sum().backward()")
    assert "  the first of 2 changes since it was saved" in outcome.story
