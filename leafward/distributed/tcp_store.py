"""``TCPStore``: a table in one process, which the others reach by a socket.

A message is four bytes of length and a pickle of plain values: what is read is built by an unpickler that knows no class. A
process has one connection, however many threads of it ask; the table is served by one thread, whatever their number. Where
``leafward launch`` has ranks on several machines, all processes of one share a connection (:mod:`leafward.distributed.relay`).
"""
import io
import itertools
import os
import pickle
import selectors
import socket
import struct
import threading
import time
from datetime import timedelta
from heapq import heappop, heappush
from select import POLLIN, poll
from weakref import WeakSet

from leafward.distributed import relay
from leafward.distributed.errors import DistNetworkError
from leafward.distributed.stores import DEFAULT_TIMEOUT, Desk, Request, Store, Table, too_late
from leafward.distributed.work import seconds

#: The longest message that is read, and how much is read at once.
LONGEST, PIECE = 1 << 30, 1 << 16
#: Sockets are asked for so many seconds at once.
HOUR = 3600.0
#: From how many requests on, those that have been answered are no longer timed.
ROOM = 1000
#: What comes of a message that is none.
NO_MESSAGE = EOFError, pickle.UnpicklingError, ValueError, TypeError, IndexError, AttributeError
#: Of this process; a child has copies of their sockets.
servers, lines = WeakSet(), WeakSet()


class Plain(pickle.Unpickler):
    """Numbers, strings, bytes, lists and tuples of them."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} in a message of a store")


def packed(message):
    """Plain values as they travel."""
    data = pickle.dumps(message)
    return struct.pack("<I", len(data)) + data


class Inbox:
    """What has come over a connection, and is no whole message yet."""

    def __init__(self):
        self.pieces = bytearray()

    def messages(self, piece):
        """The messages that are whole now; EOFError where nothing more will come."""
        if not piece:
            raise EOFError("the connection was closed")
        self.pieces += piece
        found, start = [], 0
        while len(self.pieces) - start >= 4:
            size = struct.unpack_from("<I", self.pieces, start)[0]
            if size > LONGEST:
                raise EOFError("a message that is too long")
            if len(self.pieces) - start < 4 + size:
                break
            found.append(Plain(io.BytesIO(self.pieces[start + 4:start + 4 + size])).load())
            start += 4 + size
        del self.pieces[:start]
        return found


class Client:
    """Who asks, as the server sees it: over a connection of its own, or over that of its machine's relay."""

    def __init__(self, connection, machine=None, key=None):
        self.connection, self.inbox = connection, Inbox()
        self.machine, self.key, self.room = machine, key, relay.WINDOW  # the relay's, and how much more that may be sent for it
        self.frames, self.locals = None, {}             # of a relay: what comes, and key -> Client
        self.requests = {}                              # number -> Request, of those that wait
        self.going = bytearray()                        # answers that the socket does not take yet
        self.will = None                                # what is asked when it closes


class Server:
    """The table, and one thread that serves all who ask."""

    def __init__(self, host, port, listening=None):
        self.desk = Desk()
        self.listening = (socket.create_server(("", port), backlog=4096) if listening is None
                          else socket.socket(fileno=listening))
        self.port = self.listening.getsockname()[1]
        self.listening.setblocking(False)
        self.room, self.unsent = ROOM, set()            # clients with answers, until all that came at once is looked at
        self.late, self.order = [], itertools.count()   # (when, order, client, number) of requests that wait
        self.selector = selectors.DefaultSelector()
        self.selector.register(self.listening, selectors.EVENT_READ, None)
        self.bell, other = socket.socketpair()          # wakes the thread, to end it
        self.selector.register(other, selectors.EVENT_READ, None)
        self.over, self.owner = False, os.getpid()
        servers.add(self)
        self.thread = threading.Thread(target=self.serve, daemon=True, name="leafward store")
        self.thread.start()

    def serve(self):
        """Take what comes, until the end."""
        while not self.over:
            pause = min(max(0.0, self.late[0][0] - time.monotonic()), HOUR) if self.late else None
            for key, events in self.selector.select(pause):
                if key.fileobj is self.listening:
                    self.accept()
                elif key.data is not None:
                    self.attend(key.data, events)
            while self.late and self.late[0][0] <= time.monotonic():
                *_, client, number = heappop(self.late)
                request = client.requests.pop(number, None)
                if request is not None and not request.over:
                    self.desk.forget(request)
                    self.send(client, number, "late", None)
            self.push_all()
        self.close_all()

    def close_all(self):
        """Let go of all sockets."""
        for key in list(self.selector.get_map().values()):
            key.fileobj.close()
        self.selector.close()

    def accept(self):
        """One more client."""
        connection = relay.accepted(self.listening)
        if connection is None:
            return
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.selector.register(connection, selectors.EVENT_READ, Client(connection))

    def attend(self, client, events):
        """Read and write what one client's socket has and takes."""
        try:
            if events & selectors.EVENT_WRITE:
                self.push(client)
            if events & selectors.EVENT_READ:
                piece = client.connection.recv(PIECE)
                if client.frames is None:
                    self.hear(client, piece)
                else:
                    self.hear_relay(client, piece)
        except BlockingIOError:
            pass
        except (OSError, *NO_MESSAGE):
            self.drop(client)                           # whoever asked is gone, or does not speak this language

    def hear(self, client, piece):
        """What one client sends."""
        for number, patience, what, arguments in client.inbox.messages(piece):
            self.take(client, number, patience, what, arguments)

    def hear_relay(self, machine, piece):
        """What those of one machine send."""
        for kind, key, found in machine.frames.split(piece):
            client = machine.locals.get(key)
            if kind == relay.OPEN:
                machine.locals[key] = Client(None, machine, key)
            elif client is None:
                continue                                # it was dropped, which the relay did not know yet
            elif kind == relay.GONE:
                self.drop(client)
            elif kind == relay.ROOM:
                client.room += found
                self.unsent.add(client)
            else:
                try:
                    self.hear(client, found)
                except NO_MESSAGE:
                    self.drop(client)                   # and none of the others
                    machine.going += relay.framed(relay.GONE, key)
                    self.unsent.add(machine)

    def take(self, client, number, patience, what, arguments):
        """One request."""
        if what == "will":
            client.will = arguments
            return
        if what == "relay" and client.machine is None:
            client.frames = relay.Frames()
            self.send(client, number, "done", None)
            return
        if what == "word":
            self.desk.ask(Request(*arguments, lambda answer: None))
            return
        if what.startswith("_") or not hasattr(Table, what):
            raise ValueError(what)
        request = Request(what, arguments, lambda answer: self.answer(client, number, answer))
        try:
            self.desk.ask(request)
        except (ValueError, TypeError) as error:
            request.over = True
            self.send(client, number, "refused", str(error))
        if not request.over:
            client.requests[number] = request
            heappush(self.late, (time.monotonic() + patience, next(self.order), client, number))
            if len(self.late) > self.room:              # of those that were answered, too
                self.late = sorted([one for one in self.late if one[3] in one[2].requests])
                self.room = ROOM + 2 * len(self.late)

    def answer(self, client, number, answer):
        """A request is done."""
        client.requests.pop(number, None)
        self.send(client, number, "done", answer)

    def send(self, client, *message):
        """Have a message on its way soon."""
        client.going += packed(message)
        self.unsent.add(client)

    def push_all(self):
        """Write what there is for all; a machine's in one piece."""
        for client in self.unsent:
            while client.machine is not None and client.going and client.room:
                piece = client.going[:min(client.room, relay.PIECE)]
                del client.going[:len(piece)]
                client.room -= len(piece)
                client.machine.going += relay.framed(relay.DATA, client.key, piece)
        for client in {client.machine or client for client in self.unsent}:
            try:
                self.push(client)
            except OSError:
                pass                                    # it is gone, which reading tells
        self.unsent.clear()

    def push(self, client):
        """Write what the socket takes, and go on when it takes more."""
        before = bool(client.going)
        try:
            while client.going:
                del client.going[:client.connection.send(client.going)]
        except BlockingIOError:
            pass
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if client.going else 0)
        if before and self.selector.get_key(client.connection).events != events:
            self.selector.modify(client.connection, events, client)

    def drop(self, client):
        """A client is gone: so is what it asked, and its will is done; with a relay, all of its machine are."""
        if client.machine is None:
            self.selector.unregister(client.connection)
            client.connection.close()
        else:
            del client.machine.locals[client.key]
        gone = [client, *client.locals.values()]
        self.unsent.difference_update(gone)
        for one in gone:
            for request in one.requests.values():
                self.desk.forget(request)
        for one in gone:
            if one.will is not None:
                try:
                    self.desk.ask(Request(*one.will, lambda answer: None))
                except NO_MESSAGE:
                    pass                                # what it wanted cannot be done, and it is not there to be told

    def close(self):
        """Stop: nobody is answered any more."""
        if self.owner == os.getpid():                   # not in a child, whose copy this is
            self.over = True
            self.bell.close()
            if threading.current_thread() is not self.thread:
                self.thread.join(5)


class Line:
    """One connection to a server, for all threads of a process: who waits for an answer reads for all of them."""

    def __init__(self, connection):
        self.connection, self.inbox = connection, Inbox()
        self.numbers = itertools.count()
        self.sending, self.turn = threading.Lock(), threading.Condition()
        self.wanted, self.answers = set(), {}
        self.reading, self.broken = False, None
        self.poll = poll()
        self.poll.register(connection, POLLIN)
        self.owner = os.getpid()
        lines.add(self)

    def ask(self, patience, what, arguments):
        """``(how, answer)``; an OSError where there will be none."""
        number = next(self.numbers)
        with self.turn:
            self.wanted.add(number)
        try:
            self.send(number, patience, what, arguments)
            # The server keeps the time; here it is longer, for a server that is stuck.
            end = time.monotonic() + patience + 10
            while True:
                with self.turn:
                    while self.reading and number not in self.answers:
                        if not self.turn.wait(max(0.0, end - time.monotonic())):
                            raise TimeoutError("no answer")
                    if number in self.answers:
                        return self.answers.pop(number)
                    if self.broken is not None:
                        raise OSError(self.broken)
                    self.reading = True
                self.read(end)
        finally:
            with self.turn:
                self.wanted.discard(number)
                self.answers.pop(number, None)

    def send(self, *message):
        """Have a request on its way."""
        with self.sending:
            self.connection.sendall(packed(message))

    def read(self, end):
        """Wait for a piece, and hand out what came."""
        found, problem = [], None
        try:
            left = end - time.monotonic()
            if left <= 0:
                raise TimeoutError("no answer")
            if not self.poll.poll(1000 * min(left, HOUR)):
                return
            found = self.inbox.messages(self.connection.recv(PIECE))
        except TimeoutError:
            raise
        except (OSError, EOFError, pickle.UnpicklingError) as error:
            problem = str(error) or type(error).__name__
        finally:
            with self.turn:
                self.reading = False
                self.broken = problem
                self.answers.update({number: (how, answer) for number, how, answer in found if number in self.wanted})
                self.turn.notify_all()

    def __del__(self):
        try:
            self.connection.close()
        except (AttributeError, OSError):
            pass                                        # the interpreter is ending


def in_child():
    """After a fork: the parent's connections are closed by the parent's end, and not by its children's."""
    for server in servers:
        server.close_all()
    for line in lines:
        line.connection.close()


os.register_at_fork(after_in_child=in_child)


class TCPStore(Store):
    """A store in one process, which others reach over the network.

    host_name: where the process is that has it
    port: its port; 0: one that is free, which ``port`` tells
    world_size: how many processes will come; None: any number
    is_master: whether this process has it
    timeout: how long requests wait
    wait_for_workers: whether the process that has it waits until ``world_size`` of them are there
    multi_tenant, use_libuv: for PyTorch's programs
    master_listen_fd: a listening socket to use

    >>> store = lw.distributed.TCPStore("localhost", 0, is_master=True)
    >>> store.set("key", "value")
    >>> lw.distributed.TCPStore("localhost", store.port).get("key")
    b'value'
    """

    libuvBackend = False

    def __init__(self, host_name, port, world_size=None, is_master=False, timeout=DEFAULT_TIMEOUT, wait_for_workers=True,
                 multi_tenant=False, master_listen_fd=None, use_libuv=True):
        super().__init__()
        self._timeout, self.host, self.server = timeout, host_name, None
        if is_master:
            try:
                self.server = Server(host_name, port, master_listen_fd)
            except OSError as error:
                raise DistNetworkError(f"The server socket has failed to listen on any local network address. port: {port}, "
                                       f"{error}") from None
            port = self.server.port
        self.port = port
        self.line = self.connect()
        if wait_for_workers and world_size is not None and world_size > 0:
            self.meet(world_size)

    def connect(self):
        """Reach the server, which may not be there yet."""
        end = time.monotonic() + seconds(self._timeout)
        name = relay.name_of(self.host, self.port)
        while True:
            left = max(0.1, end - time.monotonic())
            try:
                if name is not None:
                    return Line(relay.reach(name, relay.RANK, left))
                connection = socket.create_connection((self.host, self.port), timeout=left)
                break
            except OSError as error:
                if time.monotonic() > end:
                    raise DistNetworkError(
                        f"The client socket has timed out after {1000 * seconds(self._timeout):.0f}ms while trying to connect "
                        f"to ({self.host}, {self.port}): {error}") from None
                time.sleep(0.02)
        connection.settimeout(None)
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return Line(connection)

    def meet(self, world_size):
        """Whoever has the table waits for the others."""
        count = self.add(".workers", 1)
        if count % world_size == 0:
            self.set(f".met/{(count - 1) // world_size}", b"")
        if self.server is not None:
            self.wait([f".met/{(count - 1) // world_size}"])

    def ask(self, timeout, what, *arguments):
        if self.line is None:
            raise DistNetworkError(f"the store at {self.host}:{self.port} is gone: it was closed here")
        if self.line.owner != os.getpid():
            self.line = self.connect()                  # in a child of whoever connected
        try:
            how, answer = self.line.ask(seconds(timeout), what, arguments)
        except OSError as error:
            raise DistNetworkError(f"the store at {self.host}:{self.port} is gone: {error}") from None
        if how == "late":
            raise too_late(what, arguments, timeout)
        if how == "refused":
            raise ValueError(answer)
        return answer

    def num_keys(self):
        """How many keys there are."""
        return len(self.list_keys())

    def list_keys(self):
        """All keys."""
        return [key for key in super().list_keys() if not key.startswith((".workers", ".met/"))]

    def clone(self):
        """Another way to the same values, with a timeout of its own, over the same connection: threads may share that."""
        other = TCPStore.__new__(TCPStore)
        other._timeout, other.host, other.port, other.server, other.line = self._timeout, self.host, self.port, None, self.line
        return other

    def leave_will(self, what, *arguments):
        """Have this done when this process is gone: whether the store sees that. Without arguments: nothing any more."""
        if self.line is not None:
            try:
                # There is no answer to wait for: whoever has the table may itself wait for this process to end.
                self.line.send(None, 0, "will", (what, arguments) if arguments else None)
            except OSError:
                return False                            # it is gone
        return True

    def leave_word(self, what, *arguments):
        """Have this done, and do not wait until it is."""
        if self.line is None:
            super().leave_word(what, *arguments)
        else:
            self.line.send(None, 0, "word", (what, arguments))

    def close(self):
        """Let go of the connection, and of the table where this process has it."""
        self.line = None                                # it closes with the last of those who share it
        if self.server is not None:
            self.server.close()
        self.server = None

    def __del__(self):
        try:
            self.close()
        except (AttributeError, OSError, TypeError):
            pass                                    # it never came to be connected, or the interpreter is ending

    def __reduce__(self):
        return TCPStore, (self.host, self.port, None, False, timedelta(seconds=seconds(self._timeout)), False)
