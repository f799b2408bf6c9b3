"""Every schedule against PyTorch's: rates, momenta, saved state, refusals."""
import warnings

import pytest

import leafward
from tests.oracle import torch

BOTH = (leafward, torch)


def optimizer_in(t, groups=1, **options):
    options = {"lr": 0.1, "momentum": 0.9, **options}
    return t.optim.SGD([{"params": [t.nn.Parameter(t.ones(1))]} for _ in range(groups)], **options)


def schedules(s, o):
    """Every schedule on the optimizer ``o``, by name; ``s`` is a namespace of schedules."""
    return {
        "lambda": lambda: s.LambdaLR(o, lambda e: 0.95 ** e),
        "lambda per group": lambda: s.LambdaLR(o, [lambda e: 1 / (e + 1), lambda e: 0.5 ** e]),
        "multiplicative": lambda: s.MultiplicativeLR(o, lambda e: 0.95),
        "step": lambda: s.StepLR(o, 4, 0.5),
        "multi step": lambda: s.MultiStepLR(o, [3, 3, 8, 15], 0.5),
        "constant": lambda: s.ConstantLR(o, 0.5, 4),
        "linear": lambda: s.LinearLR(o, 0.25, 0.75, 7),
        "exponential": lambda: s.ExponentialLR(o, 0.9),
        "polynomial": lambda: s.PolynomialLR(o, 9, 1.5),
        "cosine": lambda: s.CosineAnnealingLR(o, 7, 0.01),
        "cosine, even": lambda: s.CosineAnnealingLR(o, 4),
        "restarts": lambda: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01),
        "restarts of one length": lambda: s.CosineAnnealingWarmRestarts(o, 4),
        "cyclic": lambda: s.CyclicLR(o, 0.01, 0.2, 3, 5),
        "cyclic, halved": lambda: s.CyclicLR(o, 0.01, 0.2, 3, mode="triangular2"),
        "cyclic, decaying": lambda: s.CyclicLR(o, [0.01, 0.02], 0.2, 3, mode="exp_range", gamma=0.9),
        "cyclic, own scale": lambda: s.CyclicLR(
            o, 0.01, 0.2, 3, scale_fn=lambda x: 1 / (x + 1), scale_mode="iterations", cycle_momentum=False),
        "one cycle": lambda: s.OneCycleLR(o, 0.5, 30),
        "one cycle, linear": lambda: s.OneCycleLR(o, [0.5, 0.2], epochs=6, steps_per_epoch=5, anneal_strategy="linear",
                                                  pct_start=0.45),
        "one cycle, three phases": lambda: s.OneCycleLR(o, 0.5, 30, three_phase=True),
        "sequential": lambda: s.SequentialLR(
            o, [s.LinearLR(o, 0.1, 1.0, 4), s.ExponentialLR(o, 0.9), s.StepLR(o, 3)], [4, 10]),
        "sequential from the second on": lambda: s.SequentialLR(o, [s.ConstantLR(o, 0.1), s.ExponentialLR(o, 0.9)], [0]),
        "sequential, two at once": lambda: s.SequentialLR(o, [s.StepLR(o, n) for n in (1, 2, 3)], [2, 2]),
        "sequential of each": lambda: s.SequentialLR(
            o, [s.ConstantLR(o), s.CosineAnnealingLR(o, 5), s.MultiplicativeLR(o, lambda e: 0.9), s.PolynomialLR(o)],
            [3, 9, 14]),
        "sequential in chained": lambda: s.ChainedScheduler(
            [s.SequentialLR(o, [s.ConstantLR(o, 0.1, 3), s.CosineAnnealingWarmRestarts(o, 5)], [6]), s.StepLR(o, 4)]),
        "chained": lambda: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)]),
    }


NAMES = list(schedules(leafward.optim.lr_scheduler, None))


def plain(value):
    """Saved state in comparable form: objects by their kind."""
    if isinstance(value, dict):
        return {k: plain(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    return value if isinstance(value, (int, float, str, bool, type(None))) else type(value).__name__


def walk(t, name, steps=28):
    """What a schedule does: rates, momenta and state at every step, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        o = optimizer_in(t, groups=2)
        o.param_groups[1]["lr"] = 0.3
        schedule = schedules(t.optim.lr_scheduler, o)[name]()
        seen = []
        for _ in range(steps):
            groups = [{k: v for k, v in g.items() if k != "params"} for g in o.param_groups]
            seen.append((schedule.get_last_lr(), plain(groups), plain(schedule.state_dict())))
            o.step()
            schedule.step()
    return seen, [str(w.message) for w in caught]


@pytest.mark.parametrize("name", NAMES)
def test_every_step_is_pytorchs(name):
    ours, theirs = walk(leafward, name), walk(torch, name)
    for step, (a, b) in enumerate(zip(ours[0], theirs[0], strict=True)):
        assert a == b, f"step {step}"
    assert ours[1] == theirs[1]


@pytest.mark.parametrize("name", NAMES)
def test_state_crosses_over(name):
    """Ten steps in PyTorch, then on in leafward from the saved state: the rates go on as if nothing happened."""
    rates = {}
    for t in BOTH:
        o = optimizer_in(torch, groups=2)
        schedule = schedules(torch.optim.lr_scheduler, o)[name]()
        for _ in range(10):
            o.step()
            schedule.step()
        o2 = optimizer_in(t, groups=2)
        schedule2 = schedules(t.optim.lr_scheduler, o2)[name]()
        o2.load_state_dict(o.state_dict())
        schedule2.load_state_dict(schedule.state_dict())
        rates[t] = []
        for _ in range(10):
            o2.step()
            schedule2.step()
            rates[t].append(schedule2.get_last_lr())
    assert rates[leafward] == rates[torch]


RESUMED = {
    "step": lambda s, o: s.StepLR(o, 2, 0.5, last_epoch=6),
    "multi step": lambda s, o: s.MultiStepLR(o, [3, 8], 0.5, last_epoch=6),
    "exponential": lambda s, o: s.ExponentialLR(o, 0.9, last_epoch=6),
    "multiplicative": lambda s, o: s.MultiplicativeLR(o, lambda e: 0.9, last_epoch=6),
    "lambda": lambda s, o: s.LambdaLR(o, lambda e: 0.9 ** e, last_epoch=6),
    "constant": lambda s, o: s.ConstantLR(o, 0.5, 8, last_epoch=6),
    "linear": lambda s, o: s.LinearLR(o, 0.25, 0.75, 9, last_epoch=6),
    "polynomial": lambda s, o: s.PolynomialLR(o, 9, 1.5, last_epoch=6),
    "cosine": lambda s, o: s.CosineAnnealingLR(o, 7, 0.01, last_epoch=6),
    "restarts": lambda s, o: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.01, last_epoch=6),
}


@pytest.mark.parametrize("name", RESUMED)
def test_a_schedule_can_start_in_the_middle(name):
    rates = {}
    for t in BOTH:
        o = optimizer_in(t)
        o.param_groups[0]["initial_lr"] = 0.7
        schedule = RESUMED[name](t.optim.lr_scheduler, o)
        rates[t] = [(schedule.get_last_lr(), schedule.last_epoch)]
        for _ in range(5):
            o.step()
            schedule.step()
            rates[t].append((schedule.get_last_lr(), schedule.last_epoch))
    assert rates[leafward] == rates[torch]


@pytest.mark.parametrize("options", [
    {}, {"patience": 1, "cooldown": 2}, {"mode": "max", "patience": 0}, {"threshold_mode": "abs", "threshold": 0.1},
    {"min_lr": [0.05], "patience": 0}, {"mode": "max", "threshold_mode": "abs", "patience": 2},
], ids=str)
def test_plateau(options):
    metrics = [5, 4, 4, 4, 3.99999, 5, 6, 2, 2, 2, 2, 2, 2, 2, float("nan"), 1, 1, 1, 1, 9, 9, 9, 9, 9, 9, 9, 9]
    seen = {}
    for t in BOTH:
        schedule = t.optim.lr_scheduler.ReduceLROnPlateau(optimizer_in(t), **{"factor": 0.5, **options})
        seen[t] = []
        for m in metrics:
            schedule.step(t.tensor(float(m)))
            state = schedule.state_dict()
            seen[t].append((schedule.get_last_lr(), {k: str(v) for k, v in state.items()}))
    assert seen[leafward] == seen[torch]


def test_a_tensor_rate_stays_the_same_tensor():
    for t in BOTH:
        o = optimizer_in(t, lr=t.tensor(0.5))
        rate = o.param_groups[0]["lr"]
        schedule = t.optim.lr_scheduler.StepLR(o, 1, 0.5)
        o.step()
        schedule.step()
        assert o.param_groups[0]["lr"] is rate
        assert (rate.item(), schedule.base_lrs[0].item(), schedule.get_last_lr()[0].item()) == (0.25, 0.5, 0.25)


def run_too_early(t):
    o = optimizer_in(t)
    t.optim.lr_scheduler.StepLR(o, 1).step()


def override_step(t):
    o = optimizer_in(t)
    schedule = t.optim.lr_scheduler.StepLR(o, 1)
    o.step = lambda: None
    schedule.step()


def give_the_epoch(t):
    o = optimizer_in(t)
    schedule = t.optim.lr_scheduler.ExponentialLR(o, 0.5)
    o.step()
    schedule.step(3)
    return schedule.get_last_lr()


def ask_outside_a_step(t):
    return t.optim.lr_scheduler.StepLR(optimizer_in(t), 1).get_lr()


def too_many_steps(t):
    o = optimizer_in(t)
    schedule = t.optim.lr_scheduler.OneCycleLR(o, 0.1, 2)
    for _ in range(3):
        o.step()
        schedule.step()


@pytest.mark.parametrize("scenario", [run_too_early, override_step, give_the_epoch, ask_outside_a_step, too_many_steps])
def test_warnings_and_late_errors(scenario):
    assert outcome(leafward, scenario) == outcome(torch, scenario)


REFUSED = {
    "not an optimizer": lambda t, s, o: s.StepLR(3, 2),
    "no initial_lr": lambda t, s, o: s.StepLR(o, 2, last_epoch=3),
    "lambdas": lambda t, s, o: s.LambdaLR(o, [lambda e: 1, lambda e: 1]),
    "linear start": lambda t, s, o: s.LinearLR(o, 0),
    "linear end": lambda t, s, o: s.LinearLR(o, 0.5, -1),
    "constant": lambda t, s, o: s.ConstantLR(o, 2),
    "one cycle without a length": lambda t, s, o: s.OneCycleLR(o, 0.1),
    "one cycle of length 0": lambda t, s, o: s.OneCycleLR(o, 0.1, 0),
    "one cycle, epochs": lambda t, s, o: s.OneCycleLR(o, 0.1, epochs=0, steps_per_epoch=1),
    "one cycle, start": lambda t, s, o: s.OneCycleLR(o, 0.1, 5, pct_start=2),
    "one cycle, strategy": lambda t, s, o: s.OneCycleLR(o, 0.1, 5, anneal_strategy="zz"),
    "one cycle, rates": lambda t, s, o: s.OneCycleLR(o, [0.1, 0.2], 5),
    "one cycle, momentum": lambda t, s, o: s.OneCycleLR(t.optim.Adagrad([t.nn.Parameter(t.ones(1))]), 0.1, 5),
    "cyclic, rates": lambda t, s, o: s.CyclicLR(o, [0.1, 0.2], 0.5),
    "cyclic, mode": lambda t, s, o: s.CyclicLR(o, 0.1, 0.5, mode="z"),
    "cyclic, momentum": lambda t, s, o: s.CyclicLR(t.optim.Adagrad([t.nn.Parameter(t.ones(1))]), 0.1, 0.5),
    "restarts, T_0": lambda t, s, o: s.CosineAnnealingWarmRestarts(o, 1.5),
    "restarts, T_mult": lambda t, s, o: s.CosineAnnealingWarmRestarts(o, 1, 0),
    "restarts, eta_min": lambda t, s, o: s.CosineAnnealingWarmRestarts(o, 1, 1, "a"),
    "restarts, epoch": lambda t, s, o: s.CosineAnnealingWarmRestarts(o, 5).step(-1),
    "plateau, factor": lambda t, s, o: s.ReduceLROnPlateau(o, factor=1.0),
    "plateau, optimizer": lambda t, s, o: s.ReduceLROnPlateau(3),
    "plateau, min_lr": lambda t, s, o: s.ReduceLROnPlateau(o, min_lr=[1, 2]),
    "plateau, mode": lambda t, s, o: s.ReduceLROnPlateau(o, mode="z"),
    "plateau, threshold": lambda t, s, o: s.ReduceLROnPlateau(o, threshold_mode="z"),
    "sequential of none": lambda t, s, o: s.SequentialLR(o, [], []),
    "sequential, milestones": lambda t, s, o: s.SequentialLR(o, [s.StepLR(o, 1)], [1]),
    "sequential, optimizers": lambda t, s, o: s.SequentialLR(o, [s.StepLR(o, 1), s.StepLR(optimizer_in(t), 1)], [1]),
    "sequential of numbers": lambda t, s, o: s.SequentialLR(o, [3, s.StepLR(o, 1)], [1]),
    "sequential with plateau": lambda t, s, o: s.SequentialLR(o, [s.ReduceLROnPlateau(o), s.StepLR(o, 1)], [1]),
    "multiplicative of numbers": lambda t, s, o: s.MultiplicativeLR(o, [1]),
    "chained of none": lambda t, s, o: s.ChainedScheduler([]),
    "chained, optimizers": lambda t, s, o: s.ChainedScheduler([s.StepLR(o, 1), s.StepLR(optimizer_in(t), 1)]),
    "chained with plateau": lambda t, s, o: s.ChainedScheduler([s.ReduceLROnPlateau(o)]),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name):
    def scenario(t):
        REFUSED[name](t, t.optim.lr_scheduler, optimizer_in(t))
    ours, theirs = outcome(leafward, scenario), outcome(torch, scenario)
    assert ours == theirs
    assert ours[0] is not None


def outcome(t, scenario):
    """What a scenario does: its result or its exception, and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        error = result = None
        try:
            result = scenario(t)
        except Exception as e:
            error = (type(e).__name__, str(e))
    return error, result, [(w.category.__name__, str(w.message)) for w in caught]
