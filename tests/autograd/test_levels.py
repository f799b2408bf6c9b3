"""Levels of ``func`` inside each other: views, writes and indices that are batched, and have tangents."""
import pytest

import leafward
from leafward.func import grad, hessian, jacfwd, jacrev, jvp, vmap
from tests.both import both

# What PyTorch's forward mode imports has deprecations of its own.
pytestmark = pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning")

VIEWS = {
    "view": lambda x: x.view(9),
    "transpose": lambda x: x.transpose(0, 1),
    "mH": lambda x: x.mH,
    "select": lambda x: x[1],
    "slices": lambda x: x[:2, 1:],
    "diagonal": lambda x: x.diagonal(),
    "unbind": lambda x: x.unbind(1)[2],
    "expand": lambda x: x[:, None].expand(3, 2, 3),
    "view of a view": lambda x: x.T[1:].reshape(6),
    "matrix_exp": leafward.linalg.matrix_exp,
}


@pytest.mark.parametrize("name", VIEWS)
def test_second_derivatives_through_views_in_a_batch(name):
    def f(x):
        return (VIEWS[name](x) ** 3).sum()
    batch = leafward.linspace(-1, 1, 18, dtype=leafward.float64).view(2, 3, 3)
    for second in hessian(f), jacfwd(grad(f)), lambda x: jvp(grad(f), (x,), (x * x,))[1]:
        leafward.testing.assert_close(vmap(second)(batch), leafward.stack([second(x) for x in batch]))


def changed(x, write):
    """``x * x`` after a ``write`` to it."""
    made = x * x
    write(made, x)
    return made


WRITES = {
    "part": lambda y, x: y[1:].mul_(x[0]),
    "assigned": lambda y, x: y.__setitem__(0, x[1] ** 3),
    "row and column": lambda y, x: (y[0].copy_(x.sin()[:, 0]), y[:, 1].add_(x[2] ** 2)),
    "view of a view": lambda y, x: y.t()[1:].diagonal().mul_(x[0, 0]),
    "places apart": lambda y, x: y[None].transpose(1, 0)[leafward.tensor([2, 0]), :, leafward.tensor([1, 1])].mul_(x[0, 0]),
    "places": lambda y, x: y.index_put_((leafward.tensor([2, 0]), leafward.tensor([1, 1])), x[0, :2] ** 3),
    "filled": lambda y, x: y[1].fill_(x[0, 0] ** 3),
    "zeros": lambda y, x: y[:, 0].zero_(),
    "masked": lambda y, x: y.masked_fill_(x > 0, 2.0),
    "a tangent of its own": lambda y, x: y.detach()[0].copy_(x[1]),
}
TRANSFORMS = {
    "grad": grad, "hessian": hessian,
    "jacfwd of grad": lambda f: jacfwd(grad(f)),
    "jacrev of jacrev": lambda f: jacrev(jacrev(f)),
    "jvp of grad": lambda f: lambda x: jvp(grad(f), (x,), (x.cos(),))[1],
    "grad of jvp": lambda f: grad(lambda x: jvp(f, (x,), (x.cos(),))[1]),
    "jvp": lambda f: lambda x: jvp(f, (x,), (x.cos(),))[1],
}


@pytest.mark.parametrize("transform", TRANSFORMS)
@pytest.mark.parametrize("name", WRITES)
def test_writes_in_a_batch(name, transform):
    derivative = TRANSFORMS[transform](lambda x: (changed(x, WRITES[name]) ** 2).sum())
    batch = leafward.linspace(-1, 1, 18, dtype=leafward.float64).view(2, 3, 3)
    leafward.testing.assert_close(vmap(derivative)(batch), leafward.stack([derivative(x) for x in batch]))


@both
def test_indices_that_are_batched(t, see):
    x, i, j = t.arange(24.0).reshape(2, 3, 4), t.tensor([0, 2]), t.tensor([1, -1])
    for look in (lambda a, i, j: a[i], lambda a, i, j: a[i, j], lambda a, i, j: a[..., j], lambda a, i, j: a[1, i],
                 lambda a, i, j: a[i, 1:], lambda a, i, j: a[None, i], lambda a, i, j: a[[0, 1], i]):
        see(t.func.vmap(look)(x, i, j))
        see(t.func.vmap(look, in_dims=(None, 0, None))(x[0], i, t.tensor(1)))

    def written(a, i, value):
        copy = a.clone()
        copy[i] = value
        return copy
    see(t.func.vmap(written)(x, i, t.tensor([7.0, 8.0])))


def test_the_gradient_of_one_number_of_each_example():
    def loss(a, i):
        return -a.log_softmax(0)[i]
    x, labels = leafward.arange(12.0).view(3, 4), leafward.tensor([3, 0, 1])
    leafward.testing.assert_close(vmap(grad(loss))(x, labels), x.softmax(1) - leafward.nn.functional.one_hot(labels, 4))


@both
def test_functions_that_look_at_values_or_shapes(t, see):
    x, mask = t.arange(6.0).reshape(2, 3), t.tensor([True, False, True])
    see(t.func.vmap(lambda a: t.masked_select(a, mask))(x))
    see(t.func.vmap(lambda a: t.masked_select(a, t.tensor([[True], [False]])))(x))
    see.raises(t.func.vmap(lambda m: t.masked_select(x[0], m)), x > 1)
    see(t.func.vmap(t.combinations)(x))
    see(t.func.vmap(lambda i: t.nn.functional.one_hot(i, 4))(t.tensor([[1, 3], [0, 0]])))
    see.raises(t.func.vmap(t.nn.functional.one_hot), t.tensor([1, 3]))
    for randomness in "same", "different":
        t.manual_seed(0)
        see(t.func.vmap(t.nn.functional.gumbel_softmax, randomness=randomness)(x))


@both
def test_numbers_are_not_read_off_a_batch(t, see):
    x = t.arange(6.0).reshape(2, 3)
    for read in (lambda a: t.tensor([a[0]]), lambda a: t.as_tensor([a[0], 1.0]), lambda a: a.new_tensor([a[0]]),
                 lambda a: t.scalar_tensor(a[0]), lambda a: t.FloatTensor([a[0]])):
        see.raises(t.func.vmap(read), x)


def test_a_copy_of_an_example_is_one_of_each():
    x = leafward.arange(6.0).view(2, 3)
    with pytest.warns(UserWarning, match="To copy construct from a tensor"):
        assert vmap(lambda a: leafward.tensor(a, dtype=leafward.float64))(x).tolist() == x.tolist()


@both
def test_names_that_a_module_does_not_know(t, see):
    class Sum(t.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer, self.plain, self.number = t.nn.Linear(2, 2), t.ones(2), 5
            t.nn.init.ones_(self.layer.weight)
            t.nn.init.ones_(self.layer.bias)

        def forward(self, x):
            return (self.layer(x) + self.plain + getattr(self, "extra", 0)).detach()
    module, value = Sum(), t.tensor([7.0, 7.0])
    for name in "extra", "plain", "number", "layer.extra", "other.extra", "layer.weight.x", "number.x", "", "forward":
        see.raises(t.func.functional_call, module, {name: value}, t.ones(2))
        see.raises(t.func.functional_call, module, {name: value}, t.ones(2), strict=True)
    see.raises(t.func.functional_call, module, {"layer.weight": "x"}, t.ones(2))
    see(hasattr(module, "extra"), module.plain, module.number, module(t.ones(2)))


INDICES = {
    "first": lambda i, j: (i,),
    "middle": lambda i, j: (slice(None), i),
    "last": lambda i, j: (..., i),
    "two": lambda i, j: (i, j),
    "two behind": lambda i, j: (slice(None), i, j),
    "apart": lambda i, j: (i, slice(None), j),
    "before a slice": lambda i, j: (slice(None), i, slice(1, None)),
    "a table": lambda i, j: (slice(None), i[:, None], j),
}


@pytest.mark.parametrize("in_dims", [(0, 0, 0), (0, 0, None), (0, None, 0), (0, None, None), (None, 0, 0), (None, None, 0)],
                         ids=str)
@pytest.mark.parametrize("name", INDICES)
def test_what_is_selected_stands_where_the_indices_stood(name, in_dims):
    """PyTorch refuses some of the writes, and puts others into another example."""
    def looked_up(x, i, j):
        return x[INDICES[name](i, j)].sin()

    def written(x, i, j):
        copy = x * 1
        copy[INDICES[name](i, j)] = x[INDICES[name](i, j)][..., :1] * 100
        return copy

    def gradient(x, i, j):
        return grad(lambda x: (looked_up(x, i, j) ** 3).sum() + (written(x, i, j) ** 2).sum())(x)
    batches = [leafward.arange(120, dtype=leafward.float64).view(2, 3, 4, 5), leafward.tensor([[2, 0], [1, 2]]),
               leafward.tensor([[0, 1], [2, 1]])]
    given = [x if d == 0 else x[0] for x, d in zip(batches, in_dims, strict=True)]
    for function in looked_up, written, gradient:
        if function is looked_up or in_dims[0] == 0:
            one_by_one = [function(*[x[k] if d == 0 else x for x, d in zip(given, in_dims, strict=True)]) for k in range(2)]
            leafward.testing.assert_close(vmap(function, in_dims)(*given), leafward.stack(one_by_one))


RESHAPED = {
    "t_": lambda y: y.t_(),
    "there and back": lambda y: y.unsqueeze_(0).squeeze_(0).transpose_(0, 1),
    "then written": lambda y: y.swapaxes_(0, 1).add_(1),
    "a part, before": lambda y: (y[0].mul_(3), y.t_()),
}


@pytest.mark.parametrize("name", RESHAPED)
def test_a_tensor_that_becomes_a_view_of_itself(name):
    def f(x):
        made = x * 1
        RESHAPED[name](made)
        return made.sin()
    batch = leafward.arange(12, dtype=leafward.float64).view(2, 2, 3)
    for derived in f, jacfwd(f), lambda x: jvp(f, (x,), (x.cos(),))[1]:
        leafward.testing.assert_close(vmap(derived)(batch), leafward.stack([derived(x) for x in batch]))
    leafward.testing.assert_close(jacfwd(f)(batch[0]), jacrev(f)(batch[0]))


@both
def test_tangents_of_a_tensor_that_becomes_another(t, see):
    ahead = t.autograd.forward_ad
    x = t.arange(6.0).reshape(2, 3)
    with ahead.dual_level():
        for change in (lambda y: y.t_(), lambda y: y.unsqueeze_(0), lambda y: y.detach_(), lambda y: y.resize_(2, 3),
                       lambda y: y.resize_(3)):
            y = ahead.make_dual(x, x * 2).clone()
            see.raises(change, y)
            see(ahead.unpack_dual(y).tangent)
        y = ahead.make_dual(x, x * 2).clone()
        part = y[0]
        y.t_()
        part.mul_(2)
        y[0].add_(ahead.make_dual(t.ones(2), t.ones(2)))
        see(y, ahead.unpack_dual(y).tangent)


@both
def test_hessians_leave_their_inputs_as_they_are(t, see):
    x, y = t.ones(2), t.ones(2)
    see(t.autograd.functional.hessian(lambda x, y: (x * x * y).sum(), (x, y), vectorize=True,
                                      outer_jacobian_strategy="forward-mode"))
    see(x.requires_grad, y.requires_grad)


@both
def test_inputs_of_a_differentiated_function_are_leaves(t, see):
    func, x = t.func, t.tensor([0.1, 0.2, 0.3])

    def unrecorded(a):
        with t.no_grad():
            a.mul_(2)
        return (a * a).sum()
    for derivative in (lambda a: func.grad(lambda a: a.mul_(2).sum())(a), lambda a: func.jacrev(lambda a: a.mul_(2))(a),
                       lambda a: func.grad(lambda a: a[0].mul_(2).sum())(a), lambda a: func.vjp(lambda a: a.mul_(2), a)[0],
                       lambda a: func.vmap(func.grad(lambda a: a.mul_(2).sum()))(a[None]), func.grad(unrecorded),
                       lambda a: func.grad(lambda a: (a * 1).mul_(2).sum())(a), lambda a: func.jacfwd(lambda a: a.mul_(2))(a)):
        given = x.clone()
        see.raises(derivative, given)
        see(given)


@both
def test_conjugates_of_a_tensor_that_becomes_a_view_of_itself(t, see):
    for write in (lambda y: y.t_().conj().mul_(1j), lambda y: (y.conj(), y.t_())[0].mul_(1j),
                  lambda y: (y.mH[0], y.t_())[0].mul_(1j), lambda y: (y[0], y.t_())[0].mul_(1j)):
        z = t.tensor([[1 + 2j, 3 - 1j], [0.5j, 2.0]], requires_grad=True)
        y = z * 1
        write(y)
        (y.abs() ** 2 * t.arange(4.0).view(2, 2)).sum().backward()
        see(y, z.grad)
