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
    "everything clamped": ("""
        import torch
        w = torch.tensor([5.0, -4.0], requires_grad=True)
        pred = (w * 2).clamp(0.0, 1.0)
        (pred ** 2).sum().backward()
        """, 3, "clamp sends back nothing but zeros", "train on the value before clamp"),
    "a term that is cut off": ("""
        import torch
        w = torch.tensor([1.0, -1.0], requires_grad=True)
        fit = ((w * 2).detach() ** 2).mean()
        (fit + 0.01 * (w ** 2).sum()).backward()
        """, 3, "a term of the loss trains nothing", "fit = ((w * 2) ** 2).mean()"),
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
net = nn.Sequential(nn.Linear(2, 4), nn.ReLU(), nn.Linear(4, 1))
opt = torch.optim.Adam(net.parameters())
total = 0.0
for step in range(12):
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


def test_what_the_program_does_itself(tmp_path):
    assert check(tmp_path, "raise ValueError('its own')").returncode == 3
    assert check(tmp_path, "import sys; sys.exit(5)").returncode == 5
    done = check(tmp_path, "import torch\ntorch.ones(1).backward()")
    assert done.returncode == 1
    assert "does not require grad" in done.stderr
    assert check(tmp_path, "print(1)", "--help").returncode == 0
