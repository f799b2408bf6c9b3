"""Python ints that a tensor's dtype cannot hold: wrapped, refused or computed with as floats, each where PyTorch does it."""
import pytest

import leafward
from tests.both import both
from tests.oracle import Outcome, assert_same_outcome, torch
from tests.samples import every_op, is_comparable, is_composite, name_of, ours, theirs, writes_input

LIMITS = {"uint8": (0, 255), "int8": (-128, 127), "int16": (-2**15, 2**15 - 1), "int32": (-2**31, 2**31 - 1),
          "int64": (-2**63, 2**63 - 1), "bool": (0, 1)}


def beyond(dtype):
    """Ints around the limits of ``dtype`` and far outside, that 64 bits hold."""
    low, high = LIMITS[dtype]
    found = {low - 1, low, high, high + 1, -high, -high - 2, -1, 256, 300, -300, 2**15, 2**31, -2**40, 2**32 + 3}
    return sorted(n for n in found if -2**63 <= n < 2**63)


def takes_a_number(op):
    if is_composite(op) or op.random or writes_input(op) or op.name.startswith("special_"):
        return False
    return is_comparable(op) and len(op.inputs) > 1 and op.takes_number[1] and op.dtype is not None


def arguments(t, op, dtype, number):
    """The first input a tensor, a number for the second, tensors for what else there must be."""
    x = t.tensor([3, 250, 7] if dtype == "uint8" else [3, -100, 7], dtype=getattr(t, dtype))
    rest = [x.clone() for place in op.inputs[2:] if op.defaults[op.names.index(place)] is not None]
    if op.inputs[0] == "condition":
        return [[x == 3, x, number], [x == 3, number, x]]
    return [[x, number, *rest], *([[number, x, *rest]] if op.takes_number[0] else [])]


@pytest.mark.parametrize("op", every_op(takes_a_number), ids=name_of)
def test_a_number_beyond_the_dtype(op):
    for dtype in LIMITS:
        for number in beyond(dtype):
            for expected, given in zip(arguments(torch, op, dtype, number), arguments(leafward, op, dtype, number)):
                outcome = Outcome(theirs(op), expected)
                mine = Outcome(ours(op), given)
                if outcome.error is not None:
                    assert mine.error is None or "overflow" not in str(outcome.error) or str(mine.error) == str(outcome.error)
                    assert "overflow" not in str(outcome.error) or mine.error is not None, (dtype, number)
                    continue
                try:
                    assert_same_outcome(mine, outcome, rtol=1e-5, atol=1e-5)
                except Exception as error:
                    error.add_note(f"{op.name}, {dtype}, {number}")
                    raise


@both
def test_numbers_beyond_the_dtype_in_other_places(t, see):
    for dtype in LIMITS:
        kind = getattr(t, dtype)
        for n in beyond(dtype):
            x = t.tensor([3, 100, 7], dtype=kind)
            for name in "add", "sub", "mul", "div", "pow", "clamp_min", "clamp_max":
                see.raises(getattr(t, "_foreach_" + name), [x, x], n)
            for function in (
                    lambda: x.clone().div_(n), lambda: t.div(x, n, out=t.empty(3)), lambda: n / x, lambda: x / t.tensor(n),  # noqa: B023
                    lambda: x[0] / n, lambda: x.true_divide(n), lambda: t.div(x, n, rounding_mode="floor"),  # noqa: B023
                    lambda: x.fill_(n), lambda: t.full((2,), n, dtype=kind), lambda: x.masked_fill(x == 3, n),  # noqa: B023
                    lambda: x.index_fill(0, t.tensor([0]), n),  # noqa: B023
                    lambda: t.sub(x, x, alpha=n), lambda: t.rsub(x, x, alpha=n), lambda: t.add(x, x, alpha=n),  # noqa: B023
                    lambda: x.scatter(0, t.tensor([0]), n), lambda: x.new_full((2,), n), lambda: t.where(x == 3, x, n)):  # noqa: B023
                see.raises(function)
            if abs(n) < 2**53:                              # (the value is a double there)
                see.raises(t.nn.functional.pad, x, (1, 1), value=n)
            if dtype != "int64" and abs(n) < 2**40:         # (those are rounded in its doubles)
                see.raises(t.linspace, 0, n, 3, dtype=kind)


@both
def test_pow_and_where_of_half_types(t, see):
    for kind in t.float16, t.bfloat16, t.float32:
        x = t.tensor([1.0, 2.0], dtype=kind)
        for n in 70000, 70000.0, 1e39:
            see.raises(lambda: x ** n)  # noqa: B023
            see.raises(t.where, x == 1, x, n)
