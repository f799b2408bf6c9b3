"""How wrong sums get as they grow: reductions, and gradients of what was broadcast, against float64.

Which op reduces what is found by making one size of its sample longer: an output that stays as it was is a reduction of the
input that grew, and the gradient of an input that stayed as it was is a reduction of the output's. A result may be as far from
the truth as PyTorch's, or as a last place more or less in every input takes it, or :data:`ULPS` last places.
"""
import copy
import functools

import numpy as np
import pytest

import leafward
from tests.oracle import Outcome, to_numpy, torch
from tests.ops.checks import call, tensors_in
from tests.samples import Drawn, declared_ops, every_op, is_comparable, is_composite, name_of, ours, samples_of, theirs

DTYPES = ("float32", "bfloat16", "float16")
ULPS = 2

#: Sizes at which it shows what grows: a prime, so that no other size of a sample is the same.
PROBE = 11


def longer(sample, size, n):
    """``sample`` with every dim of ``size`` made ``n`` long."""
    made = copy.copy(sample)
    made.specs = [longer_spec(spec, size, n) for spec in sample.specs]
    return made


def longer_spec(spec, size, n):
    made = copy.copy(spec)
    if spec.kind == "list":
        made.items = [longer_spec(item, size, n) for item in spec.items]
    elif spec.shape is not None:
        made.shape = tuple([n if d == size else d for d in spec.shape])
    return made


def sizes_of(sample):
    """The sizes that could be made longer; none where values stand in the sample."""
    specs = [item for spec in sample.specs for item in (spec.items if spec.kind == "list" else [spec])]
    if any(spec.kind in ("values", "sym", "spd", "lower", "upper", "complex") for spec in specs):
        return []
    sizes = sorted({d for spec in specs for d in spec.shape or () if d > 1})
    return [d for d in sizes if all((spec.shape or ()).count(d) < 2 for spec in specs)]


def grows_evenly(small, large, factor):
    """Whether no tensor has become larger than the factor says: a million rows are to give no trillion of anything."""
    return all(b.numel() <= a.numel() * factor for a, b in zip(small, large))


def run(t, function, sample, drawn, cotangents=None):
    """Outputs and, where they can be had, gradients, as lists of tensors."""
    args, kwargs = sample.build(t, drawn, requires_grad=True)
    outputs = [x for x in tensors_in(call(t, function, sample.op, args, kwargs)) if x.is_floating_point()]
    wanted = [x for x in outputs if x.requires_grad]
    inputs = [x for x in tensors_in([args, kwargs]) if x.requires_grad]
    if not wanted or not inputs or cotangents == []:
        return outputs, inputs, []
    weights = [t.ones_like(x) for x in wanted] if cotangents is None else [
        Drawn(c, str(x.dtype).removeprefix("torch.")).tensor(t, "contiguous") for c, x in zip(cotangents, wanted, strict=True)]
    return outputs, inputs, t.autograd.grad(wanted, inputs, weights, allow_unused=True)


def positive(drawn):
    """``drawn`` with floating values in (0, 1], so that nothing cancels."""
    if isinstance(drawn, list):
        return [positive(item) for item in drawn]
    if isinstance(drawn, Drawn) and drawn.values.dtype.kind == "f":
        return Drawn(np.abs(drawn.values) / max(1, np.abs(drawn.values).max(initial=1)), drawn.dtype)
    return drawn


@functools.cache
def reductions(op):
    """``(sample, size, outputs, gradients)``: numbers of what adds up more terms as dims of ``size`` grow."""
    found, seen = [], set()
    for sample in samples_of(op):
        for size in sizes_of(sample):
            small, large = (Outcome(run, (leafward, ours(op), s, positive(s.draw("float64")))).value
                            for s in (sample, longer(sample, size, PROBE)))
            if small is None or large is None or [len(x) for x in small] != [len(x) for x in large] or not grows_evenly(
                    small[0] + small[1], large[0] + large[1], PROBE / size):
                continue
            kept_outputs, kept_inputs = ([a.shape == b.shape for a, b in zip(small[k], large[k])] for k in (0, 1))
            if all(kept_outputs) and all(kept_inputs):
                continue
            outputs = () if all(kept_inputs) else tuple([k for k, kept in enumerate(kept_outputs) if kept])
            grads = tuple([k for k, kept in enumerate(kept_inputs) if kept and large[2] and large[2][k] is not None])
            if (outputs or grads) and (outputs, grads, sample.options_text) not in seen:
                seen.add((outputs, grads, sample.options_text))
                found.append((sample, size, outputs, grads))
    return found


def in_float64(drawn):
    """The values that ``drawn`` has in its dtype, as float64."""
    if isinstance(drawn, list):
        return [in_float64(item) for item in drawn]
    if not isinstance(drawn, Drawn) or drawn.values.dtype.kind != "f":
        return drawn
    return Drawn(drawn.tensor(torch, "contiguous").double().numpy(), "float64")


def moved(drawn, rng, dtype):
    """``drawn`` with every value changed by up to one last place of ``dtype``."""
    if isinstance(drawn, list):
        return [moved(item, rng, dtype) for item in drawn]
    if not isinstance(drawn, Drawn) or drawn.values.dtype.kind != "f":
        return drawn
    by = torch.finfo(getattr(torch, dtype)).eps * rng.uniform(-1, 1, drawn.values.shape)
    return Drawn(drawn.values * (1 + by), drawn.dtype)


def last_places(given, truth, dtype):
    """The error in last places of the truth, or of its mean where that is larger: the root of the mean square."""
    given, truth = to_numpy(given).astype("float64"), to_numpy(truth)
    info = torch.finfo(getattr(torch, dtype))
    finite = np.isfinite(truth) & (np.abs(truth) <= info.max)
    given, truth = given[finite], truth[finite]
    if not truth.size:
        return 0.0
    size = np.maximum(np.abs(truth), max(np.abs(truth).mean(), info.tiny))
    with np.errstate(invalid="ignore", over="ignore"):
        return float(np.sqrt(np.mean(((given - truth) / (info.eps * 2**np.floor(np.log2(size))))**2)))


def errors_of(sample, outputs, grads, dtype):
    """``(ours, PyTorch's, that of moved inputs)`` for the named outputs and gradients; nothing where PyTorch has no kernel."""
    drawn = positive(sample.draw(dtype))
    exact, rng = in_float64(drawn), np.random.default_rng(1)
    function, cotangents = theirs(sample.op), []
    if grads:
        truth = Outcome(run, (torch, function, sample, exact)).value
        if truth is None:
            return []
        cotangents = [in_float64(Drawn(0.5 + rng.random(tuple(x.shape)), dtype)).values for x in truth[0] if x.requires_grad]
    near = [moved(Drawn(c, "float64"), rng, dtype).values for c in cotangents]
    runs = [(torch, function, exact, cotangents), (torch, function, moved(exact, rng, dtype), near),
            (torch, function, drawn, cotangents)]
    results = [Outcome(run, (t, f, sample, d, c)).value for t, f, d, c in runs]
    if None in results:
        return []
    results.append(run(leafward, ours(sample.op), sample, drawn, cotangents))
    compared = [[r[0][k] for k in outputs] + [r[2][k] for k in grads] for r in results]
    return [tuple([last_places(x, truth, dtype) for x in (given, expected, near)])
            for truth, near, expected, given in zip(*compared)]


#: Ops whose error is another's than a sum's, and why.
MAGNIFIED = {
    "batch_norm": "sums standardized values, which cancel",
    "instance_norm": "as batch_norm",
    "linalg_lstsq": "a factorization",
    "linalg_householder_product": "reflections, one after the other",
    **dict.fromkeys(("grid_sample", "grid_sampler", "grid_sampler_2d", "grid_sampler_3d"),
                    "a rounding decides between which pixels a place lies"),
    **dict.fromkeys(("lstm", "gru", "rnn_tanh", "rnn_relu", "lstm_cell", "gru_cell", "rnn_tanh_cell", "rnn_relu_cell"),
                    "the slope of a tanh near 1 is what two roundings leave of it"),
}

#: How far two errors of the same kind may lie apart by luck: some are of a few numbers only.
LUCK = 2

#: Ops that multiply matrices. Our kernels and some BLAS add up to a few hundred terms one after the other, where PyTorch's
#: keeps several sums: errors of half a last place each, evenly spread, of sums that grow to the whole, add up to this.
PRODUCTS = ("mm", "bmm", "matmul", "addmm", "baddbmm", "addbmm", "chain_matmul", "linalg_multi_dot", "linear", "bilinear",
            "einsum", "tensordot", "inner", "ormqr", "conv1d", "conv2d", "conv3d", "conv_transpose1d", "conv_transpose2d",
            "conv_transpose3d")
TERMS = 256

#: The slopes of softmax are products' small differences: from draw to draw the error is a fifth of PyTorch's, or five times it.
DIFFERENCES = {"scaled_dot_product_attention": 5}


def luck_of(op, n, dtype):
    """By what an error in ``dtype`` may exceed PyTorch's; half types are added up in float32."""
    if dtype == "float32" and op.name in PRODUCTS:
        return max(LUCK, min(n, TERMS)**0.5 / 3)
    return DIFFERENCES.get(op.name, LUCK) if dtype == "float32" else LUCK


def assert_accurate(sample, size, outputs, grads, n, dtypes=DTYPES):
    made = longer(sample, size, n)
    for dtype in dtypes:
        for given, expected, near in errors_of(made, outputs, grads, dtype):
            luck = luck_of(sample.op, n, dtype)
            floor = luck if sample.op.name in PRODUCTS else ULPS
            limit = max(ULPS, floor, luck * expected, luck * near)
            assert given <= limit, f"{sample}: {given:.2f} last places off for {n} of {size}, {dtype}; PyTorch {expected:.2f}"


@pytest.mark.parametrize(
    "op", every_op(lambda op: is_comparable(op) and not op.random and op.name not in MAGNIFIED), ids=name_of)
def test_sums_of_a_hundred(op):
    for sample, size, outputs, grads in reductions(op):
        assert_accurate(sample, size, outputs, grads, 100)


def adds_simply(op):
    """Adds or broadcasts, and does not take long about it: these are the ones to try on more."""
    return op.name in MANY or (not is_composite(op) and op.elementwise and op.dtype == "promote" and len(op.inputs) > 1)


MANY = ("sum", "mean", "nansum", "nanmean", "var", "std", "var_mean", "std_mean", "logsumexp", "norm", "linalg_vector_norm",
        "prelu", "linear", "mm", "mv", "dot", "bmm", "matmul", "addmm", "baddbmm", "addmv", "expand", "softmax", "log_softmax",
        "layer_norm", "mse_loss", "l1_loss", "cross_entropy", "nll_loss", "embedding", "index_select", "gather", "repeat",
        "where", "conv1d", "kron", "outer", "einsum", "scaled_dot_product_attention")


@pytest.mark.parametrize("op", every_op(lambda op: is_comparable(op) and adds_simply(op)), ids=name_of)
def test_sums_of_ten_thousand(op):
    for sample, size, outputs, grads in reductions(op)[:4]:
        assert_accurate(sample, size, outputs, grads, 10_000)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name, at", [("sum", 1), ("mean", 1), ("var", 0), ("norm", 3), ("add", 0), ("mul", 1)])
def test_sums_of_a_million(name, at, dtype):
    """Along the first dim, of rows of a few elements, where NumPy adds one after the other."""
    op = next(op for op in declared_ops() if op.name == name)
    sample, size, outputs, grads = reductions(op)[at]
    assert_accurate(sample, size, outputs, grads, 1_000_000, [dtype])


def test_a_product_of_ordinary_factors_does_not_vanish_on_the_way():
    """Where every 64th factor is small first and large later, float32 would keep nothing of them in between."""
    factors = np.ones(1280, np.float32)
    factors[:640:64], factors[640::64] = 2.0**-20, 2.0**20
    assert leafward.tensor(factors).prod().item() == 1
    assert leafward.tensor(np.stack([factors, factors])).prod(1).tolist() == [1, 1]


@pytest.mark.parametrize("length", [20, 33, 513, 5000])
def test_the_variance_of_what_lies_far_from_zero(length):
    far = np.random.default_rng(0).standard_normal((20, length)).astype(np.float32) + np.float32(1e4)
    expected = far.astype(np.float64).var(1, ddof=1)
    assert np.abs(leafward.tensor(far).var(1).numpy() / expected - 1).max() < 1e-6
