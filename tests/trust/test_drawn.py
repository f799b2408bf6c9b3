"""Values that were drawn where no gradient flows, and an optimizer of values without one: told where parameters get none."""
import textwrap

import pytest

import leafward
from tests.trust.fixes import applied, suggestions
from tests.trust.programs import lines_of, run

START = """
from leafward import distributions as D
lw.manual_seed(0)
enc, dec = nn.Linear(3, 2), nn.Linear(1, 3)
opt = lw.optim.SGD([*enc.parameters(), *dec.parameters()], lr=0.1)
x = lw.randn(4, 3)
mean, raw = enc(x).chunk(2, 1)
"""
FIRST = START.strip("\n").count("\n") + 1
END = """
opt.zero_grad()
loss.backward()
opt.step()
"""
DRAWN = {
    "a latent": "z = D.Normal(mean, raw.exp()).sample()\nloss = (dec(z) - x).pow(2).mean()",
    "by the base's own method": "loss = (dec(D.Laplace(mean, raw.exp()).sample()) - x).pow(2).mean()",
    "several": "z = D.Normal(mean, 1.0).sample((5,))\nloss = (dec(z) - x).pow(2).mean()",
    "of another family": "posterior = D.Gamma(mean.exp(), raw.exp())\nloss = dec(posterior.sample()).pow(2).mean()",
}
RIGHT = {
    "with the gradient": "loss = (dec(D.Normal(mean, raw.exp()).rsample()) - x).pow(2).mean()",
    "by its probability": """
        policy = D.Normal(mean, raw.exp())
        action = policy.sample()
        loss = -(policy.log_prob(action) * dec(action).detach().sum(1, keepdim=True)).mean() + dec(action).pow(2).mean()
        """,
    "two losses before one step": """
        policy = D.Normal(mean, raw.exp())
        action = policy.sample()
        (-(policy.log_prob(action)).mean()).backward(retain_graph=True)
        loss = dec(action).pow(2).mean() + policy.entropy().mean()
        """,
    "an optimizer for each": """
        opt = lw.optim.SGD(dec.parameters(), lr=0.1)
        loss = dec(D.Normal(mean, raw.exp()).sample()).pow(2).mean()
        """,
    "choices": """
        policy = D.Categorical(logits=enc(x))
        choice = policy.sample()
        loss = -(policy.log_prob(choice) * dec(choice[:, None].float()).sum(1).detach()).mean() + dec(lw.ones(1, 1)).mean()
        """,
}


def source_of(program):
    return START.strip("\n") + "\n" + textwrap.dedent(program).strip("\n") + END


@pytest.mark.parametrize("name", DRAWN)
def test_a_sample_that_no_gradient_passes_is_named_and_rsample_repairs(name):
    source = source_of(DRAWN[name])
    outcome = run(source)
    (warned,) = outcome.warned
    assert type(warned) is leafward.MissingGradientWarning
    text = str(warned)
    assert "enc.weight, enc.bias" in text
    line = 1 + next(number for number, line in enumerate(source.splitlines()) if ".sample(" in line)
    assert lines_of(text)["cut here"] == [line]
    repaired = run(applied(source, suggestions(text)[0]))
    assert repaired.error is None
    assert repaired.warned == []
    assert repaired.names["enc"].weight.grad.abs().sum() > 0


@pytest.mark.parametrize("name", RIGHT)
def test_samples_beside_which_gradients_arrive(name):
    outcome = run(source_of(RIGHT[name]))
    assert outcome.error is None
    assert outcome.warned == []


def test_what_is_drawn_has_no_gradient_whatever_is_noted():
    outcome = run(START + "drawn = [D.Normal(mean, raw.exp()).sample(), D.Laplace(mean, 1.0).sample()]\n"
                          "with lw.no_grad():\n    inner = D.Normal(mean, 1.0).sample()\nafter = mean * 2")
    assert [value.requires_grad for value in (*outcome.names["drawn"], outcome.names["inner"])] == [False] * 3
    assert outcome.names["after"].requires_grad


def test_an_optimizer_of_what_shares_memory_with_the_parameters():
    source = source_of("opt = lw.optim.SGD(enc.state_dict().values(), lr=0.1)\nloss = enc(x).pow(2).mean()")
    outcome = run(source)
    (warned,) = outcome.warned
    assert "has nothing to do" in str(warned)
    assert lines_of(str(warned))["copied"] == [FIRST + 1]
    repaired = run(applied(source, suggestions(str(warned))[0]))
    assert repaired.warned == []


def test_an_optimizer_of_frozen_parameters_is_left_in_peace():
    outcome = run(source_of("enc.requires_grad_(False)\ndec.requires_grad_(False)\nw = lw.ones(3, requires_grad=True)\n"
                            "loss = (x * w).sum()"))
    assert outcome.error is None
    assert outcome.warned == []
