"""Torchvision without its compiled operators: transforms of images, networks, grids and a data set."""
import tempfile
from pathlib import Path

import numpy as np
import torch
from PIL import Image
from torchvision import datasets, models, transforms, utils
from torchvision.transforms import v2


def main():
    torch.manual_seed(0)
    picture = Image.fromarray((np.arange(40 * 50 * 3).reshape(40, 50, 3) * 7 % 256).astype("uint8"))
    older = transforms.Compose([
        transforms.RandomResizedCrop(24), transforms.RandomHorizontalFlip(), transforms.ToTensor(),
        transforms.Normalize([0.5] * 3, [0.2] * 3)])
    newer = v2.Compose([v2.ToImage(), v2.RandomCrop(20, padding=2), v2.ColorJitter(0.2, 0.2),
                        v2.ToDtype(torch.float32, scale=True), v2.RandomErasing(p=1.0)])
    first, second = older(picture), newer(picture)
    found = {"older": [list(first.shape), first.mean().item()], "newer": [list(second.shape), second.mean().item()],
             "grid": utils.make_grid(torch.stack([first, first]), normalize=True).sum().item()}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("a", "b"):
            (Path(folder) / kind).mkdir()
            picture.save(Path(folder) / kind / "one.png")
        loader = torch.utils.data.DataLoader(datasets.ImageFolder(folder, older), batch_size=2)
        x, y = next(iter(loader))
        found["folder"] = [list(x.shape), y.tolist()]
    for name in ("resnet18", "mobilenet_v2", "squeezenet1_1", "vit_b_16"):
        torch.manual_seed(0)
        options = {"image_size": 32} if name == "vit_b_16" else {}
        model = getattr(models, name)(num_classes=4, **options).eval()
        out = model(torch.linspace(-9, 9, 2 * 3 * 32 * 32).sin().reshape(2, 3, 32, 32))
        out.logsumexp(1).sum().backward()
        found[name] = {"out": out.tolist(), "gradient": next(model.parameters()).grad.norm().item()}
    return found
