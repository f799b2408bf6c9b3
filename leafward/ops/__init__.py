"""Declarations only: importing this package declares every op, a new file's as well."""
from importlib import import_module
from pkgutil import iter_modules

for _module in iter_modules(__path__):
    import_module(f"{__name__}.{_module.name}")


def load_library(path):
    """Refused: operators compiled for PyTorch cannot run here."""
    raise OSError(f"Could not load this library: {path}: its operators are compiled for PyTorch")


def __getattr__(name):
    """``torch.ops.<namespace>``: the operators that a program defined with ``torch.library``."""
    if not name.startswith("_"):
        import sys
        library = sys.modules.get("leafward.compat.library")
        if library is not None and name in library.namespaces:
            return library.namespaces[name]
    raise AttributeError(f"there are no operators torch.ops.{name}: torch.library.custom_op defines new ones, PyTorch's own "
                         "are functions of torch")
