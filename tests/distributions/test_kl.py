"""Every registered divergence agrees with PyTorch's, in value and gradient; the nearest formula is found."""
import pytest

import leafward
from tests.distributions.table import CASES, build
from tests.oracle import Outcome, assert_same, assert_same_outcome, torch

PAIR = leafward, torch
PAIRS = sorted((p.__name__, q.__name__) for p, q in torch.distributions.kl._KL_REGISTRY)
#: Of the families in the registry that have no parameters of their own, one that stands for them.
STANDS_FOR = {"ExponentialFamily": ["Chi2"], "TransformedDistribution": ["LogNormal"], "Independent": []}


def parameters_of(name):
    """The cases of a family that broadcast with any other: the first element of each parameter, and some more."""
    cases = [parameters for family, parameters in CASES if family == name]
    if name == "Uniform":
        return [{"low": 0.2, "high": 0.7}, {"low": -1.0, "high": 1.5}, {"low": 0.0, "high": 1.0}]
    if name == "Binomial":
        return [{"total_count": 5.0, "probs": 0.3}, {"total_count": 5.0, "probs": 0.8}]
    if name == "Pareto":
        return [{"scale": 1.0, "alpha": 0.5}, {"scale": 2.0, "alpha": 1.5}, {"scale": 0.1, "alpha": 4.0}]
    if name in ("MultivariateNormal", "LowRankMultivariateNormal"):
        return [p for p in cases if len(p["loc"]) == 3]
    if name in ("Categorical", "OneHotCategorical"):
        return [{"probs": [0.1, 0.2, 0.7]}, {"probs": [0.0, 0.5, 0.5]}, {"logits": [0.3, -1.0, 2.0]}]
    if name == "Dirichlet":
        return [{"concentration": [0.5, 2.0, 3.0]}, {"concentration": [1.0, 1.5, 0.1]}]
    if name == "Bernoulli":
        return [{"probs": 0.3}, {"probs": 1.0}, {"probs": 0.0}, {"logits": 2.0}]
    return [{key: (value[0] if isinstance(value, list) and not isinstance(value[0], list) else value)
             for key, value in p.items()} for p in cases] + [
        {key: (value[-1] if isinstance(value, list) and not isinstance(value[-1], list) else value)
         for key, value in p.items()} for p in cases]


def distributions_of(name):
    return [(family, p) for family in STANDS_FOR.get(name, [name]) for p in parameters_of(family)]


@pytest.mark.parametrize(("p", "q"), PAIRS, ids=lambda name: name)
def test_divergence(p, q):
    compared = 0
    for first in distributions_of(p):
        for second in distributions_of(q):
            def diverge(t):
                a, tensors = build(t, *first, requires_grad=True)  # noqa: B023  called at once
                b, others = build(t, *second, requires_grad=True)  # noqa: B023
                kl = t.distributions.kl_divergence(a, b)
                return [kl, *(t.autograd.grad(kl.sum(), [*tensors, *others], allow_unused=True)
                              if kl.requires_grad and kl.isfinite().all() else ())]
            ours, theirs = Outcome(diverge, (leafward,)), Outcome(diverge, (torch,))
            compared += 1
            if theirs.error is not None:
                assert_same_outcome(ours, theirs)
                continue
            for mine, expected in zip(ours.get(), theirs.value, strict=True):
                if expected is None or not expected.isfinite().all():
                    continue
                assert mine is not None or not expected.any()
                if mine is not None:
                    assert_same(mine, expected, rtol=1e-6, atol=1e-7, where=f"{first} {second}")
            assert_same(ours.value[0], theirs.value[0], rtol=1e-6, atol=1e-8)
    assert compared or p == "Independent"


def test_the_same_pairs_are_registered():
    ours = {(p.__name__, q.__name__) for p, q in leafward.distributions.kl._KL_REGISTRY}
    assert ours == set(PAIRS)


@pytest.mark.parametrize("t", PAIR)
def test_independent(t):
    D = t.distributions
    p = D.Independent(D.Normal(t.zeros(2, 3), t.ones(3)), 1)
    q = D.Independent(D.Normal(t.ones(3), t.full((2, 3), 2.0)), 1)
    found = D.kl_divergence(p, q)
    assert found.shape == (2,)
    assert t.allclose(found, D.kl_divergence(p.base_dist, q.base_dist).sum(-1))
    with pytest.raises(NotImplementedError):
        D.kl_divergence(p, D.Independent(q.base_dist, 2))


@pytest.mark.parametrize("t", PAIR)
def test_the_nearest_pair_is_found(t):
    D = t.distributions

    class Mine(D.Normal):
        pass

    registered = dict(D.kl._KL_REGISTRY)
    p, q = Mine(0.0, 1.0), Mine(1.0, 1.0)
    assert D.kl_divergence(p, q) == 0.5
    try:
        D.register_kl(Mine, D.Normal)(lambda p, q: "mine, normal")
        assert D.kl_divergence(p, q) == "mine, normal"
        D.register_kl(D.Normal, Mine)(lambda p, q: "normal, mine")
        with pytest.warns(RuntimeWarning, match=r"Ambiguous kl_divergence\(Mine, Mine\). Please register_kl\(Mine, Mine\)"):
            assert D.kl_divergence(p, q) == "mine, normal"
        D.register_kl(Mine, Mine)(lambda p, q: "mine, mine")
        assert D.kl_divergence(p, q) == "mine, mine"
    finally:
        D.kl._KL_REGISTRY.clear()
        D.kl._KL_REGISTRY.update(registered)
        D.kl._KL_MEMOIZE.clear()


@pytest.mark.parametrize("t", PAIR)
def test_refusals(t):
    D = t.distributions
    with pytest.raises(NotImplementedError, match=r"No KL\(p \|\| q\) is implemented for p type Cauchy and q type Normal"):
        D.kl_divergence(D.Cauchy(0.0, 1.0), D.Normal(0.0, 1.0))
    with pytest.raises(NotImplementedError, match="The cross KL-divergence between different exponential families cannot"):
        D.kl_divergence(D.Bernoulli(0.5), D.Normal(0.0, 1.0))
    with pytest.raises(ValueError, match=r"KL-divergence between two Multivariate Normals with\s+different event shapes"):
        D.kl_divergence(D.MultivariateNormal(t.zeros(2), t.eye(2)), D.MultivariateNormal(t.zeros(3), t.eye(3)))
    with pytest.raises(NotImplementedError, match="KL between Binomials where q.total_count > p.total_count"):
        D.kl_divergence(D.Binomial(t.tensor(2.0), probs=t.tensor(0.5)), D.Binomial(t.tensor(3.0), probs=t.tensor(0.5)))


def test_only_distributions_are_registered():
    for types in ("Normal", leafward.distributions.Normal), (leafward.distributions.Normal, 3):
        with pytest.raises(TypeError, match="to be a Distribution subclass but got"):
            leafward.distributions.register_kl(*types)
