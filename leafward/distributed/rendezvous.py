"""Where the processes of a job find each other: ``env://``, ``tcp://host:port``, ``file:///path``."""
import os
from urllib.parse import parse_qs, urlparse

from leafward.distributed.stores import FileStore
from leafward.distributed.tcp_store import TCPStore

handlers = {}


def register_rendezvous_handler(scheme, handler):
    """Let ``handler(url, timeout=...)`` yield ``(store, rank, world_size)`` for addresses that begin with ``scheme://``.

    scheme: what stands before ``://``
    handler: a generator function

    >>> def here(url, timeout=None):
    ...     yield lw.distributed.HashStore(), 0, 1
    >>> lw.distributed.register_rendezvous_handler("here", here)
    >>> next(lw.distributed.rendezvous("here://"))[1:]
    (0, 1)
    """
    if scheme in handlers:
        raise RuntimeError(f"Rendezvous handler for {scheme}:// already registered")
    handlers[scheme] = handler


def number(name, given, query, variable, url):
    """The rank or the size: as given, else in the address, else in the environment."""
    if given >= 0:
        return given
    if name in query:
        return int(query[name][0])
    if variable is not None and variable in os.environ:
        return int(os.environ[variable])
    raise ValueError(f"Error initializing torch.distributed using {url.scheme}:// rendezvous: "
                     + (f"environment variable {variable} expected, but not set" if variable else f"{name} parameter missing"))


def rendezvous(url, rank=-1, world_size=-1, timeout=None, **options):
    """Yield ``(store, rank, world_size)`` for an address.

    url: ``env://``, ``tcp://host:port`` or ``file:///path``, with ``?rank=0&world_size=2`` where they are not given
    rank, world_size: -1: as the address or the environment says
    timeout: how long to wait for the others
    options: what a handler of one's own takes

    >>> store, rank, size = next(lw.distributed.rendezvous("tcp://localhost:29613?rank=0&world_size=1"))
    >>> rank, size
    (0, 1)
    >>> store.close()
    """
    parts = urlparse(url)
    if parts.scheme not in ("env", "tcp", "file"):
        if parts.scheme not in handlers:
            raise RuntimeError(f"No rendezvous handler for {parts.scheme}://")
        yield from handlers[parts.scheme](url, timeout=timeout, **options)
        return
    query = parse_qs(parts.query)
    environment = parts.scheme == "env"
    if parts.scheme == "tcp" and not parts.port:
        raise ValueError("Error initializing torch.distributed using tcp:// rendezvous: port number missing")
    rank = number("rank", rank, query, "RANK" if environment else None, parts)
    size = number("world_size", world_size, query, "WORLD_SIZE" if environment else None, parts)
    patience = {} if timeout is None else {"timeout": timeout}
    if parts.scheme == "file":
        if not parts.path:
            raise ValueError("Error initializing torch.distributed using file:// rendezvous: path missing")
        store = FileStore(parts.path, size)
        if timeout is not None:
            store.set_timeout(timeout)
    elif parts.scheme == "tcp":
        store = TCPStore(parts.hostname, parts.port, size, rank == 0, **patience)
    else:
        for name in "MASTER_ADDR", "MASTER_PORT":
            if name not in os.environ:
                raise ValueError("Error initializing torch.distributed using env:// rendezvous: "
                                 f"environment variable {name} expected, but not set")
        agent = os.environ.get("TORCHELASTIC_USE_AGENT_STORE") == "True"
        store = TCPStore(os.environ["MASTER_ADDR"], int(os.environ["MASTER_PORT"]), size, rank == 0 and not agent, **patience)
    yield store, rank, size
