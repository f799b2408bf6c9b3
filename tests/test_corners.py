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


@pytest.mark.parametrize("expression", [
    "t.tensordot(t.tensor([[1], [3]], dtype=t.int8), t.tensor([[0, -3], [4, -3]], dtype=t.int8), dims=1)",
    "F.binary_cross_entropy(t.ones(3).half(), t.ones(3).half(), t.ones(3))",
    "F.binary_cross_entropy(t.ones(3), t.ones(3), t.ones(3).double())",
    "F.binary_cross_entropy_with_logits(t.ones(3).half(), t.ones(3).half(), None, pos_weight=t.ones(3))",
    "t.take_along_dim(t.arange(6.).view(2, 3), t.tensor([[5, -1, -4, 3]]), dim=1)",
    "t.take_along_dim(t.arange(12.).view(3, 4), t.tensor([9, 1], dtype=t.int32))",
    "t.signal.windows.exponential(M=6, center=False, tau=2.0, sym=False)",
    "t.diff(t.ones(3), 0, 5)", "t.trapz(t.arange(3.), dx=True)", "t.trapezoid(t.zeros(0), dx=True)",
    "F.margin_ranking_loss(t.ones(4), t.ones(4), t.tensor([1, -1, 1, -1]), 0.5, [])",
    "F.embedding_bag(t.tensor([1, 0, 2], dtype=t.uint8), t.arange(6.).view(3, 2), t.tensor([0, 1]))",
    "F.fractional_max_pool2d(t.arange(42).view(1, 1, 6, 7).bfloat16() % 23, 2, (3, 4), _random_samples="
    "t.linspace(0, 1, 8)[:2].view(1, 1, 2).bfloat16())",
])
def test_dtypes_inside(expression):
    compare(expression, rtol=1e-3)


@pytest.mark.parametrize("expression", [
    "t.cumulative_trapezoid(t.ones(3), dx=True)", "t.trapezoid(t.ones(3), dx=1j)",
    "t.trapz(t.tensor(True))", "t.cumulative_trapezoid(t.tensor(True))", "t.diff(t.ones(3, 2), 0, 9, t.ones(1, 2))",
    "t.signal.windows.hann(5, layout=t.sparse_coo)", "t.nanmean(t.ones(2), dtype=t.uint8)", "t.linalg.cond(t.zeros(0))",
    "t.rrelu(t.ones(3), 0.1, float('inf'))", "t.ones(3).lerp(t.ones(3), 1 + 2j)", "t.ones(3).cholesky_solve(t.ones(3, 3))",
    "t.ones(3, 3).cholesky_solve(t.ones(3))", "F.cross_entropy(t.ones(2, 3, 4), t.ones(2, 4, dtype=t.uint8))",
    "F.conv1d(t.zeros(1, 2, 0), t.ones(3, 2, 2), padding=2)",
    "F.conv_transpose3d(t.zeros(1, 2, 2, 2, 0), t.ones(2, 3, 2, 2, 2))",
    "F.conv_transpose2d(t.ones(1, 1, 3, 3), t.ones(1, 1, 2, 2), output_padding=(0, 2), dilation=2)",
    "F.adaptive_avg_pool3d(t.zeros(1, 0, 4, 5, 4), (2, 2, 1))", "F.interpolate(t.ones(1, 1, 2, 2), mode=[])",
    "F.interpolate(t.ones(1, 1, 2, 2), size=3, mode='complete', antialias=True, align_corners=True)",
    "t.ones(3, dtype=t.int64).nextafter_(t.ones(3))", "F.conv_transpose1d(t.ones(1, 1, 3), t.ones(1, 1, 2), output_padding=-1)",
    "F.avg_pool2d(t.ones(3), 2)", "F.fractional_max_pool2d(t.ones(3, 3), 2, 1)",
    "F.fractional_max_pool3d(t.ones(1, 4, 5, 5), 2, 3)",
    "F.interpolate(t.zeros(1, 0, 9, 8), size=3)", "F.interpolate(t.zeros(1, 0, 9), size=3, mode='linear')",
    "(lambda x: x.__setitem__(t.tensor([0, 3, 0]), x))(t.ones(1, 3))",
    "t.fft.rfft2(t.ones(3).half())", "t.fft.fftn(t.ones(3).half(), dim=1)",
    "t.convolution(t.ones(3, 4), t.ones(4, 3, 3, 1), None, (1, 1), (0, 0), (1, 1), False, (0, 0), 1)",
    *(f"t.zeros(3).{write}" for write in (
        "__setitem__(t.tensor([1, 0, 1], dtype=t.uint8), 1.5)", "__setitem__(t.tensor([1, 0, 1], dtype=t.uint8), t.ones(1))",
        "index_put_([t.tensor([1, 0, 1], dtype=t.uint8)], t.tensor(1.5))")),
    "t.zeros(0, requires_grad=True).__setitem__([True, True, True], 2)",
])
def test_refused_alike(expression):
    assert both(expression)[1].error is not None
    compare(expression, first_sentence=True)


@pytest.mark.parametrize("ord", ["inf", "-inf", "1", "2", "3"])
@pytest.mark.parametrize("norm", ["t.linalg.vector_norm(x, {})", "t.dist(x, t.zeros(3), {})", "x.norm({})"])
def test_slope_of_a_norm_at_nan(norm, ord):
    compare(f"(lambda x: t.autograd.grad({norm.format(f'float({ord!r})')}, x)[0])(t.tensor([2., float('nan'), -1.], "
            "requires_grad=True))", rtol=1e-5)


@pytest.mark.parametrize("call", ["t.xlogy(x, 0)", "t.xlogy(x, -1)", "t.special.xlog1py(x, -1)", "t.special.xlog1py(x, -2.5)"])
def test_slopes_beside_logarithms_of_numbers_that_have_none(call):
    compare(f"(lambda x: t.autograd.grad({call}.sum(), x)[0])(t.tensor([.5, -.2], requires_grad=True))")


@pytest.mark.parametrize("loss", ["mse_loss", "smooth_l1_loss"])
def test_recorded_gradient_beside_a_target_of_booleans(loss):
    compare(f"(lambda x: t.autograd.grad(F.{loss}(x, t.tensor([True, False])), x, create_graph=True)[0])"
            "(t.tensor([0.5, 0.25], requires_grad=True))")


@pytest.mark.parametrize("write", [
    "x[t.tensor([1])] = 2.", "x[t.tensor([1])] = t.arange(4.)", "x[[[0], [1]]] = 2.", "x[x > 2] = 7.",
    "x[:, t.tensor([2])] += 1",
    "x.index_put_([t.tensor([1])], t.tensor(2.), accumulate=True)", "x.index_fill_(0, t.tensor([1]), 2.)",
    "x.masked_fill_(t.tensor([True, False, True, False]), 2.)", "x.masked_fill_(x == 1, t.tensor(5.))",
    "x.masked_fill_(t.tensor([[True], [False], [False]]), 2.)", "x.mT.masked_fill_(t.tensor([False, True, False]), 2)",
    "x.masked_fill_(t.tensor([[True, False, False, True], [False] * 4, [False, True, False, False]]), t.tensor(9.))",
    "x[t.tensor([[True, False, False, True], [False] * 4, [False, True, False, False]])] = 9.",
    "x.index_add_(0, t.tensor([1]), x)",
    "x.copy_(x)", "x[t.tensor([], dtype=t.int64)] = 0.5"])
def test_writes_into_elements_that_share_their_memory(write):
    seen = []
    for t in lw, torch:
        base = t.arange(4.)
        x = base.expand(3, 4)
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            outcome = Outcome(lambda t=t, x=x: exec(write, {"t": t, "x": x}))
        seen.append((base.tolist(), type(outcome.error), [str(w.message).partition(".")[0] for w in told][:1]))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("channels_last", [False, True])
@pytest.mark.parametrize("options", [
    "size=(7, 3)", "size=(5, 13)", "size=(9, 3)", "size=(9, 8)", "size=(11, 9), align_corners=True",
    "scale_factor=1.7", "scale_factor=(0.4, 2.3)",
    "scale_factor=0.6, recompute_scale_factor=True", "size=(1, 2)"])
@pytest.mark.parametrize("mode", ["bilinear", "bicubic"])
@pytest.mark.parametrize("antialias", [False, True])
def test_images_of_bytes_at_another_size(mode, antialias, options, channels_last):
    """In whole numbers, rounded once per dimension: each byte is PyTorch's."""
    image = np.random.default_rng(3).integers(0, 256, (2, 3, 9, 8), "uint8")
    order = "channels_last" if channels_last else "contiguous_format"
    compare(f"(lambda y: (y, y.stride()))(F.interpolate(t.from_numpy(image).to(memory_format=t.{order}), "
            f"mode='{mode}', antialias={antialias}, {options}))", image=image)


@pytest.mark.parametrize("align_corners", [False, True])
@pytest.mark.parametrize("padding", ["border", "reflection", "zeros"])
@pytest.mark.parametrize("dims", [2, 3])
def test_slope_of_a_sampled_image_on_its_border(dims, padding, align_corners):
    """A place right on the outermost pixels, whose neighbour outside is nothing to slope towards."""
    edge = 1.0 if align_corners else 0.75
    places = np.array([[edge, edge, edge], [-edge, -edge, 0.2], [edge, 0.3, -edge], [0.3, -edge, edge], [1.5, 0.2, 0.1],
                       [0.1, -2.0, 0.3]], "float32")[:, :dims].reshape(1, *(1,) * (dims - 1), 6, dims)
    image = (np.arange(4.0**dims, dtype="float32") ** 1.5).reshape(1, 1, *(4,) * dims)
    compare(f"(lambda g: t.autograd.grad(F.grid_sample(t.from_numpy(image), g, padding_mode={padding!r}, "
            f"align_corners={align_corners}).sum(), g)[0])(t.tensor(places, requires_grad=True))", rtol=1e-4, image=image,
            places=places)


@pytest.mark.parametrize("pool", [
    "F.adaptive_max_pool1d(t.zeros(0, 1, 5), 3)", "F.adaptive_max_pool2d(t.zeros(0, 3, 4, 5), (3, 2))",
    "F.adaptive_max_pool3d(t.zeros(0, 3, 4, 5, 2), (3, 2, 1))", "F.fractional_max_pool2d(t.zeros(0, 1, 6, 7), 2, (3, 4))",
    "F.fractional_max_pool3d(t.zeros(0, 1, 6, 7, 5), 2, (3, 4, 2))"])
def test_maxima_of_an_empty_batch(pool):
    compare(pool)


def test_a_cauchy_distribution_without_bounds():
    compare("(t.manual_seed(1), t.zeros(6).cauchy_(sigma=float('inf')))[1]")


@pytest.mark.parametrize("shape", [(1,), (3, 1), (5,), (), (2, 5)])
def test_addbmm_in_place_takes_the_shape_of_its_result(shape):
    def added(t, recorded):
        x, batch = t.full(shape, 2.0, requires_grad=recorded), t.arange(24.0).reshape(2, 3, 4).requires_grad_(recorded)
        y = x * 1 if recorded else x
        assert y.addbmm_(batch, t.ones(2, 4, 5), beta=3) is y and y._version == 1
        gradients = t.autograd.grad((y * y).sum(), (x, batch)) if recorded else ()
        return [(tuple(v.shape), v.stride(), v.tolist()) for v in (y, *gradients)]
    for recorded in (False, True):
        ours, theirs = (Outcome(added, (t, recorded)) for t in (lw, torch))
        assert ours.value == theirs.value and type(ours.error) is type(theirs.error)
    v = lw.zeros(20)[1:2]
    with pytest.raises(RuntimeError, match="output with shape"):
        v.addbmm_(lw.ones(2, 3, 4), lw.ones(2, 4, 5))
    assert v._base.count_nonzero() == 0


@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float32", "float64"])
@pytest.mark.parametrize("call", ["t.searchsorted(at, x)", "t.searchsorted(at, x, right=True)", "t.bucketize(x, at)",
                                  "t.searchsorted(at.expand(2, 4), x.view(2, 3))",
                                  "t.histogramdd(x.view(3, 2), 3, range=[0., 2., 0., 2.]).hist"])
def test_a_nan_does_not_move_its_neighbours(call, dtype):
    compare(f"(lambda at, x: {call})(t.tensor([0., .668, 1.328, 2.]).to(t.{dtype}), "
            f"t.tensor([.85, float('nan'), .86, -1., float('nan'), 3.]).to(t.{dtype}))")


@pytest.mark.parametrize("call", [
    "F.conv1d(x.view(0, 3, 5), t.ones(4, 3, 1))", "F.conv2d(x.view(0, 3, 5, 2), t.ones(4, 3, 1, 1), t.ones(4))",
    "F.conv_transpose2d(x.view(0, 3, 5, 2), t.ones(3, 4, 1, 1), t.ones(4))",
    "F.conv1d(x.view(0, 3, 5), t.ones(3, 1, 1), groups=3)",
    "F.conv3d(x.view(0, 3, 5, 2, 2), t.ones(4, 3, 1, 1, 1))", "F.conv2d(x.view(0, 3, 5, 2), t.ones(4, 3, 2, 1))"])
def test_convolutions_of_an_empty_batch(call):
    compare(f"(lambda x: {call})(t.zeros(0))")


@pytest.mark.parametrize("call", [
    "t.atan2(x, y)", "t.atan2(x[0], y)", "t.special.gammainc(t.tensor([3, -2, 5, 0, 1, 2, 3]), x.abs())",
    "t.special.gammaincc(t.tensor([3, -2, 5, 0, 1, 2, 3]), x.abs())"])
def test_gradients_at_the_origin_and_of_integers(call):
    numbers = ("t.tensor([0., -0., 1., 0., 1e-30, float('nan'), 2.], requires_grad=True), "
               "t.tensor([0., 0., 0., -0., 0., 1., 3.], requires_grad=True)")
    compare(f"(lambda x, y: t.autograd.grad({call}.sum(), (x, y), allow_unused=True))({numbers})", rtol=1e-6)



@pytest.mark.parametrize("name", ["elu", "celu"])
def test_an_infinite_slope_leaves_zero_alone(name):
    compare(f"F.{name}(t.tensor([0., -0., 1., float('nan')]), float('inf'))")


@pytest.mark.parametrize("call", ["t.diag_embed(x)", "t.diag_embed(x, 1, 0, 2)", "x.diagonal()", "t.diagonal_scatter(x, x[0])",
                                  "x.expand(2, 2, 2)", "x.t()", "x.flip(0)", "t.stack([x, x])", "x.unfold(0, 2, 1)",
                                  "t.trace(x)"])
def test_gradients_can_be_written(call):
    compare(f"(lambda x: (lambda out: t.autograd.grad(out, x, t.ones_like(out))[0].clone().add_(1))({call}))"
            "(t.ones(2, 2, requires_grad=True))")
    x = lw.ones(2, 2, requires_grad=True)
    out = eval(call, {"t": lw, "x": x})
    gradient = lw.autograd.grad(out, x, lw.ones_like(out))[0]
    if 0 not in gradient.stride():
        gradient.add_(1)


def test_a_bias_of_its_own_dtype_gets_a_gradient_of_it():
    compare("(lambda b: t.autograd.grad(F.conv_transpose2d(t.ones(1, 2, 4, 4), t.ones(2, 3, 2, 2), b).sum(), b))"
            "(t.ones(3, dtype=t.float64, requires_grad=True))")


def test_slices_by_the_dispatchers_name():
    compare("t.ops.aten.slice.Tensor(t.arange(12.).view(3, 4), 1, 0, 3, 2)")
    compare("t.ops.aten.slice.Tensor(t.arange(12.).view(3, 4), dim=-1, start=1)")


@pytest.mark.parametrize("length", [4097, 100_003])
@pytest.mark.parametrize("name", ["hann_window", "hamming_window", "blackman_window"])
def test_long_windows(name, length):
    for periodic in True, False:
        truth = getattr(torch, name)(length, periodic, dtype=torch.float64).numpy()
        for dtype, bound in ("float64", 4e-15), ("float32", 6e-8), ("float16", 5e-4), ("bfloat16", 4e-3):
            window = getattr(lw, name)(length, periodic, dtype=getattr(lw, dtype))
            assert window.dtype is getattr(lw, dtype) and window.shape == (length,)
            assert np.abs(window.double().numpy() - truth).max() <= bound
