"""``assert_close``: values that should be equal, and a message that shows where they are not."""
import cmath
from collections.abc import Mapping, Sequence

import leafward as lw
from leafward.errors import warn

#: ``rtol, atol`` by dtype; everything else must be equal.
TOLERANCES = {
    lw.float16: (1e-3, 1e-5), lw.bfloat16: (1.6e-2, 1e-5), lw.float32: (1.3e-6, 1e-5), lw.float64: (1e-7, 1e-7),
    lw.complex64: (1.3e-6, 1e-5), lw.complex128: (1e-7, 1e-7),
}


def default_tolerances(*dtypes):
    """The largest ``rtol`` and the largest ``atol`` of these dtypes."""
    pairs = [TOLERANCES.get(dtype, (0.0, 0.0)) for dtype in dtypes]
    return max(rtol for rtol, _ in pairs), max(atol for _, atol in pairs)


class Mismatch(Exception):
    """What differs, and at which item of the containers."""

    def __init__(self, message, path):
        super().__init__(message)
        self.message, self.path = message, path

    def text(self):
        where = "".join(f"[{item!r}]" for item in self.path)
        return self.message + (f"\n\nThe failure occurred for item {where}" if where else "")


def assert_close(actual, expected, *, allow_subclasses=True, rtol=None, atol=None, equal_nan=False, check_device=True,
                 check_dtype=True, check_layout=True, check_stride=False, msg=None):
    """Raise AssertionError unless ``abs(actual - expected) <= atol + rtol abs(expected)`` everywhere.

    Tensors, arrays, numbers, booleans, None, and sequences and mappings of them are compared. Tensors must agree in
    shape, and in dtype, device and strides as asked. ``msg`` replaces the message; a function gets it and returns one.

    >>> import leafward as lw
    >>> assert_close(lw.tensor([1.0, 2.0]), lw.tensor([1.0, 2.0 + 1e-7]))
    >>> assert_close(1, 2)
    Traceback (most recent call last):
    AssertionError: Scalars are not equal!
    <BLANKLINE>
    Expected 2 but got 1.
    Absolute difference: 1
    Relative difference: 0.5
    """
    __tracebackhide__ = True        # pytest then shows the caller
    if (rtol is None) != (atol is None):
        missing = "rtol" if rtol is None else "atol"
        raise ValueError(f"Both 'rtol' and 'atol' must be either specified or omitted, but got no {missing}.")
    compare = Comparison(rtol, atol, equal_nan, allow_subclasses, check_device, check_dtype, check_layout, check_stride)
    try:
        compare(actual, expected, ())
    except Mismatch as mismatch:
        text = mismatch.text()
    else:
        return
    raise AssertionError(text if msg is None else msg(text) if callable(msg) else msg)


def assert_allclose(actual, expected, rtol=None, atol=None, equal_nan=True, msg=""):
    """As :func:`assert_close`, by its older name: dtypes, devices and strides may differ."""
    warn("`torch.testing.assert_allclose()` is deprecated since 1.12 and will be removed in a future release. "
         "Please use `torch.testing.assert_close()` instead. You can find detailed upgrade instructions in "
         "https://github.com/pytorch/pytorch/issues/61844.", FutureWarning)
    actual, expected = (x if isinstance(x, lw.Tensor) else lw.tensor(x) for x in (actual, expected))
    if rtol is None and atol is None:
        rtol, atol = default_tolerances(actual.dtype, expected.dtype)
    assert_close(actual, expected, rtol=rtol, atol=atol, equal_nan=equal_nan, check_device=True, check_dtype=False,
                 check_stride=False, msg=msg or None)


def is_number(value):
    return isinstance(value, (int, float, complex)) or (is_array(value) and not hasattr(value, "__setitem__"))


def is_array(value):
    return hasattr(value, "__array_interface__") and not isinstance(value, lw.Tensor)


def is_bool(value):
    return isinstance(value, bool) or type(value).__name__ in ("bool_", "bool")


class Comparison:
    """How closely to compare; called with two values and the path that led to them."""

    def __init__(self, rtol, atol, equal_nan, allow_subclasses, check_device, check_dtype, check_layout, check_stride):
        self.rtol, self.atol, self.equal_nan, self.allow_subclasses = rtol, atol, equal_nan, allow_subclasses
        self.check_device, self.check_dtype = check_device, check_dtype
        self.check_layout, self.check_stride = check_layout, check_stride

    def __call__(self, actual, expected, path):
        both = actual, expected
        if all(isinstance(v, Sequence) and not isinstance(v, str) for v in both):
            self.sequences(actual, expected, path)
        elif all(isinstance(v, Mapping) for v in both):
            self.mappings(actual, expected, path)
        elif actual is None or expected is None:
            if actual is not expected:
                raise Mismatch(f"None mismatch: {actual} is not {expected}", path)
        elif all(is_bool(v) for v in both):
            if bool(actual) is not bool(expected):
                raise Mismatch(f"Booleans mismatch: {actual} is not {expected}", path)
        elif all(is_number(v) for v in both):
            self.numbers(actual, expected, path)
        elif all(isinstance(v, lw.Tensor) for v in both) and self.may_mix(actual, expected):
            self.tensors(actual, expected, path)
        elif all(is_array(v) for v in both):
            self.tensors(lw.from_numpy(actual), lw.from_numpy(expected), path)
        else:
            raise TypeError("No comparison pair was able to handle inputs of type "
                            f"{type(actual)} and {type(expected)}.")

    def may_mix(self, actual, expected):
        a, b = type(actual), type(expected)
        return a is b or (self.allow_subclasses and (issubclass(a, b) or issubclass(b, a)))

    # -- containers --------------------------------------------------------------------------------------------

    def sequences(self, actual, expected, path):
        if len(actual) != len(expected):
            raise Mismatch(f"The length of the sequences mismatch: {len(actual)} != {len(expected)}", path)
        for k, (a, b) in enumerate(zip(actual, expected, strict=True)):
            self(a, b, (*path, k))

    def mappings(self, actual, expected, path):
        missing, additional = set(expected) - set(actual), set(actual) - set(expected)
        if missing or additional:
            raise Mismatch("The keys of the mappings do not match:\n"
                           f"Missing keys in the actual mapping: {in_order(missing)}\n"
                           f"Additional keys in the actual mapping: {in_order(additional)}", path)
        for key in in_order(expected):
            self(actual[key], expected[key], (*path, key))

    # -- values ------------------------------------------------------------------------------------------------

    def tolerances(self, *dtypes):
        return default_tolerances(*dtypes) if self.rtol is None else (self.rtol, self.atol)

    def numbers(self, actual, expected, path):
        kinds = [getattr(v, "dtype", type(v)) for v in (actual, expected)]
        actual, expected = (v.item() if hasattr(v, "item") else v for v in (actual, expected))
        if self.check_dtype and kinds[0] != kinds[1]:
            raise Mismatch(f"The (d)types do not match: {kinds[0]} != {kinds[1]}.", path)
        rtol, atol = self.tolerances(*[{float: lw.float64, complex: lw.complex128}.get(type(v))
                                       for v in (actual, expected)])
        self.scalars(actual, expected, rtol, atol, path)

    def scalars(self, actual, expected, rtol, atol, path):
        if actual == expected:
            return
        difference = abs(actual - expected)
        if cmath.isfinite(difference) and difference <= atol + rtol * abs(expected):
            return
        if self.equal_nan and cmath.isnan(actual) and cmath.isnan(expected):
            return
        relative = float("inf") if expected == 0 else difference / abs(expected)
        raise Mismatch(
            f"Scalars are not {word(rtol, atol)}!\n\nExpected {expected} but got {actual}.\n"
            f"Absolute difference: {difference}{allowed(atol, rtol, atol)}\n"
            f"Relative difference: {relative}{allowed(rtol, rtol, atol)}", path)

    def tensors(self, actual, expected, path):
        for name, wanted in (("shape", True), ("device", self.check_device), ("layout", self.check_layout),
                             ("stride()", self.check_stride), ("dtype", self.check_dtype)):
            a, b = (x.stride() if name == "stride()" else getattr(x, name) for x in (actual, expected))
            if wanted and a != b:
                raise Mismatch(f"The values for attribute '{name}' do not match: {a} != {b}.", path)
        rtol, atol = self.tolerances(actual.dtype, expected.dtype)
        with lw.no_grad():
            actual, expected = actual.detach(), expected.detach()
            if actual.dtype != expected.dtype:
                dtype = lw.promote_types(actual.dtype, expected.dtype)
                actual, expected = actual.to(dtype), expected.to(dtype)
            close = lw.isclose(actual, expected, rtol=rtol, atol=atol, equal_nan=self.equal_nan)
            if close.all():
                return
            if actual.dim() == 0:
                self.scalars(actual.item(), expected.item(), rtol, atol, path)
            raise Mismatch(difference_of(actual, expected, close, rtol, atol), path)


def in_order(keys):
    """Sorted, where the keys can be."""
    try:
        return sorted(keys)
    except TypeError:
        return list(keys)


def word(rtol, atol):
    return "equal" if rtol == atol == 0 else "close"


def allowed(tolerance, rtol, atol):
    return "" if rtol == atol == 0 else f" (up to {tolerance} allowed)"


def difference_of(actual, expected, close, rtol, atol):
    """The message for two tensors: how many elements differ, and where most."""
    if not (actual.is_floating_point() or actual.is_complex()):
        actual, expected = actual.long(), expected.long()
    count, total = int((~close).sum()), close.numel()
    absolute = (actual - expected).abs().masked_fill(close, 0)
    relative = (absolute / expected.abs()).masked_fill(close, 0)
    return (f"Tensor-likes are not {word(rtol, atol)}!\n\n"
            f"Mismatched elements: {count} / {total} ({count / total:.1%})\n"
            f"Greatest absolute difference: {greatest(absolute)}{allowed(atol, rtol, atol)}\n"
            f"Greatest relative difference: {greatest(relative)}{allowed(rtol, rtol, atol)}")


def greatest(differences):
    """The largest of ``differences`` and its place."""
    flat = differences.flatten()
    number = int(flat.argmax())
    position, rest = [], number
    for size in reversed(differences.shape):
        position.append(rest % size)
        rest //= size
    return f"{flat[number].item()} at index {tuple(reversed(position))}"
