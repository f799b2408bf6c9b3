"""The optimizers' updates, in place.

Each kernel updates one parameter ``p`` from its gradient ``g`` and state, in the order of arithmetic of PyTorch's
per-tensor loops, so that values agree to float32 rounding. ``xp`` is NumPy, or leafward itself where a step is to be
differentiated: so none of them writes into ``g``, nor into a value that a derivative asks for again.
"""
import math

import numpy as np

try:
    from leafward.arrays.kernels import steps
except ImportError:                       # not compiled: NumPy's several passes
    steps = None


def update_all(kernel, rows, options):
    """Run ``kernel(np, p, g, *state, *options)`` for every row ``(p, g, *state)``."""
    compiled = COMPILED.get(kernel)
    for row in rows:
        if compiled is not None and compiled(*row, *options):
            continue
        dtype = row[0].dtype
        if dtype.itemsize == 2:
            update_half(kernel, row, options)
        elif dtype.kind == "c" and kernel is not sgd:
            kernel(np, *map(as_real, row), *options)     # |z| is not meant: real and imaginary part, each on its own
        else:
            kernel(np, *row, *options)


def update_half(kernel, row, options):
    """float16 and bfloat16: computed in float32, rounded once."""
    wide = [a.astype(np.float32) if isinstance(a, np.ndarray) and a.dtype.itemsize == 2 else a for a in row]
    kernel(np, *wide, *options)
    for narrow, result in zip(row, wide, strict=True):
        if narrow is not result:
            narrow[...] = result


def as_real(a):
    return a[..., None].view(a.real.dtype) if a is not None and a.dtype.kind == "c" else a


def ascent(g, maximize):
    return -g if maximize else g


def with_decay(xp, p, g, weight_decay):
    """``g + weight_decay * p``: the gradient of the penalty added to the gradient."""
    if weight_decay == 0:
        return g
    if not isinstance(weight_decay, (int, float)):           # its derivative is p as it is now
        p = xp.copy(p)
    return g + p * weight_decay


def average(mean, g, beta):
    """``mean = beta * mean + (1 - beta) * g``, as ``lerp`` computes it."""
    weight = 1 - beta
    if weight < 0.5:
        mean += (g - mean) * weight
    else:
        mean[...] = g - (g - mean) * (1 - weight)


def average_square(mean, g, beta):
    """``mean = beta * mean + (1 - beta) * g**2``."""
    mean *= beta
    mean += g * (1 - beta) * g


def sgd(xp, p, g, buffer, is_new, lr, momentum, dampening, weight_decay, nesterov, maximize):
    """``buffer = momentum * buffer + (1 - dampening) * g``, ``p -= lr * buffer``; the first buffer is ``g``."""
    g = with_decay(xp, p, ascent(g, maximize), weight_decay)
    if momentum != 0:
        if is_new:
            buffer[...] = g
        else:
            buffer *= momentum
            buffer += g if dampening == 0 else g * (1 - dampening)
        g = g + buffer * momentum if nesterov else buffer
    p -= g * lr


def adam(xp, p, g, step, mean, square, largest, lr, beta1, beta2, eps, weight_decay, decoupled, maximize):
    """``p -= lr * m / (sqrt(v) + eps)``, with m and v the averages of g and g**2 freed of their bias."""
    step += 1
    t = step.item()
    g = ascent(g, maximize)
    if decoupled:
        if weight_decay != 0:
            p *= 1 - lr * weight_decay
    else:
        g = with_decay(xp, p, g, weight_decay)
    average(mean, g, beta1)
    average_square(square, g, beta2)
    if largest is not None:
        largest[...] = square = xp.maximum(xp.copy(largest), square)
    p -= (lr / (1 - beta1 ** t)) * mean / (xp.sqrt(square) / (1 - beta2 ** t) ** 0.5 + eps)


def adamax(xp, p, g, step, mean, largest, lr, beta1, beta2, eps, weight_decay, maximize):
    """``p -= lr * m / u``, with m the average of g and u the decaying maximum of |g|."""
    step += 1
    g = with_decay(xp, p, ascent(g, maximize), weight_decay)
    average(mean, g, beta1)
    largest[...] = xp.maximum(largest * beta2, xp.abs(g) + eps)
    p -= (lr / (1 - beta1 ** step.item())) * mean / largest


def nadam(xp, p, g, step, product, mean, square, lr, beta1, beta2, eps, weight_decay, momentum_decay, decoupled, maximize):
    """Adam with Nesterov's momentum, whose strength grows with the steps."""
    step += 1
    t = step.item()
    g = ascent(g, maximize)
    if weight_decay != 0 and decoupled:
        p *= 1 - lr * weight_decay
    elif weight_decay != 0:
        g = with_decay(xp, p, g, weight_decay)
    mu = beta1 * (1.0 - 0.5 * 0.96 ** (t * momentum_decay))
    mu_next = beta1 * (1.0 - 0.5 * 0.96 ** ((t + 1) * momentum_decay))
    product *= mu
    average(mean, g, beta1)
    average_square(square, g, beta2)
    root = xp.sqrt(square / (1 - beta2 ** t)) + eps
    mu_product = product.item()
    p -= (lr * (1.0 - mu) / (1.0 - mu_product)) * g / root
    p -= (lr * mu_next / (1.0 - mu_product * mu_next)) * mean / root


def radam(xp, p, g, step, mean, square, lr, beta1, beta2, eps, weight_decay, decoupled, maximize):
    """Adam whose step is corrected for the variance of ``square``, or plain momentum while that is too large."""
    step += 1
    t = step.item()
    g = ascent(g, maximize)
    if weight_decay != 0 and decoupled:
        p *= 1 - lr * weight_decay
    elif weight_decay != 0:
        g = with_decay(xp, p, g, weight_decay)
    average(mean, g, beta1)
    average_square(square, g, beta2)
    correction2 = 1 - beta2 ** t
    unbiased = mean / (1 - beta1 ** t)
    rho_limit = 2 / (1 - beta2) - 1
    rho = rho_limit - 2 * t * beta2 ** t / correction2
    if rho > 5.0:
        rectified = math.sqrt((rho - 4) * (rho - 2) * rho_limit / ((rho_limit - 4) * (rho_limit - 2) * rho))
        p -= unbiased * lr * (math.sqrt(correction2) / (xp.sqrt(square) + eps)) * rectified
    else:
        p -= unbiased * lr


def rmsprop(xp, p, g, step, square, mean, buffer, lr, alpha, eps, weight_decay, momentum, maximize):
    """``p -= lr * g / (sqrt(v) + eps)``, with v the average of g**2 (less the square of g's, if centered)."""
    step += 1
    g = with_decay(xp, p, ascent(g, maximize), weight_decay)
    average_square(square, g, alpha)
    if mean is not None:
        average(mean, g, alpha)
        root = xp.sqrt(square - mean * mean) + eps
    else:
        root = xp.sqrt(square) + eps
    if buffer is not None:
        buffer *= momentum
        buffer += g / root
        p -= buffer * lr
    else:
        p -= lr * g / root


def adagrad(xp, p, g, step, total, lr, lr_decay, weight_decay, eps, maximize):
    """``p -= lr * g / (sqrt(v) + eps)``, with v the sum of all g**2 so far."""
    step += 1
    g = with_decay(xp, p, ascent(g, maximize), weight_decay)
    total += g * g
    p -= (lr / (1 + (step.item() - 1) * lr_decay)) * g / (xp.sqrt(total) + eps)


def adadelta(xp, p, g, step, square, delta_square, lr, rho, eps, weight_decay, maximize):
    """``d = g * sqrt(u + eps) / sqrt(v + eps)``, ``p -= lr * d``, with u and v the averages of d**2 and g**2."""
    step += 1
    g = with_decay(xp, p, ascent(g, maximize), weight_decay)
    average_square(square, g, rho)
    delta = xp.sqrt(delta_square + eps) / xp.sqrt(square + eps) * g
    average_square(delta_square, delta, rho)
    p -= delta * lr


def asgd(xp, p, g, step, eta, mu, mean, lr, lambd, alpha, t0, weight_decay, maximize):
    """Gradient descent with a falling rate ``eta``; ``mean`` is the average of the parameter since step t0."""
    step += 1
    g = with_decay(xp, p, ascent(g, maximize), weight_decay)
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


def rprop(xp, p, g, step, previous, size, smallest, largest, down, up, maximize):
    """A step per element: longer while g keeps its sign, shorter (and skipped once) when it turns."""
    step += 1
    g = ascent(g, maximize)
    agreement = g * previous
    changed = xp.where(agreement > 0, size * up, xp.where(agreement < 0, size * down, size))
    size[...] = xp.clip(changed, smallest, largest)
    g = xp.where(agreement < 0, 0, g)
    p -= xp.sign(g) * size
    previous[...] = g


#: NumPy body -> the same in one pass over memory, on leafward's threads, for the arrays that it takes.
COMPILED = {}
if steps is not None:
    COMPILED = {body: getattr(steps, body.__name__)
                for body in (sgd, adam, adamax, nadam, radam, rmsprop, adagrad, adadelta, asgd, rprop)}
