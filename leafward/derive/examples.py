"""What the reference shows a declaration do: an example with small numbers, shapes, dtypes, and what is refused.

All of it is computed from the declared samples when the reference is made; nothing here runs in a program.
"""
import itertools
import math
import re
import sys
import warnings

from leafward import errors
from leafward.derive.docstrings import docstring_of
from leafward.derive.samples import ReadSample, Spec, public_name
from leafward.core.op import Composite, Op
from leafward.core.tensor import TensorBase
from leafward.dtypes import dtype

#: Longer calls get a line for each tensor, larger results are shown by their shapes.
WIDTH, LINES, ELEMENTS = 88, 12, 24
#: Numbers that are easy to follow, and of which no few in a row are equal, symmetric or singular.
NORMAL = (1.0, -2.0, 0.5, 3.0, -1.5, 2.0, -0.5, 4.0, 0.0, -3.0, 2.5, 1.5, -1.0, 3.5, -2.5, 0.25)
POSITIVE = (1.0, 2.0, 0.5, 3.0, 1.5, 4.0, 2.5, 0.25, 3.5, 5.0, 0.75, 1.25, 4.5)
UNIT = (0.25, 0.5, 0.75, 0.125, 0.875, 0.375, 0.625)
COMPLEX = (1 + 2j, -0.5j, 2 + 0j, -1 + 1j, 0.5 - 2j, 3 + 1j, -2 - 1j)
#: More numbers than this are made by a function.
MANY = 12
MADE_BY = {"normal": "lw.linspace(-1, 1, {})", "pos": "lw.linspace(0.5, 2, {})", "unit": "lw.linspace(0.1, 0.9, {})",
           "away": "lw.linspace(0.5, 2, {})", "distinct": "(lw.arange({}.0) ** 3 % {})"}
#: The dtypes that are tried; other floats and integers are as these.
TRIED = ("bool", "int64", "float32", "complex64")


class Literal:
    """A tensor as a user writes it."""

    def __init__(self, values, made_by=None, follows=True):
        self.values = values
        self.follows = follows                  # it may have another dtype: it holds no index, mask or complex numbers
        self.made_by = made_by                  # source that makes as many numbers, where these are too many to write

    def __repr__(self):
        shape = shape_of(self.values)
        if 0 in shape:
            return f"lw.zeros({', '.join(map(str, shape))})"
        if self.made_by is not None:
            return f"{self.made_by}.reshape({', '.join(map(str, shape))})"
        return f"lw.tensor({self.values!r})".replace("inf", 'float("inf")').replace("nan", 'float("nan")')

    def tensor(self, t, dtype=None):
        tensor = eval(repr(self), {"lw": t})  # noqa: S307  our own text
        return tensor if dtype is None or not self.follows else tensor.to(dtype)

    @property
    def kind(self):
        """What is not a float32 is said."""
        first = self.values
        while isinstance(first, list) and first:
            first = first[0]
        return "" if isinstance(first, (float, list)) else f"{type(first).__name__} "


def shape_of(values):
    shape = []
    while isinstance(values, list):
        if isinstance(values, Empty):
            return (*shape, *values.shape)
        shape.append(len(values))
        values = values[0] if values else 0
    return tuple(shape)


class Empty(list):
    """Values of a shape that holds none."""

    def __init__(self, shape):
        super().__init__()
        self.shape = shape


def nested(flat, shape):
    """``flat`` as lists in lists."""
    if not shape:
        return flat[0]
    if math.prod(shape) == 0:
        return Empty(shape)
    step = len(flat) // shape[0]
    return [nested(flat[k * step:(k + 1) * step], shape[1:]) for k in range(shape[0])]


def smaller(spec):
    """The input with each size of three and more less by one: equal sizes stay equal."""
    if spec.kind == "list":
        return Spec("list", items=[smaller(item) for item in spec.items])
    if spec.shape is None or spec.kind == "values":
        return spec
    kind = spec.kind
    if kind.startswith("int") and int(kind[3:]) > 2:
        kind = f"int{int(kind[3:]) - 1}"
    return Spec(kind, tuple(size - 1 if size > 2 else size for size in spec.shape))


def one_row(spec):
    """The input of an elementwise op, cut to one dimension."""
    return Spec(spec.kind, spec.shape[-1:]) if spec.shape and spec.kind != "values" else spec


def same(spec):
    return spec


def written(spec, start):
    """The value of one input as a :class:`Literal`, a number, None, or a list of these."""
    if spec.kind == "none":
        return None
    if spec.kind == "scalar":
        return spec.values
    if spec.kind == "list":
        return [written(item, start + k) for k, item in enumerate(spec.items)]
    count = math.prod(spec.shape)
    if spec.kind == "values":
        return Literal(list(spec.values))
    if (count > MANY or len(spec.shape) > 3) and spec.kind in MADE_BY:
        made_by = MADE_BY[spec.kind].format(count, prime_from(count))
        return Literal(nested([0.0] * count, spec.shape), made_by, spec.follows_dtype)
    if spec.kind.startswith("int"):
        top = max(int(spec.kind[3:]), 1)
        flat = [(2 * k + start + k // top) % top for k in range(count)]
    elif spec.kind == "bool":
        flat = [(k + k // 3 + start) % 2 == 0 for k in range(count)]
    elif spec.kind in ("sym", "spd") and len(spec.shape) >= 2:
        n = spec.shape[-1]
        base = [4.0 + i % 3 if i == j else round(1 / (1 + abs(i - j)) if spec.kind == "spd" else 1.0 + i + j, 2)
                for i in range(n) for j in range(n)]
        flat = base * (count // len(base)) if count else []
    elif spec.kind in ("lower", "upper"):
        n = spec.shape[-1]
        base = [2.0 + i if i == j else 0.5 + (i + j) % 2 if (i > j) == (spec.kind == "lower") else 0.0
                for i in range(n) for j in range(n)]
        flat = base * (count // len(base)) if count else []
    elif spec.kind == "distinct":
        flat = [float((5 * k + 2 + start) % 17 + 17 * (k // 17)) for k in range(count)]
    else:
        table = {"pos": POSITIVE, "unit": UNIT, "complex": COMPLEX, "away": [v or 2.0 for v in NORMAL]}.get(spec.kind, NORMAL)
        flat = [table[(k + 3 * start) % len(table)] for k in range(count)]
    return Literal(nested(flat, spec.shape), follows=spec.follows_dtype)


def prime_from(count):
    """A prime not below ``count``, one less than a multiple of 3: modulo it cubes are distinct, and follow no line."""
    return next(n for n in itertools.count(count) if n % 3 == 2 and all(n % d for d in range(2, math.isqrt(n) + 1)))


def literal(value):
    """``value`` as Python source, or ValueError."""
    if isinstance(value, Literal) or value is None or isinstance(value, (bool, int, str)):
        return repr(value)
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else f'float("{value}")'
    if isinstance(value, complex):
        return repr(value)
    if isinstance(value, dtype):
        return repr(value).replace("torch.", "lw.")
    if isinstance(value, (list, tuple)):
        inner = ", ".join(map(literal, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' if len(value) == 1 else ''})"
    if isinstance(value, slice) and value == slice(None):
        return "slice(None)"
    if isinstance(value, TensorBase) and value.numel() <= ELEMENTS:
        suffix = "" if str(value.dtype) in ("torch.float32", "torch.int64", "torch.bool") else f", dtype=lw.{value.dtype.name}"
        return f"lw.tensor({value.tolist()!r}{suffix})"
    raise ValueError(value)


def made(value, t, dtype=None):
    """``value`` with its literals made, those of ``dtype`` that may have any."""
    if isinstance(value, Literal):
        return value.tensor(t, dtype)
    if isinstance(value, (list, tuple)):
        return type(value)([made(v, t, dtype) for v in value])
    return value


def follows(value):
    """Whether a literal in ``value`` may have any dtype."""
    if isinstance(value, (list, tuple)):
        return any(map(follows, value))
    return isinstance(value, Literal) and value.follows


# --- one call --------------------------------------------------------------------------------------------------------

class Call:
    """A declaration called with a sample, its values written out."""

    def __init__(self, declared, text, path, cut=same):
        self.declared = declared
        self.path = path
        self.sample = sample = ReadSample(declared, text)
        self.options = sample.options(package())
        specs = [cut(spec) for spec in sample.specs]
        values = [written(spec, k) for k, spec in enumerate(specs)]
        self.size = sum(map(count, specs))
        self.args, self.kwargs = sample.bind(values, self.options)

    def named(self):
        """The tensors among the arguments by their names."""
        positions = {}
        shown = [p.name for p in self.sample.parameters]
        for k, value in enumerate(self.args):
            if isinstance(value, Literal):
                name = shown[k] if k < len(shown) else f"x{k}"
                positions[k] = {"input": "x", "other": "y"}.get(name, name)
        return positions

    def source(self):
        """The lines that a user types."""
        names = {}
        given = [literal(value) for value in self.args]
        options = [f"{name}={literal(value)}" for name, value in self.kwargs.items()]
        if len(self.callee(given[:], options)) > WIDTH or self.declared.name.endswith("_"):
            names = self.named()
        lines = [f"{name} = {literal(self.args[k])}" for k, name in names.items()]
        given = [names.get(k, text) for k, text in enumerate(given)]
        return [*lines, self.callee(given, options)]

    def callee(self, given, options):
        namespace, _, name = self.path.rpartition(".")
        if namespace == "Tensor":
            receiver = getattr(self.declared, "self_name", None)
            own = given.pop(self.declared.names.index(receiver) if receiver else 0)
            return f"{own}.{name}({', '.join(given + options)})"
        return f"lw{namespace.removeprefix('torch') and '.' + namespace}.{name}({', '.join(given + options)})"

    def shown(self):
        """``(3, 4), dim=1``: the shapes of the inputs and what else is given."""
        parts = [shape_text(value) for value in self.args]
        parts += [f"{name}={shape_text(value)}" for name, value in self.kwargs.items()]
        return ", ".join(parts)

    def run(self, dtype=None):
        """What it gives; with ``dtype`` for those of its tensors that may have any."""
        kwargs = {name: made(value, package(), dtype) for name, value in self.kwargs.items()}
        return self.declared.public_function(*made(self.args, package(), dtype), **kwargs)

    def varied(self):
        """The name of what may have any dtype, where that isn't the first input; otherwise nothing."""
        given = [*zip([p.name for p in self.sample.parameters], self.args, strict=False), *self.kwargs.items()]
        if any(p.kind is p.VAR_POSITIONAL for p in self.sample.parameters) or follows(given[0][1]):
            return ""
        return " ".join(public_name(self.declared, name) for name, value in given if follows(value)) + " "


def count(spec):
    return sum(map(count, spec.items)) if spec.kind == "list" else math.prod(spec.shape or ())


def shape_text(value):
    if isinstance(value, Literal):
        return value.kind + str(shape_of(value.values))
    if isinstance(value, TensorBase):
        return str(tuple(value.shape))
    if isinstance(value, (list, tuple)) and any(isinstance(v, (Literal, TensorBase)) for v in value):
        return "[" + ", ".join(map(shape_text, value)) + "]"
    return literal(value)


def package():
    """The package: whoever makes the reference has imported it, and this file must not (it is to the right of here)."""
    return sys.modules[__name__.partition(".")[0]]


def attempt(function):
    """What ``function`` returns, or None where it raises."""
    said = set(errors.said)
    errors.said.clear()                                     # what is warned of once is so each time here
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", r"torch\.\w+ is deprecated")     # an older name says so of every sample
        try:
            return function()
        except Exception:  # noqa: BLE001  a sample may be for another dtype, or for a warning: another one serves
            return None
        finally:
            errors.said.clear()
            errors.said.update(said)


def calls(declared, path, cut=same):
    """A call for each sample that can be written out."""
    if not isinstance(declared, (Op, Composite)):
        return []
    found = [attempt(lambda text=text: Call(declared, text, path, cut)) for text in declared.samples if isinstance(text, str)]
    return [call for call in found if call is not None and attempt(call.source)]


# --- what is shown ---------------------------------------------------------------------------------------------------

def output_of(lines):
    """What the last line shows at the prompt."""
    names = {"lw": package()}
    for line in lines[:-1]:
        exec(line, names)  # noqa: S102  our own examples
    return eval(lines[-1], names)  # noqa: S307


def same_in_doubles(lines):
    """Whether ``lines`` print the same digits in float64: then those in float32 are nobody's rounding, on no machine."""
    default = package().get_default_dtype()
    shown = repr(output_of(lines))
    package().set_default_dtype(package().float64)
    try:
        return repr(output_of(lines)) == shown
    finally:
        package().set_default_dtype(default)


def prompt(lines, rounds=False):
    """``lines`` as at the prompt, with what they print; None where that is nothing to look at. ``rounds``: shapes only."""
    value = output_of(lines)
    shown = repr(value)
    if shown.count("\n") >= LINES or numbers_in(value) > ELEMENTS or rounds:
        if isinstance(value, TensorBase):
            lines = [*lines[:-1], lines[-1] + ".shape"]
        else:
            lines = [*lines[:-1], f"[part.shape for part in {lines[-1]}]"]
        shown = repr(output_of(lines))
    if shown == "None" or "object at" in shown:
        return None
    return "\n".join([*(f">>> {line}" for line in lines), *(line or "<BLANKLINE>" for line in shown.split("\n"))])


def numbers_in(value):
    if isinstance(value, TensorBase):
        return value.numel()
    return sum(map(numbers_in, value)) if isinstance(value, (list, tuple)) else 0


def creation_lines(declared, path):
    """Each sample of a creation as the lines of a program, as :func:`candidates` gives them."""
    name = path.removeprefix("torch.")
    for text in declared.samples:
        if isinstance(text, str):
            given = re.sub(r"\bt\.", "lw.", text)
            yield [f"lw.{name}({given})" + (".shape" if name.startswith("empty") else "")], ()


def candidates(declared, path):
    """Programs that call ``declared``, the easiest to read first, and the options that each gives."""
    if not isinstance(declared, (Op, Composite)):
        yield from creation_lines(declared, path)
        return
    uninitialised = ".shape" if declared.name.startswith("empty") else ""
    cuts = (one_row, same) if getattr(declared, "elementwise", False) else (smaller, same)
    found = [call for cut in cuts for call in calls(declared, path, cut) if call.size and not call.sample.is_edge]
    for call in sorted(found, key=lambda call: call.size > ELEMENTS) + calls(declared, path):
        *first, last = call.source()
        yield [*first, last + uninitialised], tuple(call.kwargs)


def example(declared, path):
    """Examples with results: the docstring's own, or one made of a sample, and a short one of a sample with more options."""
    if own := docstring_of(declared).example:
        return own
    seeded = ["_ = lw.manual_seed(0)"] if getattr(declared, "random", False) else []
    shown, options = [], set()
    programs = list(candidates(declared, path))
    exact = [program for program in programs if seeded or attempt(lambda lines=program[0]: same_in_doubles(lines))]
    for lines, given in exact or programs:
        if not shown or (len(shown) == 1 and not seeded and not options.issuperset(given)):
            text = attempt(lambda lines=lines: prompt([*seeded, *lines], rounds=not exact))
            if text is not None and (not shown or text.count("\n") < LINES // 2):
                shown.append(text)
                options.update(given)
    return "\n".join(shown)


def shapes(declared, path):
    """``(3, 4), dim=1 -> (3,)`` for up to three samples that differ in it."""
    found = {}
    for call in sorted(calls(declared, path), key=lambda call: call.size == 0):
        result = attempt(call.run)
        if result is not None:
            found.setdefault(result_shape(result), call.shown())
        if len(found) == 3:
            break
    return [f"{given} -> {gives}" for gives, given in found.items()]


def result_shape(result):
    if isinstance(result, TensorBase):
        return str(tuple(result.shape))
    if isinstance(result, (tuple, list)):
        return ", ".join(map(result_shape, result)) if len(result) < 4 else f"{len(result)} tensors"
    return type(result).__name__


def dtypes(declared, path):
    """``float32 -> float32`` for each of a few dtypes that it takes."""
    for call in calls(declared, path):
        if call.size and call.sample.follows_dtype and attempt(call.run) is not None:
            break
    else:
        return []
    found = []
    for name in TRIED:
        wanted = getattr(package(), name)
        result = attempt(lambda wanted=wanted: call.run(wanted))
        if result is not None:
            found.append(f"{call.varied()}{name} -> {result_dtype(result)}")
    return found


def result_dtype(result):
    if isinstance(result, TensorBase):
        return result.dtype.name
    if isinstance(result, (tuple, list)):
        return ", ".join(dict.fromkeys(map(result_dtype, result)))
    return type(result).__name__


def refusals(declared, path):
    """``(exception, sentence, call)`` for each declared error."""
    for text, kind, sentence, *_ in getattr(declared, "errors", ()):
        call = attempt(lambda text=text: Call(declared, text, path))
        shown = attempt(call.shown) if call is not None else None
        yield kind.__name__, sentence, shown or text
