"""Stores answer as PyTorch's do, alone, from several threads and from another process."""
import os
import pickle
import subprocess
import sys
import threading
import time
import warnings
from datetime import timedelta

import pytest

import leafward as lw
from tests.oracle import torch

#: What is asked of every store, in this order.
ASKED = """
set("a", "1"); get("a"); add("a", 3); add("n", 2); get("n"); get("zz"); wait(["a"]); wait(["zz"]); wait(["zz"], short)
check(["a"]); check(["a", "zz"]); compare_set("c", "", "x"); compare_set("c", "y", "z"); compare_set("c", "x", "z")
compare_set("d", "y", "z"); get("d"); append("a", "22"); get("a"); multi_set(["u", "v"], ["1", "2"]); multi_get(["u", "v"])
multi_get(["u", "zz"]); add("s", 1.5); set("b", b"x"); get("b"); delete_key("a"); check(["a"])
"""
#: FileStore has no queues in PyTorch.
QUEUES = """
queue_push("q", "1"); queue_push("q", "2"); queue_len("q"); queue_pop("q"); queue_pop("q"); queue_pop("q", False)
queue_pop("q"); queue_len("none"); check(["q"]); delete_key("a"); sorted(store.list_keys()); set("w", "abc"); add("w", 1)
"""


def stores(library, folder):
    dist = library.distributed
    return {"HashStore": dist.HashStore(), "FileStore": dist.FileStore(str(folder / library.__name__), 1),
            "TCPStore": dist.TCPStore("localhost", 0, 1, True), "PrefixStore": dist.PrefixStore("p", dist.HashStore())}


def answers(store, asked):
    found = []
    store.set_timeout(timedelta(milliseconds=30))
    for ask in asked.replace("\n", "; ").split("; "):
        if ask:
            try:
                found.append((ask, eval(ask if "store." in ask else f"store.{ask}",
                                        {"store": store, "short": timedelta(milliseconds=20)})))
            except Exception as error:
                # A timeout is a DistStoreError, which is a RuntimeError; PyTorch's FileStore raises the latter itself.
                found.append((ask, "RuntimeError" if isinstance(error, RuntimeError) else type(error).__name__))
    return found


@pytest.mark.parametrize("kind", ["HashStore", "FileStore", "TCPStore", "PrefixStore"])
def test_answers(kind, tmp_path):
    ours, theirs = (stores(library, tmp_path)[kind] for library in (lw, torch))
    assert answers(ours, ASKED) == answers(theirs, ASKED)
    if kind != "FileStore":
        mine, other = answers(ours, QUEUES), answers(theirs, QUEUES)
        # PyTorch's TCPStore loses its connection over a sum of text.
        assert mine[:-1] == other[:-1] and mine[-1][1] == "ValueError"


def test_a_timeout_is_a_store_error():
    store = lw.distributed.HashStore()
    with pytest.raises(lw.distributed.DistStoreError, match=r"wait timeout after 50ms, keys: /a"):
        store.wait(["a"], timedelta(milliseconds=50))
    with pytest.raises(lw.distributed.QueueEmptyError):
        store.queue_pop("q", block=False)


@pytest.mark.parametrize("kind", ["HashStore", "FileStore", "TCPStore"])
def test_threads_add_up(kind, tmp_path):
    store = stores(lw, tmp_path)[kind]

    def work(mine):
        for _ in range(20):
            mine.add("n", 1)
    threads = [threading.Thread(target=work, args=(store.clone(),)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert store.get("n") == b"80"


@pytest.mark.parametrize("kind", ["HashStore", "FileStore", "TCPStore"])
def test_waiting_ends_when_the_value_comes(kind, tmp_path):
    store = stores(lw, tmp_path)[kind]
    other = store.clone()
    timer = threading.Timer(0.1, lambda: other.set("k", "v"))
    timer.start()
    began = time.monotonic()
    assert store.get("k") == b"v" and 0.05 < time.monotonic() - began < 10
    timer.join(10)


PROGRAM = """
import sys, leafward as lw
dist, place = lw.distributed, sys.argv[1]
store = dist.TCPStore("localhost", int(place)) if place.isdigit() else dist.FileStore(place)
print(store.get("to"), store.add("n", 5))
store.set("from", "child")
"""


@pytest.mark.parametrize("kind", ["FileStore", "TCPStore"])
def test_another_process(kind, tmp_path):
    store = stores(lw, tmp_path)[kind]
    place = str(store.port) if kind == "TCPStore" else store.path
    child = subprocess.Popen([sys.executable, "-c", PROGRAM, place], stdout=subprocess.PIPE, text=True)
    try:
        store.add("n", 2)
        store.set("to", "parent")
        assert store.get("from") == b"child"
        assert child.communicate(timeout=60)[0] == "b'parent' 7\n"
    finally:
        child.kill()
        child.wait()


def test_a_file_goes_with_its_last_user(tmp_path):
    path = tmp_path / "store"
    first, second = lw.distributed.FileStore(str(path), 2), lw.distributed.FileStore(str(path), 2)
    del first
    assert path.exists()
    del second
    assert not path.exists()


def test_workers_meet():
    dist = lw.distributed
    master = []
    thread = threading.Thread(target=lambda: master.append(dist.TCPStore("localhost", port, 2, True)))
    probe = dist.TCPStore("localhost", 0, is_master=True)
    port = probe.port
    probe.close()
    thread.start()
    worker = dist.TCPStore("localhost", port, 2)
    thread.join(30)
    worker.set("a", "b")
    assert master[0].get("a") == b"b" and master[0].num_keys() >= 1


def test_a_store_that_is_gone_says_so():
    dist = lw.distributed
    master = dist.TCPStore("localhost", 0, is_master=True)
    worker = dist.TCPStore("localhost", master.port)
    master.close()
    with pytest.raises(dist.DistNetworkError, match="is gone"):
        worker.get("a")
    with pytest.raises(dist.DistNetworkError, match="timed out after 200ms while trying to connect"):
        dist.TCPStore("localhost", master.port, timeout=timedelta(milliseconds=200))


def test_threads_of_a_process_share_one_connection():
    """However many wait, others ask; and each gets its own answer."""
    dist = lw.distributed
    master = dist.TCPStore("localhost", 0, is_master=True)
    worker, found = dist.TCPStore("localhost", master.port), {}

    def wait(number):
        found[number] = dist.PrefixStore("p", worker.clone()).get(str(number))
    threads = [threading.Thread(target=wait, args=(number,)) for number in range(20)]
    for thread in threads:
        thread.start()
    for number in reversed(range(20)):
        assert worker.add("n", 1) == 20 - number
        master.set(f"p/{number}", f"of {number}")
    for thread in threads:
        thread.join(30)
    assert found == {number: b"of %d" % number for number in range(20)}
    clients = [key.data for key in master.server.selector.get_map().values() if key.data is not None]
    assert len(clients) == 2 and not any([client.requests for client in clients])
    with pytest.raises(dist.DistStoreError):
        worker.clone().wait(["never"], timedelta(milliseconds=20))
    assert not any([client.requests for client in clients]) and not master.server.desk.aside


def test_asking_costs_as_much_as_there_are_ranks(monkeypatch):
    """Each of n waits for one name, one waits for n names, and all for one: some looks for each, and not for each pair."""
    from leafward.distributed import stores
    looks, answered = [0], []
    for what, there in stores.WAITS.items():
        def counted(table, key, there=there):
            looks[0] += 1
            return there(table, key)
        monkeypatch.setitem(stores.WAITS, what, counted)

    def cost(size):
        looks[0], desk = 0, stores.Desk()

        def ask(what, *arguments):
            desk.ask(stores.Request(what, arguments, answered.append))
        ask("wait", [str(number) for number in range(size)])
        for number in range(size):
            ask("get", str(number))
            ask("wait", ["all"])
        for number in range(size):
            ask("set", str(number), b"")
        ask("set", "all", b"")
        assert not desk.aside
        return looks[0]
    assert cost(1000) < 11 * cost(100) and len(answered) == 3 * 1100 + 2 + 2


def test_a_child_asks_over_a_connection_of_its_own():
    dist = lw.distributed
    master = dist.TCPStore("localhost", 0, is_master=True)
    worker = dist.TCPStore("localhost", master.port)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")                     # of Python 3.12, where there are threads
        child = os.fork()
    if child == 0:
        try:
            worker.set("of the child", "1")
            worker.wait(["of the parent"])
        finally:
            os._exit(0)
    assert worker.get("of the child") == b"1"
    worker.set("of the parent", "1")
    assert os.waitpid(child, 0)[1] == 0 and worker.add("n", 1) == master.add("n", 0) == 1


def test_a_word_is_left_without_an_answer(monkeypatch):
    """Whoever has the table may be busy with something that does not let the interpreter go."""
    dist = lw.distributed
    master = dist.TCPStore("localhost", 0, is_master=True)
    worker, busy = dist.TCPStore("localhost", master.port), threading.Lock()
    attend = master.server.attend
    monkeypatch.setattr(master.server, "attend", lambda *given: [busy.acquire(), busy.release(), attend(*given)])
    with busy:
        began = time.monotonic()
        dist.PrefixStore("p", worker).leave_word("set", "k", b"x")
        assert time.monotonic() - began < 1
    assert master.get("p/k") == b"x"
    for store in dist.HashStore(), master:
        dist.PrefixStore("q", store).leave_word("set", "k", b"y")
        assert store.get("q/k") == b"y"
    worker.close()
    master.close()


def test_a_will_is_done_when_its_connection_closes():
    dist = lw.distributed
    master = dist.TCPStore("localhost", 0, is_master=True)
    for end in "goes", "takes it back":
        worker = dist.TCPStore("localhost", master.port)
        assert dist.PrefixStore("p", worker).leave_will("set", end, b"x")
        if end != "goes":
            assert worker.leave_will("nothing")
        worker.close()
    assert master.get("p/goes") == b"x"
    time.sleep(0.05)
    assert not master.check(["p/takes it back"]) and not dist.HashStore().leave_will("set", "k", b"")


def test_messages_are_plain_values(tmp_path):
    import socket
    import struct
    store = lw.distributed.TCPStore("localhost", 0, is_master=True)
    target = tmp_path / "made"

    class Harmful:
        def __reduce__(self):
            return os.mkdir, (str(target),)
    with socket.create_connection(("localhost", store.port)) as connection:
        data = pickle.dumps((0, 1.0, "set", ("k", Harmful())))
        connection.sendall(struct.pack("<I", len(data)) + data)
        assert connection.recv(1) == b""                    # the server hangs up
    assert not target.exists() and store.check(["k"]) is False


@pytest.mark.parametrize("address, message", [
    ("ftp://x", "No rendezvous handler for ftp://"), ("tcp://localhost", "port number missing"),
    ("tcp://localhost:1", "rank parameter missing"), ("file:///tmp/x?rank=0", "world.size parameter missing"),
    ("env://", "environment variable RANK expected")])
def test_addresses_that_lack_something(address, message, monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    with pytest.raises((ValueError, RuntimeError), match=message):
        next(lw.distributed.rendezvous(address))
    with pytest.raises((ValueError, RuntimeError), match=message):
        next(torch.distributed.rendezvous(address))
