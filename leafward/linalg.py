"""Linear algebra: everything declared under ``linalg``."""
from leafward.derive.functions import public

globals().update(public["linalg"])
