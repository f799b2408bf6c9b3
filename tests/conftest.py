"""Test session set-up: the oracle's absence in one line, and bounded, repeatable Hypothesis runs."""
import gc
import hashlib
import itertools
import os
import pickle
import re
import sys
import tempfile
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import hypothesis
import pytest

from tests import spoken

ROOT = Path(__file__).parent.parent
HAS_ORACLE = find_spec("torch") is not None
HAS_MPI = find_spec("mpi4py") is not None

hypothesis.settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=100, database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large])
hypothesis.settings.register_profile("long", deadline=None, max_examples=20_000)
hypothesis.settings.load_profile("ci")


def pytest_addoption(parser):
    parser.addoption("--impl", default="leafward", choices=("leafward", "as_torch", "torch"),
                     help="what tests/behaviour runs on: leafward, leafward under the name torch, or PyTorch itself")


def pytest_configure(config):
    spoken.listen()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Run a test, and fail it if leafward warned of a gradient in a right program."""
    spoken.told.clear()
    result = yield
    alarm = spoken.false_alarm(item.nodeid)
    if alarm is not None:
        pytest.fail(alarm, pytrace=False)
    return result


@cache
def needs_oracle(path, above=()):
    """Whether a test file imports PyTorch, or a helper that does. ``above``: the files that asked, as helpers may go round."""
    text = path.read_text(encoding="utf-8")
    if re.search(r"^import torch$", text, re.MULTILINE):
        return True
    imports = re.findall(r"^from (tests[\w.]*) import (\([^)]*\)|.*)", text, re.MULTILINE)
    modules = [module for package, names in imports
               for module in (package, *(f"{package}.{name}" for name in re.findall(r"\w+", names)))]
    files = [ROOT.joinpath(*module.split(".")).with_suffix(".py") for module in modules]
    return any(needs_oracle(file, (*above, path)) for file in files if file.exists() and file not in above)


def pytest_ignore_collect(collection_path, config):
    if not HAS_MPI and collection_path.name in ("test_mpi.py", "test_link.py"):
        return True
    if HAS_ORACLE or not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    return True if needs_oracle(collection_path) else None


@pytest.fixture(scope="session")
def pytorchs_answer(request):
    """``pytorchs_answer(name, parts, compute)``: what ``compute()`` gave on PyTorch the last time that ``parts`` were the same.

    For programs that take seconds: both runs of ``make test``, compiled and interpreted, compare with one answer. ``parts`` is
    all that it depends on beside the versions of PyTorch and NumPy: the program's text, its arguments.
    """
    cache = getattr(request.config, "cache", None)
    folder = None if cache is None else Path(cache.mkdir("pytorchs-answers"))

    def answer(name, parts, compute):
        if folder is None:
            return compute()
        text = repr((parts, version("torch"), version("numpy"), sys.version))
        path = folder / f"{name}-{hashlib.sha256(text.encode()).hexdigest()}"
        if not path.exists():
            made = pickle.dumps(compute())
            with tempfile.NamedTemporaryFile(dir=folder, delete=False) as file:
                file.write(made)
            os.replace(file.name, path)         # in one step: another process may be reading
        return pickle.loads(path.read_bytes())
    return answer


#: What takes longest, mostly in processes of its own: begun first, so that no core waits for it at the end.
LONGEST = ("test_other_packages.py", "test_site.py", "test_torchmetrics.py", "test_contributing.py", "test_programs.py",
           "test_demo.py", "test_examples.py", "test_bench.py", "test_cli.py", "test_engine.py",
           "test_all_mutants.py", "test_mpi.py")


def pytest_collection_modifyitems(items):
    items.sort(key=lambda item: item.path.name not in LONGEST)


def pytest_collection_finish(session):
    """The collector need not walk through ninety thousand tests again and again."""
    gc.collect()
    gc.freeze()


finished = itertools.count(1)


def pytest_runtest_logfinish():
    """Nor through what pytest keeps of those that are over, nor through what leafward remembers of their calls."""
    if next(finished) % 1000 == 0:
        gc.collect()
        gc.freeze()


def pytest_report_header(config):
    said = []
    if not HAS_ORACLE:
        said.append("PyTorch is not installed: the tests that compare with it are not run (pip install torch==2.13.0)")
    if not HAS_MPI:
        said.append("mpi4py is not installed: ranks are tested as threads alone (pip install 'leafward[mpi]')")
    return said
