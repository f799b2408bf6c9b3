"""Every code block of the documentation runs, and prints what the page says: ``tests/documents.py`` tells how."""
import doctest
from pathlib import Path

import pytest

import leafward
from tests import documents, test_doctests
from tests.documents import ROOT, blocks_of, matches, problems_of_page, run_page

#: Made of declarations and docstrings.
REFERENCE = ROOT / "docs" / "reference"
PAGES = [path for path in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if REFERENCE not in path.parents]


#: What a page runs beside leafward, where it has to be there.
NEEDED = {"docs/howto/onnx.md": "onnxruntime"}


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_page(path):
    if (package := NEEDED.get(path.relative_to(ROOT).as_posix())) is not None:
        pytest.importorskip(package)
    found = run_page(path)
    assert not found, "\n".join(found)


def examples_in(text):
    return {(example.source, example.want) for example in doctest.DocTestParser().get_examples(text)}


def test_examples_of_the_reference():
    """They are those of docstrings and of ``help()``, which ``test_doctests`` runs. Entries of inner ops are run here."""
    known = set().union(*({(example.source, example.want) for example in test.examples} for test in test_doctests.EXAMPLES))
    said, elsewhere = [], 0
    for path in REFERENCE.rglob("*.md"):
        for block in blocks_of(path.read_text(encoding="utf-8")):
            if examples_in(block.text) <= known:
                elsewhere += 1
                continue
            names = {"lw": leafward, "leafward": leafward}
            example = test_doctests.PARSER.get_doctest(block.text, names, path.name, None, None)
            doctest.DocTestRunner(optionflags=test_doctests.OPTIONS, verbose=False).run(example, out=said.append)
    assert not said, "".join(said)
    assert elsewhere > 500


def wrong(text, tmp_path):
    (tmp_path / "page.md").write_text(text, encoding="utf-8")
    return problems_of_page(tmp_path / "page.md")


@pytest.mark.parametrize(("text", "said"), [
    ("```python\nprint(1)\n```\n\n```text\n2\n```\n", "train.py prints\n1"),
    ("```python\nprint(1)\n```\n", "train.py prints\n1"),
    ("```python\n1 / 0\n```\n", "train.py prints\nZeroDivisionError"),
    ("```python\n>>> x = 1\n```\n\n```python\n>>> x\n2\n```\n", "Expected:\n    2\nGot:\n    1"),
    ("```python\n# leafward/errors.py\nclass Nothing: pass\n```\n", "this is not in errors.py"),
    ("```console\nmake everything\n```\n", "there is no command make everything"),
    ("```console\n$ python -c 'print(1)'\n2\n```\n", "a command prints\n$ python -c 'print(1)'\n1"),
    ("```text\n1\n```\n", "a text that no program prints"), ("```haskell\nmain\n```\n", "a block of an unknown kind: haskell"),
])
def test_what_is_wrong_is_seen(text, said, tmp_path):
    found = wrong(text, tmp_path)
    assert len(found) == 1 and said in found[0]


@pytest.mark.parametrize("text", [
    "```python\n# named.py\nprint(__file__)\n```\n\n```text\nnamed.py\n```\n\n```console\n$ python named.py\nnamed.py\n```\n",
    "```python\n1 / 0\n```\n\n```text\nZeroDivisionError: division by zero\n```\n",
    "```python\n1 / 0\n```\n\n```text\nTraceback (most recent call last):\n...\nZeroDivisionError: division by zero\n```\n",
    "```python\n>>> x = 1\n```\n\n```python\n>>> x\n1\n```\n", "```\nanything\n```\n", "```console\nmake test\n```\n",
])
def test_what_is_right_is_left_in_peace(text, tmp_path):
    assert not wrong(text, tmp_path)


def test_pictures_are_those_that_programs_draw(tmp_path, monkeypatch):
    monkeypatch.setattr(documents, "PICTURES", tmp_path / "img")
    (tmp_path / "img").mkdir()
    page = """```python\nfrom pathlib import Path\n_ = Path("a.svg").write_text("<svg/>")\n```\n"""
    assert wrong(page, tmp_path) == ["a.svg is drawn otherwise"]
    (tmp_path / "img" / "a.svg").write_text("<svg/>")
    assert not wrong(page, tmp_path)


def test_dots():
    assert matches("a b\nc\n", "a ...\nc\n") and matches("a\nb\nc\n", "a\n...\n") and matches("a\n", "a\n...\n")
    assert not matches("a\nb\n", "a...\n") and not matches("b\n", "a\n...\n")


def test_pages_were_found():
    assert len(PAGES) > 10 and all(isinstance(path, Path) for path in PAGES)
