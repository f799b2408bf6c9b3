"""The array of a ``.grad`` is its leaf's alone: no rule, saved value, hook or other tensor has it or sees its memory.

The one exception is PyTorch's: a hook that runs after the gradient was added is shown what was added, which may be ``.grad``.
"""
import sys

import numpy as np
import pytest

import leafward
from leafward.core.from_array import new_tensor
from leafward.core.node import Node
from leafward.core.op import Meta
from leafward.core.runtime import runtime
from leafward.core.saved import Saved
from leafward.core.tensor import TensorBase
from tests.ops.checks import call, has_gradient, tensors_in, wanting
from tests.ops.test_the_tests import declared
from tests.oracle import Outcome, is_tensor
from tests.samples import every_op, name_of, ours, samples_of


def holders(tensor):
    """How many hold the array of ``tensor``: a cache does, for example."""
    return sys.getrefcount(tensor._array)


ALONE = holders(leafward.ones(3))
#: A tensor of an array that is the view of another, which nobody else has.
IN_VIEW = new_tensor(np.ones(3, np.float32).reshape(3, 1), leafward.float32)
#: Ops that say in backward that they have no derivative, and functions whose results are integers.
NOTHING_TO_COMPARE = {
    "_dirichlet_grad", "_histogram_of", "_standard_gamma_grad", "_unique", "_unique_consecutive", "argwhere", "bincount",
    "binomial", "bucketize", "eq", "floor_divide", "ge", "geqrf", "gt", "heaviside", "histogram", "histogramdd", "igamma",
    "igammac", "le", "linalg_ldl_factor", "linalg_ldl_factor_ex", "linalg_ldl_solve", "lt", "ne", "nonzero", "searchsorted",
    "special_zeta", "unique", "unique_consecutive",
}


def arrays_in(kept):
    """The arrays that a node ``kept``."""
    for value in kept or ():
        if isinstance(value, Saved):
            yield value.array if value.leaf is None else value.leaf._array
        elif isinstance(value, (list, tuple)):
            yield from arrays_in(value)
        elif isinstance(value, TensorBase):
            yield value._array
        elif isinstance(value, np.ndarray):
            yield value


def saved_behind(tensors):
    """Every array that the graph behind ``tensors`` keeps."""
    stack, seen = [t._node for t in tensors], set()
    while stack:
        node = stack.pop()
        if isinstance(node, Node) and node not in seen:
            seen.add(node)
            yield from arrays_in(node._values)
            stack.extend(node._targets)


def assert_alone(leaf, others=()):
    """``leaf.grad`` has an array of its own, and none of the tensors or arrays ``others`` shares its memory."""
    array = leaf.grad._array
    assert leaf.grad._storage.owner is array
    in_view = array.base is not None                # what a rule made for a view of the leaf, in the shape of the leaf
    assert not in_view or array.base.nbytes == array.nbytes
    del array
    if in_view:
        assert sys.getrefcount(leaf.grad._array.base) == sys.getrefcount(IN_VIEW._array.base)
    more = holders(leaf.grad) - ALONE - len(leaf.grad._storage.log or ())       # the list of writes to it says where they went
    assert more == 0, f"{more} more hold it"
    for other in others:
        assert not np.may_share_memory(leaf.grad._array, other._array if is_tensor(other) else other)


def run_backward(sample, dtype):
    """The leaves of ``sample`` that got a gradient, and everything around them; twice, the second is added to the first."""
    args, kwargs = sample.make(leafward, dtype, requires_grad=True)
    leaves = [x for x in tensors_in([args, kwargs]) if x.requires_grad]
    outputs = wanting(call(leafward, ours(sample.op), sample.op, args, kwargs))
    starts = [leafward.ones_like(x) for x in outputs]
    leafward.autograd.backward(outputs, starts, retain_graph=True)
    yield leaves, outputs, starts
    leafward.autograd.backward(outputs, starts, retain_graph=True)
    yield leaves, outputs, starts


def compared(sample, dtype):
    """How many gradients of ``sample`` are seen to be alone."""
    count = 0
    for leaves, outputs, starts in run_backward(sample, dtype):
        reached = [x for x in leaves if x.grad is not None]
        around = [*leaves, *outputs, *starts, *saved_behind(outputs)]
        for leaf in reached:
            assert_alone(leaf, [*around, *[x.grad for x in reached if x is not leaf]])
        count += len(reached)
    return count


@pytest.mark.parametrize("op", every_op(has_gradient), ids=name_of)
def test_of_every_op(op):
    count = 0
    for sample in samples_of(op):
        for dtype in "float32", "float64", "complex128":
            outcome = Outcome(compared, (sample, dtype))
            if isinstance(outcome.error, AssertionError):
                outcome.error.add_note(f"sample {sample.text!r}, {dtype}")
                raise outcome.error
            if outcome.error is None:
                count += outcome.value
            else:                                           # not every op has a derivative, nor knows complex numbers
                assert dtype != "float32" or is_refusal(outcome.error)
    assert (count == 0) is (op.name in NOTHING_TO_COMPARE)


def is_refusal(error):
    return any(words in str(error) for words in ("derivative for", "the base given to float_power_"))


def pair():
    return [leafward.ones(3, requires_grad=True) for _ in range(2)]


def test_a_gradient_that_the_user_gave():
    x, y = pair()
    g = leafward.ones(3)
    (x + y).backward(g)
    assert_alone(x, [g, y.grad])
    assert_alone(y, [g, x.grad])
    z = leafward.ones(3, requires_grad=True)
    z.backward(g)
    assert_alone(z, [g])


RULES = {
    "what it was given": lambda g: g,
    "a part of that": lambda g: g[...],
    "what it saved": lambda x: x,
    "a view of that": lambda x: x[...],
    "a view of its output": lambda out: out.reshape(out.shape)[...],
    "its output": lambda out: out,
    "what the forward left": lambda residue: residue,
}


@pytest.mark.parametrize("kind", RULES)
def test_a_rule_that_returns(kind):
    residue = kind == "what the forward left"
    facts = {"residuals": "residue"} if residue else {}
    with declared("handing_on", lambda xp, x: (x * 2, x * 3) if residue else x * 2, dx=RULES[kind], **facts) as sample:
        x = leafward.ones(3, requires_grad=True)
        y = sample.op.public_function(x)
        g = leafward.ones(3)
        y.backward(g, retain_graph=True)
        assert_alone(x, [x, y, g, *saved_behind([y])])


def empty(leaf):
    leaf.grad.zero_()


@pytest.mark.parametrize("first, second", [
    (lambda made: made, lambda made: made), (lambda made: made, lambda made: made.reshape(-1)),
    (lambda made: made[...], lambda made: made.reshape(-1))], ids=["the same", "a view of it", "views of it"])
def test_a_rule_that_returns_one_array_twice(first, second):
    from leafward.core.callables import make_function
    from leafward.core.op import op, registry
    from leafward.core.finalize import finalize_op
    made = op("torch._making_one", samples=["3 | 3"])(lambda xp, x, y: x + y)

    def both(g, x: Meta):
        one = g * 2
        return first(one), second(one)
    made.vjp("x, y")(both)
    try:
        finalize_op(made)
        function = make_function(made)
        x, y = pair()
        function(x, y).sum().backward()
        assert_alone(x, [y.grad])
        assert_alone(y, [x.grad])
        # One of them is on its way to another node, while the leaf has its gradient already, and changes it.
        x, y = pair()
        x.register_post_accumulate_grad_hook(empty)
        function(x, y * 3).sum().backward()
        assert y.grad.tolist() == [6.0] * 3
    finally:
        del registry[made.name]


def through(x, register):
    """``x.grad`` after two gradients came together, with a hook; and what the hook kept."""
    kept = []
    register(x, kept)
    (x * 2 + x.exp()).sum().backward()
    return kept


HOOKS = {
    "a tensor's, that keeps": lambda x, kept: x.register_hook(lambda g: kept.append(g)),
    "a tensor's, that replaces": lambda x, kept: (kept.append(leafward.ones(3)), x.register_hook(lambda g: kept[0])),
    "before the leaf": lambda x, kept: of_leaf(x).register_prehook(lambda grads: kept.extend(grads)),
    "before the leaf, that replaces": lambda x, kept: (
        kept.append(leafward.ones(3)), of_leaf(x).register_prehook(lambda grads: (kept[0],))),
}


def of_leaf(x):
    return x.view_as(x).grad_fn.next_functions[0][0]


@pytest.mark.parametrize("kind", HOOKS)
def test_a_hook(kind):
    x = leafward.ones(3, requires_grad=True)
    node = of_leaf(x)                                       # as in PyTorch, its hooks live as long as it is held
    kept = through(x, HOOKS[kind])
    assert kept and node is of_leaf(x)
    assert_alone(x, kept)


def test_a_hook_that_comes_after_the_leaf():
    """It is shown what is in ``.grad``, as in PyTorch (``test_advanced_use.py`` compares with it), and not what came in."""
    x = leafward.ones(3, requires_grad=True)
    node, g, kept = of_leaf(x), leafward.ones(3), []
    node.register_hook(lambda ins, outs: kept.extend(outs))
    x.backward(g)
    assert kept[0]._array is x.grad._array and node is of_leaf(x)
    del kept[:]
    assert_alone(x, [g])


@pytest.mark.parametrize("kind", ["prehook", "hook"])
def test_a_hook_of_the_node_in_front(kind):
    x = leafward.ones(3, requires_grad=True)
    y = x * 2
    kept = []
    if kind == "prehook":
        y.grad_fn.register_prehook(lambda grads: kept.extend(grads))
    else:
        y.grad_fn.register_hook(lambda ins, outs: kept.extend([*ins, *outs]))
    y.sum().backward()
    assert kept
    assert_alone(x, [g for g in kept if g is not None])


def test_a_custom_function():
    kept = []

    class Keeping(leafward.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            return x * y

        @staticmethod
        def backward(ctx, g):
            kept.extend([g * 2, g * 3])
            return tuple(kept)
    x, y = pair()
    Keeping.apply(x, y).sum().backward()
    assert_alone(x, [*kept, y.grad])
    assert_alone(y, [*kept, x.grad])


def test_saved_values_that_hooks_brought_back():
    kept = []

    def unpack(index):
        return kept[index]

    def pack(tensor):
        kept.append(tensor.detach().clone())
        return len(kept) - 1
    with declared("handing_on", lambda xp, x: x * 2, dx=lambda x: x) as sample:
        x = leafward.ones(3, requires_grad=True)
        with leafward.autograd.graph.saved_tensors_hooks(pack, unpack):
            y = sample.op.public_function(x)
        y.sum().backward()
    assert len(kept) == 1
    assert_alone(x, kept)


def test_a_gradient_that_is_kept_on_its_way():
    x = leafward.ones(3, requires_grad=True)
    y = x * 2
    y.retain_grad()
    y.exp().sum().backward()
    assert_alone(x, [y.grad])
    assert_alone(y, [x.grad])


@pytest.mark.parametrize("layout", ["transposed", "expanded", "other dtype", "broadcast"])
def test_a_leaf_of_another_layout(layout):
    x = {"transposed": lambda: leafward.ones(2, 3).t(), "expanded": lambda: leafward.ones(3, 1).expand(3, 2),
         "other dtype": lambda: leafward.ones(3, 2, dtype=leafward.float16),
         "broadcast": lambda: leafward.ones(1, 2)}[layout]().detach().requires_grad_()
    g = leafward.ones(3, 2)
    (x * leafward.ones(3, 2) + x).backward(g)
    assert_alone(x, [x, g])


def test_what_a_rule_made_is_kept_and_not_copied():
    made = []

    def dx(g):
        made.append(g * 2)
        return made[-1]
    with declared("twice", lambda xp, x: 2 * x, dx=dx) as sample:
        x, z = leafward.ones(3, requires_grad=True), leafward.ones(3, requires_grad=True)
        sample.op.public_function(x).sum().backward()
        sample.op.public_function(z.clone() + leafward.ones(3)).sum().backward()
    assert x.grad._array is made[0] and z.grad._array is made[1]


def test_a_view_of_all_that_a_rule_made_is_not_copied_either():
    made = []

    def dx(g):
        made.append(g * 2)
        return made[-1].reshape(3, 2).reshape(6)
    with declared("twice", lambda xp, x: 2 * x, dx=dx) as sample:
        x, z = leafward.ones(6, requires_grad=True), leafward.ones(2, 3, requires_grad=True)
        sample.op.public_function(x).sum().backward()
        sample.op.public_function(z.flatten()).sum().backward()
    assert x.grad._array.base is made[0] and z.grad._array.base is made[1]


def test_a_gradient_that_was_put_together_for_a_write_through_a_view_is_not_copied(monkeypatch):
    copies, copy = [], runtime.xp.laid_out_like
    monkeypatch.setattr(runtime.xp, "laid_out_like", lambda *args: copies.append(args) or copy(*args))
    x, g = leafward.ones(2, 3, requires_grad=True), leafward.ones(2, 3)
    y = x.clone()
    y[0] = 2.0
    y.backward(g)
    assert_alone(x, [g, y])
    assert not copies and x.grad.tolist() == [[0] * 3, [1] * 3]


VIEWS = {"view": lambda x: x.view(-1), "t": lambda x: x.t(), "unsqueeze": lambda x: x.unsqueeze(0),
         "several": lambda x: x.view(3, 2).unsqueeze(1).flatten(), "clone": lambda x: x.clone(),
         "clone, summand": lambda x: 0 + x.view(3, 2).clone() + leafward.zeros(3, 2)}


@pytest.mark.parametrize("kind", VIEWS)
def test_what_was_made_for_views_of_a_leaf_is_handed_on(kind):
    """And only what a rule made: not what came in, what was saved, what hooks saw or what is asked for."""
    made = VIEWS[kind]
    x, w = leafward.ones(2, 3, requires_grad=True), made(leafward.arange(6.0).reshape(2, 3)).clone()
    g = leafward.ones_like(w)
    (made(x) * w).backward(g)
    assert_alone(x, [g, w])
    assert x.grad.flatten().tolist() == [0, 1, 2, 3, 4, 5] and x.grad.is_contiguous()
    x.grad = None
    made(x).backward(g)
    assert_alone(x, [g])
    x.grad, kept, y = None, [], made(x)
    y.register_hook(kept.append)
    y.retain_grad()
    (y * w).backward(g)
    assert_alone(x, [g, w, *kept, y.grad])
    x.grad, y = None, made(x)
    answer, = leafward.autograd.grad(y * w, y, g, retain_graph=True)
    (y * w + y * y.detach()).backward(g)
    assert_alone(x, [g, w, answer, y])
    x.grad, y = None, made(x)
    (made(x) * w + y * 2 + x.exp().sum()).sum().backward()
    assert_alone(x, [w])
    assert leafward.allclose(x.grad, made(leafward.zeros(2, 3)).new_tensor([0, 1, 2, 3, 4, 5]).reshape(2, 3) + 2 + 6 * np.e)
