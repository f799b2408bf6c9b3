"""The samples of declared ops, drawn: from a string in the notation of ``leafward/derive/samples.py`` to equal inputs on
both sides.
"""
import functools
import re
import zlib

import numpy as np

from leafward.derive import samples as notation
from leafward.derive.samples import Names, ReadSample, is_composite  # noqa: F401  for the tests
from tests.oracle import Outcome, as_bits, dtype_name, is_differentiable, is_tensor, tensor_from_bits

LAYOUTS = ("contiguous", "transposed", "strided", "expanded")
#: Beside these there is "lazy_conj": complex tensors are views of conjugates, real ones of negatives.

class Spec(notation.Spec):
    """One input of a sample, before it has a dtype: how to draw its values."""

    @property
    def may_repeat(self):
        """Rows may be equal, as ``expanded`` makes them: no ties were excluded, no matrix must stay regular."""
        return self.kind not in ("distinct", "sym", "spd", "lower", "upper")

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


def draw_lower(rng, shape, dtype):
    drawn = np.asarray(draw_normal(rng, shape, dtype))
    return np.tril(drawn, -1) + np.eye(shape[-1]) * (1 + abs(drawn))


def draw_upper(rng, shape, dtype):
    return np.swapaxes(draw_lower(rng, shape, dtype), -1, -2)


DRAW = {"normal": draw_normal, "pos": draw_positive, "unit": draw_unit, "away": draw_away,
        "distinct": draw_distinct, "sym": draw_symmetric, "spd": draw_positive_definite,
        "lower": draw_lower, "upper": draw_upper}


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


def parse_input(text, domain=None):
    """One input of a sample string, to be drawn."""
    return notation.parse_input(text, domain, Spec)


class Sample(ReadSample):
    """One sample of one op or composite, ready to be made on either side."""

    spec = Spec

    def __init__(self, op, text, at=0):
        super().__init__(op, text)
        self.at = at

    @property
    def name(self):
        return self.op.name

    @property
    def has_tensors(self):
        return any(s.has_tensors for s in self.specs)

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


def constant_complaint(sample):
    """The input of which PyTorch says that it cannot require grad, if there is one."""
    import torch

    args, kwargs = sample.make(torch, "float64", requires_grad=True)
    text = str(Outcome(theirs(sample.op), args, kwargs).error)
    said = re.search(r"is not differentiable with respect to argument '(\w+)'", text)
    return said[1] if said and said[1] not in sample.constants else None


def to_tensors(value, t, layout):
    if isinstance(value, list):
        return [to_tensors(item, t, layout) for item in value]
    return value.tensor(t, layout) if isinstance(value, Drawn) else value


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
