"""Backward in unusual surroundings: wrong hooks, threads, nested calls, interrupts, layouts; and what nodes show."""
import copy
import gc
import pickle
import signal
import threading

import pytest

import leafward
from tests.both import both


@both
def test_what_hooks_may_return(t, see):
    answers = ("a", 3, t.ones(3), t.ones(1, 2), t.ones(2, dtype=t.float64), (t.ones(2),), (t.ones(2), t.ones(2)),
               ("a",), (None,), [t.ones(2)], (t.ones(3),), t.ones(2) * 5, (t.ones(2) * 5,), None)
    for answer in answers:
        for place in ("tensor", "leaf", "before", "after", "before the leaf"):
            x = t.tensor([1.0, 2.0], requires_grad=True)
            h = x.exp()
            hooks = {
                "tensor": h.register_hook, "leaf": x.register_hook, "before": h.grad_fn.register_prehook,
                "after": lambda hook, node=h.grad_fn: node.register_hook(lambda inputs, outputs: hook(inputs)),
                "before the leaf": h.grad_fn.next_functions[0][0].register_prehook}
            hooks[place](lambda grad, answer=answer: answer)
            see.raises(h.sum().backward)
            see(x.grad)


@both
def test_hooks_that_register_and_remove_hooks(t, see):
    x = t.ones(2, requires_grad=True)
    h = x * 2
    seen = []

    def once(grad):
        seen.append("once")
        handle.remove()
        h.register_hook(lambda g: seen.append("later"))
        h.grad_fn.register_prehook(lambda g: seen.append("node"))

    handle = h.register_hook(once)
    for _ in range(2):
        h.sum().backward(retain_graph=True)
        see(list(seen))


@both
def test_what_is_asked_for_is_what_tensor_hooks_leave(t, see):
    x = t.ones(2, requires_grad=True)
    h = x * 2
    h.register_hook(lambda g: g * 3)
    h.grad_fn.register_prehook(lambda g: (g[0] * 7,))
    see(t.autograd.grad(h.sum(), h, retain_graph=True), t.autograd.grad(h.sum(), x, retain_graph=True))
    x.register_hook(lambda g: g * 5)
    h.grad_fn.next_functions[0][0].register_prehook(lambda g: (g[0] * 11,))
    see(t.autograd.grad(h.sum(), x, retain_graph=True))
    h.sum().backward()
    see(x.grad)


@both
def test_the_youngest_node_goes_first(t, see):
    x = t.ones(2, requires_grad=True)
    nodes = [x * 2]
    for k in range(12):
        nodes.append((nodes[-1] * nodes[k // 2]).sigmoid() if k % 3 else nodes[-1].sin() + nodes[0])
    order = []
    for k, node in enumerate(nodes):
        node.grad_fn.register_prehook(lambda g, k=k: order.append(k))
    sum(n.sum() for n in nodes[::2]).backward()
    see(order, x.grad)


@both
def test_backward_inside_backward(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = t.tensor([3.0, 4.0], requires_grad=True)
    inner = (y * y).sum()

    class Twice(t.autograd.Function):
        @staticmethod
        def forward(ctx, a):
            ctx.save_for_backward(a)
            return a * a

        @staticmethod
        def backward(ctx, g):
            (a,) = ctx.saved_tensors
            with t.enable_grad():
                b = a.detach().requires_grad_()
                (b * b * g).sum().backward()
            return b.grad

    h = Twice.apply(x)
    h.register_hook(lambda g: inner.backward(retain_graph=True))
    h.register_hook(lambda g: see(t.is_grad_enabled()))
    (h * 3).sum().backward(retain_graph=True)
    see(x.grad, y.grad)
    (first,) = t.autograd.grad(h.sum(), x, create_graph=True)
    see(first, y.grad, t.is_grad_enabled())


@both
def test_inputs_of_backward(t, see):
    x, y = (t.tensor([1.0, 2.0], requires_grad=True) for _ in "12")
    h = x * y
    out = (h * h).sum()
    for inputs in [h], [h, x], {"a": y}, x, [x, x]:
        see.raises(out.backward, inputs=inputs, retain_graph=True)
        see(h.grad, h.retains_grad, x.grad, y.grad)
    for wrong in "a", [3], [t.ones(2)], []:
        see.raises(out.backward, inputs=wrong, retain_graph=True)
        see.raises(t.autograd.grad, out, wrong, retain_graph=True)
    see.raises(t.autograd.grad, [3], [x])
    see.raises(t.autograd.backward, [out], [t.ones(()), t.ones(())], retain_graph=True)
    see.raises(t.autograd.backward, [out, out], t.ones(()), retain_graph=True)
    see.raises(t.autograd.backward, [], retain_graph=True)


@both
def test_first_gradients_are_copies_in_the_layout_of_their_leaf(t, see):
    x, y = (t.tensor([1.0, 2.0], requires_grad=True) for _ in "12")
    see.raises((x + y).sum().backward, create_graph=True)   # PyTorch warns of a reference cycle, once a process
    see(x.grad is y.grad, x.grad.data_ptr() == y.grad.data_ptr(), x.grad.stride(), x.grad.grad_fn)
    x.grad = None
    see.raises((x * x * x).sum().backward, create_graph=True)
    first = x.grad
    see(first, first.requires_grad)
    (x * x).sum().backward()
    see(x.grad is first, x.grad, x.grad.requires_grad, first._version)
    leaves = (t.zeros(3, 4).t(), t.zeros(3, 4)[:, ::2], t.zeros(2, 3, 4, 5).permute(0, 3, 1, 2), t.zeros(3, 1), t.zeros(2, 0))
    for leaf in leaves:
        leaf.requires_grad_()
        for _ in "12":
            (leaf * t.ones(leaf.shape)).sum().backward()
            see(leaf.grad.stride(), leaf.grad)
    gradient, z = t.ones(3), t.zeros(3, requires_grad=True)
    (z + 0).backward(gradient)
    see(z.grad.data_ptr() == gradient.data_ptr())


@both
def test_edges_that_nodes_show(t, see):
    x, y = t.ones(2, 3, requires_grad=True), t.ones(2, 3)
    index, mask = t.tensor([[0, 1, 1]]), y > 2
    h = x * 1
    rows = index[0, :2]
    made = [
        x * 2, 2 * x, x + y, x**2, x**y, 2**x, x / 3, x.gather(0, index), x.index_select(0, rows), x[mask], x[0],
        x.masked_fill(mask, 1.0), x.masked_fill(mask, y[0, 0]), t.where(mask, x, y), t.where(mask, x, 0.0), x.clamp(0.1),
        x.clamp(y), t.cat([x, y, h]), x.lerp(y, 0.5), x.addcmul(y, y), t.addmm(y, x, t.ones(3, 3)), x.unbind(0)[1],
        x.scatter(0, index, 1.0), x.scatter(0, index, y), x.index_add(0, rows, y), t.stack([x, y])]
    writes = (
        lambda v: v.fill_(2.0), lambda v: v.fill_(y[0, 0]), lambda v: v.zero_(), lambda v: v.mul_(2),
        lambda v: v.copy_(y[0]), lambda v: v.masked_fill_(mask[0], 1.0), lambda v: v.__setitem__(index[0], 1.0))
    for write in writes:
        through, whole = x * 1, x.sum(0)
        write(through[0])
        write(whole)
        made.extend([through, whole])
    for out in made:
        see(out.grad_fn.name(), [(None if n is None else n.name(), k) for n, k in out.grad_fn.next_functions])


@both
def test_what_nodes_kept_can_be_read(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = x.exp()
    see(y.grad_fn._saved_result, y.grad_fn._saved_result.grad_fn, (x * y).grad_fn._saved_self, (x * y).grad_fn._saved_other)
    see((x * x.detach()).grad_fn._saved_self, (x**3).grad_fn._saved_exponent, (x**3).grad_fn._saved_self is x)
    see.raises(lambda: y.grad_fn._saved_other)
    y.sum().backward()
    see.raises(lambda: y.grad_fn._saved_result)


@both
def test_inference_tensors_are_not_saved(t, see):
    p = t.ones(2, requires_grad=True)
    with t.inference_mode():
        made = t.ones(2)
        view = p.view(1, 2)
        with t.enable_grad():
            see((p * 2).requires_grad, t.is_grad_enabled())
    for use in (
            lambda: made * p, lambda: made + p, lambda: p.add(1).mul_(made), lambda: p.add(1).copy_(made),
            lambda: t.cat([made, p]), lambda: made.view(2).add_(1), lambda: view.mul_(2), lambda: view.requires_grad,
            lambda: made.exp().is_inference()):
        see.raises(use)


def test_threads_share_leaves():
    x = leafward.ones(100_000, requires_grad=True)
    y = leafward.ones(3, requires_grad=True)
    y.grad = leafward.zeros(3)
    modes = []

    def work(k):
        with leafward.set_grad_enabled(True):
            for _ in range(20):
                (x * 2).sum().backward()
                (y.exp() * x[:3] * x[:3]).sum().backward()
        with leafward.no_grad():
            modes.append(leafward.is_grad_enabled())

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert modes == [False] * 8
    assert leafward.is_grad_enabled()
    rest = leafward.full((100_000,), 320.0)
    rest[:3] += 160 * 2 * leafward.ones(1).exp().item()
    assert (x.grad - rest).abs().max() < 0.01
    assert (y.grad / leafward.ones(3).exp() - 160).abs().max() < 0.01


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="this system has no timer signals")
def test_interrupts_at_any_moment_leave_nothing_broken():
    x = leafward.ones(64, requires_grad=True)
    loss = x
    for _ in range(300):
        loss = (loss * 1.01).sigmoid()
    loss = loss.sum()
    (expected,) = leafward.autograd.grad(loss, x, retain_graph=True)

    def interrupt(*_):
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()                        # callbacks of the collector, Hypothesis's among them, swallow an interrupt
    interrupted = 0
    try:
        for k in range(40):
            try:
                signal.setitimer(signal.ITIMER_REAL, 1e-5 + k * 5e-5)
                leafward.autograd.grad(loss, x, retain_graph=True, create_graph=k % 2 == 1)
                signal.setitimer(signal.ITIMER_REAL, 0)
            except KeyboardInterrupt:
                interrupted += 1
    finally:
        signal.signal(signal.SIGALRM, before)
        gc.enable()
    assert interrupted
    assert leafward.is_grad_enabled()
    assert x.grad is None
    (again,) = leafward.autograd.grad(loss, x)
    assert (again == expected).all()


def test_a_gradient_that_shares_memory_with_grad_is_read_before_it_is_written():
    memory = leafward.tensor([1.0, 2.0, 4.0, 8.0, 16.0])
    x = leafward.zeros(4, requires_grad=True)
    x.grad = memory[1:]
    x.backward(memory[:4])
    assert memory.tolist() == [1, 3, 6, 12, 24]


@both
def test_nothing_is_no_tensor(t, see):
    x = t.ones(2)
    for use in (
            lambda: t.exp(None), lambda: t.exp(None, out=x), lambda: t.add(x, None), lambda: t.add(None, x),
            lambda: t.sum(None)):
        see.raises(use)
    see(x, x._version)


@pytest.mark.parametrize("wrong", [None, 3, 2.5, "a", [1], 1j])
def test_what_is_no_tensor_is_named(wrong):
    x = leafward.ones(3, 3)
    uses = [x.cross, x.equal, x.allclose, x.matmul, x.mm, x.mv, x.dot, x.diagonal_scatter]
    uses += [x.copy_, x.fill_, x.add_, x.mul_, x.add, x.mul] if wrong in (None, "a") else []
    for use in uses:
        with pytest.raises(TypeError, match=f"must be Tensor, not {type(wrong).__name__}"):
            use(wrong)
    assert x._version == 0


@both
def test_sequences_of_tensors(t, see):
    x = t.ones(2)
    for use in t.broadcast_tensors, t.meshgrid:
        for wrong in 3, 2.5, None:
            see.raises(use, wrong)
            see.raises(use, x, wrong)


@pytest.mark.parametrize("size", [10**20, (2, -10**20)])
def test_sizes_beyond_any_memory(size):
    for use in leafward.zeros, leafward.ones, leafward.empty:
        with pytest.raises(TypeError, match="Overflow when unpacking long long"):
            use(size)


@pytest.mark.parametrize("wrong", ["a", 1.0, float("nan"), 1j, {}])
def test_a_dim_is_an_int(wrong):
    x = leafward.ones(2, 2)
    for use in x.sum, x.argmax, x.squeeze, x.unbind, x.cumsum, x.softmax, x.sort, x.amax, x.unsqueeze, x.all:
        with pytest.raises(TypeError, match="int"):
            use(wrong)
    with pytest.raises(TypeError, match="must be int, not bool"):
        x.argmax(True)


@both
def test_integers_that_are_written_get_no_history(t, see):
    x = t.ones(3, requires_grad=True)
    for write in lambda i: i.copy_(x), lambda i: i.__setitem__(0, x[0] * 4), lambda i: i.copy_(2):
        whole, part = t.zeros(3, dtype=t.int64), t.zeros(4, dtype=t.int64)
        write(whole)
        write(part[1:])
        see(whole, whole.requires_grad, whole.is_leaf, part, part.requires_grad)


@both
def test_parts_of_complex_tensors_are_assigned(t, see):
    x = t.ones(2, dtype=t.complex64, requires_grad=True)
    y = x * 1
    y.real = 5
    y.imag = t.tensor([1.0, 2.0])
    see(y, y.grad_fn.name(), y._version)
    for part, value in ("real", "a"), ("imag", t.ones(3)):
        see.raises(setattr, y, part, value)
    z = t.ones(2)
    z.real = 3
    see.raises(setattr, z, "imag", 1)
    see(z, y)


@both
def test_hooks_after_accumulation_return_nothing(t, see):
    for inputs in False, True:
        x = t.ones(2, requires_grad=True)
        for hook in lambda p: p, lambda p: 3, lambda p: p.detach():
            handle = x.register_post_accumulate_grad_hook(hook)
            see.raises((x * 2).sum().backward, inputs=[x] if inputs else None)
            handle.remove()


@both
def test_what_grad_is_asked_for(t, see):
    x = t.ones(4, requires_grad=True)
    see(t.autograd.grad(x.sum(), {"a": x, "b": x}), t.autograd.grad((x * 2).sum(), {"a": x})["a"])
    see.raises(t.autograd.grad, t.ones(3), t.ones(2))
    see.raises(t.autograd.grad, t.ones(3).sum(), t.ones(2))
    see.raises(t.autograd.grad, x * 2, t.ones(2))
    see.raises(t.autograd.grad, x.sum(), t.ones(2))


def test_ones_for_scalars_are_no_batch():
    x = leafward.ones(4, requires_grad=True)
    with pytest.raises(ValueError, match="dimensionality 0"):
        leafward.autograd.grad(x.sum(), x, is_grads_batched=True)


@both
def test_nodes_are_neither_pickled_nor_copied(t, see):
    node = (t.ones(2, requires_grad=True) * 2).grad_fn
    for function in pickle.dumps, copy.copy, copy.deepcopy:
        see.raises(function, node)


@both
def test_inference_tensors_make_no_parameters(t, see):
    with t.inference_mode():
        made = t.ones(2)
    see.raises(t.nn.Parameter, made)
    see.raises(lambda: t.nn.Parameter(made, requires_grad=False).requires_grad)


@both
def test_data_of_a_subclass_is_of_that_class(t, see):
    kind = type("Kind", (t.Tensor,), {})
    x = t.ones(2).as_subclass(kind).requires_grad_()
    data = x.data
    data.add_(1)
    see(type(data) is kind, data.requires_grad, data._version, x._version, x, type(t.nn.Parameter(t.ones(2)).data) is t.Tensor)


@both
def test_data_of_a_made_tensor_stays_floating(t, see):
    y = t.ones(2, requires_grad=True) * 1
    see.raises(setattr, y, "data", t.ones(2, dtype=t.int64))
    see(y)


@both
def test_a_view_that_is_out_of_date_says_so_first(t, see):
    y = t.ones(3, requires_grad=True) * 1
    with t.no_grad():
        view = y.view(3)
    y.mul_(2)
    see.raises(view.diagonal)
    see.raises(view.narrow, 0, 5, 9)


@both
def test_anomaly_mode_says_that_it_is_on(t, see):
    see.warns(lambda: t.autograd.detect_anomaly() and None)
