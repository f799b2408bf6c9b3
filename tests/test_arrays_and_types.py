"""Tensors beside NumPy's arrays, Python's types as dtypes, and operators with objects that answer for themselves."""
import operator
import warnings

import numpy as np
import pytest

import leafward as lw
from leafward import errors
from tests.oracle import torch


class Answers:
    """An operand that leafward does not know and that answers from the other side."""

    def __radd__(self, other):
        return "added"

    def __rmul__(self, other):
        return "multiplied"

    __rsub__ = __rtruediv__ = __rpow__ = __rmatmul__ = __rand__ = __radd__


#: ``t`` a float32 tensor of two elements, ``a`` a float64 array beside it, ``g`` a tensor that requires a gradient.
ARRAYS = """t + a; t - a; t * a; t / a; t @ a; t ** a; t == a; a == t; t < a; a + t; a @ t; a ** t; t + np.array(2.)
np.array(2.) + t; t * np.float32(3); np.float64(2) * t; np.int32(2) ** t; np.add(t, a)
np.add(1, torch.tensor(2.)); np.exp(t); np.equal(t, a); np.isnan(t); np.add.reduce(t); g + a; np.exp(g)
torch.add(t, a); t.add(a); operator.iadd(t, a); operator.imul(t, a); operator.imatmul(t, a)
operator.isub(t, a.astype("f")); np.concatenate([t, t]); np.where(t > 0, t, 0)"""
#: A number type where a dtype is asked for.
TYPES = """t.to(int); t.to(float); t.to(bool); t.to(complex); t.to(int, copy=True); t.to("cpu", int); t.to(dtype=int)
t.mean(dtype=float); t.sum(dtype=int); t.sum(dtype=3); t.cumsum(0, dtype=int); torch.prod(t, dtype=int)
torch.nansum(t, dtype=int); torch.softmax(t, 0, float); torch.nn.functional.softmax(t, 0, dtype=float)
torch.norm(t, dtype=float); torch.linalg.norm(t, dtype=float); torch.eye(2, dtype=int)
torch.arange(3, dtype=float); torch.tensor([1], dtype=float); torch.as_tensor([1], dtype=int)
torch.full((2,), 1, dtype=float); torch.empty_like(t, dtype=int).dtype; t.new_zeros(2, dtype=int)
torch.finfo(float).max; torch.iinfo(int).max; t.type(int); torch.promote_types(int, float)
torch.can_cast(int, float); torch.frombuffer(bytearray(b"12345678"), dtype=int)
torch.nn.Linear(2, 2).to(float).weight.dtype; torch.nn.Linear(2, 2, dtype=float).weight.dtype"""
OBJECTS = """t + r; t * r; operator.iadd(t, r); operator.imul(t, r); operator.isub(t, r); operator.itruediv(t, r)
operator.ipow(t, r); operator.imatmul(t, r); operator.iand(t > 0, r); operator.iadd(t, "text"); t == r; t != r"""


def outcome(library, expression):
    given = {"t": library.ones(2), "g": library.ones(2, requires_grad=True), "a": np.array([1.0, 2.0]), "r": Answers(),
             "torch": library, "np": np, "operator": operator}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                     # NumPy's, of PyTorch's __array_wrap__
        try:
            return repr(eval(expression, given))
        except Exception as error:
            return type(error).__name__


def expressions(text):
    return [e.strip() for e in text.replace("\n", ";").split(";")]


@pytest.mark.parametrize("expression", expressions(ARRAYS) + expressions(TYPES) + expressions(OBJECTS))
def test_the_answer_is_pytorchs(expression):
    assert outcome(lw, expression) == outcome(torch, expression)


def test_an_array_that_differs():
    """In PyTorch this is True, whatever the values are."""
    assert (lw.ones(2) != np.array([1.0, 2.0])).tolist() == (np.array([1.0, 2.0]) != lw.ones(2)).tolist() == [False, True]


@pytest.mark.parametrize("convert", [lambda p: p.numpy(), np.asarray, lambda p: p + np.ones(2)], ids=["numpy", "array", "add"])
def test_a_parameter_is_an_array_where_nothing_is_recorded(convert):
    parameter = lw.nn.Parameter(lw.ones(2))
    with pytest.raises(RuntimeError, match="Can't call numpy"):
        convert(parameter)
    with lw.no_grad():
        assert np.asarray(convert(parameter)).shape == (2,)


ONCE = {
    "torch.meshgrid": lambda library: library.meshgrid(library.ones(2), library.ones(3)),
    "Using torch.cross": lambda library: library.cross(library.ones(3), library.ones(3)),
    "Casting complex values": lambda library: library.ones(2, dtype=library.complex64).to(library.float32),
    "Casting complex values to real": lambda library: library.ones(2).copy_(library.ones(2, dtype=library.complex64)),
    r"Using backward\(\) with create_graph": lambda library: (library.ones(2, requires_grad=True) ** 2).sum().backward(
        create_graph=True),
}


@pytest.mark.parametrize("message", ONCE)
def test_a_warning_of_pytorchs_is_given_once(message, monkeypatch):
    monkeypatch.setattr(errors, "said", set())
    with pytest.warns(UserWarning, match=message) as seen:
        ONCE[message](lw)
        ONCE[message](lw)
    assert len(seen) == 1 and seen[0].filename == __file__


def test_bools_keep_what_is_imaginary_too():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert lw.tensor([1j]).to(lw.bool).item() is True
