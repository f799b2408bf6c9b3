"""``autograd.Function``: what its context keeps and promises, seen beside PyTorch."""
import pytest

import leafward
from tests.both import both
from tests.oracle import torch


def define(t):
    """The custom functions of these tests, for the namespace ``t``."""
    class Exp(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            out = x.exp()
            ctx.save_for_backward(out)
            return out

        @staticmethod
        def backward(ctx, g):
            (out,) = ctx.saved_tensors
            return g * out

    class Scale(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, factor, label=None):
            ctx.factor = factor
            return x * factor

        @staticmethod
        def backward(ctx, g):
            return g * ctx.factor, None, None

    class TwoOutputs(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y):
            ctx.save_for_backward(x, y)
            order = (x > y).to(t.int64)
            ctx.mark_non_differentiable(order)
            return x * y, x + y, order

        @staticmethod
        def backward(ctx, product, total, order):
            x, y = ctx.saved_tensors
            TwoOutputs.seen = [product, total, order, ctx.needs_input_grad]
            return product * y + total, product * x + total

    class AddOne(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            x.add_(1)
            ctx.mark_dirty(x)
            return x

        @staticmethod
        def backward(ctx, g):
            return g

    class Separate(t.autograd.Function):
        @staticmethod
        def forward(x, k):
            return x * k

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.k = inputs[1]

        @staticmethod
        def backward(ctx, g):
            return g * ctx.k, None

    class Once(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x * x

        @staticmethod
        @t.autograd.function.once_differentiable
        def backward(ctx, g):
            (x,) = ctx.saved_tensors
            return 2 * g * x

    class Lazy(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.set_materialize_grads(False)
            return x * 2, x * 3

        @staticmethod
        def backward(ctx, first, second):
            Lazy.seen = [first is None, second is None]
            return 3 * second if first is None else 2 * first

    class Wrong(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, what):
            ctx.what = what
            return x * 1

        @staticmethod
        def backward(ctx, g):
            return {"too many": (g, None, g), "too few": g, "shape": (g.new_ones(5), None), "kind": ("text", None),
                    "for a plain value": (g, g)}[ctx.what]

    found = locals()
    return type("Functions", (), {name: value for name, value in found.items() if name != "t"})


FUNCTIONS = {torch: define(torch), leafward: define(leafward)}


@both
def test_saved_tensors_and_grad_fn(t, see):
    f = FUNCTIONS[t]
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = f.Exp.apply(x)
    see(y, y.grad_fn.name(), type(y.grad_fn).__name__, y.requires_grad, y.is_leaf)
    y.sum().backward()
    see(x.grad)
    see.raises(y.sum().backward)
    see(f.Exp.apply(x.detach()).requires_grad)
    with t.no_grad():
        see(f.Exp.apply(x).requires_grad)


@both
def test_double_backward_through_saved_output(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = FUNCTIONS[t].Exp.apply(x * 2)
    (first,) = t.autograd.grad(y.sum(), x, create_graph=True)
    (second,) = t.autograd.grad(first.sum(), x)
    see(first, second)


@both
def test_overwritten_saved_output(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = FUNCTIONS[t].Exp.apply(x)
    y.detach().zero_()
    see.raises(y.sum().backward)


@both
def test_plain_arguments(t, see):
    f = FUNCTIONS[t]
    x = t.tensor([1.0, 2.0], requires_grad=True)
    f.Scale.apply(x, 3, "label").sum().backward()
    see(x.grad)
    f.Separate.apply(x, 4).sum().backward()
    see(x.grad)


@both
def test_several_outputs(t, see):
    f = FUNCTIONS[t]
    x, y = t.tensor([1.0, 5.0], requires_grad=True), t.tensor([3.0, 4.0])
    product, total, order = f.TwoOutputs.apply(x, y)
    see(product, total, order, order.requires_grad, total.grad_fn is product.grad_fn, total.output_nr)
    total.sum().backward(retain_graph=True)
    see(f.TwoOutputs.seen, x.grad)
    (product * 2).sum().backward()
    see(x.grad)


@both
def test_mark_dirty(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    h = x * 2
    out = FUNCTIONS[t].AddOne.apply(h)
    see(out is h, h, h._version, h.grad_fn)
    (h * h).sum().backward()
    see(x.grad)
    see.raises(FUNCTIONS[t].AddOne.apply, x)


@both
def test_once_differentiable(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = FUNCTIONS[t].Once.apply(x)
    (first,) = t.autograd.grad(y.sum(), x, create_graph=True)
    see(first)
    see.raises(lambda: first.sum().backward())


@both
def test_gradients_that_did_not_arrive(t, see):
    f = FUNCTIONS[t]
    x = t.tensor([1.0, 2.0], requires_grad=True)
    first, second = f.Lazy.apply(x)
    second.sum().backward()
    see(f.Lazy.seen, x.grad)


@pytest.mark.parametrize("what", ["too many", "too few", "shape", "kind", "for a plain value"])
def test_wrong_backward(what):
    @both
    def scenario(t, see):
        x = t.tensor([1.0, 2.0], requires_grad=True)
        y = FUNCTIONS[t].Wrong.apply(x, what)
        see.raises(y.sum().backward)
        see(x.grad)

    scenario()


@both
def test_hooks_on_its_node(t, see):
    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = FUNCTIONS[t].Exp.apply(x)
    y.grad_fn.register_hook(lambda inputs, outputs: (inputs[0] * 10,))
    y.grad_fn.register_prehook(lambda outputs: (outputs[0] + 1,))
    y.sum().backward()
    see(x.grad)


@both
def test_used_wrongly(t, see):
    f = FUNCTIONS[t]
    see.raises(lambda: f.Exp.apply(t.ones(2, requires_grad=True), 1))

    class NoBackward(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

    see.raises(lambda: NoBackward.apply(t.ones(2, requires_grad=True)).sum().backward())


@both
def test_any_attribute_can_be_set_on_ctx(t, see):
    names = ("shape", "dtype", "values", "targets", "numbers", "site", "metas", "hooks", "notes", "sequence", "plan",
             "inner", "chain", "strides", "function", "dirty", "free", "grad", "x")

    class Keeper(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            for name in names:
                setattr(ctx, name, f"my {name}")
            ctx.save_for_backward(x)
            return x * 2

        @staticmethod
        def backward(ctx, g):
            see([getattr(ctx, name) for name in names], ctx.saved_tensors[0])
            return g * 2

    x = t.tensor([1.0, 2.0], requires_grad=True)
    y = Keeper.apply(x)
    y.sum().backward()
    see(x.grad, y.grad_fn.shape)
    see.raises(y.sum().backward)


@both
def test_views_that_a_function_returns(t, see):
    def function(forward):
        return type("Made", (t.autograd.Function,), {"forward": staticmethod(forward),
                                                     "backward": staticmethod(lambda ctx, *g: g[0].reshape(2, 3))})

    x = t.ones(2, 3, requires_grad=True)
    for make in (lambda ctx, a: a.view(-1), lambda ctx, a: a, lambda ctx, a: a.detach(),
                 lambda ctx, a: (a.view(-1), a.view(6))):
        for source in x, x * 2, t.ones(2, 3):
            made = function(make).apply(source)
            made = made[0] if isinstance(made, tuple) else made
            see(made is source, made._is_view(), made._base is source, made.grad_fn, made._version, made.is_leaf)
            see.raises(made.mul_, 2)
            see.raises(made.mul_, x.reshape(made.shape))


@both
def test_writes_that_a_function_declares(t, see):
    def forward(ctx, a):
        a.mul_(2)
        ctx.mark_dirty(a)
        return a

    def two(ctx, a):
        return forward(ctx, a), a * 2

    double, both_ways = (type("Double", (t.autograd.Function,), {
        "forward": staticmethod(f), "backward": staticmethod(lambda ctx, *g: g[0] * 2)}) for f in (forward, two))
    x = t.ones(2, 3, requires_grad=True)
    h = x * 2
    row = h[0]
    see(double.apply(row) is row, h, h._version, h.grad_fn)
    h.sum().backward()
    see(x.grad)
    see.raises(double.apply, x)
    see.raises(double.apply, x[0])
    see.raises(both_ways.apply, (x * 2)[0])
    see(x, x._version)


def function(t, forward, backward=lambda ctx, g: g * 2):
    """The Function of ``t`` with these two methods."""
    return type("Made", (t.autograd.Function,), {"forward": staticmethod(forward), "backward": staticmethod(backward)})


@both
def test_inputs_that_are_returned_without_a_record(t, see):
    def dirty(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2)

    def without_gradient(ctx, a):
        ctx.mark_non_differentiable(a)
        return a

    def neither(ctx, a):
        ctx.mark_dirty(a)
        return without_gradient(ctx, a)

    for forward in lambda ctx, a: a, dirty, without_gradient, neither:
        for record in True, False:
            for source in t.ones(3, requires_grad=True), t.ones(3, requires_grad=True) * 1, t.ones(3):
                if record and source.is_leaf and source.requires_grad and forward in (dirty, neither):
                    continue
                with t.set_grad_enabled(record):
                    made = function(t, forward).apply(source)
                see(made is source, made.requires_grad, made._is_view(), made.grad_fn, made.is_leaf, made, source.requires_grad)
                see.raises(made.add_, 1)


@both
def test_retained_gradients_follow_a_declared_write(t, see):
    def forward(ctx, a):
        ctx.mark_dirty(a)
        return a.mul_(2)

    h = t.ones(3, requires_grad=True) * 1
    h.retain_grad()
    function(t, forward).apply(h)
    (h * 5).sum().backward()
    see(h.grad)


@both
def test_a_call_without_a_record_saves_nothing(t, see):
    def forward(ctx, a):
        ctx.save_for_backward(a)
        return a * 2

    with t.inference_mode():
        made = t.ones(2)
    see(function(t, forward).apply(made))


@both
def test_saved_tensors_after_backward(t, see):
    for forward in lambda ctx, a: a * 2, lambda ctx, a: (ctx.save_for_backward(a), a * 2)[1]:
        y = function(t, forward).apply(t.ones(2, requires_grad=True))
        see(len(y.grad_fn.saved_tensors), len(y.grad_fn._raw_saved_tensors))
        y.sum().backward()
        see.raises(lambda y=y: y.grad_fn.saved_tensors)
        see.raises(lambda y=y: y.grad_fn._raw_saved_tensors)
        see(repr(y.grad_fn).partition(" at ")[0])


@both
def test_a_real_input_has_no_complex_gradient(t, see):
    complex_of = function(t, lambda ctx, a: a * 2, lambda ctx, g: g.to(t.complex64))
    for source in t.ones(2, requires_grad=True), t.ones(2, dtype=t.complex64, requires_grad=True):
        see.raises((complex_of.apply(source) * 1).abs().sum().backward)
        see.raises((complex_of.apply(source * 1) * 1).abs().sum().backward)
        see(source.grad)


@pytest.mark.parametrize(("mark", "sentence"), [
    ("mark_dirty", "mark_dirty can only accept variables, but argument 0 is of type int"),
    ("mark_non_differentiable", "mark_non_differentiable only accepts variable arguments, but got int")])
def test_only_tensors_are_marked(mark, sentence):
    def forward(ctx, a):
        getattr(ctx, mark)(3)
        return a * 2

    with pytest.raises(RuntimeError, match=sentence):
        function(leafward, forward).apply(leafward.ones(2, requires_grad=True))
