"""What the numbers say: geometric means, shares, the worst cells; and ``docs/benchmarks.md``.

A ratio is PyTorch's time over leafward's: above 1 leafward is faster.
"""
import csv
import math
import os
import platform
from collections import Counter
from datetime import date
from pathlib import Path

from bench.survey import FORMS, MODES, SIZES

ROOT = Path(__file__).resolve().parents[2]
WORST = 40
COLUMNS = ("family", "name", "form", "size", "mode", "ours", "theirs", "ratio", "limit", "ours_of_limit", "theirs_of_limit",
           "reason")


def ratio(cell):
    return cell["theirs"] / cell["ours"]


def timed(cells):
    return [cell for cell in cells if "ours" in cell]


def mean_of(cells):
    """The geometric mean of the ratios; None of nothing."""
    logs = [math.log(ratio(cell)) for cell in timed(cells)]
    return math.exp(sum(logs) / len(logs)) if logs else None


def share_at_least(cells, least=1.0):
    found = timed(cells)
    return sum(ratio(cell) >= least for cell in found) / len(found) if found else None


def by(cells, field):
    groups = {}
    for cell in cells:
        groups.setdefault(cell[field], []).append(cell)
    return groups


def shown(value, form="{:.2f}"):
    return "" if value is None else form.format(value)


def table(rows, header, right=1):
    """A table in Markdown that reads well as text, too."""
    rows = [[str(item) for item in row] for row in rows]
    widths = [max(len(row[k]) for row in [header, *rows]) for k in range(len(header))]
    def line(row):
        return "| " + " | ".join(item.ljust(w) if k < right else item.rjust(w)
                                 for k, (item, w) in enumerate(zip(row, widths))) + " |"
    rule = "|" + "|".join("-" * (w + 2) if k < right else "-" * (w + 1) + ":" for k, w in enumerate(widths)) + "|"
    return "\n".join([line(header), rule, *map(line, rows)])


def statistics(cells):
    found = timed(cells)
    shares = [shown(share_at_least(found, least), "{:.0%}") for least in (1, 0.5)]
    return [len(found), shown(mean_of(found)), *shares]


def overall_table(cells):
    """Means by size, mode and form."""
    rows = [["all", *statistics(cells)]]
    for field, values in (("size", SIZES), ("mode", MODES), ("form", FORMS)):
        groups = by(cells, field)
        rows += [[value, *statistics(groups[value])] for value in values if timed(groups.get(value, []))]
    return table(rows, ["", "cells", "mean", "at or above 1", "at or above 0.5"])


def matrix(cells):
    """Means of sizes by modes."""
    groups = by(cells, "size")
    rows = [[size, *[shown(mean_of(by(groups[size], "mode").get(mode, []))) for mode in MODES]]
            for size in SIZES if size in groups]
    return table(rows, ["", *MODES])


def family_table(cells):
    """Means by family, in each size and mode, and which part of its limit each library reaches at the largest size."""
    rows = []
    for family, group in sorted(by(cells, "family").items()):
        if not timed(group):
            continue
        sizes, modes = by(group, "size"), by(group, "mode")
        limits = sorted(100 * c["ours_of_limit"] for c in group if "ours_of_limit" in c)
        their_limits = sorted(100 * c["theirs_of_limit"] for c in group if "theirs_of_limit" in c)
        middle = [shown(values[len(values) // 2] if values else None, "{:.0f} %") for values in (limits, their_limits)]
        rows.append([family, len(timed(group)), shown(mean_of(group)), shown(share_at_least(group), "{:.0%}"),
                     *[shown(mean_of(sizes.get(size, []))) for size in SIZES],
                     *[shown(mean_of(modes.get(mode, []))) for mode in MODES],
                     shown(mean_of(by(group, "form").get("in place", []))), *middle])
    return table(rows, ["family", "cells", "mean", ">= 1", *SIZES, *MODES, "in place", "of limit", "PyTorch's"])


def in_words(seconds):
    scale, unit = next((s, u) for s, u in ((1, "s"), (1e-3, "ms"), (1e-6, "µs"), (0, "ns")) if seconds >= s)
    return f"{seconds / (scale or 1e-9):.3g} {unit}"


def cell_table(cells):
    rows = [[*[c[field] for field in ("name", "family", "form", "size", "mode")],
             in_words(c["ours"]), in_words(c["theirs"]), f"{ratio(c):.2f}"] for c in timed(cells)]
    return table(rows, ["call", "family", "form", "size", "mode", "leafward", "PyTorch", "ratio"], right=5)


def worst_table(cells):
    return cell_table(sorted(timed(cells), key=ratio)[:WORST])


def reason_table(cells):
    """What was not timed and why, calls of one reason together."""
    found = {}
    for cell in cells:
        if "reason" in cell:
            called = f"{cell['name']}" + (f" ({cell['form']})" if cell["form"] != "call" else "")
            found.setdefault(cell["reason"].replace("|", "/"), Counter())[called] += 1
    rows = [[reason, sum(names.values()), ", ".join(f"`{name}`" for name in names)]
            for reason, names in sorted(found.items(), key=lambda item: -sum(item[1].values()))]
    return table(rows, ["reason", "cells", "calls"], right=3)


def summary(survey):
    cells = survey["cells"]
    parts = [overall_table(cells), matrix(cells), family_table(cells), worst_table(cells)]
    return "\n\n".join([f"{len(timed(cells))} cells timed, {len(cells) - len(timed(cells))} not; PyTorch's time / leafward's.",
                        *parts])


def machine(threads):
    """What was measured on, with what, and when."""
    import leafward
    import numpy
    import torch
    from leafward.core import compiled
    with open("/proc/cpuinfo") if os.path.exists("/proc/cpuinfo") else open(os.devnull) as file:
        models = [line.partition(":")[2].strip() for line in file if line.startswith("model name")]
    return {
        "processor": models[0] if models else platform.processor() or platform.machine(), "cores": os.cpu_count(),
        "system": platform.system(), "python": platform.python_version(), "numpy": numpy.__version__,
        "torch": torch.__version__, "leafward": f"{leafward.__version__} ({'compiled' if compiled() else 'interpreted'})",
        "threads": threads, "date": date.today().isoformat(), "load": os.getloadavg()[0]}


def write(survey, note):
    """``docs/benchmarks.md``, its picture, and every cell."""
    from bench.survey import plot
    docs = ROOT / "docs"
    with open(docs / "benchmarks.csv", "w", newline="") as file:
        rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        rows.writeheader()
        for cell in survey["cells"]:
            numbers = {name: f"{value:.4g}" for name, value in cell.items() if isinstance(value, float)}
            rows.writerow({**cell, **numbers, **({"ratio": f"{ratio(cell):.3f}"} if "ours" in cell else {})})
    (docs / "benchmarks.svg").write_text(plot.picture(survey["cells"]))
    page = docs / "benchmarks.md"
    before, after = split_page(page.read_text() if page.exists() else "")
    page.write_text(before + section(survey, note) + after)


BEGIN, END = "<!-- written by make bench-all -->\n", "<!-- end -->\n"


def split_page(text, begin=BEGIN, end=END):
    """What stands before and behind the part that is written by a program."""
    if begin in text and end in text:
        return text[:text.index(begin)], text[text.index(end) + len(end):]
    return text, ""


def section(survey, note):
    m, cells, limits = survey["machine"], survey["cells"], survey["limits"]
    most = ("not measured" if limits is None else
            f"{limits['bytes'] / 1e9:.1f} GB/s for copies and {limits['flops'] / 1e9:.0f} GFlop/s for products")
    return f"""{BEGIN}
Measured {m['date']} on {m['processor']}, {m['cores']} cores, {m['system']}; leafward {m['leafward']}, PyTorch {m['torch']},
NumPy {m['numpy']}, Python {m['python']}; {m['threads']} thread{'s' * (m['threads'] > 1)} each, all checks on.
Load when it ended: {m['load']:.1f}. {note}

{len(timed(cells))} cells. The picture has a dot for each, the further right the better; all numbers are in
[benchmarks.csv](benchmarks.csv).

![ratios of all cells](benchmarks.svg)

## Means

{overall_table(cells)}

{matrix(cells)}

## By family

A family is the file of `leafward/ops` or `leafward/nn/modules` in which something is declared. "Of limit": which part
of the machine's limit leafward and PyTorch reach at the largest size (the median of the family's plain calls): the
time that its inputs and outputs would take to copy, or its products to multiply, whichever is longer, over the time
it took. The limits measured here were {most}, the better of both libraries.

{family_table(cells)}

## The worst {WORST} cells

{worst_table(cells)}

## Not timed

{reason_table(cells)}
{END}"""
