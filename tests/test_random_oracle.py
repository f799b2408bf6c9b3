"""Random numbers against PyTorch: every sampler, dtype and size, alone and in sequence, value for value."""
import pytest
from hypothesis import given
from hypothesis import strategies as st

import leafward
from tests.both import both
from tests.oracle import assert_same, assert_same_outcome, Outcome, torch

FLOATS = ("float32", "float64", "float16", "bfloat16")
INTEGERS = ("int64", "int32", "int16", "int8", "uint8")
EVERY = (*FLOATS, *INTEGERS, "bool")
SIZES = (*range(18), 31, 32, 33, 100, 1000)


def filled(name, *args):
    return lambda t, n, dtype, g: getattr(t.empty(n, dtype=dtype), name)(*args, generator=g)


def weights(t, shape, dtype):
    return (t.arange(1, 1 + torch.Size(shape).numel()) % 7).to(dtype).reshape(shape) + 0.25


#: (draw, the dtypes it takes): ``draw(t, n, dtype, generator)``.
DRAWS = {
    "rand": (lambda t, n, dtype, g: t.rand(n, dtype=dtype, generator=g), (*FLOATS, "complex64", "complex128")),
    "uniform_ around 0": (filled("uniform_", -0.3, 0.3), FLOATS),
    "uniform_ off 0": (filled("uniform_", 2.5, 7.1), FLOATS),
    "uniform_ narrow": (filled("uniform_", 1000.1, 1000.3), FLOATS),
    "randn": (lambda t, n, dtype, g: t.randn(n, dtype=dtype, generator=g), (*FLOATS, "complex64", "complex128")),
    "normal_": (filled("normal_", 2, 3.5), FLOATS),
    "random_": (filled("random_"), EVERY),
    "random_ to": (filled("random_", 2), EVERY),
    "random_ from, to": (filled("random_", 3, 100), (*FLOATS, *INTEGERS)),
    "random_ from": (filled("random_", 1, None), (*FLOATS, *INTEGERS)),
    "random_ 64 bits": (filled("random_", -2**63, None), ("int64",)),
    "randint": (lambda t, n, dtype, g: t.randint(-5, 17, (n,), dtype=dtype, generator=g), (*FLOATS, *INTEGERS[:-1])),
    "randint of one word": (lambda t, n, dtype, g: t.randint(2**28 - 1, (n,), dtype=dtype, generator=g), INTEGERS[:2]),
    "randint of two words": (lambda t, n, dtype, g: t.randint(2**28, (n,), dtype=dtype, generator=g), INTEGERS[:2]),
    "randint, signs": (lambda t, n, dtype, g: t.randint(-2**63, 2**63 - 1, (n,), dtype=dtype, generator=g), ("int64",)),
    "randperm": (lambda t, n, dtype, g: t.randperm(min(n, 127), dtype=dtype, generator=g), (*FLOATS, *INTEGERS)),
    "bernoulli_": (filled("bernoulli_", 0.3), EVERY),
    "bernoulli_ never": (filled("bernoulli_", 0), EVERY),
    "bernoulli_ always": (filled("bernoulli_", 1), EVERY),
    "bernoulli_ each": (lambda t, n, dtype, g: t.empty(2, n, dtype=dtype).bernoulli_(t.full((n,), 0.3), generator=g),
                        EVERY),
    "bernoulli_ each, float64": (
        lambda t, n, dtype, g: t.empty(n, dtype=dtype).bernoulli_(t.full((n,), 0.3, dtype=t.float64), generator=g),
        EVERY),
    "bernoulli": (lambda t, n, dtype, g: t.bernoulli(t.full((n,), 0.3, dtype=dtype), generator=g), FLOATS),
    "exponential_": (filled("exponential_", 2.5), FLOATS),
    "geometric_": (filled("geometric_", 0.1), (*FLOATS, *INTEGERS)),
    "cauchy_": (filled("cauchy_", 0.3, 2.5), FLOATS),
    "log_normal_": (filled("log_normal_", 0.3, 1.5), FLOATS),
    "multinomial": (lambda t, n, dtype, g: t.multinomial(weights(t, (n + 1,), dtype), 1 + n // 2, generator=g),
                    ("float32", "float64")),
    "multinomial by rows": (lambda t, n, dtype, g: t.multinomial(weights(t, (3, n + 1), dtype), 1, generator=g),
                            FLOATS),
    "multinomial, replacement": (
        lambda t, n, dtype, g: t.multinomial(weights(t, (3, n + 1), dtype), n + 1, True, generator=g), FLOATS),
    "normal of means": (lambda t, n, dtype, g: t.normal(t.ones(n, dtype=dtype), 2.0, generator=g), FLOATS),
    "normal of both": (
        lambda t, n, dtype, g: t.normal(t.ones(n, dtype=dtype), t.full((n,), 2.0, dtype=dtype), generator=g), FLOATS),
}
CASES = [(name, dtype) for name, (_, dtypes) in DRAWS.items() for dtype in dtypes]

#: Sine and logarithm are not PyTorch's own; everything that is not made of normals agrees exactly.
NORMAL = {"float32": 5e-7, "complex64": 5e-7, "float64": 2e-15, "complex128": 2e-15, "float16": 1e-3, "bfloat16": 8e-3}


def compare(name, dtype, ours, theirs):
    tolerance = NORMAL[dtype] if "norm" in name or name == "randn" else 0
    assert_same(ours, theirs, rtol=tolerance, atol=tolerance, where=name)


def pair(seed):
    return leafward.Generator().manual_seed(seed), torch.Generator().manual_seed(seed)


def assert_same_state(ours, theirs):
    assert ours.get_state().numpy().tobytes() == theirs.get_state().numpy().tobytes()


@pytest.mark.parametrize("name, dtype", CASES, ids=lambda value: value)
def test_every_size_twice(name, dtype):
    draw = DRAWS[name][0]
    for n in SIZES:
        ours, theirs = pair(7 + n)
        for _ in range(2):
            compare(name, dtype, draw(leafward, n, getattr(leafward, dtype), ours),
                    draw(torch, n, getattr(torch, dtype), theirs))
        assert_same_state(ours, theirs)


@given(seed=st.integers(-2**63, 2**64 - 1),
       program=st.lists(st.tuples(st.sampled_from(CASES), st.sampled_from(SIZES)), max_size=8),
       handover=st.integers(0, 8))
def test_one_after_another(seed, program, handover):
    ours, theirs = pair(seed)
    assert ours.initial_seed() == theirs.initial_seed()
    for step, ((name, dtype), n) in enumerate(program):
        if step == handover:                                            # states cross, both ways
            given_away = ours.get_state()
            ours.set_state(leafward.from_numpy(theirs.get_state().numpy()))
            theirs.set_state(torch.from_numpy(given_away.numpy()))
        draw = DRAWS[name][0]
        compare(name, dtype, draw(leafward, n, getattr(leafward, dtype), ours),
                draw(torch, n, getattr(torch, dtype), theirs))
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("name", ["uniform_ around 0", "normal_", "random_ from, to", "bernoulli_", "exponential_",
                                  "geometric_", "log_normal_", "cauchy_"])
@pytest.mark.parametrize("view", [
    lambda t: t.empty(4, 9).t(), lambda t: t.empty(2, 3).t(), lambda t: t.empty(4, 9)[:, ::2],
    lambda t: t.empty(2, 3, 4, 5).permute(2, 0, 3, 1), lambda t: t.empty(4, 3, 5)[:, 1], lambda t: t.empty(40)[::2],
], ids=["transposed", "small", "strided", "permuted", "slice", "steps"])
def test_memory_order(name, view):
    """What is not contiguous is filled in the order of its memory, normals one by one."""
    method, args = {"uniform_ around 0": ("uniform_", (-0.3, 0.3)), "random_ from, to": ("random_", (3, 100)),
                    "geometric_": ("geometric_", (0.1,))}.get(name, (name, ()))
    ours, theirs = pair(3)
    compare(name, "float32", getattr(view(leafward), method)(*args, generator=ours),
            getattr(view(torch), method)(*args, generator=theirs))
    assert_same_state(ours, theirs)


@pytest.mark.parametrize("n", [70_000, 2**17 + 5])
@pytest.mark.parametrize("name, dtype", [
    ("rand", "float32"), ("randn", "float32"), ("bernoulli_", "float32"), ("uniform_ off 0", "float32"), ("randint", "float32"),
    ("uniform_ off 0", "float64"), ("bernoulli_", "float64"), ("random_", "float32"), ("random_ from, to", "float64"),
    ("cauchy_", "float64"), ("exponential_", "float64")])
def test_beyond_one_chunk(name, dtype, n):
    ours, theirs = pair(11)
    draw = DRAWS[name][0]
    compare(name, dtype, draw(leafward, n, getattr(leafward, dtype), ours), draw(torch, n, getattr(torch, dtype), theirs))
    assert_same_state(ours, theirs)


DROPOUTS = [
    ("dropout", (3, 4, 5)), ("dropout1d", (3, 4, 5)), ("dropout1d", (4, 5)), ("dropout2d", (2, 3, 4)),
    ("dropout2d", (2, 3, 4, 5)), ("dropout3d", (2, 3, 2, 2, 2)), ("dropout3d", (3, 2, 2, 2)), ("dropout3d", (3, 4)),
    ("alpha_dropout", (3, 4, 5)), ("feature_alpha_dropout", (3, 4, 5)),
]


@pytest.mark.parametrize("p", [0, 0.3, 0.5, 1])
@pytest.mark.parametrize("name, shape", DROPOUTS, ids=str)
@pytest.mark.filterwarnings("ignore:dropout[23]d")
def test_dropout(name, shape, p):
    seen = []
    for t in leafward, torch:
        t.manual_seed(5)
        x = t.linspace(-2, 2, torch.Size(shape).numel()).reshape(shape).requires_grad_()
        out = getattr(t.nn.functional, name)(x, p, training=True)
        gradient, = t.autograd.grad((out * out).sum(), x, create_graph=True)
        second, = t.autograd.grad(gradient.sum(), x)
        idle = getattr(t.nn.functional, name)(x, p, training=False)
        seen.append((out.detach(), gradient.detach(), second, t.get_rng_state(), out is x, idle is x))
    assert_same(*seen)


@both
def test_gradients_of_draws_are_zero(t, see):
    t.manual_seed(0)
    for draw in (lambda q: t.bernoulli(q), lambda q: t.normal(q, 1.0), lambda q: t.normal(0.0, q),
                 lambda q: t.normal(q, q),
                 lambda q: (q * 1).uniform_(), lambda q: (q * 1).bernoulli_(0.5), lambda q: t.ones(3).bernoulli_(q),
                 lambda q: (q * 1).random_(), lambda q: (q * 1).random_(5), lambda q: (q * 1).random_(1, 5),
                 lambda q: (q * 1).exponential_(), lambda q: (q * 1).cauchy_(), lambda q: (q * 1).geometric_(0.5),
                 lambda q: (q * 1).log_normal_(), lambda q: (q * 1).normal_()):
        q = t.tensor([0.2, 0.5, 0.8], requires_grad=True)
        out = draw(q)
        see(out.grad_fn)
        out.sum().backward()
        see(q.grad)
    q = t.rand(3, requires_grad=True)
    see(t.multinomial(q, 2).requires_grad)
    see.raises(q.uniform_)


@both
def test_refusals_of_samplers(t, see):
    x, i = t.empty(3), t.empty(3, dtype=t.int64)
    inf, nan = float("inf"), float("nan")
    for bounds in ((1, 0), (0, inf), (0, 1e39), (-3e38, 3e38), (nan, 1)):
        see.raises(x.uniform_, *bounds)
    see.raises(x.half().uniform_, -4e4, 4e4)
    for y in x, i:
        see.raises(y.normal_, 0, -1)
        see.raises(y.uniform_, 0, 0)
    see.raises(x.normal_, 0, nan)
    for p in (1.5, -0.1, nan):
        see.raises(x.bernoulli_, p)
    see.raises(t.bernoulli, t.tensor([1.5]))
    see.raises(t.bernoulli, t.tensor([nan]))
    see.raises(t.bernoulli, i)
    see.raises(x.bernoulli_, i)
    for rate in (0, -1, nan):
        see.raises(x.exponential_, rate)
    see.raises(i.exponential_)
    for p in (0, 1, 1.5):
        see.raises(x.geometric_, p)
    see.raises(x.bool().geometric_, 0.5)
    for name in ("cauchy_", "log_normal_"):
        see.raises(getattr(x, name), 0, 0)
        see.raises(getattr(x, name), 0, -1)
    see.raises(i.log_normal_)
    for bounds in ((5, 5), (6, 5), (0,), (-5,)):
        see.raises(x.random_, *bounds)
    for dtype, bounds in ((t.uint8, (300,)), (t.uint8, (-1, 3)), (t.int8, (-129, 3)), (t.bool, (3,)),
                          (t.float16, (0, 2**20))):
        see.raises(i.to(dtype).random_, *bounds)
    see.raises(t.zeros(1).expand(3).uniform_)
    for args in ((5, 5, (3,)), (0, (3,)), (2.5, (3,))):
        see.raises(t.randint, *args)
    for high, dtype in ((300, t.uint8), (3, t.bool), (2, t.complex64)):
        see.raises(t.randint, high, (3,), dtype=dtype)
    for n in (-1, 2.5):
        see.raises(t.randperm, n)
    for n, dtype in ((300, t.uint8), (3000, t.float16), (3, t.bool)):
        see.raises(t.randperm, n, dtype=dtype)
    for dtype in (t.int64, t.bool):
        see.raises(t.rand, 2, dtype=dtype)
        see.raises(t.randn, 2, dtype=dtype)


@both
def test_refusals_of_multinomial(t, see):
    zeros = t.zeros(3)
    for p in (zeros, t.tensor([0.0, -1, 0]), t.tensor([0.0, float("nan"), 0]), t.tensor([0.0, float("inf"), 0]),
              t.tensor([0, 1, 0]), t.ones(2, 2, 2), t.tensor(1.0), t.tensor([[0.0, 0, 1], [0, 0, 0]])):
        see.raises(t.multinomial, p, 1)
        see.raises(t.multinomial, p, 1, True)
    see.raises(t.multinomial, t.ones(3), 0)
    see.raises(t.multinomial, t.ones(3), 5)
    see.raises(t.multinomial, t.ones(2, 0), 1)


@both
def test_refusals_of_dropout(t, see):
    f = t.nn.functional
    x = t.ones(2, 3)
    for p in (-1, 1.5):
        for name in ("dropout", "dropout1d", "dropout2d", "dropout3d", "alpha_dropout", "feature_alpha_dropout"):
            see.raises(getattr(f, name), x, p)
    for name, shape in (("dropout2d", (2, 3, 4)), ("dropout2d", (2, 3)), ("dropout3d", (2, 3, 4)),
                        ("dropout2d", (1, 2, 3, 4, 5))):
        see.warns(lambda name, shape: getattr(f, name)(t.ones(shape), 0.0), name, shape)
    see.raises(f.dropout1d, t.ones(2, 3, 4, 5))
    see.raises(t.feature_dropout, t.ones(3), 0.5, True)
    see.raises(t.normal, t.zeros(3), -1.0)
    see.raises(t.normal, t.zeros(3), t.tensor([-1.0, 1, 1]))
    see.raises(t.normal, t.zeros(3), t.ones(2))
    see.raises(t.normal, 1.0, 2.0)


@both
def test_generators(t, see):
    g = t.Generator()
    for seed in (0, -3, 2**64 - 1, -2**63):
        see(g.manual_seed(seed).initial_seed())
        see(g.get_state())
        t.manual_seed(seed)
        see(t.initial_seed())
    for seed in (2**64, -2**63 - 1, 3.5, "a", True):
        see.raises(g.manual_seed, seed)
    t.manual_seed(3.7)
    see(t.initial_seed(), str(g.device), isinstance(g, t.Generator))
    see.raises(t.manual_seed, "a")
    see.raises(t.Generator, "xx")
    for state in (t.zeros(10, dtype=t.uint8), t.zeros(5056), 5, t.zeros(5056, dtype=t.uint8)):
        see.raises(g.set_state, state)


@pytest.mark.parametrize("expression", [
    "t.rand(3, out=t.empty(3, dtype=t.float64))", "t.randn(20, out=t.empty(20))", "t.randint(9, (4,), out=t.empty(4))",
    "t.randperm(5, out=t.empty(5))", "t.multinomial(t.ones(4), 2, out=t.empty(2, dtype=t.int64))",
    "t.bernoulli(t.ones(3) / 2, out=t.empty(3))", "t.normal(0.0, 1.0, (3,), out=t.empty(3))",
    "t.normal(t.zeros(3), 1.0, out=t.empty(3))",
])
def test_out(expression):
    outcomes = []
    for t in leafward, torch:
        t.manual_seed(4)
        outcomes.append(Outcome(eval, (expression, {"t": t})))
    assert_same_outcome(*outcomes, rtol=5e-7, atol=5e-7)


@pytest.mark.parametrize("dtype, bounds", [
    ("float32", (2**31,)), ("float32", (2**62,)), ("float32", (0, 2**31 + 1)), ("float32", (-2**31, 2**31)),
    ("float32", (2**30 + 1, 2**31 - 1)), ("float32", (0, 2**24 + 1)), ("float32", (2**20, None)), ("float32", (2**31, None)),
    ("float32", (-2**20 - 1, 2**25)), ("float16", (4001,)), ("float16", (-4001, 4096)), ("bfloat16", (4001,)),
    ("float64", (2**54 + 1,)), ("float16", (4096, None)),
])
@pytest.mark.filterwarnings("ignore:(to - 1|from) is out of bounds")
def test_whole_numbers_that_a_float_rounds(dtype, bounds):
    """Bounds that the dtype rounds move inwards, so that what is drawn stays between them."""
    outcomes = []
    for t in leafward, torch:
        t.manual_seed(0)
        outcomes.append(Outcome(lambda t=t: t.ones(40, dtype=getattr(t, dtype)).random_(*bounds)))
    assert_same_outcome(*outcomes)


#: Calls that leafward answers from memory once it has met their like; `i` changes what they draw, `x` is filled.
AGAIN = [
    "t.rand(4, 8)", "t.randn(3, 7)", "t.randn(20, dtype=t.float64)", "t.rand(5, dtype=t.float64)",
    "t.randint(10, (4, 8))", "t.randint(2**20, (700,))", "t.randint(-3, 5, (9,), dtype=t.float32)",
    "t.randint(5, 6, (4,))", "t.randn(40, dtype=t.complex64)", "t.randn_like(x)", "t.rand_like(x)",
    "t.randint_like(x, 3 + i)", "t.randperm(9)", "t.normal(0., 1. + i, (4, 8))", "t.normal(x, x)", "t.normal(x, 0.5)",
    "t.normal(2.0, x)", "t.bernoulli(x)", "x.bernoulli(0.3)", "x.clone().bernoulli_(x)", "x.normal_()",
    "x.normal_(float(i), 2.0)", "x.uniform_()", "x.uniform_(-1, i)", "x.exponential_()", "x.exponential_(1.0 + i)",
    "x.random_()", "x.t().normal_()", "x[:, ::2].uniform_()", "x.geometric_(0.3)", "x.log_normal_()", "x.cauchy_()",
    "x.bernoulli_(0.25)", "t.poisson(x * 30)", "t.poisson(t.zeros(3, 0))", "t.binomial(t.full((4, 8), 20. * i), x)",
    "t.binomial(t.full((3,), 5.), t.tensor(0.5).expand(3))", "t.multinomial(x, 3)", "t.multinomial(x, 9, True)",
    "t.multinomial(x.double()[0], 2, True)", "t._standard_gamma(x)", "t._sample_dirichlet(x)",
    "t._standard_gamma(x.double())", "t.nn.functional.dropout(x, 0.3)", "t.nn.functional.rrelu(x - 0.5, training=True)",
]


@pytest.mark.parametrize("expression", AGAIN)
def test_calls_like_one_before(expression):
    x = torch.rand(4, 8).clamp(0.01, 0.99)
    outcomes = []
    for t, values in (leafward, leafward.from_numpy(x.numpy().copy())), (torch, x.clone()):
        t.manual_seed(11)
        drawn, states = [], []
        for turn in range(9):
            start = values.clone()
            drawn.append(eval(expression, {"t": t, "x": start, "i": 1 if turn < 7 else 2}))
            states.append(start)
        outcomes.append([*drawn, *states, t.get_rng_state()])
    for ours, theirs in zip(*outcomes, strict=True):
        exact = not any(name in expression for name in ("norm", "randn", "gamma", "dirichlet", "rrelu"))
        assert_same(ours, theirs, rtol=0 if exact else 5e-7, atol=0 if exact else 5e-7, where=expression)


def test_another_generator_is_asked_where_it_is_named():
    """A call that is known draws from the default generator; one with a generator of its own does not."""
    for name, args in ("rand", (3,)), ("randn", (3,)), ("randint", (9, (3,))):
        draw = getattr(leafward, name)
        for _ in range(8):
            draw(*args)
        state = leafward.get_rng_state()
        first, second = (draw(*args, generator=leafward.Generator().manual_seed(4)) for _ in range(2))
        assert leafward.equal(first, second) and leafward.equal(leafward.get_rng_state(), state)
    x = leafward.zeros(4)
    for _ in range(8):
        x.normal_()
    x.normal_(generator=leafward.Generator().manual_seed(4))
    assert x._version == 9
    with pytest.raises(RuntimeError, match="leaf Variable"):
        x.requires_grad_().normal_()
