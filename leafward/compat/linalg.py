"""Linear algebra: everything declared under ``linalg``."""
from leafward.derive.functions import public
from leafward.tensor.missing import names_missing_from
from leafward.ops.matrices import LinAlgError  # noqa: F401

globals().update(public["linalg"])

__getattr__ = names_missing_from("torch.linalg", globals())
