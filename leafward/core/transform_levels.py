"""Forward-mode and vmap levels: a stack of them per thread, and the innermost one that an operation takes part in.

A tensor says which levels it is in: ``_tangents`` maps forward-mode levels to its tangents, ``_batch`` is the vmap level
that it is a batch of. While a level works on an operation, only the levels around it are on the stack.

To the core a level is data. What it does with an operation, and how a view of a dual tensor finds its tangent, say the
subclasses (``autograd/dual.py``, ``autograd/batched.py``), which are above the call path and use it.
"""
from leafward.core import modes
from leafward.core.tensor import TensorBase


class Level:
    """One level of the stack. A subclass says what it does with an operation that it is the innermost level of."""

    randomness = None           # vmap: what random numbers do inside
    watches = False             # whether it takes part in every operation, whatever its tensors
    creates = False             # whether it answers for what makes tensors of nothing, too

    def __init__(self):
        self.depth = 0
        self.alive = False

    def __enter__(self):
        state = modes.current()
        levels = state.levels or []
        self.depth = levels[-1].depth + 1 if levels else 1
        state.levels = [*levels, self]
        state.changed()
        self.alive = True
        return self

    def __exit__(self, *exc):
        state = modes.current()
        self.alive = False
        state.levels = [level for level in state.levels if level is not self] or None
        state.changed()

    def around(self):
        """A context in which only the levels around this one are there."""
        return Around(self)

    def apply(self, op, values, inputs):
        """``op`` on bound arguments, some of which are in this level."""
        raise NotImplementedError(f"{type(self).__name__} does not say what becomes of an operation")

    def apply_inplace(self, op, values, inputs, name):
        """``x.op_(...)``, the same way."""
        raise NotImplementedError(f"{type(self).__name__} does not say what becomes of a write")

    def tangent_of_view(self, view):
        """The part that ``view`` shows of its base's tangent."""
        raise NotImplementedError(f"{type(self).__name__} has no tangents")

    def set_tangent_of_view(self, view, tangent):
        """Change that part of it."""
        raise NotImplementedError(f"{type(self).__name__} has no tangents")


class Around:
    """See :meth:`Level.around`."""

    def __init__(self, level):
        self.level = level

    def __enter__(self):
        state = modes.current()
        self.levels = state.levels
        state.levels = [level for level in self.levels if level.depth < self.level.depth]
        state.changed()

    def __exit__(self, *exc):
        state = modes.current()
        state.levels = self.levels
        state.changed()


def innermost(inputs, random=False):
    """The innermost level that one of the tensors ``inputs`` (or of a list among them) is in, or None.

    ``random``: for an operation that draws random numbers, which every vmap takes part in.
    """
    levels = modes.current().levels
    found = random_level() if random else None
    for value in inputs:
        for x in (value if isinstance(value, (list, tuple)) else (value,)):
            if not isinstance(x, TensorBase):
                continue
            level = x._batch
            if level is not None:
                if not level.alive:
                    raise RuntimeError("This tensor belongs to a vmap that has ended: what its function made is whole only in "
                                       "what vmap returned.")
                if found is None or level.depth > found.depth:
                    found = level
            for level in reversed(levels or ()):
                if found is not None and level.depth <= found.depth:
                    break
                if level.watches or has_tangent(x, level):
                    found = level
                    break
    return found


def random_level():
    """The innermost level that says what random numbers do, or None."""
    for level in reversed(modes.current().levels or ()):
        if level.randomness is not None:
            return level
    return None


def creating_level(random):
    """The innermost level that makes the tensors of ``zeros``, or of ``randn`` if ``random``; None: they are ordinary."""
    for level in reversed(modes.current().levels or ()):
        if level.creates:
            return level
    return random_level() if random else None


def has_tangent(x, level):
    """Whether ``x``, or what it is a view of, has a tangent at ``level``."""
    owner = x if x._base is None else x._base
    return owner._tangents is not None and level in owner._tangents


def tangent_of(x, level):
    """The tangent of ``x`` at ``level``, or None. A view has the part of its base's that it shows."""
    if not isinstance(x, TensorBase) or not has_tangent(x, level):
        return None
    return x._tangents[level] if x._base is None else level.tangent_of_view(x)


def in_batches_of(other, x):
    """``x``, once for each example of what ``other`` is a batch of: so that ``other`` can be written into it."""
    return x if other._batch is None else x + other.new_zeros(tuple(x.shape), dtype=x._dtype)


def set_tangent(x, level, tangent):
    """Give ``x`` another tangent at ``level``; through a view, the base one with that part changed."""
    if x._base is None:
        x._tangents = {**(x._tangents or {}), level: tangent}
    else:
        level.set_tangent_of_view(x, tangent)


def innermost_tangent(x):
    """The tangent that ``x`` has now, or None."""
    for level in reversed(modes.current().levels or ()):
        if (tangent := tangent_of(x, level)) is not None:
            return tangent
    return None


def tangents_now(x):
    """All tangents of ``x``, by level, those of levels that are not on the stack just now too; None if there are none."""
    owner = x if x._base is None else x._base
    if not owner._tangents:
        return None
    return {level: tangent_of(x, level) for level in owner._tangents if level.alive} or None
