"""Samplers that reject: gamma, Dirichlet, Poisson and binomial numbers, word for word as PyTorch draws them on the CPU.

How many words of the generator a number takes depends on the numbers drawn, so they are made one by one.
"""
from math import ceil, exp, floor, inf, isnan, lgamma, log, log1p, nan, sqrt

import numpy as np

from leafward.arrays.special import lgamma as log_gamma
from leafward.arrays.twister import LOW53, SCALE53, alone, box_muller_few, compiled

BLOCK = 256


def compiled_samplers():
    """The module with the same in C, or None."""
    if compiled is None:
        return None
    from leafward.arrays.kernels import samplers
    return samplers


loops = compiled_samplers()


class Source:
    """Uniforms and normals one at a time, from words drawn in blocks from a copy of the engine.

    What was taken is drawn again from the engine itself by :meth:`close`, which leaves it where PyTorch's would be.
    """

    def __init__(self, engine):
        self.engine = engine
        self.ahead = engine.clone()
        self.words = iter(())
        self.taken = 0
        self.next_normal = engine.next_normal

    def word(self):
        """53 bits."""
        self.taken += 1
        found = next(self.words, None)
        if found is None:
            self.words = iter((self.ahead.words64(BLOCK) & LOW53).tolist())
            found = next(self.words)
        return found

    def uniform(self):
        """``u`` in [0, 1)."""
        return self.word() * SCALE53

    def normal(self):
        """The next of the Box-Muller pairs."""
        value = self.next_normal
        if value is not None:
            self.next_normal = None
            return value
        first = self.word()
        value, self.next_normal = box_muller_few([first, self.word()])
        return value

    def close(self):
        if self.taken:
            self.engine.words64(self.taken)
        self.engine.next_normal = self.next_normal


def drawn(engine, sample, dtype, *parameters):
    """``sample(source, *parameters)`` for each element, in the order of the indices."""
    if sample in BY_TRIALS and parameters[0].size > BLOCK:
        given = [p.flat[0].item() for p in parameters]
        if BY_TRIALS[sample][0](*given) and all((p == value).all() for p, value in zip(parameters, given, strict=True)):
            return by_trials(engine, BY_TRIALS[sample][1], parameters[0].size, given).reshape(
                parameters[0].shape).astype(dtype)
    source = Source(engine)
    lists = [p.reshape(-1).tolist() for p in parameters]
    values = [sample(source, *given) for given in zip(*lists, strict=True)]
    source.close()
    return np.array(values, np.float64).reshape(parameters[0].shape).astype(dtype)


def by_trials(engine, trial, n, parameters):
    """``n`` accepted values of ``trial(u, v, *parameters)``, which takes two words each time and accepts some.

    With the same parameters for every element it does not matter whose turn it is: all trials are made at once.
    """
    ahead, found, taken = engine.clone(), np.empty(0), 0
    while len(found) < n:
        count = int(1.3 * (n - len(found))) + BLOCK
        u, v = ((ahead.words64(2 * count) & LOW53) * SCALE53).reshape(count, 2).T
        with np.errstate(all="ignore"):
            values, accepted = trial(u - 0.5, v, *parameters)
        last = np.flatnonzero(accepted)[:n - len(found)]
        found = np.concatenate([found, values[last]])
        taken += 2 * (count if len(found) < n else int(last[-1]) + 1)
    engine.words64(taken)
    return found


# --- gamma -----------------------------------------------------------------------------------------------------------

# Single-precision constants in PyTorch's double-precision loop.
THIRD = float(np.float32(1) / np.float32(3))
SQUEEZE = float(np.float32(0.0331))


def rounded_float32(x):
    return float(np.float32(x))


def exact(x):
    return x


def one_gamma(source, alpha, rounded=exact):
    """Marsaglia and Tsang (2000): the cube of a stretched normal, accepted by its distance to the density.

    Sums and quotients of ``alpha`` itself are ``rounded`` to its dtype.
    """
    scale = 1.0
    if alpha < 1:
        if alpha == 0:
            return 0.0
        scale = (1 - source.uniform()) ** rounded(1 / alpha)
        alpha = rounded(alpha + 1)
    if not alpha < inf:
        return alpha
    d = rounded(alpha - THIRD)
    c = 1 / sqrt(9 * d)
    while True:
        x = source.normal()
        y = 1 + c * x
        while y <= 0:
            x = source.normal()
            y = 1 + c * x
        v = y * y * y
        u = 1 - source.uniform()
        xx = x * x
        if u < 1 - SQUEEZE * xx * xx or log(u) < 0.5 * xx + d * (1 - v + log(v)):
            return scale * d * v


def one_gamma_float32(source, alpha):
    return one_gamma(source, alpha, rounded_float32)


@alone
def standard_gamma(engine, alpha):
    """Gamma numbers of shape ``alpha`` and scale one; the smallest positive number where one rounds to zero."""
    double = alpha.dtype == np.float64
    values = None if loops is None else loops.gamma(engine, alpha, not double)
    if values is None:
        values = drawn(engine, one_gamma if double else one_gamma_float32, alpha.dtype, alpha)
    values = values.astype(alpha.dtype, copy=False)
    return np.maximum(values, np.finfo(alpha.dtype).tiny)


@alone
def dirichlet(engine, alpha):
    """Shares of gamma numbers in their sum along the last axis."""
    gammas = None if loops is None else loops.gamma(engine, alpha, False)
    if gammas is None:
        gammas = drawn(engine, one_gamma, np.float64, alpha)
    limits = np.finfo(alpha.dtype)
    shares = (gammas / gammas.sum(-1, keepdims=True)).astype(alpha.dtype)
    return np.clip(shares, limits.tiny, 1 - limits.eps / 2)


# --- Poisson ---------------------------------------------------------------------------------------------------------

def one_poisson(source, rate):
    """By multiplying uniforms where ``rate < 10``, else Hörmann's transformed rejection (PTRS, 1993)."""
    if rate == 0:
        return 0.0
    if rate < 10:
        limit, product, count = exp(-rate), source.uniform(), 0
        while product > limit:
            product *= source.uniform()
            count += 1
        return float(count)
    if not rate < inf:
        return nan
    a, b, log_alpha, v_r, log_rate = poisson_hat(rate)
    while True:
        u = source.uniform() - 0.5
        v = source.uniform()
        us = 0.5 - abs(u)
        k = floor((2 * a / us + b) * u + rate + 0.43)
        if us >= 0.07 and v <= v_r:
            return float(k)
        if k < 0 or (us < 0.013 and v > us):
            continue
        if log(v) + log_alpha - log(a / (us * us) + b) <= -rate + k * log_rate - lgamma(k + 1):
            return float(k)


def poisson_hat(rate):
    """The numbers of the transformed rejection."""
    b = 0.931 + 2.53 * sqrt(rate)
    return -0.059 + 0.02483 * b, b, log(1.1239 + 1.1328 / (b - 3.4)), 0.9277 - 3.6224 / (b - 2), log(rate)


def poisson_trials(u, v, rate):
    """The rejection of :func:`one_poisson` on arrays: values, and whether they are accepted."""
    a, b, log_alpha, v_r, log_rate = poisson_hat(rate)
    us = 0.5 - np.abs(u)
    k = np.floor((2 * a / us + b) * u + rate + 0.43)
    below = np.log(v) + log_alpha - np.log(a / (us * us) + b) <= -rate + k * log_rate - log_gamma(k + 1)
    return k, ((us >= 0.07) & (v <= v_r)) | ((k >= 0) & ((us >= 0.013) | (v <= us)) & below)


@alone
def poisson(engine, rate):
    """Poisson numbers of these rates."""
    values = None if loops is None else loops.poisson(engine, rate)
    if values is not None and values is not False:
        return values
    if not np.all(rate >= 0):
        raise RuntimeError("invalid Poisson rate, expected rate to be non-negative")
    return drawn(engine, one_poisson, rate.dtype, rate)


# --- binomial --------------------------------------------------------------------------------------------------------

#: ``log(k!)`` less its Stirling approximation, for k below 10.
STIRLING_TAIL = [lgamma(k + 1) - ((k + 0.5) * log(k + 1) - (k + 1) + 0.9189385332046727) for k in range(10)]


def stirling_tail(k):
    if k < 10:
        return STIRLING_TAIL[int(k)]
    square = (k + 1) * (k + 1)
    return (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)


def by_waiting(source, count, prob):
    """Add up geometric waiting times until they exceed ``count``."""
    waited, successes, log_q = 0.0, 0, log1p(-prob)
    while True:
        u = source.uniform()
        waited += ceil(log(u) / log_q) if u else inf
        if waited > count:
            return float(successes)
        successes += 1


def by_rejection(source, count, prob):
    """Hörmann's transformed rejection with squeeze (BTRS, 1993)."""
    a, b, c, v_r, odds, alpha, m = binomial_hat(count, prob)
    while True:
        u = source.uniform() - 0.5
        v = source.uniform()
        us = 0.5 - abs(u)
        k = floor((2 * a / us + b) * u + c)
        if us >= 0.07 and v <= v_r:
            return float(k)
        if k < 0 or k > count:
            continue
        v = log(v * alpha / (a / (us * us) + b)) if v else -inf
        bound = ((m + 0.5) * log((m + 1) / (odds * (count - m + 1)))
                 + (count + 1) * log((count - m + 1) / (count - k + 1))
                 + (k + 0.5) * log(odds * (count - k + 1) / (k + 1))
                 + stirling_tail(m) + stirling_tail(count - m) - stirling_tail(k) - stirling_tail(count - k))
        if v <= bound:
            return float(k)


def binomial_hat(count, prob):
    """The numbers of the transformed rejection; the last is the mode."""
    deviation = sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    return (-0.0873 + 0.0248 * b + 0.01 * prob, b, count * prob + 0.5, 0.92 - 4.2 / b, prob / (1 - prob),
            (2.83 + 5.1 / b) * deviation, floor((count + 1) * prob))


def binomial_trials(u, v, count, prob):
    """:func:`by_rejection` on arrays: values, and whether they are accepted."""
    rarer = min(prob, 1 - prob)
    a, b, c, v_r, odds, alpha, m = binomial_hat(count, rarer)
    us = 0.5 - np.abs(u)
    k = np.floor((2 * a / us + b) * u + c)
    possible = (k >= 0) & (k <= count)
    inside = np.where(possible, k, 0)
    bound = ((m + 0.5) * log((m + 1) / (odds * (count - m + 1)))
             + (count + 1) * np.log((count - m + 1) / (count - inside + 1))
             + (inside + 0.5) * np.log(odds * (count - inside + 1) / (inside + 1))
             + stirling_tail(m) + stirling_tail(count - m) - stirling_tails(inside) - stirling_tails(count - inside))
    below = np.log(v * alpha / (a / (us * us) + b)) <= bound
    return k if prob <= 0.5 else count - k, ((us >= 0.07) & (v <= v_r)) | (possible & below)


def stirling_tails(k):
    square = (k + 1) * (k + 1)
    smooth = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    return np.where(k < 10, np.take(STIRLING_TAIL, np.minimum(k, 9).astype(np.intp)), smooth)


def one_binomial(source, count, prob):
    if count <= 0 or prob <= 0:
        return 0.0
    if prob >= 1:
        return count
    if isnan(prob):
        return nan
    rarer = min(prob, 1 - prob)
    found = (by_rejection if count * rarer >= 10 else by_waiting)(source, count, rarer)
    return found if prob <= 0.5 else count - found


@alone
def binomial(engine, count, prob):
    """The number of successes in ``count`` trials of probability ``prob``."""
    if count.shape != prob.shape:
        count, prob = np.broadcast_arrays(count, prob)
    values = None if loops is None else loops.binomial(engine, count, prob)
    if values is not None:
        return values
    return drawn(engine, one_binomial, count.dtype, count, prob)


#: Samplers by transformed rejection: for which parameters they are, and all trials at once.
BY_TRIALS = {
    one_poisson: (lambda rate: 10 <= rate < inf, poisson_trials),
    one_binomial: (lambda count, prob: 0 < prob < 1 and count * min(prob, 1 - prob) >= 10, binomial_trials),
}
