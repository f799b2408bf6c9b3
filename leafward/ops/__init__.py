"""Declarations only: importing this package declares every op."""
from . import (  # noqa: F401
    activation, arithmetic, attention, bits, bounds, comparison, complex, conversion, convolution, creation, cumulative,
    decompositions, diagonals, einsum, embedding, exponential, extremes, indexing, interpolation, linalg, loss,
    margin_losses, matrix_functions, normalization, padding, pooling, powers, products, random, recurrent,
    recurrent_layers, reduction, rounding, scatter, shape, slices, softmax, sorting, special, statistics, trigonometric,
    views, windows,
)
