"""A variational autoencoder (Kingma & Welling 2013) of handwritten digits: draw, rebuild, keep the code near a normal.

    leafward run examples/vae.py [steps]        needs scikit-learn, for its 1,797 digits
"""
import sys

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn


class VAE(nn.Module):
    """``p(x | z)`` and ``q(z | x)``, each one hidden layer; ``z = mean + exp(log_variance / 2) * noise``."""

    def __init__(self, pixels=64, hidden=96, code=8):
        super().__init__()
        self.code = code
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.SiLU(), nn.Linear(hidden, 2 * code))
        self.decoder = nn.Sequential(nn.Linear(code, hidden), nn.SiLU(), nn.Linear(hidden, pixels))

    def forward(self, x):
        mean, log_variance = self.encoder(x).chunk(2, dim=-1)
        z = mean + torch.exp(0.5 * log_variance) * torch.randn_like(mean)
        return self.decoder(z), mean, log_variance


def negative_elbo(scores, x, mean, log_variance):
    """``-log p(x | z) + KL(q(z | x) || normal(0, 1))``, the mean over the batch."""
    rebuilt = F.binary_cross_entropy_with_logits(scores, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_variance - mean.pow(2) - log_variance.exp())
    return (rebuilt + divergence) / len(x)


def main(steps):
    torch.manual_seed(0)
    images = torch.tensor(load_digits().data / 16, dtype=torch.float32)             # n 64
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-3)
    for step in range(1, steps + 1):
        batch = images[torch.randint(len(images), (64,))]
        scores, mean, log_variance = model(batch)
        loss = negative_elbo(scores, batch, mean, log_variance)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step:3}  loss {loss.item():.6f}")
    with torch.no_grad():
        drawn = torch.sigmoid(model.decoder(torch.randn(2, model.code))).view(2, 8, 8)
    for row in torch.cat(list(drawn), dim=1):
        print("".join(" .:*#"[min(int(5 * value), 4)] for value in row))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
