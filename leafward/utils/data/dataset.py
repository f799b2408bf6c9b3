"""Datasets: what has a length and items, or what can only be read from the front, and ways to combine them."""
import bisect
from itertools import accumulate
from math import floor, isclose

from leafward.errors import warn
from leafward.tensor.random import default_generator


class Dataset:
    """Items by their index: a subclass writes ``__getitem__`` and, for most uses, ``__len__``.

    A ``__getitems__(indices)`` that returns a list is used for a whole batch at once. ``a + b`` is one after the other.
    """

    def __class_getitem__(cls, item):
        return cls                               # Dataset[int] is for type checkers

    def __getitem__(self, index):
        raise NotImplementedError("Subclasses of Dataset should implement __getitem__.")

    def __add__(self, other):
        return ConcatDataset([self, other])


class IterableDataset(Dataset):
    """Items in the order in which ``__iter__`` gives them.

    Each worker of a loader has a copy, and reads all of it: ``get_worker_info()`` says which part is whose.
    """

    def __iter__(self):
        raise NotImplementedError("Subclasses of IterableDataset should implement __iter__.")

    def __add__(self, other):
        return ChainDataset([self, other])


class TensorDataset(Dataset):
    """Item ``i`` is the tuple of the ``i``-th rows of the tensors.

    >>> import leafward as lw
    >>> TensorDataset(lw.arange(3), lw.ones(3))[2]
    (tensor(2), tensor(1.))
    """

    def __init__(self, *tensors):
        if any(tensors[0].size(0) != tensor.size(0) for tensor in tensors):
            raise AssertionError("Size mismatch between tensors")
        self.tensors = tensors

    def __getitem__(self, index):
        return tuple(tensor[index] for tensor in self.tensors)

    def __len__(self):
        return self.tensors[0].size(0)


class StackDataset(Dataset):
    """Item ``i`` is the tuple, or the dict, of the ``i``-th items of datasets of one length."""

    def __init__(self, *args, **kwargs):
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

    def __getitem__(self, index):
        if isinstance(self.datasets, dict):
            return {name: dataset[index] for name, dataset in self.datasets.items()}
        return tuple(dataset[index] for dataset in self.datasets)

    def __getitems__(self, indices):
        if isinstance(self.datasets, dict):
            columns = {name: items_of(dataset, indices) for name, dataset in self.datasets.items()}
            return [dict(zip(columns, row)) for row in zip(*columns.values())]
        return list(zip(*(items_of(dataset, indices) for dataset in self.datasets)))

    def __len__(self):
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


class ConcatDataset(Dataset):
    """Datasets, one after the other."""

    @staticmethod
    def cumsum(sequence):
        """The lengths of the datasets, added up."""
        return list(accumulate(map(len, sequence)))

    def __init__(self, datasets):
        self.datasets = list(datasets)
        if not self.datasets:
            raise AssertionError("datasets should not be an empty iterable")
        if any(isinstance(dataset, IterableDataset) for dataset in self.datasets):
            raise AssertionError("ConcatDataset does not support IterableDataset")
        self.cumulative_sizes = self.cumsum(self.datasets)

    def __len__(self):
        return self.cumulative_sizes[-1]

    def __getitem__(self, idx):
        if idx < 0:
            if -idx > len(self):
                raise ValueError("absolute value of index should not exceed dataset length")
            idx += len(self)
        position = bisect.bisect_right(self.cumulative_sizes, idx)
        return self.datasets[position][idx - self.cumulative_sizes[position - 1] if position else idx]

    @property
    def cummulative_sizes(self):
        """``cumulative_sizes``, under the name that it once had."""
        warn("`cummulative_sizes` attribute is renamed to `cumulative_sizes`", FutureWarning)
        return self.cumulative_sizes


class ChainDataset(IterableDataset):
    """Iterable datasets, one after the other."""

    def __init__(self, datasets):
        self.datasets = datasets

    def __iter__(self):
        for dataset in self.datasets:
            check_iterable(dataset)
            yield from dataset

    def __len__(self):
        for dataset in self.datasets:
            check_iterable(dataset)
        return sum(map(len, self.datasets))


def check_iterable(dataset):
    if not isinstance(dataset, IterableDataset):
        raise AssertionError("ChainDataset only supports IterableDataset")


class Subset(Dataset):
    """The items of ``dataset`` at ``indices``."""

    def __init__(self, dataset, indices):
        self.dataset, self.indices = dataset, indices

    def __getitem__(self, idx):
        if isinstance(idx, list):
            return self.dataset[[self.indices[i] for i in idx]]
        return self.dataset[self.indices[idx]]

    def __getitems__(self, indices):
        at_once = getattr(self.dataset, "__getitems__", None)
        if callable(at_once):
            return at_once([self.indices[i] for i in indices])
        return [self.dataset[self.indices[i]] for i in indices]

    def __len__(self):
        return len(self.indices)


def random_split(dataset, lengths, generator=default_generator):
    """Subsets of these lengths, or of these fractions of the whole, that together are ``dataset`` in a random order.

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
