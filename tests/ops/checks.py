"""What the derived checks share: calling a sample, losses, gradients, and finite differences."""
import functools
import warnings

import numpy as np

import leafward
from tests.comparisons import compared
from tests.oracle import Outcome, is_tensor, to_numpy, torch
from tests.samples import Drawn, is_comparable, is_composite, is_public, ours, resolve, theirs, to_tensors, writes_input

STEP = 1e-6


def tensors_in(value):
    """All tensors of nested containers, in order."""
    if is_tensor(value):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, (list, tuple)):
        return [found for item in value for found in tensors_in(item)]
    return []


def call(t, function, op, args, kwargs):
    """``function(*args, **kwargs)``, seeded if it is random, on a clone of the tensor that it writes."""
    if op.random:
        t.manual_seed(0)
    if writes_input(op):
        args = [args[0].clone(), *args[1:]]
    with warnings.catch_warnings():
        for category in (UserWarning, FutureWarning, DeprecationWarning):
            warnings.simplefilter("ignore", category)
        return function(*args, **kwargs)


def turned(columns, others=None):
    """``columns`` times the phase that makes the largest element of each real and positive; ``others`` (rows) divided by it.

    LAPACK's vectors are fixed up to a sign, or a phase, that differs from one processor to the next.
    """
    largest = columns.detach().abs().argmax(-2, keepdim=True)
    first = columns.gather(-2, largest)
    phase = first / first.abs()
    return columns / phase, None if others is None else others * phase.mT


def settled(op, outputs):
    """The outputs without what the op leaves open: factors with a sign or phase of their own get a standard one."""
    if op.name in ("linalg_eigh", "linalg_eig"):
        return outputs[0], turned(outputs[1])[0]
    if op.name in ("linalg_qr", "qr"):
        q, r = outputs
        return turned(q[..., :r.shape[-2]], r)
    if op.name in ("linalg_svd", "svd", "svd_lowrank", "pca_lowrank"):
        u, s, v = outputs
        k = s.shape[-1]
        u, rows = turned(u[..., :k], (v if op.name == "linalg_svd" else v.mH)[..., :k, :])
        return u, s, rows
    return outputs


#: Ops whose ``grad_fn`` has another name than PyTorch's, and why.
OTHERWISE_NAMED = {
    "polygamma_": "computed, then copied into the tensor here",
    "conj_physical_": "PyTorch numbers the in-place form",
    "lstm": "a recurrent layer is one node here, and many there",
    "gru": "as lstm",
    "rnn_tanh": "as lstm",
    "rnn_relu": "as lstm",
    "lstm_cell": "as lstm",
    "gru_cell": "as lstm",
    "affine_grid": "made of ordinary products here",
    "cross_entropy": "for probabilities PyTorch divides by a number in C++, whose node has a number of its own",
    "trapezoid": "as cross_entropy",
    "trapz": "as cross_entropy",
    "cumulative_trapezoid": "as cross_entropy",
    "linalg_tensorinv": "PyTorch has two nodes for a reshape without a copy",
    "as_strided_scatter": "a copy and a write through a view here",
}

#: What PyTorch fails at with a sample that it should accept, by op: part of its message. leafward does not fail.
FAILURES = {
    "kron": "view size is not compatible with input tensor's size and stride",
    "linalg_cond": "modified by an inplace operation",
    "nll_loss": "grad_input must be contiguous",
    "as_strided_scatter": "self.is_contiguous() INTERNAL ASSERT FAILED",
    "lu_unpack": "input tensor must have at least 2 dimensions",
}


#: In-place ops that resize a tensor which the result does not fit, where leafward refuses, as both do for ``addmm_``.
RESIZED_THERE = {"addbmm"}


#: Which gradient of an op is wrong in PyTorch: finite differences agree with leafward, and a test shows that it still is.
WRONG_THERE = {"as_strided_scatter": 0}


def has_its_name(op):
    """PyTorch has it under its name. Otherwise ``reference`` is a formula, whose nodes keep and are called what they are."""
    return is_public(op) and resolve(torch, op.paths[0]) is not None


def fails_there(op, error):
    return op.name in FAILURES and FAILURES[op.name] in str(error)


def wanting(value):
    """The tensors in ``value`` that want a gradient."""
    return [x for x in tensors_in(value) if x.requires_grad]


def cotangents_for(t, outputs, seed=7):
    """One random gradient per output, the same for every ``t``."""
    rng = np.random.default_rng(seed)
    drawn = []
    for out in outputs:
        values = rng.standard_normal(tuple(out.shape))
        if out.dtype.is_complex:
            values = values + 1j * rng.standard_normal(tuple(out.shape))
        drawn.append(Drawn(values, str(out.dtype).removeprefix("torch.")))
    return [d.tensor(t, "contiguous") for d in drawn]


def gradients(t, function, sample, drawn, layout="contiguous", create_graph=False):
    """``(inputs, outputs, gradients)`` of the outputs weighted by :func:`cotangents_for`."""
    args, kwargs = sample.build(t, drawn, layout, requires_grad=True)
    outputs = wanting(settled(sample.op, call(t, function, sample.op, args, kwargs)))
    inputs = wanting([args, kwargs])
    if not outputs or not inputs:
        return inputs, outputs, None
    grads = t.autograd.grad(outputs, inputs, cotangents_for(t, outputs), create_graph=create_graph, allow_unused=True)
    return inputs, outputs, grads


def inner(a, b):
    """Re <a, b>: the real inner product that a directional derivative is."""
    return float(np.real(np.vdot(a, b)))


def perturbed(drawn, position, direction, step):
    """``drawn`` with the tensor number ``position`` (lists counted through) moved along ``direction``."""
    count = 0

    def move(value):
        nonlocal count
        if isinstance(value, list):
            return [move(item) for item in value]
        if not isinstance(value, Drawn):
            return value
        count += 1
        return Drawn(value.values + step * direction, value.dtype) if count - 1 == position else value

    return [move(value) for value in drawn]


def flat(drawn):
    """The ``Drawn`` values of ``drawn`` in order, lists counted through."""
    return [d for value in drawn for d in (flat(value) if isinstance(value, list) else [value])
            if isinstance(d, Drawn)]


def kinds(specs):
    """The kind of each tensor of a sample, in the order of :func:`flat`."""
    return [kind for s in specs for kind in (kinds(s.items) if s.kind == "list" else [s.kind])
            if kind not in ("scalar", "none")]


def direction_for(drawn, kind, seed):
    """A random direction in which the input may move: symmetric inputs stay symmetric, triangular ones triangular."""
    rng = np.random.default_rng(seed)
    direction = rng.standard_normal(np.shape(drawn.values))
    if np.iscomplexobj(drawn.values):
        direction = direction + 1j * rng.standard_normal(direction.shape)
    if kind in ("sym", "spd"):
        direction = (direction + np.conj(np.swapaxes(direction, -1, -2))) / 2
    if kind in ("lower", "upper"):
        direction = np.tril(direction) if kind == "lower" else np.triu(direction)
    return direction


def assert_gradient(t, function, sample, dtype="float64"):
    """Each input's gradient, along one random direction, against a central difference of the forward."""
    drawn = sample.draw(dtype)
    inputs, outputs, grads = gradients(t, function, sample, drawn)
    assert grads is not None, f"{sample.name}: nothing is recorded"
    weights = [to_numpy(c) for c in cotangents_for(t, outputs)]
    by_build_order = in_build_order(t, sample, drawn, inputs, grads)

    def loss(moved):
        args, kwargs = sample.build(t, moved, requires_grad=True)
        values = [to_numpy(out) for out in wanting(settled(sample.op, call(t, function, sample.op, args, kwargs)))]
        return sum(inner(w, v) for w, v in zip(weights, values))

    assert np.isfinite(loss(drawn)), f"{sample.name}: not finite, which is no place for finite differences"
    for position, kind in enumerate(kinds(sample.specs)):
        if position not in by_build_order:
            continue
        name, grad = by_build_order[position]
        direction = direction_for(flat(drawn)[position], kind, position)
        analytic = 0.0 if grad is None else inner(to_numpy(grad), direction)
        numeric = (loss(perturbed(drawn, position, direction, STEP))
                   - loss(perturbed(drawn, position, direction, -STEP))) / (2 * STEP)
        assert_agree(analytic, numeric, f"{sample.name}: gradient for {name} along a random direction")


def in_build_order(t, sample, drawn, inputs, grads):
    """``{position in flat(drawn): (parameter name, gradient)}``.

    Keyword inputs come after positional ones in a call, so the positions are found by building once with
    every tensor marked by its own value.
    """
    values = [to_tensors(value, t, "contiguous") for value in drawn]
    marks = {id(x): k for k, x in enumerate(tensors_in(values))}
    for value, parameter in zip(values, sample.receivers_for(values)):
        sample.want_gradient(value, parameter)
    names = [p.name for value, p in zip(values, sample.receivers_for(values)) for _ in tensors_in(value)]
    args, kwargs = sample.bind(values, sample.options(t))
    order = [marks[id(x)] for x in wanting([args, kwargs])]
    return {position: (names[position], grad) for position, grad in zip(order, grads)}


def assert_agree(analytic, numeric, what, rtol=1e-4, atol=2e-6):
    compared()
    difference = abs(analytic - numeric)
    assert difference <= atol + rtol * max(abs(analytic), abs(numeric)), (
        f"{what}: the rule gives {analytic:.9g}, finite differences {numeric:.9g}")


def second_order(t, function, sample, drawn, weights):
    """``h = <w, gradients>`` and its gradients for the inputs and the cotangents, by ``create_graph``."""
    args, kwargs = sample.build(t, drawn, requires_grad=True)
    outputs = wanting(settled(sample.op, call(t, function, sample.op, args, kwargs)))
    inputs = wanting([args, kwargs])
    if not outputs or not inputs:
        return None
    cotangents = [c.requires_grad_() for c in cotangents_for(t, outputs)]
    first = t.autograd.grad(outputs, inputs, cotangents, create_graph=True, allow_unused=True)
    pairs = [(g, w) for g, w in zip(first, weights(first)) if g is not None and g.requires_grad]
    if not pairs:
        return inputs, first, cotangents, [None] * len([*inputs, *cotangents])
    second = t.autograd.grad([g for g, _ in pairs], [*inputs, *cotangents], [w for _, w in pairs], allow_unused=True)
    return inputs, first, cotangents, second


def assert_second_order(t, function, sample):
    """Gradient of the gradient: ``create_graph`` against a central difference of plain first-order gradients."""
    drawn = sample.draw("float64")

    def weights(first):
        present = [g for g in first if g is not None]
        made = iter(cotangents_for(t, present, seed=11))
        return [None if g is None else next(made) for g in first]

    found = second_order(t, function, sample, drawn, weights)
    assert found is not None, f"{sample.name}: nothing is recorded"
    inputs, first, cotangents, second = found
    plain = gradients(t, function, sample, drawn)[2]
    for a, b in zip(first, plain):
        assert (a is None) == (b is None)
        if a is not None:
            compared()
            assert np.allclose(to_numpy(a), to_numpy(b), rtol=1e-10, atol=1e-12, equal_nan=True), (
                f"{sample.name}: create_graph=True changes the first-order gradient")
    fixed = [None if w is None else to_numpy(w) for w in weights(first)]

    def projection(moved):
        grads = gradients(t, function, sample, moved)[2]
        return sum(inner(w, to_numpy(g)) for w, g in zip(fixed, grads) if w is not None and g is not None)

    if not np.isfinite(projection(drawn)):      # at a pole of the slope only the first order can be compared
        return
    by_position = in_build_order(t, sample, drawn, inputs, second[:len(inputs)])
    for position, kind in enumerate(kinds(sample.specs)):
        if position not in by_position:
            continue
        name, grad = by_position[position]
        direction = direction_for(flat(drawn)[position], kind, position)
        analytic = 0.0 if grad is None else inner(to_numpy(grad), direction)
        numeric = (projection(perturbed(drawn, position, direction, STEP))
                   - projection(perturbed(drawn, position, direction, -STEP))) / (2 * STEP)
        assert_agree(analytic, numeric, f"{sample.name}: second-order gradient for {name}")
    # h is linear in the cotangents: along the cotangents themselves the derivative is h.
    along = sum(inner(to_numpy(c), to_numpy(g)) for c, g in zip(cotangents, second[len(inputs):]) if g is not None)
    assert_agree(along, projection(drawn), f"{sample.name}: second-order gradient for the incoming gradient")


@functools.cache
def recorded_values(sample, dtype="float64"):
    """What is recorded of a sample in PyTorch, or else in leafward: None for nothing, else whether the values are finite.

    A function that both refuse records nothing; where only one does, the tests of values have seen it.
    """
    for t, find in ((torch, theirs), (leafward, ours)) if is_comparable(sample.op) else ((leafward, ours),):
        args, kwargs = sample.make(t, dtype, requires_grad=True)
        outcome = Outcome(call, (t, find(sample.op), sample.op, args, kwargs))
        if outcome.error is None and wanting([args, kwargs]) and (outputs := wanting(outcome.value)):
            return all(np.isfinite(to_numpy(out)).all() for out in outputs)
    return None


def is_recorded(sample, dtype="float64"):
    return recorded_values(sample, dtype) is not None


@functools.cache
def is_flat(sample):
    """Step functions such as ``floor_divide`` say at backward that they have no derivative, as in PyTorch."""
    error = Outcome(gradients, (leafward, ours(sample.op), sample, sample.draw("float64"))).error
    return error is not None and str(error).removeprefix("the ").startswith("derivative for ")


def has_gradient(op):
    if is_composite(op):
        return op.differentiable
    return bool(op.rules)
