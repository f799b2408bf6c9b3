"""Single calls that random programs (tests/fuzz) found to differ from PyTorch."""
import pytest

from tests.test_corners import compare


@pytest.mark.parametrize("call", [
    "t.ones(1).expand(20).sort()[1]", "t.ones(3).expand(20, 3).argsort(0)", "t.ones(20).expand(3, 20).sort(1)[1]",
    "t.ones(3, 1).expand(3, 20).sort(descending=True)[1]", "F.cosine_similarity(t.zeros(2), t.ones(2), 0, -1.0)",
    "F.binary_cross_entropy_with_logits(t.ones(3), t.ones(3), t.ones(3) + 1j)",
    "F.binary_cross_entropy_with_logits(t.ones(3), t.ones(3), pos_weight=t.ones(3) + 1j)",
    "F.instance_norm(t.ones(2, 3, 4).double(), t.ones(3).double(), t.ones(3) > 0)",
    "F.instance_norm(t.ones(2, 3, 4).double(), t.ones(3).double())",
    "F.batch_norm(t.ones(2, 3), None, t.ones(3), training=True)",
    "[t.linalg.matrix_norm(t.zeros(s, requires_grad=True), o, (0, 1)).requires_grad for s in ((0, 2), (2, 0), (0, 0, 2)) "
    "for o in (1, 2, float('inf'), 'fro', 'nuc') if (s, o) not in (((2, 0), float('inf')), ((0, 2), 1), ((0, 0, 2), 3))]",
    *[f"(lambda x: t.autograd.grad(t.{call}.flip(0), x, t.arange(12.0).view(3, 4)))(t.ones(3, 4, requires_grad=True))"
      for call in ("diagonal_scatter(x, t.ones(3))", "select_scatter(x, t.ones(4), 0, 1)",
                   "slice_scatter(x, t.ones(1, 4), 0, 1, 2)")],
    *[f"F.multi_margin_loss(t.ones({x}), t.zeros({y}, dtype=t.int64))" for x, y in ((5, 3), (5, 1), (5, 0), ((1, 5), ()))],
    "F.fractional_max_pool2d(t.zeros(0, 6, 7), 2, 2).shape", "F.fractional_max_pool3d(t.zeros(0, 5, 6, 7), 2, 2).shape",
    *[f"F.batch_norm(t.ones(4, 3, dtype=t.{x}), t.ones(3, dtype=t.{a}), t.ones(3, dtype=t.{b}), t.ones(3, dtype=t.{c}), "
      f"training={training})" for training in (True, False) for x, a, b, c in (
          ("double", "double", "float", "double"), ("bfloat16", "float", "float", "bfloat16"),
          ("float", "double", "float", "float"), ("bfloat16", "float", "bfloat16", "float"), ("half", *["float"] * 3))],
    "(lambda x: t.autograd.grad(x.prod(), x))(t.tensor(float('nan'), requires_grad=True))"])
@pytest.mark.filterwarnings("ignore")
def test_what_random_programs_found(call):
    compare(call)
