"""The helpers that authors of layers and optimizers import from PyTorch's files, against PyTorch's."""
from collections import OrderedDict
import importlib
import warnings

import pytest

import leafward
from tests.oracle import assert_same, torch

BOTH = (leafward, torch)


def answers(ask):
    found = []
    for t in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                value = ask(t)
            except Exception as error:  # noqa: BLE001  it is the answer
                value = type(error).__name__, str(error)
        found.append((value, [(w.category, str(w.message)) for w in caught]))
    return found


def part(t, name):
    return importlib.import_module(f"{t.__name__}.{name}")


FLAGS = (None, True, False)


@pytest.mark.parametrize("ask", [
    lambda t: [t.nn._reduction.get_enum(r) for r in ("none", "mean", "sum", "elementwise_mean")],
    lambda t: t.nn._reduction.get_enum("x"),
    lambda t: [t.nn._reduction.legacy_get_string(a, b) for a in FLAGS for b in FLAGS],
    lambda t: [t.nn.functional._Reduction.legacy_get_enum(a, b, emit_warning=False) for a in FLAGS for b in FLAGS],
    lambda t: [t.nn.functional._verify_batch_size(size) for size in ([2, 3], [1, 3, 2])],
    lambda t: t.nn.functional._verify_batch_size([1, 3]), lambda t: t.nn.functional._verify_batch_size([1, 3, 1, 1]),
    lambda t: t.nn.functional._verify_spatial_size([2, 3, 1, 1]), lambda t: t.nn.functional._verify_spatial_size([2, 3, 1, 2]),
    lambda t: [t.nn.functional._get_softmax_dim("softmax", n, 3) for n in range(5)],
    lambda t: t.nn.functional._unpool_output_size(t.ones(1, 1, 3, 3), [2, 2], [2, 2], [0, 0], None),
    lambda t: t.nn.functional._unpool_output_size(t.ones(1, 1, 3), [2], [2], [0], (9,)),
    lambda t: t.nn.functional._check_key_padding_mask(t.ones(2, 3), 4, 2),
    lambda t: t.nn.functional.assert_int_or_pair([1, 2, 3], "size", "{} is no pair"),
    lambda t: t.nn.functional.assert_int_or_pair(3, "size", "{} is no pair"),
    lambda t: [t.nn.functional.boolean_dispatch("f", 1, False, lambda *a, **k: "yes", lambda *a, **k: "no", "m", "n")(*a, **k)
               for a, k in (((0,), {}), ((0, True), {}), ((0,), {"f": True}), ((0, False), {}))],
    lambda t: part(t, "nn.modules.utils")._list_with_default([None, 3], [4, 5, 6]),
    lambda t: part(t, "nn.modules.utils")._list_with_default(3, [4]),
    lambda t: part(t, "nn.modules.utils")._list_with_default([1, 2], [4, 5]),
    lambda t: [part(t, "nn.modules.utils")._ntuple(3)(x) for x in (2, [1, 2])],
    lambda t: part(t, "nn.modules.utils")._ntuple(2).__name__,
    lambda t: [part(t, "nn.modules.utils")._reverse_repeat_tuple((1, 2), 2), t.nn.functional._pair(3)],
    lambda t: t.nn.factory_kwargs(None), lambda t: t.nn.factory_kwargs({"device": 1, "dtype": 2}),
    lambda t: t.nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"device": 2}}), lambda t: t.nn.factory_kwargs({"x": 1}),
    lambda t: t.nn.factory_kwargs({"dtype": 1, "factory_kwargs": {"dtype": 2}}),
    lambda t: [part(t, "optim.optimizer")._get_value(x) for x in (t.tensor(2.0), 3)],
    lambda t: [str(part(t, "optim.optimizer")._get_scalar_dtype(f)) for f in (None, True)],
    lambda t: part(t, "optim.optimizer")._stack_if_compiling([1]),
])
def test_plain_answers(ask):
    ours, theirs = answers(ask)
    assert ours == theirs


def test_prefixes_of_states():
    found = []
    for t in BOTH:
        state = OrderedDict({"module.a": 1, "b": 2, "modules.c": 3})
        state._metadata = {"": 0, "module": 1, "module.a": 2, "other": 3}
        part(t, "nn.modules.utils").consume_prefix_in_state_dict_if_present(state, "module.")
        found.append((list(state.items()), state._metadata))
    assert found[0] == found[1]


def test_projections():
    for name, count in (("_in_projection", 3), ("_in_projection_packed", 1)):
        results = []
        for t in BOTH:
            q, k, v = (t.arange(12.0).reshape(3, 1, 4) * s for s in (1, 2, 3))
            weights = [t.arange(48.0).reshape(12, 4)] if count == 1 else [t.arange(16.0).reshape(4, 4) + i for i in range(3)]
            biases = [t.arange(12.0)] if count == 1 else [t.arange(4.0) * i for i in range(3)]
            results.append([*getattr(t.nn.functional, name)(q, k, v, *weights, *biases),
                            *getattr(t.nn.functional, name)(q, k, v, *weights)])
        for ours, theirs in zip(*results, strict=True):
            assert_same(ours, theirs)


def test_views_of_complex_lists():
    for t in BOTH:
        params, grads = ([t.ones(2, dtype=t.complex64), t.ones(2)] for _ in range(2))
        part(t, "optim.optimizer")._view_as_real(params, grads)
        assert [tuple(x.shape) for x in (*params, *grads)] == [(2, 2), (2,), (2, 2), (2,)]


def descent(t):
    helpers = part(t, "optim.optimizer")

    class Plain(t.optim.Optimizer):
        @helpers._use_grad_for_differentiable
        def step(self):
            for group in self.param_groups:
                for p in group["params"]:
                    p.add_(p.grad, alpha=-helpers._get_value(group["lr"]))
    return Plain


def test_an_optimizer_of_the_users():
    """Written as PyTorch's own are: recorded where it is asked to be."""
    for t in BOTH:
        cls = descent(t)
        x = t.ones(2, requires_grad=True)
        recorded = x * 1
        recorded.grad = x * 3
        cls([recorded], {"lr": 0.5, "differentiable": True}).step()
        assert t.autograd.grad(recorded.sum(), x)[0].tolist() == [-0.5, -0.5]
        leaf = t.ones(2, requires_grad=True)
        leaf.grad = t.ones(2)
        cls([leaf], {"lr": 0.5, "differentiable": False}).step()
        assert leaf.tolist() == [0.5, 0.5]


def test_compile_of_a_module_leaves_it_alone(monkeypatch):
    from leafward import jit
    monkeypatch.setattr(jit, "noticed", set())
    layer = leafward.nn.Linear(2, 2)
    with pytest.warns(UserWarning, match="no graph compiler"):
        assert layer.compile() is None
    assert layer(leafward.ones(1, 2)).shape == (1, 2)


@pytest.mark.parametrize("device", ["xpu", "mtia"])
def test_devices_that_are_not_there(device):
    with pytest.raises((RuntimeError, AssertionError)):
        getattr(leafward.nn.Linear(2, 2), device)()
