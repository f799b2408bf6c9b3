"""Ctrl-C somewhere inside a step: the next step works, on a state that is whole."""
import sys

import pytest

import leafward as lw

OPTIMIZERS = {
    "Adadelta": {}, "Adafactor": {}, "Adagrad": {}, "Adam": {"amsgrad": True}, "AdamW": {}, "Adamax": {}, "ASGD": {},
    "LBFGS": {"max_iter": 3, "history_size": 2}, "Muon": {}, "NAdam": {}, "RAdam": {},
    "RMSprop": {"momentum": 0.9, "centered": True}, "Rprop": {}, "SGD": {"momentum": 0.9, "dampening": 0.5},
}


def test_every_optimizer_is_interrupted():
    assert set(OPTIMIZERS) == {name for name in lw.optim.__all__ if isinstance(getattr(lw.optim, name), type)
                               and hasattr(getattr(lw.optim, name), "step")} - {"Optimizer", "SparseAdam"}


class Interruption:
    """Raises KeyboardInterrupt at the ``n``-th line that runs in leafward's optimizers."""

    def __init__(self, n):
        self.left = n

    def __call__(self, frame, event, argument):
        if "/leafward/optim/" not in frame.f_code.co_filename:
            return None
        if event == "line":
            self.left -= 1
            if self.left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
        return self

    def __enter__(self):
        self.before = sys.gettrace()
        sys.settrace(self)

    def __exit__(self, *exc):
        sys.settrace(self.before)


def began(name, options):
    """An optimizer before its first step, and the closure that it is stepped with."""
    params = [lw.nn.Parameter(lw.tensor([[3.0, -1.0], [0.5, 2.0]])), lw.nn.Parameter(lw.tensor([[1.5, 0.25]]))]
    optimizer = getattr(lw.optim, name)(params, **options)

    def closure():
        optimizer.zero_grad()
        loss = sum((p ** 4).sum() for p in params)
        loss.backward()
        return loss
    return optimizer, params, closure


def keys(optimizer):
    return [sorted(optimizer.state[p]) for p in optimizer.state]


@pytest.mark.parametrize("steps_before", [0, 1])
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_a_step_after_an_interrupted_one(name, steps_before, monkeypatch):
    # Fresh memory holds anything: here nan, so that a step that begins with it shows.
    empty = lw.empty_like
    monkeypatch.setattr(lw, "empty_like", lambda *a, **k: empty(*a, **k).fill_(float("nan")))
    optimizer, params, closure = began(name, OPTIMIZERS[name])
    for _ in range(steps_before + 1):
        optimizer.step(closure)
    expected = keys(optimizer)
    n = 0
    while True:
        n += 1
        optimizer, params, closure = began(name, OPTIMIZERS[name])
        for _ in range(steps_before):
            optimizer.step(closure)
        try:
            with Interruption(n):
                optimizer.step(closure)
            break                               # it ended before its n-th line
        except KeyboardInterrupt:
            pass
        optimizer.step(closure)
        optimizer.step(closure)
        assert all(lw.isfinite(p).all() for p in params), n
        assert keys(optimizer) == expected, n
    assert n > 10
