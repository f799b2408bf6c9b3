"""Eigenvalues and singular values of LAPACK's in the dtype of the matrix: ``numpy.linalg`` computes all in float64.

What these call is under the functions of ``numpy.linalg``, which serve where it is not found, where nothing is to be done, and
where a NaN comes out: they say whether LAPACK has failed.
"""
from cmath import isfinite

import numpy as np

try:
    from numpy.linalg import _umath_linalg as routines
except ImportError:                       # another NumPy
    routines = None

COMPLEX = {"f": "F", "d": "D", "F": "F", "D": "D"}
REAL = {"f": "f", "d": "d", "F": "f", "D": "d"}


def computed(name, a, kinds):
    """What the routine ``name`` makes of ``a``, outputs of the types ``kinds``; None where ``numpy.linalg`` is to be asked."""
    routine = getattr(routines, name, None)
    signature = f"{a.dtype.char}->{kinds}"
    if routine is None or a.size == 0 or signature not in routine.types:
        return None
    found = routine(a, signature=signature)
    values = found if type(found) is not tuple else found[len(found) // 3]
    number = np.vdot(values, values)
    return found if number == number else None


def is_finite(a):
    """Whether ``a`` has neither infinities nor NaNs: its squares tell at once, unless they are too large."""
    return isfinite(np.vdot(a, a)) or bool(np.isfinite(a).all())


def eigenvectors(a, lower):
    """As ``np.linalg.eigh``."""
    char = a.dtype.char
    found = computed("eigh_lo" if lower else "eigh_up", a, REAL.get(char, "") + char)
    return np.linalg.eigh(a, "L" if lower else "U") if found is None else found


def eigenvalues(a, lower):
    """As ``np.linalg.eigvalsh``."""
    found = computed("eigvalsh_lo" if lower else "eigvalsh_up", a, REAL.get(a.dtype.char, ""))
    return np.linalg.eigvalsh(a, "L" if lower else "U") if found is None else found


def general_eigenvectors(a):
    """As ``np.linalg.eig``, complex numbers always."""
    found = computed("eig", a, 2 * COMPLEX.get(a.dtype.char, ""))
    return np.linalg.eig(a) if found is None else found


def general_eigenvalues(a):
    """As ``np.linalg.eigvals``, complex numbers always."""
    found = computed("eigvals", a, COMPLEX.get(a.dtype.char, ""))
    return np.linalg.eigvals(a) if found is None else found


def refuse_infinities(a):
    """Over these some builds of LAPACK never end."""
    if not is_finite(a) and np.isinf(a).any():
        raise np.linalg.LinAlgError("SVD did not converge")


def svd(a, full_matrices=True):
    """As ``np.linalg.svd``."""
    refuse_infinities(a)
    char = a.dtype.char
    found = computed("svd_f" if full_matrices else "svd_s", a, char + REAL.get(char, "") + char)
    return np.linalg.svd(a, full_matrices) if found is None else found


def singular_values(a):
    """The singular values alone."""
    refuse_infinities(a)
    found = computed("svd", a, REAL.get(a.dtype.char, ""))
    return np.linalg.svd(a, compute_uv=False) if found is None else found
