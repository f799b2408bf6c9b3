"""What a training step costs on several ranks, beside PyTorch's DDP over gloo, and what a model of it says of many more.

    python -m bench.scaling all [--write]         all of it, and the link; --write: into docs/scaling.md (some five minutes)
    python -m bench.scaling measure [ranks]       a step of leafward and of PyTorch, and whether what is promised of it holds
    python -m bench.scaling check                 measure 2 to 4 ranks of leafward, and print the model's step beside each
    python -m bench.scaling join [ranks ...]      how long so many ranks take to join the store, and what that costs its server:
                                                  over a connection of each machine, and of each rank
    python -m bench.scaling write                 write the model's table and plot into docs/scaling.md
"""
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import timedelta
from math import ceil
from pathlib import Path
from statistics import median

from bench import link, ranks, scaling_model, scaling_page

ROOT = Path(__file__).parents[1]
#: What is measured, and which of them compute so long that they are promised a part of the time.
NAMES, BOUND_BY_COMPUTING = ("mlp", "mlp, large batch", "resnet18", "gpt"), ("mlp, large batch", "resnet18", "gpt")
#: What is promised: how much of its own time a step may be longer by on the processor, and what part of it is the rank's own.
ADDED, EFFICIENT = 0.05, 0.9


def on_ranks(library, size, what, *arguments):
    """What each of ``size`` ranks found (``bench.ranks``)."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
        command = [sys.executable, "-m", "bench.ranks", library]
        started = [subprocess.Popen([*command, str(rank), str(size), f"{folder}/store", what, *arguments], cwd=ROOT,
                                    env=environment, stdout=subprocess.PIPE, text=True) for rank in range(size)]
        said = [rank.communicate()[0] for rank in started]
    if any(rank.returncode for rank in started):
        raise SystemExit(f"ranks of {library} failed")
    return [json.loads(text.splitlines()[-1]) for text in said]


@dataclass
class Steps:
    """A step of one model: seconds by the clock and of the processor, alone beside as many others, and with DDP."""

    library: str
    name: str
    ranks: int
    alone: float
    alone_used: float
    step: float
    used: float
    added: float            # processor seconds of a rank: the median of blocks that follow each other
    weak: float             # of a rank's time alone, the part that its step takes with DDP
    strong: float           # the same where all ranks share what one had
    gradients: int


def measured(library, name, size):
    """The medians over blocks of the means over ranks: what else the machine does comes and goes with the blocks."""
    found = on_ranks(library, size, "steps", name)

    def each_block(way, column):
        return [sum(rows) / size for rows in zip(*[[row[column] for row in rank[way]] for rank in found], strict=True)]
    alone, step, alone_used, used = [each_block(way, column) for column in (0, 1) for way in ("alone", "ddp")]
    whole = [row[0] for row in found[0]["whole"]]
    return Steps(library, name, size, median(alone), median(alone_used), median(step), median(used),
                 median([b - a for a, b in zip(alone_used, used, strict=True)]),
                 median([a / b for a, b in zip(alone, step, strict=True)]),
                 median([a / b / size for a, b in zip(whole, step, strict=True)]), found[0]["gradients"])


def broken(found):
    """Sentences on what is promised and does not hold."""
    by_name = {(one.library, one.name): one for one in found}
    for name in dict.fromkeys([one.name for one in found]):
        ours, theirs = by_name["leafward", name], by_name["torch", name]
        if ours.added > max(theirs.added, ADDED * ours.alone_used):
            yield f"{name}: DDP adds {1e3 * ours.added:.2f} ms of a processor, PyTorch's {1e3 * theirs.added:.2f} ms"
        if name in BOUND_BY_COMPUTING and ours.weak < EFFICIENT:
            yield f"{name}: a rank is {ours.weak:.0%} as fast as alone"


def measure(size):
    """Each model under both libraries, and what of the promises is broken."""
    found = []
    for name in NAMES:
        for library in "leafward", "torch":
            found.append(measured(library, name, size))
            print(scaling_page.row_of(found[-1]), flush=True)
    return found, list(broken(found))


def check(sizes=(2, 3, 4)):
    """Rows of ``(model, ranks, seconds, processor seconds of a rank)``, of each ``(measured, the model's, the model's)``.

    All_reduces, steps alone and one step with DDP calibrate it, by the clock and by the processor: the first row is that step.
    The model's first answer knows steps alone of the fewest ranks, its second those of as many ranks: what ranks that share
    cores take from each other's caches is in these.
    """
    taken = {size: on_ranks("leafward", size, "reductions") for size in sizes}
    scheme = "near" if all([rank["near"] for rows in taken.values() for rank in rows]) else "ring"
    machines = []
    for column, cores in ((0, os.cpu_count() or 1), (1, None)):
        found = {(size, length): sum([rank["rows"][number][column] for rank in taken[size]]) / size
                 for size in sizes for number, length in enumerate((ranks.SHORT, ranks.LONG))}
        machines.append(scaling_model.calibrated(found, cores, scheme))
    jobs, handling = {}, [None, None]
    for name in "mlp", "mlp, large batch":
        for size in sizes:
            one = measured("leafward", name, size)
            here = one.alone, one.alone_used
            first, rows = jobs.setdefault(name, (size, here)), []
            for way, found in enumerate((one.step, one.used)):
                answers = []
                for ranks_alone, alone in first, (size, here):
                    # All of a rank's work is its processor's; and the ranks reduce on the cores that they share.
                    turns = scaling_model.turns_of(machines[way].cores, ranks_alone)
                    job = scaling_model.Job(alone[way] / turns, one.gradients, overlap=False, handling=handling[way] or 0.0)
                    if handling[way] is None:
                        handling[way] = (job := scaling_model.handled(found, job, machines[way], scheme)).handling
                    answers.append(scaling_model.step(job, machines[way], size, scheme, jitter=0.0))
                rows.append((found, *answers))
            yield name, size, *rows


def serve():
    """The store of ``join``, in a process of its own: at each line that comes, print the processor seconds it has used, and
    how many connections it has."""
    from leafward.distributed.tcp_store import TCPStore
    store = TCPStore("localhost", 0, is_master=True)
    print(store.port, flush=True)
    for _ in sys.stdin:
        # Where it listens, what wakes it and its own connection are none.
        print(time.process_time(), len(store.server.selector.get_map()) - 3, flush=True)


#: A machine's relay, in a process of its own as in a job, until its input ends.
RELAY = """import sys
sys.path.insert(0, sys.argv[1])
import relay
kept = relay.attach(sys.argv[2], ("localhost", int(sys.argv[3])))
print(flush=True)
sys.stdin.read()"""


@contextmanager
def relays(count, port):
    """The names of so many relays to the store at ``port``."""
    folder = ROOT / "leafward" / "distributed"
    with ExitStack() as stack:
        names = [f"leafward-{uuid.uuid4().hex}" for _ in range(count)]
        started = [stack.enter_context(subprocess.Popen(
            [sys.executable, "-S", "-E", "-c", RELAY, folder, name, str(port)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE)) for name in names]
        try:
            for one in started:
                one.stdout.readline()
            yield names
        finally:
            for one in started:
                one.stdin.close()


def joined(size, per_node):
    """``(ranks, connections, seconds, processor milliseconds of the server for each rank)``.

    The ranks are threads of this process, and ask what ranks ask of the store while they join: ``per_node`` of them over one
    relay; each over a connection of its own where ``per_node`` is None.
    """
    from leafward.distributed import relay
    from leafward.distributed.agreement import told_by_all
    from leafward.distributed.calls import Ledger
    from leafward.distributed.stores import PrefixStore
    from leafward.distributed.tcp_store import TCPStore
    from leafward.distributed.watch import Watch

    class Group:
        def __init__(self, rank, store):
            self.rank, self.size, self.store = (lambda: rank), (lambda: size), store

    def connected(name):
        if name is not None:
            os.environ[relay.VARIABLE] = f"localhost:{port} {name}"
        try:
            return TCPStore("localhost", port, timeout=timedelta(seconds=100))
        finally:
            os.environ.pop(relay.VARIABLE, None)

    def join(rank):
        store = PrefixStore("job", roots[rank])
        store.add("here", 1) == size and store.set("met", "")
        store.wait(["met"])
        # All ranks are threads of one interpreter here: what takes them long is not the store.
        done[rank] = Watch(store, Ledger(rank), size), told_by_all(Group(rank, store), "same", rank, patience=100)

    with subprocess.Popen([sys.executable, "-m", "bench.scaling", "serve"], cwd=ROOT, stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE, text=True) as server:
        def used():
            server.stdin.write("\n")
            server.stdin.flush()
            seconds, connections = server.stdout.readline().split()
            return float(seconds), int(connections)
        try:
            port, done = int(server.stdout.readline()), {}
            before, _ = used()
            with relays(0 if per_node is None else ceil(size / per_node), port) as names:
                began = time.perf_counter()
                roots = [connected(names[rank // per_node] if names else None) for rank in range(size)]
                threads = [threading.Thread(target=join, args=(rank,)) for rank in range(size)]
                for thread in threads:
                    thread.start()
                for thread in threads:
                    thread.join()
                wall, (after, connections) = time.perf_counter() - began, used()
                if any([done[rank][1] != list(range(size)) for rank in range(size)]):
                    raise SystemExit("they did not meet")
                for watch, _ in done.values():
                    watch.close()
        finally:
            server.stdin.close()
    return size, connections, wall, 1e3 * (after - before) / size


def everything(write):
    """Measure all that the page tells; and whether what is promised holds."""
    busy, found = os.getloadavg()[0], {}
    found["steps"], found["broken"] = measure(2)
    found["checked"] = list(check())
    for row in found["checked"]:
        print(scaling_page.checked_row(*row), flush=True)
    found["joined"] = [[joined(size, per_node) for size in (64, 128, 256)]
                       for per_node in (scaling_model.Machine.per_node, None)]
    why = link.possible()
    if why is None:
        found["links"] = list(link.everywhere())
        for name, numbers in found["links"]:
            print(link.told(name, numbers), flush=True)
    else:
        print(f"there is no link to measure: {why}")
    for sentence in found["broken"]:
        print(f"does not hold: {sentence}")
    if write:
        scaling_model.write(ROOT / "docs")
        scaling_page.write(ROOT / "docs", busy, **found)
    return not found["broken"]


def main(arguments):
    """What the first argument says."""
    what = arguments[0] if arguments else ""
    if what == "all":
        raise SystemExit(not everything("--write" in arguments))
    elif what == "measure":
        _, wrong = measure(int(arguments[1]) if len(arguments) > 1 else 2)
        raise SystemExit("\n".join(f"does not hold: {sentence}" for sentence in wrong) or 0)
    elif what == "check":
        for row in check():
            print(scaling_page.checked_row(*row), flush=True)
    elif what == "serve":
        serve()
    elif what == "join":
        print(f"{'ranks':>6}{'connections':>13}{'seconds':>9}{'server, processor ms a rank':>29}")
        for per_node in scaling_model.Machine.per_node, None:
            for size in [int(size) for size in arguments[1:]] or [64, 128, 256]:
                _, connections, wall, used = joined(size, per_node)
                print(f"{size:>6}{connections:>13}{wall:>9.2f}{used:>29.3f}", flush=True)
    elif what == "write":
        scaling_model.write(ROOT / "docs")
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
