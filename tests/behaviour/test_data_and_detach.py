"""Founding behaviours 1 to 12: data and detach share memory; only one of them tells."""
import warnings

import pytest

from tests.behaviour.conftest import stale


def test_1_a_write_through_detach_is_told(t):
    a = t.tensor([1, 2, 3.0], requires_grad=True)
    out = a.sigmoid()
    c = out.detach()
    assert repr(c.zero_()) == "tensor([0., 0., 0.])"
    assert repr(c) == "tensor([0., 0., 0.])"
    assert repr(out) == "tensor([0., 0., 0.], grad_fn=<SigmoidBackward0>)"
    with pytest.raises(RuntimeError, match=stale("torch.FloatTensor [3]", "Sigmoid", 1)):
        out.sum().backward()
    assert a.grad is None


def test_2_a_write_through_data_gives_pytorchs_number_and_a_warning(t, silently_wrong):
    a = t.tensor([1, 2, 3.0], requires_grad=True)
    out = a.sigmoid()
    c = out.data
    c.zero_()
    assert repr(out) == "tensor([0., 0., 0.], grad_fn=<SigmoidBackward0>)"
    with silently_wrong():
        out.sum().backward()
    assert repr(a.grad) == "tensor([0., 0., 0.])"


@pytest.mark.parametrize("cut", ["detach", "data"])
def test_3_both_share_memory_and_are_leaves(t, cut):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    for source in x, x * 2:
        y = source.detach() if cut == "detach" else source.data
        assert y.requires_grad is False
        assert y.data_ptr() == source.data_ptr()
        assert y.is_leaf
        assert y.grad_fn is None


def test_4_a_0_dim_tensor_tells_too(t):
    x = t.tensor(0.0, requires_grad=True)
    y = x.sigmoid()
    y.detach().zero_()
    assert repr(y) == "tensor(0., grad_fn=<SigmoidBackward0>)"
    with pytest.raises(RuntimeError, match=stale("torch.FloatTensor []", "Sigmoid", 1)):
        y.backward()


def test_5_pow_keeps_its_input_not_its_output(t):
    x = t.tensor(1.0, requires_grad=True)
    y = x**2
    y.detach().zero_()
    y.backward()
    assert repr(x.grad) == "tensor(2.)"


def test_6_matmul_keeps_its_operands(t):
    x = t.tensor([1, 1, 1], dtype=t.float, requires_grad=True)
    y = t.tensor([2, 4, 6], dtype=t.float, requires_grad=True).view(-1, 1)
    assert repr(y) == "tensor([[2.],\n        [4.],\n        [6.]], grad_fn=<ViewBackward0>)"
    z = t.matmul(x, y)
    assert repr(y.detach().mul_(2)) == "tensor([[ 4.],\n        [ 8.],\n        [12.]])"
    with pytest.raises(RuntimeError, match=stale("torch.FloatTensor [3, 1]", "View|AsStrided", 1)):
        z.backward()
    assert x.grad is None


def test_7_add_keeps_nothing(t):
    x = t.tensor([1, 1, 1], dtype=t.float, requires_grad=True)
    y = t.tensor([2, 4, 6], dtype=t.float, requires_grad=True)
    z = t.add(x, y)
    y.detach().mul_(2)
    assert repr(y) == "tensor([ 4.,  8., 12.], requires_grad=True)"
    z.sum().backward()
    assert repr(x.grad) == "tensor([1., 1., 1.])"


def test_8_what_a_rule_needs_decides(t):
    x = t.tensor(3.0, requires_grad=True)
    y = x + 1
    z = y**2
    y.detach().zero_()
    with pytest.raises(RuntimeError, match=stale("torch.FloatTensor []", "Add", 1)):
        z.backward(retain_graph=True)

    y1, y2 = x + 1, x**2
    z = 3 * y1 + 4 * y2
    y2.detach().zero_()
    z.backward()
    assert repr(x.grad) == "tensor(27.)"

    y1, y2 = x + 1, x**2
    z = 3 * y1 + 4 * y2**2
    y2.detach().zero_()
    with pytest.raises(RuntimeError, match=stale("torch.FloatTensor []", "Pow", 1)):
        z.backward()


def test_9_a_leaf_overwritten_through_data_and_through_detach(t, silently_wrong):
    a, b = t.ones(3, 4, requires_grad=True), t.ones(3, 4, requires_grad=True)
    d = (a * b).sum()
    a.data.sigmoid_()
    row = "[0.7311, 0.7311, 0.7311, 0.7311]"
    assert repr(a) == f"tensor([{row},\n        {row},\n        {row}], requires_grad=True)"
    with silently_wrong():
        d.backward()
    assert repr(b.grad) == f"tensor([{row},\n        {row},\n        {row}])"

    a, b = t.ones(3, 4, requires_grad=True), t.ones(3, 4, requires_grad=True)
    d = (a * b).sum()
    a.detach().sigmoid_()
    with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
        d.backward()


def test_10_data_of_a_detached_tensor_reaches_both(t):
    t1 = t.tensor([1.0, 2.0], requires_grad=True)
    t2 = t.tensor([2.0, 3.0], requires_grad=True)
    v3 = t1 + t2
    d = v3.detach()
    d.data.add_(t1)
    assert repr(v3) == "tensor([4., 7.], grad_fn=<AddBackward0>)"
    assert repr(d) == "tensor([4., 7.])"


def test_11_clone_passes_gradients_on_and_copy_has_a_history(t):
    a = t.tensor([1.0, 2.0], requires_grad=True)
    copy = a.clone()
    assert repr(copy) == "tensor([1., 2.], grad_fn=<CloneBackward0>)"
    assert copy.data_ptr() != a.data_ptr()
    (copy * 3).sum().backward()
    assert repr(a.grad) == "tensor([3., 3.])"

    target = t.zeros(2)
    assert target.copy_(a) is target
    assert repr(target) == "tensor([1., 2.], grad_fn=<CopyBackwards>)"
    target.sum().backward()
    assert repr(a.grad) == "tensor([4., 4.])"


def test_12_anomaly_mode_shows_the_forward_line(t):
    with t.autograd.set_detect_anomaly(True):
        a = t.tensor([1.0, 2.0], requires_grad=True)
        out = a.sigmoid()  # the line that is shown
        out.detach().zero_()
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            with pytest.raises(RuntimeError, match="has been modified by an inplace operation"):
                out.sum().backward()
    shown = "\n".join(str(w.message) for w in caught)
    assert "Error detected in SigmoidBackward0. Traceback of forward call that caused the error:" in shown
    assert f'File "{__file__}", line ' in shown
    assert "out = a.sigmoid()" in shown
    assert not t.is_anomaly_enabled()
