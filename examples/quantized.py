"""Train two models, give them weights of 8 bits, and see what that costs: reading digits, and the GPT of gpt.py.

    leafward run examples/quantized.py [epochs] [steps]        needs scikit-learn, for its 1,797 digits
"""
import sys

import torch
import torch.nn.functional as F
from gpt import CONTEXT, GPT, SYMBOLS, TEXT
from sklearn.datasets import load_digits
from torch import nn
from torch.ao.quantization import float_qparams_weight_only_qconfig, quantize_dynamic


def digits(epochs):
    """The share of the held out digits that is read, with weights of 32 bits and of 8."""
    data = load_digits()
    images, labels = torch.tensor(data.data / 16, dtype=torch.float32), torch.tensor(data.target)
    order = torch.randperm(len(labels))
    train, held_out = order[360:], order[:360]
    model = nn.Sequential(nn.Linear(64, 128), nn.ReLU(), nn.Linear(128, 10))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    for _ in range(epochs):
        for batch in train[torch.randperm(len(train))].split(64):
            optimizer.zero_grad()
            F.cross_entropy(model(images[batch]), labels[batch]).backward()
            optimizer.step()

    def read(model):
        return (model(images[held_out]).argmax(dim=1) == labels[held_out]).float().mean().item()
    with torch.no_grad():
        print(f"digits read: {read(model):.3f} with 32 bits, {read(quantize_dynamic(model, {nn.Linear})):.3f} with 8")


def letters(steps):
    """The loss of the next letter, with 32 bits, with 8 in the layers, and with 8 in layers and tables."""
    text = torch.tensor([SYMBOLS.index(c) for c in TEXT])
    model = GPT()
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    for _ in range(steps):
        windows = text[torch.randint(len(text) - CONTEXT, (8, 1)) + torch.arange(CONTEXT + 1)]
        optimizer.zero_grad()
        F.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten()).backward()
        optimizer.step()
    model.eval()
    windows = text[torch.arange(0, len(text) - CONTEXT, 7)[:, None] + torch.arange(CONTEXT + 1)]

    def loss(model):
        return F.cross_entropy(model(windows[:, :-1].contiguous()).flatten(0, 1), windows[:, 1:].flatten()).item()
    layers = quantize_dynamic(model, {nn.Linear})
    both = quantize_dynamic(layers, {nn.Embedding: float_qparams_weight_only_qconfig})
    with torch.no_grad():
        print(f"loss of the next letter: {loss(model):.4f} with 32 bits, {loss(layers):.4f} with 8, "
              f"{loss(both):.4f} with 8 in the tables, too")


torch.manual_seed(0)
digits(int(sys.argv[1]) if len(sys.argv) > 1 else 12)
letters(int(sys.argv[2]) if len(sys.argv) > 2 else 200)
