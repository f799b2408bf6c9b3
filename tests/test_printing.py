"""The text of a tensor: a table of known texts. ``test_printing_oracle.py`` holds the same table against PyTorch."""
import math

import ml_dtypes
import numpy as np
import pytest

from leafward import dtypes
from leafward.tensor import printing

inf, nan = math.inf, math.nan

#: Values, their dtype, print options -> the text.
VALUES = [
    # numbers
    (1.0, "float32", {}, "tensor(1.)"),
    (3, "int64", {}, "tensor(3)"),
    (True, "bool", {}, "tensor(True)"),
    (1 + 2j, "complex64", {}, "tensor(1.+2.j)"),
    (12345.678, "float32", {}, "tensor(12345.6777)"),
    (1e-5, "float32", {}, "tensor(1.0000e-05)"),
    (1.5, "float64", {}, "tensor(1.5000, dtype=torch.float64)"),
    # whole floats, zeros and what is not finite
    ([1.0, 2.0], "float32", {}, "tensor([1., 2.])"),
    ([1.5, 2.0], "float32", {}, "tensor([1.5000, 2.0000])"),
    ([0.0, -0.0], "float32", {}, "tensor([0., -0.])"),
    ([-0.0, 0.5], "float32", {}, "tensor([-0.0000, 0.5000])"),
    ([nan, inf, -inf], "float32", {}, "tensor([nan, inf, -inf])"),
    ([nan, 1.0], "float32", {}, "tensor([nan, 1.])"),
    ([nan, 1.5], "float32", {}, "tensor([   nan, 1.5000])"),
    ([-3.0, 100.0], "float32", {}, "tensor([ -3., 100.])"),
    # scientific notation
    ([1e-5, 1.0], "float32", {}, "tensor([1.0000e-05, 1.0000e+00])"),
    ([1e-4, 9e-2], "float64", {}, "tensor([0.0001, 0.0900], dtype=torch.float64)"),
    ([1e8], "float32", {}, "tensor([100000000.])"),
    ([1.1e8], "float32", {}, "tensor([1.1000e+08])"),
    ([1.0, 1000.0], "float32", {}, "tensor([   1., 1000.])"),
    ([1.0, 1001.0], "float32", {}, "tensor([1.0000e+00, 1.0010e+03])"),
    ([0.0, 1e-20], "float32", {}, "tensor([0.0000e+00, 1.0000e-20])"),
    # other dtypes
    ([1, -20, 300], "int64", {}, "tensor([  1, -20, 300])"),
    ([2**64 - 1], "uint64", {}, "tensor([18446744073709551615], dtype=torch.uint64)"),
    ([True, False], "bool", {}, "tensor([ True, False])"),
    ([0.1, 2], "bfloat16", {}, "tensor([0.1001, 2.0000], dtype=torch.bfloat16)"),
    ([0.1, 1000], "float16", {}, "tensor([9.9976e-02, 1.0000e+03], dtype=torch.float16)"),
    ([1 + 2j, 3.5 - 4j], "complex64", {}, "tensor([1.0000+2.j, 3.5000-4.j])"),
    ([complex(nan, inf)], "complex128", {}, "tensor([nan+infj], dtype=torch.complex128)"),
    # shapes
    ([], "float32", {}, "tensor([])"),
    ([], "int64", {}, "tensor([], dtype=torch.int64)"),
    ([], "complex64", {}, "tensor([], dtype=torch.complex64)"),
    ([[], []], "float32", {}, "tensor([], size=(2, 0))"),
    ([[1, 2], [3, 4]], "int8", {}, "tensor([[1, 2],\n        [3, 4]], dtype=torch.int8)"),
    ([[[1], [2]], [[3], [4]]], "int64", {},
     "tensor([[[1],\n         [2]],\n\n        [[3],\n         [4]]])"),
    # lines
    ([0.5] * 9, "float32", {},
     "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000])"),
    ([0.5] * 10, "float32", {},
     "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000,\n        0.5000])"),
    ([0.5] * 8, "float64", {},
     "tensor([0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000, 0.5000],\n       dtype=torch.float64)"),
    ([1, 2, 3], "int64", {"linewidth": 15}, "tensor([1, 2,\n        3])"),
    ([1, 2, 3], "int64", {"linewidth": 16}, "tensor([1, 2, 3])"),
    ([1, 2, 3], "int64", {"linewidth": 1}, "tensor([1,\n        2,\n        3])"),
    # summaries: what is left out counts neither for the width nor for the notation
    (range(1001), "int64", {}, "tensor([   0,    1,    2,  ...,  998,  999, 1000])"),
    ([1.0, 1e9, 1.0], "float32", {"threshold": 2, "edgeitems": 1}, "tensor([1.,  ..., 1.])"),
    ([[1, 2, 3], [4, 5, 6], [7, 8, 9]], "int64", {"threshold": 2, "edgeitems": 1},
     "tensor([[1,  ..., 3],\n        ...,\n        [7,  ..., 9]])"),
    ([1, 2], "int64", {"threshold": 1, "edgeitems": 0}, "tensor([...], size=(2,))"),
    # options
    ([1.0, 2.5], "float32", {"profile": "short"}, "tensor([1.00, 2.50])"),
    ([1.0, 2.5], "float32", {"precision": 0}, "tensor([1, 2])"),
    ([1.0, 2.5], "float32", {"sci_mode": True}, "tensor([1.0000e+00, 2.5000e+00])"),
    ([1.5, 1e10], "float32", {"sci_mode": False}, "tensor([          1.5000, 10000000000.0000])"),
    ([0.0], "float32", {"sci_mode": True}, "tensor([0.])"),
]

#: Suffixes -> the text of the first nine halves, which leave no room on their line.
SUFFIXES = [
    ({}, ")"),
    ({"requires_grad": True}, ",\n       requires_grad=True)"),
    ({"requires_grad": True, "grad_fn_name": "MulBackward0"}, ",\n       grad_fn=<MulBackward0>)"),
]


def array_of(values, name):
    return np.array(values, ml_dtypes.bfloat16 if name == "bfloat16" else name)


@pytest.mark.parametrize("values, name, options, text", VALUES, ids=[case[3][:40] for case in VALUES])
def test_the_text_of_values(values, name, options, text):
    with printing.printoptions(**options):
        assert printing.tensor_repr(array_of(values, name), dtypes.by_name[name]) == text


@pytest.mark.parametrize("suffixes, ending", SUFFIXES)
def test_suffixes_go_to_a_line_of_their_own(suffixes, ending):
    halves = ", ".join(["0.5000"] * 9)
    text = printing.tensor_repr(array_of([0.5] * 9, "float32"), dtypes.float32, **suffixes)
    assert text == f"tensor([{halves}]{ending}"


def test_the_prefix_sets_the_indent():
    text = printing.tensor_repr(array_of([[1], [2]], "int64"), dtypes.int64, prefix="Mine(")
    assert text == "Mine([[1],\n      [2]])"


def test_the_default_dtype_is_not_mentioned():
    array = array_of([0.5], "float64")
    assert printing.tensor_repr(array, dtypes.float64, default_dtype=dtypes.float64) == "tensor([0.5000])"


def test_options_are_kept_and_restored():
    before = printing.get_printoptions()
    with printing.printoptions(precision=2, sci_mode=True):
        printing.set_printoptions(edgeitems=1)
        assert printing.get_printoptions() == {**before, "precision": 2, "edgeitems": 1}  # sci_mode is not kept
    assert printing.get_printoptions() == before
    with pytest.raises(ZeroDivisionError), printing.printoptions(linewidth=1):
        raise ZeroDivisionError
    assert printing.get_printoptions() == before


def test_a_large_array_is_not_read():
    class Watched(np.ndarray):
        def tolist(self):
            assert self.size <= 6
            return super().tolist()

    array = np.zeros((1000, 1000)).view(Watched)
    assert printing.tensor_repr(array, dtypes.float64).count("0.") == 36
