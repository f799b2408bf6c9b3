"""The checks of kernels in C, for every instruction set."""
import pytest

from leafward.arrays.threads import pool
from tests.kernels.targets import TARGETS, run

if pool():                                              # uncompiled there are no such kernels
    @pytest.mark.parametrize("target", TARGETS)
    @pytest.mark.parametrize("checks", ["convolutions", "poolings", "products", "factorizations", "attentions", "recurrences",
                                        "transforms", "columns", "samplings", "resamplings", "quantized", "distances"])
    def test_kernels(checks, target):
        run(f"tests.kernels.{checks}", target)

    @pytest.mark.parametrize("checks", ["copies", "places"])
    def test_kernels_for_any_target(checks):
        run(f"tests.kernels.{checks}", TARGETS[-1])
