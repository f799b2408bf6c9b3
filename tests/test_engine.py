"""Backward: depth, memory, interruption, hooks and their order, and what it refuses, seen beside PyTorch."""
import gc
import os
import subprocess
import sys
import weakref

import pytest

import leafward
from tests.both import both

DEEP = """
import leafward as t
x = t.tensor(2.0, requires_grad=True)
y = x
for _ in range({steps}):
    y = {step}
{end}
print(x.grad)
"""


@pytest.mark.parametrize(("step", "end", "printed"), [
    ("y + 1", "y.backward(); del y", "tensor(1.)"),
    ("y * 1.0", "y.backward()", "tensor(1.)"),
    ("y.neg()", "del y", "None"),
    ("y.view(())", "del y", "None"),
])
def test_a_million_operations(step, end, printed):
    """Built, run backward and freed, in a process of its own: a recursion anywhere would end it.

    Interpreted they are fewer: Python stops a recursion after a thousand.
    """
    code = DEEP.format(step=step, end=end, steps=100_000 if "LEAFWARD_INTERPRETED" in os.environ else 1_000_000)
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=300, check=False)
    assert result.returncode == 0, result.stderr[-2000:]
    assert result.stdout.strip() == printed


class Probe:
    """A hook that can be watched: it lives as long as the graph that holds it."""

    def __call__(self, grad):
        return None


def in_place(h):
    h = h * 1
    h[0] = 5.0
    return h.mul_(h.detach().clone())


class Cube(leafward.autograd.Function):
    """``x**3``, keeping both its input and its output."""

    @staticmethod
    def forward(ctx, x):
        out = x**3
        ctx.save_for_backward(x, out)
        ctx.set_materialize_grads(False)
        return out

    @staticmethod
    def backward(ctx, g):
        x, _ = ctx.saved_tensors
        return 3 * x**2 * g


def scan(h):
    """Each row from the one before it."""
    rows = leafward.zeros(4, 2)
    rows[0] = h[0]
    for k in range(3):
        rows[k + 1] = (rows[k] * h[1]).sigmoid()
    return rows


def scan_from_zeros(h):
    rows = leafward.zeros(4, 2)
    for k in range(3):
        rows[k + 1] = rows[k] * h[1] + h[0]
    return rows


def views_and_writes(h):
    h = h * 1
    first, second = h[0], h.view(4)[2:]
    first.mul_(second.exp())
    first.retain_grad()
    second.sigmoid_()
    return h.unbind(0)[1] * first.detach()


@pytest.mark.parametrize("use", [
    scan, scan_from_zeros, views_and_writes,
    lambda h: h.sigmoid(), lambda h: h.exp().exp(), lambda h: h @ h, lambda h: h.view(4)[1:3], in_place,
    lambda h: leafward.cat([h, h.softmax(0)]), lambda h: Cube.apply(h), lambda h: h.std(), lambda h: h.max(0).values])
@pytest.mark.parametrize("end", ["drop", "backward", "retain", "create"])
def test_dropping_the_loss_frees_the_graph_without_the_collector(use, end):
    x = leafward.ones(2, 2, requires_grad=True)
    enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        probe = Probe()
        seen = weakref.ref(probe)
        h = x * 2
        h.register_hook(probe)
        loss = use(h).sum()
        if end == "create":
            (grad,) = leafward.autograd.grad(loss, x, create_graph=True)
            del grad
        elif end != "drop":
            loss.backward(retain_graph=end == "retain")
        del h, loss, probe
        assert seen() is None, "a reference cycle keeps the graph alive"
    finally:
        if enabled:
            gc.enable()


@pytest.mark.parametrize("kind", [KeyboardInterrupt, ValueError, SystemExit])
def test_an_interrupted_backward_leaves_nothing_broken(kind):
    x = leafward.tensor([1.0, 2.0], requires_grad=True)
    h = x * 3
    armed = [True]

    def interrupt(grad):
        if armed[0]:
            raise kind("stop here")

    handle = h.register_hook(interrupt)
    loss = (h * h).sum()
    with pytest.raises(kind, match="stop here"):
        loss.backward(retain_graph=True)
    assert x.grad is None
    assert leafward.is_grad_enabled()
    armed[0] = False
    loss.backward()
    assert x.grad.tolist() == [18.0, 36.0]
    handle.remove()
    (x * x).sum().backward()
    assert x.grad.tolist() == [20.0, 40.0]


@both
def test_hooks_run_in_order(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    out = h.exp().sum()
    order = []
    h.register_hook(lambda g: order.append("tensor hook 1"))
    h.retain_grad()
    h.register_hook(lambda g: order.append("tensor hook 2"))
    h.grad_fn.register_prehook(lambda grads: order.append("prehook of h"))
    h.grad_fn.register_hook(lambda inputs, outputs: order.append("hook of h"))
    out.grad_fn.register_prehook(lambda grads: order.append("prehook of out"))
    out.register_hook(lambda g: order.append("tensor hook of out"))
    x.register_hook(lambda g: order.append("leaf hook"))
    x.register_post_accumulate_grad_hook(lambda p: order.append(f"post accumulate, grad is set: {p.grad is not None}"))
    out.backward()
    see(order)
    see(h.grad)
    see(x.grad)


@both
def test_hooks_change_gradients(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 10)
    h.register_hook(lambda g: g + 1)
    h.retain_grad()
    handle = h.register_hook(lambda g: g * 100)
    h.sum().backward(retain_graph=True)
    see(h.grad, x.grad)
    handle.remove()
    h.grad_fn.register_prehook(lambda grads: (grads[0] * 2,))
    h.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] + 0.5, inputs[1]))
    h.sum().backward()
    see(h.grad, x.grad)
    x.register_hook(lambda g: -g)
    (x * 3).sum().backward()
    see(x.grad)


@both
def test_hooks_that_are_wrong(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    handle = h.register_hook(lambda g: "not a tensor")
    see.raises(h.sum().backward)
    handle.remove()
    h = x * 2
    h.register_hook(lambda g: t.ones(3))
    see.raises(h.sum().backward)
    see.raises(t.ones(2).register_hook, lambda g: g)
    see.raises(t.ones(2).retain_grad)
    see.raises((x * 2).register_post_accumulate_grad_hook, lambda p: None)
    see(x.grad)


@both
def test_retain_grad_of_shared_and_rewritten_tensors(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    h.retain_grad()
    h.retain_grad()
    (h * h).sum().backward()
    see(h.grad, h.retains_grad, x.retains_grad)
    h = x * 2
    h.retain_grad()
    h.mul_(3)
    h.sum().backward()
    see(h.grad, x.grad)


@both
def test_inputs_limits_what_is_written(t, see):
    x, y = (t.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    h = x * y
    out = h * h
    out.backward(inputs=[x], retain_graph=True)
    see(x.grad, y.grad)
    out.backward(inputs=h, retain_graph=True)
    see.warns(lambda: h.grad)
    see.raises(out.backward, inputs=[])
    see.raises(out.backward, inputs=[t.tensor(1.0)])
    out.backward()
    see(x.grad, y.grad)


@both
def test_retain_and_create_graph(t, see):
    x = t.tensor(2.0, requires_grad=True)
    y = x**3
    y.backward(retain_graph=True)
    see.raises(y.backward, create_graph=True)  # warns of a reference cycle, once a process
    see(x.grad, x.grad.requires_grad, x.grad.grad_fn is not None)
    x.grad = None
    (first,) = t.autograd.grad(x**3, x, create_graph=True)
    (first * x).backward()
    see(x.grad)
    see.raises(t.autograd.grad, y.exp().detach(), x)
    z = x.exp()
    z.backward()
    see.raises(z.backward)
    see.raises(lambda: z.grad_fn._saved_result)


@both
def test_what_backward_refuses(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x * 2
    see.raises(y.backward)
    see.raises(y.backward, t.ones(3))
    see.raises(y.backward, t.ones(2, dtype=t.complex64))
    see.raises(y.backward, [1.0, 1.0])
    see.raises(t.autograd.backward, [y, y], [t.ones(2)])
    see.raises(t.ones(2).sum().backward)
    see.raises(t.tensor([1, 2]).sum().backward)
    see.raises(t.tensor, [1, 2], requires_grad=True)
    see.raises(t.tensor([1, 2]).requires_grad_)
    see.raises(setattr, y, "requires_grad", False)
    see.raises(setattr, x, "grad", t.ones(3))
    see.raises(setattr, x, "grad", t.ones(2, dtype=t.float64))
    see.raises(setattr, x, "grad", 1.0)
    see.raises(setattr, x, "grad", x)
    see(x.grad)


@both
def test_what_grad_refuses(t, see):
    x, unused = (t.tensor([1.0, 2.0], requires_grad=True) for _ in "12")
    y = x * x
    see.raises(t.autograd.grad, y, x)
    see.raises(t.autograd.grad, (x * x).sum(), [x, unused])
    see(t.autograd.grad((x * x).sum(), [x, unused], allow_unused=True))
    see(t.autograd.grad((x * x).sum(), [x, unused], materialize_grads=True))
    see.raises(t.autograd.grad, (x * x).sum(), t.ones(2))
    see.raises(t.autograd.grad, t.ones(2).sum(), x)
    see.raises(t.autograd.grad, (x * x).sum(), x, t.ones(3))
    see.raises(t.autograd.grad, (x * x).sum(), [unused], allow_unused=False, materialize_grads=True)
    see(t.autograd.grad(x * x, x, t.tensor([1.0, 10.0])))
    see(t.autograd.grad([x.sum(), (x * x).sum()], [x]))
    see(x.grad)


@both
def test_gradient_of_a_root_and_of_a_middle(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    see(t.autograd.grad(h.sum(), h, retain_graph=True))
    see(t.autograd.grad(h, h, t.ones(2), retain_graph=True))
    see(t.autograd.grad((h * h).sum(), [x, h]))
    x.backward(t.tensor([3.0, 4.0]))
    see(x.grad)
    a, b = (x * t.arange(4.0).reshape(2, 2)).unbind(0)
    b.sum().backward()
    see(x.grad)


@both
def test_accumulation_never_writes_into_a_gradient_that_is_shared(t, see):
    x, y = (t.tensor([1.0, 2.0], requires_grad=True) for _ in "12")
    (x + y).sum().backward()
    x.grad.mul_(0)
    see(y.grad)
    first = y.grad
    (y * 3).sum().backward()
    see(y.grad is first, y.grad, x.grad)
    y.grad = None
    (y * 3).sum().backward()
    see(y.grad is first, first, y.grad)


@both
def test_the_graph_can_be_walked(t, see):
    x = t.tensor([[1.0, 2.0]], requires_grad=True)
    y = (x.sigmoid() * x).t().matmul(x).sum()

    def walk(node):
        return None if node is None else [node.name(), [(walk(n), k) for n, k in node.next_functions]]

    see(walk(y.grad_fn))
    see(type(y.grad_fn).__name__, y.grad_fn.next_functions[0][1])
    leaf = x.view_as(x).grad_fn.next_functions[0][0]
    see(leaf.name(), leaf.variable is x)
    see(y.grad_fn == y.grad_fn, y.grad_fn is y.grad_fn)
    y.grad_fn.metadata["mine"] = 1
    see(y.grad_fn.metadata["mine"])


@both
def test_gradients_keep_dtype_and_shape(t, see):
    for dtype in t.float16, t.bfloat16, t.float32, t.float64, t.complex64:
        x = t.ones(3, 1, dtype=dtype, requires_grad=True)
        (x * t.ones(3, 4, dtype=t.float64)).sum().abs().backward()
        see(x.grad)
    x = t.ones(2, requires_grad=True)
    (x * (1 + 2j)).sum().abs().backward()
    see(x.grad)
    x = t.tensor(2.0, dtype=t.float64, requires_grad=True)
    (x * t.ones(3)).sum().backward()
    see(x.grad)


@both
def test_anomaly_mode_finds_nan(t, see):
    x = t.tensor([0.0, 1.0], requires_grad=True)
    with t.autograd.set_detect_anomaly(True):
        see.raises(lambda: (x.sqrt() * 0).sum().backward())
        see.raises(lambda: (t.sqrt(x - x) * 0).sum().backward())
    with t.autograd.set_detect_anomaly(True, check_nan=False):
        (x.sqrt() * 0).sum().backward()
    see(x.grad)
    see(t.is_anomaly_enabled())
    with t.autograd.set_detect_anomaly(True):
        see(t.is_anomaly_enabled())
        see(t.is_anomaly_check_nan_enabled())
    with t.autograd.set_detect_anomaly(True, check_nan=False):
        see(t.is_anomaly_check_nan_enabled())
    see(t.is_anomaly_check_nan_enabled())
