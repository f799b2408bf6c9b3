"""Helpers of ``torch.nn.functional`` that authors of layers import from there."""
from math import prod

from leafward.derive.functions import fns
from leafward.errors import warn
from leafward.nn.multihead import project_packed as _in_projection_packed
from leafward.nn.multihead import project_each
from leafward.nn.ntuple import _list_with_default, _pair, _single, _triple
from leafward.ops.embedding import renormalize

__all__ = [
    "_get_softmax_dim", "_in_projection", "_in_projection_packed", "_list_with_default", "_no_grad_embedding_renorm_", "_pair",
    "_single", "_triple", "_verify_batch_size", "_verify_spatial_size", "assert_int_or_pair", "boolean_dispatch",
]


def _verify_batch_size(size):
    """Refuse a (n, channels, *) of one value per channel, whose variance is nothing to divide by."""
    if size[0] * prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 value per channel when training, got input size {size}")


def _verify_spatial_size(size):
    """Refuse a (n, channels, *) of one place per channel."""
    if prod(size[2:]) == 1:
        raise ValueError(f"Expected more than 1 spatial element when training, got input size {size}")


def _get_softmax_dim(name, ndim, stacklevel):
    """The dim that ``softmax`` without one takes, with the warning that it gives."""
    warn(f"Implicit dimension choice for {name} has been deprecated. Change the call to include dim=X as an argument.")
    return 0 if ndim in (0, 1, 3) else 1


def _in_projection(q, k, v, w_q, w_k, w_v, b_q=None, b_k=None, b_v=None):
    """Queries, keys and values, each by its own weight and bias."""
    return tuple(project_each((q, k, v), (w_q, w_k, w_v), (b_q, b_k, b_v)))


def _no_grad_embedding_renorm_(weight, input, max_norm, norm_type):
    """Shorten the rows of ``weight`` that ``input`` names to ``max_norm``, unrecorded."""
    renormalize(fns, weight, input, max_norm, norm_type)


def assert_int_or_pair(arg, arg_name, message):
    """Refuse what is neither an int nor a pair; ``message`` has a place for ``arg_name``."""
    if not isinstance(arg, int) and len(arg) != 2:
        raise AssertionError(message.format(arg_name))


def boolean_dispatch(arg_name, arg_index, default, if_true, if_false, module_name, func_name):
    """A function that calls ``if_true`` or ``if_false``, as its flag ``arg_name`` says."""
    def dispatched(*args, **kwargs):
        flag = kwargs.get(arg_name, args[arg_index] if arg_index < len(args) else default)
        return (if_true if flag else if_false)(*args, **kwargs)
    dispatched.__name__ = func_name
    dispatched.__doc__ = if_false.__doc__
    return dispatched
