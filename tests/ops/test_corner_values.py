"""Values and gradients at zeros, infinities and NaN, and where a formula written down plainly loses its digits."""
import math

import pytest

import leafward
from tests.both import both

inf, nan = math.inf, math.nan
FLOATS = ("float32", "float64")


def show(t, see, function, *values, dtype="float64"):
    """The values, and the gradients of their sum."""
    inputs = [t.tensor(v, dtype=getattr(t, dtype), requires_grad=True) for v in values]
    out = function(*inputs)
    see(out, t.autograd.grad(out.abs().sum() if out.is_complex() else out.sum(), inputs))


@both
def test_powers_at_zero_and_infinity(t, see):
    for dtype in FLOATS:
        for p in 0.5, -0.5, 0.25, 2, 3, -1, -2, 0:
            show(t, see, lambda x: x ** p, [-0.0, 0.0, -inf, inf, -4.0, 4.0, nan], dtype=dtype)  # noqa: B023
        show(t, see, lambda b: 0.0 ** b, [-1.0, 0.0, 1.0, 2.0, nan, inf, -inf], dtype=dtype)
        show(t, see, lambda b: (-2.0) ** b, [-1.0, 0.0, 1.5, 2.0], dtype=dtype)
        for p in 0.5, -0.5:
            see(t.tensor([-0.0, 0.0, -inf, inf, -4.0, 4.0], dtype=getattr(t, dtype)) ** t.tensor(p))


@both
def test_powers_with_complex_exponents(t, see):
    show(t, see, lambda b: (-2.0) ** b, [1 + 1j, 0.5, -1j], dtype="complex128")
    x = t.tensor([-2.0, -2.0, 3.0], dtype=t.float64, requires_grad=True)
    b = t.tensor([1 + 1j, 0.5 + 0.25j, 2j], requires_grad=True, dtype=t.complex128)
    see(x ** b, t.autograd.grad((x ** b).abs().sum(), (x, b)))
    zero = t.zeros(4, dtype=t.float64, requires_grad=True)
    b = t.tensor([1 + 1j, 0.5, 0, -1j], requires_grad=True, dtype=t.complex128)
    see(t.autograd.grad((0.0 ** b).abs().sum(), b), t.autograd.grad((zero ** b).abs().sum(), b))


@both
def test_largest_and_smallest_beside_nan(t, see):
    for values in [1.0, nan, 3.0], [nan, nan, 3.0], [3.0, 3.0, 1.0]:
        for function in t.max, t.min, t.amax, t.amin:
            show(t, see, function, values)


@both
def test_error_function_far_out(t, see):
    for dtype in FLOATS:
        show(t, see, t.erf, [10.0, -10.0, 4.0, 4.5, inf, -inf, nan, 0.0], dtype=dtype)
        show(t, see, t.nn.functional.gelu, [-300.0, -10.0, 300.0], dtype="float64")
        see(t.nn.functional.gelu(t.tensor([-300.0, -10.0, 300.0], dtype=getattr(t, dtype))))


@both
def test_sinc_of_tiny_numbers(t, see):
    for dtype in FLOATS:
        show(t, see, t.sinc, [1e-300, 1e-40, 0.0, -1e-20, 0.5], dtype=dtype)


@both
def test_complex_logarithms(t, see):
    see(t.log1p(t.tensor([1e-20 + 1e-20j, 1e-10j, -1e-12 + 1e-6j, -1, 3 + 4j, 1e200j, -0.25 + 0.3j], dtype=t.complex128)))
    show(t, see, t.log1p, [1e-20 + 1e-20j, 1e-10j, -1e-12 + 1e-6j, 3 + 4j], dtype="complex128")
    pairs = [1 + 2j, complex(-inf, 0), 900 + 1j], [1 - 2j, complex(-inf, 0), -900 + 1j]
    see(t.logaddexp(*[t.tensor(v, dtype=t.complex128) for v in pairs]))


@pytest.mark.parametrize("q", [-(2.0**40), -1e6 - 0.5, -150.25, -1e300])
def test_zeta_far_below_zero_ends(q):
    """The terms below zero are summed by a formula, not one by one."""
    value = leafward.special.zeta(leafward.tensor(2.0, dtype=leafward.float64), leafward.tensor(q, dtype=leafward.float64))
    fraction = q - math.floor(q)
    expected = (math.pi / math.sin(math.pi * fraction)) ** 2 if fraction else inf      # the sum over all integers, less a tail
    assert value.item() == pytest.approx(expected - 1 / abs(q), rel=1e-4)


@both
def test_ldexp_where_the_power_alone_is_too_large(t, see):
    powers = {"int64": [130, -130, 200, -200, 2000, -2000, -149, 3], "int32": [130, -200], "uint8": [200, 3],
              "int8": [-127, 127]}
    for x, dtype in [([1e-38, 3e38, inf, 0.0, 1.5, nan], "float32"), ([1e-308, 1e308, inf, 0.0, 1.5, nan], "float64"),
                     ([6e-8, 6e4, inf, 0.0, 1.5], "float16"), ([1e-38, 3e38, inf, 0.0, 1.5], "bfloat16")]:
        for power, values in powers.items():
            rows, y = t.tensor(x, dtype=getattr(t, dtype))[:, None], t.tensor(values, dtype=getattr(t, power))
            see(t.ldexp(rows.expand(-1, len(values)), y), t.ldexp(rows, y[0]))
    see(t.ldexp(t.tensor([3, 5]), t.tensor([2, -1])))


@both
def test_logcumsumexp_of_infinities(t, see):
    for values in [-inf, 1j, 2.0], [complex(-inf, 3), complex(-inf, -2), 1j], [1.0, complex(inf, 1), 2], [complex(nan, 0), 1], \
            [1, complex(1, nan)], [1, inf, inf], [complex(inf, 1), complex(inf, 2), 0], [1, complex(-inf, nan)], \
            [1 + 2j, 3 - 1j, -2 + 3j], [1000 + 1j, 1000 + 2j]:
        see([(z.real, z.imag) for z in t.logcumsumexp(t.tensor(values, dtype=t.complex128), 0).tolist()])
    for values in [1.0, nan, 2.0], [nan, -inf], [1.0, 2.0, 3.0]:
        show(t, see, lambda x: t.logcumsumexp(x, 0), values)
    for values in [*range(200)], [0.5, -inf, inf] + [1.0] * 70, [-inf] * 70 + [1.0, -900.0, 900.0], [0.0] * 70 + [nan, 2.0] * 2:
        for dtype in FLOATS:
            x = t.tensor(values, dtype=getattr(t, dtype))
            see(t.logcumsumexp(x, 0), t.logcumsumexp(t.stack([x, x.flip(0)], 1), 0))


@both
def test_slices_without_a_norm_keep_the_gradient_that_came(t, see):
    rows = [[nan, 1.0], [3.0, 4.0], [inf, 1.0], [0.0, 0.0], [0.1, 0.1]]
    for p, maxnorm in (1, 2.0), (2, 1.0), (2, 0.0), (2, inf), (0.5, 1.0), (inf, 1.0):
        show(t, see, lambda x: t.renorm(x, p, 0, maxnorm), rows)  # noqa: B023
    see.raises(t.renorm, t.ones(2, 2), 2, 0, nan)


@pytest.mark.filterwarnings("ignore:.*degrees of freedom")
@both
def test_variance_where_more_is_subtracted_than_there_is(t, see):
    rows = [[1.0, 1.0, 1.0], [1.0, 2.0, 4.0]]
    for correction in 2, 3, 5:
        for along in t.var, t.std:
            see(t.autograd.grad(along(x := t.tensor(rows, requires_grad=True), 1, correction=correction).sum(), x))
    for correction in 6, 9:
        see(t.autograd.grad(t.var(x := t.tensor(rows, requires_grad=True), correction=correction), x))


@both
def test_labels_of_no_probability(t, see):
    logits = t.tensor([[0.5, -1.0, 0.25], [1.0, 0.5, -0.5], [0.0, 2.0, 1.0], [0.1, 0.2, 0.3]])
    targets = t.tensor([[1, 2], [1, 1]])
    for value in nan, inf, -inf:
        for label in 0, 1:
            for zero_infinity in False, True:
                x = logits[:, None].repeat(1, 2, 1).log_softmax(2)
                x[1, 0, label] = value
                loss = t.nn.functional.ctc_loss(x.requires_grad_(), targets, (4, 3), (2, 1), 0, "none", zero_infinity)
                see(loss, t.autograd.grad(loss.sum(), x))
