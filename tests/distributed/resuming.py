"""Training that saves each step and goes on from there; each time that it is started, it fails in another way."""
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch.distributed import checkpoint

STEPS = 8


def rows(step):
    return torch.arange(24.0, dtype=torch.float64).reshape(4, 6).sin() * (1 + step)


def train(folder, rank=0, size=1, attempt=None):
    """The losses of the last step."""
    torch.manual_seed(0)
    plain = torch.nn.Linear(6, 2).double()
    model = torch.nn.parallel.DistributedDataParallel(plain) if size > 1 else plain
    optimizer, done = torch.optim.SGD(model.parameters(), lr=0.01, momentum=0.9), 0
    if os.path.exists(f"{folder}/.metadata"):
        state = {"model": plain, "momentum": [torch.zeros_like(p) for p in plain.parameters()], "done": 0}
        checkpoint.load(state, checkpoint_id=folder)
        for p, kept in zip(plain.parameters(), state["momentum"]):
            optimizer.state[p]["momentum_buffer"] = kept
        done = state["done"]
    for step in range(done, STEPS):
        if attempt is not None and step == 2 * attempt + 2 and rank == 1:
            if attempt == 0:
                raise ValueError("boom")
            if attempt == 1:
                sys.exit(3)
        loss = model(rows(step)[rank::size]).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        momentum = [optimizer.state[p]["momentum_buffer"] for p in plain.parameters()]
        if attempt == 2 and step == 5 and rank == 1:
            torch.distributed.checkpoint.filesystem.written = lambda *args: os.kill(os.getpid(), signal.SIGKILL)
        if size > 1:
            checkpoint.save({"model": plain, "momentum": momentum, "done": step + 1}, checkpoint_id=folder)
    total = loss.detach().clone()
    if size > 1:
        dist.all_reduce(total)
    return total.item() / size


if __name__ == "__main__":
    dist.init_process_group("gloo")
    attempt = int(os.environ["TORCHELASTIC_RESTART_COUNT"])
    print(f"loss {train(sys.argv[1], dist.get_rank(), dist.get_world_size(), attempt)!r}")
    dist.destroy_process_group()
