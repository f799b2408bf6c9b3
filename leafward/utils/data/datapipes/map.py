"""Pipes whose items have an index."""
import copy
import random

import leafward as lw

from leafward.utils.data.datapipes import iter as iter_pipes
from leafward.utils.data.datapipes._decorator import functional_datapipe
from leafward.utils.data.datapipes.datapipe import DataChunk, IterDataPipe, MapDataPipe

__all__ = ["Batcher", "Concater", "Mapper", "SequenceWrapper", "Shuffler", "Zipper"]


class SequenceWrapper(MapDataPipe):
    """The items of a sequence or of a mapping: of a copy, or of itself (``deepcopy=False``)."""

    def __init__(self, sequence, deepcopy=True):
        self.sequence = copy.deepcopy(sequence) if deepcopy else sequence

    def __getitem__(self, index):
        return self.sequence[index]

    def __len__(self):
        return len(self.sequence)


@functional_datapipe("map")
class Mapper(MapDataPipe):
    """``fn(item)``."""

    def __init__(self, datapipe, fn=lambda item: item):
        self.datapipe, self.fn = datapipe, fn

    def __getitem__(self, index):
        return self.fn(self.datapipe[index])

    def __len__(self):
        return len(self.datapipe)


@functional_datapipe("batch")
class Batcher(MapDataPipe):
    """Lists of ``batch_size`` items; the last may be shorter, or is left out (``drop_last``)."""

    __len__ = iter_pipes.Batcher.__len__

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = datapipe, batch_size, drop_last, wrapper_class

    def __getitem__(self, index):
        if not 0 <= index < len(self):
            raise IndexError(f"Index {index} is out of bound.")
        first = index * self.batch_size
        last = min(first + self.batch_size, len(self.datapipe))
        return self.wrapper_class([self.datapipe[k] for k in range(first, last)])


def check_pipes(datapipes):
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(pipe, MapDataPipe) for pipe in datapipes):
        raise TypeError("Expected all inputs to be `MapDataPipe`")


@functional_datapipe("concat")
class Concater(MapDataPipe):
    """The items of one pipe after those of another."""

    def __init__(self, *datapipes):
        check_pipes(datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index):
        rest = index
        for pipe in self.datapipes:
            if rest < len(pipe):
                return pipe[rest]
            rest -= len(pipe)
        raise IndexError(f"Index {index} is out of range.")

    def __len__(self):
        return sum(len(pipe) for pipe in self.datapipes)


@functional_datapipe("zip")
class Zipper(MapDataPipe):
    """Tuples of an item from each pipe; as many as the shortest has."""

    def __init__(self, *datapipes):
        check_pipes(datapipes)
        self.datapipes = datapipes

    def __getitem__(self, index):
        if index >= len(self):
            raise IndexError(f"Index {index} is out of range for one of the input MapDataPipes {self.datapipes[0]}.")
        return tuple(pipe[index] for pipe in self.datapipes)

    def __len__(self):
        return min(len(pipe) for pipe in self.datapipes)


class Shuffler(IterDataPipe):
    """The items at ``indices`` (all of them) in a random order, read from the front."""

    def __init__(self, datapipe, *, indices=None):
        self.datapipe = datapipe
        self.indices = list(range(len(datapipe))) if indices is None else indices
        self._enabled, self._seed = True, None

    set_shuffle, set_seed = iter_pipes.Shuffler.set_shuffle, iter_pipes.Shuffler.set_seed

    def __iter__(self):
        if not self._enabled:
            yield from (self.datapipe[index] for index in self.indices)
            return
        seed = int(lw.empty((), dtype=lw.int64).random_()) if self._seed is None else self._seed
        self._seed = None
        order = random.Random(seed).sample(self.indices, len(self.indices))
        yield from (self.datapipe[index] for index in reversed(order))

    def __len__(self):
        return len(self.datapipe)


MapDataPipe.register_datapipe_as_function("shuffle", Shuffler)

for _name in __all__:                       # the classes have longer names of their own in PyTorch
    _cls = globals()[_name]
    _cls.__name__ = _cls.__qualname__ = _name + ("MapDataPipe" if issubclass(_cls, MapDataPipe) else "IterDataPipe")
    globals()[_cls.__name__] = _cls
