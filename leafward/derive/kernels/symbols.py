"""Symbols for arrays and numbers, and an array namespace of them: a paragraph runs on them, and a graph comes out.

An array stands for one of its elements, which is enough for what is elementwise. A branch on a number goes the way of the
number's example, and is noted as a guard. What only the values of an array could tell, a cast that C would do otherwise and
a function that C has not raise :class:`Untranslatable`, whose text says why.
"""
import math
import operator

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
             "logical_and": "and_", "logical_or": "or_", "logical_xor": "xor", "negative": "neg", "positive": "pos",
             "power": "pow", "float_power": "pow"}
#: What ``vector_math.h`` and ``vector_angles.h`` have, by how many arguments it takes.
FUNCTIONS = {**dict.fromkeys(("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "abs", "floor", "ceil",
                              "trunc", "rint", "tanh", "sigmoid", "erf", "erfc", "sign", "sgn", "sin", "cos", "tan", "asin",
                              "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh"), 1),
             **dict.fromkeys(("maximum", "minimum", "fmax", "fmin", "copysign", "logaddexp", "logaddexp2", "atan2",
                              "hypot"), 2)}
#: Those whose vector form does not reach as far as numbers do.
BOUNDED = frozenset({"sin", "cos", "tan"})
QUESTIONS = frozenset({"isnan", "isinf", "isfinite", "signbit"})
#: What stands for the number of elements, and what a loss may end with: all of them added up.
SIZE, TOTALS = "size", {"sum": "s", "mean": "m"}
#: Functions whose form for float64 is less exact than NumPy's.
ONLY_FLOAT32 = frozenset({"acosh"})
CONSTANTS = {"pi": math.pi, "e": math.e, "inf": math.inf, "nan": math.nan}


class Untranslatable(Exception):
    """Why a paragraph has no C form."""


class Node:
    """One operation, and what it gives.

    ``kind``: "element" and "truth" are those of an array; "number" and "flag" are the same for all elements.
    """

    def __init__(self, name, args, kind, value=None):
        self.name, self.args, self.kind, self.value = name, args, kind, value

    @property
    def varies(self):
        """Whether it is another one for each element."""
        return self.kind in ("element", "truth")


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
        return runtime.array_dtype[dtypes.bool if self.node.kind == "truth" else self.run.dtype]

    @property
    def size(self):
        return self.run.size()

    @property
    def shape(self):
        return (self.size,)


def method(name, reflected=False):
    def apply(self, *others):
        return self.run.apply(name, *((*others, self) if reflected else (self, *others)))
    return apply


for _name in (*INFIX, *LOGIC, "pow", "neg", "invert", "abs", "pos"):
    setattr(Symbol, f"__{_name.strip('_')}__", method(_name))
    if _name in ("add", "sub", "mul", "truediv", "pow", *LOGIC):
        setattr(Symbol, f"__r{_name.strip('_')}__", method(_name, reflected=True))
kinds.NUMBERS = (*kinds.NUMBERS, Number)


class Limits:
    """The limits of the kernel's dtype, as far as C knows them by name."""

    def __init__(self, run):
        self.max = run.wrap(run.node("T_MAX", (), "element"))
        self.min = run.wrap(run.node("T_MIN", (), "element"))


class Run:
    """One run of a paragraph for one dtype: the array namespace it is given, the nodes, each made once, and the guards."""

    def __init__(self, op, dtype):
        self.op, self.dtype = op, dtype
        self.nodes, self.guards = {}, []
        self.is_sized = False
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
            kind = "element" if varies else "number"
        if name == "abs" and varies:
            return self.function("abs", *values)
        value = None
        if not varies:
            if name == "truediv":
                self.decide(self.node_of(self.apply("ne", values[1], 0)))       # by zero, Python raises
            value = getattr(operator, name)(*[a.value for a in args])
            if all([a.name == "constant" for a in args]):
                return value
        return self.wrap(self.node(name, args, kind, value))

    def power(self, x, y):
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
        return self.function("pow", x, y)

    def function(self, name, *values):
        args = tuple([self.node_of(value) for value in values])
        if not any([a.varies for a in args]):
            raise Untranslatable(f"it takes {name} of numbers alone")
        if name in ONLY_FLOAT32 and self.dtype is not dtypes.float32:
            raise Untranslatable(f"NumPy's {name} is more exact in {self.dtype.name}")
        return self.wrap(self.node(name, args, "truth" if name in QUESTIONS else "element"))

    # -- as the namespace ``xp`` ------------------------------------------------------------------------------------------

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name in CONSTANTS:
            return CONSTANTS[name]
        if name in OPERATORS:
            return lambda *args, out=None: self.apply(OPERATORS[name], *args)
        if name in FUNCTIONS or name in QUESTIONS:
            return lambda *args, out=None: self.function(name, *args)
        declared = registry.get(name)
        if isinstance(declared, Op) and declared.elementwise and declared is not self.op:
            return lambda *args, **options: self.inner(declared, args, options)
        raise Untranslatable(f"C has no xp.{name}")

    def inner(self, op, args, options):
        """The forward of another op, called from this one."""
        outer, self.op = self.op, op
        try:
            return op.forward(self, *args, **options)
        finally:
            self.op = outer

    def square(self, x, out=None):
        return x * x

    def reciprocal(self, x, out=None):
        return 1 / x

    def logical_not(self, x, out=None):
        return self.apply("eq", x, 0)

    def where(self, condition, x, y):
        args = tuple([self.node_of(value) for value in (condition, x, y)])
        if not any([a.kind == "element" for a in args[1:]]):
            raise Untranslatable("it chooses between numbers")
        return self.wrap(self.node("where", args, "element"))

    def clip(self, x, min=None, max=None, out=None):
        x = x if min is None else self.function("maximum", x, min)
        return x if max is None else self.function("minimum", x, max)

    def conj(self, x):
        return x
    copy = conj

    def zeros_like(self, x):
        return self.wrap(self.node("element", (self.node_of(0.0),), "element"))

    def ones_like(self, x):
        return self.wrap(self.node("element", (self.node_of(1.0),), "element"))

    def asarray(self, x, dtype=None):
        if dtype is not None and dtype != runtime.array_dtype[self.dtype]:
            raise Untranslatable(f"it casts to {dtype}")
        return x if isinstance(x, Array) else self.wrap(self.node("element", (self.node_of(x),), "element"))

    def astype(self, x, dtype):
        if dtype is not self.dtype and dtype != runtime.array_dtype[self.dtype]:
            raise Untranslatable(f"it casts to {dtype}")
        return x if x.node.kind == "element" else self.wrap(self.node("element", (x.node,), "element"))

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
