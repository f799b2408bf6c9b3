"""``torch.distributed`` where one process computes: programs that ask learn so, and those that insist are told."""
from enum import IntEnum

from leafward.tensor.missing import names_missing_from

ALONE = "leafward computes in one process: leave the process group out, as without torchrun; a DataLoader takes num_workers"


class ReduceOp(IntEnum):
    """How values of several processes would be combined."""

    SUM, AVG, PRODUCT, MIN, MAX, BAND, BOR, BXOR, PREMUL_SUM = range(9)


class group:
    """The process groups: there is none."""

    WORLD = None


class ProcessGroup:
    """Several processes that exchange tensors, for annotations and ``isinstance``."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(ALONE)


def is_available():
    """False: there is one process.

    >>> lw.distributed.is_available() and lw.distributed.is_initialized()
    False
    """
    return False


is_initialized = is_torchelastic_launched = is_available
is_nccl_available = is_gloo_available = is_mpi_available = is_ucc_available = is_xccl_available = is_available


def init_process_group(backend=None, init_method=None, timeout=None, world_size=-1, rank=-1, store=None, group_name="",
                       pg_options=None, device_id=None):
    """Refused: there is one process."""
    raise NotImplementedError(ALONE)


def new_group(*args, **kwargs):
    """Refused: there is no process group."""
    raise ValueError("Default process group has not been initialized, please make sure to call init_process_group.\n" + ALONE)


get_rank = get_world_size = get_backend = barrier = monitored_barrier = destroy_process_group = new_group
all_reduce = reduce = broadcast = gather = scatter = reduce_scatter = send = recv = isend = irecv = new_group
all_gather = all_gather_into_tensor = all_gather_object = reduce_scatter_tensor = all_to_all = all_to_all_single = new_group
gather_object = scatter_object_list = broadcast_object_list = new_group

__getattr__ = names_missing_from("torch.distributed", globals())
