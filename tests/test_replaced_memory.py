"""Tensors that are given other memory or another shape: ``set_``, ``resize_``, ``out=``, ``x.data = y``, ``x.t_()``."""
import warnings

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


def replaced(t, x, other):
    x.data = other


@both
def test_a_gradient_is_of_what_the_leaf_was_when_it_was_used(t, see):
    changes = (lambda x: x.transpose_(0, 1), lambda x: x.set_(t.ones(4)), lambda x: x.set_(t.ones(2, 1, 3)),
               lambda x: t.eq(t.ones(5), 1, out=x), lambda x: replaced(t, x, t.ones(3)),
               lambda x: replaced(t, x, t.ones(2, 3).double()), lambda x: replaced(t, x, t.ones(2, 3) + 1j),
               lambda x: x.unsqueeze_(0), lambda x: replaced(t, x, t.ones(4, 2, 3).transpose(0, 1)))
    g = t.arange(6.0).view(2, 3)
    for number, change in enumerate(changes):
        for known in None, t.ones(2, 3):
            x = t.arange(6.0).view(2, 3).clone().requires_grad_()
            x.grad = None if known is None else known.clone()
            y, z = x + t.arange(3.0), x + 1
            with t.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                change(x)
            see(number)
            see.raises(lambda: t.autograd.grad(y, x, g, retain_graph=True, allow_unused=True))  # noqa: B023
            see.raises(lambda: (t.autograd.backward([y, z], [g, g]), x.grad)[1])                # noqa: B023
            see.raises(lambda: (y.backward(g, inputs=[x]), x.grad)[1])                          # noqa: B023
    x = t.ones(3, requires_grad=True)
    y = x * t.ones(2, 3)
    with t.no_grad():
        x.set_(t.ones(1, 3))
    (y.sum() + (x * t.ones(3)).sum()).backward()
    see(x.grad)
    y = x.clone()
    y.data = t.ones(1, 3).double()
    see(t.autograd.grad(y, [y, x], t.ones(1, 3).double()))


@both
def test_a_view_that_was_turned_where_nothing_is_recorded_finds_its_history(t, see):
    for source in lambda x: x * 1, lambda x: x:
        x = t.arange(24.0).view(2, 3, 4).clone().requires_grad_()
        v = source(x)[0]
        with t.no_grad():
            v.transpose_(0, -1)
        see(t.autograd.grad(v, [x], t.arange(12.0).view(4, 3)))


def test_data_of_another_shape_cannot_take_the_gradient():
    x = leafward.ones(4, requires_grad=True)
    (x * 2).sum().backward()
    x.data = leafward.zeros(2)
    with pytest.raises(RuntimeError, match="must match the size"):
        (x * 2).sum().backward()


def test_data_leaves_what_was_saved_as_it_was():
    x = leafward.tensor([[1.0, 2.0], [3.0, 4.0]], requires_grad=True)
    w = leafward.ones(2, 2, requires_grad=True)
    for other in x.data.t(), leafward.zeros(2, 2), leafward.zeros(3), x.data.view_as(x):
        y = x.detach() * w if other.ndim == 1 else x * w
        values = x.tolist()
        x.data = other
        y.sum().backward(inputs=[w])
        assert w.grad.tolist() == values
        w.grad, x.data = None, leafward.tensor([[1.0, 2.0], [3.0, 4.0]])


def test_what_was_saved_and_then_overwritten_is_told_whatever_the_tensor_looks_at_now():
    x = leafward.tensor([1.0, 2.0], requires_grad=True)
    y, old = x * x, x.data
    x.data = leafward.zeros(2)
    old.add_(1)
    with pytest.warns(leafward.SilentGradientWarning, match="used the new values, at first .2., 3.."):
        y.sum().backward()
    assert x.grad.tolist() == [4, 6]


@both
def test_a_module_that_changes_its_dtype_between_forward_and_backward(t, see):
    for change in (lambda m: m.half().float(), lambda m: m.load_state_dict(t.nn.Linear(3, 2).state_dict(), assign=True)):
        m = t.nn.Linear(3, 2)
        t.nn.init.constant_(m.weight, 0.1)                  # as float16, 0.09998
        x, weight = t.arange(3.0).requires_grad_().unsqueeze(0), m.weight
        x.retain_grad()
        y = m(x)
        change(m)
        m.weight.data.mul_(5)
        y.sum().backward()
        see(x.grad, weight.grad, m.weight is weight)


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
