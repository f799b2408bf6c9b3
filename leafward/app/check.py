"""``leafward check train.py ...``: a PyTorch program under every check; what was found stands at the end."""
import json
import os
import re
import sys
import warnings
from contextlib import nullcontext

from leafward.app import run
from leafward.app.constants import without_history
from leafward.app.finding import Finding
from leafward.app.warned import finding_of
from leafward.core.tensor import requires_grad
from leafward.errors import (
    EXPLAINED, NO_LEAF_WARNING, GradientError, GradientWarning, NonFiniteGradientWarning, SilentGradientWarning,
)
from leafward.trust.leaves import without_gradients
from leafward.trust.scene import Scene
from leafward.trust.steps import why

USAGE = """usage: leafward check [--json FILE] [--html FILE] [--github] script.py [argument ...]
       leafward check [--json FILE] [--html FILE] [--github] -m module [argument ...]

Runs the program as `leafward run` does, and prints what was found, the worst first.
Exit code 1: something was found. 0: nothing. 3: the program failed by itself. 2: wrong usage. Else its own.

--json FILE   the findings for other programs: title, text, severity, file and line of each
--html FILE   the findings, and the graphs, as a page that needs nothing else
--github      annotations of GitHub Actions besides (by itself where GITHUB_ACTIONS=true)"""
#: The worst first.
SEVERITIES = ("error", "warning", "notice")
#: What a story names first: the line to look at.
LINE = re.compile(r"(\S+\.py):(\d+)")


class Collector:
    """The gradient warnings of a program; all others are shown as ever."""

    def __init__(self):
        self.found = []
        self.show = warnings.showwarning

    def __call__(self, message, category, filename, lineno, file=None, line=None):
        no_leaf = str(message).startswith(NO_LEAF_WARNING)
        if (found := finding_of(str(message))) is not None:
            self.add(found)
        elif issubclass(category, GradientWarning) or no_leaf:
            title, _, text = str(message).partition("\n")
            title = "the .grad of a tensor that is no leaf was read: it is None" if no_leaf else title
            worst = issubclass(category, (SilentGradientWarning, NonFiniteGradientWarning))
            self.add(Finding(title, text, SEVERITIES[0] if worst else SEVERITIES[1]))
        else:
            self.show(message, category, filename, lineno, file, line)

    def add(self, finding):
        """Keep a finding, once."""
        if finding not in self.found:
            self.found.append(finding)


def report(findings, notes=(), failed=False):
    """The findings as text. ``notes``: what is no finding, and is told all the same. ``failed``: the program ended early."""
    lines = [f"leafward check: note: {note}" for note in notes]
    if not findings:
        return "\n".join([*lines, "leafward check: nothing found" + " before the program failed" * failed])
    lines += [f"leafward check: {len(findings)} finding{'s' if len(findings) > 1 else ''}"]
    for number, finding in enumerate(findings, 1):
        lines += ["", f"{number}. {finding.title}", finding.text]
    return "\n".join(lines)


def gradient_errors(failed):
    """What there is to tell of the errors that ended the program: of those on gradients, and on gradients that are None."""
    for error in failed:
        if isinstance(error, GradientError) or EXPLAINED in vars(error):
            yield ending(error)
        elif (constant := without_history(error)) is not None:
            yield ending(error)._replace(text=constant)
        elif isinstance(error, (AttributeError, TypeError)):
            for tensor, name in without_gradients(error):
                if requires_grad(tensor) and tensor._node is None:          # (of others it was told when they were asked)
                    title, _, told = why(tensor, name, Scene(error.__traceback__)).partition("\n")
                    yield Finding(title, told, SEVERITIES[0])


def ending(error):
    """The error that ended the program, as a finding."""
    sentence, _, told = str(error).partition("\n\n")
    told = told or vars(error).get(EXPLAINED, "")
    return Finding(f"the program ended with {type(error).__name__}: {sentence}", told.strip("\n"), SEVERITIES[0])


def place_of(finding):
    """``(file, line)`` that a finding names first; None and None if it names none."""
    found = LINE.search(finding.text)
    return (None, None) if found is None else (found[1], int(found[2]))


def annotation(finding):
    """A finding as GitHub Actions read it: ``::warning file=train.py,line=3,title=...::...``."""
    file, line = place_of(finding)
    where = "" if file is None else f"file={escaped(file, True)},line={line},"
    return f"::{finding.severity} {where}title={escaped(finding.title, True)}::{escaped(finding.text)}"


def escaped(text, in_property=False):
    """Text as a workflow command takes it."""
    for character, code in (("%", "%25"), ("\r", "%0D"), ("\n", "%0A"), *(((":", "%3A"), (",", "%2C")) if in_property else ())):
        text = text.replace(character, code)
    return text


def main(arguments):
    """Run the program that the arguments name, and print what was found."""
    files, arguments = options(list(arguments), ("--json", "--html"), ("--github",))
    program, name = run.program_of(arguments, USAGE)
    if program is None:
        return name
    from leafward.app.watch import Watch
    from leafward.trust.pictures.gallery import Gallery
    collector, failed, gallery = Collector(), [], Gallery()
    hook, sys.excepthook = sys.excepthook, lambda kind, error, traceback: (failed.append(error), hook(kind, error, traceback))
    shown, warnings.showwarning = warnings.showwarning, collector
    try:
        with gallery if "--html" in files else nullcontext(), Watch() as watch:
            code = run.code_of(program)
    finally:
        sys.excepthook, warnings.showwarning = hook, shown
    if code == 2 and not os.path.exists(name) and name.endswith(".py"):
        return code                                         # there is no such file: nothing ran
    findings = [*collector.found, *watch.findings.values(), *gradient_errors(failed)]
    findings.sort(key=lambda found: SEVERITIES.index(found.severity))
    print(run.fit(report(findings, watch.notes.values(), bool(failed))))
    for finding in findings if "--github" in files or os.environ.get("GITHUB_ACTIONS") == "true" else ():
        print(annotation(finding))
    if "--json" in files:
        described = [{**found._asdict(), **dict(zip(("file", "line"), place_of(found), strict=True))} for found in findings]
        with open(files["--json"], "w", encoding="utf-8") as file:
            json.dump(described, file, indent=1)
    if "--html" in files:
        told = [f"{found.title}\n{found.text}" for found in findings]
        with open(files["--html"], "w", encoding="utf-8") as file:
            file.write(gallery.html(told, f"leafward check {name}"))
    if findings:
        return 1
    return code if code != 1 else 3                         # the program's own failure is no finding


def options(arguments, known, flags=()):
    """``{option: its value}`` of the options that stand first (of ``flags``: True), and the rest."""
    found = {}
    while arguments and (arguments[0] in flags or arguments[0] in known and len(arguments) > 1):
        taken = 1 if arguments[0] in flags else 2
        found[arguments[0]] = True if taken == 1 else arguments[1]
        arguments = arguments[taken:]
    return found, arguments
