"""What a leaf was when graphs were made of it: a gradient that comes by an older node is of that shape and dtype.

A leaf gets another shape where nothing is recorded (``x.data = y``, ``x.t_()`` under ``no_grad``, ``out=x``). PyTorch has a
node at the end of its graphs, which remembers; a leaf here is the end itself, and is asked only where it was changed.
"""
from leafward.core.runtime import runtime


class Accumulator:
    """What a leaf has in ``_accumulator``: the node that users saw of it (a weak reference), and what it was before."""

    __slots__ = ("shown", "before")

    def __init__(self):
        self.shown = None
        self.before = []


class Former:
    """What a leaf was for the nodes with a lower number than ``until``; ``ended``: a new node is the end of later graphs."""

    __slots__ = ("until", "shape", "dtype", "ended")

    def __init__(self, leaf, ended):
        self.until, self.ended = runtime.sequence, ended
        self.shape, self.dtype = leaf._array.shape, leaf._dtype


def accumulator_of(leaf):
    if leaf._accumulator is None:
        leaf._accumulator = Accumulator()
    return leaf._accumulator


def keep_former(tensor, ended=False):
    """Remember what ``tensor`` is, if it is a leaf that requires grad, before it gets another shape, dtype or memory."""
    if tensor._requires_grad and tensor._node is None:
        before = accumulator_of(tensor).before
        before.append(Former(tensor, ended))
        del before[:-16]                                    # whose graphs are long gone


def former_of(leaf, source):
    """What ``leaf`` was when the node ``source`` was made, if it was something else; and whether a new end came since."""
    found, ended = None, False
    for former in reversed(leaf._accumulator.before):
        if source._sequence >= former.until:
            break
        found, ended = former, ended or former.ended
    if found is None or not ended and found.shape == leaf._array.shape and found.dtype is leaf._dtype:
        return None
    return found.shape, found.dtype, ended
