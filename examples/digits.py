"""Read handwritten digits with two layers, save the network, and read it back. An ordinary PyTorch program:

    leafward run examples/digits.py [epochs]        needs scikit-learn, for its 1,797 digits
"""
import sys

import torch
from sklearn.datasets import load_digits
from torch import nn

torch.manual_seed(0)
digits = load_digits()
images = torch.tensor(digits.data / 16, dtype=torch.float32)                  # n 64
labels = torch.tensor(digits.target)
order = torch.randperm(len(labels))
train, held_out = order[360:], order[:360]

model = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 10))
optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
loss_function = nn.CrossEntropyLoss()

for epoch in range(int(sys.argv[1]) if len(sys.argv) > 1 else 12):
    model.train()
    total = 0.0
    for batch in train[torch.randperm(len(train))].split(64):
        optimizer.zero_grad()
        loss = loss_function(model(images[batch]), labels[batch])
        loss.backward()
        optimizer.step()
        total += loss.item() * len(batch)
    model.eval()
    with torch.no_grad():
        right = (model(images[held_out]).argmax(dim=1) == labels[held_out]).float().mean().item()
    print(f"epoch {epoch + 1:2}  loss {total / len(train):.4f}  held out {right:.1%}")

torch.save(model.state_dict(), "digits.pt")
restored = nn.Sequential(nn.Linear(64, 64), nn.ReLU(), nn.Dropout(0.1), nn.Linear(64, 10))
restored.load_state_dict(torch.load("digits.pt"))
restored.eval()
with torch.no_grad():
    print("restored network agrees:", torch.equal(restored(images), model(images)))
