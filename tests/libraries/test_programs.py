"""One real program for each library gives PyTorch's numbers, in an environment that has leafward and no PyTorch."""
import json
import os
import subprocess

import pytest

from tests.libraries.run import EXPECTED, HERE, NAMES, differences

PYTHON = os.environ["LEAFWARD_LIBRARIES"]
RECORDED = json.loads(EXPECTED.read_text())


def python(*arguments):
    environment = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
    return subprocess.run([PYTHON, *map(str, arguments)], capture_output=True, text=True, cwd=HERE,
                          env={**environment, "HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"})


def test_the_environment_has_leafward_for_pytorch():
    done = python("-c", "import torch; print(torch.__version__)")
    assert "leafward" in done.stdout, done.stderr
    assert python("-m", "pip", "check").returncode == 0


@pytest.mark.parametrize("name", NAMES)
def test_a_program_gives_pytorchs_numbers(name):
    done = python(HERE / "run.py", name)
    assert done.returncode == 0, done.stderr[-5000:]
    assert differences(json.loads(done.stdout)[name], RECORDED[name]) == []
