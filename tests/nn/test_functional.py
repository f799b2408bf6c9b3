"""The functions that Python makes of declared ones, against PyTorch's."""
import warnings

import pytest

import leafward
from tests.oracle import assert_same, torch

BOTH = (leafward, torch)


def pooled(t, dims, **options):
    """An unpooling, with all that it may be given."""
    f = t.nn.functional
    x = t.linspace(-1, 1, 2 * 6 ** dims).reshape(2, *[6] * dims).sin().requires_grad_(True)
    values, places = getattr(f, f"max_pool{dims}d")(x, 2, return_indices=True)
    out = getattr(f, f"max_unpool{dims}d")(values, places, 2, **options)
    (out * out).sum().backward()
    return out, x.grad


@pytest.mark.parametrize("dims", [1, 2, 3])
@pytest.mark.parametrize("sizes", ["default", "asked", "with batch"])
def test_unpooling(dims, sizes):
    options = {"default": {}, "asked": {"output_size": [7] * dims},
               "with batch": {"output_size": [1, 2, *[7] * dims]}}
    assert_same(pooled(leafward, dims, **options[sizes]), pooled(torch, dims, **options[sizes]))


@pytest.mark.parametrize("name", ["max_pool1d", "max_pool2d", "max_pool3d", "adaptive_max_pool1d",
                                  "adaptive_max_pool2d", "adaptive_max_pool3d"])
def test_pooling_with_indices(name):
    dims = int(name[-2])
    results = []
    for t in BOTH:
        x = t.linspace(-3, 3, 2 * 4 ** dims).reshape(1, 2, *[4] * dims).sin()
        results.append(getattr(t.nn.functional, f"{name}_with_indices")(x, 2))
    assert_same(*results)


def test_the_norm_of_zeros_has_no_gradient():
    for t in BOTH:
        x = t.zeros(1, 1, 2, 2, requires_grad=True)
        t.nn.functional.lp_pool2d(x, 2, 2).sum().backward()
        assert x.grad.tolist() == [[[[0, 0], [0, 0]]]]


@pytest.mark.parametrize("name, options", [
    ("relu_", ()), ("celu_", (0.5,)), ("elu_", (0.5,)), ("hardtanh_", (-0.5, 0.5)), ("leaky_relu_", (0.2,)),
    ("selu_", ()), ("threshold_", (0.1, 5.0)), ("rrelu_", (0.1, 0.3, False)), ("rrelu_", (0.1, 0.3, True)),
])
def test_in_place_forms(name, options):
    made = {}
    for t in BOTH:
        t.manual_seed(0)
        made[t] = t.tensor([-2.0, -0.3, 0.0, 0.4, 2.0])
        assert getattr(t.nn.functional, name)(made[t], *options) is made[t]
    assert_same(made[leafward], made[torch])


def squares(t, place=3):
    """Values and their places, of which the last may be any."""
    return t.ones(1, 2, 2), t.tensor([[[0, 1], [2, place]]])


MISUSE = {
    "channels of a matrix": lambda t, f: f.channel_shuffle(t.ones(2, 4), 2),
    "channels that do not divide": lambda t, f: f.channel_shuffle(t.ones(2, 5, 2), 2),
    "no groups": lambda t, f: f.channel_shuffle(t.ones(2, 5, 2), 0),
    "unpooling to too much": lambda t, f: f.max_unpool2d(*squares(t), 2, output_size=(50, 5)),
    "unpooling to one number": lambda t, f: f.max_unpool2d(*squares(t), 2, output_size=(5,)),
    "places outside": lambda t, f: f.max_unpool2d(*squares(t, 20), 2),
    "places in floats": lambda t, f: f.max_unpool2d(t.ones(1, 2, 2), t.ones(1, 2, 2), 2),
    "fewer places": lambda t, f: f.max_unpool2d(t.ones(1, 2, 2), t.arange(2).reshape(1, 1, 2), 2),
    "unpooling a matrix": lambda t, f: f.max_unpool2d(t.ones(2, 2), t.arange(4).reshape(2, 2), 2),
}


@pytest.mark.parametrize("name", MISUSE)
def test_refusals(name):
    raised = {}
    for t in BOTH:
        with pytest.raises(Exception) as caught:  # noqa: PT011  the type and text are compared below
            MISUSE[name](t, t.nn.functional)
        raised[t] = type(caught.value).__name__, str(caught.value)
    assert raised[leafward] == raised[torch]


@pytest.mark.parametrize("name", ["upsample", "upsample_nearest", "upsample_bilinear"])
def test_older_names_warn(name):
    said, made = {}, {}
    for t in BOTH:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made[t] = getattr(t.nn.functional, name)(t.arange(4.0).reshape(1, 1, 2, 2), 3)
        said[t] = [(w.category.__name__, str(w.message)) for w in caught]
    assert_same(made[leafward], made[torch])
    assert said[leafward] == said[torch]
