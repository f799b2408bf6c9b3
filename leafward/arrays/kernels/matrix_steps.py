"""The updates of optimizers that see a parameter as a matrix: Adafactor and Muon. See ``optim.py``."""
import math

import numpy as np

from leafward.dtypes import bfloat16
from leafward.arrays.dtype_map import numpy_dtype
from leafward.arrays.rounding import multiply_add, multiply_add_wide

try:
    from leafward.arrays.kernels.steps import combined
except ImportError:                       # not compiled: NumPy's several passes
    combined = None


def toward(mean, value, weight):
    """``mean += weight * (value - mean)``."""
    mean += (value - mean) * weight


def root_mean_square(x):
    return float(np.linalg.norm(x.reshape(-1))) / math.sqrt(x.size)


def adafactor(xp, p, g, step, rows, columns, variance, eps1, lr, beta2_decay, weight_decay, eps2, d, maximize):
    """``p -= lr * g / sqrt(v)``, with v the average of g**2, kept as its row and column means where g is a matrix."""
    step += 1
    if p.size == 0:
        return
    t = step.item()
    g = -g if maximize else g
    weight = t ** beta2_decay
    alpha = max(eps2, root_mean_square(p)) * min(lr, 1 / math.sqrt(t))
    if weight_decay != 0:
        p *= 1 - lr * weight_decay
    squared = g * g
    if rows is not None:
        toward(rows, squared.mean(-1, keepdims=True), weight)
        toward(columns, squared.mean(-2, keepdims=True), weight)
        estimate = xp.matmul(rows, columns)
        estimate /= xp.maximum(rows.mean(-2, keepdims=True), p.dtype.type(eps1))
    else:
        toward(variance, squared, weight)
        estimate = variance.copy()
    xp.maximum(estimate, p.dtype.type(eps1 * eps1), out=estimate)
    update = g / xp.sqrt(estimate)
    p -= (alpha / max(1.0, root_mean_square(update) / d)) * update


def between(start, end, weight):
    """``start + weight * (end - start)``, from the nearer side and rounded once, as PyTorch's ``lerp`` is."""
    dtype = start.dtype
    if dtype.itemsize == 2:
        return between(start.astype(np.float32), end.astype(np.float32), weight).astype(dtype)
    weight, one = dtype.type(weight), dtype.type(1)
    base, weight = (start, weight) if weight < 0.5 else (end, weight - one)
    if dtype.itemsize == 4:
        return multiplied_and_added(end - start, weight, base, dtype.type(1))
    return multiply_add(end - start, weight, base)


def rounded(x):
    """Values as bfloat16 would hold them, in float32."""
    return x.astype(numpy_dtype(bfloat16)).astype(np.float32)


def multiplied_and_added(x, a, y, b, as_bfloat16=False):
    """``x a + y b`` in float32, the product with ``a`` and the sum rounded once."""
    done = combined(x, a, y, b, as_bfloat16) if combined is not None else None
    if done is None:
        done = multiply_add_wide(x, a, b * y)
        done = rounded(done) if as_bfloat16 else done
    return done


def orthogonalized(g, coefficients, steps, eps):
    """Roughly the orthogonal matrix nearest to ``g``: Newton and Schulz's iteration, in bfloat16 as in PyTorch."""
    a, b, c = (np.float32(factor) for factor in coefficients)
    x = rounded(np.asarray(g, np.float32))
    tall = x.shape[0] > x.shape[1]
    x = np.ascontiguousarray(x.T) if tall else x
    one = np.float32(1)
    x = rounded(x / max(float(rounded(np.linalg.norm(x))), eps))
    for _ in range(steps):
        gram = rounded(x @ x.T)
        # The square of a symmetric matrix is a product with its transpose, of which BLAS computes one half.
        update = multiplied_and_added(gram, b, gram @ gram.T, c, True)
        x = multiplied_and_added(x, a, update @ x, one, True)
    return x.T if tall else x


def muon(xp, p, g, buffer, lr, weight_decay, momentum, nesterov, coefficients, eps, steps, adjusted):
    """``p -= lr * O``, with O the average of g made orthogonal; ``adjusted`` gives the rate for a shape."""
    # As PyTorch rounds it: a last digit can be a step of 1/256 in bfloat16, and the iteration makes more of that.
    buffer[...] = between(buffer, g, 1 - momentum)
    update = between(g, buffer, momentum) if nesterov else buffer
    update = orthogonalized(update, coefficients, steps, eps)
    p *= 1 - lr * weight_decay
    p -= (lr * adjusted(p.shape)) * update.astype(p.dtype)
