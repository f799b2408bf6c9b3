"""``leafward check``: a program under every check, in a process of its own; what it finds, and when it finds nothing."""
import json
import subprocess
import sys
import textwrap

import pytest

#: A program, the line that has to be named, what has to be said of it, and what to type instead.
FOUND = {
    "gradients never set to zero": ("""
        import torch
        w = torch.tensor(0.0, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for _ in range(3):
            ((w - 3.0) ** 2).backward()
            opt.step()
        """, 5, "zero_grad() is missing", "opt.zero_grad()"),
    "a backward that forgets the chain rule": ("""
        import torch
        class Square(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x * x
            @staticmethod
            def backward(ctx, grad_output):
                (x,) = ctx.saved_tensors
                return 2 * x
        x = torch.tensor([1.0, -2.0], requires_grad=True)
        (3.0 * Square.apply(x)).sum().backward()
        """, 10, "the same whatever grad_output is", "grad_output * "),
    "a backward with a wrong factor": ("""
        import torch
        class Cube(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x)
                return x ** 3
            @staticmethod
            def backward(ctx, grad_output):
                (x,) = ctx.saved_tensors
                return grad_output * 2 * x ** 2
        x = torch.tensor([1.0, -2.0], requires_grad=True)
        (3.0 * Cube.apply(x)).sum().backward()
        """, 10, "gives 0.6667 times what differences of forward give", "grad_output * "),
    "an output that is kept on ctx": ("""
        import torch
        class Exp(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.y = x.exp()
                return ctx.y
            @staticmethod
            def backward(ctx, g):
                return g * ctx.y
        x = torch.ones(2, requires_grad=True)
        Exp.apply(x).sum().backward()
        """, 5, "Exp keeps its output on ctx", "y = x.exp(); ctx.save_for_backward(y)"),
    "a history that grows": ("""
        import torch
        w = torch.tensor([1.0], requires_grad=True)
        total = 0.0
        for i in range(12):
            loss = (w * i).sum()
            loss.backward()
            total += loss
            w.grad = None
        """, 7, "the history of `total` grows", "total += loss.item()"),
    "a constant that is differentiated": ("""
        import torch
        net = torch.nn.Linear(2, 1)
        def penalty(real, fake):
            mixed = (0.5 * real + 0.5 * fake).detach()
            out = net(mixed).pow(2)
            slope, = torch.autograd.grad(out.sum(), mixed, create_graph=True)
            return (slope.norm(2, 1) - 1).pow(2).mean()
        penalty(torch.ones(3, 2), torch.zeros(3, 2)).backward()
        """, 4, "`mixed` does not require grad", "mixed.requires_grad_()"),
    "everything clamped": ("""
        import torch
        w = torch.tensor([5.0, -4.0], requires_grad=True)
        pred = (w * 2).clamp(0.0, 1.0)
        (pred ** 2).sum().backward()
        """, 3, "clamp sends back nothing but zeros", "soft + (soft.clamp(0.0, 1.0) - soft).detach()"),
    "a term that is cut off": ("""
        import torch
        w = torch.tensor([1.0, -1.0], requires_grad=True)
        fit = ((w * 2).detach() ** 2).mean()
        (fit + 0.01 * (w ** 2).sum()).backward()
        """, 3, "a term of the loss trains nothing", "fit = ((w * 2) ** 2).mean()"),
    "a loss from before the step": ("""
        import torch
        w = torch.ones(3, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        loss = (w * torch.ones(3)).sum()
        for _ in range(2):
            opt.zero_grad()
            loss.backward(retain_graph=True)
            opt.step()
        """, 4, "a loss from before an optimizer's step is used after it", "before train.py:6 add   loss = (w * torch"),
    "a frozen layer that moves on": ("""
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        net(torch.ones(1, 2)).sum().backward()
        net[0].requires_grad_(False)
        for _ in range(2):
            opt.step()
            net[1].zero_grad()
            net(torch.ones(1, 2)).sum().backward()
        """, 7, "a frozen layer was trained", "net[0].zero_grad()"),
    "a layer replaced after the optimizer": ("""
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Linear(2, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        net[1] = torch.nn.Linear(2, 1)
        for _ in range(2):
            opt.zero_grad()
            net(torch.ones(1, 2)).sum().backward()
            opt.step()
        """, 3, "a parameter was replaced after the optimizer was made", "below train.py:4"),
    "a layer left in evaluation mode": ("""
        import torch
        net = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.BatchNorm1d(2), torch.nn.Linear(2, 1))
        opt = torch.optim.SGD(net.parameters(), lr=0.1)
        x = torch.tensor([[0.0, 1.0], [2.0, -1.0], [0.5, 3.0]])
        for _ in range(3):
            opt.zero_grad()
            net(x).pow(2).sum().backward()
            opt.step()
            net.eval()
            with torch.no_grad():
                net(x)
        """, 8, "training goes on in evaluation mode", "net.train()"),
    "an inner step of first order": ("""
        import torch
        w = torch.ones(3, requires_grad=True)
        opt = torch.optim.SGD([w], lr=0.1)
        for _ in range(2):
            (g,) = torch.autograd.grad((w ** 3).sum(), w)
            fast = w - 0.1 * g
            opt.zero_grad()
            (fast ** 2).sum().backward()
            opt.step()
        """, 6, "an inner step is a constant to the outer gradient", "create_graph=True"),
    "what is a warning anyway": ("""
        import torch
        x = torch.tensor([0.0], requires_grad=True)
        torch.where(x > 0, x.sqrt(), torch.zeros(1)).sum().backward()
        """, 3, "a gradient became nan", "torch.where(x > 0, x, 1.0)"),
}


def check(folder, program, *options):
    path = folder / "train.py"
    path.write_text(textwrap.dedent(program).strip("\n") + "\n", encoding="utf-8")
    return subprocess.run([sys.executable, "-m", "leafward", "check", *options, str(path)], capture_output=True, text=True,
                          cwd=folder, check=False)


@pytest.mark.parametrize("name", FOUND)
def test_found(name, tmp_path):
    program, line, what, repair = FOUND[name]
    done = check(tmp_path, program, "--json", str(tmp_path / "found.json"))
    assert done.returncode == 1, done.stdout + done.stderr
    assert "leafward check: 1 finding\n" in done.stdout
    assert f"train.py:{line}" in done.stdout
    assert what in done.stdout
    assert repair in done.stdout
    (found,) = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert found["text"] in done.stdout
    assert found["severity"] in ("error", "warning", "notice")
    assert found["file"] == "train.py"
    assert isinstance(found["line"], int)


CORRECT = """
import copy
import torch
from torch import nn
class Round(torch.autograd.Function):                   # a surrogate: flat, and trained all the same
    @staticmethod
    def forward(ctx, x):
        return x.round()
    @staticmethod
    def backward(ctx, g):
        return g
class Reverse(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 1
    @staticmethod
    def backward(ctx, g):
        return -0.5 * g
torch.manual_seed(0)
net = nn.Sequential(nn.Linear(2, 4), nn.BatchNorm1d(4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.Adam(net.parameters())
total = 0.0
for step in range(12):
    net.eval()
    with torch.no_grad():
        net(torch.rand(8, 2))
    net.train()
    inner = net[0].weight - 0.1 * torch.autograd.grad(net(torch.rand(8, 2)).sum(), net[0].weight, create_graph=False)[0]
    opt.zero_grad()
    for _ in range(2):                                  # accumulated on purpose
        h = net(torch.rand(8, 2))
        m = h.max().detach()
        loss = m + (h - m).exp().sum().log() + Round.apply(h).mean() + Reverse.apply(h).mean()
        loss.backward()
    opt.step()
    total += loss.item()
print(total > 0)
"""


def test_nothing_found(tmp_path):
    done = check(tmp_path, CORRECT)
    assert done.stdout.endswith("leafward check: nothing found\n"), done.stdout + done.stderr
    assert done.returncode == 0
    assert "note: Round.backward is not the derivative of forward, and taken for meant: forward is flat" in done.stdout
    assert "note: Reverse.backward is not the derivative of forward, and taken for meant: forward gives back" in done.stdout


def test_a_program_that_is_not_there(tmp_path):
    done = subprocess.run([sys.executable, "-m", "leafward", "check", "trian.py"], capture_output=True, text=True, cwd=tmp_path,
                          check=False)
    assert done.returncode == 2 and "can't open file" in done.stderr and done.stdout == ""


def test_what_the_program_does_itself(tmp_path):
    done = check(tmp_path, "raise ValueError('its own')")
    assert done.returncode == 3
    assert done.stdout == "leafward check: nothing found before the program failed\n"
    assert check(tmp_path, "import sys; sys.exit(5)").returncode == 5
    done = check(tmp_path, "import torch\ntorch.ones(1).backward()", "--json", str(tmp_path / "found.json"))
    assert done.returncode == 1
    assert "1. the program ended with NoHistoryError: element 0 of tensors does not require grad" in done.stdout
    (found,) = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
    assert (found["severity"], found["file"], found["line"]) == ("error", "train.py", 2)
    assert "does not require grad" in done.stderr
    assert check(tmp_path, "print(1)", "--help").returncode == 0


def test_annotations(tmp_path):
    done = check(tmp_path, FOUND["everything clamped"][0], "--github")
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("::")]
    assert line.startswith("::warning file=train.py,line=3,title=a gradient is exactly zero everywhere::  not trained   w")
    assert "%0A" in line
    plain = "import torch\nprint(1)"
    assert check(tmp_path, plain, "--github").stdout == "1\nleafward check: nothing found\n"


def test_the_worst_comes_first(tmp_path):
    done = check(tmp_path, """
        import torch
        w = torch.tensor([5.0, -4.0], requires_grad=True)
        (w * 2).clamp(0.0, 1.0).sum().backward()
        x = torch.ones(2, requires_grad=True)
        y = x.exp()
        y.data.mul_(2)
        y.sum().backward()
        """)
    assert "leafward check: 2 findings\n\n1. this gradient is computed from overwritten values" in done.stdout
    assert "\n\n2. a gradient is exactly zero" in done.stdout


# -- leafward explain, pytest --leafward-check -----------------------------------------------------------------------------

def test_explain(tmp_path):
    program = "import torch\nx = torch.ones(2, requires_grad=True)\nfor _ in range(2):\n    (x.exp() * 2).sum().backward()\n"
    (tmp_path / "train.py").write_text(program, encoding="utf-8")
    command = [sys.executable, "-m", "leafward", "explain"]
    done = subprocess.run([*command, "train.py"], capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("train.py:4   backward(): 3 operations, 1 leaf; 8 B kept for backward in 1 value\n  1 ")
    assert done.stdout.count("backward():") == 1
    assert "of x   keeps its own output, f32[2]" in done.stdout
    failed = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert failed.returncode == 2
    assert "usage: leafward explain" in failed.stderr


TESTS = """
import pytest
import leafward as torch

def test_right():
    x = torch.ones(2, requires_grad=True)
    x.exp().sum().backward()

def test_overwritten():
    x = torch.ones(2, requires_grad=True)
    y = x.exp()
    y.data.zero_()
    y.sum().backward()

def test_dead():
    w = torch.tensor([5.0, -4.0], requires_grad=True)
    (w * 2).clamp(0.0, 1.0).sum().backward()

@pytest.mark.no_leafward_check
def test_left_alone():
    w = torch.tensor([5.0, -4.0], requires_grad=True)
    (w * 2).clamp(0.0, 1.0).sum().backward()
"""


@pytest.mark.parametrize("asked", [True, False])
def test_pytest_with_the_checks(tmp_path, asked):
    (tmp_path / "test_train.py").write_text(TESTS, encoding="utf-8")
    plugins = ["-p", "no:cacheprovider", "-p", "no:leafward", "-p", "leafward.app.pytest_plugin"]
    command = [sys.executable, "-m", "pytest", "-q", *plugins]
    done = subprocess.run([*command, *(["--leafward-check"] if asked else []), "test_train.py"], capture_output=True, text=True,
                          cwd=tmp_path, check=False)
    if not asked:
        assert done.returncode == 0, done.stdout
        return
    assert "2 failed, 2 passed" in done.stdout, done.stdout
    assert "this gradient is computed from overwritten values" in done.stdout
    assert "leafward check: a gradient is exactly zero everywhere" in done.stdout
