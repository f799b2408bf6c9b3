"""PyTorch's own database of module inputs, run on both sides: outputs, gradients, state and printed form."""
import warnings

import pytest

import leafward
from tests.oracle import assert_same, torch

common_modules = pytest.importorskip("torch.testing._internal.common_modules")

CASES = [(info, training) for info in common_modules.module_db for training in (True, False)
         if training or info.train_and_eval_differ]


def to_ours(value):
    """The same value for leafward: tensors and modules copied, PyTorch's functions and dtypes by name."""
    if isinstance(value, torch.nn.Module):
        return module_like(value)
    if isinstance(value, torch.Tensor):
        ours = leafward.from_numpy(value.detach().numpy().copy())
        return ours.requires_grad_(value.requires_grad) if value.requires_grad else ours
    if isinstance(value, dict):
        return {k: to_ours(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)) and type(value) in (list, tuple):
        return type(value)(to_ours(v) for v in value)
    if isinstance(value, torch.dtype):
        return getattr(leafward, str(value).removeprefix("torch."))
    if isinstance(value, torch.device):
        return "cpu"
    if callable(value) and getattr(torch.nn.functional, getattr(value, "__name__", ""), None) is value:
        return getattr(leafward.nn.functional, value.__name__)
    return value


def module_like(theirs):
    """A leafward module made as ``theirs`` was: only for those that stand as arguments of others."""
    if isinstance(theirs, torch.nn.TransformerEncoderLayer):
        attention = theirs.self_attn
        ours = leafward.nn.TransformerEncoderLayer(
            theirs.linear1.in_features, attention.num_heads, theirs.linear1.out_features, theirs.dropout.p,
            to_ours(theirs.activation), theirs.norm1.eps, attention.batch_first, theirs.norm_first,
            theirs.linear1.bias is not None)
        ours.load_state_dict(to_ours(dict(theirs.state_dict())))
        return ours
    raise NotImplementedError(f"an argument of type {type(theirs).__name__}")


def tensors_of(value):
    if isinstance(value, (torch.Tensor, leafward.Tensor)):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [t for v in value for t in tensors_of(v)]
    return []


def backward(t, outputs):
    wanting = [o for o in outputs if o.requires_grad]
    total = sum((o * t.linspace(-1, 2, max(o.numel(), 1), dtype=o.dtype)[:o.numel()].reshape(o.shape)).sum()
                for o in wanting)
    if wanting:
        total.backward()


def gradients(inputs, module):
    return {"input": tensors_of(inputs), "parameter": list(module.parameters())}


def assert_gradients(ours, theirs):
    for kind, tensors in theirs.items():
        for k, (mine, expected) in enumerate(zip(ours[kind], tensors, strict=True)):
            where = f"gradient of {kind} {k}"
            if not expected.is_leaf:
                continue
            mine, expected = mine.grad, expected.grad
            if expected is None:
                assert mine is None, where
            else:
                assert_same(mine, expected, rtol=1e-4, atol=1e-6, where=where)


def check(info, given, training):
    name = info.module_cls.__name__
    cls = getattr(leafward.nn, name)
    args, kwargs = given.constructor_input.args, given.constructor_input.kwargs
    torch.manual_seed(0)
    theirs = info.module_cls(*args, **kwargs).double().train(training)
    leafward.manual_seed(0)
    ours = cls(*to_ours(args), **to_ours(kwargs)).double().train(training)
    call = given.forward_input
    their_inputs = (call.args, call.kwargs)
    our_inputs = to_ours(their_inputs)
    outputs = {}
    for t, module, (a, k) in ((torch, theirs, their_inputs), (leafward, ours, our_inputs)):
        t.manual_seed(1)
        outputs[t] = module(*a, **k)
    assert repr(ours) == repr(theirs)
    found, expected = tensors_of(outputs[leafward]), tensors_of(outputs[torch])
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        assert_same(a, b, rtol=1e-4, atol=1e-6)
    state = theirs.state_dict()
    assert list(ours.state_dict()) == list(state)
    for key, value in state.items():
        assert_same(ours.state_dict()[key], value, rtol=1e-5, atol=1e-6, where=key)
    backward(torch, expected)
    backward(leafward, found)
    assert_gradients(gradients(our_inputs, ours), gradients(their_inputs, theirs))


@pytest.mark.parametrize("info, training", CASES, ids=[f"{i.name}-{'train' if t else 'eval'}" for i, t in CASES])
def test_module(info, training):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", FutureWarning)
        for given in info.module_inputs_func(info, device="cpu", dtype=torch.float64, requires_grad=True,
                                             training=training):
            try:
                check(info, given, training)
            except Exception as error:
                error.add_note(f"{given.desc or ''} {given.constructor_input.args} {given.constructor_input.kwargs}")
                raise
