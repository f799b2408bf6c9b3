"""Symbols for arrays and numbers, and an array namespace of them: a paragraph runs on them, and a graph comes out.

An array stands for one of its elements, which is enough for what is elementwise. A branch on a number goes the way of the
number's example, and is noted as a guard. What only the values of an array could tell, a cast that C would do otherwise and
a function that C has not raise :class:`Untranslatable`, whose text says why.
"""
import math
import operator
from types import FunctionType, ModuleType

from leafward import dtypes
from leafward.core.op import Op, registry
from leafward.core.runtime import runtime
from leafward.ops import kinds

INFIX = {"add": "+", "sub": "-", "mul": "*", "truediv": "/",
         "lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "==", "ne": "!="}
RELATIONS = frozenset({"lt", "le", "gt", "ge", "eq", "ne"})
LOGIC = {"and_": "&", "or_": "|", "xor": "^"}
#: The namespace's names for what Python has operators for.
OPERATORS = {"add": "add", "subtract": "sub", "multiply": "mul", "divide": "truediv", "true_divide": "truediv",
             "less": "lt", "less_equal": "le", "greater": "gt", "greater_equal": "ge", "equal": "eq", "not_equal": "ne",
             "bitwise_and": "and_", "bitwise_or": "or_", "bitwise_xor": "xor", "bitwise_invert": "invert",
             "negative": "neg", "positive": "pos", "power": "pow", "float_power": "pow"}
#: The same of truths, which is what elements other than 0 are.
LOGICAL = {"logical_and": "and_", "logical_or": "or_", "logical_xor": "xor"}
#: What ``vector_math.h`` and ``vector_angles.h`` have, by how many arguments it takes.
FUNCTIONS = {**dict.fromkeys(("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "abs", "floor", "ceil",
                              "trunc", "rint", "tanh", "sigmoid", "erf", "erfc", "sign", "sgn", "sin", "cos", "tan", "asin",
                              "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh"), 1),
             **dict.fromkeys(("maximum", "minimum", "fmax", "fmin", "copysign", "logaddexp", "logaddexp2", "atan2",
                              "hypot", "power", "fmod", "remainder", "floor_divide", "nextafter", "zeta", "igamma",
                              "igammac"), 2)}
#: Those whose vector form does not reach as far as numbers do, and what asks for that.
BOUNDED = {"sin": "is_far", "cos": "is_far", "tan": "is_far",
           "fmod": "is_far_from", "remainder": "is_far_from", "floor_divide": "is_far_from"}
QUESTIONS = frozenset({"isnan", "isinf", "isfinite", "signbit"})
#: What stands for the number of elements, and what a loss may end with: all of them added up.
SIZE, TOTALS = "size", {"sum": "s", "mean": "m"}
#: Functions whose form for float64 is less exact than NumPy's.
ONLY_FLOAT32 = frozenset({"acosh", "power"})
#: The file of orthogonal polynomials, which have a loop inside: their C stands beside it in ``polynomials.h``.
POLYNOMIALS = "polynomials"
#: NumPy's own names of functions where they are others.
NUMPY_NAMES = {"absolute": "abs", "arcsin": "asin", "arccos": "acos", "arctan": "atan", "arctan2": "atan2", "arcsinh": "asinh",
               "arccosh": "acosh", "arctanh": "atanh", "invert": "bitwise_invert", "conjugate": "conj", "round": "rint"}
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


#: Where the namespace's own functions are.
ARRAYS = "leafward.arrays."


class Untranslatable(Exception):
    """Why a paragraph has no C form."""


class Node:
    """One operation, and what it gives.

    ``kind``: "element" and "truth" are those of an array, "wide" is a float64 that comes of a float32; "number" and "flag"
    are the same for all elements.
    """

    def __init__(self, name, args, kind, value=None):
        self.name, self.args, self.kind, self.value = name, args, kind, value

    @property
    def varies(self):
        """Whether it is another one for each element."""
        return self.kind in ("element", "truth", "wide")


class Symbol:
    """What stands for an array or a number while a paragraph runs."""

    __hash__ = object.__hash__

    def __init__(self, run, node):
        self.run, self.node = run, node

    def conjugate(self):
        return self

    @property
    def real(self):
        return self

    @property
    def imag(self):
        return 0

    def __bool__(self):
        return self.run.decide(self.node)

    def __float__(self):
        raise Untranslatable("it computes with an option in Python")

    __int__ = __index__ = __float__


class Number(Symbol):
    """An option, a Python number among the operands, or what is computed of them."""


class Array(Symbol):
    """Any one element of an array."""

    ndim = 1

    @property
    def dtype(self):
        kinds_of = {"truth": dtypes.bool, "wide": dtypes.float64}
        return runtime.array_dtype[kinds_of.get(self.node.kind, self.run.dtype)]

    @property
    def rounds_off(self):
        """How much, beside 1, does not count in what is computed of it."""
        return 2.0**-29 if self.node.kind == "wide" else 0.0

    @property
    def size(self):
        return self.run.size()

    @property
    def shape(self):
        return (self.size,)

    # -- NumPy's protocols, for the functions in ``leafward/arrays`` ------------------------------------------------------

    def __array_ufunc__(self, ufunc, method, *inputs, out=None):
        if method != "__call__":
            raise Untranslatable(f"it calls {ufunc.__name__}.{method}")
        return self.run.numpy_function(ufunc.__name__, inputs)

    def __array_function__(self, function, types, args, kwargs):
        return self.run.numpy_function(function.__name__, args, **kwargs)

    def __array__(self, *args, **kwargs):
        raise Untranslatable("it makes an array")

    def astype(self, dtype, copy=False):
        return self.run.astype(self, dtype)

    def in_float64(self, function, args):
        """What ``function`` computes in float64, as the dtype of this, the last of ``args``."""
        own = self.dtype
        self.run.called.add(function.__name__)
        return self.run.astype(function(*[self.run.astype(a, runtime.array_dtype[dtypes.float64]) for a in args]), own)


def method(name, reflected=False):
    def apply(self, *others):
        return self.run.apply(name, *((*others, self) if reflected else (self, *others)))
    return apply


for _name in (*INFIX, *LOGIC, "pow", "neg", "invert", "abs", "pos"):
    setattr(Symbol, f"__{_name.strip('_')}__", method(_name))
    if _name in ("add", "sub", "mul", "truediv", "pow", *LOGIC):
        setattr(Symbol, f"__r{_name.strip('_')}__", method(_name, reflected=True))
kinds.NUMBERS = (*kinds.NUMBERS, Number)


class Asked:
    """Whether a question has one answer for all elements: taken to be so, and asked again of the arrays of each call."""

    def __init__(self, run, node, answer):
        self.run, self.node, self.answer = run, node, answer

    def __bool__(self):
        self.run.demands.setdefault(self.node, self.answer)
        return self.answer


class Limits:
    """The limits of the kernel's dtype, as far as C knows them by name."""

    def __init__(self, run):
        self.max = run.wrap(run.node("T_MAX", (), "element"))
        self.min = run.wrap(run.node("T_MIN", (), "element"))


class Names:
    """The functions of a module of ``leafward/arrays``, on symbols."""

    def __init__(self, run, module):
        self.run, self.module = run, module

    def __getattr__(self, name):
        return self.run.own_function(getattr(self.module, name, None), name)


class Run:
    """One run of a paragraph for one dtype: the array namespace it is given, the nodes, each made once, and the guards."""

    is_whole = False

    def __init__(self, op, dtype, serves=""):
        self.op, self.dtype = op, dtype
        self.is_rule = bool(serves)
        self.nodes, self.guards = {}, []
        self.demands = {}               # questions of elements, and the answer that all have to give
        self.is_sized = False
        self.called = set()             # functions, by name
        self.has_power = False          # written as products or roots, which are rounded otherwise than NumPy's powers

    # -- nodes ------------------------------------------------------------------------------------------------------------

    def node(self, name, args, kind, value=None):
        return self.nodes.setdefault((name, args, kind), Node(name, args, kind, value))

    def size(self):
        """How many elements there are: a number that only losses may ask for."""
        if self.op.elementwise:
            raise Untranslatable("it asks for a shape")
        self.is_sized = True
        return self.given(SIZE, "number", 12)

    def kind_of(self, args):
        """The kind of what an operation makes of ``args``."""
        if not any([a.varies for a in args]):
            return "number"
        return "wide" if any([a.kind == "wide" for a in args]) else "element"

    def wrap(self, node):
        return (Array if node.varies else Number)(self, node)

    def given(self, name, kind, value=None):
        """The symbol of a parameter; ``value``: the example of a number."""
        return self.wrap(self.node("given", (name,), kind, value))

    def node_of(self, value):
        if isinstance(value, Symbol):
            return value.node
        if isinstance(value, bool):
            return self.node("constant", (value,), "flag", value)
        if isinstance(value, (int, float)):
            return self.node("constant", (float(value), math.copysign(1, value)), "number", value)
        raise Untranslatable(f"a {type(value).__name__} is among its operands")

    def decide(self, node):
        """The truth of a number's question, noted as a guard."""
        if node.varies:
            raise Untranslatable("it decides by an array's values")
        answer = bool(node.value)
        if (node, answer) not in self.guards:
            self.guards.append((node, answer))
        return answer

    # -- operations -------------------------------------------------------------------------------------------------------

    def apply(self, name, *values):
        """One of Python's operators."""
        if name == "pos":
            return values[0]
        if name == "pow":
            return self.power(*values)
        args = tuple([self.node_of(value) for value in values])
        varies = any([a.varies for a in args])
        if name in RELATIONS or name in LOGIC or name == "invert":
            if varies and name not in RELATIONS and not all([a.kind in ("truth", "flag") for a in args]):
                raise Untranslatable("it computes with bits")
            kind = "truth" if varies else "flag"
        else:
            if varies and all([a.kind in ("truth", "flag") for a in args]):
                raise Untranslatable("it computes with bools")
            kind = self.kind_of(args)
        if name == "abs" and varies:
            return self.function("abs", *values)
        if name in ("add", "sub") and varies and (fused := self.fused(name, args)) is not None:
            return fused
        value = None
        if not varies:
            if name == "truediv":
                self.decide(self.node_of(self.apply("ne", values[1], 0)))       # by zero, Python raises
            value = getattr(operator, name)(*[a.value for a in args])
            if all([a.name == "constant" for a in args]):
                return value
        return self.wrap(self.node(name, args, kind, value))

    def fused(self, name, args):
        """Two operations as one, where there is such a one, or None.

        ``1 + erf(x)`` needs no digits of a small erf, and in float64 ``a b + c`` is rounded once if all becomes float32.
        """
        for one, other, sign in (*args, 1), (*args[::-1], -1):
            if name == "add" and one.name == "constant" and one.value == 1 and other.name == "erf":
                return self.wrap(self.node("one_plus_erf", other.args, other.kind))
            if one.name == "mul" and one.kind == "wide":
                a, b = one.args
                if name == "sub":
                    a, other = (a, self.negated(other)) if sign > 0 else (self.negated(a), other)
                return self.wrap(self.node("fused", (a, b, other), "wide"))
        return None

    def negated(self, node):
        return self.node("constant", (-float(node.value), math.copysign(1, -node.value)), "number", -node.value) \
            if node.name == "constant" else self.node("neg", (node,), node.kind)

    def power(self, x, y, out=None):
        self.has_power = True
        if isinstance(y, (int, float)):
            if y in (2, 3):
                return x * x if y == 2 else x * x * x
            if y in (0.5, -0.5):
                return self.function("sqrt", x) if y > 0 else 1 / self.function("sqrt", x)
            if y in (1, -1):
                return x if y > 0 else 1 / x
        if isinstance(x, (int, float)) and x == 2:
            return self.function("exp2", y)
        return self.function("power", x, y)

    def function(self, name, *values):
        args = tuple([self.node_of(value) for value in values])
        if not any([a.varies for a in args]):
            raise Untranslatable(f"it takes {name} of numbers alone")
        kind = self.kind_of(args)
        self.called.add(name)
        if name in ONLY_FLOAT32 and (kind == "wide" or self.dtype is not dtypes.float32):
            raise Untranslatable(f"NumPy's {name} is more exact in float64")
        return self.wrap(self.node(name, args, "truth" if name in QUESTIONS else kind))

    # -- as the namespace ``xp`` ------------------------------------------------------------------------------------------

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in OPERATORS:
            return lambda *args, out=None: self.apply(OPERATORS[name], *args)
        if name in LOGICAL:
            return lambda *args, out=None: self.apply(LOGICAL[name], *[self.truth_of(x) for x in args])
        if name in FUNCTIONS or name in QUESTIONS:
            return lambda *args, out=None: self.function(name, *args)
        declared = registry.get(name)
        if isinstance(declared, Op) and declared.elementwise and (self.is_rule or declared is not self.op):
            return lambda *args, **options: self.inner(declared, args, options)
        return self.own_function(getattr(runtime.xp, name, None), name)

    def own_function(self, found, name):
        """A function of ``leafward/arrays``, which runs on symbols as on arrays, or a module of them."""
        if isinstance(found, ModuleType) and found.__name__.startswith(ARRAYS):
            return Names(self, found)
        if name in FUNCTIONS:
            return lambda *args, out=None: self.function(name, *args)
        if not isinstance(found, FunctionType) or not found.__module__.startswith(ARRAYS):
            raise Untranslatable(f"C has no xp.{name}")
        if found.__module__ == ARRAYS + POLYNOMIALS:
            return lambda x, n: self.polynomial(name, x, n, getattr(found, "highest", None))
        return lambda *args, out=None: found(*args)

    def polynomial(self, name, x, n, highest):
        """By its recurrence; ``highest``: the degree from which on it is refused."""
        if highest is not None and self.any(self.apply("ge", n, highest)):
            raise Untranslatable("its degree is too high")
        return self.function(name, x, n)

    def numpy_function(self, name, args, **options):
        """One of NumPy's own functions, as ``leafward/arrays`` calls it."""
        return getattr(self, NUMPY_NAMES.get(name, name))(*args, **options)

    def inner(self, op, args, options):
        """The forward of another op, called from this one."""
        outer, self.op, self.is_rule = (self.op, self.is_rule), op, False
        try:
            return op.forward(self, *args, **options)
        finally:
            self.op, self.is_rule = outer

    def square(self, x, out=None):
        return x * x

    def reciprocal(self, x, out=None):
        return 1 / x

    def truth_of(self, x):
        """Whether it is other than 0."""
        return x if self.node_of(x).kind in ("truth", "flag") else self.apply("ne", x, 0)

    def logical_not(self, x, out=None):
        return self.apply("invert", x) if self.node_of(x).kind == "truth" else self.apply("eq", x, 0)

    def where(self, condition, x, y):
        args = tuple([self.node_of(value) for value in (condition, x, y)])
        if not any([a.kind in ("element", "wide") for a in args[1:]]):
            raise Untranslatable("it chooses between numbers")
        return self.wrap(self.node("where", args, self.kind_of(args[1:])))

    def clip(self, x, min=None, max=None, out=None):
        x = x if min is None else self.function("maximum", x, min)
        return x if max is None else self.function("minimum", x, max)

    def conj(self, x):
        return x
    copy = real = conj

    def imag(self, x):
        return self.zeros_like(x)

    def zeros_like(self, x, dtype=None):
        return self.same(0.0, x.node.kind)

    def ones_like(self, x, dtype=None):
        return self.same(1.0, x.node.kind)

    def same(self, number, kind):
        """A number in place of each element."""
        return self.wrap(self.node("element", (self.node_of(number),), "wide" if kind == "wide" else "element"))

    def asarray(self, x, dtype=None):
        if dtype is not None and dtype != runtime.array_dtype[self.dtype]:
            raise Untranslatable(f"it casts to {dtype}")
        return x if isinstance(x, Array) else self.same(x, "element")

    def astype(self, x, dtype):
        wanted = self.kind_for(dtype)
        return x if x.node.kind == wanted else self.wrap(self.node("element", (x.node,), wanted))

    def kind_for(self, dtype):
        """The kind of elements of ``dtype``, leafward's or NumPy's."""
        if dtype is self.dtype or dtype == runtime.array_dtype[self.dtype]:
            return "element"
        if dtype == runtime.array_dtype[dtypes.float64] and self.dtype is dtypes.float32:
            return "wide"
        raise Untranslatable(f"it casts to {dtype}")

    def all(self, x):
        return Asked(self, self.truth_of(x).node, True)

    def any(self, x):
        return Asked(self, self.truth_of(x).node, False)

    def to_host(self, x):
        return x

    def sum(self, x):
        return self.total("sum", x)

    def mean(self, x):
        return self.total("mean", x)

    def total(self, name, x):
        if self.op.elementwise:
            raise Untranslatable("it adds up")
        return self.wrap(self.node(name, (self.node_of(x),), "element"))

    def dtype_of(self, x):
        return dtypes.bool if isinstance(x, Symbol) and x.node.kind == "truth" else self.dtype

    def scalar_for(self, value, dtype):
        return value

    def finfo(self, dtype):
        return Limits(self)
