"""Expressions in leafward's namespace and in the reference's, and whether their results are the same."""
import warnings

import array_api_strict as strict
import numpy as np

import leafward
from leafward import array_api

from .cases import Arrays


def to_tensor(array):
    return leafward.tensor(array)


OURS = Arrays(array_api, to_tensor)
THEIRS = Arrays(strict, lambda array: strict.asarray(array))


def quietly(function, *args):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return function(*args)


def evaluated(expression, arrays):
    return quietly(eval, expression, {}, arrays)        # the expressions are those of this folder


def is_array(value):
    return hasattr(value, "__dlpack__")


def assert_same(ours, theirs, unsigned=False):
    """The same structure, dtypes, shapes and values; ``unsigned``: up to sign or phase."""
    if is_array(theirs):
        ours, theirs = ours.detach().numpy(), np.from_dlpack(theirs)
        assert (ours.dtype, ours.shape) == (theirs.dtype, theirs.shape)
        if unsigned:
            ours, theirs = np.abs(ours), np.abs(theirs)
        coarse = theirs.dtype in (np.float32, np.complex64)
        np.testing.assert_allclose(ours, theirs, rtol=1e-5 if coarse else 1e-12, atol=1e-5 if coarse else 1e-12)
        np.testing.assert_array_equal(np.signbit(ours[ours == 0].real), np.signbit(theirs[ours == 0].real))
    elif isinstance(theirs, (list, tuple)):
        assert isinstance(ours, list if isinstance(theirs, list) else tuple)
        assert len(ours) == len(theirs)
        for number, (our, their) in enumerate(zip(ours, theirs)):
            if hasattr(theirs, "_fields"):
                assert_same(getattr(ours, theirs._fields[number]), their, unsigned)
            assert_same(our, their, unsigned)
    elif hasattr(theirs, "bits"):
        for field in ("bits", "max", "min", *(["eps", "smallest_normal"] if hasattr(theirs, "eps") else [])):
            assert getattr(ours, field) == getattr(theirs, field)
        assert_same(ours.dtype, theirs.dtype)
    elif isinstance(ours, leafward.dtype):
        assert ours.name == theirs._np_dtype.name
    else:
        assert ours == theirs
