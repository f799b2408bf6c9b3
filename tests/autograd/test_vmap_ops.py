"""vmap on every sample of every op: what a loop gives, in values and gradients, for each way to batch the inputs."""
import warnings

import numpy as np
import pytest

import leafward
import leafward.func
from leafward.autograd import batch_calls
from tests.ops.checks import call, cotangents_for, has_gradient, tensors_in
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


@pytest.mark.parametrize("sample", every_sample(lambda op: not op.random), ids=name_of)
def test_values_are_those_of_a_loop(sample):
    tensors, template = batched_tensors(sample, "float64")
    if not tensors:
        return
    function = function_of(sample, template)
    for dims in ways(len(tensors)):
        given = [x if d is not None else x[0] for x, d in zip(tensors, dims)]
        expected = Outcome(by_loop, (function, given, dims))
        if expected.error is not None:
            continue                                        # also where each example gives another shape
        found = Outcome(leafward.vmap(function, tuple(dims)), tuple(given))
        if found.error is not None and "vmap" in str(found.error):
            assert is_refused(sample, found.error, dims), f"{dims}: {found.error}"
            continue
        try:
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


@pytest.mark.parametrize("sample", every_sample(lambda op: has_gradient(op) and not op.random), ids=name_of)
def test_gradients_are_those_of_a_loop(sample):
    """``vmap(grad(f))``: per-example gradients, with rules that run on batches."""
    tensors, template = batched_tensors(sample, "float64")
    function = function_of(sample, template)
    wanted = [k for k, x in enumerate(tensors) if x.is_floating_point()]
    if not wanted:
        return

    def loss(*tensors):
        outputs = [o for o in function(*tensors) if o.is_floating_point()]
        return sum(((o * o).sum() for o in outputs), leafward.zeros((), dtype=leafward.float64))
    gradient = leafward.func.grad(loss, argnums=tuple(wanted))
    dims = [0] * len(tensors)
    expected = Outcome(by_loop, (gradient, tensors, dims))
    if expected.error is not None or not all(np.isfinite(to_numpy(g)).all() for g in expected.value):
        return
    found = Outcome(leafward.vmap(gradient, tuple(dims)), tuple(tensors))
    if found.error is not None and "vmap" in str(found.error):
        forward = Outcome(leafward.vmap(function, tuple(dims)), tuple(tensors)).error
        assert forward is not None and is_refused(sample, forward, dims), found.error   # the rules themselves run on batches
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


@pytest.mark.parametrize("sample", every_sample(lambda op: has_gradient(op) and not op.random), ids=name_of)
def test_tangents_are_those_of_a_loop(sample):
    """``vmap(jvp(f))``: batched points and one direction for all, points that are the same for all, and the other way round."""
    tensors, template = batched_tensors(sample, "float64")
    wanted = [k for k, x in enumerate(tensors) if x.is_floating_point()]
    if not wanted:
        return
    function = function_of(sample, template)
    directions = [x + 1 for x in tensors]

    def tangents(*given):
        points, along = given[:len(tensors)], given[len(tensors):]

        def of_wanted(*moving):
            filled = dict(zip(wanted, moving, strict=True))
            return tuple([o for o in function(*[filled.get(k, x) for k, x in enumerate(points)]) if o.is_floating_point()])
        return leafward.func.jvp(of_wanted, tuple([points[k] for k in wanted]), tuple([along[k] for k in wanted]))[1]
    for dims in [*ways(len(tensors)), [None] * len(tensors)]:
        dims = [*dims, *[None if d == 0 else 0 for d in dims]]
        given = [x if d is not None else x[0] for x, d in zip([*tensors, *directions], dims)]
        expected = Outcome(by_loop, (tangents, given, dims))
        if expected.error is not None or not expected.value or not all(np.isfinite(to_numpy(g)).all() for g in expected.value):
            continue
        found = Outcome(leafward.vmap(tangents, tuple(dims)), tuple(given))
        if found.error is not None and "vmap" in str(found.error):
            assert is_refused(sample, found.error, dims), f"{dims}: {found.error}"
            continue
        for a, b in zip(found.get(), expected.value, strict=True):
            assert a.shape == b.shape
            assert_close(to_numpy(a), to_numpy(b), 1e-7, 1e-8, f"in_dims={dims}: ")


#: Where all examples share a table, its gradient is scaled by how often a row comes in all of them.
SHARED = "scale_grad_by_freq"


@pytest.mark.parametrize("sample", [s for s in every_sample(lambda op: has_gradient(op) and not op.random)
                                    if not s.is_edge and SHARED not in s.options_text], ids=name_of)
def test_gradients_of_gradients_are_those_of_a_loop(sample):
    """Backward through ``vmap(grad(f))``: what the examples' gradients owe to points and to what is the same for all."""
    tensors, template = batched_tensors(sample, "float64")
    wanted = [k for k, x in enumerate(tensors) if x.is_floating_point()]
    if not wanted:
        return
    function = function_of(sample, template)

    def loss(*tensors):
        outputs = [o for o in function(*tensors) if o.is_floating_point()]
        return sum(((o * o).sum() for o in outputs), leafward.zeros((), dtype=leafward.float64))
    gradient = leafward.func.grad(loss, argnums=tuple(wanted))

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
        if expected.error is not None or not all(g is None or np.isfinite(to_numpy(g)).all() for g in expected.value):
            continue
        found = Outcome(second, (lambda given, dims=dims: leafward.vmap(gradient, tuple(dims))(*given), dims))
        if found.error is not None and "vmap" in str(found.error):
            continue                                        # refused, as the test of first gradients allows
        for a, b in zip(found.get(), expected.value, strict=True):
            zero = np.zeros(())
            a, b = np.broadcast_arrays(*(zero if g is None else to_numpy(g) for g in (a, b)))
            assert_close(a, b, 1e-5, 1e-7, f"in_dims={dims}: ")
