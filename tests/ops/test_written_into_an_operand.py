"""A result that is written into another of its operands, in place or by ``out=``, is what copies would have given."""
import pytest

import leafward as lw
from leafward.core.op import Op
from tests.samples import declared_ops, is_public, name_of, samples_of

WRITTEN = [op for op in declared_ops() if isinstance(op, Op) and is_public(op) and not op.random and len(op.inputs) > 1
           and samples_of(op)]


def attempts():
    """``(op, sample, dtype, position, name of the form)`` of every operand that might be written into."""
    for op in WRITTEN:
        for sample in samples_of(op)[:6]:
            for dtype in ("float32", "int64", "bool"):
                args, _ = sample.make(lw, dtype)
                for position, value in enumerate(args):
                    if isinstance(value, lw.Tensor):
                        yield op, sample, dtype, position, "out"
                        if position and op.public_inplace is not None:
                            yield op, sample, dtype, position, "in place"


def both_ways(op, sample, dtype, position, form):
    """The result of copies, and of the form; None where the form does not fit, or is refused."""
    args, kwargs = sample.make(lw, dtype)
    if form == "in place":
        args[position] = args[0]
    written = args[position]
    copies = [value.clone() if isinstance(value, lw.Tensor) else value for value in args]
    try:
        expected = op.public_function(*copies, **kwargs)
        if not isinstance(expected, lw.Tensor) or (expected.shape, expected.dtype) != (written.shape, written.dtype):
            return None
        return expected, op.public_inplace(*args, **kwargs) if form == "in place" else op.public_function(
            *args, **kwargs, out=written)
    except (RuntimeError, TypeError, IndexError, ValueError):
        return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("op", WRITTEN, ids=name_of)
def test_written_into_an_operand(op):
    for attempt in attempts_of(op):
        if (made := both_ways(*attempt)) is not None:
            expected, given = made
            assert lw.equal(given.nan_to_num(7), expected.nan_to_num(7)), attempt[1:]


def attempts_of(op):
    return [attempt for attempt in ATTEMPTS if attempt[0] is op]


ATTEMPTS = list(attempts())


def test_it_writes():
    assert sum(both_ways(*attempt) is not None for attempt in ATTEMPTS) > 500
