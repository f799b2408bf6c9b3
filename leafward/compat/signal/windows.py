"""Windows: everything declared under ``signal.windows``."""
from leafward.derive.functions import public

from leafward.tensor.missing import names_missing_from

globals().update(public["signal.windows"])

__path__ = []           # PyTorch keeps them in a file of a package: `signal.windows.windows` has the same names

__getattr__ = names_missing_from("torch.signal.windows", globals())
