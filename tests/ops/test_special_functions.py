"""Bessel functions, Airy's function and orthogonal polynomials against 30-digit values, where PyTorch is no measure.

PyTorch's J and Y are off by up to 8e-7 between 2.6 and 15, its Ai by up to 9e-6 between -5 and -2.1 (seen on 2.13).
"""
import mpmath
import numpy as np
import pytest

import leafward
from leafward.arrays import bessel, special
from tools import coefficients

BESSEL = {
    "bessel_j0": lambda x: mpmath.besselj(0, x),
    "bessel_j1": lambda x: mpmath.besselj(1, x),
    "bessel_y0": lambda x: mpmath.bessely(0, x),
    "bessel_y1": lambda x: mpmath.bessely(1, x),
    "modified_bessel_i0": lambda x: mpmath.besseli(0, x),
    "modified_bessel_i1": lambda x: mpmath.besseli(1, x),
    "modified_bessel_k0": lambda x: mpmath.besselk(0, x),
    "modified_bessel_k1": lambda x: mpmath.besselk(1, x),
    "scaled_modified_bessel_k0": lambda x: mpmath.exp(x) * mpmath.besselk(0, x),
    "scaled_modified_bessel_k1": lambda x: mpmath.exp(x) * mpmath.besselk(1, x),
    "spherical_bessel_j0": lambda x: mpmath.sin(x) / x,
}
POLYNOMIALS = {
    "chebyshev_polynomial_t": lambda n, x: mpmath.cos(n * mpmath.acos(x)),
    "chebyshev_polynomial_u": lambda n, x: mpmath.sin((n + 1) * mpmath.acos(x)) / mpmath.sin(mpmath.acos(x)),
    "chebyshev_polynomial_v": lambda n, x: mpmath.cos((n + 0.5) * mpmath.acos(x)) / mpmath.cos(mpmath.acos(x) / 2),
    "chebyshev_polynomial_w": lambda n, x: mpmath.sin((n + 0.5) * mpmath.acos(x)) / mpmath.sin(mpmath.acos(x) / 2),
    "hermite_polynomial_h": mpmath.hermite,
    "hermite_polynomial_he": lambda n, x: mpmath.hermite(n, x / mpmath.sqrt(2)) / mpmath.sqrt(2) ** n,
    "laguerre_polynomial_l": lambda n, x: mpmath.laguerre(n, 0, x),
    "legendre_polynomial_p": mpmath.legendre,
}
#: Both sides of every place where one formula takes over from another: 2, 4 and 8.
PLACES = [1e-12, 1e-6, 0.01, 0.5, 1.0, 1.999, 2.0, 2.001, 3.0, 3.999, 4.0, 4.001, 5.0, 6.5, 7.999, 8.0, 8.001, 12.0, 20.0, 90.0]


@pytest.mark.parametrize("name", coefficients.TABLES)
def test_a_table_is_what_its_script_makes(name):
    """Bit by bit. ``python -m tools.coefficients --write`` puts it right."""
    module = {"special.py": special, "bessel.py": bessel}[coefficients.TABLES[name][0]]
    assert getattr(module, name) == coefficients.table(name)


def test_a_series_ends_where_the_rest_no_longer_counts():
    tables = {name: table for name, table in vars(bessel).items() if name in coefficients.TABLES}
    assert len(tables) == 14
    for table in tables.values():
        assert abs(table[-1]) < 1e-15 * max(map(abs, table))


def test_every_table_has_a_script():
    found = {name for module in (special, bessel) for name, value in vars(module).items()
             if isinstance(value, tuple) and len(value) > 5 and all(isinstance(v, float) for v in value)}
    by_formula = {"BERNOULLI", "I0_NEAR", "I1_NEAR", "EXP_SMALL"}
    assert found == {*coefficients.TABLES, *by_formula}
    with mpmath.workdps(30):
        assert special.BERNOULLI == tuple(
            float(mpmath.bernoulli(2 * k) / mpmath.factorial(2 * k)) for k in range(1, len(special.BERNOULLI) + 1))
        assert bessel.EULER_GAMMA == float(mpmath.euler)


def exact(f, places):
    with mpmath.workdps(30):
        return np.array([float(mpmath.re(f(mpmath.mpf(float(x))))) for x in places])


def at(name, places, *args, dtype=leafward.float64):
    return getattr(leafward.special, name)(leafward.tensor(places, dtype=dtype), *args).numpy()


def amplitude(name, values, places):
    """The size that an error is measured by: of the waves where a function has zeros, else of the function."""
    x = np.abs(places)
    if name == "airy_ai":
        return np.maximum(np.abs(values), np.where(np.array(places) < -2, 0.5 * x ** -0.25, 0))
    if name.startswith("bessel"):
        return np.maximum(np.abs(values), np.where(x > 1, 0.5 / np.sqrt(x), 0))
    return np.abs(values)


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions_to_1e_14(name):
    values = exact(BESSEL[name], PLACES)
    assert np.all(np.abs(at(name, PLACES) - values) <= 1e-14 * amplitude(name, values, PLACES))


@pytest.mark.parametrize("name", BESSEL)
def test_bessel_functions_of_float32_are_rounded_once(name):
    values = exact(BESSEL[name], np.float32(PLACES[3:])).astype(np.float32)
    np.testing.assert_array_almost_equal_nulp(at(name, PLACES[3:], dtype=leafward.float32), values, nulp=1)


def test_airy_to_its_exponents_rounding():
    places = [-x for x in PLACES] + PLACES
    values = exact(mpmath.airyai, places)
    exponents = 2 / 3 * np.abs(places) ** 1.5
    assert np.all(np.abs(at("airy_ai", places) - values) <= (1e-14 + 3e-16 * exponents) * amplitude("airy_ai", values, places))


@pytest.mark.parametrize("name", ["bessel_j1", "modified_bessel_i1", "spherical_bessel_j0", "bessel_j0", "modified_bessel_i0"])
def test_symmetry(name):
    sign = -1 if name.endswith("1") else 1
    assert np.array_equal(at(name, [-x for x in PLACES]), sign * at(name, PLACES))


@pytest.mark.parametrize("n", [1, 5, 8, 9, 30, 200])
@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_of_any_degree(name, n):
    places = [-0.999999, -0.7, -1e-3, 0.0, 0.3, 0.5, 0.999999]
    values = exact(lambda x: POLYNOMIALS[name](n, x), places)
    # Each step of a recurrence rounds, and so does each turn of an angle; a zero is measured by what is around it.
    np.testing.assert_allclose(at(name, places, n), values, rtol=2e-15 * n, atol=4e-15 * n * np.median(np.abs(values)))


@pytest.mark.parametrize("name", POLYNOMIALS)
def test_polynomials_outside_of_their_interval(name):
    places = [-3.0, -1.5, 1.000001, 2.0, 7.0]
    values = exact(lambda x: POLYNOMIALS[name](12, x), places)
    np.testing.assert_allclose(at(name, places, 12), values, rtol=1e-13, atol=1e-13 * np.median(np.abs(values)))


@pytest.mark.parametrize("kind, n, ends", [
    ("t", 12, [1, 1]), ("u", 12, [13, 13]), ("v", 12, [25, 1]), ("w", 12, [1, 25]),
    ("t", 13, [-1, 1]), ("u", 13, [-14, 14]), ("v", 13, [-27, 1]), ("w", 13, [-1, 27]),
])
def test_ends_of_the_interval(kind, n, ends):
    assert at(f"chebyshev_polynomial_{kind}", [-1.0, 1.0], n).tolist() == ends


@pytest.mark.parametrize("kind", "tuvw")
def test_shifted_polynomials_live_on_0_to_1(kind):
    places = np.linspace(0, 1, 9)
    shifted = at(f"shifted_chebyshev_polynomial_{kind}", places, 12)
    np.testing.assert_allclose(shifted, at(f"chebyshev_polynomial_{kind}", 2 * places - 1, 12))


def test_degrees_differ_by_element():
    n = leafward.tensor([0.0, 1.0, 2.0, 9.0, 40.0, -1.0, 2.9, float("nan"), float("inf")])
    out = leafward.special.chebyshev_polynomial_t(leafward.tensor(0.5), n)
    np.testing.assert_allclose(out.numpy(), [1, 0.5, -0.5, -1, -0.5, 0, -0.5, 0, 0], rtol=1e-6)


def test_a_recurrence_ends_where_all_is_nan():
    assert np.isnan(at("legendre_polynomial_p", [2.0, -3.0], 10**12)).all()


def test_no_derivative_as_in_pytorch():
    x = leafward.tensor([0.5, 1.5], requires_grad=True)
    assert not leafward.special.bessel_j0(x).requires_grad
    assert not leafward.special.legendre_polynomial_p(x, 3).requires_grad


@pytest.mark.parametrize("shape", [1e6, 3e8, 1e12, 1e15])
def test_shares_of_gamma_numbers_of_large_shapes(shape):
    """The integrals of the density, from what lies below and from what lies above; PyTorch is right to nine digits."""
    def below(x):
        a, spread = mpmath.mpf(shape), mpmath.sqrt(shape)
        scale = mpmath.log(spread) + (a - 1) * mpmath.log(a) - a - mpmath.loggamma(a)
        end = (mpmath.mpf(x) - a) / spread
        return mpmath.quad(lambda u: mpmath.exp((a - 1) * mpmath.log1p(u / spread) - u * spread + scale),
                           [*[u for u in (-40, -20, -10, -5, -2, 0, 2) if u < end], end])
    with mpmath.workdps(40):
        for steps in -4, -1, -0.1, 0, 0.1, 1, 4:
            x = shape + steps * shape**0.5
            lower, a = below(x), leafward.tensor(shape, dtype=leafward.float64)
            assert leafward.special.gammainc(a, x + 0 * a).item() == pytest.approx(float(lower), rel=1e-12)
            assert leafward.special.gammaincc(a, x + 0 * a).item() == pytest.approx(float(1 - lower), rel=1e-12)
    assert leafward.special.gammainc(a * 0 + 1e300, a * 0 + 1e300).item() == 0.5


@pytest.mark.parametrize("shape", [1e-300, 1e-30, 1e-10, 1e-3, 0.1, 0.199, 0.2, 0.9])
def test_what_lies_above_of_gamma_numbers_of_small_shapes(shape):
    """Next to nothing: 1 minus what lies below has none of its digits."""
    for x in 1e-300, 1e-30, 1e-3, 0.3, 0.67, 1.0, 1 + shape * 0.99, 1.3, 5.0:
        expected = mpmath.gammainc(mpmath.mpf(shape), x, regularized=True)
        for dtype, digits in (leafward.float64, 1e-13), (leafward.float32, 3e-7):
            if dtype is leafward.float64 or min(shape, x, float(expected)) > 1e-37:
                a = leafward.tensor(shape, dtype=dtype)
                expected = mpmath.gammainc(a.item(), (x + 0 * a).item(), regularized=True)
                given = leafward.special.gammaincc(a, x + 0 * a).item()
                assert given == pytest.approx(float(expected), rel=digits, abs=0), (x, dtype)
