"""Custom functions under every transform and pair of transforms, in PyTorch's words where one is refused."""
from importlib import import_module

import pytest

import leafward
from tests.both import both


pytestmark = pytest.mark.filterwarnings("ignore")           # PyTorch's forward mode imports what it has deprecated


def func(t):
    return import_module(t.__name__ + ".func")


def cube(t, **attributes):
    """``x ** 3`` with a backward and a jvp of its own."""
    class Cube(t.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x):
            return x ** 3

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, = inputs
            ctx.save_for_backward(x)
            ctx.save_for_forward(x)

        @staticmethod
        def backward(ctx, g):
            x, = ctx.saved_tensors
            return g * 3 * x ** 2

        @staticmethod
        def jvp(ctx, tangent):
            x, = ctx.saved_tensors
            return 3 * x ** 2 * tangent
    return type("Cube", (Cube,), attributes)


def cube_with_vmap(t, seen):
    made = cube(t, generate_vmap_rule=False)

    def vmap(info, in_dims, x):
        seen.append((info.batch_size, info.randomness, list(in_dims)))
        return made.apply(x), in_dims[0]
    made.vmap = staticmethod(vmap)
    return made


TRANSFORMS = {
    "grad": lambda F, f, v: F.grad(lambda x: (f(x) * x).sum()),
    "jvp": lambda F, f, v: lambda x: F.jvp(f, (x,), (v,)),
    "vjp": lambda F, f, v: lambda x: F.vjp(f, x)[1](v),
    "hessian": lambda F, f, v: F.hessian(lambda x: (f(x) * x).sum()),
    "jacrev jacrev": lambda F, f, v: F.jacrev(F.jacrev(f)),
    "jvp grad": lambda F, f, v: lambda x: F.jvp(F.grad(lambda x: (f(x) * x).sum()), (x,), (v,)),
    "grad jvp": lambda F, f, v: F.grad(lambda x: F.jvp(lambda x: (f(x) * x).sum(), (x,), (v,))[1]),
}
POINT = [1.0, 2.0]


@pytest.mark.parametrize("has_vmap", (False, True))
@pytest.mark.parametrize("name", TRANSFORMS)
def test_alone_and_inside_vmap(name, has_vmap):
    @both
    def scenario(t, see):
        F, v = func(t), t.tensor([1.0, -1.0], dtype=t.float64)
        f = (cube_with_vmap(t, []) if has_vmap else cube(t)).apply
        transformed = TRANSFORMS[name](F, f, v)
        xs = t.tensor([POINT, [3.0, 4.0]], dtype=t.float64)
        see(transformed(xs[0]), F.vmap(transformed)(xs), F.vmap(transformed, 1)(xs))
    scenario()


@pytest.mark.parametrize("has_vmap", (False, True))
def test_around_vmap(has_vmap):
    @both
    def scenario(t, see):
        F = func(t)
        f = (cube_with_vmap(t, []) if has_vmap else cube(t)).apply
        xs = t.tensor([POINT, [3.0, 4.0]], dtype=t.float64)
        see(F.jacrev(F.vmap(f))(xs), F.jacfwd(F.vmap(f))(xs), F.jvp(F.vmap(f, 1), (xs,), (xs,)))
        see(F.vmap(F.vmap(f))(xs), F.jacrev(F.vmap(F.vmap(f)))(xs))
        see(F.grad(lambda x: F.vmap(F.grad(lambda y: f(y).sum()))(x).sum())(xs))
        x = xs.clone().requires_grad_()
        F.vmap(f)(x).sum().backward()
        see(x.grad)
        first, = t.autograd.grad(F.vmap(f)(x).sum(), x, create_graph=True)
        see(t.autograd.grad(first.sum(), x))
    scenario()


@both
def test_what_vmap_is_told(t, see):
    seen = []
    f = cube_with_vmap(t, seen).apply
    F, xs = func(t), t.tensor([POINT, [3.0, 4.0]])
    F.vmap(f, 1, randomness="same")(xs)
    F.vmap(F.grad(lambda x: f(x).sum()))(xs)
    see(seen)


def two_outputs(t, generate):
    class Both(t.autograd.Function):
        generate_vmap_rule = generate

        @staticmethod
        def forward(x, y, k):
            return x * y * k, x + y, (x > y).sum()

        @staticmethod
        def setup_context(ctx, inputs, output):
            x, y, ctx.k = inputs
            ctx.mark_non_differentiable(output[2])
            ctx.save_for_backward(x, y, output[0])
            ctx.save_for_forward(x, y)
            ctx.set_materialize_grads(False)

        @staticmethod
        def backward(ctx, a, b, _):
            x, y, product = ctx.saved_tensors
            a, b = (0 * x if g is None else g for g in (a, b))
            return a * y * ctx.k + b, a * product / y + b, None

        @staticmethod
        def jvp(ctx, dx, dy, _):
            x, y = ctx.saved_for_forward if not hasattr(ctx, "saved_tensors") else ctx.saved_tensors
            dx, dy = (0 * x if d is None else d for d in (dx, dy))
            return (dx * y + x * dy) * ctx.k, dx + dy, None

    def vmap(info, in_dims, x, y, k):
        x, y = (v.movedim(d, 0) if d is not None else v for v, d in zip((x, y), in_dims))
        product, total, count = x * y * k, x + y, (x > y).sum(-1)
        return (product, total, count), (0, 0, 0)
    if not generate:
        Both.vmap = staticmethod(vmap)
    return Both.apply


@both
def test_several_outputs_and_inputs_that_are_not_batched(t, see):
    F = func(t)
    f = two_outputs(t, True)
    xs, y = t.tensor([POINT, [3.0, 4.0]], dtype=t.float64), t.tensor([2.0, 5.0], dtype=t.float64)
    for dims in (0, None, None), (None, 0, None), (0, 0, None), (1, None, None):
        given = [xs if d is not None else y for d in dims[:2]]
        see(F.vmap(f, dims)(*given, 3.0))
        if dims != (None, 0, None):                         # PyTorch fails at None for an input that is asked for
            see(F.vmap(F.grad(lambda x, y: f(x, y, 3.0)[0].sum(), (0, 1)), dims[:2])(*given))
            see(F.vmap(F.grad(lambda x, y: f(x, y, 3.0)[1].sum(), (0, 1)), dims[:2])(*given))


@pytest.mark.parametrize("dims", [(0, 0, None), (0, None, None), (None, 0, None), (1, None, None)])
def test_gradients_outside_of_what_is_not_batched(dims):
    """Of one input for all examples the gradients add up."""
    f = two_outputs(leafward, True)
    x = leafward.tensor([POINT, [3.0, 4.0]], requires_grad=True)
    y = leafward.tensor([2.0, 5.0], requires_grad=True)
    given = [x, x + y] if None not in dims[:2] else [x if d is not None else y for d in dims[:2]]
    rows = leafward.stack([f(*[v if d is None else v.select(d, k) for v, d in zip(given, dims)], 3.0)[0] for k in range(2)])
    expected = leafward.autograd.grad((rows ** 2).sum(), (x, y))
    found = leafward.autograd.grad((leafward.vmap(f, dims)(*given, 3.0)[0] ** 2).sum(), (x, y))
    assert all(leafward.allclose(a, b) for a, b in zip(found, expected))


@both
def test_refusals(t, see):
    F, x, v = func(t), t.tensor([POINT]), t.tensor([[1.0, 1.0]])
    plain = cube(t)
    for wrong in (
            cube(t, vmap=staticmethod(lambda info, in_dims, x: (x, 0))), cube(t, generate_vmap_rule=False),
            cube(t, setup_context=t.autograd.Function.setup_context, forward=staticmethod(lambda ctx, x: x * 1))):
        see.raises(F.vmap(wrong.apply), x)
    for jvp in (lambda ctx, d: (d, d), lambda ctx, d: d[:, :1], t.autograd.Function.jvp):
        plain.jvp = staticmethod(jvp)
        see.raises(F.jvp, plain.apply, (x,), (v,))
    odd = cube(t, generate_vmap_rule=False, vmap=staticmethod(lambda info, in_dims, x: x))
    with pytest.raises(RuntimeError, match="Expected the vmap staticmethod to have two returns"):
        F.vmap(odd.apply)(x)
