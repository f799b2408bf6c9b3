"""Learn a text by heart, character by character, with a recurrent network. An ordinary PyTorch program:

    leafward run examples/characters.py [steps]
"""
import sys

import torch
import torch.nn.functional as F
from torch import nn

TEXT = """\
A gradient flows from the root to the leaves. Each node on the way asks for what it needs by name,
multiplies what arrives by what it kept, and hands the product on. What no node asks for is not kept.
"""
SYMBOLS = sorted(set(TEXT))
WINDOW = 32


class Model(nn.Module):
    """The probability of each next character, given those before it."""

    def __init__(self, symbols, width=64):
        super().__init__()
        self.embedding = nn.Embedding(symbols, width)
        self.memory = nn.LSTM(width, width, batch_first=True)
        self.scores = nn.Linear(width, symbols)

    def forward(self, text, state=None):
        out, state = self.memory(self.embedding(text), state)      # n t width
        return self.scores(out), state                             # n t symbols


def write(model, start, length):
    """Go on from ``start``, always with the likeliest character."""
    written, state = start, None
    text = torch.tensor([[SYMBOLS.index(c) for c in start]])
    with torch.no_grad():
        for _ in range(length):
            scores, state = model(text, state)
            text = scores[:, -1:].argmax(dim=-1)
            written += SYMBOLS[text.item()]
    return written


torch.manual_seed(0)
text = torch.tensor([SYMBOLS.index(c) for c in TEXT])
model = Model(len(SYMBOLS))
optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
steps = int(sys.argv[1]) if len(sys.argv) > 1 else 120

for step in range(1, steps + 1):
    starts = torch.randint(len(text) - WINDOW, (16,))
    windows = text[starts[:, None] + torch.arange(WINDOW + 1)]      # n t+1
    scores, _ = model(windows[:, :-1])
    loss = F.cross_entropy(scores.flatten(0, 1), windows[:, 1:].flatten())
    optimizer.zero_grad()
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    if step % 20 == 0:
        print(f"step {step:3}  loss {loss.item():.4f}")
print(write(model, "A gradient", 80))
