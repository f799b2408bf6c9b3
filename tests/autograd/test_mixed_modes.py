"""Second derivatives four ways, on every sample of every op: backward over backward, and with forward mode in between.

Of ``s = Re <w, f(x)>`` with the Hessian ``H``: backward over backward, forward over backward and backward over forward
give ``H v``, forward over forward gives ``<v, H v>``.
"""
import numpy as np
import pytest

import leafward
from leafward.func import grad, jvp
from tests.comparisons import compared, compares
from tests.autograd.test_forward_mode_ops import HAS_BOTH, as_symmetric
from tests.ops.checks import (
    call, cotangents_for, has_gradient, inner, is_flat, is_recorded, settled, tensors_in, wanting,
)
from tests.oracle import Outcome, assert_close, to_numpy
from tests.samples import every_sample, ours


def refilled(value, tensors):
    """``value`` with the next of ``tensors`` in place of each tensor that wants a gradient."""
    if isinstance(value, dict):
        return {name: refilled(v, tensors) for name, v in value.items()}
    if isinstance(value, (list, tuple)):
        return type(value)(refilled(v, tensors) for v in value)
    return next(tensors) if isinstance(value, leafward.Tensor) and value.requires_grad else value


def scalar_of(sample, dtype):
    """``(s, the point x, a direction v)``."""
    args, kwargs = sample.make(leafward, dtype, requires_grad=True)
    points = wanting([args, kwargs])

    def s(*moved):
        given = iter(moved)
        result = settled(sample.op, call(leafward, ours(sample.op), sample.op, refilled(args, given), refilled(kwargs, given)))
        outputs = [x for x in tensors_in(result) if x.is_floating_point() or x.is_complex()]
        total = leafward.zeros((), dtype=leafward.float64)
        for out, w in zip(outputs, cotangents_for(leafward, outputs), strict=True):
            product = w.conj() * out
            total = total + (product.real if product.is_complex() else product).sum()
        return total
    directions = [as_symmetric(x, v) for x, v in zip(points, cotangents_for(leafward, points, seed=3), strict=True)]
    return s, tuple([x.detach() for x in points]), tuple(directions)


#: Complex eigenvectors: the tangent depends on their phase in two places that cancel, and each is checked by itself.
OF_A_PHASE = "specified up to multiplication by e^{i phi}"
#: Kernels of functions that take real numbers only.
REAL = ("_normalize_backward",)
#: Options that make the gradient a convention: rows that are left out, singular values that are cut off.
BY_CONVENTION = ("padding_idx", "scale_grad", "rcond")


def dot(a, b):
    return sum(((x.conj() * y).real if x.is_complex() else x * y).sum() for x, y in zip(a, b, strict=True))


#: Samples of which something is recorded, and can be differentiated.
CASES = [(sample, dtype) for sample in every_sample(lambda op: has_gradient(op) and not op.random and op.name not in HAS_BOTH)
         for dtype in ("float64", "complex128")
         if not any(word in sample.options_text for word in BY_CONVENTION)
         and not (dtype == "complex128" and sample.name in REAL) and is_recorded(sample, dtype) and not is_flat(sample)]


@pytest.mark.parametrize(("sample", "dtype"), CASES, ids=[f"{sample}-{dtype}" for sample, dtype in CASES])
@compares
def test_second_derivatives(sample, dtype):
    s, x, v = scalar_of(sample, dtype)
    every = tuple(range(len(x)))
    gradient = grad(s, every)
    expected = Outcome(grad(lambda *x: dot(gradient(*x), v), every), x)
    if expected.error is not None:                          # the op's own tests say whether it may
        compared()
        assert Outcome(jvp, (gradient, x, v)).error is not None, expected.error
        return
    expected = [to_numpy(h) for h in expected.value]
    if not all(np.isfinite(h).all() for h in expected):     # at a pole of the slope the other ways may meet no 0 * inf
        for a, b in zip(jvp(gradient, x, v)[1], expected, strict=True):
            a, b = (np.where(np.isfinite(h), h, 0) for h in (to_numpy(a), b))
            assert_close(np.where(b == 0, 0, a), np.where(a == 0, 0, b), 1e-7, 1e-9)
        return
    size = 1 + max((np.abs(h).max(initial=0) for h in expected), default=0)
    ways = {"forward over backward": lambda: jvp(gradient, x, v)[1],
            "backward over forward": lambda: grad(lambda *x: jvp(s, x, v)[1], every)(*x)}
    for name, way in ways.items():
        found = Outcome(way)
        if found.error is not None and name == "backward over forward" and OF_A_PHASE in str(found.error):
            continue
        for point, a, b in zip(x, found.get(), expected, strict=True):
            # A gradient may have any part that no Hermitian direction sees.
            a, b = (as_symmetric(point, h) for h in (a, leafward.from_numpy(np.array(b))))
            assert_close(to_numpy(a), to_numpy(b), 1e-7, 1e-9 * size, name)
    twice = jvp(lambda *x: jvp(s, x, v)[1], x, v)[1]
    along = sum(inner(h, to_numpy(d)) for h, d in zip(expected, v, strict=True))
    assert abs(float(twice) - along) <= 1e-8 * size + 1e-7 * abs(along), f"forward over forward: {float(twice)}, not {along}"
