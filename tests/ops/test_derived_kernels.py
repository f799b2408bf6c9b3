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

DERIVATION = derive_all()
TARGETS = {target: derived.kernels_for(target) for target in derived.targets()}
#: The paragraphs that have a kernel, and the forms of each.
PARAGRAPHS = {key: list(forms) for key, forms in itertools.groupby(DERIVATION.forms, lambda form: (form.op.name, form.serves))}
EDGES = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 0.5, -0.5, 3.0, -3.0, 20.0, -20.0, 1e-40, 3e38, -1e-30, 88.5, -104.0]
#: Functions that are rounded correctly, so that a paragraph of nothing else is the same bit for bit.
EXACT = {"sqrt", "abs", "floor", "ceil", "trunc", "rint", "sign", "sgn", "maximum", "minimum", "fmax", "fmin", "copysign"}
#: Relative to the largest operand or result: where a paragraph subtracts what is nearly equal, few digits are left of either.
CLOSE = {"float32": 1e-5, "float64": 1e-12}
#: Where a paragraph on NumPy gives something else than PyTorch, at infinities or where a square is one; the kernel does not.
AS_PYTORCH_FAR_OUT = {("asin", "x"), ("acos", "x"), ("gelu", ""), ("gelu", "x"), ("_half_of_one_plus_erf", "")}


def arguments_of(form):
    """Arrays with every pair of edges among them, and what the sample gives for the rest."""
    rng, count = np.random.default_rng(3), len(EDGES)
    arrays = 0
    for parameter in form.parameters:
        if parameter.letter == "T":
            values = rng.uniform(0.01, 0.99, 700) if form.op.domain == "unit" else 3 * rng.standard_normal(700)
            values[:count * count] = np.repeat(EDGES, count) if arrays % 2 else np.tile(EDGES, count)
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
    if given.dtype == bool:
        assert np.array_equal(given, expected), case
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
    @pytest.mark.parametrize("target", TARGETS)
    @pytest.mark.parametrize("key", PARAGRAPHS, ids=lambda key: f"{key[0]}-{key[1].replace(', ', '-') or 'forward'}")
    def test_kernel_is_paragraph(key, target):
        for form in PARAGRAPHS[key]:
            values = list(arguments_of(form))
            results = TARGETS[target][key](*values)
            assert results is not None, "the kernel declines what it was derived for"
            results = results if isinstance(results, tuple) else (results,)
            expected = paragraph(form, values)
            assert len(results) == len(expected)
            for given, wanted in zip(results, expected, strict=True):
                assert_agrees(given, wanted, form, [v for v in values if isinstance(v, np.ndarray)], (*key, form.dtype, target))

    def test_the_kernels_are_those_of_the_declarations():
        assert set(runtime.derived) == set(PARAGRAPHS)
        for kernels in TARGETS.values():
            assert set(kernels) == set(PARAGRAPHS)

    @pytest.mark.parametrize("key", [("gelu", "x"), ("_where", ""), ("mul", ""), ("lerp", "")], ids=str)
    def test_any_layout(key):
        """Strides, flips, transposes and broadcasts give the same bits as contiguous operands do, laid out as NumPy would."""
        rng, kernel = np.random.default_rng(4), runtime.derived[key]
        form = next(f for f in PARAGRAPHS[key] if f.dtype.name == "float32" and f.loop.inputs.count("T") == len(f.loop.inputs)
                    or f.loop.inputs == "bTT")
        for _ in range(150):
            shape = tuple(rng.integers(1, 6, rng.integers(1, 5)))
            if rng.random() < 0.1:
                shape = (3, 700)[:len(shape)]
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

    def test_what_a_guard_refuses_goes_to_the_paragraph():
        x = np.ones(3, "float32")
        assert runtime.derived["celu", ""](x, 0.0) is None and runtime.derived["celu", ""](x, 0) is None
        assert runtime.derived["celu", ""](x, True) is None and runtime.derived["celu", ""](x, 1 << 60) is None
        assert runtime.derived["gelu", ""](x, "other") is None and runtime.derived["gelu", ""](x, None) is None
        for declined in x.astype("float16"), x.astype(">f4"), x.astype("int64"), x.astype("complex64"), x.tolist(), None:
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
