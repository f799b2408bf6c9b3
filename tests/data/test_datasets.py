"""Datasets, samplers, collating and the loader's arguments: the same on either side, draw by draw and word for word."""
import collections

import numpy as np
import pytest

import leafward as lw
import leafward.utils.data
from tests.both import assert_told_alike, tried

Point = collections.namedtuple("Point", "a b")


def assert_alike(scenario):
    """``scenario(t, t.utils.data)`` gives, raises, warns and draws the same."""
    assert_told_alike(lambda t: tried(scenario, t, t.utils.data))


class Squares:
    def __getitem__(self, i):
        return i * i

    def __len__(self):
        return 10


def stream(d, count=10, length=None):
    class Stream(d.IterableDataset):
        def __iter__(self):
            return iter(range(count))

        def __repr__(self):
            return "Stream"

    if length is not None:
        Stream.__len__ = lambda self: length
    return Stream()


def rows(t, d):
    return d.TensorDataset(t.arange(10), t.linspace(0, 1, 10))


def epochs(loader, count=2):
    return [list(loader) for _ in range(count)]


ORDERS = {
    "in order": lambda t, d: epochs(d.DataLoader(rows(t, d), batch_size=3)),
    "shuffled": lambda t, d: epochs(d.DataLoader(rows(t, d), batch_size=3, shuffle=True)),
    "dropping": lambda t, d: epochs(d.DataLoader(rows(t, d), batch_size=3, shuffle=True, drop_last=True)),
    "own generator": lambda t, d: epochs(
        d.DataLoader(Squares(), batch_size=4, shuffle=True, generator=t.Generator().manual_seed(5)), 3),
    "single items": lambda t, d: epochs(d.DataLoader(rows(t, d), batch_size=None, shuffle=True)),
    "stream": lambda t, d: epochs(d.DataLoader(stream(d), batch_size=4)),
    "stream, dropping": lambda t, d: epochs(d.DataLoader(stream(d), batch_size=4, drop_last=True)),
    "stream of items": lambda t, d: epochs(d.DataLoader(stream(d), batch_size=None)),
    "too long a stream": lambda t, d: [len(it := d.DataLoader(stream(d, 7, 3), batch_size=2)), list(it)],
    "batches given": lambda t, d: epochs(d.DataLoader(Squares(), batch_sampler=[[1, 2], [5]])),
    "own collate": lambda t, d: epochs(d.DataLoader(Squares(), batch_size=4, collate_fn=sum)),
    "half an epoch": lambda t, d: [next(iter(d.DataLoader(Squares(), shuffle=True))), t.rand(1)],
    "made only": lambda t, d: iter(d.DataLoader(Squares(), shuffle=True)) and None,
    "with replacement": lambda t, d: list(d.RandomSampler(range(40), replacement=True, num_samples=70)),
    "more than there are": lambda t, d: list(d.RandomSampler(range(5), num_samples=13)),
    "a subset": lambda t, d: list(d.SubsetRandomSampler([3, 4, 5, 6])),
    "weights": lambda t, d: list(d.WeightedRandomSampler([1, 2, 3], 8)),
    "weights, each once": lambda t, d: list(d.WeightedRandomSampler([1., 2., 3.], 3, replacement=False)),
    "weights and a generator": lambda t, d: list(
        d.WeightedRandomSampler(t.ones(3), 3, generator=t.Generator().manual_seed(1))),
    "a weighted loader": lambda t, d: epochs(
        d.DataLoader(rows(t, d), batch_size=4, sampler=d.WeightedRandomSampler([1] * 10, 6))),
    "split": lambda t, d: [list(part) for part in d.random_split(range(10), [3, 7])],
    "split by parts": lambda t, d: [list(part) for part in d.random_split(
        range(11), [0.33, 0.33, 0.34], generator=t.Generator().manual_seed(42))],
    "an empty part": lambda t, d: [len(part) for part in d.random_split(range(1), [0.5, 0.5])],
    "distributed": lambda t, d: [
        list(d.DistributedSampler(range(n), num_replicas=3, rank=rank, seed=2, drop_last=drop, shuffle=shuffle))
        for n in (2, 9, 10) for rank in range(3) for drop in (False, True) for shuffle in (False, True)],
    "distributed epochs": lambda t, d: [
        (s := d.DistributedSampler(range(6), num_replicas=2, rank=1), s.set_epoch(4), list(s), len(s))[2:]],
    "lengths": lambda t, d: [len(d.DataLoader(Squares(), batch_size=b, drop_last=drop)) for b in (1, 3, 5, 20)
                             for drop in (False, True)],
    "batches of a sampler": lambda t, d: [list(d.BatchSampler(iter(range(7)), 3, drop)) for drop in (False, True)],
    "pinned": lambda t, d: list(d.DataLoader(Squares(), pin_memory=True)),
}


@pytest.mark.parametrize("name", ORDERS)
def test_orders_and_draws_are_pytorchs(name):
    assert_alike(ORDERS[name])


DATASETS = {
    "stacked": lambda t, d: [d.StackDataset(rows(t, d), range(10))[2], d.StackDataset(a=rows(t, d), b=range(10))[3],
                             d.StackDataset(range(10), Squares()).__getitems__([1, 2]), len(d.StackDataset(Squares()))],
    "concatenated": lambda t, d: [d.ConcatDataset([range(3), Squares()])[i] for i in (0, 2, 3, 12, -1, -13)],
    "added": lambda t, d: [list(rows(t, d) + d.Subset(Squares(), [1]))[-2:], type(stream(d) + stream(d)).__name__],
    "old name": lambda t, d: d.ConcatDataset([range(3), range(4)]).cummulative_sizes,
    "chained": lambda t, d: [list(d.ChainDataset([stream(d, 2), stream(d, 3)])),
                             len(d.ChainDataset([stream(d, 2, 2), stream(d, 3, 3)]))],
    "subset": lambda t, d: [(s := d.Subset(rows(t, d), [4, 2]))[0], s[[0, 1]], s.__getitems__([1]), len(s)],
    "items at once": lambda t, d: list(d.DataLoader(d.Subset(Squares(), [3, 4, 5]), batch_size=2)),
    "typed": lambda t, d: [d.Dataset[int].__name__, d.DataLoader[int].__name__],
}


@pytest.mark.parametrize("name", DATASETS)
def test_datasets_are_pytorchs(name):
    assert_alike(DATASETS[name])


def set_after(name):
    def scenario(t, d):
        setattr(d.DataLoader(Squares()), name, 1)
    return scenario


MISTAKES = {
    "workers": lambda t, d: d.DataLoader(Squares(), num_workers=-1),
    "timeout": lambda t, d: d.DataLoader(Squares(), timeout=-1),
    "prefetch": lambda t, d: d.DataLoader(Squares(), prefetch_factor=2),
    "negative prefetch": lambda t, d: d.DataLoader(Squares(), num_workers=1, prefetch_factor=-1),
    "persistent": lambda t, d: d.DataLoader(Squares(), persistent_workers=True),
    "stream shuffled": lambda t, d: d.DataLoader(stream(d), shuffle=True),
    "stream with sampler": lambda t, d: d.DataLoader(stream(d), sampler=[1]),
    "stream with batches": lambda t, d: d.DataLoader(stream(d), batch_sampler=[[1]]),
    "sampler and shuffle": lambda t, d: d.DataLoader(Squares(), sampler=[1], shuffle=True),
    "batches and size": lambda t, d: d.DataLoader(Squares(), batch_sampler=[[1]], batch_size=2),
    "no batches, dropping": lambda t, d: d.DataLoader(Squares(), batch_size=None, drop_last=True),
    "no size": lambda t, d: d.DataLoader(Squares(), batch_size=0),
    "half a size": lambda t, d: d.DataLoader(Squares(), batch_size=1.5),
    "true size": lambda t, d: d.DataLoader(Squares(), batch_size=True),
    "dropping 1": lambda t, d: d.DataLoader(Squares(), drop_last=1),
    "method": lambda t, d: d.DataLoader(Squares(), multiprocessing_context="foo", num_workers=1),
    "context, no workers": lambda t, d: d.DataLoader(Squares(), multiprocessing_context="fork"),
    "no context": lambda t, d: d.DataLoader(Squares(), multiprocessing_context=3, num_workers=1),
    "empty, shuffled": lambda t, d: d.DataLoader([], shuffle=True),
    "empty": lambda t, d: list(d.DataLoader([])),
    "many workers": lambda t, d: d.DataLoader(Squares(), num_workers=1000) and None,
    **{f"setting {name}": set_after(name) for name in ("batch_size", "batch_sampler", "sampler", "drop_last", "dataset",
                                                       "persistent_workers", "multiprocessing_context")},
    "replacement": lambda t, d: d.RandomSampler(Squares(), replacement=1),
    "samples": lambda t, d: d.RandomSampler(Squares(), num_samples=-1),
    "half a sample": lambda t, d: d.RandomSampler(Squares(), num_samples=1.5),
    "weighted samples": lambda t, d: d.WeightedRandomSampler([1, 2], 0),
    "weighted replacement": lambda t, d: d.WeightedRandomSampler([1, 2], 2, replacement=3),
    "weights of weights": lambda t, d: d.WeightedRandomSampler([[1, 2]], 2),
    "too few weights": lambda t, d: list(d.WeightedRandomSampler([1, 2], 3, replacement=False)),
    "batch size": lambda t, d: d.BatchSampler([1], 0, False),
    "batch dropping": lambda t, d: d.BatchSampler([1], 2, 3),
    "rank": lambda t, d: d.DistributedSampler(Squares(), num_replicas=2, rank=2),
    "split": lambda t, d: d.random_split(Squares(), [3, 3]),
    "split too far": lambda t, d: d.random_split(Squares(), [0.5, 0.6]),
    "split below zero": lambda t, d: d.random_split(Squares(), [1.5, -0.5]),
    "tensors": lambda t, d: d.TensorDataset(t.ones(2), t.ones(3)),
    "nothing to concatenate": lambda t, d: d.ConcatDataset([]),
    "streams to concatenate": lambda t, d: d.ConcatDataset([stream(d)]),
    "before the first": lambda t, d: d.ConcatDataset([range(3)])[-4],
    "after the last": lambda t, d: d.ConcatDataset([range(3)])[3],
    "nothing to stack": lambda t, d: d.StackDataset(),
    "both ways to stack": lambda t, d: d.StackDataset(Squares(), a=Squares()),
    "stacked lengths": lambda t, d: d.StackDataset(a=Squares(), b=[1]),
    "chaining lists": lambda t, d: list(d.ChainDataset([[1]])),
    "no items": lambda t, d: d.Dataset()[0],
}


@pytest.mark.parametrize("name", MISTAKES)
def test_mistakes_are_pytorchs(name):
    assert_alike(MISTAKES[name])


def test_what_only_subclasses_have():
    with pytest.raises(NotImplementedError, match="Subclasses of IterableDataset should implement __iter__."):
        iter(lw.utils.data.IterableDataset())
    for given in ({}, {"num_replicas": 2}, {"rank": 1}):
        with pytest.raises(ValueError, match="Default process group has not been initialized"):
            lw.utils.data.DistributedSampler(Squares(), **given)
    loader = lw.utils.data.DataLoader(Squares(), num_workers=1, prefetch_factor=0)
    with pytest.raises(AssertionError, match="prefetch_factor must be greater than 0 for MultiProcessingDataLoader"):
        iter(loader)


ITEMS = {
    "ints": lambda t: [1, 2], "floats": lambda t: [1., 2.], "mixed": lambda t: [1, 2.5], "texts": lambda t: ["a", "b"],
    "bytes": lambda t: [b"a"], "bools": lambda t: [True, False], "pairs": lambda t: [(1, 2.), (3, 4.)],
    "lists": lambda t: [[1, 2], [3, 4]], "dicts": lambda t: [{"a": 1, "b": "x"}, {"a": 2, "b": "y"}],
    "named": lambda t: [Point(1, 2), Point(3, 4)], "arrays": lambda t: [np.ones(2), np.ones(2)],
    "0-dim arrays": lambda t: [np.array(1.5, "float32")], "numpy floats": lambda t: [np.float32(1), np.float32(2)],
    "numpy doubles": lambda t: [np.float64(1)], "numpy ints": lambda t: [np.int16(1)],
    "numpy bools": lambda t: [np.True_],
    "none": lambda t: [None], "text arrays": lambda t: [np.array(["a"])], "object": lambda t: [1j],
    "tensors": lambda t: [t.ones(2), t.zeros(2)], "unequal tensors": lambda t: [t.ones(2), t.ones(3)],
    "unequal lists": lambda t: [[1], [1, 2]], "ordered": lambda t: [collections.OrderedDict(a=1)],
    "default": lambda t: [collections.defaultdict(int, a=1)], "missing": lambda t: [{"a": 1}, {"b": 1}],
    "ranges": lambda t: [range(2), range(2)], "sizes": lambda t: [t.Size([1, 2])], "empty": lambda t: [],
    "nested": lambda t: [{"a": [(1, "x")]}],
}


@pytest.mark.parametrize("name", ITEMS)
def test_collating_is_pytorchs(name):
    for function in ("default_collate", "default_convert"):
        def scenario(t, d, function=function):
            return getattr(d, function)(ITEMS[name](t))
        assert_alike(scenario)


def test_collating_keeps_gradients_and_takes_other_types():
    from leafward.utils.data._utils.collate import collate, default_collate_fn_map
    x = lw.ones(2, requires_grad=True)
    lw.utils.data.default_collate([x * 2, x]).sum().backward()
    assert x.grad.tolist() == [3, 3]

    def longest(batch, *, collate_fn_map=None):
        return max(batch, key=len)

    assert collate(["a", "bb"], collate_fn_map={str: longest}) == "bb"
    assert collate([(1, "a"), (2, "bb")], collate_fn_map={**default_collate_fn_map, str: longest})[1] == "bb"


def test_names_that_programs_import():
    import importlib
    names = {"dataset": "Dataset IterableDataset random_split Subset", "sampler": "Sampler BatchSampler",
             "dataloader": "DataLoader default_collate _BaseDataLoaderIter _MultiProcessingDataLoaderIter",
             "distributed": "DistributedSampler", "_utils.collate": "default_collate default_collate_fn_map"}
    for module, wanted in names.items():
        ours = importlib.import_module(f"leafward.utils.data.{module}")
        assert not [name for name in wanted.split() if not hasattr(ours, name)]
