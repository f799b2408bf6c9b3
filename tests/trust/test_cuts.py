"""Where a history was cut: steps without gradients, a loss that reaches nothing, ``why_none``; silence where all is well."""
import linecache
import re
import textwrap
import warnings

import pytest

import leafward
from tests.trust.programs import lines_of, run

START = """
import numpy as np
import copy
enc = lw.tensor([1.0, 2.0], requires_grad=True)
head = lw.tensor([3.0, 4.0], requires_grad=True)
opt = lw.optim.SGD([enc, head], lr=0.1)
x = lw.tensor([1.0, -1.0])
"""
END = """
loss.backward()
opt.step()
"""

#: How ``enc`` is cut off from the loss, all on one line, and what has to be said.
CUTS = {
    "detach": ("loss = ((enc * x).detach() * head).sum()", "detach() shares the values", "loss = ((enc * x) * head).sum()"),
    "data": ("loss = ((enc * x).data * head).sum()", ".data shares the values", "loss = ((enc * x) * head).sum()"),
    "data of a leaf": ("loss = (enc.data * head).sum()", ".data shares the values", "loss = (enc * head).sum()"),
    "a view of it": ("loss = ((enc * x).detach()[:1] * head).sum()", "detach() shares the values", "loss = "),
    "comparison": ("loss = ((enc > 0).float() * head).sum()", "a comparison is true or false", "a smooth measure"),
    "argmax": ("loss = ((enc * x).argmax() * head).sum()", "argmax() has no derivative", "the scores themselves"),
    "indices of a maximum": ("loss = ((enc * x).max(0).indices * head).sum()", "no derivative", "train.py:7"),
    "whole numbers": (
        "loss = ((enc * x).long() * head).sum()",
        "whole numbers have no derivative", "loss = ((enc * x) * head).sum()"),
    "numpy": ("loss = (lw.from_numpy(np.exp((enc * x).detach().numpy())) * head).sum()", "detach()",
              "loss = (lw.exp(enc * x) * head).sum()"),
    "item": ("loss = (lw.tensor((enc * x).sum().item()) * head).sum()", "item() gives a Python number", "(enc * x).sum()"),
    "tolist": ("loss = (lw.tensor((enc * x).tolist()) * head).sum()", "tolist() gives Python numbers", "enc * x"),
    "new tensor": (
        "loss = (lw.tensor([v for v in enc * x]) * head).sum()",
        "copies the numbers", "lw.stack([v for v in enc * x])"),
    "inner gradient": ("loss = (lw.autograd.grad((enc * enc).sum(), enc)[0] * head).sum()", "without create_graph=True",
                       "create_graph=True"),
    "several": ("loss = (((enc * x).detach() + 1).relu().mean() * head).sum()", "detach() shares", "train.py:7"),
    "written into": ("buf = lw.zeros(2); buf.copy_((enc * x).detach()); loss = (buf * head).sum()", "detach()", "train.py:7"),
    "written into a row": (
        "buf = lw.zeros(2, 2); buf[0] = (enc * x).detach(); loss = (buf @ head).sum()",
        "detach()", "train.py:7"),
}


@pytest.mark.parametrize("name", CUTS)
def test_a_parameter_behind_a_cut(name):
    line, note, repair = CUTS[name]
    outcome = run(START + line + END)
    assert outcome.error is None
    (warned,) = [w for w in outcome.warned if isinstance(w, leafward.MissingGradientWarning)]
    story = str(warned)
    assert "SGD.step() cannot train 1 of its 2 parameters" in story
    assert re.search(r"not reached +enc ", story)
    assert lines_of(story)["cut here"] == [7]
    assert lines_of(story)["backward()"] == [8]
    assert note in story
    assert repair in story
    assert "head" not in re.search("not reached.*", story)[0]


@pytest.mark.parametrize("block", [
    "with lw.no_grad():\n    h = enc * x", "with lw.set_grad_enabled(False):\n    h = enc * x",
    "@lw.no_grad()\ndef embed(v): return v * x\nh = embed(enc)"])
def test_a_block_that_records_nothing(block):
    outcome = run(START + block + "\nloss = (h * head).sum()" + END)
    (warned,) = outcome.warned
    assert "this ran while nothing was recorded" in str(warned)
    assert lines_of(str(warned))["cut here"] == [8]
    assert lines_of(str(warned))["inside"] == [7]


@pytest.mark.parametrize("line", [
    "h = enc * x", "h = enc * 2", "h = x * enc", "h = -enc", "h = enc.exp()", "h = enc.view(2)", "h = enc[:1]",
    "h = enc[None, 0]", "h = lw.cat([enc])", "h = lw.zeros(2); h.copy_(enc)", "h = lw.zeros(2); h += enc",
    "h = lw.zeros(2); h[0] = enc[0]", "h = lw.zeros(2, 2); h[0].mul_(enc)", "h = lw.zeros(2); h[:] = enc",
    "h = enc.abs().sqrt() + 1"])
def test_whatever_is_computed_in_a_block_that_records_nothing(line):
    for block in ("lw.no_grad()", "lw.set_grad_enabled(False)"):
        outcome = run(START + f"with {block}:\n    {line}\nloss = (h * head).sum()" + END)
        (warned,) = outcome.warned
        assert lines_of(str(warned))["cut here"] == [8]
        assert lines_of(str(warned))["inside"] == [7]


def test_the_story_of_a_step():
    outcome = run(START + "h = (enc * x).detach()\nloss = (h * head).sum()" + END)
    assert str(outcome.warned[0]) == """\
SGD.step() cannot train 1 of its 2 parameters: no gradient came to them.
  not reached   enc   (.grad is None)
  backward()    loss.backward()          train.py:9
  cut here      h = (enc * x).detach()   train.py:7   detach() shares the values and leaves the history behind
  fix   replace train.py:7 by   h = enc * x                 if gradients should flow through it
        or                      enc.requires_grad_(False)   if it is meant not to train"""


def test_every_fix_of_one_line_gives_the_gradient():
    whole = run(START + "loss = ((enc * x) * head).sum()" + END)
    for name in ("detach", "data"):
        outcome = run(START + CUTS[name][0] + END)
        fixed = re.search(r"fix   replace train.py:7 by   (loss = .*?)   ", str(outcome.warned[0]))[1]
        assert run(START + fixed + END).grad("enc") == whole.grad("enc")


WHOLE = {
    "a loss of copied numbers": """
        losses = [(enc * x).sum(), head.sum()]
        loss = lw.tensor(losses, requires_grad=True).mean()
        """,
    "a number that came back": """
        total = 0.0
        for e in enc: total += (e * 2).item()
        loss = lw.tensor(total, requires_grad=True) * 1
        """,
    "gradients of another tensor": """
        loss = (lw.ones(1, requires_grad=True) * x).sum()
        """,
}
SAID = {
    "a loss of copied numbers": ("copies the numbers", "lw.stack(losses)"),
    "a number that came back": ("item() gives a Python number", "loss = total * 1"),
    "gradients of another tensor": ("made here", "give it the parameters that the loss is computed from"),
}


@pytest.mark.parametrize("name", WHOLE)
def test_nothing_arrives(name):
    note, repair = SAID[name]
    outcome = run(START + textwrap.dedent(WHOLE[name]) + END)
    (warned,) = [w for w in outcome.warned if isinstance(w, leafward.MissingGradientWarning)]
    assert "SGD.step() has nothing to do: no gradient came to any of its 2 parameters." in str(warned)
    assert note in str(warned)
    assert repair in str(warned)


def test_zero_grad_after_backward():
    outcome = run(START + "loss = (enc * head).sum()\nloss.backward()\nopt.zero_grad()\nopt.step()")
    (warned,) = outcome.warned
    assert lines_of(str(warned))["dropped by"] == [9]
    assert "move train.py:9   opt.zero_grad()   above train.py:8" in str(warned)


def test_a_copy_is_trained_and_the_optimizer_has_the_original():
    outcome = run("""
        import copy
        net = nn.Linear(2, 1)
        opt = lw.optim.Adam(net.parameters())
        best = copy.deepcopy(net)
        best(lw.ones(1, 2)).sum().backward()
        opt.step()
        """)
    (warned,) = outcome.warned
    assert lines_of(str(warned))["copied"] == [4]
    assert lines_of(str(warned))["optimizer"] == [3]
    assert "make the optimizer after the copy" in str(warned)


def test_requires_grad_turned_on_after_the_cut():
    outcome = run("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        loss = (w * 2).sum().detach()
        loss.requires_grad = True
        loss.backward()
        """)
    (warned,) = outcome.warned
    assert "reaches only the tensor that it begins at" in str(warned)
    assert lines_of(str(warned)) == {"cut here": [2], "fix": [2, 3]}
    assert re.search(r"behind it +w", str(warned))
    strict = run("""
        w = lw.tensor([1.0, 2.0], requires_grad=True)
        loss = (w * 2).sum().detach().requires_grad_()
        with lw.strict():
            loss.backward()
        """)
    assert type(strict.error) is leafward.SilentGradientError
    assert strict.names["loss"].grad is None


NO_HISTORY = {
    "argmax": ("loss = (enc * x).argmax().float()", "cut here", [7]),
    "no_grad": ("with lw.no_grad():\n    h = enc * x\nloss = (h * 2).sum()", "cut here", [8]),
    "frozen": ("enc.requires_grad_(False)\nloss = (enc * x).sum()", "cut here", [7]),
    "comparison": ("loss = ((enc * x) > 0).float().mean()", "cut here", [7]),
    "item": ("loss = lw.tensor((enc * x).sum().item())", "cut here", [7]),
    "numbers in a list": (
        "values = []\nfor e in enc:\n    values.append((e * 2).item())\nloss = lw.tensor(values).sum()",
        "cut here", [9]),
}


@pytest.mark.parametrize("name", NO_HISTORY)
def test_backward_without_a_history_names_the_cut(name):
    line, label, lines = NO_HISTORY[name]
    outcome = run(START + line + "\nloss.backward()")
    assert type(outcome.error) is leafward.NoHistoryError
    assert lines_of(outcome.story)[label] == lines
    assert lines_of(outcome.story)["fix"]
    assert re.search(r"behind it +enc", outcome.story)


LATE = """
w = lw.tensor([1.0, 2.0], requires_grad=True)
scale = lw.tensor([2.0, 2.0])
out = (w * scale).sum()
scale.requires_grad_()
opt = lw.optim.SGD([w, scale], lr=0.1)
out.backward()
opt.step()
"""


def test_requires_grad_after_the_forward_pass():
    outcome = run(LATE)
    (warned,) = outcome.warned
    assert "SGD.step() cannot train 1 of its 2 parameters" in str(warned)
    assert lines_of(str(warned))["turned on"] == [4]
    assert "move train.py:4   scale.requires_grad_()   before the forward pass: below train.py:2" in str(warned)
    early = LATE.replace("scale.requires_grad_()", "").replace("tensor([2.0, 2.0])", "tensor([2.0, 2.0]).requires_grad_()")
    assert run(early).warned == []


WHY = {
    "cut": ("loss = ((enc * x).detach() * head).sum()\nloss.backward()", "cut here", [7]),
    "unused": ("loss = (head * x).sum()\nloss.backward()", "backward()", [8]),
    "cut elsewhere": ("h = enc.detach()\nloss = (head * x).sum()\nloss.backward()", "a cut", [7]),
    "frozen": ("enc.requires_grad_(False)", "cut here", [7]),
}


@pytest.mark.parametrize("name", WHY)
def test_why_none(name):
    lines, label, expected = WHY[name]
    outcome = run(START + lines + "\nprint_me = lw.why_none(enc)")
    assert outcome.names["print_me"].startswith("`enc`.grad is None")
    assert lines_of(outcome.names["print_me"])[label] == expected


def test_why_none_of_what_is_no_leaf():
    outcome = run(START + "h = enc * x\nh.sum().backward()\nanswer = lw.why_none(h)\nthere = lw.why_none(enc)")
    assert "h.retain_grad()" in outcome.names["answer"]
    assert outcome.names["there"] == "`enc`.grad is not None."


CORRECT = {
    "frozen on purpose": """
        net = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 1))
        net[0].requires_grad_(False)
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        net(lw.ones(3, 2)).sum().backward()
        opt.step()
        """,
    "unused on purpose": """
        a, b = nn.Linear(2, 1), nn.Linear(2, 1)
        opt = lw.optim.SGD([*a.parameters(), *b.parameters()], lr=0.1)
        a(lw.ones(3, 2)).sum().backward()
        opt.step()
        """,
    "a metric beside the loss": """
        net = nn.Linear(2, 2)
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        for _ in range(3):
            out = net(lw.ones(3, 2))
            loss = nn.functional.cross_entropy(out, lw.tensor([0, 1, 0]))
            opt.zero_grad()
            loss.backward()
            opt.step()
            accuracy = (out.argmax(1) == 0).float().mean().item()
            curve = lw.tensor([loss.item(), accuracy])
        """,
    "a generator and a discriminator": """
        G, D = nn.Linear(2, 2), nn.Linear(2, 1)
        opt_g, opt_d = lw.optim.Adam(G.parameters()), lw.optim.Adam(D.parameters())
        for _ in range(4):
            fake = G(lw.ones(3, 2))
            opt_d.zero_grad()
            (D(fake.detach()).mean() - D(lw.ones(3, 2)).mean()).backward()
            opt_d.step()
            opt_g.zero_grad()
            (-D(fake).mean()).backward()
            opt_g.step()
        """,
    "a target network": """
        import copy
        q = nn.Linear(2, 2)
        target = copy.deepcopy(q)
        opt = lw.optim.Adam(q.parameters())
        for _ in range(4):
            with lw.no_grad():
                best = target(lw.ones(3, 2)).max(1).values
            loss = nn.functional.mse_loss(q(lw.ones(3, 2))[:, 0], best)
            opt.zero_grad()
            loss.backward()
            opt.step()
            with lw.no_grad():
                for a, b in zip(target.parameters(), q.parameters()):
                    a.lerp_(b, 0.1)
        """,
    "an attack by gradients": """
        net = nn.Linear(2, 2).requires_grad_(False)
        x = lw.ones(1, 2)
        for _ in range(3):
            x = (x + 0.1).detach().requires_grad_()
            net(x).sum().backward()
            x = x + 0.01 * x.grad.sign()
        """,
    "schedules without training": """
        w = lw.ones(2, requires_grad=True)
        (w * w).sum().backward()
        opt = lw.optim.SGD([lw.ones(2, requires_grad=True)], lr=0.1)
        schedule = lw.optim.lr_scheduler.StepLR(opt, 1)
        for _ in range(3):
            opt.step()
            schedule.step()
        """,
    "weights written by hand": """
        net = nn.Linear(2, 1)
        net.weight.data.normal_(0, 0.02)
        with lw.no_grad():
            net.bias.zero_()
        opt = lw.optim.SGD(net.parameters(), lr=0.1)
        net(lw.ones(1, 2)).sum().backward()
        opt.step()
        """,
    "an inner step of first order": """
        w = lw.ones(2, requires_grad=True)
        opt = lw.optim.SGD([w], lr=0.1)
        for _ in range(3):
            (g,) = lw.autograd.grad((w * w).sum(), w)
            loss = ((w - 0.1 * g) ** 2).sum()
            opt.zero_grad()
            loss.backward()
            opt.step()
        """,
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_look_alikes(name):
    outcome = run(CORRECT[name])
    assert outcome.error is None
    assert outcome.warned == []


def test_a_step_is_told_of_once():
    program = START + "for _ in range(5):\n    loss = ((enc * x).detach() * head).sum()\n    loss.backward()\n    opt.step()\n"
    linecache.cache["loop.py"] = (len(program), None, program.splitlines(keepends=True), "loop.py")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        exec(compile(program, "loop.py", "exec"), {"lw": leafward})
    assert [(w.filename, w.lineno, w.category) for w in caught] == [("loop.py", 11, leafward.MissingGradientWarning)]


def test_nothing_is_kept_alive_by_a_cut():
    import gc
    import weakref
    w = leafward.ones(2, requires_grad=True)
    h = w * 2
    node = weakref.ref(h.grad_fn)
    kept = h.detach()
    h.sum().item()
    del h
    gc.collect()
    assert node() is None
    assert kept.tolist() == [2.0, 2.0]


def test_float_of_a_tensor_that_requires_grad_warns_once(monkeypatch):
    monkeypatch.setattr(leafward.errors, "said", set())
    x = leafward.tensor(1.5, requires_grad=True)
    with pytest.warns(UserWarning, match="Converting a tensor with requires_grad=True to a scalar"):
        float(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        float(x)


def test_checks_off_records_nothing():
    outcome = run(START + CUTS["detach"][0] + END, checks=False)
    assert outcome.warned == []
    assert outcome.names["loss"].grad_fn._cut is None


def test_asking_after_something_else_was_noted():
    outcome = run("""
        w = lw.tensor([[1.0]], requires_grad=True)
        ((lw.ones(3, 1) @ w - lw.ones(3)) ** 2).mean().backward()
        other = lw.ones(2, requires_grad=True)
        told = lw.why_none(other)
        """)
    assert outcome.error is None
    assert "the loss was not computed from it" in outcome.names["told"]


def test_log_probabilities_that_went_away_as_numbers():
    outcome = run("""
        class Agent:
            def __init__(self):
                self.policy = nn.Linear(4, 2)
                self.opt = lw.optim.SGD(self.policy.parameters(), lr=0.1)
            def act(self, seen):
                return self.policy(seen).log_softmax(0)[0].item()
            def update(self, chosen):
                loss = -(lw.tensor(chosen)).sum()
                loss.requires_grad_(True)
                loss.backward()
                self.opt.step()
        agent = Agent()
        agent.update([agent.act(lw.ones(4)) for _ in range(3)])
        """)
    (warned,) = outcome.warned
    assert "self.policy.weight, self.policy.bias   (.grad is None)" in str(warned)
    assert lines_of(str(warned))["numbers of"] == [6]
    assert "return self.policy(seen).log_softmax(0)[0]   if" in str(warned)


FROZEN = {
    "a network": ("body, head = nn.Linear(2, 2), nn.Linear(2, 1)", "body", "body.requires_grad_(False)"),
    "a numbered layer": ("nets = nn.ModuleList([nn.Linear(2, 2), nn.Linear(2, 1)])\nbody, head = nets", "body",
                         "body.requires_grad_(False)"),
    "a layer in a layer": ("nets = nn.Sequential(nn.Sequential(nn.Linear(2, 2)), nn.Linear(2, 1))\nhead = nets[1]", "nets[0]",
                           "nets[0].requires_grad_(False)"),
    "one parameter": ("net = nn.Sequential(nn.Linear(2, 2, bias=False), nn.Linear(2, 1))\nhead = net[1]", "net[0]",
                      "net[0].weight.requires_grad_(False)"),
}


@pytest.mark.parametrize("name", FROZEN)
def test_what_is_meant_not_to_train_is_frozen_as_a_whole_and_in_python(name):
    made, body, says = FROZEN[name]
    program = made + textwrap.dedent(f"""
        opt = lw.optim.SGD([*{body}.parameters(), *head.parameters()], lr=0.1)
        head({body}(lw.ones(3, 2)).detach()).mean().backward()
        opt.step()
        """)
    (warned,) = run(program).warned
    (code,) = re.findall(r"^ +or +(\S.*?)   if it is meant not to train", str(warned), re.MULTILINE)
    assert says in code
    assert run(made + "\n" + code + program[len(made):]).warned == []


def test_a_loss_made_of_numbers_is_named_and_not_the_optimizer():
    outcome = run("""
        import numpy as np
        net = nn.Linear(3, 1)
        opt = lw.optim.SGD(net.parameters(), 0.1)
        out = net(lw.randn(6, 3))
        def rmse(p):
            return np.sqrt(np.mean(p.data.numpy() ** 2))
        loss = lw.autograd.Variable(lw.Tensor([rmse(out)]), requires_grad=True)
        loss.backward()
        opt.step()
        """)
    (warned,) = outcome.warned
    assert "`loss` is a leaf: backward() begins at it, and ends there" in str(warned)
    assert lines_of(str(warned))["made in"] == [7]
    assert lines_of(str(warned))["cut here"] == [6]
    assert "give it the parameters that the loss is computed from" not in str(warned)
