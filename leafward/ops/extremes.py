"""Largest, smallest, middle and most frequent values, and where they are.

Along a dim the gradient goes to the chosen place; over the whole tensor, and for ``amax`` and ``amin``, equal extremes
share it evenly. NaN counts as the largest and the smallest.

Args:
    k: which: 1 is the smallest
"""
from leafward import dtypes
from leafward.core.op import Meta, composite, op

from leafward.ops.dims import axes, normalize, restore
from leafward.ops.kinds import refuse_kinds
from leafward.ops.reduction import axis_of
from leafward.ops.sorting import sortable, with_ties


def refuse_empty(x, name, dim, error=RuntimeError):
    """An extreme of nothing does not exist."""
    if dim is None:
        if x.size == 0:
            hint = " Specify the reduction dim with the 'dim' argument." if error is RuntimeError else ""
            raise error(f"{name}(): Expected reduction dim to be specified for input.numel() == 0.{hint}")
    else:
        for d in axes(dim, x.ndim):
            if x.shape[d] == 0:
                raise IndexError(f"{name}(): Expected reduction dim {d} to have non-zero size.")


def shared_by(xp, x, chosen, dim):
    """One for the elements equal to ``chosen``, divided by how many they are."""
    equal = xp.astype(x == chosen, x.dtype)
    return equal / xp.sum(equal, axis=axes(dim, x.ndim) or None, keepdims=x.ndim > 0)


# --- the whole tensor, or several dims: values only ------------------------------------------------------------------

@op("torch._max_all", kernel="largest_along", node="MaxBackward1", samples=["3 4", "", "+1.0 +2.0 +2.0"], reference="max",
    errors=[("0", RuntimeError, "max(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
             "reduction dim with the 'dim' argument.")])
def max_all(xp, x):
    """The largest element."""
    refuse_empty(x, "max", None)
    refuse_kinds(x, "c", "max_all")
    return xp.max(x)

@max_all.vjp("x")
def max_all_dx(xp, g, x, out):
    return shared_among_equals(xp, g, x, out)


@max_all.batch
def max_all_batch(fns, call):
    return call.front(0).reshape(call.size, -1).amax(1)


@op("torch._min_all", kernel="smallest_along", node="MinBackward1", samples=["3 4", "", "+1.0 +1.0 +2.0"], reference="min",
    errors=[("0", RuntimeError, "min(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
             "reduction dim with the 'dim' argument.")])
def min_all(xp, x):
    """The smallest element."""
    refuse_empty(x, "min", None)
    refuse_kinds(x, "c", "min_all")
    return xp.min(x)

@min_all.vjp("x")
def min_all_dx(xp, g, x, out):
    return shared_among_equals(xp, g, x, out)


@min_all.batch
def min_all_batch(fns, call):
    return call.front(0).reshape(call.size, -1).amin(1)


@op("amax", kernel="largest_along", batch="dims",
    samples=["3 4", "3 4 ; dim=1", "2 3 4 ; dim=(0, 2), keepdim=True", "+1.0 +2.0 +2.0", "", " ; dim=0"],
    errors=[("0 3 ; dim=0", IndexError, "amax(): Expected reduction dim 0 to have non-zero size."),
            ("0", RuntimeError, "amax(): Expected reduction dim to be specified for input.numel() == 0. Specify the "
             "reduction dim with the 'dim' argument.")])
def amax(xp, x, dim=(), keepdim=False):
    """The largest along ``dim``; equals share the gradient."""
    refuse_empty(x, "amax", dim or None if isinstance(dim, (tuple, list)) else dim)
    refuse_kinds(x, "c", "max_values_cpu")
    return xp.max(x, axis=axes(dim, x.ndim), keepdims=keepdim)

@amax.vjp("x")
def amax_dx(xp, g, x, out, dim, keepdim):
    out = restore(out, x.shape, dim, keepdim)
    return restore(g, x.shape, dim, keepdim) * shared_by(xp, x, out, dim)


@op("amin", kernel="smallest_along", batch="dims",
    samples=["3 4", "3 4 ; dim=1", "2 3 4 ; dim=(0, 2), keepdim=True", "+1.0 +1.0 +2.0", ""],
    errors=[("0 3 ; dim=0", IndexError, "amin(): Expected reduction dim 0 to have non-zero size.")])
def amin(xp, x, dim=(), keepdim=False):
    """The smallest along ``dim``; equals share the gradient."""
    refuse_empty(x, "amin", dim or None if isinstance(dim, (tuple, list)) else dim)
    refuse_kinds(x, "c", "min_values_cpu")
    return xp.min(x, axis=axes(dim, x.ndim), keepdims=keepdim)

@amin.vjp("x")
def amin_dx(xp, g, x, out, dim, keepdim):
    out = restore(out, x.shape, dim, keepdim)
    return restore(g, x.shape, dim, keepdim) * shared_by(xp, x, out, dim)


@op("aminmax", kernel="least_and_largest", outputs="min, max", batch="dims",
    samples=["3 4 ", "3 4 ; dim=1", "3 4 ; dim=0, keepdim=True", "+1.0 +1.0 +2.0 +2.0"],
    errors=[("0", RuntimeError, "aminmax(): cannot compute aminmax over an empty dimension as the operation has no "
             "identity."),
            ("0 3 ; dim=0", IndexError, "aminmax: Expected reduction dim 0 to have non-zero size.")])
def aminmax(xp, x, *, dim=None, keepdim=False):
    """The smallest and the largest, along ``dim`` or of everything.

    Args:
        dim: the dim to reduce; None: all of them
    """
    if dim is None and x.size == 0:
        raise RuntimeError("aminmax(): cannot compute aminmax over an empty dimension as the operation has no identity.")
    if dim is not None and x.ndim and x.shape[normalize(dim, x.ndim)] == 0:
        raise IndexError(f"aminmax: Expected reduction dim {normalize(dim, x.ndim)} to have non-zero size.")
    refuse_kinds(x, "c", "aminmax_cpu")
    axis = axis_of(x, dim)
    return xp.min(x, axis=axis, keepdims=keepdim), xp.max(x, axis=axis, keepdims=keepdim)

@aminmax.vjp("x")
def aminmax_dx(xp, g_min, g_max, x, min, max, dim, keepdim):
    result = 0
    for g, out in ((g_min, min), (g_max, max)):
        out = restore(out, x.shape, dim, keepdim)
        result = result + restore(g, x.shape, dim, keepdim) * shared_by(xp, x, out, dim)
    return result


# --- places ----------------------------------------------------------------------------------------------------------

def place_of(xp, x, name, find, dim, keepdim):
    """The first place of an extreme, counted along ``dim`` or, without one, in row-major order."""
    if x.dtype.kind in "bc":
        raise RuntimeError(f"{name}(): does not support {'bool' if x.dtype.kind == 'b' else 'complex'} input")
    refuse_empty(x, name, dim, IndexError)
    if x.ndim == 0:
        axes(dim, 0)
        return xp.zeros((), dtype=dtypes.int64)
    if dim is None:
        position = xp.asarray(find(x.reshape(-1)))
        return position.reshape((1,) * x.ndim) if keepdim else position
    return find(x, axis=normalize(dim, x.ndim), keepdims=keepdim)


@op("argmax", kernel="place_of_largest", nondifferentiable="x", batch="dims",
    samples=["distinct: 3 4", "distinct: 3 4 ; dim=1", "3 4 ; dim=0, keepdim=True", "+1.0 +nan",
                                     "3 4 ; keepdim=True", ""],
    errors=[("0", IndexError, "argmax(): Expected reduction dim to be specified for input.numel() == 0."),
            ("bool: 3", RuntimeError, "argmax(): does not support bool input")])
def argmax(xp, x, dim=None, keepdim=False):
    """Where the largest is along ``dim``: the first of equals.

    NaN counts as the largest.

    Args:
        dim: the dim to search; None: the place in the flat tensor

    >>> lw.tensor([[1., 5.], [7., 2.]]).argmax(dim=1)
    tensor([1, 0])
    """
    return place_of(xp, x, "argmax", xp.argmax, dim, keepdim)


@op("argmin", kernel="place_of_smallest", nondifferentiable="x", batch="dims",
    samples=["distinct: 3 4", "distinct: 3 4 ; dim=1", "3 4 ; dim=0, keepdim=True", "+1.0 +nan", ""],
    errors=[("0", IndexError, "argmin(): Expected reduction dim to be specified for input.numel() == 0.")])
def argmin(xp, x, dim=None, keepdim=False):
    """Where the smallest is along ``dim``: the first of equals.

    Args:
        dim: the dim to search; None: the place in the flat tensor
    """
    return place_of(xp, x, "argmin", xp.argmin, dim, keepdim)


# --- one dim: values and places --------------------------------------------------------------------------------------

def refuse_complex(x, name):
    if x.dtype.kind == "c":
        raise RuntimeError(f"{name}(): does not support complex input")


def chosen(xp, x, dim, keepdim, name, find, refused=("", "")):
    """Values and places along ``dim``; ``find(x, dim)`` gives the places, with that dim kept at size one.

    ``refused``: the kinds of dtypes that there is no kernel for, and its name.
    """
    dim = normalize(dim, x.ndim)
    if x.ndim:
        refuse_empty(x, name, dim)
    refuse_kinds(x, *refused)
    if x.ndim == 0:
        return x, xp.zeros((), dtype=dtypes.int64)
    places = find(x, dim)
    values = xp.take_along_axis(x, places, axis=dim)
    if keepdim:
        return values, places
    return xp.squeeze(values, axis=dim), xp.squeeze(places, axis=dim)


def extreme(xp, x, dim, keepdim, name, value, argument):
    """:func:`chosen` where the array library finds values and places alike."""
    dim = normalize(dim, x.ndim)
    if x.ndim:
        refuse_empty(x, name, dim)
    refuse_complex(x, name)
    if x.ndim == 0:
        return x, xp.zeros((), dtype=dtypes.int64)
    return value(x, axis=dim, keepdims=keepdim), argument(x, axis=dim, keepdims=keepdim)


def chosen_dx(xp, g, x, indices, dim, keepdim):
    """The gradient of :func:`chosen`: each ``g`` to the place that was chosen."""
    if x.ndim == 0:
        return g
    dim = normalize(dim, x.ndim)
    if not keepdim:
        g, indices = xp.expand_dims(g, axis=dim), xp.expand_dims(indices, axis=dim)
    return xp._gather_backward(g, dim, indices, x.shape)


def selecting(name, node, samples, **facts):
    """Declare an op that chooses one element along a dim: its outputs, its derivative, its node."""
    def declare(forward):
        declared = op(f"torch._{name}", outputs="values, indices", no_grad_outputs="indices", node=node,
                      batch="dims", samples=samples, **facts)(forward)

        @declared.vjp("x")
        def rule(xp, g_values, x: Meta, indices, dim, keepdim):
            return chosen_dx(xp, g_values, x, indices, dim, keepdim)
        return declared
    return declare


@selecting("max", "MaxBackward0", ["distinct: 3 4 ; dim=0, keepdim=False", "3 4 ; dim=-1, keepdim=True",
                                   "+1.0 +3.0 +3.0 ; dim=0, keepdim=False", "+1.0 +nan ; dim=0, keepdim=False"],
           kernel="largest_with_place", reference="max", errors=[("0 3 ; dim=0, keepdim=False", IndexError,
                                     "max(): Expected reduction dim 0 to have non-zero size.")])
def max_dim(xp, x, dim, keepdim: bool):
    """The largest along ``dim``, and where it is: the first of equals."""
    return extreme(xp, x, dim, keepdim, "max", xp.max, xp.argmax)


@selecting("min", "MinBackward0", ["distinct: 3 4 ; dim=0, keepdim=False", "3 4 ; dim=-1, keepdim=True",
                                   "+1.0 +1.0 +3.0 ; dim=0, keepdim=False"],
           kernel="smallest_with_place", reference="min")
def min_dim(xp, x, dim, keepdim: bool):
    """The smallest along ``dim``, and where it is: the first of equals."""
    return extreme(xp, x, dim, keepdim, "min", xp.min, xp.argmin)


def stable_order(xp, x, dim):
    return xp.argsort(sortable(xp, x), axis=dim)


def kth_place(xp, x, dim, k, order=None):
    """Where the element is that would come at place ``k`` (an int, or an array with dim at size one) in sorted order."""
    if order is None and isinstance(k, int) and x.size > xp.kernels.TIED_UP_TO:
        position = xp.kernels.place_of_kth(sortable(xp, x), dim, k)
        if position is not None:
            return position
    order = stable_order(xp, x, dim) if order is None else order
    if isinstance(k, int):
        return xp.copy(order[(slice(None),) * dim + (slice(k, k + 1),)])
    return xp.take_along_axis(order, k, axis=dim)


@selecting("kthvalue", "KthvalueBackward0", ["distinct: 3 4 ; k=2, dim=0, keepdim=False",
                                             "distinct: 3 4 ; k=4, dim=-1, keepdim=True"], reference="kthvalue", no_overlap="x",
           kernel="kth_in_order",
           errors=[("3 4 ; k=5, dim=1, keepdim=False", RuntimeError,
                    "kthvalue(): selected number k out of range for dimension 1"),
                   ("bool: 3 ; k=1, dim=0, keepdim=False", NotImplementedError,
                    "\"kthvalue_cpu\" not implemented for 'Bool'")])
def kthvalue_dim(xp, x, k: int, dim, keepdim: bool):
    """The ``k``-th smallest along ``dim`` (counted from 1), and where it is."""
    counted = normalize(dim, x.ndim)
    refuse_empty(x, "kthvalue", counted)
    if not 1 <= k <= (x.shape[counted] if x.ndim else 1):
        raise RuntimeError(f"kthvalue(): selected number k out of range for dimension {counted}")
    refuse_kinds(x, "bc", "kthvalue_cpu")

    def find(x, dim):
        order = with_ties(xp, "tied_kth", x, stable_order(xp, x, dim), dim, k - 1) if x.size <= xp.kernels.TIED_UP_TO else None
        return kth_place(xp, x, dim, k - 1, order)
    return chosen(xp, x, dim, keepdim, "kthvalue", find)


def middle_place(xp, x, dim, skip_nan):
    """Where the lower median is. NaN wins, the first one, unless it is skipped and something else is there."""
    if x.dtype.kind in "bui":
        return kth_place(xp, x, dim, (x.shape[dim] - 1) // 2)
    nan = xp.isnan(x)
    if skip_nan:
        there = xp.sum(~nan, axis=dim, keepdims=True)
        return kth_place(xp, x, dim, xp.maximum((there - 1) // 2, 0))
    found = kth_place(xp, x, dim, (x.shape[dim] - 1) // 2)
    return xp.where(xp.any(nan, axis=dim, keepdims=True), xp.argmax(nan, axis=dim, keepdims=True), found)


def median_of(xp, x, dim, keepdim, name, skip_nan):
    return chosen(xp, x, dim, keepdim, name, lambda x, dim: middle_place(xp, x, dim, skip_nan), ("bc", "median_out"))


def median_of_all(xp, x, skip_nan):
    refuse_kinds(x, "bc", "median_cpu")
    if x.size == 0:
        lowest = xp.iinfo(x.dtype).min if x.dtype.kind in "ui" and x.itemsize >= 4 else 0   # NaN, as a processor casts it
        return xp.full((), lowest if x.dtype.kind in "ui" else float("nan"), dtype=x.dtype)
    flat = sortable(xp, x.reshape(-1))
    numbers = x.size if x.dtype.kind in "ui" else x.size - int(xp.to_host(xp.sum(flat != flat)))
    if numbers < x.size and not skip_nan:
        return xp.full((), float("nan"), dtype=x.dtype)
    middle = xp.kernels.kth_smallest(flat, (numbers - 1 if numbers else 0) // 2)         # NaN come last
    return xp.astype(xp.asarray(middle), x.dtype)


@op("torch._median_all", kernel="middle_of_everything", node="MedianBackward0", reference="median",
    samples=["distinct: 3 4", "", "+1.0 +nan +2.0", "+2.0 +2.0 +1.0"])
def median_all(xp, x):
    """The middle element in order, the lower of two."""
    return median_of_all(xp, x, False)

@median_all.onnx
def median_all_onnx(onnx, x):
    return onnx._median(x.reshape(-1), 0, False)[0]


@median_all.vjp("x")
def median_all_dx(xp, g, x, out):
    return shared_among_equals(xp, g, x, out)


@median_all.batch
def median_all_batch(fns, call):
    return call.front(0).reshape(call.size, -1).median(1)[0]


@op("torch._nanmedian_all", kernel="middle_of_all_numbers", node="NanmedianBackward0", reference="nanmedian",
    samples=["distinct: 3 4", "+1.0 +nan +2.0 +5.0"])
def nanmedian_all(xp, x):
    """The middle of what is not NaN, the lower of two."""
    return median_of_all(xp, x, True)

@nanmedian_all.vjp("x")
def nanmedian_all_dx(xp, g, x, out):
    return shared_among_equals(xp, g, x, out)


@nanmedian_all.batch
def nanmedian_all_batch(fns, call):
    return call.front(0).reshape(call.size, -1).nanmedian(1)[0]


def shared_among_equals(xp, g, x, chosen):
    """``g`` in equal parts for the elements that are ``chosen``, where NaN equals NaN; 0 for the others, whatever ``g`` is."""
    equal = (x == chosen) | ((x != x) & (chosen != chosen))
    return xp.where(equal, g / xp.astype(xp.sum(equal), g.dtype), 0)


@selecting("median", "MedianBackward1",
           ["distinct: 3 4 ; dim=0, keepdim=False", "distinct: 3 5 ; dim=-1, keepdim=True"], reference="median",
           kernel="middle_in_order")
def median_dim(xp, x, dim, keepdim: bool):
    """The middle element along ``dim``, the lower of two, and where it is."""
    return median_of(xp, x, dim, keepdim, "median", False)


@selecting("nanmedian", "NanmedianBackward1", ["distinct: 3 4 ; dim=0, keepdim=False"], reference="nanmedian",
           kernel="middle_of_numbers")
def nanmedian_dim(xp, x, dim, keepdim: bool):
    """The middle along ``dim`` of what is not NaN, the lower of two, and where it is."""
    return median_of(xp, x, dim, keepdim, "nanmedian", True)


def most_frequent_place(xp, x, dim):
    """Where the most frequent element is: the smallest of those equally frequent, the last that a sort leaves."""
    order = with_ties(xp, "tied_places", x, stable_order(xp, x, dim), dim)
    ordered = xp.take_along_axis(x, order, axis=dim)
    places = xp.arange(x.shape[dim]).reshape((-1,) + (1,) * (x.ndim - 1 - dim))
    head = (slice(None),) * dim
    starts = xp.concat([xp.zeros_like(order[(*head, slice(0, 1))], dtype=dtypes.bool),
                        ordered[(*head, slice(1, None))] != ordered[(*head, slice(None, -1))]], axis=dim)
    length = places - xp.maximum.accumulate(xp.where(starts, places, 0), dim)    # of the run up to here
    best = xp.argmax(length, axis=dim, keepdims=True)
    return xp.take_along_axis(order, best, axis=dim)


@selecting("mode", "ModeBackward0", ["distinct: 3 4 ; dim=0, keepdim=False",
                                     "+2.0 +1.0 +2.0 +1.0 +3.0 ; dim=0, keepdim=True"], reference="mode",
           kernel="most_frequent")
def mode_dim(xp, x, dim, keepdim: bool):
    """The most frequent value along ``dim``, the smallest of those equally frequent, and where it is."""
    return chosen(xp, x, dim, keepdim, "mode", lambda x, dim: most_frequent_place(xp, x, dim), ("c", "mode_cpu"))


# --- PyTorch's overloads ---------------------------------------------------------------------------------------------

def overloaded(fns, name, input, dim, keepdim, other=None):
    """``max(x)``, ``max(x, dim)`` and ``max(x, other)`` are three ops."""
    if other is not None:
        return getattr(fns, name + "imum")(input, other)
    if dim is None:
        return getattr(fns, f"_{name}_all")(input)
    if hasattr(dim, "ndim"):
        return getattr(fns, name + "imum")(input, dim)
    if not isinstance(dim, int):
        got = f"Tensor, {type(dim).__name__}"
        raise TypeError(f"{name}() received an invalid combination of arguments - got ({got}), but expected one of:\n"
                        " * (Tensor input)\n * (Tensor input, Tensor other)\n"
                        " * (Tensor input, int dim, bool keepdim = False)")
    return getattr(fns, f"_{name}")(input, dim, keepdim)


@composite("max", foreach=True, samples=["3 4", "distinct: 3 4 ; dim=1", "3 4 ; dim=0, keepdim=True", "3 4 | 3 4"])
def max(fns, input, dim: object = None, keepdim=False, *, other=None) -> object:
    """The largest of everything; or along ``dim``, with its place; or, given another tensor, of each pair.

    With ``dim`` the result is a named tuple of ``values`` and ``indices``.

    Args:
        dim: the dim to search; None: all elements, and the value alone
        other: a second tensor, for the larger of each pair

    >>> x = lw.tensor([[1., 5.], [7., 2.]])
    >>> x.max()
    tensor(7.)
    >>> values, indices = lw.max(x, dim=1)
    >>> values, indices
    (tensor([5., 7.]), tensor([1, 0]))
    """
    return overloaded(fns, "max", input, dim, keepdim, other)


@composite("min", samples=["3 4", "distinct: 3 4 ; dim=1", "3 4 ; dim=0, keepdim=True", "3 4 | 3 4"])
def min(fns, input, dim: object = None, keepdim=False, *, other=None) -> object:
    """The smallest of everything; or along ``dim``, with its place; or, given another tensor, of each pair.

    Args:
        dim: the dim to search; None: all elements, and the value alone
        other: a second tensor, for the smaller of each pair
    """
    return overloaded(fns, "min", input, dim, keepdim, other)


@composite("median", samples=["distinct: 3 4", "distinct: 3 4 ; dim=1"])
def median(fns, input, dim=None, keepdim=False) -> object:
    """The middle element in order (the lower of two); along ``dim``, with its place.

    Args:
        dim: the dim to search; None: all elements, and the value alone
    """
    return fns._median_all(input) if dim is None else fns._median(input, dim, keepdim)


@composite("nanmedian", samples=["distinct: 3 4", "distinct: 3 4 ; dim=1"])
def nanmedian(fns, input, dim=None, keepdim=False) -> object:
    """The middle of what is not NaN; along ``dim``, with its place.

    Args:
        dim: the dim to search; None: all elements, and the value alone
    """
    return fns._nanmedian_all(input) if dim is None else fns._nanmedian(input, dim, keepdim)


@composite("mode", samples=["distinct: 3 4", "int5: 3 4 ; dim=0, keepdim=True"])
def mode(fns, input, dim=-1, keepdim=False, *, out=None) -> object:
    """The most frequent value along ``dim``, and where it is."""
    return fns._mode(input, dim, keepdim, out=out)


@composite("kthvalue", samples=["distinct: 3 4 ; k=2", "distinct: 3 4 ; k=1, dim=0, keepdim=True"])
def kthvalue(fns, input, k: int, dim=-1, keepdim=False, *, out=None) -> object:
    """The ``k``-th smallest along ``dim``, and where it is."""
    return fns._kthvalue(input, k, dim, keepdim, out=out)
