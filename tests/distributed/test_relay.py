"""One connection for all processes of a machine: who asks by a relay is answered as over a connection of its own."""
import os
import pickle
import socket
import struct
import subprocess
import sys
import threading
import time
import uuid
import warnings
from datetime import timedelta

import pytest

import leafward as lw
from bench.scaling import RELAY
from leafward.distributed import relay
from leafward.distributed.calls import Ledger
from leafward.distributed.watch import Watch

TCPStore = lw.distributed.TCPStore


@pytest.fixture
def master():
    store = TCPStore("localhost", 0, is_master=True)
    yield store
    store.close()


class Machine:
    """A relay, and stores that reach it; ``kept``: what keeps it."""

    def __init__(self, port, monkeypatch):
        self.name, self.port, self.monkeypatch = f"leafward-{uuid.uuid4().hex}-0", port, monkeypatch
        self.relay, self.kept = relay.attach(self.name, ("localhost", port))

    def store(self, **options):
        self.monkeypatch.setenv(relay.VARIABLE, f"localhost:{self.port} {self.name}")
        found = TCPStore("localhost", self.port, **options)
        assert found.line.connection.family == socket.AF_UNIX
        self.monkeypatch.delenv(relay.VARIABLE)
        return found

    def raw(self):
        """A connection for messages of one's own."""
        return relay.reach(self.name, relay.RANK)

    def close(self):
        self.kept.close()
        self.relay.thread.join(10)
        assert not self.relay.thread.is_alive()


@pytest.fixture
def machine(master, monkeypatch):
    found = Machine(master.port, monkeypatch)
    yield found
    found.close()


def clients_of(store):
    """The server's clients: ``(connections, those behind relays)``."""
    connections = [key.data for key in store.server.selector.get_map().values() if key.data is not None]
    return connections, [local for one in connections for local in one.locals.values()]


def soon(condition):
    """Whether something comes to be so."""
    end = time.monotonic() + 10
    while not condition() and time.monotonic() < end:
        time.sleep(0.005)
    return condition()


def test_each_is_answered_and_all_have_one_connection(master, machine):
    stores = [machine.store() for _ in range(8)]
    found = {}

    def wait(number):
        found[number] = stores[number].get(f"for {number}")
    threads = [threading.Thread(target=wait, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for number in reversed(range(8)):
        assert stores[number].add("n", 1) == 8 - number
        stores[(number + 1) % 8].set(f"for {number}", f"of {number}")
    for thread in threads:
        thread.join(30)
    assert found == {number: b"of %d" % number for number in range(8)}
    connections, locals_ = clients_of(master)
    assert len(connections) == 2 and len(locals_) == 8 + 1          # the master's own and the relay's; whoever keeps that
    with pytest.raises(lw.distributed.DistStoreError, match="wait timeout after 30ms, keys: /never"):
        stores[0].wait(["never"], timedelta(milliseconds=30))
    with pytest.raises(ValueError):
        stores[0].add("for 1", 1)
    assert not any([one.requests for one in locals_]) and not master.server.desk.aside


def test_clones_copies_and_children_go_by_the_relay(master, machine, monkeypatch):
    store = machine.store()
    assert store.clone().line is store.line
    monkeypatch.setenv(relay.VARIABLE, f"localhost:{master.port} {machine.name}")
    copy = pickle.loads(pickle.dumps(store))
    assert copy.line is not store.line and copy.line.connection.family == socket.AF_UNIX
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                             # of Python 3.12, where there are threads
        child = os.fork()
    if child == 0:
        try:
            store.set("of the child", "1")
        finally:
            os._exit(store.line.connection.family != socket.AF_UNIX)
    assert copy.get("of the child") == b"1" and os.waitpid(child, 0)[1] == 0 and store.add("n", 1) == 1
    # Another store's processes do not go there.
    other = TCPStore("localhost", 0, is_master=True)
    assert TCPStore("localhost", other.port).line.connection.family == socket.AF_INET


def test_large_values_pass_and_hold_nobody_up(master, machine):
    store, other = machine.store(), machine.store()
    value = os.urandom(30_000_000)
    done, asked = threading.Event(), 0

    def move():
        store.set("large", value)
        assert store.get("large") == value
        done.set()
    thread = threading.Thread(target=move)
    thread.start()
    while not done.is_set():
        asked = other.add("n", 1)
    thread.join(30)
    assert asked > 3 and master.get("large") == value


def request(*message):
    data = pickle.dumps(message)
    return struct.pack("<I", len(data)) + data


def test_who_does_not_read_holds_up_nobody_and_fills_no_memory(master, machine):
    master.set("large", bytes(1_000_000))
    slow, store = machine.raw(), machine.store()
    for number in range(40):
        slow.sendall(request(number, 60.0, "get", ("large",)))
    assert store.add("n", 1) == 1
    local = next(one for one in machine.relay.locals.values() if one.who == relay.RANK)
    most, end = 0, time.monotonic() + 0.3
    while time.monotonic() < end:
        store.add("n", 1)
        most = max(most, len(local.going))
    assert 0 < most <= relay.WINDOW
    slow.settimeout(10)
    left = 0
    for _ in range(40):                                             # and gets it all when it does
        head = b""
        while len(head) < 4:
            head += slow.recv(4 - len(head))
        left = struct.unpack("<I", head)[0]
        assert left > 1_000_000
        while left:
            left -= len(slow.recv(min(left, 1 << 16)))
    slow.close()


def test_a_store_that_takes_nothing_stops_the_reading(master, machine, monkeypatch):
    """Otherwise what ranks send would lie in the relay's memory."""
    stopped, attend, store = threading.Event(), master.server.attend, machine.store()
    monkeypatch.setattr(master.server, "attend", lambda client, events:
                        time.sleep(0.005) if stopped.is_set() else attend(client, events))
    stopped.set()
    thread = threading.Thread(target=store.set, args=("large", bytes(40_000_000)))
    thread.start()
    assert soon(lambda: machine.relay.full)
    time.sleep(0.1)
    assert len(machine.relay.going) < 2 * relay.ENOUGH
    stopped.clear()
    thread.join(30)
    assert len(master.get("large")) == 40_000_000 and not machine.relay.full


def test_wills_are_each_their_own(master, machine):
    stays, goes, other = machine.store(), machine.store(), machine.store()
    for name, store in ("stays", stays), ("goes", goes), ("other", other):
        assert store.leave_will("set", name, b"x")
    assert other.leave_will("nothing")
    impossible = machine.store()
    impossible.set("text", "x")
    assert impossible.leave_will("add", "text", 1)
    impossible.close()
    waits = machine.raw()
    waits.sendall(request(0, 60.0, "get", ("never",)))
    assert soon(lambda: "never" in master.server.desk.aside)
    waits.close()
    other.close()
    goes.close()
    assert master.get("goes") == b"x" and soon(lambda: not master.server.desk.aside)
    assert not master.check(["stays"]) and not master.check(["other"]) and stays.add("n", 1) == 1


@pytest.mark.parametrize("damage", [
    struct.pack("<I", 1 << 31), struct.pack("<I", 3) + b"abc", request(0, 1.0, "_secret", ()), request(1, 2),
    request(0, 1.0, "relay", ()), request(0, 1.0, "set", ("k", ValueError()))])
def test_what_is_no_message_ends_that_one_alone(damage, master, machine):
    store = machine.store()
    with machine.raw() as speechless:
        speechless.sendall(damage)
        speechless.settimeout(10)
        assert speechless.recv(1) == b"" and store.add("n", 1) == 1
    assert soon(lambda: len(clients_of(master)[1]) == len(machine.relay.locals) == 2)


def test_frames_that_are_none_end_the_relay_alone(master):
    for damage in b"x" * 20, relay.HEAD.pack(relay.DATA, 0, relay.PIECE + 1):
        connection = relay.connect_as_relay(("localhost", master.port))
        connection.sendall(damage)
        connection.settimeout(10)
        assert connection.recv(1) == b""
        connection.close()
    # A piece from nobody is nobody's; a store that answers nothing is no store.
    connection = relay.connect_as_relay(("localhost", master.port))
    connection.sendall(relay.framed(relay.DATA, 5, request(0, 1.0, "set", ("k", b""))) + relay.framed(relay.OPEN, 6)
                       + relay.framed(relay.DATA, 6, request(0, 1.0, "add", ("n", 1))))
    assert soon(lambda: master.check(["n"])) and not master.check(["k"])
    connection.close()
    with socket.create_server(("localhost", 0)) as server:
        thread = threading.Thread(target=lambda: server.accept()[0].close())
        thread.start()
        with pytest.raises(OSError):
            relay.connect_as_relay(server.getsockname())
        thread.join(10)


def test_frames_come_in_any_pieces():
    sent = [(relay.OPEN, 0, 0), (relay.DATA, 0, b"abc"), (relay.ROOM, 7, 1 << 31), (relay.DATA, 1, b""), (relay.GONE, 1, 0)]
    bytes_of = b"".join([relay.framed(kind, key, what) if kind == relay.DATA else relay.HEAD.pack(kind, key, what)
                         for kind, key, what in sent])
    for size in range(1, len(bytes_of) + 1):
        frames = relay.Frames()
        pieces = [bytes_of[start:start + size] for start in range(0, len(bytes_of), size)]
        assert [frame for piece in pieces for frame in frames.split(piece)] == sent
    with pytest.raises(EOFError):
        relay.Frames().split(b"")


def test_last_words_of_one_that_reads_no_answer_arrive(master, machine):
    master.set("large", bytes(1_000_000))
    one = machine.raw()
    for number in range(3):
        one.sendall(request(number, 60.0, "get", ("large",)))
    assert soon(lambda: any([local.going for local in machine.relay.locals.values()]))
    one.sendall(request(None, 0, "will", ("set", ("will", b""))) + request(4, 60.0, "set", ("said", b"at last"))
                + request(None, 0, "will", None))
    one.close()
    assert master.get("said") == b"at last" and soon(lambda: len(machine.relay.locals) == 1)
    assert soon(lambda: len(clients_of(master)[1]) == 1) and not master.check(["will"])


def test_only_the_same_user_is_let_in(machine, monkeypatch):
    monkeypatch.setattr(relay, "user_of", lambda connection: os.geteuid() + 1)
    with pytest.raises(PermissionError, match="another user of this machine"):
        relay.attach(machine.name, ("localhost", machine.port))
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect("\0" + machine.name)
        connection.settimeout(10)
        try:
            connection.sendall(relay.RANK)
            assert connection.recv(1) == b""
        except (BrokenPipeError, ConnectionResetError):
            pass                                                    # it had hung up already
    assert all([local.who == relay.STARTED for local in machine.relay.locals.values()])


def test_the_first_is_the_relay_and_stays_for_the_others(master, monkeypatch):
    """Sixteen come at once; it ends when the last of those that start ranks has gone, whatever ranks have left behind."""
    name, found = f"leafward-{uuid.uuid4().hex}-0", []
    threads = [threading.Thread(target=lambda: found.append(relay.attach(name, ("localhost", master.port))))
               for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    (first,) = [one for one, _ in found if one is not None]
    assert soon(lambda: len(clients_of(master)[1]) == 16) and len(clients_of(master)[0]) == 2
    left = relay.reach(name, relay.RANK)
    for _, connection in found[1:]:
        connection.close()
    time.sleep(0.05)
    assert first.thread.is_alive()
    _, last = found[0]
    last.sendall(request(0, 5.0, "compare_set", ("failed", b"", b"the last words")))
    last.close()
    first.thread.join(10)
    assert not first.thread.is_alive() and master.get("failed") == b"the last words" and left.recv(1) == b""
    left.close()
    # Whoever comes after the end is the next relay.
    again, connection = relay.attach(name, ("localhost", master.port))
    assert again is not None and again is not first
    connection.close()
    again.thread.join(10)


def test_a_store_that_goes_takes_all_with_it(monkeypatch):
    store = TCPStore("localhost", 0, is_master=True)
    machine = Machine(store.port, monkeypatch)
    rank = machine.store()
    store.close()
    machine.relay.thread.join(10)
    assert not machine.relay.thread.is_alive() and machine.kept.recv(1) == b""
    with pytest.raises(lw.distributed.DistNetworkError, match="is gone"):
        rank.get("k")
    with pytest.raises(lw.distributed.DistNetworkError, match="timed out after 200ms"):
        machine.store(timeout=timedelta(milliseconds=200))
    machine.close()


def test_a_relay_that_is_killed_takes_its_ranks_with_it_which_the_others_are_told(master, machine, monkeypatch):
    """It loads nothing of leafward, nor anything that is installed."""
    name = f"leafward-{uuid.uuid4().hex}-1"
    with subprocess.Popen([sys.executable, "-S", "-E", "-c", RELAY, os.path.dirname(relay.__file__), name, str(master.port)],
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "\n"
        other, ended = Machine.__new__(Machine), []
        other.name, other.port, other.monkeypatch = name, master.port, monkeypatch

        class Told(Ledger):
            def end(self, error, group_name=None):
                ended.append((self.rank, str(error), time.monotonic()))
        watches = [Watch(where.store(), Told(rank), 3) for rank, where in enumerate((machine, other, other))]
        process.kill()
        began = time.monotonic()
        assert soon(lambda: len(ended) == 3)
    told = {rank: text for rank, text, _ in ended}
    assert max([when for *_, when in ended]) - began < 5
    assert all(["the rank that has the store is gone" in told[rank] for rank in (1, 2)])
    host = f"{socket.gethostname()}, pid {os.getpid()}"
    assert "is gone\n  rank 0: in no collective" in told[0] and told[0].count(f"({host})") == 2, told
    watches[0].close()
