"""Declarations only: importing this package declares every op."""
from . import (  # noqa: F401
    arithmetic, bits, bounds, conversion, convolution, creation, cumulative, extremes, linalg, powers, random,
    reduction, rounding, slices, statistics, views,
)
