"""``torch._check`` and its kin: conditions that a program's own functions ask for."""
from leafward.core.tensor import TensorBase
from leafward.errors import warn


def check_with(error_type, cond, message=None):
    """Raise ``error_type`` unless ``cond``; ``message`` is a function that gives the text."""
    if isinstance(cond, TensorBase):
        raise TypeError("cond must be a bool, but got a Tensor. For tensor conditions, use torch._check_tensor_all() to assert "
                        "that all elements are true.")
    if not isinstance(cond, bool):
        raise TypeError(f"cond must be a bool, but got {type(cond)}")
    if cond:
        return
    if message is None:
        raise error_type("Expected cond to be True, but got False.")
    if not callable(message):
        raise TypeError("message must be a callable")
    raise error_type(str(message()))


def check(cond, message=None):
    """Raise a RuntimeError unless ``cond``."""
    check_with(RuntimeError, cond, message)


def _assert(condition, message):
    """Raise an AssertionError unless ``condition``, which may be a tensor of one element."""
    if not condition:
        raise AssertionError(message)


def check_index(cond, message=None):
    """Raise an IndexError unless ``cond``."""
    check_with(IndexError, cond, message)


def check_value(cond, message=None):
    """Raise a ValueError unless ``cond``."""
    check_with(ValueError, cond, message)


def check_type(cond, message=None):
    """Raise a TypeError unless ``cond``."""
    check_with(TypeError, cond, message)


def check_not_implemented(cond, message=None):
    """Raise a NotImplementedError unless ``cond``."""
    check_with(NotImplementedError, cond, message)


def check_tensor_all(cond, message=None):
    """Raise a RuntimeError unless all elements of the bool tensor ``cond`` are true."""
    if not isinstance(cond, TensorBase):
        raise TypeError(f"cond must be a tensor, but got {type(cond)}")
    if str(cond.dtype) != "torch.bool":
        raise TypeError(f"cond tensor must have dtype torch.bool, but got {cond.dtype}")
    check_with(RuntimeError, bool(cond.all()), message)


def check_is_size(i, message=None, *, max=None):
    """Raise a RuntimeError if ``i`` is below 0, or above ``max``. Deprecated in PyTorch."""
    warn("_check_is_size will be removed in a future PyTorch release along with guard_size_oblivious.     "
         "Use _check(i >= 0) instead.", FutureWarning)
    check(i >= 0, message)
    if max is not None:
        check(i <= max, message)


_check, _check_with, _check_index, _check_value, _check_type = check, check_with, check_index, check_value, check_type
_check_not_implemented, _check_tensor_all, _check_is_size = check_not_implemented, check_tensor_all, check_is_size
