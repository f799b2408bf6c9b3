"""Histories that grow in every turn: told once after 128 calls of backward(), with the line and a repair; others never."""
import textwrap

import pytest

import leafward
from tests.trust.fixes import applied, suggestions
from tests.trust.programs import lines_of, run

START = """
lw.manual_seed(0)
net = nn.Linear(3, 1)
opt = lw.optim.SGD(net.parameters(), lr=0.01)
x, w = lw.ones(4, 3), lw.full((3,), 0.5, requires_grad=True)
"""
FIRST = START.strip("\n").count("\n") + 1
#: program -> (the line that grows, what is said of it, whether each backward goes through all of it).
GROWING = {
    "total += loss": ("""
        total = 0
        for step in range(130):
            loss = net(x).pow(2).mean()
            opt.zero_grad()
            loss.backward()
            opt.step()
            total += loss
        """, 7, "`total`", False),
    "total = total + loss": ("""
        total = lw.zeros(())
        for step in range(130):
            loss = (w * step).pow(2).sum()
            loss.backward()
            total = total + loss
        """, 5, "`total`", False),
    "a running mean": ("""
        mean = None
        for step in range(130):
            loss = net(x).pow(2).mean()
            loss.backward()
            mean = loss if mean is None else 0.9 * mean + 0.1 * loss
        """, 5, "`mean`", False),
    "in a function": ("""
        def train(steps):
            total = 0.0
            for step in range(steps):
                loss = net(x).pow(2).mean()
                loss.backward()
                total += loss * 2
            return total
        train(130)
        """, 6, "`total`", False),
    "a state": ("""
        h = lw.zeros(3)
        for step in range(130):
            h = lw.tanh(h * w + 1)
            loss = h.sum()
            loss.backward(retain_graph=True)
        """, 3, "`h`", True),
    "losses that are added up and retained": ("""
        total = 0
        for step in range(130):
            total = total + (w * step).pow(2).sum()
            total.backward(retain_graph=True)
        """, 3, "`total`", True),
    "a recurrent layer's state": ("""
        cell, state = nn.LSTMCell(3, 4), (lw.zeros(1, 4), lw.zeros(1, 4))
        for step in range(130):
            state = cell(x[:1], state)
            loss = state[0].sum()
            loss.backward(retain_graph=True)
        """, 3, "state", True),
}
QUIET = {
    "numbers": """
        total = 0
        for step in range(300):
            loss = net(x).pow(2).mean()
            loss.backward()
            total += loss.item()
        """,
    "a state that is detached": """
        h = lw.zeros(3)
        for step in range(300):
            h = lw.tanh(h.detach() * w + 1)
            h.sum().backward()
        """,
    "detached from time to time": """
        h = lw.zeros(3)
        loss = 0
        for step in range(600):
            h = lw.tanh(h * w + 1)
            loss = loss + h.sum()
            if step % 2:
                loss.backward()
                h, loss = h.detach(), 0
        """,
    "a shared trunk": """
        trunk = (w * 2).exp()
        for step in range(300):
            (trunk * step).sum().backward(retain_graph=True)
        """,
    "one graph, many rows": """
        y = (w[:, None] * lw.ones(3, 300)).exp().sum(0)
        for step in range(300):
            y[step].backward(retain_graph=True)
        """,
    "a long graph in each turn": """
        for step in range(130):
            h = w
            for _ in range(20):
                h = h * 0.9
            h.sum().backward()
        """,
    "losses for a plot": """
        losses = []
        for step in range(300):
            loss = net(x).pow(2).mean()
            loss.backward()
            losses.append(loss)
        """,
    "a total that is passed back in one go": """
        total = 0
        for step in range(300):
            total = total + (w * step).pow(2).sum()
        total.backward()
        """,
    "second derivatives": """
        for step in range(130):
            (g,) = lw.autograd.grad((w ** 3).sum(), w, create_graph=True)
            g.pow(2).sum().backward()
            w.grad = None
        """,
}


def outcome_of(program):
    return run(START.strip("\n") + "\n" + textwrap.dedent(program).strip("\n") + "\n")


@pytest.mark.parametrize("name", GROWING)
def test_a_history_that_grows_is_told_once_with_a_repair(name):
    program, line, what, again = GROWING[name]
    outcome = outcome_of(program)
    assert outcome.error is None
    (warned,) = outcome.warned
    assert type(warned) is leafward.GradientWarning
    text = str(warned)
    assert what in text.splitlines()[0]
    assert lines_of(text)["grows in"] == [line + FIRST]
    assert ("goes through all of them again" in text) is again
    (edits,) = suggestions(text)
    repaired = run(applied(START.strip("\n") + "\n" + textwrap.dedent(program).strip("\n") + "\n", edits))
    assert repaired.error is None
    assert repaired.warned == []
    if not again:                                           # what is learned stays the same
        assert repaired.names["net"].weight.tolist() == outcome.names["net"].weight.tolist()


@pytest.mark.parametrize("name", QUIET)
def test_of_histories_that_end_nothing_is_said(name):
    outcome = outcome_of(QUIET[name])
    assert outcome.error is None
    assert outcome.warned == []


def test_a_modules_own_state():
    outcome = outcome_of("""
        class Cell(nn.Module):
            def __init__(self):
                super().__init__()
                self.inner, self.h = nn.Linear(3, 3), lw.zeros(3)
            def forward(self, x):
                self.h = self.inner(self.h + x)
                return self.h
        cell = Cell()
        for step in range(130):
            cell(x[0]).sum().backward(retain_graph=True)
        """)
    (warned,) = outcome.warned
    assert "the history of `self.h` grows" in str(warned)
    assert "self.h = self.h.detach()" in str(warned)


def test_nothing_is_looked_for_without_checks():
    program = START.strip("\n") + "\n" + textwrap.dedent(GROWING["total += loss"][0]).strip("\n") + "\n"
    assert run(program, checks=False).warned == []
