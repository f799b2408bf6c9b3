"""The coefficient tables of ``leafward/arrays/special.py`` and ``bessel.py``, computed anew with 60 digits.

    python -m tools.coefficients            # each table, as it stands in the source
    python -m tools.coefficients --check    # the names of those that differ from the source; none is 0 to the shell
    python -m tools.coefficients --write    # put them there

Needs mpmath. Every table is one of three kinds:

* a Chebyshev series on [0, 1], cut after the given number of terms (Bessel and Airy functions);
* the same, written out in powers of ``2 t - 1`` (the error function in float64, its inverse);
* a quotient of polynomials whose greatest relative error is as small as it can be, by Remez' exchange (erf in float32).
"""
import argparse
import functools
import re
import sys
from pathlib import Path

import mpmath as mp

ARRAYS = Path(__file__).parent.parent / "leafward" / "arrays"
DIGITS = 60
#: Where a function is read for its Chebyshev series: the series ends long before, so that nothing folds back into it.
NODES = 64


def chebyshev(f, count):
    """``c`` with ``f(t) = sum of c[k] T_k(2 t - 1)`` for t from 0 to 1, as far as ``count`` terms."""
    angles = [mp.pi * (j + mp.mpf(1) / 2) / NODES for j in range(NODES)]
    values = [f((1 + mp.cos(a)) / 2) for a in angles]
    return [(1 if k == 0 else 2) * mp.fsum(v * mp.cos(k * a) for v, a in zip(values, angles)) / NODES for k in range(count)]


def powers(f, count):
    """The same series in powers of ``2 t - 1``."""
    series = chebyshev(f, count)
    total, before, current = [mp.mpf(0)] * count, [1], [0, 1]
    for k, c in enumerate(series):
        basis = before if k == 0 else current
        for power, factor in enumerate(basis):
            total[power] += c * factor
        if k:
            following = [0, *(2 * v for v in current)]
            for power, factor in enumerate(before):
                following[power] -= factor
            before, current = current, following
    return total


# --- functions of t from 0 to 1 --------------------------------------------------------------------------------------

def j_near(order):
    def f(t):
        x = 8 * mp.sqrt(t)
        return mp.besselj(order, x) / x ** order
    return f


def y_near(order):
    """Y without its logarithm and pole."""
    def f(t):
        x = 8 * mp.sqrt(t)
        rest = mp.log(x) * mp.besselj(order, x) - (1 / x if order else 0)
        return (mp.bessely(order, x) - 2 / mp.pi * rest) / x ** order
    return f


def wave(order, part):
    """Of ``J + i Y``, the factors P (``part`` 0) and Q / r (1) of its asymptotic form, ``r = 8 / x`` and ``t = r * r``."""
    def f(t):
        r = mp.sqrt(t)
        x = 8 / r
        j, y = mp.besselj(order, x), mp.bessely(order, x)
        w = x - (2 * order + 1) * mp.pi / 4
        p, q = j * mp.cos(w) + y * mp.sin(w), y * mp.cos(w) - j * mp.sin(w)
        return mp.sqrt(mp.pi * x / 2) * (q / r if part else p)
    return f


def k_far(order):
    return lambda t: mp.besselk(order, 1 / t) * mp.sqrt(1 / t) * mp.exp(1 / t)


def turning(x):
    return mp.mpf(2) / 3 * abs(x) ** mp.mpf("1.5")


def airy_far(t):
    z = turning(2) / t
    x = (3 * z / 2) ** (mp.mpf(2) / 3)
    return mp.airyai(x) * 2 * mp.sqrt(mp.pi * mp.sqrt(x)) * mp.exp(z)


def airy_wave(part):
    """Of Ai below -4, the factors P (``part`` 0) and Q / s (1) of cos and sin of ``z - pi / 4``, ``t = s * s``."""
    def f(t):
        s = mp.sqrt(t)
        z = turning(4) / s
        x = -(3 * z / 2) ** (mp.mpf(2) / 3)
        ai, bi, w = mp.airyai(x), mp.airybi(x), z - mp.pi / 4
        p, q = ai * mp.cos(w) - bi * mp.sin(w), ai * mp.sin(w) + bi * mp.cos(w)
        return mp.sqrt(mp.pi * mp.sqrt(-x)) * (q / s if part else p)
    return f


def erf_near(t):
    return mp.erf(mp.sqrt(t)) / mp.sqrt(t)


def erfc_tail(t):
    z = 2 / t - 2
    return mp.erfc(z) * mp.exp(z * z) / t


def inverse_erf(w_of):
    """The inverse of erf at x, divided by x, where ``w_of(t)`` is ``-log(1 - x^2)``."""
    def f(t):
        w = w_of(t)
        q = mp.exp(-w) / (1 + mp.sqrt(-mp.expm1(-w)))
        # erfc(z) = q by Newton's method on logarithms, from the leading terms at either end.
        z = mp.sqrt(w) if w > 1 else mp.sqrt(w) * mp.sqrt(mp.pi) / 2
        for _ in range(60):
            tail = mp.erfc(z)
            step = (mp.log(tail) - mp.log(q)) * tail * mp.exp(z * z) * mp.sqrt(mp.pi) / 2
            z += step
            if abs(step) < mp.mpf(10) ** (10 - DIGITS) * z:
                break
        return z / (1 - q)
    return f


def inverse_near(t):
    """What the inverse of erf at x, divided by x, is above its value at 0, divided by w."""
    return (inverse_erf(lambda t: 6.25 * t)(t) - mp.sqrt(mp.pi) / 2) / (6.25 * t)


def far_out(t):
    """``w`` where ``sqrt(w)``, which is s, is from 5.5 to 28: ``(s - c) / (s + c)`` is as far from 0 at either end."""
    c = mp.sqrt(154)
    ratio = (2 * t - 1) * (28 - c) / (28 + c)
    return (c * (1 + ratio) / (1 - ratio)) ** 2


def i_far(order):
    return lambda t: mp.sqrt(8 / t) * mp.exp(-8 / t) * mp.besseli(order, 8 / t)


def lgamma_near(t):
    """lgamma without its zeros at 1 and 2, from 3/4 to 11/4."""
    x = mp.mpf(3) / 4 + 2 * t
    return mp.loggamma(x) / ((x - 1) * (x - 2))


def digamma_near(t):
    """digamma without its zero, from 1 to 3."""
    x = 1 + 2 * t
    return mp.digamma(x) / (x - mp.findroot(mp.digamma, 1.46))


# --- erf for float32 -------------------------------------------------------------------------------------------------

def polynomial(coefficients, t):
    """``c[0] + c[1] t + c[2] t^2 ...`` by Horner's scheme. (mpmath's own takes them as its version likes.)"""
    return functools.reduce(lambda above, c: above * t + c, reversed(coefficients), mp.mpf(0))


def best_quotient(f, end, above, below, grid=600, rounds=12):
    """Coefficients of P and Q, of these degrees and ``Q(0) = 1``: P / Q is nearest to ``f`` on [0, end], relatively."""
    # Points thick at both ends, and more so at 0, as the extrema of the error are.
    points = [end * ((1 - mp.cos(mp.pi * k / grid)) / 2) ** mp.mpf("1.4") for k in range(grid + 1)]
    values = [f(t) for t in points]
    count = above + below + 2
    chosen = [round(k * grid / (count - 1)) for k in range(count)]
    for _ in range(rounds):
        p, q = level_quotient([points[k] for k in chosen], [values[k] for k in chosen], points, above)
        errors = [polynomial(p, t) / polynomial(q, t) / v - 1 for t, v in zip(points, values)]
        runs = [[0]]
        for k in range(1, grid + 1):
            if (errors[k] > 0) == (errors[k - 1] > 0):
                runs[-1].append(k)
            else:
                runs.append([k])
        extrema = [max(run, key=lambda k: abs(errors[k])) for run in runs]
        assert len(extrema) == count, "the error does not swing often enough"
        if extrema == chosen:
            break
        chosen = extrema
    return [c / q[0] for c in p], [c / q[0] for c in q]


def level_quotient(points, values, everywhere, above):
    """P and Q whose relative error has one size and changing sign at ``points``: of all such, the one without a pole.

    ``P - f Q = (-1)^k E f Q`` is an eigenvalue problem in the coefficients, with ``1 / E`` for the eigenvalue.
    """
    count = len(points)
    left, right = mp.matrix(count, count), mp.matrix(count, count)
    for row, (t, value) in enumerate(zip(points, values)):
        for column in range(count):
            power = column if column <= above else column - above - 1
            left[row, column] = t ** power / value if column <= above else -t ** power
            right[row, column] = 0 if column <= above else (-1) ** row * t ** power
    eigenvalues, vectors = mp.eig(mp.inverse(left) * right)
    for k in sorted(range(count), key=lambda k: -abs(eigenvalues[k])):
        if abs(mp.im(eigenvalues[k])) < mp.mpf(10) ** -20 * abs(eigenvalues[k]):
            scale = vectors[above + 1, k]
            solution = [mp.re(vectors[row, k] / scale) for row in range(count)]
            p, q = solution[:above + 1], solution[above + 1:]
            if all(polynomial(q, t) > 0 for t in everywhere):
                return p, q
    raise ArithmeticError("every quotient has a pole")


@functools.cache
def erf_quotient():
    return best_quotient(lambda t: erf_near(t) if t else 2 / mp.sqrt(mp.pi), mp.mpf(16), 6, 5)


#: name -> (file, how to make it)
TABLES = {
    "ERF_NEAR": ("special.py", lambda: powers(erf_near, 13)),
    "ERFC_TAIL": ("special.py", lambda: powers(erfc_tail, 28)),
    "ERF_ABOVE": ("special.py", lambda: erf_quotient()[0]),
    "ERF_BELOW": ("special.py", lambda: erf_quotient()[1]),
    "INVERSE_NEAR": ("special.py", lambda: powers(inverse_near, 22)),
    "INVERSE_MIDDLE": ("special.py", lambda: powers(inverse_erf(lambda t: (2.5 + 3 * t) ** 2), 29)),
    "INVERSE_FAR": ("special.py", lambda: powers(inverse_erf(far_out), 29)),
    "LGAMMA_NEAR": ("special.py", lambda: powers(lgamma_near, 33)),
    "DIGAMMA_NEAR": ("special.py", lambda: powers(digamma_near, 30)),
    "I0_FAR": ("special.py", lambda: chebyshev(i_far(0), 25)),
    "I1_FAR": ("special.py", lambda: chebyshev(i_far(1), 25)),
    "J0_NEAR": ("bessel.py", lambda: chebyshev(j_near(0), 17)),
    "J1_NEAR": ("bessel.py", lambda: chebyshev(j_near(1), 16)),
    "Y0_NEAR": ("bessel.py", lambda: chebyshev(y_near(0), 17)),
    "Y1_NEAR": ("bessel.py", lambda: chebyshev(y_near(1), 17)),
    "P0": ("bessel.py", lambda: chebyshev(wave(0, 0), 13)),
    "Q0": ("bessel.py", lambda: chebyshev(wave(0, 1), 14)),
    "P1": ("bessel.py", lambda: chebyshev(wave(1, 0), 13)),
    "Q1": ("bessel.py", lambda: chebyshev(wave(1, 1), 13)),
    "K0_FAR": ("bessel.py", lambda: chebyshev(k_far(0), 31)),
    "K1_FAR": ("bessel.py", lambda: chebyshev(k_far(1), 31)),
    "AIRY_NEAR": ("bessel.py", lambda: chebyshev(lambda t: mp.airyai(6 * t - 4), 32)),
    "AIRY_FAR": ("bessel.py", lambda: chebyshev(airy_far, 24)),
    "AIRY_P": ("bessel.py", lambda: chebyshev(airy_wave(0), 18)),
    "AIRY_Q": ("bessel.py", lambda: chebyshev(airy_wave(1), 18)),
}


def table(name):
    """The coefficients, rounded once."""
    with mp.workdps(DIGITS):
        return tuple(float(c) for c in TABLES[name][1]())


def source(name, coefficients):
    """The table as Python."""
    lines, line = [], "   "
    for c in coefficients:
        if len(line) + len(f" {c!r},") > 120:
            lines.append(line)
            line = "   "
        line += f" {c!r},"
    return "\n".join([f"{name} = (", *lines, line, ")\n"])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    action = parser.add_mutually_exclusive_group()
    action.add_argument("--check", action="store_true", help="name the tables that differ from the source")
    action.add_argument("--write", action="store_true", help="put the tables into the source")
    given = parser.parse_args()
    differs = False
    for name, (file, _) in TABLES.items():
        made = source(name, table(name))
        if not (given.check or given.write):
            print(made, end="")
            continue
        path = ARRAYS / file
        text = path.read_text(encoding="utf-8")
        written = re.sub(rf"^{name} = \(\n.*?^\)\n", lambda _, made=made: made, text, flags=re.MULTILINE | re.DOTALL)
        if given.write:
            path.write_text(written, encoding="utf-8")
        elif written != text:
            differs = True
            print(name)
    sys.exit(differs)


if __name__ == "__main__":
    main()
