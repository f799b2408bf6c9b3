"""What the garbage collector knows of a graph: little for each node, and yet every cycle through it."""
import gc
import weakref

import pytest

import leafward as lw
from leafward.core import compiled
from leafward.core.node import behind
from leafward.core.runtime import runtime


def chain(count):
    """``count`` nodes, each of which keeps a tensor and a number."""
    x = lw.ones(2, requires_grad=True)
    for _ in range(count):
        x = x * 1.5
    return x


@pytest.fixture
def nothing_hung(monkeypatch):
    """As in a process in which nobody has hung a hook or an attribute onto a tensor yet."""
    monkeypatch.setattr(runtime, "cycles", False)


def known_per_node(count, make_known=lambda: None):
    gc.collect()
    gc.freeze()
    try:
        last = chain(count)
        make_known()
        return len(gc.get_objects()) / count, last
    finally:
        gc.unfreeze()


def test_a_node_is_one_object_for_the_collector(nothing_hung):
    known, last = known_per_node(1000, runtime.track_nodes or gc.collect)
    assert last.grad_fn is not None
    assert known < (1.2 if compiled() else 6)


only_compiled = pytest.mark.skipif(not compiled(), reason="interpreted, the collector knows every node")


@only_compiled
def test_the_collector_learns_of_nodes_when_something_is_hung_onto_a_tensor(nothing_hung):
    known, last = known_per_node(1000)
    assert known < 0.2
    nodes = [last.grad_fn, last.grad_fn.next_functions[0][0]]
    gc.collect(1)
    assert not any(map(gc.is_tracked, nodes))
    last.seen = [last]
    gc.collect(1)
    assert all(map(gc.is_tracked, nodes))
    assert gc.is_tracked((last * 2).grad_fn)
    del last.seen


def test_a_full_round_knows_every_node(nothing_hung):
    last = chain(10)
    gc.collect()
    assert all(gc.is_tracked(node) for node in behind([last.grad_fn]))


@pytest.mark.parametrize("value", [None, True, 3, 0.5, "name"], ids=str)
def test_what_refers_to_no_node_closes_no_circle(nothing_hung, value):
    x = lw.ones(2, requires_grad=True)
    x.kind = value
    x.grad = lw.ones(2)
    x.data = lw.zeros(2)
    (x * 2).sum().backward()
    assert not runtime.cycles


def with_a_hook(x, y):
    y.register_hook(lambda g: g)


def with_a_hook_of_a_node(x, y):
    y.grad_fn.register_prehook(lambda g: g)


def with_an_attribute(x, y):
    x.last = y


def with_a_list(x, y):
    x.last = [y]


def with_notes(x, y):
    y.grad_fn.metadata["last"] = y


def with_a_recorded_gradient(x, y):
    (y * x).sum().backward(create_graph=True)


def with_a_gradient_that_has_a_history(x, y):
    x.grad = y


def with_what_a_hook_packs(x, y):
    with lw.autograd.graph.saved_tensors_hooks(lambda t: [t], lambda kept: kept[0]):
        y * x


@only_compiled
@pytest.mark.filterwarnings("ignore:Using backward\\(\\) with create_graph=True:UserWarning")
@pytest.mark.parametrize("hang", [
    with_a_hook, with_a_hook_of_a_node, with_an_attribute, with_a_list, with_notes, with_a_recorded_gradient,
    with_a_gradient_that_has_a_history, with_what_a_hook_packs], ids=lambda hang: hang.__name__)
def test_what_may_refer_to_a_node_is_noticed(nothing_hung, hang):
    x = lw.ones(2, requires_grad=True)
    y = x * 2
    assert not runtime.cycles
    hang(x, y)
    assert runtime.cycles


class Collects:
    """Runs the collector when it goes, in the midst of whatever lets go of it."""

    def __del__(self):
        gc.collect()


def test_a_round_while_a_long_graph_is_being_freed(nothing_hung):
    x = last = lw.ones(2, requires_grad=True)
    for k in range(3000):
        last = last * 1.5
        if k % 500 == 0:
            last.grad_fn.metadata["late"] = Collects()
            runtime.cycles = False
    gone = weakref.ref(last.grad_fn)
    del last
    assert gone() is None
    (x * 2).sum().backward()
    assert x.grad.tolist() == [2.0, 2.0]


def through_a_hook(x):
    y = x * x
    y.register_hook(lambda g: y and g)


def through_a_saved_leaf(x):
    x.last = x * x


def through_an_output(x):
    y = (x * 2).exp()
    y.last = y * y
    x.last = y


def through_a_list(x):
    x.last = lw.cat([x, x * 2])


def through_a_view(x):
    y = x * 2
    y[0] = 1.0
    x.last = y


class Doubled(lw.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        ctx.save_for_backward(x)
        return x * 2

    @staticmethod
    def backward(ctx, g):
        return g * 2


def through_a_custom_function(x):
    x.last = Doubled.apply(x) * x


@pytest.mark.parametrize("tie", [through_a_hook, through_a_saved_leaf, through_an_output, through_a_list, through_a_view,
                                 through_a_custom_function], ids=lambda tie: tie.__name__)
@pytest.mark.parametrize("read", [False, True], ids=["", "after its parts were read"])
def test_a_cycle_through_the_graph_is_found(tie, read):
    x = lw.ones(3, requires_grad=True)
    tie(x)
    if read and hasattr(x, "last"):
        assert x.last.grad_fn.next_functions and x.last.grad_fn._targets
    gone = weakref.ref(x)
    gc.collect()
    assert gone() is x
    del x
    gc.collect()
    assert gone() is None


def test_what_is_still_held_stays():
    x = lw.ones(3, requires_grad=True)
    y = (x * x).exp()
    node, kept = y.grad_fn, y.grad_fn._values
    del x, y
    gc.collect()
    assert len(kept) == 1 and node.next_functions[0][0].next_functions[0][0].variable.shape == (3,)
