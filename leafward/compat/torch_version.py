"""Version strings that compare as versions."""
import re

from leafward.compat.version import __version__ as internal_version

__all__ = ["TorchVersion"]


def release(version):
    """The numbers of a version, however it is written: ``"2.13.0+cpu"``, ``(2, 13)``, or an object with ``release``."""
    if isinstance(version, (tuple, list)):
        return tuple(int(part) for part in version)
    if hasattr(version, "release"):
        return tuple(version.release)
    found = re.match(r"v?(\d+(?:\.\d+)*)", str(version))
    if found is None:
        raise ValueError(f"Invalid version: {version!r}")
    return tuple(int(part) for part in found[1].split("."))


def compare(a, b):
    """-1, 0 or 1, as the numbers of ``a`` are below, at or above those of ``b``; missing ones count as 0."""
    a, b = release(a), release(b)
    width = max(len(a), len(b))
    a, b = (numbers + (0,) * (width - len(numbers)) for numbers in (a, b))
    return (a > b) - (a < b)


class TorchVersion(str):
    """A string that is compared as a version with strings, tuples and version objects.

    >>> TorchVersion("2.13.0") > "2.9", TorchVersion("2.13.0") >= (2, 13)
    (True, True)
    """

    __slots__ = ()

    def __lt__(self, other):
        return compare(self, other) < 0

    def __le__(self, other):
        return compare(self, other) <= 0

    def __gt__(self, other):
        return compare(self, other) > 0

    def __ge__(self, other):
        return compare(self, other) >= 0

    def __eq__(self, other):
        try:
            return str.__eq__(self, other) is True or compare(self, other) == 0
        except (TypeError, ValueError):
            return False

    def __ne__(self, other):
        return not self == other

    __hash__ = str.__hash__


__version__ = TorchVersion(internal_version)
