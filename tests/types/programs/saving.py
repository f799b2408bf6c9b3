"""Saving and loading: state dicts, checkpoints, buffers in memory, NumPy, safetensors' tensors."""
import copy
import io
import os
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

import leafward as torch
from leafward import nn


def save_checkpoint(path: str | Path, model: nn.Module, optimizer: torch.optim.Optimizer, epoch: int) -> None:
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)


def load_checkpoint(path: str | os.PathLike[str], model: nn.Module, optimizer: torch.optim.Optimizer) -> int:
    checkpoint: dict[str, Any] = torch.load(path, map_location="cpu", weights_only=True)
    model.load_state_dict(checkpoint["model"])
    optimizer.load_state_dict(checkpoint["optimizer"])
    return checkpoint["epoch"]


def main() -> None:
    model = nn.Sequential(nn.Linear(2, 3), nn.Tanh())
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "checkpoint.pt"
        save_checkpoint(path, model, optimizer, 3)
        print(load_checkpoint(path, model, optimizer) + 1)
        torch.save(model.state_dict(), os.path.join(folder, "weights.pt"))
        with open(path, "rb") as file:
            print(sorted(torch.load(file)))
    buffer = io.BytesIO()
    torch.save([torch.arange(3), "text"], buffer)
    buffer.seek(0)
    tensor, text = torch.load(buffer, map_location=torch.device("cpu"))
    print(tensor, text.upper())
    wrong = model.load_state_dict({"0.weight": torch.zeros(3, 2)}, strict=False)
    print(wrong.missing_keys, wrong.unexpected_keys)
    for name, value in model.state_dict().items():
        print(name, tuple(value.shape), value.dtype)
    twin = copy.deepcopy(model)
    twin.load_state_dict(model.state_dict())
    array: np.ndarray = twin[0].weight.detach().cpu().numpy()
    print(array.mean(), torch.from_numpy(array).sum(), torch.tensor(np.ones(2)), np.asarray(torch.ones(2)).shape)
    print(torch.as_tensor([1, 2], dtype=torch.int8).tolist())


if __name__ == "__main__":
    main()
