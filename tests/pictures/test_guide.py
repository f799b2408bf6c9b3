"""``docs/graphs.md``: its programs run and print what stands below them, and its pictures are there."""
import re
from pathlib import Path

import pytest

from tests.trust.test_guide import matches, what_it_says

DOCS = Path(__file__).parent.parent.parent / "docs"
TEXT = (DOCS / "graphs.md").read_text(encoding="utf-8")
#: A program, and what it prints, if anything.
PROGRAMS = re.findall(r"^```python\n(.*?)^```\n(?:\n^```text\n(.*?)^```$)?", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize(("program", "printed"), PROGRAMS, ids=[program.strip().splitlines()[-1] for program, _ in PROGRAMS])
def test_programs_print_what_the_page_says(program, printed, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    said = what_it_says(program)
    assert matches(said, printed), said


def test_its_pictures_are_there():
    shown = {*re.findall(r'(?:src|srcset)="(img/[^"]+)"', TEXT), *re.findall(r"\((img/[^)]+)\)", TEXT)}
    assert len(shown) == 5 and all((DOCS / name).stat().st_size > 1000 for name in shown)
