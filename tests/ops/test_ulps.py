"""The table of ``docs/accuracy.md``: it names every function, and no error is larger than it says."""
import pytest

import leafward
from leafward.core.runtime import runtime
from tests.samples import every_op
from tools import accuracy

#: A processor may take another path through NumPy's own functions, which is an ulp or two better or worse.
MARGIN = 2

#: What the same formulas lose on NumPy, where nothing is compiled; the table has the errors of the compiled loops.
INTERPRETED = {("erf", "float32"): 3.5, ("erfc", "float64"): 14, ("gelu", "float32"): 2e5}
#: Functions that the table leaves out, and why.
ELSEWHERE = {"_half_of_one_plus_erf": "the inside of gelu and ndtr"}
MODULES = ("special", "bessel", "exponential", "trigonometric", "incomplete", "polynomials")


def takes_numbers(op):
    return op.name not in ELSEWHERE and op.elementwise and len(op.inputs) in (1, 2) and not op.name.endswith("_")


@pytest.mark.parametrize("dtype", accuracy.DTYPES)
@pytest.mark.parametrize("name", accuracy.FUNCTIONS)
def test_errors_are_no_larger_than_the_table_says(name, dtype):
    limit = accuracy.listed()[name][list(accuracy.DTYPES).index(dtype)]
    if not runtime.derived:
        limit = INTERPRETED.get((name, dtype), limit)
    found, at = accuracy.worst(name, leafward, dtype, every=4)
    assert found <= limit * 1.1 + MARGIN, f"{found:.1f} ulp at {at!r}, where docs/accuracy.md promises {limit}"


def test_every_special_function_is_in_the_table():
    declared = {op.name for op in every_op(lambda op: hasattr(op, "forward"))
                if op.forward.__module__.rpartition(".")[2] in MODULES and takes_numbers(op)}
    assert len(declared) > 60
    assert declared - set(accuracy.FUNCTIONS) == set()
    assert set(accuracy.listed()) == set(accuracy.FUNCTIONS)


def test_a_wrong_digit_is_seen():
    class Wrong:
        tensor = staticmethod(leafward.tensor)

        @staticmethod
        def exp(x):
            return leafward.exp(x) * (1 + 1e-5)
    assert accuracy.worst("exp", Wrong, "float32", every=4)[0] > 50
