"""A program that starts its ranks itself, as tutorials do."""
import sys

import torch
import torch.distributed as dist
import torch.multiprocessing as mp


def work(rank, size, path):
    dist.init_process_group("gloo", init_method=f"file://{path}", rank=rank, world_size=size)
    model = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(2, 1))
    model(torch.ones(1, 2) * rank).sum().backward()
    print("gradient", model.module.weight.grad.tolist())
    dist.destroy_process_group()


if __name__ == "__main__":
    mp.spawn(work, args=(2, sys.argv[1]), nprocs=2)
    print("all ended")
