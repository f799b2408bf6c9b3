"""A hundred right programs: nothing is said of any of them, and they give PyTorch's numbers."""
import warnings

import pytest

import leafward
from leafward.app.watch import Watch
from tests.oracle import torch
from tests.trust.training import adversaries, losses, meta, others, pairs, parts, plain  # noqa: F401  they list their programs
from tests.trust.training.common import PROGRAMS


@pytest.mark.parametrize("name", PROGRAMS)
def test_no_alarm_and_the_numbers_of_pytorch(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                         # what PyTorch itself warns of is no matter here
        expected = PROGRAMS[name](torch)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        given = PROGRAMS[name](leafward)
    assert [str(w.message) for w in caught if issubclass(w.category, leafward.GradientWarning)] == []
    assert len(given) == len(expected) > 0
    for ours, theirs in zip(given, expected, strict=True):
        assert ours.detach().numpy() == pytest.approx(theirs.detach().numpy(), rel=2e-4, abs=2e-6), name


@pytest.mark.parametrize("name", PROGRAMS)
def test_under_strict_the_same_numbers(name):
    def numbers():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return [given.detach().numpy().tolist() for given in PROGRAMS[name](leafward)]
    with leafward.strict():
        strictly = numbers()
    assert strictly == numbers()


@pytest.mark.parametrize("name", PROGRAMS)
def test_the_checks_of_the_command_find_nothing_either(name):
    with warnings.catch_warnings(), Watch() as watch:
        warnings.simplefilter("ignore")
        PROGRAMS[name](leafward)
    assert list(watch.findings.values()) == []


def test_there_are_a_hundred_and_they_differ():
    assert len(PROGRAMS) >= 100
