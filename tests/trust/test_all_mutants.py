"""Mechanisms, not matches: of all mistakes that the tests know, in eight other clothes, at least nine in ten are told."""
import textwrap
from collections import Counter

from tests.trust import test_cuts, test_functions, test_met, test_nonfinite, test_outside, test_promises, test_silent
from tests.trust.mutants import MUTATIONS, mutated
from tests.trust.programs import run


def mistakes():
    """``(name, program)`` of everything that something is said about."""
    for name, (line, *_) in test_cuts.CUTS.items():
        yield f"cut: {name}", test_cuts.START + line + test_cuts.END
    for name, (line, *_) in test_cuts.NO_HISTORY.items():
        yield f"no history: {name}", test_cuts.START + line + "\nloss.backward()"
    yield "requires_grad too late", test_cuts.LATE
    for name, (program, *_) in test_met.TOLD.items():
        yield f"met: {name}", program
    yield "layers in a list", test_met.LAYERS
    for name in ("STASH", "SECOND", "WRITTEN", "TIMES"):
        yield f"function: {name}", getattr(test_functions, name)
    for name, (program, *_) in test_nonfinite.BACKWARD.items():
        yield f"nan: {name}", program
    for name, (write, *_) in test_outside.ROUTES.items():
        yield f"outside: {name}", test_outside.HEAD + write + test_outside.BACKWARD
    for name, (program, *_) in test_outside.BUFFERS.items():
        yield f"buffer: {name}", program
    for name, (write, *_) in test_silent.WRITES.items():
        yield f"silent: {name}", test_silent.EXP + write + test_silent.BACKWARD
    for name, program in test_promises.RAISED.items():
        yield f"raised: {name}", program
    for name, (program, *_) in test_promises.SILENT.items():
        yield f"promised: {name}", program


def said(source):
    """Whether anything is said of a program: an error of leafward's, or a warning."""
    outcome = run(source)
    return outcome.error is not None and "\n\n" in str(outcome.error) or bool(outcome.warned)


def test_mutants_are_told():
    programs = {name: textwrap.dedent(program).strip("\n") + "\n" for name, program in mistakes()}
    assert len(programs) >= 80
    assert [name for name, source in programs.items() if not said(source)] == []
    missed, made = Counter(), 0
    for source in programs.values():
        for mutation in MUTATIONS:
            made += 1
            if not said(mutated(source, mutation)[0]):
                missed[mutation.__name__] += 1
    assert made >= 600
    assert sum(missed.values()) <= 0.1 * made, missed
    assert max(missed.values(), default=0) <= 0.2 * len(programs), missed
