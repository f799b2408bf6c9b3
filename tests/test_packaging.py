"""What is shipped: sources from which all is built as in a checkout.

Without a C compiler that is every file of the package, uncompiled.

To compile it all takes minutes, and the checkout has done it. So the sources that are shipped are compared with those of the
checkout, byte by byte, and what these gave stands ready for the build, which has to compile a few extensions only.
``LEAFWARD_COMPILE_ALL=1`` makes it compile them all.
"""
import importlib.util
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path
from zipfile import ZipFile

import numpy
import pytest

from leafward.app.cli import extension_modules
from tests.conftest import needs_oracle

ROOT = Path(__file__).parent.parent
#: What is in the package, and is no output of a build.
KINDS = ("*.py", "*.pyi", "*.pxd", "*.pyx", "py.typed", "help.txt", "*.css", "*.js")
#: One of Python, one of Cython, one with C of its own.
COMPILED_ANEW = ("leafward/core/pending", "leafward/arrays/kernels/places_masks", "leafward/arrays/kernels/rows_quantized")

#: A first program: it trains, saves, loads, and is told of a mistake.
FIRST = """
import leafward as torch
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))
optimizer = torch.optim.Adam(model.parameters(), lr=0.05)
x = torch.randn(64, 3)
y = x.prod(1, keepdim=True)
first = None
for _ in range(60):
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(x), y)
    loss.backward()
    optimizer.step()
    first = first or loss.item()
assert loss.item() < first / 2
torch.save(model.state_dict(), "model.pt")
model.load_state_dict(torch.load("model.pt"))
torch.randperm(1000)
h = torch.sigmoid(x.requires_grad_())
h.detach().zero_()
try:
    h.sum().backward()
except RuntimeError as error:
    assert "h.detach().zero_()" in str(error), error
print(torch.__file__)
"""


def run(*command, cwd, **environment):
    """Run a command to its end, which must be a good one; what it said."""
    done = subprocess.run(list(map(str, command)), cwd=cwd, env={**os.environ, **environment}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def build_wheel(folder, root=ROOT, python=sys.executable, **environment):
    """Build a wheel of the sources in ``root`` with its scratch files in ``folder``; the wheel, and what the build said."""
    done = run(python, "setup.py", "-q", "egg_info", "-e", folder, "build", "-b", folder / "build",
               "bdist_wheel", "-d", folder / "dist", cwd=root, **environment)
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
    shipped = {path.relative_to(ROOT).as_posix() for kind in KINDS
               for folder in ("leafward", "leafward-stubs") for path in (ROOT / folder).rglob(kind)}
    assert installed == shipped


def test_asking_for_metadata_neither_compiles_nor_speaks(tmp_path):
    done = subprocess.run([sys.executable, "setup.py", "-q", "egg_info", "-e", tmp_path],
                          cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0 and "leafward" not in done.stdout + done.stderr
    assert "Name: leafward\n" in (tmp_path / "leafward.egg-info" / "PKG-INFO").read_text(encoding="utf-8")


def test_processes_that_import_the_build_again_build_nothing():
    # As Cython's do where they are no forks: from Python 3.14 on, on macOS and on Windows.
    again = "import runpy, sys; sys.argv = ['setup.py', 'bdist_wheel']; runpy.run_path('setup.py', run_name='__mp_main__')"
    done = run(sys.executable, "-c", again, cwd=ROOT)
    assert not done.stdout + done.stderr


@pytest.mark.skipif(not (ROOT / "build" / "cython").exists() or os.environ.get("LEAFWARD_INTERPRETED") == "1",
                    reason="what was compiled is looked at once")
def test_newer_compilers_take_the_same_sources():
    # GCC from 14 on refuses C that older ones let pass, which the build tells to be silent.
    made, kernels = ROOT / "build", ROOT / "leafward" / "arrays" / "kernels"
    files = [path for path in (made / "cython").rglob("*.c")
             if any((ROOT / path.relative_to(made / "cython")).with_suffix(kind).exists() for kind in (".py", ".pyx"))]
    assert len(files) == len(extensions_of_sources())
    folders = [kernels, kernels / "derived", made / "derived", sysconfig.get_path("include"), numpy.get_include()]
    refused = ["incompatible-pointer-types", "int-conversion", "implicit-function-declaration", "implicit-int"]
    compiler = sysconfig.get_config_var("CC").split()
    run(*compiler, "-fsyntax-only", "-fopenmp-simd", "-DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION",
        *(f"-I{folder}" for folder in folders), *(f"-Werror={kind}" for kind in refused), *files, cwd=ROOT)


def test_what_needs_pytorch_is_left_out_without_it():
    # However the tests name one another.
    assert not needs_oracle(ROOT / "tests" / "trust" / "test_cuts.py")
    assert needs_oracle(ROOT / "tests" / "trust" / "test_promises.py")
    assert needs_oracle(ROOT / "tests" / "trust" / "test_all_mutants.py")


def extensions(names):
    """The extension modules among file names."""
    return {name for name in names if name.startswith("leafward/") and name.endswith(tuple(EXTENSION_SUFFIXES))}


def sources():
    """Every file of the checkout that a build, the tests, the documentation or the benchmarks need."""
    for kind in (*KINDS, "*.c", "*.h"):
        yield from (ROOT / "leafward").rglob(kind)
    for folder in ("leafward-stubs", "tests", "docs", "examples", "bench", "tools", ".ci"):
        yield from [path for path in (ROOT / folder).rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    yield from [ROOT / name for name in ("pyproject.toml", "setup.py", "MANIFEST.in", "Makefile", "mkdocs.yml", "LICENSE",
                                         "README.md", "CONTRIBUTING.md", "CHANGELOG.md")]


def lay_ready(root, folder):
    """Put what the checkout's sources gave where a build of the same sources in ``root`` finds it, but for a few extensions."""
    if os.environ.get("LEAFWARD_COMPILE_ALL"):
        return
    for made in "cython", "derived":
        if (ROOT / "build" / made).exists():
            shutil.copytree(ROOT / "build" / made, root / "build" / made)
    library = folder / "build" / f"lib.{sysconfig.get_platform()}-{sys.implementation.cache_tag}"
    for name in extensions(path.relative_to(ROOT).as_posix() for path in (ROOT / "leafward").rglob("*")):
        if not name.startswith(tuple(f"{anew}." for anew in COMPILED_ANEW)):
            (library / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, library / name)


def shipped_sources(folder):
    """The folder in ``folder`` that a source distribution unpacks to."""
    run(sys.executable, "setup.py", "-q", "egg_info", "-e", folder, "sdist", "-d", folder, cwd=ROOT)
    packed, = folder.glob("leafward-*.tar.gz")
    with tarfile.open(packed) as archive:
        archive.extractall(folder / "sources", filter="data")
    root, = (folder / "sources").iterdir()
    return root


def test_the_source_distribution_gives_the_same_extensions_as_a_checkout(tmp_path):
    # It is built as this run is: compiled, or not. No file comes from the checkout, and no module from its environment.
    root = shipped_sources(tmp_path)
    told = {path.relative_to(ROOT): path.read_bytes() for path in sources()}
    assert not [str(path) for path, text in told.items() if not (root / path).exists() or (root / path).read_bytes() != text]
    elsewhere = tmp_path / "elsewhere"
    for folder in (elsewhere, tmp_path / "wheel"):
        folder.mkdir()
    program = elsewhere / "first.py"
    program.write_text(FIRST)
    lay_ready(root, tmp_path / "wheel")
    wheel, said = build_wheel(tmp_path / "wheel", root)
    interpreted = os.environ.get("LEAFWARD_INTERPRETED", "0") not in ("", "0")
    here = set() if interpreted else extensions(path.relative_to(ROOT).as_posix() for path in (ROOT / "leafward").rglob("*"))
    assert extensions(ZipFile(wheel).namelist()) == here

    fresh = tmp_path / "fresh"
    venv.create(fresh, symlinks=os.name != "nt")
    python = fresh / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    pip = (sys.executable, "-m", "pip", "--python", python, "--disable-pip-version-check", "--quiet")
    run(*pip, "install", "--no-deps", wheel, cwd=tmp_path)
    needed = tmp_path / "needed"                            # what leafward depends on, and nothing else of this environment
    needed.mkdir()
    for name in ("numpy", "ml_dtypes", "safetensors"):
        home = Path(importlib.util.find_spec(name).origin).parent
        for path in (home, home.with_name(f"{name}.libs")):
            if path.exists():
                (needed / path.name).symlink_to(path)
    said = run(python, "-W", "error", program, cwd=elsewhere, PYTHONPATH=str(needed)).stdout
    assert Path(said.strip()).is_relative_to(fresh)
    said = run(python, "-m", "leafward", "info", cwd=elsewhere, PYTHONPATH=str(needed)).stdout
    assert ("interpreted" if not here else f"compiled, {len(extensions_of_sources())} extension modules\n") in said


def extensions_of_sources():
    """The files of the checkout that are compiled, one by one (derived loops are not among them)."""
    return [path for path in (ROOT / "leafward").rglob("*")
            if path.suffix == ".pyx" or path.suffix == ".pxd" and path.with_suffix(".py").exists()
            and not path.with_suffix(".pyx").exists()]


def test_info_names_what_a_broken_build_left_out(tmp_path):
    package = tmp_path / "leafward"
    (package / "core").mkdir(parents=True)
    extension = f"whole{EXTENSION_SUFFIXES[0]}"
    for name in ("whole.py", "whole.pxd", extension, "lost.py", "lost.pxd", "cython.pyx", "header.pxd", "plain.py"):
        (package / "core" / name).touch()
    assert extension_modules(package) == (1, ["leafward.core.cython", "leafward.core.lost"])
