"""Large arrays beside PyTorch's, in the modes plain and trained: ``python -m bench.large [--write]``, some minutes."""
import argparse
import json
import sys

from bench.large_rows import BOUNDS, EACH
from bench.survey import report, workers
from bench.survey.cases import Case, Problem
from bench.survey.measure import Timed
from bench.survey.report import ROOT, in_words, machine, mean_of, ratio, split_page, table, timed

THREADS = 2
BEGIN, END = "<!-- written by python -m bench.large -->\n", "<!-- end of large -->\n"


class Statement(Problem):
    """A statement after its setup, at one size."""

    def __init__(self, setup, statement, n):
        super().__init__(None)
        self.setup, self.statement, self.n = setup, statement, n

    def timed(self, t, mode):
        def of(*shape):
            return t.randn(*shape, requires_grad=mode == "trained")

        def up_to(k, *shape):
            return t.randint(0, k, shape)
        t.manual_seed(0)
        names = {"torch": t, "F": t.nn.functional, "n": self.n, "of": of, "up_to": up_to}
        exec(self.setup, names)                                                          # noqa: S102  our own table
        names.pop("__builtins__")
        return self.trained(t, self.statement, names) if mode == "trained" else Timed(self.statement, names)


def cases(parts=()):
    """``(bound, case)`` of each row."""
    for bound in BOUNDS:
        for rows in bound.rows:
            for statement in rows.statements:
                made = rows.setup.rpartition("torch.optim.")[2].partition("(")[0]
                name = made + " step" if statement == "o.step()" else statement
                if not parts or any(part in f"{rows.kind} {name}" for part in parts):
                    def at(size, rows=rows, statement=statement, bound=bound):
                        return Statement(rows.setup, statement, bound.sizes[size])
                    yield bound, Case(rows.kind, name, "call", at, tuple(bound.sizes), rows.modes)


def take(parts, threads, sizes):
    """``{what limits: cells}``, each kind in a process of its own."""
    found = {}
    for bound, case in cases(parts):
        planned = found.setdefault(bound.what, {}).setdefault(case.family, [])
        planned += [(case, size, mode) for size, mode in case.cells() if not sizes or size in sizes]
    results = {}
    for what, kinds in found.items():
        results[what] = []
        for kind, planned in kinds.items():
            cells = workers.run_family(planned, None, threads, lambda cell: None)
            results[what] += cells
            print(f"{kind:<16}{len(cells):>4} cells, mean {mean_of(cells) or 0:.2f}", file=sys.stderr, flush=True)
    return results


def mark_of(bound, cell):
    """What is asked of a cell."""
    return EACH.get(cell["family"], bound.each)


def summary(results):
    """Means by kind, and how many cells miss the mark."""
    lines = []
    for bound in BOUNDS:
        cells = timed(results.get(bound.what, []))
        if not cells:
            continue
        groups = {"all": cells, **report.by(cells, "family")}
        for kind, group in groups.items():
            least = min(group, key=ratio)
            mark = bound.each if kind == "all" else mark_of(bound, least)
            lines.append([bound.what, kind, len(group), f"{mean_of(group):.2f}", f"{bound.mean:.2f}" if kind == "all" else "",
                          f"{sum(ratio(cell) < mark_of(bound, cell) for cell in group)}",
                          f"{mark:.2f}", f"{ratio(least):.2f}", f"`{least['name']}`"])
    return table(lines, ["limit", "kind", "cells", "mean", "to be", "below their mark", "which is", "least", "of"])


def cell_table(results):
    """All cells, those of one statement in a row."""
    lines = []
    for bound in BOUNDS:
        rows = {}
        for cell in timed(results.get(bound.what, [])):
            rows.setdefault((cell["family"], cell["name"]), {})[cell["size"], cell["mode"]] = cell
        for (kind, name), cells in rows.items():
            largest = cells[max(cells, key=lambda at: (at[0] == list(bound.sizes)[-1], at[1] == "plain"))]
            def shown(size, mode):
                return f"{ratio(cells[size, mode]):.2f}" if (size, mode) in cells else ""                  # noqa: B023
            lines.append([f"`{name}`", kind, *[shown(size, mode) for size in ("1M", "16M") for mode in ("plain", "trained")],
                          in_words(largest["ours"]), in_words(largest["theirs"])])
    return table(lines, ["statement", "kind", "1M", "trained", "16M", "trained", "leafward", "PyTorch"])


def write(results, threads, note):
    """The tables on ``docs/benchmarks.md``."""
    m, page = machine(threads), ROOT / "docs" / "benchmarks.md"
    before, after = split_page(page.read_text(), BEGIN, END)
    where = f"Measured {m['date']} on {m['processor']}, {m['cores']} cores; {threads} thread{'s' * (threads > 1)} each. {note}"
    page.write_text(f"{before}{BEGIN}\n{where}\n\n{summary(results)}\n\n{cell_table(results)}\n{END}{after}")


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m bench.large", description=__doc__)
    parser.add_argument("names", nargs="*", help="parts of kinds and statements; all of them without")
    parser.add_argument("--threads", type=int, default=THREADS)
    parser.add_argument("--size", nargs="*", help="1M or 16M elements, or both")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there, too")
    parser.add_argument("--from-json", metavar="FILE", help="report on numbers written before, and measure nothing")
    parser.add_argument("--write", action="store_true", help="write the tables into docs/benchmarks.md")
    parser.add_argument("--note", default="", help="a sentence about the machine's state, for the page")
    chosen = parser.parse_args(arguments)
    if chosen.from_json:
        with open(chosen.from_json) as file:
            results = json.load(file)
    else:
        results = take(chosen.names, chosen.threads, chosen.size)
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump(results, file, indent=1)
    print(cell_table(results))
    print(summary(results))
    reasons = [cell for cells in results.values() for cell in cells if "reason" in cell]
    if reasons:
        print(report.reason_table(reasons))
    if chosen.write:
        write(results, chosen.threads, chosen.note)


if __name__ == "__main__":
    main()
