"""Type checkers over ordinary programs: what they say of leafward as users have it, installed."""
import json
import os
import re
import shutil
import subprocess
import sys
import venv
from importlib.util import find_spec
from pathlib import Path

import pytest

from leafward.app.provide import stubs

ROOT = Path(__file__).parents[2]
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.py"))
#: Examples that need nothing else but what comes with Python. The rest of those reads ``x.grad`` without asking whether it
#: is None, or has lists of which nothing says what they hold: a checker says so with PyTorch too.
EXAMPLES = [ROOT / "examples" / f"{name}.py" for name in ("characters", "gan", "gpt")]

pytestmark = pytest.mark.skipif(os.environ.get("LEAFWARD_INTERPRETED") == "1", reason="stubs are read alone: once is enough")


@pytest.fixture(scope="module")
def python(tmp_path_factory):
    """The interpreter of an environment that has leafward and its stubs in site-packages: there checkers are strictest."""
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=sys.platform != "win32", with_pip=False)
    packages = next(folder.rglob("site-packages"))
    for name in ("leafward", "leafward-stubs"):
        try:
            (packages / name).symlink_to(ROOT / name, target_is_directory=True)
        except OSError:                         # Windows asks for a privilege
            shutil.copytree(ROOT / name, packages / name)
    # What leafward itself imports, from where the tests have it.
    libraries = {Path(find_spec(name).origin).parents[1] for name in ("numpy", "ml_dtypes")}
    (packages / "libraries.pth").write_text("".join(f"{path}\n" for path in libraries))
    return next(path for path in (folder / "bin" / "python", folder / "Scripts" / "python.exe") if path.exists())


def tool(name):
    """The command of a type checker: that of the environment in which the tests run, or one on PATH."""
    found = shutil.which(name, path=os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", "")]))
    return found or pytest.fail(f"{name} is missing: install leafward[dev]")


def checked(tmp_path, command, texts):
    """The standard output of a type checker over programs, run in a folder where leafward's own is out of sight."""
    for name, text in texts.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "MYPYPATH")}
    done = subprocess.run([*command, *texts], capture_output=True, text=True, cwd=tmp_path, env=environment, timeout=300)
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return done.stdout


def mypy(tmp_path, python, texts):
    lines = checked(tmp_path, [tool("mypy"), "--python-executable", str(python), "--check-untyped-defs"], texts).splitlines()
    assert lines[-1].startswith(("Success: ", "Found ")) and f"{len(texts)} source files" in lines[-1]
    return [line for line in lines if ": error:" in line]


def pyright(tmp_path, python, texts):
    command = [tool("pyright")]
    # The package on PyPI fetches pyright itself, by npm, when it is first run: without a network there is none.
    version = subprocess.run([*command, "--version"], capture_output=True, text=True)
    if version.returncode:
        pytest.skip(f"pyright cannot be fetched here: {version.stderr.strip()[-200:]}")
    report = json.loads(checked(tmp_path, [*command, "--pythonpath", str(python), "--outputjson"], texts))
    assert report["summary"]["filesAnalyzed"] >= len(texts)
    return [f"{Path(found['file']).name}:{found['range']['start']['line'] + 1}: {found['message']}"
            for found in report["generalDiagnostics"] if found["severity"] == "error"]


CHECKERS = pytest.mark.parametrize("checker", [mypy, pyright], ids=["mypy", "pyright"])


@CHECKERS
def test_nothing_is_wrong_with_ordinary_programs(checker, tmp_path, python):
    texts = {path.name: path.read_text(encoding="utf-8") for path in PROGRAMS}
    texts |= {path.name: under_its_own_name(path.read_text(encoding="utf-8")) for path in EXAMPLES}
    assert checker(tmp_path, python, texts) == []


def under_its_own_name(text):
    """A program that says ``import torch``, as one that says ``import leafward as torch``."""
    text = re.sub(r"^import torch$", "import leafward as torch", text, flags=re.MULTILINE)
    return re.sub(r"^(import|from) torch\b", r"\1 leafward", text, flags=re.MULTILINE)


MISTAKES = {
    "not_a_tensor.py": "import leafward as torch\n\ntorch.relu('text')\n",
    "no_such_name.py": "from leafward.linalg import no_such_name\n",
    "no_such_method.py": "import leafward as torch\n\ntorch.ones(2).no_such_method()\n",
    "layer.py": "from leafward import nn\n\nnn.Linear('two', 3)\n",
    "optimizer.py": "from leafward import nn, optim\n\noptim.AdamW(nn.Linear(2, 3).parameters(), betas=0.9)\n",
    "loader.py": "from leafward.utils.data import DataLoader\n\nDataLoader([1, 2], batch_size='two')\n",
    "distribution.py": "import leafward.distributions as D\n\nD.Normal('zero', 1.0)\n",
}


@CHECKERS
def test_mistakes_are_seen(checker, tmp_path, python):
    found = checker(tmp_path, python, MISTAKES)
    assert {line.partition(":")[0] for line in found} == set(MISTAKES)


PROVIDED = {
    "under_pytorchs_name.py": """
import torch
import torch.backends.cudnn as cudnn
import torch.distributed as dist
import torch.nn.functional as F
from torch.ao.quantization import quantize_dynamic
from torch.cuda.amp import GradScaler, autocast
from torch.nn.parallel import DistributedDataParallel
from torch.signal.windows import hann
from torch.sparse import spdiags
from torch.utils.data import DataLoader

torch.backends.cudnn.benchmark = cudnn.benchmark
torch.quantization.quantize_dynamic
x: torch.Tensor = F.relu(torch.ones(2)).sum()
""",
    "mistaken.py": "import torch\nfrom torch.signal.windows import hamm\n\ntorch.relu('text')\n",
}


@CHECKERS
def test_what_provide_torch_writes(checker, tmp_path, python):
    """Every module that programs import by PyTorch's name is found, and what is in it."""
    for name, text in stubs().items():
        path = next(python.parents[1].rglob("site-packages")) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    found = checker(tmp_path, python, PROVIDED)
    assert [line.split(":")[:2] for line in found] == [["mistaken.py", "2"], ["mistaken.py", "4"]], found


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_programs_run(path):
    done = subprocess.run([sys.executable, "-W", "error", str(path)], capture_output=True, text=True, cwd=ROOT,
                          env={**os.environ, "PYTHONPATH": str(ROOT)}, timeout=120)
    assert done.returncode == 0, done.stderr
