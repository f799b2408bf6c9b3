"""A line search for the strong Wolfe conditions (Nocedal and Wright, algorithms 3.5 and 3.6)."""


class Point:
    """A step length ``t``, and the loss ``f``, gradient ``g`` and slope there."""

    def __init__(self, t, f, g, slope):
        self.t = t
        self.f = f
        self.g = g
        self.slope = slope


def _cubic_interpolate(x1, f1, g1, x2, f2, g2, bounds=None):
    """Where the cubic through two points with these slopes is smallest, within ``bounds``."""
    low, high = bounds if bounds is not None else (x1, x2) if x1 <= x2 else (x2, x1)
    d1 = g1 + g2 - 3 * (f1 - f2) / (x1 - x2)
    square = d1 ** 2 - g1 * g2
    if not square >= 0:
        return (low + high) / 2.0
    d2 = square.sqrt()
    if x1 <= x2:
        position = x2 - (x2 - x1) * ((g2 + d2 - d1) / (g2 - g1 + 2 * d2))
    else:
        position = x1 - (x1 - x2) * ((g1 + d2 - d1) / (g1 - g2 + 2 * d2))
    return min(max(position, low), high)


def between(a, b, bounds=None):
    return _cubic_interpolate(a.t, a.f, a.slope, b.t, b.f, b.slope, bounds)


def _strong_wolfe(obj_func, x, t, d, f, g, gtd, c1=1e-4, c2=0.9, tolerance_change=1e-9, max_ls=25):
    """A step along ``d`` that lowers the loss enough and leaves little slope: ``(f, g, t, evaluations)``.

    ``obj_func(x, t, d)`` gives loss and flat gradient at ``x + t d``; f, g and gtd are those at x.
    """
    evaluations = 0

    def at(t):
        nonlocal evaluations
        evaluations += 1
        f_new, g_new = obj_func(x, t, d)
        return Point(t, f_new, g_new, g_new.dot(d))

    start = Point(0, f, g.clone(), gtd)

    def too_high(point):
        return point.f > f + c1 * point.t * gtd

    def flat(point):
        return abs(point.slope) <= -c2 * gtd

    # Longer and longer steps, until two of them have a good one between.
    before, here, tries, done = start, at(t), 0, False
    bracket = None
    while tries < max_ls:
        if too_high(here) or (tries > 1 and here.f >= before.f):
            bracket = [before, here]
            break
        if flat(here):
            bracket, done = [here], True
            break
        if here.slope >= 0:
            bracket = [before, here]
            break
        t = between(before, here, (here.t + 0.01 * (here.t - before.t), here.t * 10))
        before, here = here, at(t)
        tries += 1
    if tries == max_ls:
        bracket = [start, here]
    if not done and tries < max_ls:
        narrowed(bracket, at, too_high, flat, tries, max_ls, d.abs().max(), tolerance_change)
    best = bracket[0] if bracket[0].f <= bracket[-1].f else bracket[-1]
    return best.f, best.g, best.t, evaluations


def narrowed(bracket, at, too_high, flat, tries, max_ls, d_norm, tolerance_change):
    """Shrink ``bracket`` around a good step, in place."""
    stuck = False
    low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
    while tries < max_ls:
        left, right = (bracket[0].t, bracket[1].t)
        if abs(right - left) * d_norm < tolerance_change:
            return
        t = between(bracket[0], bracket[1])
        ends = max(left, right), min(left, right)
        margin = 0.1 * (ends[0] - ends[1])
        if min(ends[0] - t, t - ends[1]) < margin:
            # Close to an end: once is allowed, the next time the step is moved inwards.
            if stuck or t >= ends[0] or t <= ends[1]:
                t = ends[0] - margin if abs(t - ends[0]) < abs(t - ends[1]) else ends[1] + margin
                stuck = False
            else:
                stuck = True
        else:
            stuck = False
        here = at(t)
        tries += 1
        if too_high(here) or here.f >= bracket[low].f:
            bracket[high] = here
            low, high = (0, 1) if bracket[0].f <= bracket[1].f else (1, 0)
            continue
        done = flat(here)
        if not done and here.slope * (bracket[high].t - bracket[low].t) >= 0:
            bracket[high] = bracket[low]
        bracket[low] = here
        if done:
            return
