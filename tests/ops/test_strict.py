"""Forwards and rules use nothing but the array namespace: on arrays that know no NumPy they give the same."""
import contextlib

import pytest

import leafward
from leafward.arrays.strict import StrictArray, strictly, wrapped, xp
from leafward.core.op import Composite, Op, registry
from leafward.core.runtime import runtime
from tests.comparisons import compared, compares
from tests.ops.checks import call, tensors_in
from tests.oracle import Outcome, assert_close, to_numpy
from tests.samples import every_sample, name_of, ours

OPS = [op for op in registry.values() if isinstance(op, Op)]
RULES = [rule for op in OPS for rule in {id(rule): rule for rule in op.rules.values()}.values()]
#: What draws does so on the host, from PyTorch's stream.
SAMPLES = every_sample(lambda op: not op.random)


PLAIN = [op.forward for op in OPS] + [rule.function for rule in RULES]
STRICT = [strictly(function) for function in PLAIN]


DTYPES = ("float64", "complex128", "int64", "bool", "float16")


@contextlib.contextmanager
def running(functions):
    """Every op runs ``functions``, and no compiled kernel in their place, and no tape of what they did before."""
    shared = runtime.kernels, runtime.new_tapes
    own = [(op.kernel, op.has_general_kernel, op.tapes, op.out_tapes, op.calls, op.write_calls) for op in OPS]
    composites = [(declared, declared.calls) for declared in registry.values() if isinstance(declared, Composite)]
    runtime.kernels, runtime.new_tapes = {}, None
    for declared, _ in composites:
        declared.calls = None
    for op in OPS:
        op.kernel, op.has_general_kernel = None, False
        op.tapes = op.out_tapes = op.calls = op.write_calls = None
    try:
        exchange(functions)
        yield
    finally:
        runtime.kernels, runtime.new_tapes = shared
        for op, before in zip(OPS, own, strict=True):
            op.kernel, op.has_general_kernel, op.tapes, op.out_tapes, op.calls, op.write_calls = before
        for declared, calls in composites:
            declared.calls = calls
        exchange(PLAIN)


def exchange(functions):
    for op, function in zip(OPS, functions[:len(OPS)], strict=True):
        op.forward = function
        op.plans.clear()
    for rule, function in zip(RULES, functions[len(OPS):], strict=True):
        rule.function = function


def values_and_gradients(sample, dtype):
    """``(the result, the gradients)``; for the gradients the exception's type and text, where there is no derivative."""
    args, kwargs = sample.make(leafward, dtype, requires_grad=True)
    result = call(leafward, ours(sample.op), sample.op, args, kwargs)
    wanting = [x for x in tensors_in(result) if x.requires_grad]
    backward = Outcome(leafward.autograd.backward, (wanting, [leafward.ones_like(x) for x in wanting])) if wanting else None
    if backward is not None and backward.error is not None:
        return result, (type(backward.error).__name__, str(backward.error))
    return result, [x.grad for x in tensors_in([args, kwargs]) if x.is_leaf]


@pytest.mark.parametrize("sample", SAMPLES, ids=name_of)
@compares
def test_strict_arrays_give_the_same(sample):
    found = []
    for functions in PLAIN, STRICT:
        with running(functions):
            found.append([Outcome(values_and_gradients, (sample, dtype)) for dtype in DTYPES])
    for plain, strict in zip(*found, strict=True):
        compared()
        if plain.error is not None:
            assert type(strict.error) is type(plain.error) and str(strict.error) == str(plain.error)
        else:
            assert_equal(strict.get(), plain.value)


def assert_equal(given, expected):
    if isinstance(expected, (list, tuple)):
        for a, b in zip(given, expected, strict=True):
            assert_equal(a, b)
    elif isinstance(expected, leafward.Tensor):
        assert given.dtype is expected.dtype
        assert_close(to_numpy(given), to_numpy(expected), 0, 0)
    else:
        assert given == expected


def test_what_a_strict_array_refuses():
    x = wrapped(leafward.arange(3).numpy())
    for read in (float, int, bool, list, lambda x: 1 in x):
        with pytest.raises(TypeError, match=r"say so with xp.to_host\(x\)"):
            read(x[0])
    with pytest.raises(TypeError, match="to_host"):
        leafward.tensor(0).numpy()[...] = x[0]
    with pytest.raises(AttributeError):
        x.sum()
    with pytest.raises(AttributeError, match="the array namespace has no 'genfromtxt'"):
        xp.genfromtxt()
    assert isinstance(xp.sum(x), StrictArray)
    assert isinstance(xp.maximum.accumulate(x), StrictArray)
    assert xp.to_host(xp.sum(x)) == 3
