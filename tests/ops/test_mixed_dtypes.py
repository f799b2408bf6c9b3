"""Inputs of different dtypes: every op gives PyTorch's dtype, or refuses where PyTorch refuses."""
import itertools

import numpy as np
import pytest

import leafward
from tests.oracle import Outcome, has_no_kernel, torch
from tests.ops.checks import call
from tests.samples import Sample, every_op, is_comparable, name_of, ours, theirs, to_tensors

KINDS = ("uint8", "int32", "float16", "float32", "float64", "complex64")
#: An op, and the dtype that stands in docs/differences.md for it.
DIFFERENT = {"binary_cross_entropy_with_logits": "complex64"}


def has_an_oracle(op):
    return is_comparable(op) and not op.random and not callable(getattr(op, "against", None))


def dtypes_of(value):
    if isinstance(value, (list, tuple)):
        return tuple(map(dtypes_of, value))
    return str(value.dtype) if hasattr(value, "dtype") else type(value).__name__


def combinations(count):
    """One dtype for all inputs; or one for the first, another for the rest."""
    if count == 1:
        return [(kind,) for kind in KINDS]
    return [(first, *[rest] * (count - 1)) for first, rest in itertools.product(KINDS, KINDS)]


@pytest.mark.parametrize("op", every_op(has_an_oracle), ids=name_of)
def test_dtype_of_the_result(op):
    found = []
    for text in op.samples[:2]:
        sample = Sample(op, text)
        places = [k for k, spec in enumerate(sample.specs)
                  if spec.follows_dtype and spec.kind not in ("scalar", "none", "list")]
        for combination in combinations(len(places)) if places else ():
            drawn = sample.draw("float32")
            rng = np.random.default_rng(3)
            for place, dtype in zip(places, combination):
                drawn[place] = sample.specs[place].draw(rng, dtype)
            mine, expected = outcomes(op, sample, drawn)
            if (expected.error is not None and has_no_kernel(expected.error)) or DIFFERENT.get(name_of(op)) in combination:
                continue
            if expected.error is None:
                same = mine.error is None and dtypes_of(mine.value) == dtypes_of(expected.value)
            else:
                same = isinstance(mine.error, type(expected.error))
            if not same and "complex32" not in f"{mine.error} {dtypes_of(expected.value)}":
                found.append(f"{text!r} of {combination}: {mine.error or dtypes_of(mine.value)}, "
                             f"PyTorch {expected.error or dtypes_of(expected.value)}")
    assert not found, f"{op.name}: {len(found)} combinations differ\n" + "\n".join(found[:12])


def outcomes(op, sample, drawn):
    found = []
    for t, find in (leafward, ours), (torch, theirs):
        args, kwargs = sample.bind([to_tensors(d, t, "contiguous") for d in drawn], sample.options(t))
        found.append(Outcome(call, (t, find(op), op, args, kwargs)))
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("values", [[-1.25 + 0.6j, -0.19 + 0.11j, 0.25 - 0.12j], [-1.25 + 0.6j, 1j, 0.25 - 0.12j]])
def test_gradient_of_a_real_product_of_complex_numbers(values, dtype):
    """`dtype` drops the imaginary parts before they are multiplied: the gradient is that of the real parts."""
    grads = []
    for t in leafward, torch:
        x = t.tensor(values, requires_grad=True)
        t.prod(x, dim=0, dtype=getattr(t, dtype)).backward()
        grads.append(x.grad.tolist())
    assert grads[0] == pytest.approx(grads[1], rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("shape", [(0, 3), (2, 3)])
@pytest.mark.parametrize("order", [2, -2, "nuc"])
def test_singular_values_of_half_numbers_are_refused(order, shape):
    for t in leafward, torch:
        with pytest.raises(RuntimeError, match="linalg.matrix_norm: Low precision dtypes not supported. Got Half"):
            t.linalg.matrix_norm(t.zeros(*shape, dtype=t.float16), ord=order)
