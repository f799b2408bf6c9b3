"""How many threads kernels of our own and the matrix products of NumPy's BLAS use."""
import os
from functools import cache
from importlib import import_module
from importlib.util import find_spec

#: What the OpenBLAS in a NumPy wheel calls its functions, and other builds theirs.
PREFIXES_AND_SUFFIXES = (("scipy_openblas", "64_"), ("scipy_openblas", ""), ("openblas", "64_"), ("openblas", ""))

MOST = 2**31 - 1


@cache
def blas():
    """The functions that read and set the number of threads; None where NumPy has another BLAS."""
    import ctypes

    from numpy._core import _multiarray_umath
    library = ctypes.CDLL(_multiarray_umath.__file__)
    for prefix, suffix in PREFIXES_AND_SUFFIXES:
        try:
            return (getattr(library, f"{prefix}_get_num_threads{suffix}"),
                    getattr(library, f"{prefix}_set_num_threads{suffix}"))
        except AttributeError:
            continue
    return None


@cache
def pool():
    """leafward's own threads (``kernels/pool.pyx``); None where nothing is compiled."""
    name = "leafward.arrays.kernels.pool"
    return import_module(name) if find_spec(name) is not None else None


def get_num_threads():
    """How many threads one operation may use."""
    if pool():
        return pool().threads()
    return blas()[0]() if blas() else os.cpu_count() or 1


def set_num_threads(number):
    """Let an operation use ``number`` threads; another BLAS than OpenBLAS keeps its own setting."""
    if not isinstance(number, int) or isinstance(number, bool):
        raise RuntimeError(f"set_num_threads expects an int, but got {type(number).__name__}")
    if number <= 0:
        raise RuntimeError("set_num_threads expects a positive integer")
    if number > MOST:
        raise ValueError(f"set_num_threads expects at most {MOST}, but got {number}")
    if pool():
        pool().allow(number)
    if blas():
        blas()[1](number)
