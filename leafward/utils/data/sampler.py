"""Samplers: the order in which a loader asks for items, by their indices."""
from __future__ import annotations

from itertools import islice
from typing import Any, Generic, TYPE_CHECKING, TypeVar

import leafward as lw

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence, Sized
    from leafward.tensor.random import Generator
    from leafward.tensor.tensor import Tensor

T_co = TypeVar("T_co", covariant=True)


class Sampler(Generic[T_co]):
    """An iterable of indices, or of lists of them: a subclass writes ``__iter__`` and, for most uses, ``__len__``.

    data_source: not used, and deprecated

    >>> class Backward(Sampler):
    ...     def __iter__(self):
    ...         return iter([2, 1, 0])
    >>> list(lw.utils.data.DataLoader("abc", sampler=Backward()))
    [['c'], ['b'], ['a']]
    """

    def __init__(self, data_source: Sized | None = None) -> None:
        pass

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError(f"{type(self).__name__} does not define __iter__(): a subclass of Sampler yields indices")


def check_positive(name, value):
    if not isinstance(value, int) or isinstance(value, bool) or value <= 0:
        raise ValueError(f"{name} should be a positive integer value, but got {name}={value}")


class SequentialSampler(Sampler[int]):
    """0, 1, 2, ...

    data_source: what has the length

    >>> list(SequentialSampler("abc"))
    [0, 1, 2]
    """

    def __init__(self, data_source: Sized) -> None:
        self.data_source = data_source

    def __iter__(self) -> Iterator[int]:
        return iter(range(len(self.data_source)))

    def __len__(self) -> int:
        return len(self.data_source)


class RandomSampler(Sampler[int]):
    """All indices in a random order, again and again up to ``num_samples``; with ``replacement``, each one anew.

    data_source: what has the length
    replacement: whether an index may come again before all others came
    num_samples: how many are drawn; None: the length
    generator: what draws them; None: each iteration seeds one of its own from the default generator

    >>> sorted(RandomSampler("abc"))
    [0, 1, 2]
    """

    #: How many are drawn at a time with replacement; PyTorch's numbers depend on it.
    CHUNK = 32

    def __init__(self, data_source: Sized, replacement: bool = False, num_samples: int | None = None,
                 generator: Generator | None = None) -> None:
        self.data_source, self.replacement = data_source, replacement
        self._num_samples, self.generator = num_samples, generator
        if not isinstance(replacement, bool):
            raise TypeError(f"replacement should be a boolean value, but got replacement={replacement}")
        check_positive("num_samples", self.num_samples)

    @property
    def num_samples(self) -> int:
        """How many indices an iteration gives: as many as there are, if nothing else was said."""
        return len(self.data_source) if self._num_samples is None else self._num_samples

    def __iter__(self) -> Iterator[int]:
        generator, given = self.generator, self.generator is not None
        if not given:
            generator = lw.Generator().manual_seed(int(lw.empty((), dtype=lw.int64).random_().item()))
        n, size = len(self.data_source), self.CHUNK if self.replacement else len(self.data_source)
        rounds, rest = divmod(self.num_samples, size)
        for i in range(rounds + 1):
            # The last round is drawn even if nothing of it is wanted, as in PyTorch, where a given generator feels it.
            count = size if i < rounds else rest
            if count == 0 and not given:
                return
            if self.replacement:
                yield from lw.randint(high=n, size=(count,), dtype=lw.int64, generator=generator).tolist()
            else:
                yield from lw.randperm(n, generator=generator).tolist()[:count]

    def __len__(self) -> int:
        return self.num_samples


class SubsetRandomSampler(Sampler[int]):
    """The given indices in a random order.

    indices: a sequence
    generator: what draws the order; None: the default generator

    >>> sorted(SubsetRandomSampler([4, 2, 7]))
    [2, 4, 7]
    """

    def __init__(self, indices: Sequence[int], generator: Generator | None = None) -> None:
        self.indices, self.generator = indices, generator

    def __iter__(self) -> Iterator[int]:
        for i in lw.randperm(len(self.indices), generator=self.generator).tolist():
            yield self.indices[i]

    def __len__(self) -> int:
        return len(self.indices)


class WeightedRandomSampler(Sampler[int]):
    """``num_samples`` indices, each with a probability in proportion to its weight.

    weights: one per index, not negative; they needn't add up to 1
    num_samples: how many are drawn
    replacement: whether an index may come again
    generator: what draws them; None: the default generator

    >>> list(WeightedRandomSampler([0.0, 1.0], num_samples=3))
    [1, 1, 1]
    """

    def __init__(self, weights: Sequence[float] | Tensor, num_samples: int, replacement: bool = True,
                 generator: Generator | None = None) -> None:
        check_positive("num_samples", num_samples)
        if not isinstance(replacement, bool):
            raise ValueError(f"replacement should be a boolean value, but got replacement={replacement}")
        weights = lw.as_tensor(weights, dtype=lw.double)
        if weights.dim() != 1:
            raise ValueError("weights should be a 1d sequence but given weights have shape "
                             f"{tuple(weights.shape)}")
        self.weights, self.num_samples, self.replacement, self.generator = weights, num_samples, replacement, generator

    def __iter__(self) -> Iterator[int]:
        yield from lw.multinomial(self.weights, self.num_samples, self.replacement, generator=self.generator).tolist()

    def __len__(self) -> int:
        return self.num_samples


class BatchSampler(Sampler[list[int]]):
    """Lists of ``batch_size`` of another sampler's indices.

    sampler: an iterable of indices
    batch_size: how many make a list
    drop_last: whether a last list that would be shorter is left out

    >>> list(BatchSampler(range(5), batch_size=2, drop_last=False))
    [[0, 1], [2, 3], [4]]
    """

    def __init__(self, sampler: Iterable[Any], batch_size: int, drop_last: bool) -> None:
        check_positive("batch_size", batch_size)
        if not isinstance(drop_last, bool):
            raise ValueError(f"drop_last should be a boolean value, but got drop_last={drop_last}")
        self.sampler, self.batch_size, self.drop_last = sampler, batch_size, drop_last

    def __iter__(self) -> Iterator[list[int]]:
        indices = iter(self.sampler)
        while batch := list(islice(indices, self.batch_size)):
            if len(batch) < self.batch_size and self.drop_last:
                return
            yield batch

    def __len__(self) -> int:
        count = len(self.sampler)
        return count // self.batch_size if self.drop_last else -(-count // self.batch_size)
