"""Functions that PyTorch keeps under ``torch`` in its inner order, and copies of views: values and gradients."""
import pytest

import leafward
from tests.oracle import Outcome, assert_same, torch

CALLS = """
t.embedding_bag(x, i, o) | t.embedding_bag(x, i, o, False, 1) | t.embedding_bag(x, i, o, False, 2)
t.embedding_bag(x, i, o, False, 0, False, p.reshape(-1)[:5]) | t.embedding_bag(x, i, o, False, 1, False, None, False, 2)
t.embedding_bag(x, i, o, False, 0, False, None, False, 2) | t.embedding_bag(x, i, o, False, 2, False, None, False, 2)
t.embedding_bag(x, i, t.tensor([0, 2, 5]), False, 1, False, None, True) | t.embedding_bag(x, i, i)
t.kl_div(x.log_softmax(1), p) | t.kl_div(x.log_softmax(1), p, 1) | t.kl_div(x.log_softmax(1), p.log(), 2, log_target=True)
t.kl_div(x, p, 5) | t.binary_cross_entropy_with_logits(x, p) | t.binary_cross_entropy_with_logits(x, p, p, p[0], 1)
t.vander(x[0].detach(), increasing=True) | t.hinge_embedding_loss(x, x.sign()) | t.hinge_embedding_loss(x, x.sign(), 0.5, 1)
t.cosine_embedding_loss(x, p, t.ones(3), 0.1) | t.cosine_embedding_loss(x, p, -t.ones(3), 0.1, 2)
t.margin_ranking_loss(x, p, x.sign(), 0.3) | t.margin_ranking_loss(x, p, x.sign(), reduction=1)
t.triplet_margin_loss(x, p, x.flip(0)) | t.triplet_margin_loss(x, p, x.flip(0), 0.5, 1.0, 1e-6, True, 1)
t.ctc_loss(q, t.tensor([[1, 2], [1, 1]]), (5, 5), (2, 2))
t.ctc_loss(q, t.tensor([[1, 2], [1, 1]]), (5, 5), (2, 2), 0, 2, True)
t.batch_norm(x, p[0], p[1], t.zeros(4), t.ones(4), True, 0.1, 1e-5, False)
t.batch_norm(x, None, None, t.ones(4), t.ones(4), False, 0.1, 1e-5, True)
t.instance_norm(x[None], p[:, 0], p[:, 1], None, None, True, 0.1, 1e-5, False) | t.embedding(x, t.tensor([[0, 2]]))
t.embedding(x, t.tensor([1, 1]), 1) | t.adaptive_max_pool1d(x, 2) | t.alpha_dropout(x, 0.5, False)
t.feature_alpha_dropout(x[None], 0.5, False) | t.channel_shuffle(x.reshape(1, 4, 3), 2)
t.native_channel_shuffle(p.reshape(1, 6, 2), 3) | t.vander(x[0].detach()) | t.vander(x[0].detach(), 2) | t.vander(x[0], 1)
t.vander(t.tensor([2, 3])) | t.vander(x) | t.narrow_copy(x, 1, 1, 2) | x.narrow_copy(0, 1, 1) | t.slice_copy(x, 1, 0, 3, 2)
t.detach_copy(p) | t.alias_copy(x) | t.as_strided_copy(x, (2, 2), (1, 2), 1) | t.permute_copy(x, (1, 0))
t.view_copy(x, (2, 6)) | t.expand_copy(x[:, :1], (3, 5)) | t.unfold_copy(x, 1, 2, 1) | t.select_copy(x, 0, 1)
t.split_copy(x, 3, 1) | t.split_with_sizes_copy(x, [1, 3], 1) | t.squeeze_copy(x[None]) | t.squeeze_copy(x[None], 0)
t.t_copy(x) | t.transpose_copy(x, 0, 1) | t.unbind_copy(x) | t.unsqueeze_copy(x, 1) | t.view_as_real_copy(t.complex(x, x))
t.view_as_complex_copy(p.reshape(6, 2)) | t.crow_indices_copy(x.detach().to_sparse_csr())
t.col_indices_copy(x.detach().to_sparse_csr()) | t.t_copy(x.detach(), out=t.zeros(4, 3))
t.feature_dropout_(p[None], 0.5, False) | t.rrelu_(x * 1, 0.25, 0.25) | t.rrelu_(x.detach(), 0.2, 0.3, True)
t.native_dropout(x, 0.5, True) | t.native_dropout(x, 0.25, False) | t.native_dropout(x, 1.0, None)
t.native_layer_norm(x, (4,), p[0], p[1], 1e-5) | t.native_layer_norm(x.reshape(3, 2, 2), (2, 2), None, None, 0.5)
t.native_group_norm(x.reshape(1, 4, 3), p[0], p[1], 1, 4, 3, 2, 1e-5) | t.conv_tbc(x[None], t.ones(1, 4, 2), t.zeros(2), 1)
t.native_batch_norm(x, p[0], p[1], None, None, True, 0.1, 1e-5) | t.max_pool1d_with_indices(x, 2)
t.native_batch_norm(x, p[0], p[1], p[0], p[2], False, 0.1, 1e-5) | t.max_pool1d_with_indices(x, 3, 1, 1)
t.affine_grid_generator(x[:2].reshape(1, 2, 4)[..., 1:], (1, 1, 2, 3), False) | t.embedding_renorm_(p, i, 0.5, 2.0)
t.as_strided_(x * 1, (2, 3), (1, 2)) | t.frobenius_norm(x, 1) | t.frobenius_norm(x, (0, 1), True) | t.nuclear_norm(x)
t.nuclear_norm(x, True) | t.nuclear_norm(x[None], (1, 2)) | t.norm_except_dim(x) | t.norm_except_dim(x, 3, 1)
t.norm_except_dim(x, 2, -1) | t.frobenius_norm(x, ())
t.unbind_copy(x.detach(), out=[t.zeros(4), t.zeros(4), t.zeros(4)]) | t.narrow_copy(x, 1, 3, 2)
"""


def run(t, text):
    t.manual_seed(0)
    x = t.randn(3, 4).requires_grad_()
    names = {"t": t, "x": x, "p": t.rand(3, 4), "q": t.rand(5, 2, 3).log_softmax(2),
             "i": t.tensor([1, 2, 2, 0, 0]), "o": t.tensor([0, 2, 2])}
    made = Outcome(eval, (text, names))         # noqa: S307  our own text
    if made.error is None:
        for part in made.value if isinstance(made.value, (tuple, list)) else [made.value]:
            if part is not None and part.requires_grad:
                (t.view_as_real(part) if part.is_complex() else part).pow(2).sum().backward(retain_graph=True)
    return made, x.grad


@pytest.mark.filterwarnings("ignore:Sparse")
@pytest.mark.parametrize("text", [part for line in CALLS.strip().splitlines() for part in line.split(" | ")])
def test_calls(text):
    (ours, mine), (theirs, expected) = run(leafward, text), run(torch, text)
    if theirs.error is not None:
        assert isinstance(ours.error, type(theirs.error)), ours.error
        return
    assert_same(ours.get(), theirs.value, strides=True, rtol=1e-5)
    assert (mine is None) == (expected is None)
    if expected is not None:
        assert_same(mine, expected, rtol=1e-4, atol=1e-5)
