"""Founding behaviours 25 to 27: networks and their neighbours."""
from importlib import import_module

import pytest


def test_25_convolution_by_function_and_by_module(t, name):
    import_module(f"{name}.nn.init")
    inputs = t.arange(100.0).reshape(1, 4, 5, 5) / 50 - 1
    weight = t.nn.Parameter(t.sin(t.arange(288.0)).reshape(8, 4, 3, 3))
    by_function = t.nn.functional.conv2d(inputs, weight, stride=2, padding=1)
    module = t.nn.Conv2d(4, 8, 3, stride=2, padding=1)
    with t.no_grad():
        module.weight.copy_(weight)
        module.bias.zero_()
    by_module = module(inputs)
    assert tuple(by_function.shape) == tuple(by_module.shape) == (1, 8, 3, 3)
    assert t.allclose(by_function, by_module)
    by_function.sum().backward()
    by_module.sum().backward()
    assert weight.grad.shape == weight.shape
    assert t.allclose(weight.grad, module.weight.grad)
    assert t.equal(module.bias.grad, t.full((8,), 9.0))


def two_networks(t):
    t.manual_seed(0)
    return t.nn.Linear(3, 3), t.nn.Sequential(t.nn.Linear(3, 3), t.nn.ReLU(), t.nn.Linear(3, 1))


def trained(network):
    return [p.grad is not None for p in network.parameters()]


@pytest.mark.parametrize("cut", [lambda a: a.detach(), lambda a: a.detach_()])
def test_26_a_detached_middle_trains_only_the_second(t, cut):
    first, second = two_networks(t)
    second(cut(first(t.ones(2, 3)))).sum().backward()
    assert not any(trained(first))
    assert all(trained(second))


def test_26_frozen_parameters_train_only_the_first(t):
    first, second = two_networks(t)
    for p in second.parameters():
        p.requires_grad = False
    second(first(t.ones(2, 3))).sum().backward()
    assert all(trained(first))
    assert not any(trained(second))


def test_27_gather_and_max(t):
    x = t.tensor([[1.0, 5.0, 2.0], [7.0, 3.0, 4.0]], requires_grad=True)
    picked = x.gather(1, t.tensor([[2], [0]]))
    assert repr(picked) == "tensor([[2.],\n        [7.]], grad_fn=<GatherBackward0>)"
    values, indices = t.max(x, 1)
    assert repr(values) == "tensor([5., 7.], grad_fn=<MaxBackward0>)"
    assert repr(indices) == "tensor([1, 0])"
    assert t.max(x, 1).values.tolist() == [5.0, 7.0]
    (picked.sum() + values.sum()).backward()
    assert x.grad.tolist() == [[0.0, 1.0, 1.0], [2.0, 0.0, 0.0]]


def test_27_softmax_stack_and_cat(t):
    x = t.tensor([[0.0, 0.0], [1.0, 1.0]])
    assert repr(t.softmax(x, dim=1)) == "tensor([[0.5000, 0.5000],\n        [0.5000, 0.5000]])"
    assert t.nn.functional.softmax(x, dim=0).sum(0).tolist() == [1.0, 1.0]
    assert tuple(t.stack([x, x], dim=1).shape) == (2, 2, 2)
    assert tuple(t.cat([x, x], 1).shape) == (2, 4)
    assert tuple(t.cat((x, x)).shape) == (4, 2)


def test_27_a_slice_of_a_sequential(t):
    net = t.nn.Sequential(t.nn.Linear(3, 3), t.nn.ReLU(), t.nn.Linear(3, 2), t.nn.Tanh(), t.nn.Linear(2, 1))
    part = t.nn.Sequential(*list(net.children())[2:4])
    assert repr(part) == ("Sequential(\n  (0): Linear(in_features=3, out_features=2, bias=True)\n  (1): Tanh()\n)")
    assert part[0] is net[2]
    assert tuple(part(t.ones(5, 3)).shape) == (5, 2)


def test_27_batch_norm_in_train_and_eval(t):
    norm = t.nn.BatchNorm1d(2)
    x = t.tensor([[0.0, 1.0], [2.0, 5.0]])
    assert t.allclose(norm(x), t.tensor([[-1.0, -1.0], [1.0, 1.0]]), atol=1e-4)
    assert t.allclose(norm.running_mean, t.tensor([0.1, 0.3]))
    assert t.allclose(norm.running_var, t.tensor([1.1, 1.7]))
    assert norm.num_batches_tracked.item() == 1
    norm.eval()
    assert t.allclose(norm(x), (x - norm.running_mean) / (norm.running_var + norm.eps).sqrt())
    assert norm.num_batches_tracked.item() == 1


def test_27_zero_grad(t):
    model = t.nn.Linear(2, 1)
    optimizer = t.optim.SGD(model.parameters(), lr=0.1)
    model(t.ones(1, 2)).sum().backward()
    before = model.weight.detach().clone()
    optimizer.step()
    assert t.allclose(model.weight, before - 0.1)
    optimizer.zero_grad()
    assert all(p.grad is None for p in model.parameters())


def test_27_in_place_writers(t):
    x = t.zeros(3)
    x += 1
    assert x.add_(2).tolist() == [3.0, 3.0, 3.0]
    assert t.zeros(2, 3).scatter_(1, t.tensor([[0], [2]]), 1.0).tolist() == [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    a = t.tensor([1.0, 2.0, 3.0], requires_grad=True)
    b = a * 1
    b += a
    b.sum().backward()
    assert a.grad.tolist() == [2.0, 2.0, 2.0]


def test_27_the_old_constructors(t):
    assert repr(t.Tensor([1, 2])) == "tensor([1., 2.])"
    assert tuple(t.Tensor(2, 3).shape) == (2, 3)
    assert repr(t.LongTensor([1, 2])) == "tensor([1, 2])"
    assert isinstance(t.Tensor([1]), t.FloatTensor)
    assert isinstance(t.tensor([1]), t.LongTensor)
