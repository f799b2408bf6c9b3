"""A tape gives what its paragraph does: to the bit, in the same layout, for other values too; or it declines."""
import copy
from functools import partial

import numpy as np
import pytest

import leafward
from leafward.arrays import cpu
from leafward.arrays.tapes import record, twins_of
from leafward.core.finalize import forward_into, forward_of
from leafward.core.op import Composite, Op, registry
from leafward.core.runtime import runtime
from tests.comparisons import compared
from tests.ops.checks import call, tensors_in
from tests.samples import every_sample, name_of, ours

DTYPES = ("float32", "int64", "bool", "complex64")
played = pytest.mark.skipif(runtime.new_tapes is None, reason="nothing is compiled, so nothing plays tapes")
SAMPLES = every_sample(lambda op: isinstance(op, Op) and not op.random)
#: So often a paragraph runs before it is recorded.
SIGHTINGS = 4


class Watched:
    """In a ``with`` block, what paragraphs are called with: ``(call, values, positions that are written)``."""

    def __init__(self):
        self.seen = []

    def __enter__(self):
        self.kept = runtime.new_tapes, [(op, op.kernel, op.has_general_kernel, op.tapes, op.out_tapes, op.calls, op.write_calls)
                                        for op in registry.values() if isinstance(op, Op)]
        self.composites = [(declared, declared.calls) for declared in registry.values() if isinstance(declared, Composite)]
        for declared, _ in self.composites:
            declared.calls = None
        runtime.new_tapes = self.tapes_of
        for op, *_ in self.kept[1]:
            op.kernel, op.has_general_kernel, op.calls, op.write_calls = None, False, None, None
            op.plans.clear()
            if not op.random and op.alias_at < 0:
                op.tapes = self.tapes_of(forward_of(op), (op.names.index(op.writes),) if op.writes else ())
                op.out_tapes = self.tapes_of(forward_into(op), (op.arity,))
        return self

    def __exit__(self, *exc):
        runtime.new_tapes, kept = self.kept
        for op, op.kernel, op.has_general_kernel, op.tapes, op.out_tapes, op.calls, op.write_calls in kept:
            op.plans.clear()
        for declared, calls in self.composites:
            declared.calls = calls

    def tapes_of(self, paragraph, written=()):
        return Asked(self.seen, paragraph, written)


class Asked:
    """Tapes that have none, and note what for."""

    def __init__(self, seen, paragraph, written):
        self.seen, self.paragraph, self.written = seen, paragraph, written

    def find(self, values):
        try:
            self.seen.append((self.paragraph, twins_of(list(values)), self.written))
        except Exception:                           # noqa: BLE001  a sparse or lazy array: such have no tapes
            pass

    answer = find


def calls_of(sample, dtype):
    """What the paragraphs behind a sample are called with, forward and backward."""
    try:
        args, kwargs = sample.make(leafward, dtype, requires_grad=True)
    except Exception:                               # noqa: BLE001  a sample that has no such dtype
        return []
    with Watched() as watched:
        try:
            result = call(leafward, ours(sample.op), sample.op, args, kwargs)
            wanting = [x for x in tensors_in(result) if x.requires_grad]
            if wanting:
                leafward.autograd.backward(wanting, [leafward.ones_like(x) for x in wanting])
        except Exception:                           # noqa: BLE001  an op without this dtype, or without a derivative
            pass
    return watched.seen


def outcome(call, values):
    with np.errstate(all="ignore"):
        try:
            return call(values)
        except Exception as error:                  # noqa: BLE001  compared below
            return type(error), str(error)


def turned(values):
    """``values`` with the elements of each array in another order."""
    if isinstance(values, list):
        return [turned(value) for value in values]
    if not isinstance(values, np.ndarray):
        return values
    twin = twins_of(values)
    if twin.flags.writeable and twin.size > 1 and 0 not in twin.strides:
        twin[...] = np.roll(twin.reshape(-1), 1).reshape(twin.shape)
    return twin


def is_error(result):
    """Whether :func:`outcome` gave an exception."""
    return isinstance(result, tuple) and bool(result) and isinstance(result[0], type)


def assert_same(given, expected):
    if isinstance(expected, (tuple, list)) and not is_error(expected):
        assert len(given) == len(expected)
        for one, other in zip(given, expected, strict=True):
            assert_same(one, other)
    elif expected is None:
        assert given is None
    else:
        given, expected = np.asarray(given), np.asarray(expected)
        assert (given.dtype, given.shape, given.strides) == (expected.dtype, expected.shape, expected.strides)
        assert given.tobytes() == expected.tobytes()


@played
@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
def test_tapes_give_what_their_paragraphs_do(sample):
    from leafward.arrays.kernels.tape_player import Tape
    for dtype in DTYPES:
        for paragraph, values, written in calls_of(sample, dtype):
            found = record(paragraph, copy.copy(values), written)
            if found is None:
                continue
            tape = Tape(*found[0])
            for make in (twins_of, turned):
                given = make(values)
                expected_of = twins_of(given)
                expected = outcome(partial(paragraph, cpu), expected_of)
                result = outcome(tape.play, given)
                if result is None:                  # it declined
                    continue
                compared()
                assert not is_error(result), result
                assert not is_error(expected), f"a tape gives a result where the paragraph says {expected}"
                if not is_uninitialised(sample.op.name):
                    assert_same(result, expected)
                assert_same(given, expected_of)     # what was written


def is_uninitialised(name):
    """Whether it hands on memory that nobody wrote."""
    return name.startswith(("empty", "ctc"))


CALLS = {
    "cat": lambda x, i: leafward.cat([x, x + 1]),
    "gather": lambda x, i: leafward.gather(x, 1, i),
    "index_select": lambda x, i: leafward.index_select(x, 0, i[0]),
    "addmm": lambda x, i: leafward.addmm(x, x, x, beta=0.5),
    "constant_pad_nd": lambda x, i: leafward.nn.functional.pad(x, (1, 1)),
    "index_add": lambda x, i: x.clone().index_add_(0, i[0], x),
}


@played
@pytest.mark.parametrize("name", CALLS)
def test_after_some_calls_a_tape_is_played(name):
    function, op = CALLS[name], registry[name]
    forward, runs = op.forward, []

    def counting(*args, **kwargs):
        runs.append(args)
        return forward(*args, **kwargs)
    op.forward = counting
    try:
        for number in range(20):
            x = leafward.arange(9.0).reshape(3, 3) + number + leafward.tensor(len(name) * 7.0)
            i = leafward.tensor([[number % 3, 1, 2]])
            given = function(x, i)
            op.forward = forward
            tapes, op.tapes, op.out_tapes = (op.tapes, op.out_tapes), None, None
            assert given.equal(function(x, i))
            (op.tapes, op.out_tapes), op.forward = tapes, counting
    finally:
        op.forward = forward
    assert len(runs) <= SIGHTINGS + 1               # once more to record it


@played
def test_what_is_wrong_is_refused_as_before():
    x, good, bad = leafward.arange(6.0).reshape(2, 3), leafward.tensor([[0, 1]]), leafward.tensor([[0, 7]])
    for _ in range(2 * SIGHTINGS):
        assert leafward.gather(x, 1, good).tolist() == [[0.0, 1.0]]
        with pytest.raises(RuntimeError, match="index 7 is out of bounds for dimension 1 with size 3"):
            leafward.gather(x, 1, bad)
        with pytest.raises(IndexError, match="index out of range in self"):
            x.clone().index_select(0, leafward.tensor([2]))
        target = leafward.zeros(2, 3)
        with pytest.raises(RuntimeError, match="index 5 is out of bounds"):
            target.index_add_(0, leafward.tensor([0, 5]), x)
        assert target.tolist() == [[0.0] * 3] * 2


@played
def test_each_call_warns():
    x = leafward.tensor([1.0])
    for _ in range(2 * SIGHTINGS):
        with pytest.warns(UserWarning, match="degrees of freedom is <= 0"):
            leafward.std(x)


@played
def test_the_default_dtype_is_part_of_what_a_tape_is_for():
    x = leafward.tensor([[1, 2], [3, 4]])
    for _ in range(2 * SIGHTINGS):
        assert leafward.linalg.vector_norm(x.float()).dtype is leafward.float32
        assert leafward.logsumexp(x, 1).dtype is leafward.float32
    leafward.set_default_dtype(leafward.float64)
    try:
        for _ in range(2 * SIGHTINGS):
            assert leafward.logsumexp(x, 1).dtype is leafward.float64
    finally:
        leafward.set_default_dtype(leafward.float32)
