"""Timing statements: ``Timer``, what it measured, and a table that compares."""
from __future__ import annotations

import timeit as standard
from statistics import median, quantiles
from typing import Any, TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["Compare", "Measurement", "Timer", "timer"]

timer = standard.default_timer
UNITS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))


def select_unit(seconds: Any):
    """``(name, size)`` of the unit in which ``seconds`` has one to three digits before the point.

    >>> select_unit(0.0025)
    ('ms', 0.001)
    """
    size, name = next(((size, name) for size, name in UNITS if seconds >= size), UNITS[-1])
    return name, size


class Measurement:
    """Runs of one statement: ``raw_times`` are seconds of ``number_per_run`` calls each."""

    def __init__(self, number_per_run: Any, raw_times: Any, label: str | None = None, sub_label: str | None = None,
                 description: str | None = None, env: str | None = None, num_threads: int = 1, stmt: str = "") -> None:
        self.number_per_run, self.raw_times = number_per_run, list(raw_times)
        self.label, self.sub_label, self.description, self.env = label, sub_label, description, env
        self.num_threads, self.stmt = num_threads, stmt

    @property
    def times(self) -> list[float]:
        """Seconds of one call, run by run."""
        return [t / self.number_per_run for t in self.raw_times]

    @property
    def mean(self) -> float:
        """The mean of :attr:`times`."""
        return sum(self.times) / len(self.times)

    @property
    def median(self) -> float:
        """The median of :attr:`times`."""
        return median(self.times)

    @property
    def iqr(self) -> float:
        """The distance between their quartiles."""
        if len(self.times) < 2:
            return 0.0
        first, _, third = quantiles(self.times, n=4, method="inclusive")
        return third - first

    @property
    def title(self) -> str:
        """What was measured."""
        return ": ".join(part for part in (self.label or self.stmt, self.sub_label) if part)

    def __repr__(self) -> str:
        name, size = select_unit(self.median)
        runs = f"{len(self.times)} measurement{'s' if len(self.times) > 1 else ''}, {self.number_per_run} runs"
        return (f"{self.title}\n  {'Median' if len(self.times) > 1 else 'Time'}: {self.median / size:.2f} {name}\n"
                f"  IQR:    {self.iqr / size:.2f} {name}\n  {runs}, {self.num_threads} thread"
                f"{'s' if self.num_threads > 1 else ''}")


class Timer:
    """Time ``stmt``, Python code that sees ``globals``, after ``setup``, on ``num_threads`` threads.

    >>> Timer("x + x", globals={"x": 1}).timeit(10).number_per_run
    10
    """

    def __init__(self, stmt: str = "pass", setup: str = "pass", global_setup: str = "", timer: Callable[[], float] = timer,
                 globals: dict[str, Any] | None = None, label: str | None = None, sub_label: str | None = None,
                 description: str | None = None, env: str | None = None, num_threads: int = 1,
                 language: str = "python") -> None:
        if str(language).lower().rpartition(".")[2] not in ("python", "py"):
            raise NotImplementedError("leafward times Python code only: leave out language=")
        self.facts = {"label": label, "sub_label": sub_label, "description": description, "env": env,
                      "num_threads": num_threads, "stmt": stmt}
        self.timer = standard.Timer(stmt, setup, timer, dict(globals or {}))

    def _run(self, number, times=1):
        import leafward
        before = leafward.get_num_threads()
        leafward.set_num_threads(self.facts["num_threads"])
        try:
            return [self.timer.timeit(number) for _ in range(times)]
        finally:
            leafward.set_num_threads(before)

    def timeit(self, number: int = 1000000) -> Measurement:
        """One run of ``number`` calls, after a warm-up of a hundredth as many."""
        self._run(max(number // 100, 2))
        return Measurement(number, self._run(number), **self.facts)

    def repeat(self, repeat: int = -1, number: int = -1) -> list[float]:
        """Refused: how often to repeat is :meth:`blocked_autorange`'s to find out."""
        raise NotImplementedError("See `Timer.blocked_autorange.`")

    def blocked_autorange(self, callback: Callable[[int, float], None] | None = None, min_run_time: float = 0.2) -> Measurement:
        """Blocks of calls, each long enough for the clock, until ``min_run_time`` seconds have passed."""
        number = 1
        while (elapsed := self._run(number)[0]) < min_run_time / 1000 and number < 10**9:
            number *= 10
        times = []
        while sum(times) < min_run_time or not times:
            elapsed = self._run(number)[0]
            times.append(elapsed)
            if callback is not None:
                callback(number, elapsed)
        return Measurement(number, times, **self.facts)

    def adaptive_autorange(self, threshold: float = 0.1, *, min_run_time: float = 0.01, max_run_time: float = 10.0,
                           callback: Callable[[int, float], None] | None = None) -> Measurement:
        """Blocks of calls until the quartiles lie within ``threshold`` of the median, or time is up."""
        measured = self.blocked_autorange(callback, min_run_time)
        while measured.iqr > threshold * measured.median and sum(measured.raw_times) < max_run_time:
            measured.raw_times += self._run(measured.number_per_run, 3)
        return measured


class Compare:
    """A table of measurements: a row for each ``sub_label`` (or statement), a column for each ``description``."""

    def __init__(self, results: Any) -> None:
        self._results = list(results)

    def extend_results(self, results: Any) -> None:
        """Add measurements."""
        self._results.extend(results)

    def print(self) -> None:
        """Print the table."""
        print(str(self))

    def __str__(self):
        rows = list(dict.fromkeys(m.sub_label or m.stmt for m in self._results))
        columns = list(dict.fromkeys(m.description or m.label or "" for m in self._results))
        found = {(m.sub_label or m.stmt, m.description or m.label or ""): m.median for m in self._results}
        name, size = select_unit(min(found.values(), default=1.0))
        table = [["", *columns]] + [[row, *(f"{found[row, c] / size:.1f}" if (row, c) in found else "" for c in columns)]
                                    for row in rows]
        widths = [max(len(line[k]) for line in table) for k in range(len(columns) + 1)]
        lines = ["  |  ".join(cell.rjust(width) for cell, width in zip(line, widths, strict=True)) for line in table]
        return "\n".join([lines[0], "-" * len(lines[0]), *lines[1:], "", f"Times are in {name}."])
