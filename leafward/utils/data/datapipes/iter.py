"""Pipes that are read from the front."""
import copy
import random

import leafward as lw

from leafward.utils.data._utils.collate import default_collate
from leafward.utils.data.datapipes._decorator import functional_datapipe
from leafward.utils.data.datapipes.datapipe import DataChunk, IterDataPipe

__all__ = ["Batcher", "Collator", "Concater", "Filter", "IterableWrapper", "Mapper", "Shuffler", "UnBatcher", "Zipper"]


class IterableWrapper(IterDataPipe):
    """The items of ``iterable``: of a copy, so that reading leaves it as it is."""

    def __init__(self, iterable, deepcopy=True):
        self.iterable, self.deepcopy = iterable, deepcopy

    def __iter__(self):
        yield from copy.deepcopy(self.iterable) if self.deepcopy else self.iterable

    def __len__(self):
        return len(self.iterable)


class Following(IterDataPipe):
    """A pipe with as many items as the one before it."""

    def __init__(self, datapipe):
        self.datapipe = datapipe

    def __len__(self):
        return len(self.datapipe)


@functional_datapipe("map")
class Mapper(Following):
    """``fn(item)``; with ``input_col`` of those fields alone, the result in ``output_col``, or in their place."""

    def __init__(self, datapipe, fn, input_col=None, output_col=None):
        super().__init__(datapipe)
        if input_col is None and output_col is not None:
            raise ValueError("`output_col` must be None when `input_col` is None.")
        self.fn, self.input_col = fn, input_col
        if isinstance(output_col, (list, tuple)):
            if len(output_col) > 1:
                raise ValueError("`output_col` must be a single-element list or tuple")
            output_col = output_col[0]
        self.output_col = output_col

    def __iter__(self):
        for item in self.datapipe:
            yield self.fn(item) if self.input_col is None else self.placed(item)

    def placed(self, item):
        several = isinstance(self.input_col, (list, tuple))
        fields = self.input_col if several else [self.input_col]
        result = self.fn(*[item[field] for field in fields])
        changed = item.copy() if isinstance(item, dict) else list(item)
        if self.output_col is None:
            changed[fields[0]] = result
            for field in sorted(fields[1:], reverse=True):
                del changed[field]
        elif self.output_col == -1:
            changed.append(result)
        else:
            changed[self.output_col] = result
        return tuple(changed) if isinstance(item, tuple) else changed


@functional_datapipe("collate")
class Collator(Mapper):
    """``collate_fn(item)``: each item is a list that becomes a batch."""

    def __init__(self, datapipe, conversion=default_collate, collate_fn=None):
        super().__init__(datapipe, collate_fn or conversion)


@functional_datapipe("filter")
class Filter(IterDataPipe):
    """The items for which ``filter_fn`` is True, asked of the whole item or of ``input_col``."""

    def __init__(self, datapipe, filter_fn, input_col=None):
        self.datapipe, self.filter_fn, self.input_col = datapipe, filter_fn, input_col

    def __iter__(self):
        column = self.input_col
        for item in self.datapipe:
            given = [item] if column is None else [item[k] for k in column] if isinstance(column, (list, tuple)) else [
                item[column]]
            kept = self.filter_fn(*given)
            if not isinstance(kept, bool):
                raise ValueError(f"Boolean output is required for `filter_fn` of FilterIterDataPipe, got {type(kept)}")
            if kept:
                yield item


@functional_datapipe("batch")
class Batcher(IterDataPipe):
    """Lists of ``batch_size`` items; the last may be shorter, or is left out (``drop_last``)."""

    def __init__(self, datapipe, batch_size, drop_last=False, wrapper_class=DataChunk):
        if batch_size <= 0:
            raise AssertionError("Batch size is required to be larger than 0!")
        self.datapipe, self.batch_size, self.drop_last, self.wrapper_class = datapipe, batch_size, drop_last, wrapper_class

    def __iter__(self):
        batch = []
        for item in self.datapipe:
            batch.append(item)
            if len(batch) == self.batch_size:
                yield self.wrapper_class(batch)
                batch = []
        if batch and not self.drop_last:
            yield self.wrapper_class(batch)

    def __len__(self):
        full, rest = divmod(len(self.datapipe), self.batch_size)
        return full if self.drop_last or not rest else full + 1


@functional_datapipe("unbatch")
class UnBatcher(IterDataPipe):
    """The items of batches, ``unbatch_level`` deep; -1: down to what is no list."""

    def __init__(self, datapipe, unbatch_level=1):
        self.datapipe, self.unbatch_level = datapipe, unbatch_level

    def __iter__(self):
        for item in self.datapipe:
            yield from self.opened(item, self.unbatch_level)

    def opened(self, item, level):
        if level < -1:
            raise ValueError("unbatch_level must be -1 or >= 0")
        if level == 0 or (level == -1 and not isinstance(item, (list, DataChunk))):
            yield item
        elif isinstance(item, (list, DataChunk)):
            for part in item:
                yield from self.opened(part, level if level == -1 else level - 1)
        else:
            raise IndexError(f"unbatch_level {self.unbatch_level} exceeds the depth of the DataPipe")


def check_pipes(datapipes, refusal):
    if not datapipes:
        raise ValueError("Expected at least one DataPipe, but got nothing")
    if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
        raise TypeError(refusal)


@functional_datapipe("concat")
class Concater(IterDataPipe):
    """The items of one pipe after those of another."""

    def __init__(self, *datapipes):
        check_pipes(datapipes, "Expected all inputs to be `IterDataPipe`")
        self.datapipes = datapipes

    def __iter__(self):
        for pipe in self.datapipes:
            yield from pipe

    def __len__(self):
        return sum(len(pipe) for pipe in self.datapipes)


@functional_datapipe("zip")
class Zipper(IterDataPipe):
    """Tuples of an item from each pipe, as long as all have one."""

    def __init__(self, *datapipes):
        if not all(isinstance(pipe, IterDataPipe) for pipe in datapipes):
            raise TypeError("All inputs are required to be `IterDataPipe` for `ZipIterDataPipe`.")
        self.datapipes = datapipes

    def __iter__(self):
        yield from zip(*self.datapipes, strict=False)

    def __len__(self):
        return min(len(pipe) for pipe in self.datapipes)


@functional_datapipe("shuffle")
class Shuffler(Following):
    """A random order: each item is drawn from the ``buffer_size`` that come next."""

    def __init__(self, datapipe, *, buffer_size=10000, unbatch_level=0):
        if buffer_size <= 0:
            raise AssertionError("buffer_size should be larger than 0")
        super().__init__(datapipe if unbatch_level == 0 else datapipe.unbatch(unbatch_level=unbatch_level))
        self.buffer_size, self._enabled, self._seed = buffer_size, True, None

    def set_shuffle(self, shuffle=True):
        """Whether to shuffle at all."""
        self._enabled = shuffle
        return self

    def set_seed(self, seed):
        """The seed of the next order; without one it is drawn."""
        self._seed = seed
        return self

    def __iter__(self):
        if not self._enabled:
            yield from self.datapipe
            return
        seed = int(lw.empty((), dtype=lw.int64).random_()) if self._seed is None else self._seed
        self._seed, chance, buffer = None, random.Random(seed), []
        for item in self.datapipe:
            if len(buffer) == self.buffer_size:
                position = chance.randint(0, len(buffer) - 1)
                drawn, buffer[position] = buffer[position], item
                yield drawn
            else:
                buffer.append(item)
        while buffer:
            yield buffer.pop(chance.randint(0, len(buffer) - 1))


for _name in __all__:                       # the classes have longer names of their own in PyTorch
    _cls = globals()[_name]
    _cls.__name__ = _cls.__qualname__ = f"{_name}IterDataPipe"
    globals()[_cls.__name__] = _cls
