"""Declared ops as functions of plain arrays: ``xp.max_pool2d_backward(g, ...)`` in a rule that runs on arrays."""
from leafward.core.op import REQUIRED, Op, registry


def array_function(op, xp, kernel=None):
    """The forward of ``op`` without the namespace in front and the residuals behind, by the ``kernel`` where that answers."""
    forward = op.forward
    count = max(len(op.outputs), 1)

    def function(*args, out=None, **kwargs):
        result = None if kernel is None else by_kernel(op, kernel, args, kwargs, out)
        if result is None:
            named = {"out": out} if op.takes_out and out is not None else {}
            result = forward(xp, *args, **kwargs, **named)
            if out is not None and result is not out:
                out[...] = result
                return out
        if op.residuals:
            return result[0] if count == 1 else result[:count]
        return result
    function.__name__ = op.name
    function.remade = lambda namespace, noted: array_function(op, namespace, None if kernel is None else noted(kernel, op.name))
    return function


def by_kernel(op, kernel, args, kwargs, out):
    """What the kernel of ``op`` makes of the arguments, or None."""
    if kwargs:
        args = [*args, *map(kwargs.get, op.names[len(args):], op.defaults[len(args):])]
        if any([value is REQUIRED for value in args]):
            return None
    if out is None:
        return kernel(*args)
    return kernel(*args, out=out) if op.kernel_takes_out else None


def extend(xp):
    """Give the array namespace every op that it has no function of its own for."""
    for declared in registry.values():
        if isinstance(declared, Op) and not hasattr(xp, declared.name):
            setattr(xp, declared.name, array_function(declared, xp, declared.kernel if declared.has_general_kernel else None))
