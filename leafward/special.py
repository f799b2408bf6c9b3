"""Special functions: everything declared under ``special``."""
from leafward.derive.functions import public

globals().update(public["special"])
