"""Fine-tune a frozen network through low-rank additions to its weights (LoRA, Hu et al. 2021).

    leafward run examples/lora.py [steps]        needs scikit-learn, for its 1,797 digits
"""
import math
import sys

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.nn.utils import parametrize


class LowRank(nn.Module):
    """``W + (alpha / rank) B A``: zero at the start, for ``B`` is."""

    def __init__(self, weight, rank=4, alpha=8.0):
        super().__init__()
        out, width = weight.shape
        self.a = nn.Parameter(torch.empty(rank, width))
        self.b = nn.Parameter(torch.zeros(out, rank))
        self.scale = alpha / rank
        nn.init.kaiming_uniform_(self.a, a=math.sqrt(5))

    def forward(self, weight):
        return weight + self.scale * (self.b @ self.a)


def train(model, images, labels, steps, optimizer, show=True):
    for step in range(1, steps + 1):
        batch = torch.randint(len(images), (64,))
        loss = F.cross_entropy(model(images[batch]), labels[batch])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if show:
            print(f"step {step:3}  loss {loss.item():.6f}")


@torch.no_grad()
def share_right(model, images, labels):
    return (model(images).argmax(dim=1) == labels).float().mean().item()


def main(steps):
    torch.manual_seed(0)
    digits = load_digits()
    images, labels = torch.tensor(digits.data / 16, dtype=torch.float32), torch.tensor(digits.target)
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 10))
    train(model, images, labels, 40, torch.optim.Adam(model.parameters(), lr=5e-3), show=False)
    before = {name: value.clone() for name, value in model.state_dict().items()}

    # The new task: the same digits, turned by a quarter.
    turned = images.view(-1, 8, 8).rot90(1, (1, 2)).reshape(-1, 64)
    model.requires_grad_(False)
    for layer in model:
        if isinstance(layer, nn.Linear):
            parametrize.register_parametrization(layer, "weight", LowRank(layer.weight))
    learns = [p for p in model.parameters() if p.requires_grad]
    print(f"learns {sum(p.numel() for p in learns)} of {sum(p.numel() for p in model.parameters())} numbers")
    train(model, turned, labels, steps, torch.optim.AdamW(learns, lr=1e-2))
    print(f"turned digits: {share_right(model, turned, labels):.1%} right")

    for layer in model:
        if isinstance(layer, nn.Linear):
            low_rank = layer.parametrizations.weight[0]
            low_rank.b.data.zero_()
            parametrize.remove_parametrizations(layer, "weight")
    kept = all(torch.equal(value, before[name]) for name, value in model.state_dict().items())
    print(f"without the additions the first network is back: {kept}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
