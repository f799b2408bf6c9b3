"""Functions take their arguments by name, on the paths too that the usual call by position takes."""
import pytest

import leafward as lw
from leafward.core.callables import is_fast
from leafward.core.op import Op, registry

FAST = [op for op in registry.values() if isinstance(op, Op) and is_fast(op) and op.varargs_at < 0
        and len(op.inputs) == op.positional == op.arity and not op.name.startswith("_")]


@pytest.mark.parametrize("op", FAST, ids=lambda op: op.name)
def test_a_function_takes_its_arguments_by_name(op):
    arguments = [lw.full((2, 2), 0.5) for _ in op.inputs]
    expected = op.public_function(*arguments)
    lw.testing.assert_close(op.public_function(**dict(zip(op.shown_names, arguments))), expected, equal_nan=True)


def test_powers_name_their_exponent():
    x = lw.tensor([1.0, 2.0])
    assert lw.pow(x, exponent=2).tolist() == x.pow(exponent=2).tolist() == [1, 4]
    assert lw.pow(input=x, exponent=x).tolist() == [1, 4] and lw.pow(2.0, exponent=x).tolist() == [2, 4]
