"""What a training step costs on several ranks, beside PyTorch's DDP over gloo, and what a model of it says of many more.

    python -m bench.scaling measure [ranks]       wall and processor seconds of a step, of leafward and PyTorch
    python -m bench.scaling check                 measure 1 to 4 ranks of leafward, and print the model's step beside each
    python -m bench.scaling join [ranks ...]      how long so many ranks take to join the store, and what that costs its server
    python -m bench.scaling write                 write the model's table and plot into docs/scaling.md
"""
import os
import subprocess
import sys
import tempfile
import threading
import time
from datetime import timedelta
from pathlib import Path

from bench import scaling_model

ROOT = Path(__file__).parents[1]
WIDTH, DEPTH, BATCH, STEPS, SHORT, LONG = 512, 4, 64, 10, 1 << 10, 1 << 22


def rank_of(library, rank, size, store):
    """One rank: print seconds of a step, processor seconds of one, and of an all_reduce of few bytes and of many."""
    torch = __import__(library)
    torch.set_num_threads(1)
    torch.distributed.init_process_group("gloo", init_method=f"file://{store}", rank=rank, world_size=size)
    layers = [layer for _ in range(DEPTH) for layer in (torch.nn.Linear(WIDTH, WIDTH), torch.nn.ReLU())]
    model = torch.nn.Sequential(*layers)
    if size > 1:
        model = torch.nn.parallel.DistributedDataParallel(model)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    x = torch.ones(BATCH, WIDTH)

    def step():
        optimizer.zero_grad()
        model(x).sum().backward()
        optimizer.step()

    def least(function, times):
        found = []
        for _ in range(times):
            torch.distributed.barrier()
            wall, used = time.perf_counter(), time.process_time()
            function()
            found.append((time.perf_counter() - wall, time.process_time() - used))
        return [min(column) for column in zip(*found, strict=True)]
    least(step, 2)
    numbers = least(step, STEPS)
    for length in SHORT, LONG:
        many = torch.zeros(length // 4)
        numbers.append(least(lambda many=many: torch.distributed.all_reduce(many), STEPS)[0])
    print(*numbers)
    torch.distributed.destroy_process_group()


def measured(library, size):
    """The means over ``size`` ranks of what each printed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "bench.scaling", "rank", library]
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        ranks = [subprocess.Popen([*command, str(rank), str(size), f"{folder}/store"], cwd=ROOT, env=environment,
                                  stdout=subprocess.PIPE, text=True) for rank in range(size)]
        said = [rank.communicate()[0] for rank in ranks]
    if any(rank.returncode for rank in ranks):
        raise SystemExit(f"ranks of {library} failed")
    rows = [[float(number) for number in text.split()] for text in said]
    return [sum(column) / size for column in zip(*rows, strict=True)]


def measure(size):
    """Print both libraries on 1 and on ``size`` ranks; the batch of each rank stays the same."""
    print(f"{'':10}{'ranks':>6}{'step, wall ms':>16}{'processor ms':>14}{'4 MB reduced, ms':>18}")
    for library in "leafward", "torch":
        for ranks in sorted({1, size}):
            wall, used, _, long = measured(library, ranks)
            print(f"{library:10}{ranks:>6}{1e3 * wall:>16.2f}{1e3 * used:>14.2f}{1e3 * long:>18.2f}")


def check(sizes=(2, 3, 4)):
    """Rows of ``(ranks, measured seconds, the model's)``: one rank and the all_reduces of two calibrate it."""
    alone = measured("leafward", 1)[0]
    _, _, short, long = measured("leafward", 2)
    machine = scaling_model.calibrated(short, long, SHORT, LONG)
    gradients, cores = 4 * DEPTH * (WIDTH * WIDTH + WIDTH), os.cpu_count() or 1
    for size in sizes:
        # Ranks beyond the cores take turns.
        compute = alone * max(1, size / cores)
        told = scaling_model.step(scaling_model.Job(compute, gradients, overlap=False), machine, size, "ring", jitter=0.0)
        yield size, measured("leafward", size)[0], told


def serve():
    """The store of ``join``, in a process of its own: at each line that comes, print the processor seconds it has used."""
    from leafward.distributed.tcp_store import TCPStore
    store = TCPStore("localhost", 0, is_master=True)
    print(store.port, flush=True)
    for _ in sys.stdin:
        print(time.process_time(), flush=True)


def joins(sizes):
    """Rows of ``(ranks, connections, seconds, processor milliseconds of the server for each rank)``.

    The ranks are threads of this process, each with a connection, and ask what ranks ask of the store while they join.
    """
    from leafward.distributed.agreement import told_by_all
    from leafward.distributed.calls import Ledger
    from leafward.distributed.stores import PrefixStore
    from leafward.distributed.tcp_store import TCPStore
    from leafward.distributed.watch import Watch
    with subprocess.Popen([sys.executable, "-m", "bench.scaling", "serve"], cwd=ROOT, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as server:
        port = int(server.stdout.readline())

        def used():
            server.stdin.write("\n")
            server.stdin.flush()
            return float(server.stdout.readline())

        class Group:
            def __init__(self, rank, size, store):
                self.rank, self.size, self.store = (lambda: rank), (lambda: size), store

        def join(rank, size, done):
            root = TCPStore("localhost", port, size, timeout=timedelta(seconds=100), wait_for_workers=False)
            store = PrefixStore(f"job {size}", root)
            store.add("here", 1) == size and store.set("met", "")
            store.wait(["met"])
            done[rank] = Watch(store, Ledger(rank), size), told_by_all(Group(rank, size, store), "same", rank)
        try:
            for size in sizes:
                done, began, before = {}, time.perf_counter(), used()
                ranks = [threading.Thread(target=join, args=(rank, size, done)) for rank in range(size)]
                for rank in ranks:
                    rank.start()
                for rank in ranks:
                    rank.join()
                wall, after = time.perf_counter() - began, used()
                if any([done[rank][1] != list(range(size)) for rank in range(size)]):
                    raise SystemExit("they did not meet")
                yield size, len({id(watch.store._underlying_non_prefix_store.line) for watch, _ in done.values()}), wall, \
                    1e3 * (after - before) / size
                for watch, _ in done.values():
                    watch.close()
        finally:
            server.stdin.close()


def main(arguments):
    """What the first argument says."""
    what = arguments[0] if arguments else ""
    if what == "rank":
        rank_of(arguments[1], int(arguments[2]), int(arguments[3]), arguments[4])
    elif what == "measure":
        measure(int(arguments[1]) if len(arguments) > 1 else 2)
    elif what == "check":
        for size, found, told in check():
            print(f"{size} ranks: measured {1e3 * found:.2f} ms, model {1e3 * told:.2f} ms")
    elif what == "serve":
        serve()
    elif what == "join":
        print(f"{'ranks':>6}{'connections':>13}{'seconds':>9}{'server, processor ms a rank':>29}")
        for size, connections, wall, used in joins([int(size) for size in arguments[1:]] or [64, 128, 256]):
            print(f"{size:>6}{connections:>13}{wall:>9.2f}{used:>29.3f}")
    elif what == "write":
        scaling_model.write(ROOT / "docs")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
