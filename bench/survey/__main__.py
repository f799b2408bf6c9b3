"""Survey leafward beside PyTorch: ``make bench-all``, or a part of it:

    python -m bench.survey --family activation --size 1024x1024 --mode plain --form "in place" --only relu
"""
import argparse
import json
import os
import sys
import zlib

from bench.survey import FORMS, MODES, SIZES, THREADS, report, workers
from bench.survey.limits import measured


def main(arguments=None):
    parser = argparse.ArgumentParser(prog="python -m bench.survey", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--family", nargs="*", help="the file of the op or layer: activation, nn.conv, optim; or its beginning")
    parser.add_argument("--size", nargs="*", choices=SIZES, help="rows and columns of the largest input")
    parser.add_argument("--mode", nargs="*", choices=MODES)
    parser.add_argument("--form", nargs="*", choices=FORMS)
    parser.add_argument("--only", nargs="*", help="parts of names")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="about one call in N, always the same ones")
    parser.add_argument("--part", type=int, default=0, metavar="K", help="with --every N: which ones, 0 to N-1")
    parser.add_argument("--threads", type=int, default=THREADS,
                        help="of each library; with 1 the numbers are steadier where other programs run")
    parser.add_argument("--cells", action="store_true", help="print every cell")
    parser.add_argument("--json", metavar="FILE", help="write the numbers there")
    parser.add_argument("--from-json", metavar="FILE", help="report on numbers written before, and measure nothing")
    parser.add_argument("--write", action="store_true", help="write docs/benchmarks.md, its picture and all cells")
    parser.add_argument("--note", default="", help="a sentence about the machine's state for docs/benchmarks.md")
    chosen = parser.parse_args(arguments)
    if not 0 <= chosen.part < chosen.every:
        parser.error(f"--part {chosen.part} is none of the parts of --every {chosen.every}, which are 0 to {chosen.every - 1}")

    if chosen.from_json:
        with open(chosen.from_json) as file:
            survey = json.load(file)
    else:
        survey = take(chosen)
    if chosen.json:
        with open(chosen.json, "w") as file:
            json.dump(survey, file, indent=0)
    if chosen.cells:
        print(report.cell_table(survey["cells"]))
    print(report.summary(survey))
    if chosen.write:
        report.write(survey, chosen.note)


def take(chosen):
    def wanted(case, size, mode):
        return ((not chosen.family or any(case.family.startswith(f) for f in chosen.family))
                and (not chosen.size or size in chosen.size) and (not chosen.mode or mode in chosen.mode)
                and (not chosen.form or case.form in chosen.form)
                and zlib.crc32(f"{case.family} {case.name} {case.form}".encode()) % chosen.every == chosen.part
                and (not chosen.only or any(part in case.name for part in chosen.only)))

    families = {}
    for case, size, mode in workers.cells_of(workers.every_case(), wanted):
        families.setdefault(case.family, []).append((case, size, mode))
    limits = limits_of_process(chosen.threads) if not chosen.size or list(SIZES)[-1] in chosen.size else None
    cells, total = [], sum(map(len, families.values()))
    for number, (family, planned) in enumerate(families.items()):
        found = workers.run_family(planned, limits, chosen.threads, lambda cell: None)
        cells += found
        mean = report.mean_of(found)
        print(f"{number + 1:3}/{len(families)} {family:<24}{len(found):>5} cells, {len(cells):>5} of {total}"
              f"{f', mean {mean:.2f}' if mean else ''}", file=sys.stderr, flush=True)
    return {"machine": report.machine(chosen.threads), "limits": limits, "cells": cells}


def limits_of_process(threads):
    """Measured in a process of its own, so that no library's threads are there when families are started."""
    read, write = os.pipe()
    if (child := os.fork()) == 0:
        with os.fdopen(write, "w") as out:
            json.dump(measured(threads), out)
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return json.loads(found) if found else None


if __name__ == "__main__":
    main()
