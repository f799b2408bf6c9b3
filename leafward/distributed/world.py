"""The groups that this process, or this thread as a rank, has: making, asking and ending them."""
import hashlib
import itertools
import os
from contextvars import ContextVar
from datetime import timedelta

from leafward.distributed import threads
from leafward.distributed.calls import Ledger
from leafward.distributed.errors import NOT_INITIALIZED
from leafward.distributed.fake import Fake
from leafward.distributed.group import GroupMember, ProcessGroup
from leafward.distributed.rendezvous import rendezvous
from leafward.distributed.stores import HashStore, PrefixStore
from leafward.distributed.work import seconds
from leafward.errors import warn

default_pg_timeout = timedelta(minutes=30)
#: Names that ask for MPI, which is what carries everything here, and what each lacks otherwise.
OVER_MPI = ("mpi", "gloo", "cpu:gloo", "cpu:mpi", "cpu:gloo,cuda:nccl", "cpu:gloo,cuda:gloo")
#: The kinds of devices that PyTorch lists for a backend which was asked for without one.
DEVICES_OF = {"gloo": ("cpu", "cuda"), "mpi": ("cpu", "cuda"), "fake": ("cpu", "cuda", "hpu", "xpu")}
NOT_BUILT = {"nccl": "NCCL", "cuda:nccl": "NCCL", "ucc": "UCC", "xccl": "XCCL"}


class World:
    """The groups of one rank."""

    def __init__(self):
        self.default = None
        self.groups = {}                                # the group -> its name
        self.ledger = None
        self.job = None                                 # of threads
        self.local = {}                                 # ranks -> how many groups their members made by themselves
        self.count = itertools.count(1)


#: Of a thread that is a rank, and of the process.
of_thread = ContextVar("of_thread", default=None)
of_process = World()


def current():
    """The groups of this rank."""
    return of_thread.get() or of_process


class Default(type):
    """The class of :class:`group`, whose ``WORLD`` differs from rank to rank where the ranks are threads."""

    @property
    def WORLD(cls):
        return current().default

    @WORLD.setter
    def WORLD(cls, value):
        current().default = value


class group(metaclass=Default):
    """The default group under a name: ``dist.group.WORLD``, None where there is none.

    >>> lw.distributed.group.WORLD is None
    True
    """


def default_group():
    """The group of all ranks."""
    found = current().default
    if found is None:
        raise ValueError(NOT_INITIALIZED)
    return found


def is_initialized():
    """Whether there is a default process group.

    >>> lw.distributed.is_initialized()
    False
    """
    return current().default is not None


def group_or_default(given):
    """The group that a function was given; None: all ranks."""
    if given is None:
        return default_group()
    if not isinstance(given, ProcessGroup):
        raise ValueError(f"Process group {given} is not initialized in the world group map. Please initialize the group first.")
    return given


def check_timeout(timeout):
    """Refuse what says no time to wait for."""
    if timeout is not None and not isinstance(timeout, timedelta):
        raise TypeError(f"Expected timeout argument to be of type datetime.timedelta, got {timeout}")


def rendezvous_of(init_method, rank, world_size, timeout):
    """``(store, rank, size)``; without a launcher and an address, a world of one."""
    if init_method is None:
        init_method = "env://"
    return next(rendezvous(init_method, rank, world_size, timeout=timeout))


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    """Join the processes of this job: afterwards the collectives work among them.

    backend: ``"mpi"``; ``"gloo"``, ``"cpu:gloo"`` and None ask for the same. ``"threads"``: the ranks are threads of one
        process; ``"fake"``: one rank of any number, and nothing is moved
    init_method: ``env://`` (as ``torchrun`` and ``leafward launch`` set it; the default), ``tcp://host:port`` or ``file:///path``
    timeout: how long a collective waits, a ``timedelta``; None: 30 minutes
    world_size, rank: how many ranks there are, and which this is; -1: as ``init_method`` tells
    store: a store that all have, in place of ``init_method``; then ``rank`` and ``world_size`` are needed
    group_name, pg_options, device_id: for PyTorch's programs

    >>> store = lw.distributed.HashStore()
    >>> lw.distributed.init_process_group("threads", store=store, rank=0, world_size=1)
    >>> lw.distributed.get_world_size()
    1
    >>> lw.distributed.destroy_process_group()
    """
    world = current()
    if world.default is not None:
        raise ValueError("trying to initialize the default process group twice!")
    check_timeout(timeout)
    if store is not None and init_method is not None:
        raise AssertionError("Cannot specify both init_method and store.")
    asked = checked_backend(backend)
    patience = timeout or default_pg_timeout
    if asked == "fake" and store is None and rank < 0:
        rank, world_size, store = 0, max(world_size, 1), HashStore()
    if store is not None:
        if world_size <= 0:
            raise AssertionError("world_size must be positive if using store")
        if rank < 0:
            raise AssertionError("rank must be non-negative if using store")
    address = None
    if asked in ("threads", "fake"):
        if store is None:
            address = init_method or "env://"
            store, rank, world_size = rendezvous_of(init_method, rank, world_size, patience)
    else:
        store, rank, world_size = joined(store, init_method, rank, world_size, patience)
    if asked == "threads":
        world = World()
        of_thread.set(world)
        world.job = threads.job_of(store, address)
    world.ledger = Ledger(rank)
    if world.job is not None:
        world.job.enter(world.ledger)
    store = PrefixStore("default_pg", store)
    world.default = made(world, list(range(world_size)), rank, "0", asked, store, patience, "default_pg", None)


def checked_backend(backend):
    """The name of a backend in lower case, if there is one."""
    asked = "mpi" if backend is None else str(backend).lower()
    if asked in NOT_BUILT:
        raise RuntimeError(f"Distributed package doesn't have {NOT_BUILT[asked]} built in")
    if asked not in (*OVER_MPI, "threads", "fake"):
        raise AssertionError(f"Unknown backend type {backend}: leafward has mpi (gloo asks for the same), threads and fake")
    return asked


def joined(store, init_method, rank, world_size, patience):
    """``(store, rank, size)`` for ranks that are processes: what MPI's launcher says where nothing else was said."""
    if store is not None:
        return store, rank, world_size
    if init_method is None and "RANK" not in os.environ and rank < 0:
        from leafward.distributed import mpi
        if mpi.launched_size() == 1:
            return HashStore(), 0, 1
        return mpi.store_of_the_launched(patience)
    return rendezvous_of(init_method, rank, world_size, patience)


def made(world, ranks, rank, name, asked, store, timeout, desc, parent):
    """A group of this rank and others."""
    if asked == "fake":
        backend = Fake(rank, len(ranks))
    elif asked == "threads":
        backend = threads.Threads(world.job, name, rank, len(ranks))
    elif len(ranks) == 1:
        backend = threads.Threads(threads.Job(), name, 0, 1)
        backend.job.enter(world.ledger)
    else:
        from leafward.distributed import mpi
        backend = mpi.connect(ranks, rank, name, store, seconds(timeout), parent, world.ledger)
    found = ProcessGroup(ranks, rank, backend, world.ledger, name=name, asked=asked, store=store, timeout=timeout, desc=desc)
    world.groups[found] = name
    return found


def new_group(ranks=None, timeout=None, backend=None, pg_options=None, use_local_synchronization=False, group_desc=None,
              device_id=None, sort_ranks=True):
    """A group of some ranks. Every rank calls it, members or not, in one order; others than members get ``NON_GROUP_MEMBER``.

    ranks: which; None: all
    timeout: how long its collectives wait; None: as long as those of the default group
    backend: None: that of the default group
    use_local_synchronization: only members call it
    group_desc: a description
    sort_ranks: whether ranks in the group follow their numbers, rather than the order given
    pg_options, device_id: for PyTorch's programs

    >>> def pairs(rank):
    ...     groups = [lw.distributed.new_group([0, 1]), lw.distributed.new_group([2])]
    ...     return lw.distributed.get_world_size(groups[rank // 2])
    >>> lw.distributed.run_ranks(pairs, 3)
    [2, 2, 1]
    """
    world, whole = current(), default_group()
    check_timeout(timeout)
    size = whole.size()
    asked = whole.asked if backend is None else checked_backend(backend)
    ranks = list(range(size)) if ranks is None else sorted(ranks) if sort_ranks else list(ranks)
    if len(set(ranks)) < len(ranks):
        raise ValueError(f"ranks list must not contain duplicate entries, got {ranks}")
    if len(ranks) > size:
        raise ValueError("the new group's world size should be less or equal to the world size set by init_process_group")
    for rank in ranks:
        if not 0 <= rank < size:
            raise ValueError(f"Rank {rank} is out of range. Valid ranks are 0 to {size - 1} (world_size={size})")
    own = whole.ranks[whole.own_rank]
    if use_local_synchronization:
        if own not in ranks:
            return GroupMember.NON_GROUP_MEMBER
        key = tuple(ranks)
        count = world.local[key] = world.local.get(key, -1) + 1
        name = hashlib.sha1(f"{key} {count}".encode()).hexdigest()
    else:
        name = str(next(world.count))
        if own not in ranks:
            return GroupMember.NON_GROUP_MEMBER
    store = PrefixStore(name, whole.store)
    return made(world, ranks, ranks.index(own), name, asked, store, timeout or whole.timeout, group_desc, whole)


def new_subgroups(group_size=None, group=None, timeout=None, backend=None, pg_options=None, group_desc=None):
    """The group cut into groups of one size: ``(this rank's, all of them)``.

    group_size: how many ranks each has; None: as many as run on one machine
    group: what is cut; None: all ranks
    timeout, backend, pg_options, group_desc: as for :func:`new_group`

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.new_subgroups(2)[0].ranks, 4)
    [[0, 1], [0, 1], [2, 3], [2, 3]]
    """
    whole = group_or_default(group)
    if group_size is None:
        group_size = int(os.environ.get("LOCAL_WORLD_SIZE", whole.size()))
    if group_size <= 0:
        raise ValueError(f"The arg 'group_size' ({group_size}) must be positive")
    size = whole.size()
    if size < group_size:
        raise ValueError(f"The arg 'group_size' ({group_size}) must not exceed the world size ({size})")
    if size % group_size:
        raise ValueError(f"The world size ({size}) must be divisible by 'group_size={group_size}'")
    parts = [whole.ranks[start:start + group_size] for start in range(0, size, group_size)]
    return new_subgroups_by_enumeration(parts, timeout, backend, pg_options, group_desc)


def new_subgroups_by_enumeration(ranks_per_subgroup_list, timeout=None, backend=None, pg_options=None, group_desc=None):
    """Groups of the given ranks: ``(this rank's or None, all of them)``.

    ranks_per_subgroup_list: a list of ranks for each group; no rank twice
    timeout, backend, pg_options, group_desc: as for :func:`new_group`

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.new_subgroups_by_enumeration([[0, 2], [1]])[0].ranks, 3)
    [[0, 2], [1], [0, 2]]
    """
    if not ranks_per_subgroup_list:
        raise ValueError("The arg 'ranks_per_subgroup_list' cannot be empty")
    own, mine, every, seen = get_rank(), None, [], {}
    for ranks in ranks_per_subgroup_list:
        for rank in ranks:
            if rank in seen:
                raise ValueError(f"Rank {rank} has appeared in both subgroup {seen[rank]} and {ranks}")
            seen[rank] = ranks
    for ranks in ranks_per_subgroup_list:
        part = new_group(ranks, timeout, backend, pg_options, group_desc=group_desc)
        every.append(part)
        if own in ranks:
            mine = part
    return mine, every


def is_member(given):
    """Whether this rank belongs to the group."""
    return given is not GroupMember.NON_GROUP_MEMBER


def warn_not_in_group(name):
    """Say that a rank outside a group called something of it, which then does nothing."""
    warn(f"Running {name} on global rank {get_rank()} which does not belong to the given group.")


def get_rank(group=None):
    """This process's rank among all, or in ``group``; -1 outside it.

    group: None: all ranks

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.get_rank(), 2)
    [0, 1]
    """
    if not is_member(group):
        return -1
    return group_or_default(group).rank()


def get_world_size(group=None):
    """How many ranks there are, in all or in ``group``; -1 outside it.

    group: None: all ranks

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.get_world_size(), 2)
    [2, 2]
    """
    if not is_member(group):
        return -1
    return group_or_default(group).size()


def get_node_local_rank(fallback_rank=None):
    """This process's rank on its machine, as the launcher says; otherwise ``fallback_rank``.

    fallback_rank: the answer where no launcher said one; None: an error

    >>> lw.distributed.get_node_local_rank(fallback_rank=0)
    0
    """
    if "LOCAL_RANK" in os.environ:
        return int(os.environ["LOCAL_RANK"])
    if fallback_rank is not None:
        return int(fallback_rank)
    raise RuntimeError("LOCAL_RANK is not in the environment. Consider passing fallback_rank to allow `get_node_local_rank` to "
                       "work, assuming you are not running in a multi-device context and want the code to run locally instead.")


def get_process_group_ranks(group):
    """Which of all ranks are in ``group``.

    group: None: all ranks

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.get_process_group_ranks(None), 2)
    [[0, 1], [0, 1]]
    """
    return list(group_or_default(group).ranks)


def get_global_rank(group, group_rank):
    """Which of all ranks is number ``group_rank`` of ``group``.

    group: of which ranks
    group_rank: the number in it

    >>> dist = lw.distributed
    >>> dist.run_ranks(lambda rank: dist.get_global_rank(dist.new_group([1]), 0) if rank else None, 2)
    [None, 1]
    """
    if group_or_default(group) is current().default:
        return group_rank
    if not 0 <= group_rank < len(group.ranks):
        raise ValueError(f"Group rank {group_rank} is not part of group {group}")
    return group.ranks[group_rank]


def get_group_rank(group, global_rank):
    """Which number in ``group`` the rank ``global_rank`` of all has.

    group: of which ranks
    global_rank: the rank of all

    >>> dist = lw.distributed
    >>> dist.run_ranks(lambda rank: dist.get_group_rank(dist.new_group([1]), 1) if rank else None, 2)
    [None, 0]
    """
    if group_or_default(group) is current().default:
        return global_rank
    if global_rank not in group.ranks:
        raise ValueError(f"Global rank {global_rank} is not part of group {group}")
    return group.ranks.index(global_rank)


def known(given):
    """The group, which has to be one of this rank's."""
    found = group_or_default(given)
    if found not in current().groups:
        raise ValueError(f"Process group {given} is not initialized in the world group map. Please initialize the group first.")
    return found


def get_backend(group=None):
    """What was asked for as the backend.

    group: None: all ranks

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.get_backend(), 2)
    ['threads', 'threads']
    """
    return "gloo" if known(group).asked == "cpu:gloo" else known(group).asked


def get_backend_config(group=None):
    """The backend for each kind of device.

    group: None: all ranks

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.get_backend_config(), 2)
    ['cpu:threads', 'cpu:threads']
    """
    asked = known(group).asked
    return asked if ":" in asked else ",".join(f"{device}:{asked}" for device in DEVICES_OF.get(asked, ("cpu",)))


def get_pg_count():
    """How many groups this rank is in.

    >>> lw.distributed.run_ranks(lambda rank: lw.distributed.get_pg_count(), 2)
    [1, 1]
    """
    return len(current().groups)


def destroy_process_group(group=None):
    """End ``group``; None: all of them. It waits for nobody.

    group: None: all groups

    >>> lw.distributed.init_process_group("fake", world_size=8)
    >>> lw.distributed.destroy_process_group()
    >>> lw.distributed.is_initialized()
    False
    """
    world = current()
    if group is GroupMember.NON_GROUP_MEMBER:
        return
    found = default_group() if group is None else group
    if found not in world.groups:
        raise ValueError("Invalid process group specified")
    if found is world.default:
        leave()
        return
    del world.groups[found]
    found.close()


def leave():
    """Forget all groups of this rank."""
    world = current()
    if world.job is not None:
        world.job.leave(world.ledger)
    for one in list(world.groups):
        one.close()
    world.groups.clear()
    world.default, world.job, world.count, world.local = None, None, itertools.count(1), {}
    if world is not of_process:
        of_thread.set(None)


def shrink_group(ranks_to_exclude, group=None, shrink_flags=0, pg_options=None):
    """It is refused: a running job keeps its ranks.

    ranks_to_exclude, group, shrink_flags, pg_options: of no use

    >>> lw.distributed.shrink_group([1])
    Traceback (most recent call last):
        ...
    NotImplementedError: a running job neither grows nor shrinks: let it end, and start it again from its checkpoint
    """
    raise NotImplementedError("a running job neither grows nor shrinks: let it end, and start it again from its checkpoint")


def split_group(parent_pg=None, split_ranks=None, timeout=None, pg_options=None, group_desc=None, backend=None):
    """It is refused, as by gloo: :func:`new_subgroups_by_enumeration` does the same.

    parent_pg, split_ranks, timeout, pg_options, group_desc, backend: of no use

    >>> lw.distributed.split_group()
    Traceback (most recent call last):
        ...
    NotImplementedError: split_group is NCCL's: use new_subgroups_by_enumeration(split_ranks)
    """
    raise NotImplementedError("split_group is NCCL's: use new_subgroups_by_enumeration(split_ranks)")
