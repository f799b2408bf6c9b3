"""``DistributedSampler``: each of several processes reads its own part of a dataset."""
from __future__ import annotations

import math
from typing import Any, TYPE_CHECKING

import leafward as lw

from leafward.distributed.world import get_rank, get_world_size
from leafward.utils.data.sampler import Sampler

if TYPE_CHECKING:
    from collections.abc import Iterator


class DistributedSampler(Sampler[int]):
    """Every ``num_replicas``-th index from ``rank`` on, of an order that is shuffled by ``seed + epoch``.

    All parts have one length. Call :meth:`set_epoch` before each epoch, or every epoch has the same order.

    dataset: whose indices
    num_replicas: parts in all; None: as many as the default process group has ranks
    rank: which part, from 0 on; None: this process's rank
    shuffle: whether the order is random rather than as it is
    seed: the same in all processes
    drop_last: whether indices that are too many for equal parts are left out, rather than some repeated

    >>> list(DistributedSampler(range(6), num_replicas=2, rank=1, shuffle=False))
    [1, 3, 5]
    """

    def __init__(self, dataset: Any, num_replicas: int | None = None, rank: int | None = None, shuffle: bool = True,
                 seed: int = 0, drop_last: bool = False) -> None:
        if num_replicas is None:
            num_replicas = get_world_size()
        if rank is None:
            rank = get_rank()
        if rank >= num_replicas or rank < 0:
            raise ValueError(f"Invalid rank {rank}, rank should be in the interval [0, {num_replicas - 1}]")
        self.dataset, self.num_replicas, self.rank = dataset, num_replicas, rank
        self.shuffle, self.seed, self.drop_last, self.epoch = shuffle, seed, drop_last, 0
        count = len(dataset)
        # What does not divide evenly is left out, down to the last full round.
        self.num_samples = count // num_replicas if drop_last else math.ceil(count / num_replicas)
        self.total_size = self.num_samples * num_replicas

    def __iter__(self) -> Iterator[int]:
        count = len(self.dataset)
        if self.shuffle:
            indices = lw.randperm(count, generator=lw.Generator().manual_seed(self.seed + self.epoch)).tolist()
        else:
            indices = list(range(count))
        if not self.drop_last and self.total_size > count:
            missing = self.total_size - count
            indices += (indices * math.ceil(missing / count))[:missing]
        return iter(indices[self.rank:self.total_size:self.num_replicas])

    def __len__(self) -> int:
        return self.num_samples

    def set_epoch(self, epoch: int) -> None:
        """Shuffle differently from other epochs."""
        self.epoch = epoch
