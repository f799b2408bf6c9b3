"""Whether bytes are still the same: a number for what is in memory, and copies of it to compare with."""
import numpy as np

from leafward.arrays.layout import strided, strides_of
from leafward.arrays.lazy_conj import memory_of, resolved

try:
    from leafward.arrays.kernels.copies_entry import mixed
except ImportError:                 # not compiled
    mixed = None

#: Arrays of up to so many elements are looked at whole, larger ones at samples.
LOOKED_AT_WHOLE = 1 << 16
#: How many samples.
SAMPLES = 512
#: Up to so many bytes are hashed as they are; more are first brought down to one row.
FEW_BYTES = 2048
#: Words are XORed column by column. The odd width lets a swap of rows show, the odd number of them a negation or a constant.
COLUMNS = 61


def fingerprint(array, whole=False):
    """A number that changes when the bytes of ``array`` do; of a large one, samples, unless ``whole``."""
    number = None if mixed is None else mixed(array, -1 if whole else LOOKED_AT_WHOLE)
    if number is not None:
        return number
    array = memory_of(array)
    if array.size > LOOKED_AT_WHOLE and not whole:
        array = sampled(array)
    if mixed is not None:
        return mixed(np.ascontiguousarray(array), -1)
    if array.nbytes <= FEW_BYTES:
        return hash(array.tobytes())
    return hash(brought_down(array))


def brought_down(array):
    """Few bytes in place of all that an array has, which are others where its are others; it is read once."""
    data = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    if data.size <= FEW_BYTES:
        return data.tobytes()
    words = data[:data.size // 8 * 8].view(np.uint64)
    rows = (words.size // COLUMNS - 1) | 1                  # an odd number: what is done to each word does not cancel out
    row = np.bitwise_xor.reduce(words[:rows * COLUMNS].reshape(-1, COLUMNS), axis=0)
    return row.tobytes() + words[rows * COLUMNS:].tobytes() + data[words.nbytes:].tobytes()


def sampled(array):
    """Some elements of a large array, spread over all of it."""
    places = np.linspace(0, array.size - 1, SAMPLES).astype(np.intp)
    return array.reshape(-1)[places] if array.flags.c_contiguous else array[np.unravel_index(places, array.shape)]


def some_of(array):
    """A copy of a few elements, spread over the array."""
    array = resolved(array)
    return np.array(array.reshape(-1) if array.size <= SAMPLES else sampled(array))


def same_numbers(x, y):
    """Whether two small arrays hold the same numbers, but for rounding."""
    if x.dtype.kind not in "fc":
        return x.shape != y.shape or bool((x == y).all())
    return x.shape != y.shape or bool(np.allclose(x, y, rtol=1e-3, atol=1e-6, equal_nan=True))


class Held:
    """What was in some memory: a copy of it, or of samples where it is large."""

    def __init__(self, owner):
        self.owner = owner = memory_of(owner)
        self.copy = owner.copy(order="K") if owner.size <= LOOKED_AT_WHOLE else None
        self.samples = fingerprint(owner) if self.copy is None else None

    def differs(self, array):
        """Whether ``array``, a part of the memory, has other bytes now."""
        if self.copy is None:
            return fingerprint(self.owner) != self.samples
        array = memory_of(array)
        start = self.owner.__array_interface__["data"][0]
        offset = array.__array_interface__["data"][0] - start
        if self.copy.strides != self.owner.strides or offset % array.itemsize or self.copy.itemsize != array.itemsize:
            return fingerprint(self.owner, whole=True) != fingerprint(self.copy, whole=True)
        then = strided(self.copy.view(array.dtype), array.shape, strides_of(array), offset // array.itemsize)
        return then.tobytes() != array.tobytes()


def exported(array):
    """``array`` as another library is handed it: while that or a view of it lives, this very object does."""
    # NumPy shortens chains of views, but not beyond a base that is no array.
    return np.asarray(memoryview(array)) if array.dtype.kind in "biufc" else array[...]
