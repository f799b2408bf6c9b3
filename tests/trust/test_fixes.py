"""Every repair that a story suggests is applied, and gives the gradient that was meant."""
import re
import textwrap

import numpy as np
import pytest

from tests.trust.fixes import applied, suggestions
from tests.trust.programs import run
from tests.trust.programs_to_repair import PROGRAMS


def gradients(names):
    """What the program came to: its ``grad``, or the gradients of its leaves."""
    if "grad" in names:
        found = names["grad"] if isinstance(names["grad"], list) else [names["grad"]]
    else:
        leaves = [names[name] for name in ("x", "w", "a", "m") if getattr(names.get(name), "is_leaf", False)]
        found = [leaf.grad for leaf in leaves if leaf.grad is not None]
    return [np.asarray(g.detach() if hasattr(g, "detach") else g) for g in found]


def meant(source, replacements):
    """The gradients of the program that was meant."""
    for old, new in replacements:
        assert old in source
        indent = re.search(rf"^(\s*)[^\n]*{re.escape(old.splitlines()[0])}", source, re.MULTILINE)[1]
        source = source.replace(old, new.replace("\n", "\n" + indent) if not new.startswith(" ") else new, 1)
    outcome = run(source)
    assert outcome.error is None and not outcome.warned
    return gradients(outcome.names)


def tried(source, edits):
    """``right``, ``loud`` or the gradients that came out without a word."""
    outcome = run(applied(source, edits))
    if outcome.error is not None or outcome.warned:
        return None
    return gradients(outcome.names)


def equal(ours, theirs):
    return len(ours) == len(theirs) and all(a.shape == b.shape and np.allclose(a, b, rtol=1e-5) for a, b in zip(ours, theirs))


@pytest.mark.parametrize("name", PROGRAMS)
def test_every_fix_repairs(name):
    source, *intentions = PROGRAMS[name]
    source = textwrap.dedent(source).strip("\n") + "\n"
    outcome = run(source)
    assert outcome.error is not None or outcome.warned
    told = [str(outcome.error)] if outcome.error is not None else [str(w) for w in outcome.warned]
    fixes = [edits for text in told for edits in suggestions(text)]
    assert fixes, told[0]
    wanted = [meant(source, replacements) for replacements in intentions]
    for edits in fixes:
        found = tried(source, edits)
        assert found is not None, f"it still raises or warns: {edits}"
        assert any(equal(found, one) for one in wanted), f"silently wrong: {edits}"
