"""The backend that MPI carries (mpi4py): one thread of each process starts every request, and looks after them in turn."""


def library():
    """mpi4py, which is not imported before."""
    try:
        import mpi4py
    except ImportError:
        raise RuntimeError("MPI moves tensors between processes: pip install 'leafward[mpi]'; ranks that are threads of one "
                           "process (torch.distributed.run_ranks) need no MPI") from None
    return mpi4py


def connect(ranks, rank, name, store, patience, parent, ledger):
    """The backend of a group."""
    library()
    raise NotImplementedError("ranks that are processes are not carried yet: torch.distributed.run_ranks makes them threads")


def store_of_the_launched(patience):
    library()
    raise NotImplementedError("ranks that are processes are not carried yet: torch.distributed.run_ranks makes them threads")
