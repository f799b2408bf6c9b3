"""The house's import directions, what ``import leafward`` brings with it, and what it leaves for later."""
import ast
import re
import subprocess
import sys
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import leafward

ROOT = Path(__file__).parent.parent
FILES = sorted((ROOT / "leafward").rglob("*.py"))

#: From left to right: a file imports from its own row and from rows above it, in functions too. A row names folders, or files.
LAYERS = (
    ("errors", "dtypes", "devices", "locks"),
    ("core",),
    ("arrays",),
    ("ops",),
    ("derive",),
    ("tensor",),
    ("autograd",),
    ("trust", "array_api", "multiprocessing"),
    ("startup", "compat.__init__", "compat.settings"),
    ("__init__",),                              # ``import leafward``: what stands below may say so
    ("amp", "sparse", "testing"),
    ("utils", "compat", "distributed"),
    ("nn",),
    ("func", "optim", "distributions", "io", "ao"),
    ("distributed.optim", "distributed.fsdp", "distributed.checkpoint"),
    ("app", "__main__"),
)
RANK = {name: rank for rank, names in enumerate(LAYERS) for name in names}

#: Rows that see less than all above them.
NARROW = {
    "core": {"core", "errors", "dtypes", "locks"},
    "arrays": {"arrays", "errors", "dtypes", "locks"},
    "ops": {"ops", "errors", "dtypes", "core.op"},
}
ARRAY_LIBRARIES = {"numpy", "ml_dtypes", "cupy", "onednn"}


def module_of(path):
    """``.../leafward/core/op.py`` -> ``"leafward.core.op"``; a package for its ``__init__.py``."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path) for path in FILES}
PACKAGES = {module_of(path) for path in FILES if path.name == "__init__.py"}


def run(tree):
    """The nodes that run: what stands under ``if TYPE_CHECKING`` is only for type checkers, and may point anywhere."""
    if isinstance(tree, ast.If) and isinstance(tree.test, ast.Name) and tree.test.id == "TYPE_CHECKING":
        return
    yield tree
    for child in ast.iter_child_nodes(tree):
        yield from run(child)


def imported(path):
    """``(line, module)`` for everything that the file imports when it runs, wherever it does."""
    package = module_of(path).split(".")
    if path.name != "__init__.py":
        package.pop()
    for node in run(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join([*package[:len(package) + 1 - node.level], *filter(None, [node.module])]) \
                if node.level else node.module
            for alias in node.names:
                inner = f"{base}.{alias.name}"
                yield node.lineno, inner if inner in MODULES else base


def room(module):
    """``"leafward.core.op"`` -> ``"core.op"``; a package's own file is its ``__init__``."""
    inside = module.removeprefix("leafward").removeprefix(".")
    return f"{inside}.__init__".removeprefix(".") if module in PACKAGES else inside


def rank(inside):
    """The row of a file, by its own name or by that of the nearest folder that has one."""
    while inside not in RANK:
        inside = inside.rpartition(".")[0]
    return RANK[inside]


def may_import(ours, theirs):
    ours, theirs = room(ours), room(theirs)
    ours_top, theirs_top = ours.split(".")[0], theirs.split(".")[0]
    if ours_top in NARROW:
        return theirs in NARROW[ours_top] or theirs_top in NARROW[ours_top]
    return rank(theirs) <= rank(ours)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_point_left(path):
    wrong = [
        f"{path.relative_to(ROOT)}:{line} imports {name}" for line, name in imported(path)
        if name.split(".")[0] == "leafward" and not may_import(module_of(path), name)
    ]
    assert not wrong, "\n".join(wrong)


def circle(graph):
    """Some files that import one another, from ``{file: what it imports}``; an empty list where none do."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return error.args[1]
    return []


def test_no_files_import_one_another():
    graph = {module_of(path): {name for _, name in imported(path) if name in MODULES and name != module_of(path)}
             for path in FILES}
    assert circle(graph) == []


def test_circles_are_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": set()}) == []
    assert set(circle({"a": {"b"}, "b": {"c"}, "c": {"b"}})) == {"b", "c"}


def test_only_arrays_imports_an_array_library():
    wrong = [
        f"{path.relative_to(ROOT)}:{line}" for path in FILES for line, name in imported(path)
        if name.split(".")[0] in ARRAY_LIBRARIES and not room(module_of(path)).startswith("arrays")
    ]
    assert wrong == []


def test_nothing_imports_torch():
    wrong = [
        f"{path.relative_to(ROOT)}:{line}" for path in FILES for line, name in imported(path)
        if name.split(".")[0] == "torch"
    ]
    assert wrong == []


def test_the_check_sees_a_wrong_import():
    assert not may_import("leafward.core.node", "leafward.tensor")
    assert not may_import("leafward.core.node", "leafward.arrays.cpu")
    assert not may_import("leafward.ops.arithmetic", "leafward.core.engine")
    assert not may_import("leafward.arrays.cpu", "leafward.core.op")
    assert not may_import("leafward.tensor", "leafward.nn")
    assert may_import("leafward.ops.arithmetic", "leafward.core.op")


def test_imports_for_type_checkers_do_not_count():
    text = "import a\nif TYPE_CHECKING:\n    import b\nif a:\n    import c\ndef f():\n    import d\n"
    assert [node.names[0].name for node in run(ast.parse(text)) if isinstance(node, ast.Import)] == ["a", "c", "d"]


def modules_after(statement):
    """The names in ``sys.modules`` of a new process after ``statement``, beyond what ``import numpy`` brings."""
    source = f"import sys, numpy; before = set(sys.modules); {statement}; print(*(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", source], check=True, capture_output=True, text=True, cwd=ROOT)
    return set(done.stdout.split())


def test_import_brings_numpy_and_nothing_else():
    foreign = {name.split(".")[0] for name in modules_after("import leafward")} - set(sys.stdlib_module_names)
    # Compiled files register themselves under two names of Cython's, which is not imported.
    assert {name for name in foreign if not re.fullmatch("cython_runtime|_cython_[0-9_a-z]+", name)} <= {"leafward", "numpy"}


def test_import_leaves_the_rest_for_later():
    later = ("app.cli", "app.demo", "app.run", "array_api", "nn", "optim", "utils", "distributions", "func", "trust", "io",
             "multiprocessing", "testing", "distributed")
    heavy = {"pathlib", "dataclasses", "typing_extensions", "asyncio", "unittest", "sqlite3", "xml", "email"}
    after = modules_after("import leafward")
    assert not {name for name in after if name.startswith(tuple(f"leafward.{part}" for part in later))}
    assert not heavy & after


IMPORTED = """
import gc, numpy
{before}
import leafward
from leafward.core.op import registry
from leafward.derive.functions import result_classes
names = {{cls.__name__ for cls in leafward.core.recording.OpNode.__subclasses__()}}
old = any(found is registry for found in gc.get_objects(generation=2))
print(old, gc.isenabled(), gc.get_freeze_count() > 0, len(names), len(result_classes))
"""


@pytest.mark.parametrize("before, enabled, frozen",
                         [("", True, False), ("gc.freeze()", True, True), ("gc.disable()", False, False)])
def test_import_makes_what_it_makes_once(before, enabled, frozen):
    """Classes of nodes and of results come with the first call; the collector need not look through what was made."""
    done = subprocess.run([sys.executable, "-c", IMPORTED.format(before=before)], check=True, capture_output=True, text=True,
                          cwd=ROOT)
    old, on, kept, nodes, results = done.stdout.split()
    assert (on, kept) == (str(enabled), str(frozen))
    assert old == str(enabled and not frozen)
    assert (nodes, results) == ("0", "0")


@pytest.mark.parametrize("part", [*leafward._LAZY, "nn.functional"])
def test_lazy_parts_come_when_asked_for(part):
    assert f"leafward.{part}" in modules_after(f"import leafward; leafward.{part}")
