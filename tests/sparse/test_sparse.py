"""Sparse tensors do what PyTorch's do: values, gradients, layouts, refusals, text and files."""
import copy
import io
import pickle
import warnings

import pytest

import leafward
from tests.comparisons import compared
from tests.oracle import Outcome, assert_same, first_sentence, torch

pytestmark = [pytest.mark.filterwarnings("ignore:Sparse"), pytest.mark.filterwarnings("ignore:.*sparse_csr")]

#: Expressions of a COO matrix ``s`` (two values at one place), one in order ``c``, by rows ``r``, with rows as values ``h``;
#: and of dense ``d`` (3, 2), ``e`` (2, 3).
DIFFERENTIABLE = """
t.sparse.mm(s, d) | s @ d | t.mm(c, d) | t.matmul(d.t(), s.t()) | t.sparse.mm(s, c.t()) | t.mv(s, d[:, 0]) | s @ d[:, 0]
s.to_dense() | s.coalesce() | s + s | s + c | s - c * 2 | t.add(s, c, alpha=3) | e + s | e - c | t.sub(e, s, alpha=2) | -s
s * 2 | 2 * s | s / 4 | c * e.detach() | s * c | t.sparse.sum(s) | t.sparse.sum(s, 0) | t.sparse.sum(s, 1)
t.sparse.sum(s, (0, 1)) | s.sum() | s.coalesce().values() | s.t() | s.transpose(0, 1) | s.neg() | t.sparse.softmax(s, 1)
t.sparse.log_softmax(c, 0) | s.clone() | s.double() | t.sparse.addmm(e @ d, s, d, beta=0.5, alpha=2) | t.spmm(c, d)
h.to_dense() | h + h | t.sparse.sum(h, 0) | t.sparse.sum(h, 1) | h.coalesce().values() | h * 2 | e.to_sparse()
e.to_sparse().coalesce().values() | e.to_sparse() + s | r @ d | e.sparse_mask(c) | s.to_sparse_csr() @ d | r + e
"""
#: The same where PyTorch has no gradient.
VALUES = """
s.sin() | s.abs() | s.sqrt() | s.relu() | s ** 2 | s.pow(3) | t.isnan(s) | s.index_select(0, t.tensor([1, 0, 1]))
t.cat([s, c]) | t.cat([s, c], 1) | t.stack([s, c]) | s.unsqueeze(0) | s[1] | s[1, 2] | s[-1] | h[2] | s.norm()
s.permute(1, 0) | s.T | r * 2 | r + r | r.sum() | r.sin() | t.smm(c, d) | t.hspmm(c, d) | s.half() | s.to(t.int32)
s.bool() | s.type() | str(s.layout) | str(r.layout) | s.is_sparse | r.is_sparse | r.is_sparse_csr | s.is_coalesced()
c.is_coalesced() | s._nnz() | h.sparse_dim() | h.dense_dim() | s.numel() | len(s) | s.dim() | s.stride() | r.crow_indices()
r.col_indices() | r.values() | r.to_sparse() | s.to_sparse_csr() | s._indices() | s._values() | c.indices()
t.zeros_like(s) | s.detach() | s.data | t.sparse.FloatTensor(2, 3)
t.sparse.FloatTensor(c.indices(), c.values().detach(), t.Size([2, 3])) | isinstance(s, t.sparse.FloatTensor)
isinstance(s, t.Tensor) | t.sparse.spdiags(t.ones(2, 3), t.tensor([0, 1]), (3, 3)) | e.detach().to_sparse(1)
t.sparse_coo_tensor((2, 3)) | t.sparse_coo_tensor([[0], [1]], [2.0])
t.sparse_coo_tensor([[0], [1]], [2], (2, 2), dtype=t.float64).dtype | t.sparse_csr_tensor([0, 1, 1], [1], [2.0])
s.to_sparse() is s | e.sparse_dim() | e.detach().clone().add_(s.detach()) | e.detach().clone().sub_(s.detach(), alpha=2)
s.detach().clone().mul_(2) | s.detach().clone().zero_()
t.sparse_coo_tensor(t.zeros(2, 0, dtype=t.int64), t.zeros(0), (2, 3)).to_dense()
"""
REFUSED = """
s.values() | s.indices() | e.values() | e.indices() | e.coalesce() | e.is_coalesced() | e.crow_indices() | r.indices()
r.coalesce() | s.crow_indices() | s + e | s + 1 | s - e | s.cos() | s.exp() | s.view(6) | s.numpy() | s.item()
s.data_ptr() | s.tolist() | s.untyped_storage() | s.ones_like() | t.sparse_coo_tensor([[0], [1]], [1.0], (2, 2, 2))
t.sparse_coo_tensor([[0, 1], [1, 1]], [1.0], (2, 2)) | e.to_sparse(3)
t.sparse_coo_tensor([[0], [5]], [1.0], (2, 2), check_invariants=True)
t.sparse_coo_tensor([[0], [-1]], [1.0], (2, 2), check_invariants=True)
t.sparse_csr_tensor([0, 1], [5], [1.0], (1, 2), check_invariants=True)
t.sparse_csr_tensor([0, 1, 1], [0], [1.0], (1, 2), check_invariants=True)
t.sparse_csr_tensor([0, 1, 2], [0], [1.0], (2, 2), check_invariants=True)
t.sparse_csr_tensor([1, 1], [0], [1.0], (1, 2), check_invariants=True) | s.__setitem__(0, 1.0) | t.sparse.mm(s, s) | s @ e
s.permute(0, 0) | s.permute(0) | s[5] | s / e | s / s | r - e
"""


def listed(text):
    return [part.strip() for line in text.strip().splitlines() for part in line.split(" | ")]


def scene(t, leaf=True):
    """What the expressions name."""
    indices = t.tensor([[0, 1, 1, 1], [2, 0, 2, 2]])
    values = t.tensor([0.5, 0.25, 0.125, 0.75], requires_grad=not leaf)
    s = t.sparse_coo_tensor(indices, values, (2, 3))
    c = t.sparse_coo_tensor(indices[:, :3], values[:3].detach(), (2, 3)).coalesce()
    h = t.sparse_coo_tensor([[2, 0, 2]], t.arange(6.0).reshape(3, 2), (3, 2))
    r = c.to_sparse_csr()
    d = t.tensor([[1.0, -1.0], [0.5, 2.0], [0.25, -3.0]], requires_grad=True)
    e = t.tensor([[1.0, 0.0, 2.0], [0.5, 3.0, 0.0]], requires_grad=True)
    if leaf:
        for x in (s, c, h):
            x.requires_grad_()
    return {"t": t, "s": s, "c": c, "h": h, "r": r, "d": d, "e": e, "values": values}


def run(t, text, **how):
    names = scene(t, **how)
    return Outcome(eval, (text, names)), names      # noqa: S307  our own text


def whole(x):
    """A dense copy of a sparse tensor; anything else as it is."""
    return x.detach().to_dense() if hasattr(x, "layout") and str(x.layout) != "torch.strided" else x


@pytest.mark.parametrize("text", listed(DIFFERENTIABLE) + listed(VALUES))
def test_values(text):
    ours, theirs = (run(t, text)[0].get() for t in (leafward, torch))
    if hasattr(theirs, "layout"):
        assert str(ours.layout) == str(theirs.layout) and ours.requires_grad == theirs.requires_grad
        assert repr(ours.detach().coalesce() if ours.is_sparse else ours.detach()) == repr(
            theirs.detach().coalesce() if theirs.is_sparse else theirs.detach())
    assert_same(whole(ours), whole(theirs))


@pytest.mark.parametrize("leaf", [True, False], ids=["leaf", "values"])
@pytest.mark.parametrize("text", listed(DIFFERENTIABLE))
def test_gradients(text, leaf):
    """Of sparse leaves at the places that they keep, of values, and of dense operands."""
    found = []
    for t in (leafward, torch):
        outcome, names = run(t, text, leaf=leaf)
        result = outcome.get()
        result = result if str(result.layout) == "torch.strided" else result.to_dense()
        weight = t.arange(1.0, 1 + result.numel()).reshape(result.shape)
        if result.requires_grad:
            (result * result * weight).sum().backward()
        grads = []
        for name in ("s", "c", "h", "d", "e", "values"):
            x = names[name]
            grad = x.grad if x.is_leaf else None
            if grad is not None and x.layout is not t.strided:
                grad = grad if grad.layout is not t.strided else grad.sparse_mask(x.detach().coalesce())
                kept = t.sparse_coo_tensor(x._indices(), t.ones_like(x._values().detach()), x.shape).to_dense() != 0
                grad = whole(grad) * kept
            grads.append(grad)
        found.append(grads)
    for mine, theirs in zip(*found, strict=True):
        assert (mine is None) == (theirs is None)
        if theirs is not None:
            assert_same(mine, theirs, rtol=1e-5)


@pytest.mark.parametrize("text", listed(REFUSED))
def test_refusals(text):
    ours, theirs = (run(t, text)[0].error for t in (leafward, torch))
    compared()
    assert theirs is not None and isinstance(ours, (RuntimeError, TypeError, IndexError, AttributeError)), (ours, theirs)
    if first_sentence(theirs).startswith("Could not run"):
        assert isinstance(ours, NotImplementedError) and "to_dense() first" in str(ours)


def test_gradients_are_sparse_and_differentiable():
    x = leafward.sparse_coo_tensor([[0, 1], [1, 0]], leafward.tensor([2.0, 3.0], dtype=leafward.float64), (2, 2))
    dense = leafward.eye(2, dtype=leafward.float64).requires_grad_()

    def f(values, dense):
        return leafward.sparse.mm(leafward.sparse_coo_tensor(x._indices(), values, (2, 2)), dense.exp()).sin()
    values = x._values().clone().requires_grad_()
    assert leafward.autograd.gradcheck(f, (values, dense)) and leafward.autograd.gradgradcheck(f, (values, dense))
    x.requires_grad_()
    g, = leafward.autograd.grad((x @ dense).pow(2).sum(), x, create_graph=True)
    assert g.is_sparse and g.requires_grad
    g.coalesce().values().sum().backward()
    assert dense.grad is not None and x.grad.is_sparse


@pytest.mark.parametrize("text", ["(t.nn.functional.embedding(i, w, sparse=True) ** 2).sum()",
                                  "t.nn.functional.embedding(i, w, sparse=True, padding_idx=1).sum()",
                                  "t.nn.functional.embedding(i, w, sparse=True).sum() + (w * 2).sum()",
                                  "(w * 2).sum() + t.nn.functional.embedding(i, w, sparse=True).sum()",
                                  "(t.nn.functional.embedding_bag(i, w, t.tensor([0, 2]), mode='sum', sparse=True) ** 2).sum()",
                                  "(t.nn.functional.embedding_bag(i, w, t.tensor([0, 2]), sparse=True) ** 2).sum()"])
def test_embedding(text):
    found = []
    for t in (leafward, torch):
        w = t.arange(10.0).reshape(5, 2).requires_grad_()
        for _ in range(2):                                  # the second gradient is added to the first
            eval(text, {"t": t, "i": t.tensor([1, 3, 1]), "w": w}).backward()   # noqa: S307  our own text
        found.append(w.grad)
    assert str(found[0].layout) == str(found[1].layout)
    assert_same(whole(found[0]), whole(found[1]))
    if found[1].is_sparse:
        assert_same(found[0].coalesce().indices(), found[1].coalesce().indices())


def test_embedding_of_what_was_computed():
    """A gradient becomes dense where the rule of an op needs it."""
    w = leafward.arange(10.0).reshape(5, 2).requires_grad_()
    leafward.nn.functional.embedding(leafward.tensor([1, 3, 1]), w * 2, sparse=True).sum().backward()
    assert w.grad.tolist() == [[0, 0], [4, 4], [0, 0], [2, 2], [0, 0]]


OPTIMIZERS = ["SGD(p, lr=.1)", "SGD(p, lr=.1, momentum=.9)", "SGD(p, lr=.1, momentum=.9, nesterov=True)",
              "SGD(p, lr=.1, weight_decay=.9)", "SGD(p, lr=.1, maximize=True)", "Adagrad(p, lr=.1, lr_decay=.1)",
              "Adagrad(p, lr=.1, weight_decay=1)", "SparseAdam(p, lr=.1)",
              "SparseAdam(p, lr=.1, maximize=True)", *(f"{name}(p)" for name in (
                  "Adam", "AdamW", "RMSprop", "Adadelta", "Adamax", "NAdam", "RAdam", "ASGD", "Rprop", "Adafactor"))]


@pytest.mark.parametrize("text", OPTIMIZERS)
def test_optimizers(text):
    found = []
    for t in (leafward, torch):
        table, other = t.nn.Embedding(5, 2, sparse=True), t.ones(2, requires_grad=True)
        with t.no_grad():
            table.weight.copy_(t.arange(10.0).reshape(5, 2))
        params = [table.weight] if "SparseAdam" in text else [table.weight, other]

        def steps(t=t, params=params, table=table, other=other):
            optimizer = eval(f"t.optim.{text}", {"t": t, "p": params})      # noqa: S307  our own text
            for index in ([1, 3, 1], [0, 1], [4]):
                optimizer.zero_grad()
                ((table(t.tensor(index)) ** 2).sum() + (other ** 2).sum()).backward()
                optimizer.step()
        found.append((Outcome(steps), [p.detach() for p in params]))
    (ours, mine), (theirs, expected) = found
    assert type(ours.error) is type(theirs.error) and str(ours.error) == str(theirs.error)
    if theirs.error is None:
        assert_same(mine, expected, rtol=1e-5)


@pytest.mark.parametrize("name", "schr")
def test_files_and_copies(name):
    ours, theirs = (scene(t, leaf=False)[name].detach() for t in (leafward, torch))
    for again in (pickle.loads(pickle.dumps(ours)), copy.deepcopy(ours), ours.clone()):
        assert repr(again) == repr(ours) == repr(theirs)
    file = io.BytesIO()
    leafward.save({"x": ours}, file)
    file.seek(0)
    assert repr(torch.load(file)["x"]) == repr(theirs)
    file = io.BytesIO()
    torch.save([theirs], file)
    for weights_only in (True, False):
        file.seek(0)
        assert repr(leafward.load(file, weights_only=weights_only)[0]) == repr(theirs)


def test_places_outside_are_refused():
    """As PyTorch does where it is asked to look."""
    with pytest.raises(RuntimeError, match="size is inconsistent with indices: for dim 1, size is 2 but found index 5"):
        leafward.sparse_coo_tensor([[0], [5]], [1.0], (2, 2))
    with pytest.raises(RuntimeError, match="found negative index -1 for dim 0"):
        leafward.sparse_coo_tensor([[-1], [0]], [1.0], (2, 2))


@pytest.mark.parametrize("text", ["x.to_sparse(blocksize=(1, 1))", "x.to_sparse(layout=t.sparse_csc)", "s.amax()",
                                  "t.mm(s, x, out=x)", "t.nn.functional.linear(x, s)", "s.grad_sample_()", "s[:1]",
                                  "s.sum(0, keepdim=True)",
                                  "t.sparse_csr_tensor(t.zeros(1, 2), t.zeros(1, 0), t.zeros(1, 0))", "t.sparse_bsr_tensor"])
def test_what_is_not_there_says_what_to_do(text):
    x = leafward.ones(2, 2)
    with pytest.raises((NotImplementedError, AttributeError)):
        eval(text, {"t": leafward, "x": x, "s": x.to_sparse()})     # noqa: S307  our own text


def test_invariants():
    for t in (leafward, torch):
        check = t.sparse.check_sparse_tensor_invariants
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            assert not check.is_enabled()
            with check():
                assert check.is_enabled()
                with pytest.raises(RuntimeError, match="uncoalesced"):
                    t.sparse_coo_tensor([[1, 0]], [1.0, 2.0], (2,), is_coalesced=True)
            check.enable()
            assert check.is_enabled()
            check.disable()


def test_a_large_matrix_is_never_whole():
    """A million rows and columns: what is not kept takes no memory."""
    n = 10**6
    x = leafward.sparse_coo_tensor([[0, n - 1], [n - 1, 5]], [1.0, 2.0], (n, n), requires_grad=True)
    y = leafward.ones(n, 1, requires_grad=True)
    (leafward.sparse.mm(x, y) ** 2).sum().backward()
    assert x.grad._nnz() == 2 and y.grad.count_nonzero() == 2
    assert (x.t() + x).coalesce()._nnz() == 4 and leafward.sparse.mm(x, x)._nnz() == 1
