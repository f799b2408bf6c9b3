"""Founding behaviours 20 to 24: backward and grad."""
import inspect

import pytest


def test_20_only_scalars_have_an_implicit_gradient(t):
    x = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    y = x * x
    with pytest.raises(RuntimeError, match="^grad can be implicitly created only for scalar outputs"):
        y.backward()
    y.backward(t.tensor([1.0, 0.5, 2.0]))
    assert repr(x.grad) == "tensor([ 2.,  2., 12.])"
    with pytest.raises(RuntimeError, match=r"^Mismatch in shape: grad_output\[0\] has a shape of torch.Size\(\[2\]\) and "
                                           r"output\[0\] has a shape of torch.Size\(\[3\]\)\."):
        (x * x).backward(t.ones(2))
    assert repr(x.grad) == "tensor([ 2.,  2., 12.])"


def test_21_gradients_accumulate_and_the_graph_is_freed(t):
    x = t.tensor(3.0, requires_grad=True)
    y = x * x
    y.backward(retain_graph=True)
    assert repr(x.grad) == "tensor(6.)"
    y.backward()
    assert repr(x.grad) == "tensor(12.)"
    with pytest.raises(RuntimeError, match=r"^Trying to backward through the graph a second time \(or directly access "
                                           r"saved tensors after they have already been freed\)\."):
        y.backward()
    assert repr(x.grad) == "tensor(12.)"
    nothing_saved = x + x
    nothing_saved.backward()
    nothing_saved.backward()
    assert repr(x.grad) == "tensor(16.)"


def test_22_autograd_backward(t):
    assert list(inspect.signature(t.autograd.backward).parameters) == [
        "tensors", "grad_tensors", "retain_graph", "create_graph", "grad_variables", "inputs"]
    x, y = t.tensor(2.0, requires_grad=True), t.tensor(5.0, requires_grad=True)
    t.autograd.backward([x * y, x + y], [t.tensor(1.0), t.tensor(10.0)])
    assert (repr(x.grad), repr(y.grad)) == ("tensor(15.)", "tensor(12.)")
    with pytest.warns(FutureWarning, match="grad_variables.* is deprecated"):
        t.autograd.backward(x * y, grad_variables=t.tensor(1.0))
    assert repr(x.grad) == "tensor(20.)"
    t.autograd.backward(x * y, inputs=[y])
    assert (repr(x.grad), repr(y.grad)) == ("tensor(20.)", "tensor(16.)")


def test_23_autograd_grad(t):
    parameters = inspect.signature(t.autograd.grad).parameters
    assert list(parameters)[:7] == [
        "outputs", "inputs", "grad_outputs", "retain_graph", "create_graph", "only_inputs", "allow_unused"]
    x, y, unused = (t.tensor(value, requires_grad=True) for value in (2.0, 5.0, 7.0))
    z = x * y
    assert repr(t.autograd.grad(z, (x, y), retain_graph=True)) == "(tensor(5.), tensor(2.))"
    assert (x.grad, y.grad) == (None, None)
    with pytest.raises(RuntimeError, match="appears to not have been used in the graph. Set "
                                           "allow_unused=True if this is the desired behavior."):
        t.autograd.grad(z, (x, unused), retain_graph=True)
    assert repr(t.autograd.grad(z, (x, unused), allow_unused=True)) == "(tensor(5.), None)"
    weighted = t.autograd.grad(x * t.ones(2), x, grad_outputs=t.tensor([1.0, 10.0]))
    assert repr(weighted) == "(tensor(11.),)"


def test_24_create_graph_gives_higher_orders(t):
    x = t.tensor(2.0, requires_grad=True)
    y = x**4
    (first,) = t.autograd.grad(y, x, create_graph=True)
    (second,) = t.autograd.grad(first, x, create_graph=True)
    (third,) = t.autograd.grad(second, x)
    assert [g.item() for g in (first, second, third)] == [32.0, 48.0, 48.0]
