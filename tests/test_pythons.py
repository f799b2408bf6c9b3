"""The package as it stands runs on the other Pythons of this machine, for which ``tools/pythons.py`` has made environments.

As it is, uncompiled, in every run. ``make test-pythons`` also builds a wheel with each, and tests it as a release is tested.
"""
import os
import shutil
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.test_packaging import FIRST, build_wheel, extensions_of_sources, run, shipped_sources
from tools.pythons import CONFIGURATION, environment

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "build" / "pythons"
PYTHONS = [tuple(map(int, path.name.split("."))) for path in sorted(FOLDER.glob("3.*"))]
#: Beside a first program: what each version of Python does in its own way.
MORE = """
import copy, pickle, warnings
import leafward as lw
from leafward.nn.utils import parametrizations

layer = parametrizations.weight_norm(lw.nn.Linear(3, 2))
assert lw.equal(copy.deepcopy(layer)(lw.ones(1, 3)), layer(lw.ones(1, 3)))
assert lw.equal(pickle.loads(pickle.dumps(lw.arange(3))), lw.arange(3))
x = lw.tensor([1.0, 2.0], requires_grad=True)
assert lw.func.hessian(lambda x: (x ** 3).sum())(x.detach()).diag().tolist() == [6.0, 12.0]
def count():
    yield from (x * k for k in range(3))
sum(count()).sum().backward()
assert x.grad.tolist() == [3.0, 3.0]
h = x.exp()
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    h.data.zero_()
    h.sum().backward()
assert "h.data.zero_()" in str(said[0].message), said[0].message
lstm = lw.nn.LSTM(3, 4, 2, bidirectional=True)
lstm(lw.randn(5, 2, 3))[0].sum().backward()
assert lw.graph(h.sum()).svg.startswith("<svg")
print(lw.summary(lw.nn.Sequential(lw.nn.Linear(3, 2), lw.nn.ReLU())))
"""


@pytest.mark.skipif(os.environ.get("LEAFWARD_INTERPRETED") == "1", reason="they always run uncompiled: once is enough")
@pytest.mark.parametrize("version", PYTHONS, ids=lambda version: ".".join(map(str, version)))
def test_a_first_program(version, tmp_path):
    program = tmp_path / "first.py"
    program.write_text(FIRST + MORE, encoding="utf-8")
    run(environment(FOLDER, version), "-W", "error", program, cwd=tmp_path, PYTHONPATH=str(ROOT), LEAFWARD_INTERPRETED="1")


if os.environ.get("LEAFWARD_COMPILE_ALL"):
    @pytest.mark.parametrize("version", PYTHONS, ids=lambda version: ".".join(map(str, version)))
    def test_a_wheel(version, tmp_path):
        python, wheels, tests = environment(FOLDER, version), CONFIGURATION["tool"]["cibuildwheel"], tmp_path / "tested"
        for folder in (tests, tmp_path / "wheel"):
            folder.mkdir()
        wheel, _ = build_wheel(tmp_path / "wheel", shipped_sources(tmp_path), python)     # C for the NumPy of that environment
        with ZipFile(wheel) as archive:                     # which is all that installing it would do, but for its commands
            archive.extractall(tmp_path / "installed")
        for name in wheels["test-sources"]:
            (shutil.copytree if (ROOT / name).is_dir() else shutil.copy2)(ROOT / name, tests / name)
        (tests / "first.py").write_text(FIRST + MORE, encoding="utf-8")
        found = {"PYTHONPATH": str(tmp_path / "installed"), "PATH": os.pathsep.join([str(python.parent), os.environ["PATH"]])}
        said = run(python, "-W", "error", "first.py", cwd=tests, **found).stdout
        assert said.startswith(str(tmp_path / "installed"))
        said = run("sh", "-c", wheels["test-command"], cwd=tests, **found).stdout
        assert f"compiled, {len(extensions_of_sources())} extension modules\n" in said
        assert " passed" in said and "failed" not in said
