"""The type stubs and the reference pages: up to date, whole, and true."""
import ast
import itertools
from pathlib import Path

import pytest

import leafward
from leafward.core.op import Composite
from leafward.core.tensor import TensorBase
from leafward.derive import reference, stubs
from leafward.derive.functions import public
from leafward.derive.signatures import callables
from tests.samples import declared_ops, name_of, samples_of

ROOT = Path(__file__).parent.parent
STUBS = stubs.stubs()


def every_stub():
    return stubs.stubs() | stubs.aliases()


def difference(path, text):
    """The lines of ``text`` that a file lacks, and those that it has instead."""
    before = path.read_text(encoding="utf-8") if path.exists() else ""
    return set(before.splitlines()) ^ set(text.splitlines())


@pytest.mark.parametrize(("make", "folder"), [(every_stub, "leafward-stubs"), (reference.pages, "docs/reference")],
                         ids=["stubs", "reference"])
def test_generated_files_are_up_to_date(make, folder, monkeypatch):
    monkeypatch.delattr(leafward.GradientWarning, "__init__")          # tests/spoken.py listens there
    texts = make()
    stale = {str(path): difference(path, text) for path, text in texts.items()
             if not path.exists() or path.read_text(encoding="utf-8") != text}
    kind = ".md" if folder == "docs/reference" else ".pyi"
    left = [str(path) for path in (ROOT / folder).rglob(f"*{kind}") if path not in texts]
    assert not stale and not left, "run `make generated`"


def test_check_names_what_is_stale(tmp_path, capsys):
    path = tmp_path / "new" / "page.md"
    assert stubs.write_or_check({path: "text\n"}, "the command", check=True) == 1
    assert capsys.readouterr().out == f"{path} is stale: run `the command`\n"
    assert not path.exists()
    assert stubs.write_or_check({path: "text\n"}, "the command", check=False) == 0
    assert path.read_text() == "text\n"
    assert stubs.write_or_check({path: "text\n"}, "the command", check=True) == 0
    assert stubs.write_or_check({path: "other\n"}, "the command", check=True) == 1


def names_in(text):
    """The public names that a stub defines at its top, and those in its class Tensor."""
    top, inside = set(), set()
    for node in ast.parse(text).body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            top.add(node.name)
            if node.name == "Tensor":
                inside = {n.name if isinstance(n, ast.FunctionDef) else n.target.id for n in node.body
                          if isinstance(n, (ast.FunctionDef, ast.AnnAssign))}
        elif isinstance(node, ast.AnnAssign):
            top.add(node.target.id)
        elif isinstance(node, ast.ImportFrom):
            top.update(name.asname or name.name for name in node.names)
    return top, inside


def is_public(name):
    return name.isidentifier() and not name.startswith("_")           # (pytest adds names like `@pytest_ar`)


@pytest.mark.parametrize("path", [path for path in STUBS if path.suffix == ".pyi"],
                         ids=lambda path: str(path.relative_to(ROOT)))
def test_stubs_are_python_and_name_everything_derived(path):
    top, inside = names_in(STUBS[path])
    module = ".".join(path.relative_to(ROOT / "leafward-stubs").with_suffix("").parts).removeprefix("compat.")
    if module == "tensor.tensor":
        assert not [name for name in filter(is_public, dir(leafward.Tensor)) if name not in inside]
    else:
        assert not [name for name in filter(is_public, public["torch" if module == "__init__" else module])
                    if name not in top]


def test_the_package_stub_names_the_package():
    top, _ = names_in(STUBS[ROOT / "leafward-stubs" / "__init__.pyi"])
    modules = {path.stem for path in (ROOT / "leafward").iterdir()}
    assert not [name for name in filter(is_public, dir(leafward)) if name not in top and name not in modules]


def test_modules_under_a_second_name_have_a_stub_there():
    texts = stubs.aliases()
    folder = ROOT / "leafward-stubs"
    assert STUBS[folder / "py.typed"] == "partial\n"
    for name in leafward._MODULES:
        assert folder / f"{name}.pyi" in texts or folder / name / "__init__.pyi" in texts
    assert "from leafward.compat.linalg import *" in texts[folder / "linalg.pyi"]
    assert folder / "signal" / "windows.pyi" in texts


def test_signatures_are_found_for_everything():
    assert {namespace: set(filter(is_public, names)) for namespace, names in public.items()} == \
        {namespace: set(filter(is_public, names)) for namespace, names in callables().items()}


def is_result(value, kind):
    """Whether ``value`` is what an annotated composite returns: ``object`` promises nothing."""
    if kind is tuple:
        return isinstance(value, (tuple, list)) and all(isinstance(v, TensorBase) or is_result(v, tuple) for v in value)
    return isinstance(value, kind)


@pytest.mark.filterwarnings("ignore")           # some samples are there for their warning
@pytest.mark.parametrize("composite", [op for op in declared_ops() if isinstance(op, Composite) and samples_of(op)],
                         ids=name_of)
def test_composites_return_what_they_say(composite):
    named = len(getattr(composite, "outputs", ())) > 1
    kind = tuple if named else composite.function.__annotations__.get("return", TensorBase)
    returned = 0
    for sample, dtype in itertools.product(samples_of(composite), ("float32", "float64", "int64", "bool", "complex64")):
        args, kwargs = sample.make(leafward, dtype)
        try:
            value = composite.public_function(*args, **kwargs)
        except (RuntimeError, ValueError):
            continue                            # it is for another dtype
        returned += 1
        assert is_result(value, kind), (
            f"{composite.name} returns {type(value).__name__} for {sample.text!r}: say -> tuple, -> bool, or -> object "
            "where it depends")
    assert returned
