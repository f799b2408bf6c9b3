"""Packages that work on PyTorch's tensors take leafward's for them when it runs as ``torch``; their own tests pass."""
import os

import pytest

from tests.packages.suites import PACKAGES, python, recorded, run_suite

#: The tests that pass on PyTorch and fail here, with their cause.
FAIL = {
    "einops": {},
    "opt_einsum": {},
}
#: Those that fail by chance, under PyTorch too.
UNSTEADY = {
    "einops": {"test_other.py::test_torch_compile_for_functions":
               "adds 68,880 unseeded float32 numbers, to 1e-5: both err by 1.6e-5"},
    "opt_einsum": {},
}


#: einops' tests run both ways.
opt_einsum_once = pytest.mark.skipif(os.environ.get("LEAFWARD_INTERPRETED") == "1", reason="4,000 contractions: once is enough")


@pytest.mark.parametrize("package", [pytest.param(name, marks=opt_einsum_once) if name == "opt_einsum" else name
                                     for name in PACKAGES])
def test_the_packages_own_tests_pass(package, tmp_path):
    pytest.importorskip(package)
    expected = recorded(package)
    assert {*FAIL[package], *UNSTEADY[package]} <= expected.keys()
    passed, printed = run_suite(package, tmp_path)
    missing = expected - passed
    for name in UNSTEADY[package]:
        missing.pop(name, None)
    assert missing.keys() == FAIL[package].keys(), printed[-5000:]
    assert missing.total() <= 0.05 * expected.total()


@opt_einsum_once
def test_opt_einsums_tests_pass_on_tensors(tmp_path):
    """The same tests, on tensors in the place of NumPy's arrays: all but those that ask for ``out=``, which PyTorch lacks."""
    pytest.importorskip("opt_einsum")
    passed, printed = run_suite("opt_einsum", tmp_path, "-p", "tests.packages.tensors_for_arrays",
                                "-k", "test_contract and not test_contract_expressions")
    assert passed.total() > 3800 and " failed" not in printed and " error" not in printed, printed[-5000:]
    assert passed["test_contract.py::test_compare"] == recorded("opt_einsum")["test_contract.py::test_compare"]


SUMMARY = """
import torch, torchinfo
from torch import nn
model = nn.Sequential(nn.Conv2d(3, 8, 3, padding=1), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 16, 5))
columns = ("input_size", "output_size", "num_params", "kernel_size", "mult_adds", "trainable")
print(torchinfo.summary(model, (2, 3, 4, 4), verbose=0, col_names=columns))
print(torchinfo.summary(nn.LSTM(3, 4, batch_first=True), input_data=torch.ones(2, 5, 3), verbose=0))
"""


def test_torchinfo_prints_what_it_prints_on_pytorch(tmp_path):
    pytest.importorskip("torchinfo")
    pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")
    (tmp_path / "program.py").write_text(SUMMARY)
    ours = python("-m", "leafward", "run", "program.py", cwd=tmp_path)
    assert "Total params" in ours.stdout, ours.stderr
    assert ours.stdout == python("program.py", cwd=tmp_path).stdout


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
