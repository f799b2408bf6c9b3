"""Tensors from nothing but numbers: constants, ranges, random values, and tensors like another.

A creation is declared by :func:`creation`. Its function gets the array namespace and the arguments that the user
wrote; it checks them and returns a fresh array. ``leafward.derive.creation`` derives the public function, which adds

    function(*args, out=None, dtype=None, layout=None, device=None, pin_memory=False, requires_grad=False,
             generator=None, **kwargs)

and takes everything but ``dtype`` on itself; ``dtype`` arrives as a leafward dtype or None. The facts:

===============  ======================================================================================================
``like=True``    the public function takes a tensor first (and ``memory_format``, but no ``out``). The function gets
                 uninitialised memory of that tensor's shape, layout and dtype, and fills it: ``zeros_like(xp, out)``
``new=True``     also a method ``new_<name>`` whose dtype is the tensor's own
``random=True``  takes ``generator``; the engine behind it comes after ``xp``
``samples``      argument lists in Python, ``t`` being the namespace: ``"2, 3, dtype=t.int64"``
===============  ======================================================================================================

Args:
    start: the first number
    end: where to stop
    steps: how many numbers
    base: the number whose powers they are
    row: the number of rows
    col: the number of columns
    n: how many; of `eye` the rows
    m: the columns; None: as many as rows
    low: the smallest number that can be drawn
    high: one above the largest that can be drawn
    input: the tensor whose shape, dtype and layout are taken
    bounds: one or more of the numbers below, by position
    real: the real part
    imag: the imaginary part
    abs: the distance from 0
    angle: the angle, in radians
    dtype: the dtype of the result; None: what follows from the arguments, else the default dtype
    stride: for each dim how many elements apart its neighbours are
    memory_format: the order of the elements in memory; None: row-major, of `_like` as in `input`
    step: the difference of neighbours
"""
from leafward import dtypes
from leafward.core.op import op
from leafward.errors import broadcast_error, refuse_overflow, warn

from leafward.ops.checks import as_element
from leafward.ops.dims import index
from leafward.ops.kinds import refuse_dtype

#: Every declared creation, in order of declaration.
creations = []


class Creation:
    """One declared creation: facts, fixed once it is made."""

    def __init__(self, function, name, facts):
        self.function = function
        self.name = name
        self.doc = function.__doc__ or ""
        self.like = facts.pop("like", False)
        self.new = facts.pop("new", False)
        self.random = facts.pop("random", False)
        self.range = facts.pop("range", False)      # in an `out` with as many elements the values keep its shape
        self.unset = facts.pop("unset", False)      # whatever the memory held before
        self.fills = facts.pop("fills", False)      # with one value, or none at all: `out` may be an expanded tensor
        self.resizes = facts.pop("resizes", False)  # resizes `out` always, and so refuses one that wants a gradient
        self.sparse = facts.pop("sparse", False)    # with `layout=torch.sparse_coo` or `sparse_csr` too: of nothing but zeros
        self.samples = facts.pop("samples")
        if facts:
            raise TypeError(f"{name}: unknown facts {sorted(facts)}")


def creation(name, **facts):
    """Declare a creation: the decorated function makes (or, with ``like``, fills) the array."""
    def declare(function):
        declared = Creation(function, name, facts)
        creations.append(declared)
        return declared
    return declare


# --- arguments -------------------------------------------------------------------------------------------------------

def is_integer(value):
    return type(value) is int or (not isinstance(value, (bool, float, complex, str)) and hasattr(value, "__index__")
                                  and getattr(value, "shape", ()) == ())


def spread_shape(name, args, size):
    """The shape in ``zeros(2, 3)``, ``zeros((2, 3))`` or ``zeros(size=(2, 3))``."""
    if size is not None:
        if args:
            raise TypeError(f"{name}() got multiple values for argument 'size'")
        return shape_of(name, size)
    if not args:
        raise TypeError(f'{name}() missing 1 required positional arguments: "size"')
    if isinstance(args[0], (tuple, list)):
        if len(args) > 1:
            raise TypeError(f"{name}() takes 1 positional argument but {len(args)} were given")
        return shape_of(name, args[0])
    if not is_integer(args[0]):
        raise TypeError(f"{name}(): argument 'size' (position 1) must be tuple of ints, not {type(args[0]).__name__}")
    return shape_of(name, args)


def shape_of(name, size, position=1):
    """``size`` as a tuple of lengths that are not negative."""
    if not isinstance(size, (tuple, list)):
        raise TypeError(f"{name}(): argument 'size' (position {position}) must be tuple of ints, "
                        f"not {type(size).__name__}")
    for length in size:
        if type(length) is not int or not 0 <= length < 2**63:
            return unusual_shape(name, size, position)
    return tuple(size)


def unusual_shape(name, size, position):
    for number, length in enumerate(size):
        if not is_integer(length):
            kind = type(length).__name__
            if number == 0:
                raise TypeError(f"{name}(): argument 'size' (position {position}) must be tuple of ints, "
                                f"but found element of type {kind} at pos 0")
            raise TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {number + 1} with error "
                            f'"type must be tuple of ints,but got {kind}"')
    shape = tuple(map(index, size))
    for number, length in enumerate(shape):
        if not -2**63 <= length < 2**63:
            raise TypeError(f"{name}(): argument 'size' failed to unpack the object at pos {number + 1} with error "
                            '"Overflow when unpacking long long"')
        if length < 0:
            if name == "zeros":
                raise RuntimeError("zeros: Dimension size must be non-negative.")
            raise RuntimeError(f"Trying to create tensor with negative dimension {length}: {list(shape)}")
    return shape


def number(name, argument, position, value):
    """``value`` as a Python number: numbers of NumPy and 0-dim tensors are numbers too."""
    if type(value) is int:
        refuse_overflow(value)
    if isinstance(value, (bool, int, float, complex)):
        return value
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be Number, not {type(value).__name__}")


def integer(name, argument, position, value):
    """``value`` as a Python int."""
    if not is_integer(value):
        raise TypeError(f"{name}(): argument '{argument}' (position {position}) must be int, "
                        f"not {type(value).__name__}")
    return index(value)


def floating(dtype):
    """``dtype``, or the default one."""
    return dtypes.default_dtype if dtype is None else dtype


# --- constants -------------------------------------------------------------------------------------------------------

SIZES = ["2, 3", "(2, 3)", "[4]", "()", "0, 3", "size=(2,)", "2, dtype=t.int64", "2, dtype=t.bool",
         "2, dtype=t.complex64", "2, dtype=t.bfloat16", "2, dtype=float"]
LIKES = ["t.ones(2, 3)", "t.ones(2, 3).t()", "t.ones(4, 6)[:, ::2]", "t.ones(1, 3).expand(4, 3)",
         "t.ones(2, 3, dtype=t.float64), dtype=t.float32", "t.ones(2, 3, 4, 5), memory_format=t.channels_last",
         "t.ones(2, 3).t(), memory_format=t.contiguous_format"]


@creation("zeros", new=True, fills=True, sparse=True, samples=SIZES)
def zeros(xp, *args, size=None, dtype=None):
    """A tensor of zeros of shape ``size``."""
    return xp.zeros(spread_shape("zeros", args, size), floating(dtype))


@creation("ones", new=True, fills=True, samples=SIZES)
def ones(xp, *args, size=None, dtype=None):
    """A tensor of ones of shape ``size``.

    >>> lw.ones(2, dtype=lw.int64)
    tensor([1, 1])
    """
    return xp.ones(spread_shape("ones", args, size), floating(dtype))


@creation("empty", new=True, fills=True, unset=True, resizes=True, sparse=True, samples=SIZES)
def empty(xp, *args, size=None, dtype=None, memory_format=None):
    """A tensor of shape ``size`` with whatever its memory held before.

    What is in it is whatever was in that memory.
    """
    shape = spread_shape("empty", args, size)
    if memory_format in (None, dtypes.contiguous_format):
        return xp.empty(shape, floating(dtype))
    if memory_format is dtypes.preserve_format:
        raise RuntimeError("unsupported memory format Preserve")
    return xp.creation.empty_in_format(shape, floating(dtype), memory_format.name)


@creation("full", new=True, fills=True,
          samples=["(2,), 1", "(2, 3), 1.5", "[2], True", "(), 1j", "size=(2,), fill_value=3",
                   "(2,), 1.7, dtype=t.int64",
                   "(2,), -1, dtype=t.uint8", "(2,), 3, dtype=t.bool", "(2,), t.tensor(3.0)"])
def full(xp, size, fill_value, *, dtype=None):
    """A tensor of shape ``size`` whose every element is ``fill_value``, which chooses the dtype.

    Args:
        fill_value: the number that every element gets
    """
    shape = shape_of("full", size)
    value = number("full", "fill_value", 2, fill_value)
    dtype = dtypes.scalar_dtype(value) if dtype is None else dtype
    return xp.full(shape, as_element(value, dtype), dtype)


@creation("eye", samples=["3", "2, 3", "3, m=2", "0", "2, dtype=t.bool"])
def eye(xp, n: int, m=None, *, dtype=None):
    """``out[i, j] = 1 if i == j else 0``, with ``n`` rows and ``m`` columns."""
    n = integer("eye", "n", 1, n)
    m = n if m is None else integer("eye", "m", 2, m)
    for name, count in (("n", n), ("m", m)):
        if count < 0:
            raise RuntimeError(f"{name} must be greater or equal to 0, got {count}")
    return xp.eye(n, m, dtype=floating(dtype))


@creation("empty_strided", new=True, unset=True, samples=["(2, 3), (1, 2)", "(2, 3), (3, 1), dtype=t.int64"])
def empty_strided(xp, size, stride, *, dtype=None):
    """An uninitialised tensor with these strides."""
    shape = shape_of("empty_strided", size)
    if len(shape) != len(stride):
        raise RuntimeError(f"dimensionality of sizes ({len(shape)}) must match dimensionality of strides "
                           f"({len(stride)})")
    if min(stride, default=0) < 0:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(shape)} and strides={list(stride)}")
    return xp.creation.empty_strided(shape, stride, floating(dtype))


@creation("zeros_like", like=True, sparse=True, samples=[*LIKES, "input=t.ones(2)"])
def zeros_like(xp, out):
    """Zeros of the shape, dtype and layout of ``input``."""
    xp.assign(out, 0)


@creation("ones_like", like=True, samples=LIKES)
def ones_like(xp, out):
    """Ones of the shape, dtype and layout of ``input``."""
    xp.assign(out, 1)


@creation("empty_like", like=True, unset=True, sparse=True, samples=LIKES)
def empty_like(xp, out):
    """Uninitialised memory of the shape, dtype and layout of ``input``."""


@creation("full_like", like=True,
          samples=["t.ones(2, 3), 7", "t.ones(2, 3).t(), 1.5", "t.ones(2, dtype=t.int64), 7.5",
                   "t.ones(2, dtype=t.bool), 7", "t.ones(2), fill_value=7, dtype=t.int32"])
def full_like(xp, out, fill_value):
    """``fill_value`` in the shape, dtype and layout of ``input``."""
    value = number("full_like", "fill_value", 2, fill_value)
    xp.assign(out, as_element(value, xp.dtype_of(out)))


# --- ranges ----------------------------------------------------------------------------------------------------------

@creation("arange", range=True, samples=["5", "1, 5", "5, 1, -2", "5.0", "0, 1, 0.1", "0.1, 20, 0.37, dtype=t.float64", "end=5",
                             "start=1, end=5", "2, end=5", "5, dtype=t.float16", "0, 3, 1.5, dtype=t.int64",
                             "t.tensor(3)", "True"])
def arange(xp, *bounds, start=0, end=None, step=1, dtype=None):
    """``start``, ``start + step``, ``start + 2 step``, ... before ``end``.

    Integers give int64, floats the default dtype.

    >>> lw.arange(3), lw.arange(1., 2., 0.5)
    (tensor([0, 1, 2]), tensor([1.0000, 1.5000]))
    """
    if len(bounds) == 1 and end is not None:
        start, = bounds
    elif len(bounds) == 1:
        end, = bounds
    elif len(bounds) == 2:
        start, end = bounds
    elif len(bounds) == 3:
        start, end, step = bounds
    elif bounds or end is None:
        raise TypeError(f"arange() received an invalid combination of arguments - got {len(bounds)} numbers, but "
                        "expected one of:\n * (Number end)\n * (Number start, Number end, Number step = 1)")
    start, end = number("arange", "start", 1, start), number("arange", "end", min(len(bounds), 2) or 1, end)
    step = number("arange", "step", 3, step)
    if dtype is None:
        whole = all(isinstance(value, int) for value in (start, end, step))
        dtype = dtypes.int64 if whole else dtypes.default_dtype
    refuse_dtype(dtype, ("bool", "complex"), "arange_cpu")
    return xp.creation.arange(start, end, step, dtype)


@creation("range", range=True, samples=["1, 4", "1, 2.5, 0.5", "start=0, end=3", "0, 3, dtype=t.int64"])
def range_(xp, start, end, step=1, *, dtype=None):
    """``start``, ``start + step``, ... up to and including ``end``. Deprecated in favour of ``arange``.

    >>> lw.arange(1., 5.)   # lw.range, which includes its end, is deprecated
    tensor([1., 2., 3., 4.])
    """
    warn("torch.range is deprecated and will be removed in a future release because its behavior is "
         "inconsistent with Python's range builtin. Instead, use torch.arange, which produces values in "
         "[start, end).")
    start, end = number("range", "start", 1, start), number("range", "end", 2, end)
    step = number("range", "step", 3, step)
    dtype = floating(dtype)
    refuse_dtype(dtype, ("bool",), "range_cpu")
    if dtype.kind == "int":
        start, end, step = int(start), int(end), int(step)
    if step == 0:
        raise RuntimeError("step must be nonzero")
    count = int((end - start) / step) + 1
    if count < 1:
        raise RuntimeError("upper bound and lower bound inconsistent with step sign")
    return xp.creation.arange(start, start + (count - 0.5) * step if dtype.is_floating_point else start + count * step,
                              step, dtype)


def spaced_arguments(name, start, end, steps, dtype):
    dims = [getattr(bound, "ndim", 0) for bound in (start, end)]
    if any(dims):
        both = all(hasattr(bound, "ndim") for bound in (start, end))
        found = [f"{side} with {n} dimension(s)" for side, n in zip(("start", "end"), dims) if both or n]
        raise RuntimeError(f"{name} only supports 0-dimensional start and end tensors, but got {' and '.join(found)}.")
    start, end = number(name, "start", 1, start), number(name, "end", 2, end)
    steps = integer(name, "steps", 3, steps)
    if steps < 0:
        raise RuntimeError("number of steps must be non-negative")
    if dtype is None:
        dtype = dtypes.default_dtype
        if isinstance(start, complex) or isinstance(end, complex):
            dtype = dtype.to_complex()
    refuse_dtype(dtype, ("bool",), f"{name}_cpu")
    if dtype.kind == "int":
        start, end = as_element(start, dtype), as_element(end, dtype)
    return start, end, steps, dtype


@creation("linspace", range=True, samples=["0, 1, 5", "0, 1, 1", "0, 1, 0", "3, 0, 7", "-5, 3, 7, dtype=t.int32",
                                           "0, 1, steps=11", "0, 1, 11, dtype=t.float16", "0, 1j, 3", "t.tensor(0.0), 1, 3"])
def linspace(xp, start, end, steps, *, dtype=None):
    """``steps`` values from ``start`` to ``end``, equally spaced, both included.

    Both ends are among them.

    >>> lw.linspace(0, 1, 5)
    tensor([0.0000, 0.2500, 0.5000, 0.7500, 1.0000])
    """
    start, end, steps, dtype = spaced_arguments("linspace", start, end, steps, dtype)
    return xp.creation.linspace(start, end, steps, dtype)


@creation("logspace", range=True, samples=["0, 2, 3", "0, 2, 3, base=2", "-1, 1, 4, dtype=t.float64", "0, 2, 5, dtype=t.int64"])
def logspace(xp, start, end, steps, base=10.0, *, dtype=None):
    """``base ** linspace(start, end, steps)``."""
    start, end, steps, dtype = spaced_arguments("logspace", start, end, steps, dtype)
    return xp.creation.logspace(start, end, steps, number("logspace", "base", 4, base), dtype)


@creation("tril_indices", samples=["3, 3", "3, 4, 1", "4, 3, -1", "0, 3", "3, 3, offset=-1, dtype=t.int32"])
def tril_indices(xp, row, col, offset: int = 0, *, dtype=None):
    """Row and column numbers of the elements on and below a diagonal: ``j <= i + offset``."""
    return triangle(xp, "tril_indices", row, col, offset, dtype, False)


@creation("triu_indices", samples=["3, 3", "3, 4, -1", "4, 3, 1", "3, 3, offset=1, dtype=t.int32"])
def triu_indices(xp, row, col, offset: int = 0, *, dtype=None):
    """Row and column numbers of the elements on and above a diagonal: ``j >= i + offset``."""
    return triangle(xp, "triu_indices", row, col, offset, dtype, True)


def triangle(xp, name, row, col, offset, dtype, upper):
    """Row and column numbers of the elements on one side of a diagonal."""
    for argument, count in (("row", row), ("col", col)):
        if count < 0:
            raise RuntimeError(f"{argument} must be non-negative, got{count}")
    dtype = dtypes.int64 if dtype is None else dtype
    refuse_dtype(dtype, ("bool", "float", "complex"), name)
    return xp.astype(xp.creation.triangle(row, col, offset, upper), dtype)


# --- random ----------------------------------------------------------------------------------------------------------

@creation("rand", random=True, samples=["3", "2, 3", "(2, 3), dtype=t.float64", "()", "40, dtype=t.bfloat16"])
def rand(xp, engine, *args, size=None, dtype=None):
    """Uniform in [0, 1), of shape ``size``."""
    return xp.random.rand(engine, spread_shape("rand", args, size), floating(dtype))


@creation("randn", random=True, resizes=True, samples=["3", "4, 5", "(2, 3), dtype=t.float64", "()", "9, dtype=t.complex64"])
def randn(xp, engine, *args, size=None, dtype=None):
    """Standard normal, of shape ``size``."""
    return xp.random.randn(engine, spread_shape("randn", args, size), floating(dtype))


@creation("randint", random=True, samples=["10, (3,)", "-5, 5, (2, 3)", "high=5, size=(2,)", "1, high=5, size=(2,)",
                                           "10, (3,), dtype=t.float32", "2**40, (3,)"])
def randint(xp, engine, *args, low=0, high=None, size=None, dtype=None):
    """Integers in [``low``, ``high``), of shape ``size``."""
    numbers = list(args)
    if size is None and numbers:
        size = numbers.pop()
    if len(numbers) == 2:
        low, high = numbers
    elif len(numbers) == 1:
        low, high = (low, numbers[0]) if high is None else (numbers[0], high)
    if high is None or size is None or len(numbers) > 2:
        raise TypeError("randint() received an invalid combination of arguments - expected one of:\n"
                        " * (int high, tuple of ints size)\n * (int low, int high, tuple of ints size)")
    size = shape_of("randint", size, len(args) or 1)
    low, high = integer("randint", "low", 1, low), integer("randint", "high", max(len(numbers), 1), high)
    return xp.random.randint(engine, low, high, size, dtypes.int64 if dtype is None else dtype)


@creation("randperm", random=True, samples=["10", "0", "1", "n=7", "5, dtype=t.int32", "100"])
def randperm(xp, engine, n: int, *, dtype=None):
    """The integers below ``n`` in random order."""
    return xp.random.randperm(engine, integer("randperm", "n", 1, n), dtypes.int64 if dtype is None else dtype)


@creation("rand_like", like=True, random=True, samples=LIKES)
def rand_like(xp, engine, out):
    """Uniform in [0, 1), of the shape, dtype and layout of ``input``."""
    xp.random.uniform_(engine, out)


@creation("randn_like", like=True, random=True, samples=LIKES)
def randn_like(xp, engine, out):
    """Standard normal, of the shape, dtype and layout of ``input``."""
    xp.random.normal_(engine, out)


@creation("randint_like", like=True, random=True,
          samples=["t.ones(2, 3), 10", "t.ones(2, 3).t(), -5, 5", "t.ones(2), high=5, dtype=t.int64"])
def randint_like(xp, engine, out, *bounds, low=0, high=None):
    """Integers in [``low``, ``high``), of the shape, dtype and layout of ``input``."""
    if len(bounds) == 2:
        low, high = bounds
    elif len(bounds) == 1:
        low, high = (low, bounds[0]) if high is None else (bounds[0], high)
    low, high = integer("randint_like", "low", 2, low), integer("randint_like", "high", len(bounds) + 1, high)
    xp.random.random_between_(engine, out, low, high)


# --- complex from two real tensors -----------------------------------------------------------------------------------

def check_pair(xp, first, second):
    if first.dtype != second.dtype:
        raise RuntimeError(f"Expected object of scalar type {dtypes.scalar_name(xp.dtype_of(first))} but got scalar "
                           f"type {dtypes.scalar_name(xp.dtype_of(second))} for second argument")
    if first.dtype.name not in ("float16", "float32", "float64"):
        name = dtypes.scalar_name(xp.dtype_of(first))
        raise RuntimeError(f"Expected both inputs to be Half, Float or Double tensors but got {name} and {name}")
    mismatch = broadcast_error(first.shape, second.shape)
    if mismatch is not None:
        raise mismatch


@op("torch.complex", linear=True, batch="leading", samples=["3 4 | 3 4", "3 1 | 1 4", " | "])
def complex_(xp, real, imag):
    """``out = real + i imag``."""
    check_pair(xp, real, imag)
    return xp.creation.complex_from(real, imag) if real.dtype.name != "float16" else xp.astype(
        xp.creation.complex_from(xp.widened(real), xp.widened(imag)), dtypes.complex32)

@complex_.vjp("real")
def complex_d_real(g):
    return g                                # of a real input's gradient the real part is kept

@complex_.vjp("imag")
def complex_d_imag(xp, g):
    return xp.imag(g)


@op("torch.polar", numbers="", elementwise=True, dtype=None, inplace=False, domain="pos",
    autocast="float32", samples=["3 4 | 3 4", "3 1 | 1 4", " | "])
def polar(xp, abs, angle):
    """``out = abs (cos(angle) + i sin(angle))``."""
    check_pair(xp, abs, angle)
    return xp.creation.complex_from(abs * xp.cos(angle), abs * xp.sin(angle))

@polar.check
def refuse_half(abs, angle):
    """Refuse what would be complex numbers of half precision, as PyTorch does."""
    if abs.dtype.name == "float16":
        raise NotImplementedError("\"polar_cpu\" not implemented for 'Half'")


@polar.vjp("abs")
def polar_d_abs(xp, g, out):
    return g * xp.conj(xp.sgn(out))

@polar.vjp("angle")
def polar_d_angle(xp, g, out):
    return g * xp.conj(out * 1j)
