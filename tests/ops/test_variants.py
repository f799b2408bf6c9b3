"""The derived forms of an op - method, alias, in place, ``out=`` - do what the op does, or refuse before they write.

Forms that PyTorch has are compared with PyTorch's; those that it lacks, with the function itself.
"""
import warnings

import pytest

import leafward
from tests.comparisons import compared, compares
from tests.oracle import Outcome, assert_close, assert_same, assert_same_outcome, has_no_kernel, is_tensor, to_numpy, torch
from tests.ops.checks import RESIZED_THERE, call, gradients, has_gradient, is_recorded, settled, tensors_in
from tests.samples import every_sample, is_composite, is_public, name_of, ours, resolve, theirs, writes_input

PUBLIC = every_sample(is_public)


def method_names(op):
    """The names under which an op is a method: ``mul`` and ``multiply``."""
    plain = [path.removeprefix("Tensor.") for path in op.paths if not path.startswith("torch.")]
    return [name for name in plain if "." not in name and not name.startswith("__")]


def in_place_names(op):
    """Those that PyTorch has."""
    if writes_input(op):
        return []
    return [f"{name}_" for name in method_names(op) if hasattr(torch.Tensor, f"{name}_")]


def own_in_place_names(op):
    """Those that leafward alone has."""
    if writes_input(op):
        return []
    return [name for name in (f"{name}_" for name in method_names(op))
            if hasattr(leafward.Tensor, name) and not hasattr(torch.Tensor, name)]


@pytest.mark.parametrize("sample", [s for s in PUBLIC if not s.op.random], ids=name_of)
@compares
def test_methods_and_aliases_agree(sample):
    args, kwargs = sample.make(leafward, "float32")
    expected = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs))
    paths = [path for path in sample.op.paths if "__" not in path]
    if args and is_tensor(args[0]) and not isinstance(args[0], (list, tuple)):
        paths += [f"Tensor.{name}" for name in method_names(sample.op)]
    for path in paths:
        function = resolve(leafward, path)
        assert function is not None, f"leafward has no {path}"
        method = path.startswith("Tensor.")
        given = Outcome(call, (leafward, function, sample.op, self_first(sample.op, args) if method else args, kwargs))
        assert (given.error is None) == (expected.error is None), f"{path}: {given.error or expected.error}"
        assert_equal(given.value, expected.value, path)


def self_first(op, args):
    """``where(condition, x, y)`` is ``x.where(condition, y)``."""
    if getattr(op, "self_name", None) is None:
        return args
    at = op.names.index(op.self_name)
    return [args[at], *args[:at], *args[at + 1:]]


def assert_equal(given, expected, path):
    compared()
    if isinstance(expected, (list, tuple)):
        assert len(given) == len(expected)
        for a, b in zip(given, expected):
            assert_equal(a, b, path)
    elif is_tensor(expected):
        assert given.dtype == expected.dtype, path
        assert to_numpy(given).tobytes() == to_numpy(expected).tobytes(), path
    else:
        assert given == expected, path


def state(x):
    return to_numpy(x).tobytes(), x._version, tuple(x.shape)


def overwrite(t, sample, name, dtype, layout="contiguous"):
    """Call the in-place form; its outcome, the target, and the target's state before."""
    args, kwargs = sample.make(t, dtype, layout=layout)
    at = next(k for k, a in enumerate(args) if is_tensor(a))        # `polygamma(n, input)`: not always the first
    target, rest = args[at], [*args[:at], *args[at + 1:]]
    before = state(target)
    if sample.op.random:
        t.manual_seed(0)
    return Outcome(getattr(target, name), rest, kwargs), target, before


def starts_with_a_tensor(sample):
    return bool(sample.specs) and sample.specs[0].kind not in ("none", "scalar", "list")


IN_PLACE = [s for s in PUBLIC if in_place_names(s.op) and starts_with_a_tensor(s)]
OWN_IN_PLACE = [s for s in PUBLIC if own_in_place_names(s.op) and starts_with_a_tensor(s)]


@pytest.mark.parametrize("sample", IN_PLACE, ids=name_of)
@compares
def test_in_place(sample):
    """The value, the version, the tensor itself - or PyTorch's exception, with no byte changed."""
    for name in in_place_names(sample.op):
        assert hasattr(leafward.Tensor, name), f"leafward has no Tensor.{name}"
        for dtype, layout in (("float32", "contiguous"), ("float32", "strided"), ("int64", "contiguous"),
                              ("bool", "contiguous"), ("float32", "lazy_conj"), ("complex64", "lazy_conj")):
            expected, their_target, their_before = overwrite(torch, sample, name, dtype, layout)
            given, target, before = overwrite(leafward, sample, name, dtype, layout)
            if isinstance(expected.error, TypeError) and "combination of arguments" in str(expected.error):
                continue    # an alias of fewer options: `true_divide_` knows no `rounding_mode`
            if "storage that is not resizable" in str(expected.error):
                compared()
                continue    # `state` looked at it through NumPy; tests/test_corners.py compares such a write
            if dtype == "complex64" and expected.error is not None and has_no_kernel(expected.error):
                continue
            note = f"{name}, sample {sample.text!r}, {dtype}, {layout}"
            if given.error is not None:
                assert state(target) == before, f"{note}: raised after it had written"
            try:
                assert_same_outcome(given, expected) if not sample.op.random else None
                if expected.error is None:
                    assert given.get() is target, "an in-place method returns its tensor"
                    assert target._version - before[1] == their_target._version - their_before[1], "version"
                    assert sample.op.random or assert_same(target, their_target) is None
            except Exception as error:
                error.add_note(note)
                raise


@pytest.mark.parametrize("sample", OWN_IN_PLACE, ids=name_of)
@compares
def test_in_place_form_that_pytorch_lacks(sample):
    """It holds what the function gives, in its own dtype - or it refuses, with no byte changed, what does not fit."""
    written = False
    for name in own_in_place_names(sample.op):
        for dtype, layout in (("float32", "contiguous"), ("float32", "strided"), ("int64", "contiguous"),
                              ("bool", "contiguous"), ("float32", "lazy_conj"), ("complex64", "lazy_conj")):
            args, kwargs = sample.make(leafward, dtype, layout=layout)
            expected = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs))
            given, target, before = overwrite(leafward, sample, name, dtype, layout)
            fits = expected.error is None and tuple(expected.value.shape) == tuple(target.shape) and leafward.can_cast(
                expected.value.dtype, target.dtype)
            compared()
            if fits:
                assert given.get() is target, "an in-place method returns its tensor"
                assert target._version == before[1] + 1
                assert_equal(target, expected.value.to(target.dtype), f"{name}, {dtype}, {layout}")
                written = True
            else:
                assert isinstance(given.error, (RuntimeError, TypeError)), f"{name}, {dtype}, {layout}: {given.value}"
                assert state(target) == before, f"{name}, {dtype}, {layout}: raised after it had written"
    assert written or expected.error is not None or not fits


@pytest.mark.parametrize("sample", [s for s in IN_PLACE + OWN_IN_PLACE if has_gradient(s.op) and is_recorded(s)], ids=name_of)
@compares
def test_gradient_through_in_place(sample):
    """PyTorch's; where it has no such form, or no derivative of it, that of the function itself."""
    drawn = sample.draw("float64")
    for name in [*in_place_names(sample.op), *own_in_place_names(sample.op)][:1]:
        def run(t):
            def in_place(x, *args, **kwargs):
                return getattr(x.clone(), name)(*args, **kwargs)  # noqa: B023  called at once
            return list(gradients(t, in_place, sample, drawn)[2] or [])

        given = Outcome(run, (leafward,))
        expected = Outcome(run, (torch,)) if hasattr(torch.Tensor, name) else None
        if sample.op.name in RESIZED_THERE and "doesn't match the broadcast shape" in str(given.error):
            compared()
            assert expected.error is None, "PyTorch does not resize it any more"
        elif expected is None or (expected.error is not None and is_a_hole(expected.error)):
            whole = Outcome(lambda: list(gradients(leafward, ours(sample.op), sample, drawn)[2] or []))
            assert_same_gradients(given, whole, sample)
        else:
            assert_same_outcome(given, expected)


def assert_same_gradients(in_place, whole, sample):
    """Bit by bit; but where the result has another shape than the input, there is none in place."""
    args, kwargs = sample.make(leafward, "float64")
    if call(leafward, ours(sample.op), sample.op, args, kwargs).shape != args[0].shape:
        compared()
        assert in_place.error is not None
    else:
        assert_equal(in_place.get(), whole.get(), sample.op.name)


def is_a_hole(error):
    """PyTorch lacks ``asinh_``'s derivative, and ``scatter_``'s for a source larger than its index; leafward does not."""
    return "the derivative for 'inplace version of" in str(error) or "returned an invalid gradient" in str(error)


@pytest.mark.parametrize("sample", [s for s in IN_PLACE + OWN_IN_PLACE if s.specs[0].follows_dtype], ids=name_of)
def test_in_place_on_a_leaf_is_refused_before_it_writes(sample):
    args, kwargs = sample.make(leafward, "float32")
    at = next(k for k, a in enumerate(args) if is_tensor(a))
    target = args[at].requires_grad_()
    before = state(target)
    for name in [*in_place_names(sample.op), *own_in_place_names(sample.op)]:
        outcome = Outcome(getattr(target, name), [*args[:at], *args[at + 1:]], kwargs)
        assert isinstance(outcome.error, (RuntimeError, TypeError, NotImplementedError)), f"{name} wrote into a leaf"
        assert state(target) == before, f"{name}: raised after it had written"


def buffers(t, result, change):
    """Tensors to receive ``result``, altered by ``change`` (a function of shape and dtype)."""
    if isinstance(result, (list, tuple)):
        return type(result)(buffers(t, r, change) for r in result) if type(result) in (list, tuple) else tuple(
            buffers(t, r, change) for r in result)
    shape, dtype = change(tuple(result.shape), str(result.dtype).removeprefix("torch."))
    return t.zeros(shape, dtype=getattr(t, dtype))


OUT_CASES = {
    "fitting": lambda shape, dtype: (shape, dtype),
    "empty": lambda shape, dtype: ((0,), dtype),
    "wrong shape": lambda shape, dtype: ((7, *shape), dtype),
    "wider": lambda shape, dtype: (shape, {"float32": "float64"}.get(dtype, dtype)),
    "integer": lambda shape, dtype: (shape, "int32"),
}


def is_untouched(out):
    return not any(to_numpy(x).any() for x in tensors_in(out))


def call_with_out(t, function, sample, out, requires_grad=False):
    args, kwargs = sample.make(t, "float32", requires_grad=requires_grad)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            if sample.op.random:
                t.manual_seed(0)
            return function(*args, out=out, **kwargs), None, warned(caught)
        except Exception as error:  # noqa: BLE001  compared with the other side's
            return None, error, warned(caught)


def warned(caught):
    return sorted({str(w.message).split(",")[0][:60] for w in caught if "resized" in str(w.message)})


def takes_out(t, function, sample):
    """Whether a call with ``out=`` is one that the function knows."""
    args, kwargs = sample.make(t, "float32")
    expected = Outcome(call, (t, function, sample.op, args, kwargs)).value
    return bool(tensors_in(expected)) and not isinstance(
        call_with_out(t, function, sample, buffers(t, expected, OUT_CASES["fitting"]))[1], TypeError)


OUT = {True: [], False: []}
for each in PUBLIC:
    if not writes_input(each.op):
        OUT[takes_out(torch, theirs(each.op), each)].append(each)


#: What they give is whatever was in memory.
UNINITIALIZED = ("empty_permuted",)


@pytest.mark.parametrize("sample", [s for s in OUT[False] if takes_out(leafward, ours(s.op), s)], ids=name_of)
@compares
def test_out_that_pytorch_lacks(sample):
    """It receives what the function gives, is resized where it is empty, and is untouched by what is refused."""
    op = sample.op
    args, kwargs = sample.make(leafward, "float32")
    expected = call(leafward, ours(op), op, args, kwargs)
    for case, change in OUT_CASES.items():
        out = buffers(leafward, expected, change)
        result, error, told = call_with_out(leafward, ours(op), sample, out)
        if error is not None:
            assert case in ("wider", "integer"), f"out=, {case}: {error}"
            assert is_untouched(out), f"out=, {case}: wrote, then raised"
            continue
        wanted = expected
        if case in ("wider", "integer") and any(p.name == "dtype" for p in op.parameters):      # `out` says what it computes in
            wanted = call(leafward, ours(op), op, args, {**kwargs, "dtype": out.dtype})
        for a, b, value in zip(tensors_in(out), tensors_in(result), tensors_in(wanted), strict=True):
            assert a is b, f"out=, {case}: the buffer itself is returned"
            if op.name in UNINITIALIZED:
                compared()
                assert a.shape == value.shape
            elif case == "fitting":
                assert_equal(a, value, "out=")
            elif not op.random:
                loose = {"rtol": 1e-5, "atol": 1e-5} if case == "wider" else {}         # it may compute in float64
                assert_close(to_numpy(a), to_numpy(value.to(a.dtype)), **{"rtol": 0, "atol": 0, **loose}, where=f"out=, {case}")
        assert case != "wrong shape" or not tensors_in(expected)[0].numel() or told, "resized without a word"
    # What PyTorch has no derivative of writes there, and its node refuses.
    if has_gradient(op) and is_recorded(sample, "float32") and (is_composite(op) or op.node != "NotImplemented"):
        out = buffers(leafward, expected, OUT_CASES["fitting"])
        error = call_with_out(leafward, ours(op), sample, out, requires_grad=True)[1]
        assert isinstance(error, RuntimeError) and is_untouched(out), "out= with an input that requires grad"


@pytest.mark.parametrize("sample", OUT[True], ids=name_of)
@compares
def test_out(sample):
    op = sample.op
    args, kwargs = sample.make(torch, "float32")
    expected = Outcome(call, (torch, theirs(op), op, args, kwargs)).value
    for case, change in OUT_CASES.items():
        their_out, our_out = buffers(torch, expected, change), buffers(leafward, expected, change)
        _, their_error, their_warnings = call_with_out(torch, theirs(op), sample, their_out)
        result, error, our_warnings = call_with_out(leafward, ours(op), sample, our_out)
        if error is not None:
            assert is_untouched(our_out), f"out=, {case}: wrote, then raised"
        compared()
        if their_error is not None:
            assert error is not None or casts_where_pytorch_refuses(op, their_error, case), (
                f"out=, {case}: PyTorch raises {their_error}")
            continue
        if error is not None:
            raise AssertionError(f"out=, {case}: {type(error).__name__}: {error}") from error
        for a, b in zip(tensors_in(our_out), tensors_in(result)):
            assert a is b, f"out=, {case}: the buffer itself is returned"
        if not op.random:
            loose = dict(zip(("rtol", "atol"), op.tolerance or ()))
            if case == "wider" and not loose:                                   # either may compute in float32 first
                loose = {"rtol": 1e-5, "atol": 1e-5}
            assert_same(tensors_in(settled(op, our_out)), tensors_in(settled(op, their_out)), where=f"out=, {case}", **loose)
        if case == "wrong shape" and their_warnings:
            assert our_warnings == their_warnings, f"out=, {case}"
    if has_gradient(op):
        assert_out_refuses_gradients(sample, expected)


def casts_where_pytorch_refuses(op, error, case):
    """Some of PyTorch's elementwise kernels refuse to cast into ``out``; so do some functions made of others."""
    own = is_composite(op) or op.elementwise or has_no_kernel(error)
    return own and case in ("wider", "integer") and "can't be cast" not in str(error)


def assert_out_refuses_gradients(sample, expected):
    outs = [buffers(t, expected, OUT_CASES["fitting"]) for t in (torch, leafward)]
    their_error = call_with_out(torch, theirs(sample.op), sample, outs[0], requires_grad=True)[1]
    error = call_with_out(leafward, ours(sample.op), sample, outs[1], requires_grad=True)[1]
    if their_error is not None:
        assert error is not None, f"out= with an input that requires grad: PyTorch raises {their_error}"
        assert type(error) is type(their_error) or isinstance(error, type(their_error))
        assert is_untouched(outs[1]), "out=: wrote, then raised"

