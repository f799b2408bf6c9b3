"""Jacobians for the gradient check: by finite differences, by backward, and by forward mode."""
from itertools import product

from leafward.core.runtime import runtime
from leafward.core.from_array import tensor_from_array
from leafward.derive.functions import fns


def as_tuple(value):
    """Several values as a tuple; a single one as a tuple of one."""
    return tuple(value) if isinstance(value, (tuple, list)) else (value,)


def is_wanted(x):
    """Whether ``x`` is an input to differentiate by."""
    return isinstance(x, runtime.tensor) and x.requires_grad


def one_hot(x):
    """For each element of ``x`` its index, and an array like ``x`` that is 1 there and 0 elsewhere."""
    for index in product(*[range(size) for size in x.shape]):
        array = runtime.xp.zeros(tuple(x.shape), dtype=x.dtype)
        array[index] = 1
        yield index, array


class Differences:
    """Finite differences of ``function`` at ``inputs``, which are moved in place and put back.

    In place, so that a function that reaches an input by another way than its arguments sees it move too: a module its
    parameters. The moves go past the version counters: afterwards the bytes are as they were.
    """

    def __init__(self, function, inputs, eps):
        self.function, self.inputs, self.eps = function, inputs, eps

    def values(self, places):
        outputs = as_tuple(self.function(*self.inputs))
        return [outputs[k].detach().clone() for k in places]

    def along(self, x, direction, places, index=None):
        """``(f(x + eps * direction) - f(x - eps * direction)) / (2 * eps)`` for the outputs at ``places``."""
        kept = x._array.copy()
        try:
            x._array[...] = kept - self.eps * direction
            before = self.values(places)
            x._array[...] = kept + self.eps * direction
            after = self.values(places)
        finally:
            x._array[...] = kept
        for a, b in zip(before, after, strict=True):
            self.refuse_changes(a, b, "" if index is None else f"on index {index} ")
        return [(b - a) / (2 * self.eps) for a, b in zip(before, after, strict=True)]

    def refuse_changes(self, a, b, at):
        for kind, old, new in ("shape", a.shape, b.shape), ("dtype", a.dtype, b.dtype):
            if old != new:
                raise AssertionError(f"Expected `func` to return outputs with the same {kind} when inputs are "
                                     f"perturbed {at}by {self.eps}, but got: {kind}s {old} and {new}.")

    def jacobians(self, x, places):
        """For each output the matrix of derivatives by the elements of ``x``: (elements of x) x (elements of output).

        For complex ``x`` and real outputs: ``d/d(real part) + i * d/d(imaginary part)``, as gradients are.
        """
        rows = [self.along(x, direction, places, index) for index, direction in one_hot(x)]
        if x.is_complex():
            turned = [self.along(x, 1j * direction, places, index) for index, direction in one_hot(x)]
            rows = [[a + 1j * b for a, b in zip(r, t, strict=True)] for r, t in zip(rows, turned, strict=True)]
        return [fns.stack([row[k].reshape(-1) for row in rows]) if rows else fns.zeros(0, 0) for k in range(len(places))]


def pulled_back(output, inputs, v):
    """The gradients of ``<v, output>`` by ``inputs``: zeros where ``output`` does not depend on one."""
    from leafward.autograd import grad
    grads = grad(output, inputs, v, retain_graph=True, allow_unused=True)
    return [fns.zeros_like(x) if g is None else g.detach() for g, x in zip(grads, inputs, strict=True)]


def backward_jacobians(output, inputs):
    """The same matrices, one for each input, from one backward per element of ``output``."""
    columns = [pulled_back(output, inputs, tensor_from_array(direction)) for _, direction in one_hot(output)]
    if not columns:
        return [fns.zeros(x.numel(), 0, dtype=x.dtype) for x in inputs]
    return [fns.stack([column[k].reshape(-1) for column in columns], 1) for k in range(len(inputs))]


def pushed_forward(function, inputs, at, tangent, places):
    """The tangents of the outputs at ``places`` for one tangent of ``inputs[at]``."""
    from leafward.autograd import forward_ad
    with forward_ad.dual_level():
        moved = [forward_ad.make_dual(x, tangent) if k == at else x for k, x in enumerate(inputs)]
        outputs = as_tuple(function(*moved))
        found = []
        for k in places:
            primal, tangent = forward_ad.unpack_dual(outputs[k])
            found.append(fns.zeros_like(primal) if tangent is None else tangent.detach())
    return found


def forward_jacobians(function, inputs, at, places):
    """The same matrices, one for each output at ``places``, from one forward run per element of ``inputs[at]``."""
    rows = [pushed_forward(function, inputs, at, tensor_from_array(direction), places) for _, direction in one_hot(inputs[at])]
    return [fns.stack([row[k].reshape(-1) for row in rows]) if rows else fns.zeros(0, 0) for k in range(len(places))]
