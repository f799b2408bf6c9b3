"""Views share memory with what they were taken from, and lie in it with PyTorch's shapes, strides and offsets."""
import warnings

import pytest

import leafward
from tests.both import both
from tests.oracle import torch

STARTS = {
    "vector": lambda t: t.arange(12.0),
    "matrix": lambda t: t.arange(12.0).view(3, 4),
    "transposed": lambda t: t.arange(12.0).view(3, 4).t(),
    "rows skipped": lambda t: t.arange(24.0).view(6, 4)[::2],
    "inner part": lambda t: t.arange(42.0).view(6, 7)[1:4, 2:6],
    "row": lambda t: t.arange(12.0).view(1, 12),
    "column": lambda t: t.arange(12.0).view(12, 1).t().t(),
    "column of one row": lambda t: t.arange(3.0).view(1, 3).t(),
    "number": lambda t: t.tensor(2.0),
    "cube": lambda t: t.arange(24.0).view(2, 3, 4),
    "cube turned": lambda t: t.arange(24.0).view(2, 3, 4).permute(2, 0, 1),
    "with ones": lambda t: t.arange(12.0).view(1, 3, 1, 4),
    "expanded": lambda t: t.arange(4.0).expand(3, 4),
    "empty": lambda t: t.zeros(3, 0, 2),
    "half": lambda t: t.arange(12.0).to(t.bfloat16).view(3, 4),
}

pytestmark = pytest.mark.filterwarnings("ignore:.*:UserWarning")        # PyTorch's own, on deprecated uses

VIEWS = [
    "x.view(-1)", "x.view(12)", "x.view(4, 3)", "x.view(2, 6)", "x.view(3, 2, 2)", "x.view(1, 12, 1)", "x.view(3, 1, 4)",
    "x.view(2, -1, 3)", "x.view(x.shape)", "x.view(0, 3)", "x.view(3, 4, 1)", "x.view(())", "x.view(1, 1)",
    "x.reshape(-1)", "x.reshape(4, 3)", "x.reshape(3, 2, 2)", "x.reshape(2, 2, 3)", "x.flatten()", "x.ravel()",
    "x.unflatten(0, (3, -1))", "x.unflatten(-1, (2, 2))", "x.view(t.int32)", "x.view(t.float64)", "x.view(t.int8)",
    "x.view(t.bfloat16)", "x.view(dtype=t.int16)", "x.flatten(1)", "x.flatten(0, 1)", "x.view(2, 3, 2, 2)",
    "x.t()", "x.T", "x.mT", "x.transpose(0, -1)", "x.swapaxes(0, 1)", "x.permute(1, 0)", "x.permute(2, 0, 1)",
    "x.movedim(0, -1)", "x.moveaxis((0, 1), (1, 2))", "x.adjoint()",
    "x.squeeze()", "x.squeeze(0)", "x.squeeze(-1)", "x.squeeze((0, 2))", "x.unsqueeze(0)", "x.unsqueeze(1)",
    "x.unsqueeze(-1)", "x.unsqueeze(-2)",
    "x.expand(2, *x.shape)", "x.expand(1, 1, *x.shape)", "x.expand(x.shape)", "x.expand(5, -1, -1)", "x.expand(2, 3)",
    "x.broadcast_to((2, 3, 4))", "t.broadcast_tensors(x, t.zeros(2, 1, 1))[0]", "x.expand(3, 0, 4)",
    "x.expand_as(t.zeros(2, 3, 4))",
    "x.narrow(0, 1, 2)", "x.narrow(-1, -2, 1)", "x.narrow(0, 3, 0)", "x.select(0, 1)", "x.select(-1, -1)", "x.select(1, 2)",
    "x.diagonal()", "x.diagonal(1)", "x.diagonal(-2)", "x.diagonal(9)", "x.diagonal(0, -1, 0)", "x.diagonal(1, 1, 2)",
    "x.unfold(0, 2, 1)", "x.unfold(-1, 3, 2)", "x.unfold(0, 1, 1)", "x.unfold(-1, 0, 2)",
    "x.as_strided((2, 2), (1, 2))", "x.as_strided((2, 2), (1, 1), 1)", "x.as_strided((3,), (0,))", "x.as_strided((), ())",
    "x.split(2)[1]", "x.split(2, -1)[0]", "x.split([1, 2])[1]", "x.chunk(2)[1]", "x.chunk(5, -1)[0]", "x.unbind()[1]",
    "x.unbind(-1)[0]", "x.tensor_split(2)[1]", "x.tensor_split([1, 2], -1)[1]", "x.hsplit(2)[1]", "x.vsplit(3)[1]",
    "x.dsplit(2)[1]", "x.atleast_2d() if hasattr(x, 'atleast_2d') else t.atleast_2d(x)", "t.atleast_3d(x)",
    "t.atleast_1d(x)",
    "x.detach()", "x.data", "x.contiguous()", "x.view_as(x)", "x.reshape_as(x.t())",
    "t.meshgrid(x, x, indexing='ij')[1]", "x[...]", "x[:]", "x[0]", "x[-1:]", "x[::2]", "x[:, 1]", "x[..., 0]", "x[None]",
    "x[..., None]", "x[1:, None, 1]",
    "x[()]", "x[0:0]", "x[5:]", "x[:, ::3]", "x[0, ..., 1]",
]

WRITABLE = [e for e in VIEWS if "int" not in e and "float" not in e and "meshgrid" not in e]


def outcome(t, start, expression):
    """What a view expression gives: shape, strides, offset, whether it shares memory; or the exception."""
    x = STARTS[start](t)
    try:
        view = eval(expression, {"t": t, "x": x})  # noqa: S307  the table above
    except Exception as error:  # noqa: BLE001  compared below
        return type(error), str(error).split("\n")[0]
    shares = view.untyped_storage().data_ptr() == x.untyped_storage().data_ptr()
    strides = view.stride() if view.numel() else None           # of no elements the strides mean nothing
    return tuple(view.shape), strides, str(view.dtype), view.storage_offset() if view.numel() else 0, shares, \
        view.is_contiguous(), view.tolist()


@pytest.mark.parametrize("expression", VIEWS)
@pytest.mark.parametrize("start", STARTS)
def test_view(start, expression):
    ours, theirs = outcome(leafward, start, expression), outcome(torch, start, expression)
    if isinstance(theirs[0], type):
        assert isinstance(ours[0], type), f"PyTorch raises {theirs[0].__name__}: {theirs[1]}; leafward gives {ours}"
        assert issubclass(ours[0], theirs[0])
        if not theirs[1].startswith(("torch.meshgrid: Expected 0D or 1D", "numel: integer")):   # printed by C++
            assert ours[1] == theirs[1]
    else:
        assert ours == theirs


def views_of(starts, where=lambda view, x, expression: True):
    """The pairs ``(start, expression)`` that PyTorch does not refuse; of the others test_view compares the exceptions."""
    found = []
    for start in starts:
        for expression in WRITABLE:
            x = STARTS[start](torch)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                try:
                    view = eval(expression, {"t": torch, "x": x})  # noqa: S307  the table above
                except Exception:  # noqa: BLE001,S112
                    continue
            if where(view, x, expression):
                found.append(pytest.param(start, expression, id=f"{start}-{expression}"))
    return found


def has_a_place_for_each(view, x, expression):
    """No two elements share one."""
    return view.numel() <= x.numel() and "(1, 1)" not in expression and "(0,)" not in expression


@pytest.mark.parametrize(("start", "expression"), views_of(["matrix", "transposed", "inner part", "cube turned"],
                                                           has_a_place_for_each))
def test_writes_through_a_view_arrive(start, expression):
    results = []
    for t in leafward, torch:
        x = STARTS[start](t)
        view = eval(expression, {"t": t, "x": x})  # noqa: S307  the table above
        view.mul_(-1).add_(0.5)
        results.append((x.tolist(), view.tolist(), x._version, view._version))
    assert results[0] == results[1]


@pytest.mark.parametrize(("start", "expression"), views_of(["matrix", "transposed", "cube turned", "with ones", "number"]))
def test_history_of_a_view(start, expression):
    """The names along the history, and the gradient of a write through the view."""
    results = []
    for t in leafward, torch:
        leaf = STARTS[start](t).detach().clone().requires_grad_()
        x = leaf * 1
        view = eval(expression, {"t": t, "x": x})  # noqa: S307  the table above
        if view.grad_fn is None:
            results.append((None, view.requires_grad))
            continue
        name = type(view.grad_fn).__name__
        weights = t.arange(float(view.numel())).reshape(view.shape)
        (view * weights).sum().backward(retain_graph=True)
        results.append((name, leaf.grad.tolist()))
    assert results[0] == results[1]


@pytest.mark.parametrize("memory_format", ["contiguous_format", "preserve_format", "channels_last"])
@pytest.mark.parametrize("start", ["contiguous", "permuted", "sliced", "expanded", "channels last"])
def test_clone_lies_as_in_pytorch(start, memory_format):
    def make(t):
        x = t.arange(120.0).view(2, 3, 4, 5)
        x = {"contiguous": lambda: x, "permuted": lambda: x.permute(3, 0, 2, 1), "sliced": lambda: x[:, ::2, 1:],
             "expanded": lambda: x[:1].expand(2, 3, 4, 5),
             "channels last": lambda: x.contiguous(memory_format=t.channels_last)}[start]()
        copy = x.clone(memory_format=getattr(t, memory_format))
        return copy.stride(), copy.tolist(), copy.data_ptr() != x.data_ptr()
    assert make(leafward) == make(torch)


def test_as_strided_of_a_view_reaches_the_whole_storage():
    def make(t):
        x = t.arange(12.0)
        part = x[6:8]
        wide = part.as_strided((3, 2), (4, 1), 1)
        wide[2, 1] = -1
        return wide.tolist(), x.tolist(), wide.storage_offset()
    assert make(leafward) == make(torch)


RESTRIDES = ["x.t_()", "x.transpose_(0, 1)", "x.unsqueeze_(0)", "x.unsqueeze_(-1)", "x.squeeze_()", "x.squeeze_(0)",
             "x.swapaxes_(0, 1)", "x.as_strided_((2, 2), (1, 2), 1)"]


@pytest.mark.parametrize("viewed", [False, True])
@pytest.mark.parametrize("statement", RESTRIDES)
def test_a_tensor_that_becomes_its_own_view(statement, viewed):
    """In place a view changes the tensor itself; views taken before stay where they are, with the right gradient."""
    def observe(t):
        leaf = t.arange(12.0).view(3, 4).requires_grad_()
        x = leaf * 1
        if viewed:
            x = x[:2, 1:]
        before = x[1]
        assert eval(statement, {"x": x}) is x  # noqa: S307  the table above
        seen = [tuple(x.shape), x.stride(), x._version, x.tolist(), before.tolist(), type(x.grad_fn).__name__]
        (x * t.arange(1.0, x.numel() + 1).view(x.shape)).sum().backward(retain_graph=True)
        (before * 100).sum().backward()
        return seen, leaf.grad.tolist()
    assert observe(leafward) == observe(torch)


@pytest.mark.parametrize("statement", RESTRIDES)
def test_a_leaf_does_not_become_its_own_view(statement):
    x = leafward.ones(3, 4, requires_grad=True)
    with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
        eval(statement, {"x": x})  # noqa: S307  the table above
    assert x.shape == (3, 4)


@both
def test_a_view_that_has_lost_its_history_is_printed(t, see):
    x = t.ones(3, requires_grad=True) * 1
    parts = x.unbind()
    with t.no_grad():
        turned = x.view(3, 1)
    x.add_(1)
    see(repr(parts[0]), str(turned), f"{turned}")
    see.raises(lambda: parts[0].grad_fn)
    see.raises(lambda: turned.grad_fn)
    see(repr(x[:1]), repr(t.ones(1).to(t.float8_e5m2)))


def test_many_pieces_are_the_same_each_time():
    """A view call that came before is made again from notes, of which there are only so many."""
    for rows in (1000, 40000, 1000, 40000, 70000):
        x = leafward.arange(2.0 * rows).reshape(rows, 2)
        for _ in range(3):
            pieces = x.unbind(0)
            assert len(pieces) == rows and leafward.stack(pieces).equal(x)
            assert all([piece.data_ptr() == x.data_ptr() + 8 * row for row, piece in enumerate(pieces)])
            pieces[-1].zero_()
        assert x[-1].tolist() == [0, 0] and x[-2].tolist() != [0, 0]
