"""A small residual network on handwritten digits (He et al. 2015: two 3x3 convolutions around a shortcut).

    leafward run examples/resnet.py [steps]        needs scikit-learn, for its 1,797 digits
"""
import sys

import torch
import torch.nn.functional as F
from sklearn.datasets import load_digits
from torch import nn
from torch.utils.data import DataLoader, TensorDataset, random_split


class Residual(nn.Module):
    """``relu(shortcut(x) + f(x))``; the shortcut is ``x`` itself where the shape stays."""

    def __init__(self, channels, out, stride):
        super().__init__()
        self.conv1 = nn.Conv2d(channels, out, 3, stride=stride, padding=1, bias=False)
        self.norm1 = nn.BatchNorm2d(out)
        self.conv2 = nn.Conv2d(out, out, 3, padding=1, bias=False)
        self.norm2 = nn.BatchNorm2d(out)
        self.shortcut = nn.Identity()
        if stride != 1 or channels != out:
            self.shortcut = nn.Sequential(nn.Conv2d(channels, out, 1, stride=stride, bias=False), nn.BatchNorm2d(out))

    def forward(self, x):
        y = F.relu(self.norm1(self.conv1(x)))
        return F.relu(self.shortcut(x) + self.norm2(self.conv2(y)))


class ResNet(nn.Module):
    def __init__(self, classes=10):
        super().__init__()
        self.stem = nn.Sequential(nn.Conv2d(1, 8, 3, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(inplace=True))
        self.stages = nn.Sequential(Residual(8, 8, 1), Residual(8, 16, 2), Residual(16, 32, 2))
        self.pool = nn.AdaptiveAvgPool2d(1)
        self.scores = nn.Linear(32, classes)
        for module in self.modules():
            if isinstance(module, nn.Conv2d):
                nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")

    def forward(self, images):
        return self.scores(self.pool(self.stages(self.stem(images))).flatten(1))


def main(steps):
    torch.manual_seed(0)
    digits = load_digits()
    images = torch.from_numpy(digits.images).float().unsqueeze(1) / 16              # n 1 8 8
    train, held_out = random_split(TensorDataset(images, torch.from_numpy(digits.target)), [0.8, 0.2])
    loader = DataLoader(train, batch_size=32, shuffle=True, drop_last=True)
    model = ResNet()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4, nesterov=True)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=max(steps, 1))
    step = 0
    while step < steps:
        for batch, labels in loader:
            if step == steps:
                break
            loss = F.cross_entropy(model(batch), labels, label_smoothing=0.1)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
            step += 1
            print(f"step {step:3}  loss {loss.item():.6f}")
    model.eval()
    with torch.inference_mode():
        right = sum((model(batch).argmax(1) == labels).sum().item() for batch, labels in DataLoader(held_out, 100))
    print(f"held out: {right} of {len(held_out)} right")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 150)
