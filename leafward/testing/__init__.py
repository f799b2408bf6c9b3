"""Tools for tests: comparing values, and making tensors to test with."""
from .comparison import assert_allclose, assert_close
from .making import make_tensor

__all__ = ["assert_allclose", "assert_close", "make_tensor"]
