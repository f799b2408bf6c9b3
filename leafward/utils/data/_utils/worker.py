"""What runs in a worker process: read a task, make a batch, send it, until the loader hangs up."""
from __future__ import annotations

import random
import signal
import traceback

import leafward as lw
from leafward.arrays.workers import seed_numpy

from leafward.utils.data._utils.channel import Channel
from leafward.utils.data._utils.fetch import IterableFetcher, MapFetcher


class WorkerInfo:
    """Who a worker is: its ``id`` among ``num_workers``, its ``seed``, and its copy of the ``dataset``."""

    __slots__ = ("dataset", "id", "num_workers", "rng", "seed", "worker_method")

    def __init__(self, id, num_workers, seed, dataset):
        for name, value in (("id", id), ("num_workers", num_workers), ("seed", seed), ("dataset", dataset),
                            ("rng", None), ("worker_method", "multiprocessing")):
            object.__setattr__(self, name, value)

    def __setattr__(self, name, value):
        raise AttributeError(f"cannot assign to field {name!r}")

    def __repr__(self):
        return (f"WorkerInfo(id={self.id}, num_workers={self.num_workers}, seed={self.seed}, dataset={self.dataset}, "
                f"rng={self.rng}, worker_method={self.worker_method!r})")


info = None


def get_worker_info() -> WorkerInfo | None:
    """The :class:`WorkerInfo` of the worker process that calls this; None in the main process.

    >>> get_worker_info() is None
    True
    """
    return info


class Ended:
    """Answers a task when the worker's iterable has nothing left."""


class Failure:
    """An exception in a worker, which is raised again in the loader's process with the worker's traceback."""

    def __init__(self, error, where):
        self.kind, self.name, self.where = type(error), type(error).__name__, where
        self.text = "".join(traceback.format_exception(error))

    def reraise(self):
        message = f"Caught {self.name} {self.where}.\nOriginal {self.text}"
        if self.kind is KeyError:
            raise KeyError(Multiline(message))
        try:
            error = self.kind(message)
        except Exception:
            # Its constructor wants something else: the class is in the message.
            raise RuntimeError(message) from None
        raise error


class Multiline(str):
    """A text that a KeyError, which shows the repr of its argument, shows as it is."""

    __slots__ = ()

    def __repr__(self):
        return str(self)


class Settings:
    """What a worker is told when it starts."""

    def __init__(self, loader, base_seed):
        self.dataset, self.iterable = loader.dataset, loader._is_iterable
        self.batched, self.collate_fn, self.drop_last = loader._auto_collation, loader.collate_fn, loader.drop_last
        self.num_workers, self.base_seed, self.init = loader.num_workers, base_seed, loader.worker_init_fn

    def fetcher(self):
        kind = IterableFetcher if self.iterable else MapFetcher
        return kind(self.dataset, self.batched, self.collate_fn, self.drop_last)


def work(number, settings, end):
    """The main function of worker ``number``; ``end`` is its socket."""
    # Ctrl-C reaches the whole group of processes: the loader decides. A function rather than SIG_IGN, which programs
    # that the worker starts would inherit; and not the handlers of the main program.
    signal.signal(signal.SIGINT, lambda *_: None)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    # A forked child has none of its parent's threads: a pool that waits for them would wait for ever.
    lw.set_num_threads(1)
    channel = Channel(end)
    set_up_worker(number, settings)
    where = f"in DataLoader worker process {number}"
    failure = fetcher = None
    try:
        if settings.init is not None:
            settings.init(number)
        fetcher = settings.fetcher()
    except Exception as error:
        failure = Failure(error, where)
    try:
        serve(channel, settings, fetcher, failure, where)
    except (EOFError, ConnectionError):
        pass                                     # the loader is gone, or has no more use for this worker


def set_up_worker(number, settings):
    """Seeds, and who we are."""
    global info
    seed = settings.base_seed + number
    random.seed(seed)
    lw.manual_seed(seed)
    seed_numpy(settings.base_seed, number)
    info = WorkerInfo(number, settings.num_workers, seed, settings.dataset)


def serve(channel, settings, fetcher, failure, where):
    """Answer tasks ``(epoch, number, index)`` with ``(epoch, number, batch)``; ``(epoch, None, None)`` begins anew."""
    ended = False
    while True:
        epoch, task, index = channel.receive()
        if task is None:
            ended = False
            try:
                fetcher = settings.fetcher()
            except Exception as error:
                failure = Failure(error, where)
            continue
        if failure is not None:
            result = failure
        elif ended:
            result = Ended()
        else:
            try:
                result = fetcher.fetch(index)
            except Exception as error:
                ended = settings.iterable and isinstance(error, StopIteration)
                result = Ended() if ended else Failure(error, where)
        send(channel, epoch, task, result, where)
        del result                               # its memory can go before the next batch is made


def send(channel, epoch, task, result, where):
    try:
        channel.send((epoch, task, result))
    except ConnectionError:
        raise
    except Exception as error:                   # what the dataset gave, or raised, cannot be pickled
        failure = result if isinstance(result, Failure) else Failure(error, where)
        try:
            channel.send((epoch, task, failure))
        except ConnectionError:
            raise
        except Exception:
            failure.kind = RuntimeError          # the class of the exception cannot be sent either
            channel.send((epoch, task, failure))
