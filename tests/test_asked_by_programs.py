"""What random programs found: calls that PyTorch takes, or refuses, at the edges of shapes and dtypes."""
import pytest

import leafward
from tests.oracle import Outcome, assert_same_outcome, torch

CALLS = """
t.bincount(t.zeros(0, dtype=t.int64), t.ones(9)) | t.bincount(t.zeros(0, dtype=t.int64), t.ones(9), 3)
t.tensor([2., -1., 300., .5], dtype=t.float16).histc(9) | t.linalg.matrix_norm(t.ones(2, 2), 'nuc', (1,))
F.soft_margin_loss(t.ones(3, 1, 1), t.ones(4)) | F.soft_margin_loss(t.ones(4), t.ones(3, 1, 4))
F.soft_margin_loss(x, t.ones(1)) | F.triplet_margin_loss(t.ones(3, 4), t.tensor(1.), t.ones(1, 4))
written(x.detach().requires_grad_()) | t.ones(3, 1).expand(3, 2**62) | t.ones(()).expand(2**62, 3)
t.index_select(t.ones(4, 3), 1, t.tensor([127, 2])) | F.embedding_bag(t.tensor([[3, 3]]), t.ones(3, 4)) | lstm_cell(t.float64)
F.embedding_bag(t.tensor([0, 7]), t.ones(3, 4), t.tensor([0]), mode='max') | lstm_cell(t.float16) | lstm_cell(t.complex64)
t.linalg.vector_norm(half, dtype=t.float32) | half.norm(dtype=t.float32) | half.sum(dtype=t.float32) | half.mean(dtype=t.double)
half.prod(dtype=t.float32) | half.nansum(dtype=t.float32) | half.cumsum(0, dtype=t.float32) | half.softmax(0, dtype=t.float32)
t.tensor(1.5).H | t.tensor(1.5).mH | t.tensor(1.5 + 1j).adjoint() | t.adjoint(t.tensor(1.5, requires_grad=True)).is_leaf
"""


@pytest.mark.filterwarnings("ignore:Tensor.m?H is deprecated")
@pytest.mark.parametrize("text", [part for line in CALLS.strip().splitlines() for part in line.split(" | ")])
def test_calls(text):
    outcomes = []
    for t in leafward, torch:
        def written(x, t=t):
            with t.no_grad():
                x[t.tensor([0, 0, 0])] = t.tensor(1.5)
            return x

        def lstm_cell(dtype, t=t):
            t.manual_seed(0)
            cell, c = t.nn.LSTMCell(2, 3), t.linspace(0, 1, 6).reshape(2, 3).to(dtype).requires_grad_()
            h, after = cell(t.ones(2, 2), (t.ones(2, 3), c))
            (h * h.detach().conj()).abs().sum().backward()
            return h, after, c.grad, cell.weight_hh.grad

        names = {"t": t, "lstm_cell": lstm_cell, "F": t.nn.functional, "written": written, "half": t.linspace(0, 1, 9).half(),
                 "x": t.tensor([[1.0, 2.0]]).expand(3, 2)}
        outcomes.append(Outcome(eval, (text, names)))         # noqa: S307  our own text
    assert_same_outcome(*outcomes)
