"""Versions: the PyTorch that leafward behaves as, with its own behind the plus sign, and what it was not built with."""
import leafward

#: leafward's own version.
leafward_version = leafward.own_version
#: What ``torch.__version__`` reads under ``leafward run``: it parses as 2.13.0, with a local part as builds have one.
__version__ = f"2.13.0+leafward.{leafward_version}"
debug = False
cuda = None
hip = None
xpu = None
rocm = None
git_version = "Unknown"
