"""One batch from a dataset: by index, or from its iterator."""
from itertools import islice

from leafward.utils.data._utils.collate import default_collate, stacks_tensors
from leafward.utils.data.dataset import rows_at_once


class MapFetcher:
    """Batches of a dataset with items."""

    def __init__(self, dataset, batched, collate_fn, drop_last):
        self.dataset, self.batched, self.collate_fn = dataset, batched, collate_fn

    def fetch(self, index):
        if not self.batched:
            return self.collate_fn(self.dataset[index])
        if self.collate_fn is default_collate and stacks_tensors():
            batch = rows_at_once(self.dataset, index)
            if batch is not None:
                return batch
        if getattr(self.dataset, "__getitems__", None):
            return self.collate_fn(self.dataset.__getitems__(index))
        return self.collate_fn([self.dataset[i] for i in index])


class IterableFetcher:
    """Batches of what a dataset's iterator gives next; StopIteration when nothing is left."""

    def __init__(self, dataset, batched, collate_fn, drop_last):
        self.items = iter(dataset)
        self.batched, self.collate_fn, self.drop_last = batched, collate_fn, drop_last

    def fetch(self, index):
        if not self.batched:
            return self.collate_fn(next(self.items))
        items = list(islice(self.items, len(index)))
        if not items or (self.drop_last and len(items) < len(index)):
            raise StopIteration
        return self.collate_fn(items)
