"""Time one row under two modules, batch by batch in turn, so that a noisy minute hurts both alike."""
from statistics import median
from timeit import Timer

BATCH_SECONDS = 0.02
ROUNDS = 15


def timer(row, module):
    return Timer(row.statement, row.setup, globals={"torch": module})


def batch_size(timed):
    """How many runs take about ``BATCH_SECONDS``."""
    timed.timeit(3)
    count, took = timed.autorange()
    return max(1, round(count * BATCH_SECONDS / took))


def compare(row, ours, theirs, rounds=ROUNDS):
    """Seconds for one run under each module, and the median of the ratios of neighbouring batches."""
    timers = [timer(row, module) for module in (ours, theirs) if module is not None]
    sizes = [batch_size(timed) for timed in timers]
    seconds = [[] for _ in timers]
    for turn in range(rounds):
        for k in range(len(timers)) if turn % 2 else reversed(range(len(timers))):
            seconds[k].append(timers[k].timeit(sizes[k]) / sizes[k] / row.per)
    result = {"name": row.name, "ours": median(seconds[0])}
    if theirs is not None:
        result["theirs"] = median(seconds[1])
        result["ratio"] = median(a / b for a, b in zip(*seconds))
    return result
