"""What ``leafward check`` found, one mistake at a time."""
from typing import NamedTuple


class Finding(NamedTuple):
    """One mistake: what it is, the rows and repairs that tell it, and how bad it is: an error, a warning or a notice."""

    title: str
    text: str
    severity: str = "warning"
