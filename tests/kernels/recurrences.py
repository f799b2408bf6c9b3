"""The scans of an LSTM and a GRU in C against the ops' own steps: values, gradients, both directions, parts of tiles."""
import itertools

import numpy as np

import leafward
from leafward.arrays.kernels import recurrent
from leafward.arrays.threads import pool

#: (steps, batch, hidden); of two steps with 20 rows each, the products with the weight are those of all rows.
SIZES = [(1, 1, 1), (3, 2, 3), (4, 9, 13), (5, 17, 20), (2, 20, 50), (3, 8, 130)]


def scan(function, values, steps, reverse):
    """Outputs and gradients of every input, as arrays."""
    inputs = [leafward.tensor(v, requires_grad=True) for v in values]
    outputs = function(*inputs, sizes=(values[1].shape[0],) * steps, reverse=reverse)
    weights = [leafward.tensor(np.cos(np.arange(x.numel())).reshape(x.shape).astype(values[0].dtype)) for x in outputs]
    gradients = leafward.autograd.grad(outputs, inputs, weights)
    return [x.detach().numpy() for x in (*outputs, *gradients)]


def by_steps(*args):
    compiled, recurrent.compiled = recurrent.compiled, None
    try:
        return scan(*args)
    finally:
        recurrent.compiled = compiled


def shapes(function, steps, batch, hidden):
    state = batch, hidden
    if function is leafward._lstm_scan:
        return (steps * batch, 4 * hidden), state, state, (4 * hidden, hidden)
    return (steps * batch, 3 * hidden), state, (3 * hidden, hidden), (3 * hidden,)


def test_values_and_gradients():
    rng = np.random.default_rng(1)
    for size, reverse, dtype, function in itertools.product(SIZES, (False, True), ("float32", "float64"), (
            leafward._lstm_scan, leafward._gru_scan)):
        values = [rng.standard_normal(shape).astype(dtype) / shape[-1]**0.5 for shape in shapes(function, *size)]
        steps, given = size[0], []
        for threads in 1, 3:
            pool().allow(threads)
            given.append(scan(function, values, steps, reverse))
        what = f"{function.__name__}, {size}, {dtype}, reverse {reverse}"
        assert all(np.array_equal(a, b) for a, b in zip(*given, strict=True)), f"{what}: other bits on three threads"
        for a, b in zip(given[0], by_steps(function, [v.astype("float64") for v in values], steps, reverse), strict=True):
            assert np.abs(a - b).max() <= 200 * np.finfo(dtype).eps * max(1, np.abs(b).max()), what


def test_functions_near_and_far_from_zero():
    """A step without a state: gates are sigmoids and a tanh of the rows."""
    for dtype in "float32", "float64":
        size = np.concatenate([np.logspace(-30, 2, 4000), [0, np.inf]])
        x = np.concatenate([size, -size, [np.nan]]).astype(dtype)
        rows, zero = np.repeat(x[:, None], 4, 1), np.zeros((len(x), 1), dtype)
        gates = recurrent.compiled.lstm_steps(rows, zero, zero, np.zeros((4, 1), dtype), 1, False, None)[2]
        wide = x.astype("longdouble")
        with np.errstate(over="ignore"):
            expected = 1 / (1 + np.exp(-wide))
        for gate, true in (0, expected), (1, expected), (2, np.tanh(wide)), (3, expected):
            large = np.abs(true) > np.finfo(dtype).tiny * 4
            off = np.abs(gates[:, gate] - true)[large] / np.spacing(np.abs(true[large]).astype(dtype))
            assert off.max() <= 4, f"{dtype}, gate {gate}: {off.max()}"
            assert np.isnan(gates[-1, gate])


if __name__ == "__main__":
    for name, check in list(globals().items()):
        if name.startswith("test_"):
            check()
