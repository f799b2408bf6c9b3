"""Time one row under two modules, batch by batch in turn, so that a noisy minute hurts both alike."""
from statistics import median
from timeit import Timer

BATCH_SECONDS = 0.02
ROUNDS = 15


def timer(row, module):
    return Timer(row.statement, row.setup, globals={"torch": module})


def batch_size(timed):
    """How many runs take about ``BATCH_SECONDS``."""
    took = timed.timeit(1)
    if took > BATCH_SECONDS:
        return 1
    timed.timeit(2)
    count, took = timed.autorange()
    return max(1, round(count * BATCH_SECONDS / took))


class WithoutChecks(Timer):
    """The same with leafward's checks for stale values off."""

    def timeit(self, number):
        from leafward.core.runtime import runtime           # late: the command chooses first which leafward it is
        runtime.checks = False
        try:
            return super().timeit(number)
        finally:
            runtime.checks = True


def alternate(timers, per, rounds):
    """For each timer the seconds of each of its batches, divided by its number in ``per``."""
    sizes = [batch_size(timed) for timed in timers]
    seconds = [[] for _ in timers]
    for turn in range(rounds):
        for k in range(len(timers)) if turn % 2 else reversed(range(len(timers))):
            seconds[k].append(timers[k].timeit(sizes[k]) / sizes[k] / per[k])
    return seconds


def ratio(ours, theirs):
    """The median of the ratios of neighbouring batches."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def compare(row, ours, theirs, rounds=ROUNDS):
    """Seconds for one run under each module, and the ratio."""
    seconds = alternate([timer(row, module) for module in (ours, theirs) if module is not None], [row.per] * 2, rounds)
    result = {"name": row.name, "ours": median(seconds[0])}
    if theirs is not None:
        result["theirs"] = median(seconds[1])
        result["ratio"] = ratio(*seconds)
    return result


def cost_of_checks(row, module, rounds=ROUNDS):
    """Seconds for one run with leafward's checks and, as ``theirs``, without; and the ratio."""
    plain = timer(row, module)
    seconds = alternate([plain, WithoutChecks(row.statement, row.setup, globals={"torch": module})], [row.per] * 2, rounds)
    return {"name": row.name, "ours": median(seconds[0]), "theirs": median(seconds[1]), "ratio": ratio(*seconds)}


def of_two_rows(rows, module, rounds=ROUNDS):
    """Seconds for one of each of two rows under one module, the second as ``theirs``, and the ratio."""
    seconds = alternate([timer(row, module) for row in rows], [row.per for row in rows], rounds)
    return {"name": getattr(module, "__name__", ""), "ours": median(seconds[0]), "theirs": median(seconds[1]),
            "ratio": ratio(*seconds)}
