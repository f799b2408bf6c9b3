"""``leafward check train.py ...``: a PyTorch program under every check; what was found stands at the end."""
import json
import sys
import warnings

from leafward.app import run
from leafward.app.as_torch import install_as_torch
from leafward.errors import GradientError, GradientWarning

USAGE = """usage: leafward check [--json FILE] script.py [argument ...]
       leafward check [--json FILE] -m module [argument ...]

Runs the program as `leafward run` does. Exit code 1: something was found. 0: nothing. Else the program's own."""


class Collector:
    """The gradient warnings of a program; all others are shown as ever."""

    def __init__(self):
        self.found = []
        self.show = warnings.showwarning

    def __call__(self, message, category, filename, lineno, file=None, line=None):
        if issubclass(category, GradientWarning):
            title, _, text = str(message).partition("\n")
            if (title, text) not in self.found:
                self.found.append((title, text))
        else:
            self.show(message, category, filename, lineno, file, line)


def report(findings):
    """The findings as text."""
    if not findings:
        return "leafward check: nothing found"
    lines = [f"leafward check: {len(findings)} finding{'s' if len(findings) > 1 else ''}"]
    for number, (title, text) in enumerate(findings, 1):
        lines += ["", f"{number}. {title}", text]
    return "\n".join(lines)


def main(arguments):
    """Run the program that the arguments name, and print what was found."""
    arguments, target = list(arguments), None
    if arguments[:1] == ["--json"] and len(arguments) > 1:
        target, arguments = arguments[1], arguments[2:]
    by_name = arguments[:1] == ["-m"]
    arguments = arguments[by_name:]
    if not arguments or arguments[0].startswith("-"):
        asked = arguments[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    install_as_torch()
    from leafward.app.watch import Watch
    collector, failed = Collector(), []
    hook, sys.excepthook = sys.excepthook, lambda kind, error, traceback: (failed.append(error), hook(kind, error, traceback))
    shown, warnings.showwarning = warnings.showwarning, collector
    try:
        with Watch() as watch:
            code = (run.run_module if by_name else run.run_script)(arguments[0], arguments[1:])
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0 if end.code is None else 1
    finally:
        sys.excepthook, warnings.showwarning = hook, shown
    findings = [*collector.found, *watch.findings.values()]
    print(report(findings))
    if target is not None:
        with open(target, "w", encoding="utf-8") as file:
            json.dump([{"title": title, "text": text} for title, text in findings], file, indent=1)
    if findings or any(isinstance(error, GradientError) for error in failed):
        return 1
    return code if code != 1 else 3                         # the program's own failure is no finding
