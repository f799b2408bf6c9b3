"""What the garbage collector knows of a graph: little for each node, and yet every cycle through it."""
import gc
import weakref

import pytest

import leafward as lw
from leafward.core import compiled


def chain(count):
    """``count`` nodes, each of which keeps a tensor and a number."""
    x = lw.ones(2, requires_grad=True)
    for _ in range(count):
        x = x * 1.5
    return x


def test_a_node_is_one_object_for_the_collector():
    gc.collect()
    gc.freeze()
    try:
        last = chain(1000)
        per_node = len(gc.get_objects()) / 1000
    finally:
        gc.unfreeze()
    assert last.grad_fn is not None
    assert per_node < (1.2 if compiled() else 6)


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
