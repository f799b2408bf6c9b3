"""Random programs do on leafward what they do on PyTorch; what differs on purpose is in docs/differences.md, and differs."""
import re
import secrets
from pathlib import Path

import pytest

from tests.fuzz.comparing import Difference
from tests.fuzz.faults import has_several
from tests.fuzz.on_purpose import LIST
from tests.fuzz.rounding import replayed_with_noise
from tests.fuzz.running import Finding, Result, confirmed, fuzz
from tests.fuzz.shrinking import replayed, shrink
from tests.fuzz.stepping import ROUNDING, Stepper

PAGE = Path(__file__).parent.parent.parent / "docs" / "differences.md"


#: What the fixed programs still show, at most: less is better, more is a new difference.
LEFT = {"refuses": 0, "accepts": 2, "dtype": 0, "shape": 0, "requires_grad": 0, "exception": 1, "python": 0}


def told(findings):
    return "\n".join(str(finding) for finding in findings)


def test_fixed_programs():
    result = fuzz(0, count=500)
    print(result)
    assert result.programs == 500 and result.steps > 5000
    assert not result.of("crash", "hang", "broke", "value", "gradient", "is_leaf"), f"{result}\n{told(result.grave)}"
    for kind, most in LEFT.items():
        assert result.counts[kind] <= most, f"{result}\n{told(result.of(kind))}"
    light = result.of("stride", "version", "view", "mirror")
    assert sum(finding.count for finding in light) <= 0.002 * result.steps, told(light)


def test_fresh_programs():
    """Other ones each time: what ends leafward, and does so again, is a failure, and wrong numbers in more than a few."""
    seed = 10**6 + secrets.randbelow(10**9)
    result = fuzz(seed, seconds=8)
    print(f"from seed {seed}: {result}\n{told(result.grave)}")
    assert result.programs
    ended = confirmed(result.of("crash", "hang"))
    assert not ended, f"from seed {seed}: {told(ended)}"
    wrong = result.of("value", "gradient", "is_leaf")
    assert sum(finding.count for finding in wrong) <= 3 + 0.005 * result.programs, f"from seed {seed}: {told(wrong)}"


@pytest.mark.parametrize("last, ends, limit", [("v1.apply_(lambda x: __import__('os').abort())", True, 30),
                                               ("while True: v1", True, 4), ("v1.no_such_method()", False, 30)])
def test_what_ended_leafward_is_run_again(last, ends, limit):
    lines = ["v1 = t.tensor([1.0])", "v2 = t.ones(3)", last]
    found = confirmed([Finding("crash", "", 7, lines)], limit)
    assert [f.lines for f in found] == ([[lines[0], last]] if ends else [])


@pytest.mark.parametrize("entry", LIST, ids=lambda entry: re.sub(r"\W+", "-", entry.row)[:50])
def test_what_differs_on_purpose_stands_in_the_docs_and_differs(entry):
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith(f"| {entry.row}")]
    assert len(rows) == 1, f"{len(rows)} rows of docs/differences.md begin with {entry.row!r}"
    difference, stepper = replayed(entry.program.splitlines())
    seen = [*(d for d, _ in stepper.passed if d.kind != "sentence"), *([difference] if difference else [])]
    assert seen and {d.row for d in seen} == {entry.row}, [str(d) for d in seen]


# --- the net itself --------------------------------------------------------------------------------------------------

def spoiled(monkeypatch, name, change):
    """leafward with one function that does something else."""
    import leafward
    right = getattr(leafward, name)
    monkeypatch.setattr(leafward, name, lambda *args, **kwargs: change(right(*args, **kwargs)))


@pytest.mark.parametrize("kind, change", [
    ("value", lambda x: x * 1.001),
    ("dtype", lambda x: x.double()),
    ("shape", lambda x: x.unsqueeze(0)),
    ("requires_grad", lambda x: x.detach()),
    ("python", lambda x: x.tolist()),
    ("stride", lambda x: x.mT.contiguous().mT),
])
def test_it_sees(monkeypatch, kind, change):
    spoiled(monkeypatch, "sin", change)
    lines = ["v1 = t.tensor([[0.5, 1.0], [2.0, 1.0]])", "v1.requires_grad_()", "v5 = t.zeros(3)", "v2 = t.sin(v1)",
             "v3 = t.cos(v2)"]
    difference, stepper = replayed(lines)
    seen = [*(d.kind for d, _ in stepper.passed), difference and difference.kind]
    assert kind in seen, seen


def test_it_sees_what_is_written_and_shared(monkeypatch):
    import leafward
    right = leafward.sin
    lines = ["v1 = t.tensor([0.0])", "v2 = t.sin(v1)"]
    for wrong, kind in ((lambda x: (x.add_(0), right(x))[1], "version"), (lambda x: x.detach(), "view"),
                        (lambda x: x[:], "view")):
        monkeypatch.setattr(leafward, "sin", wrong)
        assert {d.kind for d, _ in replayed(lines)[1].passed} == {kind}


def test_it_sees_gradients_and_exceptions(monkeypatch):
    import leafward
    right = leafward.sin
    monkeypatch.setattr(leafward, "sin", lambda x: x.detach().cos() * 0 + right(x.detach()) + x - x.detach())
    lines = ["v1 = t.tensor([0.5], requires_grad=True)", "v2 = t.sin(v1)", "v2.backward()"]
    assert replayed(lines)[0].kind == "gradient"

    def refuse(x):
        raise ValueError("no")
    monkeypatch.setattr(leafward, "sin", refuse)
    assert replayed(lines)[0].kind == "refuses"
    lines = ["v1 = t.mm(t.ones(2, 3), t.ones(2, 3))"]
    for kind, wrong in ("exception", lambda x, y: refuse(x)), ("accepts", lambda x, y: 3):
        monkeypatch.setattr(leafward, "mm", wrong)
        assert replayed(lines)[0].kind == kind


def test_it_shrinks(monkeypatch):
    spoiled(monkeypatch, "sin", lambda x: x + 1)
    lines = ["v1 = t.tensor([[0.5, 1.0], [2.0, 1.0]]).transpose(0, 1)", "v5 = t.zeros(3)", "v6 = v5.add(1)", "v1.mul_(2)",
             "v2 = t.sin(v1)"]
    difference, stepper = replayed(lines)
    assert shrink(stepper.lines, difference)[0] == ["v1 = t.tensor([[0.5, 0.5], [2.0, 2.0]])", "v2 = t.sin(v1)"]


def test_rounding_is_no_difference():
    """What a program makes of the last digit; a value that is wrong stays wrong."""
    for error, row in (1e-7, ROUNDING), (2e-6, None):
        stepper = Stepper()
        stepper.step("v1 = t.tensor([0.1, 0.7, -0.3], dtype=t.float32)")
        stepper.ours["v1"].add_(stepper.ours["t"].tensor([error, 0.0, 0.0]))
        with pytest.raises(Difference) as raised:
            stepper.step("v2 = (v1 - t.tensor([0.1, 0.7, -0.3])) * 1e7")
        assert (raised.value.kind, raised.value.row) == ("value", row)


@pytest.mark.parametrize("last", ["t.logit(v2)", "v2.logit()", "v2 - 1", "v2.sub_(1).mul(1e3)", "t.frexp(v2 - 1)[0]"])
def test_rounding_within_a_program_is_no_difference(last):
    """What it makes of the last digit of a number that it computed itself, of whole ones, whatever way it is called."""
    for error, row in (1.2e-7, ROUNDING), (2e-5, None):
        stepper = Stepper()
        stepper.step("v1 = t.tensor([2, 3])")
        stepper.step("v2 = v1.erf()")
        stepper.ours["v2"].copy_(stepper.ours["t"].tensor(stepper.theirs["v2"].tolist()) - error)
        with pytest.raises(Difference) as raised:
            stepper.step(f"v3 = ({last}) * 1e3")
        assert (raised.value.kind, raised.value.row) == ("value", row)


def test_numbers_that_are_only_chosen_are_exact():
    """To copy, gather or compare numbers rounds nothing: what is wrong there is no rounding."""
    lines = ["v1 = t.tensor([0.1, 0.7, -0.3])", "v2 = v1.clone().flip(0)[t.tensor([2, 1, 0])].relu_()", "v3 = v1 - v2"]
    assert replayed_with_noise(lines, 0)["v3"].tolist()[:2] == [0, 0]


def test_several_faults_are_told_from_one():
    """PyTorch, too, must know the other one: what only leafward says stays a difference."""
    lines = ["v1 = t.tensor(1.0)", "v2 = t.fft.ifft2(v1, norm='x')"]
    assert has_several(lines, RuntimeError('Invalid normalization mode: "x"'))
    assert not has_several(lines, RuntimeError("something else"))
    assert not has_several(lines, KeyError('Invalid normalization mode: "x"'))


def test_programs_that_end_the_process_are_told(monkeypatch):
    from tests.fuzz import running
    monkeypatch.setattr(running.Worker, "line", lambda self: None)
    result = Result()
    monkeypatch.setattr(running.time, "sleep", lambda seconds: None)
    worker = running.Worker(0, 1, None, 1)
    worker.process.wait()
    worker.status.write_text('[0, "leafward", ["v1 = t.hang()"]]')
    assert worker.run(result) == 1
    assert [f.kind for f in result.grave] == ["hang"]


def test_a_finding_is_a_program_to_paste():
    finding = Finding("value", "value: v1: 1, PyTorch 2", 7, ["v1 = t.tensor([1.0, nan])"])
    space = {}
    exec(str(finding).partition("\n")[2], space)        # noqa: S102  that is the point
    assert space["v1"].shape == (2,)
