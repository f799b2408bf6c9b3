"""Transforms, constraints and the registries between them agree with PyTorch's."""
import copy
import pickle

import numpy as np
import pytest

import leafward
from tests.comparisons import compares
from tests.oracle import Outcome, assert_same, assert_same_outcome, torch

PAIR = leafward, torch

#: ``name, how to build it, the shape of x, whether x must be positive``.
TRANSFORMS = [
    ("exp", lambda D, t: D.ExpTransform(), (4,), False),
    ("power", lambda D, t: D.PowerTransform(t.tensor([2.0, -1.5], dtype=t.float64)), (3, 2), True),
    ("sigmoid", lambda D, t: D.SigmoidTransform(), (4,), False),
    ("softplus", lambda D, t: D.SoftplusTransform(), (4,), False),
    ("tanh", lambda D, t: D.TanhTransform(), (4,), False),
    ("abs", lambda D, t: D.AbsTransform(), (4,), True),
    ("affine", lambda D, t: D.AffineTransform(1.0, -2.0), (4,), False),
    ("affine of events", lambda D, t: D.AffineTransform(t.ones(3, dtype=t.float64), 2.0, event_dim=1), (2, 3), False),
    ("compose", lambda D, t: D.ComposeTransform([D.AffineTransform(0.5, 2.0), D.ExpTransform(), D.ExpTransform().inv]),
     (4,), False),
    ("compose of events", lambda D, t: D.ComposeTransform([D.ExpTransform(), D.SoftmaxTransform()]), (2, 3), False),
    ("nothing", lambda D, t: D.identity_transform, (4,), False),
    ("inverse", lambda D, t: D.ExpTransform().inv, (4,), True),
    ("independent", lambda D, t: D.IndependentTransform(D.ExpTransform(), 1), (2, 3), False),
    ("reshape", lambda D, t: D.ReshapeTransform((6,), (2, 3)), (4, 6), False),
    ("softmax", lambda D, t: D.SoftmaxTransform(), (2, 3), False),
    ("stick", lambda D, t: D.StickBreakingTransform(), (2, 3), False),
    ("correlation", lambda D, t: D.CorrCholeskyTransform(), (2, 6), False),
    ("cholesky", lambda D, t: D.LowerCholeskyTransform(), (2, 3, 3), False),
    ("positive definite", lambda D, t: D.PositiveDefiniteTransform(), (2, 3, 3), False),
    ("cat", lambda D, t: D.CatTransform([D.ExpTransform(), D.AffineTransform(0.0, 3.0)], dim=0, lengths=[2, 3]), (5,), False),
    ("stack", lambda D, t: D.StackTransform([D.ExpTransform(), D.SigmoidTransform()], dim=1), (3, 2), False),
    ("distribution", lambda D, t: D.CumulativeDistributionTransform(
        D.Normal(t.tensor(0.0, dtype=t.float64), t.tensor(2.0, dtype=t.float64))), (4,), False),
]
IDS = [name for name, *_ in TRANSFORMS]


def draw(t, shape, positive):
    values = np.random.default_rng(0).standard_normal(shape)
    return t.tensor((np.abs(values) + 0.1 if positive else values).tolist(), dtype=t.float64)


@pytest.mark.parametrize(("name", "build", "shape", "positive"), TRANSFORMS, ids=IDS)
@compares
def test_values_inverses_and_jacobians(name, build, shape, positive):
    def run(t, what):
        transform, x = build(t.distributions, t), draw(t, shape, positive).requires_grad_()
        return what(t, transform, x)

    def jacobian(t, f, x):
        found = f.log_abs_det_jacobian(x, f(x))
        return [found, t.autograd.grad(found.sum(), x, allow_unused=True)[0]]

    for what in (lambda t, f, x: f(x), lambda t, f, x: f.inv(f(x).detach()), lambda t, f, x: t.autograd.grad(f(x).sum(), x),
                 jacobian, lambda t, f, x: [f.bijective, repr(f), repr(f.domain), repr(f.codomain), repr(f.inv)],
                 lambda t, f, x: f.sign, lambda t, f, x: f.event_dim, lambda t, f, x: f.forward_shape(x.shape),
                 lambda t, f, x: f.inverse_shape(f(x).shape), lambda t, f, x: f.codomain.check(f(x)),
                 lambda t, f, x: f.forward_shape(t.Size(())), lambda t, f, x: f == build(t.distributions, t)):
        ours, theirs = (Outcome(run, (t, what)) for t in PAIR)
        if theirs.error is None and isinstance(theirs.value, list) and theirs.value[-1] is None:
            ours.value, theirs.value = ours.get()[:1], theirs.value[:1]
        assert_same_outcome(ours, theirs)


def has_a_square_jacobian(name, build, shape, positive):
    transform, x = build(torch.distributions, torch), draw(torch, shape, positive)
    return name != "correlation" and Outcome(transform.log_abs_det_jacobian, (x, transform(x))).error is None


SQUARE = [row for row in TRANSFORMS if has_a_square_jacobian(*row)]


@pytest.mark.parametrize(("name", "build", "shape", "positive"), SQUARE, ids=[name for name, *_ in SQUARE])
def test_jacobian_is_the_slope(name, build, shape, positive):
    """``log_abs_det_jacobian`` of one event against the determinant of derivatives, where it is square."""
    transform, x = build(leafward.distributions, leafward), draw(leafward, shape, positive)
    event = x.reshape((-1, *x.shape[x.dim() - transform.domain.event_dim:]))[0] if name not in (
        "power", "cat", "stack") else x
    y = transform(event)
    if y.numel() == event.numel() + 1:
        y = y[:-1]
    inputs = event.clone().requires_grad_()
    outputs = transform(inputs).flatten()[:y.numel()]
    rows = [leafward.autograd.grad(out, inputs, retain_graph=True)[0].flatten() for out in outputs]
    expected = leafward.linalg.slogdet(leafward.stack(rows)).logabsdet
    given = transform.log_abs_det_jacobian(event, transform(event)).sum()
    assert leafward.allclose(given, expected, rtol=1e-6)


@pytest.mark.parametrize("t", PAIR)
def test_a_cache_keeps_the_last_pair(t):
    transform = t.distributions.TanhTransform(cache_size=1)
    x = t.tensor([0.5, 40.0])
    y = transform(x)
    assert transform(x) is y
    assert transform.inv(y) is x
    assert t.distributions.TanhTransform().with_cache()._cache_size == 1
    assert transform.with_cache(1) is transform
    with pytest.raises(ValueError, match="cache_size must be 0 or 1"):
        t.distributions.ExpTransform(cache_size=2)


@pytest.mark.parametrize("t", PAIR)
def test_inverses_and_copies(t):
    D = t.distributions
    exp = D.ExpTransform()
    assert exp.inv.inv is exp
    assert exp.inv is exp.inv
    composed = D.ComposeTransform([exp, D.AffineTransform(0, 2)])
    assert composed.inv.inv is composed
    x = t.tensor([0.5, 1.5])
    for copied in copy.deepcopy(composed), pickle.loads(pickle.dumps(composed)):
        assert t.allclose(copied.inv(copied(x)), x)


CONSTRAINTS = [
    lambda c, t: c.boolean, lambda c, t: c.one_hot, lambda c, t: c.nonnegative_integer, lambda c, t: c.positive_integer,
    lambda c, t: c.integer_interval(-1, 2), lambda c, t: c.real, lambda c, t: c.real_vector, lambda c, t: c.positive,
    lambda c, t: c.nonnegative, lambda c, t: c.greater_than(0.5), lambda c, t: c.greater_than_eq(0.5),
    lambda c, t: c.less_than(0.5), lambda c, t: c.multinomial(3), lambda c, t: c.unit_interval,
    lambda c, t: c.interval(-1.0, 2.0), lambda c, t: c.half_open_interval(-1.0, 2.0), lambda c, t: c.simplex,
    lambda c, t: c.lower_triangular, lambda c, t: c.lower_cholesky, lambda c, t: c.corr_cholesky, lambda c, t: c.square,
    lambda c, t: c.symmetric, lambda c, t: c.positive_semidefinite, lambda c, t: c.positive_definite,
    lambda c, t: c.independent(c.positive, 1), lambda c, t: c.cat([c.real, c.positive], 0, [1, 2]),
    lambda c, t: c.stack([c.real, c.positive, c.unit_interval], -1), lambda c, t: c.MixtureSameFamilyConstraint(c.positive),
    lambda c, t: c.dependent,
]
VALUES = [[0.0, 1.0, 0.0], [1.0, 2.0, -1.0], [0.2, 0.3, 0.5], [0.5, float("nan"), 1.0],
          [[1.0, 0.0, 0.0], [0.6, 0.8, 0.0], [0.0, 0.6, 0.8]], [[2.0, 0.5, 0.1], [0.5, 1.5, -0.3], [0.1, -0.3, 1.0]],
          [[1.0, 2.0, 0.0], [2.0, 1.0, 0.0], [0.0, 0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0], [1.0, 1.0]]]


@pytest.mark.parametrize("number", range(len(CONSTRAINTS)))
def test_constraints(number):
    found = [CONSTRAINTS[number](t.distributions.constraints, t) for t in PAIR]
    assert repr(found[0]) == repr(found[1])
    for attribute in "is_discrete", "event_dim":
        assert_same_outcome(*(Outcome(getattr, (constraint, attribute)) for constraint in found))
    for values in VALUES:
        outcomes = [Outcome(constraint.check, (t.tensor(values),)) for constraint, t in zip(found, PAIR, strict=True)]
        assert_same_outcome(*outcomes)
    for registry in "biject_to", "transform_to":
        outcomes = [Outcome(lambda t, c: transformed(getattr(t.distributions, registry)(c), t), (t, constraint))  # noqa: B023
                    for constraint, t in zip(found, PAIR, strict=True)]
        assert_same_outcome(*outcomes)
        if outcomes[1].error is not None:
            assert str(outcomes[0].error) == str(outcomes[1].error)


def transformed(transform, t):
    """Its repr, and what it makes of ten numbers."""
    x = t.linspace(-1, 1, 3)
    if transform.domain.event_dim == 2:
        x = t.linspace(-1, 1, 9).reshape(3, 3)
    return [repr(transform), transform(x)]


def test_every_public_name():
    for module in "constraints", "transforms", "utils", "constraint_registry", "kl":
        theirs = getattr(torch.distributions, module)
        ours = __import__(f"leafward.distributions.{module}", fromlist=["_"])
        assert sorted(set(getattr(theirs, "__all__", ())) - set(dir(ours))) == []


# --- distributions of distributions ----------------------------------------------------------------------------------

def mixture(t, validate=None):
    D = t.distributions
    weights = D.Categorical(t.tensor([[0.2, 0.3, 0.5], [0.1, 0.1, 0.8]]))
    return D.MixtureSameFamily(weights, D.Normal(t.tensor([[-1.0, 0.0, 2.0], [0.0, 1.0, 3.0]]), t.tensor([0.5, 1.0, 0.3])),
                               validate_args=validate)


def mixture_of_vectors(t):
    D = t.distributions
    return D.MixtureSameFamily(D.Categorical(t.tensor([0.4, 0.6])),
                               D.Independent(D.Normal(t.tensor([[0.0, 1.0], [2.0, 3.0]]), t.ones(2, 2)), 1))


def transformed_normal(t):
    D = t.distributions
    return D.TransformedDistribution(D.Normal(t.tensor([0.0, 1.0]), t.tensor([1.0, 2.0])),
                                     [D.AffineTransform(1.0, -2.0), D.SigmoidTransform()])


def transformed_to_simplex(t):
    D = t.distributions
    return D.TransformedDistribution(D.Normal(t.zeros(2, 3), t.ones(3)), D.StickBreakingTransform())


def independent_normal(t):
    D = t.distributions
    return D.Independent(D.Normal(t.zeros(2, 3), t.ones(3)), 1)


@pytest.mark.parametrize("build", [mixture, mixture_of_vectors, transformed_normal, transformed_to_simplex,
                                   independent_normal], ids=lambda f: f.__name__)
@compares
def test_distributions_made_of_others(build):
    torch.manual_seed(0)
    value = build(torch).sample((4,)).numpy()

    def run(t, what):
        t.manual_seed(3)
        return what(t, build(t))
    for what in (lambda t, d: d.mean, lambda t, d: d.variance, lambda t, d: d.sample((3,)),
                 lambda t, d: d.log_prob(t.from_numpy(value)), lambda t, d: d.cdf(t.from_numpy(value)),
                 lambda t, d: d.icdf(t.tensor(0.3)), lambda t, d: d.entropy(), lambda t, d: repr(d),
                 lambda t, d: [d.batch_shape, d.event_shape, d.has_rsample, repr(d.support)],
                 lambda t, d: d.expand((2, *d.batch_shape)).log_prob(t.from_numpy(value[:1])),
                 lambda t, d: d.expand((2, *d.batch_shape)).sample((3,)), lambda t, d: d.rsample(),
                 lambda t, d: d.enumerate_support(), lambda t, d: d.mode):
        assert_same_outcome(*(Outcome(run, (t, what)) for t in PAIR), rtol=2e-5, atol=1e-5)


@pytest.mark.parametrize("t", PAIR)
def test_refusals(t):
    D = t.distributions
    normal = D.Normal(t.zeros(3), t.ones(3))
    with pytest.raises(ValueError, match=r"Expected reinterpreted_batch_ndims <= len\(base_distribution.batch_shape\)"):
        D.Independent(normal, 2)
    with pytest.raises(ValueError, match="transforms must be a Transform or a list of Transforms"):
        D.TransformedDistribution(normal, [1])
    with pytest.raises(ValueError, match="does not equal"):
        D.MixtureSameFamily(D.Categorical(t.ones(2)), normal)
    with pytest.raises(ValueError, match="Either `probs` or `logits` must be specified, but not both"):
        D.Bernoulli()
    with pytest.raises(ValueError, match="Exactly one of covariance_matrix or precision_matrix or scale_tril"):
        D.MultivariateNormal(t.zeros(2))
    with pytest.raises(NotImplementedError, match="inhomogeneous total_count is not supported"):
        D.Multinomial(t.ones(2), t.ones(2))

    class Mine(D.Normal):
        def __init__(self):
            super().__init__(0.0, 1.0)
    with pytest.raises(NotImplementedError, match="Subclass Mine of Normal that defines a custom __init__ method must"):
        Mine().expand((2,))


@pytest.mark.parametrize("t", PAIR)
def test_a_users_own_distribution(t):
    """The usual way to write one: __init__, expand, and what it has."""
    D = t.distributions

    class Shifted(D.Distribution):
        arg_constraints = {"shift": D.constraints.real}
        support = D.constraints.real

        def __init__(self, shift, validate_args=None):
            self.shift = shift
            super().__init__(shift.shape, validate_args=validate_args)

        def expand(self, batch_shape, _instance=None):
            new = self._get_checked_instance(Shifted, _instance)
            batch_shape = t.Size(batch_shape)
            new.shift = self.shift.expand(batch_shape)
            super(Shifted, new).__init__(batch_shape, validate_args=False)
            new._validate_args = self._validate_args
            return new

        def rsample(self, sample_shape=()):
            return self.shift + t.rand(self._extended_shape(sample_shape))

    d = Shifted(t.tensor([1.0, 2.0], requires_grad=True)).expand((3, 2))
    assert d.sample((4,)).shape == (4, 3, 2)
    assert not d.sample().requires_grad and d.rsample().requires_grad
    assert repr(d) == "Shifted(shift: torch.Size([3, 2]))"
    with pytest.raises(NotImplementedError):
        d.log_prob(t.ones(2))
    with pytest.raises(ValueError, match="Expected parameter shift"):
        Shifted(t.tensor([float("nan")]))


def test_a_policy_gradient_step():
    """REINFORCE on both sides: the same actions, the same gradient."""
    grads = []
    for t in PAIR:
        t.manual_seed(1)
        logits = t.zeros(5, 3, requires_grad=True)
        policy = t.distributions.Categorical(logits=logits)
        action = policy.sample()
        (-policy.log_prob(action) * t.arange(5.0) - 0.01 * policy.entropy()).sum().backward()
        grads.append([action, logits.grad])
    assert_same(*grads)


def test_an_elbo_step():
    grads = []
    for t in PAIR:
        t.manual_seed(1)
        loc, log_scale = t.zeros(4, requires_grad=True), t.zeros(4, requires_grad=True)
        D = t.distributions
        q = D.Independent(D.Normal(loc, log_scale.exp()), 1)
        z = q.rsample((3,))
        prior = D.Independent(D.Normal(t.zeros(4), 2 * t.ones(4)), 1)
        (D.kl_divergence(q, prior) + (z - 1).pow(2).mean()).backward()
        grads.append([loc.grad, log_scale.grad])
    assert_same(*grads, rtol=1e-5)
