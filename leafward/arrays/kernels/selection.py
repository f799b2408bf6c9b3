"""Which of several equal elements a selection finds, where it does not promise the first.

PyTorch's ``topk`` selects with libstdc++'s ``nth_element`` and ``partial_sort``, its ``kthvalue`` with a quickselect of
its own; its ``median`` keeps the order of equals. What they find follows from the exchanges that they make, which are
made here on pairs of a rank and a place. Rows without equals need none of this. Of many elements the first few are
found without sorting them all; there equals come in their order.
"""
import numpy as np

from leafward.arrays.kernels.sorting import middle_of, partitioned, reordered

#: Pieces up to this length are sorted by insertion, which keeps the order of equals.
SHORT = 3
#: ``topk`` sorts in part where the row is so many times longer than what is wanted of it.
MANY = 64


def exchanged(x, places, axis, arrange):
    """``places``, the stable order of ``x`` along ``axis``, with each row as ``arrange`` leaves its pairs."""
    def arrange_row(row, key):
        pairs = list(zip(key.tolist(), range(len(key))))
        arrange(pairs)
        row[:] = [position for _, position in pairs]
    return reordered(x, places, axis, arrange_row)


def tied_top(x, places, axis, count):
    """The first ``count`` of ``places`` as ``topk`` finds them."""
    def arrange(pairs):
        if count == 0:
            return
        if count * MANY <= len(pairs):
            select_by_heap(pairs, 0, count, len(pairs))
            sort_heap(pairs, count)
            return
        select_nth(pairs, count - 1)
        front = pairs[:count - 1]                           # the last of them is in its place
        order = partitioned([rank for rank, _ in front])
        if order is not None:
            front = [front[i] for i in order]
        pairs[:count - 1] = sorted(front, key=rank_of)
    return exchanged(x, places, axis, arrange)


def tied_kth(x, places, axis, k):
    """``places`` with what ``kthvalue`` finds at place ``k``, counted from 0."""
    return exchanged(x, places, axis, lambda pairs: quickselect(pairs, k))


def first_places(x, axis, count, descending):
    """The first ``count`` places of the stable order along ``axis``; None where NaN are among them."""
    rows = np.moveaxis(x, axis, -1)
    n = rows.shape[-1]
    at = n - count if descending else count - 1
    split = np.partition(rows, at, axis=-1)
    bound = split[..., at:at + 1]
    if x.dtype.kind == "f" and np.isnan(split[..., at:] if descending else bound).any():
        return None
    chosen = rows >= bound if descending else rows <= bound
    places = np.flatnonzero(chosen)
    if places.size != bound.size * count:                   # of those that equal the last, the first ones
        equal = rows == bound
        chosen ^= equal
        missing = count - np.count_nonzero(chosen, axis=-1, keepdims=True)
        places = np.flatnonzero(chosen | (equal & (np.cumsum(equal, axis=-1) <= missing)))
    places = (places % n).reshape(*rows.shape[:-1], count)
    values = np.take_along_axis(rows, places, -1)
    if descending:
        order = count - 1 - np.flip(np.argsort(np.flip(values, -1), axis=-1, kind="stable"), -1)
    else:
        order = np.argsort(values, axis=-1, kind="stable")
    return np.moveaxis(np.take_along_axis(places, order, -1), -1, axis)


def place_of_kth(x, axis, k):
    """Place ``k``, counted from 0, of the stable order along ``axis``, which stays with size one; None if a NaN is there."""
    rows = np.moveaxis(x, axis, -1)
    kth = np.partition(rows, k, axis=-1)[..., k:k + 1]
    if x.dtype.kind == "f" and np.isnan(kth).any():
        return None
    equal = rows == kth
    places = np.flatnonzero(equal)
    if places.size != kth.size:
        before = np.count_nonzero(rows < kth, axis=-1, keepdims=True)
        places = np.flatnonzero(equal & (np.cumsum(equal, axis=-1) == k - before + 1))
    return np.moveaxis((places % rows.shape[-1]).reshape(kth.shape), -1, axis)


def kth_smallest(x, k):
    """What would come at place ``k``, counted from 0, of flat ``x`` in order."""
    return np.partition(x, k)[k]


def rank_of(pair):
    return pair[0]


def swap(pairs, i, j):
    pairs[i], pairs[j] = pairs[j], pairs[i]


# --- std::nth_element ------------------------------------------------------------------------------------------------

def select_nth(pairs, nth):
    """Split at medians of three, always going on with the piece around ``nth``; with a heap where that takes too long."""
    first, last, depth = 0, len(pairs), 2 * (len(pairs).bit_length() - 1)
    while last - first > SHORT:
        if depth == 0:
            select_by_heap(pairs, first, nth + 1, last)
            swap(pairs, first, nth)
            return
        depth -= 1
        cut = split(pairs, first, last)
        if cut <= nth:
            first = cut
        else:
            last = cut
    pairs[first:last] = sorted(pairs[first:last], key=rank_of)


def split(pairs, first, last):
    """Bring what comes before the pivot to the front; where the rest begins."""
    ranks = [pairs[i][0] for i in (first + 1, (first + last) // 2, last - 1)]
    swap(pairs, first, (first + 1, (first + last) // 2, last - 1)[middle_of(ranks, 0, 1, 2)])
    pivot, left, right = pairs[first][0], first + 1, last
    while True:
        while pairs[left][0] < pivot:
            left += 1
        right -= 1
        while pivot < pairs[right][0]:
            right -= 1
        if left >= right:
            return left
        swap(pairs, left, right)
        left += 1


# --- heaps -----------------------------------------------------------------------------------------------------------

def select_by_heap(pairs, first, middle, last):
    """Keep the smallest in a heap with the largest of them in front; equals do not enter it."""
    length = middle - first
    for hole in reversed(range(length // 2)):
        sift(pairs, first, hole, length, pairs[first + hole])
    for i in range(middle, last):
        if pairs[i][0] < pairs[first][0]:
            entering, pairs[i] = pairs[i], pairs[first]
            sift(pairs, first, 0, length, entering)


def sort_heap(pairs, last):
    while last > 1:
        last -= 1
        moved, pairs[last] = pairs[last], pairs[0]
        sift(pairs, 0, 0, last, moved)


def sift(pairs, first, hole, length, pair):
    """Move the hole down past the larger of its children to the bottom, and ``pair`` up from there to its place."""
    top = hole
    while (child := 2 * hole + 2) <= length:
        if child == length or pairs[first + child][0] < pairs[first + child - 1][0]:
            child -= 1
        pairs[first + hole] = pairs[first + child]
        hole = child
    while hole > top and pairs[first + (hole - 1) // 2][0] < pair[0]:
        pairs[first + hole] = pairs[first + (hole - 1) // 2]
        hole = (hole - 1) // 2
    pairs[first + hole] = pair


# --- kthvalue --------------------------------------------------------------------------------------------------------

def quickselect(pairs, k):
    """Split at the median of the first, the middle and the last element until ``k`` is in its place."""
    first, last = 0, len(pairs) - 1
    while last > first + 1:
        swap(pairs, (first + last) // 2, first + 1)
        for i, j in (first + 1, last), (first, last), (first + 1, first):
            if pairs[i][0] > pairs[j][0]:
                swap(pairs, i, j)
        pivot, left, right = pairs[first][0], first + 1, last
        while True:
            left += 1
            while pairs[left][0] < pivot:
                left += 1
            right -= 1
            while pairs[right][0] > pivot:
                right -= 1
            if right < left:
                break
            swap(pairs, left, right)
        swap(pairs, first, right)
        if right <= k:
            first = left
        if right >= k:
            last = right - 1
    if last == first + 1 and pairs[first][0] > pairs[last][0]:
        swap(pairs, first, last)
