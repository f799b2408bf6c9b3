"""2,500 random programs: leafward does what PyTorch does, and where they may differ it is leafward that is right.

* Where PyTorch raises, leafward raises the same, but for a saved value whose bytes no write has touched: there
  PyTorch's alarm is false, and leafward's gradient is that of the replay.
* Where PyTorch is silent and nobody wrote through ``.data``, both give the replay's gradient, without a warning.
* After a write through ``.data`` leafward gives PyTorch's number; where that is wrong, it has warned.
"""
import random
from collections import Counter

import numpy as np
import pytest

import leafward
from tests.both import builtin_type
from tests.oracle import first_sentence, torch
from tests.state_machine.programs import Pool, random_program, shortest, values, visible
from tests.state_machine.replay import Replay


class Comparison:
    """One program, step by step on both sides and in the replay."""

    def __init__(self, stories=None):
        self.ours, self.theirs, self.replay = Pool(leafward), Pool(torch), Replay()
        self.has_data = False
        self.stories = Counter() if stories is None else stories

    def told(self, outcome):
        return told(outcome, self.stories)

    def step(self, step):
        kind, _, i, _, _ = step
        self.has_data |= kind == "data"
        expected, given_outcome = self.theirs.run(step), self.ours.run(step)
        if kind == "gradient":
            self.compare_gradients(step, expected, given_outcome)
            return
        assert self.told(given_outcome) == self.told(expected)
        if expected.error is None:
            self.replay.run(step).get()
        self.compare_tensor(-1 - i % len(self.theirs.tensors))
        self.compare_tensor(-1)

    def compare_tensor(self, at):
        ours, theirs, replayed = (pool.tensors[at] for pool in (self.ours, self.theirs, self.replay))
        assert visible(ours) == visible(theirs)
        assert_equal(values([ours]), values([theirs]))
        assert_equal(values([theirs]), [replayed.memory[replayed.indices].numpy()])

    def compare_gradients(self, step, expected, given_outcome):
        replayed = None
        if self.replay.is_sure:
            replayed = self.replay.run(step)
            replayed = None if replayed.error is not None else values(replayed.value)
        if is_stale(expected) and given_outcome.error is None:
            if replayed is not None:
                assert_equal(values(given_outcome.value), replayed)  # the write lies elsewhere: a false alarm
            return
        assert self.told(given_outcome) == self.told(expected)
        if expected.error is not None:
            return
        found = values(given_outcome.value)
        assert_equal(found, values(expected.value))
        has_warned = any(issubclass(w.category, leafward.SilentGradientWarning) for w in given_outcome.warnings)
        if not self.has_data:
            assert not has_warned, "a warning without a write through .data"
        if replayed is not None and not has_warned:
            assert_equal(found, replayed)


#: How many stories of each kind a hundred programs hear out: a story takes longer than the program that it is about.
HEARD_OUT = 10


def told(outcome, stories):
    """The type and first sentence of an exception; leafward's own tell theirs without the story that comes after it."""
    error = outcome.error
    if error is None:
        return None
    stories[type(error)] += 1
    brief = isinstance(error, leafward.errors.GradientError) and stories[type(error)] > HEARD_OUT
    return builtin_type(error), first_sentence(error.sentence() if brief else error)


def is_stale(outcome):
    """Whether a saved value, or the history of a saved view, is found to be out of date."""
    return outcome.error is not None and any(words in str(outcome.error) for words in (
        "modified by an inplace operation", "another view of its base has been modified inplace"))


def assert_equal(found, expected):
    for a, b in zip(found, expected, strict=True):
        if a is b or (a is not None and b is not None and np.array_equal(a, b)):
            continue                                            # almost always, and ten times faster than what follows
        if a is None or b is None:
            assert (a is None or not a.any()) and (b is None or not b.any())
        else:
            np.testing.assert_allclose(a, b, rtol=1e-7, atol=1e-9)


def run(program, stories=None):
    """Every step compared, and then every tensor and its gradients."""
    comparison = Comparison(stories)
    for step in program:
        comparison.step(step)
    for i in range(len(comparison.theirs.tensors)):
        comparison.compare_tensor(i)
        comparison.step(("gradient", 0, i, 0, False))


def fails(program):
    try:
        run(program)
    except AssertionError:
        return True
    return False


@pytest.mark.parametrize("seed", range(25))
def test_hundred_random_programs(seed):
    rng, stories = random.Random(seed), Counter()
    for _ in range(100):
        program = random_program(rng)
        try:
            run(program, stories)
        except AssertionError:
            run(shortest(program, fails))
            raise
    assert sum(stories.values()) > 20


def silent(node, saved, writes):
    """No warning."""


@pytest.mark.parametrize("mistake", [
    ("leafward.Tensor.detach", lambda self: self.clone().requires_grad_(False)),
    ("leafward.Tensor.data", property(lambda self: self.detach())),
    ("leafward.core.saved.silent_gradient", silent),
    ("leafward.Tensor.zero_", lambda self: self.data.fill_(0) and self),
])
def test_a_planted_mistake_is_found(mistake, monkeypatch):
    monkeypatch.setattr(*mistake)
    rng = random.Random(0)
    assert any(fails(random_program(rng)) for _ in range(300))
