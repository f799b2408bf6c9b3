"""``docs/trust.md``: every program in it runs, and says what the page says. The texts there are the golden texts."""
import contextlib
import io
import linecache
import re
import traceback
import warnings
from pathlib import Path

import pytest

GUIDE = Path(__file__).parent.parent.parent / "docs" / "trust.md"
EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n^```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXAMPLES = EXAMPLE.findall(GUIDE.read_text(encoding="utf-8"))


def what_it_says(program):
    """What a user sees of ``train.py``: its output, its warnings, the error that ends it."""
    linecache.cache["train.py"] = (len(program), None, program.splitlines(keepends=True), "train.py")
    said = io.StringIO()

    def show(message, category, filename, lineno, file=None, line=None):
        said.write(f"{filename}:{lineno}: {category.__name__}: {message}\n")

    with contextlib.redirect_stdout(said), warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = show
        try:
            exec(compile(program, "train.py", "exec"), {"__name__": "train"})
        except RuntimeError as error:
            said.write("".join(traceback.format_exception_only(error)))
    return said.getvalue()


def matches(said, golden):
    """Equal, where ``...`` stands for the rest of a line."""
    return re.fullmatch(re.escape(golden).replace(re.escape("..."), "[^\n]*"), said) is not None


@pytest.mark.parametrize(("program", "golden"), EXAMPLES, ids=[p.strip().splitlines()[-1] for p, _ in EXAMPLES])
def test_the_guide_tells_the_truth(program, golden):
    said = what_it_says(program)
    assert matches(said, golden), said


def test_every_program_has_its_text():
    assert len(EXAMPLES) == GUIDE.read_text(encoding="utf-8").count("```python") >= 8
