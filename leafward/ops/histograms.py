"""How many samples fall into each bin, in one dimension and in several.

Args:
    bins: how many bins, or their edges; of several dims one for each
    range: the ends of the bins, two numbers for each dim; None: the smallest and the largest value
    weight: how much each sample counts; None: one
"""
import math

from leafward import dtypes
from leafward.core.op import composite, op, recorded

from leafward.ops.checks import cpp_name
from leafward.ops.kinds import refuse_kinds, unsupported


def bin_edges(fns, name, values, bins, limits, number):
    """The edges of one dimension: given, or equally spaced between the smallest and the largest value."""
    if hasattr(bins, "ndim"):
        if bins.ndim != 1:
            raise RuntimeError(f"torch.{name}: bins tensor should have one dimension, but got {bins.ndim} dimensions in the "
                               f"bins tensor for dimension {number}")
        if bins.dtype != values.dtype:
            raise RuntimeError("torch.histogramdd: input tensor and bins tensors should have the same dtype, but got input "
                               f"with dtype {cpp_name(values)} and bins for dimension {number} with dtype {cpp_name(bins)}")
        return bins
    if bins <= 0:
        raise RuntimeError(f"torch.{name}(): bins must be > 0, but got {bins} for dimension {number}")
    if limits is None and values.numel():
        return fns._edges_around(values, bins, number)
    if limits is None:
        low, high = 0.0, 1.0
    elif len(limits) != 2:
        raise RuntimeError("torch.histogramdd: for a 1-dimensional histogram range should have 2 elements, but got "
                           f"{len(limits)}")
    else:
        low, high = map(float, limits)
    low, high = checked_limits(low, high, number)
    return fns.linspace(low, high, bins + 1, dtype=values.dtype)


def checked_limits(low, high, number):
    """Where the bins of dimension ``number`` begin and end: around equal ones."""
    if not abs(low) < float("inf") or not abs(high) < float("inf"):
        raise RuntimeError(f"torch.histogramdd: dimension {number}'s range [{low:g}, {high:g}] is not finite")
    if low > high:
        raise RuntimeError(f"torch.histogramdd: min should not exceed max, but got min {low:g} max {high:g} for dimension "
                           f"{number}")
    return (low - 0.5, high + 0.5) if low == high else (low, high)


@op("torch._edges_around", kernel="edges_around", nondifferentiable="values", no_grad_outputs="out",
    samples=["20 ; bins=4, number=0", "+1. +1. ; bins=2, number=0"],
    reference=lambda torch, values, bins, number: torch.histogram(values, bins).bin_edges)
def edges_around(xp, values, bins, number):
    """The edges of equal bins from the smallest of the values to the largest.

    Args:
        values: what falls into the bins
        bins: how many
        number: which dimension it is that they divide
    """
    refuse_kinds(values, "biuc", "histogramdd")
    low, high = checked_limits(float(xp.to_host(xp.min(values))), float(xp.to_host(xp.max(values))), number)
    return xp.creation.linspace(low, high, bins + 1, xp.dtype_of(values))


@op("torch._count_points", kernel="counts_of_points", variadic="edges", nondifferentiable="points, edges, weight",
    no_grad_outputs="out", samples=["20 2 | [-1. +0. +2., +0. +1.]", "9 1 | [-1. +0. +0. +2.] | 9"])
def points_in_bins(xp, points, edges, weight=None):
    """The weight in each bin for points ``(n, d)``; the last bin of a dimension holds its upper edge too."""
    refuse_kinds(points, "biuc", "histogram_cpu")
    inside, position, shape = xp.ones(points.shape[0], dtype=dtypes.bool), 0, [edge.shape[0] - 1 for edge in edges]
    for d, edge in enumerate(edges):
        values = points[:, d]
        inside = inside & (values >= edge[0]) & (values <= edge[-1])
        number = xp.searchsorted(edge, values, side="right") - 1
        position = position * shape[d] + xp.clip(number, 0, max(shape[d] - 1, 0))
    weight = xp.ones(points.shape[0], dtype=points.dtype) if weight is None else weight
    counts = xp.zeros((math.prod(shape),), dtype=points.dtype)
    return xp.add_rows(counts, 0, position[inside], weight[inside]).reshape(shape)


def count_points(fns, points, edges, weight, density):
    """The weight in each bin, or its density."""
    weight = weight if weight is None else weight.detach().reshape(-1).to(points.dtype)
    counts = fns._count_points(points, edges, weight)
    if not density:
        return counts
    counts = counts / counts.sum()
    for d, edge in enumerate(edges):
        counts = counts / edge.diff().reshape([-1 if k == d else 1 for k in range(len(edges))])
    return counts


def check_points(input, weight, shape):
    if not input.dtype.is_floating_point:
        raise unsupported(input, "histogramdd")
    if weight is not None and tuple(weight.shape) != tuple(shape):
        inner = list(input.shape) if input.ndim > 1 else [input.numel(), 1]
        raise RuntimeError("torch.histogramdd: if weight tensor is provided it should have the same shape as the input tensor "
                           f"excluding its innermost dimension, but got input with shape {inner} and weight with shape "
                           f"{list(weight.shape)}")


@op("torch._histogram_of", nondifferentiable="hist", node="NotImplemented", samples=["2 | 3 | 3 ; name='histogram'"])
def histogram_of(xp, hist, x, weight=None, *, name):
    """``hist`` as made of ``x`` and ``weight``: backward through it raises, as in PyTorch."""
    return xp.copy(hist)


@histogram_of.vjp("x, weight", refuses=True)
def histogram_of_dx(name):
    raise RuntimeError(f"derivative for aten::{name} is not implemented")


@composite("histogram", outputs="hist, bin_edges", records_out="histogram",
           samples=["20 ; bins=4", "20 ; bins=4, range=(-1.0, 1.0)", "4 5 ; bins=t.tensor([-1.0, 0.0, 2.0], dtype=t.float32)",
                    "20 ; bins=3, density=True", "0 ; bins=2", "+1. +1. ; bins=2", "20"],
           errors=[("3 ; bins=0", RuntimeError, "torch.histogram(): bins must be > 0, but got 0 for dimension 0"),
                   ("3 ; bins=2, range=(3.0, 1.0)", RuntimeError,
                    "torch.histogramdd: min should not exceed max, but got min 3"),
                   ("3 ; bins=2, weight=t.ones(2)", RuntimeError, "if weight tensor is provided it should have the same")])
def histogram(fns, input, bins: "object" = 100, *, range=None, weight=None, density=False):
    """How much of ``input`` falls into each bin, and the bins' edges.

    ``bins`` is a number of equal bins, from the smallest value to the largest or over ``range``, or the edges themselves.
    ``density`` makes the area one.

    >>> lw.histogram(lw.tensor([1., 2., 1.]), 4, range=(0., 3.)).hist
    tensor([0., 2., 1., 0.])
    """
    check_points(input, weight, input.shape)
    values = (input.detach() if recorded(input) else input).reshape(-1)
    edges = bin_edges(fns, "histogram", values, bins, range, 0)
    counts = count_points(fns, values.unsqueeze(1), [edges], weight, density)
    return fns.histogram_result([fns._histogram_of(x, input, weight, name="histogram") for x in (counts, edges)])


@composite("torch.histogramdd", outputs="hist, bin_edges",
           samples=["20 2 ; bins=[3, 4]", "20 2 ; bins=3, range=[-1.0, 1.0, 0.0, 2.0]",
                    "20 2 ; bins=[t.tensor([-1.0, 0.0, 2.0], dtype=t.float32), t.tensor([0.0, 1.0], dtype=t.float32)], "
                    "density=True"],
           errors=[("20 2 ; bins=[3]", RuntimeError, "The size of bins must be equal to the innermost dimension of the input."),
                   ("20 ; bins=[3]", RuntimeError, "torch.histogramdd: input tensor should have at least 2 dimensions")])
def histogramdd(fns, input, bins, range=None, weight=None, density=False) -> object:
    """:func:`histogram` for points ``(..., d)`` in ``d`` dimensions; ``range`` lists two limits for each."""
    if input.ndim < 2:
        raise RuntimeError("torch.histogramdd: input tensor should have at least 2 dimensions")
    dims = input.shape[-1]
    bins = [bins] * dims if isinstance(bins, int) else list(bins)
    if len(bins) != dims:
        raise RuntimeError("histogramdd: The size of bins must be equal to the innermost dimension of the input.")
    if any([hasattr(given, "ndim") for given in bins]):
        range = None                                        # edges need none
    if range is not None and len(range) != 2 * dims:
        raise RuntimeError(f"torch.histogramdd: for a {dims}-dimensional histogram range should have {2 * dims} elements, but "
                           f"got {len(range)}")
    check_points(input, weight, input.shape[:-1])
    points = (input.detach() if recorded(input) else input).reshape(-1, dims)
    limits = [None] * dims if range is None else list(zip(range[::2], range[1::2]))
    edges = [bin_edges(fns, "histogramdd", points[:, d], given, limits[d], d) for d, given in enumerate(bins)]
    counts = count_points(fns, points, edges, weight, density)
    name = f"_histogramdd_from_bin_{'tensors' if any(hasattr(given, 'ndim') for given in bins) else 'cts'}"
    counts, *made = [x if any(x is given for given in bins) else fns._histogram_of(x, input, weight, name=name)
                     for x in (counts, *edges)]
    return fns.histogramdd_result((counts, tuple(made)))
