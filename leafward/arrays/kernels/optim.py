"""The optimizers' updates, on arrays and in place.

Each kernel updates one parameter ``p`` from its gradient ``g`` and state, in the order of arithmetic of PyTorch's
per-tensor loops, so that values agree to float32 rounding. None of them writes into ``g``.
"""
import math

import numpy as np

try:
    from . import steps
except ImportError:                       # not compiled: NumPy's several passes
    steps = None


def update_all(kernel, rows, options):
    """Run ``kernel(p, g, *state, *options)`` for every row ``(p, g, *state)``."""
    compiled = COMPILED.get(kernel)
    for row in rows:
        if compiled is not None and compiled(*row, *options):
            continue
        dtype = row[0].dtype
        if dtype.itemsize == 2:
            update_half(kernel, row, options)
        elif dtype.kind == "c" and kernel is not sgd:
            kernel(*map(as_real, row), *options)     # |z| is not meant: real and imaginary part, each on its own
        else:
            kernel(*row, *options)


def update_half(kernel, row, options):
    """float16 and bfloat16: computed in float32, rounded once."""
    wide = [a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype.itemsize == 2 else a for a in row]
    kernel(*wide, *options)
    for narrow, result in zip(row, wide, strict=True):
        if narrow is not result:
            narrow[...] = result


def as_real(a):
    return a[..., None].view(a.real.dtype) if a is not None and a.dtype.kind == "c" else a


def ascent(g, maximize):
    return np.negative(g) if maximize else g


def with_decay(p, g, weight_decay):
    """``g + weight_decay * p``: the gradient of the penalty added to the gradient."""
    return g + p * weight_decay if weight_decay != 0 else g


def average(mean, g, beta):
    """``mean = beta * mean + (1 - beta) * g``, as ``lerp`` computes it."""
    weight = 1 - beta
    if weight < 0.5:
        mean += (g - mean) * weight
    else:
        np.subtract(g, (g - mean) * (1 - weight), out=mean)


def average_square(mean, g, beta):
    """``mean = beta * mean + (1 - beta) * g**2``."""
    mean *= beta
    mean += g * (1 - beta) * g


def sgd(p, g, buffer, is_new, lr, momentum, dampening, weight_decay, nesterov, maximize):
    """``buffer = momentum * buffer + (1 - dampening) * g``, ``p -= lr * buffer``; the first buffer is ``g``."""
    g = with_decay(p, ascent(g, maximize), weight_decay)
    if momentum != 0:
        if is_new:
            buffer[...] = g
        else:
            buffer *= momentum
            buffer += g if dampening == 0 else g * (1 - dampening)
        g = g + buffer * momentum if nesterov else buffer
    p -= g * lr


def adam(p, g, step, mean, square, largest, lr, beta1, beta2, eps, weight_decay, decoupled, maximize):
    """``p -= lr * m / (sqrt(v) + eps)``, with m and v the averages of g and g**2 freed of their bias."""
    step += 1
    t = step.item()
    g = ascent(g, maximize)
    if decoupled:
        if weight_decay != 0:
            p *= 1 - lr * weight_decay
    else:
        g = with_decay(p, g, weight_decay)
    average(mean, g, beta1)
    average_square(square, g, beta2)
    if largest is not None:
        square = np.maximum(largest, square, out=largest)
    root = np.sqrt(square)
    root /= math.sqrt(1 - beta2 ** t)
    root += eps
    p -= (lr / (1 - beta1 ** t)) * mean / root


def adamax(p, g, step, mean, largest, lr, beta1, beta2, eps, weight_decay, maximize):
    """``p -= lr * m / u``, with m the average of g and u the decaying maximum of |g|."""
    step += 1
    g = with_decay(p, ascent(g, maximize), weight_decay)
    average(mean, g, beta1)
    np.maximum(largest * beta2, np.abs(g) + eps, out=largest)
    p -= (lr / (1 - beta1 ** step.item())) * mean / largest


def nadam(p, g, step, product, mean, square, lr, beta1, beta2, eps, weight_decay, momentum_decay, decoupled, maximize):
    """Adam with Nesterov's momentum, whose strength grows with the steps."""
    step += 1
    t = step.item()
    g = ascent(g, maximize)
    if weight_decay != 0 and decoupled:
        p *= 1 - lr * weight_decay
    elif weight_decay != 0:
        g = with_decay(p, g, weight_decay)
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (t * momentum_decay))
    mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((t + 1) * momentum_decay))
    product *= mu
    average(mean, g, beta1)
    average_square(square, g, beta2)
    root = np.sqrt(square / (1 - beta2 ** t))
    root += eps
    mu_product = product.item()
    p -= (lr * (1.0 - mu) / (1.0 - mu_product)) * g / root
    p -= (lr * mu_next / (1.0 - mu_product * mu_next)) * mean / root


def radam(p, g, step, mean, square, lr, beta1, beta2, eps, weight_decay, decoupled, maximize):
    """Adam whose step is corrected for the variance of ``square``, or plain momentum while that is too large."""
    step += 1
    t = step.item()
    g = ascent(g, maximize)
    if weight_decay != 0 and decoupled:
        p *= 1 - lr * weight_decay
    elif weight_decay != 0:
        g = with_decay(p, g, weight_decay)
    average(mean, g, beta1)
    average_square(square, g, beta2)
    correction2 = 1 - beta2 ** t
    unbiased = mean / (1 - beta1 ** t)
    rho_limit = 2 / (1 - beta2) - 1
    rho = rho_limit - 2 * t * beta2 ** t / correction2
    if rho > 5.0:
        rectified = math.sqrt((rho - 4) * (rho - 2) * rho_limit / ((rho_limit - 4) * (rho_limit - 2) * rho))
        p -= unbiased * lr * (math.sqrt(correction2) / (np.sqrt(square) + eps)) * rectified
    else:
        p -= unbiased * lr


def rmsprop(p, g, step, square, mean, buffer, lr, alpha, eps, weight_decay, momentum, maximize):
    """``p -= lr * g / (sqrt(v) + eps)``, with v the average of g**2 (less the square of g's, if centered)."""
    step += 1
    g = with_decay(p, ascent(g, maximize), weight_decay)
    average_square(square, g, alpha)
    if mean is not None:
        average(mean, g, alpha)
        root = np.sqrt(square - mean * mean)
    else:
        root = np.sqrt(square)
    root += eps
    if buffer is not None:
        buffer *= momentum
        buffer += g / root
        p -= buffer * lr
    else:
        p -= lr * g / root


def adagrad(p, g, step, total, lr, lr_decay, weight_decay, eps, maximize):
    """``p -= lr * g / (sqrt(v) + eps)``, with v the sum of all g**2 so far."""
    step += 1
    g = with_decay(p, ascent(g, maximize), weight_decay)
    total += g * g
    root = np.sqrt(total)
    root += eps
    p -= (lr / (1 + (step.item() - 1) * lr_decay)) * g / root


def adadelta(p, g, step, square, delta_square, lr, rho, eps, weight_decay, maximize):
    """``d = g * sqrt(u + eps) / sqrt(v + eps)``, ``p -= lr * d``, with u and v the averages of d**2 and g**2."""
    step += 1
    g = with_decay(p, ascent(g, maximize), weight_decay)
    average_square(square, g, rho)
    delta = np.sqrt(delta_square + eps)
    delta /= np.sqrt(square + eps)
    delta *= g
    average_square(delta_square, delta, rho)
    p -= delta * lr


def asgd(p, g, step, eta, mu, mean, lr, lambd, alpha, t0, weight_decay, maximize):
    """Gradient descent with a falling rate ``eta``; ``mean`` is the average of the parameter since step t0."""
    step += 1
    g = with_decay(p, ascent(g, maximize), weight_decay)
    rate = eta.item()
    p *= 1 - lambd * rate
    p -= g * rate
    if mu.item() == 1:
        mean[...] = p
    else:
        mean += (p - mean) * mu.item()
    t = step.item()
    eta[...] = lr / (1 + lambd * lr * t) ** alpha
    mu[...] = 1 / max(1, t - t0)


def rprop(p, g, step, previous, size, smallest, largest, down, up, maximize):
    """A step per element: longer while g keeps its sign, shorter (and skipped once) when it turns."""
    step += 1
    g = ascent(g, maximize)
    agreement = g * previous
    factor = np.where(agreement > 0, p.dtype.type(up), np.where(agreement < 0, p.dtype.type(down), p.dtype.type(1)))
    size *= factor
    np.clip(size, smallest, largest, out=size)
    g = np.where(agreement < 0, p.dtype.type(0), g)
    p -= np.sign(g) * size
    previous[...] = g


#: NumPy body -> the same in one pass over memory, for the arrays that it takes.
COMPILED = {}
if steps is not None:
    COMPILED = {sgd: steps.sgd, adam: steps.adam}
