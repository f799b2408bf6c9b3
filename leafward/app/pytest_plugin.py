"""``pytest --leafward-check``: every test under every check of leafward; a test in which something is found fails.

With ``--leafward-check`` the warnings on gradients (``GradientWarning``) raise, as under ``leafward.strict()``, and what
``leafward check`` looks for besides makes the test fail when it has ended. A test that wants to be left alone is marked
``@pytest.mark.no_leafward_check``.
"""
import pytest


def pytest_addoption(parser):
    """Add the option."""
    parser.getgroup("leafward").addoption(
        "--leafward-check", action="store_true", default=False,
        help="run every test under leafward's checks of gradients: what they find fails the test")


def pytest_configure(config):
    """Make the marker known."""
    config.addinivalue_line("markers", "no_leafward_check: not under --leafward-check")


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    """Run one test under the checks."""
    if not item.config.getoption("--leafward-check") or item.get_closest_marker("no_leafward_check"):
        return (yield)
    from leafward.app.watch import Watch
    from leafward.trust import strict
    with Watch() as watch, strict():
        outcome = yield
    if watch.findings:
        text = "\n\n".join(f"{finding.title}\n{finding.text}" for finding in watch.findings.values())
        pytest.fail(f"leafward check: {text}", pytrace=False)
    return outcome
