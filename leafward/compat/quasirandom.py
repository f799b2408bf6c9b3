"""``torch.quasirandom``: points that fill a cube more evenly than random ones."""
import leafward as lw
from leafward.compat.direction_numbers import DIMENSIONS, polynomials
from leafward.dtypes import scalar_name
from leafward.tensor.missing import names_missing_from

__all__ = ["SobolEngine"]

BITS = 30


class SobolEngine:
    """Points of the Sobol sequence in the cube of ``dimension`` sides from 0 to 1, one after the other.

    Point number ``n``, whose Gray code ``n ^ (n >> 1)`` has the bits ``g``, is ``shift ^ g[0] * v[0] ^ g[1] * v[1] ^ ...``
    over ``2 ** 30``, where ``v`` are the direction numbers of a dimension.

    Args:
        dimension: how many coordinates a point has: up to 1111 (PyTorch: 21201; there is a table up to here)
        scramble: True: the bits are mixed by random triangular matrices and shifted at random, as Owen does it
        seed: of the scrambling; None: what the default generator draws

    >>> engine = lw.quasirandom.SobolEngine(3)
    >>> engine.draw(3)
    tensor([[0.0000, 0.0000, 0.0000],
            [0.5000, 0.5000, 0.5000],
            [0.7500, 0.2500, 0.2500]])
    >>> engine.draw()
    tensor([[0.2500, 0.7500, 0.7500]])

    Source: Sobol, 1967, USSR Computational Mathematics and Mathematical Physics 7; Owen, 1998, Journal of Complexity 14
    """

    MAXBIT = BITS
    MAXDIM = 21201

    def __init__(self, dimension, scramble=False, seed=None):
        if dimension > self.MAXDIM or dimension < 1:
            raise ValueError(f"Supported range of dimensionality for SobolEngine is [1, {self.MAXDIM}]")
        if dimension > DIMENSIONS:
            raise NotImplementedError(f"leafward has the direction numbers of {DIMENSIONS} dimensions, not of {dimension}: use "
                                      "scipy.stats.qmc.Sobol, which has all")
        self.seed, self.scramble, self.dimension = seed, scramble, dimension
        self.sobolstate = lw.tensor(direction_numbers(dimension))
        self.shift = lw.zeros(dimension, dtype=lw.int64)
        if scramble:
            self._scramble()
        self.quasi = self.shift.clone()                                     # the point drawn last, in whole numbers
        self._first_point = (self.quasi / 2 ** BITS).reshape(1, -1)
        self.num_generated = 0

    def draw(self, n=1, out=None, dtype=None):
        """The next ``n`` points, (n, dimension); into ``out`` where it is given.

        Args:
            dtype: float32 or float64; None: the default one
        """
        dtype = lw.get_default_dtype() if dtype is None else dtype
        first = self.num_generated == 0                                     # the point before the second is the shift itself
        if n < first:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n - first}: [{n - first}, {self.dimension}]")
        if dtype not in (lw.float32, lw.float64) and n > first:
            raise NotImplementedError(f'"_sobol_engine_draw" not implemented for \'{scalar_name(dtype)}\'')
        points = self._after(self.num_generated - (not first), n - first)
        if len(points):
            self.quasi = points[-1].clone()
        result = points.to(dtype) * 2.0 ** -BITS
        if first:
            result = lw.cat((self._first_point.to(dtype), result))
        self.num_generated += n
        return result if out is None else out.resize_as_(result).copy_(result)

    def draw_base2(self, m, out=None, dtype=None):
        """The next ``2 ** m`` points, so that a power of two has been drawn in all: such sets are balanced.

        >>> lw.quasirandom.SobolEngine(2).draw_base2(1)
        tensor([[0.0000, 0.0000],
                [0.5000, 0.5000]])
        """
        n = 2 ** m
        total = self.num_generated + n
        if total & (total - 1):
            raise ValueError("The balance properties of Sobol' points require n to be a power of 2. "
                             f"{self.num_generated} points have been previously generated, then: n={self.num_generated}+2**{m}="
                             f"{total}. If you still want to do this, please use 'SobolEngine.draw()' instead.")
        return self.draw(n, out, dtype)

    def reset(self):
        """Begin again, scrambled as before."""
        self.quasi.copy_(self.shift)
        self.num_generated = 0
        return self

    def fast_forward(self, n):
        """Go on by ``n`` points without making them."""
        start = max(self.num_generated - 1, 0)
        end = max(self.num_generated + n - 1, 0)
        self.quasi ^= self._between(lw.tensor([start]), lw.tensor([end]))[0]
        self.num_generated += n
        return self

    def _after(self, number, n):
        """The ``n`` points that follow the last one, which has this number, in whole numbers."""
        start = lw.tensor([number])
        return self.quasi ^ self._between(start, start + lw.arange(1, n + 1))

    def _between(self, start, ends):
        """What leads from the point number ``start`` to those of the numbers ``ends``."""
        last = int(ends[-1]) if len(ends) else 0
        if last >= 2 ** BITS:
            raise ValueError(f"a Sobol sequence has 2 ** {BITS} points here, and point number {last} was asked for")
        turned = (start ^ start >> 1) ^ ends ^ ends >> 1
        steps = lw.zeros(len(ends), self.dimension, dtype=lw.int64)
        for bit in range(last.bit_length()):
            steps ^= (turned >> bit & 1).unsqueeze(1) * self.sobolstate[:, bit]
        return steps

    def _scramble(self):
        generator = None
        if self.seed is not None:
            generator = lw.Generator()
            generator.manual_seed(self.seed)
        weights = lw.pow(2, lw.arange(BITS))
        self.shift = lw.randint(2, (self.dimension, BITS), generator=generator) @ weights
        mixing = lw.randint(2, (self.dimension, BITS, BITS), generator=generator).tril()
        mixing.diagonal(0, -2, -1).fill_(1)
        places = lw.arange(BITS - 1, -1, -1)                                # the highest bit in front
        bits = (self.sobolstate.unsqueeze(1) >> places.unsqueeze(1)) & 1                                  # d bit number
        mixed = (mixing @ bits) % 2
        self.sobolstate = (mixed * weights.flip(0).unsqueeze(1)).sum(1)

    def __repr__(self):
        parts = [f"dimension={self.dimension}"] + ["scramble=True"] * bool(self.scramble)
        return f"SobolEngine({', '.join(parts + ([] if self.seed is None else [f'seed={self.seed}']))})"


def direction_numbers(dimension):
    """The ``BITS`` direction numbers of each dimension, as binary fractions of ``2 ** BITS``.

    With the coefficients ``a`` of a polynomial of degree s: ``m[i] = 2 a[1] m[i-1] ^ ... ^ 2 ** s m[i-s] ^ m[i-s]``.
    """
    rows = [[1] * BITS]
    for polynomial, first in polynomials(dimension):
        degree, numbers = len(first), first[:]
        for i in range(degree, BITS):
            number = numbers[i - degree]
            for k in range(1, degree + 1):
                if polynomial >> (degree - k) & 1:
                    number ^= numbers[i - k] << k
            numbers.append(number)
        rows.append(numbers)
    return [[number << BITS - 1 - i for i, number in enumerate(row)] for row in rows]


__getattr__ = names_missing_from("torch.quasirandom", globals())
