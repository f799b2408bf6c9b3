"""Waiting until all ranks are here."""
import time
from datetime import timedelta

from leafward.arrays import reducing
from leafward.distributed.calls import Call
from leafward.distributed.collectives import member
from leafward.distributed.errors import DistStoreError


def barrier(group=None, async_op=False, device_ids=None, timeout=None):
    """Wait until all ranks are here.

    group, async_op: as for :func:`all_reduce`
    device_ids: for PyTorch's programs: there is one device
    timeout: how long to wait; None: as the group says

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.barrier(), 2)
    [None, None]
    """
    group = member(group, "barrier")
    if group is None:
        return None
    work = group.start(Call("barrier", "barrier", data=reducing.empty_flat(1, "uint8")))
    if timeout is not None:
        work.timeout = timeout.total_seconds()
    if async_op:
        return work
    work.wait()
    return None


def monitored_barrier(group=None, timeout=None, wait_all_ranks=False):
    """A barrier that names who does not come: rank 0 raises, and the others learn that it did.

    group: which ranks; None: all
    timeout: how long to wait, a ``timedelta``; None: as the group says
    wait_all_ranks: whether all ranks that do not come are named, rather than the first

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.monitored_barrier(), 2)
    [None, None]
    """
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")
    group = member(group, "monitored_barrier")
    if group is None or group.there == 1:
        return
    patience = (timeout or group.timeout).total_seconds()
    store, number, size = group.store.clone(), group.monitored, group.size()
    group.monitored += 1
    if group.rank() > 0:
        store.set(f"here/{number}/{group.rank()}", b"")
        # Rank 0 may have come late itself: it has as long to look at the others.
        try:
            store.wait([f"all here/{number}"], timedelta(seconds=2 * patience))
        except DistStoreError:
            raise RuntimeError(f"Rank {group.rank()} successfully reached monitoredBarrier, but received errors while waiting "
                               "for send/recv from rank 0. Please check rank 0 logs for faulty rank.") from None
        return
    end, missing = time.monotonic() + patience, []
    for rank in range(1, size):
        try:
            store.wait([f"here/{number}/{rank}"], timedelta(seconds=max(0.0, end - time.monotonic())))
        except DistStoreError:
            missing.append(rank)
            if not wait_all_ranks:
                break
    if missing:
        raise RuntimeError(f"Rank{'s' * (len(missing) > 1)} {', '.join(map(str, missing))} failed to pass monitoredBarrier in "
                           f"{1000 * patience:.0f} ms")
    store.set(f"all here/{number}", b"")
