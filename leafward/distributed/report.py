"""What is said when ranks wait for one another in vain, or called different things."""
import linecache
import os

from leafward.core.provenance import is_hidden
from leafward.distributed.errors import DistBackendError


def line_of(path, number):
    """``train.py:9  loss.backward()``"""
    source = linecache.getline(path, number).strip()
    return f"{os.path.basename(path)}:{number}" + (f"  {source}" if source else "")


def at(site):
    """Where a call was made, from its site."""
    if site is None:
        return "somewhere"
    code, offset = site
    number = code.co_firstlineno
    for start, end, line in code.co_lines():
        if line is not None and start <= offset < end:
            number = line
    return line_of(code.co_filename, number)


def frame_line(frame):
    """The innermost line of the user's in a running thread."""
    while frame is not None and frame.f_back is not None and is_hidden(frame.f_code):
        frame = frame.f_back
    return "somewhere" if frame is None else line_of(frame.f_code.co_filename, frame.f_lineno)


def row(ledger, frame):
    """One rank's line of a report: the call it waits in, or where it is instead."""
    waiting = ledger.waiting()
    if waiting is not None:
        return f"rank {ledger.rank}: waits in its call {waiting.turn}, {waiting}, {at(waiting.site)}"
    return f"rank {ledger.rank}: in no collective, after {ledger.count} calls; at {frame_line(frame)}"


def late(call, patience, rows):
    """A call that reached its timeout, with what every rank does."""
    return DistBackendError("\n  ".join([f"Timed out waiting {1000 * patience:.0f}ms for {call} to complete, {at(call.site)}",
                                         *rows]))


def gone(rank, rows):
    """A rank ended without saying so, with what every other one does."""
    return DistBackendError("\n  ".join([f"rank {rank} is gone", *rows]))


def in_vain(call, gone):
    """The error of a call that ranks which left take no part in, from a line of each; None where there are none."""
    if not gone:
        return None
    return DistBackendError("\n  ".join([f"in vain {call} waits for ranks that have left, {at(call.site)}", *gone,
                                         "Every rank makes the same calls. Where some have fewer batches: with model.join():"]))


def row_of_left(rank, who, numbers):
    """A rank's line where it has left."""
    count = sum(numbers.values())
    return f"rank {rank}: has left ({who}), after {count} call{'s' * (count != 1)}"


def disagreement(calls):
    """The error where the calls of the ranks do not fit together; None where they do."""
    signatures = [call.signature() for call in calls]
    if len(set(signatures)) == 1:
        return None
    return disagreeing(signatures, [f"{call}, {at(call.site)}" for call in calls])


def disagreeing(signatures, texts):
    """The same from what was told of the calls."""
    if len(set(signatures)) == 1:
        return None
    return DistBackendError("\n  ".join(["the ranks do not call the same",
                                         *[f"rank {rank}: {text}" for rank, text in enumerate(texts)]]))


def apart(told):
    """The error where checksums of the calls differ, from the last calls that each rank told: ``(number, signature, text)``."""
    calls = [None if rank is None else {number: (signature, text) for number, signature, text in rank} for rank in told]
    there = [rank for rank in calls if rank]
    common = sorted(set.intersection(*[set(rank) for rank in there])) if there else []
    first = next((number for number in common if len({rank[number][0] for rank in there}) > 1), None)
    shown = max(common, default=None) if first is None else first
    rows = []
    for rank, known in enumerate(calls):
        text = known[shown][1] if known and shown is not None else "does not tell its calls"
        rows.append(f"rank {rank}: {text}")
    since = "before the last calls that they remember" if first is None else f"since call {first + 1} of their group"
    return DistBackendError("\n  ".join([f"the ranks do not call the same, {since}", *rows]))


def raised(rank, error):
    """What the others are told when a rank raised."""
    trace, where = error.__traceback__, "somewhere"
    while trace is not None:
        if not is_hidden(trace.tb_frame.f_code):
            where = line_of(trace.tb_frame.f_code.co_filename, trace.tb_lineno)
        trace = trace.tb_next
    return DistBackendError(f"rank {rank} raised {type(error).__name__}: {error}, {where}")
