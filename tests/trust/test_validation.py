"""A network that runs in training mode under ``no_grad()``: a note where its results come into no loss, else nothing."""
import pytest

from tests.trust.test_mistakes import checked, written

START = """
net = nn.Sequential(nn.Linear(3, 4), {layer}, nn.Linear(4, 1))
opt = torch.optim.SGD(net.parameters(), lr=0.1)
for epoch in range(2):
    x = torch.randn(8, 3)
    opt.zero_grad()
    net(x).pow(2).mean().backward()
    opt.step()
"""
ASIDE = """    with torch.no_grad():
        val = net(torch.randn(8, 3)).pow(2).mean().item()
"""
#: Programs in which the same is meant.
MEANT = {
    "an evaluation": "    net.eval()\n" + ASIDE + "    net.train()\n",
    "a target of the network's own": """    with torch.no_grad():
        target = net(x + 1.0).clamp(-1.0, 1.0)
    opt.zero_grad()
    (net(x) - target).pow(2).mean().backward()
    opt.step()
""",
    "statistics made anew": "net[1].momentum = None\n" + ASIDE.replace("    ", "", 1).replace("\n    ", "\n"),
}


@pytest.mark.parametrize(("layer", "does"), [("nn.BatchNorm1d(4)", "changes the running ones"),
                                             ("nn.Dropout(0.5)", "drops values at random")])
def test_a_validation_in_training_mode_is_noted(layer, does):
    found = checked(written(START.format(layer=layer) + ASIDE))
    assert found.findings == []
    (note,) = found.notes
    assert does in note
    assert "net.eval() belongs before it" in note
    assert note.endswith("train.py:12")


@pytest.mark.parametrize("name", MEANT)
def test_what_is_meant_is_not_noted(name):
    found = checked(written(START.format(layer="nn.BatchNorm1d(4)") + MEANT[name]))
    assert (found.findings, found.notes) == ([], [])
