"""Why a checkpointed function gave other values when it ran again: writes in between, its own, or random numbers."""
from weakref import finalize

from leafward.core.assigned import Log, wait, waits_no_longer
from leafward.core.native import call_site
from leafward.core.reads import read_by
from leafward.core.runtime import runtime
from leafward.errors import assigned_that_matter, other_values
from leafward.tensor.random import get_rng_state

def samples(tensor):
    """Some of the values, to know them again; None where checks are off."""
    return runtime.xp.some_of(tensor._array) if runtime.checks and tensor._batch is None else None


def counts():
    """How many tensors, and how many attributes of modules, were written so far."""
    return runtime.written, Log.count


class TwoRuns:
    """When a function ran first, and when it ran again: what was written before, in between, and by itself."""

    def __init__(self, function, tensors, preserve):
        self.function, self.tensors, self.preserve = function, tensors, preserve
        self.site = call_site()
        self.began = self.ended = self.again = counts()
        self.random = None
        if runtime.checks:
            wait()
            finalize(self, waits_no_longer).atexit = False

    def ran(self):
        """The first run is over."""
        self.ended = counts()

    def runs_again(self):
        """The second begins."""
        self.again = counts()
        self.random = None if self.preserve or not runtime.checks else get_rng_state()

    def tell_if_different(self, pairs):
        """Tell if of ``(samples of the first run, tensor of the second)`` one pair is of two values."""
        pairs = [(was, samples(tensor)) for was, tensor in pairs if was is not None]
        pairs = [(was, now) for was, now in pairs if now is not None and was.shape == now.shape]
        if all([was.tobytes() == now.tobytes() for was, now in pairs]):
            return
        between = self.first_write(self.ended, self.again)
        # What a known write changed is told whatever it comes to; else rounding may have been another.
        if between is None and all([runtime.xp.same_numbers(was, now) for was, now in pairs]):
            return
        own = self.first_write(self.began, self.ended) if between is None else None
        draws = between is own is None and self.random is not None and not bool((self.random == get_rng_state()).all())
        other_values(self.function, self.site, between, own, draws)

    def first_write(self, since, until):
        """The first write between two counts to what the function reads: to a tensor, or else to an attribute of a module.

        None if none is remembered.
        """
        found = things_read_by(self.function)
        modules = [module for value in found if is_module(value) for module in value.modules()]
        tensors = [*self.tensors, *[value for value in found if not is_module(value)],
                   *[tensor for module in modules for tensor in tensors_of(module)]]
        writes = [write for tensor in tensors for write in tensor._storage.log or () if since[0] <= write.number < until[0]]
        if not writes:
            owners = {id(module) for module in modules}
            assigned = [one for one in Log.recent if since[1] <= one.number < until[1] and id(one.owner()) in owners]
            writes = assigned_that_matter(self.function, assigned) if assigned else []
        return min(writes, key=lambda write: write.number, default=None)


def is_module(value):
    return hasattr(type(value), "named_parameters")


def things_read_by(function):
    """Tensors and modules that a function reads besides its arguments."""
    return read_by(function, lambda value: isinstance(value, runtime.tensor) or is_module(value))


def tensors_of(module):
    """All tensors that are attributes of a module: parameters, buffers, and others."""
    spaces = [vars(module), module._parameters, module._buffers]
    return [value for space in spaces for value in space.values() if isinstance(value, runtime.tensor)]
