"""A program as it is written for torchrun: gradients of two batches a step, and an evaluation that gathers objects."""
import os

import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel
from torch.utils.data import DataLoader, TensorDataset
from torch.utils.data.distributed import DistributedSampler


def main():
    torch.set_num_threads(1)
    dist.init_process_group(backend="gloo")
    rank, local = dist.get_rank(), int(os.environ["LOCAL_RANK"])
    plain = nn.Sequential(nn.Linear(8, 16), nn.ReLU(), nn.Linear(16, 2))
    with torch.no_grad():
        for number, p in enumerate(plain.parameters()):
            p.copy_(torch.arange(p.numel()).reshape(p.shape).add(number).sin() * 0.3)
    model = DistributedDataParallel(plain)
    x = torch.arange(64 * 8).reshape(64, 8).float().sin()
    data = TensorDataset(x, (x.sum(1) > 0).long())
    sampler = DistributedSampler(data, shuffle=True, seed=1)
    loader = DataLoader(data, batch_size=8, sampler=sampler, num_workers=1)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-2)
    for epoch in range(3):
        sampler.set_epoch(epoch)
        for number, (inputs, targets) in enumerate(loader):
            if number % 2 == 0:
                with model.no_sync():
                    (nn.functional.cross_entropy(model(inputs), targets) / 2).backward()
            else:
                loss = nn.functional.cross_entropy(model(inputs), targets) / 2
                loss.backward()
                nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimizer.step()
                optimizer.zero_grad()
        mean = loss.detach().clone()
        dist.all_reduce(mean)
        model.eval()
        with torch.no_grad():
            right = [(model(inputs).argmax(1) == targets).sum().item() for inputs, targets in loader]
        model.train()
        found = [None] * dist.get_world_size()
        dist.all_gather_object(found, {"rank": rank, "local": local, "right": right})
        if rank == 0:
            print(f"epoch {epoch} {mean.item():.5f} {found}", flush=True)
    dist.barrier()
    dist.destroy_process_group()


if __name__ == "__main__":
    main()
