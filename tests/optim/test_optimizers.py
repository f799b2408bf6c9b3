"""Every optimizer against PyTorch's: twenty steps, state that crosses over, versions, printing, refusals."""
import copy
import pickle
import warnings

import pytest

import leafward
from tests.oracle import assert_same, torch

BOTH = (leafward, torch)

#: (class, options): each option that changes the arithmetic at least once.
CASES = [
    ("SGD", {"lr": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1}),
    ("SGD", {"lr": 0.1, "momentum": 0.9, "nesterov": True, "maximize": True}),
    ("SGD", {"lr": 0.1, "weight_decay": 0.2, "foreach": True}),
    ("Adam", {"lr": 0.05}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1, "amsgrad": True}),
    ("Adam", {"lr": 0.05, "betas": (0.3, 0.8), "eps": 1e-3, "maximize": True}),
    ("Adam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "fused": True}),
    ("AdamW", {"lr": 0.05}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0.3, "amsgrad": True, "capturable": False}),
    ("AdamW", {"lr": 0.05, "weight_decay": 0}),
    ("Adamax", {"lr": 0.05}),
    ("Adamax", {"lr": 0.05, "weight_decay": 0.1, "maximize": True}),
    ("NAdam", {"lr": 0.05}),
    ("NAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True, "momentum_decay": 0.1}),
    ("NAdam", {"lr": 0.05, "weight_decay": 0.1}),
    ("RAdam", {"lr": 0.05}),
    ("RAdam", {"lr": 0.05, "weight_decay": 0.1, "betas": (0.8, 0.9)}),
    ("RAdam", {"lr": 0.05, "weight_decay": 0.1, "decoupled_weight_decay": True}),
    ("RMSprop", {"lr": 0.05}),
    ("RMSprop", {"lr": 0.05, "momentum": 0.9, "centered": True, "weight_decay": 0.1}),
    ("RMSprop", {"lr": 0.05, "centered": True, "maximize": True}),
    ("Adagrad", {"lr": 0.1}),
    ("Adagrad", {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5}),
    ("Adadelta", {}),
    ("Adadelta", {"lr": 0.5, "rho": 0.7, "weight_decay": 0.1, "maximize": True}),
    ("ASGD", {"lr": 0.1}),
    ("ASGD", {"lr": 0.1, "lambd": 0.1, "t0": 5, "weight_decay": 0.1}),
    ("Rprop", {"lr": 0.1}),
    ("Rprop", {"lr": 0.1, "etas": (0.4, 1.3), "step_sizes": (0.01, 0.2), "maximize": True}),
]
NAMES = sorted({name for name, _ in CASES})
SHAPES = [(3, 4), (5,), (), (2, 0)]


def values(t, shape, seed, dtype="float32"):
    """The same numbers on both sides."""
    generator = torch.Generator().manual_seed(seed)
    drawn = torch.randn(shape, generator=generator, dtype=getattr(torch, dtype))
    if t is torch:
        return drawn
    if dtype == "bfloat16":
        return leafward.tensor(drawn.float().tolist()).reshape(shape).to(leafward.bfloat16)
    return leafward.tensor(drawn.tolist(), dtype=getattr(leafward, dtype)).reshape(shape)


def parameters(t, dtype="float32"):
    return [t.nn.Parameter(values(t, shape, i, dtype)) for i, shape in enumerate(SHAPES)]


def train(t, optimizer, params, steps, start=0, dtype="float32"):
    for step in range(start, start + steps):
        for i, p in enumerate(params):
            # Now and then no gradient: such a parameter is left alone, its state too.
            p.grad = None if (step + i) % 5 == 4 else values(t, SHAPES[i], 100 * step + i, dtype)
        optimizer.step()


def assert_same_state(ours, theirs):
    assert ours["param_groups"] == theirs["param_groups"]
    assert list(ours["state"]) == list(theirs["state"])
    for number, state in theirs["state"].items():
        assert list(ours["state"][number]) == list(state)
        for key, value in state.items():
            assert_same(ours["state"][number][key], value, rtol=1e-4, where=f"{number}.{key}")


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_twenty_steps(name, options):
    params = {t: parameters(t) for t in BOTH}
    optimizers = {t: getattr(t.optim, name)(params[t], **options) for t in BOTH}
    for t in BOTH:
        train(t, optimizers[t], params[t], 20)
    for ours, theirs in zip(params[leafward], params[torch], strict=True):
        assert_same(ours, theirs, rtol=1e-4)
    assert_same_state(optimizers[leafward].state_dict(), optimizers[torch].state_dict())


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_state_crosses_over(name, options):
    """Ten steps on one side, saved, loaded and continued on the other: the same as twenty on one side."""
    params = {t: parameters(t) for t in BOTH}
    optimizers = {t: getattr(t.optim, name)(params[t], **options) for t in BOTH}
    for t in BOTH:
        train(t, optimizers[t], params[t], 10)
    crossed = optimizers[torch].state_dict()
    crossed["state"] = {k: {n: leafward.from_numpy(v.numpy().copy()) for n, v in s.items()}
                        for k, s in crossed["state"].items()}
    continued = getattr(leafward.optim, name)(params[leafward])
    continued.load_state_dict(crossed)
    train(leafward, continued, params[leafward], 10, start=10)
    train(torch, optimizers[torch], params[torch], 10, start=10)
    for ours, theirs in zip(params[leafward], params[torch], strict=True):
        assert_same(ours, theirs, rtol=1e-4)
    assert_same_state(continued.state_dict(), optimizers[torch].state_dict())


@pytest.mark.parametrize("dtype", ["float64", "float16", "bfloat16", "complex64"])
@pytest.mark.parametrize("name", ["SGD", "Adam", "AdamW", "RMSprop", "Adagrad", "Adadelta", "NAdam", "RAdam"])
def test_other_dtypes(name, dtype):
    half = {"float16": 2e-2, "bfloat16": 1e-1}.get(dtype, 1e-4)    # PyTorch rounds after every operation, we once
    params = {t: parameters(t, dtype) for t in BOTH}
    for t in BOTH:
        train(t, getattr(t.optim, name)(params[t], lr=0.05), params[t], 5, dtype=dtype)
    for ours, theirs in zip(params[leafward], params[torch], strict=True):
        assert_same(ours, theirs, rtol=half, atol=half)


@pytest.mark.parametrize("name, options", CASES, ids=str)
def test_versions_and_history(name, options):
    """A step counts as a write to the parameter, as often as PyTorch's; the parameter stays the same leaf."""
    versions = {}
    for t in BOTH:
        p = t.nn.Parameter(t.ones(3))
        p.grad = t.ones(3)
        before = p.data_ptr()
        optimizer = getattr(t.optim, name)([p], **{**options, "foreach": False, "fused": False}
                                           if "fused" in options or "foreach" in options else options)
        optimizer.step()
        versions[t] = p._version
        assert p.data_ptr() == before
        assert p.is_leaf
        assert p.grad._version == 0
    assert versions[leafward] == versions[torch]


def test_a_step_between_forward_and_backward_is_found():
    p = leafward.nn.Parameter(leafward.ones(3))
    loss = (p * p).sum()
    p.grad = leafward.ones(3)
    leafward.optim.SGD([p], lr=0.1).step()
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_optimizing_views_writes_the_base():
    base = leafward.zeros(4)
    left = leafward.nn.Parameter(base[:2])
    left.grad = leafward.ones(2)
    leafward.optim.SGD([left], lr=1.0).step()
    assert base.tolist() == [-1, -1, 0, 0]


@pytest.mark.parametrize("name", NAMES)
def test_printing_and_defaults(name):
    made = {}
    for t in BOTH:
        a, b = t.nn.Parameter(t.ones(1)), t.nn.Parameter(t.ones(1))
        made[t] = getattr(t.optim, name)([{"params": [a], "lr": 0.5, "name": "first"}, {"params": b}])
    assert repr(made[leafward]) == repr(made[torch])
    assert list(made[leafward].defaults.items()) == list(made[torch].defaults.items())
    assert made[leafward].state_dict()["param_groups"] == made[torch].state_dict()["param_groups"]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("keep", [copy.deepcopy, lambda o: pickle.loads(pickle.dumps(o))], ids=["deepcopy", "pickle"])
def test_copies_go_on(name, keep):
    p = leafward.nn.Parameter(leafward.ones(3))
    optimizer = getattr(leafward.optim, name)([p])
    p.grad = leafward.tensor([1.0, 2.0, 3.0])
    optimizer.step()
    copied = keep(optimizer)
    q = copied.param_groups[0]["params"][0]
    q.grad = p.grad.clone()
    optimizer.step()
    copied.step()
    assert q is not p
    assert q.tolist() == p.tolist()


def p_in(t):
    return t.nn.Parameter(t.ones(2))


def with_state(t, state):
    t.optim.SGD([p_in(t)]).load_state_dict(state)


def same_twice(t):
    p = p_in(t)
    return t.optim.SGD([{"params": [p]}, {"params": [p]}])


def add(t, first, group):
    t.optim.SGD(first).add_param_group(group)


def hooked(t, hook):
    optimizer = t.optim.SGD([p_in(t)])
    optimizer.register_step_pre_hook(hook)
    return optimizer.step()


#: Wrong uses: each must raise what PyTorch raises.
REFUSED = {
    "a tensor": lambda t: t.optim.SGD(p_in(t)),
    "nothing": lambda t: t.optim.SGD([]),
    "a number": lambda t: t.optim.SGD([3]),
    "a non-leaf": lambda t: t.optim.SGD([p_in(t) * 2]),
    "in two groups": same_twice,
    "a set in a group": lambda t: t.optim.SGD([{"params": {p_in(t)}}]),
    "a dict": lambda t: t.optim.SGD({"params": [p_in(t)]}),
    "a group without params": lambda t: t.optim.SGD([{"lr": 1}]),
    "some names": lambda t: t.optim.SGD([("x", p_in(t)), p_in(t)]),
    "a list as group": lambda t: add(t, [p_in(t)], [p_in(t)]),
    "names added": lambda t: add(t, [p_in(t)], {"params": [("z", p_in(t))]}),
    "names missing": lambda t: add(t, [("z", p_in(t))], {"params": [p_in(t)]}),
    "state of no groups": lambda t: with_state(t, {"state": {}, "param_groups": []}),
    "state of two": lambda t: with_state(t, {"state": {}, "param_groups": [{"params": [0, 1]}]}),
    "a hook's number": lambda t: hooked(t, lambda *a: 3),
    **{f"{name}({options})": lambda t, name=name, options=options: getattr(t.optim, name)([p_in(t)], **options)
       for name, options in [
           *[(n, {"lr": -1}) for n in NAMES],
           *[(n, {"weight_decay": -1}) for n in NAMES if n != "Rprop"],
           *[(n, {"eps": -1}) for n in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam", "RMSprop", "Adagrad", "Adadelta")],
           *[(n, {"betas": b}) for n in ("Adam", "AdamW", "Adamax", "NAdam", "RAdam") for b in ((2, 0), (0, 2))],
           *[(n, {"fused": True, "foreach": True}) for n in ("SGD", "Adam", "AdamW", "Adagrad")],
           *[(n, {"fused": True, "differentiable": True}) for n in ("SGD", "Adam", "AdamW", "Adagrad")],
           ("SGD", {"momentum": -1}), ("SGD", {"nesterov": True}), ("RMSprop", {"momentum": -1}),
           ("RMSprop", {"alpha": -1}), ("Adagrad", {"lr_decay": -1}), ("Adagrad", {"initial_accumulator_value": -1}),
           ("Adadelta", {"rho": 2}), ("NAdam", {"momentum_decay": -1}), ("Rprop", {"etas": (2, 0.5)}),
       ]},
    **{f"{name} of two rates": lambda t, name=name: getattr(t.optim, name)([p_in(t)], lr=t.tensor([1.0, 2.0]))
       for name in NAMES},
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    raised = {}
    for t in BOTH:
        with pytest.raises(Exception) as caught:  # noqa: PT011  the type and text are compared below
            REFUSED[name](t)
        raised[t] = type(caught.value).__name__, str(caught.value).split(" at 0x")[0]
    assert raised[leafward] == raised[torch]


def test_duplicates_warn():
    for t in BOTH:
        p = p_in(t)
        with pytest.warns(UserWarning, match="duplicate parameters; in future, this will cause an error"):
            t.optim.SGD([p, p])



def test_names_are_kept():
    for t in BOTH:
        optimizer = t.optim.SGD([("x", p_in(t)), ("y", p_in(t))])
        assert optimizer.param_groups[0]["param_names"] == ["x", "y"]
        assert optimizer.state_dict()["param_groups"][0]["param_names"] == ["x", "y"]


def test_closure_and_zero_grad():
    for t in BOTH:
        p = p_in(t)
        optimizer = t.optim.SGD([p], lr=0.1)

        def closure(p=p, optimizer=optimizer):
            optimizer.zero_grad()
            loss = (p * p).sum()
            loss.backward()
            return loss

        with t.no_grad():
            assert optimizer.step(closure).item() == 2
        assert [round(v, 6) for v in p.tolist()] == [0.8, 0.8]
        grad = p.grad
        optimizer.zero_grad(set_to_none=False)
        assert p.grad is grad
        assert grad.tolist() == [0, 0]
        optimizer.zero_grad()
        assert p.grad is None


def test_hooks_run_in_order():
    log = {t: [] for t in BOTH}
    for t in BOTH:
        optimizer = t.optim.SGD([p_in(t)])

        def note(word, t=t):
            return lambda *args: log[t].append((word, len(args)))
        handles = [getattr(optimizer, f"register_{place}_hook")(note(place)) for place in (
            "step_pre", "step_post", "state_dict_pre", "state_dict_post", "load_state_dict_pre",
            "load_state_dict_post")]
        optimizer.step()
        optimizer.load_state_dict(optimizer.state_dict())
        for handle in handles:
            handle.remove()
        optimizer.step()
    assert log[leafward] == log[torch]


def test_warnings_are_left_alone():
    """An update that overflows gives inf, as in PyTorch, and NumPy says nothing."""
    p = leafward.nn.Parameter(leafward.ones(1))
    p.grad = leafward.tensor([3e38])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        leafward.optim.SGD([p], lr=1e10).step()
    assert p.item() == float("-inf")
