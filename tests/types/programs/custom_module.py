"""Modules of one's own: parameters, buffers, containers, a transformer block, convolutions."""
import math
from typing import Optional

import leafward as torch
from leafward import Tensor, nn
from leafward.nn import functional as F
from leafward.nn.common_types import _size_2_t


class RMSNorm(nn.Module):
    scale: Tensor

    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))
        self.register_buffer("scale", torch.tensor(math.sqrt(dim)))

    def forward(self, x: Tensor) -> Tensor:
        return self.weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + self.eps)


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, dropout: float = 0.0) -> None:
        super().__init__()
        assert dim % heads == 0
        self.heads = heads
        self.qkv = nn.Linear(dim, 3 * dim, bias=False)
        self.out = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, mask: Optional[Tensor] = None) -> Tensor:
        n, t, c = x.shape
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        q, k, v = (a.view(n, t, self.heads, c // self.heads).transpose(1, 2) for a in (q, k, v))
        scores = q @ k.transpose(-2, -1) / math.sqrt(k.size(-1))
        causal = torch.tril(torch.ones(t, t, dtype=torch.bool, device=x.device)) if mask is None else mask
        weights = F.softmax(scores.masked_fill(~causal, float("-inf")), dim=-1)
        return self.out(self.drop(weights @ v).transpose(1, 2).reshape(n, t, c))


class Block(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.norm1, self.norm2 = RMSNorm(dim), nn.LayerNorm(dim)
        self.attention = Attention(dim, heads)
        self.mlp = nn.Sequential(nn.Linear(dim, 4 * dim), nn.GELU(approximate="tanh"), nn.Linear(4 * dim, dim))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class ConvNet(nn.Module):
    def __init__(self, kernel: _size_2_t = 3, classes: int = 10) -> None:
        super().__init__()
        self.conv1 = nn.Conv2d(1, 8, kernel_size=kernel, padding=1)
        self.conv2 = nn.Conv2d(8, 16, (3, 3), stride=(2, 2), padding="valid", bias=False)
        self.bn = nn.BatchNorm2d(16)
        self.pool = nn.MaxPool2d(2, stride=2)
        self.head = nn.Linear(16, classes)
        nn.init.kaiming_normal_(self.conv1.weight, mode="fan_out", nonlinearity="relu")
        if self.conv1.bias is not None:
            nn.init.constant_(self.conv1.bias, 0.0)

    def forward(self, x: Tensor) -> Tensor:
        x = self.pool(F.relu(self.conv1(x)))
        x = F.relu(self.bn(self.conv2(x)))
        x = F.adaptive_avg_pool2d(x, 1).flatten(1)
        return self.head(x)


class Tower(nn.Module):
    def __init__(self, dim: int, depth: int) -> None:
        super().__init__()
        self.embed = nn.Embedding(11, dim, padding_idx=0)
        self.position = nn.Parameter(torch.zeros(1, 32, dim))
        self.blocks = nn.ModuleList([Block(dim, 2) for _ in range(depth)])
        self.heads = nn.ModuleDict({"a": nn.Linear(dim, 2), "b": nn.Linear(dim, 3)})
        self.rnn = nn.LSTM(dim, dim, num_layers=2, batch_first=True, bidirectional=True)
        self.apply(self._init_weights)

    def _init_weights(self, module: nn.Module) -> None:
        if isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, mean=0.0, std=0.02)
            if module.bias is not None:
                nn.init.zeros_(module.bias)

    def forward(self, ids: Tensor) -> dict[str, Tensor]:
        x = self.embed(ids) + self.position[:, :ids.size(1)]
        for block in self.blocks:
            x = block(x)
        output, (h, c) = self.rnn(x)
        x = x + output[..., : x.size(-1)] + (h + c).mean()
        return {name: head(x) for name, head in self.heads.items()}


def main() -> None:
    tower = Tower(8, 2)
    out = tower(torch.randint(0, 11, (3, 5)))
    print({name: value.shape for name, value in out.items()})
    first = tower.blocks[0]
    print(type(first).__name__, sum(p.numel() for p in tower.parameters() if p.requires_grad))
    for name, child in tower.named_children():
        print(name, child.training)
    for name, p in tower.named_parameters():
        if p.grad is not None:
            print(name, p.grad.norm())
    net = ConvNet().double()
    scores: Tensor = net(torch.rand(2, 1, 12, 12, dtype=torch.float64))
    scores.logsumexp(dim=1).sum().backward()
    grad = net.conv1.weight.grad
    assert grad is not None and grad.shape == net.conv1.weight.shape
    net.eval().requires_grad_(False)
    layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, dim_feedforward=16, batch_first=True)
    encoder = nn.TransformerEncoder(layer, num_layers=1)
    mixed, weights = nn.MultiheadAttention(8, 2, batch_first=True)(*[torch.rand(2, 4, 8)] * 3)
    print(encoder(mixed).shape, weights.shape)


if __name__ == "__main__":
    main()
