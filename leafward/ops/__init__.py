"""Declarations only: importing this package declares every op."""
from . import (  # noqa: F401
    activation, arithmetic, bits, bounds, comparison, complex, conversion, convolution, creation, cumulative, diagonals,
    embedding, exponential, extremes, indexing, linalg, loss, normalization, pooling, powers, random, reduction,
    rounding, scatter, shape, slices, softmax, sorting, special, statistics, trigonometric, views,
)
