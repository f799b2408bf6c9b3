"""Tensors that are given other memory or another shape: ``set_``, ``resize_``, ``out=``, ``x.data = y``, ``x.t_()``."""
import pytest

import leafward
from tests.both import both

CHANGES = (
    lambda t, x: x.t_(), lambda t, x: x.transpose_(0, 1), lambda t, x: x.unsqueeze_(0), lambda t, x: x.set_(t.zeros(2, 2)),
    lambda t, x: x.set_(x.detach(), 0, (2, 2), (1, 2)),
)


@both
def test_what_is_needed_may_get_no_other_shape_and_no_other_memory(t, see):
    for change in CHANGES:
        for leaf in True, False:
            x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=leaf)
            w = t.ones(2, 2, requires_grad=True)
            y = x * w
            with t.no_grad():
                change(t, x)
            see.raises(y.sum().backward)
            see(w.grad)


@both
def test_data_of_another_shape_is_used_as_far_as_it_fits(t, see):
    for other in t.zeros(3), t.zeros(3, 2), t.full((2, 2), 5.0), t.full((2,), 5.0):
        x = t.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
        w = t.ones(2, 2, requires_grad=True)
        y = x.detach() * w if other.ndim == 1 else x * w
        x.data = other
        see.raises(y.sum().backward, inputs=[w])
        see(w.grad)
    x = t.ones(4, requires_grad=True)
    (x * 2).sum().backward()
    x.data = t.zeros(2)
    see.raises((x * 2).sum().backward)


def test_data_in_another_order_is_told():
    x = leafward.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = leafward.ones(2, 2, requires_grad=True)
    y = x * w
    x.data = x.data.t()
    with pytest.warns(leafward.SilentGradientWarning):
        y.sum().backward()
    assert w.grad.tolist() == [[1, 3], [2, 4]]
    y = x * w
    x.data = x.data.view_as(x)              # the same elements in the same order
    y.sum().backward()


@both
def test_set_ends_a_history(t, see):
    leaf = t.ones(3, requires_grad=True)
    see.raises(leaf.set_, t.ones(2))
    see.raises(leaf.set_)
    see(leaf, leaf._version)
    made = leaf * 1
    made.set_(t.ones(2))
    see(made.grad_fn.name(), [n and n.name() for n, _ in made.grad_fn.next_functions])
    see.raises(made.sum().backward)
    plain = t.ones(2)
    plain.set_(leaf * 2)
    see(plain.requires_grad, plain.is_leaf)
    unrecorded = leaf * 1
    with t.no_grad():
        unrecorded.set_(t.ones(3))
    unrecorded.sum().backward()
    see(leaf.grad)


@both
def test_set_stays_inside_the_storage(t, see):
    x, source = t.ones(3), t.arange(4.0)
    for arguments in (
            (source, 1, (2,), (1,)), (source.untyped_storage(),), (source.untyped_storage(), 1, (2,)),
            (source[2:].untyped_storage(),), (source, 1, (0,))):
        see(x.set_(*arguments), x.storage_offset())
    for arguments in (
            (source, -1, (1,), (1,)), (source, 0, (2,), (-1,)), (source.untyped_storage(), 3, (2,), (1,)),
            (source.to(t.float64),)):
        see.raises(x.set_, *arguments)


def test_set_does_not_lengthen_a_storage():
    x = leafward.ones(3)
    with pytest.raises(RuntimeError, match="out of bounds for storage of size 16"):
        x.set_(leafward.arange(4.0), 1, (5,), (1,))
    with pytest.raises(RuntimeError, match="overflowed"):
        x.set_(leafward.arange(4.0), 0, (-1,), (1,))
    for wrong in "a", 3:
        with pytest.raises(TypeError, match="invalid combination of arguments"):
            x.set_(wrong)
    assert x.tolist() == [1, 1, 1]
    assert x._version == 0


@both
def test_resize(t, see):
    x = t.arange(6.0)
    for sizes in (3,), (2, 2), ([2, 1],), (t.Size([1]),), ((0,),), (0, 3), (6,):
        see(x.resize_(*sizes), x._version)
    for wrong in "a", 2.5, None:
        see.raises(x.resize_, wrong)
    see.raises(x.resize_)
    see.raises(x.resize_as_, 3)
    y = t.ones(3, requires_grad=True)
    for other in x, t.ones(3):
        see.raises(y.resize_as_, other)
    see.raises(y.resize_, 3)
    see(t.ones(4).resize_as_(t.ones(2, 2)))


def test_resize_refuses_a_negative_size():
    x = leafward.ones(3)
    with pytest.raises(RuntimeError, match="negative dimension -1"):
        x.resize_(2, -1)
    assert x.shape == (3,)


@both
def test_out_is_resized_in_its_own_memory(t, see):
    x = t.arange(6.0).view(2, 3)
    view, longer = x.T, x[1]
    see.raises(lambda: t.exp(t.ones(2, 3), out=view).shape)
    see.raises(lambda: t.exp(t.ones(7), out=longer).shape)
    see(x[0], x.storage_offset(), longer, view.shape)
    s = t.tensor(1.5)
    see.raises(lambda: t.add(s, t.ones(0), out=s))
    see(s)


def test_new_memory_is_a_storage_of_its_own():
    x = leafward.arange(4.0)
    view, y = x.view(4), x.detach()
    x.resize_(6)
    assert x[:4].tolist() == view.tolist() == y.tolist()
    assert view.storage_offset() == 0
    assert view.untyped_storage().nbytes() == 16
    assert x.untyped_storage().nbytes() == 24
    x.zero_()
    assert view.tolist() == [0, 1, 2, 3]
