"""Scenarios that run on leafward and on PyTorch and must be seen to do the same: some say what is to be seen, others return it.

    @both
    def test_versions(t, see):
        x = t.zeros(2)
        x.add_(1)
        see(x._version)
        see.raises(x.view, 3)

A scenario is a function of the namespace that returns what is to be compared; its exception and its warnings are, too.

    @scenario
    def walking(t):
        return [name for name, _ in t.nn.Linear(1, 1).named_parameters()]
"""
import functools
import warnings

import leafward
from tests.oracle import first_sentence, is_tensor, to_numpy, torch


class Log:
    """What a scenario showed, in plain Python values."""

    def __init__(self):
        self.seen = []

    def __call__(self, *values):
        self.seen.append(plain(values[0] if len(values) == 1 else values))

    def raises(self, function, *args, **kwargs):
        """The builtin type and the first sentence of the exception."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            try:
                value = function(*args, **kwargs)
            except Exception as error:  # noqa: BLE001  it is the observation
                self.seen.append((builtin_type(error), first_sentence(error)))
            else:
                self.seen.append(("no exception", plain(value)))

    def warns(self, function, *args, **kwargs):
        """The value and the first sentences of the warnings."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            value = function(*args, **kwargs)
        told = sorted({(builtin_type(w.message), first_sentence(w.message)) for w in caught})
        self.seen.append((plain(value), told))


def builtin_type(error):
    """``InplaceGradientError`` is seen as the RuntimeError that it is."""
    return next(kind.__name__ for kind in type(error).__mro__ if kind.__module__ == "builtins")


def plain(value):
    """Tensors become (dtype, shape, values), nodes the names of their types, and containers are followed."""
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    if is_tensor(value):
        return (str(value.dtype), tuple(value.shape), plain(to_numpy(value).tolist()))
    if isinstance(value, (bool, int, str, type(None))):
        return value
    if isinstance(value, (float, complex)):
        return f"{value:.5g}"
    if hasattr(value, "next_functions"):
        return type(value).__name__
    return str(value)


def both(scenario):
    """Run ``scenario(t, see)`` on either side; what it saw is the same."""
    @functools.wraps(scenario)
    def test():
        logs = []
        for t in torch, leafward:
            log = Log()
            try:
                scenario(t, log)
            except Exception as error:
                error.add_note(f"in {t.__name__}, after {len(log.seen)} observations")
                raise
            logs.append(log.seen)
        for k, (expected, given) in enumerate(zip(*logs)):
            assert given == expected, f"observation {k}: leafward {given}, PyTorch {expected}"
        assert len(logs[0]) == len(logs[1])
    del test.__wrapped__  # pytest would read its parameters as fixtures
    return test


# --- scenarios that return what is to be compared --------------------------------------------------------------------

class Scenarios(dict):
    """Functions by their names: ``@scenarios`` takes one up."""

    def __call__(self, function):
        self[function.__name__.replace("_", " ")] = function
        return function


def tried(function, *args, **kwargs):
    """The result of a call, or what it raised, as a scenario tells it."""
    try:
        return function(*args, **kwargs)
    except Exception as error:  # noqa: BLE001  whatever it raises is the outcome
        return f"{type(error).__name__}: {error}"


def outcome(t, scenario):
    """What a scenario gives, in comparable form; its warnings; and the state in which it leaves the random numbers."""
    t.manual_seed(0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = scenario(t)
    told = [(w.category.__name__, str(w.message)) for w in caught]
    return comparable(result), comparable(told), t.get_rng_state().tolist()


def comparable(value):
    """Tensors as dtype, ``requires_grad`` and values, containers under their class's name, what is leafward's as it prints."""
    if is_tensor(value):
        return [str(value.dtype), value.requires_grad, value.tolist()]
    if isinstance(value, dict):
        return [type(value).__name__, [(comparable(key), comparable(item)) for key, item in value.items()]]
    if isinstance(value, (list, tuple)):
        return [type(value).__name__, *map(comparable, value)]
    if isinstance(value, str) or type(value).__module__.split(".")[0] in ("torch", "leafward"):
        text = value if isinstance(value, str) else repr(value)
        return text.replace("<class 'leafward.tensor.", "<class 'torch.").replace("leafward.", "torch.")
    return value


def differences(ours, theirs, rtol, atol, where="scenario"):
    """The places where two comparable values differ, numbers by more than ``atol + rtol * abs(theirs)``."""
    if isinstance(theirs, float) and isinstance(ours, float):
        if ours != theirs and not abs(ours - theirs) <= atol + rtol * abs(theirs) and not (ours != ours and theirs != theirs):
            yield where, ours, theirs
    elif type(ours) is not type(theirs):
        yield where, ours, theirs
    elif isinstance(theirs, (list, tuple)) and len(ours) == len(theirs):
        for k, (a, b) in enumerate(zip(ours, theirs, strict=True)):
            yield from differences(a, b, rtol, atol, f"{where}[{k}]")
    elif ours != theirs:
        yield where, ours, theirs


def assert_told_alike(scenario, rtol=0, atol=0, draws=True):
    """``scenario`` is the same on both sides. Without ``draws`` it may use up random numbers in another way."""
    (ours, our_warnings, our_state), (theirs, their_warnings, their_state) = (outcome(t, scenario) for t in (leafward, torch))
    assert not list(differences(ours, theirs, rtol, atol))
    # What PyTorch's C++ warns about is itself: which kernels and prototypes it runs.
    assert our_warnings == [w for w in their_warnings if "Triggered internally" not in str(w)]
    assert not draws or our_state == their_state
