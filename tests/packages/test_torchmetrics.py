"""torchmetrics' regression and classification metrics give on leafward what they give on PyTorch."""
import os
import pickle
from importlib.metadata import version
from pathlib import Path

import numpy as np
import pytest

from tests.packages.suites import python

pytestmark = pytest.mark.skipif(os.environ.get("LEAFWARD_INTERPRETED") == "1", reason="7,000 calls of metrics: once is enough")
PROGRAM = str(Path(__file__).parent / "metrics.py")


def values(folder, *runner):
    done = python(*runner, PROGRAM, "values.pickle", cwd=folder, OMP_NUM_THREADS="1")
    assert done.returncode == 0, done.stderr[-3000:]
    return pickle.loads((folder / "values.pickle").read_bytes())


@pytest.fixture(scope="module")
def both(tmp_path_factory, pytorchs_answer):
    pytest.importorskip("torchmetrics", reason="torchmetrics is not installed: pip install --no-deps torchmetrics==1.9.0")
    pytest.importorskip("torch", reason="PyTorch is not installed: nothing to compare with")
    return (values(tmp_path_factory.mktemp("leafward"), "-m", "leafward", "run"),
            pytorchs_answer("torchmetrics", (Path(PROGRAM).read_text(), version("torchmetrics")),
                            lambda: values(tmp_path_factory.mktemp("torch"))))


def differs(ours, theirs):
    """Where two results differ, as a path of places; None where they do not."""
    if isinstance(ours, np.ndarray) and isinstance(theirs, np.ndarray):
        same = ours.dtype == theirs.dtype and ours.shape == theirs.shape and np.allclose(
            ours, theirs, rtol=1e-5, atol=1e-6, equal_nan=True)
        return None if same else f": {ours} is not {theirs}"
    if type(ours) is not type(theirs) or not isinstance(ours, (list, tuple, dict)):
        return None if ours == theirs else f": {ours} is not {theirs}"
    if len(ours) != len(theirs):
        return f": {len(ours)} values are not {len(theirs)}"
    if isinstance(ours, dict) and list(ours) != list(theirs):
        return f": {list(ours)} are not {list(theirs)}"
    for place in ours if isinstance(ours, dict) else range(len(ours)):
        if (found := differs(ours[place], theirs[place])) is not None:
            return f"[{place!r}]{found}"
    return None


def test_metrics_give_pytorchs_values(both):
    ours, theirs = both
    assert len(theirs) > 250 and sum(len(calls) for calls in theirs.values()) > 7000
    assert list(ours) == list(theirs)
    wrong = [f"{name}({call}){found}" for name in theirs for (call, a), (other, b) in zip(ours[name], theirs[name], strict=True)
             if call != other or (found := differs(a, b)) is not None]
    assert not wrong, "\n".join(wrong[:20])


def test_most_calls_have_values(both):
    def refused(outcome):
        return isinstance(outcome, tuple) and len(outcome) == 2 and all(isinstance(part, str) for part in outcome)
    for name, calls in both[1].items():
        said = [outcome[0] if isinstance(outcome, list) else outcome for _, outcome in calls]
        assert sum(map(refused, said)) <= len(said) / 2, name


def test_the_comparison_sees_a_difference():
    one = [("torch.float32", np.float32(1))]
    assert differs([{"a": np.ones(2)}], [{"a": np.ones(2)}]) is None
    assert differs([{"a": np.ones(2)}], [{"a": np.ones(2) + 1e-3}]).startswith("[0]['a']: [1. 1.] is not")
    assert differs(one, [("torch.float64", np.float64(1))]) is not None and differs(one, one * 2) is not None
    assert differs(np.ones(1), np.ones((1, 1))) is not None and differs("a", "b") is not None
