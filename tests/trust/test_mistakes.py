"""Programs as people write them under ``leafward check``: mistakes are named, repairs repair them, right ones are quiet."""
import itertools
import linecache
import math
import os
import re
import textwrap
import warnings
from typing import NamedTuple

import pytest

from leafward.app.check import Collector, gradient_errors
from leafward.app.watch import Watch
from tests.trust.fixes import applied, suggestions
from tests.trust.mistakes import MISTAKES, START
from tests.trust.mistakes_of_cuts import LOST, RIGHT_CUTS
from tests.trust.mistakes_of_losses import LOSSES, RIGHT_LOSSES
from tests.trust.mistakes_of_parts import RIGHT_PARTS
from tests.trust.mistakes_of_slips import RIGHT_SLIPS, SLIPS
from tests.trust.mutants import LAYOUTS, mutated
from tests.trust.right import RIGHT
from tests.trust.test_check import FOUND


class Checked(NamedTuple):
    """What the checks found in a program, what they noted besides, and the variables that it left."""

    findings: list
    notes: list
    names: dict


#: What PyTorch warns of as well in some of these programs. Any other warning beside the findings is an error.
PYTORCHS = ("None of the inputs have requires_grad", "std(): degrees of freedom",
            "Converting a tensor with requires_grad=True to a scalar", "Detected call of `lr_scheduler.step()`")


def expected(message, category, filename, lineno, file=None, line=None):
    """Take the place of what shows warnings that are no findings."""
    assert str(message).startswith(PYTORCHS), message


def checked(source):
    """``source`` as the file ``train.py`` under every check."""
    linecache.cache["train.py"] = (len(source), None, source.splitlines(keepends=True), "train.py")
    names, collector, ended = {"__name__": "train"}, Collector(), []
    collector.show = expected
    code = compile(re.sub(r"^import torch$", "import leafward as torch", source, flags=re.MULTILINE).replace(
        "from torch", "from leafward").replace("import torch.", "import leafward."), "train.py", "exec")
    with warnings.catch_warnings(), Watch() as watch:
        warnings.simplefilter("default")
        warnings.showwarning = collector
        try:
            exec(code, names)
        except (RuntimeError, ValueError, AttributeError, TypeError) as error:
            ended += gradient_errors([error])
            if not ended and not collector.found:
                raise
    return Checked([*collector.found, *watch.findings.values(), *ended], list(watch.notes.values()), names)


def written(program):
    return START.strip("\n") + "\n" + textwrap.dedent(program).strip("\n") + "\n"


FIRST = START.strip("\n").count("\n") + 1


@pytest.mark.parametrize("name", MISTAKES | LOSSES | LOST | SLIPS)
def test_a_mistake_is_named_with_its_line_and_the_repair_repairs_it(name):
    program, line, says = (MISTAKES | LOSSES | LOST | SLIPS)[name]
    source = written(program)
    findings = checked(source).findings
    assert len(findings) == 1, findings
    told = f"{findings[0].title}\n{findings[0].text}"
    assert says in told
    assert f"train.py:{line + FIRST}" in told, told
    assert "\n  fix " in told
    for edits in suggestions(told):
        again = checked(applied(source, edits)).findings
        assert not again, f"{edits}: {again}"


@pytest.mark.skipif(os.environ.get("LEAFWARD_INTERPRETED") == "1", reason="no repair is compiled: once is enough")
# One layout for each program, in turn: all of them for each would take four times as long, and each meets thirty programs so.
@pytest.mark.parametrize("name, layout", list(zip(MISTAKES | LOSSES | LOST | SLIPS, itertools.cycle(LAYOUTS))),
                         ids=lambda part: getattr(part, "__name__", part))
def test_repairs_hold_in_other_layouts(name, layout):
    program, *_ = (MISTAKES | LOSSES | LOST | SLIPS)[name]
    source = written(mutated(textwrap.dedent(program).strip("\n") + "\n", layout)[0])
    findings = checked(source).findings
    assert findings
    for edits in suggestions("\n".join(f"{found.title}\n{found.text}" for found in findings)):
        again = checked(applied(source, edits)).findings
        assert len(again) < len(findings), f"{edits}: {again}\n{applied(source, edits)}"


@pytest.mark.parametrize("name", FOUND)
def test_the_repairs_of_the_command_repair(name):
    source = textwrap.dedent(FOUND[name][0]).strip("\n") + "\n"
    (finding,) = checked(source).findings
    for edits in suggestions(f"{finding.title}\n{finding.text}"):
        again = checked(applied(source, edits)).findings
        assert not again, f"{edits}: {again}"


@pytest.mark.parametrize("name", RIGHT | RIGHT_LOSSES | RIGHT_CUTS | RIGHT_SLIPS | RIGHT_PARTS)
def test_of_a_right_program_nothing_is_said(name):
    found = checked(written((RIGHT | RIGHT_LOSSES | RIGHT_CUTS | RIGHT_SLIPS | RIGHT_PARTS)[name]))
    assert found.findings == []


def test_two_cuts_of_one_parameter_are_both_named_and_mended_together():
    source = written("""
        import math
        log_sigma, w = nn.Parameter(torch.tensor(0.3)), nn.Parameter(torch.ones(3))
        opt = torch.optim.SGD([w, log_sigma], lr=0.1)
        def nll(r):
            s = math.exp(float(log_sigma))
            return (r / s).pow(2).mean() + log_sigma.detach()
        loss = nll(w - 2)
        loss.backward()
        opt.step()
        """)
    told = next(finding for finding in checked(source).findings if "cannot train" in finding.title)
    assert f"train.py:{5 + FIRST}" in told.text and f"train.py:{6 + FIRST}" in told.text
    edits = suggestions(f"{told.title}\n{told.text}")[0]
    assert len(edits) == 2
    again = checked(applied(source, edits))
    assert not again.findings
    # d/ds of mean(((w - 2) / exp(s)) ** 2) + s, where w - 2 is -1 everywhere
    assert abs(again.names["log_sigma"].grad.item() - (1 - 2 * math.exp(-0.6))) < 1e-5
