"""The compiled heart: storages, nodes, the call path and the engine. It knows no op by name and imports no array library."""
from leafward.core import interpreted  # noqa: F401, I001  (before anything that may be compiled)
from leafward.core.engine import compiled

__all__ = ["compiled"]
