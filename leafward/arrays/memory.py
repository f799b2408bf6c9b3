"""Memory of a megabyte or more that arrays leave behind waits for the next arrays (``kernels/memory_entry.pyx``).

What waits is bounded: by an eighth of the machine's memory (or of what the process may use of it) and a gigabyte, by
``LEAFWARD_KEPT_MEMORY`` in MiB where that is set, by its age, and by the most that arrays ever held at once.
"""
import os

try:
    from leafward.arrays.kernels import memory_entry as compiled
except ImportError:                       # not compiled
    compiled = None
else:
    compiled = None if compiled.obstacle else compiled

#: The most that waits, however much memory there is.
MOST = 1 << 30

#: Where Linux says what a group of processes may use.
GROUP = "/sys/fs/cgroup/memory.max"


def most_kept():
    """How many bytes may wait."""
    if said := os.environ.get("LEAFWARD_KEPT_MEMORY"):
        return int(said) << 20
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    try:
        with open(GROUP) as file:
            memory = min(memory, int(file.read()))
    except (OSError, ValueError):         # another system, or "max"
        pass
    return min(memory // 8, MOST)


if compiled:
    compiled.prepare(most_kept())


def keep_memory():
    """Let this thread's arrays have their memory from what waits, unless another allocator serves it already."""
    if compiled:
        compiled.use()


def empty_cache():
    """Give the memory that waits for its next use back to the system.

    A block of a megabyte or more that an array leaves behind is kept for the next array of about its size: fresh memory has
    to be cleared page by page by the system, which takes longer than adding two arrays in it.
    """
    if compiled:
        compiled.empty()


def memory_stats():
    """What is known of blocks of a megabyte or more, as a dict under PyTorch's names.

    ``allocated_bytes.all.current`` and ``.peak`` are what arrays hold and held at most, ``reserved_bytes.all.current`` is that
    and what waits for its next use; ``allocation.all.allocated`` is how many blocks were asked for, ``allocation.all.reused``
    how many were found among those that waited. ``kept_bytes.limit`` is how many bytes may wait. NumPy's own arrays count too.

    >>> stats = leafward.memory_stats()
    >>> stats["reserved_bytes.all.current"] >= stats["allocated_bytes.all.current"]
    True
    """
    if compiled:
        found = compiled.figures()
    else:
        found = dict.fromkeys(("taken", "reused", "live", "most_live", "kept", "limit"), 0)
    return {"allocation.all.allocated": found["taken"], "allocation.all.reused": found["reused"],
            "allocated_bytes.all.current": found["live"], "allocated_bytes.all.peak": found["most_live"],
            "reserved_bytes.all.current": found["live"] + found["kept"], "kept_bytes.limit": found["limit"]}
