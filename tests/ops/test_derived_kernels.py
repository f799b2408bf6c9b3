"""Each derived kernel computes what its paragraph does: over the samples, on edges, on every target of this machine."""
import itertools

import numpy as np
import pytest

import leafward
from leafward.arrays import cpu
from leafward.arrays.kernels import derived
from leafward.arrays.threads import pool
from leafward.core.op import registry
from leafward.core.runtime import runtime
from leafward.derive.kernels.deriving import derive_all
from leafward.derive.kernels.whole import WHOLE

DERIVATION = derive_all()
TARGETS = {target: derived.kernels_for(target) for target in derived.targets()}
#: The paragraphs that have a kernel, and the forms of each. What is declared elsewhere is not compiled with the package.
PARAGRAPHS = {key: list(forms) for key, forms in itertools.groupby(
    (form for form in DERIVATION.forms if form.op.forward.__module__.startswith("leafward.ops.")),
    lambda form: (form.op.name, form.serves))}
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 20.0, -20.0, 1e-40, 3e38, -1e-30, 88.5, -104.0]
#: The sizes at which elements go by themselves, in one loop, on several threads.
SIZES = (0, 1, 3, 1025, 8191, 8192, 70_000)
#: Functions that are rounded correctly, so that a paragraph of nothing else is the same bit for bit.
EXACT = {"sqrt", "abs", "floor", "ceil", "trunc", "rint", "sign", "sgn", "maximum", "minimum", "fmax", "fmin", "copysign"}
#: Relative to the largest operand or result: where a paragraph subtracts what is nearly equal, few digits are left of either.
CLOSE = {"float32": 1e-5, "float64": 1e-12}
#: Where a paragraph on NumPy gives something else than PyTorch, at infinities or where a square is one; the kernel does not.
AS_PYTORCH_FAR_OUT = {("asin", "x"), ("acos", "x"), ("gelu", ""), ("gelu", "x"), ("_half_of_one_plus_erf", "")}


def whole_arguments_of(form):
    """The same of integers or bools: the least and the largest, numbers by which bits are shifted out, and any."""
    dtype = np.dtype(form.dtype.name)
    limits = np.iinfo(dtype) if dtype.kind in "iu" else None
    edges = [0, 1, 2, 7, 8, 31, 63, 64, 100] + ([limits.min, limits.max, limits.min + 1, -1, -8] if limits else [])
    edges = np.array([e for e in edges if limits is None or e >= limits.min]).astype(dtype)
    rng, arrays = np.random.default_rng(7), 0
    for parameter in form.parameters:
        if parameter.letter not in "Tb":
            yield parameter.example
            continue
        values = rng.integers(0, 2, 700).astype(dtype) if limits is None or parameter.letter == "b" else \
            rng.integers(limits.min, limits.max, 700, dtype=dtype, endpoint=True)
        if parameter.letter == "T":
            values[:len(edges)**2] = np.repeat(edges, len(edges)) if arrays % 2 else np.tile(edges, len(edges))
            arrays += 1
        yield values.astype(bool) if parameter.letter == "b" else values


def arguments_of(form):
    """Arrays with every pair of edges among them, where nothing is added up, and what the sample gives for the rest."""
    if form.dtype in WHOLE:
        yield from whole_arguments_of(form)
        return
    rng, count = np.random.default_rng(3), 0 if form.loop.total or form.loop.demand else len(EDGES)
    arrays = 0
    for parameter in form.parameters:
        if parameter.letter == "T":
            values = rng.uniform(0.01, 0.99, 700) if form.op.domain == "unit" else 3 * rng.standard_normal(700)
            values[:count * count] = np.repeat(EDGES, count) if arrays % 2 else np.tile(EDGES, count)
            if form.op.batch_rule == "loss":            # of logits and weights that subtract what is nearly equal
                values = np.clip(values, -3, 3)
            arrays += 1
            yield values.astype(form.dtype.name)
        elif parameter.letter == "b":
            yield rng.random(700) < 0.5
        else:
            yield parameter.example


def paragraph(form, values):
    """What the declaration makes of ``values``, as a tuple."""
    function = form.op.forward if not form.serves else form.op.rules[form.serves.split(",")[0]].function
    named = dict(zip([parameter.name for parameter in form.parameters], values, strict=True))
    if "xp" in function.__code__.co_varnames[:1]:
        named["xp"] = cpu
    with np.errstate(all="ignore"):
        result = function(**named)
    return result if isinstance(result, tuple) else (result,)


def assert_agrees(given, expected, form, arrays, case):
    expected = np.asarray(expected)
    assert type(given) is np.ndarray and given.dtype == expected.dtype and given.shape == expected.shape, case
    if given.dtype.kind in "biu":
        assert np.array_equal(given, expected), (case, *[a[given != expected][:1] for a in (given, expected, *arrays)])
        return
    if form.loop.total:
        assert np.isclose(given, expected, rtol=CLOSE[given.dtype.name], atol=0), case
        return
    same = (given == expected) | (np.isnan(given) & np.isnan(expected))
    if form.loop.functions <= EXACT and (form.op.name, form.serves) not in AS_PYTORCH_FAR_OUT:
        same &= (np.signbit(given) == np.signbit(expected)) | np.isnan(given)
    else:
        with np.errstate(all="ignore"):
            size = np.maximum.reduce([np.abs(expected), *[np.abs(a) for a in arrays if a.dtype != bool]]).astype("float64")
            same |= np.abs(given.astype("float64") - expected) <= CLOSE[given.dtype.name] * np.where(np.isfinite(size), size, 1)
        if (form.op.name, form.serves) in AS_PYTORCH_FAR_OUT:
            same |= ~np.logical_and.reduce([np.abs(a) < 1e19 for a in arrays])
    k = np.flatnonzero(~same)[:1]
    assert same.all(), f"{case}: {given[k]} instead of {expected[k]}, for {[a[k] for a in arrays]}"


if TARGETS:
    @pytest.mark.parametrize("key", PARAGRAPHS, ids=lambda key: f"{key[0]}-{key[1].replace(', ', '-') or 'forward'}")
    def test_kernel_is_paragraph(key):
        for form in PARAGRAPHS[key]:
            values = list(arguments_of(form))
            expected = paragraph(form, values)              # some take seconds: once for all targets
            for target, kernels in TARGETS.items():
                results = kernels[key](*values)
                assert results is not None, "the kernel declines what it was derived for"
                results = results if isinstance(results, tuple) else (results,)
                assert len(results) == len(expected)
                for given, wanted in zip(results, expected, strict=True):
                    assert_agrees(given, wanted, form, [v for v in values if isinstance(v, np.ndarray)],
                                  (*key, form.dtype, target))

    def test_the_kernels_are_those_of_the_declarations():
        assert set(runtime.derived) == set(PARAGRAPHS)
        for kernels in TARGETS.values():
            assert set(kernels) == set(PARAGRAPHS)

    @pytest.mark.parametrize("target", TARGETS)
    @pytest.mark.parametrize("half", ["float16", "bfloat16"])
    def test_half_types_are_computed_in_float32_and_rounded_once(half, target, monkeypatch):
        dtype, served = cpu.numpy_dtype(getattr(leafward, half)), 0
        for key, forms in PARAGRAPHS.items():
            monkeypatch.setattr(TARGETS[target][key].__self__, "halves", True)
            for form in (f for f in forms if f.dtype.name == "float32" and not f.loop.total):
                with np.errstate(all="ignore"):
                    values = [in_half(v, dtype, served) for v in arguments_of(form)]
                    wide = [v.astype("float32") if getattr(v, "dtype", None) == dtype else v for v in values]
                    given, expected = (TARGETS[target][key](*v) for v in (values, wide))
                    for one, other in zip(*[v if isinstance(v, tuple) else (v,) for v in (given, expected)], strict=True):
                        other = other if other.dtype == bool else other.astype(dtype)
                        assert one.dtype == other.dtype, key
                        assert np.array_equal(one.astype("float32"), other.astype("float32"), equal_nan=True), (key, form.dtype)
                served += 1
        assert served > 300

    @pytest.mark.parametrize("dtype", ["bool", "uint8", "int16", "uint16", "int32", "int64", "uint32", "complex64", "uint64"])
    def test_what_only_chooses_serves_any_type_of_its_size(dtype):
        rng, kernel = np.random.default_rng(5), runtime.derived["_where", ""]
        for shape in (7,), (30, 40), (100, 200):
            x, y = (rng.integers(0, 2**31, shape).astype("int64").astype(dtype) for _ in range(2))
            condition = x > y
            for given in (condition, x, y), (condition.T, x.T, y.T), (condition, x[:1], y), (condition, x[:1, ...][..., :1], y):
                expected = np.where(*given)
                assert kernel(*given).dtype == expected.dtype and np.array_equal(kernel(*given), expected)
        assert (runtime.derived["add", ""](x, y) is None) == (dtype in ("uint16", "uint32", "complex64", "uint64"))

    def in_half(value, dtype, layout):
        """An array of floats in a half type: side by side, turned, or every second element."""
        if not isinstance(value, np.ndarray):
            return value
        value = value if value.dtype == bool else value.astype(dtype)
        value = value.reshape(20, 35)
        return (value, value.T, np.repeat(value, 2, -1)[:, ::2])[layout % 3]

    @pytest.mark.parametrize("key", [("gelu", "x"), ("_where", ""), ("mul", ""), ("lerp", "")], ids=str)
    def test_any_layout(key):
        """Strides, flips, transposes and broadcasts give the same bits as contiguous operands do, laid out as NumPy would."""
        rng, kernel = np.random.default_rng(4), runtime.derived[key]
        form = next(f for f in PARAGRAPHS[key] if f.dtype.name == "float32" and f.loop.inputs.count("T") == len(f.loop.inputs)
                    or f.loop.inputs == "bTT")
        for _ in range(150):
            shape = tuple(rng.integers(1, 6, rng.integers(1, 5)))
            if rng.random() < 0.1:
                shape = ((3, 700), (70, 5, 9), (17, 1300))[rng.integers(3)][:len(shape)]
            arrays = [layout(rng, shape, letter) for letter in form.loop.inputs]
            values = with_arrays(form, arrays)
            given = kernel(*values)
            whole = np.broadcast_shapes(*[a.shape for a in arrays])
            flat = with_arrays(form, [np.ascontiguousarray(np.broadcast_to(a, whole)) for a in arrays])
            assert given.shape == whole and np.array_equal(given, kernel(*flat), equal_nan=True)
            numeric = [a for a in arrays if a.dtype != bool]
            if len(arrays) == 2 and len(numeric) == 2:
                assert [s for s, n in zip(given.strides, whole, strict=True) if n > 1] == [
                    s for s, n in zip(np.add(*arrays).strides, whole, strict=True) if n > 1]

    def layout(rng, shape, letter):
        """An array that broadcasts to ``shape``, in some layout."""
        shape = tuple(1 if rng.random() < 0.2 else n for n in shape)[rng.integers(0, len(shape)) if rng.random() < 0.2 else 0:]
        steps = rng.choice([1, 1, 2, -1], len(shape))
        order = rng.permutation(len(shape)) if rng.random() < 0.5 else np.arange(len(shape))
        memory = rng.standard_normal([shape[d] * abs(steps[d]) for d in order]).astype("float32")
        array = memory.transpose(np.argsort(order))[tuple(slice(None, None, s) for s in steps)]
        return array > 0 if letter == "b" else array

    def with_arrays(form, arrays):
        arrays = iter(arrays)
        return [next(arrays) if p.letter in "Tb" else p.example for p in form.parameters]

    @pytest.mark.parametrize("key", [("gelu", ""), ("exp", ""), ("silu", "x"), ("add", "")], ids=str)
    def test_the_same_bits_on_any_number_of_threads(key):
        form = PARAGRAPHS[key][0]
        rng, before = np.random.default_rng(5), pool().threads()
        x = rng.standard_normal((301, 1003)).astype("float32")
        try:
            for arrays in ([x, x[::-1]], [x.T, x.T], [x[:, ::2], x[:, 1::2]]):
                values = with_arrays(form, [a[:, :501] for a in arrays])
                results = []
                for count in 1, 2, 3:
                    pool().allow(count)
                    results.append(runtime.derived[key](*values).tobytes())
                assert len(set(results)) == 1
        finally:
            pool().allow(before)

    @pytest.mark.parametrize("target", TARGETS)
    @pytest.mark.parametrize("name", ["sin", "cos", "tan"])
    def test_angles_of_any_size(name, target):
        """Where one element is beyond the reach of the vector form, the others stay the same bit for bit."""
        rng, kernel, exact = np.random.default_rng(6), TARGETS[target][name, ""], getattr(np, name)
        for dtype in "float32", "float64":
            for size in SIZES[1:]:
                x = rng.uniform(-1e3, 1e3, size).astype(dtype)
                alone, x[0] = kernel(x), np.array(rng.choice([1e7, -3e30, np.inf, np.nan])).astype(dtype)
                together = kernel(x)
                assert np.array_equal(alone[1:], together[1:])
                with np.errstate(invalid="ignore"):
                    assert np.allclose(together[:1], exact(x[:1]), rtol=1e-6 if dtype == "float32" else 1e-14, equal_nan=True)

    @pytest.mark.parametrize("reduction", ["mean", "sum"])
    def test_totals(reduction):
        """The same bits on any number of threads, in any layout of one order, and as exact as the paragraph's."""
        rng, before, kernel = np.random.default_rng(8), pool().threads(), runtime.derived["_mse_loss", ""]
        try:
            for shape in (2, 3), (1025, 1), (70, 1003), (300, 1000):
                x, y = rng.standard_normal((2, *shape)).astype("float32")
                exact = np.square(x.astype("float64") - y)
                exact = exact.mean() if reduction == "mean" else exact.sum()
                results = set()
                for count in 1, 2, 3:
                    pool().allow(count)
                    strided = np.repeat(x, 2, axis=1)[:, ::2]
                    results |= {kernel(x, y, reduction).tobytes(), kernel(strided, y, reduction).tobytes()}
                assert len(results) == 1
                turned = kernel(np.asfortranarray(x), np.asfortranarray(y), reduction)
                assert np.allclose([np.frombuffer(results.pop(), "float32")[0], turned], exact, rtol=2e-7)
        finally:
            pool().allow(before)
        empty = np.ones((0, 3), "float32")
        assert (np.isnan if reduction == "mean" else np.logical_not)(kernel(empty, empty, reduction))
        assert kernel(np.ones((3, 1), "float32"), np.ones((1, 4), "float32"), reduction) is None, "it asks for the size"

    def test_sizes():
        for size in SIZES:
            x = np.linspace(-4, 4, size, dtype="float32")
            assert np.array_equal(runtime.derived["add", ""](x, x), x + x)
            assert np.array_equal(runtime.derived["lt", ""](x, 0.0), x < 0)

    def test_into_a_given_array():
        add, x = runtime.derived["add", ""], np.arange(12, dtype="float32")
        y = x.copy()
        assert add(x, y, out=x) is x and np.array_equal(x, 2 * y)
        every_second = np.zeros(24, "float32")[::2]
        assert add(y, 1.0, out=every_second) is every_second and np.array_equal(every_second, y + 1)
        read_only = y.copy()
        read_only.flags.writeable = False
        repeated = np.broadcast_to(np.zeros(1, "float32"), (12,))
        for target in (np.zeros(12), np.zeros(11, "float32"), np.zeros((1, 12), "float32"), read_only, repeated, [0.0] * 12):
            assert add(y, y, out=target) is None
        before = x.copy()
        for a, b, target in (x[1:], y[1:], x[:-1]), (x, x[3], x), (y, x[::-1], x):
            assert add(a, np.asarray(b) if np.ndim(b) else x[3:4].reshape(()), out=target) is None
        assert np.array_equal(x, before), "a kernel that declines has written nothing"

    def test_what_does_not_answer_as_a_form_demands_goes_to_the_paragraph():
        degrees = np.array([3.0, 99_999, np.nan, -2], "float32")
        x, legendre = np.full(4, 0.5, "float32"), runtime.derived["special_legendre_polynomial_p", ""]
        assert legendre(x, degrees) is not None and legendre(x, np.where(degrees == 3, np.float32(1e5), degrees)) is None
        with pytest.raises(NotImplementedError, match="goes up to 100000"):
            leafward.special.legendre_polynomial_p(leafward.tensor([0.5]), leafward.tensor([1e6]))
        entropy, shares = runtime.derived["_binary_cross_entropy", ""], np.linspace(0, 1, 70_000, dtype="float32")
        for outside in -1e-7, 1.0000001, np.nan:
            wrong = shares.copy()
            wrong[50_000] = outside
            for reduction in "none", "mean", "sum":
                assert entropy(shares, shares, None, reduction) is not None
                assert entropy(shares, wrong, None, reduction) is None and entropy(wrong, shares, None, reduction) is None
            assert entropy(np.repeat(wrong, 2)[::2], shares, None, "none") is None

    def test_bools_in_place_become_numbers():
        rng = np.random.default_rng(9)
        for dtype in "float32", "float64", "int64", "int32", "int16", "uint8", "int8":
            for shape in (7,), (30, 40), (100, 200):
                x, y = rng.integers(0, 3, (2, *shape)).astype(dtype)
                wide = np.repeat(x, 2, axis=-1)[..., ::2]
                for target in x.copy(), wide, x.copy("F"):
                    assert runtime.derived["lt", ""](target, y, out=target) is target and target.dtype == dtype
                    assert np.array_equal(target, (x < y).astype(dtype))
            assert runtime.derived["lt", ""](x, y, out=np.zeros(x.shape, "complex64")) is None

    def test_what_a_guard_refuses_goes_to_the_paragraph():
        x = np.ones(3, "float32")
        assert runtime.derived["celu", ""](x, 0.0) is None and runtime.derived["celu", ""](x, 0) is None
        assert runtime.derived["celu", ""](x, True) is None and runtime.derived["celu", ""](x, 1 << 60) is None
        assert runtime.derived["gelu", ""](x, "other") is None and runtime.derived["gelu", ""](x, None) is None
        half = x.astype("float16")
        assert runtime.derived["nextafter", ""](half, half) is None         # each half type has its own neighbours
        assert runtime.derived["exp", "x"](half, half) is None              # rules widen first
        for declined in x.astype(">f4"), x.astype("int64"), x.astype("complex64"), x.tolist(), None:
            assert runtime.derived["exp", ""](declined) is None
        assert runtime.derived["add", ""](x, x.astype("float64")) is None
        assert runtime.derived["add", ""](x, np.ones(4, "float32")) is None
        assert runtime.derived["exp", ""]() is None and runtime.derived["exp", ""](x, x) is None
        with pytest.raises(TypeError):
            runtime.derived["exp", ""](x, where=x)
        with pytest.raises(RuntimeError, match="alpha"):
            leafward.nn.functional.celu(leafward.tensor([1.0]), 0.0)


def test_kernels_are_there_where_the_core_is_compiled():
    from leafward.core import call
    assert bool(runtime.derived) == (not call.__file__.endswith(".py")) == bool(TARGETS)


def test_what_has_no_kernel_has_a_reason():
    elementwise = {op.name for op in {form.op for form in DERIVATION.forms}} | {name for name, _ in DERIVATION.reasons}
    assert all(reason and len(reason) < 120 for reason in DERIVATION.reasons.values())
    assert not set(DERIVATION.reasons) & set(PARAGRAPHS)
    assert elementwise <= set(registry)
