"""PyTorch gives the numbers that docs/coming_from_pytorch.md promises; its examples are run by ``test_documents``."""
import pytest

from tests.documents import ROOT, blocks_of


def test_pytorch_draws_the_same_numbers():
    torch = pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")
    page = (ROOT / "docs" / "coming_from_pytorch.md").read_text(encoding="utf-8")
    examples = "".join(block.text for block in blocks_of(page) if block.kind == "session")
    assert examples.count(">>>") > 25
    nn, F = torch.nn, torch.nn.functional
    torch.manual_seed(0)
    assert f">>> torch.randperm(6)\n{torch.randperm(6)}\n" in examples
    model = nn.Sequential(nn.Linear(4, 8), nn.ReLU(), nn.Linear(8, 2))
    loss = F.cross_entropy(model(torch.rand(5, 4)), torch.tensor([0, 1, 0, 1, 1]))
    assert f">>> round(loss.item(), 4)\n{round(loss.item(), 4)}\n" in examples
