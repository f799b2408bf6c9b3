"""``x.data = other`` between forward and backward: the derivatives are those of the values that were used."""
import warnings

import numpy as np
import pytest

import leafward
from tests.oracle import to_numpy
from tests.ops.checks import call, cotangents_for, has_gradient, settled, wanting
from tests.samples import every_sample, name_of, ours


def derivatives(sample, replaced):
    """First and second derivatives, with or without new memory for every input after the forward pass."""
    args, kwargs = sample.make(leafward, "float64", requires_grad=True)
    inputs = wanting([args, kwargs])
    outputs = wanting(settled(sample.op, call(leafward, ours(sample.op), sample.op, args, kwargs)))
    if not outputs or not inputs:
        return []
    if replaced:
        for x in inputs:
            x.data = leafward.full_like(x, float("nan"))
    plain = leafward.autograd.grad(outputs, inputs, cotangents_for(leafward, outputs), allow_unused=True, retain_graph=True)
    first = leafward.autograd.grad(outputs, inputs, cotangents_for(leafward, outputs), allow_unused=True, create_graph=True)
    roots = wanting(first)
    second = leafward.autograd.grad(roots, inputs, cotangents_for(leafward, roots), allow_unused=True) if roots else ()
    return [None if g is None else to_numpy(g) for g in (*plain, *first, *second)]


@pytest.mark.parametrize("sample", every_sample(has_gradient), ids=name_of)
def test_the_values_that_were_used_are_what_is_saved(sample):
    with warnings.catch_warnings():
        warnings.simplefilter("error", leafward.SilentGradientWarning)      # there is nothing to warn of
        try:
            expected = derivatives(sample, False)
        except Exception as error:  # noqa: BLE001  it has no derivative, or no second one
            with pytest.raises(type(error)):
                derivatives(sample, True)
            return
        given = derivatives(sample, True)
    for a, b in zip(given, expected, strict=True):
        assert (a is None) == (b is None)
        assert a is None or np.array_equal(a, b, equal_nan=True)
