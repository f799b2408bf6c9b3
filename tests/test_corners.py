"""Numbers and dtypes in corners of single functions: what PyTorch gives or refuses, expression by expression."""
import array
import warnings

import numpy as np
import pytest

import leafward as lw
from tests.oracle import Outcome, dtype_name, is_tensor, torch

INTEGERS = ("uint8", "int8", "int16", "int32", "int64")
EVERY = (*INTEGERS, "float16", "bfloat16", "float32", "float64", "bool")


def seen(value):
    """What of ``value`` is compared: dtype, shape, strides of what has several elements, elements."""
    if is_tensor(value):
        elements = value.detach().double().numpy() if not value.dtype.is_complex else value.detach().numpy()
        return dtype_name(value), tuple(value.shape), elements
    return tuple(map(seen, value)) if isinstance(value, (list, tuple)) else value


def both(expression, **names):
    """The outcomes of ``expression``, in which ``t`` is the library, on both sides."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [Outcome(lambda t=t: seen(eval(expression, {"t": t, "F": t.nn.functional, "array": array, **names})))
                for t in (lw, torch)]


def compare(expression, first_sentence=False, rtol=0.0, **names):
    ours, theirs = both(expression, **names)
    if theirs.error is not None:
        assert isinstance(ours.error, type(theirs.error)), f"{expression}: {ours.error!r} or {ours.value}, not {theirs.error!r}"
        if first_sentence:
            assert str(ours.error).partition("\n")[0] == str(theirs.error).partition("\n")[0]
        return
    equal(ours.get(), theirs.value, rtol)


def equal(ours, theirs, rtol):
    if isinstance(theirs, tuple):
        assert len(ours) == len(theirs)
        for mine, their in zip(ours, theirs):
            equal(mine, their, rtol)
    elif isinstance(theirs, np.ndarray):
        np.testing.assert_allclose(ours, theirs, rtol=rtol)
    else:
        assert ours == theirs


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("bounds", ["0, 2.5, 1", "0.5, 5, 1", "2.7, 6.2, 1.3", "5, 0.5, -1", "0, 2.5, .5", "2.5",
                                    "-2.5, 2.5, 1", "0, 300", "0, 1e10, 5e9", "1, 2, 0", "1, 2, 0.2"])
def test_ranges_of_every_dtype(bounds, dtype):
    compare(f"t.arange({bounds}, dtype=t.{dtype})", first_sentence=True)
    if bounds.count(",") == 2 and bounds.split(", ")[2] in ("1", "1.3", "-1"):          # PyTorch dies of a step below 1
        compare(f"t.range({bounds}, dtype=t.{dtype})", first_sentence=True)


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("ends", ["0, 2.5, 4", "0.5, 5, 3", "2.7, 6.2, 5", "5, 0.5, 4"])
def test_spaced_numbers_of_every_dtype(ends, dtype):
    compare(f"t.linspace({ends}, dtype=t.{dtype})")
    compare(f"t.logspace({ends}, dtype=t.{dtype})", first_sentence=True, rtol=4e-16 if dtype == "float64" else 0)


@pytest.mark.parametrize("dtype", [*EVERY, "uint16", "uint32", "uint64", "complex64"])
def test_trace(dtype):
    compare(f"t.full((3, 4), 100).to(t.{dtype}).trace()", first_sentence=True)


@pytest.mark.parametrize("numbers", ["2., 3.", "2, 3", "2, 3.", "True, 3", "2j, 1.", "7, 2", "True, False"])
@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "multiply", "true_divide", "floor_divide", "subtract"])
def test_functions_of_numbers_alone(name, numbers):
    compare(f"t.{name}({numbers})")


@pytest.mark.parametrize("p", ["None", "1", "2", "-1", "-2", "float('inf')", "-float('inf')", "'fro'", "'nuc'"])
@pytest.mark.parametrize("shape", ["0, 0", "2, 0, 0", "0, 2, 2", "0, 2, 3", "2, 0, 3", "2, 3"])
@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_condition_of_empty_matrices(shape, p, dtype):
    compare(f"t.linalg.cond(t.zeros({shape}, dtype=t.{dtype}), {p})", first_sentence="2, 3" in shape)


@pytest.mark.parametrize("dtype", EVERY)
@pytest.mark.parametrize("number", ["70000", "-1", "300", "2.5", "True", "2 ** 63", "-2 ** 63 - 1", "32768", "255", "256",
                                    "-129", "float('inf')"])
def test_where_with_a_number_that_does_not_fit(number, dtype):
    compare(f"t.where(t.tensor([True, False]), t.ones(2).to(t.{dtype}), {number})")
    compare(f"t.where(t.tensor([True, False]), {number}, t.ones(2).to(t.{dtype}))")


@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
@pytest.mark.parametrize("last", [False, True])
@pytest.mark.parametrize("offsets", [[0, 4], [1, 2], [0, 9], [2, 0], [0, 2, 4], [0, 5]])
def test_offsets_of_bags(offsets, mode, last):
    compare(f"F.embedding_bag(t.tensor([0, 1, 2, 0]), t.arange(6.).reshape(3, 2), t.tensor({offsets}), mode='{mode}', "
            f"include_last_offset={last})")


@pytest.mark.parametrize("offsets", [[0, -1], [0, 3, 2]])
@pytest.mark.parametrize("mode", ["sum", "mean", "max"])
def test_descending_offsets_read_nothing(offsets, mode):
    with pytest.raises(RuntimeError, match="offsets have to be in ascending order"):
        lw.nn.functional.embedding_bag(lw.tensor([0, 1, 2, 0]), lw.ones(3, 2), lw.tensor(offsets), mode=mode)


@pytest.mark.parametrize("mode", ["sum", "mean"])
@pytest.mark.parametrize("last", [False, True])
def test_no_bags(mode, last):
    compare(f"F.embedding_bag(t.tensor([0, 1]), t.ones(3, 2), t.tensor([], dtype=t.int64), mode='{mode}', "
            f"include_last_offset={last})", first_sentence=True)
    with pytest.raises(RuntimeError):
        lw.nn.functional.embedding_bag(lw.tensor([0, 1]), lw.ones(3, 2), lw.tensor([], dtype=lw.int64), mode="max")


@pytest.mark.parametrize("pivots", [[1, 2, 3], [0, 2, 3], [4, 2, 3], [-1, 2, 3], [1, 2], [1, 2, 3, 4], [3, 3, 3]])
@pytest.mark.parametrize("dtype", ["int32", "int64"])
def test_pivots(pivots, dtype):
    if len(pivots) >= 3:
        compare(f"t.lu_unpack(t.arange(9.).reshape(3, 3) + 1, t.tensor({pivots}, dtype=t.{dtype}))", first_sentence=True)
    compare(f"t.linalg.lu_solve(t.eye(3), t.tensor({pivots}, dtype=t.{dtype}), t.ones(3, 2))", first_sentence=True)


X = {1: "t.ones(1, 2, 5)", 2: "t.ones(1, 2, 5, 5)", 3: "t.ones(1, 2, 4, 4, 4)"}


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("size", [0, -1])
def test_windows_of_no_size(n, size):
    kernels = ", ".join(["3"] * (n - 1) + ["0"])
    if size == 0:
        compare(f"F.conv{n}d({X[n]}, t.ones(3, 2, {kernels}))", first_sentence=True)
        compare(f"F.conv{n}d({X[n]}, t.ones(3, 2, {kernels}), padding=1)", first_sentence=True)
        compare(f"F.conv_transpose{n}d({X[n]}, t.ones(2, 3, {kernels}))", first_sentence=n < 3)
    for option in ("stride", "dilation", "groups"):
        compare(f"F.conv{n}d({X[n]}, t.ones(3, 2, {kernels.replace('0', '2')}), {option}={size})")
    for pool in ("avg_pool", "max_pool"):
        compare(f"F.{pool}{n}d({X[n]}, {size})", first_sentence=True)
        compare(f"F.{pool}{n}d({X[n]}, 2, stride={size})", first_sentence=True)
    compare(f"F.lp_pool{n}d({X[n]}, 2, {size})", first_sentence=True)


@pytest.mark.parametrize("option", ["kernel_size", "stride", "dilation", "padding"])
@pytest.mark.parametrize("size", ["0", "-1", "(0, 2)", "(2, 0)", "2"])
def test_blocks_of_no_size(option, size):
    options = {"kernel_size": 2, option: size}
    given = ", ".join(f"{name}={value}" for name, value in options.items())
    compare(f"F.unfold({X[2]}, {given})", first_sentence="(" not in size)
    compare(f"F.fold(t.ones(1, 8, 4), (3, 3), {given})", first_sentence="(" not in size)


@pytest.mark.parametrize("dtype", [*EVERY, "complex64"])
@pytest.mark.parametrize("name", ["dropout", "alpha_dropout", "feature_alpha_dropout", "dropout1d", "dropout2d", "dropout3d"])
@pytest.mark.parametrize("p, training", [(0.0, True), (0.5, True), (1.0, True), (0.5, False)])
def test_dropout_of_whole_numbers(name, dtype, p, training):
    shape = {"dropout1d": "2, 3, 2", "dropout2d": "1, 2, 2, 2", "dropout3d": "1, 1, 2, 2, 2"}.get(name, "2, 2")
    compare(f"(lambda x: (str(x.dtype), tuple(x.shape)))(F.{name}(t.ones({shape}, dtype=t.{dtype}), {p}, {training}))")


@pytest.mark.parametrize("name", ["neg", "abs", "sqrt", "exp", "reciprocal", "sign", "ceil", "sigmoid", "zero", "log", "frac"])
def test_a_list_with_a_leaf_is_left_as_it_is(name):
    for t in (lw, torch):
        tensors = [t.tensor([4., 9.]), t.tensor([4., 9.], requires_grad=True), t.tensor([1., 2.])]
        with pytest.raises(RuntimeError, match="leaf Variable that requires grad"):
            getattr(t, f"_foreach_{name}_")(tensors)
        assert [x.tolist() for x in tensors] == [[4, 9], [4, 9], [1, 2]] and [x._version for x in tensors] == [0, 0, 0]


@pytest.mark.parametrize("target", ["float32", "float64", "float16", "bfloat16", "complex64", "int32", "uint8"])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
def test_memory_seen_as_another_dtype_has_no_history(dtype, target):
    found = []
    for t in (lw, torch):
        x = t.ones(2, 8).to(getattr(t, dtype))
        if dtype != "int32":
            x = x.requires_grad_() * 1
        y = x.view(getattr(t, target))
        y.add_(1)
        found.append((y.requires_grad, y.is_leaf, y._is_view(), y._base is None, x._version, y._version, tuple(y.shape),
                      x.untyped_storage().data_ptr() == y.untyped_storage().data_ptr()))
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
@pytest.mark.parametrize("operand", ["tensor", "number"])
def test_a_comparison_in_place_has_the_gradient_zero(name, operand):
    found = []
    for t in (lw, torch):
        x, y = t.tensor([1.5, -0.5, 2.], requires_grad=True), t.tensor([1., 2., 2.], requires_grad=True)
        z = x * 1
        getattr(z, name + "_")(y if operand == "tensor" else 2.)
        node = type(z.grad_fn).__name__
        (z * z).sum().backward()
        w = t.zeros(3)
        getattr(w, name + "_")(y)
        found.append((node, z.tolist(), x.grad.tolist(), y.grad if y.grad is None else y.grad.tolist(), w.requires_grad,
                      getattr(x, name)(y).requires_grad))
    assert found[0] == found[1]


@pytest.mark.parametrize("create_graph", [False, True])
def test_gradients_that_are_made_up_require_grad_as_others_do(create_graph):
    found = []
    for t in (lw, torch):
        a, b = t.ones(2, requires_grad=True), t.ones(3, requires_grad=True)
        gradients = t.autograd.grad((a * a).sum(), (a, b), create_graph=create_graph, materialize_grads=True)
        found.append([(g.tolist(), g.requires_grad, g.is_leaf) for g in gradients])
    assert found[0] == found[1]


BUFFERS = ["bytearray(range(8))", "bytes(8)", "memoryview(bytearray(8))", "array.array('f', [1, 2])", "bytearray()",
           "array.array('d', [1, 2])", "array.array('b', [1, 2])", "array.array('i', [1, 2])",
           "memoryview(array.array('f', [1, 2, 3, 4]))"]


@pytest.mark.parametrize("options", ["", "dtype=t.uint8", "dtype=t.int16", "dtype=t.float32", "copy=False", "copy=True"])
@pytest.mark.parametrize("memory", BUFFERS)
def test_memory_as_a_tensor(memory, options):
    compare(f"t.asarray({memory}, {options})")
    compare(f"t.as_tensor({memory})")
    found = []
    for t in (lw, torch):
        buffer = bytearray(8)
        x = t.asarray(buffer, dtype=t.uint8, copy=eval(options[5:]) if options.startswith("copy") else None)
        buffer[3] = 7
        found.append(x.tolist())
    assert found[0] == found[1]


@pytest.mark.parametrize("name", ["Adam", "NAdam", "RAdam", "Adadelta", "Adagrad", "RMSprop", "ASGD", "Rprop", "Adamax"])
def test_a_recorded_step_over_lists_is_refused(name):
    for t in (lw, torch):
        p = t.ones(2, requires_grad=True) * 1
        p.retain_grad()
        optimizer = getattr(t.optim, name)([p], differentiable=True, foreach=True)
        p.grad = t.ones(2)
        with pytest.raises(AssertionError, match="_foreach ops don't support autograd"):
            optimizer.step()


KINDS = ("bool", "uint8", "int8", "int16", "int32", "int64", "float16", "bfloat16", "float32", "float64", "complex64")


@pytest.mark.parametrize("name", ["sum", "prod", "mean", "nansum", "cumsum", "cumprod", "softmax", "log_softmax"])
@pytest.mark.parametrize("given", KINDS)
def test_the_dtype_asked_for(name, given):
    for wanted in (*KINDS, None):
        found = []
        for t in lw, torch:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")         # complex numbers to real
                try:
                    x = t.ones(3, 4).to(getattr(t, given))
                    found.append(str(getattr(x, name)(1, dtype=None if wanted is None else getattr(t, wanted)).dtype))
                except RuntimeError as error:
                    found.append(type(error))
        # Where PyTorch has no kernel, leafward may have an answer.
        assert found[0] == found[1] or found[1] is NotImplementedError, f"{name} of {given}, dtype={wanted}: {found}"


@pytest.mark.parametrize("name", ["eq", "ne", "lt", "le", "gt", "ge"])
def test_a_comparison_asks_for_no_history(name):
    outcomes = []
    for t in lw, torch:
        base = t.ones(4, 2, requires_grad=True) * 1
        with t.no_grad():
            view = base[1:]
        base.mul_(2)                                    # the view has no way back to it any more
        outcomes.append(getattr(view, name)(2).tolist())
        assert not getattr(t, name)(base, base, out=t.empty(4, 2, dtype=t.bool)).requires_grad
    assert outcomes[0] == outcomes[1]
