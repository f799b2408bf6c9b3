"""One epoch of a ``DataLoader``, in the process that asks for it."""
import leafward as lw

from leafward.core.tracebacks import leave
from leafward.errors import warn
from leafward.utils.data._utils.fetch import IterableFetcher, MapFetcher


class _BaseDataLoaderIter:
    """One epoch, or with persistent workers several: ``_next_data`` says where the next batch comes from."""

    def __init__(self, loader):
        self._loader = loader
        self._base_seed = lw.empty((), dtype=lw.int64).random_(generator=loader.generator).item()
        if loader.pin_memory:
            warn("'pin_memory' argument is set as true but no accelerator is found, then device pinned memory "
                 "won't be used.")

    def _reset(self, loader):
        """Begin an epoch."""
        self._indices = iter(loader._index_sampler)
        self._yielded = 0
        self._told_length = loader._told_length

    def __iter__(self):
        return self

    def __len__(self):
        return len(self._loader._index_sampler)

    def __next__(self):
        try:
            data = self._next_data()
        except Exception as error:
            leave(error)
            raise
        self._yielded += 1
        if self._told_length is not None and self._yielded > self._told_length:
            warn(
                f"Length of IterableDataset {self._loader.dataset} was reported to be {self._told_length}(when "
                f"accessing len(dataloader)), but {self._yielded} samples have been fetched. " + self.TOO_LONG)
        return data

    TOO_LONG = ""


class _SingleProcessDataLoaderIter(_BaseDataLoaderIter):
    """Makes each batch when it is asked for."""

    def __init__(self, loader):
        super().__init__(loader)
        if loader.timeout != 0:
            raise AssertionError("_SingleProcessDataLoaderIter requires timeout == 0")
        kind = IterableFetcher if loader._is_iterable else MapFetcher
        self._fetcher = kind(loader.dataset, loader._auto_collation, loader.collate_fn, loader.drop_last)
        self._reset(loader)

    def _next_data(self):
        return self._fetcher.fetch(next(self._indices))
