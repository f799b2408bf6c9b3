"""``nn.utils`` against PyTorch's: clipping, and parameters as a vector."""
import pytest

import leafward
from tests.oracle import assert_same, torch

BOTH = (leafward, torch)


def graded(t, *grads):
    params = []
    for g in grads:
        p = t.nn.Parameter(t.zeros(len(g)))
        p.grad = t.tensor(g)
        params.append(p)
    return [*params, t.nn.Parameter(t.zeros(2))]              # one without a gradient


@pytest.mark.parametrize("norm_type", [2.0, 1.0, float("inf"), 0.0, 3, "inf"], ids=str)
@pytest.mark.parametrize("max_norm", [0.5, 100.0])
def test_clip_grad_norm(norm_type, max_norm):
    seen = {}
    for t in BOTH:
        params = graded(t, [3.0, -4.0], [12.0], [0.0, 0.0])
        total = t.nn.utils.clip_grad_norm_(params, max_norm, norm_type)
        seen[t] = [total, *[p.grad for p in params[:-1]]]
    assert_same(seen[leafward], seen[torch])


def test_clip_grad_value_and_total_norm():
    seen = {}
    for t in BOTH:
        params = graded(t, [3.0, -4.0], [float("nan"), 1.0])
        t.nn.utils.clip_grad_value_(params, 2)
        t.nn.utils.clip_grad_value_(params[0], 1.5)
        seen[t] = [params[0].grad, params[1].grad, t.nn.utils.get_total_norm([params[0].grad]),
                   t.nn.utils.get_total_norm([], 1.0), t.nn.utils.get_total_norm(params[0].grad, 1.0)]
    assert_same(seen[leafward], seen[torch])


def test_norms_that_are_not_finite():
    for t in BOTH:
        params = graded(t, [float("inf"), 1.0])
        with pytest.raises(RuntimeError, match="The total norm of order 2.0 for gradients from"):
            t.nn.utils.clip_grad_norm_(params, 1.0, error_if_nonfinite=True)
        assert params[0].grad.tolist() == [float("inf"), 1.0]
        assert t.nn.utils.clip_grad_norm_(params, 1.0).item() == float("inf")


def test_nothing_to_clip():
    for t in BOTH:
        with pytest.warns(UserWarning, match="`parameters` is an empty generator"):
            assert t.nn.utils.clip_grad_norm_((p for p in []), 1.0).item() == 0
        with pytest.warns(FutureWarning, match="clip_grad_norm` is now deprecated"):
            t.nn.utils.clip_grad_norm(graded(t, [1.0]), 1.0)


def test_parameters_as_a_vector():
    for t in BOTH:
        model = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.Linear(3, 1))
        vector = t.nn.utils.parameters_to_vector(model.parameters())
        assert vector.shape == (13,)
        weight = model[0].weight
        t.nn.utils.vector_to_parameters(t.arange(13.0), model.parameters())
        assert model[0].weight is weight
        assert weight.tolist() == [[0, 1], [2, 3], [4, 5]]
        assert t.nn.utils.parameters_to_vector(model.parameters()).tolist() == list(range(13))
        with pytest.raises(TypeError, match=r"expected torch.Tensor, but got: list"):
            t.nn.utils.vector_to_parameters([1.0], model.parameters())
