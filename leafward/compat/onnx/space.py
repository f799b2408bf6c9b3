"""ONNX as an array namespace: what ``xp`` is while a forward runs for the graph.

A forward is run, not translated: what it computes with functions of arrays comes out as nodes. An op that ONNX has as a
whole, or whose forward calls a kernel, says so itself (``@op.onnx``, see ``docs/design/0001-notation.md``); such a rule asks
for this namespace, too, and finds the operators of ONNX in it by their own names: ``onnx.Softmax(x, axis=-1)``.
"""
from types import FunctionType, ModuleType

from leafward import dtypes
from leafward.core.op import registry
from leafward.core.runtime import quietly, runtime
from leafward.compat.onnx.shapes import Shapes
from leafward.compat.onnx.sizes import TracedSize
from leafward.compat.onnx.symbols import Symbol, Untranslatable, array_of, common_dtype, is_symbolic, second_array_of

#: Functions of arrays that are one operator, of one argument and of two.
ONE = {"abs": "Abs", "acos": "Acos", "acosh": "Acosh", "asin": "Asin", "asinh": "Asinh", "atan": "Atan", "atanh": "Atanh",
       "ceil": "Ceil", "cos": "Cos", "cosh": "Cosh", "erf": "Erf", "exp": "Exp", "floor": "Floor", "isinf": "IsInf",
       "isnan": "IsNaN", "log": "Log", "negative": "Neg", "rint": "Round", "sigmoid": "Sigmoid",
       "sign": "Sign", "sgn": "Sign", "sin": "Sin", "sinh": "Sinh", "sqrt": "Sqrt", "tan": "Tan", "tanh": "Tanh"}
TWO = {"add": "Add", "subtract": "Sub", "multiply": "Mul", "divide": "Div", "true_divide": "Div", "maximum": "Max",
       "minimum": "Min", "power": "Pow", "equal": "Equal", "less": "Less", "less_equal": "LessOrEqual", "greater": "Greater",
       "greater_equal": "GreaterOrEqual", "matmul": "MatMul"}
#: What ONNX has by one name for bools and by another for integers.
LOGIC = {"bitwise_and": ("And", "BitwiseAnd"), "bitwise_or": ("Or", "BitwiseOr"), "bitwise_xor": ("Xor", "BitwiseXor"),
         "logical_and": ("And", None), "logical_or": ("Or", None), "logical_xor": ("Xor", None)}
PI, LOG_2 = 3.141592653589793, 0.6931471805599453
#: What NumPy computes in one step, and ONNX in several; ``xp`` is this namespace.
FORMULAS = {
    "square": lambda xp, x: x * x,
    "reciprocal": lambda xp, x: 1 / x,
    "positive": lambda xp, x: x,
    "expm1": lambda xp, x: xp.exp(x) - 1,
    "log1p": lambda xp, x: xp.log(1 + x),
    "exp2": lambda xp, x: xp.exp(x * LOG_2),
    "log2": lambda xp, x: xp.log(x) / LOG_2,
    "log10": lambda xp, x: xp.log(x) * 0.4342944819032518,
    "trunc": lambda xp, x: xp.sign(x) * xp.floor(xp.abs(x)),
    "erfc": lambda xp, x: 1 - xp.erf(x),
    "not_equal": lambda xp, x, y: xp.logical_not(xp.equal(x, y)),
    "isfinite": lambda xp, x: xp.logical_not(xp.logical_or(xp.isnan(x), xp.isinf(x))),
    "logaddexp": lambda xp, x, y: xp.maximum(x, y) + xp.log1p(xp.exp(-xp.where(xp.equal(x, y), 0.0, xp.abs(x - y)))),
    "hypot": lambda xp, x, y: xp.sqrt(x * x + y * y),
    "fmax": lambda xp, x, y: xp.where(xp.isnan(x), y, xp.where(xp.isnan(y), x, xp.maximum(x, y))),
    "fmin": lambda xp, x, y: xp.where(xp.isnan(x), y, xp.where(xp.isnan(y), x, xp.minimum(x, y))),
    "logaddexp2": lambda xp, x, y: xp.logaddexp(x * LOG_2, y * LOG_2) / LOG_2,
    "atan2": lambda xp, y, x: xp.atan(y / x) + xp.where(x < 0, xp.where(y < 0, -PI, PI), 0.0),
    "fmod": lambda xp, x, y: x - xp.trunc(x / y) * y,
    "signbit": lambda xp, x: (xp.asarray(x) < 0) | (xp.asarray(x) == 0) & (1 / xp.asarray(x) < 0),
    "copysign": lambda xp, x, y: xp.where(xp.signbit(y), -xp.abs(x), xp.abs(x)),
    "ldexp": lambda xp, x, y: x * xp.power(xp.full_like(x, 2), xp.astype(y, x.dtype)),
    "imag": lambda xp, x: xp.zeros_like(x),
    "has_nan": lambda xp, x: xp.any(xp.isnan(x)),
}
CONSTANTS = ("pi", "e", "inf", "nan", "newaxis")
ARRAYS = "leafward.arrays."
#: Functions of ``leafward/arrays`` that only look at arrays, or only lay them out.
AS_THEY_ARE = ("ascontiguousarray", "real", "conj", "resolved", "widened", "wide")


class Space(Shapes):
    """The namespace of one graph."""

    def __init__(self, graph):
        self.graph, self.opset, self.kernels = graph, graph.opset, Kernels(self)
        self.running = []               # ops whose forwards run: in its own, a name means the function of arrays
        self.products = {}              # the inputs of each Gemm: a recurrent layer takes them over

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name[0].isupper():
            return lambda *inputs, outputs=1, **attributes: self.operator(name, inputs, outputs, attributes)
        if name in ONE:
            return lambda x, out=None: self.fresh(out) or self.simple(name, ONE[name], x)
        if name in TWO:
            return self.accumulating(lambda x, y, out=None: self.fresh(out) or self.simple(name, TWO[name], x, y))
        if name in LOGIC:
            return lambda x, y, out=None: self.fresh(out) or self.logic(name, x, y)
        if name in FORMULAS:
            return self.accumulating(lambda *args, out=None: self.fresh(out) or FORMULAS[name](self, *args))
        if name in AS_THEY_ARE:
            return lambda x, *rest, **options: x
        if name in CONSTANTS:
            return getattr(runtime.xp, name)
        declared = registry.get(name)
        if hasattr(declared, "forward") and declared not in self.running:
            return lambda *args, **options: self.inner(declared, args, options)
        return self.own_function(getattr(runtime.xp, name, None), name)

    def accumulating(self, function):
        """``function`` of two arrays, which has NumPy's ``accumulate``, too."""
        function.accumulate = lambda x, axis: self.accumulated(x, axis, function)
        return function

    def fresh(self, out):
        """Refuse to write into ``out``: what holds it would not know."""
        if out is not None:
            raise Untranslatable("it writes into an array")

    # -- nodes ------------------------------------------------------------------------------------------------------------

    def operator(self, kind, inputs, outputs, attributes):
        """A node of ONNX's, with the inputs and attributes that it has there; sizes may be among the inputs."""
        names = [self.operand(value) for value in inputs]
        made = self.graph.node(kind, names, outputs, **attributes)
        if kind == "Gemm":
            self.products[made] = inputs
        return Symbol(self, made) if outputs == 1 else [Symbol(self, name) for name in made]

    def maker(self, x):
        """``("Gemm", its inputs)`` where such a node made a symbol, else ``(None, ())``."""
        return ("Gemm", self.products[x.name]) if x.name in self.products else (None, ())

    def operand(self, value):
        """The name of an input of a node."""
        if value is None or isinstance(value, str):
            return value
        if isinstance(value, Symbol):
            return value.name
        if isinstance(value, (tuple, list)):
            return self.graph.sizes(value)
        return self.graph.size(value) if isinstance(value, TracedSize) else self.graph.constant(value)

    def run(self, name, function, args, make):
        """``function`` on the arrays of both examples, and the node that ``make`` makes: one symbol."""
        if any([getattr(value, "array", self) is None for value in args]):
            raise Untranslatable(f"it computes {name} of what only ONNX knows")
        first = quietly(called, (function, [array_of(value) for value in args]))
        second = quietly(called, (function, [second_array_of(value) for value in args]))
        return Symbol(self, make(first), runtime.xp.asarray(first), runtime.xp.asarray(second))

    def simple(self, name, kind, *args):
        if not is_symbolic(args):
            return getattr(runtime.xp, name)(*args)
        dtype = common_dtype(args)
        if kind == "Div" and dtype.kind in "iub":
            dtype = runtime.xp.numpy_dtype(dtypes.float64)
        if kind in ("Ceil", "Floor", "Round") and dtype.kind in "iu":
            return args[0]
        if kind in ("IsNaN", "IsInf") and dtype.kind != "f":
            return self.zeros_like(args[0], dtypes.bool)
        if kind == "Pow" and isinstance(args[1], (int, float)) and not isinstance(args[1], TracedSize) and args[1] in (2, 0.5):
            return args[0] * args[0] if args[1] == 2 else self.sqrt(args[0])
        args = [self.symbol(value, dtype) for value in args]
        return self.run(name, getattr(runtime.xp, name), args,
                        lambda first: self.graph.node(kind, [self.astype(a, dtype).name for a in args]))

    def logic(self, name, x, y):
        if not is_symbolic((x, y)):
            return getattr(runtime.xp, name)(x, y)
        of_bools, of_numbers = LOGIC[name]
        dtype = common_dtype((x, y))
        if of_numbers is None and dtype.kind != "b":
            x, y, dtype = self.truth(x), self.truth(y), runtime.xp.numpy_dtype(dtypes.bool)
        args = [self.symbol(value, dtype) for value in (x, y)]
        kind = of_bools if dtype.kind == "b" else of_numbers
        return self.run(name, getattr(runtime.xp, name), args,
                        lambda first: self.graph.node(kind, [self.astype(a, dtype).name for a in args]))

    def symbol(self, value, dtype):
        """What an operand is in the graph: a symbol as it is, a number as a constant of ``dtype``."""
        xp = runtime.xp
        if isinstance(value, Symbol):
            return value
        if isinstance(value, TracedSize):
            scalar = self.graph.node("Squeeze", [value.name()])
            whole = Symbol(self, scalar, xp.asarray(int(value)), xp.asarray(value.second))
            return self.astype(whole, dtype)
        array = xp.asarray(value, dtype if isinstance(value, (bool, int, float)) else None)
        return Symbol(self, self.graph.constant(array), array, array)

    def astype(self, x, dtype, copy=False):
        """The symbol in another dtype, leafward's or NumPy's."""
        xp = runtime.xp
        dtype = xp.numpy_dtype(dtype)
        if not isinstance(x, Symbol):
            return xp.astype(x, dtype) if hasattr(x, "dtype") else self.symbol(x, dtype)
        if x.dtype == dtype:
            return x
        return self.run("astype", lambda array: array.astype(dtype), [x],
                        lambda first: self.graph.node("Cast", [x.name], to=self.type_number(dtype)))

    def type_number(self, dtype):
        """ONNX's number of a dtype."""
        from leafward.compat.onnx.graph import onnx
        return onnx().helper.np_dtype_to_tensor_dtype(runtime.xp.numpy_dtype(dtype))

    def truth(self, x):
        return x if getattr(x, "dtype", None) == runtime.xp.numpy_dtype(dtypes.bool) else self.not_equal(x, 0)

    # -- functions that need more than a node ---------------------------------------------------------------------------------

    def logical_not(self, x, out=None):
        self.fresh(out)
        if not isinstance(x, Symbol):
            return runtime.xp.logical_not(x)
        x = self.truth(x)
        return self.run("logical_not", runtime.xp.logical_not, [x], lambda first: self.graph.node("Not", [x.name]))

    def bitwise_invert(self, x, out=None):
        kind = "Not" if x.dtype.kind == "b" else "BitwiseNot"
        return self.run("bitwise_invert", runtime.xp.bitwise_invert, [x], lambda first: self.graph.node(kind, [x.name]))

    def copy(self, x, *layout):
        found = Symbol(self, x.name, x.array, x.second)
        found.is_own = True
        return found

    copy_in_order = copy_with_gaps = copy

    def where(self, condition, x, y):
        if not is_symbolic((condition, x, y)):
            return runtime.xp.where(condition, x, y)
        dtype = common_dtype((x, y))
        args = [self.truth(self.symbol(condition, bool)), *[self.astype(self.symbol(v, dtype), dtype) for v in (x, y)]]
        return self.run("where", runtime.xp.where, args, lambda first: self.graph.node("Where", [a.name for a in args]))

    def clip(self, x, min=None, max=None, out=None):
        self.fresh(out)
        x = x if min is None else self.maximum(x, min)
        return x if max is None else self.minimum(x, max)

    def floor_divide(self, x, y, out=None):
        dtype = common_dtype((x, y))
        if dtype.kind == "f":
            return self.floor(self.divide(x, y))
        return self.simple_whole("floor_divide", x, y, dtype)

    def remainder(self, x, y, out=None):
        dtype = common_dtype((x, y))
        if dtype.kind == "f":
            return x - self.floor(self.divide(x, y)) * y
        return self.simple_whole("remainder", x, y, dtype)

    def simple_whole(self, name, x, y, dtype):
        """Of integers, rounding down."""
        from leafward.compat.onnx.sizes import node_for
        args = [self.astype(self.symbol(value, dtype), dtype) for value in (x, y)]
        node = "mod" if name == "remainder" else "floordiv"
        return self.run(name, getattr(runtime.xp, name), args,
                        lambda first: node_for(self.graph, node, *[a.name for a in args]))

    def dtype_of(self, x):
        return runtime.xp.dtype_of(array_of(x))

    def to_host(self, x):
        """What a forward decides by: both examples have to agree."""
        if not isinstance(x, Symbol):
            return x
        if not runtime.xp.array_equal(x.array, x.second):
            raise Untranslatable("it decides by values")
        return x.array

    def scalar_for(self, value, dtype):
        return value

    def finfo(self, dtype):
        return runtime.xp.finfo(dtype)

    iinfo = isdtype = property(lambda self: runtime.xp.iinfo)

    # -- other functions ------------------------------------------------------------------------------------------------------

    def inner(self, op, args, options):
        """Another op, called from a forward or a rule."""
        from leafward.compat.onnx.translation import translated
        known = dict(zip(op.names, op.defaults, strict=True))
        known.update(zip(op.names, args))
        known.update(options)
        return translated(self, op, known)

    def own_function(self, found, name):
        """A function of ``leafward/arrays``, which runs on symbols as it does on arrays."""
        if isinstance(found, ModuleType) and found.__name__.startswith(ARRAYS):
            return Names(self, found)
        if not callable(found):
            raise Untranslatable(f"ONNX has no xp.{name}")

        def call(*args, **options):
            if not is_symbolic([args, list(options.values())]):
                return found(*args, **options)
            raise Untranslatable(f"ONNX has no xp.{name}")
        return call if not isinstance(found, FunctionType) or found.__module__.startswith(ARRAYS) else found


def called(function, args):
    return function(*args)


class Names:
    """The functions of a module of ``leafward/arrays``, on symbols."""

    def __init__(self, space, module):
        self.space, self.module = space, module

    def __getattr__(self, name):
        if name in Shapes.__dict__:
            return getattr(self.space, name)
        return self.space.own_function(getattr(self.module, name, None), name)


class Kernels:
    """``xp.kernels``: products; what else a forward asks for there it has to say in ONNX's words."""

    def __init__(self, space):
        self.space = space

    #: No element is looked for by the steps of another algorithm: order tells.
    TIED_UP_TO = 0

    def place_of_kth(self, x, dim, k):
        return None

    def dot(self, x, y, out=None):
        self.space.fresh(out)
        return self.space.matmul(x, y)

    matmul = dot

    def affine(self, x, weight, bias):
        return self.space.matmul(x, weight.T) + bias

    def __getattr__(self, name):
        raise Untranslatable(f"ONNX has no xp.kernels.{name}")
