"""Every edit that a finding or the documentation suggests is applied, and trains what was meant: numbers are compared."""
import textwrap

import numpy as np
import pytest

import leafward
from leafward.core.tensor import TensorBase
from tests.trust.fixes import applied, suggestions
from tests.trust.intended import GUIDE, IN_WORDS, INTENDED
from tests.trust.mistakes import MISTAKES
from tests.trust.mistakes_of_cuts import LOST
from tests.trust.mistakes_of_losses import LOSSES
from tests.trust.mistakes_of_slips import SLIPS
from tests.trust.programs import run
from tests.trust.test_check import FOUND
from tests.trust.test_guide import EXAMPLES
from tests.trust.test_mistakes import checked, written

PROGRAMS = {name: written(program) for name, (program, *_) in (MISTAKES | LOSSES | LOST | SLIPS).items()} | {
    name: textwrap.dedent(program).strip("\n") + "\n" for name, (program, *_) in FOUND.items()}


def meant(source, replacements):
    """The program that was meant."""
    for old, new in replacements:
        assert source.count(old) >= 1, old
        source = source.replace(old, new, 1)
    return source


def checked_anew(source):
    """``checked``, with the same random numbers each time."""
    leafward.manual_seed(0)
    return checked(source)


def run_anew(source):
    leafward.manual_seed(0)
    return run(source)


def trained(names):
    """The values and the gradients of all leaves that a program left, in the order of its variables; layers one by one."""
    found = {}
    for value in list(names.values()):
        members = list(value.parameters()) if hasattr(type(value), "parameters") else [value]
        for held in vars(value).values() if type(value).__name__ == "Trainer" else ():
            members += held.parameters() if hasattr(type(held), "parameters") else []
        for leaf in members:
            if isinstance(leaf, TensorBase) and leaf.requires_grad and leaf.is_leaf:
                found.setdefault(id(leaf), leaf)
    if not found:
        found = {id(value): value for value in names.values() if isinstance(value, TensorBase)}
    grads = [p.grad if p.is_leaf else None for p in found.values()]
    return [(np.array(p.detach()), None if grad is None else np.array(grad.detach().to_dense()))
            for p, grad in zip(found.values(), grads, strict=True)]


def agree(ours, theirs):
    """Whether two programs trained the same values, by the same gradients where both left some. The order may be another."""
    def key(pair):
        return pair[0].shape, pair[0].tolist()
    pairs = list(zip(sorted(ours, key=key), sorted(theirs, key=key), strict=False))
    return len(ours) == len(theirs) > 0 and all(
        a.shape == b.shape and np.allclose(a, b, rtol=1e-4, atol=1e-6) and (
            g is None or h is None or np.allclose(g, h, rtol=1e-4, atol=1e-6)) for (a, g), (b, h) in pairs)


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_edit_of_a_finding_trains_what_was_meant(name):
    source = PROGRAMS[name]
    findings = checked_anew(source).findings
    edits = [edit for found in findings for edit in suggestions(f"{found.title}\n{found.text}")]
    assert edits
    wanted = [trained(checked_anew(meant(source, replacements)).names) for replacements in INTENDED[name]]
    for edit in edits:
        found = trained(checked_anew(applied(source, edit)).names)
        assert any(agree(found, one) for one in wanted), f"silently wrong: {edit}\n{found}\n{wanted}"


@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mistake_is_one(name):
    """What was meant differs from what the program does, or does it without a mistake."""
    again = [checked_anew(meant(PROGRAMS[name], replacements)) for replacements in INTENDED[name]]
    assert not any(one.findings for one in again), [one.findings for one in again]


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_every_edit_of_the_guide_trains_what_was_meant(number):
    program, golden = EXAMPLES[number]
    edits = suggestions(golden)
    if not edits:
        return
    replacements = next(meaning for line, meaning in GUIDE.items() if line in program)
    wanted = [trained(run_anew(meant(program, one)).names) for one in replacements]
    for edit in edits:
        outcome = run_anew(applied(program, edit))
        assert outcome.error is None and not outcome.warned, edit
        found = trained(outcome.names)
        assert any(agree(found, one) for one in wanted), f"silently wrong: {edit}\n{found}\n{wanted}"


def test_what_the_guide_says_in_words():
    in_words = [program for program, golden in EXAMPLES if "\n  fix" in golden and not suggestions(golden)]
    words = {program.strip().splitlines()[-1] for program in in_words}
    assert words == set(IN_WORDS)
