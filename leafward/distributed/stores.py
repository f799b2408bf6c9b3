"""Stores: small values under names that several processes or threads share."""
import fcntl
import os
import pickle
import threading
import time
from collections import deque
from datetime import timedelta
from operator import index

from leafward.distributed.errors import DistStoreError, QueueEmptyError
from leafward.distributed.work import seconds

DEFAULT_TIMEOUT = timedelta(seconds=300)


def as_bytes(value):
    """What a store keeps of a value."""
    return value.encode() if isinstance(value, str) else bytes(value)


#: What may write: others may have waited for that.
WRITES = {"set", "add", "append", "compare_set", "multi_set", "queue_push"}


class Table:
    """The values themselves, and what may be asked of them: each store brings the asking process to one such table.

    A request is done at once: ``(True, answer)``, or ``(False, None)`` where it has to wait for others.
    """

    def __init__(self):
        self.values, self.queues = {}, {}

    def set(self, key, value):
        self.values[key] = value
        return True, None

    def get(self, key):
        return (True, self.values[key]) if key in self.values else (False, None)

    def add(self, key, amount):
        total = int(self.values.get(key, b"0")) + amount
        self.values[key] = str(total).encode()
        return True, total

    def append(self, key, value):
        self.values[key] = self.values.get(key, b"") + value
        return True, None

    def check(self, keys):
        return True, all([key in self.values or bool(self.queues.get(key)) for key in keys])

    def wait(self, keys):
        return self.check(keys)[1], None

    def compare_set(self, key, expected, desired):
        if key not in self.values:
            if expected:
                return True, expected
            self.values[key] = desired
        elif self.values[key] == expected:
            self.values[key] = desired
        return True, self.values[key]

    def delete_key(self, key):
        return True, self.values.pop(key, None) is not None

    def num_keys(self):
        return True, len(self.values)

    def list_keys(self):
        return True, list(self.values)

    def multi_get(self, keys):
        return all([key in self.values for key in keys]), [self.values.get(key) for key in keys]

    def multi_set(self, keys, values):
        self.values.update(zip(keys, values, strict=True))
        return True, None

    def queue_push(self, key, value):
        self.queues.setdefault(key, []).append(value)
        return True, None

    def queue_pop(self, key):
        queue = self.queues.get(key)
        return (True, queue.pop(0)) if queue else (False, None)

    def queue_len(self, key):
        return True, len(self.queues.get(key, ()))


#: What waits for its keys, and when it need not.
WAITS = {"get": lambda table, key: key in table.values, "multi_get": lambda table, key: key in table.values,
         "wait": lambda table, key: key in table.values or bool(table.queues.get(key)),
         "queue_pop": lambda table, key: bool(table.queues.get(key))}


class Request:
    """Something that was asked of a table, and is not answered yet."""

    __slots__ = "what", "arguments", "answer", "missing", "over"

    def __init__(self, what, arguments, answer):
        self.what, self.arguments, self.answer = what, arguments, answer
        self.missing, self.over = 0, False                # the key that it waits for; whether nobody waits for it any more

    def keys(self):
        """Under which names it reads or writes."""
        first = self.arguments[0] if self.arguments else ()
        return first if isinstance(first, list) else [first]


class Desk:
    """Where a table is asked: what cannot be answered yet is laid aside under a name, and looked at when that is written."""

    def __init__(self):
        self.table, self.aside = Table(), {}

    def ask(self, request):
        """Answer a request, now or later, by ``request.answer(answer)``; and those that wait for what it writes."""
        asked = deque([request])
        while asked:
            request = asked.popleft()
            if request.over:
                continue                                # nobody waits for it any more
            keys = request.keys()
            missing = self.missing(request, keys)
            if missing is not None:
                request.missing = missing
                self.aside.setdefault(keys[missing], []).append(request)
                continue
            _, answer = getattr(self.table, request.what)(*request.arguments)
            request.over = True
            request.answer(answer)
            if request.what in WRITES:
                for key in keys:
                    asked.extend(self.aside.pop(key, ()))

    def missing(self, request, keys):
        """The index of the first key that it has to wait for; None where there is none.

        From where it was left: of many names each is looked at once, as long as none is taken away again.
        """
        there = WAITS.get(request.what)
        if there is None:
            return None
        for start in (request.missing, 0):
            found = next((k for k in range(start, len(keys)) if not there(self.table, keys[k])), None)
            if found is not None:
                return found
        return None

    def forget(self, request):
        """Nobody waits for it any more."""
        request.over = True
        key = request.keys()[request.missing]
        left = [other for other in self.aside.get(key, ()) if other is not request]
        if left:
            self.aside[key] = left
        else:
            self.aside.pop(key, None)


class Store:
    """Values under names, shared by all who have the store. Waiting ends with a ``DistStoreError`` after ``timeout``.

    >>> isinstance(lw.distributed.HashStore(), lw.distributed.Store)
    True
    """

    def __init__(self):
        self._timeout = DEFAULT_TIMEOUT

    def ask(self, timeout, what, *arguments):
        """Have the table do something, and wait until it can be done."""
        raise NotImplementedError("a store of your own has to override set, get, add, wait and whatever else is used")

    @property
    def timeout(self):
        """How long a request waits."""
        return self._timeout

    def set_timeout(self, timeout):
        """Wait so long from now on; timeout: a ``timedelta``"""
        self._timeout = timeout

    def set(self, key, value):
        """Keep ``value``, a string or bytes, under ``key``."""
        self.ask(self.timeout, "set", key, as_bytes(value))

    def get(self, key):
        """The bytes under ``key``, once there are any."""
        return self.ask(self.timeout, "get", key)

    def add(self, key, amount):
        """Add an integer to the one under ``key`` (0 at first): the sum."""
        return self.ask(self.timeout, "add", key, index(amount))

    def append(self, key, value):
        """Put ``value`` behind what is under ``key``."""
        self.ask(self.timeout, "append", key, as_bytes(value))

    def check(self, keys):
        """Whether there is something under each of ``keys``."""
        return self.ask(self.timeout, "check", list(keys))

    def wait(self, keys, timeout=None):
        """Wait until there is something under each of ``keys``."""
        self.ask(self.timeout if timeout is None else timeout, "wait", list(keys))

    def compare_set(self, key, expected_value, desired_value):
        """Put ``desired_value`` where ``key`` has ``expected_value`` (``""``: also where there is none): what is there then."""
        return self.ask(self.timeout, "compare_set", key, as_bytes(expected_value), as_bytes(desired_value))

    def delete_key(self, key):
        """Forget ``key``: whether it was there."""
        return self.ask(self.timeout, "delete_key", key)

    def num_keys(self):
        """How many keys there are."""
        return self.ask(self.timeout, "num_keys")

    def list_keys(self):
        """All keys."""
        return self.ask(self.timeout, "list_keys")

    def multi_get(self, keys):
        """The bytes under several keys, once all are there."""
        return self.ask(self.timeout, "multi_get", list(keys))

    def multi_set(self, keys, values):
        """Several values at once."""
        self.ask(self.timeout, "multi_set", list(keys), [as_bytes(value) for value in values])

    def queue_push(self, key, value):
        """Put ``value`` at the end of the queue ``key``."""
        self.ask(self.timeout, "queue_push", key, as_bytes(value))

    def queue_pop(self, key, block=True):
        """Take the first value of the queue ``key``; without ``block``, a ``QueueEmptyError`` where there is none."""
        if not block and not self.queue_len(key):
            raise QueueEmptyError(f"queue {key} is empty")
        return self.ask(self.timeout, "queue_pop", key)

    def queue_len(self, key):
        """How many values the queue ``key`` has."""
        return self.ask(self.timeout, "queue_len", key)

    def has_extended_api(self):
        """Whether ``append`` and the ``multi_`` forms exist: yes."""
        return True

    def clone(self):
        """Another way to the same values, for another thread."""
        return self

    def leave_will(self, what, *arguments):
        """Have this done when this process is gone: whether the store sees that."""
        return False

    def leave_word(self, what, *arguments):
        """Have this done, and do not wait until it is."""
        getattr(self, what)(*arguments)


def too_late(what, arguments, timeout):
    """The error of a request that waited in vain."""
    keys = arguments[0] if arguments and isinstance(arguments[0], list) else arguments[:1]
    return DistStoreError(f"wait timeout after {1000 * seconds(timeout):.0f}ms, keys: {', '.join('/' + str(k) for k in keys)}")


class HashStore(Store):
    """A store in the memory of one process, for its threads.

    >>> store = lw.distributed.HashStore()
    >>> store.set("key", "value")
    >>> store.get("key"), store.add("count", 2)
    (b'value', 2)
    """

    def __init__(self):
        super().__init__()
        self.desk, self.lock = Desk(), threading.Lock()

    def ask(self, timeout, what, *arguments):
        found, answers = threading.Event(), []

        def answer(value):
            answers.append(value)
            found.set()
        request = Request(what, arguments, answer)
        with self.lock:
            self.desk.ask(request)
        if not found.wait(seconds(timeout)):
            with self.lock:
                if not request.over:
                    self.desk.forget(request)
                    raise too_late(what, arguments, timeout)
        return answers[0]


class FileStore(Store):
    """A store in a file that all processes see.

    file_name: where; it is created
    world_size: how many processes share it, where that is known: the last of them removes the file; -1: it stays

    >>> import tempfile, os
    >>> store = lw.distributed.FileStore(os.path.join(tempfile.mkdtemp(), "store"), 1)
    >>> store.add("count", 2)
    2
    """

    def __init__(self, file_name, world_size=-1):
        super().__init__()
        self.path, self.world_size = os.fspath(file_name), world_size
        with open(self.path, "ab"):
            pass
        self.lock = threading.Lock()
        self.owner = os.getpid()
        self.seen = self.ask(self.timeout, "add", ".users", 1)

    def ask(self, timeout, what, *arguments):
        end = time.monotonic() + seconds(timeout)
        pause = 0.001
        while True:
            with self.lock, open(self.path, "r+b") as file:
                fcntl.flock(file, fcntl.LOCK_EX)
                whole = file.read()
                table = Table()
                if whole:
                    table.values, table.queues = pickle.loads(whole)
                done, answer = getattr(table, what)(*arguments)
                changed = pickle.dumps((table.values, table.queues))
                if changed != whole:
                    file.seek(0)
                    file.truncate()
                    file.write(changed)
            if done:
                return answer
            if time.monotonic() > end:
                raise too_late(what, arguments, timeout)
            time.sleep(pause)
            pause = min(2 * pause, 0.05)

    def num_keys(self):
        """How many keys there are."""
        return super().num_keys() - 1

    def list_keys(self):
        """All keys."""
        return [key for key in super().list_keys() if key != ".users"]

    def __del__(self):
        try:
            if self.owner == os.getpid() and self.ask(timedelta(seconds=1), "add", ".users", -1) == 0 and self.world_size > 0:
                os.unlink(self.path)
        except (OSError, AttributeError, EOFError, DistStoreError, NameError, TypeError):
            pass                                    # gone already, never there, or the interpreter is ending


class PrefixStore(Store):
    """Another store, in which every key begins with ``prefix/``.

    prefix: what each key begins with
    store: where the values are

    >>> store = lw.distributed.HashStore()
    >>> lw.distributed.PrefixStore("mine", store).set("key", "value")
    >>> store.get("mine/key")
    b'value'
    """

    def __init__(self, prefix, store):
        super().__init__()
        self.prefix, self.underlying_store = prefix, store

    @property
    def timeout(self):
        """How long a request waits: as long as the other store's."""
        return self.underlying_store.timeout

    def set_timeout(self, timeout):
        """Wait so long from now on."""
        self.underlying_store.set_timeout(timeout)

    def named(self, key):
        return f"{self.prefix}/{key}"

    def ask(self, timeout, what, *arguments):
        if what in ("num_keys", "list_keys"):
            return self.underlying_store.ask(timeout, what)
        first = arguments[0]
        first = [self.named(key) for key in first] if isinstance(first, list) else self.named(first)
        return self.underlying_store.ask(timeout, what, first, *arguments[1:])

    def list_keys(self):
        """All keys that begin with the prefix, without it."""
        whole = self.underlying_store.list_keys()
        return [key.removeprefix(self.prefix + "/") for key in whole if key.startswith(self.prefix + "/")]

    def clone(self):
        """Another way to the same values, for another thread."""
        return PrefixStore(self.prefix, self.underlying_store.clone())

    def leave_will(self, what, *arguments):
        """Have this done when this process is gone: whether the store sees that."""
        return self.underlying_store.leave_will(what, *[self.named(key) for key in arguments[:1]], *arguments[1:])

    def leave_word(self, what, *arguments):
        """Have this done, and do not wait until it is."""
        self.underlying_store.leave_word(what, self.named(arguments[0]), *arguments[1:])

    @property
    def _underlying_non_prefix_store(self):
        inner = self.underlying_store
        return inner._underlying_non_prefix_store if isinstance(inner, PrefixStore) else inner
