"""Each compiled kernel computes what the forward or the rule does that names it, on samples, on shapes and at edges."""
import itertools

import numpy as np
import pytest

import leafward
from leafward.arrays import cpu
from leafward.core.op import Op
from leafward.core.runtime import runtime
from tests.samples import declared_ops, samples_of

#: What names a kernel: an op for its forward, or an op and the input that a rule serves. Uncompiled there is none.
USES = [(op, served) for op in declared_ops() if isinstance(op, Op) and runtime.kernels
        for served in [*([None] if op.kernel_name else []), *[name for name, rule in op.rules.items() if rule.kernel]]]
#: How many units in the last place apart the two may be, by kernel: arithmetic is the same bit by bit, functions of C's library
#: and of NumPy's vector loops are each within a few units of the truth.
ULP = {"exp": 3, "log": 3, "tanh": 5, "sigmoid": 5, "sin": 3, "cos": 3, "sigmoid_grad": 3, "tanh_grad": 3}
#: Sums run in another order: their units are those of the summands' sizes, one for each summand.
PRODUCTS = ("product", "product_turned", "product_with_turned", "affine")
EDGES = [0.0, -0.0, 1.0, -1.0, np.inf, -np.inf, np.nan, 1e-30, -1e30, 87.0, -87.0, 0.5]
SHAPES = [(), (1,), (7,), (3, 4), (2, 3, 4), (0,), (2, 0), (1024,), (32, 32), (1025,)]
FACTORS = [(1, 1, 1), (3, 4, 5), (8, 16, 8), (4, 0, 3), (0, 3, 2), (5, 3, 1), (1, 31, 2), (32, 33, 1)]


def inputs_for(op, dtype):
    """Lists of what the op's forward takes, as arrays, numbers and options."""
    rng = np.random.default_rng(5)
    for sample in samples_of(op):
        args, kwargs = sample.make(leafward, dtype)
        given = dict(zip([p.name for p in sample.parameters], args)) | kwargs
        given = {{"input": "x", "other": "y"}.get(name, name): value for name, value in given.items()}
        values = [given.get(name, default) for name, default in zip(op.names, op.defaults)]
        if op.name == "view" or all(values[k] == op.defaults[k] for k in op.option_at):     # a kernel knows no options
            yield values

    def normal(*shape):
        return (2 * rng.standard_normal(shape)).astype(dtype)
    if op.elementwise:
        count = len(op.inputs)
        edges = np.array(list(itertools.product(EDGES, repeat=count)), dtype)
        edges = [np.ascontiguousarray(column) for column in edges.T]
        for arrays in edges, *[[normal(*shape) for _ in op.inputs] for shape in SHAPES]:
            yield [*arrays, *op.defaults[count:]]
            if count == 2:
                for other in np.array(1.5, dtype), 0.3, 2, True:
                    yield [arrays[0], other, *op.defaults[count:]]
                yield [np.array(-0.5, dtype), arrays[0], *op.defaults[count:]]
    for n, k, m in FACTORS:
        if op.name == "mm":
            yield [normal(n, k), normal(k, m)]
        if op.name == "linear":
            yield from ([normal(n, k), normal(m, k), bias] for bias in (None, normal(m)))
        if op.name == "view":
            yield from ([normal(n, k, m), size, None] for size in ((n * k, m), (m, n, k), (n, k, m, 1), (n * k * m,)))


def as_arrays(values):
    return [v.numpy() if isinstance(v, leafward.Tensor) else v for v in values]


def answers(op, served, values):
    """``(what the kernel is given, what it answers, what the declaration computes)``."""
    named = dict(zip(op.names, values))
    if served is None:
        operands = [v for v, name in zip(values, op.names) if name in op.inputs or op.name == "view"]
        given = op.kernel(*operands)
        return operands, given, None if given is None else op.forward(cpu, **named)
    rule = op.rules[served]
    out = op.forward(cpu, **named)
    named |= {"xp": cpu, "out": out, "g": np.random.default_rng(6).standard_normal(out.shape).astype(out.dtype)}
    operands = [named[name] for name in rule.asks if name != "xp"][:2]
    return operands, runtime.kernels[rule.kernel](*operands), rule.function(*[named[name] for name in rule.asks])


def assert_within(given, expected, operands, name, case):
    assert type(given) is np.ndarray and given.dtype == expected.dtype, case
    assert given.shape == expected.shape and (name != "view" or given.strides == expected.strides), case
    spacing = np.spacing(np.abs(np.where(np.isfinite(expected), expected, 1)))
    if name in PRODUCTS:
        x, y = (np.abs(a).astype("float64") for a in operands[:2])
        x, y = x.T if name == "product_turned" else x, y.T if name in ("product_with_turned", "affine") else y
        sizes = x @ y if len(operands) < 3 or operands[2] is None else x @ y + np.abs(operands[2])
        bound = (x.shape[1] + 1) * np.finfo(given.dtype).eps * sizes
    else:
        bound = ULP.get(name, 0) * spacing
    with np.errstate(invalid="ignore"):
        same = (given == expected) | (np.isnan(given) & np.isnan(expected)) | (np.abs(given - expected) <= bound)
    assert same.all(), f"{case}: {given[~same][0]} instead of {expected[~same][0]}, for {[a for a in operands]}"
    if name not in ULP and name not in PRODUCTS:
        assert np.all((np.signbit(given) == np.signbit(expected)) | np.isnan(given)), f"{case}: another sign of zero"


if runtime.kernels:
    @pytest.mark.parametrize("dtype", ("float32", "float64"))
    @pytest.mark.parametrize(("op", "served"), USES, ids=[f"{op.name}-{served or 'forward'}" for op, served in USES])
    def test_kernel_is_forward(op, served, dtype):
        name = op.kernel_name if served is None else op.rules[served].kernel
        answered = 0
        for values in inputs_for(op, dtype):
            with np.errstate(all="ignore"):
                operands, given, expected = answers(op, served, as_arrays(values))
            if given is not None:
                answered += 1
                assert_within(given, expected, operands, name, [getattr(v, "shape", v) for v in operands])
        assert answered >= 5, f"the kernel {name!r} answers None to everything but {answered}: it does not serve {op.name}"

    @pytest.mark.parametrize("dtype", ("float32", "float64"))
    def test_kernels_of_the_engine(dtype):
        """Sums over leading dims, and the sum of two gradients, in place or not."""
        rng = np.random.default_rng(7)
        for shape, to in ((3, 4), (4,)), ((2, 3, 4), (4,)), ((2, 3, 4), (3, 4)), ((5,), ()), ((0, 3), (3,)), ((3, 0), (0,)):
            x = rng.standard_normal(shape).astype(dtype)
            total, axes = runtime.kernels["sum_to"](x, to), tuple(range(len(shape) - len(to)))
            assert total.shape == to and total.dtype == x.dtype
            bound = np.abs(x).sum(axes) * x.size * np.finfo(dtype).eps
            assert np.all(np.abs(total - x.sum(axes, dtype="float64")) <= bound)
        assert runtime.kernels["sum_to"](x, (3, 0)) is None
        for shape in SHAPES[:-1]:
            x, y = rng.standard_normal(shape).astype(dtype), rng.standard_normal(shape).astype(dtype)
            expected = x + y
            assert np.array_equal(runtime.kernels["add"](x, y), expected)
            assert runtime.kernels["add_into"](x, y) is True
            assert np.array_equal(x, expected)
        x = rng.standard_normal(8).astype(dtype)
        assert runtime.kernels["add_into"](x[1:], x[:-1]) is None, "they share memory"

    def test_every_kernel_is_compared():
        named = {op.kernel_name if served is None else op.rules[served].kernel for op, served in USES}
        assert named | {"sum_to", "add", "add_into"} == set(runtime.kernels)


def test_kernels_are_there_where_the_core_is_compiled():
    from leafward.core import call
    assert bool(runtime.kernels) == (not call.__file__.endswith(".py"))
