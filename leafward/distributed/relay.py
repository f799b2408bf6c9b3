"""One connection of a machine to the launcher's store, for all its ranks: the relay, in one of its ``started.py`` processes.

Whoever comes first on a machine has it; the others, and all the ranks, reach it by a name that is this machine's alone, and
that only processes of the same user may use. What they send goes on unread, in frames that say whose it is. It imports nothing
of leafward.
"""
import itertools
import os
import pickle
import resource
import selectors
import socket
import struct
import threading
import time

#: What a frame begins with: its kind, whose it is, and a number: the bytes of a piece, which follow, or of room.
HEAD = struct.Struct("<cII")
#: One more, who sends from now on; a piece of what one sends or is sent; one is gone; one has taken so many bytes.
OPEN, DATA, GONE, ROOM = b"o", b"+", b"-", b"r"
#: How much is read at once, and how much of what goes to one may be on its way or lie here.
PIECE, WINDOW = 1 << 16, 1 << 18
#: With so much that the store has not taken, nobody's more is read.
ENOUGH = 1 << 20
#: What one says who comes: that it started a rank, or is one; and what the relay says then.
STARTED, RANK, WELCOME = b"s", b"r", b"!"
#: What tells a rank, as ``host:port name``, to which store there is a relay, and its name.
VARIABLE = "LEAFWARD_RELAY"
#: How long the store and the relay may take to answer, in seconds.
PATIENCE = 60.0


def framed(kind, key, piece=b""):
    """A frame that has a piece with it, if only an empty one."""
    return HEAD.pack(kind, key, len(piece)) + piece


class Frames:
    """What has come in frames, and is no whole frame yet."""

    def __init__(self):
        self.pieces = b""

    def split(self, piece):
        """The frames that are whole now, ``(kind, key, bytes or a number)``; EOFError where nothing more will come."""
        if not piece:
            raise EOFError("the connection was closed")
        pieces, found, start = self.pieces + piece, [], 0
        while len(pieces) - start >= HEAD.size:
            kind, key, number = HEAD.unpack_from(pieces, start)
            end = start + HEAD.size + (number if kind == DATA else 0)
            if number > PIECE and kind == DATA or kind not in (OPEN, DATA, GONE, ROOM):
                raise EOFError("no frame")
            if end > len(pieces):
                break
            found.append((kind, key, pieces[start + HEAD.size:end] if kind == DATA else number))
            start = end
        self.pieces = pieces[start:]
        return found


def user_of(connection):
    """Who has the other end of a connection within this machine."""
    return struct.unpack("3i", connection.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i")))[1]


def reach(name, who, patience=PATIENCE):
    """A connection to the relay of that name; an OSError where there is none (any more)."""
    connection = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        connection.settimeout(patience)
        connection.connect("\0" + name)
        if user_of(connection) != os.geteuid():
            raise PermissionError(f"another user of this machine has taken the name of this job's relay, {name}")
        connection.sendall(who)
        if connection.recv(1) != WELCOME:
            raise ConnectionResetError("the relay has ended")
        connection.settimeout(None)
    except BaseException:
        connection.close()
        raise
    return connection


def name_of(host, port):
    """The name of the relay to a store, as the environment of a rank says; None where there is none to that store."""
    address, _, name = os.environ.get(VARIABLE, "").partition(" ")
    return name if address == f"{host}:{port}" else None


def attach(name, address):
    """``(relay or None, connection)``: reach the relay of that name, or be it; ``address``: where the store is."""
    relay, until = None, time.monotonic() + PATIENCE
    while True:
        try:
            return relay, reach(name, STARTED)
        except PermissionError:
            raise
        except OSError:                                 # there is none yet, or it has just ended
            if time.monotonic() > until:
                raise
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            listening.bind("\0" + name)
            listening.listen(4096)
        except OSError:
            listening.close()
            time.sleep(0.01)                            # another was first
        else:
            relay = Relay(listening, address)


def connect_as_relay(address):
    """A connection to the store, which takes frames from now on."""
    connection = socket.create_connection(address, timeout=PATIENCE)
    try:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        asked = pickle.dumps((0, PATIENCE, "relay", ()))
        connection.sendall(struct.pack("<I", len(asked)) + asked)
        with connection.makefile("rb", buffering=0) as answer:
            head = answer.read(4)
            if len(head) < 4 or not answer.read(struct.unpack("<I", head)[0]):
                raise ConnectionResetError(f"the store at {address} takes no relay")
    except BaseException:
        connection.close()
        raise
    connection.setblocking(False)
    return connection


def accepted(listening):
    """A connection that waits to be taken, or None. Where the process may have more files open, it gets room for more."""
    try:
        connection, _ = listening.accept()
    except BlockingIOError:
        return None                                     # it went away again
    except OSError:
        time.sleep(0.01)                                # too many are open: others close
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard and connection.fileno() > soft // 2:
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    connection.setblocking(False)
    return connection


class Local:
    """One process of this machine that uses the relay."""

    def __init__(self, connection, key):
        self.connection, self.key = connection, key
        self.who = None                                 # before it has said so
        self.going, self.taken = bytearray(), 0         # what it does not take yet; what it took since that was told
        self.events = 0                                 # what the selector looks for


class Relay:
    """A thread that hands on what comes; it ends with the last process that started a rank, or with the store."""

    def __init__(self, listening, address):
        self.listening = listening
        try:
            self.store = connect_as_relay(address)
        except BaseException:
            listening.close()
            raise
        listening.setblocking(False)
        self.frames, self.going, self.keys = Frames(), bytearray(), itertools.count()
        self.locals, self.full, self.there = {}, False, None        # there: how many that started ranks, once one has come
        self.selector = selectors.DefaultSelector()
        self.selector.register(listening, selectors.EVENT_READ)
        self.selector.register(self.store, selectors.EVENT_READ)
        self.thread = threading.Thread(target=self.serve, daemon=True, name="leafward relay")
        self.thread.start()

    def serve(self):
        """Hand on, until the end."""
        try:
            while self.there != 0:
                for key, events in self.selector.select():
                    if key.fileobj is self.listening:
                        self.accept()
                    elif key.fileobj is self.store and events & selectors.EVENT_READ:
                        self.hear_store(self.store.recv(PIECE))
                    elif key.data is not None and key.data.key in self.locals:
                        self.attend(key.data, events)
                self.flush()
            self.store.settimeout(PATIENCE)             # the last one's last words
            self.store.sendall(self.going)
        except (OSError, EOFError):
            pass                                        # the store is gone
        finally:
            for key in list(self.selector.get_map().values()):
                key.fileobj.close()
            for local in self.locals.values():
                local.connection.close()                # of those that the selector did not look at
            self.selector.close()

    def accept(self):
        """One more."""
        connection = accepted(self.listening)
        if connection is None:
            return
        if user_of(connection) != os.geteuid():
            connection.close()
            return
        local = Local(connection, next(self.keys))
        self.locals[local.key] = local
        self.look_for(local)

    def look_for(self, local):
        """Have the selector look for what can be done with one's connection."""
        events = (0 if self.full else selectors.EVENT_READ) | (selectors.EVENT_WRITE if local.going else 0)
        if events != local.events:
            if local.events == 0:
                self.selector.register(local.connection, events, local)
            elif events == 0:
                self.selector.unregister(local.connection)
            else:
                self.selector.modify(local.connection, events, local)
            local.events = events

    def attend(self, local, events):
        """Take what one sends, and give it what it takes."""
        try:
            if events & selectors.EVENT_WRITE:
                self.push(local)
            if events & selectors.EVENT_READ:
                self.hear(local, local.connection.recv(PIECE))
        except BlockingIOError:
            pass
        except (OSError, EOFError):
            self.drop(local)
            self.going += framed(GONE, local.key)

    def hear(self, local, piece):
        """What one sends; its first byte says who it is."""
        if not piece:
            raise EOFError("it is gone")
        if local.who is None:
            local.who, piece = piece[:1], piece[1:]
            local.connection.send(WELCOME)
            self.going += framed(OPEN, local.key)
            if local.who == STARTED:
                self.there = (self.there or 0) + 1
        if piece:
            self.going += framed(DATA, local.key, piece)

    def hear_store(self, received):
        """What the store sends."""
        for kind, key, piece in self.frames.split(received):
            local = self.locals.get(key)
            if local is None:
                continue                                # it is gone meanwhile
            if kind == GONE:
                self.drop(local)                        # it does not speak the store's language
            else:
                local.going += piece
                self.push(local)

    def push(self, local):
        """Give one what it takes, and tell the store what it took now and then: no more than a window is ever on its way."""
        try:
            while local.going:
                taken = local.connection.send(local.going)
                del local.going[:taken]
                local.taken += taken
        except BlockingIOError:
            pass
        except OSError:
            local.going.clear()                         # it is gone, which reading tells, behind its last words
        self.look_for(local)
        if local.taken >= WINDOW // 2:
            self.going += HEAD.pack(ROOM, local.key, local.taken)
            local.taken = 0

    def drop(self, local):
        """One is gone."""
        del self.locals[local.key]
        if local.events:
            self.selector.unregister(local.connection)
        local.connection.close()
        if local.who == STARTED:
            self.there -= 1

    def flush(self):
        """Give the store what it takes; while it takes little, nothing more is read."""
        try:
            while self.going:
                del self.going[:self.store.send(self.going)]
        except BlockingIOError:
            pass
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if self.going else 0)
        if self.selector.get_key(self.store).events != events:
            self.selector.modify(self.store, events)
        full = len(self.going) > ENOUGH
        if full != self.full:
            self.full = full
            for local in self.locals.values():
                self.look_for(local)
