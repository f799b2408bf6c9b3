"""NaN and inf: the node, the line and the element where they arise, in backward or before it; else silence."""
import re

import pytest

import leafward
from tests.trust.fixes import applied, suggestions
from tests.trust.programs import lines_of, run

MASKED = """
x = lw.tensor([-1.0, 4.0], requires_grad=True)
root = lw.sqrt(x)
loss = lw.where(x > 0, root, 0.0).sum()
loss.backward()
"""


ATTENTION = """
lw.manual_seed(0)
attention = nn.MultiheadAttention(4, 2, batch_first=True)
x, q = lw.randn(2, 3, 4), lw.randn(2, 3, 4, requires_grad=True)
pad = lw.tensor([[False, False, True], [True, True, True]])
keep, mask = ~pad, lw.zeros(3, 3)
mask[1] = -lw.inf
"""
#: What is computed, in the last but one line -> the mask as the story calls it, the row, whether the repair is an edit.
COVERED = {
    "padding": ("out = attention(x, x, x, key_padding_mask=pad)[0]", "`pad` is True in all of row [1]"),
    "what is kept": ("out = attention(x, x, x, key_padding_mask=~keep)[0]", "`~keep` is True in all of row [1]"),
    "scores": ("out = attention(x, x, x, attn_mask=mask)[0]", "`mask` is -inf in all of row [1]"),
    "by hand": ("out = (q @ q.transpose(1, 2) + mask).softmax(-1) @ q", "`mask` is -inf in all of row [1]"),
    "chosen": ("out = lw.where(keep[:, None], q @ q.transpose(1, 2), -lw.inf).softmax(-1) @ q", "the row at [1, 0] is all"),
}


@pytest.mark.parametrize("name", COVERED)
def test_a_mask_that_leaves_nothing_of_a_row_is_named_and_the_repair_repairs(name):
    line, says = COVERED[name]
    program = ATTENTION.strip("\n") + "\n" + line + "\nout.pow(2).mean().backward()\n"
    outcome = run(program)
    (warned,) = outcome.warned
    assert says in str(warned)
    assert lines_of(str(warned))["masked by"] == [ATTENTION.strip("\n").count("\n") + 2]
    edits = suggestions(str(warned))[0]
    repaired = run(applied(program, edits))
    assert repaired.error is None
    assert repaired.warned == []
    assert repaired.names["out"].isfinite().all()
    other = slice(0, 1) if name in ("padding", "what is kept", "chosen") else [0, 2]
    same = (0, slice(None)) if name in ("padding", "what is kept", "chosen") else (slice(None), other)
    assert repaired.names["out"][same].tolist() == outcome.names["out"][same].tolist()      # where something was left


def test_a_mask_whose_line_has_returned_is_named_as_it_is_called_outside():
    outcome = run(ATTENTION + """
class Block(nn.Module):
    def forward(self, z, hidden):
        return attention(z, z, z, key_padding_mask=hidden)[0]
Block()(x, pad).sum().backward()
""")
    (warned,) = outcome.warned
    assert "`pad` is True in all of row [1]" in str(warned)
    assert "pad & ~pad.all(-1, keepdim=True) in place of pad" in str(warned)


def test_no_mask_is_blamed_for_a_nan_that_came_in():
    outcome = run(ATTENTION + """
pad = lw.tensor([[False, False, True], [False, True, True]])
x[1] = lw.nan
attention(x, x, x, key_padding_mask=pad)[0].sum().backward()
""")
    (warned,) = outcome.warned
    assert "masked by" not in str(warned)


def test_the_masked_branch():
    outcome = run(MASKED)
    (warned,) = outcome.warned
    assert type(warned) is leafward.NonFiniteGradientWarning
    assert str(warned) == """\
a gradient became nan in backward: those that came in were finite.
  made by       root = lw.sqrt(x)            train.py:2   the derivative of sqrt at [0]
  value         its result is nan there
  cause         the gradient that comes in is 0 there: what follows did not use this element. \
But 0 times nan is nan
  not used by   lw.where(x > 0, root, 0.0)   train.py:3
  effect        1 of 2 elements of x.grad are not finite, and all that follows from them
  fix   replace train.py:2 by   root = lw.sqrt(lw.where(x > 0, x, 1.0))   a safe value where the result is not used"""


def fixed(program, story):
    """``program`` with its first fix typed in."""
    line, code = re.search(r"fix +replace train.py:(\d+) by   (.+?)   ", story).groups()
    lines = program.strip("\n").split("\n")
    lines[int(line) - 1] = code
    return "\n".join(lines)


#: A program, the line where it arises, what the value was.
BACKWARD = {
    "masked root": (MASKED, 2, "its result is nan"),
    "masked logarithm": ("""
p = lw.tensor([0.0, 0.25, 0.75], requires_grad=True)
plogp = p * p.log()
loss = -lw.where(p > 0, plogp, lw.zeros_like(p)).sum()
loss.backward()
""", 2, "`p` is 0 there"),
    "root of zero": ("""
x = lw.tensor([3.0, 3.0], requires_grad=True)
distance = ((x - 3) ** 2).sum().sqrt()
distance.backward()
""", 2, "its result is 0 there"),
    "power below one": ("""
x = lw.tensor([0.0, 1.0], requires_grad=True)
loss = (x ** 0.5).sum()
loss.backward()
""", 2, "`x` is 0 there"),
}


@pytest.mark.parametrize("name", BACKWARD)
def test_in_backward(name):
    program, line, value = BACKWARD[name]
    outcome = run(program)
    (warned,) = outcome.warned
    assert lines_of(str(warned))["made by"] == [line]
    assert value in str(warned)
    again = run(fixed(program, str(warned)))
    assert again.error is None
    assert again.warned == []
    leaf = next(v for v in again.names.values() if isinstance(v, leafward.Tensor) and v.is_leaf and v.requires_grad)
    assert bool(leaf.grad.isfinite().all())


FORWARD = {
    "logarithm of zero": ("lw.tensor([0.0, 3.0], requires_grad=True)", "x.log()", "y.mean()", "`x` is 0"),
    "overflow": ("lw.tensor([1000.0, 1.0], requires_grad=True)", "x.exp()", "(y / y.sum()).sum()", "inf"),
    "root of a negative number": ("lw.tensor([-1.0], requires_grad=True)", "x.sqrt()", "y.sum()", "nan"),
}


@pytest.mark.parametrize("name", FORWARD)
def test_before_backward(name):
    start, middle, end, value = FORWARD[name]
    outcome = run(f"x = {start}\ny = {middle}\nloss = {end}\nloss.backward()")
    (warned,) = outcome.warned
    assert "no gradient of it is of use" in str(warned)
    assert lines_of(str(warned))["arose in"] == [2]
    assert value in str(warned)


def test_what_is_divided_by_zero_and_then_cut_to_pieces():
    outcome = run("x = lw.tensor([-1.0, 0.0], requires_grad=True)\ny = x / x.abs()\nloss = y[1:].sum()\nloss.backward()")
    (warned,) = outcome.warned
    assert lines_of(str(warned))["arose in"] == [2]
    assert "div gave nan at [1]" in str(warned)


def test_where_it_began_is_not_known():
    outcome = run("""
        hidden = lw.tensor([0.0, float("inf")])
        x = lw.tensor([1.0, 2.0], requires_grad=True)
        loss = (x + hidden).sum()
        loss.backward()
        """)
    (warned,) = outcome.warned
    assert "seen in" in str(warned)
    assert "it may have begun earlier" in str(warned)
    assert "fix" not in str(warned)


def test_data_that_is_not_finite():
    outcome = run("""
        data = lw.tensor([1.0, float("nan")])
        w = lw.tensor([1.0, 1.0], requires_grad=True)
        loss = (data * w).sum()
        loss.backward()
        """)
    (warned,) = outcome.warned
    assert "`data` holds nan at [1]: it came in as a value, without a history" in str(warned)


EMPTIED = """
lw.manual_seed(0)
v = nn.Linear(4, 4)
x = lw.randn(2, 3, 4)
pad = lw.tensor([[False, False, True], [True, True, True]])
s = v(x) @ v(x).transpose(1, 2)
s = s.masked_fill(pad[:, None, :], float("-inf"))
a = s.softmax(-1)
loss = (a @ v(x)).masked_fill(pad[..., None], 0.0).pow(2).mean()
loss.backward()
""".lstrip("\n")


def test_a_nan_that_the_loss_leaves_out_is_followed_to_where_it_arose():
    outcome = run(EMPTIED)
    (warned,) = outcome.warned
    assert outcome.names["loss"].isfinite()
    assert "infinite derivative" not in str(warned)
    assert "holds nan at [1, 0, 0]" in str(warned)
    assert {label: numbers[0] for label, numbers in lines_of(str(warned)).items()}.items() >= {
        "made by": 8, "seen in": 7, "masked by": 6}.items()
    repaired = run(applied(EMPTIED, suggestions(str(warned))[0]))
    assert repaired.warned == []
    assert repaired.names["loss"].item() == outcome.names["loss"].item()


SPREAD = """
lw.manual_seed(0)
critic, returns = nn.Linear(3, 1), lw.randn(1, 1)
value = critic(lw.randn(1, 3))
gain = (returns - value).detach()
gain = (gain - gain.mean()) / (gain.std() + 1e-8)
loss = (gain * value).mean()
loss.backward()
""".lstrip("\n")


@pytest.mark.filterwarnings("ignore:std.. degrees of freedom")
def test_a_value_without_a_history_is_followed_to_the_spread_of_one_element():
    outcome = run(SPREAD)
    (warned,) = [warning for warning in outcome.warned if isinstance(warning, leafward.NonFiniteGradientWarning)]
    assert lines_of(str(warned))["assigned in"] == [5]
    assert "gain.std() is nan: it is of one element" in str(warned)
    repaired = run(applied(SPREAD, suggestions(str(warned))[-1]))
    assert repaired.error is None
    assert repaired.names["loss"].isfinite()


CORRECT = {
    "safe on the inside": MASKED.replace("lw.sqrt(x)", "lw.sqrt(lw.where(x > 0, x, 1.0))"),
    "an eps": "x = lw.zeros(2, requires_grad=True)\n(x + 1e-6).sqrt().sum().backward()",
    "norm at zero": "x = lw.zeros(2, requires_grad=True)\nx.norm().backward()",
    "masked to minus infinity": """
x = lw.ones(2, 2, requires_grad=True)
mask = lw.tensor([[True, False], [True, True]])
lw.softmax(x.masked_fill(~mask, float("-inf")), 1)[:, 0].sum().backward()
""",
    "a scaler that looks by itself": """
x = lw.tensor([0.0], requires_grad=True)
scaler = lw.amp.GradScaler("cpu")
scaler.scale(x.sqrt().sum()).backward()
""",
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_look_alikes(name):
    outcome = run(CORRECT[name])
    assert outcome.error is None
    assert outcome.warned == []


def test_the_number_is_pytorchs_and_strict_is_an_error():
    outcome = run(MASKED)
    assert outcome.grad()[1] == 0.25
    strict = run(MASKED.replace("loss.backward()", "with lw.strict(): loss.backward()"))
    assert type(strict.error) is leafward.SilentGradientError


def test_nan_origin_leaves_everything_as_it_is():
    program = MASKED.replace("loss.backward()", "told = lw.nan_origin(loss)\nclean = lw.nan_origin((x * 2).sum())")
    outcome = run(program)
    assert outcome.warned == []
    assert outcome.names["told"].startswith("a gradient became nan in backward")
    assert outcome.names["clean"] == "The loss is finite, and so are all gradients."
    assert outcome.names["x"].grad is None
    outcome.names["loss"].backward(inputs=[outcome.names["x"]])


def test_later_calls_look_seldom_and_check_looks_always():
    loop = """
x = lw.ones(2, requires_grad=True)
for step in range(6):
    y = (x - float(step > 3)) ** 0.5
    y.sum().backward()
"""
    assert run(loop).warned == []
    asked = run(loop.replace("backward()", 'backward(check="finite")'))
    assert [lines_of(str(w))["made by"] for w in asked.warned] == [[3], [3]]
    assert "check must be" in str(run('lw.ones(1, requires_grad=True).sum().backward(check="all")').error)


def test_checks_off_is_silent():
    assert run(MASKED, checks=False).warned == []


POLES = {
    "acos at 1": ("lw.acos(x)", "lw.acos(x.clamp(-1 + 1e-6, 1 - 1e-6))"),
    "acos at 1, not used": ("lw.where(x < 1, lw.acos(x), 0.0)", "lw.acos(lw.where(x < 1, x, 0.0))"),
    "atanh at 1, clamped": ("(lw.atanh(x * 1).clamp(max=3))", "lw.atanh((x * 1).clamp(-1 + 1e-6, 1 - 1e-6))"),
    "arguments that cannot be counted": ("(lambda *a: lw.sqrt(*a))(x * 0)", "keep its input away from this value"),
    "too large": ("x.exp().exp().exp().exp().log()", "subtract the largest value first, or use logsumexp()"),
}


@pytest.mark.parametrize("name", POLES)
def test_repairs_fit_the_value(name):
    expression, repair = POLES[name]
    (warned,) = run(f"x = lw.tensor([1.0, 0.5], requires_grad=True)\n{expression}.sum().backward()").warned
    assert repair in str(warned)


@pytest.mark.parametrize("expression", ["lw.digamma(-x)", "lw.polygamma(1, -x)"])
def test_a_pole_within_a_domain_is_not_the_end_of_one(expression):
    (warned,) = run(f"x = lw.tensor([1.0, 0.5], requires_grad=True)\n{expression}.backward(lw.ones(2))").warned
    assert "keep -x away from -1" in str(warned) and "clamp" not in str(warned)


#: What the dtype cannot hold: nothing is told to go through a clamp that gives another result, or to stay off a pole.
TOO_LARGE = {
    "a product of negative numbers": ("h = lw.full((2, 2), -1e30, requires_grad=True)", "y = h * h", "(y - y.mean()).sum()",
                                      "compute in float64: float32 holds numbers up to 3.4e+38"),
    "a power": ("x = lw.full((3,), 1e20, requires_grad=True)", "y = x ** 2", "(y - y.mean()).sum()", "float64"),
    "a matrix product": ("a = lw.full((2, 2), 1e30, requires_grad=True)", "y = a @ a", "(y - y).sum()", "float64"),
    "a sum": ("a = lw.full((4,), 2e38, requires_grad=True)", "y = a.sum()", "(y - y)", "float64"),
    "a quotient": ("a = lw.full((3,), 1e30, requires_grad=True)", "y = a / lw.full((3,), 1e-30)", "(y * 0).sum()", "1e-30"),
    "float16": ("a = lw.full((4,), 300.0, dtype=lw.float16, requires_grad=True)", "y = a * a", "(y - y.max()).sum()",
                "float16 holds numbers up to 6.55e+04"),
    "a hyperbola": ("a = lw.full((4,), -100.0, requires_grad=True)", "y = a.sinh()", "(y - y.max()).sum()", "log_ form"),
}


@pytest.mark.parametrize("name", TOO_LARGE)
def test_what_is_too_large_is_said_to_be(name):
    given, line, loss, says = TOO_LARGE[name]
    (warned,) = run(f"{given}\n{line}\n{loss}.backward()").warned
    assert lines_of(str(warned))["arose in"] == [2]
    assert says in str(warned)
    assert "real value" not in str(warned)


def test_a_divergence_that_is_given_logarithms_and_not_told():
    program = """
lw.manual_seed(0)
net, other = nn.Linear(3, 4), nn.Linear(3, 4)
x = lw.randn(8, 3)
goal = other(x).log_softmax(1).detach()
loss = nn.functional.kl_div(net(x).log_softmax(1), goal, reduction="batchmean")
loss.backward()
"""
    outcome = run(program)
    (warned,) = outcome.warned
    assert "logarithms, where kl_div() takes probabilities" in str(warned)
    assert lines_of(str(warned))["seen in"] == [5]
    repaired = run(applied(program.lstrip("\n"), suggestions(str(warned))[0]))
    assert repaired.warned == []
    meant = run(program.replace("log_softmax(1).detach()", "softmax(1).detach()"))
    assert repaired.names["loss"].item() == pytest.approx(meant.names["loss"].item(), rel=1e-5)
