"""The whole suite is quiet: a gradient warning in a right program fails its test, even where warnings are ignored."""
import warnings
from pathlib import Path

import pytest

import leafward as lw
from tests import spoken

ROOT = Path(__file__).parent.parent.parent


def overwritten():
    x = lw.ones(3, requires_grad=True)
    y = x.exp()
    y.data.zero_()
    y.sum().backward()


def test_what_a_test_ignores_is_heard_all_the_same():
    for setting in ("ignore", "always"):
        spoken.told.clear()
        with warnings.catch_warnings(record=True):
            warnings.simplefilter(setting)
            overwritten()
        assert [kind for kind, _ in spoken.told] == ["SilentGradientWarning"]
    assert "y.data.zero_()" in spoken.false_alarm("tests/ops/test_values.py::test_values")
    assert spoken.false_alarm("tests/trust/test_silent.py::test_it") is None
    with pytest.warns(lw.SilentGradientWarning):
        overwritten()
    spoken.told.clear()
    assert spoken.false_alarm("tests/ops/test_values.py::test_values") is None


def test_the_exceptions_are_there():
    for name in spoken.MISTAKEN:
        path, _, function = name.partition("::")
        assert (ROOT / path).exists(), path
        assert not function or f"def {function.partition('[')[0]}" in (ROOT / path).read_text(encoding="utf-8"), name
