"""``torch._foreach_*`` against PyTorch: every name, every kind of argument, gradients, writes and refusals."""
import pytest

import leafward
from leafward.derive import foreach
from tests.ops.checks import tensors_in
from tests.oracle import Outcome, assert_same, torch
from tests.samples import every_sample, name_of

BOTH = (leafward, torch)
SHAPES = [(3,), (2, 2), (), (0, 3)]


def tensors(t, seed, positive=True, dtype="float64", requires_grad=False):
    """Equal lists on both sides: positive numbers below one, where every op is defined."""
    generator = torch.Generator().manual_seed(seed)
    made = []
    for shape in SHAPES:
        drawn = torch.rand(shape, generator=generator, dtype=torch.float64) * 0.8 + 0.1
        drawn = (drawn if positive else drawn - 0.5).to(getattr(torch, dtype))
        own = drawn if t is torch else leafward.from_numpy(drawn.numpy().copy())
        made.append(own.requires_grad_(requires_grad))
    return made


def xs(t, **options):
    return tensors(t, 1, **options)


#: What follows the first list: (positional arguments, options), by op; nothing for the rest.
ONE_MORE = [
    (lambda t: (tensors(t, 2),), {}), (lambda t: (0.5,), {}), (lambda t: ([0.5, 1.5, 2.0, 3.0],), {}),
]
A_NUMBER = [(lambda t: (t.tensor(0.5, dtype=t.float64),), {})]
PRODUCTS = [
    (lambda t: (tensors(t, 2), tensors(t, 3)), {}), (lambda t: (tensors(t, 2), tensors(t, 3), 0.5), {}),
    (lambda t: (tensors(t, 2), tensors(t, 3)), {"value": 0.5}),
    (lambda t: (tensors(t, 2), tensors(t, 3), [0.5, 1.0, 2.0, 3.0]), {}),
    (lambda t: (tensors(t, 2), tensors(t, 3)), {"scalars": [0.5, 1.0, 2.0, 3.0]}),
    (lambda t: (tensors(t, 2), tensors(t, 3), t.tensor([0.5, 1.0, 2.0, 3.0], dtype=t.float64)), {}),
]
ARGUMENTS = {
    "add": [*ONE_MORE, *A_NUMBER, (lambda t: (tensors(t, 2),), {"alpha": 0.3}), (lambda t: (), {"scalar": 2})],
    "sub": [*ONE_MORE, (lambda t: (tensors(t, 2),), {"alpha": 0.3})],
    "mul": [*ONE_MORE, *A_NUMBER], "div": [*ONE_MORE, *A_NUMBER], "pow": ONE_MORE,
    **dict.fromkeys(("maximum", "minimum", "clamp_min", "clamp_max"), ONE_MORE),
    "addcmul": PRODUCTS, "addcdiv": PRODUCTS,
    "lerp": [(lambda t: (tensors(t, 2), tensors(t, 3)), {}), (lambda t: (tensors(t, 2), 0.3), {}),
             (lambda t: (tensors(t, 2), [0.1, 0.2, 0.3, 0.4]), {}), (lambda t: (tensors(t, 2),), {"weight": 0.7})],
    "copy_": [(lambda t: (tensors(t, 2),), {}), (lambda t: (), {"src": None})],
    "norm": [(lambda t: (), {}), (lambda t: (1,), {}), (lambda t: (), {"ord": 3})],
    "powsum": [(lambda t: (), {}), (lambda t: (3,), {})],
}
NOTHING = [(lambda t: (), {})]


def arguments_of(name):
    op = name.removeprefix("_foreach_")
    return ARGUMENTS.get(op) or ARGUMENTS.get(op.rstrip("_"), NOTHING)


#: The forms that PyTorch has too.
THEIRS = [name for name in foreach.FORMS if hasattr(torch, name)]
CASES = [(name, number) for name in THEIRS for number in range(len(arguments_of(name)))]


def called(t, name, number, first):
    more, options = arguments_of(name)[number]
    if options == {"src": None}:
        options = {"src": tensors(t, 2)}
    if name == "_foreach_mm":
        return t._foreach_mm(first[1:2], tensors(t, 2)[1:2])
    if name == "_foreach_max":
        first = first[:3]
    return getattr(t, name)(first, *more(t), **options)


def test_the_names_are_pytorchs():
    """All of them, and others only for ops that PyTorch does not have."""
    assert sorted(THEIRS) == [n for n in dir(torch) if n.startswith("_foreach_")]
    assert [n for n in foreach.FORMS if n not in THEIRS and hasattr(torch, n.removeprefix("_foreach_").rstrip("_"))] == []
    with pytest.raises(AttributeError, match="_foreach_sigmoidal"):
        leafward._foreach_sigmoidal  # noqa: B018


@pytest.mark.parametrize("name, number", CASES)
def test_values(name, number):
    found = {}
    for t in BOTH:
        first = xs(t)
        result = found[t] = called(t, name, number, first)
        assert result is first if name.endswith("_") else type(result) is tuple
    for ours, theirs in zip(found[leafward], found[torch], strict=True):
        assert_same(ours, theirs, rtol=1e-9)


@pytest.mark.parametrize("name, number", [c for c in CASES if "copy" not in c[0] and "zero" not in c[0]])
def test_gradients(name, number):
    def results(t, leaves):
        return called(t, name, number, [x * 1 for x in leaves])

    found = {}
    for t in BOTH:
        leaves = xs(t, requires_grad=True)
        total = sum((r * t.linspace(0.5, 2, r.numel(), dtype=t.float64).reshape(r.shape)).sum() for r in results(t, leaves))
        try:
            found[t] = t.autograd.grad(total, leaves, allow_unused=True)
        except RuntimeError as error:
            assert f"{name} is not implemented" in str(error)                   # PyTorch lacks some of them
            assert leafward.autograd.gradcheck(lambda *xs: tuple(results(leafward, xs)), xs(leafward, requires_grad=True))
            return
    for ours, theirs in zip(found[leafward], found[torch], strict=True):
        assert (ours is None) == (theirs is None)
        if theirs is not None:
            assert_same(ours, theirs, rtol=1e-9)


def one_and_listed(sample, name, writes):
    """What the op gives, and what its form for lists does of a list of one."""
    op = sample.op
    one = op.public_inplace if writes and op.public_inplace is not None else op.public_function
    (args, kwargs), (listed, _) = (sample.make(leafward, "float64") for _ in range(2))
    first, *more = [[value] for value in listed]
    return Outcome(one, tuple(args), kwargs), Outcome(lambda: getattr(leafward, name)(first, *more, **kwargs)[0])


@pytest.mark.parametrize("sample", [s for s in every_sample(lambda op: op.foreach) if s.specs[0].kind != "scalar"], ids=name_of)
def test_a_list_is_one_after_the_other(sample):
    """For every sample of every declaration that says ``foreach``, whether PyTorch has the form or not."""
    forms = [(name, writes) for name, (declared, writes) in foreach.FORMS.items() if declared is sample.op]
    assert forms
    for name, writes in forms:
        one, listed = one_and_listed(sample, name, writes)
        if one.error is not None:                           # its in-place form cannot hold the result
            assert writes and type(listed.error) is type(one.error) and str(listed.error) == str(one.error)
            continue
        found, expected = tensors_in(listed.get()), tensors_in(one.value)
        assert len(found) == len(expected) > 0
        for ours, of_one in zip(found, expected, strict=True):
            assert_same(ours, of_one, rtol=0, atol=0)


def test_a_number_to_the_power_of_each():
    ours, theirs = (t._foreach_pow(0.5, xs(t)) for t in BOTH)
    for a, b in zip(ours, theirs, strict=True):
        assert_same(a, b, rtol=1e-9)


@pytest.mark.parametrize("dtype", ["int64", "float32", "bool"])
@pytest.mark.parametrize("name", ["_foreach_sqrt", "_foreach_add", "_foreach_div", "_foreach_neg"])
def test_dtypes(name, dtype):
    answers = []
    for t in BOTH:
        given = [t.ones(2, dtype=getattr(t, dtype)), t.ones(3)]
        try:
            more = [2] if name in ("_foreach_add", "_foreach_div") else []
            answers.append([str(x.dtype) for x in getattr(t, name)(given, *more)])
        except RuntimeError as error:
            answers.append(str(error).split("\n")[0])
    assert answers[0] == answers[1]


REFUSED = {
    "nothing": lambda t: t._foreach_add([], 1),
    "lists of two lengths": lambda t: t._foreach_add(xs(t), xs(t)[:2]),
    "too few numbers": lambda t: t._foreach_mul(xs(t), [1.0]),
    "a tensor of several": lambda t: t._foreach_add(xs(t), t.ones(2)),
    "too few factors": lambda t: t._foreach_addcdiv(xs(t), xs(t), xs(t), t.ones(3)),
    "a 0-dim tensor of factors": lambda t: t._foreach_addcmul(xs(t), xs(t), xs(t), t.ones(())),
    "third list too short": lambda t: t._foreach_addcmul(xs(t), xs(t), xs(t)[:1], 2),
    "numbers for tensors": lambda t: t._foreach_sqrt([1.0, 2.0]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    raised = []
    for t in BOTH:
        with pytest.raises((RuntimeError, TypeError)) as caught:
            REFUSED[name](t)
        raised.append((type(caught.value), str(caught.value)))
    assert raised[0] == raised[1]


@pytest.mark.parametrize("call", [
    lambda: leafward._foreach_sqrt(leafward.ones(2)), lambda: leafward._foreach_add(),
    lambda: leafward._foreach_add(xs(leafward), 1, beta=2), lambda: leafward._foreach_lerp(xs(leafward), weight=1),
])
def test_wrong_calls_are_type_errors(call):
    with pytest.raises(TypeError, match="_foreach_"):
        call()


def test_nothing_is_written_when_lengths_disagree():
    written = xs(leafward)
    before = [x.tolist() for x in written]
    with pytest.raises(RuntimeError, match="same number of tensors"):
        leafward._foreach_add_(written, written[:2])
    assert [x.tolist() for x in written] == before
