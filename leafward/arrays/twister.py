"""The Mersenne Twister with PyTorch's habits: word order, uniforms, the cached second normal, the state's bytes."""
import os
from functools import wraps
from math import cos, log1p, pi, sin, sqrt
from os import urandom

import numpy as np

from leafward.locks import new_lock

#: The seed of a generator that was never seeded.
DEFAULT_SEED = 67280421310721

#: Below this many words `random_raw` is the cheaper call (0.4 against 4.4 µs), above it the one that fills less memory.
FEW = 4096

SCALE24 = np.float32(2.0**-24)
SCALE53 = 2.0**-53
LOW24 = 2**24 - 1
LOW53 = 2**53 - 1

#: What `fill_few` fills an array with; in C there is one more, the order of `shuffled`.
UNIFORM, NORMAL, EXPONENTIAL, CAUCHY, BERNOULLI, INTEGERS, GEOMETRIC, LOG_NORMAL = range(8)

#: PyTorch's 5,056 bytes. `left` and `next` both tell the place in `words`: 1 and 0 after seeding, 1 and 624 at the end.
STATE = np.dtype([
    ("seed", "<u8"), ("left", "<i4"), ("seeded", "<i4"), ("next", "<u8"), ("words", "<u8", 624),
    ("normal_x", "<f8"), ("normal", "<f8"), ("normal_rho", "<f8"), ("normal_is_valid", "<i4"), ("padding", "<i4"),
    ("float_normal", "<f4"), ("float_normal_is_valid", "<i4"),
])


class NumpyTwister:
    """The words that follow from one seed, on NumPy's bit generator."""

    __slots__ = ("bits", "integers", "next_normal", "raw")

    def __init__(self):
        self.bits = np.random.MT19937(0)
        self.raw = self.bits.random_raw
        self.integers = np.random.Generator(self.bits).integers

    def start(self, seed):
        self.bits._legacy_seeding(seed)
        self.next_normal = None

    def get_key(self):
        state = self.bits.state["state"]
        return state["key"], state["pos"]

    def set_key(self, key, position):
        self.bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": position}}

    def words(self, n):
        if n < FEW:
            return self.raw(n).astype(np.uint32)
        return self.integers(0, 0x100000000, size=n, dtype=np.uint32)

    def words64(self, n):
        if n < FEW:
            pairs = self.raw(2 * n)
            high = pairs[0::2] << 32
            high |= pairs[1::2]
            return high
        return self.integers(0, 0xFFFFFFFFFFFFFFFF, size=n, dtype=np.uint64, endpoint=True)

    def uniform24(self, n):
        drawn = self.words(n)
        drawn &= LOW24
        u = drawn.astype(np.float32)
        u *= SCALE24
        return u

    def bits53(self, n):
        drawn = self.words64(n)
        drawn &= LOW53
        return drawn

    def uniform53(self, n):
        u = self.bits53(n).astype(np.float64)
        u *= SCALE53
        return u

    def below53(self, n, limit):
        return self.bits53(n) < np.uint64(limit)

    def normals(self, n):
        values = np.empty(n)
        start = 0
        if n and self.next_normal is not None:
            values[0] = self.next_normal
            self.next_normal = None
            start = 1
        pairs = (n - start + 1) // 2
        if pairs == 0:
            return values
        if pairs <= 16:
            drawn = box_muller_few(self.bits53(2 * pairs).tolist())
        else:
            drawn = box_muller(self.uniform53(2 * pairs))
        values[start:] = drawn[:n - start]
        if (n - start) % 2:
            self.next_normal = float(drawn[-1])
        return values

    def fill_few(self, distribution, x, a, b):
        """Whether ``x`` was filled in C: never here."""
        return False

    def normals_around(self, mean, std):
        """None: never here."""
        return None

    def ramp_slopes(self, x, low, high):
        """The same."""
        return None

    def fill_each(self, x, p):
        """The same."""
        return False

    def shuffled(self, n):
        order = list(range(n))
        if n > 1:
            steps = self.words(n - 1) % np.arange(n, 1, -1, dtype=np.uint32)
            for i, step in enumerate(steps.tolist()):
                order[i], order[i + step] = order[i + step], order[i]
        return np.array(order, np.int64)


def compiled_twister():
    """The module with the same in C, or None."""
    if os.environ.get("LEAFWARD_INTERPRETED", "0") not in ("", "0"):
        return None
    try:
        from leafward.arrays.kernels import twister
    except ImportError:
        return None
    return twister


compiled = compiled_twister()
Twister = NumpyTwister if compiled is None else compiled.Twister


def alone(function):
    """``function`` of an engine, which meanwhile is no other thread's.

    What one call draws stands together in the stream, as PyTorch's does; and the compiled twister draws with the
    interpreter's lock released.
    """
    @wraps(function)
    def held(engine, *args):
        with engine.lock:
            return function(engine, *args)
    return held


class Engine(Twister):
    """A stream of 32-bit words from one seed, and what PyTorch makes of them.

    ======================  ==================================================  =====
    value                   of the words ``r0, r1, ...``                        words
    ======================  ==================================================  =====
    ``words(n)``            ``r0``                                              1
    ``words64(n)``          ``r0 << 32 | r1``                                   2
    ``uniform24(n)``        ``(r0 & (2**24 - 1)) * 2**-24``, float32            1
    ``uniform53(n)``        ``(words64 & (2**53 - 1)) * 2**-53``, float64       2
    ``below53(n, limit)``   ``uniform53 * 2**53 < limit``                       2
    ``normals(n)``          Box-Muller on two `uniform53`                       4, 0
    ``shuffled(n)``         Fisher-Yates with ``r0 % (n - i)``                  n - 1
    ======================  ==================================================  =====

    A normal is ``sqrt(-2 log(1 - u2))`` times ``cos(2 pi u1)``, the next one times ``sin(2 pi u1)``; the second of an
    odd last pair waits in ``next_normal`` for the next call.

    These are for who holds its ``lock``: a function that is :func:`alone`. The methods below are.
    """

    __slots__ = ("initial_seed", "lock")

    def __init__(self, seed=DEFAULT_SEED):
        super().__init__()
        self.lock = new_lock()
        self.manual_seed(seed)

    @alone
    def manual_seed(self, seed):
        """Start again from ``seed``, 64 bits without sign, of which the twister takes the low 32."""
        self.start(seed & 0xFFFFFFFF)
        self.initial_seed = seed

    @alone
    def seed(self):
        """Start again from the system's entropy; return the seed."""
        self.manual_seed(int.from_bytes(urandom(8), "little") & LOW53)
        return self.initial_seed

    @alone
    def get_state(self):
        """The state as PyTorch lays it out: 5,056 bytes, uint8."""
        state = np.zeros(1, STATE)
        key, position = self.get_key()
        state["seed"], state["seeded"], state["words"] = self.initial_seed, 1, key
        state["left"], state["next"] = 625 - max(position, 1), position
        # The twister has one position for "seeded, nothing drawn" and "all 624 drawn", where PyTorch writes two.
        if position == 624 and np.array_equal(key, Engine(self.initial_seed).get_key()[0]):
            state["left"], state["next"] = 1, 0
        if self.next_normal is not None:
            state["normal"], state["normal_is_valid"] = self.next_normal, 1
        return state.view(np.uint8)

    @alone
    def set_state(self, octets):
        """Continue from a state of :meth:`get_state`, leafward's or PyTorch's; or raise and change nothing."""
        if octets.size != STATE.itemsize:
            raise RuntimeError(f"Expected a CPUGeneratorImplState of size {STATE.itemsize} "
                               f"but found the input RNG state size to be {octets.size}")
        state = np.ascontiguousarray(octets).reshape(-1).view(STATE)[0]
        left, position = int(state["left"]), int(state["next"])
        if state["seeded"] != 1 or not 0 < left <= 624 or position > 624:
            raise RuntimeError("Invalid mt19937 state")
        self.set_key(state["words"].astype(np.uint32), 624 if left == 1 else position)
        self.initial_seed = int(state["seed"])
        self.next_normal = float(state["normal"]) if state["normal_is_valid"] else None

    @classmethod
    def from_bytes(cls, state):
        """An engine in a state of ``get_state().tobytes()``."""
        made = cls()
        made.set_state(np.frombuffer(state, np.uint8))
        return made

    @alone
    def clone(self):
        """An engine that will draw what this one will draw."""
        twin = Engine(self.initial_seed)
        twin.set_key(*self.get_key())
        twin.next_normal = self.next_normal
        return twin


def box_muller(u):
    """Normals in pairs of the uniforms ``u1, u2, u1, u2, ...``."""
    radius = np.sqrt(-2 * np.log1p(-u[1::2]))
    angle = 2 * pi * u[0::2]
    values = np.empty(len(u))
    np.multiply(radius, np.cos(angle), out=values[0::2])
    np.multiply(radius, np.sin(angle), out=values[1::2])
    return values


def box_muller_few(bits):
    # The same in Python's floats: 0.6 µs a pair, where a dozen calls of NumPy cost 8.
    values = []
    for i in range(0, len(bits), 2):
        radius = sqrt(-2 * log1p(-SCALE53 * bits[i + 1]))
        angle = 2 * pi * (SCALE53 * bits[i])
        values += (radius * cos(angle), radius * sin(angle))
    return values
