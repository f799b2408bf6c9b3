"""Declared ops as functions of plain arrays: ``xp.max_pool2d_backward(g, ...)`` in a rule that runs on arrays."""
from leafward.core.op import Op, registry


def array_function(op, xp):
    """The forward of ``op`` without the namespace in front and the residuals behind."""
    forward = op.forward
    count = max(len(op.outputs), 1)

    def function(*args, **kwargs):
        result = forward(xp, *args, **kwargs)
        if op.residuals:
            return result[0] if count == 1 else result[:count]
        return result
    function.__name__ = op.name
    function.remade = lambda namespace: array_function(op, namespace)
    return function


def extend(xp):
    """Give the array namespace every op that it has no function of its own for."""
    for declared in registry.values():
        if isinstance(declared, Op) and not hasattr(xp, declared.name):
            setattr(xp, declared.name, array_function(declared, xp))
