"""The types of tensor elements, and which type a mixture of them has.

>>> promote_types(uint8, int8), promote_types(int64, float16), result_type(float32, float64, None)
(torch.int16, torch.float16, torch.float32)
"""
# The names `bool`, `int` and `float` are dtypes in this module, so Python's types keep their surname.
import builtins
import math


class Constant:
    """A named object of which there is one per process: compared by identity, and pickled by name."""

    __slots__ = ("name",)

    def __new__(cls, *args, **kwargs):
        raise TypeError(f"cannot create 'torch.{cls.__name__}' instances")

    def __init_subclass__(cls):
        if cls.__base__ is not Constant:
            raise TypeError(f"type 'torch.{cls.__base__.__name__}' is not an acceptable base type")

    def __setattr__(self, name, value):
        kind = type(self).__name__
        if hasattr(self, name):
            raise AttributeError(f"attribute '{name}' of 'torch.{kind}' objects is not writable")
        raise AttributeError(f"'torch.{kind}' object has no attribute '{name}'")

    def __repr__(self):
        return f"torch.{self.name}"

    def __reduce__(self):
        return self.name


def constant(cls, **fields):
    """Make one of the process's ``cls`` objects."""
    made = object.__new__(cls)
    for field, value in fields.items():
        object.__setattr__(made, field, value)
    return made


class dtype(Constant):
    """The type of a tensor's elements.

    >>> float16.itemsize, float16.is_floating_point, float16.to_complex(), complex128.to_real()
    (2, True, torch.complex32, torch.float64)
    """

    __slots__ = ("abbr", "is_complex", "is_floating_point", "is_signed", "itemsize", "kind", "rank", "tensor_type")

    def to_real(self):
        """The dtype of the real part: ``complex64 -> float32``; a real dtype is returned as it is."""
        return by_name[REAL_OF[self.name]] if self.is_complex else self

    def to_complex(self):
        """The complex dtype that holds this floating-point one: ``float32 -> complex64``."""
        if self.is_complex:
            return self
        if self.name not in COMPLEX_OF:
            raise RuntimeError(f"Unknown Complex ScalarType for {scalar_name(self)}")
        return by_name[COMPLEX_OF[self.name]]


# Of two kinds the later one wins a promotion.
KINDS = ("bool", "int", "float", "complex")
COMPLEX_OF = {"float16": "complex32", "bfloat16": "complex64", "float32": "complex64", "float64": "complex128"}
REAL_OF = {"complex32": "float16", "complex64": "float32", "complex128": "float64"}

#: Every dtype by its name; aliases ("float", "long") included.
by_name = {}


def declare(name, abbr, itemsize, kind, tensor_type, *aliases, signed=True):
    declared = constant(
        dtype, name=name, abbr=abbr, itemsize=itemsize, kind=kind, rank=KINDS.index(kind), tensor_type=tensor_type,
        is_floating_point=kind == "float", is_complex=kind == "complex", is_signed=signed)
    for key in (name, *aliases):
        by_name[key] = declared
    return declared


uint8 = declare("uint8", "u8", 1, "int", "ByteTensor", signed=False)
uint16 = declare("uint16", "u16", 2, "int", "UInt16Tensor", signed=False)
uint32 = declare("uint32", "u32", 4, "int", "UInt32Tensor", signed=False)
uint64 = declare("uint64", "u64", 8, "int", "UInt64Tensor", signed=False)
int8 = declare("int8", "i8", 1, "int", "CharTensor")
int16 = short = declare("int16", "i16", 2, "int", "ShortTensor", "short")
int32 = int = declare("int32", "i32", 4, "int", "IntTensor", "int")
int64 = long = declare("int64", "i64", 8, "int", "LongTensor", "long")
float16 = half = declare("float16", "f16", 2, "float", "HalfTensor", "half")
bfloat16 = declare("bfloat16", "bf16", 2, "float", "BFloat16Tensor")
float32 = float = declare("float32", "f32", 4, "float", "FloatTensor", "float")
float64 = double = declare("float64", "f64", 8, "float", "DoubleTensor", "double")
complex32 = chalf = declare("complex32", "c32", 4, "complex", "ComplexHalfTensor", "chalf")
complex64 = cfloat = declare("complex64", "c64", 8, "complex", "ComplexFloatTensor", "cfloat")
complex128 = cdouble = declare("complex128", "c128", 16, "complex", "ComplexDoubleTensor", "cdouble")
float8_e4m3fn = declare("float8_e4m3fn", "f8e4m3fn", 1, "float", "Float8_e4m3fnTensor")
float8_e4m3fnuz = declare("float8_e4m3fnuz", "f8e4m3fnuz", 1, "float", "Float8_e4m3fnuzTensor")
float8_e5m2 = declare("float8_e5m2", "f8e5m2", 1, "float", "Float8_e5m2Tensor")
float8_e5m2fnuz = declare("float8_e5m2fnuz", "f8e5m2fnuz", 1, "float", "Float8_e5m2fnuzTensor")
float8_e8m0fnu = declare("float8_e8m0fnu", "f8e8m0fnu", 1, "float", "Float8_e8m0fnuTensor", signed=False)
bool = declare("bool", "b8", 1, "bool", "BoolTensor", signed=False)

# What quantized layers say they hold (leafward/ao): codes of integers, with a scale. They are in no table and no promotion.
QUANTIZED = tuple(
    constant(dtype, name=name, abbr=name, itemsize=itemsize, kind="int", rank=KINDS.index("int"), tensor_type=tensor_type,
             is_floating_point=False, is_complex=False, is_signed=signed)
    for name, itemsize, tensor_type, signed in (
        ("qint8", 1, "QInt8Tensor", True), ("quint8", 1, "QUInt8Tensor", False), ("qint32", 4, "QInt32Tensor", True),
        ("quint4x2", 1, "QUInt4x2Tensor", False), ("quint2x4", 1, "QUInt2x4Tensor", False)))
qint8, quint8, qint32, quint4x2, quint2x4 = QUANTIZED

FLOAT8 = frozenset({float8_e4m3fn, float8_e4m3fnuz, float8_e5m2, float8_e5m2fnuz, float8_e8m0fnu})
# PyTorch gives these three memory and conversions, but no common type with other integers.
BAREBONES = frozenset({uint16, uint32, uint64})
# These have memory and casts; what is computed with them is computed in a wider dtype.
PACKED = FLOAT8 | {complex32}
NAMES_ONLY = frozenset(QUANTIZED)


#: The C++ types whose names PyTorch's messages use.
CPP_NAMES = {
    "float32": "float", "float64": "double", "float16": "c10::Half", "bfloat16": "c10::BFloat16", "int64": "long int",
    "int32": "int", "int16": "short int", "int8": "signed char", "uint8": "unsigned char",
    "uint16": "unsigned short", "uint32": "unsigned int", "uint64": "unsigned long",
    "complex64": "c10::complex<float>", "complex128": "c10::complex<double>",
}


def cpp_name(of):
    """The C++ name that PyTorch's messages use: ``long int``."""
    return CPP_NAMES.get(of.name, of.name)


def short_cpp_name(of):
    """The same as PyTorch's macros spell it: ``long``."""
    return {"long int": "long", "short int": "short"}.get(cpp_name(of), cpp_name(of))


def scalar_name(of):
    """PyTorch's inner name of a dtype, as its errors spell it: ``int64 -> "Long"``."""
    return of.tensor_type.removesuffix("Tensor")


#: The dtypes that had tensor classes of their own in Lua, by whose names PyTorch's engine still calls them.
LEGACY = ("Byte", "Char", "Short", "Int", "Long", "Half", "Float", "Double")


def type_name(of):
    """How PyTorch's engine names the tensors of a dtype: ``torch.FloatTensor``, and ``CPUBoolType`` for later ones."""
    name = scalar_name(of)
    return f"torch.{of.tensor_type}" if name in LEGACY else f"CPU{name}Type"


#: The dtypes that Python's own number types stand for, wherever a dtype is asked for.
PYTHON_TYPES = {builtins.bool: bool, builtins.int: int64, builtins.float: float64, complex: complex128}


def as_dtype(wanted):
    """The dtype that ``wanted`` stands for, ``float`` for float64; anything else as it is."""
    return PYTHON_TYPES.get(wanted, wanted) if isinstance(wanted, type) else wanted


def check_dtype(wanted):
    """Refuse the dtypes that have a name but no memory here."""
    if wanted in NAMES_ONLY:
        raise NotImplementedError(f"leafward has no {wanted} tensors; use torch.ao.quantization.quantize_dynamic for a model, "
                                  "torch.int8 with a scale of your own for a tensor")


def widened(packed):
    """The dtype in which numbers of a packed dtype are computed with."""
    return complex64 if packed is complex32 else float32


# Promotion

promoted = {}


def promote_types(type1, type2):
    """The smallest dtype that both convert to, as PyTorch orders them: ``int64, float16 -> float16``."""
    if type1 is type2 and isinstance(type1, dtype):
        return type1
    result = promoted.get((type1, type2))
    if result is None:
        type1 = check_is_dtype("promote_types", "type1", 1, type1)
        type2 = check_is_dtype("promote_types", "type2", 2, type2)
        result = promoted[type1, type2] = type1 if type1 is type2 else common_type(type1, type2)
    return result


def common_type(a, b):
    """The rule behind :func:`promote_types`, for two different dtypes."""
    if a in QUANTIZED or b in QUANTIZED:
        raise RuntimeError("promoteTypes with quantized numbers is not handled yet; figure out what the correct rules should "
                           f"be, offending types: {scalar_name(a)} {scalar_name(b)}")
    if a in FLOAT8 or b in FLOAT8:
        raise RuntimeError(
            f"Promotion for Float8 Types is not supported, attempted to promote {scalar_name(a)} and {scalar_name(b)}")
    if (a in BAREBONES or b in BAREBONES) and not (a.is_floating_point or b.is_floating_point):
        raise RuntimeError("Promotion for uint16, uint32, uint64 types is not supported, "
                           f"attempted to promote {scalar_name(a)} and {scalar_name(b)}")
    low, high = sorted((a, b), key=lambda d: (d.rank, d.itemsize))
    if low.rank < high.rank:
        return promote_types(low.to_complex(), high) if low.is_floating_point else high
    if low.itemsize < high.itemsize:
        return high
    # Two types of one size, neither of which holds the other: uint8 with int8, float16 with bfloat16.
    return float32 if low.is_floating_point else int16


def result_type(dimensioned, zero_dim, scalar):
    """The dtype of an operation on tensors with dimensions, 0-dim tensors and Python numbers.

    Each argument is the common dtype within its class, or None where the class is empty. A class to the right
    counts only if it is of a later kind (bool, int, float, complex) than those to its left.

    >>> result_type(int32, None, scalar_dtype(7)), result_type(int32, None, scalar_dtype(1.5))
    (torch.int32, torch.float32)
    """
    return outrank(dimensioned, outrank(zero_dim, scalar))


def outrank(stronger, weaker):
    """``stronger``, unless ``weaker`` is of a later kind."""
    if stronger is None:
        return weaker
    if weaker is None or weaker.rank <= stronger.rank:
        return stronger
    if stronger.is_floating_point:
        return stronger.to_complex()               # float64 tensor with 1j: complex128, whatever the default is
    return weaker if weaker.is_complex else promote_types(stronger, weaker)


def scalar_dtype(value):
    """The dtype that a Python number counts as: bool, int64, the default dtype, or its complex partner."""
    if isinstance(value, builtins.bool):
        return bool
    if isinstance(value, builtins.int):
        return int64
    if isinstance(value, builtins.float):
        return default_dtype
    if isinstance(value, complex):
        return default_dtype.to_complex()
    raise TypeError(f"a bool, int, float or complex number was expected, not {type(value).__name__}")


def can_cast(from_, to):
    """Whether a result of dtype ``from_`` may be stored as ``to``: never back to an earlier kind."""
    if type(from_) is dtype and type(to) is dtype:
        return from_.rank <= to.rank
    from_ = check_is_dtype("can_cast", "from_", 1, from_)
    to = check_is_dtype("can_cast", "to", 2, to)
    return from_.rank <= to.rank


def check_is_dtype(function, argument, position, value):
    """The dtype that an argument stands for."""
    value = as_dtype(value)
    if not isinstance(value, dtype):
        raise TypeError(f"{function}(): argument '{argument}' (position {position}) must be torch.dtype, "
                        f"not {type(value).__name__}")
    return value


# The default dtype

default_dtype = float32


def get_default_dtype():
    """The dtype of tensors made from Python floats."""
    return default_dtype


def set_default_dtype(d):
    """Make ``d`` the dtype of tensors made from Python floats; only floating-point types are accepted."""
    global default_dtype
    if not isinstance(d, dtype):
        raise TypeError("invalid dtype object: only floating-point types are supported as the default type")
    if not d.is_floating_point:
        raise TypeError("only floating-point types are supported as the default type")
    if d in FLOAT8:
        raise TypeError(f"couldn't find storage object {scalar_name(d)}Storage")
    default_dtype = d


# Limits

# Bits of the exponent and of the stored fraction.
FLOAT_LAYOUT = {float16: (5, 10), bfloat16: (8, 7), float32: (8, 23), float64: (11, 52)}
# Of the types of a byte, which differ in what the largest codes and a negative zero stand for: bits of the fraction, largest,
# smallest, smallest normal (Open Compute Project, "OCP 8-bit Floating Point Specification", 2023; uz: ONNX).
FLOAT8_LIMITS = {
    float8_e4m3fn: (3, 448.0, -448.0, 2.0 ** -6), float8_e4m3fnuz: (3, 240.0, -240.0, 2.0 ** -7),
    float8_e5m2: (2, 57344.0, -57344.0, 2.0 ** -14),
    float8_e5m2fnuz: (3, 57344.0, -57344.0, 2.0 ** -15),        # it has two bits; PyTorch's eps is that of three
    float8_e8m0fnu: (0, 2.0 ** 127, 2.0 ** -127, 2.0 ** -127),
}


class finfo:
    """The limits of a floating-point dtype: ``eps``, ``max``, ``min``, ``tiny``, ``smallest_normal``, ``resolution``.

    >>> finfo(float16).max
    65504.0
    """

    __slots__ = ("bits", "dtype", "eps", "max", "min", "resolution", "smallest_normal", "tiny")
    __hash__ = None

    def __init__(self, type=None):
        of = default_dtype if type is None else type
        of = check_is_dtype("finfo", "type", 1, of)
        if not (of.is_floating_point or of.is_complex):
            raise TypeError("torch.finfo() requires a floating point input type. "
                            "Use torch.iinfo to handle 'torch.finfo'")
        of = of.to_real()
        self.bits = 8 * of.itemsize
        self.dtype = of.name
        if of in FLOAT8_LIMITS:
            fraction, self.max, self.min, self.tiny = FLOAT8_LIMITS[of]
        else:
            exponent, fraction = FLOAT_LAYOUT[of]
            top = 2 ** (exponent - 1) - 1
            self.max = (2 - 2.0 ** -fraction) * 2.0 ** top
            self.min = -self.max
            self.tiny = 2.0 ** (1 - top)
        self.eps = 2.0 ** -fraction
        self.smallest_normal = self.tiny
        # The decimal digits that every value of the type keeps: 6 for float32.
        self.resolution = builtins.float(f"1e-{math.floor(fraction * math.log10(2))}")

    def __eq__(self, other):
        return isinstance(other, finfo) and self.dtype == other.dtype

    def __repr__(self):
        return (f"finfo(resolution={self.resolution:g}, min={self.min:g}, max={self.max:g}, eps={self.eps:g}, "
                f"smallest_normal={self.smallest_normal:g}, tiny={self.tiny:g}, dtype={self.dtype})")


class iinfo:
    """The limits of an integer dtype: ``min``, ``max`` and ``bits``.

    >>> iinfo(int8).max
    127
    """

    __slots__ = ("bits", "dtype", "max", "min")
    __hash__ = None

    def __init__(self, type):
        type = check_is_dtype("iinfo", "type", 1, type)
        if type is bool:
            raise TypeError("torch.bool is not supported by torch.iinfo")
        if type.kind != "int":
            raise TypeError("torch.iinfo() requires an integer input type. Use torch.finfo to handle 'torch.iinfo'")
        self.bits = 8 * type.itemsize
        self.dtype = type.name
        self.min = -(2 ** (self.bits - 1)) if type.is_signed else 0
        self.max = self.min + 2 ** self.bits - 1

    def __eq__(self, other):
        return isinstance(other, iinfo) and self.dtype == other.dtype

    def __repr__(self):
        return f"iinfo(min={self.min:g}, max={self.max:g}, dtype={self.dtype})"


# How memory is laid out

class layout(Constant):
    """How a tensor stores its elements. Tensors here are ``torch.strided``; the other names exist to be compared."""

    __slots__ = ()


class memory_format(Constant):
    """The order in which a dense tensor's elements lie in memory."""

    __slots__ = ()


strided = constant(layout, name="strided")
sparse_coo = constant(layout, name="sparse_coo")
sparse_csr = constant(layout, name="sparse_csr")
sparse_csc = constant(layout, name="sparse_csc")
sparse_bsr = constant(layout, name="sparse_bsr")
sparse_bsc = constant(layout, name="sparse_bsc")
jagged = constant(layout, name="jagged")

contiguous_format = constant(memory_format, name="contiguous_format")
channels_last = constant(memory_format, name="channels_last")
channels_last_3d = constant(memory_format, name="channels_last_3d")
preserve_format = constant(memory_format, name="preserve_format")


class qscheme(Constant):
    """How numbers become codes: with one scale, or one for each row; with a zero of its own (affine), or with 0 (symmetric)."""

    __slots__ = ()


per_tensor_affine = constant(qscheme, name="per_tensor_affine")
per_tensor_symmetric = constant(qscheme, name="per_tensor_symmetric")
per_channel_affine = constant(qscheme, name="per_channel_affine")
per_channel_symmetric = constant(qscheme, name="per_channel_symmetric")
per_channel_affine_float_qparams = constant(qscheme, name="per_channel_affine_float_qparams")
