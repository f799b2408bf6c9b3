"""The code blocks of a page of the documentation, and the one way in which all of them are run.

    python -m tests.documents docs/trust.md            run them, and show what prints something else than the page says
    python -m tests.documents --write docs/trust.md    write what they print into the page

A page holds blocks of five kinds, told by how they are fenced and how they begin:

    python, from >>> on          a session; those of a page go on from one to the next
    python, from # leafward/     a quotation: it stands in that file, word for word
    python                       a program, in the file that its first line names (# silent.py), or else in train.py; where it
                                 says `import torch`, that is leafward, as under `leafward run`
    text                         what the program before it prints, warnings and the error that ends it included
    console                      commands; what stands below a line that begins with $ is what it prints

A picture that a program saves as an SVG is the one in docs/img, which the page shows.
``...`` stands for the rest of a line; on a line of its own, for any lines. Without a ``Traceback`` line the text of an error
is its last part, the message.
"""
import contextlib
import doctest
import io
import json
import linecache
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
import warnings
from pathlib import Path

import leafward

ROOT = Path(__file__).parent.parent
PICTURES = ROOT / "docs" / "img"
BLOCK = re.compile(r"^```(?P<kind>[a-z]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
NAMED = re.compile(r"^# (\S+\.py)\n")
QUOTATION = re.compile(r"^# ((?:leafward|examples|tests|bench|tools)/\S+)\n")
TRACEBACK = "Traceback (most recent call last):\n"
COMMANDS = {"leafward": ["-m", "leafward"], "python": [], "pytest": ["-m", "pytest", "-p", "no:cacheprovider"]}


class Block:
    """One block: its kind, what stands in it, where, and what stands in the block of text below it."""

    def __init__(self, page, match):
        self.page, self.fence, self.text, self.span = page, match["kind"], match["text"], match.span("text")
        self.shown = None

    @property
    def kind(self):
        if self.fence != "python":
            return self.fence
        return "session" if self.text.startswith(">>>") else "quotation" if QUOTATION.match(self.text) else "program"

    @property
    def name(self):
        found = NAMED.match(self.text)
        return found[1] if found else "train.py"


def blocks_of(text, page="page"):
    """The blocks of a page, those of text as part of the program before them."""
    found = []
    for match in BLOCK.finditer(text):
        block = Block(page, match)
        if block.fence == "text" and found and found[-1].kind == "program" and found[-1].shown is None:
            found[-1].shown = block
        else:
            found.append(block)
    return found


def matches(printed, shown):
    """Whether ``printed`` is what the page shows."""
    pattern = "".join(r"(?:[^\n]*\n)*" if line == "...\n" else re.escape(line).replace(re.escape("..."), r"[^\n]*")
                      for line in shown.splitlines(keepends=True))
    return re.fullmatch(pattern, printed) is not None


# --- running one block -----------------------------------------------------------------------------------------------

def run_program(program, name):
    """What a user sees of it: ``(output and warnings, its error's message, the same with the traceback)``."""
    if re.search(r"^import torch$", program, re.MULTILINE):
        leafward.install_as_torch()
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    printed, message, whole = io.StringIO(), "", ""

    def show(text, category, filename, lineno, file=None, line=None):
        printed.write(f"{filename}:{lineno}: {category.__name__}: {text}\n")

    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        try:
            exec(compile(program, name, "exec"), {"__name__": "__main__", "__file__": name})
        except Exception as error:
            message = "".join(traceback.format_exception_only(error))
            frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename != __file__]
            whole = TRACEBACK + "".join(traceback.format_list(frames)) + message
    return printed.getvalue(), message, whole


def printed_by(block):
    """What a program prints, as far as the page shows it."""
    printed, message, whole = run_program(block.text, block.name)
    return printed + (whole if block.shown is not None and TRACEBACK in block.shown.text else message)


def problems_of_program(block, write=None):
    Path(block.name).write_text(block.text, encoding="utf-8")
    printed, shown = printed_by(block), block.shown.text if block.shown else ""
    if matches(printed, shown):
        return []
    if write is not None:
        span = block.shown.span if block.shown else (block.span[1] + 4, block.span[1] + 4)
        write.append((span, printed if block.shown else f"\n```text\n{printed}```\n"))
    return [f"{block.name} prints\n{printed}"]


def problems_of_session(block, names, page):
    """``names`` are what the sessions of the page before this one have defined."""
    example = doctest.DocTestParser().get_doctest(block.text, {}, page, page, 0)
    example.globs = names
    said = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(example, out=said.append, clear_globs=False)
    return said


def problems_of_quotation(block):
    path, text = block.text.split("\n", 1)
    there = ROOT / path.removeprefix("# ")
    return [] if there.exists() and text in there.read_text(encoding="utf-8") else [f"this is not in {there.name}:\n{text}"]


def problems_of_console(block, write=None):
    """Commands behind ``$`` are run, in the folder with the programs of the page; others have to exist."""
    if not block.text.startswith("$ "):
        return [f"there is no command {line}" for line in block.text.splitlines() if not is_command(line)]
    found, printed = [], ""
    for command in re.findall(r"^\$ (.*)$", block.text, re.MULTILINE):
        name, *arguments = shlex.split(command)
        done = subprocess.run([sys.executable, *COMMANDS[name], *arguments], text=True, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, timeout=300)
        printed += f"$ {command}\n" + done.stdout.replace(f"{Path.cwd()}{os.sep}", "")
    if not matches(printed, block.text):
        found.append(f"a command prints\n{printed}")
        if write is not None:
            write.append((block.span, printed))
    return found


def is_command(line):
    """Whether a command that is only shown can be given."""
    name, *arguments = shlex.split(line, comments=True)
    if name == "make":
        return not arguments or re.search(rf"^{arguments[0]}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
    if name == "leafward":
        return arguments[0] in ("demo", "run", "check", "info")
    return name in ("pip", "pytest", "python", "apt-get")


def problems_of_pictures(place, pictures, write):
    """What a page's programs drew otherwise than it is kept in ``pictures``."""
    found = []
    for drawn in sorted(place.glob("*.svg")):
        kept, text = pictures / drawn.name, drawn.read_text(encoding="utf-8")
        if not kept.exists() or kept.read_text(encoding="utf-8") != text:
            found.append(f"{drawn.name} is drawn otherwise")
            if write is not None:
                kept.write_text(text, encoding="utf-8")
    return found


# --- a page ----------------------------------------------------------------------------------------------------------

def problems_of_page(path, write=None):
    """What the page at ``path`` says that is not so. Run in a process of its own: programs change what is global."""
    names = {"__name__": "__main__"}
    folder, found = os.getcwd(), []
    text = Path(path).read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        sys.path.insert(0, place)
        try:
            for block in blocks_of(text, text):
                problems = {"program": lambda block: problems_of_program(block, write), "quotation": problems_of_quotation,
                            "session": lambda block: problems_of_session(block, names, Path(path).name),
                            "console": lambda block: problems_of_console(block, write), "": lambda block: [],
                            "text": lambda block: ["a text that no program prints"]}.get(
                                block.kind, lambda block: [f"a block of an unknown kind: {block.kind}"])(block)
                line = text.count("\n", 0, block.span[0]) + 1
                found += [f"{path}:{line}: {problem}" for problem in problems]
            found += problems_of_pictures(Path(place), PICTURES, write)
        finally:
            sys.path.remove(place)
            os.chdir(folder)
    return found


def run_page(path):
    """The same, in a process of its own."""
    done = subprocess.run([sys.executable, "-m", "tests.documents", "--json", path], cwd=ROOT, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *filter(None, sys.path)])})
    return json.loads(done.stdout.splitlines()[-1]) if done.returncode == 0 else [done.stdout + done.stderr]


if __name__ == "__main__":
    options = {option for option in sys.argv[1:] if option.startswith("--")}
    for path in [Path(option).resolve() for option in sys.argv[1:] if option not in options]:
        changes = [] if "--write" in options else None
        found = problems_of_page(path, changes)
        text = path.read_text(encoding="utf-8")
        for (begin, end), new in sorted(changes or [], reverse=True):
            text = text[:begin] + new + text[end:]
        if changes:
            path.write_text(text, encoding="utf-8")
        print(json.dumps(found) if "--json" in options else "\n".join(found) or f"{path.name}: all as it says")
