"""A generative adversarial network (Goodfellow et al. 2014; layers as in DCGAN) that draws crosses, bars and boxes.

    leafward run examples/gan.py [steps]
"""
import sys

import torch
import torch.nn.functional as F
from torch import nn

NOISE = 12


def shapes(count):
    """``count`` pictures in [-1, 1], 8 by 8: a cross, a bar or a box, somewhere."""
    pictures = torch.full((count, 1, 8, 8), -1.0)
    kinds, rows, columns = torch.randint(3, (count,)), torch.randint(1, 5, (count,)), torch.randint(1, 5, (count,))
    for picture, kind, row, column in zip(pictures[:, 0], kinds.tolist(), rows.tolist(), columns.tolist()):
        place = picture[row:row + 3, column:column + 3]
        if kind == 0:
            place[1, :] = 1.0
            place[:, 1] = 1.0
        elif kind == 1:
            place[:, 1] = 1.0
        else:
            place.fill_(1.0)
            place[1, 1] = -1.0
    return pictures


class Generator(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Linear(NOISE, 32 * 4), nn.Unflatten(1, (32, 2, 2)), nn.BatchNorm2d(32), nn.ReLU(True),
            nn.ConvTranspose2d(32, 16, 4, stride=2, padding=1, bias=False), nn.BatchNorm2d(16), nn.ReLU(True),
            nn.ConvTranspose2d(16, 1, 4, stride=2, padding=1), nn.Tanh())


class Discriminator(nn.Sequential):
    def __init__(self):
        super().__init__(
            nn.Conv2d(1, 16, 4, stride=2, padding=1), nn.LeakyReLU(0.2),
            nn.utils.spectral_norm(nn.Conv2d(16, 32, 4, stride=2, padding=1)), nn.LeakyReLU(0.2),
            nn.Flatten(), nn.Dropout(0.2), nn.Linear(32 * 4, 1))


def main(steps):
    torch.manual_seed(0)
    generator, discriminator = Generator(), Discriminator()
    draw = torch.optim.Adam(generator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    judge = torch.optim.Adam(discriminator.parameters(), lr=1e-3, betas=(0.5, 0.999))
    real, fake = torch.ones(32, 1), torch.zeros(32, 1)
    for step in range(1, steps + 1):
        drawn = generator(torch.randn(32, NOISE))
        judged = (F.binary_cross_entropy_with_logits(discriminator(shapes(32)), real)
                  + F.binary_cross_entropy_with_logits(discriminator(drawn.detach()), fake))
        judge.zero_grad()
        judged.backward()
        judge.step()

        discriminator.requires_grad_(False)
        fooled = F.binary_cross_entropy_with_logits(discriminator(drawn), real)
        draw.zero_grad()
        fooled.backward()
        draw.step()
        discriminator.requires_grad_(True)
        print(f"step {step:3}  discriminator {judged.item():.6f}  generator {fooled.item():.6f}")
    generator.eval()
    with torch.no_grad():
        for row in generator(torch.randn(4, NOISE)).squeeze(1).permute(1, 0, 2).reshape(8, 32):
            print("".join(" #"[int(value > 0)] for value in row))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 600)
