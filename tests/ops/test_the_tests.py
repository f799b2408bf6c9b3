"""The checks can fail: each planted mistake is caught by the test that is there to catch it."""
from contextlib import contextmanager

import pytest

import leafward
from leafward.core.callables import make_function
from leafward.core.op import op, registry
from leafward.core.finalize import finalize_op
from tests.ops import test_gradients, test_values
from tests.ops.checks import assert_gradient, assert_second_order
from tests.samples import Sample


@contextmanager
def declared(name, forward, dx=None, **facts):
    """A temporary op with one input ``x`` and the rule ``dx``: its sample."""
    made = op(f"torch._{name}", samples=["3"], **facts)(forward)
    if dx is not None:
        made.vjp("x")(dx)
    try:
        finalize_op(made)
        made.public_function = make_function(made)
        yield Sample(made, "3")
    finally:
        del registry[made.name]


def test_a_rule_off_by_a_thousandth():
    with declared("twice", lambda xp, x: 2 * x, dx=lambda g: 2.002 * g) as sample:
        with pytest.raises(AssertionError, match="twice: gradient for x"):
            assert_gradient(leafward, sample.op.public_function, sample)


def test_a_right_rule_passes():
    with declared("twice", lambda xp, x: 2 * x, dx=lambda g: 2 * g) as sample:
        assert_gradient(leafward, sample.op.public_function, sample)
        assert_second_order(leafward, sample.op.public_function, sample)
        test_gradients.test_rules_write_into_nothing(sample)


def test_a_residual_that_is_constant_one_order_higher():
    with declared("cube", lambda xp, x: (x * x * x, 3 * x * x), dx=lambda g, slope: g * slope,
                  residuals="slope") as sample:
        assert_gradient(leafward, sample.op.public_function, sample)
        with pytest.raises(AssertionError, match="cube: second-order gradient for x"):
            assert_second_order(leafward, sample.op.public_function, sample)


def test_a_rule_that_writes_into_its_gradient():
    def careless(g):
        g *= 2
        return g

    with declared("twice", lambda xp, x: 2 * x, dx=careless) as sample:
        with pytest.raises(AssertionError, match="wrote into what it was given|second pass"):
            test_gradients.test_rules_write_into_nothing(sample)


def test_a_value_kept_behind_the_version_counter():
    """The input itself as a residual: nobody compares its version."""
    with declared("squared", lambda xp, x: (x * x, x), dx=lambda g, kept: 2 * g * kept, residuals="kept",
                  reference=lambda torch, x: x * x) as sample:
        with pytest.raises(AssertionError, match="used without a complaint"):
            test_gradients.test_keeps_no_more_than_pytorch_keeps(sample)


def test_a_derivative_that_is_missing():
    with declared("sine", lambda xp, x: xp.sin(x), nondifferentiable="x", reference=lambda torch, x: torch.sin(x)) as sample:
        with pytest.raises(AssertionError, match="PyTorch has a derivative for x"):
            test_gradients.test_constant_inputs_have_no_gradient_in_pytorch(sample)


@pytest.mark.parametrize(("forward", "message"), [
    (lambda xp, x: xp.sin(x) * 1.0001, "expected"),
    (lambda xp, x: xp.astype(xp.sin(x), leafward.float64), "torch.float64, PyTorch has torch.float32"),
    (lambda xp, x: xp.expand_dims(xp.sin(x), 0), "shape"),
])
def test_a_wrong_forward(forward, message):
    with declared("sine", forward, nondifferentiable="x", reference=lambda torch, x: torch.sin(x)) as sample:
        with pytest.raises(AssertionError, match=message):
            test_values.test_value(sample)


def test_a_forward_that_writes_into_its_input():
    def careless(xp, x):
        x += 1
        return x - 1

    with declared("same", careless, nondifferentiable="x", reference=lambda torch, x: x.clone()) as sample:
        with pytest.raises(AssertionError, match="an input, afterwards|may not"):
            test_values.test_value(sample)
