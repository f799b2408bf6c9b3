"""``LEAFWARD_INTERPRETED=1``: import the .py files even where compiled ones lie beside them.

To step through the engine with a debugger, and to test that both ways agree.
"""
import os
import sys

COMPILED_FOLDERS = (("core",), ("ops",), ("arrays", "kernels"), ("arrays", "kernels", "derived"))

if os.environ.get("LEAFWARD_INTERPRETED", "0") not in ("", "0"):
    from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
    for parts in COMPILED_FOLDERS:
        folder = os.path.join(os.path.dirname(os.path.dirname(__file__)), *parts)
        sys.path_importer_cache[folder] = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))
