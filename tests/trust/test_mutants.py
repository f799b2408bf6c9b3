"""Mechanisms, not matches: what is said of a program is said of its mutants, with the lines where they went."""
import textwrap

import pytest

from tests.trust.fixes import applied, suggestions
from tests.trust.mutants import LAYOUTS, MUTATIONS, in_a_block, in_a_loop, mutated, padded
from tests.trust.programs import lines_of, run
from tests.trust.programs_to_repair import PROGRAMS
from tests.trust.test_fixes import equal, meant, tried

#: The rows that say who did it.
CULPRITS = ("changed by", "refused", "shared", "freed by")


def told(source):
    """The culprits that the first thing said names."""
    outcome = run(source)
    if outcome.error is None and not outcome.warned:
        return None
    lines = lines_of(str(outcome.error if outcome.error is not None else outcome.warned[0]))
    return {label: lines[label][0] for label in CULPRITS if label in lines}


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.__name__)
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_mutant_is_told_like_its_program(name, mutation):
    source = textwrap.dedent(PROGRAMS[name][0]).strip("\n") + "\n"
    mutant, places = mutated(source, mutation)
    found = told(mutant)
    assert found is not None, f"nothing is said of\n{mutant}"
    assert found == {label: places[line] for label, line in told(source).items()}, mutant


@pytest.mark.parametrize("mutation", [in_a_loop, in_a_block, padded, *LAYOUTS], ids=lambda mutation: mutation.__name__)
@pytest.mark.parametrize("name", PROGRAMS)
def test_the_fixes_of_a_mutant_are_right(name, mutation):
    source, *intentions = PROGRAMS[name]
    source = textwrap.dedent(source).strip("\n") + "\n"
    mutant, _ = mutated(source, mutation)
    outcome = run(mutant)
    said = [str(outcome.error)] if outcome.error is not None else [str(w) for w in outcome.warned]
    wanted = [meant(source, replacements) for replacements in intentions]
    for edits in [edits for text in said for edits in suggestions(text)]:
        found = tried(mutant, edits)
        assert found is not None and any(equal(found, one) for one in wanted), f"{edits}\n{applied(mutant, edits)}"
