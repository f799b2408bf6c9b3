"""``leafward check train.py ...``: a PyTorch program under every check; what was found stands at the end."""
import json
import sys
import warnings
from contextlib import nullcontext

from leafward.app import run
from leafward.app.as_torch import install_as_torch
from leafward.errors import GradientError, GradientWarning

USAGE = """usage: leafward check [--json FILE] [--html FILE] script.py [argument ...]
       leafward check [--json FILE] [--html FILE] -m module [argument ...]

--json FILE: the findings for other programs. --html FILE: the findings, and the graphs, as a page that needs nothing else.
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
    files, arguments = options(list(arguments), ("--json", "--html"))
    by_name = arguments[:1] == ["-m"]
    arguments = arguments[by_name:]
    if not arguments or arguments[0].startswith("-"):
        asked = arguments[:1] in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    install_as_torch()
    from leafward.app.watch import Watch
    from leafward.trust.pictures.gallery import Gallery
    collector, failed, gallery = Collector(), [], Gallery()
    hook, sys.excepthook = sys.excepthook, lambda kind, error, traceback: (failed.append(error), hook(kind, error, traceback))
    shown, warnings.showwarning = warnings.showwarning, collector
    try:
        with gallery if "--html" in files else nullcontext(), Watch() as watch:
            code = run.code_of(lambda: (run.run_module if by_name else run.run_script)(arguments[0], arguments[1:]))
    finally:
        sys.excepthook, warnings.showwarning = hook, shown
    findings = [*collector.found, *watch.findings.values()]
    print(report(findings))
    if "--json" in files:
        with open(files["--json"], "w", encoding="utf-8") as file:
            json.dump([{"title": title, "text": text} for title, text in findings], file, indent=1)
    if "--html" in files:
        told = [f"{title}\n{text}" for title, text in findings] + [str(e) for e in failed if isinstance(e, GradientError)]
        with open(files["--html"], "w", encoding="utf-8") as file:
            file.write(gallery.html(told, f"leafward check {arguments[0]}"))
    if findings or any(isinstance(error, GradientError) for error in failed):
        return 1
    return code if code != 1 else 3                         # the program's own failure is no finding


def options(arguments, known):
    """``{option: its value}`` of the options that stand first, and the rest."""
    found = {}
    while len(arguments) > 1 and arguments[0] in known:
        found[arguments[0]] = arguments[1]
        arguments = arguments[2:]
    return found, arguments
