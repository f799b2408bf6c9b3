"""Some eigenvalues of a symmetric matrix: PyTorch's, and more exact; small modules under ``utils`` and ``profiler``."""
import pytest

import leafward as lw
from tests.oracle import assert_same, torch

OPTIONS = ["A, 3", "A, 3, largest=False", "A, 3, B", "A, 2, B, largest=False", "A", "A, n=4", "A, 3, n=2", "A.to_sparse(), 2",
           "t.stack([A, B]), 2", "A, X=B[:, :2]", "A, 3, X=B[:, :2]"]
REFUSED = ["A, 7", "A[:10]", "A, 3, B[:5]", "A.long(), 2", "A, 2, B.float()", "A.to(t.complex128), 2"]


def names(t):
    x = (t.arange(400, dtype=t.float64) * 37 % 101).reshape(20, 20) / 50
    y = x @ x.T.flip(0) / 40
    return {"t": t, "A": x @ x.T / 20 + t.diag(t.arange(20.).double()), "B": y @ y.T + t.eye(20, dtype=t.float64)}


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("text", OPTIONS)
def test_pairs(text):
    found = []
    for t in (lw, torch):
        t.manual_seed(0)
        found.append(eval(f"t.lobpcg({text}{', niter=400, tol=1e-11' if t is torch else ''})", names(t)))
    (values, vectors), (expected, theirs) = found
    assert_same(values, expected, rtol=1e-6)
    assert_same(vectors * lw.tensor((vectors.sum(-2, keepdim=True).sign()).tolist()),
                theirs * theirs.sum(-2, keepdim=True).sign(), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("text", REFUSED)
def test_refused(text):
    errors = []
    for t in (lw, torch):
        with pytest.raises(Exception) as raised:                # noqa: B017, PT011  whose type is compared
            eval(f"t.lobpcg({text})", names(t))
        errors.append(type(raised.value))
    assert errors[0] is errors[1]
    with pytest.raises(NotImplementedError, match="tracker"):
        lw.lobpcg(lw.eye(9), tracker=print)


def test_gradients():
    for B in (None, names(lw)["B"][:6, :6].clone().requires_grad_()):
        A = names(lw)["A"][:6, :6].clone().requires_grad_()
        inputs = (A,) if B is None else (A, B)
        assert lw.autograd.gradcheck(lambda *m: lw.lobpcg((m[0] + m[0].mT) / 2, 2, *[(b + b.mT) / 2 for b in m[1:]])[0], inputs)


def test_small_modules(capsys):
    for t in (lw, torch):
        import_of_it = __import__(f"{t.__name__}.profiler.itt", fromlist=["itt"])
        assert not import_of_it.is_available() or t is torch
        assert t.utils.deterministic.fill_uninitialized_memory is True
    with pytest.raises(RuntimeError, match="ITT functions not installed"), lw.profiler.itt.range("part {}", 1):
        pass
    lw.utils.collect_env.main()
    assert lw.utils.collect_env.get_pretty_env_info() in capsys.readouterr().out
    for cell in ("RNNCell", "GRUCell", "LSTMCell"):
        for dtype in ("float64", "int64", "float16"):
            said = []
            for t in (lw, torch):
                with pytest.raises(RuntimeError) as raised:
                    getattr(t.nn, cell)(3, 4)(t.ones(2, 3, dtype=getattr(t, dtype)))
                said.append(str(raised.value))
            assert said[0] == said[1]
