"""A discriminator that a generator's loss fills besides: the repair leaves it trained by its own loss alone."""
import pytest

from tests.trust.fixes import applied, suggestions
from tests.trust.mistakes import MISTAKES
from tests.trust.test_mistakes import checked, written

#: A mistake -> what stands there where it is meant, as ``(as it is, as it should be)``.
MEANT = {
    "a generator's optimizer zeroed twice": ("    og.zero_grad()\n    d = ", "    od.zero_grad()\n    d = "),
    "a discriminator's step below the generator's backward": (
        "    g_loss = -D(fake).mean()\n    g_loss.backward()\n    od.step()\n",
        "    od.step()\n    g_loss = -D(fake).mean()\n    g_loss.backward()\n"),
    "a discriminator zeroed after its step": ("    og.step()\n", "    og.step()\n    od.zero_grad()\n"),
    "a discriminator that trains with the generator's gradients": (
        "    fake = ", "    opt_d.zero_grad()\n    fake = "),
    "a discriminator's loss in the generator's gradient": (
        "    g_loss.backward()\n", "    og.zero_grad()\n    g_loss.backward()\n"),
}


def weights(source):
    names = checked(source).names
    return [p.tolist() for part in (names["G"], names["D"]) for p in part.parameters()]


@pytest.mark.parametrize("name", MEANT)
def test_the_repair_gives_the_weights_that_were_meant(name):
    source = written(MISTAKES[name][0])
    (finding,) = checked(source).findings
    meant = weights(source.replace(*MEANT[name]))
    assert weights(source) != meant
    edits = suggestions(f"{finding.title}\n{finding.text}")
    assert edits
    for edit in edits:
        assert weights(applied(source, edit)) == meant
