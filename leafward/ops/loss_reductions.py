"""What the losses share: a mean or a sum of them, the older names of that, weights, and which classes fit which scores."""
from leafward import dtypes
from leafward.errors import warn
from leafward.ops.checks import scalar_name
from leafward.ops.dims import broadcast
from leafward.ops.kinds import result_type


def reduction_of(size_average, reduce, reduction):
    """The reduction by name, from the legacy pair of booleans where one is given."""
    if size_average is not None or reduce is not None:
        if reduce is not None and not reduce:
            reduction = "none"
        else:
            reduction = "mean" if size_average is None or size_average else "sum"
        warn(f"size_average and reduce args will be deprecated, please use reduction='{reduction}' instead.")
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(f"{reduction} is not a valid value for reduction")
    return reduction


def refuse_reduction(reduction):
    """Raise if ``reduction`` is none, as losses do that are written in Python there: after all else was found right."""
    if reduction not in ("none", "mean", "sum"):
        raise ValueError(reduction + " is not a valid value for reduction")


def reduced_at_last(values, size_average, reduce, reduction):
    """:func:`reduced`, by a name that is looked at only now."""
    if size_average is not None or reduce is not None:
        reduction = reduction_of(size_average, reduce, reduction)
    refuse_reduction(reduction)
    return reduced(values, reduction)


def reduced(values, reduction):
    """A Tensor's mean or sum, or itself."""
    if reduction == "mean":
        return values.mean()
    return values.sum() if reduction == "sum" else values


def reduce_array(xp, values, reduction):
    if reduction == "mean":
        return xp.mean(values)
    return xp.sum(values) if reduction == "sum" else values


def each(g, reduction, x, y):
    """The gradient of one element's loss."""
    if reduction != "mean":
        return g
    size = 1
    for n, m in zip((1,) * (y.ndim - x.ndim) + tuple(x.shape), (1,) * (x.ndim - y.ndim) + tuple(y.shape)):
        size *= n if m == 1 else m
    return g * (1 / size) if size else g


def warn_about_size(input, target):
    if tuple(target.shape) != tuple(input.shape):
        warn(f"Using a target size ({target.shape}) that is different to the input size ({input.shape}). This will "
             "likely lead to incorrect results due to broadcasting. Please ensure they have the same size.")
        broadcast(input.shape, target.shape)                # refuses what does not


def broadcast_first(input, target):
    """Both, a number among them as an array: its dtype counts like the other's, since PyTorch broadcasts before it promotes."""
    if input.dtype is not target.dtype and (input.ndim == 0) != (target.ndim == 0):
        return (input, target.expand(input.shape)) if input.ndim else (input.expand(target.shape), target)
    return input, target


def refuse_weight(weight, input):
    if weight.size() != input.size():
        raise ValueError("Weights and input must have the same size.")


def refuse_cast(x, y, out):
    """Refuse what PyTorch writes into memory of the dtype of ``out``, which does not hold it."""
    if not dtypes.can_cast(found := result_type((x.dtype, x.ndim), (y.dtype, y.ndim)), out.dtype):
        raise RuntimeError(f"result type {dtypes.scalar_name(found)} can't be cast to the desired output type "
                           f"{dtypes.scalar_name(out.dtype)}")


def weighted(losses, weight, reduction, input):
    """Losses times ``weight``, whose sum a mean divides by."""
    losses = losses * weight
    return losses.sum() / weight.sum() if reduction == "mean" else reduced(losses, reduction)


def check_classes(x, target, weight):
    """``x`` is ``(c,)`` or ``(n, c, ...)``, ``target`` the same without the classes."""
    if target.dtype.name not in ("int64", "uint8"):
        raise RuntimeError(f"expected target dtype to be Long or Byte, but got {scalar_name(target)}")
    classes = x.shape[1 if x.ndim > 1 else 0]
    if weight is not None and tuple(weight.shape) != (classes,):
        raise RuntimeError(f"weight tensor should be defined either for all {classes} classes or no classes but got "
                           f"weight tensor of shape: {list(weight.shape)}")


def check_class_shapes(input, target):
    if input.ndim == 0:
        raise ValueError("Expected 1 or more dimensions (got 0)")
    batch = target.shape[0] if target.ndim else 0
    if input.ndim > 1 and input.shape[0] != batch:
        raise ValueError(f"Expected input batch_size ({input.shape[0]}) to match target batch_size ({batch}).")
    wanted = [n for d, n in enumerate(input.shape) if d != 1] if input.ndim > 1 else []
    if list(target.shape) == wanted or (input.ndim == 1 and tuple(target.shape) == (1,)):
        if input.ndim > 2 and target.dtype.name == "uint8":
            raise RuntimeError("expected scalar type Long but found Byte")
        return
    if input.ndim == target.ndim == 1:
        raise ValueError(f"For 1D input, 1D target must have size 1, but got target size: {target.shape[0]}")
    if input.ndim <= 2:
        raise RuntimeError("0D or 1D target tensor expected, multi-target not supported")
    raise RuntimeError(f"Expected target size {wanted}, got {list(target.shape)}")
