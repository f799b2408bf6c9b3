"""Gradients as users' functions see them: hooks, and the backward of custom functions.

One array may be the gradient of several targets at once (an addition hands its own on to both). A function that writes to what
it is shown would change the others' too, as it does in PyTorch. Here, just before such a write, the others get a copy.
"""
from weakref import ref

from leafward.core import modes
from leafward.core.from_array import tensor_from_array
from leafward.core.runtime import runtime
from leafward.core.storage import Storage, VersionCounter
from leafward.core.tensor import TensorBase
from leafward.errors import shared_gradient


class ShownStorage(Storage):
    """The memory of a gradient that is shown; ``task``: the backward, whose other gradients may lie in it, or in ``shared``."""

    def __init__(self, owner, task, shared):
        super().__init__(owner)
        self.task, self.shared, self.separated, self.handed_out = ref(task), shared, False, None

    def separate(self):
        """Give a copy to everybody else whose gradient lies in this memory, which is about to be written."""
        task = self.task()
        if task is None:
            return
        for pending in list(task.tasks.values()):
            if self.holds(pending.grad):
                pending.grad, pending.owned = pending.grad.copy(), True
            if pending.grads is not None:
                self.separate_list(pending.grads)
        self.separate_list(task.answer)
        if task.contributions is not None:
            self.separate_list(task.contributions, task.position + 1)

    def hand_out(self):
        """The same where it is given to NumPy, whose writes nobody sees: a fingerprint shows later whether there were any."""
        if not self.separated:
            self.separate()
            self.handed_out = runtime.xp.fingerprint(self.owner, True) if self.separated else None

    def is_changed(self):
        """Whether somebody wrote since the others got their copies."""
        return self.handed_out is None or runtime.xp.fingerprint(self.owner, True) != self.handed_out

    def separate_list(self, grads, first=0):
        for number in range(first, len(grads)):
            if self.holds(grads[number]):
                grads[number] = grads[number].copy()

    def holds(self, grad):
        """Whether ``grad`` lies in this memory; notes that it did."""
        if type(grad) is runtime.ndarray and runtime.overlap(grad, self.shared):
            self.separated = True
            return True
        return False


def shown(grad, task=None):
    """The array or tensor ``grad`` as a tensor for a user's function."""
    if type(grad) is not runtime.ndarray:
        return grad if isinstance(grad, TensorBase) else tensor_from_array(grad)        # a tensor, or a sparse array
    given, grad = grad, grad if grad.flags.writeable else spread_anew(grad)
    tensor = tensor_from_array(grad)
    task = modes.current().backward if task is None else task
    if runtime.checks and task is not None:
        tensor._storage = ShownStorage(grad, task, given)
        tensor._counter = VersionCounter()                  # not the storage itself: so `seals.before_write` comes by
    return tensor


def spread_anew(grad):
    """A gradient that rules spread over its shape, as that of a sum is, in memory that may be written to."""
    small = grad[tuple([slice(0, 1) if step == 0 else slice(None) for step in grad.strides])].copy()
    steps = [0 if step == 0 else own for step, own in zip(grad.strides, small.strides, strict=True)]
    return runtime.xp.as_strided(small, grad.shape, steps)


def tell_of_writes(tensor, by):
    """Tell that ``by`` wrote to a gradient that it was shown, and that PyTorch would have changed another one, too."""
    storage = tensor._storage
    if type(storage) is ShownStorage and storage.separated:
        storage.separated = False
        if storage.is_changed():
            shared_gradient(storage, by)
