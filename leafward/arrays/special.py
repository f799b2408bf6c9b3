"""Special functions that NumPy lacks: the error function, the gamma function and their families, on plain arrays.

The tables are made by ``tools/coefficients.py``; their accuracy is stated where they are used. Everything but ``erf`` is
computed in float64 and rounded once.
"""
import math

import numpy as np

from leafward.arrays.layout import empty_in_order

SQRT_PI = math.sqrt(math.pi)

#: erf(x) / x on [-1, 1], a polynomial in 2 x^2 - 1, to 1e-16.
ERF_NEAR = (
    0.9654687386698673, -0.1405360890227171, 0.019852496688983708, -0.0022854855611441132, 0.00021751715604160108,
    -1.7537169441124826e-05, 1.223382738352401e-06, -7.51156928660089e-08, 4.11580059766496e-09, -2.035228404899467e-10,
    9.167606746069445e-12, -3.8078827395263415e-13, 1.454817075960679e-14,
)
#: exp(z^2) erfc(z) / t for z >= 0, where t = 2 / (2 + z), a polynomial in 2 t - 1, to 1e-16.
ERFC_TAIL = (
    0.5107913526210115, 0.34358034220690525, 0.13973604627802688, 0.018221115753442495, -0.010755330944716365,
    -0.0032395925339865133, 0.0015453060290576436, 0.0004186480332964868, -0.00033153674761946043,
    -1.7185737594548938e-05, 7.223535061438543e-05, -1.7074336530735702e-05, -1.0848057268891096e-05,
    8.060040491028146e-06, -5.628166935192924e-07, -1.8208078384029821e-06, 1.00091858626541e-06,
    -3.0587196456747096e-09, -2.855481823834117e-07, 1.6491163111184633e-07, -1.6982724012935667e-09,
    -5.760146697175624e-08, 2.9041985444209086e-08, 6.353864669505139e-09, -9.744756625932259e-09,
    1.2284536350186566e-09, 1.2051665995883637e-09, -3.3888695546308687e-10,
)
#: erf(x) / x on [-4, 4], a quotient of polynomials in x^2, to 2.1e-9: enough for float32.
ERF_ABOVE = (
    1.12837916937862, 0.18520300625280217, 0.05431690200735765, 0.003849605059983921, 0.0003796094843620228,
    4.684800302960991e-06, -1.3202338498649452e-08,
)
ERF_BELOW = (
    1.0, 0.49746530468588757, 0.11395834407790158, 0.015462079206884725, 0.0013075693483052537, 6.311078892518792e-05,
)
#: The inverse of erf at x, divided by x, where w = -log(1 - x^2): on [0, 6.25] its value at 0 and w times a polynomial in w,
#: with s = sqrt(w) on [2.5, 5.5] one in s and on [5.5, 28] in (s - c) / (s + c), in what runs from -1 to 1 there, to 1e-16.
INVERSE_NEAR = (
    0.24557684391371046, -0.005418661488122288, -0.013436559985123341, 0.006203136800012607, -0.0005044610166664162,
    -0.0008194795834369221, 0.00041253803383419006, -1.8142664953593812e-05, -6.646311498245397e-05,
    2.905880279124007e-05, 8.178313661966427e-07, -5.62727783633793e-06, 2.0277457103556756e-06, 2.5562799141583196e-07,
    -4.799316971817254e-07, 1.3757282552601388e-07, 4.213752616275177e-08, -4.1256767129946506e-08,
    3.8051268417579475e-09, 5.5874536539584005e-09, -1.0828349883368067e-09, -3.1864269542961973e-10,
)
INVERSE_MIDDLE = (
    3.839783797411554, 1.5142398798681356, 0.0028346563509460358, -0.0029328473423978455, 0.0016248349113186886,
    -0.0008950357542669658, 0.0006341724680573254, -0.0005561333401193963, 0.00047854528197596686,
    -0.00034136227211434104, 0.00017385100872035445, -3.5964724358162275e-05, -3.565861553362411e-05,
    4.652749074038814e-05, -2.7323991754101317e-05, 6.572127217692947e-06, 3.593517526738249e-06,
    -4.650213076471099e-06, 2.274155579066732e-06, -2.73428292127882e-07, -3.5488094874086373e-07,
    2.106634440918189e-07, -6.37873397817299e-08, 5.4518908677478726e-08, -1.8078271379526124e-08,
    -2.475898016122434e-08, 1.4999927433153523e-08, 2.0810603837040386e-09, -2.025064413002016e-09,
)
INVERSE_FAR = (
    12.312873978637494, 9.619233392353184, 3.689280955844103, 1.4257040057751644, 0.5502967955180862,
    0.21186062866500593, 0.08200647068813613, 0.031505331148919354, 0.012214596684754107, 0.004687197734623084,
    0.0018186274415382155, 0.0006975839238596365, 0.00027069060263527184, 0.00010385324491764511, 4.027403680079081e-05,
    1.5454721907776753e-05, 6.008183008919941e-06, 2.321468187794624e-06, 8.61610356884917e-07, 3.168800617490029e-07,
    1.7300660784759425e-07, 7.614673378677501e-08, -1.7964468682829938e-08, -7.879715901775403e-09,
    2.606549765443119e-08, 6.61883633313336e-09, -8.008143390402217e-09, -6.203807834626213e-10, 1.4774911215049042e-09,
)
FAR_MIDDLE = math.sqrt(5.5 * 28)
FAR_SCALE = (28 + FAR_MIDDLE) / (28 - FAR_MIDDLE)
#: lgamma(x) / ((x - 1) (x - 2)) from 3/4 to 11/4, a polynomial in x - 7/4, to 1e-16.
LGAMMA_NEAR = (
    0.4501393121092563, -0.11948158662524272, 0.044520447198509575, -0.019053957830251347, 0.008776370425260603,
    -0.004226194125711359, 0.0020955338799242755, -0.0010605660805759639, 0.0005448969884915684,
    -0.00028319054604839785, 0.00014851680962378797, -7.846246201136181e-05, 4.170497718971195e-05,
    -2.2276895880330666e-05, 1.1952204464698717e-05, -6.457160808031283e-06, 3.496611799516658e-06,
    -1.835713431543377e-06, 9.812650735549477e-07, -6.7457682409127e-07, 3.9885328080485493e-07, 2.428716442476444e-08,
    -5.452115961328507e-08, -2.806272650820209e-07, 1.946443814223295e-07, 1.826610361289813e-07,
    -1.2852565393732804e-07, -1.2061727803916342e-07, 7.947066695574877e-08, 4.0959939991845255e-08,
    -2.6219358072012507e-08, -8.112146914673245e-09, 4.943059397355929e-09,
)
#: digamma(x) / (x - z), where z is its zero, from 1 to 3, a polynomial in x - 2, to 1e-16.
DIGAMMA_NEAR = (
    0.7853075386041053, -0.26073895468300146, 0.10899991701762612, -0.04955103291766727, 0.023447309597734074,
    -0.011338432553570059, 0.005552254171105199, -0.0027395728785465467, 0.0013581421936730543, -0.0006753134209495447,
    0.0003364323495666613, -0.00016781483194783505, 8.377980375728113e-05, -4.184787693054116e-05,
    2.0891220143025212e-05, -1.0435770943228892e-05, 5.269921956816271e-06, -2.645871409092003e-06,
    1.2098986471677347e-06, -5.864278463317367e-07, 4.642683009813479e-07, -2.532281805799342e-07,
    -5.853294516772412e-08, 4.594744120460249e-08, 1.1655551107493253e-07, -6.695140151139414e-08,
    -3.607440221465453e-08, 2.070604694120438e-08, 1.0254404239698909e-08, -5.495315942645068e-09,
)
DIGAMMA_ZERO = 1.4616321449683622, 9.549995429965697e-17        # z, in two parts
#: I0(x) and 2 / x times I1(x) for x to 8, in powers of (x / 8)^2: no term takes from another.
I0_NEAR = tuple([16.0**k / math.factorial(k)**2 for k in range(25)])
I1_NEAR = tuple([16.0**k / (math.factorial(k) * math.factorial(k + 1)) for k in range(25)])
#: exp(x) for x to 0.002.
EXP_SMALL = (1.0, 1.0, 1 / 2, 1 / 6, 1 / 24, 1 / 120)
#: sqrt(x) exp(-x) times I0(x) and I1(x) from 8 on, in 8 / x.
I0_FAR = (
    0.4022452055070544, 0.0033691164782556943, 6.889758346916825e-05, 2.8913705208347567e-06, 2.0489185894690638e-07,
    2.266668990498178e-08, 3.3962320257083865e-09, 4.94060238822497e-10, 1.1889147107846439e-11,
    -3.1499165279632416e-11, -1.3215811840447713e-11, -1.7941785315068062e-12, 7.180124451383666e-13,
    3.8527783827421426e-13, 1.54008621752141e-14, -4.150569347287222e-14, -9.554846698828307e-15,
    3.8116806693526224e-15, 1.7725601330565263e-15, -3.425485619677219e-16, -2.8276239805165836e-16,
    3.461222867697461e-17, 4.46562142029676e-17, -4.830504485944182e-18, -7.233180487874754e-18,
)
I1_FAR = (
    0.38928811750914005, -0.009761097491361469, -0.00011058893876262371, -3.882564808877691e-06, -2.512236237870209e-07,
    -2.6314688468895196e-08, -3.835380385964237e-09, -5.589743462196584e-10, -1.8974958123505413e-11,
    3.2526035830154884e-11, 1.4125807436613782e-11, 2.0356285441470896e-12, -7.198551776245908e-13,
    -4.0835511110921974e-13, -2.1015418427726643e-14, 4.272440016711951e-14, 1.0420276984128802e-14,
    -3.8144030724370075e-15, -1.8803547755107825e-15, 3.3082023109209285e-16, 2.96262899764595e-16,
    -3.209525921993424e-17, -4.6503053684893586e-17, 4.414348323071708e-18, 7.517296310842105e-18,
)
#: B(2k) / (2k)! of the Bernoulli numbers B, for the remainder of a sum that stops early.
BERNOULLI = (1 / 12, -1 / 720, 1 / 30240, -1 / 1209600, 1 / 47900160, -691 / 1307674368000, 1 / 74724249600)
#: Further below zero than this, zeta does not go up step by step.
FAR = 30


def in_float64(function):
    """Compute ``function`` in float64, and give the result the dtype of its (last) array."""
    def wide(*args, out=None):
        if hasattr(args[-1], "in_float64"):         # a symbol: derive/kernels runs this on it, and writes what it did as C
            return args[-1].in_float64(function, args)
        dtype = args[-1].dtype
        result = function(*[np.asarray(a, dtype=np.float64) for a in args])
        if out is None:
            if args[-1].shape != result.shape:
                return result.astype(dtype)
            out = empty_in_order(args[-1], dtype)
        out[...] = result
        return out
    wide.__name__ = function.__name__
    wide.__doc__ = function.__doc__
    return wide


def needed(coefficients, x):
    """Those that count: all of them on arrays, fewer on a symbol of what will be rounded to float32."""
    least, count, rest = getattr(x, "rounds_off", 0) * abs(coefficients[0]), len(coefficients), 0.0
    while count > 2 and rest + abs(coefficients[count - 1]) < least:
        count -= 1
        rest += abs(coefficients[count])
    return coefficients[:count]


def economized(coefficients, x, scale):
    """Of a polynomial on [-1, 1] the shortest that is near enough: itself on arrays, of a lower degree on such a symbol.

    What the last Chebyshev polynomials add is left out: at most what does not count beside ``scale``.
    """
    least, rest = getattr(x, "rounds_off", 0) * abs(scale), 0.0
    if not least:
        return coefficients
    waves = np.polynomial.chebyshev.poly2cheb(coefficients)
    count = len(waves)
    while count > 2 and rest + abs(waves[count - 1]) < least:
        count -= 1
        rest += abs(waves[count])
    return [float(c) for c in np.polynomial.chebyshev.cheb2poly(waves[:count])]


def polynomial(x, coefficients, scale=None):
    """``coefficients[0] + coefficients[1] x + ...`` by Horner's rule, in the dtype of ``x``, which is within [-1, 1].

    ``scale``: how large a number its errors count beside; its value at 0 unless given.
    """
    coefficients = economized(coefficients, x, coefficients[0] if scale is None else scale)
    result = x * coefficients[-1]
    for c in coefficients[-2:0:-1]:
        result += c
        result *= x
    return result + coefficients[0]


def series(t, coefficients):
    """``sum of c[k] T_k(2 t - 1)`` of Chebyshev polynomials ``T``, for t from 0 to 1, by Clenshaw's recurrence (1955)."""
    coefficients, u = needed(coefficients, t), 4 * t - 2
    above, b = 0.0, coefficients[-1]
    for c in coefficients[-2:0:-1]:
        above, b = b, u * b - above + c
    return 0.5 * u * b - above + coefficients[0]


# --- the error function ----------------------------------------------------------------------------------------------

def erf(x, out=None):
    """``2 / sqrt(pi)`` times the integral of ``exp(-t ** 2)`` from 0 to x."""
    x = np.asarray(x)
    result = erf_float64(x) if x.dtype == np.float64 else erf_float32(x.astype(np.float32, copy=False)).astype(x.dtype)
    if out is None:
        return result
    out[...] = result
    return out


def erf_float32(x):
    bounded = np.clip(x, -4, 4)                        # beyond, erf is 1 to the last bit
    square = bounded * bounded
    result = np.divide(polynomial(square, ERF_ABOVE), polynomial(square, ERF_BELOW))
    return np.where(np.abs(bounded) == 4, np.copysign(np.float32(1), x), np.clip(result * bounded, -1, 1))


def erf_float64(x):
    near = np.abs(x) < 1
    inside = np.where(near, x, 0)
    close = inside * polynomial(2 * inside * inside - 1, ERF_NEAR)
    return np.where(near, close, np.copysign(1 - erfc_positive(np.abs(x)), x))


def scaled_erfc(z):
    """``exp(z ** 2) * erfc(z)`` for z >= 0."""
    t = 2 / (2 + z)
    return t * polynomial(2 * t - 1, ERFC_TAIL)


def exp_of_square(z, sign):
    """``exp(sign * z ** 2)`` for z >= 0, by an exact square and a small rest: a rounded square would be off by as much."""
    z = np.minimum(z, 40.0)                             # beyond, it is 0, or infinite
    part = np.round(z * 16384) / 16384
    return np.exp(sign * part * part) * polynomial(sign * (z - part) * (z + part), EXP_SMALL)


def erfc_positive(z):
    return scaled_erfc(z) * exp_of_square(z, -1)


@in_float64
def erfc(x):
    """``1 - erf(x)``, exact where that is tiny."""
    tail = erfc_positive(np.abs(x))
    return np.where(np.abs(x) < 1, 1 - erf_float64(x), np.where(x < 0, 2 - tail, tail))


@in_float64
def erfcx(x):
    """``exp(x ** 2) * erfc(x)``."""
    tail = scaled_erfc(np.abs(x))
    return np.where(x < 0, 2 * exp_of_square(np.abs(x), 1) - tail, tail)


def inverse_erf_over(w, factor=1.0):
    """``factor`` times the inverse of erf at x, divided by x, where ``w = -log(1 - x ** 2)``."""
    in_near, in_middle, in_far = [[factor * c for c in table] for table in (INVERSE_NEAR, INVERSE_MIDDLE, INVERSE_FAR)]
    s = np.sqrt(np.clip(w, 6.25, 784))
    low = np.minimum(w, 6.25)
    u = low / 3.125 - 1
    near = factor * 0.5 * SQRT_PI + low * in_near[0] + low * (u * polynomial(u, in_near[1:], 0.1 * factor))
    middle = polynomial((np.minimum(s, 5.5) - 4) / 1.5, in_middle, factor)
    far = polynomial(FAR_SCALE * (s - FAR_MIDDLE) / (s + FAR_MIDDLE), in_far)
    return np.where(w <= 6.25, near, np.where(w <= 30.25, middle, far))


@in_float64
def erfinv_float64(x):
    """The y with ``erf(y) = x``."""
    size = np.abs(x)
    result = x * inverse_erf_over(-np.log((1 - size) * (1 + size)))
    return np.where(size == 1, np.copysign(np.inf, x), result)


class InFloat32:
    """What to take for the argument of a polynomial whose value is rounded to float32, and then counts for little."""

    rounds_off = 2.0**-26


def erfinv(x, out=None):
    """The y with ``erf(y) = x``."""
    if not hasattr(x, "in_float64") or x.dtype != np.float32:
        return erfinv_float64(x, out=out)
    # A symbol of float32: in float32 too, but for the last steps. It comes no nearer to 1 than 2**-24.
    size = np.abs(x)
    w = -np.log((1 - size) * (1 + size))
    low, s = np.minimum(w, 6.25), np.minimum(np.sqrt(w), 5.5)
    near = economized(INVERSE_NEAR[1:], InFloat32, 0.2)
    middle = economized(INVERSE_MIDDLE, InFloat32, 2.0)
    u, v = low * 0.32 - 1, s.astype(np.float64) * (1 / 1.5) - 4 / 1.5
    near = (low.astype(np.float64) * ((u * polynomial(u, near)).astype(np.float64) + INVERSE_NEAR[0]) + 0.5 * SQRT_PI)
    middle = ((polynomial(v.astype(np.float32), middle[2:]).astype(np.float64) * v + middle[1]) * v) + middle[0]
    result = np.where(size == 1, np.copysign(np.inf, x), x.astype(np.float64) * np.where(w <= 6.25, near, middle))
    return result.astype(np.float32)


@in_float64
def ndtri(x):
    """The y with ``ndtr(y) = x``: quantiles of the normal distribution."""
    q = 2 * np.minimum(x, 1 - x)
    tail = (1 - q) * inverse_erf_over(-np.log(q * (2 - q)), math.sqrt(2))
    result = np.where(x < 0.5, -tail, tail)
    return np.where(x == 0, -np.inf, np.where(x == 1, np.inf, result))


@in_float64
def log_ndtr(x):
    """``log(ndtr(x))``, exact where ndtr is tiny."""
    z = np.abs(x) / math.sqrt(2)
    low = np.log(scaled_erfc(z) / 2) - z * z
    return np.where(x < -1, low, np.where(x < 1, np.log(erfc(-x / math.sqrt(2)) / 2), np.log1p(-erfc_positive(z) / 2)))


# --- the gamma function ----------------------------------------------------------------------------------------------

def log_gamma_positive(x):
    """For x > 0: steps of one lead to where a polynomial is near, with the zeros as factors; Stirling's series is from 8 on."""
    far, small = x >= 8, x < 0.75
    near = np.where(far, 2.0, np.where(small, x + 1, x))
    product = np.where(small, x, 1.0)
    for _ in range(6):
        above = near > 2.75
        near = np.where(above, near - 1, near)
        product = np.where(above, product * near, product)
    z = np.where(far, x, 8.0)
    logarithm = np.log(np.where(far, x, product))
    step = np.where(far, 0.0, logarithm)
    value = (near - 1) * (near - 2) * polynomial(near - 1.75, LGAMMA_NEAR) + np.where(small, -step, step)
    r = 1 / (z * z)
    series = 1 / 1188 - r * (691 / 360360 - r * (1 / 156 - r * (3617 / 122400 - r * (43867 / 244188))))
    series = (1 / 12 - r * (1 / 360 - r * (1 / 1260 - r * (1 / 1680 - r * series)))) / z
    # Written so that infinity minus infinity does not occur.
    return np.where(far, (z - 0.5) * (logarithm - 1) + (0.5 * math.log(2 * math.pi) - 0.5) + series, value)


@in_float64
def lgamma(x):
    """Logarithm of the absolute value of the gamma function."""
    value = log_gamma_positive(np.where(x <= 0, 1 - x, x))
    reflected = math.log(math.pi) - np.log(np.abs(np.sin(math.pi * (x - np.round(x))))) - value
    return np.where(np.isinf(x), np.inf, np.where(x <= 0, reflected, value))


@in_float64
def digamma(x):
    """Slope of the logarithm of the gamma function."""
    positive = np.where(x <= 0, 1 - x, x)
    far, small = positive >= 8, positive < 1
    near = np.where(far, 2.0, np.where(small, positive + 1, positive))
    steps = np.where(small, -1 / positive, 0.0)
    for _ in range(6):                                      # to where a polynomial is near, which has the zero as a factor
        above = near > 3
        near = np.where(above, near - 1, near)
        steps = np.where(above, steps + 1 / near, steps)
    value = (near - DIGAMMA_ZERO[0] - DIGAMMA_ZERO[1]) * polynomial(near - 2, DIGAMMA_NEAR) + steps
    z = np.where(far, positive, 8.0)
    r = 1 / (z * z)
    series = 1 / 132 - r * (691 / 32760 - r * (1 / 12 - r * (3617 / 8160 - r * (43867 / 14364))))
    series = r * (1 / 12 - r * (1 / 120 - r * (1 / 252 - r * (1 / 240 - r * series))))
    value = np.where(far, np.log(z) - 0.5 / z - series, value)
    fraction = x - np.round(x)
    result = np.where(x <= 0, value - math.pi / np.tan(math.pi * fraction), value)
    result = np.where((x < 0) & (fraction == 0), np.nan, result)
    return np.where(x == 0, np.copysign(np.inf, -x), result)


@in_float64
def zeta(s, q):
    """Hurwitz: ``sum((q + k) ** -s for k = 0, 1, ...)``."""
    s, q = np.broadcast_arrays(s, q)
    if np.any(endless := s == np.inf):          # only terms of at most one in size count
        limit = np.where(q == 1, 1.0, np.where(q < 1, np.inf, np.nan))
        return np.where(endless, limit, zeta(np.where(endless, 2.0, s), q))
    if np.any(far := (q < -FAR) & np.isfinite(q)):
        # Two sums with as few terms as any: from above zero on, and what lies below it, mirrored.
        near = q - np.floor(q)
        sign = np.where(s % 2 == 0, 1.0, -1.0)
        below = sign * (zeta(s, 1 - near) - zeta(s, np.where(far, 1 - q, 1)))
        beyond = np.where(near == 0, np.inf, np.where(s == np.floor(s), zeta(s, np.where(near == 0, 1, near)) + below, np.nan))
        return np.where(far & ~(s <= 1), beyond, zeta(s, np.where(far, 1, q)))
    a = q
    total = a ** -s
    # Euler and Maclaurin take over from a > 9 on.
    for k in range(1, 10):
        a = q + k
        total = total + a ** -s
    while np.any(more := np.isfinite(a) & (a <= 9)):
        a = np.where(more, a + 1, a)
        total = np.where(more, total + a ** -s, total)
    total = total + a ** (1 - s) / (s - 1) - 0.5 * a ** -s
    term = s * a ** (-s - 1)
    for j, b in enumerate(BERNOULLI):
        total = total + b * term
        term = term * (s + 2 * j + 1) * (s + 2 * j + 2) / (a * a)
    pole = (q <= 0) & (q == np.floor(q))
    result = np.where(pole, np.inf, np.where((q <= 0) & (s != np.floor(s)), np.nan, total))
    return np.where(s == 1, np.inf, np.where(s < 1, np.nan, result))


def polygamma(n, x):
    """The ``n``-th derivative of digamma."""
    if n == 0:
        return digamma(x)
    if n == 1:
        return trigamma(x)
    sign = 1 if n % 2 else -1
    factorial = float(math.factorial(n)) if n <= 170 else math.inf
    out = empty_in_order(x)
    out[...] = sign * factorial * zeta(np.asarray(n + 1.0), x.astype(np.float64))
    return out


@in_float64
def trigamma(x):
    """The first derivative of digamma."""
    reflected = np.where(x < 0.5, 1 - x, x)
    low = reflected < 8
    below = np.zeros_like(reflected)
    for k in range(8):
        below = below + 1 / ((reflected + k) * (reflected + k))
    z = np.where(low, reflected + 8, reflected)
    r = 1 / (z * z)
    series = (1 / 6 - r * (1 / 30 - r * (1 / 42 - r * (1 / 30 - r * (5 / 66 - r * 691 / 2730))))) * r / z
    value = 1 / z + r / 2 + series + np.where(low, below, 0)
    wave = math.pi / np.sin(math.pi * (x - np.round(x)))
    return np.where(x < 0.5, wave * wave - value, value)


# --- modified Bessel functions ---------------------------------------------------------------------------------------

def bessel_near(x, order):
    """``I_order(x)`` for x from 0 to 8 and order 0 or 1."""
    t = x * x / 64
    return 0.5 * x * polynomial(t, I1_NEAR) if order else polynomial(t, I0_NEAR)


def bessel(x, order):
    """``I_order(x)`` for x >= 0."""
    far = np.maximum(x, 8)
    return np.where(x <= 8, bessel_near(np.minimum(x, 8), order), bessel_far(far, order) * np.exp(far))


def scaled_bessel(x, order):
    """``exp(-x) * I_order(x)`` for x >= 0."""
    near = np.minimum(x, 8)
    return np.where(x <= 8, bessel_near(near, order) * np.exp(-near), bessel_far(np.maximum(x, 8), order))


def bessel_far(x, order):
    """``exp(-x) * I_order(x)`` for x >= 8."""
    return series(8 / x, I1_FAR if order else I0_FAR) / np.sqrt(x)


@in_float64
def i0(x):
    return bessel(np.abs(x), 0)


@in_float64
def i0e(x):
    return scaled_bessel(np.abs(x), 0)


@in_float64
def i1(x):
    return np.copysign(bessel(np.abs(x), 1), x)


@in_float64
def i1e(x):
    return np.copysign(scaled_bessel(np.abs(x), 1), x)
