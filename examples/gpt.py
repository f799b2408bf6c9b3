"""A small GPT that writes character by character (Radford et al. 2019: pre-norm blocks, GELU, tied weights).

    leafward run examples/gpt.py [steps]
"""
import math
import sys

import torch
import torch.nn.functional as F
from torch import nn

TEXT = """\
The chain rule is a river with many springs. Every product sends back two streams, every sum sends back one
to each of its terms, and where a value was used twice the streams join again. Nothing is lost on the way:
what the loss asks of the whole, the leaves are told in parts, and each of them takes one small step downhill.
"""
SYMBOLS = sorted(set(TEXT))
CONTEXT, WIDTH, HEADS, LAYERS = 32, 48, 4, 2


class Attention(nn.Module):
    """Each position looks at those before it: ``softmax(q k^T / sqrt(d)) v``, head by head."""

    def __init__(self):
        super().__init__()
        self.qkv = nn.Linear(WIDTH, 3 * WIDTH)
        self.out = nn.Linear(WIDTH, WIDTH)

    def forward(self, x):
        n, t, _ = x.shape
        q, k, v = (part.view(n, t, HEADS, -1).transpose(1, 2) for part in self.qkv(x).split(WIDTH, dim=-1))
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=True)             # n heads t width/heads
        return self.out(seen.transpose(1, 2).reshape(n, t, WIDTH))


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(WIDTH), Attention()
        self.norm2 = nn.LayerNorm(WIDTH)
        self.mlp = nn.Sequential(nn.Linear(WIDTH, 4 * WIDTH), nn.GELU(approximate="tanh"),
                                 nn.Linear(4 * WIDTH, WIDTH), nn.Dropout(0.1))

    def forward(self, x):
        x = x + self.attention(self.norm1(x))
        return x + self.mlp(self.norm2(x))


class GPT(nn.Module):
    def __init__(self):
        super().__init__()
        self.symbol = nn.Embedding(len(SYMBOLS), WIDTH)
        self.place = nn.Embedding(CONTEXT, WIDTH)
        self.blocks = nn.ModuleList(Block() for _ in range(LAYERS))
        self.norm = nn.LayerNorm(WIDTH)
        self.scores = nn.Linear(WIDTH, len(SYMBOLS), bias=False)
        self.scores.weight = self.symbol.weight
        self.apply(self.start)

    @staticmethod
    def start(module):
        if isinstance(module, (nn.Linear, nn.Embedding)):
            nn.init.normal_(module.weight, std=0.02)
        if isinstance(module, nn.Linear) and module.bias is not None:
            nn.init.zeros_(module.bias)

    def forward(self, text):
        x = self.symbol(text) + self.place(torch.arange(text.shape[1], device=text.device))
        for block in self.blocks:
            x = block(x)
        return self.scores(self.norm(x))                                           # n t symbols

    @torch.no_grad()
    def write(self, start, length):
        """Go on from ``start``, drawing each character by its probability."""
        text = torch.tensor([[SYMBOLS.index(c) for c in start]])
        for _ in range(length):
            chances = self(text[:, -CONTEXT:])[:, -1].softmax(dim=-1)
            text = torch.cat([text, torch.multinomial(chances, 1)], dim=1)
        return "".join(SYMBOLS[i] for i in text[0].tolist())


def main(steps):
    torch.manual_seed(0)
    text = torch.tensor([SYMBOLS.index(c) for c in TEXT])
    model = GPT()
    matrices = [p for p in model.parameters() if p.dim() >= 2]
    vectors = [p for p in model.parameters() if p.dim() < 2]
    optimizer = torch.optim.AdamW([{"params": matrices, "weight_decay": 0.1}, {"params": vectors, "weight_decay": 0.0}],
                                  lr=3e-3, betas=(0.9, 0.95))
    warm = 10
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda step: min((step + 1) / warm, 0.55 + 0.45 * math.cos(math.pi * step / max(steps, 1))))
    for step in range(1, steps + 1):
        starts = torch.randint(len(text) - CONTEXT, (8, 1))
        windows = text[starts + torch.arange(CONTEXT + 1)]                          # n t+1
        loss = F.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        print(f"step {step:3}  loss {loss.item():.6f}")
    model.eval()
    print(model.write("The chain", 60))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
