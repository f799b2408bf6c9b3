"""The real PyTorch, and what it takes to compare leafward with it.

Without PyTorch the modules that import this file are not collected; ``conftest.py`` says so in one line.
"""
import re
import warnings

import ml_dtypes
import numpy as np
import torch

from tests.comparisons import compared

torch.set_num_threads(1)  # small tensors: a second thread only costs, and sums stay in one order

#: Every dtype that both sides compute with, by name.
DTYPES = ("bool", "uint8", "int8", "int16", "int32", "int64",
          "float16", "bfloat16", "float32", "float64", "complex64", "complex128")

#: (rtol, atol) by dtype, as ``torch.testing`` has them.
TOLERANCE = {
    "float16": (1e-3, 1e-5), "bfloat16": (1.6e-2, 1e-5), "float32": (1.3e-6, 1e-5), "float64": (1e-7, 1e-7),
    "complex64": (1.3e-6, 1e-5), "complex128": (1e-7, 1e-7),
}


def dtype_name(tensor):
    """``"float32"``, on either side."""
    return str(tensor.dtype).removeprefix("torch.")


def is_tensor(value):
    return hasattr(value, "dtype") and hasattr(value, "requires_grad")


def is_floating(name):
    return "float" in name


def is_differentiable(name):
    return "float" in name or "complex" in name


def as_bits(array, dtype):
    """``array`` in the NumPy dtype that carries ``dtype``: itself, but int16 bits for bfloat16."""
    if dtype == "bfloat16":
        return np.asarray(array, dtype="float32").astype(ml_dtypes.bfloat16).view(np.int16)
    with np.errstate(all="ignore"):
        return np.asarray(array).astype(dtype)


def tensor_from_bits(t, bits, dtype):
    """A tensor of the namespace ``t`` on the memory of ``bits``, strides kept."""
    made = t.from_numpy(bits)
    return made.view(t.bfloat16) if dtype == "bfloat16" else made


def to_numpy(tensor):
    """The values of a tensor of either side, bfloat16 as float32."""
    tensor = tensor.detach()
    if tensor.dtype.is_complex:
        tensor = tensor.resolve_conj()
    tensor = tensor.resolve_neg()
    if dtype_name(tensor) == "complex32":
        tensor = tensor.cfloat()
    if dtype_name(tensor) == "bfloat16":
        int16 = torch.int16 if isinstance(tensor, torch.Tensor) else namespace_of(tensor).int16
        return tensor.view(int16).numpy(force=True).view(ml_dtypes.bfloat16).astype("float32")
    return tensor.numpy(force=True)     # `force` for PyTorch's "zero tensors", which have no memory


def namespace_of(tensor):
    if isinstance(tensor, torch.Tensor):
        return torch
    import leafward
    return leafward


def to_torch(value):
    """The same values, dtype and strides on PyTorch's side; containers are followed."""
    return convert(value, torch)


def convert(value, t):
    """A copy of ``value`` (tensor or container of tensors) in the namespace ``t``, strides kept."""
    if isinstance(value, (list, tuple)):
        return type(value)(convert(v, t) for v in value)
    if not is_tensor(value):
        return value
    name = dtype_name(value)
    values = to_numpy(value)
    span = 1 + sum((n - 1) * s for n, s in zip(value.shape, value.stride())) if values.size else 0
    memory = np.zeros(span, dtype=as_bits(np.zeros(0), name).dtype)
    strides = tuple(s * memory.itemsize for s in value.stride())
    bits = np.lib.stride_tricks.as_strided(memory, tuple(value.shape), strides)
    bits[...] = as_bits(values, name)
    return tensor_from_bits(t, bits, name).requires_grad_(value.requires_grad)


class Outcome:
    """What a call gave: a value, or the exception that it raised; and its warnings."""

    def __init__(self, function, args=(), kwargs=None):
        self.value = self.error = None
        with warnings.catch_warnings(record=True) as self.warnings:
            # PyTorch's own warnings are compared where they are the subject; NumPy's RuntimeWarnings stay errors.
            for category in (UserWarning, FutureWarning, DeprecationWarning):
                warnings.simplefilter("always", category)
            try:
                self.value = function(*args, **(kwargs or {}))
            except Exception as error:  # noqa: BLE001  whatever it raises is the outcome
                self.error = error

    def get(self):
        """The value; the exception is raised again."""
        if self.error is not None:
            raise self.error
        return self.value


def has_no_kernel(error):
    """PyTorch's way to say that nobody wrote this dtype yet: `"lgamma_vml_cpu" not implemented for 'Half'`."""
    text = str(error)
    return "not implemented for" in text or "Could not run" in text or "not supported on CPU" in text


def has_no_derivative(error):
    """PyTorch's way to say that its own rule does not reach this far, for complex numbers or for odd shapes."""
    text = str(error)
    return "does not support automatic differentiation for outputs with complex dtype" in text or (
        "returned an invalid gradient at index" in text)


def assert_same_outcome(ours, theirs, **how):
    """Both gave the same value, or both raised the same type of exception."""
    if theirs.error is not None:
        compared()
        if ours.error is None:
            raise AssertionError(f"PyTorch raises {type(theirs.error).__name__}: {theirs.error}\nleafward gives "
                                 f"{ours.value!r}")
        if not isinstance(ours.error, expected_type(theirs.error)):
            raise AssertionError(f"PyTorch raises {type(theirs.error).__name__}: {theirs.error}\nleafward raises "
                                 f"{type(ours.error).__name__}: {ours.error}") from ours.error
        return
    assert_same(ours.get(), theirs.value, **how)


def expected_type(error):
    # NotImplementedError is what PyTorch raises for a missing kernel: a kind of RuntimeError, and either will do.
    return RuntimeError if isinstance(error, NotImplementedError) else type(error)


def first_sentence(error):
    """The part of a message that users search for: up to the first full stop or line break.

    PyTorch 2.13 writes ``Split`` where it once wrote ``SplitBackward0``, and names what regenerated a view
    (``AsStrided``) where leafward names the view: neither is compared here.
    """
    sentence = str(error).split("\n")[0].split(". ")[0].rstrip(".")
    return re.sub(r"\b([A-Za-z]\w*?)Backward\d*\b", r"\1", re.sub(r", which is output \d+ of [\w:]+,", "", sentence))


def assert_same(ours, theirs, *, strides=False, rtol=None, atol=None, dtype=True, where="result"):
    """Values, dtype and shape agree (and strides, when asked); NaN equals NaN; containers are followed."""
    if isinstance(theirs, (list, tuple)) and not isinstance(theirs, torch.Size):
        assert isinstance(ours, (list, tuple)), f"{where}: {type(ours)} is not a {type(theirs)}"
        assert len(ours) == len(theirs), f"{where}: {len(ours)} values, PyTorch has {len(theirs)}"
        for k, (a, b) in enumerate(zip(ours, theirs)):
            assert_same(a, b, strides=strides, rtol=rtol, atol=atol, dtype=dtype, where=f"{where}[{k}]")
        return
    if not is_tensor(theirs):
        assert_same_plain(ours, theirs, where)
        return
    assert is_tensor(ours), f"{where}: {ours!r} is not a tensor"
    assert tuple(ours.shape) == tuple(theirs.shape), f"{where}: shape {tuple(ours.shape)}, PyTorch has {tuple(theirs.shape)}"
    if dtype:
        assert str(ours.dtype) == str(theirs.dtype), f"{where}: {ours.dtype}, PyTorch has {theirs.dtype}"
    if strides and theirs.numel():
        assert ours.stride() == theirs.stride(), f"{where}: strides {ours.stride()}, PyTorch has {theirs.stride()}"
    usual = TOLERANCE.get(dtype_name(theirs), (0, 0))
    assert_close(to_numpy(ours), to_numpy(theirs), usual[0] if rtol is None else rtol,
                 usual[1] if atol is None else atol, where)


def assert_same_plain(ours, theirs, where):
    compared()
    if isinstance(theirs, torch.dtype):
        assert str(ours) == str(theirs), f"{where}: {ours}, PyTorch has {theirs}"
    elif isinstance(theirs, torch.Size):
        assert tuple(ours) == tuple(theirs), f"{where}: {ours}, PyTorch has {theirs}"
    elif isinstance(theirs, float):
        assert_close(np.asarray(ours), np.asarray(theirs), 1e-6, 1e-7, where)
    else:
        assert ours == theirs, f"{where}: {ours!r}, PyTorch has {theirs!r}"


def assert_close(ours, theirs, rtol, atol, where="result"):
    """NumPy's closeness, with a message that shows the worst element."""
    compared()
    if ours.dtype.kind in "biu" and theirs.dtype.kind in "biu":
        if np.array_equal(ours, theirs):
            return
        at = tuple(np.argwhere(ours != theirs)[0])
        raise AssertionError(f"{where}{list(map(int, at))}: {ours[at]}, PyTorch has {theirs[at]}")
    wide = "complex128" if "c" in (ours.dtype.kind, theirs.dtype.kind) else "float64"
    with np.errstate(all="ignore"):
        ours, theirs = ours.astype(wide), theirs.astype(wide)
        good = np.isclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True)
        if wide == "complex128":  # (nan, 1) and (1, nan) are both NaN to isclose's `equal_nan`; infinities go part by part
            good |= (np.isclose(ours.real, theirs.real, rtol=rtol, atol=atol, equal_nan=True)
                     & np.isclose(ours.imag, theirs.imag, rtol=rtol, atol=atol, equal_nan=True))
        if good.all():
            return
        error = np.where(good, -1, np.nan_to_num(np.abs(ours - theirs), nan=np.inf, posinf=np.inf))
    at = np.unravel_index(int(np.argmax(error)), error.shape)
    raise AssertionError(f"{where}{list(map(int, at))}: {ours[at]}, expected {theirs[at]} "
                         f"(rtol={rtol}, atol={atol}, {int((~good).sum())} of {good.size} differ)")
