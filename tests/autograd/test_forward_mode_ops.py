"""Forward mode on every sample of every op: PyTorch's tangents, and the adjoint of backward."""
import numpy as np
import pytest

import leafward
import leafward.autograd.forward_ad
from tests.comparisons import compared, compares
from tests.ops.checks import call, cotangents_for, has_gradient, inner, is_recorded, settled, tensors_in, wanting
from tests.oracle import Outcome, assert_close, to_numpy, torch
from tests.samples import every_sample, is_comparable, ours, theirs

def takes(sample, dtype):
    """Whether leafward computes it of inputs that may be moved."""
    args, kwargs = sample.make(leafward, dtype, requires_grad=True)
    outcome = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs))
    return bool(wanting([args, kwargs]) and tensors_in(outcome.value))


CASES = [(sample, dtype) for sample in every_sample(has_gradient) for dtype in ("float64", "complex128")
         if is_recorded(sample, dtype) or takes(sample, dtype)]


#: Where PyTorch's forward mode gives something else than its own backward, or nothing, and why.
DIFFERENT_THERE = {
    "silu": "PyTorch takes the formula for real numbers for complex ones", "_functional_silu": "as silu",
    "cholesky_inverse": "finite differences agree with leafward",
    "logcumsumexp": "PyTorch loses all digits where the summands differ by e**180",
    "scatter_reduce": "PyTorch has no tangent for prod",
    "maximum": "at NaN PyTorch's tangent is the other input's", "minimum": "as maximum", "fmax": "as maximum",
    "fmin": "as maximum",
    "_median_all": "of NaN PyTorch's tangent is NaN",
    "logsumexp": "of nothing PyTorch's tangent is NaN",
    "triangular_solve": "PyTorch moves the other triangle too, which is not read",
    "soft_margin_loss": "PyTorch's tangent of complex numbers lacks a conjugate; it has no backward there",
}


#: Ops whose gradient leaves out rows that move the output: backward and forward mode are not adjoint there.
HAS_BOTH = {"embedding", "_embedding"}


def as_symmetric(x, direction):
    """The direction itself; for a symmetric (Hermitian) matrix a symmetric one."""
    if x.ndim < 2 or x.shape[-1] != x.shape[-2]:
        return direction
    values = to_numpy(x)
    if not np.allclose(values, np.conj(np.swapaxes(values, -1, -2)), 0, 1e-15, equal_nan=True):
        return direction
    return (direction + direction.mH) / 2


def tangents_of(t, function, sample, dtype):
    """``(tangents of the inputs, outputs, tangents of the outputs)`` in one forward run; the latter None for zeros."""
    fw = t.autograd.forward_ad
    args, kwargs = sample.make(t, dtype, requires_grad=True)
    inputs = wanting([args, kwargs])
    directions = dict(zip([id(x) for x in inputs], map(as_symmetric, inputs, cotangents_for(t, inputs, seed=5))))

    def dual(value):
        if isinstance(value, (list, tuple)):
            return type(value)(dual(v) for v in value)
        return fw.make_dual(value.detach(), directions[id(value)]) if id(value) in directions else value
    with fw.dual_level():
        result = call(t, function, sample.op, [dual(x) for x in args], {name: dual(x) for name, x in kwargs.items()})
        parts = [fw.unpack_dual(x) for x in tensors_in(settled(sample.op, result))]
    return list(directions.values()), [p for p, _ in parts], [t for _, t in parts]


@pytest.mark.parametrize(("sample", "dtype"), CASES, ids=[f"{sample}-{dtype}" for sample, dtype in CASES])
@compares
def test_tangents(sample, dtype):
    """``<w, J v> = <Jᵀ w, v>``, and ``J v`` is PyTorch's wherever PyTorch has forward mode."""
    args, kwargs = sample.make(leafward, dtype, requires_grad=True)
    outcome = Outcome(call, (leafward, ours(sample.op), sample.op, args, kwargs))
    inputs = wanting([args, kwargs])
    outputs = tensors_in(settled(sample.op, outcome.get()))
    weights = cotangents_for(leafward, outputs)
    kept = [k for k, out in enumerate(outputs) if out.requires_grad]
    pulled = Outcome(leafward.autograd.grad, ([outputs[k] for k in kept], inputs, [weights[k] for k in kept]),
                     {"allow_unused": True, "create_graph": True})
    if kept and pulled.error is not None:                   # refused by backward itself, not by a rule run on tensors
        again = call(leafward, ours(sample.op), sample.op, args, kwargs)
        again = tensors_in(settled(sample.op, again))
        compared()
        assert Outcome(leafward.autograd.grad, ([again[k] for k in kept], inputs, [weights[k] for k in kept]),
                       {"allow_unused": True}).error is not None, pulled.error
        return
    directions, primals, tangents = tangents_of(leafward, ours(sample.op), sample, dtype)
    plain_args, plain_kwargs = sample.make(leafward, dtype)     # where a gradient is needed, another routine may be called
    plain = tensors_in(settled(sample.op, call(leafward, ours(sample.op), sample.op, plain_args, plain_kwargs)))
    for a, b in zip(primals, plain, strict=True):
        assert_close(to_numpy(a), to_numpy(b), 0, 0, "the value itself")
    grads = pulled.value if kept else [None] * len(inputs)
    pulled = sum(inner(to_numpy(g), to_numpy(v)) for g, v in zip(grads, directions, strict=True) if g is not None)
    pushed = sum(inner(to_numpy(weights[k]), to_numpy(tangents[k])) for k in kept if tangents[k] is not None)
    if np.isfinite(pulled) and all(x.numel() for x in inputs) and sample.name not in HAS_BOTH:
        compared()
        assert abs(pulled - pushed) <= 1e-9 + 1e-8 * abs(pulled), f"forward mode gives {pushed}, backward {pulled}"
    if is_comparable(sample.op) and sample.name not in DIFFERENT_THERE:
        expected = Outcome(tangents_of, (torch, theirs(sample.op), sample, dtype))
        if expected.error is None and np.isfinite(pulled):
            compare(tangents, expected.value[2], primals)


def compare(given, expected, primals):
    for a, b, primal in zip(given, expected, primals, strict=True):
        if a is None and b is None:
            continue                                        # the value of each was compared before
        zero = np.zeros(tuple(primal.shape))
        assert_close(zero if a is None else to_numpy(a), zero if b is None else to_numpy(b), 1e-7, 1e-9, "the tangent")
