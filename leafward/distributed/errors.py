"""What goes wrong between processes, under PyTorch's names."""

NOT_INITIALIZED = "Default process group has not been initialized, please make sure to call init_process_group."


class DistError(RuntimeError):
    """Something went wrong in or below a process group.

    >>> issubclass(lw.distributed.DistError, RuntimeError)
    True
    """


class DistBackendError(DistError):
    """A collective failed: a rank is gone, waits elsewhere, or called something else.

    >>> issubclass(lw.distributed.DistBackendError, lw.distributed.DistError)
    True
    """


class DistNetworkError(DistError):
    """A connection could not be made, or was lost.

    >>> issubclass(lw.distributed.DistNetworkError, lw.distributed.DistError)
    True
    """


class DistStoreError(DistError):
    """A store did not answer, or not in time.

    >>> issubclass(lw.distributed.DistStoreError, lw.distributed.DistError)
    True
    """


class QueueEmptyError(DistStoreError):
    """A queue of a store has nothing to pop.

    >>> lw.distributed.HashStore().queue_pop("q", block=False)
    Traceback (most recent call last):
        ...
    torch.distributed.QueueEmptyError: queue q is empty
    """


for _class in (DistError, DistBackendError, DistNetworkError, DistStoreError, QueueEmptyError):
    _class.__module__ = "torch.distributed"
