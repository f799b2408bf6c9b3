"""Where equal elements end up in a sort that does not promise to keep their order."""
import numpy as np

#: Of more elements than these, equals keep their order, as where it is asked for: PyTorch's is slow to find.
TIED_UP_TO = 8192
#: Pieces up to this length are left to the last pass, which keeps the order of equals.
SHORT = 16


def tied_places(x, places, axis, sorts=False):
    """``places``, the stable order of ``x`` along ``axis``, with equals where C++'s ``std::sort`` leaves them.

    PyTorch's sort is libstdc++'s introsort; which of two equals comes first decides, for one, the rows of a packed
    batch. Rows where that library would change to a heap sort keep the stable order. ``sorts``: all elements are sorted,
    and not a few looked for; what ``expand`` repeats is then left where it is.
    """
    if sorts and x.strides[axis] == 0:
        return places
    def arrange(row, key):
        shuffled = partitioned(key.tolist())
        if shuffled is not None:
            shuffled = np.array(shuffled)
            row[:] = shuffled[np.argsort(key[shuffled], kind="stable")]
    return reordered(x, places, axis, arrange)


def reordered(x, places, axis, arrange):
    """``places``, the stable order of ``x`` along ``axis``, after ``arrange(row, ranks)`` wrote into rows that have equals."""
    found = ranked(x, places, axis)
    if found is None:
        return places
    rows, keys = found
    n = rows.shape[-1]
    for row, key in zip(rows.reshape(-1, n), keys.reshape(-1, n)):
        arrange(row, key)
    return np.moveaxis(rows, -1, axis)


def ranked(x, places, axis):
    """``places`` with ``axis`` last, and the rank of each element, the same for equals; None where there are none."""
    values = np.moveaxis(np.take_along_axis(x, places, axis), axis, -1)
    with np.errstate(invalid="ignore"):
        new = (values[..., 1:] != values[..., :-1]) & ~((values[..., 1:] != values[..., 1:])
                                                        & (values[..., :-1] != values[..., :-1]))
    if new.all():
        return None
    rows = np.array(np.moveaxis(places, axis, -1), order="C")
    ranks = np.concatenate([np.zeros(new.shape[:-1] + (1,), np.intp), np.cumsum(new, axis=-1)], axis=-1)
    keys = np.empty_like(ranks)
    np.put_along_axis(keys, rows, ranks, -1)
    return rows, keys


def partitioned(keys):
    """The places of ``keys`` once every piece of more than ``SHORT`` was split at its median of three; None where the
    splits go deeper than ``2 log2(n)``.
    """
    places = list(range(len(keys)))

    def swap(i, j):
        keys[i], keys[j] = keys[j], keys[i]
        places[i], places[j] = places[j], places[i]

    pieces = [(0, len(keys), 2 * (len(keys).bit_length() - 1))]
    while pieces:
        first, last, depth = pieces.pop()
        if last - first <= SHORT:
            continue
        if depth == 0:
            return None
        swap(first, middle_of(keys, first + 1, (first + last) // 2, last - 1))
        pivot, left, right = keys[first], first + 1, last
        while True:
            while keys[left] < pivot:
                left += 1
            right -= 1
            while pivot < keys[right]:
                right -= 1
            if left >= right:
                break
            swap(left, right)
            left += 1
        pieces += [(first, left, depth - 1), (left, last, depth - 1)]
    return places


def middle_of(keys, i, j, k):
    """Which of three places holds their median."""
    if keys[i] < keys[j]:
        return j if keys[j] < keys[k] else k if keys[i] < keys[k] else i
    return i if keys[i] < keys[k] else k if keys[j] < keys[k] else j
