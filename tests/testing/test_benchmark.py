"""``torch.utils.benchmark``: what a program reads from a measurement."""
import warnings
from importlib import import_module

import pytest

import leafward
from leafward.utils.benchmark import Compare, Measurement, Timer, select_unit
from tests.oracle import torch


def test_timer():
    x = leafward.ones(3)
    timer = Timer("x + x", globals={"x": x}, label="add", sub_label="3", description="here")
    measured = timer.timeit(20)
    assert measured.number_per_run == 20 and len(measured.times) == 1 and 0 < measured.mean == measured.median
    blocks = timer.blocked_autorange(min_run_time=0.01)
    assert sum(blocks.raw_times) >= 0.01 and "Median" in repr(blocks) and "add: 3" in repr(blocks)
    assert timer.adaptive_autorange(threshold=10.0, min_run_time=0.001).median > 0
    assert "Times are in" in str(Compare([measured, blocks]))
    with pytest.raises(NotImplementedError, match="Python code only"):
        Timer("1;", language="c++")


def test_statistics(monkeypatch):
    # PyTorch's loads setuptools, which refuses to go on where something has loaded Python's own distutils before it.
    monkeypatch.setenv("SETUPTOOLS_USE_DISTUTILS", "stdlib")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        benchmark = import_module(f"{torch.__name__}.utils.benchmark")
    times = [1.0, 2.0, 4.0, 8.0]
    ours = Measurement(2, times)
    theirs = benchmark.Measurement(2, times, benchmark.TaskSpec("", ""))
    assert (ours.mean, ours.median, ours.iqr, ours.times) == (theirs.mean, theirs.median, theirs.iqr, theirs.times)
    assert select_unit(0.0025) == ("ms", 1e-3) and select_unit(5e-12) == ("ns", 1e-9)
