"""The compiled heart: storages, nodes, the call path and the engine. It knows no op by name and imports no array library."""
import os
import sys

if os.environ.get("LEAFWARD_INTERPRETED", "0") not in ("", "0"):
    # Import the .py files even where compiled ones lie beside them: to step through them, and to test both.
    from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
    sys.path_importer_cache[__path__[0]] = FileFinder(__path__[0], (SourceFileLoader, SOURCE_SUFFIXES))

from .engine import compiled  # noqa: E402  (found in the way just chosen)

__all__ = ["compiled"]
