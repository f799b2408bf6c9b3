"""Sobol sequences: PyTorch's points, scrambled and not, wherever the drawing begins."""
import pytest

import leafward as lw
from tests.oracle import assert_same, torch

DRAWINGS = {
    "one by one": lambda e, t: [e.draw(), e.draw(), e.draw(1)], "some": lambda e, t: [e.draw(5), e.draw(40), e.draw(0)],
    "double": lambda e, t: [e.draw(1, dtype=t.float64), e.draw(9, dtype=t.float64)],
    "into": lambda e, t: [e.draw(3, out=t.empty(0)), e.draw(2, out=t.empty(7, 7))],
    "powers": lambda e, t: [e.draw_base2(3), e.draw_base2(3), e.draw_base2(4)],
    "forward": lambda e, t: [e.fast_forward(12345).draw(3), e.fast_forward(0).draw(2), e.fast_forward(1000).draw(2)],
    "again": lambda e, t: [e.draw(4), e.reset().draw(6), t.tensor(e.num_generated)],
    "the state": lambda e, t: [e.draw(4), e.quasi, e.shift, e.sobolstate, t.tensor([e.MAXBIT, e.MAXDIM])],
}


@pytest.mark.parametrize("options", [{}, {"scramble": True, "seed": 7}, {"scramble": True}], ids=str)
@pytest.mark.parametrize("dimension", [1, 2, 9, 1111])
@pytest.mark.parametrize("name", DRAWINGS)
def test_points(name, dimension, options):
    found = []
    for t in (lw, torch):
        t.manual_seed(3)
        engine = t.quasirandom.SobolEngine(dimension, **options)
        found.append((*DRAWINGS[name](engine, t), t.rand(2)))
        assert repr(engine) == repr(torch.quasirandom.SobolEngine(dimension, **options))
    for mine, their in zip(*found, strict=True):
        assert_same(mine, their, rtol=0, atol=0)


@pytest.mark.parametrize("ask", [
    lambda t: t.quasirandom.SobolEngine(0), lambda t: t.quasirandom.SobolEngine(21202),
    lambda t: t.quasirandom.SobolEngine(2).draw(3, dtype=t.float16), lambda t: t.quasirandom.SobolEngine(2).draw(0),
    lambda t: t.quasirandom.SobolEngine(2).draw(3, dtype=t.int64), lambda t: t.quasirandom.SobolEngine(2).draw(-1),
    lambda t: [engine := t.quasirandom.SobolEngine(2), engine.draw(3), engine.draw_base2(2)]])
def test_what_is_refused(ask):
    errors = []
    for t in (lw, torch):
        with pytest.raises((ValueError, RuntimeError)) as raised:
            ask(t)
        errors.append((type(raised.value), str(raised.value)))
    assert errors[0] == errors[1]


def test_bounds_that_pytorch_has_not():
    with pytest.raises(NotImplementedError, match=r"1111 dimensions, not of 1112: use scipy\.stats\.qmc\.Sobol"):
        lw.quasirandom.SobolEngine(1112)
    engine = lw.quasirandom.SobolEngine(2)
    with pytest.raises(ValueError, match=r"2 \*\* 30 points"):
        engine.fast_forward(2 ** 30 + 1)
    assert engine.num_generated == 0 and engine.draw(2).tolist() == [[0, 0], [.5, .5]]
