"""Arithmetic on shapes, strides and dimension numbers: plain integers, the same for arrays and Tensors."""
import math
import operator

from leafward.errors import broadcast_error, broadcasting, inplace_shape_error, whole_dim


def index(n):
    """``n`` as a Python int. One of a class of its own stays what it is: sizes are, while a model is exported."""
    return n if isinstance(n, int) and not isinstance(n, bool) else operator.index(n)


def normalize(dim, ndim):
    """``dim`` counted from the front; a 0-dim tensor counts as having one dimension."""
    count = ndim or 1
    if type(dim) is not int:
        dim = whole_dim(dim)
    if 0 <= dim < count:
        return dim
    if -count <= dim < 0:
        return dim + count
    raise IndexError(f"Dimension out of range (expected to be in range of [{-count}, {count - 1}], but got {dim})")


def size_at(x, dim):
    """The size of ``x`` along ``dim``, which some functions look up before they look at anything else."""
    if not x.ndim:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    return x.shape[normalize(dim, x.ndim)]


def refuse_negative(sizes):
    """Raise if one of the ``sizes`` of what is to be made is below zero."""
    for n in sizes:
        if n < 0:
            raise RuntimeError(f"Trying to create tensor with negative dimension {n}: {list(sizes)}")


def normalize_all(dims, ndim):
    """Several dims, each counted from the front, none twice."""
    result = []
    for dim in dims:
        dim = normalize(dim, ndim)
        if dim in result:
            raise RuntimeError(f"dim {dim} appears multiple times in the list of dims")
        result.append(dim)
    return tuple(result)


def axes(dim, ndim):
    """The dims that a reduction along ``dim`` (None, an int or a sequence; empty means all) runs over."""
    if dim is None:
        return tuple(range(ndim))
    if isinstance(dim, (tuple, list)):
        if not dim:
            return tuple(range(ndim))
        found = normalize_all(dim, ndim)
    else:
        found = (normalize(dim, ndim),)
    return found if ndim else ()


def keep_axes(shape, kept):
    """``shape`` with size one along ``kept``: what a reduction with ``keepdim=True`` returns."""
    return tuple([1 if i in kept else n for i, n in enumerate(shape)])


def restore(g, shape, dim, keepdim):
    """Give a reduced ``g`` its reduced dims back, with size one, so that it broadcasts against ``shape``."""
    if keepdim or not shape:
        return g
    return g.reshape(keep_axes(shape, axes(dim, len(shape))))


def count(shape):
    """The number of elements."""
    n = 1
    for size in shape:
        n *= size
    return n


def as_sizes(shape):
    """A shape argument, however it was spelled (a size, a sequence, nested in a tuple), as a tuple of ints."""
    if isinstance(shape, (tuple, list)):
        if len(shape) == 1 and isinstance(shape[0], (tuple, list)):
            shape = shape[0]
        return tuple([index(n) for n in shape])
    return (index(shape),)


def infer_shape(shape, size):
    """``shape`` with its one -1 replaced so that it holds ``size`` elements."""
    shape = as_sizes(shape)
    product, unknown = 1, None
    for i, n in enumerate(shape):
        if n >= 0:
            product *= n
        elif n == -1:
            if unknown is not None:
                raise RuntimeError("only one dimension can be inferred")
            unknown = i
        else:
            raise RuntimeError(f"invalid shape dimension {n} at index {i} of shape {list(shape)}")
    if unknown is None:
        if product == size:
            return shape
    elif product and size % product == 0:
        return (*shape[:unknown], size // product, *shape[unknown + 1:])
    elif product == 0 and size == 0:
        raise RuntimeError(f"cannot reshape tensor of 0 elements into shape {list(shape)} because the unspecified "
                           "dimension size -1 can be any value and is ambiguous")
    raise RuntimeError(f"shape '{list(shape)}' is invalid for input of size {size}")


def contiguous_strides(shape):
    """The strides of a row-major tensor, in elements; a size of zero counts as one."""
    strides, step = [], 1
    for n in reversed(shape):
        strides.append(step)
        step *= n or 1
    return tuple(reversed(strides))


def refuse_overflow(size, itemsize):
    """Raise if a tensor of these sizes had more bytes than an address can say."""
    if math.prod(size) * itemsize >= 2**63:
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)}")


def refuse_outside(size, stride, offset, itemsize, room):
    """Raise if a tensor of these sizes and strides would reach outside its storage of ``room`` bytes."""
    if len(size) != len(stride):
        raise RuntimeError("mismatch in length of strides and shape")
    if offset < 0:
        raise RuntimeError(f"Tensor: invalid storage offset {offset}")
    if any(n < 0 for n in (*size, *stride)):
        raise RuntimeError(f"Storage size calculation overflowed with sizes={list(size)} and strides={list(stride)}")
    end = offset + 1 + sum([(n - 1) * step for n, step in zip(size, stride, strict=True)])
    if 0 not in size and end * itemsize > room:
        raise RuntimeError(
            f"setStorage: sizes {list(size)}, strides {list(stride)}, storage offset {offset}, and itemsize {itemsize} "
            f"requiring a storage size of {end * itemsize} are out of bounds for storage of size {room}")


def view_strides(shape, strides, target):
    """The strides that show the memory of (``shape``, ``strides``) as ``target``, or None where only a copy would.

    Neighbouring dims that step evenly through memory form a run; each run is cut into target dims of its own.
    """
    if 0 in shape:
        return strides if shape == target else contiguous_strides(target)
    if not shape:
        return (1,) * len(target)
    runs = [(shape[-1], strides[-1])]                        # (size, stride), last run first
    for n, stride in zip(shape[-2::-1], strides[-2::-1]):
        size, step = runs[-1]
        if n == 1 or stride == size * step:
            runs[-1] = (size * n, step)
        else:
            runs.append((n, stride))
    result = [0] * len(target)
    d = len(target) - 1
    for size, step in runs:
        taken = 1
        while d >= 0 and (taken < size or target[d] == 1):
            result[d] = taken * step
            taken *= target[d]
            d -= 1
        if taken != size:
            return None
    return tuple(result)


def refuse_wider(shape, other):
    """Raise if what is put into or multiplied with a result of ``shape`` has more elements than that, or does not fit."""
    together = broadcast(shape, other)
    if together != tuple(shape):
        raise inplace_shape_error(shape, together)


def expanded(shape, strides, sizes):
    """Shape and strides after ``expand(sizes)``: dims of size one, and new leading ones, repeat with stride 0."""
    if not shape and -1 not in sizes:
        return tuple(sizes), (0,) * len(sizes)              # one element, everywhere
    new = len(sizes) - len(shape)
    out_shape, out_strides = [], []
    next_stride = 1
    for d in range(len(sizes) - 1, -1, -1):
        size, target = (shape[d - new], sizes[d]) if d >= new else (1, sizes[d])
        if d < new:
            if target == -1:
                raise RuntimeError(
                    f"The expanded size of the tensor ({target}) isn't allowed in a leading, "
                    f"non-existing dimension {d}")
            stride = next_stride
        else:
            stride = strides[d - new]
        if target == -1:
            target = size
        if target != size:
            if size != 1 or target < 0:
                raise RuntimeError(
                    f"The expanded size of the tensor ({target}) must match the existing size ({size}) at "
                    f"non-singleton dimension {d}.  Target sizes: {list(sizes)}.  Tensor sizes: {list(shape)}")
            stride = 0
        out_shape.append(target)
        out_strides.append(stride)
        next_stride = target * stride
    return tuple(reversed(out_shape)), tuple(reversed(out_strides))


def slice_bounds(start, end, size):
    """The clamped, front-counted ends of ``start:end`` in a dim of ``size``."""
    start = 0 if start is None else index(start)
    end = size if end is None else index(end)
    if start < 0:
        start += size
    if end < 0:
        end += size
    start = min(max(start, 0), size)
    return start, min(max(end, start), size)


def broadcast(*shapes):
    """The shape that all ``shapes`` broadcast to."""
    result, clash = broadcasting(shapes)
    if clash is not None:
        raise broadcast_error(*shapes)
    return tuple(result)
