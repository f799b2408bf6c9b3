"""Packages that work on PyTorch's tensors take leafward's for them when it runs as ``torch``; their own tests pass."""
import os
import subprocess
import sys
from pathlib import Path

import pytest

#: Package -> which of its tests are PyTorch's; and those that fail, with their cause.
SUITES = {"einops": "not jax", "opt_einsum": "torch"}
FAIL = {"einops": {"test_torch_compile_with_dynamic_shape": "sets torch._dynamo.config: there is no graph compiler"},
        "opt_einsum": {}}
#: Those that fail by chance, under PyTorch too.
UNSTEADY = {"einops": {"test_torch_compile_for_functions": "adds 68,880 unseeded float32 numbers, to 1e-5: both err by 1.6e-5"},
            "opt_einsum": {}}


def python(*arguments, cwd, **environment):
    path = os.pathsep.join(filter(None, [str(Path(sys.executable).parent), os.environ.get("PATH")]))
    environment |= {"PATH": path, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    return subprocess.run([sys.executable, *arguments], cwd=cwd, env={**os.environ, **environment},
                          capture_output=True, text=True)


def suite(package, selected, folder):
    return python("-m", "pytest", "-q", "-p", "leafward.as_torch", "-p", "no:cacheprovider", "-p", "no:xdist", "--pyargs",
                  f"{package}.tests", "-k", selected, cwd=folder, EINOPS_TEST_BACKENDS="numpy,torch").stdout


@pytest.mark.parametrize("package", SUITES)
def test_the_packages_own_tests_pass(package, tmp_path):
    pytest.importorskip(package)
    printed = suite(package, " and not ".join([f"({SUITES[package]})", *FAIL[package], *UNSTEADY[package]]), tmp_path)
    assert " passed" in printed and " failed" not in printed and " error" not in printed, printed[-3000:]


@pytest.mark.parametrize("package, name", [(package, name) for package in FAIL for name in FAIL[package]])
def test_what_is_listed_as_failing_fails(package, name, tmp_path):
    pytest.importorskip(package)
    assert "1 failed" in suite(package, name, tmp_path)


PROGRAM = """
import pickle, torch
from safetensors import safe_open
from safetensors.torch import load_file, load_model, save_model
kept, other = (torch.nn.Linear(3, 2).to(torch.bfloat16) for _ in range(2))
save_model(kept, "model.safetensors")
load_model(other, "model.safetensors")
assert torch.equal(kept.weight, other.weight) and type(load_file("model.safetensors")["bias"]) is torch.Tensor
with safe_open("model.safetensors", "pt") as file:
    assert torch.equal(file.get_slice("weight")[1:], kept.weight[1:])
assert repr(torch.Tensor) == "<class 'torch.Tensor'>"
assert repr(type(pickle.loads(pickle.dumps(kept.weight)))) == "<class 'torch.nn.parameter.Parameter'>"
"""


def test_safetensors_and_pickle_take_leafward_for_torch(tmp_path):
    (tmp_path / "program.py").write_text(PROGRAM)
    done = python("-m", "leafward", "run", "program.py", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
