"""Founding behaviours 13 to 19: leaves, requires_grad, grad_fn."""
import re
import warnings

import pytest


def test_13_who_requires_grad_and_who_is_a_leaf(t):
    a = t.tensor([1.0, 2.0])
    assert a.requires_grad is False
    b = t.tensor([3.0, 4.0], requires_grad=True)
    c = a * b
    assert c.requires_grad is True
    assert (a + a).requires_grad is False
    assert b.is_leaf
    assert b.grad_fn is None
    assert not c.is_leaf
    assert re.fullmatch(r"<MulBackward0 object at 0x[0-9a-f]+>", repr(c.grad_fn))


def test_14_no_history_no_gradient(t):
    x, y = t.tensor([1.0]), t.tensor([2.0])
    z = x * y
    with pytest.raises(RuntimeError, match="^element 0 of tensors does not require grad and does not have a grad_fn"):
        z.backward()
    w = t.tensor([5.0], requires_grad=True)
    (z + w).backward()
    assert repr(w.grad) == "tensor([1.])"
    assert x.grad is None
    assert y.grad is None
    assert z.grad is None
    assert z.grad_fn is None


@pytest.mark.parametrize("write", [
    lambda w: w.add_(1), lambda w: w.zero_(), lambda w: w.__setitem__(0, 5.0), lambda w: w[0].fill_(3),
    lambda w: w.copy_(w * 2), lambda w: w.view(-1).mul_(2), lambda w: w.__imul__(2)])
def test_15_a_leaf_is_refused_before_anything_is_written(t, write):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError, match=r"^a (view of a )?leaf Variable that requires grad is being used in an "
                                           r"in-place operation\."):
        write(w)
    assert repr(w) == "tensor([1., 2.], requires_grad=True)"
    assert w._version == 0
    with t.no_grad():
        w.add_(1)
    assert repr(w) == "tensor([2., 3.], requires_grad=True)"
    assert w.is_leaf


def test_15_the_sentence_for_the_leaf_itself(t):
    w = t.tensor([1.0, 2.0], requires_grad=True)
    with pytest.raises(RuntimeError) as caught:
        w.add_(1)
    assert str(caught.value).splitlines()[0] == (
        "a leaf Variable that requires grad is being used in an in-place operation.")


def test_16_the_graph_ends_at_detach(t):
    old = t.tensor([1.0, 2.0], requires_grad=True)
    new = (old * 2).detach().requires_grad_(True)
    assert new.is_leaf
    assert new.requires_grad
    (new * 3).sum().backward()
    assert repr(new.grad) == "tensor([3., 3.])"
    assert old.grad is None


def test_17_the_gradient_of_a_result(t):
    a = t.tensor([1.0, 2.0], requires_grad=True)
    c = a * 2
    d = (c * c).sum()
    seen = []
    handle = c.register_hook(seen.append)
    assert repr(t.autograd.grad(d, c, retain_graph=True)) == "(tensor([4., 8.]),)"
    assert [repr(g) for g in seen] == ["tensor([4., 8.])"]
    handle.remove()
    d.backward(retain_graph=True)
    assert len(seen) == 1
    with pytest.warns(UserWarning, match="^The .grad attribute of a Tensor that is not a leaf Tensor is being accessed."):
        assert c.grad is None
    c.retain_grad()
    d.backward()
    assert repr(c.grad) == "tensor([4., 8.])"
    assert c.retains_grad


def test_18_attributes_print_as_in_pytorch(t):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x + 2
    y.sum().backward()
    assert repr(x.data) == "tensor([1., 2.])"
    assert repr(x.grad) == "tensor([1., 1.])"
    assert (x.grad_fn, x.is_leaf, x.requires_grad) == (None, True, True)
    assert repr(y.data) == "tensor([3., 4.])"
    assert re.fullmatch(r"<AddBackward0 object at 0x[0-9a-f]+>", repr(y.grad_fn))
    assert (y.is_leaf, y.requires_grad) == (False, True)
    assert y.grad_fn.name() == "AddBackward0"


def test_19_variable_is_tensor_and_volatile_is_gone(t):
    a = t.autograd.Variable(t.tensor([1.0]), requires_grad=True)
    assert type(a) is t.Tensor
    assert a.requires_grad
    with pytest.warns(UserWarning, match=r"^volatile was removed \(Variable.volatile is always False\)"):
        assert a.volatile is False
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        a.volatile = True
        assert a.volatile is False
    assert a.requires_grad
