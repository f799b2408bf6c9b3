"""``Work``: a collective that is on its way."""
import threading
import types
from datetime import timedelta

from leafward.distributed.errors import DistBackendError


def seconds(timeout):
    """A timeout as users give it, in seconds; None stays None."""
    return timeout.total_seconds() if isinstance(timeout, timedelta) else timeout


#: After how many seconds a wait looks whether somebody has left for whom it waits; then after as many again, and so on.
LONG = 5.0


class Work:
    """What a collective with ``async_op=True`` gives: the tensors are whole once :meth:`wait` has returned.

    Before that nothing may read or write them. A work is done once all its parts are; ``then`` runs at that time.

    call: the facts of what is on its way
    timeout: how many seconds :meth:`wait` waits; None: for ever
    alarm: a function of the work and of these seconds that gives the error of a wait in vain; without seconds it says whether
        a wait that is long already is one

    >>> def later(rank):
    ...     work = lw.distributed.barrier(async_op=True)
    ...     return work.wait()
    >>> lw.distributed.run_ranks(later, 2)
    [True, True]
    """

    def __init__(self, call=None, timeout=None, alarm=None):
        self.call = call
        self.tensors = []               # what it writes
        self.numbers = None             # what a comparison found
        self.timeout = timeout
        self.alarm = alarm              # asks why it takes so long, and answers with the error to raise
        self.lock = threading.Lock()
        self.done, self.gate = False, None      # a lock that whoever waits stands at: most works end before anybody does
        self.wanted = False                     # whether it is waited for as soon as it has begun
        self.help = None                        # what whoever waits does meanwhile: a function of the work and of the patience
        self.error = None
        self.source = -1
        self.waiting = []
        self.finishing = None

    def finish(self, error=None):
        """The end, from whichever thread saw it first; what comes later is too late."""
        with self.lock:
            if self.done:
                return
            self.error = error
            if error is None and self.finishing is not None:
                try:
                    self.finishing()
                except BaseException as problem:
                    self.error = problem
            self.finishing = None                       # and with it arrays that nobody needs any more
            self.done = True
            if self.gate is not None:
                self.gate.release()
            waiting, self.waiting = self.waiting, []
        for function in waiting:
            function()

    def then(self, function):
        """Call ``function()`` at the end, or now if that was."""
        with self.lock:
            if not self.done:
                self.waiting.append(function)
                return
        function()

    def ends_within(self, patience):
        """Wait for the end, ``patience`` seconds or (None) for ever: whether it came."""
        if self.help is not None:
            return self.help(self, patience)
        with self.lock:
            if self.done:
                return True
            if self.gate is None:
                self.gate = threading.Lock()
                self.gate.acquire()
        came = self.gate.acquire(timeout=-1 if patience is None else min(patience, threading.TIMEOUT_MAX))
        if came:
            self.gate.release()                 # for whoever waits as well
        return came

    def wait(self, timeout=None):
        """Wait until the tensors are whole: True. Raises what went wrong, or a ``DistBackendError`` after ``timeout``."""
        patience = seconds(timeout)
        if patience is None or patience <= 0:
            patience = self.timeout
        if not (self.ends_within(patience) if self.alarm is None or patience is None else self.ends_or_never(patience)):
            error = self.alarm(self, patience) if self.alarm is not None else None
            self.finish(error or DistBackendError(f"Timed out waiting {1000 * patience:.0f}ms for {self.call} to complete"))
        if self.error is not None:
            raise self.error
        return True

    def ends_or_never(self, patience):
        """The same as :meth:`ends_within`, but that it ends with an error once somebody has left for whom it waits."""
        waited, step = 0.0, min(LONG, patience)
        while not self.ends_within(step):
            waited += step
            if waited >= patience:
                return False
            error = self.alarm(self, None)
            if error is not None:
                self.finish(error)
                break
            step = min(waited, patience - waited)
        return True

    def is_completed(self):
        """Whether it has ended, well or not."""
        return self.done

    def is_success(self):
        """Whether it has ended well."""
        return self.done and self.error is None

    def exception(self):
        """What went wrong; None where nothing did."""
        return self.error

    def synchronize(self):
        """The same as :meth:`wait`: there is no stream to wait in."""
        self.wait()

    def source_rank(self):
        """Who sent what a ``recv`` from any rank received."""
        return self.source

    _source_rank = source_rank

    def result(self):
        """The tensors that were written."""
        return list(self.tensors)

    def get_future(self):
        """A :class:`Future` of the tensors."""
        return Future().follow(self)


class Future:
    """What will be there: of a :class:`Work`, or of functions called one after the other.

    devices: for PyTorch's programs

    >>> future = Future()
    >>> twice = future.then(lambda done: 2 * done.value())
    >>> future.set_result(3)
    >>> twice.wait()
    6
    """

    #: ``Future[Tensor]``, as annotations say it.
    __class_getitem__ = classmethod(types.GenericAlias)

    def __init__(self, *, devices=None):
        self.follow(Work())

    def follow(self, work):
        """Be there when a work has ended, with its tensors: this future."""
        self.work, self.value_of = work, work.result
        return self

    def wait(self):
        """The value, once it is there."""
        self.work.wait()
        return self.value_of()

    def value(self):
        """The value, which has to be there."""
        if not self.done():
            raise RuntimeError("the value of a Future was asked for before it is there: wait() waits for it")
        return self.wait()

    def done(self):
        """Whether :meth:`wait` would return, or raise, at once."""
        return self.work.is_completed()

    def give(self, value):
        """Be there with a value; too late where an error came before."""
        self.value_of = lambda: value
        self.work.finish()

    def set_result(self, result):
        """Give the value."""
        self.check_open()
        self.give(result)

    def set_exception(self, result):
        """Say that there will be none, and why."""
        if not isinstance(result, Exception):
            raise AssertionError(f"{result} is of type {type(result)}, not an Exception.")
        self.check_open()
        self.work.finish(result)

    def check_open(self):
        """Refuse to be told twice."""
        if self.done():
            raise RuntimeError("Attempting to mark a completed Future as complete again. Note that a Future can only be marked "
                               "completed once.")

    def then(self, callback):
        """A future of ``callback(this future)``, which runs when this one is there."""
        later = Future()
        later.work.timeout, later.work.help = self.work.timeout, self.work.help

        def go():
            try:
                later.give(callback(self))
            except Exception as error:
                later.work.finish(error)
        self.work.then(go)
        return later

    def add_done_callback(self, callback):
        """Call ``callback(this future)`` when it is there."""
        self.work.then(lambda: callback(self))


class Together(Work):
    """Several works as one."""

    def __init__(self, works):
        super().__init__()
        self.works = works

    def wait(self, timeout=None):
        """Wait for each."""
        return all([work.wait(timeout) for work in self.works])

    def is_completed(self):
        """Whether all have ended."""
        return all([work.is_completed() for work in self.works])

    def is_success(self):
        """Whether all have ended well."""
        return all([work.is_success() for work in self.works])

    def result(self):
        """The tensors of all."""
        return [tensor for work in self.works for tensor in work.result()]

    def then(self, function):
        """Call ``function()`` when the last has ended."""
        left = [len(self.works)]
        lock = threading.Lock()

        def one():
            with lock:
                left[0] -= 1
                last = left[0] == 0
            if last:
                function()
        for work in self.works:
            work.then(one)
