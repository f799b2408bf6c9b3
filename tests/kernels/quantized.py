"""Products with codes of 8 bits in C against the op's own forward: the same bits, for few rows and for many."""
import itertools

import numpy as np

import leafward
from leafward.arrays import cpu
from leafward.arrays.kernels import rows_quantized
from leafward.core.op import registry

#: (rows, inner, columns); from 32 rows on the weights are turned into panels.
SIZES = [(1, 1, 1), (2, 63, 5), (3, 64, 4), (4, 65, 3), (5, 128, 9), (9, 200, 33), (32, 3, 1), (33, 65, 31), (39, 64, 32),
         (64, 512, 40), (1, 1024, 300), (50, 10, 65)]
#: (steps, batch, hidden)
SEQUENCES = [(1, 1, 1), (3, 2, 3), (4, 9, 13), (40, 1, 17), (20, 20, 20), (3, 8, 66)]


def given(*shape, seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(np.float32)


def test_products():
    for rows, inner, columns in SIZES:
        x, scale, bias = given(rows, inner), abs(given(columns, seed=1)), given(columns, seed=2)
        weight = np.random.default_rng(0).integers(-128, 128, (columns, inner)).astype(np.int8)
        for args in ((x, weight, scale, bias), (x, weight, scale[:1], None), (np.abs(x), weight, scale),
                     (-np.abs(x), weight, scale), (x.T.copy().T, weight, scale),
                     (np.float32(1e-30) * x, weight, scale), (0 * x, weight, scale, bias)):
            expected, found = registry["_quantized_linear"].forward(cpu, *args), rows_quantized.quantized_linear(*args)
            assert found.dtype == np.float32 and np.array_equal(found, expected), (rows, inner, columns)


def test_steps():
    """The functions of the gates are rounded otherwise, which may take a state to the next code, but not far."""
    for (steps, batch, hidden), reverse in itertools.product(SEQUENCES, (False, True)):
        weight = np.random.default_rng(0).integers(-128, 128, (4 * hidden, hidden)).astype(np.int8)
        scale, bias = np.full(1, 1 / (128 * hidden**0.5), np.float32), given(4 * hidden, seed=2)
        args = (given(steps * batch, 4 * hidden), given(batch, hidden), given(batch, hidden, seed=3), weight, scale, bias)
        args = *args, (batch,) * steps, reverse
        expected = registry["_quantized_lstm_scan"].forward(cpu, *args[:6], sizes=args[6], reverse=reverse)
        for found, wanted in zip(rows_quantized.quantized_lstm_scan(*args), expected, strict=True):
            assert found.shape == wanted.shape and np.abs(found - wanted).max() < 1e-5, (steps, batch, hidden, reverse)


def test_a_number_that_is_none():
    x = given(40, 9)
    x[3, 4] = np.inf
    found = leafward._quantized_linear(leafward.tensor(x), leafward.ones(5, 9).to(leafward.int8), leafward.tensor(0.5))
    assert found.isnan().all()


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
