"""A gradient for one of several outputs: what the others would have divided by zero does not reach it."""
import numpy as np
import pytest

import leafward
from leafward.core.op import Op, registry
from tests.oracle import to_numpy, torch

#: Repeated and zero singular values and eigenvalues, and rows that are all alike.
MATRICES = {
    "identity": lambda t: t.eye(3), "zeros": lambda t: t.zeros(3, 3), "ones": lambda t: t.ones(4, 2),
    "wide": lambda t: t.ones(2, 4), "a zero among the singular values": lambda t: t.tensor([1.0, 3.0]).diag(-1),
    "complex": lambda t: t.tensor([1 + 2j, 3 - 1j]).diag(-1), "complex identity": lambda t: t.eye(2, dtype=t.complex64),
}
#: Functions of one output of several; PyTorch refuses some for some matrices.
TAKEN = {
    "svdvals": lambda t, x: t.linalg.svdvals(x), "svd": lambda t, x: t.linalg.svd(x, full_matrices=False)[1],
    "eigvalsh": lambda t, x: t.linalg.eigvalsh(x), "eigh": lambda t, x: t.linalg.eigh(x)[0],
    "eigvals": lambda t, x: t.linalg.eigvals(x).real, "eig": lambda t, x: t.linalg.eig(x)[0].imag,
    "nuclear norm": lambda t, x: t.linalg.matrix_norm(x, "nuc"), "spectral norm": lambda t, x: t.linalg.matrix_norm(x, 2),
    "cond": lambda t, x: t.linalg.cond(x), "mean": lambda t, x: t.std_mean(x, 0)[1], "std": lambda t, x: t.std_mean(x, 0)[0],
    "aminmax": lambda t, x: t.aminmax(x)[0], "R": lambda t, x: t.linalg.qr(x)[1], "L": lambda t, x: t.linalg.lu(x)[1],
    "U": lambda t, x: t.linalg.lu(x)[2], "logabsdet": lambda t, x: t.linalg.slogdet(x)[1],
    "coefficients": lambda t, x: t.triangular_solve(t.ones(3, 1), x)[1],
}
#: They divide by what is zero but for rounding.
DIVIDES = {("cond", "ones"), ("R", "ones")}


def gradient(t, taken, made):
    x = made(t).requires_grad_()
    try:
        loss = taken(t, x).abs().sum()
        if not loss.isfinite():
            return None
        loss.backward()
    except RuntimeError:
        return None
    return to_numpy(x.grad)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("taken, made", [(taken, made) for taken in TAKEN for made in MATRICES if (taken, made) not in DIVIDES])
def test_one_output_alone(taken, made):
    theirs = gradient(torch, TAKEN[taken], MATRICES[made])
    if theirs is None:
        return                                      # PyTorch refuses it, or it has no value there
    ours = gradient(leafward, TAKEN[taken], MATRICES[made])
    assert not np.isnan(ours).any() or np.isnan(theirs).any()
    # Which vectors belong to a value that is zero, or which of equal values counts, is nobody's promise.
    if "identity" in made and taken not in ("spectral norm", "cond", "aminmax"):
        np.testing.assert_allclose(ours, theirs, rtol=1e-4, atol=1e-5)


def test_what_takes_none_is_tried():
    declared = {op.name for op in registry.values() if isinstance(op, Op) and op.takes_none}
    assert declared == {"linalg_svd", "linalg_eigh", "linalg_eig", "linalg_qr", "linalg_lu", "lu_unpack", "linalg_slogdet",
                        "linalg_lstsq", "triangular_solve", "_std_mean"}
