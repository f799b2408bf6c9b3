"""``leafward provide-torch``: a small package called ``torch`` in the active environment, which is leafward.

Then everything that looks for PyTorch by its name finds leafward without being started by it: ``python train.py``,
notebooks, servers, editors, and pip where another package requires ``torch``. Nothing is done unless it is asked for.
"""
import base64
import hashlib
import sys
import sysconfig
from importlib.metadata import Distribution, PackageNotFoundError, PathDistribution, distribution
from pathlib import Path

import leafward
from leafward.compat import MODULES

USAGE = """usage: leafward provide-torch [--undo]

Writes a small package `torch` into the active environment, with metadata, so that `import torch` is leafward everywhere in
it and pip takes requirements of torch as satisfied. Refuses where PyTorch is installed. --undo: take every file away again."""
INSTALLER = "leafward"
#: ``import torch`` runs this: from then on the name means leafward, and so do those of all its modules.
PACKAGE = '''"""PyTorch's name for leafward, written by `leafward provide-torch`; with `--undo` it takes this away."""
import sys

del sys.modules[__name__]
import leafward

leafward.install_as_torch()
sys.modules[__name__] = leafward
'''
METADATA = """Metadata-Version: 2.1
Name: torch
Version: {version}
Summary: leafward under PyTorch's name, written by `leafward provide-torch`. This is not PyTorch.
Requires-Dist: leafward

This is not PyTorch. `leafward provide-torch --undo`, or `pip uninstall torch`, takes it away.
"""
WHEEL = """Wheel-Version: 1.0
Generator: leafward
Root-Is-Purelib: true
Tag: py3-none-any
"""


def site_packages():
    """The folder that this environment's packages are in."""
    return Path(sysconfig.get_path("purelib"))


def provided(folder):
    """What `leafward provide-torch` installed in ``folder``, as a distribution; None if it did not."""
    for path in folder.glob("torch-*.dist-info"):
        found = PathDistribution(path)
        if (found.read_text("INSTALLER") or "").strip() == INSTALLER:
            return found
    return None


def other_torch(folder):
    """Where PyTorch itself is, if it is anywhere that ``import torch`` would look; else None."""
    try:
        found: Distribution = distribution("torch")
        if (found.read_text("INSTALLER") or "").strip() != INSTALLER:
            return str(found.locate_file(""))
    except PackageNotFoundError:
        pass
    if provided(folder) is None:
        for place_of_packages in [folder, *map(Path, filter(None, sys.path))]:
            if (place_of_packages / "torch" / "__init__.py").exists():
                return str(place_of_packages)
    return None


def stubs():
    """``{file: text}`` of what tells editors and type checkers that ``torch.nn`` is ``leafward.nn``."""
    package, names = Path(leafward.__file__).parent, set()
    for name in ["autograd", *leafward._LAZY]:              # the others load when first asked for
        home = package.joinpath(*MODULES.get(name, f"leafward.{name}").split(".")[1:])
        names.add(name)
        for path in home.rglob("*.py"):
            parts = path.relative_to(home).with_suffix("").parts
            names.add(".".join([name, *(parts[:-1] if parts[-1] == "__init__" else parts)]))
    packages = {name.rpartition(".")[0] for name in names}
    found = {"torch/__init__.pyi": "from leafward import *\n", "torch/py.typed": ""}
    for name in sorted(names):
        path = name.replace(".", "/")
        found[f"torch/{path}/__init__.pyi" if name in packages else f"torch/{path}.pyi"] = f"from leafward.{name} import *\n"
    return found


def provide(folder):
    """Write the package; what to tell, and the exit code."""
    if provided(folder) is not None:
        return f"leafward provide-torch: torch is leafward already, in {folder}", 0
    if there := other_torch(folder):
        return f"leafward provide-torch: PyTorch is installed, in {there}: nothing was written", 1
    if sys.prefix == sys.base_prefix and (Path(sysconfig.get_path("stdlib")) / "EXTERNALLY-MANAGED").exists():
        return "leafward provide-torch: the system manages this Python: use a virtual environment. Nothing was written", 1
    from leafward.compat.torch_version import __version__
    information = f"torch-{__version__}.dist-info"
    files = {"torch/__init__.py": PACKAGE, **stubs(), f"{information}/METADATA": METADATA.format(version=__version__),
             f"{information}/WHEEL": WHEEL, f"{information}/INSTALLER": f"{INSTALLER}\n",
             f"{information}/top_level.txt": "torch\n"}
    lines = [f"{name},{hashed(text)},{len(text.encode())}" for name, text in files.items()]
    files[f"{information}/RECORD"] = "\n".join([*lines, f"{information}/RECORD,,", ""])
    written = []
    try:
        for name, text in files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(text.encode())
            written.append(name)
    except OSError as error:
        remove(folder, written)
        return f"leafward provide-torch: {error}. Nothing was left behind", 1
    return (f"leafward provide-torch: `import torch` is leafward now, for every program of {sys.prefix}\n"
            f"  wrote {len(files)} small files into {folder / 'torch'} and {information}\n"
            f"  pip takes torch {__version__} as installed; `leafward provide-torch --undo` takes it all away"), 0


def undo(folder):
    """Take the files away again; what to tell, and the exit code."""
    found = provided(folder)
    if found is None:
        return f"leafward provide-torch: nothing of it is in {folder}", 1
    names = [line.split(",")[0] for line in (found.read_text("RECORD") or "").splitlines() if line]
    remove(folder, names)
    return f"leafward provide-torch: took {len(names)} files out of {folder}: torch is not leafward any more", 0


def remove(folder, names):
    """Remove files, what Python compiled of them, and the folders that are empty then."""
    folders = set()
    for name in names:
        path = folder / name
        if folder not in path.resolve().parents:
            continue                                        # a damaged list: nothing outside is touched
        path.unlink(missing_ok=True)
        for compiled in (path.parent / "__pycache__").glob(f"{path.stem}.*.pyc"):
            compiled.unlink()
        folders |= {path.parent / "__pycache__", *[parent for parent in path.parents if folder in parent.parents]}
    for empty in sorted(folders, key=lambda path: -len(path.parts)):
        if empty.is_dir() and not any(empty.iterdir()):
            empty.rmdir()


def hashed(text):
    """A text's hash, as RECORD has it."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(text.encode()).digest()).decode().rstrip("=")
    return f"sha256={digest}"


def state():
    """For ``leafward info``: what ``import torch`` is here."""
    folder = site_packages()
    if provided(folder) is not None:
        return f"leafward, in {folder} (leafward provide-torch --undo takes it away)"
    there = other_torch(folder)
    return f"PyTorch itself, in {there}" if there else "not here (leafward provide-torch lets `import torch` be leafward)"


def main(arguments):
    """Do what is asked for, and say so."""
    if arguments not in ([], ["--undo"]):
        asked = arguments in (["-h"], ["--help"])
        print(USAGE, file=sys.stdout if asked else sys.stderr)
        return 0 if asked else 2
    told, code = undo(site_packages()) if arguments else provide(site_packages())
    print(told, file=sys.stderr if code else sys.stdout)
    return code
