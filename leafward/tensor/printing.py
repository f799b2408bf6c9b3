"""A tensor as text: ``tensor([1.0000, 2.5000], dtype=torch.float64)``.

Only the elements that appear in the text are read, so printing a large tensor costs no more than a small one.
"""
from __future__ import annotations

import math
from contextlib import contextmanager
from typing import Any, TYPE_CHECKING

from leafward import dtypes

if TYPE_CHECKING:
    pass

PROFILES = {
    "default": {"precision": 4, "threshold": 1000, "edgeitems": 3, "linewidth": 80},
    "short": {"precision": 2, "threshold": 1000, "edgeitems": 2, "linewidth": 80},
    "full": {"precision": 4, "threshold": math.inf, "edgeitems": 3, "linewidth": 80},
}

options = {**PROFILES["default"], "sci_mode": None}


def set_printoptions(precision: int | None = None, threshold: int | None = None, edgeitems: int | None = None,
                     linewidth: int | None = None, profile: str | None = None, sci_mode: bool | None = None) -> None:
    """Choose how tensors are printed.

    ``precision``: digits after the point; ``threshold``: more elements than this are summarised, to ``edgeitems``
    at either end of each dimension; ``linewidth``: characters to a line; ``profile``: ``"default"``, ``"short"`` or
    ``"full"``, which the other arguments adjust; ``sci_mode``: scientific notation always, never, or (None) where it
    is needed.
    """
    given = {"precision": precision, "threshold": threshold, "edgeitems": edgeitems, "linewidth": linewidth}
    options.update(PROFILES.get(profile, {}))
    options.update((name, value) for name, value in given.items() if value is not None)
    options["sci_mode"] = sci_mode


def get_printoptions() -> dict[str, Any]:
    """The current options of :func:`set_printoptions`, as a dict."""
    return dict(options)


@contextmanager
def printoptions(**changes: Any):
    """Print with other options inside a ``with`` block."""
    before = get_printoptions()
    set_printoptions(**changes)
    try:
        yield
    finally:
        options.update(before)


def shown_node(tensor):
    """The name of its ``grad_fn``; None where there is none. A view may have lost it when its base was written."""
    try:
        node = tensor.grad_fn
    except RuntimeError:
        return "Invalid"
    return None if node is None else node.name().rpartition("::")[2]


def tensor_repr(array, dtype, *, requires_grad=False, grad_fn_name=None, prefix="tensor(", default_dtype=None,
                tangent=None):
    """The text of a tensor that holds ``array``.

    ``array`` has NumPy's ``shape``, ``ndim``, ``size``, ``tolist`` and slicing; ``prefix`` is the type's name and a
    bracket.
    """
    if default_dtype is None:
        default_dtype = dtypes.get_default_dtype()
    suffixes = []
    usual_complex = dtypes.complex128 if default_dtype is dtypes.float64 else dtypes.complex64
    usual = (dtypes.int64, dtypes.bool, default_dtype, usual_complex)
    if array.size == 0:
        body = "[]"
        usual = (default_dtype,)                 # no element shows the type
    elif is_summarised(array) and array.ndim and not options["edgeitems"]:
        body = "[...]"
    else:
        body = array_text(array, dtype, len(prefix))
    if array.ndim != 1 if array.size == 0 else not options["edgeitems"]:
        suffixes.append(f"size={tuple(array.shape)}")
    if dtype not in usual:
        suffixes.append(f"dtype={dtype}")
    if grad_fn_name is not None:
        suffixes.append(f"grad_fn=<{grad_fn_name}>")
    elif requires_grad:
        suffixes.append("requires_grad=True")
    if tangent is not None:
        suffixes.append(f"tangent={tangent!r}")
    return with_suffixes(prefix + body, suffixes, len(prefix))


def with_suffixes(text, suffixes, indent):
    """``text, suffix, suffix)``: each suffix stands on the same line if it fits."""
    # PyTorch counts two characters too many for the last line, or one where it begins the text.
    used = len(text) - text.rfind("\n") + 1
    for suffix in suffixes:
        if used + len(suffix) + 2 > options["linewidth"]:
            text += ",\n" + " " * indent + suffix
            used = indent + len(suffix)
        else:
            text += ", " + suffix
            used += len(suffix) + 2
    return text + ")"


# Layout

def is_summarised(array):
    return array.size > options["threshold"]


def array_text(array, dtype, indent):
    """The nested brackets, or the bare number of a 0-dim array."""
    rows = shown(array) if is_summarised(array) else array.tolist()
    formatter = formatter_for(dtype, list(leaves(rows)))
    return nested_text(rows, array.ndim, indent, formatter)


def shown(array):
    """Nested lists of the elements that a summary shows, with ``...`` where some are left out."""
    if array.ndim == 0:
        return array.tolist()
    edge = options["edgeitems"]
    if array.shape[0] <= 2 * edge:
        return [shown(part) for part in array] if array.ndim > 1 else array.tolist()
    if array.ndim == 1:
        return [*array[:edge].tolist(), ..., *array[-edge:].tolist()]
    return [*map(shown, array[:edge]), ..., *map(shown, array[-edge:])]


def leaves(rows):
    if isinstance(rows, list):
        for row in rows:
            yield from leaves(row)
    elif rows is not ...:
        yield rows


def nested_text(rows, ndim, indent, formatter):
    if ndim == 0:
        return formatter.text(rows)
    if ndim == 1:
        return row_text(rows, indent, formatter)
    parts = ["..." if row is ... else nested_text(row, ndim - 1, indent + 1, formatter) for row in rows]
    return "[" + ("," + "\n" * (ndim - 1) + " " * (indent + 1)).join(parts) + "]"


def row_text(row, indent, formatter):
    """``[a, b, c]``, broken where the line is full."""
    width = max(1, math.floor((options["linewidth"] - indent) / (formatter.width + 2)))
    parts = [" ..." if value is ... else formatter.text(value) for value in row]
    lines = [", ".join(parts[start:start + width]) for start in range(0, len(parts), width)]
    return "[" + (",\n" + " " * (indent + 1)).join(lines) + "]"


# Elements. A formatter has a `width`, to which it pads, and `text(value)`.

def formatter_for(dtype, values):
    """The formatter for elements of ``dtype``, fitted to ``values``."""
    if dtype.is_complex:
        return ComplexFormatter(values)
    return FloatFormatter(values) if dtype.is_floating_point else PlainFormatter(values)


class PlainFormatter:
    """Integers and bools, as wide as the widest."""

    def __init__(self, values):
        self.width = max((len(str(v)) for v in values), default=1)

    def text(self, value):
        return str(value).rjust(self.width)


class FloatFormatter:
    """Floats in the plainest notation that suits them all: ``1.``, ``1.5000`` or ``1.5000e+00``.

    Zeros, infinities and nan decide neither the notation nor the width.
    """

    def __init__(self, values):
        values = [v for v in values if math.isfinite(v) and v != 0]
        sizes = [abs(v) for v in values]
        whole = all(v.is_integer() for v in values)
        scientific = bool(values) and (
            max(sizes) / min(sizes) > 1000 or max(sizes) > 1e8 or min(sizes) < 1e-4)
        if values and options["sci_mode"] is not None:
            scientific = options["sci_mode"]
        self.point = "." if whole and not scientific else ""
        if scientific:
            self.form = f".{options['precision']}e"
        else:
            self.form = ".0f" if whole else f".{options['precision']}f"
        self.width = 1
        self.width = max(map(len, map(self.text, values)), default=1)

    def text(self, value):
        point = self.point if math.isfinite(value) else ""
        return (format(value, self.form) + point).rjust(self.width)


class ComplexFormatter:
    """Complex numbers as ``real+imagj``, the two parts in notations of their own."""

    def __init__(self, values):
        self.real = FloatFormatter([v.real for v in values])
        self.imag = FloatFormatter([v.imag for v in values])
        self.width = self.real.width + self.imag.width + 1

    def text(self, value):
        imag = self.imag.text(value.imag).lstrip()
        sign = "" if imag.startswith("-") else "+"
        return f"{self.real.text(value.real)}{sign}{imag}j"
