"""The strides of a result are PyTorch's, whatever the order, the gaps and the repetitions of the inputs' memory."""
import pytest

import leafward
from tests.both import both
from tests.oracle import torch

LAYOUTS = {
    "expanded in front": lambda t: t.ones(1, 4).expand(3, 4),
    "expanded behind": lambda t: t.ones(3, 1).expand(3, 4),
    "every second": lambda t: t.ones(3, 8)[..., ::2],
    "transposed": lambda t: t.ones(4, 3).t(),
    "transposed, every second": lambda t: t.ones(8, 3).t()[:, ::2],
    "expanded, transposed": lambda t: t.ones(4, 1).expand(4, 3).t(),
    "mirrored": lambda t: t.ones(3, 4, dtype=t.complex64).conj().imag,
    "transposed parts": lambda t: t.ones(4, 3, dtype=t.complex64).t().imag,
    "permuted": lambda t: t.ones(2, 3, 4).permute(2, 0, 1),
    "expanded, permuted": lambda t: t.ones(2, 1, 4).expand(2, 3, 4).permute(2, 0, 1),
    "expanded, permuted otherwise": lambda t: t.ones(2, 1, 4).expand(2, 3, 4).permute(1, 2, 0),
    "images, channels last": lambda t: t.ones(2, 3, 4, 5).contiguous(memory_format=t.channels_last),
    "one column": lambda t: t.ones(2, 3, 4).permute(2, 0, 1)[:, :1],
}

CALLS = {
    "sin": lambda t, x: x.sin(), "i0": lambda t, x: t.special.i0(x), "i1": lambda t, x: t.special.i1(x),
    "erfinv": lambda t, x: (x / 2).erfinv(), "polygamma": lambda t, x: t.polygamma(2, x), "digamma": lambda t, x: t.digamma(x),
    "double": lambda t, x: x.double(), "bitwise_not": lambda t, x: x.int().bitwise_not(), "gt": lambda t, x: x > 0,
    "clone": lambda t, x: x.clone(), "to, a copy": lambda t, x: x.to(x.dtype, copy=True), "mul": lambda t, x: x * 2,
    "logsigmoid": lambda t, x: t.nn.functional.logsigmoid(x), "isclose": lambda t, x: t.isclose(x, x),
    "flip": lambda t, x: x.flip(0), "flip nothing": lambda t, x: x.flip(()), "rot90": lambda t, x: x.rot90(),
    "rot90 twice": lambda t, x: x.rot90(2), "rot90 back": lambda t, x: x.rot90(-1, (1, 0)),
    "sort": lambda t, x: x.sort(0)[0], "places": lambda t, x: x.sort()[1], "argsort": lambda t, x: x.argsort(0),
    "index_fill": lambda t, x: x.index_fill(0, t.tensor([1]), 5.0),
    "index_put": lambda t, x: x.index_put((t.tensor([1]),), x[0]),
    "select_scatter": lambda t, x: x.select_scatter(x[1], 0, 0),
    "diagonal_scatter": lambda t, x: x.diagonal_scatter(x.diagonal()),
    "slice_scatter": lambda t, x: x.slice_scatter(x[1:2], 0, 0, 1),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", CALLS)
def test_memory_order(name, layout):
    strides = []
    for t in torch, leafward:
        out = CALLS[name](t, LAYOUTS[layout](t))
        strides.append([step for step, size in zip(out.stride(), out.shape, strict=True) if size > 1])
    assert strides[1] == strides[0]


@both
def test_places_of_a_storage_with_gaps(t, see):
    for x in t.arange(16.0).reshape(2, 8)[..., ::2], t.arange(16.0).reshape(4, 4)[1:].t(), t.arange(4.0).expand(2, 4):
        see(x.as_strided_scatter(t.tensor([-1.0, -2.0]), (2,), (3,)))


INTO = {"sin": lambda t, x, out: t.sin(x, out=out), "acosh": lambda t, x, out: t.arccosh(x, out=out),
        "add": lambda t, x, out: t.add(x, 1, out=out), "divide": lambda t, x, out: t.true_divide(x, x, out=out),
        "bessel_j0": lambda t, x, out: t.special.bessel_j0(x, out=out), "not_equal": lambda t, x, out: t.ne(x, 0.5, out=out)}


@pytest.mark.filterwarnings("ignore:An output with one or more elements was resized")
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", INTO)
def test_memory_order_of_a_resized_out(name, layout):
    for size in 0, 5, 200:
        seen = []
        for t in torch, leafward:
            x, out = LAYOUTS[layout](t), t.zeros(size)
            INTO[name](t, x, out)
            seen.append(([step for step, n in zip(out.stride(), out.shape, strict=True) if n > 1], out.tolist()))
        assert seen[1][0] == seen[0][0]
        assert leafward.allclose(out, leafward.tensor(seen[0][1]), equal_nan=True)
