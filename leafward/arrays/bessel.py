"""Bessel functions of order 0 and 1 and Airy's function, on plain arrays: Chebyshev series and asymptotic forms.

Near the origin the entire part of a function is a Chebyshev series in ``x ** 2``; far out the factors that multiply its
asymptotic form (Abramowitz and Stegun 9.2.5, 9.2.6, 9.7.2, 10.4.59, 10.4.60) are Chebyshev series in a power of ``1 / x``,
after C. W. Clenshaw, "Chebyshev Series for Mathematical Functions" (NPL Mathematical Tables 5, 1962). The coefficients
are made by ``tools/coefficients.py`` from 60-digit values, and end where the rest is below 1e-16 of the largest. All is
float64 inside; the relative error is a few 1e-15, and beside a zero of the function that much of its amplitude.
"""
import math

import numpy as np

from leafward.arrays.special import in_float64, series

#: J0(x), J1(x) / x, and Y0(x), Y1(x) / x without their logarithm and pole, on [0, 8].
J0_NEAR = (
    0.15772797147489012, -0.008723442352852221, 0.2651786132033368, -0.37009499387264977, 0.15806710233209725,
    -0.034893769411408884, 0.004819180069467605, -0.00046062616620627504, 3.246032882100508e-05,
    -1.7619469077621507e-06, 7.608163592418782e-08, -2.679253530557673e-09, 7.848696314479465e-11,
    -1.9438346867370164e-12, 4.125320595634374e-14, -7.588508125447546e-16, 1.2218515873961411e-17,
)
J1_NEAR = (
    0.08104484632565812, -0.1489751450676521, 0.1609992623572097, -0.08268049176681791, 0.022213639654966037,
    -0.003646940600769276, 0.0004050337728354822, -3.255554866857259e-05, 1.9858774049915165e-06,
    -9.521984756750436e-08, 3.687133759097148e-09, -1.178026622695885e-10, 3.160154580348003e-12,
    -7.221755239651773e-14, 1.4232144003513942e-15, -2.4441972916190464e-17,
)
Y0_NEAR = (
    -0.03314611320328494, -0.2744743055297453, 0.17903431407718265, 0.26156734625504663, -0.17730201278114358,
    0.04719668959576339, -0.007287962479552079, 0.0007531135932577742, -5.632079141056987e-05, 3.206532537654801e-06,
    -1.44072332740187e-07, 5.248794787330516e-09, -1.5837552541812015e-10, 4.02633081830612e-12, -8.747341203310769e-14,
    1.6434898714919468e-15, -2.6977881152566837e-17,
)
Y1_NEAR = (
    0.0025380132357417816, -0.01608717304766875, -0.09591204536083074, 0.08445197259652346, -0.028328123944594365,
    0.005289897544167113, -0.0006414551451326356, 5.505982873338744e-05, -3.53808001868935e-06, 1.7707804556154404e-07,
    -7.11055004989928e-09, 2.344337905911516e-10, -6.4651518414115946e-12, 1.51429151205002e-13,
    -3.0511859694473254e-15, 5.34668038572867e-17, -8.224911372021585e-19,
)
#: Of (J + i Y) sqrt(pi x / 2), the factors of cos and i sin of its phase, from 8 on: P in (8 / x)^2, Q / (8 / x) likewise.
P0 = (
    0.9994603493475187, -0.0005365220468132117, 3.0751847875194745e-06, -5.1705945376060975e-08, 1.6306464635151382e-09,
    -7.86409137723707e-11, 5.168262387349193e-12, -4.3045788699253914e-13, 4.3265957431549404e-14,
    -5.069034095935236e-15, 6.748072215733873e-16, -1.0011513723467786e-16, 1.6305919233744186e-17,
)
Q0 = (
    -0.015555854605337009, 6.838519942611649e-05, -7.414498411060647e-07, 1.7972457247968992e-08, -7.27191593686632e-10,
    4.2201219046687385e-11, -3.206747420996635e-12, 3.006145125351706e-13, -3.336328185322427e-14,
    4.255225040245461e-15, -6.09993013164005e-16, 9.662128970303257e-17, -1.6686065214378146e-17,
    3.1082440486738143e-18,
)
P1 = (
    1.0009030408600137, 0.0008989898330859408, -3.987284300488908e-06, 6.177633960644299e-08, -1.8718907491063067e-09,
    8.816898659582339e-11, -5.704863640395645e-12, 4.699195515230542e-13, -4.6842237839904895e-14,
    5.452674896044717e-15, -7.221180842274018e-16, 1.0667689114335412e-16, -1.7312313216116335e-17,
)
Q1 = (
    0.04677778706953532, -9.62772354915708e-05, 9.138615257955454e-07, -2.0959781384083424e-08, 8.229193327650554e-10,
    -4.686363688176945e-11, 3.5152187949686082e-12, -3.2643156743279e-13, 3.5967765829165294e-14,
    -4.5612523950772974e-15, 6.508282957783384e-16, -1.0269147531823243e-16, 1.767635548776479e-17,
)
#: K0(x) and K1(x) times sqrt(x) exp(x), from 1 on, in 1 / x.
K0_FAR = (
    1.1944330762167386, -0.053855323307629495, 0.004362000068251702, -0.0005521270349863234, 8.959565555755952e-05,
    -1.7138726856421186e-05, 3.695146089045472e-06, -8.737284518980525e-07, 2.225046272255236e-07,
    -6.025216756376064e-08, 1.7186668629418083e-08, -5.1272057810909205e-09, 1.5907351467912106e-09,
    -5.10958325791419e-10, 1.6929517419961088e-10, -5.7683063818637606e-11, 2.0159542597761383e-11,
    -7.210940065346495e-12, 2.6349075982806445e-12, -9.819576891759296e-13, 3.72695818784577e-13,
    -1.4388149744180521e-13, 5.6436532735816866e-14, -2.2469288334596896e-14, 9.072046991627365e-15,
    -3.711589997838162e-15, 1.537582290719742e-15, -6.445464362724762e-16, 2.7324144482527955e-16,
    -1.1707837700385628e-16, 5.067869397943657e-17,
)
K1_FAR = (
    1.4532756675938414, 0.19051350202061165, -0.008406706460495654, 0.0008815363164514389, -0.000129995769583983,
    2.3441638979785087e-05, -4.853489413610226e-06, 1.1139969511197356e-06, -2.772707643805077e-07,
    7.37247184977708e-08, -2.0717892129028323e-08, 6.103966549420336e-09, -1.873778917957349e-09, 5.963886884453419e-10,
    -1.96028004074301e-10, 6.632273899864202e-11, -2.3034250700407756e-11, 8.193082518369976e-12,
    -2.9786645069974164e-12, 1.1049772078983365e-12, -4.1763277431648047e-13, 1.6061141914625803e-13,
    -6.277632672531289e-14, 2.4911830875182032e-14, -1.002779686252293e-14, 4.091059996919741e-15,
    -1.690331071434488e-15, 7.068360792264328e-16, -2.9895680121763374e-16, 1.2781913900252084e-16,
    -5.521491188037584e-17,
)
#: Ai(x) on [-4, 2].
AIRY_NEAR = (
    0.06078525685079726, 0.18996030881729123, -0.250924387032336, -0.09512014013503055, 0.20236324198370076,
    -0.06418728306305249, -0.026814703186039963, 0.024051904281273857, -0.00413259164974895, -0.0020196817905494225,
    0.0011250768750654559, -0.00011697538709676606, -7.125499253060682e-05, 2.8167833107042442e-05,
    -1.7594742389691562e-06, -1.4587201524168717e-06, 4.388747958436033e-07, -1.4627095866197506e-08,
    -1.9495992841846798e-08, 4.660552774163884e-09, -5.106245117904234e-11, -1.8343326708789198e-10,
    3.5857642041278925e-11, 2.658241327479573e-13, -1.2805447574198059e-12, 2.0885896604502407e-13,
    4.8741837202287105e-15, -6.895080927885035e-15, 9.51965014570017e-16, 3.5978991422145034e-17,
    -2.9502705833721254e-17, 3.483989442459416e-18,
)
#: Ai(x) times 2 sqrt(pi) x^(1/4) exp(z), from 2 on, in z(2) / z, where z(x) = 2/3 abs(x)^(3/2).
AIRY_FAR = (
    0.9844053049171552, -0.014792784850104199, 0.0007327177465426715, -6.12595423417825e-05, 6.83476697557269e-06,
    -9.237229735403982e-07, 1.436225340438052e-07, -2.489319422322096e-08, 4.709793440054328e-09,
    -9.583863708112733e-10, 2.0745855483677591e-10, -4.737267332192277e-11, 1.1336099808224236e-11,
    -2.827706782319351e-12, 7.320712095125598e-13, -1.9599793911089723e-13, 5.4101162570683925e-14,
    -1.5356466802223836e-14, 4.472340393300025e-15, -1.3338094674756683e-15, 4.066582046456231e-16,
    -1.265583225645289e-16, 4.015126334015871e-17, -1.2969972135960937e-17,
)
#: Of Ai(x) sqrt(pi) abs(x)^(1/4) below -4, the factors of cos and sin of z - pi / 4: P in s^2, Q / s likewise, s = z(-4) / z.
AIRY_P = (
    0.9993708890742778, -0.0006216836584374116, 7.181193774368645e-06, -2.316269813501758e-07, 1.3216283888528755e-08,
    -1.0938736172758127e-09, 1.1794620737908535e-10, -1.5518841909929856e-11, 2.386927411492466e-12,
    -4.16552889201035e-13, 8.071678110741467e-14, -1.708757321110567e-14, 3.902945148540815e-15, -9.523976784907064e-16,
    2.4632810885752603e-16, -6.709077463464858e-17, 1.913939683718707e-17, -5.69308436211377e-18,
)
AIRY_Q = (
    0.012904069793077502, -0.00011417159701561301, 2.47015331514187e-06, -1.1276384836703058e-07, 8.114132516809686e-09,
    -7.96449699929011e-10, 9.810535081564676e-11, -1.438554557834067e-11, 2.4232142723810082e-12,
    -4.572243294578044e-13, 9.485713571010158e-14, -2.1334713360480614e-14, 5.145258245310423e-15,
    -1.3189653961186086e-15, 3.5685214438497966e-16, -1.0130701015142451e-16, 3.003133317484731e-17,
    -9.257863950661513e-18,
)
EULER_GAMMA = 0.5772156649015329


# --- J and Y ---------------------------------------------------------------------------------------------------------

def j_and_y_far(x, order):
    """``J, Y`` for x >= 8: ``sqrt(2 / (pi x))`` times ``P cos(w) - Q sin(w)`` and ``P sin(w) + Q cos(w)``."""
    r = 8 / x
    p = series(r * r, P1 if order else P0)
    q = r * series(r * r, Q1 if order else Q0)
    # w = x - (2 order + 1) pi / 4: a difference of rounded numbers would lose the digits of a large x.
    cos, sin = np.cos(x), np.sin(x)
    cos_w, sin_w = (sin - cos, -sin - cos) if order else (cos + sin, sin - cos)
    amplitude = 1 / np.sqrt(math.pi * x)
    return amplitude * (p * cos_w - q * sin_w), amplitude * (p * sin_w + q * cos_w)


def j_near(x, order):
    """``J`` for x from 0 to 8."""
    t = x * x / 64
    return x * series(t, J1_NEAR) if order else series(t, J0_NEAR)


@in_float64
def bessel_j0(x):
    """Bessel function of the first kind of order 0."""
    size = np.abs(x)
    return np.where(size <= 8, j_near(np.minimum(size, 8), 0), j_and_y_far(np.maximum(size, 8), 0)[0])


@in_float64
def bessel_j1(x):
    """Bessel function of the first kind of order 1, an odd function."""
    size = np.abs(x)
    return np.sign(x) * np.where(size <= 8, j_near(np.minimum(size, 8), 1), j_and_y_far(np.maximum(size, 8), 1)[0])


@in_float64
def bessel_y0(x):
    """Bessel function of the second kind of order 0, for x >= 0."""
    inside = np.minimum(x, 8)
    near = 2 / math.pi * np.log(inside) * j_near(inside, 0) + series(inside * inside / 64, Y0_NEAR)
    return np.where(x <= 8, near, j_and_y_far(np.maximum(x, 8), 0)[1])


@in_float64
def bessel_y1(x):
    """Bessel function of the second kind of order 1, for x >= 0."""
    inside = np.minimum(x, 8)
    entire = inside * series(inside * inside / 64, Y1_NEAR)
    near = 2 / math.pi * (np.log(inside) * j_near(inside, 1) - 1 / inside) + entire
    near = np.where(x == 0, -np.inf, near)
    return np.where(x <= 8, near, j_and_y_far(np.maximum(x, 8), 1)[1])


# --- I and K ---------------------------------------------------------------------------------------------------------

def k_near(x, order):
    """``K`` for x from 0 to 1: Abramowitz and Stegun 9.6.13 (order 0) and 9.6.11 (order 1)."""
    quarter = x * x / 4
    term = x / 2 if order else np.ones_like(x)
    harmonic = order / 2
    i, weighted = term, harmonic * term
    for k in range(1, 11):
        term = term * quarter / (k * (k + order))
        harmonic += (1 / k + 1 / (k + order)) / 2
        i, weighted = i + term, weighted + harmonic * term
    difference = (np.log(x / 2) + EULER_GAMMA) * i - weighted
    value = 1 / x + difference if order else -difference
    return np.where(x == 0, np.inf, value)


def k_far(x, order):
    """``exp(x) K`` for x >= 1."""
    return series(1 / x, K1_FAR if order else K0_FAR) / np.sqrt(x)


def k(x, order):
    far = np.maximum(x, 1)
    return np.where(x <= 1, k_near(np.minimum(x, 1), order), k_far(far, order) * np.exp(-far))


def scaled_k(x, order):
    inside = np.minimum(x, 1)
    return np.where(x <= 1, k_near(inside, order) * np.exp(inside), k_far(np.maximum(x, 1), order))


@in_float64
def modified_bessel_k0(x):
    """Modified Bessel function of the second kind of order 0, for x >= 0."""
    return k(x, 0)


@in_float64
def modified_bessel_k1(x):
    """Modified Bessel function of the second kind of order 1, for x >= 0."""
    return k(x, 1)


@in_float64
def scaled_modified_bessel_k0(x):
    """``exp(x)`` times :func:`modified_bessel_k0`."""
    return scaled_k(x, 0)


@in_float64
def scaled_modified_bessel_k1(x):
    """``exp(x)`` times :func:`modified_bessel_k1`."""
    return scaled_k(x, 1)


# --- other orders ----------------------------------------------------------------------------------------------------

@in_float64
def spherical_bessel_j0(x):
    """``sin(x) / x``, 1 at 0 and 0 at infinity."""
    finite = np.where(np.isinf(x) | (x == 0), 1, x)
    return np.where(x == 0, 1, np.where(np.isinf(x), 0, np.sin(finite) / finite))


def turning(x):
    """``2/3 x^(3/2)``: the exponent of Airy's function, and its phase."""
    return 2 / 3 * x * np.sqrt(x)


@in_float64
def airy_ai(x):
    """Airy's function Ai. Its relative error grows with the exponent, ``2/3 abs(x)^(3/2)`` times 1e-16."""
    above = np.maximum(x, 2)
    z = turning(above)
    decaying = series(turning(2.0) / z, AIRY_FAR) * np.exp(-z) / (2 * np.sqrt(math.pi * np.sqrt(above)))
    below = np.maximum(-x, 4)
    z = turning(below)
    r = turning(4.0) / z
    # cos and sin of z - pi / 4, times sqrt(2).
    cos, sin = np.cos(z) + np.sin(z), np.sin(z) - np.cos(z)
    waves = (series(r * r, AIRY_P) * cos + r * series(r * r, AIRY_Q) * sin) / np.sqrt(2 * math.pi * np.sqrt(below))
    near = series((np.clip(x, -4, 2) + 4) / 6, AIRY_NEAR)
    # At both infinities PyTorch has nan.
    return np.where(np.isinf(x), np.nan, np.where(x > 2, decaying, np.where(x < -4, waves, near)))
