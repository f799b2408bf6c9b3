"""``DataLoader``: batches of a dataset in the order of a sampler, made here or in worker processes."""
from __future__ import annotations

import multiprocessing
import os
from itertools import repeat
from typing import Any, Generic, TYPE_CHECKING, TypeVar

from leafward.core.tracebacks import short
from leafward.errors import warn
from leafward.utils.data._utils.collate import default_collate, default_convert
from leafward.utils.data._utils.iterators import _BaseDataLoaderIter, _SingleProcessDataLoaderIter  # noqa: F401
from leafward.utils.data.dataset import IterableDataset
from leafward.utils.data.sampler import BatchSampler, RandomSampler, SequentialSampler

if TYPE_CHECKING:
    from leafward.utils.data.dataset import Dataset
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from leafward.tensor.random import Generator

T_co = TypeVar("T_co", covariant=True)


class _DatasetKind:
    """How a dataset is read: by index, or from the front."""

    Map, Iterable = 0, 1


class _InfiniteConstantSampler:
    """None, for ever: an iterable dataset decides itself what comes next."""

    def __iter__(self):
        return repeat(None)


def check_exclusive(batch_sampler, batch_size, shuffle, sampler, drop_last):
    if sampler is not None and shuffle:
        raise ValueError("sampler option is mutually exclusive with shuffle")
    if batch_sampler is not None and (batch_size != 1 or shuffle or sampler is not None or drop_last):
        raise ValueError("batch_sampler option is mutually exclusive with batch_size, shuffle, sampler, and drop_last")
    if batch_sampler is None and batch_size is None and drop_last:
        raise ValueError("batch_size=None option disables auto-batching and is mutually exclusive with drop_last")


def check_workers(num_workers, timeout, prefetch_factor, persistent_workers):
    if num_workers < 0:
        raise ValueError("num_workers option should be non-negative; use num_workers=0 to disable multiprocessing.")
    if timeout < 0:
        raise ValueError("timeout option should be non-negative")
    if num_workers == 0 and prefetch_factor is not None:
        raise ValueError("prefetch_factor option could only be specified in multiprocessing.let num_workers > 0 to "
                         "enable multiprocessing, otherwise set prefetch_factor to None.")
    if prefetch_factor is not None and prefetch_factor < 0:
        raise ValueError("prefetch_factor option should be non-negative")
    if persistent_workers and num_workers == 0:
        raise ValueError("persistent_workers option needs num_workers > 0")
    available = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or num_workers
    if num_workers > available:
        warn(
            f"This DataLoader will create {num_workers} worker processes in total. Our suggested max number of worker "
            f"in current system is {available}, which is smaller than what this DataLoader is going to create. Please "
            "be aware that excessive worker creation might get DataLoader running slow or even freeze, lower the "
            "worker number to avoid potential slowness/freeze if necessary.")


def check_iterable(shuffle, sampler, batch_sampler):
    for name, value in (("shuffle", shuffle or None), ("sampler", sampler), ("batch_sampler", batch_sampler)):
        if value is not None:
            raise ValueError(f"DataLoader with IterableDataset: expected unspecified {name} option, but got "
                             f"{name}={value}")


class DataLoader(Generic[T_co]):
    """Batches of ``dataset``: an iterable, each pass through which is an epoch.

    dataset: items by index (:class:`Dataset`, or any sequence) or in their own order (:class:`IterableDataset`)
    batch_size: items in a batch; None: single items, not made a batch
    shuffle: whether each epoch has a new random order; None: no
    sampler: which indices in which order, in place of ``shuffle``; None: all, as ``shuffle`` says
    batch_sampler: lists of indices, in place of ``batch_size``, ``shuffle``, ``sampler`` and ``drop_last``; None: made of them
    num_workers: processes that make the batches; 0: this one does
    collate_fn: makes a batch of a list of items; None: :func:`default_collate`, which stacks them
    pin_memory: accepted, without effect: PyTorch speeds up copies to a GPU by it
    drop_last: whether a last batch that would be shorter is left out
    timeout: seconds to wait for a worker's batch; 0: as long as it takes
    worker_init_fn: called with its number in each worker, after seeding; None: nothing is
    multiprocessing_context: how workers start, a name or a context; None: the default
    generator: of the random order and of the workers' seeds; None: the default one
    prefetch_factor: batches that each worker makes ahead; None: 2 with workers
    persistent_workers: whether workers live on for the next epoch
    pin_memory_device: accepted, as ``pin_memory``
    in_order: whether batches of workers come in the order of the sampler rather than as they are ready

    >>> import leafward as lw
    >>> loader = DataLoader(range(5), batch_size=2)
    >>> list(loader)
    [tensor([0, 1]), tensor([2, 3]), tensor([4])]
    """

    #: Fixed once the loader is made, since samplers and workers know them.
    FIXED = ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset", "persistent_workers")
    _iterator = None
    _made = False

    def __init__(self, dataset: Dataset[T_co], batch_size: int | None = 1, shuffle: bool | None = None,
                 sampler: Iterable[Any] | None = None, batch_sampler: Iterable[Sequence[Any]] | None = None,
                 num_workers: int = 0, collate_fn: Callable[[list[Any]], Any] | None = None, pin_memory: bool = False,
                 drop_last: bool = False, timeout: float = 0, worker_init_fn: Callable[[int], None] | None = None,
                 multiprocessing_context: Any = None, generator: Generator | None = None, *, prefetch_factor: int | None = None,
                 persistent_workers: bool = False, pin_memory_device: str = "", in_order: bool = True) -> None:
        check_workers(num_workers, timeout, prefetch_factor, persistent_workers)
        self._is_iterable = isinstance(dataset, IterableDataset)
        if self._is_iterable:
            check_iterable(shuffle, sampler, batch_sampler)
        check_exclusive(batch_sampler, batch_size, shuffle, sampler, drop_last)
        if num_workers > 0 and prefetch_factor is None:
            prefetch_factor = 2
        if batch_sampler is not None:
            batch_size, drop_last = None, False
        if sampler is None:
            if self._is_iterable:
                sampler = _InfiniteConstantSampler()
            elif shuffle:
                sampler = RandomSampler(dataset, generator=generator)
            else:
                sampler = SequentialSampler(dataset)
        if batch_size is not None:
            batch_sampler = BatchSampler(sampler, batch_size, drop_last)
        self.dataset, self.num_workers, self.prefetch_factor = dataset, num_workers, prefetch_factor
        self.pin_memory, self.pin_memory_device = pin_memory, pin_memory_device
        self.timeout, self.worker_init_fn, self.in_order = timeout, worker_init_fn, in_order
        self.multiprocessing_context = multiprocessing_context
        self.batch_size, self.drop_last, self.generator = batch_size, drop_last, generator
        self.sampler, self.batch_sampler, self.persistent_workers = sampler, batch_sampler, persistent_workers
        self.collate_fn = collate_fn or (default_collate if self._auto_collation else default_convert)
        self._told_length = None                 # what len() said of an iterable dataset, which may not hold
        self._made = True

    @property
    def _dataset_kind(self):
        return _DatasetKind.Iterable if self._is_iterable else _DatasetKind.Map

    @property
    def _auto_collation(self):
        return self.batch_sampler is not None

    @property
    def _index_sampler(self):
        return self.batch_sampler if self._auto_collation else self.sampler

    @property
    def multiprocessing_context(self) -> Any:
        """How the workers start: a context of ``multiprocessing``; None for the default."""
        return self._context

    @multiprocessing_context.setter
    def multiprocessing_context(self, context: Any) -> None:
        if context is not None:
            if self.num_workers == 0:
                raise ValueError("multiprocessing_context can only be used with multi-process loading (num_workers > "
                                 f"0), but got num_workers={self.num_workers}")
            if isinstance(context, str):
                methods = multiprocessing.get_all_start_methods()
                if context not in methods:
                    raise ValueError("multiprocessing_context option should specify a valid start method in "
                                     f"{methods!r}, but got multiprocessing_context={context!r}")
                context = multiprocessing.get_context(context)
            if not isinstance(context, multiprocessing.context.BaseContext):
                raise TypeError("multiprocessing_context option should be a valid context object or a string "
                                f"specifying the start method, but got multiprocessing_context={context}")
        self._context = context

    def __setattr__(self, name, value):
        if self._made and name in self.FIXED:
            raise ValueError(f"{name} attribute should not be set after {type(self).__name__} is initialized")
        super().__setattr__(name, value)

    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "_iterator"}

    @short
    def __iter__(self) -> Iterator[Any]:
        if not (self.persistent_workers and self.num_workers):
            return self._get_iterator()
        if self._iterator is None or not self._iterator._workers:
            self._iterator = self._get_iterator()
        else:
            self._iterator._reset(self)
        return self._iterator

    def _get_iterator(self):
        if self.num_workers == 0:
            return _SingleProcessDataLoaderIter(self)
        from leafward.utils.data._utils.parallel import _MultiProcessingDataLoaderIter
        return _MultiProcessingDataLoaderIter(self)

    def __len__(self) -> int:
        """How many batches an epoch has."""
        if not self._is_iterable:
            return len(self._index_sampler)
        length = self._told_length = len(self.dataset)
        if self.batch_size is None:
            return length
        return length // self.batch_size if self.drop_last else -(-length // self.batch_size)


def __getattr__(name):
    if name == "_MultiProcessingDataLoaderIter":
        from leafward.utils.data._utils.parallel import _MultiProcessingDataLoaderIter
        return _MultiProcessingDataLoaderIter
    raise AttributeError(f"module 'torch.utils.data.dataloader' has no attribute '{name}' in leafward")
