"""Why a checkpointed function gave other values when it ran again: the write in between, its own, or random numbers."""
from leafward.core.native import call_site
from leafward.core.reads import read_by
from leafward.core.runtime import runtime
from leafward.errors import other_values
from leafward.tensor.random import get_rng_state

def samples(tensor):
    """Some of the values, to know them again; None where checks are off."""
    return runtime.xp.some_of(tensor._array) if runtime.checks and tensor._batch is None else None


class TwoRuns:
    """When a function ran first, and when it ran again: what was written before, in between, and by itself."""

    def __init__(self, function, tensors, preserve):
        self.function, self.tensors, self.preserve = function, tensors, preserve
        self.site = call_site()
        self.began = self.ended = self.again = runtime.written
        self.random = None

    def ran(self):
        """The first run is over."""
        self.ended = runtime.written

    def runs_again(self):
        """The second begins."""
        self.again = runtime.written
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
        other_values(self.site, between, own, draws)

    def first_write(self, since, until):
        """The first write between two counts to a tensor that the function reads; None if none is remembered."""
        writes = [write for tensor in [*self.tensors, *tensors_read_by(self.function)] for write in tensor._storage.log or ()
                  if since <= write.number < until]
        return min(writes, key=lambda write: write.number, default=None)


def tensors_read_by(function):
    """Tensors that a function reads besides its arguments; of a module all of its own."""
    found = read_by(function, lambda value: isinstance(value, runtime.tensor) or hasattr(type(value), "named_parameters"))
    return [tensor for value in found for tensor in (
        [value] if isinstance(value, runtime.tensor) else [*value.parameters(), *value.buffers()])]
