"""Test session set-up: the oracle's absence in one line, and bounded, repeatable Hypothesis runs."""
from importlib.util import find_spec

import hypothesis

HAS_ORACLE = find_spec("torch") is not None

hypothesis.settings.register_profile(
    "ci", derandomize=True, deadline=None, max_examples=100, database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.data_too_large])
hypothesis.settings.register_profile("long", deadline=None, max_examples=20_000)
hypothesis.settings.load_profile("ci")


def pytest_addoption(parser):
    parser.addoption("--impl", default="leafward", choices=("leafward", "as_torch", "torch"),
                     help="what tests/behaviour runs on: leafward, leafward under the name torch, or PyTorch itself")


def needs_oracle(path):
    text = path.read_text(encoding="utf-8")
    return any(name in text for name in ("tests.oracle", "tests.samples", "import torch\n"))


def pytest_ignore_collect(collection_path, config):
    if HAS_ORACLE or not collection_path.name.startswith("test_") or collection_path.suffix != ".py":
        return None
    return True if needs_oracle(collection_path) else None


def pytest_report_header(config):
    if not HAS_ORACLE:
        return "PyTorch is not installed: the tests that compare with it are not run (pip install torch==2.13.0)"
    return None
