"""Founding behaviour 18: a tensor's repr is PyTorch's to the character, for all dtypes, sizes and print options."""
import numpy as np
import pytest

import leafward
from tests.oracle import DTYPES, convert, torch

SHAPES = [(), (0,), (1,), (3,), (2, 0), (2, 3), (2, 1, 3), (1, 2, 2, 2), (40,), (1200,), (40, 40), (3, 1001)]
SCALES = {"plain": 1.0, "tiny": 1e-6, "huge": 1e7, "mixed": None, "whole": 0, "special": "special"}
OPTIONS = [{"precision": 2}, {"sci_mode": True}, {"sci_mode": False}, {"threshold": 5, "edgeitems": 2}, {"linewidth": 40},
           {"profile": "short"}, {"profile": "full"}]


def values(shape, dtype, scale):
    rng = np.random.default_rng(len(shape) + 10 * sum(shape))
    drawn = rng.standard_normal(shape)
    if scale == "special":
        drawn = np.where(rng.random(shape) < 0.3, rng.choice([np.nan, np.inf, -np.inf, 0.0], shape), drawn)
    elif scale is None:
        drawn = drawn * 10.0 ** rng.integers(-6, 8, shape)
    else:
        drawn = np.round(drawn * 9) if scale == 0 else drawn * scale
    if "complex" in dtype:
        drawn = drawn + 1j * np.flip(drawn)
    elif "float" not in dtype:
        drawn = np.nan_to_num(drawn * 9, posinf=9, neginf=-9).astype("int64") % 100
    return drawn


def pair(shape, dtype, scale):
    with np.errstate(all="ignore"):
        made = torch.tensor(values(shape, dtype, scale)).to(getattr(torch, dtype))
    return convert(made, leafward), made


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("scale", SCALES)
def test_repr(dtype, scale):
    for shape in SHAPES:
        ours, theirs = pair(shape, dtype, SCALES[scale])
        assert repr(ours) == repr(theirs)
        assert str(ours) == str(theirs)
        if shape == ():
            assert f"{ours:.3f}" == f"{theirs:.3f}" if "complex" not in dtype else True


@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "bool", "complex64"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_repr_under_print_options(dtype, options):
    for t in leafward, torch:
        t.set_printoptions(**options)
    try:
        for shape in SHAPES[:-2]:
            for scale in 1.0, None, 0:
                ours, theirs = pair(shape, dtype, scale)
                assert repr(ours) == repr(theirs)
    finally:
        for t in leafward, torch:
            t.set_printoptions(profile="default", sci_mode=None)


def test_repr_with_history():
    for make in (lambda t: t.ones(2, requires_grad=True), lambda t: t.ones(2, requires_grad=True) * 2,
                 lambda t: t.ones(2, 2, requires_grad=True).t(), lambda t: t.ones(3, dtype=t.float64),
                 lambda t: t.nn.Parameter(t.ones(2, 2)), lambda t: t.ones(2, requires_grad=True)[0],
                 lambda t: t.zeros(2, 0, requires_grad=True), lambda t: t.zeros(3, 0, dtype=t.int32)):
        assert repr(make(leafward)) == repr(make(torch))
