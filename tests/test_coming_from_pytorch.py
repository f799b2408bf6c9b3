"""The examples of docs/coming_from_pytorch.md run, and print what it says; PyTorch gives the numbers it promises."""
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = (Path(__file__).parent.parent / "docs" / "coming_from_pytorch.md").read_text(encoding="utf-8")
EXAMPLES = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def test_examples_print_what_the_page_says(tmp_path):
    assert EXAMPLES.count(">>>") > 25
    (tmp_path / "page.txt").write_text(EXAMPLES, encoding="utf-8")
    done = subprocess.run([sys.executable, "-m", "doctest", "page.txt"], cwd=tmp_path, capture_output=True, text=True,
                          env={"PYTHONPATH": ":".join(filter(None, sys.path))})
    assert done.returncode == 0, done.stdout + done.stderr


def test_pytorch_draws_the_same_numbers():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    assert f">>> torch.randperm(6)\n{torch.randperm(6)}\n" in EXAMPLES
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    loss = F.cross_entropy(model(torch.rand(5, 4)), torch.tensor([0, 1, 0, 1, 1]))
    assert f">>> round(loss.item(), 4)\n{round(loss.item(), 4)}\n" in EXAMPLES
