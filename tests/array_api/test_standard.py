"""leafward.array_api beside array-api-strict: the same names, arguments, dtypes and values."""
import inspect
import itertools

import array_api_strict as strict
import numpy as np
import pytest

import leafward
from leafward import array_api
from leafward.array_api.elementwise import BINARY, UNARY

from .cases import CASES, DTYPES, Arrays
from .compare import OURS, THEIRS, assert_same, evaluated, is_array, to_tensor

#: What the package has beside the standard, and what came into the standard after 2024.12.
NOT_IN_2024 = {"ArrayAPIStrictFlags", "Device", "get_array_api_strict_flags", "reset_array_api_strict_flags",
               "set_array_api_strict_flags", "broadcast_shapes", "isin"}
EXTENSIONS = {"": (array_api, strict), "linalg.": (array_api.linalg, strict.linalg),
              "fft.": (array_api.fft, strict.fft)}


def public(names):
    return {name for name in names if not name.startswith("__")}


def standard_functions():
    for prefix, (_, theirs) in EXTENSIONS.items():
        for name in sorted(public(theirs.__all__) - NOT_IN_2024):
            if inspect.isfunction(getattr(theirs, name)):
                yield prefix + name


FUNCTIONS = list(standard_functions())


def function_named(xp, path):
    for part in path.split("."):
        xp = getattr(xp, part)
    return xp


# --- names and arguments ---------------------------------------------------------------------------------------------

@pytest.mark.parametrize("prefix", EXTENSIONS)
def test_names(prefix):
    ours, theirs = EXTENSIONS[prefix]
    assert public(dir(ours)) == public(theirs.__all__) - NOT_IN_2024


def arguments(function):
    """``(name, kind, default)`` of each; a default that stands for "not given" is None here."""
    return [(p.name, p.kind, None if type(p.default).__name__ == "Undef" else p.default)
            for p in inspect.signature(function).parameters.values()]


@pytest.mark.parametrize("path", FUNCTIONS)
def test_arguments(path):
    if path == "expand_dims":       # by keyword, or 0, in this version; by position in the next: either is taken
        assert str(inspect.signature(array_api.expand_dims)) == "(x, /, axis=0)"
    else:
        assert arguments(function_named(array_api, path)) == arguments(function_named(strict, path))


@pytest.mark.parametrize("path", FUNCTIONS)
def test_says_what_it_does(path):
    function = function_named(array_api, path)
    assert function.__doc__
    assert function.__name__ == path.rpartition(".")[2]


# --- dtypes and values -----------------------------------------------------------------------------------------------

#: Vectors of factorizations are fixed up to a sign or phase each.
UNSIGNED = {"linalg.eigh", "linalg.svd", "linalg.qr"}


def test_every_function_has_calls():
    assert {*CASES, *UNARY, *BINARY, "round", "sign"} == set(FUNCTIONS)


@pytest.mark.parametrize(("path", "call"), [(path, call) for path, calls in CASES.items() for call in calls])
def test_call(path, call):
    expression = f"xp.{path}({call})"
    assert_same(evaluated(expression, OURS), evaluated(expression, THEIRS), path in UNSIGNED)


@pytest.mark.parametrize("name", ["empty", "empty_like"])
def test_uninitialised(name):
    result = array_api.empty((2, 3), dtype=array_api.int8) if name == "empty" else array_api.empty_like(OURS["i8_23"])
    assert (result.shape, result.dtype) == ((2, 3), array_api.int8)


def accepted(expression):
    """The reference's answer, or None where the standard leaves these dtypes open."""
    try:
        return evaluated(expression, THEIRS)
    except TypeError:
        return None


@pytest.mark.parametrize("name", [*UNARY, "round", "sign"])
def test_one_operand(name):
    seen = 0
    for short in DTYPES:
        special = [f"{short}x_"] if short[0] == "f" else []
        for array in (f"{short}_34", f"{short}p_3", f"{short}_", f"{short}_0", *special):
            expression = f"xp.{name}({array})"
            theirs = accepted(expression)
            if theirs is not None:
                assert_same(evaluated(expression, OURS), theirs)
                seen += 1
    assert seen


@pytest.mark.parametrize("name", BINARY)
def test_two_operands(name):
    seen = 0
    for one, other in itertools.product(DTYPES, DTYPES):
        # Positive: the standard leaves integer division by zero, negative shifts and powers open.
        for shape, other_shape in (("34", "31"), ("", "3"), ("3", ""), ("", "")):
            expression = f"xp.{name}({one}p_{shape}, {other}p_{other_shape})"
            theirs = accepted(expression)
            if theirs is not None:
                assert_same(evaluated(expression, OURS), theirs)
                seen += 1
    assert seen


#: Complex numbers have no order, though the reference does not refuse a Python one.
ORDERED = {"greater", "greater_equal", "less", "less_equal", "maximum", "minimum"}


@pytest.mark.parametrize("name", BINARY)
def test_an_operand_that_is_a_number(name):
    seen = 0
    for short, number in itertools.product(DTYPES, ("True", "2", "2.5", *(["1j"] if name not in ORDERED else []))):
        for call in (f"{short}p_34, {number}", f"{number}, {short}p_3", f"{short}p_, {number}"):
            expression = f"xp.{name}({call})"
            theirs = accepted(expression)
            if theirs is not None:
                assert_same(evaluated(expression, OURS), theirs)
                seen += 1
    assert seen


@pytest.mark.parametrize("path", ["linalg.svd", "linalg.qr"])
def test_complete_factorizations(path):
    x = OURS["f64_43"]
    if path == "linalg.svd":
        u, s, vh = array_api.linalg.svd(x)
        back = u[:, :3] @ array_api.linalg.matmul(s * array_api.eye(3), vh)
    else:
        u, r = array_api.linalg.qr(x, mode="complete")
        back = u @ r
    assert u.shape == (4, 4)
    np.testing.assert_allclose(back.numpy(), x.numpy(), atol=1e-12)
    np.testing.assert_allclose((u.mT @ u).numpy(), np.eye(4), atol=1e-12)


# --- derivatives -----------------------------------------------------------------------------------------------------

#: Their results are places, counts, truths, dtypes or numbers that no input moves; `floor_divide` has none in PyTorch.
WITHOUT = {
    "all", "any", "argmax", "argmin", "argsort", "can_cast", "count_nonzero", "finfo", "floor_divide", "from_dlpack",
    "full_like", "iinfo", "isdtype", "linalg.matrix_rank", "nonzero", "ones_like", "result_type", "searchsorted",
    "zeros_like", "bitwise_invert", "imag", "isfinite", "isinf", "isnan", "logical_not", "signbit",
}


def with_gradients():
    for path, calls in CASES.items():
        real = [call for call in calls if "f64_" in call or "f64m_" in call]
        if real and path not in WITHOUT:
            yield path, real[0]
    for name in UNARY:
        if name not in WITHOUT:
            yield name, "f64_3 / 10" if name in ("acos", "asin", "atanh") else "f64p_3"
    for name in BINARY:
        if name not in WITHOUT and not name.startswith(("bitwise", "logical", "equal", "not_equal", "greater", "less")):
            yield name, "f64p_34, f64p_4"


def first_float(result):
    return result if is_array(result) else next(r for r in result if is_array(r) and r.is_floating_point())


@pytest.mark.parametrize(("path", "call"), list(with_gradients()))
def test_is_differentiable(path, call):
    arrays = Arrays(array_api, lambda a: to_tensor(a).requires_grad_(a.dtype.kind == "f"))
    assert first_float(evaluated(f"xp.{path}({call})", arrays)).requires_grad
    names = [name for name, value in arrays.items() if name != "xp" and value.requires_grad]

    def function(*values):
        # A symmetric matrix stays one, in whichever element it moves.
        values = [(v + v.mT) / 2 if name.startswith("f64m_") else v for name, v in zip(names, values)]
        given = {**arrays, **dict(zip(names, values))}
        return first_float(evaluated(f"xp.{path}({call})", given)).abs()
    assert leafward.autograd.gradcheck(function, [arrays[name] for name in names], check_undefined_grad=False)
