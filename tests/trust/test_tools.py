"""What users ask for: ``audit``, ``who_holds``, ``aliases``, ``freeze_``, ``verify_grads``, ``trace_backward``, ``explain``."""
import pytest

import leafward
from tests.trust.programs import run


def told(program):
    """What the last line of a program, ``told = ...``, gave."""
    outcome = run(program)
    assert outcome.error is None, outcome.error
    return outcome.names["told"]


# -- audit -----------------------------------------------------------------------------------------------------------------

NET = """
net = nn.Sequential(nn.Linear(2, 3), nn.Linear(3, 1))
x = lw.ones(4, 2)
"""


def test_all_learn():
    assert told(NET + """
opt = lw.optim.SGD(net.parameters(), lr=0.1)
net(x).sum().backward()
told = lw.audit(net, opt)
""") == "4 parameters: 4 learn, 0 do not"


AUDITED = {
    "not in the optimizer": ("""
opt = lw.optim.SGD(net[1].parameters(), lr=0.1)
net(x).sum().backward()
told = lw.audit(net, opt)
""", "0.weight, 0.bias   the optimizer does not have them"),
    "detached": ("""
net[1](net[0](x).detach()).sum().backward()
told = lw.audit(net)
""", "no gradient comes to it: detach() shares the values and leaves the history behind   train.py:3"),
    "detached, asked before backward": ("""
loss = net[1](net[0](x).detach()).sum()
told = lw.audit(net, None, loss)
""", "no gradient comes to it: detach() shares the values and leaves the history behind   train.py:3"),
    "frozen": ("""
net[0].requires_grad_(False)
net(x).sum().backward()
told = lw.audit(net)
""", "0.weight, 0.bias   frozen: requires_grad is off"),
    "not used": ("""
net[1](lw.ones(1, 3)).sum().backward()
told = lw.audit(net)
""", "the loss is not computed from it"),
    "a dead relu": ("""
lw.relu(net[1](net[0](x)) - 1000).sum().backward()
told = lw.audit(net)
""", "0.weight, 0.bias, 1.weight, 1.bias   its gradient is exactly zero"),
    "replaced": ("""
opt = lw.optim.SGD(net.parameters(), lr=0.1)
net[1] = nn.Linear(3, 1)
net(x).sum().backward()
told = lw.audit(net, opt)
""", "1.weight, 1.bias   made anew at train.py:4: the optimizer of train.py:3 has the old one."),
    "two leaves over one memory": ("""
net[0].bias = nn.Parameter(net[0].weight.data[:, 0])
opt = lw.optim.SGD(net.parameters(), lr=0.1)
net(x).sum().backward()
told = lw.audit(net, opt)
""", "are different leaves over one memory"),
    "a learning rate of zero": ("""
opt = lw.optim.SGD([{"params": net[0].parameters(), "lr": 0.0}, {"params": net[1].parameters()}], lr=0.1)
net(x).sum().backward()
told = lw.audit(net, opt)
""", "the learning rate of 2 parameters is 0"),
}


@pytest.mark.parametrize("name", AUDITED)
def test_audit(name):
    program, text = AUDITED[name]
    assert text in told(NET.strip() + "\n" + program.strip())


ADDED_UP = "note   {} backward() calls since zero_grad(), the last at train.py:{}: gradients are sums (intended?)"
SUMS = {
    "twice": ("net(x).sum().backward()\nnet(x).sum().backward()", 2, 4),
    "in a loop": ("for _ in range(3):\n    net(x).sum().backward()", 3, 4),
    "after zeros in place": ("net(x).sum().backward()\nnet.zero_grad(set_to_none=False)\nnet(x).sum().backward()\n"
                             "net(x).sum().backward()", 2, 6),
    "clipped in between": ("net(x).sum().backward()\nnn.utils.clip_grad_norm_(net.parameters(), 1)\n"
                           "net(x).sum().backward()", 2, 5),
}
SINGLE = {
    "once": "net(x).sum().backward()",
    "cleared": "net(x).sum().backward()\nnet.zero_grad()\nnet(x).sum().backward()",
    "cleared in place": "net(x).sum().backward()\nnet.zero_grad(set_to_none=False)\nnet(x).sum().backward()",
    "dropped by hand": "net(x).sum().backward()\nfor p in net.parameters():\n    p.grad = None\nnet(x).sum().backward()",
    "added to by hand": "net(x).sum().backward()\nfor p in net.parameters():\n    p.grad.add_(p.detach(), alpha=0.1)",
}


@pytest.mark.parametrize("name", SUMS)
def test_an_audit_notes_gradients_that_are_sums(name):
    program, count, line = SUMS[name]
    text = told(NET.strip() + "\n" + program + "\ntold = lw.audit(net)")
    assert text.splitlines()[1].strip() == ADDED_UP.format(count, line)


@pytest.mark.parametrize("name", SINGLE)
def test_an_audit_of_single_gradients_has_no_such_note(name):
    assert told(NET.strip() + "\n" + SINGLE[name] + "\ntold = lw.audit(net)") == "4 parameters: 4 learn, 0 do not"


def test_accumulation_is_often_meant_and_no_warning_of_regular_audits():
    outcome = run(NET + """
opt = lw.optim.SGD(net.parameters(), lr=0.1)
handle = lw.audit(net, opt, every=1)
for _ in range(4):
    net(x).sum().backward()
opt.step()
""")
    assert outcome.error is None
    assert outcome.warned == []


def test_an_audit_changes_nothing():
    outcome = run(NET + """
loss = net(x).sum()
told = lw.audit(net, None, loss)
none = [p.grad is None for p in net.parameters()]
loss.backward()
""")
    assert outcome.error is None
    assert outcome.names["none"] == [True] * 4


# -- memory ----------------------------------------------------------------------------------------------------------------

def test_who_holds():
    text = told("""
        x = lw.ones(1000, requires_grad=True)
        hidden = x.exp()
        kept = {"losses": [hidden.sum()]}
        part = hidden.detach()
        a = part.numpy()
        told = lw.who_holds(hidden)
        """)
    lines = [line.split() for line in text.splitlines()]
    assert text.startswith("`hidden`: 4 kB, held by:\n  variable   hidden")
    assert ["graph", "kept['losses'][0]", "train.py:2", *"exp, behind it, saved this memory for backward".split()] in lines
    assert ["tensor", "part", "f32[1000]", "train.py:4", *"detach: shares the memory".split()] in lines
    assert "numpy: others see, and may write, this memory" in text


def test_who_holds_after_it_was_let_go():
    text = told("""
        x = lw.ones(1000, requires_grad=True)
        hidden = x.exp()
        loss = hidden.sum()
        loss.backward()
        told = lw.who_holds(hidden)
        """)
    assert "graph" not in text


def test_aliases():
    text = told("""
        h = lw.zeros(2, 3)
        row = h[0]
        s = h.detach()
        told = lw.aliases(h)
        """)
    assert text.startswith("`h`: 24 B, shared by 2 others:")
    assert "row   f32[3]" in text
    assert "train.py:3" in text
    assert told("h = lw.zeros(2)\ntold = lw.aliases(h)") == "`h`: 8 B, shared by nobody"


WRITES = ["t.mul_(2)", "t.zero_()", "t[0] = 1.0", "v.add_(1)", "later = t[0]; later.fill_(3)", "t.detach().add_(1)",
          "lw.mul(lw.ones(2), 2, out=t)", "t.copy_(lw.ones(2))", "t += 1", "t.data.add_(1)", "t.normal_()",
          "lw._foreach_add_([t], 1)", "t.data[0] = 1.0", "lw.empty(0).set_(t).zero_()", "t.data.uniform_()",
          "t.untyped_storage().fill_(0)", "t.numpy()[:] = 0"]


@pytest.mark.parametrize("write", WRITES)
def test_frozen_memory(write):
    outcome = run(f"t = lw.tensor([1.0, 2.0])\nv = t[1:]\nlw.freeze_(t)\n{write}")
    assert isinstance(outcome.error, (RuntimeError, ValueError))
    assert outcome.names["t"].tolist() == [1.0, 2.0]
    assert "numpy" in write or type(outcome.error) is leafward.ReadOnlyTensorError and "lw.freeze_(t)" in outcome.story
    after = run(f"t = lw.tensor([1.0, 2.0])\nv = t[1:]\nlw.freeze_(lw.freeze_(t), False)\n{write}")
    assert after.error is None


def test_freezing_is_a_method_as_well():
    outcome = run("t = lw.ones(2)\nrow = t[:1]\nassert t.freeze_() is t\nrow.add_(1)")
    assert type(outcome.error) is leafward.ReadOnlyTensorError
    assert "t.freeze_()" in outcome.story
    assert run("t = lw.ones(2)\nt.freeze_()\nt.freeze_(False).add_(1)").names["t"].tolist() == [2.0, 2.0]


@pytest.mark.parametrize("write", ["t.add_(1)", "t[0] = 1.0", "t.detach().zero_()", "t.data.fill_(2)", "t[:1].mul_(3)"])
def test_what_came_read_only_stays_so(write):
    outcome = run(f"""
        import numpy as np
        a = np.ones(3)
        a.flags.writeable = False
        t = lw.from_numpy(a)
        try:
            lw.freeze_(t, False)
        except RuntimeError as error:
            refused = str(error)
        asked = str(lw.can_write(t))
        {write}
        """)
    assert type(outcome.error) is leafward.ReadOnlyTensorError
    assert "was read-only before" in outcome.names["refused"]
    assert "the memory that from_numpy() took at train.py:4 is read-only" in outcome.names["asked"]
    assert outcome.names["a"].tolist() == [1.0, 1.0, 1.0]
    assert not outcome.names["a"].flags.writeable


def test_the_error_of_frozen_memory():
    outcome = run("t = lw.ones(2)\nlw.freeze_(t)\nt.mul_(2)")
    assert type(outcome.error) is leafward.ReadOnlyTensorError
    assert outcome.story == """\
  refused     t.mul_(2)       train.py:3
              ^^^^^^^^^
  frozen in   lw.freeze_(t)   train.py:2
              ^^^^^^^^^^^^^

  fix        x.clone()              a copy that may be written
        or   lw.freeze_(x, False)   allows writes again"""


@pytest.mark.parametrize("name", ["SGD", "Adam", "RMSprop"])
def test_an_optimizer_does_not_move_frozen_memory(name):
    outcome = run(f"""
        p = nn.Parameter(lw.ones(3))
        opt = lw.optim.{name}([p], lr=0.1)
        (p * 2).sum().backward()
        lw.freeze_(p)
        opt.step()
        """)
    assert outcome.error is not None
    assert outcome.names["p"].tolist() == [1.0, 1.0, 1.0]


def test_frozen_values_can_be_differentiated():
    outcome = run("""
        p = lw.freeze_(lw.ones(3, requires_grad=True))
        (p * p).sum().backward()
        """)
    assert outcome.grad("p") == [2.0, 2.0, 2.0]


# -- verify_grads, trace_backward, explain ------------------------------------------------------------------------------

WRONG = """
class Square(lw.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * x
    @staticmethod
    def backward(ctx, g):
        (x,) = ctx.saved_tensors
        return FORMULA
x = lw.tensor([1.0, -2.0], requires_grad=True)
with lw.verify_grads(p=1.0) as told:
    (3 * Square.apply(x)).sum().backward()
"""


@pytest.mark.parametrize(("formula", "says"), [
    ("2 * x", "it has to multiply by grad_output"), ("g * x * x", "where differences of forward give"),
    ("g * x", "gives 0.5 times what differences of forward give"), ("-g * 2 * x", "gives -1 times"),
    ("g * 4 * x", "gives 2 times"), ("g * 0", "gives 0 along a direction where differences of forward give")])
def test_a_wrong_backward(formula, says):
    outcome = run(WRONG.replace("FORMULA", formula))
    (warned,) = outcome.warned
    assert type(warned) is leafward.GradientWarning
    assert "the gradient of Square.backward is not that of Square.forward" in str(warned)
    assert says in str(warned)
    assert f"return {formula}   train.py:9" in str(warned)
    assert "train.py:12" in str(warned)
    strict = run(WRONG.replace("FORMULA", formula).replace("with lw.verify", "with lw.strict(), lw.verify"))
    assert type(strict.error) is leafward.SilentGradientError


def test_a_right_backward():
    outcome = run(WRONG.replace("FORMULA", "g * 2 * x"))
    assert outcome.warned == []
    assert (outcome.names["told"].tried, outcome.names["told"].wrong, outcome.names["told"].untried) == (1, [], [])


#: Backwards that are no derivative on purpose: the forward, the backward, and why that may be meant.
MEANT = {
    "a reversed gradient": ("x.view_as(x)", "-g", "forward gives back its input"),
    "a gradient that is stopped": ("x.clone()", "None", "forward gives back its input"),
    "a clipped gradient": ("x * 1", "g.clamp(-0.1, 0.1)", "forward gives back its input"),
    "a straight-through estimator": ("x.round()", "g", "forward is flat"),
    "a surrogate": ("(x > 0).to(x.dtype)", "g / (1 + x.abs()) ** 2", "forward is flat"),
}


@pytest.mark.parametrize("name", MEANT)
def test_what_may_be_meant_is_told_unless_it_is_said(name):
    forward, backward, why = MEANT[name]
    program = WRONG.replace("x * x", forward).replace("FORMULA", backward)
    (warned,) = run(program).warned
    assert why in str(warned)
    assert "verify_grads(meant=[Square])" in str(warned)
    outcome = run(program.replace("p=1.0", "p=1.0, meant=[Square]"))
    assert outcome.warned == []
    assert outcome.names["told"].tried == 0


def test_what_is_named_as_meant():
    with pytest.raises(TypeError, match="classes derived from autograd.Function, but got 'Square'"):
        leafward.verify_grads(meant=["Square"])


def test_random_numbers_are_drawn_again_for_each_trial():
    drawn = WRONG.replace("return x * x", "ctx.mask = (lw.rand_like(x) > 0.5).to(x.dtype)\n        return x * x * ctx.mask")
    assert run(drawn.replace("FORMULA", "g * 2 * x * ctx.mask")).warned == []
    (warned,) = run(drawn.replace("FORMULA", "g * x * ctx.mask")).warned
    assert "gives 0.5 times" in str(warned)


def test_what_cannot_be_tried_is_listed():
    outcome = run(WRONG.replace("return x * x", "assert x.dtype == lw.float32; return x * x").replace("FORMULA", "g * 5 * x"))
    told = outcome.names["told"]
    assert (told.tried, [cls.__name__ for cls in told.untried], outcome.warned) == (0, ["Square"], [])


def test_only_a_part_is_tried():
    rare = WRONG.replace("FORMULA", "g * 2 * x").replace("p=1.0", "p=0.0")
    outcome = run(rare.replace("    (3 *", "    for _ in range(5): (3 *"))
    assert outcome.names["told"].tried == 1
    with pytest.raises(ValueError, match="between 0 and 1"):
        leafward.verify_grads(p=2)


def test_a_trace():
    text = str(told("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        h = x * 3
        h.register_hook(lambda g: g * 2)
        with lw.trace_backward() as told:
            h.sum().backward()
        """))
    assert text.splitlines() == [
        "  1   sum     h.sum().backward()   train.py:5   gradient f32[], largest 1",
        "  2   mul     h = x * 3            train.py:2   gradient f32[2], largest 2, after 1 hook of yours",
        "  3   x                                         .grad is there: f32[2], largest 6"]


def test_a_trace_leaves_nothing_behind():
    outcome = run("""
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        with lw.trace_backward() as told:
            x.exp().sum().backward()
        count = len(told.steps)
        x.exp().sum().backward()
        """)
    assert outcome.names["count"] == len(outcome.names["told"].steps) == 3
    assert "no backward()" in str(leafward.trace_backward())


def test_explain():
    text = told("""
        enc = lw.tensor([1.0, 2.0], requires_grad=True)
        w = lw.tensor([3.0, 4.0], requires_grad=True)
        code = enc.exp().detach()
        h = (code * w).sigmoid()
        h.detach().zero_()
        told = lw.explain(h)
        """)
    lines = text.splitlines()
    assert lines[0] == "f32[2]: 2 operations, 1 leaf; 16 B kept for backward in 2 values"
    assert "sigmoid   h = (code * w).sigmoid()   train.py:4   of 2   keeps its own output, f32[2]" in lines[1]
    assert lines[1].endswith("OVERWRITTEN since")
    assert "of w   keeps its input `code`, f32[2]" in lines[2]
    assert lines[3].split() == "leaf w f32[2], no .grad yet".split()
    assert "code = enc.exp().detach()" in lines[4]
    assert "behind it: enc" in lines[5]


def test_explain_what_has_no_history():
    assert told("x = lw.ones(2)\ntold = lw.explain(x)") == "f32[2]: no history, it does not require grad"
    assert "detach() shares" in told("x = lw.ones(2, requires_grad=True)\ny = (x * 2).detach()\ntold = lw.explain(y)")


def test_explain_after_backward_and_in_a_large_graph():
    assert "freed by an earlier backward()" in told("""
        x = lw.ones(2, requires_grad=True)
        y = x.exp()
        y.sum().backward()
        told = lw.explain(y)
        """)
    text = told("""
        x = y = lw.ones(2, requires_grad=True)
        for _ in range(100):
            y = y * 1.5
        told = lw.explain(y, limit=5)
        """)
    assert "and 95 older operations" in text
    assert text.count("train.py:3") == 5


HOOKED = """
x = lw.tensor([1.0, 2.0], requires_grad=True)
h = x * x
h.register_hook(lambda g: g / (g - g).norm())
with lw.verify_grads(p=1.0) as verified:
    (h * 2).sum().backward(create_graph=True)
"""


@pytest.mark.parametrize(("hook", "said"), [
    ("g / (g - g).norm()", "a hook gives NaN or inf for a finite gradient."),
    ("g.detach() * 2", "a hook gives a gradient without a history."),
    ("g * 2", None), ("g.clamp(max=0.1)", None), ("None", None), ("lw.zeros_like(g)", None)])
def test_hooks_are_verified(hook, said):
    outcome = run(HOOKED.replace("g / (g - g).norm()", hook).replace("(h * 2)", "(h * h)"))
    told = [str(w) for w in outcome.warned if isinstance(w, leafward.GradientWarning) and "a hook" in str(w)]
    assert outcome.error is None
    assert outcome.names["verified"].tried == 1
    assert len(told) == (said is not None)
    if said is not None:
        assert told[0].startswith(said)
        assert "train.py:3" in told[0]
    (hooks,) = outcome.names["h"].grad_fn._hooks.tensor.values()
    assert [hook.__name__ for hook in hooks.values()] == ["<lambda>"]


def test_parameters_behind_a_checkpoint_of_data():
    said = told("""
from leafward.utils.checkpoint import checkpoint
import warnings
body, head = nn.Linear(2, 2), nn.Linear(2, 1)
with warnings.catch_warnings(action="ignore"):
    h = checkpoint(body, lw.ones(3, 2), use_reentrant=True)
head(h).sum().backward()
told = lw.why_none(body.weight), str(lw.audit(nn.ModuleList([body, head])))
""")
    for text in said:
        assert "checkpoint(use_reentrant=True) got no input that requires grad" in text
