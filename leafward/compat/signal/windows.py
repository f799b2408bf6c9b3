"""Windows: everything declared under ``signal.windows``."""
from leafward.derive.functions import public

globals().update(public["signal.windows"])
