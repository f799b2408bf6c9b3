"""``linearize``, ``rearrange``, ``functionalize``, and modules without running averages."""
from importlib import import_module

import pytest

import leafward
from leafward.func import grad, jacrev, jvp, linearize, vmap
from tests.both import both


def func(t):
    return import_module(t.__name__ + ".func")


# --- linearize ------------------------------------------------------------------------------------------------------

def mixed(x, w):
    return (leafward.tanh(x @ w) * x).sum(0)


def points(*shapes):
    generator = leafward.Generator().manual_seed(3)
    return [leafward.randn(*shape, dtype=leafward.float64, generator=generator) for shape in shapes]


def test_linearize_runs_the_function_once_and_is_jvp():
    (x, w, *directions), calls = points(*[(3, 3)] * 6), []
    value, push = linearize(lambda *x: calls.append(1) or mixed(*x), x, w)
    assert leafward.equal(value, mixed(x, w))
    for tangents in directions[:2], directions[2:]:
        assert leafward.allclose(push(*tangents), jvp(mixed, (x, w), tuple(tangents))[1])
    assert len(calls) == 1


def test_linearize_inside_other_transforms():
    x, w, t, u = points(*[(3, 3)] * 4)

    def by_push(x):
        return linearize(mixed, x, w)[1](t, u)

    def by_jvp(x):
        return jvp(mixed, (x, w), (t, u))[1]
    assert leafward.allclose(jacrev(by_push)(x), jacrev(by_jvp)(x))
    assert leafward.allclose(jvp(by_push, (x,), (t,))[1], jvp(by_jvp, (x,), (t,))[1])
    xs = leafward.stack([x, w, t])
    assert leafward.allclose(vmap(by_push)(xs), vmap(by_jvp)(xs))
    assert leafward.allclose(vmap(grad(lambda x: by_push(x).sum()))(xs), vmap(grad(lambda x: by_jvp(x).sum()))(xs))
    push = linearize(mixed, x, w)[1]
    assert leafward.allclose(vmap(push)(xs, xs), leafward.stack([push(d, d) for d in xs]))


def test_linearize_asks_a_forward_rule_where_there_is_one():
    """The padding row moves the output, though its gradient is left out."""
    weight, = points((4, 2))

    def rows(weight):
        return leafward.nn.functional.embedding(leafward.tensor([1, 2]), weight, padding_idx=2)
    assert leafward.equal(linearize(rows, weight)[1](leafward.ones_like(weight)), leafward.ones(2, 2, dtype=leafward.float64))


@pytest.mark.filterwarnings("ignore")   # PyTorch's own tracer
@both
def test_linearize_of_containers(t, see):
    x = t.tensor([1.0, 2.0])
    value, push = func(t).linearize(lambda d: {"o": d["a"] ** 2, "p": d["b"], "n": t.ones(1)}, {"a": x, "b": x})
    see(value, push({"a": t.ones(2), "b": t.zeros(2)}))
    value, push = func(t).linearize(t.sin, x)
    for tangents in (), ((x,),), (t.ones(3),), (x.double(),):
        see.raises(push, *tangents)
    value, push = func(t).linearize(lambda x: (x, 3), x)
    see(value)


def test_linearize_at_a_point_with_a_history():
    """PyTorch's push forgets where the point came from."""
    x = leafward.tensor([1.0, 2.0], requires_grad=True)
    value, push = linearize(leafward.sin, x)
    pushed = push(leafward.ones(2))
    assert value.requires_grad
    assert leafward.allclose(leafward.autograd.grad(pushed.sum(), x)[0], -x.detach().sin())
    with leafward.no_grad():
        assert not push(leafward.ones(2)).requires_grad


# --- rearrange --------------------------------------------------------------------------------------------------------

PATTERNS = ["a b c -> c (b a)", "a b c -> c b a", "a ... -> ... a", "a b c -> a b c 1", "a b c -> a () b c", "... -> ...",
            "a b ... c -> a c ... b", "a b c -> a b", "a b -> b a", "a b c -> a d c", "(a d) b c -> a d b c", "a a b -> a b",
            "a b c - a", "a b c -> a (b c", "a b c -> a b) c", "a () b c -> a b c", "... b ... -> b", "a (b ...) -> a b ...",
            "a b c -> a (...) b c", "  a  b c->a (b  c)  "]


@pytest.mark.parametrize("pattern", PATTERNS)
def test_rearrange(pattern):
    @both
    def scenario(t, see):
        x = t.arange(24).reshape(2, 3, 4)
        try:
            value = func(t).rearrange(x, pattern)
        except ValueError as error:
            see("ValueError", str(error).split("{")[0].split(": '")[0])
        except Exception as error:  # noqa: BLE001  its type is PyTorch's own
            see(type(error).__name__)
        else:
            see(value)
    scenario()


@both
def test_rearrange_with_lengths(t, see):
    x = t.arange(24).reshape(2, 3, 4)
    rearrange = func(t).rearrange
    see(rearrange(x, "a b (c d) -> a (b c) d", c=2), rearrange(x, "(a e) b c -> e (a b) c", a=2))
    see(rearrange([x, x + 1], "n a b c -> a b (n c)"), rearrange(x, "... (c d) -> d ... c", d=4))
    see(rearrange(x, "a b c -> (a b c)"), rearrange(x, "... c -> (... c)"))
    see.raises(rearrange, x, "a b c -> c b a", q=2)


def test_rearrange_that_does_not_fit():
    x = leafward.zeros(2, 3)
    for pattern, lengths in (("(a b) c -> a b c", {"a": 3}), ("a 1 -> a", {}), ("a ? -> a", {})):
        with pytest.raises((ValueError, Exception), match="fit|dropped|Invalid"):
            leafward.func.rearrange(x, pattern, **lengths)


def test_rearrange_is_differentiable():
    x = leafward.arange(6.0).reshape(2, 3)
    weights = leafward.arange(6.0).reshape(3, 2)
    assert leafward.equal(grad(lambda x: (leafward.func.rearrange(x, "a b -> b a") * weights).sum())(x), weights.mT)


# --- programs and modules ---------------------------------------------------------------------------------------------

@both
def test_functionalize(t, see):
    functionalize = func(t).functionalize

    def program(x):
        y = x.clone()
        y[0].add_(1)
        x.mul_(2)
        return y * x
    x = t.tensor([1.0, 2.0])
    see(functionalize(program)(x), x)
    see(functionalize(program, remove="mutations_and_views")(x), x)
    see(func(t).grad(lambda x: functionalize(lambda x: x.clone().mul_(x))(x).sum())(x))
    see.raises(functionalize, program, remove="views")


@both
def test_batch_norm_without_running_averages(t, see):
    root = t.nn.Sequential(t.nn.Linear(3, 3), t.nn.Sequential(t.nn.BatchNorm1d(3)),
                           t.nn.InstanceNorm1d(3, track_running_stats=True))
    see(func(t).replace_all_batch_norm_modules_(root) is root)
    see(sorted(name for name, _ in root.named_buffers()))
    see(root[1][0].track_running_stats, root[1][0].running_mean)


@both
def test_a_look_inside_vmap(t, see):
    debug_unwrap = func(t).debug_unwrap

    def inner(x):
        see(debug_unwrap(x), tuple(debug_unwrap(x, recurse=False).shape))
        return x
    func(t).vmap(inner)(t.ones(2, 3))
    see(debug_unwrap(t.ones(2)))


@pytest.mark.parametrize("module", ["autograd", "func", "autograd.graph", "autograd.forward_ad", "autograd.functional",
                                    "autograd.variable", "autograd.grad_mode", "autograd.function", "autograd.anomaly_mode",
                                    "utils.checkpoint"])
def test_every_public_name_is_there(module):
    there, here = (import_module(f"{name}.{module}") for name in ("torch", "leafward"))
    public = getattr(there, "__all__", None) or [name for name in vars(there) if not name.startswith("_")]
    assert not [name for name in public if not hasattr(here, name)]


@both
def test_settings_that_change_nothing(t, see):
    a = t.autograd
    see(a.is_multithreading_enabled())
    with a.set_multithreading_enabled(False):
        see(a.is_multithreading_enabled())
        with a.enforce_grad_layout_policy(False), a.enforce_grad_layout_policy():
            pass
    see(a.is_multithreading_enabled())
    a.set_multithreading_enabled(False)
    see(a.is_multithreading_enabled())
    a.set_multithreading_enabled(True)

    @a.set_multithreading_enabled(False)
    def inside():
        return a.is_multithreading_enabled()
    see(a.is_multithreading_enabled(), inside(), a.is_multithreading_enabled())
    a.set_multithreading_enabled(True)
    see(a.graph.set_warn_on_accumulate_grad_stream_mismatch(True))
    a.graph.set_warn_on_accumulate_grad_stream_mismatch(False)
    see(a.graph.set_override_stale_capture_stream(False))
    budget = a.graph.region_activation_memory_budget
    see.raises(budget, 2.0)
    see.raises(budget, "a")
    see.raises(budget, 0.5)
