"""Ranks whose inputs end at different times: who has no more answers what the others call, until all have ended."""
from abc import ABC, abstractmethod

from leafward.arrays import reducing
from leafward.core.from_array import tensor_from_array
from leafward.devices import cpu
from leafward.distributed import collectives

ENDED = "Detected at least one rank that exhausted inputs. Throwing across all ranks."


def counted(value, group, op="SUM"):
    """A number of each rank, combined."""
    number = tensor_from_array(reducing.numbers([value]))
    collectives.all_reduce(number, getattr(collectives.ReduceOp, op), group)
    return number.item()


class JoinHook:
    """What a rank that has ended does for one thing that communicates."""

    def main_hook(self):
        """Answer one iteration of the ranks that go on."""

    def post_hook(self, is_last_joiner):
        """All have ended; ``is_last_joiner``: this one among the last."""


class Joinable(ABC):
    """Something that communicates in each iteration, and says how a rank without inputs answers."""

    _join = None                                        # the Join that it is in

    @abstractmethod
    def join_hook(self, **kwargs):
        """A :class:`JoinHook`."""

    @property
    def join_device(self):
        """The device: the CPU."""
        return cpu

    @property
    @abstractmethod
    def join_process_group(self):
        """Which ranks."""


class Join:
    """Inside, ranks may have different numbers of inputs.

    joinables: what communicates: a ``DistributedDataParallel``, or others of the kind, in one order on all ranks
    enable: False where inputs are even: nothing is done then
    throw_on_early_termination: whether all ranks raise when the first has ended
    kwargs: for their ``join_hook``

    >>> def train(rank):
    ...     model = lw.nn.parallel.DistributedDataParallel(lw.nn.Linear(1, 1, bias=False))
    ...     with Join([model]):
    ...         for _ in range(1 + rank):
    ...             model.zero_grad()
    ...             model(lw.ones(1, 1)).sum().backward()
    ...     return model.module.weight.grad.item()
    >>> lw.distributed.run_ranks(train, 2)
    [1.0, 0.5]
    """

    def __init__(self, joinables, enable=True, throw_on_early_termination=False, **kwargs):
        if not joinables:
            raise ValueError("The join context manager requires at least one joinable")
        self.joinables, self.enable, self.throws = list(joinables), enable, throw_on_early_termination
        groups = {id(one.join_process_group): one.join_process_group for one in self.joinables}
        if len(groups) > 1:
            raise ValueError("Using join context manager with multiple process groups")
        (self.group,) = groups.values()
        self.active = self.group.size()
        self.hooks = [one.join_hook(joinables=len(self.joinables), **kwargs) for one in self.joinables] if enable else []

    def __enter__(self):
        if self.enable:
            for one in self.joinables:
                one._join = self
        return self

    def __exit__(self, kind, error, trace):
        if not self.enable:
            return
        for one in self.joinables:
            one._join = None
        if kind is not None:
            return                                          # a rank that failed answers nobody
        last = True
        while counted(0, self.group):
            if self.throws:
                counted(1, self.group)
                raise RuntimeError(ENDED)
            last = False
            for hook in self.hooks:
                hook.main_hook()
        for hook in self.hooks:
            hook.post_hook(last)

    def goes_on(self):
        """This rank has one more iteration; so have as many as :attr:`active` says."""
        self.active = counted(1, self.group)
        if self.throws and self.active < self.group.size():
            counted(0, self.group)
            raise RuntimeError(ENDED)

    @staticmethod
    def notify_join_context(joinable):
        """Say that an iteration begins: what a class of one's own calls before it communicates."""
        join = joinable._join
        if join is not None and join.joinables[0] is joinable:
            join.goes_on()
