"""Datasets: what has a length and items, or what can only be read from the front, and ways to combine them."""
from __future__ import annotations

import bisect
from itertools import accumulate
from math import floor, isclose
from typing import Any, Generic, TYPE_CHECKING, TypeVar

from leafward.errors import warn
from leafward.tensor.constructors import as_tensor
from leafward.tensor.random import default_generator
from leafward.tensor.tensor import Tensor

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from leafward.tensor.random import Generator

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class Dataset(Generic[T_co]):
    """Items by their index: a subclass writes ``__getitem__`` and, for most uses, ``__len__``.

    A ``__getitems__(indices)`` that returns a list is used for a whole batch at once. ``a + b`` is one after the other.

    >>> class Squares(Dataset):
    ...     def __len__(self):
    ...         return 4
    ...     def __getitem__(self, index):
    ...         return index ** 2
    >>> Squares()[3]
    9
    """

    def __getitem__(self, index: Any) -> T_co:
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other: Dataset[T_co]) -> ConcatDataset[T_co]:
        return ConcatDataset([self, other])


class IterableDataset(Dataset[T_co]):
    """Items in the order in which ``__iter__`` gives them.

    Each worker of a loader has a copy, and reads all of it: ``get_worker_info()`` says which part is whose.

    >>> class Countdown(IterableDataset):
    ...     def __iter__(self):
    ...         return iter([3, 2, 1])
    >>> list(lw.utils.data.DataLoader(Countdown(), batch_size=2))
    [tensor([3, 2]), tensor([1])]
    """

    def __iter__(self) -> Iterator[T_co]:
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other: Dataset[T_co]) -> ChainDataset:  # type: ignore[override]
        return ChainDataset([self, other])


class TensorDataset(Dataset[tuple["Tensor", ...]]):
    """Item ``i`` is the tuple of the ``i``-th rows of the tensors, which are of one length.

    >>> import leafward as lw
    >>> TensorDataset(lw.arange(3), lw.ones(3))[2]
    (tensor(2), tensor(1.))
    """

    def __init__(self, *tensors: Tensor) -> None:
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index: Any) -> tuple[Tensor, ...]:
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self) -> int:
        return self.tensors[0].size(0)


def rows_at_once(dataset, indices):
    """What stacking the items of a :class:`TensorDataset`, or of a :class:`Subset` of one, would give: a gather per tensor.

    None where the items have to be asked one by one: a class of the user's own, a history to keep, indices of any other kind.
    """
    kind = type(dataset)
    if kind is Subset:
        if type(dataset.indices) is list and whole(indices, len(dataset.indices)):
            return rows_at_once(dataset.dataset, [dataset.indices[i] for i in indices])
        return None
    if kind is not TensorDataset or not all(has_plain_rows(tensor) for tensor in dataset.tensors):
        return None
    if not whole(indices, min(map(len, dataset.tensors))):
        return None
    places = as_tensor(indices)
    return [tensor.index_select(0, places) for tensor in dataset.tensors]


def whole(indices, length):
    """Whether indices are ordinary ones, counted from the front."""
    return type(indices) is list and bool(indices) and set(map(type, indices)) == {int} and (
        min(indices) >= 0 and max(indices) < length)


def has_plain_rows(tensor):
    return type(tensor) is Tensor and not tensor.requires_grad and tensor.is_contiguous()


class StackDataset(Dataset):
    """Item ``i`` is the tuple, or by keywords the dict, of the ``i``-th items of datasets of one length.

    >>> StackDataset(image="ab", label=[0, 1])[1]
    {'image': 'b', 'label': 1}
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        if args and kwargs:
            raise ValueError("Supported either ``tuple``- (via ``args``) or``dict``- (via ``kwargs``) like "
                             "input/output, but both types are given.")
        if not (args or kwargs):
            raise ValueError("At least one dataset should be passed")
        self.datasets = args or kwargs
        parts = list(args or kwargs.values())
        self._length = len(parts[0])
        if any(len(part) != self._length for part in parts):
            raise ValueError("Size mismatch between datasets")

    def __getitem__(self, index: Any) -> Any:
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices):
        if isinstance(self.datasets, dict):
            columns = {name: items_of(dataset, indices) for name, dataset in self.datasets.items()}
            return [dict(zip(columns, row)) for row in zip(*columns.values())]
        return list(zip(*(items_of(dataset, indices) for dataset in self.datasets)))

    def __len__(self) -> int:
        return self._length


def items_of(dataset, indices):
    """The items at ``indices``, all at once if ``dataset`` can do that."""
    at_once = getattr(dataset, "__getitems__", None)
    if at_once is None:
        return [dataset[index] for index in indices]
    items = at_once(indices)
    if len(items) != len(indices):
        raise ValueError(f"Nested dataset's output size mismatch. Expected {len(indices)}, got {len(items)}")
    return items


class ConcatDataset(Dataset[T_co]):
    """Datasets, one after the other.

    datasets: an iterable of them, each with a length

    >>> ConcatDataset([range(3), range(10, 12)])[3]
    10
    """

    @staticmethod
    def cumsum(sequence: Any) -> list[int]:
        """The lengths of the datasets, added up."""
        return list(accumulate(map(len, sequence)))

    def __init__(self, datasets: Iterable[Dataset[T_co]]) -> None:
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self) -> int:
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx: Any) -> T_co:
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        position = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[position][idx - self.cumulative_sizes[position - 1] if position else idx]

    @property
    def cummulative_sizes(self) -> list[int]:
        """``cumulative_sizes``, under the name that it once had."""
        warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable datasets, one after the other.

    datasets: an iterable of :class:`IterableDataset`

    >>> pipes = [lw.utils.data.datapipes.iter.IterableWrapper(range(2))] * 2
    >>> list(ChainDataset(pipes))
    [0, 1, 0, 1]
    """

    def __init__(self, datasets: Iterable[Any]) -> None:
        self.datasets = datasets

    def __iter__(self) -> Iterator[Any]:
        for dataset in self.datasets:
            check_iterable(dataset)
            yield from dataset

    def __len__(self) -> int:
        for dataset in self.datasets:
            check_iterable(dataset)
        return sum(map(len, self.datasets))


def check_iterable(dataset):
    if not isinstance(dataset, IterableDataset):
        raise AssertionError("ChainDataset only supports IterableDataset")


class Subset(Dataset[T_co]):
    """The items of ``dataset`` at ``indices``.

    dataset: whose items
    indices: a sequence of indices into it

    >>> Subset("abcd", [2, 0])[0]
    'c'
    """

    def __init__(self, dataset: Dataset[T_co], indices: Sequence[int]) -> None:
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx: Any) -> T_co:
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        at_once = getattr(self.dataset, "__getitems__", None)
        if callable(at_once):
            return at_once([self.indices[i] for i in indices])
        return [self.dataset[self.indices[i]] for i in indices]

    def __len__(self) -> int:
        return len(self.indices)


def random_split(dataset: Dataset[T], lengths: Sequence[int | float],
                 generator: Generator | None = default_generator) -> list[Subset[T]]:
    """Subsets of these lengths, or of these fractions of the whole, that together are ``dataset`` in a random order.

    dataset: whose items
    lengths: whole numbers that add up to its length, or fractions that add up to 1
    generator: what draws the order; the default generator

    >>> import leafward as lw
    >>> parts = random_split(range(10), [0.3, 0.7], generator=lw.Generator().manual_seed(42))
    >>> [list(part) for part in parts]
    [[2, 6, 1], [8, 4, 5, 0, 9, 3, 7]]
    """
    from leafward import randperm
    if isclose(sum(lengths), 1) and sum(lengths) <= 1:
        lengths = lengths_of_fractions(len(dataset), lengths)
    if sum(lengths) != len(dataset):
        raise ValueError("Sum of input lengths does not equal the length of the input dataset!")
    indices = randperm(sum(lengths), generator=generator).tolist()
    return [Subset(dataset, indices[end - length:end]) for end, length in zip(accumulate(lengths), lengths)]


def lengths_of_fractions(total, fractions):
    """Each rounded down; what is left over goes to the first ones, one by one."""
    for position, fraction in enumerate(fractions):
        if fraction < 0 or fraction > 1:
            raise ValueError(f"Fraction at index {position} is not between 0 and 1")
    lengths = [floor(total * fraction) for fraction in fractions]
    for position in range(total - sum(lengths)):
        lengths[position % len(lengths)] += 1
    for position, length in enumerate(lengths):
        if length == 0:
            warn(f"Length of split at index {position} is 0. This might result in an empty dataset.")
    return lengths
