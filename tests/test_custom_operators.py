"""``torch.library``: operators of a program's own, and ``torch.utils._pytree``: containers of its own."""
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

import leafward as lw
from tests.oracle import torch

Pair = namedtuple("Pair", "first second")


def test_an_operator_with_a_derivative_and_one_that_writes():
    library = lw.library

    @library.custom_op("test_ops::scaled", mutates_args=())
    def scaled(x: lw.Tensor, by: float = 2.0) -> lw.Tensor:
        return x * by
    assert lw.ops.test_ops.scaled is scaled and lw.ops.test_ops.scaled.default(lw.ones(2)).tolist() == [2, 2]
    x = lw.ones(2, requires_grad=True)
    with pytest.raises(RuntimeError, match="test_ops::scaled.default but no autograd formula was registered"):
        scaled(x).sum().backward()
    library.register_autograd("test_ops::scaled", lambda ctx, grad: (grad * ctx.by, None),
                              setup_context=lambda ctx, inputs, output: setattr(ctx, "by", inputs[1]))
    library.register_fake("test_ops::scaled", lambda x, by: x)
    scaled(x, by=3.0).sum().backward()
    assert x.grad.tolist() == [3, 3]

    @library.custom_op("test_ops::raised", mutates_args=("x",))
    def raised(x: lw.Tensor) -> None:
        x.add_(1)
    y = lw.zeros(2)
    version = y._version
    assert raised(y) is None and y.tolist() == [1, 1] and y._version > version
    scaled.register_kernel("cpu")(lambda x, by: x * by + 1)
    assert scaled(lw.ones(1), 1.0).item() == 2
    with pytest.raises(AttributeError, match="torch.ops.nowhere"):
        lw.ops.nowhere.op  # noqa: B018
    with pytest.raises(RuntimeError, match="does not exist"):
        library.register_autograd("test_ops::absent", None)
    with pytest.raises(ValueError, match="namespace::name"):
        library.custom_op("plain", lambda x: x)


def test_an_operator_says_how_it_computes_a_batch():
    @lw.library.custom_op("test_ops::times", mutates_args=())
    def times(x: lw.Tensor, y: lw.Tensor) -> lw.Tensor:
        return x * y
    with pytest.raises(RuntimeError, match="vmap"):
        lw.vmap(times)(lw.ones(2, 3), lw.ones(2, 3))
    asked = []

    @lw.library.register_vmap("test_ops::times")
    def batch(info, in_dims, x, y):
        asked.append((info.batch_size, in_dims))
        x, y = (t.unsqueeze(0) if dim is None else t.movedim(dim, 0) for t, dim in zip((x, y), in_dims, strict=True))
        return x * y, 0
    x, y = lw.arange(6.).reshape(2, 3), lw.tensor([1., 10, 100])
    assert lw.vmap(times, in_dims=(0, None))(x, y).tolist() == (x * y).tolist()
    assert lw.vmap(times, in_dims=(1, 0))(x, x.T).tolist() == (x * x).T.tolist()
    assert asked == [(2, (0, None)), (3, (1, 0))]
    assert lw.vmap(times.register_vmap(batch) and times, in_dims=(None, 0))(y, x).tolist() == (x * y).tolist()
    with pytest.raises(NotImplementedError, match="__torch_function__"):
        lw.library.register_torch_dispatch("test_ops::times", lw.Tensor, batch)


TREES = ([1, Pair(2, None), OrderedDict(a=3, b=(4,)), {}, deque([5]), defaultdict(list, {1: 6})], 7,
         (), {"b": [1], "a": {"c": 2}})


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_trees_are_taken_apart_as_pytorch_does(tree):
    ours, theirs = lw.utils._pytree, torch.utils._pytree
    (leaves, spec), (expected, other) = ours.tree_flatten(tree), theirs.tree_flatten(tree)
    assert leaves == expected and repr(spec) == repr(other)
    assert (spec.num_leaves, spec.num_nodes, spec.num_children, spec.is_leaf()) == (
        other.num_leaves, other.num_nodes, other.num_children, other.is_leaf())
    assert ours.tree_unflatten(leaves, spec) == tree == spec.unflatten(leaves)
    assert [(ours.keystr(path), leaf) for path, leaf in ours.tree_leaves_with_path(tree)] == [
        (theirs.keystr(path), leaf) for path, leaf in theirs.tree_leaves_with_path(tree)]
    assert all(ours.key_get(tree, path) is leaf for path, leaf in ours.tree_leaves_with_path(tree))
    assert ours.tree_map(repr, tree, is_leaf=lambda x: isinstance(x, tuple)) == theirs.tree_map(
        repr, tree, is_leaf=lambda x: isinstance(x, tuple))
    assert ours.tree_map_with_path(lambda path, x: (ours.keystr(path), x), tree) == theirs.tree_map_with_path(
        lambda path, x: (theirs.keystr(path), x), tree)


@pytest.mark.parametrize("tree, rest", [
    ([1], (1,)), ([1], [1, 2]), ({"a": 1}, {"b": 2}), ([[1]], [1]),
    ({"a": 1, "b": 2}, {"b": 3, "a": 4}), ([1, 2], [[3], {"x": 4}]),
])
def test_trees_of_other_shapes(tree, rest):
    def tried(module):
        try:
            return module.tree_map(lambda a, b: (a, b), tree, rest)
        except ValueError as error:
            return str(error)
    assert tried(lw.utils._pytree) == tried(torch.utils._pytree)


def test_a_registered_class_goes_through_the_transforms():
    class Both:
        def __init__(self, a, b):
            self.a, self.b = a, b
    pytree = lw.utils._pytree
    pytree.register_pytree_node(Both, lambda x: ([x.a, x.b], None), lambda parts, context: Both(*parts))
    found = lw.func.grad(lambda both: (both.a * both.b).sum())(Both(lw.ones(2), lw.full((2,), 3.0)))
    assert type(found) is Both and found.a.tolist() == [3, 3] and found.b.tolist() == [1, 1]
    mapped = lw.vmap(lambda both: Both(both.a + both.b, both.b))(Both(lw.ones(2), lw.ones(2)))
    assert type(mapped) is Both and mapped.a.tolist() == [2, 2]
    with pytest.raises(ValueError, match="already registered as pytree node"):
        pytree.register_pytree_node(Both, None, None)
