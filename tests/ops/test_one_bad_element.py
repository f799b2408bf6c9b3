"""An infinity or NaN in one element of an input changes only the elements of the outputs that it changes in PyTorch."""
import itertools

import numpy as np
import pytest

import leafward
from leafward.arrays.kernels import fft, lapack
from tests.both import both
from tests.ops.checks import (
    call, cotangents_for, flat, has_gradient, is_recorded, kinds, settled, tensors_in, wanting,
)
from tests.oracle import Outcome, to_numpy, torch
from tests.samples import Drawn, every_op, is_comparable, name_of, ours, samples_of, theirs


def replaced(drawn, position, element, value):
    """``drawn`` with one element of its tensor number ``position`` set to ``value``."""
    count = 0

    def visit(item):
        nonlocal count
        if isinstance(item, list):
            return [visit(part) for part in item]
        if not isinstance(item, Drawn):
            return item
        count += 1
        if count - 1 != position:
            return item
        values = np.array(item.values, dtype=float)
        values.reshape(-1)[element] = value
        return Drawn(values, item.dtype)
    return [visit(item) for item in drawn]


def outputs(t, find, sample, drawn):
    args, kwargs = sample.build(t, drawn)
    outcome = Outcome(call, (t, find(sample.op), sample.op, args, kwargs))
    return None if outcome.error is not None else [to_numpy(x) for x in tensors_in(settled(sample.op, outcome.value))]


def changed(before, after):
    """Where two arrays differ by more than rounding; everywhere, if their shapes do."""
    if before.shape != after.shape:
        return None
    with np.errstate(all="ignore"):
        return ~((before == after) | np.isclose(before, after, rtol=1e-9, atol=1e-9, equal_nan=True))


#: Ops that let a NaN or an infinity reach elements that it does not reach in PyTorch, and why.
FURTHER_HERE = {
    "cdist": "the largest of differences with a NaN among them is NaN; in PyTorch it is sometimes a number",
    "embedding_bag": "as cdist",
    "special_chebyshev_polynomial_u": "NaN stays NaN; in PyTorch it becomes a number",
    "special_chebyshev_polynomial_w": "as special_chebyshev_polynomial_u",
    "special_shifted_chebyshev_polynomial_w": "as special_chebyshev_polynomial_u",
    "mode": "sorted by `<`, a NaN in front stays there in PyTorch, and is the mode; it is the largest here",
    "grid_sampler_3d": "a NaN is the first place on the border here, and in PyTorch the last one of volumes",
    "_quantized_linear": "all rows share their steps, which are NaN; in PyTorch other rows stay numbers",
    "_quantized_lstm_scan": "as _quantized_linear",
    "stft": "a NaN in a signal makes both parts of its spectrum NaN; in PyTorch some of them stay numbers",
    "_searchsorted": "as searchsorted",
    "searchsorted": "a sequence with a NaN inside is in no order",
    "linalg_lu_factor_ex": "which of NaN and a number is the larger pivot is nobody's promise",
    "linalg_lu_factor": "as linalg_lu_factor_ex",
    "linalg_lu": "as linalg_lu_factor_ex",
    "linalg_ldl_factor_ex": "as linalg_lu_factor_ex",
    "cholesky_inverse": "a product of whole triangles, zeros included",
    "linalg_householder_product": "a product of whole matrices instead of one reflection after the other",
    "ormqr": "as linalg_householder_product",
}

#: Ops whose rules let an infinite gradient reach elements that it does not reach in PyTorch, and why.
FURTHER_IN_BACKWARD = {
    "prod": "with several zeros each gets infinity times the product of the others, which is 0",
    "cumprod": "a recurrence past zeros, where PyTorch multiplies anew for each element",
    "_recurrence": "as cumprod",
    "lu_solve": "a product with the whole inverse of the triangle, zeros included",
    **dict.fromkeys(("linalg_lu_solve", "linalg_lu_factor_ex", "linalg_lu_factor", "linalg_lu", "linalg_qr", "qr",
                     "linalg_slogdet", "ormqr"), "as lu_solve"),
    "as_strided_scatter": "the gradient of what is written over is wrong in PyTorch",
    "stft": "an infinity in a spectrum makes all of the signal NaN; in PyTorch some of it is infinite",
}

if fft.compiled is None:
    del FURTHER_HERE["stft"], FURTHER_IN_BACKWARD["stft"]   # NumPy's transforms keep what PyTorch's keep
if lapack.compiled and lapack.address("dormqr"):
    del FURTHER_HERE["linalg_householder_product"], FURTHER_HERE["ormqr"]       # one reflection after the other


def where_spoiled(item):
    return {0, np.size(item.values) // 2, np.size(item.values) - 1}


def spoils(sample):
    """What one bad element changes in leafward and not in PyTorch: a sentence each."""
    drawn = sample.draw("float64")
    plain = outputs(torch, theirs, sample, drawn), outputs(leafward, ours, sample, drawn)
    if None in plain:
        return
    for position, (kind, item) in enumerate(zip(kinds(sample.specs), flat(drawn), strict=True)):
        if item.dtype != "float64" or np.size(item.values) == 0:
            continue
        for element in where_spoiled(item):
            for value in np.inf, np.nan:
                spoiled = replaced(drawn, position, element, value)
                expected, given = outputs(torch, theirs, sample, spoiled), outputs(leafward, ours, sample, spoiled)
                if expected is None or given is None:
                    continue
                for before, after, mine, now in zip(plain[0], expected, plain[1], given, strict=True):
                    allowed, found = changed(before, after), changed(mine, now)
                    if allowed is not None and found is not None and (found & ~allowed).any():
                        yield (f"{sample}: {value} in element {element} of input {position} ({kind}) changes "
                               f"{now[found & ~allowed][:4]}")


@pytest.mark.parametrize("op", every_op(lambda op: is_comparable(op) and not op.random), ids=name_of)
def test_one_bad_element_spoils_no_more_than_in_pytorch(op):
    found = [sentence for sample in samples_of(op) for sentence in spoils(sample)]
    assert bool(found) == (op.name in FURTHER_HERE), found


def gradients_of(t, find, sample, drawn, at=None):
    """The gradients of ``sample`` for normal ones of its outputs, of which element ``at`` of output ``at`` may be infinite."""
    args, kwargs = sample.build(t, drawn, requires_grad=True)
    outputs = wanting(settled(sample.op, call(t, find(sample.op), sample.op, args, kwargs)))
    given = cotangents_for(t, outputs)
    if at is not None:
        given[at].view(-1)[given[at].numel() // 2] = np.inf
    grads = t.autograd.grad(outputs, wanting([args, kwargs]), given, allow_unused=True)
    return [None if x is None else to_numpy(x) for x in grads], [out.numel() for out in outputs]


@pytest.mark.parametrize("op", every_op(lambda op: is_comparable(op) and has_gradient(op) and not op.random), ids=name_of)
def test_one_infinite_gradient_spoils_no_more_than_in_pytorch(op):
    found = []
    for sample in filter(is_recorded, samples_of(op)):
        drawn = sample.draw("float64")
        plain = [Outcome(gradients_of, (t, find, sample, drawn)) for t, find in ((torch, theirs), (leafward, ours))]
        if any(outcome.error is not None for outcome in plain):
            continue                                        # what one of both refuses is the subject of other tests
        (expected, sizes), (given, _) = plain[0].value, plain[1].value
        for at in [number for number, size in enumerate(sizes) if size]:
            there = Outcome(gradients_of, (torch, theirs, sample, drawn, at))
            if there.error is not None:                     # such as that a gradient would depend on a choice of phase
                continue
            here = gradients_of(leafward, ours, sample, drawn, at)[0]
            for before, after, mine, now in zip(expected, there.value[0], given, here, strict=True):
                if before is None or mine is None:
                    continue
                further = changed(mine, now) & ~changed(before, after)
                if further.any():
                    found.append(f"{sample}: infinity in gradient {at} changes {after[further][:4]} to {now[further][:4]}")
    assert bool(found) == (op.name in FURTHER_IN_BACKWARD), found


def test_grid_sample_reads_nothing_of_an_infinity_outside():
    grid = [[[[-1.0, -1.0], [2.0, 2.0], [0.0, -3.0]]]]
    image = [[[[float("inf"), 1.0], [2.0, float("nan")]]]]
    for mode in "nearest", "bilinear", "bicubic":
        given = [t.nn.functional.grid_sample(t.tensor(image), t.tensor(grid), mode=mode, align_corners=True).tolist()
                 for t in (leafward, torch)]
        np.testing.assert_array_equal(*given)


@pytest.mark.parametrize("shape, places", [((1, 1, 3, 3), [[[[-0.9, -0.9], [0.9, 0.9]]]]),
                                           ((1, 1, 3, 3, 3), [[[[[-0.9, -0.9, -0.9], [0.9, 0.9, 0.9]]]]])])
def test_the_nearest_pixel_has_no_slope_beside_an_infinity(shape, places):
    seen = []
    for t in torch, leafward:
        image, grid = t.ones(shape, dtype=t.float64), t.tensor(places, dtype=t.float64, requires_grad=True)
        image.view(-1)[0] = float("inf")
        image.requires_grad_()
        y = t.nn.functional.grid_sample(image, grid, "nearest", align_corners=False)
        seen.append([part.tolist() for part in (*t.autograd.grad(y, (image, grid), t.ones_like(y), retain_graph=True),
                                                *t.autograd.grad(y, grid, t.zeros_like(y)))])
    assert seen[0] == seen[1]


def test_grid_sample_at_no_place():
    image = [[[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0], [7.0, 8.0, 9.0]]]]
    inf, nan = np.inf, np.nan
    grid = [[[[nan, nan], [nan, 0.0], [inf, 0.0], [-inf, 0.0], [0.0, nan], [0.0, 1e20]]]]
    for padding_mode, mode in itertools.product(("border", "reflection"), ("nearest", "bilinear", "bicubic")):
        given = [t.nn.functional.grid_sample(t.tensor(image), t.tensor(grid), mode=mode, padding_mode=padding_mode,
                                             align_corners=False).tolist() for t in (leafward, torch)]
        np.testing.assert_array_equal(*given)


@both
def test_what_a_loss_ignores_may_be_infinite_and_a_weight_of_zero_ignores_nothing(t, see):
    inf, nan = np.inf, np.nan
    for weight, ignored in ([1.0, 2.0, 0.0], -100), ([1.0, 2.0, inf], 2), ([1.0, 2.0, nan], 2), ([0.0, 0.0, 0.0], -100):
        for reduction in "none", "sum", "mean":
            for values in [[inf, 1.0, 2.0], [1.0, inf, nan], [1.0, 2.0, 3.0]], [[1.0, 1.0, 2.0]] * 3:
                x = t.tensor(values, requires_grad=True)
                out = t.nn.functional.nll_loss(x, t.tensor([1, 2, 0]), t.tensor(weight), ignore_index=ignored,
                                               reduction=reduction)
                see(out, t.autograd.grad(out.sum(), x)[0] + 0)


@both
def test_losses_and_relus_of_infinities_are_pytorchs(t, see):
    inf, nan = np.inf, np.nan
    scores = t.tensor([inf, -inf, inf, 2.0], requires_grad=True)
    variance = t.tensor([inf, 2.0, nan, 0.0], requires_grad=True)
    losses = t.nn.functional.binary_cross_entropy_with_logits(scores, t.tensor([0.0, 1.0, 0.5, 1.0]), reduction="none")
    see(losses, *t.autograd.grad(losses.sum(), scores))
    losses = t.nn.functional.gaussian_nll_loss(t.ones(4), t.tensor([0.0, 1.0, 2.0, 1.0]), variance, reduction="none")
    see(losses, *t.autograd.grad(losses.sum(), variance))
    layer, x = t.nn.RNN(2, 2, nonlinearity="relu"), t.tensor([[[nan, 1.0], [1.0, -1.0]]])
    for weights in layer.parameters():
        t.nn.init.ones_(weights)
    see(*t.autograd.grad(layer(x)[0].sum(), list(layer.parameters())))
    single = t.tensor(inf, requires_grad=True)
    see(*t.autograd.grad(single.prod(), single))


def test_the_svd_of_an_infinity_ends():
    x = leafward.ones(4, 3, dtype=leafward.float64)
    x[1, 2] = float("inf")
    for function in leafward.linalg.svd, leafward.linalg.svdvals, leafward.linalg.pinv, lambda x: leafward.linalg.lstsq(x, x):
        with pytest.raises(leafward.linalg.LinAlgError, match="contained non-finite values"):
            function(x)
