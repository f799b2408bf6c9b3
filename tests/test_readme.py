"""README.md's programs and examples run, and print what it says."""
import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(?P<kind>python|text)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
BLOCKS = [(match["kind"], match["text"]) for match in BLOCK.finditer(README)]

#: A program, which begins with its file's name, and the output shown after it.
PROGRAMS = [(program, shown) for (kind, program), (after, shown) in zip(BLOCKS, BLOCKS[1:])
            if (kind, after) == ("python", "text")]
#: A quotation, which begins with its file's path.
QUOTED = [text.split("\n", 1) for kind, text in BLOCKS if kind == "python" and text.startswith("# leafward/")]
EXAMPLES = [text for kind, text in BLOCKS if kind == "python" and text.startswith(">>>")]


@pytest.mark.parametrize("program, shown", PROGRAMS, ids=[program.split("\n")[0] for program, _ in PROGRAMS])
def test_program_prints_what_the_readme_shows(program, shown, tmp_path):
    name = program.split("\n")[0].removeprefix("# ")
    (tmp_path / name).write_text(program, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, name], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))})
    printed = done.stdout.replace(f"{tmp_path}{os.sep}", "")
    assert doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS), printed


def test_examples_print_what_the_readme_says():
    assert PROGRAMS and EXAMPLES
    said = []
    example = doctest.DocTestParser().get_doctest("\n".join(EXAMPLES), {}, "README.md", None, None)
    doctest.DocTestRunner(verbose=False).run(example, out=said.append)
    assert not said, "".join(said)


def test_what_the_readme_quotes_stands_in_the_source():
    assert QUOTED
    for path, text in QUOTED:
        assert text in (ROOT / path.removeprefix("# ")).read_text(encoding="utf-8"), path
