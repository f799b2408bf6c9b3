"""The glossary: its names are in the code, and the names that were given up are not."""
import ast
import io
import re
import tokenize
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
FILES = sorted(path for suffix in ("py", "pyx", "pxd") for path in (ROOT / "leafward").rglob(f"*.{suffix}"))
PAGE = (ROOT / "docs" / "design" / "glossary.md").read_text(encoding="utf-8")
#: (word, names in the code, meaning) of each row.
ROWS = re.findall(r"^\| (?!word)([a-z][^|]*) \| ([^|]*) \| ([^|]*) \|$", PAGE, re.MULTILINE)

#: Names that had to be looked up before they could be guessed, or that had several meanings.
GIVEN_UP = {
    "quick", "face", "replaced", "all_replaced", "Entrance", "Underived", "underived", "arrive", "end_of", "restrided",
    "Restrided", "mirrored", "Mirrored", "making", "also", "against", "nondiff", "users", "let_go", "relaid", "shows",
}
GIVEN_UP_MODULES = GIVEN_UP | {"slots", "levels", "wrap", "prepare"}
#: Names that are left to one meaning: to the files that may have them.
ONE_MEANING = {
    "place": lambda path, source: "trust" in path.parts or re.search(
        r"^ *from leafward\.trust\.source import .*\bplace\b", source, re.MULTILINE) is not None,
    "story": lambda path, source: "trust" in path.parts or path.name == "errors.py",
    "lw": lambda path, source: imports_the_package_as_lw(source),
}


def imports_the_package_as_lw(source):
    return any(alias.name == "leafward" and alias.asname == "lw" for node in ast.walk(ast.parse(source))
               if isinstance(node, ast.Import) for alias in node.names)


def identifiers(source):
    """The names in Python or Cython, without strings and comments."""
    return {token.string for token in tokenize.generate_tokens(io.StringIO(source).readline) if token.type == tokenize.NAME}


@pytest.fixture(scope="module")
def names():
    """``{path: its identifiers}`` of the whole package."""
    return {path: identifiers(path.read_text(encoding="utf-8")) for path in FILES}


def test_each_word_stands_once_and_with_a_meaning():
    words = [word for word, _, _ in ROWS]
    assert 40 <= len(words) == len(set(words)) and len(words) == PAGE.count("\n| ") - PAGE.count("\n| word")
    assert all(len(meaning.split()) > 3 for _, _, meaning in ROWS)


def test_each_name_is_in_the_code(names):
    everything = set().union(*names.values())
    listed = [name for _, cell, _ in ROWS for name in re.findall(r"`(\w+)`", cell)]
    assert len(listed) >= len(ROWS)
    assert [name for name in listed if name not in everything] == []


def test_names_that_were_given_up_are_gone(names):
    found = [f"{path.relative_to(ROOT)}: {name}" for path, here in names.items() for name in sorted(here & GIVEN_UP)]
    found += [str(path.relative_to(ROOT)) for path in FILES if path.stem in GIVEN_UP_MODULES]
    assert found == []


@pytest.mark.parametrize("name", ONE_MEANING)
def test_a_name_with_one_meaning_stays_where_it_has_it(names, name):
    having = [path for path, here in names.items() if name in here]
    assert having, "a name that nothing has needs no row"
    allowed = ONE_MEANING[name]
    assert [str(path.relative_to(ROOT)) for path in having if not allowed(path, path.read_text(encoding="utf-8"))] == []


def test_the_check_sees_an_old_name():
    assert "quick" in identifiers("from .quick cimport call_site") and "quick" not in identifiers("x = 1  # quick")
    assert imports_the_package_as_lw("def f():\n    import leafward as lw") and not imports_the_package_as_lw("import leafward")
