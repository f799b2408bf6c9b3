"""Edges of ``DataLoader``, samplers and collation: what comes out, what is refused, and which words were drawn."""
from collections import OrderedDict, defaultdict, namedtuple

import numpy as np
import pytest

from tests.both import assert_told_alike, tried

Pair = namedtuple("Pair", "a b")
Inner = namedtuple("Inner", "x y")


class Numbers:
    """0, 1, 2, ... as a dataset."""

    def __init__(self, n=7):
        self.n = n

    def __len__(self):
        return self.n

    def __getitem__(self, i):
        if i >= self.n:
            raise IndexError(i)
        return i


class Batched(Numbers):
    """Items by the batch."""

    def __getitems__(self, indices):
        return [10 * i for i in indices]


class Nested:
    """Items of named tuples in dicts in named tuples."""

    def __init__(self, t):
        self.t = t

    def __len__(self):
        return 5

    def __getitem__(self, i):
        return Pair(self.t.tensor([float(i)]), {"k": Inner(i, f"s{i}"), "l": [i, (i + 0.5, b"b")]})


def stream(t, n=7):
    class Stream(t.utils.data.IterableDataset):
        def __iter__(self):
            worker = t.utils.data.get_worker_info()
            yield from range(n) if worker is None else range(worker.id, n, worker.num_workers)
    return Stream()


def info(t):
    found = t.utils.data.get_worker_info()
    return found.id, found.num_workers, found.seed


def collated(*items):
    return lambda t, load: t.utils.data.default_collate(list(items))


CASES = {
    "lengths": lambda t, load: [len(load(Numbers(n), batch_size=b, drop_last=d)) for n in (0, 1, 7) for b in (1, 3)
                                for d in (False, True)],
    "the last left out": lambda t, load: list(load(Numbers(), batch_size=3, drop_last=True)),
    "nothing": lambda t, load: list(load(Numbers(0), batch_size=3)),
    "nothing, shuffled": lambda t, load: list(load(Numbers(0), batch_size=3, shuffle=True)),
    "two epochs": lambda t, load: [list(load(Numbers(), shuffle=True)) for _ in range(2)],
    "a generator": lambda t, load: list(load(Numbers(), shuffle=True, generator=t.Generator().manual_seed(3))),
    "batches given": lambda t, load: list(load(Numbers(), batch_sampler=[[0, 1], [2], [3, 4, 5]])),
    "an iterator of batches": lambda t, load: list(load(Numbers(), batch_sampler=iter([[0, 1], [2]]))),
    "indices given": lambda t, load: list(load(Numbers(), sampler=[6, 5, 0])),
    "no batches": lambda t, load: list(load(Numbers(), batch_size=None)),
    "no batches, nested": lambda t, load: list(load(Nested(t), batch_size=None)),
    "nested": lambda t, load: list(load(Nested(t), batch_size=2)),
    "nested, from workers": lambda t, load: list(load(Nested(t), batch_size=2, num_workers=2)),
    "by the batch": lambda t, load: list(load(Batched(), batch_size=3)),
    "by the batch, without batches": lambda t, load: list(load(Batched(), batch_size=None)),
    "a subset by the batch": lambda t, load: list(load(t.utils.data.Subset(Batched(), [1, 2, 3]), batch_size=2)),
    "own collation": lambda t, load: list(load(Numbers(), batch_size=None, collate_fn=lambda i: i + 1)),
    "a stream": lambda t, load: list(load(stream(t), batch_size=3)),
    "a stream, the last left out": lambda t, load: list(load(stream(t), batch_size=3, drop_last=True)),
    "a stream in workers": lambda t, load: list(load(stream(t), batch_size=2, num_workers=2)),
    "a stream in workers, cut": lambda t, load: list(load(stream(t), batch_size=2, num_workers=2, drop_last=True)),
    "a stream in workers, no batches": lambda t, load: list(load(stream(t), batch_size=None, num_workers=2)),
    "a timeout that is kept": lambda t, load: list(load(Numbers(), timeout=50, num_workers=1)),
    "pinned": lambda t, load: list(load(Numbers(), batch_size=4, pin_memory=True)),
    "workers seeded": lambda t, load: list(load(Numbers(), num_workers=2, worker_init_fn=t.manual_seed,
                                                collate_fn=lambda _: t.rand(1))),
    "workers' own seeds": lambda t, load: list(load(Numbers(), num_workers=2, collate_fn=lambda _: t.rand(1))),
    "seeds from a generator": lambda t, load: list(load(
        Numbers(), num_workers=2, generator=t.Generator().manual_seed(5), collate_fn=lambda _: info(t))),
    "persistent workers": lambda t, load: (lambda d: [list(d), list(d)])(
        load(Numbers(), num_workers=2, persistent_workers=True, shuffle=True)),
    "left and begun again": lambda t, load: (lambda d: [next(iter(d)), list(d)])(
        load(Numbers(), num_workers=2, batch_size=2)),
    "out of order": lambda t, load: sorted(x.item() for x in load(Numbers(), num_workers=2, in_order=False)),
    "two at a time": lambda t, load: (lambda d: list(zip(d, d, strict=True)))(load(Numbers(), batch_size=3)),
    "epochs of one generator": lambda t, load: (lambda d: [list(d) for _ in range(3)])(
        load(Numbers(), shuffle=True, generator=t.Generator().manual_seed(1), num_workers=1)),
    "words taken by a shuffle": lambda t, load: (list(load(Numbers(), shuffle=True)), t.rand(1))[1],
    "words taken by an order": lambda t, load: (list(load(Numbers())), t.rand(1))[1],
    "words taken by workers": lambda t, load: (list(load(Numbers(), num_workers=1)), t.rand(1))[1],
    # collation
    "strings": collated("a", "b"), "bytes": collated(b"a", b"b"), "bools": collated(True, False), "mixed": collated(1, 2.5),
    "mixed the other way": collated(1.5, 2), "named": collated(Pair(1, Inner(2, "x")), Pair(3, Inner(4, "y"))),
    "an ordered dict": collated(OrderedDict(a=1), OrderedDict(a=2)), "more keys": collated({"a": 1}, {"a": 2, "b": 1}),
    "a dict with a default": collated(defaultdict(list, a=1), defaultdict(list, a=2)),
    "ranges": collated(range(2), range(2)), "NumPy's numbers": collated(np.float32(1), np.float32(2)),
    "NumPy's arrays": collated(np.ones(2), np.ones(2)), "0-dim arrays": collated(np.array(2), np.array(3)),
    "conversion": lambda t, load: t.utils.data.default_convert({"a": [1, np.ones(2)], "b": Pair(1, "x")}),
    # samplers
    "weighted": lambda t, load: list(t.utils.data.WeightedRandomSampler([1.0, 2.0, 3.0], 5)),
    "weighted, once each": lambda t, load: list(t.utils.data.WeightedRandomSampler([1.0, 2.0, 3.0], 3, replacement=False)),
    "with replacement": lambda t, load: list(t.utils.data.RandomSampler(range(5), replacement=True, num_samples=70)),
    "more than there are": lambda t, load: list(t.utils.data.RandomSampler(range(5), num_samples=12)),
    "a random subset": lambda t, load: list(t.utils.data.SubsetRandomSampler([4, 5, 6])),
    "split by shares": lambda t, load: [list(x) for x in t.utils.data.random_split(range(10), [0.3, 0.3, 0.4])],
    # refused
    "a timeout without workers": lambda t, load: list(load(Numbers(), timeout=5)),
    "a negative timeout": lambda t, load: load(Numbers(), timeout=-1),
    "a shuffled stream": lambda t, load: load(stream(t), shuffle=True),
    "a sampled stream": lambda t, load: load(stream(t), sampler=[1]),
    "a stream in given batches": lambda t, load: load(stream(t), batch_sampler=[[1]]),
    "the length of a stream": lambda t, load: len(load(stream(t))),
    "minus one worker": lambda t, load: load(Numbers(), num_workers=-1),
    "persistent nobody": lambda t, load: load(Numbers(), persistent_workers=True),
    "fetched ahead by nobody": lambda t, load: load(Numbers(), prefetch_factor=2),
    **{f"a batch of {size!r}": lambda t, load, size=size: load(Numbers(), batch_size=size) for size in (0, -1, 2.0, "2")},
    "shuffled and sampled": lambda t, load: load(Numbers(), shuffle=True, sampler=[1]),
    **{f"{name} later": lambda t, load, name=name: setattr(load(Numbers()), name, 3) for name in (
        "batch_size", "dataset", "num_workers", "drop_last")},
    "a context without workers": lambda t, load: load(Numbers(), multiprocessing_context="fork"),
    "no such context": lambda t, load: load(Numbers(), multiprocessing_context="x", num_workers=1),
    "no such item": lambda t, load: list(load(Numbers(), sampler=[1, 99])),
    "None": collated(None, None), "unequal lists": collated([1, 2], [1]), "fewer keys": collated({"a": 1, "b": 2}, {"a": 2}),
    "sets": collated({1}, {2}), "no items": collated(), "NumPy's strings": collated(np.array(["a"])),
    "unequal shapes": lambda t, load: t.utils.data.default_collate([t.ones(2), t.ones(3)]),
    "too many, once each": lambda t, load: list(t.utils.data.WeightedRandomSampler([1.0, 2.0], 5, replacement=False)),
    "weights of two dims": lambda t, load: t.utils.data.WeightedRandomSampler([[1.0, 2.0]], 5),
    "no samples": lambda t, load: t.utils.data.RandomSampler(range(5), num_samples=0),
    "replacement by number": lambda t, load: t.utils.data.RandomSampler(range(5), replacement=1),
    "batches of none": lambda t, load: t.utils.data.BatchSampler(range(7), 0, True),
    "drop_last by number": lambda t, load: t.utils.data.BatchSampler(range(7), 2, 1),
    "shares of more than all": lambda t, load: t.utils.data.random_split(range(10), [0.5, 0.6]),
    "parts of less than all": lambda t, load: t.utils.data.random_split(range(10), [3, 6]),
    "a negative share": lambda t, load: t.utils.data.random_split(range(10), [-0.5, 1.5]),
}


@pytest.mark.parametrize("name", CASES)
def test_edges_are_pytorchs(name):
    assert_told_alike(lambda t: tried(CASES[name], t, t.utils.data.DataLoader))
