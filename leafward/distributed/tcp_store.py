"""``TCPStore``: a table in one process, which the others reach by a socket.

A message is four bytes of length and a pickle of plain values: what is read is built by an unpickler that knows no class.
"""
import io
import pickle
import socket
import struct
import threading
import time
from datetime import timedelta

from leafward.distributed.errors import DistNetworkError
from leafward.distributed.stores import DEFAULT_TIMEOUT, Store, Table, too_late
from leafward.distributed.work import seconds

#: The longest message that is read.
LONGEST = 1 << 30


class Plain(pickle.Unpickler):
    """Numbers, strings, bytes, lists and tuples of them."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"{module}.{name} in a message of a store")


def send_message(connection, message):
    """Send plain values."""
    data = pickle.dumps(message)
    connection.sendall(struct.pack("<I", len(data)) + data)


def read_exactly(file, size):
    data = file.read(size)
    if len(data) != size:
        raise EOFError
    return data


def read_message(file):
    """The next message of a connection."""
    size = struct.unpack("<I", read_exactly(file, 4))[0]
    if size > LONGEST:
        raise EOFError
    return Plain(io.BytesIO(read_exactly(file, size))).load()


class Server:
    """The table, and a thread for each who asks."""

    def __init__(self, host, port, listening=None):
        self.table, self.changed = Table(), threading.Condition()
        self.listening = (socket.create_server(("", port), backlog=1024) if listening is None
                          else socket.socket(fileno=listening))
        self.port = self.listening.getsockname()[1]
        self.connections = set()
        threading.Thread(target=self.accept, daemon=True, name="leafward store").start()

    def accept(self):
        while True:
            try:
                connection, _ = self.listening.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            self.connections.add(connection)
            threading.Thread(target=self.serve, args=(connection,), daemon=True, name="leafward store").start()

    def serve(self, connection):
        file = connection.makefile("rb")
        try:
            while True:
                patience, what, arguments = read_message(file)
                if what.startswith("_") or not hasattr(Table, what):
                    return
                send_message(connection, self.answer(patience, what, arguments))
        except (OSError, EOFError, pickle.UnpicklingError, ValueError, TypeError):
            pass                                    # whoever asked is gone, or does not speak this language
        finally:
            self.connections.discard(connection)
            file.close()
            connection.close()

    def answer(self, patience, what, arguments):
        end = time.monotonic() + patience
        with self.changed:
            while True:
                try:
                    done, answer = getattr(self.table, what)(*arguments)
                except (ValueError, TypeError) as error:
                    return "refused", str(error)
                if done:
                    self.changed.notify_all()
                    return "done", answer
                if not self.changed.wait(end - time.monotonic()):
                    return "late", None

    def close(self):
        """Stop: nobody is answered any more."""
        try:
            self.listening.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        self.listening.close()
        for connection in list(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass


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
        self.lock = threading.Lock()
        self.connect()
        if wait_for_workers and world_size is not None and world_size > 0:
            self.meet(world_size)

    def connect(self):
        """Reach the server, which may not be there yet."""
        end = time.monotonic() + seconds(self._timeout)
        while True:
            try:
                self.connection = socket.create_connection((self.host, self.port), timeout=max(0.1, end - time.monotonic()))
                break
            except OSError as error:
                if time.monotonic() > end:
                    raise DistNetworkError(
                        f"The client socket has timed out after {1000 * seconds(self._timeout):.0f}ms while trying to connect "
                        f"to ({self.host}, {self.port}): {error}") from None
                time.sleep(0.02)
        self.connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.file = self.connection.makefile("rb")

    def meet(self, world_size):
        """Whoever has the table waits for the others."""
        count = self.add(".workers", 1)
        if count % world_size == 0:
            self.set(f".met/{(count - 1) // world_size}", b"")
        if self.server is not None:
            self.wait([f".met/{(count - 1) // world_size}"])

    def ask(self, timeout, what, *arguments):
        with self.lock:
            try:
                # The server keeps the time; the socket's is longer, for a server that is stuck.
                self.connection.settimeout(seconds(timeout) + 10)
                send_message(self.connection, (seconds(timeout), what, arguments))
                how, answer = read_message(self.file)
            except (OSError, EOFError) as error:
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
        """Another connection to the same values, for another thread: what waits here does not keep it."""
        return TCPStore(self.host, self.port, timeout=self._timeout, wait_for_workers=False)

    def close(self):
        """Let go of the connection, and of the table where this process has it."""
        for part in (self.file, self.connection, self.server):
            if part is not None:
                part.close()
        self.server = None

    def __del__(self):
        try:
            self.close()
        except (AttributeError, OSError, TypeError):
            pass                                    # it never came to be connected, or the interpreter is ending

    def __reduce__(self):
        return TCPStore, (self.host, self.port, None, False, timedelta(seconds=seconds(self._timeout)), False)
