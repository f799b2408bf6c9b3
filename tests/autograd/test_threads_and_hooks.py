"""One graph in several threads, and every kind of hook on one path: in which order, and what each sees."""
import threading

import pytest

import leafward
from tests.both import both


def in_threads(count, work):
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


@both
def test_backward_through_one_graph_in_several_threads(t, see):
    x = t.ones(3, dtype=t.float64, requires_grad=True)
    y, errors = (x.sin() * x).sum(), []

    def work():
        try:
            for _ in range(25):
                y.backward(retain_graph=True)
        except Exception as error:  # noqa: BLE001  told below
            errors.append(error)
    in_threads(4, work)
    assert not errors
    see(x.grad / 100)


@both
def test_gradients_of_shared_leaves_from_graphs_of_their_own(t, see):
    w, seen = t.full((2,), 0.5, dtype=t.float64, requires_grad=True), []

    def work():
        for k in range(20):
            h = w * k
            h.register_hook(lambda g: seen.append(threading.get_ident()))
            (h * w).sum().backward()
    in_threads(3, work)
    see(w.grad, len(seen))


@both
def test_create_graph_in_several_threads(t, see):
    x, found = t.tensor([0.3, 0.7], dtype=t.float64, requires_grad=True), []
    y = (x ** 3).sum()

    def work():
        first, = t.autograd.grad(y, x, create_graph=True)
        found.append(t.autograd.grad(first.sum(), x)[0])
    in_threads(4, work)
    see(len(found), *found)


@both
def test_modes_belong_to_threads(t, see):
    seen = []

    def work():
        seen.append((t.is_grad_enabled(), t.is_inference_mode_enabled()))
        with t.enable_grad():
            x = t.ones(1, requires_grad=True)
            with t.autograd.forward_ad.dual_level():
                seen.append((x * 2).requires_grad)
    with t.no_grad(), t.autograd.graph.saved_tensors_hooks(lambda v: 1 / 0, lambda v: v):
        in_threads(1, work)
    see(seen)


def test_backward_while_another_thread_frees_the_graph():
    """One thread gets the gradient, the others are told; nobody gets half of it."""
    for _ in range(20):
        x = leafward.ones(3, requires_grad=True)
        y, outcomes = (x.sin() * x).exp().sum(), []

        def work(y=y, x=x, outcomes=outcomes):
            try:
                outcomes.append(leafward.autograd.grad(y, x)[0])
            except RuntimeError as error:
                assert "backward through the graph a second time" in str(error)
                outcomes.append(None)
        in_threads(3, work)
        found = [g for g in outcomes if g is not None]
        assert len(outcomes) == 3 and found
        assert all(leafward.equal(g, found[0]) for g in found)


@both
def test_the_order_of_hooks(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2

    def note(name, change=None):
        def hook(*given):
            tensors = [g for part in given for g in (part if isinstance(part, tuple) else (part,))]
            see(name, *[g for g in tensors if hasattr(g, "grad_fn")])
            return None if change is None else change(*given)
        return hook
    h.register_hook(note("tensor 1", lambda g: g * 2))
    h.grad_fn.register_prehook(note("pre 1", lambda grads: (grads[0] + 1,)))
    h.register_hook(note("tensor 2"))
    h.grad_fn.register_prehook(note("pre 2"))
    h.grad_fn.register_hook(note("post 1", lambda ins, outs: tuple(None if g is None else g * 10 for g in ins)))
    h.grad_fn.register_hook(note("post 2"))
    h.retain_grad()
    accumulator = h.grad_fn.next_functions[0][0]
    accumulator.register_hook(note("accumulator post"))
    accumulator.register_prehook(note("accumulator pre"))
    x.register_post_accumulate_grad_hook(note("accumulated"))
    x.register_hook(note("leaf 1", lambda g: g - 1))
    x.register_hook(note("leaf 2"))
    t.autograd.graph.register_multi_grad_hook((h, x), lambda grads: see("several", *grads))
    (h * 3).sum().backward()
    see(h.grad, x.grad)
    (x * 1).sum().backward()
    see(x.grad)


@both
def test_hooks_that_remove_and_add_hooks(t, see):
    x = t.ones(2, requires_grad=True)
    y, handles = x * 1, []

    def removing(g):
        see("removing")
        handles[1].remove()

    def adding(g):
        see("adding")
        y.register_hook(lambda g: see("added"))
    handles.append(y.register_hook(removing))
    handles.append(y.register_hook(lambda g: see("removed")))
    handles.append(y.register_hook(adding))
    y.sum().backward(retain_graph=True)
    y.sum().backward()


@both
def test_a_backward_inside_a_hook(t, see):
    x = t.tensor([0.5], requires_grad=True)
    w = t.tensor([2.0], requires_grad=True)
    y = x * 3

    def inner(g):
        with t.enable_grad():
            (w * g.detach()).sum().backward()
    y.register_hook(inner)
    y.sum().backward()
    see(x.grad, w.grad)


@pytest.mark.parametrize("create_graph", (False, True))
def test_a_hook_that_raises_leaves_gradients_as_they_are(create_graph):
    @both
    def scenario(t, see):
        x, w = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True)
        y = x * w
        y.register_hook(lambda g: 1 / 0)
        see.raises((y * w).sum().backward, create_graph=create_graph)
        see(x.grad)
        see(t.autograd.grad((x * 2).sum(), x))              # and the next backward is whole
    scenario()
