"""The text of a tensor, to the character as PyTorch's."""
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from leafward import dtypes
from leafward.tensor import printing
from tests.oracle import tensor_from_bits
from tests.test_printing import VALUES, array_of

NAMES = sorted({d.name for d in dtypes.by_name.values()} - {d.name for d in dtypes.PACKED})


def pytorchs(array, name, options, default="float32", requires_grad=False, of_view=False):
    bits = array.view("int16") if name == "bfloat16" else array
    tensor = tensor_from_bits(torch, bits, name).requires_grad_(requires_grad)
    if of_view:
        tensor = tensor.view(tensor.shape)
    torch.set_default_dtype(getattr(torch, default))
    try:
        with torch._tensor_str.printoptions(**options):
            return repr(tensor)
    finally:
        torch.set_default_dtype(torch.float32)


@pytest.mark.parametrize("values, name, options, text", VALUES, ids=[case[3][:40] for case in VALUES])
def test_the_table_is_pytorchs(values, name, options, text):
    assert pytorchs(array_of(values, name), name, options) == text


whole = st.integers(-2000, 2000).map(float)
usual = st.floats(-10, 10)
edges = st.sampled_from([0.0, -0.0, 1e-4, 1e8, 1000.0, 1.0, float("inf"), float("nan")])
floats = st.sampled_from([whole, usual, st.floats(), usual | edges, whole | edges, edges])


@st.composite
def elements(draw, name):
    """A strategy for the elements of one array: of one size, or mixed."""
    of = dtypes.by_name[name]
    if of.kind == "bool":
        return st.booleans()
    if of.kind == "int":
        limits = dtypes.iinfo(of)
        digits = draw(st.integers(0, of.itemsize * 8))
        return st.integers(max(limits.min, -2**digits), min(limits.max, 2**digits))
    real = draw(floats)
    return st.builds(complex, real, draw(floats)) if of.is_complex else real


@st.composite
def cases(draw):
    name = draw(st.sampled_from(NAMES))
    shape = draw(arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=draw(st.sampled_from([3, 5, 12]))))
    kind = "float32" if name in ("bfloat16", "float16") else "complex128" if name == "complex64" else name
    kind = "float64" if name == "float32" else kind
    fill = st.nothing() if draw(st.booleans()) else None
    array = draw(arrays.arrays(kind, shape, elements=draw(elements(name)), fill=fill))
    options = draw(st.fixed_dictionaries({}, optional={
        "precision": st.integers(0, 10), "threshold": st.integers(0, 50), "edgeitems": st.integers(0, 4),
        "linewidth": st.integers(1, 130), "profile": st.sampled_from(["default", "short", "full"]),
        "sci_mode": st.sampled_from([None, True, False])}))
    return name, array, options


@pytest.mark.filterwarnings("ignore:overflow encountered")
@settings(max_examples=400)
@given(cases(), st.sampled_from(["float32", "float64", "float16"]), st.booleans(), st.booleans())
def test_any_text_is_pytorchs(case, default, requires_grad, of_view):
    name, array, options = case
    array = array_of(array, name)
    requires_grad = requires_grad and name not in ("bool",) and "int" not in name
    expected = pytorchs(array, name, options, default, requires_grad, of_view)
    with printing.printoptions(**options):
        text = printing.tensor_repr(
            array, dtypes.by_name[name], requires_grad=requires_grad,
            grad_fn_name="ViewBackward0" if requires_grad and of_view else None,
            default_dtype=dtypes.by_name[default])
    assert text == expected
