"""vmap on every sample of every op: what a loop gives, in values and gradients, for each way to batch the inputs."""
import warnings

import numpy as np
import pytest

import leafward
import leafward.func
from leafward.autograd import batch_calls
from tests.comparisons import compared, compares
from tests.ops.checks import call, cotangents_for, has_gradient, is_recorded, tensors_in
from tests.oracle import Outcome, assert_close, to_numpy
from tests.samples import every_sample, name_of, ours

SIZE = 3


def batched_tensors(sample, dtype):
    """``SIZE`` draws of the sample's tensors, and the arguments with the tensors taken out."""
    draws = [sample.make(leafward, dtype, seed=seed) for seed in range(SIZE)]
    tensors = [tensors_in([args, kwargs]) for args, kwargs in draws]
    return [leafward.stack([t[k] for t in tensors]) for k in range(len(tensors[0]))], draws[0]


def refilled(value, tensors):
    """``value`` with the next of ``tensors`` for each tensor."""
    if isinstance(value, dict):
        return {name: refilled(v, tensors) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(refilled(v, tensors) for v in value)
    return next(tensors) if isinstance(value, leafward.Tensor) else value


def function_of(sample, template):
    args, kwargs = template

    def function(*tensors):
        given = iter(tensors)
        filled = refilled(args, given), refilled(kwargs, given)
        return tuple(tensors_in(call(leafward, ours(sample.op), sample.op, *filled)))
    return function


def has_tangents(x):
    return x.is_floating_point() or x.is_complex()


def squares_of(function):
    """The sum of the squares of all that ``function`` gives."""
    def loss(*tensors):
        outputs = [o for o in function(*tensors) if has_tangents(o)]
        squares = [(o * o.conj()).real if o.is_complex() else o * o for o in outputs]
        return sum([x.sum() for x in squares], leafward.zeros((), dtype=leafward.float64))
    return loss


def by_loop(function, tensors, dims):
    rows = [function(*[x if d is None else x.select(d, k) for x, d in zip(tensors, dims)]) for k in range(SIZE)]
    return [leafward.stack(list(column)) for column in zip(*rows)]


def ways(count):
    """Which inputs are batched, and along which dim."""
    yield [0] * count
    if count > 1:
        for chosen in range(min(count, 3)):
            yield [0 if k == chosen else None for k in range(count)]
            yield [None if k == chosen else 0 for k in range(count)]


#: What these give is no tensor, so that a loop has nothing to stack.
PLAIN_ANSWERS = ("allclose", "equal", "is_conj")


@pytest.mark.parametrize("sample", [s for s in every_sample(lambda op: not op.random and op.name not in PLAIN_ANSWERS)
                                    if s.has_tensors], ids=name_of)
@compares
def test_values_are_those_of_a_loop(sample):
    tensors, template = batched_tensors(sample, "float64")
    function = function_of(sample, template)
    for dims in ways(len(tensors)):
        given = [x if d is not None else x[0] for x, d in zip(tensors, dims)]
        expected = Outcome(by_loop, (function, given, dims))
        found = Outcome(leafward.vmap(function, tuple(dims)), tuple(given))
        if expected.error is not None:                      # also where each example gives another shape
            compared()
            assert found.error is not None, f"{dims}: a loop says {expected.error}"
            continue
        if found.error is not None and "vmap" in str(found.error):
            compared()
            assert is_refused(sample, found.error, dims), f"{dims}: {found.error}"
            continue
        try:
            if not expected.value:                          # no row of no rows
                compared()
            for a, b in zip(found.get(), expected.value, strict=True):
                assert str(a.dtype) == str(b.dtype)
                assert a.shape == b.shape
                assert_close(to_numpy(a), to_numpy(b), 1e-9, 1e-10, f"in_dims={dims}: ")
        except Exception as error:
            error.add_note(f"in_dims={dims}")
            raise


def is_refused(sample, error, dims):
    """Results whose shape depends on values, reading numbers, and writes into what is not batched."""
    text = str(error)
    return ("dynamic shape" in text or ".item()" in text or "data-dependent" in text or "differently shaped" in text
            or "as_strided" in text or "inplace arithmetic" in text)


#: Those with a tensor of floating-point numbers, by which the result can be differentiated.
#: Rules that read whether the loss depends on the phase of complex vectors: their gradient is refused, the forward is not.
READS_ITS_PHASE = ("linalg_eig", "linalg_eigvals")
DIFFERENTIABLE = [s for s in every_sample(lambda op: has_gradient(op) and not op.random) if s.follows_dtype and is_recorded(s)]


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=name_of)
@compares
def test_gradients_are_those_of_a_loop(sample):
    """``vmap(grad(f))``: per-example gradients, with rules that run on batches."""
    tensors, template = batched_tensors(sample, "float64")
    function = function_of(sample, template)
    wanted = [k for k, x in enumerate(tensors) if x.is_floating_point()]

    gradient = leafward.func.grad(squares_of(function), argnums=tuple(wanted))
    dims = [0] * len(tensors)
    expected = Outcome(by_loop, (gradient, tensors, dims))
    found = Outcome(leafward.vmap(gradient, tuple(dims)), tuple(tensors))
    if expected.error is not None:
        compared()
        assert found.error is not None, f"a loop says {expected.error}"
        return
    if found.error is not None and "vmap" in str(found.error):
        forward = Outcome(leafward.vmap(function, tuple(dims)), tuple(tensors)).error
        compared()
        # The rules themselves run on batches.
        assert sample.name in READS_ITS_PHASE or (forward is not None and is_refused(sample, forward, dims)), found.error
        return
    for a, b in zip(found.get(), expected.value, strict=True):
        assert a.shape == b.shape
        assert_close(to_numpy(a), to_numpy(b), 1e-7, 1e-8)


def test_the_loop_says_so_once():
    batch_calls.warned.discard("histc")
    x = leafward.rand(3, 4)
    with pytest.warns(UserWarning, match="There is a performance drop .* for aten::histc"):
        leafward.vmap(lambda x: leafward.histc(x, 4, 0, 1))(x)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        leafward.vmap(lambda x: leafward.histc(x, 4, 0, 1))(x)


@pytest.mark.parametrize("sample", DIFFERENTIABLE, ids=name_of)
@compares
def test_tangents_are_those_of_a_loop(sample):
    """``vmap(jvp(f))``: batched points and one direction for all, points that are the same for all, and the other way round."""
    tensors, template = batched_tensors(sample, "float64")
    wanted = [k for k, x in enumerate(tensors) if x.is_floating_point()]
    function = function_of(sample, template)
    directions = [x + 1 for x in tensors]

    def tangents(*given):
        points, along = given[:len(tensors)], given[len(tensors):]

        def of_wanted(*moving):
            filled = dict(zip(wanted, moving, strict=True))
            return tuple([o for o in function(*[filled.get(k, x) for k, x in enumerate(points)]) if has_tangents(o)])
        return leafward.func.jvp(of_wanted, tuple([points[k] for k in wanted]), tuple([along[k] for k in wanted]))[1]
    for dims in [*ways(len(tensors)), [None] * len(tensors)]:
        dims = [*dims, *[None if d == 0 else 0 for d in dims]]
        given = [x if d is not None else x[0] for x, d in zip([*tensors, *directions], dims)]
        expected = Outcome(by_loop, (tangents, given, dims))
        found = Outcome(leafward.vmap(tangents, tuple(dims)), tuple(given))
        if expected.error is not None:
            compared()
            assert found.error is not None, f"{dims}: a loop says {expected.error}"
            continue
        if found.error is not None and "vmap" in str(found.error):
            compared()
            assert is_refused(sample, found.error, dims), f"{dims}: {found.error}"
            continue
        for a, b in zip(found.get(), expected.value, strict=True):
            assert a.shape == b.shape
            assert_close(to_numpy(a), to_numpy(b), 1e-7, 1e-8, f"in_dims={dims}: ")


#: Where all examples share a table, its gradient is scaled by how often a row comes in all of them.
SHARED = "scale_grad_by_freq"


@pytest.mark.parametrize("sample", [s for s in DIFFERENTIABLE if not s.is_edge and SHARED not in s.options_text], ids=name_of)
@compares
def test_gradients_of_gradients_are_those_of_a_loop(sample):
    """Backward through ``vmap(grad(f))``: what the examples' gradients owe to points and to what is the same for all."""
    tensors, template = batched_tensors(sample, "float64")
    wanted = [k for k, x in enumerate(tensors) if x.is_floating_point()]
    function = function_of(sample, template)

    gradient = leafward.func.grad(squares_of(function), argnums=tuple(wanted))

    def second(run, dims):
        given = [x if d is not None else x[0] for x, d in zip(tensors, dims)]
        given = [x.detach().requires_grad_(k in wanted) for k, x in enumerate(given)]
        first = run(given)
        pairs = [(g, w) for g, w in zip(first, cotangents_for(leafward, first), strict=True) if g.requires_grad]
        if not pairs:
            return [None for _ in wanted]
        ends, weights = zip(*pairs, strict=True)
        return leafward.autograd.grad(ends, [given[k] for k in wanted], weights, allow_unused=True)
    for dims in list(ways(len(tensors)))[:2]:
        expected = Outcome(second, (lambda given, dims=dims: by_loop(gradient, given, dims), dims))
        found = Outcome(second, (lambda given, dims=dims: leafward.vmap(gradient, tuple(dims))(*given), dims))
        if expected.error is not None:
            compared()
            assert found.error is not None, f"{dims}: a loop says {expected.error}"
            continue
        if found.error is not None and "vmap" in str(found.error):
            points = [x if d is not None else x[0] for x, d in zip(tensors, dims)]
            forward = Outcome(leafward.vmap(function, tuple(dims)), points)
            compared()
            assert sample.name in READS_ITS_PHASE or (
                forward.error is not None and is_refused(sample, forward.error, dims)), found.error
            continue
        for a, b in zip(found.get(), expected.value, strict=True):
            zero = np.zeros(())
            a, b = np.broadcast_arrays(*(zero if g is None else to_numpy(g) for g in (a, b)))
            assert_close(a, b, 1e-5, 1e-7, f"in_dims={dims}: ")
