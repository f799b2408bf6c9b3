"""What an installation without a C compiler holds: every file of the package, uncompiled, and one line that says so."""
import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).parent.parent


def build_wheel(folder, **environment):
    """Build a wheel with its scratch files in ``folder``; the wheel, and what the build said."""
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "egg_info", "-e", folder, "build", "-b", folder / "build",
         "bdist_wheel", "-d", folder / "dist"],
        cwd=ROOT, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    wheel, = (folder / "dist").iterdir()
    return wheel, done.stdout + done.stderr


@pytest.mark.parametrize("environment, reason", [
    ({"LEAFWARD_INTERPRETED": "1"}, "LEAFWARD_INTERPRETED is set"),
    ({"LEAFWARD_INTERPRETED": "0", "CC": "/no/such/compiler"}, "no C compiler with Python's headers"),
])
def test_without_a_compiler_the_same_files_are_installed(tmp_path, environment, reason):
    wheel, said = build_wheel(tmp_path, **environment)
    assert said.count("leafward: ") == 1 and f"leafward: {reason}" in said
    assert wheel.name.endswith("-py3-none-any.whl")
    installed = {name for name in ZipFile(wheel).namelist() if name.startswith(("leafward/", "leafward-stubs/"))}
    shipped = {path.relative_to(ROOT).as_posix() for kind in ("*.py", "*.pyi", "*.pxd", "py.typed", "help.txt", "*.css", "*.js")
               for folder in ("leafward", "leafward-stubs") for path in (ROOT / folder).rglob(kind)}
    assert installed == shipped


def test_asking_for_metadata_neither_compiles_nor_speaks(tmp_path):
    done = subprocess.run([sys.executable, "setup.py", "-q", "egg_info", "-e", tmp_path],
                          cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "leafward" not in done.stdout + done.stderr
    assert "Name: leafward\n" in (tmp_path / "leafward.egg-info" / "PKG-INFO").read_text(encoding="utf-8")
