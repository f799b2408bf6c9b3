"""The compiled heart: storages, nodes, the call path and the engine.

It names no op and imports no array library: it is handed both at start-up.
"""
from leafward.core import interpreted  # noqa: F401, I001  (before anything that may be compiled)
from leafward.core.engine import compiled

if compiled():                  # uncompiled, the collector knows every part of a node
    from leafward.core import tracing  # noqa: F401  (before classes of tensors and of nodes are made)

__all__ = ["compiled"]
