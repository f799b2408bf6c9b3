"""Nodes in the user's hands: what they are asked, what they kept, and called as functions."""
import pytest

import leafward
from tests.both import both


def leaf(t):
    return t.tensor([1.0, 2.0], requires_grad=True)


@both
def test_a_node_is_a_function(t, see):
    x, z = leaf(t), t.tensor(3.0, requires_grad=True)
    node, g = (x * z).grad_fn, t.ones(2)
    see(node(g))
    see([part.requires_grad for part in node(g)])
    with t.no_grad():
        see([part.requires_grad for part in node(g)])
    see((x.detach() * z).grad_fn(g), x.sin().grad_fn(g), node(None))
    first, second = t.ones(4, requires_grad=True).split(2)
    see(first.grad_fn(g, None), second.grad_fn(None, g), first.grad_fn(g, g))
    see(t.cat([x, x, z.reshape(1)]).grad_fn(t.arange(5.0)))


@both
def test_wrong_arguments_of_a_node(t, see):
    x = leaf(t)
    node, g = (x * x).grad_fn, t.ones(2)
    for args in (), (g, g), (1.0,), (t.ones(3),):
        see.raises(node, *args)
    y = x.exp()
    y.sum().backward()
    see.raises(y.grad_fn, g)


@both
def test_a_node_called_runs_no_hooks_and_frees_nothing(t, see):
    x, seen = leaf(t), []
    y = x * x
    y.grad_fn.register_hook(lambda *grads: seen.append("post"))
    y.grad_fn.register_prehook(lambda *grads: seen.append("pre"))
    y.grad_fn(t.ones(2))
    see(seen)
    y.sum().backward()
    see(seen, x.grad)


@both
def test_the_accumulator_is_a_function(t, see):
    x = leaf(t)
    accumulator = (x * 2).grad_fn.next_functions[0][0]
    with t.no_grad():
        see(accumulator(t.ones(2)), x.grad)
        see(accumulator(t.ones(2)), x.grad)
    see(accumulator.requires_grad, (x * 2).grad_fn.requires_grad)


@both
def test_a_gradient_through_a_called_node(t, see):
    x, g = leaf(t), t.ones(2, requires_grad=True)
    part = x.sin().grad_fn(g)
    see(t.autograd.grad(part.sum(), [x, g]))


@both
def test_hooks_on_one_saved_tensor(t, see):
    x, seen = leaf(t), []

    def pack(tensor):
        seen.append(("pack", tensor.clone(), tensor.requires_grad, tensor.grad_fn is None))
        return ("packed", tensor)

    def unpack(packed):
        seen.append("unpack")
        return packed[1]
    for y, name in ((x * 1).sin(), "self"), (x.sin(), "self"), (x.exp(), "result"), (x * (x * 1), "other"):
        saved = getattr(y.grad_fn, "_raw_saved_" + name)
        see(saved.data.detach(), saved.unpack_hook is None)
        saved.register_hooks(pack, unpack)
        see(saved.data[0], saved.unpack_hook is unpack)
        see.raises(saved.register_hooks, pack, unpack)
        y.sum().backward(retain_graph=True)
        see(seen, x.grad)
        y.sum().backward()
        see.raises(saved.register_hooks, pack, unpack)
        see.raises(getattr, y.grad_fn, "_raw_saved_missing")


@both
def test_hooks_on_what_was_not_saved(t, see):
    x = leaf(t)
    see.raises((x * t.ones(2)).grad_fn._raw_saved_self.register_hooks, lambda v: v, lambda v: v)


@both
def test_second_derivative_through_hooks_on_one_saved_tensor(t, see):
    x = leaf(t)
    y = x.exp() * x
    y.grad_fn._raw_saved_self.register_hooks(lambda v: v.clone(), lambda v: v)
    y.grad_fn._raw_saved_other.register_hooks(lambda v: v.clone(), lambda v: v)
    first, = t.autograd.grad(y.sum(), x, create_graph=True)
    second, = t.autograd.grad(first.sum(), x)
    see(first.detach(), second)


def test_what_is_no_function_is_no_hook():
    x = leaf(leafward)
    with pytest.raises(TypeError, match="incompatible function arguments"):
        (x * x).grad_fn._raw_saved_self.register_hooks(1, 2)


@both
def test_saved_tensors_of_a_custom_function(t, see):
    class Cube(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x ** 3

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.saved_tensors[0] ** 2
    x, seen = leaf(t), []
    y = Cube.apply(x)
    see.raises(y.grad_fn, t.ones(2))                        # the node of a custom function is no function
    saved, = y.grad_fn._raw_saved_tensors
    saved.register_hooks(lambda v: seen.append("pack") or v * 1, lambda v: seen.append("unpack") or v)
    y.sum().backward()
    see(x.grad, seen)


@both
def test_backward_may_be_called_vjp(t, see):
    class Twice(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def vjp(ctx, g):
            return 2 * g

    class Both(Twice):
        @staticmethod
        def backward(ctx, g):
            return g
    x = leaf(t)
    Twice.apply(x).sum().backward()
    see(x.grad)
    see.raises(lambda: Both.apply(x).sum().backward())


@both
def test_classes_of_contexts(t, see):
    from importlib import import_module
    function = import_module(t.__name__ + ".autograd.function")

    class Same(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            see(isinstance(ctx, function.FunctionCtx), isinstance(ctx, function.BackwardCFunction))
            return x * 1
    Same.apply(leaf(t))
    ctx = function.FunctionCtx()
    ctx.save_for_backward(t.ones(1))
    see(ctx.to_save)
    see(issubclass(function.InplaceFunction, t.autograd.Function), issubclass(t.autograd.NestedIOFunction, t.autograd.Function))
    see.warns(ctx.mark_shared_storage)


def test_functions_of_nested_containers_are_refused():
    with pytest.raises(NotImplementedError, match="subclass torch.autograd.Function"):
        leafward.autograd.NestedIOFunction.apply(leafward.ones(1))
