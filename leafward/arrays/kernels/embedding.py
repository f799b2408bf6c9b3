"""Looking rows up in a table, and adding them up again."""
import numpy as np

from leafward.arrays.dtype_map import is_half
from leafward.arrays.scatter import add_rows, pick_rows


def gather_rows(weight, index):
    """``out[...] = weight[index[...]]``; IndexError for a row that does not exist."""
    try:
        if index.size and index.min() < 0:
            raise IndexError
        return pick_rows(weight, index, 0)
    except IndexError:
        raise IndexError("index out of range in self") from None


def scatter_rows(rows, index, count, padding_idx, by_frequency):
    """A table of ``count`` rows to which ``rows`` are added at ``index``; none at ``padding_idx``.

    ``by_frequency`` divides each by the number of times that its index occurs.
    """
    dtype = rows.dtype
    index = index.reshape(-1)
    width = rows.shape[-1]
    rows = rows.reshape(index.size, width)
    if by_frequency:
        rows = rows / np.bincount(index, minlength=count).take(index)[:, None].astype(dtype)
    if padding_idx >= 0:
        kept = index != padding_idx
        rows, index = rows[kept], index[kept]
    if is_half(dtype):
        rows = rows.astype(np.float32)
    return add_rows(np.zeros((count, width), rows.dtype), 0, index, rows).astype(dtype, copy=False)


def largest_rows(weight, index, bags, count):
    """Per bag and column the largest element of ``weight[index]``, zero for an empty bag; and the row that holds it.

    Of several equals the first wins; an empty bag's is ``len(weight)``. The ``bags`` ascend.
    """
    rows = gather_rows(weight, index)
    out = np.zeros((count, weight.shape[1]), weight.dtype)
    winners = np.full(out.shape, len(weight), np.int64)
    edges = np.searchsorted(bags, np.arange(count + 1))
    for bag in np.flatnonzero(edges[1:] > edges[:-1]):
        of_bag = slice(edges[bag], edges[bag + 1])
        first = rows[of_bag].argmax(0)
        winners[bag] = index[of_bag][first]
        out[bag] = np.take_along_axis(rows[of_bag], first[None], 0)[0]
    return out, winners
