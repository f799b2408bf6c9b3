"""The sample mini-language of ``docs/design/0001-notation.md``: from a string to equal inputs on both sides.

    "3 4 | 1 4 ; dim=1"      two tensors and an option
    "-90 +90"                a 1-D tensor of these values
    "int3: 2 4 | = 2.5"      indices below 3, and a Python scalar
    "[3 4, 2 4]"             a list of two tensors
"""
import functools
import re
import zlib
from inspect import Parameter

import numpy as np

from tests.oracle import Outcome, as_bits, dtype_name, is_differentiable, is_tensor, tensor_from_bits

LAYOUTS = ("contiguous", "transposed", "strided", "expanded")
#: Beside these there is "lazy_conj": complex tensors are views of conjugates, real ones of negatives.

VALUE = re.compile(r"^[+-]|\.")
PREFIX = re.compile(r"^(int\d+|bool|pos|unit|away|distinct|complex|sym|spd)\s*:")


class Spec:
    """One input of a sample, before it has a dtype: how to draw its values."""

    def __init__(self, kind, shape=None, values=None, items=None):
        self.kind = kind          # "normal", "pos", ..., "values", "scalar", "none", "list"
        self.shape = shape
        self.values = values
        self.items = items

    @property
    def is_edge(self):
        """Values written out by hand: often a kink or a pole, where finite differences do not apply."""
        return self.kind == "values"

    @property
    def may_repeat(self):
        """Rows may be equal, as ``expanded`` makes them: no ties were excluded, no matrix must stay regular."""
        return self.kind not in ("distinct", "sym", "spd")

    @property
    def follows_dtype(self):
        if self.kind == "list":
            return any(s.follows_dtype for s in self.items)
        return self.kind not in ("scalar", "none", "bool", "complex") and not self.kind.startswith("int")

    @property
    def has_tensors(self):
        return any(s.has_tensors for s in self.items) if self.kind == "list" else self.kind not in ("scalar", "none")

    def draw(self, rng, dtype):
        """A NumPy array (or scalar, None, list) and nothing of either side yet."""
        if self.kind == "none":
            return None
        if self.kind == "scalar":
            return self.values
        if self.kind == "list":
            return [s.draw(rng, dtype) for s in self.items]
        if self.kind.startswith("int"):
            return Drawn(rng.integers(0, max(int(self.kind[3:]), 1), self.shape), "int64")
        if self.kind == "bool":
            return Drawn(rng.integers(0, 2, self.shape).astype(bool), "bool")
        if self.kind == "complex":
            return Drawn(draw_complex(rng, self.shape), dtype if "complex" in dtype else "complex128")
        if self.kind == "values":
            values = np.array(self.values)
            if dtype == "uint8":
                values = np.abs(values)
            if dtype not in ("bool", "complex64", "complex128") and not is_differentiable(dtype):
                values = np.nan_to_num(values, nan=0, posinf=9, neginf=-9)
            return Drawn(values, dtype)
        return Drawn(DRAW[self.kind](rng, self.shape, dtype), dtype)


class Drawn:
    """Values and the dtype that they are to have."""

    def __init__(self, values, dtype):
        self.values = values
        self.dtype = dtype

    def tensor(self, t, layout):
        if layout == "lazy_conj" and self.dtype in ("complex64", "complex128"):
            return t.from_numpy(np.array(np.conj(as_bits(self.values, self.dtype)))).conj()
        if layout == "lazy_conj" and self.dtype in ("float32", "float64"):
            memory = np.zeros(np.shape(self.values), "complex64" if self.dtype == "float32" else "complex128")
            memory.imag = -as_bits(self.values, self.dtype)
            return t.from_numpy(memory).conj().imag
        bits = as_bits(self.values, self.dtype)
        return tensor_from_bits(t, LAYOUT[layout](np.array(bits)), self.dtype)


def draw_normal(rng, shape, dtype):
    if is_differentiable(dtype):
        return draw_complex(rng, shape) if "complex" in dtype else rng.standard_normal(shape)
    if dtype == "bool":
        return rng.integers(0, 2, shape)
    return rng.integers(0 if dtype == "uint8" else -5, 6, shape)


def draw_complex(rng, shape):
    return rng.standard_normal(shape) + 1j * rng.standard_normal(shape)


def draw_positive(rng, shape, dtype):
    if not is_differentiable(dtype):
        return rng.integers(1, 6, shape)
    drawn = 0.2 + 2 * rng.random(shape)
    return drawn + 0.5j * rng.standard_normal(shape) if "complex" in dtype else drawn


def draw_unit(rng, shape, dtype):
    if not is_differentiable(dtype):
        return rng.integers(0, 2, shape)
    return 0.05 + 0.9 * rng.random(shape)


def draw_away(rng, shape, dtype):
    drawn = draw_positive(rng, shape, dtype)
    return drawn if dtype in ("bool", "uint8") else drawn * rng.choice((-1, 1), shape)


def draw_distinct(rng, shape, dtype):
    count = int(np.prod(shape, dtype=int))
    order = rng.permutation(count).reshape(shape)
    if dtype == "bool":
        return order % 2
    return order if not is_differentiable(dtype) else (order - count / 2) / 4 + 0.01


def draw_symmetric(rng, shape, dtype):
    drawn = np.asarray(draw_normal(rng, shape, dtype))
    return drawn + np.conj(np.swapaxes(drawn, -1, -2))


def draw_positive_definite(rng, shape, dtype):
    drawn = np.asarray(draw_normal(rng, shape, dtype))
    return drawn @ np.conj(np.swapaxes(drawn, -1, -2)) + np.eye(shape[-1])


DRAW = {"normal": draw_normal, "pos": draw_positive, "unit": draw_unit, "away": draw_away,
        "distinct": draw_distinct, "sym": draw_symmetric, "spd": draw_positive_definite}


def contiguous(array):
    return array


def transposed(array):
    """The same values with the memory order of the axes reversed."""
    return np.ascontiguousarray(array.T).T.reshape(array.shape)


def strided(array):
    """The same values, every second element of a buffer twice as long in the last axis."""
    if array.ndim == 0:
        return array
    buffer = np.zeros((*array.shape[:-1], 2 * array.shape[-1]), array.dtype)
    buffer[..., ::2] = array
    return buffer[..., ::2]


def expanded(array):
    """The first slice repeated along axis 0 with stride 0."""
    if array.ndim == 0 or array.shape[0] < 2:
        return array
    first = np.ascontiguousarray(array[:1])
    return np.lib.stride_tricks.as_strided(first, array.shape, (0, *first.strides[1:]))


LAYOUT = {"contiguous": contiguous, "transposed": transposed, "strided": strided, "expanded": expanded,
          "lazy_conj": contiguous}          # of what has no conjugates or negatives to show


def split_outside_brackets(text, separator):
    parts, depth, start = [], 0, 0
    for k, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if letter == separator and not depth:
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]]


def parse_input(text, domain=None):
    """One input of a sample string.

    >>> parse_input("3 4").shape, parse_input("-90 +90").values, parse_input("= 2.5").values
    ((3, 4), [-90.0, 90.0], 2.5)
    """
    text = text.strip()
    if text == "None":
        return Spec("none")
    if text.startswith("="):
        names = {"inf": float("inf"), "nan": float("nan"), "True": True, "False": False}
        return Spec("scalar", values=eval(text[1:].strip(), {"__builtins__": {}}, names))  # noqa: S307  our own tables
    if text.startswith("["):
        inner = text[1:-1].strip()
        items = [parse_input(part, domain) for part in split_outside_brackets(inner, ",")] if inner else []
        return Spec("list", items=items)
    kind = domain or "normal"
    if found := PREFIX.match(text):
        kind, text = found[1], text[found.end():].strip()
    tokens = text.split()
    if tokens and all(VALUE.search(token) for token in tokens):
        return Spec("values", values=[float(token) for token in tokens], shape=(len(tokens),))
    return Spec(kind, shape=tuple(int(token) for token in tokens))


class Sample:
    """One sample of one op or composite, ready to be made on either side."""

    def __init__(self, op, text, at=0):
        self.op = op
        self.text = text
        self.at = at
        inputs, _, options = text.partition(";")
        self.options_text = options.strip()
        self.parameters = parameters_of(op)
        given = re.findall(r"(\w+)\s*=(?!=)", strip_nested(self.options_text))
        self.receivers = [p for p in input_parameters(op, self.parameters) if p.name not in given]
        if not inputs.strip() and self.takes_nothing(given):
            self.specs = []
        else:
            self.specs = [parse_input(part, op.domain) for part in split_outside_brackets(inputs, "|")]

    def takes_nothing(self, given):
        """A blank before ``;`` is a 0-dim tensor, unless the op has no tensor to put it in."""
        return not self.receivers or (is_composite(self.op) and self.parameters[0].name in given)

    @property
    def name(self):
        return self.op.name

    @property
    def is_edge(self):
        return any(s.is_edge or (s.kind == "list" and any(i.is_edge for i in s.items)) for s in self.specs)

    @property
    def follows_dtype(self):
        return any(s.follows_dtype for s in self.specs)

    @property
    def has_tensors(self):
        return any(s.has_tensors for s in self.specs)

    def __str__(self):
        return f"{self.op.name}-{self.text.strip() or 'scalar'}"

    def options(self, t):
        names = Names(t)
        return eval(f"dict({self.options_text})", {}, names)  # noqa: S307  our own tables

    def make(self, t, dtype="float64", seed=0, layout="contiguous", requires_grad=False):
        """``(args, kwargs)`` in the namespace ``t``: the same values for every ``t``."""
        return self.build(t, self.draw(dtype, seed), layout, requires_grad)

    def build(self, t, drawn, layout="contiguous", requires_grad=False):
        """``(args, kwargs)`` from values that :meth:`draw` gave."""
        values = [to_tensors(value, t, "contiguous" if layout == "expanded" and not spec.may_repeat else layout)
                  for value, spec in zip(drawn, self.specs)]
        if requires_grad:
            for value, parameter in zip(values, self.receivers_for(values)):
                self.want_gradient(value, parameter)
        return self.bind(values, self.options(t))

    def draw(self, dtype, seed=0):
        rng = np.random.default_rng(zlib.crc32(f"{self.op.name} {self.text} {seed}".encode()))
        return [spec.draw(rng, dtype) for spec in self.specs]

    def receivers_for(self, values):
        last = self.receivers[-1:] if self.receivers else []
        return [*self.receivers, *last * (len(values) - len(self.receivers))]

    def want_gradient(self, value, parameter):
        if isinstance(value, (list, tuple)):
            for item in value:
                self.want_gradient(item, parameter)
        elif is_tensor(value) and is_differentiable(dtype_name(value)) and self.has_rule(parameter.name):
            value.requires_grad_()

    def has_rule(self, name):
        if is_composite(self.op):
            return self.op.differentiable and name not in self.constants
        return name in self.op.rules

    @functools.cached_property
    def constants(self):
        """A composite's inputs without a derivative: PyTorch names them one by one when they want one."""
        if not is_comparable(self.op):
            return ()
        self.constants = found = []
        while name := constant_complaint(self):
            found.append(name)
        return found

    def bind(self, values, options):
        """Positional as far as the last tensor reaches, then by PyTorch's names."""
        given = dict(options)
        rest = list(values)
        for parameter in self.receivers:
            if not rest:
                break
            if parameter.kind is Parameter.VAR_POSITIONAL:
                given[parameter.name] = tuple(rest[0] if isinstance(rest[0], list) else rest)
                rest = []
            else:
                given[parameter.name] = rest.pop(0)
        assert not rest, f"{self}: more inputs than {[p.name for p in self.receivers]}"
        receiving = {p.name for p in self.receivers}
        varargs = getattr(self.op, "varargs", None)
        placed = [k for k, p in enumerate(self.parameters)
                  if p.name in given and (p.name in receiving or p.name == varargs or p.kind is Parameter.VAR_POSITIONAL)]
        args, kwargs = [], {}
        positional = True
        for k, parameter in enumerate(self.parameters):
            positional = positional and parameter.name in given and parameter.kind is not Parameter.KEYWORD_ONLY
            if parameter.name not in given:
                continue
            value = given.pop(parameter.name)
            if parameter.kind is Parameter.VAR_POSITIONAL:
                args.extend(value if isinstance(value, (list, tuple)) else (value,))
            elif positional and placed and k <= placed[-1]:
                args.append(value)
            else:
                kwargs[public_name(self.op, parameter.name)] = value
        return args, {**kwargs, **given}


def constant_complaint(sample):
    """The input of which PyTorch says that it cannot require grad, if there is one."""
    import torch

    args, kwargs = sample.make(torch, "float64", requires_grad=True)
    text = str(Outcome(theirs(sample.op), args, kwargs).error)
    said = re.search(r"is not differentiable with respect to argument '(\w+)'", text)
    return said[1] if said and said[1] not in sample.constants else None


class Names(dict):
    """What an option's text may name: dtypes and the namespace itself."""

    def __init__(self, t):
        super().__init__(torch=t, lw=t, t=t, inf=float("inf"), nan=float("nan"), None_=None)
        self.t = t

    def __missing__(self, name):
        try:
            return getattr(self.t, name)
        except AttributeError:
            raise KeyError(name) from None


def to_tensors(value, t, layout):
    if isinstance(value, list):
        return [to_tensors(item, t, layout) for item in value]
    return value.tensor(t, layout) if isinstance(value, Drawn) else value


def strip_nested(text):
    """``text`` without strings and without what stands in brackets."""
    text = re.sub(r"'[^']*'|\"[^\"]*\"", "''", text)
    while (shorter := re.sub(r"[(\[{][^()\[\]{}]*[)\]}]", "", text)) != text:
        text = shorter
    return text


def is_composite(op):
    return hasattr(op, "function")


@functools.cache
def parameters_of(op):
    if not is_composite(op):
        return op.parameters
    return [p for p in op.parameters if p.kind is not Parameter.VAR_KEYWORD]


def input_parameters(op, parameters):
    if is_composite(op):
        return parameters
    return [p for p in parameters if p.name in op.inputs]


def public_name(op, name):
    """The notation's ``x``, ``y`` and ``from_`` are ``input``, ``other`` and ``from`` to users."""
    return name if is_composite(op) else {"x": "input", "y": "other", "from_": "from"}.get(name, name)


@functools.cache
def declared_ops():
    import leafward  # noqa: F401  declares them
    from leafward.core.op import registry

    found = list(registry.values())
    for op in found:
        op.complete()
    return found


@functools.cache
def samples_of(op):
    return [Sample(op, text, k) for k, text in enumerate(op.samples) if isinstance(text, str)]


def every_sample(where=lambda op: True):
    """Every sample of every declared op that ``where`` accepts."""
    return [sample for op in declared_ops() if where(op) for sample in samples_of(op)]


def every_op(where=lambda op: True):
    return [op for op in declared_ops() if where(op) and samples_of(op)]


def name_of(value):
    """A test id: ``mul-3 4 | 3 4``, or the op's name."""
    return str(value) if isinstance(value, Sample) else getattr(value, "name", str(value))


def writes_input(op):
    """Its first tensor is written: ``normal_``, ``index_fill_``."""
    return op.name.endswith("_")


def is_internal(op):
    """Not a name of PyTorch's: a backward kernel, or half of an overload (``torch._max_all``)."""
    return op.paths[0].split(".")[-1].startswith("_") or op.name.endswith("_backward")


def is_public(op):
    return not is_internal(op)


def is_comparable(op):
    """PyTorch has something to compare it with."""
    return op.reference is not None or not is_internal(op)


def resolve(t, path):
    """The function of the namespace ``t`` that a declared path names; None where there is none."""
    if path.startswith("Tensor."):
        return method(t, path.removeprefix("Tensor."))
    found = t
    for part in path.removeprefix("torch.").split("."):
        found = getattr(found, part, None)
        if found is None:
            return method(t, path) if "." not in path else None
    return found


def method(t, name):
    return (lambda x, *args, **kwargs: getattr(x, name)(*args, **kwargs)) if hasattr(t.Tensor, name) else None


def ours(op):
    """leafward's function for ``op``."""
    return op.public_function


def theirs(op):
    """PyTorch's function for ``op``: ``reference`` where the declaration says so."""
    import torch

    if callable(op.reference):
        return functools.partial(op.reference, torch)
    path = op.reference or op.paths[0]
    found = resolve(torch, path)
    assert found is not None, f"{op.name}: PyTorch has no {path}; say what it is compared with: reference=..."
    return found
