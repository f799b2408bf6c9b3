"""PyTorch's CPU random numbers, value for value: arrays from an :class:`~.twister.Engine`.

Names that end in ``_`` write into an array, the others return a new one. Values are drawn in the order of memory, not
of the indices: a transposed array gets the numbers of its transpose. Normals agree with PyTorch to 2.4e-7, since its
sine is not NumPy's; all else agrees exactly.

=============  =========================================================================================
uniform        ``low + u (high - low)`` rounded once, and ``low`` where that rounds up to ``high``
integers       ``r % range``; the 64-bit ``r`` when ``range >= 2**28``
bernoulli      ``u53 < p`` for a number ``p``; for an array, the uniform of its dtype
exponential    ``-1/lambd * log1p(-u53)``
geometric      ``ceil(log(u53) / log(1 - p))``
cauchy         ``median + sigma tan(pi (u53 - 0.5))``
log_normal     ``exp(mean + std n)``, ``n`` one by one
normal         ``mean + std n``, ``n`` by sixteens (:func:`normal_blocks`), one by one for fewer
randperm       Fisher-Yates with ``r % (n - i)``
=============  =========================================================================================
"""
from math import ceil, log, log1p, pi, prod, tan

import numpy as np

from leafward import dtypes

from leafward.arrays.creation import empty_in_layout
from leafward.arrays.dtype_map import leafward_dtype, numpy_dtype
from leafward.arrays.rounding import multiply_add, multiply_add_float32
from leafward.arrays.twister import (
    BERNOULLI, CAUCHY, EXPONENTIAL, GEOMETRIC, INTEGERS, LOG_NORMAL, NORMAL, UNIFORM, Engine, alone, compiled,
)

places = None
if compiled is not None:
    from leafward.arrays.kernels.samplers import places

#: The generator behind ``manual_seed``. Until that is called, its numbers differ from run to run.
default = Engine()
default.seed()

#: Values made at a time: the scratch stays in the second-level cache.
CHUNK = 1 << 15

#: Integers up to here are the same in float64.
EXACT = 1 << 53

#: From this range on, PyTorch takes two words for an integer.
TWO_WORDS = 1 << 28

# By the dtype's character, since its name takes 2 µs to make: float64, float32, float16, bfloat16.

#: Integers up to here are exact: what ``random_`` draws for a float dtype.
EXACT_INTEGERS = {"d": 2**53, "f": 2**24, "e": 2**11, "E": 2**8}

LARGEST = {"d": 2.0**1023 * (2 - 2.0**-52), "f": 2.0**127 * (2 - 2.0**-23), "e": 65504.0, "E": 2.0**127 * (2 - 2.0**-7)}


# --- where values go -------------------------------------------------------------------------------------------------

def in_memory_order(x):
    """A view of ``x`` whose strides decrease."""
    if x.flags.c_contiguous or x.ndim < 2:
        return x
    return x.transpose(sorted(range(x.ndim), key=lambda i: -x.strides[i]))


def fill(x, draw):
    """Write ``draw(n)``, an array of the next ``n`` values, into all of ``x`` in the order of its memory."""
    ordered = in_memory_order(x)
    if not ordered.flags.c_contiguous:
        ordered[...] = fill(np.empty(ordered.shape, x.dtype), draw)
        return x
    flat = ordered.reshape(-1)
    is_half = x.dtype.itemsize == 2 and is_float(x.dtype)
    for start in range(0, flat.size, CHUNK):
        piece = flat[start:start + CHUNK]
        values = draw(piece.size)
        # PyTorch's half types are made from float32: a float64 on its way to them is rounded twice.
        piece[...] = values.astype(np.float32) if is_half and values.dtype == np.float64 else values
    return x


def scalar_name(dtype):
    return dtypes.scalar_name(leafward_dtype(dtype))


def is_float(dtype):
    return dtype.char in EXACT_INTEGERS


def is_barebones(dtype):
    """uint16, uint32 or uint64: PyTorch has few kernels for them."""
    return dtype.kind == "u" and dtype.itemsize > 1


def require_float(x, kernel):
    if not is_float(x.dtype):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x.dtype)}'")


def require_continuous(x, distribution):
    if not is_float(x.dtype):
        raise RuntimeError(f"{distribution} distribution is a continuous probability distribution. dtype must be a "
                           f"floating point but you specified {scalar_name(x.dtype)}")


# --- uniform ---------------------------------------------------------------------------------------------------------

@alone
def uniform_(engine, x, low=0.0, high=1.0):
    """Fill ``x`` with ``low + u (high - low)``."""
    if x.dtype.kind == "c":
        uniform_(engine, as_reals(x), low, high)
        return x
    require_float(x, "check_uniform_bounds")
    check_uniform_bounds(x.dtype, low, high)
    if engine.fill_few(UNIFORM, x, low, high):
        return x
    return fill(x, uniforms(engine, x.dtype, low, high))


def check_uniform_bounds(dtype, low, high):
    largest = LARGEST[dtype.char]
    for name, bound in (("from", low), ("to", high)):
        if not -largest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtypes.short_cpp_name(leafward_dtype(dtype))}")
    if low > high:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low:g} > to={high:g}")
    if high - low > largest:
        raise RuntimeError(f"uniform_ expects to-from <= std::numeric_limits<{scalar_name(dtype)}>::max(), but "
                           f"found to={high:g} and from={low:g} which result in to-from to exceed the limit")


def uniforms(engine, dtype, low, high):
    """``n -> n`` uniform numbers of ``dtype``."""
    draw, width, scale = engine.uniform53, high - low, multiply_add
    if dtype.char != "d":
        low, high = np.float32(low), np.float32(high)
        draw, width, scale = engine.uniform24, high - low, multiply_add_float32
    if low == 0 and width == 1 and dtype.itemsize >= 4:
        return draw
    first, last = np.array([low, high], dtype)

    def scaled(n):
        u = scale(draw(n), width, low).astype(dtype, copy=False)
        np.putmask(u, u == last, first)
        return u
    return scaled


@alone
def ramp_slopes(engine, x, low, high):
    """One where ``x`` is above 0, else uniform numbers, drawn as doubles whatever the dtype of ``x``."""
    found = engine.ramp_slopes(x, low, high)
    if found is None:
        found, negative = np.ones(x.shape, x.dtype), x <= 0
        found[negative] = uniform_(engine, np.empty(int(negative.sum())), low, high)
    return found


@alone
def rand(engine, shape, dtype):
    """``u`` in [0, 1)."""
    dtype = numpy_dtype(dtype)
    out = np.empty(shape, dtype)
    if dtype == np.float32 and engine.fill_few(UNIFORM, out, 0.0, 1.0):
        return out
    return uniform_(engine, out)


def as_reals(x):
    """The real and imaginary parts of ``x`` on a last axis of two, in the same memory."""
    return x[..., None].view(x.real.dtype)


# --- integers --------------------------------------------------------------------------------------------------------

@alone
def random_(engine, x):
    """Fill ``x`` with integers from 0 to the largest that its dtype holds exactly, itself included."""
    if x.dtype.kind == "c" or is_barebones(x.dtype):
        raise NotImplementedError(f"\"random_kernel_cpu\" not implemented for '{scalar_name(x.dtype)}'")
    count = largest_integer(x.dtype) + 1
    if count < TWO_WORDS and engine.fill_few(INTEGERS, x, 0, count):
        return x
    return fill(x, integers(engine, 0, count, x.dtype.itemsize == 8))


@alone
def random_from_(engine, x, low):
    """Fill ``x`` with integers from ``low`` to the largest that its dtype holds exactly, itself included."""
    check_random_bounds(x.dtype, low, low + 1)
    largest = largest_integer(x.dtype)
    if is_float(x.dtype) and low >= largest:
        raise RuntimeError("random_ expects 'from' casted to dtype to be less than or equal to 'to_inc' casted to dtype, "
                           f"but got from={low} > to_inc={largest}")
    count = largest - low + 1
    if count == 2**64:
        low = 0                                                         # every word is right as it is
    return fill(x, integers(engine, low, count, count >= TWO_WORDS))


@alone
def random_between_(engine, x, low, high):
    """Fill ``x`` with integers in [low, high)."""
    check_random_bounds(x.dtype, low, high)
    if is_float(x.dtype):
        low, high = low + rounded_beyond(x.dtype, low + 1, -1), high - rounded_beyond(x.dtype, high - 1, 1)
    if high - low < TWO_WORDS and -EXACT <= low <= EXACT and engine.fill_few(INTEGERS, x, low, high - low):
        return x
    return fill(x, integers(engine, low, high - low, high - low >= TWO_WORDS))


def rounded_beyond(dtype, last, direction):
    """By how much to move a bound, because the ``last`` integer inside it becomes one outside of it as a ``dtype``."""
    beyond = (int(np.asarray(last).astype(dtype)) - last) * direction
    if beyond < (1 if direction > 0 else 2):
        return 0
    return 2**(abs(last).bit_length() - EXACT_INTEGERS[dtype.char].bit_length() + 1) - beyond + 1


def largest_integer(dtype):
    exact = EXACT_INTEGERS.get(dtype.char)
    if exact is not None:
        return exact
    return 1 if dtype.kind == "b" else 2**(8 * dtype.itemsize - (dtype.kind == "i")) - 1


def check_random_bounds(dtype, low, high):
    if dtype.kind == "c":
        raise RuntimeError("check_random_bounds handles only integral, floating-point and boolean types")
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    if is_float(dtype):
        largest = LARGEST[dtype.char]
        smallest = -largest
    else:
        largest = largest_integer(dtype)
        smallest = 0 if dtype.kind in "bu" else -largest - 1
    for name, bound in (("from", low), ("to - 1", high - 1)):
        if not smallest <= bound <= largest:
            raise RuntimeError(f"{name} is out of bounds for {dtypes.short_cpp_name(leafward_dtype(dtype))}")


def integers(engine, low, count, wide):
    """``n -> n`` integers ``low + r % count``, of 64-bit words if ``wide``."""
    def drawn(n):
        r = engine.words64(n) if wide else engine.words(n)
        if count & (count - 1) == 0:
            r &= min(count - 1, 0xFFFFFFFFFFFFFFFF if wide else 0xFFFFFFFF)
        else:
            r %= r.dtype.type(count)
        if low:
            r = r.astype(np.int64)                                      # wraps, as PyTorch's sum does
            r += low
        return r
    return drawn


@alone
def randint(engine, low, high, shape, dtype):
    """Integers in [low, high)."""
    return random_between_(engine, np.empty(shape, numpy_dtype(dtype)), low, high)


@alone
def randperm(engine, n, dtype):
    """The integers below ``n`` in random order."""
    dtype = numpy_dtype(dtype)
    check_randperm(n, dtype)
    return engine.shuffled(n).astype(dtype, copy=False)


def check_randperm(n, dtype):
    if n < 0:
        raise RuntimeError(f"Trying to create tensor with negative dimension {n}: [{n}]")
    if dtype.kind in "bc" or is_barebones(dtype):
        raise NotImplementedError(f"\"randperm\" not implemented for '{scalar_name(dtype)}'")
    if is_float(dtype):
        if n > EXACT_INTEGERS[dtype.char] + 1:
            raise RuntimeError(f"n cannot be greater than {EXACT_INTEGERS[dtype.char] + 1} "
                               f"for {scalar_name(dtype)} type.")
    elif n > largest_integer(dtype) + (dtype.itemsize == 1 and dtype.kind == "u"):
        raise RuntimeError(f"value cannot be converted to type {dtype.name}_t without overflow")


# --- bernoulli -------------------------------------------------------------------------------------------------------

@alone
def bernoulli_(engine, x, p=0.5):
    """Fill ``x`` with ones, with probability ``p`` (a number, or an array that broadcasts to ``x``), and zeros."""
    if isinstance(p, np.ndarray):
        return bernoulli_each_(engine, x, p)
    if not 0 <= p <= 1:
        raise RuntimeError(f"bernoulli_ expects p to be in [0, 1], but got p={p:g}")
    require_countable(x, "bernoulli_scalar_cpu_")
    # u53 < p, both times 2**53: no float is made.
    limit = ceil(p * 2.0**53)
    if engine.fill_few(BERNOULLI, x, limit, 1.0):
        return x
    return fill(x, lambda n: engine.below53(n, limit))


@alone
def bernoulli_each_(engine, x, p):
    require_countable(x, "bernoulli_tensor_cpu_self_")
    require_float(p, "bernoulli_tensor_cpu_p_")
    if engine.fill_each(x, p):
        return x
    if not np.all((p >= 0) & (p <= 1)):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.  (Could this error message be "
                           "improved?  If so, please report an enhancement request to PyTorch.)")
    u = np.empty_like(x, dtype=np.float64 if p.dtype == np.float64 else np.float32)
    fill(u, engine.uniform53 if p.dtype == np.float64 else engine.uniform24)
    return np.less(u, p, out=x, casting="unsafe")


def require_countable(x, kernel):
    if x.dtype.kind == "c" or is_barebones(x.dtype):
        raise NotImplementedError(f"\"{kernel}\" not implemented for '{scalar_name(x.dtype)}'")


@alone
def bernoulli(engine, p):
    """Ones with the probabilities in ``p``, zeros elsewhere."""
    return bernoulli_each_(engine, np.empty(p.shape, p.dtype), p)


@alone
def dropout_mask(engine, x, p):
    """Of the shape, layout and dtype of ``x``: ``1 / (1 - p)`` with probability ``1 - p``, and 0; for ``p < 1``."""
    mask, scale = np.empty_like(x, subok=False), kept_scale(x.dtype, p)
    if not engine.fill_few(BERNOULLI, mask, ceil((1 - p) * 2.0**53), scale):
        bernoulli_(engine, mask, 1 - p)
        mask *= scale
    return mask


def kept_scale(dtype, p):
    wide = np.float64 if dtype.itemsize == 8 and dtype.kind == "f" else np.float32
    return (wide(1) / wide(1 - p)).astype(dtype)


# --- other distributions ---------------------------------------------------------------------------------------------

@alone
def exponential_(engine, x, lambd=1.0):
    """Fill ``x`` with ``-1/lambd * log1p(-u)``."""
    require_continuous(x, "Exponential")
    if not lambd > 0:
        raise RuntimeError(f"exponential_ expects lambda > 0.0, but found lambda={lambd:g}")
    factor = -1.0 / lambd
    if engine.fill_few(EXPONENTIAL, x, factor, 0.0):
        return x

    def drawn(n):
        u = engine.uniform53(n)
        np.negative(u, out=u)
        return factor * (exactly(log1p, u) if x.dtype == np.float64 else np.log1p(u))
    return fill(x, drawn)


def exactly(function, x):
    # NumPy's float64 loops may differ from the C library, which PyTorch calls, in the last bit.
    return np.fromiter(map(function, x.tolist()), np.float64, x.size)


@alone
def geometric_(engine, x, p):
    """Fill ``x`` with ``ceil(log(u) / log(1 - p))``."""
    if not 0 < p < 1:
        raise RuntimeError(f"geometric_ expects p to be in (0, 1), but got p={p:g}")
    if x.dtype.kind in "bc" or is_barebones(x.dtype):
        raise NotImplementedError(f"\"geometric_cpu\" not implemented for '{scalar_name(x.dtype)}'")
    scale = log(1 - p)
    if scale and engine.fill_few(GEOMETRIC, x, scale, 0.0):
        return x
    return fill(x, lambda n: np.ceil(np.log(engine.uniform53(n)) / scale))


@alone
def cauchy_(engine, x, median=0.0, sigma=1.0):
    """Fill ``x`` with ``median + sigma tan(pi (u - 0.5))``."""
    if not sigma > 0:
        raise RuntimeError(f"cauchy_ expects sigma > 0.0, but found sigma={sigma:g}")
    require_continuous(x, "Cauchy")
    if engine.fill_few(CAUCHY, x, median, sigma):
        return x

    def drawn(n):
        angle = pi * (engine.uniform53(n) - 0.5)
        return multiply_add(exactly(tan, angle) if x.dtype == np.float64 else np.tan(angle), sigma, median)
    return fill(x, drawn)


@alone
def log_normal_(engine, x, mean=1.0, std=2.0):
    """Fill ``x`` with ``exp(mean + std n)``."""
    if not std > 0:
        raise RuntimeError(f"log_normal_ expects std > 0.0, but found std={std:g}")
    require_float(x, "log_normal_cpu")
    if engine.fill_few(LOG_NORMAL, x, mean, std):
        return x
    return fill(x, lambda n: np.exp(engine.normals(n) * std + mean))


# --- normal ----------------------------------------------------------------------------------------------------------

@alone
def normal_(engine, x, mean=0.0, std=1.0):
    """Fill ``x`` with ``mean + std n``."""
    check_std(std)
    if x.dtype.kind == "c":
        normal_(engine, as_reals(x), mean, std * 0.5**0.5)
        return x
    require_float(x, "normal_kernel_cpu")
    if engine.fill_few(NORMAL, x, mean, std):
        return x
    if x.size < 16 or not x.flags.c_contiguous:
        return fill(x, lambda n: scaled(engine.normals(n), mean, std))
    normal_blocks(engine, x.reshape(-1), mean, std)
    return x


def check_std(std):
    if not std >= 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std:g}")


@alone
def normals_around(engine, mean, std):
    """``mean + std n`` in one pass, of arrays or of an array and a number; None where no loop does that."""
    return engine.normals_around(mean, std)


def check_stds(std):
    if std.size and not np.minimum.reduce(std, axis=None) >= 0:         # which no NaN is
        raise RuntimeError("normal expects all elements of std >= 0.0")


def normal_blocks(engine, flat, mean, std):
    """Normals by sixteens: of 16 uniforms the first 8 give radii, the last 8 angles; 8 cosines come out, then 8 sines.

    A length that is no multiple of 16 has its last 16 values drawn again from fresh uniforms; the half types save the
    uniforms of the remainder that those replace.
    """
    remainder = flat.size % 16
    whole = flat.size - remainder
    draw = engine.uniform53 if flat.dtype == np.float64 else engine.uniform24
    for start in range(0, whole, CHUNK):
        piece = flat[start:min(start + CHUNK, whole)]
        piece[...] = scaled(blocks_of_normals(draw(piece.size)), mean, std)
    if remainder:
        if flat.dtype.itemsize >= 4:
            draw(remainder)
        flat[-16:] = scaled(blocks_of_normals(draw(16)), mean, std)


def scaled(values, mean, std):
    if std != 1:
        values *= std
    if mean != 0:
        values += mean
    return values


def blocks_of_normals(u):
    if u.dtype.char == "f" and compiled is not None:
        return compiled.blocks_of_normals(u)
    u = u.reshape(-1, 2, 8)
    radius = np.subtract(1, u[:, 0])                                    # in (0, 1]: its logarithm is finite
    np.log(radius, out=radius)
    radius *= -2
    np.sqrt(radius, out=radius)
    angle = u[:, 1] * u.dtype.type(2 * pi)
    values = np.empty_like(u)
    np.multiply(radius, np.cos(angle), out=values[:, 0])
    np.multiply(radius, np.sin(angle), out=values[:, 1])
    return values.reshape(-1)


@alone
def randn(engine, shape, dtype):
    """Standard normals."""
    return normal_(engine, np.empty(shape, numpy_dtype(dtype)))


# --- categories ------------------------------------------------------------------------------------------------------

@alone
def multinomial(engine, p, num_samples):
    """Category numbers drawn with the weights ``p``, with replacement, one row of samples per row of weights."""
    if places is not None and (found := places(engine, p, num_samples)) is not None:
        return found
    check_multinomial(p, num_samples, True)
    rows = p.reshape(prod(p.shape[:-1]), p.shape[-1])
    samples = [np.searchsorted(running_share(row), engine.uniform53(num_samples)) for row in rows]
    return np.array(samples, np.int64).reshape(*p.shape[:-1], num_samples)


@alone
def race(engine, p, num_samples, replacement):
    """How fast each category is to be drawn: exponential times with rates ``p`` come first with these probabilities."""
    check_multinomial(p, num_samples, replacement)
    times = exponential_(engine, empty_in_layout(p, None, "preserve_format"))
    with np.errstate(divide="ignore"):
        return np.divide(p, times, out=times)


def running_share(row):
    total = np.cumsum(row, dtype=np.float64 if row.dtype == np.float64 else np.float32)
    total /= total[-1]
    total[-1] = 1
    return total


def check_multinomial(p, num_samples, replacement):
    if p.ndim not in (1, 2):
        raise RuntimeError("prob_dist must be 1 or 2 dim")
    if not is_float(p.dtype):
        raise RuntimeError(f"multinomial only supports floating-point dtypes for input, got: "
                           f"{scalar_name(p.dtype)}")
    if num_samples <= 0:
        raise RuntimeError("cannot sample n_sample <= 0 samples")
    if not replacement and num_samples > p.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    if p.size == 0:
        return
    if not (np.minimum.reduce(p, axis=None) >= 0 and np.maximum.reduce(p, axis=None) < np.inf):     # neither is true of NaN
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if np.minimum.reduce(np.maximum.reduce(p, axis=-1), axis=None) <= 0:
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
