"""``leafward provide-torch`` in a throw-away environment: found under PyTorch's name by all who look, and gone again."""
import importlib.util
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
#: What leafward needs, and nothing else of this environment: PyTorch may be in it.
NEEDED = ("numpy", "numpy.libs", "ml_dtypes", "safetensors")


class Environment:
    def __init__(self, folder):
        self.folder = folder
        venv.create(folder / "env", with_pip=False)
        scripts = "Scripts" if os.name == "nt" else "bin"
        self.executable = folder / "env" / scripts / "python"
        self.site = Path(self.python("-c", "import sysconfig; print(sysconfig.get_path('purelib'))").stdout.strip())
        packages, beside = folder / "packages", Path(importlib.util.find_spec("numpy").origin).parent.parent
        packages.mkdir()
        for name in NEEDED:
            if (beside / name).exists():
                (packages / name).symlink_to(beside / name)
        own = self.site / "leafward-0.1.0.dist-info"
        own.mkdir()
        (own / "METADATA").write_text("Metadata-Version: 2.1\nName: leafward\nVersion: 0.1.0\n")
        (self.site / "paths.pth").write_text(f"{ROOT}\n{packages}\n")
        self.before = self.files()

    def python(self, *arguments):
        environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        return subprocess.run([self.executable, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True)

    def leafward(self, *arguments):
        return self.python("-m", "leafward", *arguments)

    def files(self):
        return {path for path in self.site.rglob("*") if "__pycache__" not in path.parts or "torch" in path.parts}


@pytest.fixture
def environment(tmp_path):
    return Environment(tmp_path)


PROGRAM = """
import torch.nn.functional as F
import torch, leafward, importlib.util, importlib.metadata
from torch import nn
from torch.utils.data import DataLoader
assert torch is leafward and F is leafward.nn.functional and nn is leafward.nn
assert importlib.metadata.version("torch") == torch.__version__ and torch.__version__.startswith("2.13.0+leafward")
assert importlib.util.find_spec("torch") is not None
import torch as again
assert again is leafward and torch.Tensor.__module__ == "torch"
print(torch.ones(2).sum())
"""


def test_a_program_finds_leafward_and_undo_takes_it_all_away(environment):
    done = environment.leafward("provide-torch")
    assert done.returncode == 0 and "`import torch` is leafward now" in done.stdout, done.stderr
    (environment.folder / "train.py").write_text(PROGRAM)
    ran = environment.python("train.py")
    assert ran.stdout == "tensor(2.)\n", ran.stderr
    assert environment.leafward("run", "train.py").stdout == "tensor(2.)\n"
    assert "leafward, in" in environment.leafward("info").stdout
    assert environment.leafward("provide-torch").returncode == 0
    gone = environment.leafward("provide-torch", "--undo")
    assert gone.returncode == 0 and environment.files() == environment.before, gone.stderr
    assert "No module named 'torch'" in environment.python("-c", "import torch").stderr
    assert environment.leafward("provide-torch", "--undo").returncode == 1
    assert "not here" in environment.leafward("info").stdout


def test_it_refuses_beside_pytorch(environment):
    (environment.site / "torch").mkdir()
    (environment.site / "torch" / "__init__.py").write_text("real = True\n")
    done = environment.leafward("provide-torch")
    assert done.returncode == 1 and "PyTorch is installed" in done.stderr and "nothing was written" in done.stderr
    assert [path.name for path in (environment.site / "torch").iterdir()] == ["__init__.py"]
    assert environment.leafward("provide-torch", "--undo").returncode == 1
    assert "PyTorch itself" in environment.leafward("info").stdout


def test_undo_leaves_what_is_not_its_own(environment):
    environment.leafward("provide-torch")
    (environment.site / "torch" / "mine.txt").write_text("kept")
    record, = environment.site.glob("torch-*.dist-info/RECORD")
    (environment.folder / "outside.txt").write_text("kept")
    record.write_text(record.read_text() + "../../../../../outside.txt,,\n")
    assert environment.leafward("provide-torch", "--undo").returncode == 0
    assert environment.files() - environment.before == {environment.site / "torch", environment.site / "torch" / "mine.txt"}
    assert (environment.folder / "outside.txt").read_text() == "kept"


def test_pip_takes_a_requirement_of_torch_as_satisfied(environment):
    pytest.importorskip("pip")
    environment.leafward("provide-torch")

    def pip(*arguments):
        return subprocess.run([sys.executable, "-m", "pip", "--python", environment.executable, "--disable-pip-version-check",
                               *arguments], cwd=environment.folder, capture_output=True, text=True)
    done = pip("install", "--no-index", "--dry-run", "torch>=2.1", "torch==2.13.0")
    assert done.returncode == 0 and "Requirement already satisfied: torch" in done.stdout, done.stderr
    assert pip("check").returncode == 0
    assert pip("uninstall", "-y", "torch").returncode == 0
    assert not list(environment.site.glob("torch*/*.py*"))


def test_usage():
    def leafward(*arguments):
        return subprocess.run([sys.executable, "-m", "leafward", "provide-torch", *arguments], capture_output=True, text=True)
    assert leafward("--nonsense").returncode == 2 and leafward("--help").returncode == 0
