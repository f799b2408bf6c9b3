"""What it takes to have it at all, beside PyTorch: disk, time to import, memory and time of a first training step.

    python -m bench.footprint              print the table
    python -m bench.footprint --write      write it into README.md
"""
import os
import platform
import sys
from datetime import date
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

from bench import processes
from bench.__main__ import in_words

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- written by python -m bench.footprint -->\n", "<!-- end of footprint -->\n"


def rows(libraries, rounds=5):
    """``(what, unit, {library: number})`` for ``libraries``, leafward and perhaps torch."""
    yield "on disk, with all that it requires", "bytes", {
        name: processes.installed_bytes(name) + processes.required_bytes(name) for name in libraries}
    for what, first_step in ("`import`", False), ("`import` and a first training step", True):
        yield f"{what}, processor time", "s", processes.processor_seconds(libraries, first_step, rounds)
    yield "memory of that process", "bytes", {name: processes.peak_bytes(name, steps=1) for name in libraries}


def table(libraries, rounds=5):
    """The table in Markdown, with the versions and the date."""
    titles = [f"{name} {version(name)}".replace("torch", "PyTorch") for name in libraries]
    lines = [f"| | {' | '.join(titles)} |", f"|---|{'---:|' * len(titles)}"]
    for what, unit, numbers in rows(libraries, rounds):
        lines.append(f"| {what} | {' | '.join(in_words(numbers[name], unit) for name in libraries)} |")
    python = ".".join(map(str, sys.version_info[:2]))
    busy = " Other programs kept the processor busy meanwhile." if os.getloadavg()[0] > (os.cpu_count() or 1) else ""
    said = f"Measured {date.today()} on {platform.system()} with Python {python}, the least of {rounds}."
    return "\n".join([*lines, "", f"{said} The step is that of a small network with SGD.{busy}", ""])


def written_into(text, part):
    """``text`` with ``part`` between the two marks."""
    before, _, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError("there is no place for the table")
    return before + BEGIN + "\n" + part + END + after


if __name__ == "__main__":
    made = table(["leafward", *["torch"] * (find_spec("torch") is not None)])
    print(made)
    if "--write" in sys.argv[1:]:
        README.write_text(written_into(README.read_text(encoding="utf-8"), made), encoding="utf-8")
