"""Steps of data-parallel training on many ranks, event by event; and what checkpoints, failures and the store cost beside."""
from dataclasses import dataclass, replace
from math import ceil, log2, sqrt

import numpy as np

RANKS = 1, 2, 4, 8, 16, 64, 256, 1024, 4096, 10_000
SCHEMES = "ring", "halving"
BEGIN, END = "<!-- written by python -m bench.scaling write -->\n", "<!-- end of scaling -->\n"


@dataclass
class Job:
    """Seconds that a step computes on each rank, and bytes of gradients that are reduced."""

    compute: float
    gradients: float
    bucket: float = 25 * 2**20
    overlap: bool = True
    checkpoint: float = 0.0             # bytes
    handling: float = 0.0               # seconds a byte of gradients, to put it into a bucket and back


@dataclass
class Machine:
    """Links, disks, how often a node fails, and how long the job needs to start again.

    ``cores``: how many all ranks share, and their reductions with them; None: each rank has one, and its network beside it.
    """

    latency: float = 20e-6              # seconds a message
    bandwidth: float = 1.25e9           # bytes a second, each way: 10 Gbit
    disk: float = 1e9                   # bytes a second that a rank writes
    failure: float = 5 * 365 * 86400    # seconds between failures of one node
    per_node: int = 8
    restart: float = 300.0
    join: float = 0.25e-3               # seconds that the store takes for all that one rank asks until it has joined
    descriptors: int = 1 << 19          # connections that one process may have
    cores: int | None = None


def traffic(ranks, size, scheme):
    """``(messages, bytes)`` that a rank sends one after the other in an all_reduce of ``size`` bytes.

    "near": ranks of one machine, which read and write each other's memory. Each says that it is there and sees that all is
    done; it reads its part of what all have and writes the sum to all, which is as many bytes however many ranks there are.
    """
    if scheme == "near":
        return (2, size) if ranks > 1 else (0, 0.0)
    messages = 2 * (ranks - 1) if scheme == "ring" else 2 * ceil(log2(ranks))
    return messages, 2 * (ranks - 1) / ranks * size


def reduction(machine, ranks, size, scheme):
    """Seconds of an all_reduce of ``size`` bytes."""
    messages, moved = traffic(ranks, size, scheme)
    return messages * machine.latency + moved / machine.bandwidth


def turns_of(cores, ranks):
    """How many times as long all takes where ranks share ``cores``: those beyond them take turns."""
    return 1.0 if cores is None else max(1.0, ranks / cores)


def step(job, machine, ranks, scheme, jitter=0.03, steps=50):
    """Mean seconds of a step. ``jitter``: how much the time that a rank computes varies, as a part of it."""
    draws = np.random.default_rng(0)
    buckets = max(1, ceil(job.gradients / job.bucket))
    turns = turns_of(machine.cores, ranks)
    each = turns * reduction(machine, ranks, job.gradients / buckets, scheme)
    handling = turns * job.handling * job.gradients if ranks > 1 else 0.0
    overlap, computing, total = job.overlap and machine.cores is None, turns * job.compute, 0.0
    for _ in range(steps if jitter else 1):
        compute = computing * np.exp(jitter * draws.standard_normal(ranks)) if jitter else np.full(ranks, computing)
        forward, backward, end = compute / 3, compute * 2 / 3 + handling, 0.0
        for number in range(buckets):
            done = (number + 1) / buckets if overlap else 1.0
            # A bucket is reduced once the slowest rank has it and the one before is through.
            end = max(end, float(np.max(forward + backward * done))) + each
        total += max(end, float((compute + handling).max()))
    return total / (steps if jitter else 1)


def lost(job, machine, ranks):
    """The part of time that checkpoints and failures take, with the best time between checkpoints (Young, Daly)."""
    between = machine.failure / ceil(ranks / machine.per_node)
    writing = job.checkpoint / ranks / machine.disk + 1.0       # a second for the manifest and the ranks' agreement on it
    every = sqrt(2 * writing * between)
    return min(1.0, writing / every + (every / 2 + machine.restart) / between)


def control(machine, ranks):
    """``(connections to the store, seconds until all have joined)``: one of each node; its ranks are served one by one."""
    return ceil(ranks / machine.per_node), ranks * machine.join


def calibrated(found, cores=None, scheme="ring"):
    """The machine whose reductions take the seconds ``found``, ``{(ranks, bytes): seconds}``, with least relative errors."""
    rows = [np.array(traffic(ranks, size, scheme)) * turns_of(cores, ranks) / seconds
            for (ranks, size), seconds in found.items()]
    costs = np.linalg.lstsq(np.array(rows), np.ones(len(rows)), rcond=None)[0]
    latency, of_a_byte = np.maximum(costs, [0.0, 1e-15]).tolist()
    return Machine(latency=latency, bandwidth=1 / of_a_byte, cores=cores)


def handled(found, job, machine, scheme="ring"):
    """The job with the handling that makes a step of two ranks on this machine as long as was ``found``."""
    bare = step(job, machine, 2, scheme, jitter=0.0)
    return replace(job, handling=max(0.0, found - bare) / job.gradients)


#: A network of a hundred million float32 parameters, 0.5 s a step; two copies at 20 GB a second.
EXAMPLE = Job(compute=0.5, gradients=4e8, checkpoint=1.2e9, handling=0.1e-9)


def rows(job, machine):
    """For each number of ranks: efficiency of a step with each scheme, what is lost, connections, seconds to join."""
    for ranks in RANKS:
        efficiency = [job.compute / step(job, machine, ranks, scheme) for scheme in SCHEMES]
        yield ranks, *efficiency, lost(job, machine, ranks), *control(machine, ranks)


def table(found, machine):
    """The rows in Markdown."""
    lines = ["| ranks | ring | halving | lost to checkpoints and failures | connections to the store | seconds to join |",
             "|---:|---:|---:|---:|---:|---:|"]
    for ranks, ring, halving, away, connections, join in found:
        stops = " (more than a process may have)" if connections > machine.descriptors else ""
        lines.append(f"| {ranks:,} | {ring:.0%} | {halving:.0%} | {away:.2%} | {connections:,}{stops} | {join:,.2f} |")
    return "\n".join(lines) + "\n"


def plot(found):
    """Efficiency over ranks, as SVG."""
    def point(ranks, value):
        return f"{60 + 500 * log2(ranks) / log2(RANKS[-1]):.1f},{270 - 240 * value:.1f}"
    parts = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 640 310" font-family="sans-serif" font-size="12">',
             '<rect width="640" height="310" fill="white"/>']
    for share in 0, 0.25, 0.5, 0.75, 1:
        y = 270 - 240 * share
        parts.append(f'<path d="M60 {y}H560" stroke="#ddd"/><text x="52" y="{y + 4}" text-anchor="end">{share:.0%}</text>')
    for ranks in RANKS:
        x = point(ranks, 0).split(",")[0]
        parts.append(f'<text x="{x}" y="288" text-anchor="middle">{ranks}</text>')
    for position, (name, color) in enumerate(zip(SCHEMES, ("#d62728", "#1f77b4"), strict=True), 1):
        line = " ".join([point(row[0], row[position]) for row in found])
        parts.append(f'<polyline points="{line}" fill="none" stroke="{color}" stroke-width="2"/>')
        parts.append(f'<text x="568" y="{270 - 240 * found[-1][position] + 4:.1f}" fill="{color}">{name}</text>')
    parts.append('<text x="310" y="305" text-anchor="middle">ranks</text></svg>')
    return "\n".join(parts) + "\n"


def write(folder):
    """Write the table into ``scaling.md`` and the plot beside it."""
    machine = Machine()
    found = list(rows(EXAMPLE, machine))
    page = folder / "scaling.md"
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError("there is no place for the table")
    page.write_text(before + BEGIN + "\n" + table(found, machine) + "\n" + END + after, encoding="utf-8")
    (folder / "scaling.svg").write_text(plot(found), encoding="utf-8")
