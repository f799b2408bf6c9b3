"""A program as it is written for torchrun; its first argument says what goes wrong, its second how long ranks wait, its third
how many numbers they add."""
import os
import re
import signal
import sys
import time
import warnings
import weakref
from datetime import timedelta

import torch
import torch.distributed as dist


def hangs(rank):
    """One rank sleeps, one is stopped, one does not let go of the interpreter."""
    if rank == 1:
        time.sleep(100)
    if rank == 2:
        os.kill(os.getpid(), signal.SIGSTOP)
    if rank == 3:
        re.match("(a+)+$", 40 * "a" + "b")


def differs(rank):
    """Another length, another dtype, another collective."""
    for call in (lambda: dist.all_reduce(torch.ones(2 + rank)),
                 lambda: dist.all_reduce(torch.ones(2, dtype=torch.int32 if rank else torch.float32)),
                 lambda: dist.broadcast(torch.ones(2), 0) if rank else dist.all_reduce(torch.ones(2))):
        try:
            call()
        except dist.DistBackendError as error:
            print(str(error).replace("\n", " | "))


def garbles(rank):
    """Bytes of the same number: MPI adds them."""
    dist.all_reduce(torch.ones(1))
    garbled = torch.ones(2, dtype=torch.int32 if rank else torch.float32)
    dist.all_reduce(garbled)
    for _ in range(20):
        dist.all_reduce(torch.ones(1))
        time.sleep(0.05)


def counts(rank):
    """Where MPI cannot count so far, each of these goes in parts; a rank of PyTorch's has nothing of the kind."""
    from leafward.distributed import mover
    from leafward.distributed.mpi import process
    process.mover.requests.counts_far, mover.COUNTED, mover.PART = False, 12, 5
    found, before = [], process.mover.begun
    for dtype in (torch.float32, torch.bfloat16, torch.complex128, torch.bool):
        x = torch.arange(23).to(dtype)
        total, at_root, given, sent = x.clone(), x.clone(), x * (rank + 1), x * (rank + 1)
        dist.all_reduce(total)
        dist.reduce(at_root, 1)
        dist.broadcast(given, 1)
        dist.send(sent, 1) if rank == 0 else dist.recv(sent, 0)
        found += [total.equal(x + x), rank == 0 or at_root.equal(x + x), given.equal(x * 2), sent.equal(x)]
        if rank == 0:
            dist.send(x, 1)
        else:
            from_any = torch.empty_like(x)
            found += [dist.recv(from_any) == 0 and from_any.equal(x)]
        cut = process.mover.begun - before
    print(f"cut {all(found)} {cut >= 3 * 5 * 4}")
    moved = []
    for dtype in (torch.float32, torch.int64, torch.bool, torch.bfloat16):
        x, whole = torch.arange(23).to(dtype), torch.arange(46).to(dtype)
        both = torch.stack([x, (x * 2).to(dtype)])
        mine, gathered, single = both[rank], [torch.empty_like(x) for _ in range(2)], torch.empty_like(whole)
        dist.all_gather(gathered, mine)
        dist.all_gather_single(single, mine)
        moved += [torch.stack(gathered).equal(both), single.equal(both.flatten())]
        gathered, part = [torch.empty_like(x) for _ in range(2)], torch.empty_like(x)
        dist.gather(mine, gathered if rank == 1 else None, dst=1)
        dist.scatter(part, list(both) if rank == 0 else None)
        moved += [rank == 0 or torch.stack(gathered).equal(both), part.equal(mine)]
        # As many elements to and from each rank, and as many as there are.
        dist.all_to_all_single(single, whole)
        moved += [single.equal(torch.cat(2 * [whole[23 * rank:23 * rank + 23]]))]
        uneven, sizes = torch.empty_like(whole), [[14, 32], [32, 14]][rank]
        dist.all_to_all_single(uneven, whole, output_split_sizes=sizes, input_split_sizes=sizes)
        moved += [uneven.equal(torch.cat([whole[:14] if rank == 0 else whole[14:], whole[:32] if rank == 0 else whole[32:]]))]
        small, sizes = torch.empty(6, dtype=dtype), [[2, 4], [4, 2]][rank]
        dist.all_to_all_single(small, whole[:6], output_split_sizes=sizes, input_split_sizes=sizes)
        moved += [small.equal(torch.cat([whole[:2], whole[:4]] if rank == 0 else [whole[2:6], whole[4:6]]))]
        dist.reduce_scatter_single(part, whole)
        moved += [part.equal(whole[23 * rank:23 * rank + 23] + whole[23 * rank:23 * rank + 23])]
        dist.reduce_scatter(part, list(both))
        moved += [part.equal(mine + mine)]
    print(f"moved {moved}")


def adds(rank):
    """Sums of many numbers, which ranks of one machine make where they lie: of a call, of several at once, of gradients."""
    from leafward.distributed.mpi import process
    works, xs, nan = [], [torch.full((50_000 + k,), float(rank + k)) for k in range(100)], float("nan")
    for x in xs:
        works.append(dist.all_reduce(x, async_op=True))
    for work in works[::-1] if rank else works:
        work.wait()
    mean = torch.arange(70_000, dtype=torch.float64) * (rank + 1)
    dist.all_reduce(mean, dist.ReduceOp.AVG)
    strided = (torch.ones(60_000, 2) * (rank + 1)).t()[0]
    work = dist.all_reduce(strided, async_op=True)
    while not work.is_completed():                  # nobody waits for it
        time.sleep(0.001)
    print(f"added {all([x.eq(2 * k + 1).all() for k, x in enumerate(xs)])} "
          f"{mean.equal(torch.arange(70_000, dtype=torch.float64) * 1.5)} {strided.eq(3).all()}")
    for as_views in (False, True):
        model = torch.nn.Sequential(torch.nn.Linear(300, 300), torch.nn.Linear(300, 3, dtype=torch.float64))
        model[0].register_forward_hook(lambda layer, given, out: out.double())
        model = torch.nn.parallel.DistributedDataParallel(model, gradient_as_bucket_view=as_views)
        with warnings.catch_warnings(record=True) as said:
            warnings.simplefilter("always")
            for bad in (1.0, 1.0, nan):
                model.zero_grad()
                model(torch.ones(1, 300) * (rank + 1) * (bad if rank else 1.0)).sum().backward()
                if bad == 1:
                    bias, weight = model.module[1].bias.grad.tolist(), model.module[0].bias.grad
                    print("gradients", bias, weight.equal(model.module[1].weight.detach().sum(0).float()))
        print("said", [str(one.message).replace("\n", " | ") for one in said])
    waits = process.mover.thread.is_alive(), dist.group.WORLD.reduces_in_place("float32")
    print(f"near {waits}")
    if waits[1]:
        try:
            dist.all_reduce(torch.ones(70_000 + rank))
        except dist.DistBackendError as error:
            print(str(error).replace("\n", " | "))


def well(rank):
    """What collectives needed is freed when they end, without the collector; PyTorch has nothing of the kind to look at."""
    arrays = []
    for _ in range(3):
        x = torch.ones(100_000)
        arrays.append(weakref.ref(x._array))
        dist.all_reduce(x)
        dist.all_gather([torch.empty(100_000) for _ in range(2)], x)
    del x
    dist.barrier()
    print(f"held {sum([ref() is not None for ref in arrays])}")


def stands(rank):
    """Where a launcher put this rank."""
    print("stands", *[os.environ[name] for name in (
        "LOCAL_RANK", "LOCAL_WORLD_SIZE", "GROUP_RANK", "GROUP_WORLD_SIZE", "TORCHELASTIC_RESTART_COUNT")])


def connects(rank):
    """How many connections the launcher's store has: one is the launcher's own. It stands on this machine, too."""
    port = f":{int(os.environ['MASTER_PORT']):04X}"
    with open("/proc/net/tcp") as file:
        rows = [line.split() for line in file]
    print("connections", sum([mine.endswith(port) and state == "01" for _, mine, _, state, *_ in rows[1:]]) - 1)


def waits(rank):
    print("waiting", os.getpid())
    time.sleep(100)


def leaves(rank):
    """One rank ends well before the other has done all."""
    if rank == 0:
        dist.destroy_process_group()
        sys.exit()


def raises(rank):
    if rank == 1:
        raise ValueError("boom")


def exits(rank):
    if rank == 1:
        sys.exit(3)


def main(what, seconds=1.0, length=3):
    dist.init_process_group("gloo", timeout=timedelta(seconds=float(seconds)))
    rank = dist.get_rank()
    x = torch.ones(int(length)) * rank
    dist.all_reduce(x)
    # In one piece: ranks may share an output.
    local = os.environ["LOCAL_RANK"], os.environ["LOCAL_WORLD_SIZE"]
    print(f"total {x[:3].tolist()} {' '.join(local)} {dist.get_backend()}\n", end="", flush=True)
    print(f"at {time.time()}\n", end="", flush=True)
    if what.startswith("killed"):
        if rank == int(what[-1]):
            os.kill(os.getpid(), signal.SIGKILL)
    else:
        globals()[what](rank)
    try:
        dist.all_reduce(x)
    except dist.DistBackendError:
        print(f"told at {time.time()}\n", end="", flush=True)
        raise
    print("end")
    dist.destroy_process_group()


main(*sys.argv[1:])
