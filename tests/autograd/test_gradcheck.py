"""``gradcheck`` and ``gradgradcheck``: what they accept, what they catch, and how they say it, as in PyTorch."""
import functools
import random

import pytest

import leafward as lw
from leafward.autograd.gradcheck import GradcheckError
from tests.both import both


def double(t, values):
    return t.tensor(values, dtype=t.float64, requires_grad=True)


def wrong_square(t):
    """``x * x`` with the gradient ``3 * g``."""
    class Wrong(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * x

        @staticmethod
        def backward(ctx, g):
            return g * 3
    return Wrong.apply


def with_backward(t, backward):
    """The identity, with another derivative."""
    class Identity(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 1
    Identity.backward = staticmethod(backward)
    return Identity.apply


GOOD = {
    "exp": lambda t, x: x.exp(),
    "two outputs": lambda t, x: (x.sin(), x * x),
    "an output without gradient": lambda t, x: (x.sin(), x.detach()),
    "an integer output": lambda t, x: (x * 2, x.argmax()),
    "a complex output": lambda t, x: t.complex(x, x * x) * (1 + 2j),
    "nothing to differentiate": lambda t, x: t.ones(2),
    "empty": lambda t, x: x[:0],
    "a matrix product": lambda t, x: x.outer(x) @ x,
}


@pytest.mark.parametrize("fast_mode", (False, True))
@pytest.mark.parametrize("function", GOOD.values(), ids=GOOD)
def test_right_gradients_pass(function, fast_mode):
    @both
    def scenario(t, see):
        x = double(t, [0.5, -1.5])
        see(t.autograd.gradcheck(functools.partial(function, t), (x,), fast_mode=fast_mode))
    scenario()


@pytest.mark.parametrize("fast_mode", (False, True))
def test_complex_inputs_pass(fast_mode):
    @both
    def scenario(t, see):
        z = t.tensor([1 + 1j, 2 - 0.5j], dtype=t.complex128, requires_grad=True)
        for function in (t.exp, lambda z: z.real, lambda z: (z * z.conj()).real, lambda z: z.abs(), t.angle):
            see(t.autograd.gradcheck(function, (z,), fast_mode=fast_mode))
    scenario()


@both
def test_a_wrong_gradient_is_shown_in_full(t, see):
    with pytest.raises(RuntimeError) as caught:
        t.autograd.gradcheck(wrong_square(t), (double(t, [1.0, 2.0]),))
    see(str(caught.value))
    with pytest.raises(RuntimeError) as caught:
        t.autograd.gradcheck(wrong_square(t), (t.tensor([1 + 1j, 2], dtype=t.complex128, requires_grad=True),))
    see(str(caught.value))
    with pytest.raises(RuntimeError) as caught:
        t.autograd.gradcheck(wrong_square(t), (double(t, [1.0, 2.0]),), fast_mode=True)
    see(str(caught.value).split("quantities")[1].split("max per-element")[0])
    see(t.autograd.gradcheck(wrong_square(t), (double(t, [1.0, 2.0]),), raise_exception=False))
    see(t.autograd.gradcheck(wrong_square(t), (double(t, [1.5, 1.50001]),), atol=0.1))


@both
def test_a_gradient_off_by_a_thousandth_is_caught(t, see):
    twice = with_backward(t, lambda ctx, g: g * 1.0011)
    see.raises(t.autograd.gradcheck, twice, (double(t, [1.0]),))
    see(t.autograd.gradcheck(twice, (double(t, [1.0]),), rtol=1e-2))


@both
def test_promises_of_a_backward(t, see):
    x = double(t, [1.0, 2.0])
    see.raises(t.autograd.gradcheck, with_backward(t, lambda ctx, g: g + 1e-6), (x,))
    noisy = with_backward(t, lambda ctx, g: g * (1 + 1e-6 * random.random()))
    see.raises(t.autograd.gradcheck, noisy, (x,))
    see.raises(t.autograd.gradcheck, noisy, (x,), fast_mode=True)
    see(t.autograd.gradcheck(noisy, (x,), nondet_tol=1e-3))


@both
def test_undefined_gradients(t, see):
    def pair_with(when_one_is_missing):
        class Pair(t.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.set_materialize_grads(False)
                return x * 1, x * 2

            @staticmethod
            def backward(ctx, a, b):
                if a is None or b is None:
                    return when_one_is_missing(a, b)
                return a + 2 * b
        return Pair.apply
    x = double(t, [1.0, 2.0])
    see(t.autograd.gradcheck(pair_with(lambda a, b: a if b is None else 2 * b), (x,)))
    odd = pair_with(lambda a, b: None if a is None and b is None else a + 1e-6 if b is None else 2 * b)
    see.raises(t.autograd.gradcheck, odd, (x,))
    see(t.autograd.gradcheck(pair_with(lambda a, b: a if b is None else 2 * b), (x,), check_undefined_grad=False))


@both
def test_inputs_that_cannot_be_checked(t, see):
    x = double(t, [1.0, 2.0])
    check = t.autograd.gradcheck
    see.raises(check, t.exp, (x.detach(),))
    see.raises(check, t.exp, (x.expand(2, 2),))
    see.raises(check, t.exp, (x,), check_backward_ad=False)
    see.raises(check, t.exp, (x,), check_backward_ad=False, check_forward_ad=True, check_batched_grad=True)
    see.raises(check, t.exp, (x,), check_batched_forward_grad=True)
    see.raises(check, lambda x: x.detach() * 2, (x,))
    see.raises(check, lambda x: x if x[0] <= 1 else x[:1], (x,))
    see.warns(check, lambda x: x * 2, (t.ones(1, requires_grad=True),), atol=1.0)
    see.raises(t.autograd.gradgradcheck, t.exp, (x,), check_rev_over_rev=False)
    see.raises(t.autograd.gradgradcheck, t.exp, (x,), check_rev_over_rev=False, check_fwd_over_rev=True)


def test_parameters_reached_by_another_way_are_moved_too():
    layer = lw.nn.Linear(2, 1, dtype=lw.float64)
    x = double(lw, [1.0, 2.0])
    before, version = layer.weight.detach().clone(), layer.weight._version
    assert lw.autograd.gradcheck(lambda x, *_: layer(x), (x, *layer.parameters()))
    assert lw.equal(layer.weight, before)
    assert layer.weight._version == version


@both
def test_second_derivatives(t, see):
    x = double(t, [0.5, -1.5])
    for function in t.exp, lambda x: (x**3).sum(), lambda x: (x.sin(), x * x):
        see(t.autograd.gradgradcheck(function, (x,)), t.autograd.gradgradcheck(function, (x,), fast_mode=True),
            t.autograd.gradgradcheck(function, (x,), gen_non_contig_grad_outputs=True))
    see(t.autograd.gradgradcheck(t.exp, (x,), (t.ones(2, dtype=t.float64, requires_grad=True),)))

    class Constant(t.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**3

        @staticmethod
        def backward(ctx, g):
            return g * 3 * ctx.saved_tensors[0].detach() ** 2
    see.raises(t.autograd.gradgradcheck, Constant.apply, (x,))
    see(t.autograd.gradgradcheck(Constant.apply, (x,), raise_exception=False))


@both
def test_integer_outputs_may_jump(t, see):
    x = double(t, [1.0, 2.0])
    see(t.autograd.gradcheck(lambda x: x.long(), (x,)), t.autograd.gradcheck(lambda x: (x.sin(), x.argmax()), (x,)))


def test_an_empty_input_beside_others():
    x, nothing = (lw.rand(shape, dtype=lw.float64, requires_grad=True) for shape in ((3,), (0, 3)))
    assert lw.autograd.gradcheck(lambda x, y: (x * 2, y * 2), (x, nothing))


@both
def test_batched_gradients_of_what_is_no_leaf(t, see):
    x, y = double(t, [0.5, 1.5]) * 2, double(t, [1.0, 2.0])
    see(t.autograd.gradcheck(lambda x, y: (x.sin() * y, x * x), (x, y), check_batched_grad=True))
    see(t.autograd.gradcheck(t.sin, (x,), check_batched_grad=True, fast_mode=True))


@pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")       # PyTorch's own use of it
@both
def test_a_fast_check_leaves_the_random_numbers_alone(t, see):
    x, z = double(t, [0.5, 1.5]), t.tensor([1 + 2j], dtype=t.complex128, requires_grad=True)
    for options in ({}, {"check_forward_ad": True}):
        t.manual_seed(4)
        see(t.autograd.gradcheck(t.sin, (x,), fast_mode=True, **options),
            t.autograd.gradcheck(lambda z: z * z, (z,), fast_mode=True, **options), t.rand(2))


def test_the_error_is_a_runtime_error():
    assert issubclass(GradcheckError, RuntimeError)
    assert lw.autograd.gradcheck.GradcheckError is GradcheckError
