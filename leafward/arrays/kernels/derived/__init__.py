"""Kernels that are derived from the declarations: a loop in C for each elementwise forward and rule, fused, over any layout.

``leafward/derive/kernels`` writes the loops (``python -m leafward.derive.kernels``), ``loops.c`` compiles them for each
dtype and several kinds of processors, ``layouts.c`` runs them over arrays of any strides on leafward's threads, and
``call.pyx`` is what Python calls. Where nothing is compiled there are none.
"""
import os
from importlib import import_module
from importlib.util import find_spec

#: Modules of loops, each for processors that have more than those before: x86-64-v2 (elsewhere any), -v3 and -v4.
TARGETS = ("plain", "avx2", "avx512")


def targets():
    """The targets whose loops are there and run on this processor, the best last; ``LEAFWARD_TARGET`` may name the highest."""
    if find_spec(f"{__name__}.call") is None:
        return []
    reach = import_module(f"{__name__}.call").level()
    wanted = os.environ.get("LEAFWARD_TARGET")
    if wanted in TARGETS:
        reach = min(reach, TARGETS.index(wanted))
    return [target for target in TARGETS[:reach + 1] if find_spec(f"{__name__}.loops_{target}") is not None]


def kernels_for(target):
    """The kernels as compiled for ``target``: ``{(op, what the rule serves, "" for the forward): kernel}``."""
    return import_module(f"{__name__}.call").kernels_of(import_module(f"{__name__}.loops_{target}"))


def derived_kernels():
    """The kernels for this processor; none where nothing is compiled."""
    found = targets()
    return kernels_for(found[-1]) if found else {}
