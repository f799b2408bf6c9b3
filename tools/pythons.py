"""Environments for the other Pythons of this machine, with what leafward and its build need, for ``tests/test_pythons.py``.

    python -m tools.pythons build/pythons

One for each version from the oldest that leafward supports, where there is one: in the PATH, or among pyenv's. What cannot be
installed is told, and left out.
"""
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).parents[1]
CONFIGURATION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = CONFIGURATION["project"]
NEEDED = [*PROJECT["dependencies"], *CONFIGURATION["build-system"]["requires"],
          *CONFIGURATION["tool"]["cibuildwheel"]["test-requires"]]
OLDEST = tuple(map(int, re.findall(r"\d+", PROJECT["requires-python"])))


def interpreters():
    """``{(3, 12): path}`` of Pythons that start, other than the one that runs this."""
    folders = [*map(Path, os.environ.get("PATH", "").split(os.pathsep)), *sorted(Path.home().glob(".pyenv/versions/*/bin"))]
    found = {}
    for folder in folders:
        for path in sorted(folder.glob("python3.[0-9]*")):
            name = re.fullmatch(r"python3\.(\d+)(\.exe)?", path.name)
            version = name and (3, int(name[1]))
            if version and version >= OLDEST and version != sys.version_info[:2] and version not in found and starts(path):
                found[version] = path
    return dict(sorted(found.items()))


def starts(python):
    """Whether it is a Python, which a link of pyenv's may not be."""
    return subprocess.run([python, "-c", "import venv"], capture_output=True).returncode == 0


def environment(folder, version):
    """The Python of the environment for ``version``."""
    return folder / f"{version[0]}.{version[1]}" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def make(folder):
    """Make them all."""
    for version, python in interpreters().items():
        own = environment(folder, version)
        for command in ([python, "-m", "venv", own.parents[1]],
                        [own, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", *NEEDED]):
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                said = (done.stderr or done.stdout).strip()[-200:]
                print(f"Python {version[0]}.{version[1]} is left out of the tests: {said}")
                shutil.rmtree(own.parents[1], ignore_errors=True)
                break


if __name__ == "__main__":
    make(Path(sys.argv[1]).absolute())
