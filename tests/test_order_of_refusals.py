"""What is refused first, and what is not: kinds of difference that random programs found, each with a few calls."""
import warnings

import pytest

import leafward as lw
from tests.oracle import Outcome, assert_same, torch

#: ``t``: the library, ``F``: its functions. The results are compared, or the types of the errors.
CALLS = """t.arange(12.).reshape(3, 4).scatter(-1, t.tensor([[3]]), t.tensor([[0.]]), value=2.5)
t.bilinear(t.ones(3, 4), t.ones(3, 5), t.ones(1, 4, 5), t.tensor([-1]))
F.bilinear(t.ones(4), t.ones(5, dtype=t.int64), t.ones(3, 4, 2))
F.bilinear(t.ones(4), t.ones(5), t.ones(3, 4))
F.bilinear(t.ones(4), t.ones(5), t.ones(3, 4, 5), t.ones(2))
t.as_strided_scatter(t.ones(3, 4), t.tensor([[2.]]), size=(2, 2), stride=(1, 2))
t.tensor([[2, 2]]).expand(3, 2).conj_physical_()
t.linalg.matrix_rank(t.zeros(2, 0, 3), hermitian=True)
t.linalg.norm(t.zeros(2, 0), ord=1)
t.linalg.norm(t.zeros(0, 2), ord=float('inf'))
t.linalg.norm(t.zeros(2, 0), ord=float('inf'))
t.linalg.norm(t.zeros(0, 2), ord=-1)
t.linalg.matrix_norm(t.zeros(0, 2), ord=2)
t.linalg.matrix_norm(t.zeros(0, 2), ord='nuc')
t.linalg.norm(t.zeros(0, 2), ord=-2)
t.hash_tensor(t.zeros(0, 3), dim=())
F.nll_loss(t.ones(3, 2), t.tensor(1))
F.nll_loss(t.ones(2), t.tensor([1]))
t.zeros(1, 2, 3).__setitem__(([0, 1],), t.ones(1, 2, 4, 4, 4))
t.zeros(1, 2, 3).__setitem__(t.tensor([5]), t.ones(4))
t.zeros(1, 2, 3).__setitem__(t.tensor([5]), t.ones(3))
t.zeros(0).index_copy(1, t.tensor([2], dtype=t.uint8), t.ones(3, 1))
t.ones(3).index_copy(0, t.ones(2, 2), t.ones(1).double())
t.zeros(0).index_add(1, t.tensor([2], dtype=t.uint8), t.ones(3, 1))
t.ones(3).index_add(0, t.ones(2, 2), t.ones(1).double())
t.index_put(t.zeros(0, 4), [t.tensor([1])], t.ones(1, 4).cfloat())
t.index_put(t.zeros(2, 4), [t.tensor([1])], t.ones(1, 4).cfloat())
t.tensordot(t.ones(3, 1), t.ones(1, 3), dims=1.5)
t.tensordot(t.ones(3, 1), t.ones(1, 3), dims=t.float32)
F.embedding_bag(t.tensor([2, 2]), t.ones(3, 4), t.tensor([1, 1]), mode='area')
F.embedding(t.tensor([[3, 3]]), t.zeros(0, 3))
F.embedding(t.tensor([[3, 3]]), t.zeros(2, 3))
t.sort(t.ones(2, 2).cfloat(), dim=3)
t.topk(t.ones(2, 2).cfloat(), 1, dim=3)
t.sort(t.ones(2, 2).cfloat(), dim=1)
F.scaled_dot_product_attention(t.ones(2, 3, 4), t.ones(2, 3, 4), t.ones(2, 3, 4), dropout_p=2.0)
F.dropout(t.ones(3), 2.0, True)
t.ones(1).half().add_(1 + 2j)
t.ones(3, dtype=t.cfloat).conj().is_set_to(t.ones(3, dtype=t.cfloat))
(lambda x: x.is_set_to(x))(t.ones(3, dtype=t.cfloat).conj().imag)
F.hinge_embedding_loss(t.tensor([5, 5], dtype=t.uint8), t.tensor([1, 0]), margin=0.5, reduction='none')
t.bucketize(t.tensor([[0.5, 1., 2.]]), t.tensor([0, 1, 1], dtype=t.bool))
t.bucketize(t.tensor([[0, 1]], dtype=t.bool), t.tensor([0, 1, 1], dtype=t.bool))
t.linalg.lu_solve(t.eye(3)[None, None], t.tensor([2, 2, 2], dtype=t.int32), t.ones(1, 1, 3, 3), left=False)
t.addbmm(t.ones(3, 3), t.ones(2, 3, 3), t.ones(3, 3))
t.addbmm(t.ones(3, 3), t.ones(2, 3, 3, 1), t.ones(2, 3, 3))
t.cdist(t.ones(2, 2).cfloat(), t.ones(2, 2), compute_mode='a')
t.index_select(t.ones(10), 0, t.tensor([1]), out=t.ones(()).expand(10))
t.add(t.zeros(2, 3), 1, out=t.ones(1, 3).expand(4, 3))
t.bitwise_xor(t.tensor([3]), 5, out=t.ones(1, requires_grad=True))
t.gcd(t.tensor([3]), t.tensor([5]), out=t.ones(1, requires_grad=True))
t.special.bessel_j1(t.ones(2), out=t.ones(2, requires_grad=True))
t.special.hermite_polynomial_h(t.ones(2), t.ones(2), out=t.ones(2, requires_grad=True))
t.heaviside(t.ones(2, requires_grad=True), t.ones(2), out=t.zeros(2))
t.floor_divide(t.ones(2), t.ones(2, requires_grad=True), out=t.zeros(2))
t.floor_divide(t.ones(2), t.ones(2), out=t.zeros(2, requires_grad=True))
t.linalg.svdvals(t.ones(0, 3), driver='gels')
t.linalg.svdvals(t.ones(2, 3), driver='gels')
t.linalg.svd(t.ones(3), driver='gels')""".split("\n")


@pytest.mark.parametrize("call", CALLS)
def test_the_outcome_is_pytorchs(call):
    def outcome(t):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return Outcome(eval, (call, {"t": t, "F": t.nn.functional}))
    ours, theirs = outcome(lw), outcome(torch)
    if theirs.error is not None:
        kind = next(c for c in type(theirs.error).__mro__ if c.__module__ == "builtins")
        assert isinstance(ours.error, kind), (ours.error, ours.value)
    else:
        assert_same(ours.get(), theirs.value)


def test_memory_seen_as_another_dtype_in_inference_mode():
    def seen(t):
        with t.inference_mode():
            return t.ones(2).view(t.int32).is_inference()
    assert seen(lw) == seen(torch)
    x = lw.ones(2)
    with lw.inference_mode():
        assert x.view(lw.int32).is_inference() and not x.view(-1).is_inference()


FACTORIZATIONS = ("linalg.svd", "linalg.svdvals", "linalg.qr", "linalg.eigh", "linalg.eigvalsh", "linalg.eig", "linalg.eigvals",
                  "linalg.cholesky", "linalg.cholesky_ex", "linalg.inv", "linalg.lu", "linalg.lu_factor", "linalg.lu_factor_ex",
                  "linalg.det", "linalg.slogdet", "linalg.ldl_factor", "linalg.pinv", "svd", "qr", "lu", "cholesky")


@pytest.mark.parametrize("name", FACTORIZATIONS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("shape", [(0, 0), (2, 2)])
def test_factorizations_of_halves(name, dtype, shape):
    outcomes = []
    for t in (lw, torch):
        *path, last = name.split(".")
        function = getattr(getattr(t, path[0]) if path else t, last)
        outcomes.append(Outcome(function, (t.ones(shape, dtype=getattr(t, dtype)),)))
    mine, theirs = outcomes
    assert type(mine.error) is type(theirs.error) and str(mine.error) == str(theirs.error)
    if theirs.error is None:
        assert_same(mine.value, theirs.value)
