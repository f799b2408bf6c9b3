"""What stands for an array while a forward runs for the graph: a value of the graph, and the arrays of both examples.

The arrays tell shapes and dtypes, so that nothing has to infer them; what is done to a symbol is done to them, too.
"""
from leafward.core.runtime import runtime
from leafward.compat.onnx.sizes import TracedSize, second_of

#: Where a slice without an end ends.
FAR = 2**63 - 1


class Untranslatable(Exception):
    """Why a paragraph has no form in ONNX."""


class Symbol:
    """A value of the graph. ``array`` and ``second``: what the two examples have for it (None where nobody asks)."""

    __array_ufunc__ = None
    is_own = False          # whether the forward made it as memory to write to
    __hash__ = object.__hash__

    def __init__(self, space, name, array=None, second=None):
        self.space, self.name = space, name
        self.array, self.second = [None if a is None else runtime.asarray(a) for a in (array, second)]

    @property
    def shape(self):
        graph = self.space.graph
        return tuple([a if a == b else TracedSize(a, b, graph, lambda axis=axis: graph.size_of(self.name, axis))
                      for axis, (a, b) in enumerate(zip(self.array.shape, self.second.shape, strict=True))])

    @property
    def size(self):
        n = 1
        for size in self.shape:
            n = size * n
        return n

    ndim = property(lambda self: self.array.ndim)
    dtype = property(lambda self: self.array.dtype)
    itemsize = property(lambda self: self.array.itemsize)
    flags = property(lambda self: RowMajor)
    T = property(lambda self: self.transpose())
    real = property(lambda self: self)

    def __bool__(self):
        raise Untranslatable("it decides by values")

    __int__ = __float__ = __index__ = __iter__ = __bool__

    def __len__(self):
        return self.array.shape[0]

    def reshape(self, *shape):
        return self.space.reshape(self, shape[0] if len(shape) == 1 and isinstance(shape[0], (tuple, list)) else shape)

    def transpose(self, *axes):
        axes = axes[0] if len(axes) == 1 and isinstance(axes[0], (tuple, list)) else axes
        return self.space.permute_dims(self, tuple(axes) or tuple(range(self.ndim))[::-1])

    def swapaxes(self, axis1, axis2):
        return self.space.swapaxes(self, axis1, axis2)

    def astype(self, dtype, copy=False):
        return self.space.astype(self, dtype)

    def copy(self, order="C"):
        return self

    def all(self):
        return self.space.all(self)

    def any(self):
        return self.space.any(self)

    def conjugate(self):
        return self

    def view(self, dtype):
        """As integers of the same width, which is what ONNX casts to."""
        found = self.array[:0].view(dtype).dtype if self.ndim else self.dtype
        if {self.dtype.kind, found.kind} - set("iu") or found.itemsize != self.itemsize:
            raise Untranslatable("it reads memory as another type")
        return self.space.astype(self, found)

    def __getitem__(self, index):
        return self.space.indexed(self, index)

    def __setitem__(self, index, value):
        """The symbol then stands for another value. What it was cut from would not know, so that must be memory of its own."""
        if not self.is_own:
            raise Untranslatable("it writes through a view of an array")
        space = self.space
        given = space.astype(space.symbol(value, self.dtype), self.dtype)
        items = index if isinstance(index, tuple) else (index,)
        written = space.broadcast_to(given, self.shape) if len(items) == 1 and items[0] is Ellipsis else \
            space.put_at_places(space.copy(self), items, given) if is_symbolic(items) else space.written_at(self, index, given)
        self.name, self.array, self.second = written.name, written.array, written.second


class RowMajor:
    """``flags`` of a symbol: values of a graph lie in order."""

    c_contiguous = forc = True
    f_contiguous = False


def operation(name, reflected=False):
    def apply(self, other):
        operands = (other, self) if reflected else (self, other)
        return getattr(self.space, name)(*operands)
    return apply


for _sign, _name in {"add": "add", "sub": "subtract", "mul": "multiply", "truediv": "divide", "pow": "power",
                     "floordiv": "floor_divide", "mod": "remainder", "matmul": "matmul", "and": "bitwise_and",
                     "or": "bitwise_or", "xor": "bitwise_xor"}.items():
    setattr(Symbol, f"__{_sign}__", operation(_name))
    setattr(Symbol, f"__r{_sign}__", operation(_name, reflected=True))
def in_place(name):
    def apply(self, other):
        self[...] = getattr(self, name)(other)
        return self
    return apply


for _sign in ("add", "sub", "mul", "truediv", "pow"):
    setattr(Symbol, f"__i{_sign}__", in_place(f"__{_sign}__"))
for _sign, _name in {"lt": "less", "le": "less_equal", "gt": "greater", "ge": "greater_equal", "eq": "equal",
                     "ne": "not_equal"}.items():
    setattr(Symbol, f"__{_sign}__", operation(_name))
Symbol.__neg__ = lambda self: self.space.negative(self)
Symbol.__invert__ = lambda self: self.space.bitwise_invert(self)
Symbol.__abs__ = lambda self: self.space.abs(self)
Symbol.__pos__ = lambda self: self


def array_of(value):
    """What the first example has for a symbol, or for those in lists; anything else as it is."""
    if isinstance(value, Symbol):
        return value.array
    if isinstance(value, TracedSize):
        return int(value)
    return type(value)(map(array_of, value)) if type(value) in (list, tuple) else value


def second_array_of(value):
    """What the second one has."""
    if isinstance(value, Symbol):
        return value.second
    return type(value)(map(second_array_of, value)) if type(value) in (list, tuple) else second_of(value)


def is_symbolic(value):
    """Whether ``value`` is a symbol, a traced size, or holds one."""
    if isinstance(value, (Symbol, TracedSize)):
        return True
    return isinstance(value, (list, tuple)) and any(map(is_symbolic, value))


def common_dtype(values):
    """The dtype in which NumPy computes with symbols, arrays and Python numbers."""
    xp = runtime.xp
    return xp.result_type(*[value.array if isinstance(value, Symbol) else int(value) if isinstance(value, TracedSize) else value
                            for value in values])
