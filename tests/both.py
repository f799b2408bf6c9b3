"""Scenarios that run on leafward and on PyTorch and must be seen to do the same.

    @both
    def test_versions(t, see):
        x = t.zeros(2)
        x.add_(1)
        see(x._version)
        see.raises(x.view, 3)
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
