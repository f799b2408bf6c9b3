"""Kernels in C are compiled for several instruction sets: a check runs for each that this machine has, in a process of its own.

A file of checks is a program too: ``python -m tests.kernels.convolutions`` runs those of one file, for the best target or the
one that ``LEAFWARD_TARGET`` names.
"""
import os
import subprocess
import sys
from pathlib import Path

import numpy as np

import leafward

HERE = Path(__file__).parents[2]
#: The tests may stand apart from the package, as where a wheel is tested.
FINDABLE = {**os.environ, "PYTHONPATH": os.pathsep.join([str(Path(leafward.__file__).parents[1]), str(HERE)])}
TARGETS = ("plain", "avx2", "avx512")


def run(module, target):
    """Run ``module`` with kernels for ``target``, or the best that this machine has below it."""
    done = subprocess.run([sys.executable, "-X", "faulthandler", "-W", "error", "-m", module], cwd=HERE, capture_output=True,
                          text=True, timeout=300, env={**FINDABLE, "LEAFWARD_TARGET": target})
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-3000:]


def assert_near(given, expected, sizes, what):
    """``given`` is what NumPy gives but for rounding: some last places of ``sizes``, what the terms' sizes add up to."""
    assert given.shape == expected.shape and given.dtype == expected.dtype, what
    bound = 4 * np.finfo(given.dtype).eps * sizes
    off = ~(np.abs(given - expected) <= bound)
    assert not off.any(), f"{what}: {given[off][0]} instead of {expected[off][0]}"
