"""The errors of the special and elementary functions, in units in the last place (ulp): the table in ``docs/accuracy.md``.

    python -m tools.accuracy            # the page, as it would be
    python -m tools.accuracy --write    # put it there

Needs mpmath, which gives the true values with 40 digits, and PyTorch for the column beside ours. An ulp is the distance from
the true value to the next number of the dtype. A wave is measured by its height and not by its value, since near a zero the
argument alone, rounded, is off by more than that: see :data:`WAVES`.
"""
import argparse
import functools
from pathlib import Path

import mpmath as mp
import numpy as np

PAGE = Path(__file__).parent.parent / "docs" / "accuracy.md"
DIGITS = 40
#: Arguments in each stretch of a range.
COUNT = 60
DTYPES = {"float32": np.float32, "float64": np.float64}


# --- ranges ----------------------------------------------------------------------------------------------------------

def even(low, high):
    return lambda rng: rng.uniform(low, high, COUNT)


def by_size(low, high, sign=1):
    """From ``low`` to ``high`` with as many arguments between 1 and 10 as between 10 and 100."""
    return lambda rng: sign * np.exp(rng.uniform(np.log(low), np.log(high), COUNT))


def all_signs(low, high):
    return [by_size(low, high), by_size(low, high, -1)]


TINY = 1e-30
#: Where float32 is at its end: beyond, results are 0 or infinite.
LINE, HALF_LINE = all_signs(TINY, 1e30), [by_size(TINY, 1e30)]
POWERS = [even(-87, 88), *all_signs(TINY, 1)]
UNIT = [even(-1, 1), *all_signs(TINY, 1)]
MIDDLE = [even(-8, 8), *all_signs(TINY, 1)]
WAVES_RANGE = [even(-20, 20), *all_signs(1e-8, 1e4)]
BESSEL_RANGE = [even(0.1, 20), by_size(1e-3, 90)]


def pairs(*stretches):
    """Arguments of several parameters, drawn one after the other; a stretch of two parameters takes what was drawn before."""
    def draw(rng):
        drawn = []
        for stretch in stretches:
            drawn.append(stretch(rng, *drawn) if stretch.__code__.co_argcount > 1 else stretch(rng))
        return np.stack(drawn, 1)
    return draw


def whole(low, high):
    return lambda rng: rng.integers(low, high + 1, COUNT).astype(float)


def times(low, high):
    """The parameter before, times a number from ``low`` to ``high``."""
    return lambda rng, before: before * rng.uniform(low, high, COUNT)


BOTH_SIGNS = [pairs(one, other) for one in all_signs(1e-20, 1e20) for other in all_signs(1e-20, 1e20)]
EXPONENTS = [pairs(even(-80, 80), even(-80, 80)), pairs(even(-2, 2), even(-2, 2))]
INCOMPLETE = [pairs(by_size(0.1, 100), times(0.1, 2)), pairs(by_size(100, 1e4), times(0.9, 1.1)),
              pairs(even(0.1, 10), even(0, 5))]
WITHIN_ONE, WITHIN_HALF = [pairs(even(-1, 1), whole(0, 20))], [pairs(even(0, 1), whole(0, 20))]


# --- functions -------------------------------------------------------------------------------------------------------

def half_erfc(x):
    return mp.erfc(-x / mp.sqrt(2)) / 2


def log_ndtr(x):
    return mp.log1p(-half_erfc(-x)) if x > 0 else mp.log(half_erfc(x))


def softplus(x):
    return mp.log1p(mp.exp(-abs(x))) + max(x, 0)


def sigmoid(x):
    return 1 / (1 + mp.exp(-x))


def third_kind(n, x):
    """Chebyshev's polynomial of the third kind."""
    return mp.chebyu(n, x) - (mp.chebyu(n - 1, x) if n else 0)


DIGAMMA_ZERO = 1.4616321449683622

#: By the name of the op: its true value, and the stretches of its range.
FUNCTIONS = {
    "exp": (mp.exp, POWERS),
    "exp2": (lambda x: mp.power(2, x), [even(-125, 127), *all_signs(TINY, 1)]),
    "expm1": (mp.expm1, POWERS),
    "log": (mp.log, [*HALF_LINE, even(0.5, 2)]),
    "log2": (lambda x: mp.log(x) / mp.ln2, [*HALF_LINE, even(0.5, 2)]),
    "log10": (mp.log10, [*HALF_LINE, even(0.5, 2)]),
    "log1p": (mp.log1p, [*HALF_LINE, even(-0.999, 1), *all_signs(TINY, 0.9)]),
    "sin": (mp.sin, WAVES_RANGE),
    "cos": (mp.cos, WAVES_RANGE),
    "tan": (mp.tan, WAVES_RANGE),
    "asin": (mp.asin, UNIT),
    "acos": (mp.acos, UNIT),
    "atan": (mp.atan, LINE),
    "sinh": (mp.sinh, POWERS),
    "cosh": (mp.cosh, POWERS),
    "tanh": (mp.tanh, MIDDLE),
    "asinh": (mp.asinh, LINE),
    "acosh": (mp.acosh, [by_size(1, 1e30), even(1, 2)]),
    "atanh": (mp.atanh, UNIT),
    "sinc": (mp.sincpi, [even(-20, 20), *all_signs(TINY, 1)]),
    "sigmoid": (sigmoid, POWERS),
    "logit": (lambda x: mp.log(x) - mp.log1p(-x), [even(1e-3, 0.999), by_size(TINY, 0.5)]),
    "special_entr": (lambda x: -x * mp.log(x), HALF_LINE),
    "softplus": (softplus, [even(-80, 19), *all_signs(TINY, 1)]),
    "logsigmoid": (lambda x: -softplus(-x), POWERS),
    "silu": (lambda x: x * sigmoid(x), POWERS),
    "mish": (lambda x: x * mp.tanh(softplus(x)), [even(-80, 19), *all_signs(TINY, 1)]),
    "gelu": (lambda x: x * half_erfc(x), [even(-5, 20), *all_signs(TINY, 1)]),
    "erf": (mp.erf, MIDDLE),
    "erfc": (mp.erfc, [even(-8, 9), *all_signs(TINY, 1)]),
    "special_erfcx": (lambda x: mp.exp(x * x) * mp.erfc(x), [even(-9, 9), by_size(TINY, 1e30)]),
    "erfinv": (mp.erfinv, [even(-1, 1), *all_signs(1e-20, 1)]),
    "special_ndtr": (half_erfc, [even(-12, 8), *all_signs(TINY, 1)]),
    "special_ndtri": (lambda x: mp.sqrt(2) * mp.erfinv(2 * x - 1), [even(1e-3, 0.999), by_size(1e-9, 0.5)]),
    "special_log_ndtr": (log_ndtr, [even(-40, 5), by_size(1, 1e8, -1)]),
    "lgamma": (lambda x: mp.re(mp.loggamma(x)), [even(0.01, 4), by_size(TINY, 1e30), even(1 - 1e-5, 1 + 1e-5),
                                                 even(2 - 1e-5, 2 + 1e-5), even(-20, 0)]),
    "digamma": (mp.digamma, [even(0.01, 4), by_size(1e-20, 1e30), even(DIGAMMA_ZERO - 1e-4, DIGAMMA_ZERO + 1e-4)]),
    "i0": (lambda x: mp.besseli(0, x), [even(-60, 60), by_size(1e-8, 1)]),
    "special_i0e": (lambda x: mp.exp(-abs(x)) * mp.besseli(0, x), [even(-60, 60), by_size(1e-8, 1e4)]),
    "special_i1": (lambda x: mp.besseli(1, x), [even(-60, 60), by_size(1e-8, 1)]),
    "special_i1e": (lambda x: mp.exp(-abs(x)) * mp.besseli(1, x), [even(-60, 60), by_size(1e-8, 1e4)]),
    "special_bessel_j0": (lambda x: mp.besselj(0, x), BESSEL_RANGE),
    "special_bessel_j1": (lambda x: mp.besselj(1, x), BESSEL_RANGE),
    "special_bessel_y0": (lambda x: mp.bessely(0, x), BESSEL_RANGE),
    "special_bessel_y1": (lambda x: mp.bessely(1, x), BESSEL_RANGE),
    "special_spherical_bessel_j0": (lambda x: mp.sin(x) / x, BESSEL_RANGE),
    "special_modified_bessel_i0": (lambda x: mp.besseli(0, x), [even(-60, 60)]),
    "special_modified_bessel_i1": (lambda x: mp.besseli(1, x), [even(-60, 60)]),
    "special_modified_bessel_k0": (lambda x: mp.besselk(0, x), [even(0.1, 60), by_size(1e-8, 1)]),
    "special_modified_bessel_k1": (lambda x: mp.besselk(1, x), [even(0.1, 60), by_size(1e-8, 1)]),
    "special_scaled_modified_bessel_k0": (lambda x: mp.exp(x) * mp.besselk(0, x), [even(0.1, 60), by_size(1e-8, 1)]),
    "special_scaled_modified_bessel_k1": (lambda x: mp.exp(x) * mp.besselk(1, x), [even(0.1, 60), by_size(1e-8, 1)]),
    "special_airy_ai": (mp.airyai, [even(-8, 8)]),
    # Of two numbers.
    "pow": (mp.power, [pairs(by_size(1e-3, 1e3), even(-8, 8)), pairs(even(0.5, 2), even(-80, 80)),
                       pairs(even(-8, 0), whole(-9, 9))]),
    "hypot": (mp.hypot, BOTH_SIGNS),
    "atan2": (mp.atan2, BOTH_SIGNS),
    "logaddexp": (lambda x, y: mp.log(mp.exp(x) + mp.exp(y)), EXPONENTS),
    "logaddexp2": (lambda x, y: mp.log(mp.power(2, x) + mp.power(2, y)) / mp.ln2, EXPONENTS),
    "xlogy": (lambda x, y: x * mp.log(y), [pairs(by_size(1e-8, 1e8), by_size(TINY, 1e30)), pairs(even(-9, 9), even(0.5, 2))]),
    "special_xlog1py": (lambda x, y: x * mp.log1p(y), [pairs(even(-9, 9), even(-0.999, 9)),
                                                       pairs(by_size(1e-4, 1e4), by_size(1e-20, 1))]),
    "special_zeta": (mp.zeta, [pairs(even(1.1, 20), by_size(0.1, 100)), pairs(even(1.01, 3), even(0.5, 5))]),
    "igamma": (lambda a, x: mp.gammainc(a, 0, x, regularized=True), INCOMPLETE),
    "igammac": (lambda a, x: mp.gammainc(a, x, mp.inf, regularized=True), INCOMPLETE),
    "polygamma": (lambda n, x: mp.polygamma(int(n), x), [pairs(whole(1, 5), by_size(1e-3, 1e3))]),
    "mvlgamma": (lambda x, p: mp.log(mp.pi) * p * (p - 1) / 4 + sum(mp.loggamma(x - mp.mpf(j) / 2) for j in range(int(p))),
                 [pairs(by_size(3, 1e6), whole(1, 5))]),
    "special_chebyshev_polynomial_t": (lambda x, n: mp.chebyt(int(n), x), WITHIN_ONE),
    "special_chebyshev_polynomial_u": (lambda x, n: mp.chebyu(int(n), x), WITHIN_ONE),
    "special_chebyshev_polynomial_v": (lambda x, n: third_kind(int(n), x), WITHIN_ONE),
    "special_chebyshev_polynomial_w": (lambda x, n: (-1) ** int(n) * third_kind(int(n), -x), WITHIN_ONE),
    "special_shifted_chebyshev_polynomial_t": (lambda x, n: mp.chebyt(int(n), 2 * x - 1), WITHIN_HALF),
    "special_shifted_chebyshev_polynomial_u": (lambda x, n: mp.chebyu(int(n), 2 * x - 1), WITHIN_HALF),
    "special_shifted_chebyshev_polynomial_v": (lambda x, n: third_kind(int(n), 2 * x - 1), WITHIN_HALF),
    "special_shifted_chebyshev_polynomial_w": (lambda x, n: (-1) ** int(n) * third_kind(int(n), 1 - 2 * x), WITHIN_HALF),
    "special_legendre_polynomial_p": (lambda x, n: mp.legendre(int(n), x), WITHIN_ONE),
    "special_hermite_polynomial_h": (lambda x, n: mp.hermite(int(n), x), [pairs(even(-4, 4), whole(0, 12))]),
    "special_hermite_polynomial_he": (lambda x, n: mp.power(2, -n / 2) * mp.hermite(int(n), x / mp.sqrt(2)),
                                      [pairs(even(-4, 4), whole(0, 12))]),
    "special_laguerre_polynomial_l": (lambda x, n: mp.laguerre(int(n), 0, x), [pairs(even(0, 8), whole(0, 12))]),
}
#: An argument that PyTorch takes as a Python int, by its position.
INTS = {"polygamma": 0, "mvlgamma": 1}

#: The height of the waves of an oscillating function at ``x``, and that of a function at the zeros that it has in its range.
WAVES = {
    "sinc": lambda x: 1 / (1 + mp.pi * abs(x)),
    "lgamma": lambda x: 1 if x < 0 else 0,
    "special_entr": lambda x: 1 if 0.5 < x < 2 else 0,
    "special_airy_ai": lambda x: 0.5 * abs(x) ** -0.25 if x < -2 else 0,
    "special_spherical_bessel_j0": lambda x: 1 / (1 + abs(x)),
    **dict.fromkeys(("special_bessel_j0", "special_bessel_j1", "special_bessel_y0", "special_bessel_y1"),
                    lambda x: 0.5 / mp.sqrt(abs(x)) if abs(x) > 0.5 else 0),
    **dict.fromkeys(("logaddexp", "logaddexp2"), lambda x, y: 1 if max(abs(x), abs(y)) < 2 else 0),
    "mvlgamma": lambda x, p: 1 if x < 6 else 0,
    **{f"special_{shifted}chebyshev_polynomial_{kind}": lambda x, n, most=most: n + 1 if most else 1
       for shifted in ("", "shifted_") for kind, most in (("t", False), ("u", True), ("v", True), ("w", True))},
    "special_legendre_polynomial_p": lambda x, n: 1,
    "special_hermite_polynomial_h": lambda x, n: mp.sqrt(mp.power(2, n) * mp.factorial(n)) * mp.exp(x * x / 2),
    "special_hermite_polynomial_he": lambda x, n: mp.sqrt(mp.factorial(n)) * mp.exp(x * x / 4),
    "special_laguerre_polynomial_l": lambda x, n: mp.exp(x / 2),
}


# --- measuring -------------------------------------------------------------------------------------------------------

@functools.cache
def truth(name, dtype, every=1):
    """Arguments of the dtype, every third of them with ``every=3``; true values, and the ulp at each."""
    function, stretches = FUNCTIONS[name]
    rng = np.random.default_rng(0)
    places = np.concatenate([stretch(rng)[::every] for stretch in stretches]).astype(dtype)
    with mp.workdps(DIGITS):
        given = [[mp.mpf(float(x)) for x in np.atleast_1d(place)] for place in places]
        values = [mp.re(function(*numbers)) for numbers in given]
        heights = [WAVES[name](*numbers) if name in WAVES else 0 for numbers in given]
        sizes = np.array([float(max(abs(v), h)) for v, h in zip(values, heights)]).astype(dtype)
    return places, values, np.spacing(sizes)


def computed(t, name, function, places):
    """What ``function`` of the namespace ``t`` makes of the arguments."""
    if places.ndim == 1:
        return function(t.tensor(places)).numpy()
    if name not in INTS:
        return function(*[t.tensor(np.ascontiguousarray(column)) for column in places.T]).numpy()
    given = [[t.tensor(x) for x in place] for place in places]
    for numbers in given:
        numbers[INTS[name]] = int(numbers[INTS[name]])
    return np.array([function(*numbers).item() for numbers in given])


def errors(name, t, dtype, every=1):
    """The arguments, and the error in ulp at each of the op in the namespace ``t``."""
    places, values, ulps = truth(name, dtype, every)
    path = name.removeprefix("special_")
    function = getattr(t.special if name.startswith("special_") else t, path, None) or getattr(t.nn.functional, path)
    given = computed(t, name, function, places)
    with mp.workdps(DIGITS):
        return places, np.array([float(abs(mp.mpf(float(g)) - v) / mp.mpf(float(u))) if np.isfinite(g) else np.inf
                                 for g, v, u in zip(given, values, ulps)])


def worst(name, t, dtype, every=1):
    """The largest error in ulp, and where it is."""
    places, found = errors(name, t, dtype, every)
    k = int(np.argmax(found))
    return float(found[k]), places[k].tolist()


# --- the page --------------------------------------------------------------------------------------------------------

HEAD = """# Accuracy

The largest errors that were found, in units in the last place (ulp), and where. A result that is rounded correctly is off by
half an ulp at most. The true values are mpmath's, with {digits} digits, at {count} random arguments of each stretch of a range:
small and large ones, both signs, and around the zeros. Oscillating functions are measured by the height of their waves.
Of functions of two numbers, and of orthogonal polynomials up to a degree of 20 (Hermite's and Laguerre's: 12), both arguments
are drawn.
`special.ndtr`, and `gelu` but for float32 in C, are made of `1 + erf`, as in PyTorch, and have no digits left far below zero.

`python -m tools.accuracy --write` makes this page, and `tests/ops/test_ulps.py` holds it. Other processors may differ by an
ulp or two, since NumPy has code of its own for some.

| function | float32 | at | PyTorch 2.13 | float64 | at | PyTorch 2.13 |
|---|---|---|---|---|---|---|
"""


def number(error):
    return f"{error:.1f}" if error < 100 else f"{error:.0f}" if error < 1e4 else f"{error:.0e}"


def page(ours, theirs):
    lines = []
    for name in FUNCTIONS:
        cells = []
        for dtype in DTYPES:
            error, at = worst(name, ours, dtype)
            cells += [number(error), ", ".join([f"{x:.7g}" for x in np.atleast_1d(at)]), number(worst(name, theirs, dtype)[0])]
        lines.append(f"| `{name.replace('special_', 'special.')}` | " + " | ".join(cells) + " |\n")
    return HEAD.format(digits=DIGITS, count=COUNT) + "".join(lines)


def listed():
    """What the page says: ``{name: (ulps in float32, ulps in float64)}``."""
    rows = [[cell.strip() for cell in line.strip("| \n").split("|")] for line in PAGE.read_text().splitlines()
            if line.startswith("| `")]
    return {row[0].strip("`").replace("special.", "special_"): (float(row[1]), float(row[4])) for row in rows}


def main():
    import torch

    import leafward
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write {PAGE.name}")
    text = page(leafward, torch)
    if parser.parse_args().write:
        PAGE.write_text(text)
    else:
        print(text, end="")


if __name__ == "__main__":
    main()
