"""Every layer against PyTorch's: values, gradients, initial weights, saved state, printing, refusals."""
import copy
import pickle
import warnings

import pytest

import leafward
from tests.nn.layers import LAYERS, PRINTED, RANDOM, REFUSED, make, seeded, tensors
from tests.oracle import assert_same, torch

BOTH = (leafward, torch)
ALL = [*LAYERS, *RANDOM]
INPUTS = {**LAYERS, **RANDOM}

pytestmark = pytest.mark.filterwarnings("ignore:Initializing zero-element tensors is a no-op")


def run(t, layer, inputs):
    """Outputs, and the gradients of the inputs and of the parameters for a fixed weighting of the outputs."""
    outputs = layer(*inputs)
    if outputs.requires_grad:
        weights = t.linspace(-1, 2, max(outputs.numel(), 1), dtype=outputs.dtype)[:outputs.numel()]
        (outputs * weights.reshape(outputs.shape)).sum().backward()
    return outputs, [x.grad for x in inputs], {name: p.grad for name, p in layer.named_parameters()}


def assert_same_grads(ours, theirs, where):
    if theirs is None:
        assert ours is None, where
    else:
        assert_same(ours, theirs, rtol=1e-4, atol=1e-5, where=where)


@pytest.mark.parametrize("training", [True, False], ids=["train", "eval"])
@pytest.mark.parametrize("expression", ALL)
def test_values_and_gradients(expression, training):
    seen, layers = {}, {}
    for t in BOTH:
        layers[t] = seeded(t, expression).train(training)
        t.manual_seed(3)
        seen[t] = run(t, layers[t], tensors(t, INPUTS[expression]))
    assert_same(seen[leafward][0], seen[torch][0], rtol=1e-4, atol=1e-5)
    for i, (ours, theirs) in enumerate(zip(seen[leafward][1], seen[torch][1], strict=True)):
        assert_same_grads(ours, theirs, f"input {i}")
    for name, theirs in seen[torch][2].items():
        assert_same_grads(seen[leafward][2][name], theirs, name)
    for name, theirs in layers[torch].named_buffers():
        assert_same(dict(layers[leafward].named_buffers())[name], theirs, rtol=1e-4, where=name)


@pytest.mark.parametrize("expression", ALL)
def test_initial_weights(expression):
    ours, theirs = (seeded(t, expression).state_dict() for t in BOTH)
    assert list(ours) == list(theirs)
    for name, value in theirs.items():
        assert_same(ours[name], value, where=name)
    assert ours._metadata == theirs._metadata
    assert leafward.rand(1).item() == torch.rand(1).item()      # both drew equally many numbers


@pytest.mark.parametrize("expression", [*ALL, *PRINTED])
def test_printing(expression):
    assert repr(make(leafward, expression)) == repr(make(torch, expression))


@pytest.mark.parametrize("expression", ALL)
def test_state_crosses_over(expression):
    ours, theirs = seeded(leafward, expression, 1), seeded(torch, expression, 2)
    saved = {k: leafward.from_numpy(v.numpy().copy()) for k, v in theirs.state_dict().items()}
    assert repr(ours.load_state_dict(saved)) == "<All keys matched successfully>"
    for name, value in theirs.state_dict().items():
        assert_same(ours.state_dict()[name], value, where=name)


@pytest.mark.parametrize("keep", [copy.deepcopy, lambda m: pickle.loads(pickle.dumps(m))], ids=["deepcopy", "pickle"])
@pytest.mark.parametrize("expression", ALL)
def test_copies_compute_the_same(expression, keep):
    layer = seeded(leafward, expression).eval()
    copied = keep(layer)
    assert repr(copied) == repr(layer)
    assert_same(copied(*tensors(leafward, INPUTS[expression])), copy_out(layer(*tensors(leafward, INPUTS[expression]))))
    for a, b in zip(copied.parameters(), layer.parameters(), strict=True):
        assert a is not b
        assert a.data_ptr() != b.data_ptr() or a.numel() == 0


def copy_out(tensor):
    return torch.from_numpy(tensor.detach().numpy().copy())


@pytest.mark.parametrize("expression", REFUSED)
def test_refusals(expression):
    raised = {}
    for t in BOTH:
        with pytest.raises(Exception) as caught:  # noqa: PT011  the type and text are compared below
            make(t, expression)
        raised[t] = type(caught.value).__name__, str(caught.value)
    assert raised[leafward] == raised[torch]


@pytest.mark.parametrize("expression", [
    "Linear(3, 0)", "Hardtanh(min_value=-3)", "Hardtanh(max_value=3)", "MSELoss(size_average=False)",
    "MSELoss(reduce=False)", "L1Loss(size_average=True, reduce=True)", "NLLLoss2d()",
    "InstanceNorm1d(3)(t.ones(2, 4, 4))",
])
@pytest.mark.filterwarnings("default")
def test_warnings(expression):
    said = {}
    for t in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            make(t, expression)
        said[t] = [(w.category.__name__, str(w.message)) for w in caught]
    assert said[leafward] == said[torch]
    assert said[torch]


@pytest.mark.parametrize("expression", ALL)
def test_floating_layers_move_to_double(expression):
    layer = seeded(leafward, expression).double()
    for t in (*layer.parameters(), *layer.buffers()):
        assert t.dtype in (leafward.float64, leafward.int64)
