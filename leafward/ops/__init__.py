"""Declarations only: importing this package declares every op."""
from . import (  # noqa: F401
    arithmetic, bits, bounds, conversion, convolution, cumulative, extremes, linalg, powers, reduction, rounding, slices,
    statistics, views,
)
