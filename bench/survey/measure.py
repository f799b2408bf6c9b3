"""One cell: a statement under both libraries in turn, and the least time that it took under each.

Other work on the machine only ever adds time, so the least is nearest to the truth; alternating lets a slow minute hurt both.
Calls are timed a few at a time, for a library whose threads wait for one another loses a whole time slice when one of them is
put aside. They also go on waiting a moment after a call, so each turn begins with one that does not count.
"""
import contextlib
from itertools import repeat
from time import perf_counter

PIECE_SECONDS = 5e-5            # short calls are timed so many in a row
TURN_SECONDS = 0.002
LONG_TURN_SECONDS = 0.01        # where a call is longer than a piece
TURNS, MOST_TURNS = 3, 12      # more than 3 as long as a turn finds something ...
SETTLED = 0.95                  # ... that much lower than any before
BURST = 8                       # calls in place between two resets of what they write into
VERY_LONG = 0.3                 # a call that takes longer is timed this once

LOOP = """
def loop(count, {names}):
    for _ in repeat(None, count):
        {statement}
"""


def compiled(statement, names):
    """``loop(count)``, with everything that the statement names as a local."""
    space = {"repeat": repeat, **names}
    exec(LOOP.format(statement=statement, names=", ".join(f"{n}={n}" for n in names)), space)   # noqa: S102  our own text
    return space["loop"]


class Timed:
    """A statement that is ready to be timed: under a grad mode, and with what must be reset in between."""

    def __init__(self, statement, names, around=contextlib.nullcontext, reset=None):
        self.loop = compiled(statement, names)
        self.around, self.reset = around, reset

    def seconds(self, count):
        """For one of ``count`` calls."""
        if self.reset is not None:
            self.reset()
        with self.around():
            start = perf_counter()
            self.loop(count)
            return (perf_counter() - start) / count

    def turn(self, once):
        """The least of one turn; ``once`` is about what one call takes."""
        count = max(1, round(PIECE_SECONDS / once)) if self.reset is None else BURST if once < PIECE_SECONDS else 1
        self.seconds(1)
        least, spent, budget = once, 0.0, LONG_TURN_SECONDS if once > PIECE_SECONDS else TURN_SECONDS
        while spent < budget:
            taken = self.seconds(count)
            spent += count * taken + 2e-6
            least = min(least, taken)
        return least


def compare(timed):
    """The least seconds of each, in turns."""
    once = [each.seconds(1) for each in timed]
    if max(once) > VERY_LONG:
        return [min(taken, each.seconds(1)) for taken, each in zip(once, timed)]
    best = [min(each.seconds(1), each.seconds(1)) for each in timed]
    for turn in range(MOST_TURNS):
        before = list(best)
        for k in (0, 1) if turn % 2 else (1, 0):
            best[k] = timed[k].turn(best[k])
        if turn + 1 >= TURNS and all(new > SETTLED * old for new, old in zip(best, before)):
            break
    return best
