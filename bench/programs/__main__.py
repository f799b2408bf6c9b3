"""Time programs under both libraries: ``python -m bench.programs [--threads N] [--memory] [--write] [parts of names]``."""
import argparse
import json
import subprocess
import sys
from time import perf_counter

from bench.programs import networks, scripts
from bench.survey.report import ROOT, machine, shown, split_page, table

PROGRAMS = {**scripts.PROGRAMS, **networks.PROGRAMS}
THREADS = 2
SECONDS = 1.0               # for each library, at least three steps
TOLERANCE = 1e-3
BEGIN, END = "<!-- written by python -m bench.programs -->\n", "<!-- end of programs -->\n"

#: A process of its own, and what its memory grew by since the library was imported and used once. Linux alone says.
MEMORY = """
import re, sys
from importlib import import_module
from bench.programs.__main__ import PROGRAMS
torch = import_module(sys.argv[1])
torch.set_num_threads(int(sys.argv[3]))
def memory(name):
    return int(re.search(name + r":\\s+(\\d+) kB", open("/proc/self/status").read())[1])
(torch.ones(8, 8, requires_grad=True) @ torch.ones(8, 8)).sum().backward()
before = memory("VmRSS")
step = PROGRAMS[sys.argv[2]](torch)
for _ in range(5):
    step()
print(memory("VmHWM") - before)
"""


def close(ours, theirs):
    return abs(ours - theirs) <= TOLERANCE * max(1.0, abs(theirs))


def compare(program, threads, seconds=SECONDS):
    """The least seconds of a step under each library, in turns; the first step of both must give the same number."""
    import leafward
    import torch
    leafward.set_num_threads(threads)
    torch.set_num_threads(threads)
    steps = [program(leafward), program(torch)]
    numbers = [step() for step in steps]
    if not close(*numbers):
        raise AssertionError(f"leafward computed {numbers[0]}, PyTorch {numbers[1]}")
    least, spent, turns = [float("inf")] * 2, [0.0, 0.0], 0
    while min(spent) < seconds or turns < 3:
        for k in (0, 1) if turns % 2 else (1, 0):
            start = perf_counter()
            steps[k]()
            taken = perf_counter() - start
            least[k], spent[k] = min(least[k], taken), spent[k] + taken
        turns += 1
    return least


def memory(name, module, threads):
    """KiB by which a process of its own grew at most."""
    done = subprocess.run([sys.executable, "-c", MEMORY, module, name, str(threads)],
                          check=True, capture_output=True, text=True, cwd=ROOT)
    return int(done.stdout)


def results(names, threads, with_memory, seconds=SECONDS):
    for name in names:
        ours, theirs = compare(PROGRAMS[name], threads, seconds)
        row = {"name": name, "ours": ours, "theirs": theirs, "ratio": theirs / ours}
        if with_memory:
            row["our_memory"], row["their_memory"] = (memory(name, module, threads) for module in ("leafward", "torch"))
        yield row


def shown_table(rows):
    lines = [[row["name"], f"{1e3 * row['ours']:.3g} ms", f"{1e3 * row['theirs']:.3g} ms", f"{row['ratio']:.2f}",
              *[shown(row.get(side) and row[side] / 1024, "{:.1f} MiB") for side in ("our_memory", "their_memory")]]
             for row in rows]
    return table(lines, ["step of", "leafward", "PyTorch", "ratio", "memory", "PyTorch's"])


def write(rows, threads, note):
    """The table on ``docs/benchmarks.md``."""
    m, page = machine(threads), ROOT / "docs" / "benchmarks.md"
    before, after = split_page(page.read_text(), BEGIN, END)
    where = f"Measured {m['date']} on {m['processor']}, {m['cores']} cores; {threads} thread{'s' * (threads > 1)} each. {note}"
    page.write_text(f"{before}{BEGIN}\n{where}\n\n{shown_table(rows)}\n{END}{after}")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m bench.programs", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of the programs' names; all of them without")
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--memory", action="store_true", help="peak memory, too, each in a process of its own")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there, too")
    parser.add_argument("--write", action="store_true", help="write the table into docs/benchmarks.md")
    parser.add_argument("--note", default="", help="a sentence about the machine's state, for the page")
    chosen = parser.parse_args(arguments)
    names = [name for name in PROGRAMS if not chosen.names or any(part in name for part in chosen.names)]
    rows = []
    for row in results(names, chosen.threads, chosen.memory):
        rows.append(row)
        print(f"{row['name']:<24}{row['ratio']:.2f}", file=sys.stderr, flush=True)
    print(shown_table(rows))
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump(rows, file, indent=1)
    if chosen.write:
        write(rows, chosen.threads, chosen.note)


if __name__ == "__main__":
    main()
