"""Selective checkpointing: what a policy is shown, what is kept, and what is computed again."""
from functools import partial
from importlib import import_module

import pytest

import leafward
from leafward.core.op import registry
from leafward.utils.checkpoint import checkpoint, create_selective_checkpoint_contexts
from tests.both import both

aten = leafward.ops.aten


def parts(t):
    module = import_module(t.__name__ + ".utils.checkpoint")
    return module.checkpoint, module.create_selective_checkpoint_contexts, module.CheckpointPolicy


def network(t, x, w):
    h = t.tanh(x @ w).relu()
    return (t.nn.functional.softmax(h @ w, 1) * h).sum()


def inputs(t):
    x = t.arange(9.0, dtype=t.float64).reshape(3, 3) / 10
    return x.clone().requires_grad_(), (x.mT - 0.4).requires_grad_()


@pytest.mark.parametrize("kept", ["mm", "tanh", "relu", "sum", "mm tanh relu mul sum", "max", ""])
def test_gradients_are_those_without(kept):
    @both
    def scenario(t, see):
        checkpoint, contexts, _ = parts(t)
        names = [getattr(t.ops.aten, name) for name in kept.split()]
        listed = [packet.Tensor if str(packet).endswith("mul") else packet.default for packet in names]
        x, w = inputs(t)
        checkpoint(partial(network, t), x, w, use_reentrant=False, context_fn=partial(contexts, listed)).backward()
        given = x.grad, w.grad
        x, w = inputs(t)
        network(t, x, w).backward()
        see(t.allclose(given[0], x.grad), t.allclose(given[1], w.grad))
    scenario()


@both
def test_what_a_policy_is_shown(t, see):
    checkpoint, contexts, policies = parts(t)
    seen = []

    def policy(context, op, *args, **kwargs):
        seen.append((op.name().partition(".")[0], context.is_recompute, tuple(context.op_output.shape), tuple(args[0].shape)))
        return policies.MUST_SAVE if op == t.ops.aten.mm.default else policies.PREFER_RECOMPUTE
    x, w = inputs(t)
    out = checkpoint(lambda x, w: t.tanh(x @ w).relu().sum(), x, w, use_reentrant=False, context_fn=partial(contexts, policy))
    see(seen)
    out.backward()                                          # is not asked again
    see(len(seen), x.grad, [p.name for p in policies], [p.value for p in policies])


@both
def test_refusals(t, see):
    checkpoint, contexts, policies = parts(t)
    mm = t.ops.aten.mm
    x, w = inputs(t)
    see.raises(contexts, 3)
    for wrong in t.mm, mm:
        with pytest.raises(ValueError, match="Expected op in `op_list` to be an OpOverload but got"):
            contexts([wrong])
    save = partial(contexts, [mm.default])
    see.raises(checkpoint, partial(network, t), x, w, use_reentrant=True, context_fn=save)
    out = checkpoint(partial(network, t), x, w, use_reentrant=False, context_fn=save)
    out.backward(retain_graph=True)
    see.raises(out.backward)

    def writes(x, w):
        y = x @ w
        return y.add_(1).tanh().sum()
    for contexts in save, partial(save, allow_cache_entry_mutation=True):
        see.raises(checkpoint(writes, x, w, use_reentrant=False, context_fn=contexts).backward)


@both
def test_names_of_operations(t, see):
    mm = t.ops.aten.mm
    see(str(mm.default), mm.default.name(), mm.default.namespace)
    see(mm.default == t.ops.aten.mm.default, len({mm.default, t.ops.aten.mm.default}))
    see(str(t.ops.aten.add.Tensor), repr(mm), mm.default == t.ops.aten.bmm.default)
    see(mm.default(t.eye(2), t.eye(2)), mm(t.eye(2), t.eye(2)))


def runs(monkeypatch, name):
    """How often the forward of an op has run."""
    op, count = registry[name], []
    parts = (("kernel", None), ("has_general_kernel", False), ("tapes", None), ("calls", None))
    for part, nothing in parts:                             # then its forward runs
        monkeypatch.setattr(op, part, nothing)
    op.plans.clear()
    forward = op.forward
    monkeypatch.setattr(op, "forward", lambda *args, **kwargs: count.append(1) or forward(*args, **kwargs))
    return count


@pytest.mark.parametrize(("name", "overload", "function"), [
    ("logsumexp", aten.logsumexp.default, lambda x: (x * 2).logsumexp(1).sin().sum()),
    ("_max_pool", aten.max_pool2d_with_indices.default, lambda x: leafward.max_pool2d(x[None] * 2, 2).sin().sum()),
    ("sort", aten.sort.default, lambda x: (x * 2).sort(0).values.sin().sum()),
])
def test_kept_operations_run_once(monkeypatch, name, overload, function):
    count = runs(monkeypatch, name)
    expected = leafward.arange(16.0).reshape(4, 4).requires_grad_()
    function(expected).backward()
    for kept, times in ([], 2), ([overload], 1):
        count.clear()
        x = leafward.arange(16.0).reshape(4, 4).requires_grad_()
        checkpoint(function, x, use_reentrant=False, context_fn=partial(create_selective_checkpoint_contexts, kept)).backward()
        assert len(count) == times
        assert leafward.equal(x.grad, expected.grad)


def test_random_numbers_after_a_kept_dropout():
    def function(x):
        return leafward.dropout(leafward.dropout(x, 0.5, True), 0.5, True).exp().sum()

    def policy(context, op, *args):
        return True
    gradients = []
    for contexts in [], [policy]:
        x = leafward.ones(50, requires_grad=True)
        leafward.manual_seed(0)
        if contexts:
            out = checkpoint(function, x, use_reentrant=False, context_fn=partial(create_selective_checkpoint_contexts, policy))
        else:
            out = function(x)
        out.backward()
        gradients.append(x.grad)
    assert leafward.equal(*gradients)


def test_custom_functions_and_writes_inside():
    class Double(leafward.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return 2 * x

        @staticmethod
        def backward(ctx, g):
            return 2 * g

    def function(x):
        y = Double.apply(x) * 1
        y[0] = 1.0
        return y.mul_(3).sin().sum()
    gradients = []
    for contexts in None, partial(create_selective_checkpoint_contexts, [aten.sin.default, aten.sum.default]):
        x = leafward.tensor([0.1, 0.2], requires_grad=True)
        out = function(x) if contexts is None else checkpoint(function, x, use_reentrant=False, context_fn=contexts)
        out.backward()
        gradients.append(x.grad)
    assert leafward.equal(*gradients)


def test_out_is_refused():
    def function(x):
        with leafward.no_grad():
            leafward.sin(x, out=leafward.empty(2))
        return x.sum()
    with pytest.raises(NotImplementedError, match="use what the function returns"):
        checkpoint(function, leafward.ones(2, requires_grad=True), use_reentrant=False,
                   context_fn=partial(create_selective_checkpoint_contexts, []))


@both
def test_one_recomputation_for_several_backward_calls(t, see):
    module = import_module(t.__name__ + ".utils.checkpoint")
    x, count = t.tensor([0.5, 1.0], requires_grad=True), []

    def function(x):
        count.append(1)
        return x.sin().exp(), x.cos()
    for grouped in True, False:
        count.clear()
        a, b = module.checkpoint(function, x, use_reentrant=False)
        if grouped:
            with module.GraphExecGroup():
                a.sum().backward(retain_graph=True)
                b.sum().backward()
        else:
            a.sum().backward(retain_graph=True)
            b.sum().backward()
        see(len(count), x.grad)

    def overlapping():
        a, _ = module.checkpoint(function, x, use_reentrant=False)
        with module.GraphExecGroup():
            a.sum().backward(retain_graph=True)
            a.sum().backward()
    see.raises(overlapping)

    def nested():
        with module.GraphExecGroup(), module.GraphExecGroup():
            pass
    try:
        nested()
    except RuntimeError as error:
        see(str(error).partition(" <")[0])


@both
def test_devices(t, see):
    module = import_module(t.__name__ + ".utils.checkpoint")
    see(module.get_device_states(t.ones(2)), module.set_device_states([], []))
    module.DefaultDeviceType.set_device_type("cpu")
    see(module.DefaultDeviceType.get_device_type())
