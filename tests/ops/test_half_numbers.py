"""A Python number beside a half tensor is rounded where PyTorch rounds it: not in products and quotients."""
import numpy as np
import pytest

import leafward
from tests.oracle import Outcome, tensor_from_bits, to_numpy, torch
from tests.samples import every_op, is_comparable, is_composite, name_of, ours, theirs

HALF = ("bfloat16", "float16")
NUMBERS = (0.3, 1.7, 0.1234567, 257)

#: PyTorch computes these in several steps of the half type, each rounded.
ROUNDED_IN_BETWEEN = ("xlogy", "special_xlog1py")


def takes_numbers(op):
    return (is_comparable(op) and not is_composite(op) and op.elementwise and op.dtype is not None and len(op.inputs) > 1
            and any(op.takes_number[1:]))


def values(op):
    """A range with the numbers themselves in it, so that it shows what they are equal to."""
    low = 0.01 if op is not None and op.domain in ("pos", "unit") else -30
    return np.concatenate([np.linspace(low, 30, 601), NUMBERS])


def tensor(t, array, dtype):
    return tensor_from_bits(t, to_bits(array, dtype), dtype)


def to_bits(array, dtype):
    half = torch.from_numpy(array).to(getattr(torch, dtype))
    return half.view(torch.int16).numpy().view("uint16") if dtype == "bfloat16" else half.numpy()


def assert_equal_to_pytorch(dtype, function, *arrays, where):
    expected, given = (Outcome(function, (t, *[tensor(t, a, dtype) for a in arrays])) for t in (torch, leafward))
    if expected.error is not None:
        return
    np.testing.assert_array_equal(to_numpy(given.get()), to_numpy(expected.value), where)


@pytest.mark.parametrize("op", every_op(takes_numbers), ids=name_of)
def test_number_is_rounded_as_in_pytorch(op):
    if op.name in ROUNDED_IN_BETWEEN:
        return
    for dtype in HALF:
        for place in range(1, len(op.inputs)):
            for number in NUMBERS if op.takes_number[place] else ():
                def function(t, x, number=number, place=place):
                    args = [number if k == place else x for k in range(len(op.inputs))]
                    return (theirs if t is torch else ours)(op)(*args)
                assert_equal_to_pytorch(dtype, function, values(op), where=f"{number} for {op.inputs[place]}, {dtype}")


WRITTEN = {
    "x + .3": lambda t, x: x + .3, ".3 + x": lambda t, x: .3 + x, "x - .3": lambda t, x: x - .3, ".3 - x": lambda t, x: .3 - x,
    "x * .3": lambda t, x: x * .3, ".3 * x": lambda t, x: .3 * x, "x / .3": lambda t, x: x / .3, ".3 / x": lambda t, x: .3 / x,
    "x // .3": lambda t, x: x // .3, ".3 // x": lambda t, x: .3 // x, "x % .3": lambda t, x: x % .3,
    "1000 % x": lambda t, x: 1000 % x, "1000.3 % x": lambda t, x: 1000.3 % x, ".3 ** x": lambda t, x: .3 ** x,
    "x.abs() ** .3": lambda t, x: x.abs() ** .3, "x == .3": lambda t, x: x == .3, ".3 <= x": lambda t, x: .3 <= x,
    "add_": lambda t, x: x.clone().add_(.3), "mul_": lambda t, x: x.clone().mul_(.3), "div_": lambda t, x: x.clone().div_(.3),
    "where": lambda t, x: t.where(x > 0, x, .3), "hardshrink": lambda t, x: t.nn.functional.hardshrink(x, .3),
    "softshrink": lambda t, x: t.nn.functional.softshrink(x, .3), "_foreach_add": lambda t, x: t._foreach_add([x], .3)[0],
    "_foreach_mul": lambda t, x: t._foreach_mul([x], .3)[0], "threshold": lambda t, x: t.nn.functional.threshold(x, .3, .7),
}


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("text", WRITTEN)
def test_number_in_an_expression(text, dtype):
    assert_equal_to_pytorch(dtype, WRITTEN[text], values(None), where=text)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize("name", ["add", "sub", "rsub"])
def test_alpha_is_rounded(name, dtype):
    """Nearly always to the last bit: PyTorch's vector code rounds ``x + alpha * y`` once less."""
    rng = np.random.default_rng(0)
    x, y = 10 * rng.standard_normal(4001), rng.standard_normal(4001)
    for other in (y, None):
        given, expected = (to_numpy(getattr(t, name)(
            tensor(t, x, dtype), 0.3 if other is None else tensor(t, other, dtype), alpha=0.7)) for t in (leafward, torch))
        assert (given == expected).mean() > 0.99


@pytest.mark.parametrize("dtype", HALF)
def test_products_with_a_sum_are_rounded_once(dtype):
    rng = np.random.default_rng(0)
    left, right, added = rng.standard_normal((2, 30, 200)), rng.standard_normal((2, 200, 30)), rng.standard_normal((30, 30))
    cases = {"baddbmm": (left, right), "addmm": (left[0], right[0]), "addbmm": (left, right),
             "addmv": (left[0], right[0, :, 0]), "addr": (left[0, :, 0], right[0, 0])}
    for name, factors in cases.items():
        start = added[0] if name == "addmv" else added
        x, a, b = (tensor(leafward, v, dtype) for v in (start, *factors))
        truth = getattr(torch, name)(*(tensor(torch, v, dtype).double() for v in (start, *factors)), beta=0.3, alpha=0.7)
        once = to_numpy(truth.to(getattr(torch, dtype)))
        given = to_numpy(getattr(leafward, name)(x, a, b, beta=0.3, alpha=0.7))
        assert (given == once).mean() > 0.97, name              # float32's own rounding tips a few


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_running_estimates_of_float32_are_of_unrounded_moments(dtype):
    """Statistics that a kernel computes in float32 are rounded to 16 bits only where they are kept in 16."""
    x = (leafward.arange(24.0).reshape(4, 3, 2) ** 1.5 / 7).to(getattr(leafward, dtype))
    mean, variance = leafward.zeros(3), leafward.ones(3)
    leafward.nn.functional.batch_norm(x, mean, variance, training=True, momentum=1.0)
    exact = to_numpy(x.double())
    np.testing.assert_allclose(to_numpy(mean), exact.mean((0, 2)), rtol=1e-6)
    np.testing.assert_allclose(to_numpy(variance), exact.var((0, 2), ddof=1), rtol=1e-5)


@pytest.mark.parametrize("dtype", HALF)
def test_images_of_another_size_are_rounded_once(dtype):
    """And not after each dimension."""
    half = getattr(leafward, dtype)
    x = leafward.from_numpy(np.random.default_rng(0).standard_normal((2, 3, 37, 25))).to(half)
    for name, options in (("adaptive_avg_pool2d", {"output_size": (3, 2)}), ("adaptive_avg_pool2d", {"output_size": (19, 22)}),
                          ("interpolate", {"size": (11, 60), "mode": "bicubic"})):
        function = getattr(leafward.nn.functional, name)
        rounded, exact = (to_numpy(function(x.to(kind), **options).double()) for kind in (half, leafward.float64))
        np.testing.assert_allclose(rounded, exact, rtol=0.51 * leafward.finfo(half).eps, atol=1e-6, err_msg=f"{name} {options}")
