"""Runs the tests that other packages ship, and counts those that pass.

``python -m tests.packages.suites`` runs them on PyTorch and writes down what passes there, one file per package.
"""
import os
import re
import subprocess
import sys
from collections import Counter
from importlib.metadata import version
from pathlib import Path

HERE = Path(__file__).parent
PACKAGES = ("einops", "opt_einsum")
#: Python runs this file at its start: the programs that a test starts, too, find leafward under the name torch.
SITE = "import leafward\nleafward.install_as_torch()\n"


def python(*arguments, cwd, path=(), **environment):
    """Run ``python arguments...`` with this process's modules and Python."""
    environment |= {"PATH": os.pathsep.join(filter(None, [str(Path(sys.executable).parent), os.environ.get("PATH")])),
                    "PYTHONPATH": os.pathsep.join(filter(None, [*map(str, path), *sys.path]))}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env={**os.environ, **environment},
                          capture_output=True, text=True)


def run_suite(package, folder, *options, leafward=True):
    """Run ``package``'s tests in ``folder``: how many pass of each function, by ``file::name``, and what was printed."""
    if leafward:
        site = Path(folder) / "site"
        site.mkdir()
        (site / "sitecustomize.py").write_text(SITE)
        options += ("-p", "leafward.as_torch")
    # Not -rA: to show what passing tests print, pytest compares each with all, which takes ten times as long as the tests.
    done = python("-m", "pytest", "-q", "-rap", "-p", "no:cacheprovider", "-p", "no:xdist", *options, "--pyargs",
                  f"{package}.tests", cwd=folder, path=[Path(folder) / "site"] if leafward else [],
                  EINOPS_TEST_BACKENDS="numpy,torch")
    return Counter(re.findall(r"^PASSED (?:.*/)?(\w+\.py::\w+)", done.stdout, re.MULTILINE)), done.stdout + done.stderr


def recorded(package):
    """How many pass of each function on PyTorch."""
    first, *lines = (HERE / f"{package}.txt").read_text(encoding="utf-8").splitlines()
    assert first.startswith(f"# {package} {version(package)}: "), f"the record is of another version: {first}"
    return Counter({name: int(count) for count, name in map(str.split, lines)})


def record(package, folder):
    passed, printed = run_suite(package, folder, leafward=False)
    print(printed.splitlines()[-1])
    title = f"# {package} {version(package)}: its tests that pass on PyTorch {version('torch').partition('+')[0]}"
    lines = [title, *(f"{count} {name}" for name, count in sorted(passed.items()))]
    (HERE / f"{package}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    from tempfile import TemporaryDirectory
    for package in sys.argv[1:] or PACKAGES:
        with TemporaryDirectory() as folder:
            record(package, folder)
