"""``autograd.graph``: hooks on what is saved, hooks on several gradients, and writes to what is saved."""
import pytest

import leafward
from tests.both import both


def leaf(t):
    return t.tensor([1.0, 2.0], requires_grad=True)


@both
def test_refusing_hooks(t, see):
    graph, x = t.autograd.graph, leaf(t)

    def keep():
        with graph.saved_tensors_hooks(lambda v: v, lambda v: v):
            return x * x

    def refused():
        with graph.disable_saved_tensors_hooks("not here"):
            (x * x).sum().backward()
            keep()

    def refused_in_turn():
        with graph.disable_saved_tensors_hooks("not here"):
            with graph.disable_saved_tensors_hooks("nor here"):
                pass
            keep()

    def too_late():
        with graph.saved_tensors_hooks(lambda v: v, lambda v: v), graph.disable_saved_tensors_hooks("not here"):
            pass
    for attempt in refused, refused_in_turn, too_late, keep:
        see.raises(attempt)
    see(x.grad)


@both
def test_hooks_that_break_the_rules(t, see):
    graph, x = t.autograd.graph, leaf(t)

    def packed(pack, unpack):
        y = x * 1
        with graph.saved_tensors_hooks(pack, unpack):
            z = y * y
        z.sum().backward()
        return x.grad
    see.raises(packed, lambda v: v.add_(1), lambda v: v)
    see.raises(packed, lambda v: 3, lambda v: v)
    see.raises(packed, lambda v: v, lambda v: v[:1])


@both
def test_packed_values_keep_their_history(t, see):
    graph, x = t.autograd.graph, leaf(t)
    with graph.saved_tensors_hooks(lambda v: v.detach().clone(), lambda v: v):
        y = x.exp() * x                                     # an output, a leaf, and a value with a history
    first, = t.autograd.grad(y.sum(), x, create_graph=True)
    second, = t.autograd.grad(first.sum(), x, create_graph=True)
    third, = t.autograd.grad(second.sum(), x)
    see(first, second, third)
    see((y.grad_fn._saved_self, y.grad_fn._saved_self.grad_fn))


MODES = ("all", "any")
OUTPUTS = (["b+c+d"], ["b+c"], ["b"], ["b+c", "d"], ["b+c+d", "b+c"], ["b*b*c"])


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("outputs", OUTPUTS, ids=" then ".join)
def test_hooks_on_several_gradients(mode, outputs):
    @both
    def scenario(t, see):
        a = leaf(t)
        names = {"b": a * 1, "c": a * 2, "d": a * 3}
        seen = []
        handle = t.autograd.graph.register_multi_grad_hook((*names.values(), a), seen.append, mode=mode)
        for output in outputs:
            eval(output, {}, names).sum().backward(retain_graph=True)
        handle.remove()
        eval(outputs[0], {}, names).sum().backward()
        see(seen)
        t.autograd.graph.register_multi_grad_hook(tuple(names.values()), seen.append, mode=mode)
        fresh = leaf(t)
        t.autograd.graph.register_multi_grad_hook((fresh, fresh), seen.append, mode=mode)
        (fresh * fresh).sum().backward()
        see(seen)
    scenario()


@both
def test_hooks_on_several_gradients_refuse(t, see):
    register = t.autograd.graph.register_multi_grad_hook
    see.raises(register, (leaf(t),), print, mode="some")
    see.raises(register, (t.ones(2),), print)
    register((t.ones(2),), print, mode="any")


@both
def test_writes_to_what_is_saved(t, see):
    a = leaf(t)
    with t.autograd.graph.allow_mutation_on_saved_tensors() as kept:
        b = a.clone()
        out = b.sin()
        b.mul_(2)
        see(len(kept.cloned), len(kept.original))
        see(t.autograd.grad(out.sum(), a))
        see(len(kept.cloned), len(kept.original))
        d = a.clone()
        out = d.sin()
        d.mul_(2)
        first, = t.autograd.grad(out.sum(), a, create_graph=True)
        see(first, t.autograd.grad(first.sum(), a))
        e = (a * a).sum()
        with t.no_grad():
            a.add_(1)
        see(t.autograd.grad(e, a))


@both
def test_writes_and_backward_outside(t, see):
    a = leaf(t)
    with t.autograd.graph.allow_mutation_on_saved_tensors():
        b = a.clone()
        out = b.sin()
        b.mul_(2)

    def nested():
        with t.autograd.graph.allow_mutation_on_saved_tensors(), t.autograd.graph.allow_mutation_on_saved_tensors():
            pass

    def cleared():
        with t.autograd.graph.allow_mutation_on_saved_tensors() as kept:
            b = a.clone()
            out = b.sin()
            kept.clear()
            out.sum().backward()

    def saved_before():
        b = a.clone()
        out = b.sin()
        with t.autograd.graph.allow_mutation_on_saved_tensors():
            b.mul_(2)
            out.sum().backward()
    see.raises(out.sum().backward)
    for attempt in nested, cleared, saved_before:
        see.raises(attempt)


@both
def test_edges(t, see):
    a = leaf(t)
    y = a * 2
    edge = t.autograd.graph.get_gradient_edge(y)
    see(edge._fields, edge.output_nr, edge.node is y.grad_fn)
    see(t.autograd.grad(y.sum(), edge), t.autograd.grad(y.sum(), t.autograd.graph.get_gradient_edge(a)))
    see.raises(t.autograd.graph.get_gradient_edge, t.ones(1))
    see(isinstance(y.grad_fn, t.autograd.graph.Node), (a * 3).grad_fn._sequence_nr() > y.grad_fn._sequence_nr())


def test_saved_views_are_copied_too():
    # PyTorch copies the tensor that is written, not the views of it that were saved: it gives [5, 1] and [-0.76, 1].
    a = leaf(leafward)
    with leafward.autograd.graph.allow_mutation_on_saved_tensors():
        b = a.clone()
        out = b[:1] * b[1:]
        b[0].mul_(3)
        b.fill_(5)
        leafward.sin(b.detach(), out=b.detach())
        grad, = leafward.autograd.grad(out.sum(), a)
    assert grad.tolist() == [2.0, 1.0]
