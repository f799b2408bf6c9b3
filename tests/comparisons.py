"""A test that passes has compared something. What leaves nothing to compare is left out at collection, not in a test's body."""
import functools

made = 0


def compared():
    """Count one comparison; the ``assert_`` functions of ``oracle.py`` and ``ops/checks.py`` do."""
    global made
    made += 1


def compares(test):
    """``test``, which fails where it ends without a comparison."""
    @functools.wraps(test)
    def checked(*args, **kwargs):
        before = made
        test(*args, **kwargs)
        assert made > before, "nothing was compared: leave this out where the tests are collected"
    return checked
