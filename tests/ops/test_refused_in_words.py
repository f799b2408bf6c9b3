"""What does not go together is refused as in PyTorch: no error of NumPy's or Python's own comes through."""
import pytest

import leafward
from tests.oracle import Outcome, first_sentence, torch

F = "t.nn.functional"
RNN = "True, 1, 0.0, False, False, False"

REFUSED = [
    f"{F}.smooth_l1_loss(t.ones(2, 4, 3), t.ones(3, 4))",
    "t.ones(2, 4, 3).cross(t.ones(2, 5, 3), dim=2)",
    "t.histogram(t.ones(5), 3, range=[-1.0, 1.0, 0.0, 2.0])",
    "t.lu_unpack(t.tensor(1.0), t.tensor([2, 2], dtype=t.int32))",
    f"{F}.ctc_loss(t.ones(3), t.tensor([1, 1]), (3,), (2,))",
    f"t.rnn_relu(t.ones(3, 2, 3), t.ones(1, 2, 2), [t.ones(2), t.ones(2, 2), t.ones(2), t.ones(2)], {RNN})",
    f"t.rnn_relu(t.ones(3, 2, 3), t.ones(1, 2, 2), [t.ones(2, 3), t.ones(2), t.ones(2), t.ones(2)], {RNN})",
    f"t.gru(t.ones(3, 2, 3), t.ones(0, 2, 2), [t.ones(6, 3), t.ones(6, 2), t.ones(6), t.ones(6)], {RNN})",
    f"t.rnn_tanh(t.ones(3, 2, 3), t.ones(1, 2, 2), [t.ones(2, 3), t.ones(2, 2), t.ones(2).int(), t.ones(2)], {RNN})",
    f"{F}.fractional_max_pool3d(t.ones(1, 4, 5, 6, 7), 2, (3, 2))",
    f"{F}.fractional_max_pool2d(t.ones(2, 0, 6, 7), 2, 2)",
    f"{F}.max_pool2d(t.ones(1, 1, 4, 4), 2**40)",
    "t.zeros(2).random_(2**63)",
]


@pytest.mark.parametrize("expression", REFUSED)
def test_refused_in_words(expression):
    ours, theirs = [Outcome(eval, (expression, {"t": t})).error for t in (leafward, torch)]
    assert isinstance(theirs, (RuntimeError, ValueError))
    kind = RuntimeError if isinstance(theirs, RuntimeError) else ValueError
    assert isinstance(ours, kind)
    assert not any(word in str(ours) for word in ("operands", "objects cannot", "unpack (", "core dimension", "reshape array"))


#: Where the words are PyTorch's own, too: what is asked for stands in the first sentence.
SAME_WORDS = [
    "t.dist(t.tensor([1]), t.tensor([2]))", "t.dist(t.tensor([True]), t.tensor([2]))", "t.tensor(1)[0]", "t.tensor(1)[-1]",
    "t.tensor(1)[0, 0]", "t.tensor(1).__setitem__(2, 5)", "t.nanquantile(t.tensor([1]), 0.5)", "t.quantile(t.ones(2), 3.0)",
    "t.fmax(t.ones(2) * 1j, t.ones(2))", "t.fmin(t.ones(2) * 1j, t.ones(2))", "t.logdet(t.ones(2))", "t.ones(3) in t.ones(2)",
    f"{F}.softshrink(t.tensor([1]))",
]


@pytest.mark.parametrize("expression", SAME_WORDS)
def test_refused_in_the_same_words(expression):
    ours, theirs = [Outcome(eval, (expression, {"t": t})).error for t in (leafward, torch)]
    assert first_sentence(ours) == first_sentence(theirs)


@pytest.mark.parametrize("expression, dtype", [
    ("t.unravel_index(t.tensor([10, 2], dtype=t.int32), (3, 4))[0]", "int64"),
    ("t.sort(t.tensor([[3.0, 1.0]]).t())[1]", "int64"),
    ("t.argsort(t.tensor([3.0, 1.0]))", "int64"),
])
def test_dtypes_of_places(expression, dtype):
    for t in leafward, torch:
        assert str(eval(expression, {"t": t}).dtype) == f"torch.{dtype}"
