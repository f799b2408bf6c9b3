"""``autograd.forward_ad``: levels, dual tensors, writes, and derivatives of derivatives."""
import pytest

import leafward as lw
import leafward.autograd.forward_ad
import torch.autograd.forward_ad  # noqa: F401
from leafward.core.runtime import runtime
from tests.both import both

# PyTorch compiles its own rules with it when forward mode first runs.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")


def vector(t, **options):
    return t.tensor([1.0, 2.0], **options)


@both
def test_levels(t, see):
    fw = t.autograd.forward_ad
    x, v = vector(t), t.ones(2)
    see.raises(fw.make_dual, x, v)
    see.raises(fw.exit_dual_level)
    see(fw.unpack_dual(x))
    see.raises(fw.unpack_dual, 3)
    with fw.dual_level():
        see.raises(fw.enter_dual_level)
        see.raises(fw.exit_dual_level, level=3)
        dual = fw.make_dual(x, v)
        see(fw.unpack_dual(dual), fw.unpack_dual(dual)._fields, fw.unpack_dual(x), fw.unpack_dual(dual.detach()))
    see(fw.unpack_dual(dual), dual * 2)
    see(fw.enter_dual_level())
    see(fw.unpack_dual(dual))
    fw.exit_dual_level()


@both
def test_what_can_be_dual(t, see):
    fw = t.autograd.forward_ad
    x, v = vector(t), t.ones(2)
    with fw.dual_level():
        see.raises(fw.make_dual, x, t.ones(3))
        see.raises(fw.make_dual, x.long(), v)
        see.raises(fw.make_dual, x, v.long())
        see.raises(fw.make_dual, fw.make_dual(x, v), v)
        see.raises(fw.make_dual, x, fw.make_dual(x, v))
        see.raises(t.sin, x.clone(), out=fw.make_dual(x.clone(), v))
        see(repr(fw.make_dual(x, v)))
        see(fw.unpack_dual(fw.make_dual(x, v).argmax()), fw.unpack_dual(fw.make_dual(x, v) == 1))
        see(fw.unpack_dual(fw.make_dual(t.nn.Parameter(x), v) * 2).tangent)
        with t.no_grad():
            see(fw.unpack_dual(fw.make_dual(x, v) * 2))


@both
def test_views_and_writes(t, see):
    fw = t.autograd.forward_ad
    x, v = vector(t), t.tensor([1.0, -1.0])
    with fw.dual_level():
        y = fw.make_dual(x.clone(), v.clone())
        first = y[0]
        first.mul_(3)
        see(fw.unpack_dual(y), fw.unpack_dual(first))
        y = x.clone()
        first = y[0]
        first.mul_(fw.make_dual(x, v)[0] * 3)
        see(fw.unpack_dual(y), fw.unpack_dual(first), fw.unpack_dual(y[1]))
        y = x.clone()
        y[1:] = fw.make_dual(x, v)[:1] ** 3
        see(fw.unpack_dual(y))
        y = fw.make_dual(x.clone(), v.clone())
        y.copy_(fw.make_dual(x, 2 * v))
        see(fw.unpack_dual(y))
        y.fill_(2.0)
        see(fw.unpack_dual(y))
        y = fw.make_dual(x.clone(), v.clone())
        y.exp_().add_(y)
        see(fw.unpack_dual(y))
        a, b = fw.make_dual(t.ones(2, 2), t.eye(2)).unbind()
        see(fw.unpack_dual(a), fw.unpack_dual(b))
        y = t.zeros(3)
        y[t.tensor([0, 2])] = fw.make_dual(x, v)
        see(fw.unpack_dual(y))


@both
def test_forward_over_reverse_and_reverse_over_forward(t, see):
    fw = t.autograd.forward_ad
    x, v = vector(t, requires_grad=True), t.tensor([1.0, -1.0])
    for f in (lambda x: x**3, t.exp, lambda x: (x.sin() * x).cumsum(0), lambda x: t.tanh(x) / x.prod(),
              lambda x: (x * x).sigmoid(), lambda x: t.cat([x * x, x]).view(2, 2).prod(0)):
        with fw.dual_level():
            out = f(fw.make_dual(x, v))
            grad, = t.autograd.grad(out.sum(), x, retain_graph=True)
            see(fw.unpack_dual(grad), grad.requires_grad)
            grad, = t.autograd.grad(out.sum(), x, create_graph=True)
            see(fw.unpack_dual(grad), t.autograd.grad(fw.unpack_dual(grad).tangent.sum(), x, retain_graph=True))
            see(t.autograd.grad(fw.unpack_dual(out).tangent.sum(), x, retain_graph=True))
            out.sum().backward()
        see(x.grad)
        x.grad = None


@both
def test_derivatives_by_the_tangent(t, see):
    fw = t.autograd.forward_ad
    x, v = vector(t), t.tensor([1.0, -1.0], requires_grad=True)
    with fw.dual_level():
        tangent = fw.unpack_dual(fw.make_dual(x, v) ** 3).tangent
        see(t.autograd.grad(tangent.sum(), v))


@both
def test_custom_functions(t, see):
    fw = t.autograd.forward_ad
    x, v = vector(t, requires_grad=True), t.tensor([1.0, -1.0])

    class NoJvp(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, g):
            return g * 2

    class Product(t.autograd.Function):
        @staticmethod
        def forward(ctx, x, y, power):
            ctx.save_for_backward(x, y)
            ctx.save_for_forward(x, y)
            return x * y, y.sum()

        @staticmethod
        def backward(ctx, g, h):
            x, y = ctx.saved_tensors
            return g * y, g * x + h, None

        @staticmethod
        def jvp(ctx, dx, dy, dpower):
            x, y = ctx.saved_tensors
            return dx * y + x * dy, dy.sum()
    with fw.dual_level():
        dual = fw.make_dual(x, v)
        see.raises(NoJvp.apply, dual)
        a, b = Product.apply(dual, vector(t), 2)
        see(fw.unpack_dual(a), fw.unpack_dual(b))
        a, b = Product.apply(dual, dual, 2)
        see(fw.unpack_dual(a), fw.unpack_dual(b))
        grad, = t.autograd.grad(a.sum(), x)
        see(fw.unpack_dual(grad))


@both
def test_gradcheck_in_forward_mode(t, see):
    check = t.autograd.gradcheck
    x = t.tensor([0.5, -1.5], dtype=t.float64, requires_grad=True)
    z = t.tensor([1 + 1j, 2 - 0.5j], dtype=t.complex128, requires_grad=True)
    for function in t.exp, lambda x: (x.sin(), x * x), lambda x: x.outer(x) @ x, lambda x: x.abs():
        for point in x, z:
            for fast_mode in False, True:
                see(check(function, (point,), check_forward_ad=True, fast_mode=fast_mode))
    see(t.autograd.gradgradcheck(lambda x: (x**3).sum(), (x,), check_fwd_over_rev=True))

    class Wrong(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def jvp(ctx, v):
            return v * 3
    for point in x, z:
        with pytest.raises(RuntimeError) as caught:
            check(Wrong.apply, (point,), check_backward_ad=False, check_forward_ad=True)
        see(str(caught.value))


def test_the_switch_is_off_outside():
    assert runtime.special == 0
    with lw.autograd.forward_ad.dual_level():
        assert runtime.special == 1
    assert runtime.special == 0
