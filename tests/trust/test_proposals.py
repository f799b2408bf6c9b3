"""What the stories propose does what it says: typed in its place, it trains, and gives the gradient that was meant."""
import pytest

from tests.trust.programs import run

LSTM = """
lw.manual_seed(0)
rnn = nn.LSTM(2, 3)
st = None
for t in range(3):
    out, st = rnn(lw.ones(4, 1, 2), st)
    out.sum().backward()
"""
METHOD = """
class Agent(nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.s = nn.LSTMCell(2, 3), None
    def step(self, x):
        self.s = self.cell(x, self.s)
        return self.s[0]
agent = Agent()
for t in range(3):
    agent.step(lw.ones(1, 2)).sum().backward()
"""


#: The state is the parameter of a function, None at first.
HANDED = """
rnn = nn.LSTM(2, 3)
def rollout(st=None):
    for t in range(3):
        out, st = rnn(lw.ones(4, 1, 2), st)
        out.sum().backward()
rollout()
"""


@pytest.mark.parametrize(("program", "says", "cut"), [
    (LSTM, "train.py:5 add   {} if st is not None else None ", "st = tuple(s.detach() for s in st)"),
    (LSTM.replace("out, st = rnn(lw.ones(4, 1, 2), st)", "out, st = rnn(lw.ones(4, 1, 2), st); st = list(st)"),
     "uses it: {};", "st = [s.detach() for s in st]"),
    (METHOD, "train.py:6 add   {} if self.s is not None else None ", "self.s = tuple(s.detach() for s in self.s)"),
    (HANDED, "train.py:4 add   {} if st is not None else None ", "st = tuple(s.detach() for s in st)"),
])
def test_a_state_of_several_tensors(program, says, cut):
    assert says.format(cut) in run(program).story
    before = "out, st =" if "out, st =" in program else "self.s = self.cell"
    name = cut.partition(" ")[0]
    first = f"{name} = None if {name} is None else {cut.partition(' = ')[2]}; "
    assert run(program.replace(before, first + before)).error is None


NESTED = """
w = lw.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
b = lw.tensor([1.0, 1.0], requires_grad=True)
opt = lw.optim.SGD([w, b], lr=0.1)
h = w * 2
h = MADE
loss = (h * b).sum()
loss.backward()
opt.step()
"""


@pytest.mark.parametrize(("made", "repaired"), [
    ("lw.tensor([[v.item() for v in row] for row in h])", "lw.stack([lw.stack([v for v in row]) for row in h])"),
    ("lw.tensor([[h[0, 0].item(), 1.0 * h[0, 1].item()], [h[1, 0].item(), h[1, 1].item()]])",
     "lw.stack([lw.stack([h[0, 0], 1.0 * h[0, 1]]), lw.stack([h[1, 0], h[1, 1]])])"),
])
def test_lists_in_a_list_are_stacked_each(made, repaired):
    assert f"h = {repaired}" in run(NESTED.replace("MADE", made)).story
    again = run(NESTED.replace("MADE", repaired))
    assert again.error is None and not again.warned and again.grad("w") == [[2.0, 2.0], [2.0, 2.0]]


ZERO = """
a = lw.tensor([[0.0, 0.0], [3.0, 4.0]], requires_grad=True)
d = a.pow(2).sum(1).sqrt()
loss = (d ** 2).sum()
loss.backward()
"""
SIGMOID = """
a = lw.tensor([-200.0, 1.0], requires_grad=True)
s = 1 / (1 + lw.exp(-a))
s.sum().backward()
"""


def all_finite(tensor):
    return tensor.isfinite().all().item()


@pytest.mark.parametrize(("program", "old", "new"), [
    (ZERO, "a.pow(2).sum(1).sqrt()", "(a.pow(2).sum(1) + 1e-12).sqrt()"),
    (SIGMOID, "lw.exp(-a)", "lw.exp((-a).clamp(max=80.0))"),
])
def test_a_derivative_of_zero_is_no_element_left_out(program, old, new):
    story = run(program).story
    assert new in story and "did not use" not in story and "not used" not in story
    again = run(program.replace(old, new))
    assert not again.warned and all_finite(again.names["a"].grad)


@pytest.mark.parametrize("use", ["d[1:].sum()", "d.masked_fill(d == 0, 1.0).sum()"])
def test_an_element_left_out_is_told(use):
    assert "did not use this element" in run(ZERO.replace("(d ** 2).sum()", use)).story


HEADS = """
lw.manual_seed(0)
w = lw.ones(3, requires_grad=True)
z = (w * SOURCE).tanh()
for k in range(3):
    (z * z).sum().backward()
"""


def test_what_draws_is_not_moved_into_the_loop():
    story = run(HEADS.replace("SOURCE", "lw.randn(3)")).story
    assert "into the loop" not in story and "call backward() once, on their sum" in story
    assert "move train.py:3 into the loop" in run(HEADS.replace("SOURCE", "lw.ones(3)")).story


SPREAD = """
a = lw.tensor([[1.0, 2.0]], requires_grad=True)
h = (a - a.mean(0)) / a.std(0)
h.sum().backward()
"""


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
def test_the_spread_of_one_row():
    outcome = run(SPREAD)
    story = str(outcome.warned[-1])
    assert "give std more elements" in story and "(a.var(0, correction=0) + 1e-12).sqrt()" in story and "clamp" not in story
    again = run(SPREAD.replace("a.std(0)", "(a.var(0, correction=0) + 1e-12).sqrt()"))
    assert not again.warned and all_finite(again.names["a"].grad)


HOOKS = """
store = {}
def pack(t):
    k = len(store); store[k] = t.detach(); return k
def unpack(k):
    return store[k]
w = lw.tensor([1.0, 2.0], requires_grad=True)
with lw.autograd.graph.saved_tensors_hooks(pack, unpack):
    y = lw.exp(w)
HARM
y.sum().backward()
"""


def test_only_the_hook_can_keep_a_copy():
    program = HOOKS.replace("HARM", "for v in store.values():\n    v.zero_()")
    story = run(program).story
    assert "at train.py:2   let the hook keep tensor.clone()" in story and "exp(w).clone()" not in story
    plain = run(HOOKS.replace("HARM", "y.detach().zero_()").replace("t.detach()", "t.detach().clone()"))
    assert not plain.warned and plain.grad("w") == run(HOOKS.replace("HARM", "")).grad("w")
