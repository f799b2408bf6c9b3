"""What the names of reductions mean, and the older pair of flags."""
from leafward.errors import warn

ENUM = {"none": 0, "mean": 1, "elementwise_mean": 1, "sum": 2}


def get_enum(reduction):
    """The number of a reduction, as PyTorch's C++ functions take it.

    >>> get_enum("mean")
    1
    """
    if reduction not in ENUM:
        raise ValueError(f"{reduction} is not a valid value for reduction")
    if reduction == "elementwise_mean":
        warn("reduction='elementwise_mean' is deprecated. Please use reduction='mean' instead.")
    return ENUM[reduction]


def legacy_get_string(size_average, reduce, emit_warning=True):
    """The reduction that ``size_average`` and ``reduce`` mean, with a warning."""
    size_average = True if size_average is None else size_average
    reduce = True if reduce is None else reduce
    reduction = "mean" if size_average and reduce else "sum" if reduce else "none"
    if emit_warning:
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    return reduction


def legacy_get_enum(size_average, reduce, emit_warning=True):
    """The number of :func:`legacy_get_string`."""
    return get_enum(legacy_get_string(size_average, reduce, emit_warning))
