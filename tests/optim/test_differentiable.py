"""``differentiable=True``: the gradient through a step, against PyTorch's and against finite differences."""
import pytest

import leafward
from tests.optim.test_optimizers import BOTH, values
from tests.oracle import assert_same, torch

#: (class, options, state that the parameter brings along).
CASES = [
    ("SGD", {"lr": 0.9}, ()),
    ("SGD", {"lr": 0.9, "momentum": 0.9, "weight_decay": 0.1}, ("momentum_buffer",)),
    ("SGD", {"lr": 0.9, "momentum": 0.9, "nesterov": True, "maximize": True}, ("momentum_buffer",)),
    ("Adam", {"lr": 0.9, "weight_decay": 0.1}, ("exp_avg", "exp_avg_sq")),
    ("Adam", {"lr": 0.9, "betas": (0.4, 0.8), "amsgrad": True}, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")),
    ("AdamW", {"lr": 0.9, "amsgrad": True, "maximize": True}, ("exp_avg", "exp_avg_sq", "max_exp_avg_sq")),
    ("Adamax", {"lr": 0.9, "weight_decay": 0.1}, ("exp_avg", "exp_inf")),
    ("NAdam", {"lr": 0.9, "weight_decay": 0.1, "decoupled_weight_decay": True}, ("exp_avg", "exp_avg_sq")),
    ("RAdam", {"lr": 0.9, "weight_decay": 0.1}, ("exp_avg", "exp_avg_sq")),
    ("RAdam", {"lr": 0.9, "decoupled_weight_decay": True, "weight_decay": 0.1}, ("exp_avg", "exp_avg_sq")),
    ("RMSprop", {"lr": 0.9, "weight_decay": 0.1}, ("square_avg",)),
    ("RMSprop", {"lr": 0.9, "momentum": 0.9, "centered": True, "maximize": True},
     ("square_avg", "momentum_buffer", "grad_avg")),
    ("Adagrad", {"lr": 0.9, "lr_decay": 0.1, "weight_decay": 0.1}, ("sum",)),
    ("Adadelta", {"lr": 0.9, "weight_decay": 0.1, "maximize": True}, ("square_avg", "acc_delta")),
    ("ASGD", {"lr": 0.9, "weight_decay": 0.1}, ("ax",)),
    ("Rprop", {"lr": 0.9}, ("prev", "step_size")),
    ("Rprop", {"lr": 0.9, "maximize": True}, ("prev", "step_size")),
]
SHAPE = (4, 3)


def first_state(t, name, tensors):
    """What the optimizer remembers of nine steps: given tensors, and numbers."""
    numbers = {"step": 9.0} if name != "SGD" else {}
    if name == "NAdam":
        numbers["mu_product"] = 0.4
    if name == "ASGD":
        numbers["eta"], numbers["mu"] = 0.7, 1.0
    return {**{k: t.tensor(v, dtype=t.float64) for k, v in numbers.items()}, **tensors}


def after_step(t, name, options, p, g, tensors, group=()):
    """The parameter and its state after a step, as functions of those before; what is given is left as it was."""
    p = p.clone()
    p.grad = g
    options = {**options, **dict(group)}
    optimizer = getattr(t.optim, name)([p], differentiable=True, **options)
    optimizer.state[p].update(first_state(t, name, {k: v.clone() for k, v in tensors.items()}))
    optimizer.step()
    return (p, *(v for k, v in optimizer.state[p].items() if k in tensors))


def given(t, state):
    """Parameter, gradient and state as leaves: averages of squares, and sizes of steps, are positive."""
    made = [values(t, SHAPE, seed, "float64") for seed in range(2 + len(state))]
    for k, key in enumerate(state, start=2):
        if key not in ("exp_avg", "momentum_buffer", "prev", "ax"):
            made[k] = made[k].abs() + (3 if key == "square_avg" else 0.1)
        if key == "grad_avg":
            made[k] = made[k] * 0.1
    return [tensor.requires_grad_() for tensor in made]


def gradients(t, name, options, state):
    leaves = given(t, state)
    p, g, *tensors = leaves
    results = after_step(t, name, options, p, g, dict(zip(state, tensors, strict=True)))
    weights = [values(t, SHAPE, 50 + k, "float64") for k in range(len(results))]
    total = sum((r * w).sum() for r, w in zip(results, weights, strict=True))
    return results, t.autograd.grad(total, leaves, allow_unused=True)


@pytest.mark.parametrize("name, options, state", CASES, ids=str)
def test_gradients_are_pytorchs(name, options, state):
    (ours, our_grads), (theirs, their_grads) = (gradients(t, name, options, state) for t in BOTH)
    for a, b in zip(ours, theirs, strict=True):
        assert_same(a, b, rtol=1e-6)
    for k, (a, b) in enumerate(zip(our_grads, their_grads, strict=True)):
        zero = b is None or not b.any()
        assert zero and (a is None or not a.any()) or not zero, (k, a)
        if not zero:
            assert_same(a, b, rtol=1e-6, atol=1e-9, where=f"gradient for {('p', 'g', *state)[k]}")


@pytest.mark.parametrize("name, options, state", CASES, ids=str)
def test_gradients_are_those_of_the_step(name, options, state):
    def step(p, g, *tensors):
        return after_step(leafward, name, options, p, g, dict(zip(state, tensors, strict=True)))
    assert leafward.autograd.gradcheck(step, given(leafward, state))


@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "NAdam", "RAdam"])
def test_the_learning_rate_has_a_gradient(name):
    found = {}
    for t in BOTH:
        lr = t.tensor(0.3, dtype=t.float64, requires_grad=True)
        state = next(s for n, _, s in CASES if n == name)
        p, g, *tensors = given(t, state)
        after, *_ = after_step(t, name, {"lr": lr}, p, g, dict(zip(state, tensors, strict=True)))
        found[t] = t.autograd.grad((after * values(t, SHAPE, 50, "float64")).sum(), lr)[0]
    assert_same(found[leafward], found[torch], rtol=1e-6)


@pytest.mark.parametrize("name", ["Adagrad", "RMSprop", "Adadelta", "Adamax"])
def test_so_has_the_rate_of_others(name):
    """There PyTorch takes no rate that is a tensor with a gradient."""
    state = next(s for n, _, s in CASES if n == name)

    def step(lr):
        p, g, *tensors = (x.detach() for x in given(leafward, state))
        return after_step(leafward, name, {"lr": lr}, p, g, dict(zip(state, tensors, strict=True)))[0]
    assert leafward.autograd.gradcheck(step, leafward.tensor(0.3, dtype=leafward.float64, requires_grad=True))


@pytest.mark.parametrize("name", ["Adam", "AdamW"])
def test_betas_and_decay_have_gradients(name):
    found = {}
    for t in BOTH:
        options = [t.tensor(v, dtype=t.float64, requires_grad=True) for v in (0.8, 0.9, 0.1)]
        state = ("exp_avg", "exp_avg_sq")
        p, g, *tensors = given(t, state)
        after, *_ = after_step(t, name, {"lr": 0.9, "betas": tuple(options[:2]), "weight_decay": options[2]}, p, g * 1,
                               dict(zip(state, tensors, strict=True)))
        found[t] = t.autograd.grad((after * values(t, SHAPE, 50, "float64")).sum(), options)
    for ours, theirs in zip(found[leafward], found[torch], strict=True):
        assert_same(ours, theirs, rtol=1e-6)


def test_complex_parameters():
    found = {}
    for t in BOTH:
        p, g = (values(t, (3,), seed, "complex128").requires_grad_() for seed in (1, 2))
        m, v = values(t, (3,), 3, "complex128"), values(t, (3,), 4, "complex128")
        v = t.complex(v.real.abs() + 1, v.imag.abs() + 1)
        results = after_step(t, "Adam", {"lr": 0.9}, p, g, {"exp_avg": m, "exp_avg_sq": v})
        found[t] = t.autograd.grad(results[0].abs().sum(), (p, g))
    for ours, theirs in zip(found[leafward], found[torch], strict=True):
        assert_same(ours, theirs, rtol=1e-6)


def unrolled(name, options, lr, steps=4):
    """The loss after some recorded steps on a small network, each on a copy of the parameters of the one before."""
    weight = leafward.tensor([[0.5, -0.3], [0.2, 0.1]], dtype=leafward.float64, requires_grad=True)
    x = leafward.tensor([[1.0, 2.0], [0.5, -1.0]], dtype=leafward.float64)
    w = weight * 1
    optimizer = getattr(leafward.optim, name)([w], lr=lr, differentiable=True, **options)
    for _ in range(steps):
        loss = ((x @ w.clone()).tanh() ** 2).sum()
        w.grad, = leafward.autograd.grad(loss, w, create_graph=True)
        optimizer.step()
    return ((x @ w).tanh() ** 2).sum()


@pytest.mark.parametrize("name, options", [("SGD", {"momentum": 0.9}), ("Adam", {"amsgrad": True}), ("RMSprop", {})], ids=str)
def test_several_steps_of_one_optimizer(name, options):
    """State that one step saved is not overwritten by the next: the rate's gradient through all of them."""
    lr = leafward.tensor(0.05, dtype=leafward.float64, requires_grad=True)
    unrolled(name, options, lr).backward()
    near = [unrolled(name, options, leafward.tensor(0.05 + d, dtype=leafward.float64)).item() for d in (-1e-6, 1e-6)]
    assert lr.grad.item() == pytest.approx((near[1] - near[0]) / 2e-6, rel=1e-5)


def test_averaging_begun():
    """ASGD from its step t0 on: PyTorch overwrites ``mu`` there before its own backward needs it, and raises."""
    p, g, mean = given(leafward, ("ax",))

    def step(p, g, mean):
        p = p.clone()
        p.grad = g
        optimizer = leafward.optim.ASGD([p], differentiable=True, t0=2)
        optimizer.state[p].update(first_state(leafward, "ASGD", {"ax": mean.clone()}), mu=leafward.tensor(0.25))
        optimizer.step()
        return p, optimizer.state[p]["ax"]
    assert leafward.autograd.gradcheck(step, (p, g, mean))


def test_a_leaf_is_refused_before_anything_is_written():
    for t in BOTH:
        p = t.ones(2, requires_grad=True)
        p.grad = t.ones(2)
        with pytest.raises(RuntimeError, match="a leaf Variable that requires grad is being used in an in-place operation"):
            t.optim.SGD([p], differentiable=True).step()
        assert p.tolist() == [1, 1]


def test_a_step_count_with_a_gradient_is_refused():
    for t in BOTH:
        p = t.ones(2, requires_grad=True) * 1
        p.grad = t.ones(2)
        optimizer = t.optim.Adam([p], differentiable=True)
        optimizer.state[p].update(step=t.tensor(1.0, requires_grad=True), exp_avg=t.ones(2), exp_avg_sq=t.ones(2))
        with pytest.raises(RuntimeError, match="`requires_grad` is not supported for `step` in differentiable mode"):
            optimizer.step()


def test_the_first_momentum_buffer_is_the_gradient_with_its_history():
    """PyTorch cuts it off there, so that the first step has no gradient; see docs/differences.md."""
    p = leafward.ones(2, requires_grad=True) * 1
    p.grad = g = leafward.ones(2, requires_grad=True)
    leafward.optim.SGD([p], lr=0.1, momentum=0.9, differentiable=True).step()
    p.sum().backward()
    assert g.grad.tolist() == pytest.approx([-0.1, -0.1])


@pytest.mark.parametrize("options", [{"capturable": True}, {"foreach": True}, {"fused": True}], ids=str)
def test_choices_of_implementation_are_accepted(options):
    """There is one implementation; PyTorch asserts that what is ``capturable`` lies on a GPU."""
    p, q = leafward.ones(2, requires_grad=True), leafward.ones(2, requires_grad=True)
    for x, given in ((p, options), (q, {})):
        x.grad = leafward.ones(2)
        leafward.optim.Adam([x], **given).step()
    assert p.tolist() == q.tolist() != [1, 1]
