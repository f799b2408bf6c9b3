"""The namespace that the founding behaviours run on: leafward, leafward under the name ``torch``, or PyTorch itself.

``pytest tests/behaviour --impl torch`` is the test of these tests: PyTorch passes them.
"""
import re
from contextlib import nullcontext

import pytest

from tests.conftest import needs_oracle


def pytest_ignore_collect(collection_path, config):
    """Under another name than leafward's only the behaviours themselves run, and no oracle is at hand."""
    if config.getoption("--impl") == "leafward" or collection_path.suffix != ".py":
        return None
    return True if collection_path.name == "test_both_names.py" or needs_oracle(collection_path) else None


@pytest.fixture(scope="session")
def name(request):
    """What the user imports: ``"leafward"`` or ``"torch"``."""
    return "leafward" if request.config.getoption("--impl") == "leafward" else "torch"


@pytest.fixture(scope="session")
def t(request):
    implementation = request.config.getoption("--impl")
    if implementation == "as_torch":
        import leafward

        leafward.install_as_torch()
    if implementation == "leafward":
        import leafward as t
    else:
        import torch as t
    assert (implementation == "torch") != hasattr(t, "SilentGradientWarning")
    return t


@pytest.fixture
def silently_wrong(t):
    """A context in which PyTorch computes a wrong gradient without a word, and leafward warns."""
    if not hasattr(t, "SilentGradientWarning"):
        return nullcontext
    return lambda: pytest.warns(t.SilentGradientWarning)


def stale(meta, node, found, expected=0):
    """The whole in-place error as a pattern. PyTorch 2.13 leaves ``Backward0`` out and adds ``check_nan=False``."""
    nodes = "|".join(rf"{name}(Backward\d)?" for name in node.split("|"))
    return (re.escape("one of the variables needed for gradient computation has been modified by an inplace operation: "
                      f"[{meta}], which is output 0 of ") + f"({nodes})"
            + re.escape(f", is at version {found}; expected version {expected} instead. Hint: enable anomaly detection "
                        "to find the operation that failed to compute its gradient, with "
                        "torch.autograd.set_detect_anomaly(True") + r"(, check_nan=False)?\)\.")
