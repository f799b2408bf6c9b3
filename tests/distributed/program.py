"""A program as it is written for torchrun; its argument says what goes wrong on the second rank."""
import os
import signal
import sys
import time
from datetime import timedelta

import torch
import torch.distributed as dist

dist.init_process_group("gloo", timeout=timedelta(seconds=float(sys.argv[2]) if len(sys.argv) > 2 else 1))
rank, what = dist.get_rank(), sys.argv[1]
x = torch.ones(3) * rank
dist.all_reduce(x)
# In one piece: ranks may share an output.
local = os.environ["LOCAL_RANK"], os.environ["LOCAL_WORLD_SIZE"]
print(f"total {x.tolist()} {' '.join(local)} {dist.get_backend()}\n", end="", flush=True)
if rank == 1 and what == "raises":
    raise ValueError("boom")
if rank == 1 and what == "exits":
    sys.exit(3)
if what == f"killed{rank or ''}":
    os.kill(os.getpid(), signal.SIGKILL)
if rank == 1 and what == "stopped":
    os.kill(os.getpid(), signal.SIGSTOP)
if rank == 1 and what == "sleeps":
    time.sleep(100)
if what == "differs":
    dist.all_reduce(torch.ones(2 + rank))
if what == "garbles":
    dist.all_reduce(x)
    garbled = torch.ones(2, dtype=torch.int32 if rank else torch.float32)
    dist.all_reduce(garbled)
    for _ in range(20):
        dist.all_reduce(x)
        time.sleep(0.05)
if what == "restarts" and os.environ["TORCHELASTIC_RESTART_COUNT"] == "0":
    sys.exit(4 * rank)
if what == "waits":
    print("waiting", os.getpid())
    time.sleep(100)
dist.all_reduce(x)
print("end")
dist.destroy_process_group()
