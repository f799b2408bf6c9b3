"""The loader's side of several workers: who gets which task, and which batch is due."""
import multiprocessing
import os
import signal
import time
import weakref
from itertools import cycle
from multiprocessing import connection

from leafward.utils.data._utils.iterators import _BaseDataLoaderIter
from leafward.utils.data._utils.channel import pair
from leafward.utils.data._utils.worker import Ended, Failure, Settings, work

#: Seconds that a worker has to finish the batch it is at, when nobody wants it any more.
GRACE = 2.0
GONE = (EOFError, ConnectionError)


class Worker:
    """A process, our end of the socket to it, and whether it still has something to give in this epoch."""

    def __init__(self, context, number, settings):
        self.channel, theirs = pair()
        try:
            self.process = context.Process(target=work, args=(number, settings, theirs), daemon=True)
            self.process.start()
        except BaseException:
            self.channel.close()
            raise
        finally:
            theirs.close()                       # ours alone must not keep the socket open when the worker dies
        self.active = True


def stop(workers, owner, grace=GRACE):
    """End the processes: let them finish, then ask, then kill."""
    if os.getpid() != owner:
        return                                   # a forked child has a copy of the iterator, and no say in this
    for worker in workers:
        worker.channel.close()                   # an idle worker reads the end of the file and leaves
    end = time.monotonic() + grace
    for worker in workers:
        worker.process.join(max(0.0, end - time.monotonic()))
    for worker in workers:
        if worker.process.is_alive():
            worker.process.terminate()
    end = time.monotonic() + 1
    for worker in workers:
        worker.process.join(max(0.0, end - time.monotonic()))
        if worker.process.is_alive():
            worker.process.kill()
            worker.process.join()
    workers.clear()


class _MultiProcessingDataLoaderIter(_BaseDataLoaderIter):
    """Gives task ``n`` to the next worker in turn, and yields the answers in the order of the tasks."""

    TOO_LONG = ("For multiprocessing data-loading, this could be caused by not properly configuring the "
                "IterableDataset replica at each worker. Please see https://pytorch.org/docs/stable/data.html"
                "#torch.utils.data.IterableDataset for examples.")

    def __init__(self, loader):
        if loader.prefetch_factor == 0:
            raise AssertionError("prefetch_factor must be greater than 0 for MultiProcessingDataLoaderIter")
        super().__init__(loader)
        self._workers = []
        # Not __del__: this also runs when the interpreter ends, while there still is one.
        self._stop = weakref.finalize(self, stop, self._workers, os.getpid())
        context = loader.multiprocessing_context or multiprocessing.get_context()
        settings = Settings(loader, self._base_seed)
        self._epoch = 0
        try:
            for number in range(loader.num_workers):
                self._workers.append(Worker(context, number, settings))
            self._begin(loader)
        except BaseException:
            self._stop()
            raise

    def _reset(self, loader):
        self._epoch += 1
        for worker in self._workers:
            worker.active = True
            self._send(worker, None, None)
        self._begin(loader)

    def _begin(self, loader):
        super()._reset(loader)
        self._turn = cycle(list(self._workers))
        self._given = self._due = 0              # the next task to give, the next one to yield
        self._asked = {}                         # task -> the worker that is at it
        self._answers = {}                       # task -> what came back and is not due yet
        for _ in range(loader.prefetch_factor * len(self._workers)):
            self._give_task()

    # --- tasks --------------------------------------------------------------------------------------------------

    def _give_task(self):
        """Ask the next active worker for the next batch, if there are both."""
        worker = next((w for w, _ in zip(self._turn, self._workers) if w.active), None)
        if worker is None:
            return
        try:
            index = next(self._indices)
        except StopIteration:
            return
        self._asked[self._given] = worker
        self._given += 1
        self._send(worker, self._given - 1, index)

    def _send(self, worker, task, index):
        try:
            worker.channel.send((self._epoch, task, index), lambda: self._receive(worker))
        except GONE:
            self._refuse_dead()

    def _receive(self, worker):
        """Take one answer of ``worker``'s."""
        try:
            epoch, task, data = worker.channel.receive()
        except GONE:
            self._refuse_dead()
        if epoch != self._epoch:
            return                               # of an epoch that was left in the middle
        del self._asked[task]
        self._answers[task] = data
        if isinstance(data, Ended):
            worker.active = False

    def _next_data(self):
        if not self._workers:
            raise StopIteration
        try:
            return self._due_answer()
        except KeyboardInterrupt:
            stop(self._workers, os.getpid(), grace=0.0)
            raise

    def _due_answer(self):
        loader = self._loader
        end = time.monotonic() + loader.timeout if loader.timeout else None
        while self._due < self._given:
            task = self._due
            if not loader.in_order and task not in self._answers:
                task = next(iter(self._answers), task)
            if task not in self._answers:
                if task not in self._asked:
                    self._due += 1               # yielded already, out of order
                else:
                    self._wait(end)
                continue
            data = self._answers.pop(task)
            self._due += task == self._due
            self._give_task()
            if isinstance(data, Failure):
                data.reraise()
            if not isinstance(data, Ended):
                return data
        if not loader.persistent_workers:
            self._stop()
        raise StopIteration

    # --- waiting ------------------------------------------------------------------------------------------------

    def _wait(self, end):
        """Take what has arrived; if nothing has, wait for it, but no longer than to the time ``end``."""
        by_handle = {handle: worker for worker in self._workers
                     for handle in (worker.channel, worker.process.sentinel)}
        left = None if end is None else max(0.0, end - time.monotonic())
        ready = connection.wait(list(by_handle), left)
        if not ready:
            raise RuntimeError(f"DataLoader timed out after {self._loader.timeout} seconds")
        channels = [by_handle[handle] for handle in ready if handle is by_handle[handle].channel]
        for worker in channels:
            self._receive(worker)
        if not channels:
            self._refuse_dead()

    def _refuse_dead(self):
        """Raise, since a worker has ended that should not have."""
        processes = {worker.process.sentinel: worker.process for worker in self._workers}
        dead = [processes[sentinel] for sentinel in connection.wait(list(processes), 1.0)]
        for process in dead:
            process.join()                       # its files are closed a moment before it has an exit code
        pids = ", ".join(str(process.pid) for process in dead)
        reason = RuntimeError(epitaph(dead[0])) if dead else None
        stop(self._workers, os.getpid(), grace=0.0)
        raise RuntimeError(f"DataLoader worker (pid(s) {pids}) exited unexpectedly") from reason


def epitaph(process):
    """How a process ended."""
    code = process.exitcode
    if code < 0:
        return f"DataLoader worker (pid {process.pid}) is killed by signal: {signal.strsignal(-code)}. "
    return (f"DataLoader worker (pid {process.pid}) exited unexpectedly with exit code {code}. Details are lost due to "
            "multiprocessing. Rerunning with num_workers=0 may give better error trace.")
