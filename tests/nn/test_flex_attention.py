"""``flex_attention`` and its masks give what PyTorch's give; gradients, which PyTorch refuses on a CPU, the formula's."""
import itertools
import math
import pickle
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import leafward as lw
from tests.oracle import torch

DTYPES = ("float32", "float64", "bfloat16")


def masks(flex):
    return {
        "causal": lambda b, h, q, k: q >= k, "by head": lambda b, h, q, k: (q >= k) & (q != 3) | (h == 1),
        "both": flex.and_masks(lambda b, h, q, k: q >= k, lambda b, h, q, k: q - k < 4),
        "either": flex.or_masks(lambda b, h, q, k: q == k, lambda b, h, q, k: k < 2), "none": flex.noop_mask,
    }


def computed(t, mask, dtype):
    flex = t.nn.attention.flex_attention
    kind = getattr(t, dtype)
    q, k, v = (t.linspace(-1, 1, 2 * heads * length * 8, dtype=t.float64).mul(seed).sin().reshape(2, heads, length, 8).to(kind)
               for seed, heads, length in ((31, 4, 9), (47, 2, 11), (59, 2, 11)))
    bias = t.linspace(0, 1, 4)
    block_mask = flex.create_block_mask(masks(flex)[mask], 2, 4, 9, 11, BLOCK_SIZE=4, device="cpu")
    return block_mask, *flex.flex_attention(
        q, k, v, lambda score, b, h, i, j: score + bias[h] * (i - j), block_mask, enable_gqa=True, return_lse=True, scale=0.3)


FIELDS = ("kv_num_blocks", "kv_indices", "full_kv_num_blocks", "full_kv_indices", "q_num_blocks", "q_indices",
          "full_q_num_blocks", "full_q_indices")
CASES = list(itertools.product(("causal", "by head", "both", "either", "none"), DTYPES))


def told(t, case):
    """Everything that is compared, as numbers and names."""
    mask, result, lse = computed(t, *case)
    blocks = {name: (getattr(mask, name).tolist(), str(getattr(mask, name).dtype)) for name in FIELDS}
    return blocks, tuple(mask.shape), mask.sparsity(), mask.to_dense().tolist(), [
        (str(x.dtype), x.double().tolist()) for x in (result, lse)]


@pytest.fixture(scope="module")
def theirs(tmp_path_factory):
    # In a process of its own: PyTorch compiles masks, and its compiler switches off checks of distributions for good.
    path = tmp_path_factory.mktemp("flex") / "answers"
    subprocess.run([sys.executable, "-W", "ignore", "-m", "tests.nn.test_flex_attention", path], check=True,
                   capture_output=True, cwd=Path(__file__).parent.parent.parent)
    return pickle.loads(path.read_bytes())


@pytest.mark.parametrize("case", CASES, ids=" ".join)
def test_values_and_blocks(case, theirs):
    blocks, shape, sparsity, dense, values = told(lw, case)
    assert (blocks, shape, dense) == (theirs[case][0], theirs[case][1], theirs[case][3])
    assert sparsity == pytest.approx(theirs[case][2])
    tolerance = {"float32": 2e-6, "float64": 1e-6, "bfloat16": 2e-2}[case[1]]
    for (dtype, ours), (expected_dtype, expected) in zip(values, theirs[case][4], strict=True):
        assert dtype == expected_dtype
        np.testing.assert_allclose(np.array(ours), np.array(expected), tolerance, tolerance)


def test_a_query_that_sees_nothing_gets_zero_and_so_do_its_gradients():
    flex = lw.nn.attention.flex_attention
    q, k, v = (lw.randn(1, 1, 3, 4, requires_grad=True) for _ in range(3))
    mask = flex.create_block_mask(lambda b, h, i, j: i > j, None, None, 3, 3)
    result, aux = flex.flex_attention(q, k, v, block_mask=mask, return_aux=flex.AuxRequest(lse=True, max_scores=True))
    assert result[0, 0, 0].tolist() == [0, 0, 0, 0] and aux.lse[0, 0, 0].item() == -math.inf == aux.max_scores[0, 0, 0].item()
    result.sum().backward()
    expected = lw.nn.functional.scaled_dot_product_attention(
        q.detach()[:, :, 1:], k.detach(), v.detach(), attn_mask=lw.ones(3, 3).tril(-1)[1:].bool())
    assert lw.allclose(result[:, :, 1:], expected, atol=1e-6)
    assert q.grad[0, 0, 0].tolist() == [0, 0, 0, 0] and lw.isfinite(q.grad).all() and lw.isfinite(k.grad).all()


@pytest.mark.parametrize("name", masks(lw.nn.attention.flex_attention))
def test_a_mask_is_made_again_from_the_blocks_of_its_keys(name):
    flex = lw.nn.attention.flex_attention
    mask = flex.create_block_mask(masks(flex)[name], 2, 4, 9, 11, BLOCK_SIZE=(4, 3))
    again = flex.BlockMask.from_kv_blocks(
        mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks, mask.full_kv_indices, BLOCK_SIZE=(4, 3),
        mask_mod=mask.mask_mod, seq_lengths=(9, 11))
    assert (again.shape, again.BLOCK_SIZE, again.sparsity()) == (mask.shape, mask.BLOCK_SIZE, mask.sparsity())
    assert all(lw.equal(getattr(again, field), getattr(mask, field)) for field in FIELDS)
    q, k, v = lw.randn(2, 4, 9, 5), lw.randn(2, 4, 11, 5), lw.randn(2, 4, 11, 5)
    assert lw.equal(flex.flex_attention(q, k, v, block_mask=again), flex.flex_attention(q, k, v, block_mask=mask))
    without = flex.BlockMask.from_kv_blocks(mask.kv_num_blocks, mask.kv_indices, BLOCK_SIZE=(4, 3), compute_q_blocks=False)
    assert without.q_indices is None is without.full_kv_indices and without.seq_lengths == (12, 12)
    with pytest.raises(AssertionError, match="both provided or omitted"):
        flex.BlockMask.from_kv_blocks(mask.kv_num_blocks, mask.kv_indices, mask.full_kv_num_blocks)


def test_gradients_reach_what_the_function_of_scores_uses():
    flex = lw.nn.attention.flex_attention
    q, k, v = (lw.randn(1, 2, 3, 4, dtype=lw.float64, requires_grad=True) for _ in range(3))
    bias = lw.randn(2, dtype=lw.float64, requires_grad=True)

    def attend(q, k, v, bias):
        return flex.flex_attention(q, k, v, lambda score, b, h, i, j: score * bias[h] + (i - j))
    assert lw.autograd.gradcheck(attend, (q, k, v, bias))


def test_what_does_not_fit_is_refused():
    flex = lw.nn.attention.flex_attention
    q, k = lw.ones(1, 4, 3, 2), lw.ones(1, 2, 3, 2)
    small = flex.create_block_mask(flex.noop_mask, None, None, 2, 2)
    for call, error in ((lambda: flex.flex_attention(q, k, k), ValueError),
                        (lambda: flex.flex_attention(q, q, q.double()), ValueError),
                        (lambda: flex.flex_attention(q[0], q[0], q[0]), NotImplementedError),
                        (lambda: flex.flex_attention(q, q, q, block_mask=small), ValueError)):
        with pytest.raises(error):
            call()


if __name__ == "__main__":
    import_module("torch.nn.attention.flex_attention")       # PyTorch loads it when it is asked for
    Path(sys.argv[1]).write_bytes(pickle.dumps({case: told(torch, case) for case in CASES}))
