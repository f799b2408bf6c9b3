"""``torch.func``: values, structures, histories and refusals, as in PyTorch."""
import functools

import pytest

import leafward as lw
import leafward.func
import torch.func  # noqa: F401
from tests.both import both
from tests.oracle import torch as theirs


#: What PyTorch's own forward mode warns of.
pytestmark = [pytest.mark.filterwarnings("ignore:.torch.jit.script. is deprecated:DeprecationWarning"),
              pytest.mark.filterwarnings("ignore:(?s).*necessary buffer:UserWarning")]


def matrix(t, **options):
    return t.tensor([[0.0, 1.0], [2.0, 3.0], [4.0, 5.0]], **options)


def shown(value):
    """Values and which of them have a history."""
    if isinstance(value, (list, tuple)):
        return [shown(v) for v in value]
    if isinstance(value, dict):
        return {name: shown(v) for name, v in value.items()}
    return [value, value.requires_grad] if hasattr(value, "requires_grad") else value


def without_spec(error_text):
    """PyTorch breaks the lines of structures; only what stands before them is compared."""
    return error_text.split(" TreeSpec")[0].split(" in_dims has structure")[0]


# -- vmap -----------------------------------------------------------------------------------------------------------

CALLS = {
    "one": lambda t, v, x, y: v(t.sin)(x),
    "two": lambda t, v, x, y: v(t.dot)(x, x),
    "one of two": lambda t, v, x, y: v(t.dot, in_dims=(0, None))(x, y),
    "other dims": lambda t, v, x, y: v(t.dot, in_dims=(1, -1))(x, x),
    "too few dims": lambda t, v, x, y: v(t.dot, in_dims=(0,))(x, x),
    "a float for a dim": lambda t, v, x, y: v(t.dot, in_dims=0.5)(x, x),
    "a string for a dim": lambda t, v, x, y: v(t.dot, in_dims=(0, "a"))(x, x),
    "no dims": lambda t, v, x, y: v(t.dot, in_dims=(None, None))(x, x),
    "no such dim": lambda t, v, x, y: v(t.dot, in_dims=(0, 5))(x, x),
    "other sizes": lambda t, v, x, y: v(t.dot)(x, y),
    "no inputs": lambda t, v, x, y: v(t.sin)(),
    "a number": lambda t, v, x, y: v(t.sin)(3),
    "a number beside": lambda t, v, x, y: v(t.mul, (0, None))(x, 3),
    "out_dims": lambda t, v, x, y: v(lambda x: (x, x.sum()), out_dims=(1, 0))(x),
    "out_dims of one": lambda t, v, x, y: v(t.sin, out_dims=-1)(x),
    "too many out_dims": lambda t, v, x, y: v(t.sin, out_dims=(0, 1))(x),
    "out_dims None": lambda t, v, x, y: v(lambda x: y, out_dims=None)(x),
    "out_dims None of a batch": lambda t, v, x, y: v(t.sin, out_dims=None)(x),
    "a string for out_dims": lambda t, v, x, y: v(t.sin, out_dims="a")(x),
    "returns a number": lambda t, v, x, y: v(lambda x: 3)(x),
    "returns what it did not compute": lambda t, v, x, y: v(lambda x: y)(x),
    "returns containers": lambda t, v, x, y: v(lambda x: [x, {"a": x * 2}])(x),
    "takes containers": lambda t, v, x, y: v(lambda d: d["a"] + d["b"], in_dims=({"a": 0, "b": None},))({"a": x, "b": y}),
    "takes whole containers": lambda t, v, x, y: v(lambda d: d["a"] + d["b"][0])({"a": x, "b": (x,)}),
    "keywords": lambda t, v, x, y: v(lambda x, factor: x * factor)(x, factor=y),
    "item": lambda t, v, x, y: v(lambda x: x.sum().item())(x),
    "if": lambda t, v, x, y: v(lambda x: x if x.sum() > 0 else -x)(x),
    "float": lambda t, v, x, y: v(lambda x: float(x.sum()))(x),
    "numpy": lambda t, v, x, y: v(lambda x: x.numpy())(x),
    "nonzero": lambda t, v, x, y: v(lambda x: x.nonzero())(x),
    "masked_select": lambda t, v, x, y: v(lambda x: t.masked_select(x, x > 0))(x),
    "requires_grad_": lambda t, v, x, y: v(lambda x: x.requires_grad_())(x),
    "in place": lambda t, v, x, y: (v(lambda x: x.add_(1))(x), x),
    "in place, of a view": lambda t, v, x, y: (v(lambda x: x[0].mul_(7).exp())(x), x),
    "copy_ into what is not batched": lambda t, v, x, y: v(lambda x: t.zeros(2).copy_(x))(x),
    "copy_ into zeros_like": lambda t, v, x, y: v(lambda x: t.zeros_like(x).copy_(x))(x),
    "setitem": lambda t, v, x, y: v(lambda x: t.zeros_like(x).index_put_((t.tensor([0]),), x[1:]))(x),
    "new_zeros": lambda t, v, x, y: v(lambda x: x.new_zeros(2).copy_(x))(x),
    "chunks": lambda t, v, x, y: v(lambda x: (x.sin(), x.sum()), out_dims=(1, 0), chunk_size=2)(x),
    "no chunks": lambda t, v, x, y: v(t.sin, chunk_size=0)(x),
    "one chunk": lambda t, v, x, y: v(t.sin, chunk_size=7)(x),
    "nested": lambda t, v, x, y: v(v(t.mul, (0, None)), (None, 0))(x[0], x[1]),
    "nested, closed over": lambda t, v, x, y: v(lambda a: v(lambda b: a @ b)(x))(x),
    "nothing": lambda t, v, x, y: v(t.sin)(t.empty(0, 2)),
    "shape and dtype": lambda t, v, x, y: v(lambda x: x * x.shape[0] + x.ndim + (x.dtype is t.float32))(x),
    "repr": lambda t, v, x, y: v(lambda x: x * len(repr(x)))(x),
    "to another dtype": lambda t, v, x, y: v(lambda x: x.to(t.float64) + x.long() + x.double())(x),
    "0-dim promotion": lambda t, v, x, y: v(lambda s: t.ones(2, dtype=t.float16) * s)(x[:, 0]),
    "len, iteration, unpacking": lambda t, v, x, y: v(lambda x: sum(x) * len(x) + x.unbind()[0])(x),
    "bad randomness": lambda t, v, x, y: v(t.sin, randomness="some")(x),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_vmap(call):
    found = []
    for t in theirs, lw:
        try:
            found.append(shown(call(t, t.func.vmap, matrix(t), t.ones(2))))
        except Exception as error:  # noqa: BLE001  it is the observation
            found.append(("raised", type(error).__name__, without_spec(str(error))))
    expected, given = found
    if isinstance(expected, tuple):
        assert given == expected
    else:
        see_same(given, expected)


def see_same(given, expected):
    @both
    def scenario(t, see):
        see(given if t is lw else expected)
    scenario()


RANDOM = {
    "rand": lambda t, x: x * 0 + t.rand(2),
    "dropout": lambda t, x: t.nn.functional.dropout(x * 0 + 1, 0.5),
    "randint": lambda t, x: x * 0 + t.randint(0, 9, (2,)),
    "rand_like": lambda t, x: t.rand_like(x),
    "normal_": lambda t, x: x.clone().normal_(),
    "randperm": lambda t, x: x + t.randperm(2),
    "bernoulli": lambda t, x: t.bernoulli(x * 0 + 0.5),
}


@pytest.mark.parametrize("randomness", ("error", "same", "different"))
@pytest.mark.parametrize("function", RANDOM.values(), ids=RANDOM)
def test_random_numbers(function, randomness):
    @both
    def scenario(t, see):
        t.manual_seed(0)
        if randomness == "different" and function in (RANDOM["bernoulli"], RANDOM["dropout"], RANDOM["randperm"]):
            out = t.vmap(functools.partial(function, t), randomness=randomness)(t.ones(50, 2))   # other streams than PyTorch
            see(len({str(row) for row in out.tolist()}) > 1)
            return
        see.raises(lambda: t.vmap(functools.partial(function, t), randomness=randomness)(matrix(t)))
        see(t.rand(2))
    scenario()


@pytest.mark.parametrize("name", ("pow_", "sin_", "exp_", "mul_", "lgamma_"))
def test_a_write_in_a_batch_destroys_nothing_that_a_second_derivative_needs(name):
    @both
    def scenario(t, see):
        x = t.tensor([[0.5, 1.5, 2.5], [1.2, 0.2, 3.0]], dtype=t.float64, requires_grad=True)
        more = {"pow_": [3], "mul_": [t.tensor([2.0, 1.0, 0.5], dtype=t.float64)]}.get(name, [])

        def loss(row):
            return (getattr(row.clone(), name)(*more) ** 2).sum()
        first = t.vmap(t.func.grad(loss))(x)
        see(first, t.autograd.grad(first.sin().sum(), x))
    scenario()


@pytest.mark.parametrize("name", ("unique", "unique_consecutive"))
@pytest.mark.parametrize("dim", (None, 0))
@pytest.mark.filterwarnings("ignore:There is a performance drop")
def test_rows_that_differ_in_number_are_no_batch(name, dim):
    """Each example has its own; that those of one are not compared with those of another is the point."""
    x = lw.tensor([[[1., 1.], [0., 1.], [1., 2.]], [[1., 1.], [1., 1.], [1., 1.]]])
    with pytest.raises(RuntimeError, match="vmap: We do not support batching operators that can output dynamic shape"):
        lw.vmap(lambda row: getattr(lw, name)(row, dim=dim))(x)


def test_a_tensor_that_escapes_is_refused():
    kept = []
    lw.vmap(lambda x: kept.append(x) or x)(matrix(lw))
    with pytest.raises(RuntimeError, match="a vmap that has ended"):
        kept[0] + 1


@both
def test_custom_functions_under_vmap(t, see):
    def made(**more):
        class Square(t.autograd.Function):
            @staticmethod
            def forward(x):
                return x * x

            @staticmethod
            def setup_context(ctx, inputs, output):
                ctx.save_for_backward(*inputs)

            @staticmethod
            def backward(ctx, g):
                return 2 * ctx.saved_tensors[0] * g
        for name, value in more.items():
            setattr(Square, name, value)
        return Square.apply
    see.raises(t.vmap(made()), matrix(t))
    generated = made(generate_vmap_rule=True)
    see(t.vmap(generated)(matrix(t)), t.vmap(t.func.grad(lambda x: generated(x).sum()))(matrix(t)))
    written = made(vmap=staticmethod(lambda info, in_dims, x: (x * info.batch_size, in_dims[0])))
    see(t.vmap(written)(matrix(t)), t.vmap(written, 1)(matrix(t)))


# -- derivatives ------------------------------------------------------------------------------------------------------

DERIVATIVES = {
    "grad": lambda t, f, x, y, w: f.grad(lambda x: x.sin().sum())(x),
    "of several numbers": lambda t, f, x, y, w: f.grad(t.sin)(x),
    "of a tuple": lambda t, f, x, y, w: f.grad(lambda x: (x.sum(), x))(x),
    "aux": lambda t, f, x, y, w: f.grad(lambda x: (x.sum(), {"a": x * 2}), has_aux=True)(x),
    "no aux": lambda t, f, x, y, w: f.grad(lambda x: x.sum(), has_aux=True)(x),
    "of a number": lambda t, f, x, y, w: f.grad(lambda x: 3)(x),
    "by the second": lambda t, f, x, y, w: f.grad(lambda a, b: (a * b).sum(), argnums=1)(x, 2 * x),
    "by the last": lambda t, f, x, y, w: f.grad(lambda a, b: (a * b).sum(), argnums=-1)(x, 2 * x),
    "by both": lambda t, f, x, y, w: f.grad(lambda a, b: (a * b).sum(), argnums=(0, 1))(x, 2 * x),
    "by none such": lambda t, f, x, y, w: f.grad(lambda a: (a * 2).sum(), argnums=5)(x),
    "by one twice": lambda t, f, x, y, w: f.grad(lambda a, b: (a * b).sum(), argnums=(0, 0))(x, x),
    "by a string": lambda t, f, x, y, w: f.grad(lambda a: (a * 2).sum(), argnums="a")(x),
    "by a dict": lambda t, f, x, y, w: f.grad(lambda d: (d["a"] * d["b"][0]).sum())({"a": x, "b": [2 * x]}),
    "of a constant": lambda t, f, x, y, w: f.grad(lambda x: y.sum())(x),
    "by integers": lambda t, f, x, y, w: f.grad(lambda x: x.sum())(x.long()),
    "by a float": lambda t, f, x, y, w: f.grad(lambda x: x)(3.0),
    "of a complex number": lambda t, f, x, y, w: f.grad(lambda x: x.sum() * 1j)(x),
    "second": lambda t, f, x, y, w: f.grad(f.grad(lambda x: x**3))(x[1, 0]),
    "third": lambda t, f, x, y, w: f.grad(f.grad(f.grad(lambda x: x.sin() * x)))(x[1, 0]),
    "and value": lambda t, f, x, y, w: f.grad_and_value(lambda x: (x**2).sum())(x),
    "and value and aux": lambda t, f, x, y, w: f.grad_and_value(lambda x: ((x**2).sum(), x), has_aux=True)(x),
    "keywords": lambda t, f, x, y, w: f.grad(lambda x, power: (x**power).sum())(x, power=3),
    "in place inside": lambda t, f, x, y, w: f.grad(lambda x: x.clone().mul_(x).sum())(x),
    "with something else": lambda t, f, x, y, w: f.grad(lambda x: (x * w).sum())(y),
    "with itself outside": lambda t, f, x, y, w: f.grad(lambda x: (x * w**2).sum())(w),
    "with a history": lambda t, f, x, y, w: f.grad(lambda x: (x**2).sum())(w),
    "of its sum with a history": lambda t, f, x, y, w: t.autograd.grad(f.grad(lambda x: (x**3 * w).sum())(w).sum(), w),
    "no_grad inside": lambda t, f, x, y, w: f.grad(lambda x: t.no_grad()(t.sum)(x * x) * x.sum())(y),
    "autograd.grad inside": lambda t, f, x, y, w: f.grad(
        lambda x: t.autograd.grad((x**3).sum(), x, create_graph=True)[0].sum())(y),
    "per example": lambda t, f, x, y, w: f.vmap(f.grad(lambda x, w: (x * w).sum() ** 2), (0, None))(x, y),
    "of what is the same for all": lambda t, f, x, y, w: f.vmap(f.grad(lambda w, x: (x * w).sum() ** 2), (None, 0))(y, x),
    "around a vmap": lambda t, f, x, y, w: f.grad(lambda y: f.vmap(t.dot, (0, None))(x, y).sum())(y),
    "around and inside": lambda t, f, x, y, w: f.grad(
        lambda y: f.vmap(f.grad(lambda y, x: (x * y).sum() ** 3), (None, 0))(y, x).sum())(y),
    "vmap of views and writes": lambda t, f, x, y, w: f.vmap(f.grad(lambda x: write_into(t, x).prod()))(x + 1),
    "vjp": lambda t, f, x, y, w: f.vjp(t.sin, x[0])[1](y),
    "vjp of two": lambda t, f, x, y, w: f.vjp(lambda a, b: (a * b, {"c": a}), x, x)[1]((x, {"c": x})),
    "vjp of another shape": lambda t, f, x, y, w: f.vjp(t.sin, x)[1](y),
    "vjp of another structure": lambda t, f, x, y, w: f.vjp(lambda a: (a, a), x)[1](x),
    "vjp aux": lambda t, f, x, y, w: f.vjp(lambda a: (a * 2, a), x, has_aux=True)[::2],
    "vjp of a number": lambda t, f, x, y, w: f.vjp(lambda x: 3, x),
    "vjp twice": lambda t, f, x, y, w: [pull(v) for pull in [f.vjp(t.sin, y)[1]] for v in (y, 2 * y)],
    "jvp": lambda t, f, x, y, w: f.jvp(t.sin, (y,), (2 * y,)),
    "jvp not of a tuple": lambda t, f, x, y, w: f.jvp(t.sin, y, y),
    "jvp of another structure": lambda t, f, x, y, w: f.jvp(t.mul, (y, y), (y,)),
    "jvp of another shape": lambda t, f, x, y, w: f.jvp(t.sin, (y,), (x,)),
    "jvp of two": lambda t, f, x, y, w: f.jvp(lambda a, b: (a * b, {"b": b}), (y, y), (y, y * 2)),
    "jvp aux": lambda t, f, x, y, w: f.jvp(lambda a: (a * a, a), (y,), (y,), has_aux=True),
    "jvp of a constant": lambda t, f, x, y, w: f.jvp(lambda a: y, (y,), (y,)),
    "jvp of a constant, strict": lambda t, f, x, y, w: f.jvp(lambda a: y, (y,), (y,), strict=True),
    "jvp of jvp": lambda t, f, x, y, w: f.jvp(lambda x: f.jvp(lambda x: x**3, (x,), (y,))[1], (y,), (y,)),
    "jvp of grad": lambda t, f, x, y, w: f.jvp(f.grad(lambda x: (x**3).sum()), (y,), (x[1],)),
    "grad of jvp": lambda t, f, x, y, w: f.grad(lambda x: f.jvp(lambda x: (x**3).sum(), (x,), (y,))[1])(y),
    "vmap of jvp": lambda t, f, x, y, w: f.vmap(lambda v: f.jvp(t.sin, (y,), (v,)))(x),
    "jvp of vmap": lambda t, f, x, y, w: f.jvp(f.vmap(t.prod), (x,), (x,)),
    "linearize": lambda t, f, x, y, w: [push(2 * y) for push in [f.linearize(t.sin, y)[1]]],
    "jacrev": lambda t, f, x, y, w: f.jacrev(t.sin)(x),
    "jacfwd": lambda t, f, x, y, w: f.jacfwd(t.sin)(x),
    "jacrev of two by two": lambda t, f, x, y, w: f.jacrev(lambda a, b: (a * b, a.sum()), argnums=(0, 1))(y, 2 * y),
    "jacfwd of two by two": lambda t, f, x, y, w: f.jacfwd(lambda a, b: (a * b, a.sum()), argnums=(0, 1))(y, 2 * y),
    "jacrev of a dict": lambda t, f, x, y, w: f.jacrev(lambda a: {"s": a.sin(), "c": (a,)})(y),
    "jacrev by a dict": lambda t, f, x, y, w: f.jacrev(lambda d: d["a"] * d["b"])({"a": y, "b": y}),
    "jacfwd by a dict": lambda t, f, x, y, w: f.jacfwd(lambda d: d["a"] * d["b"])({"a": y, "b": y}),
    "jacrev aux": lambda t, f, x, y, w: f.jacrev(lambda a: (a * 2, a), has_aux=True)(y),
    "jacfwd aux": lambda t, f, x, y, w: f.jacfwd(lambda a: (a * 2, a), has_aux=True)(y),
    "jacrev of a number": lambda t, f, x, y, w: f.jacrev(lambda a: 3)(y),
    "jacfwd of a number": lambda t, f, x, y, w: f.jacfwd(lambda a: 3)(y),
    "jacrev in chunks": lambda t, f, x, y, w: f.jacrev(t.sin, chunk_size=1)(y),
    "jacrev by none such": lambda t, f, x, y, w: f.jacrev(t.sin, argnums=3)(y),
    "jacrev of a constant": lambda t, f, x, y, w: f.jacrev(lambda x: y)(x),
    "jacfwd of a constant": lambda t, f, x, y, w: f.jacfwd(lambda x: y)(x),
    "hessian": lambda t, f, x, y, w: f.hessian(lambda x: (x**3).sum() * x.sum())(y),
    "hessian by both": lambda t, f, x, y, w: f.hessian(lambda a, b: (a**2 * b).sum(), argnums=(0, 1))(y, 2 * y),
    "jacfwd of jacfwd": lambda t, f, x, y, w: f.jacfwd(f.jacfwd(lambda x: x**3))(y),
    "jacrev of jacfwd": lambda t, f, x, y, w: f.jacrev(f.jacfwd(lambda x: x**3))(y),
    "jacrev of jacrev": lambda t, f, x, y, w: f.jacrev(f.jacrev(lambda x: x**3))(y),
    "vmap of hessian": lambda t, f, x, y, w: f.vmap(f.hessian(lambda x: (x**3).sum() * x.sum()))(x),
    "vmap of jacrev of a network": lambda t, f, x, y, w: f.vmap(f.jacrev(lambda x: t.softmax(t.tanh(x @ x.outer(x)), 0)))(x),
}


def write_into(t, x):
    y = x * 1
    y[0] = x[1] ** 2
    y[1:].mul_(x[0])
    return y


@pytest.mark.parametrize("call", DERIVATIVES.values(), ids=DERIVATIVES)
def test_derivatives(call):
    found = []
    for t in theirs, lw:
        try:
            found.append(shown(call(t, t.func, matrix(t), t.tensor([1.0, 0.5]), t.tensor([1.0, 2.0], requires_grad=True))))
        except Exception as error:  # noqa: BLE001  it is the observation
            found.append(("raised", type(error).__name__, without_spec(str(error)).split(" cotangents:")[0]))
    expected, given = found
    if isinstance(expected, tuple):
        assert given == expected
    else:
        see_same(given, expected)


def test_nothing_is_recorded_under_no_grad():
    w = lw.tensor([1.0, 2.0], requires_grad=True)
    with lw.no_grad():
        assert not lw.func.grad(lambda x: (x * w).sum())(w).requires_grad


# -- modules ----------------------------------------------------------------------------------------------------------


@both
def test_functional_call(t, see):
    call = t.func.functional_call
    layer = t.nn.Sequential(t.nn.Linear(2, 2), t.nn.BatchNorm1d(2))
    parameters = {name: t.ones_like(p) for name, p in layer.named_parameters()}
    before = {name: p for name, p in layer.named_parameters()}
    see(call(layer, parameters, matrix(t)), call(layer.eval(), (parameters, {"1.running_mean": t.ones(2)}), (matrix(t),)))
    see(all(before[name] is p for name, p in layer.named_parameters()))
    see.raises(call, layer, {"2.weight": t.ones(2)}, matrix(t))
    see.raises(call, layer, {"0.weight": t.ones(2, 2)}, matrix(t), strict=True)
    see.raises(call, layer, (parameters, {"0.weight": t.ones(2, 2)}), matrix(t))
    tied = t.nn.Sequential(t.nn.Linear(2, 2, bias=False), t.nn.Linear(2, 2, bias=False))
    tied[1].weight = tied[0].weight
    see(call(tied, {"0.weight": t.eye(2)}, matrix(t)))
    see.raises(call, tied, {"0.weight": t.eye(2), "1.weight": t.ones(2, 2)}, matrix(t))


@both
def test_per_sample_gradients_and_ensembles(t, see):
    f = t.func
    model = t.nn.Sequential(t.nn.Conv2d(1, 2, 3), t.nn.ReLU(), t.nn.MaxPool2d(2), t.nn.Flatten(), t.nn.Linear(8, 3))
    parameters = {name: t.linspace(-1, 1, p.numel()).reshape(p.shape) for name, p in model.named_parameters()}
    images, targets = t.linspace(0, 1, 3 * 36).sin().reshape(3, 1, 6, 6), t.tensor([0, 2, 1])

    def loss(parameters, image, target):
        scores = f.functional_call(model, parameters, (image.unsqueeze(0),))
        return t.nn.functional.cross_entropy(scores, target.unsqueeze(0))
    see({name: g.round(decimals=4) for name, g in f.vmap(f.grad(loss), (None, 0, 0))(parameters, images, targets).items()})
    norm = t.nn.Sequential(t.nn.Linear(36, 4), t.nn.LayerNorm(4), t.nn.GELU(), t.nn.GroupNorm(2, 4))
    weights = {name: t.linspace(-1, 1, p.numel()).cos().reshape(p.shape) for name, p in norm.named_parameters()}

    def cubes(weights, x):
        return (f.functional_call(norm, weights, (x.reshape(1, -1),)) ** 3).sum()
    grads = f.vmap(f.grad(cubes), (None, 0))(weights, images)
    see({name: g.round(decimals=3) for name, g in grads.items()})
    models = [t.nn.Linear(2, 2) for _ in range(3)]
    for k, m in enumerate(models):
        t.nn.init.constant_(m.weight, k)
        t.nn.init.constant_(m.bias, 1)
    stacked, buffers = f.stack_module_state(models)
    see(shown(stacked), buffers)
    see(f.vmap(lambda p, x: f.functional_call(models[0], p, (x,)), (0, None))(stacked, matrix(t)))
    see.raises(f.stack_module_state, [])
    see.raises(f.stack_module_state, [t.nn.Linear(2, 2), t.nn.ReLU()])
    see.raises(f.stack_module_state, [t.nn.Linear(2, 2), t.nn.Linear(2, 2).eval()])
