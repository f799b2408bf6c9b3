"""A write elsewhere in the same memory is no reason for an error; a write that shares one element is."""
import pytest

import leafward
from tests.oracle import torch
from tests.trust.programs import run

#: what is kept -> a region of a 4 x 4 buffer
KEPT = {
    "a row": "b[0]",
    "two rows": "b[:2]",
    "every other row": "b[::2]",
    "a column": "b[:, 0]",
    "a transposed row": "b.t()[:, 0]",
    "the diagonal": "b.diagonal()",
    "one element": "b[1, 1]",
    "a strided half": "b.view(-1)[::2]",
}
WRITTEN = {**KEPT, "the last row": "b[3]", "every other row from 1": "b[1::2]", "the last column": "b[:, 3]",
           "the diagonal above": "b.diagonal(1)", "the other half": "b.view(-1)[1::2]", "everything": "b"}

PROGRAM = """
x = {t}.ones(16, requires_grad=True)
b = {t}.arange(16.0).view(4, 4)
kept = {kept}
loss = (x[:kept.numel()].view(kept.shape) * kept).sum()
before = kept.clone()
with {t}.no_grad():
    {written}.mul_(-2)
changed = not bool((kept == before).all())
loss.backward()
"""


def elements(region):
    """Which elements of the buffer a region has."""
    return set(eval(region, {"b": torch.arange(16).view(4, 4)}).reshape(-1).tolist())


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("kept", KEPT)
def test_an_error_if_and_only_if_an_element_is_shared(kept, written):
    outcome = run(PROGRAM.format(t="lw", kept=KEPT[kept], written=WRITTEN[written]))
    if elements(KEPT[kept]) & elements(WRITTEN[written]):
        assert type(outcome.error) is leafward.InplaceGradientError
    else:
        assert outcome.error is None
        assert not outcome.names["changed"]
        gradient = outcome.names["before"].reshape(-1).tolist()
        assert outcome.grad() == gradient + [0.0] * (16 - len(gradient))


@pytest.mark.parametrize("through", ["b.data[3]", "b.data[:, 1:]", "b.data.view(-1)[4:]"])
def test_no_warning_for_untracked_writes_elsewhere(through):
    kept = "b[0]" if through != "b.data[:, 1:]" else "b[:, 0]"
    outcome = run(PROGRAM.format(t="lw", kept=kept, written=through))
    assert outcome.error is None
    assert outcome.warned == []


FILLED_ROW_BY_ROW = """
w = {t}.ones(3, requires_grad=True)
buffer = {t}.zeros(5, 3)
buffer[0] = 1.0
loss = 0
for i in range(1, 5):
    loss = loss + (buffer[i - 1] * w).sum()
    with {t}.no_grad():
        buffer[i] = buffer[i - 1] * 2
loss.backward()
"""


def test_a_buffer_filled_row_by_row():
    """PyTorch refuses; the gradient is right all the same."""
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        exec(FILLED_ROW_BY_ROW.format(t="t"), {"t": torch})
    outcome = run(FILLED_ROW_BY_ROW.format(t="lw"))
    assert outcome.error is None
    assert outcome.grad("w") == [15.0, 15.0, 15.0]


def test_without_checks_the_counter_alone_decides():
    assert type(run(FILLED_ROW_BY_ROW.format(t="lw"), checks=False).error) is leafward.InplaceGradientError
