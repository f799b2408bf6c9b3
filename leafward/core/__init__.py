"""The compiled heart: storages, nodes, the call path and the engine. It knows no op by name and imports no array library."""
from .engine import compiled

__all__ = ["compiled"]
