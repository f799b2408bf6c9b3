"""Tools for tests: comparing values, and making tensors to test with."""
from leafward.testing.comparison import assert_allclose, assert_close
from leafward.testing.creation import make_tensor
from leafward.tensor.missing import names_missing_from

__all__ = ["assert_allclose", "assert_close", "make_tensor"]

__getattr__ = names_missing_from("torch.testing", globals())
