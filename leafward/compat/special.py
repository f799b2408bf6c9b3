"""Special functions: everything declared under ``special``."""
from leafward.derive.functions import public
from leafward.tensor.missing import names_missing_from

globals().update(public["special"])

__getattr__ = names_missing_from("torch.special", globals())
