"""``LEAFWARD_INTERPRETED=1``: import the .py files even where compiled ones lie beside them.

To step through the engine with a debugger, and to test that both ways agree.
"""
import os
import sys

if os.environ.get("LEAFWARD_INTERPRETED", "0") not in ("", "0"):
    from importlib.machinery import SOURCE_SUFFIXES, FileFinder, SourceFileLoader
    for folder, _, files in os.walk(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))):
        if any(name.endswith((".pxd", ".pyx")) for name in files):              # what is compiled lies here
            sys.path_importer_cache[folder] = FileFinder(folder, (SourceFileLoader, SOURCE_SUFFIXES))
