"""Averaged models and their schedule against PyTorch's."""
import pytest

import leafward
from tests.oracle import assert_same, torch

BOTH = (leafward, torch)


def swa_utils(t):
    return t.optim.swa_utils


AVERAGES = {
    "equal weights": lambda t: {},
    "equal weights, one by one": lambda t: {"avg_fn": swa_utils(t).get_swa_avg_fn()},
    "exponential": lambda t: {"multi_avg_fn": swa_utils(t).get_ema_multi_avg_fn(0.9)},
    "exponential, one by one": lambda t: {"avg_fn": swa_utils(t).get_ema_avg_fn(0.9)},
    "buffers too": lambda t: {"multi_avg_fn": swa_utils(t).get_ema_multi_avg_fn(0.9), "use_buffers": True},
    "equal weights, buffers too": lambda t: {"use_buffers": True},
}


@pytest.mark.parametrize("how", AVERAGES)
def test_averaged_model(how):
    states = {}
    for t in BOTH:
        t.manual_seed(0)
        model = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3))
        averaged = swa_utils(t).AveragedModel(model, **AVERAGES[how](t))
        optimizer = t.optim.SGD(model.parameters(), lr=0.01)
        x = t.arange(8.0).reshape(4, 2)
        for _ in range(4):
            optimizer.zero_grad()
            (model(x) ** 2).sum().backward()
            optimizer.step()
            averaged.update_parameters(model)
        states[t] = averaged.state_dict()
    assert list(states[leafward]) == list(states[torch])
    for key, value in states[torch].items():
        assert_same(states[leafward][key], value, rtol=1e-4, where=key)


def test_update_bn():
    found = {}
    for t in BOTH:
        t.manual_seed(0)
        model = t.nn.Sequential(t.nn.Linear(2, 3), t.nn.BatchNorm1d(3, momentum=0.3)).eval()
        batches = [t.arange(8.0).reshape(4, 2), (t.ones(3, 2).cumsum(0), "label")]
        swa_utils(t).update_bn(batches, model)
        found[t] = model.state_dict(), model.training, model[1].momentum
    for key, value in found[torch][0].items():
        assert_same(found[leafward][0][key], value, rtol=1e-4, where=key)
    assert found[leafward][1:] == found[torch][1:] == (False, 0.3)


@pytest.mark.parametrize("strategy, epochs, rate", [("cos", 4, 0.05), ("linear", 3, [0.05, 0.2]), ("linear", 0, 0.05)])
def test_schedule(strategy, epochs, rate):
    rates = {}
    for t in BOTH:
        groups = [{"params": t.nn.Parameter(t.ones(1)), "lr": lr} for lr in (0.1, 1.0)]
        optimizer = t.optim.SGD(groups, lr=0.1)
        scheduler = swa_utils(t).SWALR(optimizer, rate, epochs, strategy)
        rates[t] = [scheduler.get_last_lr()]
        for step in range(6):
            optimizer.step()
            scheduler.step()
            rates[t].append(scheduler.get_last_lr())
            if step == 2:
                saved = scheduler.state_dict()
                assert "anneal_func" not in saved
                scheduler.load_state_dict(saved)
    for ours, theirs in zip(rates[leafward], rates[torch], strict=True):
        assert ours == pytest.approx(theirs)


REFUSED = {
    "decay": lambda t: swa_utils(t).get_ema_avg_fn(1.5),
    "two functions": lambda t: swa_utils(t).AveragedModel(t.nn.ReLU(), avg_fn=max, multi_avg_fn=max),
    "strategy": lambda t: swa_utils(t).SWALR(t.optim.SGD([t.nn.Parameter(t.ones(1))]), 0.1, anneal_strategy="x"),
    "epochs": lambda t: swa_utils(t).SWALR(t.optim.SGD([t.nn.Parameter(t.ones(1))]), 0.1, anneal_epochs=-1),
    "rates": lambda t: swa_utils(t).SWALR(t.optim.SGD([t.nn.Parameter(t.ones(1))]), [0.1, 0.2]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    raised = {}
    for t in BOTH:
        with pytest.raises(Exception) as caught:  # noqa: PT011  the type and text are compared below
            REFUSED[name](t)
        raised[t] = type(caught.value).__name__, str(caught.value)
    assert raised[leafward] == raised[torch]
