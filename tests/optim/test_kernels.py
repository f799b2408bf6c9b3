"""The updates as they run do, bit for bit, what their NumPy bodies do; they take arrays of every layout and dtype."""
from itertools import product

import numpy as np
import pytest

import leafward
from leafward.arrays.kernels import matrix_steps, optim


def drawn(*shape, dtype="float32", seed=0):
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def copies(arrays):
    return [a.copy() if isinstance(a, np.ndarray) else a for a in arrays]


def assert_equal(ours, theirs):
    for a, b in zip(ours, theirs, strict=True):
        if isinstance(a, np.ndarray):
            np.testing.assert_array_equal(a, b, strict=True)


SGD = list(product([0, 0.9], [0, 0.3], [0, 0.2], [False, True], [False, True], [False, True]))
ADAM = list(product([0.9, 0.3], [0.999, 0.5], [0, 0.1], [False, True], [False, True], [False, True]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("momentum, dampening, decay, nesterov, maximize, is_new", SGD)
def test_sgd(dtype, momentum, dampening, decay, nesterov, maximize, is_new):
    row = [drawn(103, dtype=dtype), drawn(103, dtype=dtype, seed=1),
           drawn(103, dtype=dtype, seed=2) if momentum else None, is_new]
    options = (0.1, momentum, dampening, decay, nesterov, maximize)
    other = copies(row)
    optim.update_all(optim.sgd, [row], options)
    optim.sgd(np, *other, *options)
    assert_equal(row, other)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("beta1, beta2, decay, decoupled, maximize, amsgrad", ADAM)
def test_adam(dtype, beta1, beta2, decay, decoupled, maximize, amsgrad):
    p, g, mean, square, largest = (drawn(11, 9, dtype=dtype, seed=i) for i in range(5))
    row = [p, g, np.array(3, dtype), mean, abs(square), abs(largest) if amsgrad else None]
    options = (0.1, beta1, beta2, 1e-8, decay, decoupled, maximize)
    other = copies(row)
    optim.update_all(optim.adam, [row], options)
    optim.adam(np, *other, *options)
    assert_equal(row, other)


def test_products_and_sums_are_rounded_once(monkeypatch):
    x, y = drawn(40, 7), drawn(40, 7, seed=1) * np.float32(2) ** np.arange(-140, 140).reshape(40, 7).clip(-30, 30)
    x[0], y[1, :3], x[2, :2] = np.inf, np.nan, -np.inf
    given = [(a, b, narrow) for a, b in ((3.4445, 1), (-4.775, 2.0315), (0.05, 1)) for narrow in (False, True)]
    with np.errstate(all="ignore"):
        ours = [matrix_steps.multiplied_and_added(x, np.float32(a), y, np.float32(b), narrow) for a, b, narrow in given]
        monkeypatch.setattr(matrix_steps, "combined", None)
        theirs = [matrix_steps.multiplied_and_added(x, np.float32(a), y, np.float32(b), narrow) for a, b, narrow in given]
    assert_equal(ours, theirs)


def test_nan_spreads_through_amsgrad():
    row = [drawn(3), np.array([np.nan, 1, 1], "float32"), np.array(0, "float32"),
           *(abs(drawn(3, seed=i)) for i in (1, 2, 3))]
    options = (0.1, 0.9, 0.99, 1e-8, 0, False, False)
    other = copies(row)
    optim.update_all(optim.adam, [row], options)
    optim.adam(np, *other, *options)
    assert_equal(row, other)
    assert np.isnan(row[0]).tolist() == [True, False, False]


LAYOUTS = {
    "strided": drawn(8)[::2], "transposed": drawn(2, 4).T, "column": drawn(4, 2)[:, :1], "0-dim": drawn(),
    "empty": drawn(0, 3), "swapped": drawn(4).astype(">f4"), "unaligned": np.zeros(17, "uint8")[1:].view("float32"),
    "half": drawn(4, dtype="float16"), "complex": drawn(4).astype("complex64"), "long": drawn(70_000),
}


@pytest.mark.parametrize("other", ["C", "its own"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("kernel", ["sgd", "adam"])
def test_layouts(kernel, layout, other):
    """In whatever layout the arrays come, each element is updated as it would be alone."""
    p = LAYOUTS[layout].copy(order="K") if layout in ("half", "complex") else LAYOUTS[layout]
    before = p.copy()
    g = np.ones_like(p, order="C" if other == "C" else "K")
    if kernel == "sgd":
        optim.update_all(optim.sgd, [(p, g, None, False)], (0.5, 0, 0, 0, False, False))
    else:
        state = np.array(0, "float32"), np.zeros_like(p), np.zeros_like(p), None
        optim.update_all(optim.adam, [(p, g, *state)], (0.5, 0.9, 0.999, 1e-8, 0, False, False))
    np.testing.assert_allclose(p, before - p.dtype.type(0.5), rtol=1e-3 if layout == "half" else 1e-5, atol=1e-3)
    p[...] = before
    assert (g == 1).all()


#: Kernel -> its state (a name for an array of the parameter's shape, a number for what is counted), and its options.
EACH = {
    "sgd": (["buffer", False], (0.1, 0.9, 0.1, 0.2, True, False)),
    "adam": ([3, "mean", "square", "largest"], (0.1, 0.9, 0.999, 1e-8, 0.1, True, False)),
    "adamax": ([3, "mean", "largest"], (0.1, 0.9, 0.999, 1e-8, 0.1, False)),
    "nadam": ([3, 0.9, "mean", "square"], (0.1, 0.9, 0.999, 1e-8, 0.1, 0.004, False, True)),
    "radam": ([9, "mean", "square"], (0.1, 0.9, 0.999, 1e-8, 0.1, False, False)),
    "rmsprop": ([3, "square", "mean", "buffer"], (0.1, 0.99, 1e-3, 0.1, 0.9, False)),
    "adagrad": ([3, "square"], (0.1, 0.01, 0.1, 1e-10, False)),
    "adadelta": ([3, "square", "other square"], (1.0, 0.9, 1e-6, 0.1, False)),
    "asgd": ([3, 0.1, 0.5, "mean"], (0.1, 1e-4, 0.75, 2.0, 0.1, False)),
    "rprop": ([3, "previous", "size"], (1e-6, 50.0, 0.5, 1.2, False)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "float16"])
@pytest.mark.parametrize("name", EACH)
def test_one_pass_and_threads_change_no_bit(name, dtype):
    """A large parameter ends up as its body would leave it, and what is counted is counted once."""
    state, options = EACH[name]
    size = 70_037
    rng = np.random.default_rng(4)
    row = [rng.standard_normal(size).astype(dtype), rng.standard_normal(size).astype(dtype)]
    row[1][:5] = 0, -0.0, np.inf, -np.inf, np.nan
    for kind in state:
        if isinstance(kind, str):
            row.append(abs(rng.standard_normal(size)).astype(dtype))
        else:
            row.append(kind if isinstance(kind, bool) else np.array(kind, "float32"))
    kernel, expected = getattr(optim, name), copies(row)
    with np.errstate(all="ignore"):
        if dtype == "float16":
            optim.update_half(kernel, expected, options)
        elif dtype == "complex64" and name != "sgd":
            kernel(np, *map(optim.as_real, expected), *options)
        else:
            kernel(np, *expected, *options)
    before = leafward.get_num_threads()
    try:
        for number in 1, 2, 3:
            leafward.set_num_threads(number)
            given = copies(row)
            with np.errstate(all="ignore"):
                optim.update_all(kernel, [given], options)
            assert_equal(given, expected)
    finally:
        leafward.set_num_threads(before)


def test_every_kernel_in_c_is_tried():
    assert {kernel.__name__ for kernel in optim.COMPILED} <= set(EACH)
