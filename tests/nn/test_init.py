"""Initial values against PyTorch's: the same seed gives the same numbers and leaves the generator at the same place."""
import warnings

import pytest

import leafward
from tests.oracle import assert_same, torch

BOTH = (leafward, torch)

#: Call on an empty tensor of the given shape.
CASES = [
    ("uniform_", (3, 4), {}), ("uniform_", (5,), {"a": -2, "b": 3}), ("normal_", (3, 4), {}), ("normal_", (20,), {}),
    ("normal_", (5, 5), {"mean": 2, "std": 0.5}), ("constant_", (2, 2), {"val": 3}), ("ones_", (3,), {}),
    ("zeros_", (3,), {}), ("eye_", (3, 4), {}), ("eye_", (4, 2), {}), ("dirac_", (3, 2, 3), {}),
    ("dirac_", (4, 2, 3, 2), {"groups": 2}), ("dirac_", (2, 3, 1, 2, 3), {}), ("xavier_uniform_", (3, 4), {}),
    ("xavier_uniform_", (3, 4, 2, 2), {"gain": 2.0}), ("xavier_normal_", (5, 4), {}), ("kaiming_uniform_", (3, 4), {}),
    ("kaiming_uniform_", (3, 4, 2), {"a": 0.2, "mode": "fan_out"}),
    ("kaiming_normal_", (5, 4), {"nonlinearity": "relu"}), ("kaiming_normal_", (5, 4), {"nonlinearity": "tanh"}),
    ("orthogonal_", (3, 5), {}), ("orthogonal_", (5, 3), {"gain": 2}), ("orthogonal_", (3, 2, 2), {}),
    ("orthogonal_", (0, 2), {}), ("sparse_", (6, 3), {"sparsity": 0.4}),
    ("sparse_", (5, 2), {"sparsity": 0.1, "std": 2.0}),
    ("trunc_normal_", (7,), {}), ("trunc_normal_", (40,), {"mean": 1, "std": 3, "a": -1, "b": 0.5}),
    ("trunc_normal_", (40,), {"a": -0.5, "b": 0.5}), ("trunc_normal_", (40,), {"a": 1.0, "b": 2.0}),
    ("trunc_normal_", (40,), {"a": 2.0, "b": 9.0}), ("trunc_normal_", (5, 5), {"std": 0.02}),
    ("trunc_normal_", (3,), {"mean": 5, "a": -2, "b": 2}), ("kaiming_normal_", (0, 3), {}),
]

REFUSED = {
    "gain": lambda t, init, e: init.calculate_gain("foo"),
    "slope": lambda t, init, e: init.calculate_gain("leaky_relu", "a"),
    "slope of True": lambda t, init, e: init.calculate_gain("leaky_relu", True),
    "fan of a vector": lambda t, init, e: init.kaiming_uniform_(e(2)),
    "xavier of a vector": lambda t, init, e: init.xavier_uniform_(e(2)),
    "mode": lambda t, init, e: init.kaiming_normal_(e(2, 2), mode="foo"),
    "nonlinearity": lambda t, init, e: init.kaiming_normal_(e(2, 2), nonlinearity="foo"),
    "eye of a vector": lambda t, init, e: init.eye_(e(2)),
    "dirac of a matrix": lambda t, init, e: init.dirac_(e(2, 2)),
    "dirac in groups": lambda t, init, e: init.dirac_(e(3, 2, 2), groups=2),
    "orthogonal of a vector": lambda t, init, e: init.orthogonal_(e(2)),
    "sparse of a vector": lambda t, init, e: init.sparse_(e(2), 0.1),
    "bounds in the wrong order": lambda t, init, e: init.trunc_normal_(e(2), 0, 1, 2, -2),
    "a negative deviation": lambda t, init, e: init.normal_(e(2), std=-1),
}


@pytest.mark.filterwarnings("ignore:mean is more than 2 std", "ignore:Initializing zero-element tensors")
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name, shape, options", CASES, ids=str)
def test_same_seed_same_numbers(name, shape, options, dtype):
    made = {}
    for t in BOTH:
        t.manual_seed(11)
        empty = t.empty(shape, dtype=getattr(t, dtype), requires_grad=True)
        made[t] = getattr(t.nn.init, name)(empty, **options)
        assert made[t] is empty
        assert made[t].is_leaf
    assert_same(made[leafward], made[torch])
    assert leafward.rand(1).item() == torch.rand(1).item()


def test_a_generator_of_ones_own():
    made = {}
    for t in BOTH:
        t.manual_seed(0)
        generator = t.Generator().manual_seed(5)
        made[t] = [getattr(t.nn.init, name)(t.empty(4, 4), generator=generator)
                   for name in ("uniform_", "normal_", "xavier_uniform_", "kaiming_normal_", "trunc_normal_",
                                "orthogonal_")] + [t.rand(2)]
    assert_same(made[leafward], made[torch])


def test_gains():
    for name in ("linear", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d", "conv_transpose3d",
                 "sigmoid", "tanh", "relu", "leaky_relu", "selu"):
        assert leafward.nn.init.calculate_gain(name) == torch.nn.init.calculate_gain(name)
    assert leafward.nn.init.calculate_gain("leaky_relu", 0.2) == torch.nn.init.calculate_gain("leaky_relu", 0.2)


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    raised = {}
    for t in BOTH:
        with pytest.raises(Exception) as caught:  # noqa: PT011  the type and text are compared below
            REFUSED[name](t, t.nn.init, lambda *shape, t=t: t.empty(shape))
        raised[t] = type(caught.value).__name__, str(caught.value)
    assert raised[leafward] == raised[torch]


@pytest.mark.parametrize("name", [
    "uniform", "normal", "constant", "eye", "xavier_uniform", "kaiming_normal", "orthogonal"])
def test_older_names_warn(name):
    said = {}
    for t in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            getattr(t.nn.init, name)(t.empty(3, 3), **{"val": 1} if name == "constant" else {})
        said[t] = [(w.category.__name__, str(w.message)) for w in caught]
    assert said[leafward] == said[torch]
