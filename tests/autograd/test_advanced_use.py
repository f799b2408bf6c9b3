"""What researchers do with hooks, custom functions, modes and nodes, on leafward and on PyTorch."""
import warnings

import pytest

from tests.both import both

# What PyTorch's forward mode imports has deprecations of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


@both
def test_hooks_of_the_accumulator_where_inputs_are_named(t, see):
    x, other, seen = t.ones(2, requires_grad=True), t.ones(2, requires_grad=True), []
    accumulator = t.autograd.graph.get_gradient_edge(x).node
    accumulator.register_prehook(lambda grads: seen.append(("before", grads[0].clone())) or (grads[0] * 2,))
    accumulator.register_hook(lambda _, grads: seen.append(("after", grads)))
    x.register_post_accumulate_grad_hook(lambda leaf: seen.append(("accumulated", leaf.grad.clone())))
    other.register_hook(lambda g: seen.append("other"))
    for inputs in [x], [x, x], [other], [accumulator and t.autograd.graph.get_gradient_edge(x)]:
        (x * 3 + other).sum().backward(inputs=inputs)
        see(seen, x.grad, other.grad)
    middle = x * 2
    (middle * 5).sum().backward(inputs=[middle, x])
    see(seen)
    x.backward(t.ones(2), inputs=[x])
    x.backward(t.ones(2), inputs=[other])
    see(x.grad, other.grad)


@both
def test_outputs_of_a_function_that_are_no_tensors(t, see):
    class Several(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2, "text", None, [x * 3], x * 5

        @staticmethod
        def backward(ctx, *grads):
            see(grads)
            return grads[0] * 2
    x = t.ones(2, requires_grad=True)
    see(Several.apply(x))
    Several.apply(x)[0].sum().backward()
    see(x.grad)


@both
def test_tangents_of_what_a_function_gives_back(t, see):
    class View(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x.view_as(x)

    class Written(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.mark_dirty(x.mul_(2))
            return x
    ahead = t.autograd.forward_ad
    for function in View, Written:
        for jvp in (lambda ctx, g: g.view_as(g), lambda ctx, g: g * 1, lambda ctx, g: g.mul_(2), lambda ctx, g: g):
            function.jvp = staticmethod(jvp)
            with ahead.dual_level():
                x = ahead.make_dual(t.ones(2), t.full((2,), 3.0))
                see.raises(lambda f, x: ahead.unpack_dual(f.apply(x)).tangent, function, x)


@both
def test_contexts_of_custom_functions(t, see):
    class Double(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, what):
            ctx.save_for_backward(x)
            ctx.save_for_forward(x, what)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            see.warns(lambda: ctx.saved_variables)
            return g * 2, None
    x = t.ones(2, requires_grad=True)
    Double.apply(x, None).sum().backward()
    see.raises(Double.apply, x, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)
        see.raises(Double(), x)


@both
def test_a_node_lists_what_it_saved(t, see):
    """Drawers of graphs look for these names with ``dir``."""
    x = t.arange(6.0).reshape(2, 3).requires_grad_()
    for y in (x.exp(), x * x, x @ x.T, x.softmax(1), x.sum((0,)), x[0], x.clamp(0, 1), x.max(1)[0], t.cat([x, x])):
        names = [name for name in dir(y.grad_fn) if name.startswith("_saved_") and "_sym_" not in name]
        see(names, [getattr(y.grad_fn, name) for name in names])


@both
def test_writes_to_inference_tensors(t, see):
    with t.inference_mode():
        y = t.ones(2)
    x = t.ones(2)
    for write in (lambda: t.add(x, 1, out=y), lambda: t.zeros(2, out=y), lambda: t.cat([x[:1], x[1:]], out=y),
                  lambda: t.cumsum(x, 0, out=y), lambda: t.sort(x, out=(y, t.zeros(2).long())), lambda: y.resize_(3)):
        see.raises(write)
    with t.inference_mode():
        see(t.add(x, 1, out=t.ones_like(x)), y.resize_(4).shape)


@both
def test_what_switches_and_counters_are_given(t, see):
    for value in 1, None, "x", t.tensor(True):
        see.raises(t.set_grad_enabled, value)
        see(t.is_grad_enabled())
    for value in 3, [3], [t.ones(1), None]:
        see.raises(t.autograd.graph.increment_version, value)
    x = t.ones(2)
    t.autograd.graph.increment_version(tensor for tensor in (x, x))
    see(x._version)

    class Plain:
        def __init__(self):
            self.recorded = t.is_grad_enabled()
    see.warns(lambda: t.no_grad()(Plain)().recorded)
    see.raises(t.func.vmap(t.sin, in_dims=[0]), t.ones(2))
