"""The GPT of ``gpt.py`` on several ranks: each has a part of the batch, and the losses are those of one rank on all of it.

    leafward launch -n 2 examples/gpt_on_ranks.py [steps]        as torchrun would start it
    leafward run examples/gpt_on_ranks.py [steps] [ranks]        starts its ranks itself; needs leafward[mpi]
"""
import os
import sys
import tempfile

import torch
import torch.distributed as dist
import torch.multiprocessing as mp
import torch.nn.functional as F
from gpt import CONTEXT, GPT, SYMBOLS, TEXT
from torch import nn

BATCH = 8


def made():
    """A model that is the same wherever it is made. Its dropout is off: each rank would drop values of its own."""
    model, draws = GPT(), torch.Generator().manual_seed(0)
    for p in model.parameters():
        if p.dim() >= 2:
            nn.init.normal_(p, std=0.02, generator=draws)
    for module in model.modules():
        if isinstance(module, nn.Dropout):
            module.p = 0.0
    return model


def train(rank, steps):
    """What a rank does: the loss of each step, over all ranks."""
    size = dist.get_world_size()
    if BATCH % size:
        raise SystemExit(f"{BATCH} windows cannot be shared out equally among {size} ranks")
    mine = slice(rank * BATCH // size, (rank + 1) * BATCH // size)
    text = torch.tensor([SYMBOLS.index(c) for c in TEXT])
    model = nn.parallel.DistributedDataParallel(made())
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3, betas=(0.9, 0.95), weight_decay=0.1)
    draws, losses = torch.Generator().manual_seed(1), []
    for step in range(1, steps + 1):
        starts = torch.randint(len(text) - CONTEXT, (BATCH, 1), generator=draws)    # all ranks draw the same
        windows = text[starts[mine] + torch.arange(CONTEXT + 1)]                    # n t+1
        loss = F.cross_entropy(model(windows[:, :-1]).flatten(0, 1), windows[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        whole = loss.detach().clone()
        dist.all_reduce(whole)
        losses.append(whole.item() / size)
        if rank == 0:
            print(f"step {step:3}  loss {losses[-1]:.6f}", flush=True)
    return losses


def begin(rank, steps, size, store):
    """A rank that this program started itself."""
    dist.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
    train(rank, steps)
    dist.destroy_process_group()


def main(steps, size):
    if "RANK" in os.environ:                        # a launcher started the ranks
        dist.init_process_group("gloo")
        train(dist.get_rank(), steps)
        dist.destroy_process_group()
        return
    with tempfile.TemporaryDirectory() as folder:
        mp.spawn(begin, args=(steps, size, os.path.join(folder, "store")), nprocs=size)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200, int(sys.argv[2]) if len(sys.argv) > 2 else 2)
