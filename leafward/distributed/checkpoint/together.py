"""What the ranks that save or load a checkpoint say to each other."""
from leafward.distributed import objects, world
from leafward.distributed.checkpoint.api import CheckpointException


class Ranks:
    """The ranks of a checkpoint; without a process group there is one."""

    def __init__(self, group=None, alone=False):
        self.alone = alone or not world.is_initialized()
        self.group = None if self.alone else world.group_or_default(group)
        self.rank = 0 if self.alone else self.group.rank()
        self.size = 1 if self.alone else self.group.size()

    def all(self, value):
        """The values of all ranks, on all ranks."""
        if self.alone:
            return [value]
        found = [None] * self.size
        objects.all_gather_object(found, value, self.group)
        return found

    def each(self, what, function):
        """``function()`` on every rank, and what it gave on all of them: where it failed on one, it failed on all."""
        try:
            mine = function(), None
        except Exception as error:
            mine = None, error
        found = self.all(mine)
        failures = {rank: error for rank, (_, error) in enumerate(found) if error is not None}
        if failures:
            raise CheckpointException(what, failures) from mine[1]
        return [value for value, _ in found]

    def first(self, what, function):
        """``function()`` on the first rank, and what it gave there on all of them."""
        return self.each(what, lambda: function() if self.rank == 0 else None)[0]
