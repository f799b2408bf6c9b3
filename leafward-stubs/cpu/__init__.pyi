# Generated from the declarations by `python -m leafward.derive.stubs`: edit those.
from leafward.compat.cpu import *
