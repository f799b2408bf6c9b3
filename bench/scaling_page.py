"""What was measured, as it stands in ``docs/scaling.md``."""
import os
import platform
from pathlib import Path

from bench import link

BEGIN, END = "<!-- measured by python -m bench.scaling all --write -->\n", "<!-- end of measured -->\n"
LIBRARIES = {"leafward": "leafward", "torch": "PyTorch over gloo"}


def row_of(one):
    """One model's step as a line."""
    seconds = one.alone, one.alone_used, one.step, one.used, one.added
    alone, used, step, with_ddp, added = [1e3 * part for part in seconds]
    return (f"{one.name:18}{one.library:10}alone {alone:8.2f} ms, processor {used:8.2f}; {one.ranks} ranks {step:8.2f}, "
            f"{with_ddp:8.2f}; DDP adds {added:6.2f}; weak {one.weak:4.0%}, strong {one.strong:4.0%}")


def off(row, answer):
    """How far an answer of the model's, the first or the second, is off what was measured."""
    return row[answer] / row[0] - 1


def checked_row(name, ranks, clock, used):
    """One step beside the model's, as a line."""
    return f"{name}: {ranks} ranks: " + "; ".join([
        f"{what} {1e3 * row[0]:.2f} ms, model {', '.join(answers(row))}"
        for what, row in (("measured", clock), ("processor", used))])


def answers(row):
    """The model's two, in milliseconds, and how far each is off."""
    return [f"{1e3 * row[answer]:.2f} ({off(row, answer):+.0%})" for answer in (1, 2)]


def processor():
    """What this machine computes with."""
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
        name = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    except (OSError, StopIteration):
        name = platform.machine()
    return f"{os.cpu_count()} cores ({name})"


def steps_table(steps):
    """Every model under both libraries."""
    lines = ["| model | | a rank alone, ms | with DDP, ms | processor: alone, ms | DDP adds, ms | weak | strong |",
             "|---|---|---:|---:|---:|---:|---:|---:|"]
    for one in steps:
        lines.append(f"| {one.name} | {LIBRARIES[one.library]} | {1e3 * one.alone:.1f} | {1e3 * one.step:.1f} | "
                     f"{1e3 * one.alone_used:.1f} | {1e3 * one.added:.2f} | {one.weak:.0%} | {one.strong:.0%} |")
    return "\n".join(lines)


def joining(by_node, by_rank):
    """What joining costs the store where ranks share connections, and where each has its own."""
    lines = [f"| {size} | {shared} | {used:.2f} | {own} | {used_by_own:.2f} |"
             for (size, shared, _, used), (_, own, _, used_by_own) in zip(by_node, by_rank, strict=True)]
    return "\n".join(["""**Joining** (`join`): ranks that are threads of one process, and a store in another; a connection
of each 8, over relays that are processes, too, or of each. What it takes of the store's processor for each rank:

| ranks | connections of 8 ranks | ms a rank | connections of one | ms a rank |
|---:|---:|---:|---:|---:|""", *lines, ""])


def page(busy, steps, broken, checked, joined, links=()):
    """The part of the page that is measured."""
    size = steps[0].ranks
    parts = [f"""**A step on {size} ranks** of one thread each (`measure`), on {processor()}; the load average
at the beginning was {busy:.1f}. The models are in `bench/ranks.py`. "Alone" are as many processes at once without a
connection, for they share memory and caches too; blocks of steps alone and with DDP take turns, and the numbers are
medians over blocks. Weak scaling is a rank's time alone beside its step with DDP; strong scaling is one process with
all data beside {size} ranks that share it, as a part of {size} times its speed.

{steps_table(steps)}
"""]
    if broken:
        parts.append("What is promised (DDP adds no more processor time than PyTorch's does over gloo, or 5%;\n"
                     "models that compute long scale to 90%) did not hold here:\n\n"
                     + "\n".join([f"* {sentence}" for sentence in broken]) + "\n")
    else:
        parts.append("What is promised holds here: DDP adds no more processor time than PyTorch's does over gloo, or 5%, and\n"
                     "models that compute long scale to 90% and more.\n")
    (clock, clock_here), (used, used_here) = [[max([abs(off(row[way], answer)) for row in checked[1:]]) for answer in (1, 2)]
                                              for way in (2, 3)]
    parts.append(f"""**The model beside measured ranks** (`check`). All_reduces of these ranks, steps alone and the first
row calibrate it; the other rows are what it says. Ranks beyond the cores take turns, in computing and in reducing, and
nothing overlaps: they reduce on the cores that they share. That they also empty each other's caches is not modelled. It is
off by {clock:.0%} of the time by the clock at most, and by {used:.0%} of a rank's processor time, where it knows of steps alone
only those of 2 ranks, on a core each; by {clock_here:.0%} and {used_here:.0%} where it knows those of as many ranks without
a connection, whose caches are emptied as well ("beside as many").

| model | ranks | measured, ms | the model | beside as many | processor, ms | the model | beside as many |
|---|---:|---:|---:|---:|---:|---:|---:|
""" + "\n".join([f"| {name} | {ranks} | " + " | ".join(
        [f"{1e3 * row[0]:.2f} | {' | '.join(answers(row))}" for row in ways]) + " |" for name, ranks, *ways in checked]) + "\n")
    parts.append(joining(*joined))
    if links:
        bound = link.LARGE / link.RATE
        parts.append(f"""**Over a link of 1 Gbit** (`python -m bench.link`, as root: two network namespaces on one machine, a
pair of interfaces between them, shaped by `tc`). Two ranks of one thread; 12.58 MB of gradients in buckets of 2 MB; bytes are
the interface's own count, beside 2(N−1)/N of the gradients; 16 MB need {1e3 * bound:.0f} ms.

| | sent a step | of the reduction hidden behind backward | 16 MB reduced |
|---|---:|---:|---:|
"""
                     + "\n".join([f"| {name} | {found['sent'] / found['gradients']:.3f} | {found['hidden']:.0%} | "
                                  f"{1e3 * found['large']:.0f} ms ({found['large'] / bound:.2f}) |"
                                  for name, found in links]) + "\n")
    return "\n".join(parts)


def write(folder, *found, **more):
    """Write it into ``scaling.md``."""
    file = folder / "scaling.md"
    before, _, rest = file.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not end:
        raise ValueError("there is no place for what was measured")
    written = page(*found, **more)
    file.write_text(before + BEGIN + "\n" + written + "\n" + END + after, encoding="utf-8")
