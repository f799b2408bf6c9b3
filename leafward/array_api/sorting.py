"""Elements in order, and those that differ."""
from collections import namedtuple

from leafward.derive.functions import fns
from leafward.dtypes import int64

__all__ = ["argsort", "sort", "unique_all", "unique_counts", "unique_inverse", "unique_values"]

unique_all_result = namedtuple("unique_all_result", "values indices inverse_indices counts")
unique_counts_result = namedtuple("unique_counts_result", "values counts")
unique_inverse_result = namedtuple("unique_inverse_result", "values inverse_indices")


def sort(x, /, *, axis=-1, descending=False, stable=True):
    """The elements in order along ``axis``."""
    return fns.sort(x, axis, descending, stable=stable)[0]


def argsort(x, /, *, axis=-1, descending=False, stable=True):
    """The places of the elements in order along ``axis``."""
    return fns.argsort(x, axis, descending, stable=stable)


def unique_all(x, /):
    """The distinct elements, where each is first, which of them every element is, and how often each occurs.

    Each NaN differs from every other.
    """
    flat = x.detach().reshape(-1)
    # A complex number is a row of two reals.
    rows, dim = (fns.view_as_real(flat), 0) if x.is_complex() else (flat, None)
    _, inverse, counts = fns._unique(rows, dim)
    places = fns.arange(flat.numel(), dtype=int64)
    first = fns.full((counts.numel(),), flat.numel(), dtype=int64).scatter_reduce(0, inverse, places, "amin")
    return unique_all_result(x.reshape(-1)[first], first, inverse.reshape(x.shape), counts)


def unique_counts(x, /):
    """The distinct elements, and how often each occurs."""
    result = unique_all(x)
    return unique_counts_result(result.values, result.counts)


def unique_inverse(x, /):
    """The distinct elements, and which of them every element is."""
    result = unique_all(x)
    return unique_inverse_result(result.values, result.inverse_indices)


def unique_values(x, /):
    """The distinct elements."""
    return unique_all(x).values
