"""A process for each family: what crashes or hangs there costs one cell and not the survey."""
import gc
import json
import os
import select
import signal
import sys
import warnings

import leafward
import torch
from bench.survey import SIZES
from bench.survey.cases import CannotBeTimed, op_cases, creation_cases, problem_at, ready, told
from bench.survey.expressions import expression_cases
from bench.survey.layers import layer_cases, optimizer_cases
from bench.survey.limits import share_of_limit
from bench.survey.measure import compare

#: A cell may take so long before its process is ended.
PATIENCE_SECONDS = 60
#: A call that takes longer than this at one size, times what the next is larger, is not tried there.
CALL_SECONDS = 20


def every_case():
    yield from op_cases()
    yield from creation_cases()
    yield from expression_cases()
    yield from layer_cases()
    yield from optimizer_cases()


def key(case, size, mode):
    return {"family": case.family, "name": case.name, "form": case.form, "size": size, "mode": mode}


def cells_of(cases, wanted):
    """``(case, size, mode)`` of what was asked for, the cells of a case at a size together."""
    return [(case, size, mode) for case in cases for size, mode in case.cells() if wanted(case, size, mode)]


class TooLong:
    """What a call will take at the next size, from what it took at the ones before."""

    def __init__(self):
        self.seen = {}

    def check(self, case, size, mode):
        before = self.seen.get((case, mode))
        if before is None or size != "1024x1024":
            return
        (small_size, small), (medium_size, medium) = list(before.items())[0], list(before.items())[-1]
        if medium_size == "64x64" and medium > 1e-3:
            power = max(1.0, min(2.0, grows(medium / small) if small_size == "4x8" else 1.5))
            expected = medium * 256 ** power
            if expected > CALL_SECONDS:
                raise CannotBeTimed(f"would take longer than {CALL_SECONDS} s a call, as the smaller sizes tell")

    def note(self, case, size, mode, seconds):
        self.seen.setdefault((case, mode), {})[size] = max(seconds)


def grows(ratio):
    """The power of the number of elements with which time grew from 4x8 to 64x64, above what a call itself costs."""
    from math import log
    return log(ratio) / log(128)


def measure(cells, limits, threads, send):
    """Measure cell after cell, and say before each which one it is."""
    leafward.set_num_threads(threads)
    torch.set_num_threads(threads)
    warnings.simplefilter("ignore")
    gc.collect()
    gc.freeze()
    too_long = TooLong()
    for number, (case, size, mode) in enumerate(cells):
        send({"begin": number})
        cell = key(case, size, mode)
        try:
            too_long.check(case, size, mode)
            ours, theirs = seconds = compare(ready(case, size, mode))
            too_long.note(case, size, mode, seconds)
            cell.update(ours=ours, theirs=theirs)
            if limits and size == list(SIZES)[-1] and mode == "plain":
                cell.update(share_of_limit(problem_at(case, size), seconds, limits))
        except CannotBeTimed as reason:
            cell["reason"] = str(reason)
        except Exception as error:  # noqa: BLE001  one cell's trouble
            cell["reason"] = told(error)
        send({"cell": cell})


def run_family(cells, limits, threads, show):
    """The results of these cells, from a process of their own; from another where that one died."""
    results = []
    while cells:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w") as out:
                def send(message):
                    out.write(json.dumps(message) + "\n")
                    out.flush()
                try:
                    measure(cells, limits, threads, send)
                except BaseException as error:  # noqa: BLE001  the parent says it
                    print(f"survey: {type(error).__name__}: {error}", file=sys.stderr)
                    os._exit(1)
            os._exit(0)
        os.close(write)
        done, began, why = receive(read, child, results, show)
        if done:
            return results
        results.append({**key(*cells[began]), "reason": why})
        show(results[-1])
        cells = cells[began + 1:]
    return results


def receive(read, child, results, show):
    """``(whether all came, the cell that was begun last, why it did not end)``."""
    began, waiting = 0, ""
    with os.fdopen(read, "rb", 0) as pipe:
        while True:
            ready_now, _, _ = select.select([pipe], [], [], PATIENCE_SECONDS)
            if not ready_now:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                return False, began, f"had not ended after {PATIENCE_SECONDS} s"
            piece = pipe.read(65536)
            if not piece:
                _, status = os.waitpid(child, 0)
                code = os.waitstatus_to_exitcode(status)
                return code == 0, began, f"its process died: {signal.Signals(-code).name if code < 0 else code}"
            *lines, waiting = (waiting + piece.decode()).split("\n")
            for line in lines:
                message = json.loads(line)
                began = message.get("begin", began)
                if "cell" in message:
                    results.append(message["cell"])
                    show(message["cell"])
