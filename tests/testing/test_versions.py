"""What a program reads that asks which PyTorch it runs on, and the namespaces that have no device behind them."""
import subprocess
import sys

import pytest

import leafward
from leafward.compat.torch_version import TorchVersion
from tests.oracle import torch

OTHERS = ["2.13", "2.13.0", "2.9.1", "2.14", "1.13.1", "3", (2, 1), (2, 13), (2, 13, 0), (2, 14)]


@pytest.mark.parametrize("other", OTHERS, ids=str)
def test_versions_compare_as_numbers(other):
    ours, theirs = TorchVersion("2.13.0"), torch.torch_version.TorchVersion("2.13.0")
    assert (ours < other, ours <= other, ours > other, ours >= other) == (
        theirs < other, theirs <= other, theirs > other, theirs >= other)


def test_a_program_sees_2_13():
    program = ("import torch, torch.version\n"
               "assert torch.__version__ >= '2.13' and torch.__version__ < (2, 14), torch.__version__\n"
               "assert tuple(map(int, torch.__version__.split('+')[0].split('.')[:2])) == (2, 13)\n"
               "assert torch.__version__.startswith('2.13.0+leafward.') and torch.version.__version__ == torch.__version__\n"
               "assert isinstance(torch.__version__, str) and torch.version.cuda is None\n"
               "from packaging.version import Version\n"
               "assert Version(torch.__version__) >= Version('2.13')\n")
    under = "import leafward; leafward.install_as_torch()\n" + program
    subprocess.run([sys.executable, "-c", under], check=True)


def test_no_mps():
    assert not leafward.mps.is_available() and leafward.mps.device_count() == 0
    with pytest.raises(RuntimeError, match="leafward computes on the CPU"):
        leafward.mps.synchronize()


def test_hub_of_a_folder(tmp_path, monkeypatch):
    (tmp_path / "hubconf.py").write_text("def small(width=3):\n    'A model.'\n    return ['small', width]\n")
    for t in leafward, torch:
        assert t.hub.load(str(tmp_path), "small", source="local", width=5) == ["small", 5]
        with pytest.raises(RuntimeError, match="Cannot find callable large in hubconf"):
            t.hub.load(str(tmp_path), "large", source="local")
        with pytest.raises(ValueError, match="Unknown source"):
            t.hub.load(str(tmp_path), "small", source="elsewhere")
    assert leafward.hub.list(str(tmp_path)) == ["small"]
    assert leafward.hub.help(str(tmp_path), "small") == "A model."
    with pytest.raises(NotImplementedError, match="downloads nothing"):
        leafward.hub.load("pytorch/vision", "resnet18")
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    assert leafward.hub.get_dir() == torch.hub.get_dir()
    with pytest.raises(NotImplementedError, match="checkpoints"):
        leafward.hub.load_state_dict_from_url("https://example.com/weights.pt?x=1")
    (tmp_path / "hub" / "checkpoints").mkdir(parents=True)
    leafward.save({"w": leafward.ones(2)}, tmp_path / "hub" / "checkpoints" / "weights.pt")
    assert leafward.hub.load_state_dict_from_url("https://example.com/weights.pt?x=1")["w"].tolist() == [1, 1]
