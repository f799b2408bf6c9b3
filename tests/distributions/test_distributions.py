"""Every distribution agrees with PyTorch's: samples from one seed, log-probabilities, moments, and their gradients."""
import numpy as np
import pytest

import leafward
from tests.comparisons import compared, compares
from tests.distributions.table import CASES, build, name_of
from tests.oracle import Outcome, assert_same, assert_same_outcome, convert, is_tensor, to_numpy, torch

PAIR = leafward, torch
PROPERTIES = ("mean", "mode", "variance", "stddev", "batch_shape", "event_shape", "has_rsample", "has_enumerate_support")
#: How far PyTorch's own formulas are off: polynomials for Bessel functions.
LOOSE = {"VonMises": (3e-4, 1e-6)}
MATRICES = ("probs", "logits", "covariance_matrix", "precision_matrix", "scale_tril", "param_shape", "df", "loc", "scale")


def test_every_name_exists():
    assert sorted(set(torch.distributions.__all__) - set(dir(leafward.distributions))) == []
    assert {name for name, _ in CASES} >= {
        name for name in torch.distributions.__all__
        if isinstance(cls := getattr(torch.distributions, name), type)
        and issubclass(cls, torch.distributions.Distribution)} - {
        "Distribution", "ExponentialFamily", "Independent", "MixtureSameFamily", "TransformedDistribution"}


def both(case, what, **options):
    """``what(t, distribution, tensors)`` on both sides, as outcomes."""
    def run(t):
        distribution, tensors = build(t, *case, **options)
        return what(t, distribution, tensors)
    return [Outcome(run, (t,)) for t in PAIR]


def values_for(case):
    """Values that PyTorch draws."""
    torch.manual_seed(5)
    distribution = build(torch, *case)[0]
    return distribution._bartlett_sampling((4,)) if case[0] == "Wishart" else distribution.sample((4,))


def given(t, value):
    return convert(value, t)


def properties_of(case):
    """Those that PyTorch's class has."""
    distribution = build(torch, *case)[0]
    return [name for name in (*PROPERTIES, *MATRICES)
            if not isinstance(Outcome(getattr, (distribution, name)).error, AttributeError)]


@pytest.mark.parametrize(("name", "case"), [pytest.param(name, case, id=f"{name}-{name_of(case)}")
                                            for case in CASES for name in properties_of(case)])
@compares
def test_property(case, name):
    ours, theirs = both(case, lambda t, d, _: getattr(d, name))
    if (case[0], name) == ("Kumaraswamy", "mode"):
        # PyTorch's is NaN for every parameter; this is where the slope of the density vanishes.
        compared()
        x, d = ours.get()[1:2].requires_grad_(), build(leafward, case[0], {k: v[1:2] for k, v in case[1].items()})[0]
        assert abs(leafward.autograd.grad(d.log_prob(x).sum(), x)[0]) < 1e-9
        return
    rtol, atol = LOOSE.get(case[0], (1e-7, 1e-9))
    assert_same_outcome(ours, theirs, rtol=None if case[0] == "GeneralizedPareto" else rtol, atol=atol)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_repr_and_support(case):
    for what in repr, lambda d: repr(d.support), lambda d: repr(d.expand((2, *d.batch_shape))):
        ours, theirs = both(case, lambda t, d, _, what=what: what(d))
        assert ours.get() == theirs.value


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_samples_are_pytorchs(case, dtype):
    def draw(t, d, _):
        t.manual_seed(7)
        if case[0] == "Wishart":                # PyTorch's takes every sample for singular, and draws it again
            return [d._bartlett_sampling(t.Size(shape)) for shape in ((), (5,), (2, 3))]
        return [d.sample(), d.sample((5,)), d.sample((2, 3)), t.rand(2)]
    # Normals agree to 2.4e-7, before they are squared, exponentiated or divided by.
    single = dtype == "float32" or case[0] == "GeneralizedPareto"
    assert_same_outcome(*both(case, draw, dtype=dtype), rtol=3e-4 if single else 1e-9, atol=1e-6)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_gradients_of_samples(case):
    def move(t, d, tensors):
        t.manual_seed(7)
        sample = d._bartlett_sampling((3,)) if case[0] == "Wishart" else d.rsample((3,))
        weights = t.linspace(-1, 1, sample.numel(), dtype=sample.dtype).reshape(sample.shape)
        return [sample, *t.autograd.grad((sample * weights).sum(), tensors, allow_unused=True)]
    ours, theirs = both(case, move, requires_grad=True)
    if "modified by an inplace operation" in str(theirs.error):
        assert ours.error is None               # PyTorch's cannot be differentiated
    elif theirs.error is None:
        for a, b in zip(ours.get(), theirs.value, strict=True):
            assert (a is None) == (b is None)
            if a is not None:
                # PyTorch's derivatives of gamma and Dirichlet numbers are approximations.
                assert_same(a, b, rtol=3e-3, atol=1e-6)
    else:
        assert_same_outcome(ours, theirs)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_log_prob_and_its_gradient(case):
    value = values_for(case)

    def score(t, d, tensors):
        x = given(t, value)
        if x.is_floating_point():
            x.requires_grad_()
        log_prob = d.log_prob(x)
        wanted = [*tensors, *([x] if x.requires_grad else [])]
        return [log_prob, *t.autograd.grad(log_prob.sum(), wanted, allow_unused=True)]
    ours, theirs = both(case, score, requires_grad=True)
    if "modified by an inplace operation" in str(theirs.error):
        ours, theirs = both(case, lambda t, d, _: [d.log_prob(given(t, value))])
    for a, b in zip(ours.get(), theirs.value, strict=True):
        if b is None:
            assert a is None or not to_numpy(a).any()
        else:
            rtol, atol = LOOSE.get(case[0], (1e-6, 1e-7))
            assert_same(a, b, rtol=rtol, atol=1e-5 if case[0] == "GeneralizedPareto" else atol)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_entropy_and_its_gradient(case):
    def entropy(t, d, tensors):
        found = d.entropy()
        return [found, d.perplexity(), *t.autograd.grad(found.sum(), tensors, allow_unused=True)]
    ours, theirs = both(case, entropy, requires_grad=True)
    if theirs.error is None:
        for a, b in zip(ours.get(), theirs.value, strict=True):
            if b is None:
                assert a is None or not to_numpy(a).any()
            else:
                assert_same(a, b, rtol=1e-6, atol=1e-7)
    else:
        assert_same_outcome(ours, theirs)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_cdf_and_icdf(case):
    value = values_for(case)
    levels = torch.tensor([0.05, 0.4, 0.75], dtype=value.dtype if value.is_floating_point() else torch.float64)

    def at_levels(t, d, _):
        return d.icdf(given(t, levels).reshape((3,) + (1,) * len(d.batch_shape)))
    assert_same_outcome(*both(case, lambda t, d, _: d.cdf(given(t, value))), rtol=1e-6)
    assert_same_outcome(*both(case, at_levels), rtol=1e-6)


@pytest.mark.parametrize("case", CASES, ids=name_of)
@pytest.mark.parametrize("expand", [True, False])
def test_enumerated_support(case, expand):
    assert_same_outcome(*both(case, lambda t, d, _: d.enumerate_support(expand)))


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_expanded(case):
    """An expanded distribution is the same one, more often; nothing is validated again."""
    value = values_for(case)

    def grown(t, d, _):
        more = d.expand((2, *d.batch_shape))
        assert type(more) is type(d)
        t.manual_seed(0)
        return [more.batch_shape, more.event_shape, more.sample((2,)).shape, more.log_prob(given(t, value[:1]))]
    ours, theirs = both(case, grown)
    assert [tuple(ours.get()[k]) for k in range(3)] == [tuple(theirs.value[k]) for k in range(3)]
    assert_same(ours.value[3], theirs.value[3], rtol=1e-6)


@pytest.mark.parametrize("case", CASES, ids=name_of)
def test_what_is_outside_the_support_is_refused(case):
    outside = torch.full_like(values_for(case)[0], -1.5)
    for value in outside, outside * float("nan"), outside.flatten().repeat(3), -1.5:
        ours, theirs = both(case, lambda t, d, _, v=value: d.log_prob(given(t, v) if is_tensor(v) else v))
        assert_same_outcome(ours, theirs, rtol=1e-6)
        if theirs.error is not None:
            assert str(ours.error) == str(theirs.error)


@pytest.mark.parametrize("case", CASES, ids=name_of)
@compares
def test_bad_parameters_are_refused(case):
    name, parameters = case
    for key, value in parameters.items():
        if isinstance(value, str):
            continue                                    # what a string names has no bad value
        compared()
        bad = (np.asarray(value) * -1 - 2).tolist()
        ours, theirs = both((name, {**parameters, key: bad}), lambda t, d, _: d.batch_shape)
        assert (ours.error is None) == (theirs.error is None), f"{key}: {ours.error!r}, PyTorch {theirs.error!r}"
        if theirs.error is not None and "LinAlgError" not in type(theirs.error).__name__:
            assert type(ours.error) is type(theirs.error)
            assert str(ours.error) == str(theirs.error)
