"""Print leafward's overhead beside PyTorch's: ``python -m bench [--json FILE] [--threads N]``."""
import argparse
import json
import os
import sys
from importlib.util import find_spec

from bench import processes, timing
from bench.rows import CHAINS, ROWS, TRAINING


def in_words(value, unit):
    """``1.5e-06, "s"`` -> ``"1.50 µs"``."""
    scales = (("s", 1), ("ms", 1e-3), ("µs", 1e-6), ("ns", 1e-9)) if unit == "s" else (
        ("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10))
    name, scale = next(((name, scale) for name, scale in scales if value >= scale), scales[-1])
    return f"{value / scale:.3g} {name}"


def print_table(title, results, unit, columns=("leafward", "PyTorch")):
    with_torch = any("theirs" in result for result in results)
    print(f"\n{title:<42}{columns[0]:>12}" + f"{columns[1]:>12}{'ratio':>8}" * with_torch)
    for result in results:
        line = f"{result['name']:<42}{in_words(result['ours'], unit):>12}"
        if "theirs" in result:
            line += f"{in_words(result['theirs'], unit):>12}{result['ratio']:>8.2f}"
        print(line)


def beside(name, ours, theirs):
    result = {"name": name, "ours": ours}
    return result if theirs is None else {**result, "theirs": theirs, "ratio": ours / theirs}


def measure_processes(has_torch):
    """Import time in seconds, then sizes in bytes."""
    seconds = processes.import_seconds(["numpy", "leafward", *["torch"] * has_torch])
    imports = [
        beside("import", seconds["leafward"], seconds.get("torch")),
        beside("import, numpy alone", seconds["numpy"], None),
    ]
    def both(measure):
        return measure("leafward"), measure("torch") if has_torch else None
    sizes = [
        beside("installed, the package alone", *both(processes.installed_bytes)),
        beside("installed, what it requires", *both(processes.required_bytes)),
        beside("peak memory of the MLP process", *both(processes.peak_bytes)),
    ]
    return imports, sizes


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("--json", metavar="FILE", help="write the numbers there too")
    parser.add_argument("--threads", type=int, default=1, help="for both (default 1: the rows are all overhead)")
    parser.add_argument("--rounds", type=int, default=timing.ROUNDS, help="batches of each row under each module")
    parser.add_argument("--only", default="", help="rows whose name contains this, and no processes")
    parser.add_argument("--interpreted", action="store_true", help="leafward's uncompiled files")
    chosen = parser.parse_args(arguments)

    if chosen.interpreted:
        os.environ["LEAFWARD_INTERPRETED"] = "1"
    import leafward
    from leafward.core import compiled
    has_torch = find_spec("torch") is not None
    if has_torch:
        import torch
        torch.set_num_threads(chosen.threads)
    leafward.set_num_threads(chosen.threads)
    versions = ", ".join((
        f"leafward {leafward.__version__} ({'compiled' if compiled() else 'interpreted'})",
        f"PyTorch {torch.__version__}" if has_torch else "no PyTorch to compare with",
        f"Python {sys.version.split()[0]}", f"threads {chosen.threads}"))
    print(f"{versions}. Medians; a ratio below 1: leafward is faster.")

    timed = [timing.compare(row, leafward, torch if has_torch else None, chosen.rounds)
             for row in ROWS if chosen.only in row.name]
    print_table("time of one", timed, "s")
    costs = [timing.cost_of_checks(row, leafward, 3 * chosen.rounds) for row in TRAINING if chosen.only in row.name]
    print_table("leafward with its checks and without", costs, "s", ("with", "without"))
    modules = [leafward, torch] if has_torch else [leafward]
    chains = [timing.of_two_rows(CHAINS, module, chosen.rounds) for module in modules] if not chosen.only else []
    if chains:
        print_table("an op in a chain of 100,000 and of 100", chains, "s", ("long", "short"))
    imports, sizes = ([], []) if chosen.only else measure_processes(has_torch)
    if not chosen.only:
        print_table("a new process", imports, "s")
        print_table("size", sizes, "bytes")
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump({"versions": versions, "seconds": timed + imports, "checks": costs, "chains": chains, "bytes": sizes},
                      file, indent=2)


if __name__ == "__main__":
    main()
