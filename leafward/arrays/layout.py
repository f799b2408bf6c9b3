"""Views with PyTorch's strides: NumPy has no public call that makes a writable array with given strides quickly."""
import numpy as np

from leafward.errors import broadcast_error, inplace_shape_error
from leafward.arrays.copies import FEW, copy_into, row_major_copy
from leafward.arrays.lazy_conj import memory_of, seen_as

try:
    from leafward.arrays.kernels import places_entry
    from leafward.arrays.kernels import small_views
    kernel = small_views.strided
except ImportError:                 # not compiled
    places_entry = small_views = kernel = None


class Window:
    """Memory described by the array interface, for ``np.asarray`` to look at; keeps its owner alive."""

    __slots__ = ("__array_interface__", "owner")


def strides_of(x):
    """Steps between neighbours along each dim, in elements."""
    size = x.itemsize
    return tuple([step // size for step in x.strides])


def element_strides(x):
    """The same as a tensor says them: NumPy forgets those of an array without elements, which are then those in order."""
    if x.size or 0 not in x.strides:
        return strides_of(x)
    return dense_strides(x.shape, range(x.ndim))


def dense_strides(shape, order):
    """The strides of elements that lie side by side, with the dims in this ``order``; a size of zero counts as one."""
    strides = [0] * len(shape)
    step = 1
    for dim in reversed(order):
        strides[dim] = step
        step *= shape[dim] or 1
    return tuple(strides)


def address(x):
    """Where the first element of an array lies."""
    return x.__array_interface__["data"][0]


def in_order(x):
    """Whether the elements lie in memory in row-major order, without gaps."""
    return x.flags.c_contiguous


if small_views is not None:
    element_strides, address, in_order = small_views.element_strides, small_views.address, small_views.in_order


def offset_of(x):
    """How many elements after the start of the memory that it is a view of ``x`` begins."""
    owner = x
    while isinstance(owner.base, np.ndarray):
        owner = owner.base
    return offset_within(x, owner)


def offset_within(x, owner):
    """How many elements after the start of ``owner`` ``x`` begins; 0 of an ``x`` without elements that begins elsewhere."""
    distance = address(x) - address(owner)
    return distance // x.itemsize if x.nbytes or 0 <= distance <= owner.nbytes else 0


def strided(x, shape, strides, offset=0):
    """The memory of ``x`` seen with this shape and these strides (in elements), ``offset`` elements after its start.

    Writable if ``x`` is, and lazy as ``x`` is. The caller answers for the bounds.
    """
    if kernel is not None and (view := kernel(x, shape, strides, offset)) is not None:
        return view
    if type(x) is not np.ndarray:
        return seen_as(strided(memory_of(x), shape, strides, offset), x)
    size = x.itemsize
    steps = tuple([step * size for step in strides])
    flags = x.flags
    if flags.c_contiguous or flags.f_contiguous:
        try:
            return np.ndarray(shape, x.dtype, x, offset * size, steps)       # 0.3 µs, against 1.9 µs below
        except (TypeError, ValueError):
            pass                                            # it reaches beyond x, into the memory that x is a part of
    interface = x.__array_interface__
    address, readonly = interface["data"]
    interface["data"] = (address + offset * size, readonly)
    interface["shape"], interface["strides"] = shape, steps
    window = Window()
    window.__array_interface__, window.owner = interface, x
    view = np.asarray(window)
    # A dtype that NumPy does not know (bfloat16) travels through the interface as raw bytes.
    return view if view.dtype == x.dtype else view.view(x.dtype)


def basic_index(x, index):
    """``x[index]`` for integers in range and slices with a positive step, an array even of a single element; else None."""
    items = index if type(index) is tuple else (index,)
    for item in items:
        if type(item) is slice:
            if not all(bound is None or type(bound) is int for bound in (item.start, item.stop, item.step)) or (
                    item.step is not None and item.step < 1):
                return None
        elif type(item) is not int:
            return None
    try:
        return x[(*items, ...)] if type(x) is np.ndarray else None
    except IndexError:
        return None


def is_dense(x):
    """Whether the elements lie side by side, in whatever order, each with memory of its own."""
    if x.flags.c_contiguous or x.flags.f_contiguous:
        return True
    expected = x.itemsize
    for stride, size in sorted(zip(x.strides, x.shape, strict=True)):
        if size != 1:
            if stride != expected:
                return False
            expected *= size
    return True


def overlaps_in_part(x, y):
    """Whether the memory of two dense arrays overlaps, other than element for element.

    Of an array with gaps it is not said: that is dear to find out, and PyTorch does not either.
    """
    return dense_overlap(x, y) and (x.nbytes != y.nbytes or x.strides != y.strides or address(x) != address(y))


def dense_overlap(x, y):
    """Whether the memory of two dense arrays overlaps. Of an array with gaps it is not said."""
    if not x.size or not y.size or not is_dense(x) or not is_dense(y):
        return False
    first, second = address(x), address(y)
    return first < second + y.nbytes and second < first + x.nbytes


def laid_out_like(x, model):
    """A copy of ``x`` with the strides of ``model``, or row-major where ``model`` has gaps or overlaps.

    Of another shape it keeps that if its elements lie as those of ``model`` do, and else is broadcast.
    """
    if x.shape != model.shape:
        if not is_dense(model) or all([n == 1 or step * model.itemsize == other * x.itemsize for n, step, other in zip(
                x.shape, x.strides, model.strides, strict=False)]):
            return x.copy(order="K")
        if (error := broadcast_error(model.shape, x.shape)) is not None:
            raise error
        if (shape := np.broadcast_shapes(model.shape, x.shape)) != model.shape:
            raise inplace_shape_error(model.shape, shape)
    out = np.empty_like(model, x.dtype, order="K" if is_dense(model) else "C", subok=False)
    copy_into(out, x)
    return out


def empty_in_order(model, dtype=None):
    """New memory without gaps, the dims in the order that they have in ``model``: what PyTorch's iterator allocates."""
    dtype = model.dtype if dtype is None else dtype
    if 0 not in model.strides and (model.flags.forc or is_dense(model)):
        return np.empty_like(model, dtype, order="K", subok=False)
    order = memory_order(model.shape, [model.strides])
    return np.empty([model.shape[dim] for dim in order], dtype).transpose(np.argsort(order))


# See ``tapes.direct``.
empty_in_order.direct = lambda model, dtype=None: (np.empty, (model.shape, model.dtype if dtype is None else dtype)) if (
    model.flags.c_contiguous and 0 not in model.strides) else None


def copy_in_order(x, model=None):
    """A copy whose elements lie in the order that those of ``model``, or its own, lie in, without the gaps."""
    out = empty_in_order(x if model is None else model, x.dtype)
    copy_into(out, x)
    return out


def copy_in_order_direct(x, model=None):
    """See ``tapes.direct``."""
    lies = x if model is None else model
    if x.size >= FEW or 0 in lies.strides or x.shape != lies.shape:
        return None
    if lies.flags.c_contiguous:
        return np.ndarray.copy, (x,)
    return (np.ndarray.copy, (x, "K")) if model is None and is_dense(x) else None


copy_in_order.direct = copy_in_order_direct


def copy_with_gaps(x):
    """A copy with the very steps of ``x``; of one that repeats elements or shows them backwards, a copy in order."""
    if x.flags.c_contiguous and 1 not in x.shape:
        return row_major_copy(x)
    if any(step < 0 or step == 0 and size > 1 for step, size in zip(x.strides, x.shape, strict=True)):
        return copy_in_order(x)
    steps = strides_of(x)
    out = strided(np.empty(spans(x.shape, steps), x.dtype), x.shape, steps)
    copy_into(out, x)
    return out


copy_with_gaps.direct = lambda x: (np.ndarray.copy, (x,)) if x.flags.c_contiguous and 0 not in x.strides else None


def look_up(x, index):
    """``x[index]`` for a full index of slices and arrays of places, laid out as PyTorch does it.

    NumPy puts the dims of the places outermost in memory, wherever they stand in the shape.
    """
    at = [dim for dim, part in enumerate(index) if not isinstance(part, slice)]
    places = [index[dim] for dim in at]
    if x.size and x.flags.c_contiguous and all(part.flags.c_contiguous and part.shape == places[0].shape for part in places):
        if places_entry and (out := places_entry.pick(x, places, tuple(at))) is not None:
            return out
        if len(at) == 1:
            return np.take(x, places[0], axis=at[0])
    out = x[index]
    if out.size == 0 or not at:
        return out
    kept = [step for dim, step in enumerate(x.strides) if dim not in at]
    ndim = out.ndim - len(kept)
    first = at[0] if at[-1] - at[0] < len(at) else 0        # where the dims of the places stand in the result
    steps = [(*kept[:first], *(0,) * ndim, *kept[first:])]
    for part in np.broadcast_arrays(*places):
        steps.append((*(0,) * first, *part.strides, *(0,) * (len(kept) - first)))
    order = memory_order(out.shape, steps)
    lying = out.transpose(order)
    if lying.flags.c_contiguous:
        return out
    return np.ascontiguousarray(lying).transpose(np.argsort(order))


def memory_order(shape, operands):
    """The dims from the outermost in memory to the innermost for a result of operands with these steps.

    As PyTorch's iterator sorts them: row by row, but for dims of which the first operand that moves along both says
    otherwise; between equal steps the longer dim is the outer one.
    """
    def outer(a, b):
        for steps in operands:
            if steps[a] and steps[b]:
                if steps[a] != steps[b]:
                    return steps[a] - steps[b]
                if shape[a] > shape[b]:
                    return 1
        return 0
    inwards = list(range(len(shape)))[::-1]
    for position in range(1, len(shape)):
        moved = position
        for other in range(position - 1, -1, -1):
            comparison = outer(inwards[other], inwards[moved])
            if comparison < 0:
                break
            if comparison > 0:
                inwards[other], inwards[moved] = inwards[moved], inwards[other]
                moved = other
    return inwards[::-1]


def spans(shape, strides):
    """How many elements of memory lie between the first and the last one seen, both included."""
    last = 1
    for n, step in zip(shape, strides):
        if n == 0:
            return 0
        last += (n - 1) * step
    return last


def flat_bytes(owner):
    """The memory of an array that owns it, byte by byte; the array may be turned, or repeat one element with stride 0."""
    length = spans(owner.shape, strides_of(owner))
    return strided(owner, (length,), (1,)).view("uint8")
