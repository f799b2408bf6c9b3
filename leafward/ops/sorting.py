"""Order: sorting, the largest few, distinct values, places in a sorted sequence, histograms. NaN counts as the largest.

Args:
    k: how many
    largest: True: the largest. False: the smallest
    sorted: True and False: in order here
    sorted_sequence: numbers that increase along the last dim
    side: `"right"` is as `right=True`, `"left"` as False; None: `right` decides
    sorter: the order that sorts `sorted_sequence`, if it isn't sorted; None: it is
    boundaries: numbers that increase, 1-D
    bins: how many bins
    min: where they begin
    max: where they end; with `min` equal to it, both are the data's
    weights: how much each element counts; None: one
    minlength: the least length of the result
    dim: the dim to work along; None, where it is taken: all elements in a row
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.checks import as_element
from leafward.ops.dims import count, normalize
from leafward.ops.kinds import without_derivative
from leafward.ops.checks import scalar_name
from leafward.ops.kinds import refuse_kinds


def sortable(xp, x):
    """``x`` in a dtype that NumPy sorts with NaN last: bfloat16 is not one."""
    return xp.astype(x, dtypes.float32) if x.dtype.kind == "V" else x


def ordered(xp, x, dim, descending, count=None, stable=True):
    """The first ``count`` (None: all) elements along ``dim`` in order, and their places; equals keep their order, or
    come as PyTorch's library leaves them.
    """
    dim = normalize(dim, x.ndim)
    if x.ndim == 0:
        return x, xp.zeros((), dtype=dtypes.int64)
    if count is not None and x.size > xp.kernels.TIED_UP_TO and 0 < 4 * count <= x.shape[dim]:
        places = xp.kernels.first_places(sortable(xp, x), dim, count, descending)
        if places is not None:
            return xp.take_along_axis(x, places, axis=dim), places
    places = xp.argsort(sortable(xp, x), axis=dim, descending=descending)
    if count is not None:
        places = with_ties(xp, "tied_top", x, places, dim, count)[(slice(None),) * dim + (slice(0, count),)]
    elif not stable and 16 < x.shape[dim]:
        places = with_ties(xp, "tied_places", x, places, dim, True)
    return xp.take_along_axis(x, places, axis=dim), places


def with_ties(xp, kernel, x, places, *more):
    """The stable order ``places``, with equals as the ``kernel`` finds them."""
    return getattr(xp.kernels, kernel)(sortable(xp, x), places, *more) if 0 < x.size <= xp.kernels.TIED_UP_TO else places


def refuse_complex(x, name, dim):
    normalize(dim, x.ndim)
    if x.dtype.kind == "c":
        raise RuntimeError(f" {name} does not support complex dtypes on CPU")


@op("sort", outputs="values, indices", no_grad_outputs="indices", kernel="order_with_values",
    node=lambda options: "SortBackward1" if options["stable"] else "SortBackward0",
    batch="dims", samples=["distinct: 3 4", "3 4 ; dim=0, descending=True, stable=True", "", "+1.0 +nan -inf +1.0", "0 3"])
def sort(xp, x, dim=-1, descending=False, stable: bool = None):
    """``x`` in order along ``dim``, and where each element was; with ``stable``, equals keep their order.

    >>> values, indices = lw.sort(lw.tensor([3., 1., 2.]))
    >>> values, indices
    (tensor([1., 2., 3.]), tensor([1, 2, 0]))
    """
    refuse_complex(x, "Sort", dim)
    return tuple([xp.copy_in_order(part, x) for part in ordered(xp, x, dim, descending, stable=stable)])

@sort.onnx
def sort_onnx(onnx, x, dim, descending):
    if not x.ndim:
        return None
    dim = normalize(dim, x.ndim)
    return onnx.TopK(x, (x.shape[dim],), axis=dim, largest=int(descending), outputs=2)


@sort.vjp("x")
def sort_dx(xp, g_values, indices, dim):
    return xp._gather_backward(g_values, dim, indices, g_values.shape)


@op("argsort", nondifferentiable="x", kernel="order_of",
    batch="dims", samples=["distinct: 3 4", "distinct: 3 4 ; dim=0, descending=True", "3 4 ; stable=True"])
def argsort(xp, x, dim=-1, descending=False, stable=False):
    """The places of the elements in order along ``dim``; with ``stable``, equals keep their order.

    >>> lw.argsort(lw.tensor([3., 1., 2.]), descending=True)
    tensor([0, 2, 1])
    """
    refuse_complex(x, "Sort", dim)
    return xp.copy_in_order(ordered(xp, x, dim, descending, stable=stable)[1], x)


@composite("msort", samples=["distinct: 3 4", "5"])
def msort(fns, input):
    """``input`` in order along its first dim."""
    return fns.sort(input, 0)[0]


@op("topk", row_major=True, outputs="values, indices", no_grad_outputs="indices", kernel="first_in_order",
    batch="dims", samples=["distinct: 3 4 ; k=2", "distinct: 3 4 ; k=3, dim=0, largest=False", "distinct: 5 ; k=0", " ; k=1"],
    errors=[("3 4 ; k=5", RuntimeError, "selected index k out of range")])
def topk(xp, x, k: int, dim=-1, largest=True, sorted=True):
    """The ``k`` largest (or smallest) along ``dim`` in order, and where they are.

    The places are those in ``input`` along ``dim``.

    >>> values, indices = lw.topk(lw.tensor([3., 1., 2.]), 2)
    >>> values, indices
    (tensor([3., 2.]), tensor([0, 2]))
    """
    refuse_complex(x, "topk", dim)
    if x.dtype.kind == "b":
        raise RuntimeError("topk does not support bool dtypes on CPU")
    along = normalize(dim, x.ndim)
    if not 0 <= k <= (x.shape[along] if x.ndim else 1):
        raise RuntimeError("selected index k out of range")
    return ordered(xp, x, dim, largest, k)

@topk.onnx
def topk_onnx(onnx, x, k, dim, largest, sorted):
    return onnx.TopK(x, (k,), axis=normalize(dim, x.ndim), largest=int(largest), outputs=2) if x.ndim else None


@topk.vjp("x")
def topk_dx(xp, g_values, x: Meta, indices, dim):
    return xp._gather_backward(g_values, dim, indices, x.shape)


# --- distinct values -------------------------------------------------------------------------------------------------

def as_rows(xp, x, dim):
    """The slices along ``dim`` as the rows of a matrix (all elements, as a vector, without ``dim``)."""
    if dim is None:
        return x.reshape(-1)
    if x.ndim == 0:
        raise IndexError(f"Dimension specified as {dim} but tensor has no dimensions")
    dim = normalize(dim, x.ndim)
    if x.shape.count(0) > 1:
        raise RuntimeError("Number of zero sized dimensions is more than one, so unique cannot be applied ")
    if 0 in x.shape and x.shape[dim]:
        raise RuntimeError("There are 0 sized dimensions, and they aren't selected, so unique cannot be applied")
    front = xp.moveaxis(x, dim, 0)
    return front.reshape(front.shape[0], count(front.shape[1:]))


def changes(xp, rows):
    """Where a run of equal rows begins."""
    differ = rows[1:] != rows[:-1]
    if rows.ndim > 1:
        differ = xp.any(differ, axis=1)
    return xp.concat([xp.ones((min(len(rows), 1),), dtype=dtypes.bool), differ], axis=0)


def runs_of(xp, rows):
    """Where the runs of equal rows begin, the run of each row, and the lengths of the runs."""
    starts = changes(xp, rows)
    first = xp.flatnonzero(starts)
    lengths = xp.diff(xp.concat([first, xp.asarray([len(rows)])], axis=0))
    return first, xp.cumulative_sum(xp.astype(starts, dtypes.int64), axis=0) - 1, lengths


def select_rows(xp, x, places, dim):
    return x.reshape(-1)[places] if dim is None else xp.take(x, places, axis=normalize(dim, x.ndim))


@op("torch._unique", outputs="values, inverse, counts", kernel="distinct", node=lambda given: unique_node(given["dim"]),
    samples=["int5: 3 4 ; dim=None", "int2: 5 2 ; dim=0"],
    reference=lambda torch, x, dim: torch.unique(x, return_inverse=True, return_counts=True, dim=dim))
def unique_(xp, x, dim):
    """The distinct elements (or slices along ``dim``) in order, which of them each one is, and how often each occurs."""
    refuse_kinds(x, "c", "unique" if dim is None else "unique_dim")
    rows = as_rows(xp, x, dim)
    if rows.ndim == 1:
        order = xp.argsort(sortable(xp, rows), axis=0)
    else:
        order = xp.lexsort(sortable(xp, rows).T[::-1]) if rows.shape[1] else xp.arange(len(rows))
    first, run, lengths = runs_of(xp, rows[order])
    inverse = xp.empty((len(rows),), dtype=dtypes.int64)
    inverse[order] = run
    values = select_rows(xp, x, order[first], dim)
    return values, inverse.reshape(x.shape) if dim is None else inverse, lengths

@unique_.onnx
def unique_onnx(onnx, x, dim):
    wide = x if x.dtype.name in ("float32", "float64", "int64") else onnx.astype(
        x, dtypes.float32 if x.dtype.kind == "f" else dtypes.int64)
    along = {} if dim is None else {"axis": normalize(dim, x.ndim)}
    values, _, inverse, counts = onnx.Unique(wide, sorted=1, outputs=4, **along)
    values = values if wide is x else onnx.Cast(values, to=onnx.type_number(x.dtype))
    return values, onnx.Reshape(inverse, x.shape) if dim is None else inverse, counts


@unique_.vjp("x", refuses=True)
def unique_dx(dim):
    raise no_derivative("_unique2" if dim is None else "unique_dim")


def unique_node(dim):
    return "Unique2Backward0" if dim is None else "UniqueDimBackward0"


def no_derivative(name):
    return NotImplementedError(f"the derivative for '{name}' is not implemented.")


@op("torch._unique_consecutive", kernel="runs_of_equals", node="UniqueConsecutiveBackward0", outputs="values, inverse, counts",
    samples=["int2: 9 ; dim=None", "int2: 5 1 ; dim=0"],
    reference=lambda torch, x, dim: torch.unique_consecutive(x, return_inverse=True, return_counts=True, dim=dim))
def unique_consecutive_(xp, x, dim):
    """The elements (or slices along ``dim``) without repeats of the one before, with inverse and run lengths."""
    refuse_kinds(x, "c", "unique" if dim is None else "unique_dim")
    first, run, lengths = runs_of(xp, as_rows(xp, x, dim))
    values = select_rows(xp, x, first, dim)
    return values, run.reshape(x.shape) if dim is None else run, lengths

@unique_consecutive_.vjp("x", refuses=True)
def unique_consecutive_dx():
    raise no_derivative("unique_consecutive")


def asked_for(result, return_inverse, return_counts):
    values, inverse, counts = result
    chosen = [values] + [inverse] * bool(return_inverse) + [counts] * bool(return_counts)
    return tuple(chosen) if len(chosen) > 1 else values


@composite("unique", samples=["int5: 3 4", "int2: 4 2 ; dim=0, return_counts=True", "int5: 6 ; return_inverse=True", "int5: 0",
                              "int5: 0 3 ; dim=0"],
           errors=[("0 3 ; dim=1", RuntimeError,
                    "There are 0 sized dimensions, and they aren't selected, so unique cannot be applied"),
                   (" ; dim=0", IndexError, "Dimension specified as 0 but tensor has no dimensions")])
def unique(fns, input, sorted=True, return_inverse=False, return_counts=False, dim=None) -> object:
    """The distinct elements in order (always sorted), with their places and counts if wanted.

    Args:
        dim: the dim whose slices are compared; None: all elements

    >>> lw.unique(lw.tensor([3, 1, 3]), return_counts=True)
    (tensor([1, 3]), tensor([1, 2]))
    """
    return asked_for(fns._unique(input, dim), return_inverse, return_counts)


@composite("unique_consecutive", samples=["int2: 9", "int2: 9 ; return_inverse=True, return_counts=True"])
def unique_consecutive(fns, input, return_inverse=False, return_counts=False, dim=None) -> object:
    """The elements without those that equal the one before, with their places and counts if wanted.

    Args:
        dim: the dim whose slices are compared; None: all elements in a row
    """
    return asked_for(fns._unique_consecutive(input, dim), return_inverse, return_counts)


# --- places in a sorted sequence, and counts -------------------------------------------------------------------------

@op("torch._searchsorted", kernel="places_in_sorted", nondifferentiable="sequence, values, sorter",
    samples=["+1.0 +3.0 +5.0 | 2 3 | None ; right=False, out_int32=False"],
    reference=lambda torch, sequence, values, sorter, right, out_int32: torch.searchsorted(
        sequence, values, right=right, out_int32=out_int32))
def searchsorted_(xp, sequence, values, sorter, right: bool, out_int32: bool):
    """For each value the place where it would enter ``sequence``, before its equals or after them."""
    refuse_kinds(sequence, "bc" if values.dtype.kind == "b" else "c", "searchsorted_out_cpu")
    side = "right" if right else "left"
    if sorter is not None:
        sequence = xp.take_along_axis(sequence, sorter, axis=-1)
    values = xp.asarray(values)
    if sequence.dtype != values.dtype:      # unsigned numbers beside signed ones are refused
        dtypes.promote_types(xp.dtype_of(sequence), xp.dtype_of(values))
    if sequence.ndim > 1 and not (sequence.size and values.size):
        places = xp.zeros(values.shape, dtype=dtypes.int64)
    elif sequence.ndim == 1:
        places = xp.asarray(xp.searchsorted(sequence, values, side=side))
    else:
        rows, wanted = sequence.reshape(-1, sequence.shape[-1]), values.reshape(-1, values.shape[-1])
        places = xp.stack([xp.searchsorted(r, w, side=side) for r, w in zip(rows, wanted, strict=True)])
        places = places.reshape(values.shape)
    return xp.astype(places, dtypes.int32 if out_int32 else dtypes.int64)


@searchsorted_.onnx
def searchsorted_onnx(onnx, sequence, values, sorter, right, out_int32):
    sequence = sequence if sorter is None else onnx.take_along_axis(sequence, sorter, -1)
    value = onnx.expand_dims(onnx.asarray(values), -1)          # beside each its row of the sequence, in which NaN comes last
    row = sequence if sequence.ndim == 1 else onnx.expand_dims(sequence, -2)
    behind = (row > value) | onnx.isnan(row) & ~onnx.isnan(value) if right else (row >= value) | onnx.isnan(row)
    return onnx.astype(onnx.sum(~behind, axis=-1), dtypes.int32 if out_int32 else dtypes.int64)


def refuse_sorter(sequence, sorter):
    if sorter.shape != sequence.shape:
        raise RuntimeError("torch.searchsorted(): boundary and sorter must have the same size, but got boundary tensor "
                           f"{list(sequence.shape)}and got sorter tensor {list(sorter.shape)}")
    if sorter.dtype != dtypes.int64:
        raise RuntimeError("torch.searchsorted(): sorter must be a tensor of long dtype but got dtype "
                           f"{dtypes.scalar_name(sorter.dtype)}")
    if sorter.numel() and not 0 <= sorter.min().item() <= sorter.max().item() < sequence.shape[-1]:
        raise RuntimeError("torch.searchsorted(): sorter index out of range ")


@composite("torch.searchsorted", differentiable=False,
           samples=["+1.0 +3.0 +5.0 | 2 3", "+1.0 +3.0 +3.0 | +3.0 +1.0 ; right=True",
                    "+1.0 +3.0 +3.0 | +3.0 +1.0 ; side='right', out_int32=True"],
           errors=[("3 | 3 ; right=True, side='left'", RuntimeError,
                    "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True"),
                   ("2 3 | 3 3", RuntimeError, "torch.searchsorted(): boundaries tensor should be 1 dimension or the first "
                    "N-1 dimensions of boundaries tensor and input value tensor must match, but we got boundaries tensor "
                    "[2, 3] and input value tensor [3, 3]"),
                   (" | 3", RuntimeError, "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0"),
                   ("2 3 | ", RuntimeError, "torch.searchsorted(): input value can be a scalar only when boundaries tensor "
                    "dimension is 1, but we got boundaries tensor dim(2) and input value's dim(0) numel(1)"),
                   ("3 | 3 ; sorter=t.tensor([0, 1])", RuntimeError, "torch.searchsorted(): boundary and sorter must have the "
                    "same size, but got boundary tensor [3]and got sorter tensor [2]"),
                   ("3 | 3 ; sorter=t.tensor([0., 1., 2.])", RuntimeError,
                    "torch.searchsorted(): sorter must be a tensor of long dtype but got dtype Float"),
                   ("3 | 3 ; sorter=t.tensor([0, 1, 3])", RuntimeError, "torch.searchsorted(): sorter index out of range")])
def searchsorted(fns, sorted_sequence, input, *, out_int32=False, right=False, side: str = None, sorter=None):
    """For each value of ``input`` the place where it would enter the sorted last dim of ``sorted_sequence``.

    >>> lw.searchsorted(lw.tensor([1., 3., 5.]), lw.tensor([3., 4.]))
    tensor([1, 2])
    >>> lw.searchsorted(lw.tensor([1., 3., 5.]), lw.tensor([3., 4.]), right=True)
    tensor([2, 2])
    """
    if side not in (None, "left", "right"):
        raise RuntimeError(f"torch.searchsorted(): side can only be 'left' or 'right' but got {side}")
    if side == "left" and right:
        raise RuntimeError("torch.searchsorted(): side and right can't be set to opposites, got side of left while "
                           "right was True")
    if sorted_sequence.ndim == 0:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension")
    shape = list(getattr(input, "shape", ()))
    if not shape and sorted_sequence.ndim != 1:
        raise RuntimeError("torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but "
                           f"we got boundaries tensor dim({sorted_sequence.ndim}) and input value's dim(0) numel(1)")
    if sorter is not None:
        refuse_sorter(sorted_sequence, sorter)
    if sorted_sequence.ndim != 1 and list(sorted_sequence.shape[:-1]) != shape[:-1]:
        raise RuntimeError("torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of "
                           "boundaries tensor and input value tensor must match, but we got boundaries tensor "
                           f"{list(sorted_sequence.shape)} and input value tensor {shape}")
    return fns._searchsorted(sorted_sequence, input, sorter, right or side == "right", out_int32)


@composite("torch.bucketize", differentiable=False, samples=["2 3 | +1.0 +3.0 +5.0", "int5: 3 | int5: 1 ; right=True"],
           errors=[("3 | 2 3", RuntimeError, "boundaries tensor must be 1 dimension, but got dim(2)")])
def bucketize(fns, input, boundaries, *, out_int32=False, right=False):
    """For each value the number of its bucket between sorted ``boundaries``."""
    if boundaries.ndim != 1:
        raise RuntimeError(f"boundaries tensor must be 1 dimension, but got dim({boundaries.ndim})")
    return fns._searchsorted(boundaries, input, None, right, out_int32)


@op("histc", kernel="counts_in_bins", nondifferentiable="x", no_grad_outputs="out",
    samples=["20 ; bins=4", "20 ; bins=5, min=-1, max=1", "0 ; bins=3"],
    errors=[("3 ; bins=0", RuntimeError, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"),
            ("3 ; bins=2, min=2, max=1", RuntimeError, "torch.histc: max must be larger than min"),
            ("3 ; bins=2, min=-inf, max=1", RuntimeError, "torch.histc: range of [-inf, 1] is not finite"),
            ("3 ; bins='a'", TypeError, "histc(): argument 'bins' must be int, not str"),
            ("3 ; min='a'", TypeError, "histc(): argument 'min' must be Number, not str")])
def histc(xp, x, bins: int = 100, min=0, max=0):
    """How many elements fall into each of ``bins`` equal ranges between ``min`` and ``max`` (if equal: of ``x``)."""
    refuse_kinds(x, "b", "linspace_cpu")
    refuse_kinds(x, "c", "aminmax_cpu")
    refuse_kinds(x, "iu", "histogram_cpu")
    min, max = as_element(min, dtypes.float64), as_element(max, dtypes.float64)
    if bins <= 0:
        raise RuntimeError(f"torch.histogram(): bins must be > 0, but got {bins} for dimension 0")
    if min > max:
        raise RuntimeError("torch.histc: max must be larger than min")
    if min == max and x.size:
        min, max = float(xp.to_host(xp.min(x))), float(xp.to_host(xp.max(x)))
    if min == max:
        min, max = min - 1, max + 1
    if not (abs(min) < xp.inf and abs(max) < xp.inf):
        raise RuntimeError(f"torch.histc: range of [{min:g}, {max:g}] is not finite")
    flat = xp.widened(x.reshape(-1))
    flat = flat[(flat >= min) & (flat <= max)]
    places = xp.minimum(xp.astype((flat - min) * bins / (max - min), dtypes.int64), bins - 1)
    return xp.astype(xp.bincount(places, minlength=bins), x.dtype)


@op("bincount", kernel="counts_of_numbers", nondifferentiable="x", node="NotImplemented",
    samples=["int5: 9", "int5: 9 | 9", "int5: 9 ; minlength=8", "int5: 0"],
    errors=[("int5: 2 2", RuntimeError, "bincount only supports 1-d non-negative integral inputs."),
            ("int5: 3 | 2", RuntimeError, "weights should be 1-d and have the same length as input"),
            ("int5: 3 ; minlength=-1", RuntimeError, "minlength should be >= 0")])
def bincount(xp, x, weights=None, minlength: int = 0):
    """How often each number occurs, or the sum of its weights.

    >>> lw.bincount(lw.tensor([0, 2, 2]))
    tensor([1, 0, 2])
    """
    if minlength < 0:
        raise RuntimeError("minlength should be >= 0")
    if x.dtype.kind not in "iu":
        raise NotImplementedError(f"\"bincount_cpu\" not implemented for '{scalar_name(x)}'")
    if x.ndim != 1 or (x.size and xp.to_host(xp.min(x)) < 0):
        raise RuntimeError("bincount only supports 1-d non-negative integral inputs.")
    if not x.size:
        return xp.zeros((minlength,), dtype=dtypes.int64)
    if weights is not None and weights.shape != x.shape:
        raise RuntimeError("weights should be 1-d and have the same length as input")
    if weights is None:
        return xp.bincount(x, minlength=minlength)
    wide = xp.astype(weights, dtypes.float64)
    return xp.astype(xp.bincount(x, wide, minlength), weights.dtype if weights.dtype == "float32" else dtypes.float64)

@bincount.onnx
def bincount_onnx(onnx, x, weights, minlength):
    x = onnx.astype(x, dtypes.int64)
    length = onnx.Max(onnx.Add(onnx.ReduceMax(x, keepdims=1), 1), minlength)
    each = onnx.full(x.shape, 1, dtypes.int64) if weights is None else weights
    each = each if each.dtype.name in ("int64", "float32") else onnx.astype(each, dtypes.float64)
    return onnx.ScatterElements(onnx.Expand(onnx.zeros((1,), each.dtype), length), x, each, axis=0, reduction="add")


without_derivative(bincount, "weights", "bincount")
