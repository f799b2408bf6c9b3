"""``torch.distributed``: the same program in several processes, which exchange tensors.

MPI moves the tensors (``pip install leafward[mpi]``); stores, the ``threads`` backend and ``fake`` need none.
"""
import os
from importlib import import_module
from importlib.util import find_spec

from leafward.distributed.barriers import barrier, monitored_barrier
from leafward.distributed.collectives import (
    all_gather, all_gather_coalesced, all_gather_into_tensor, all_gather_single, all_reduce, all_reduce_coalesced, all_to_all,
    all_to_all_single, broadcast, gather, reduce, reduce_scatter, reduce_scatter_single, reduce_scatter_tensor, scatter,
)
from leafward.distributed.device_mesh import DeviceMesh, init_device_mesh
from leafward.distributed.errors import (
    DistBackendError, DistError, DistNetworkError, DistStoreError, QueueEmptyError,
)
from leafward.distributed.group import GroupMember, ProcessGroup
from leafward.distributed.objects import (
    all_gather_object, broadcast_object_list, gather_object, recv_object_list, scatter_object_list, send_object_list,
)
from leafward.distributed.point_to_point import P2POp, batch_isend_irecv, irecv, isend, recv, send
from leafward.distributed.reduce_op import ReduceOp
from leafward.distributed.rendezvous import register_rendezvous_handler, rendezvous
from leafward.distributed.running import run_ranks
from leafward.distributed.stores import FileStore, HashStore, PrefixStore, Store
from leafward.distributed.tcp_store import TCPStore
from leafward.distributed.work import Work
from leafward.distributed.world import (
    default_pg_timeout, destroy_process_group, get_backend, get_backend_config, get_global_rank, get_group_rank,
    get_node_local_rank, get_pg_count, get_process_group_ranks, get_rank, get_world_size, group, init_process_group,
    is_initialized, new_group, new_subgroups, new_subgroups_by_enumeration, shrink_group, split_group,
)
from leafward.tensor.missing import names_missing_from

#: Modules that load when first asked for.
_LAZY = ("_functional_collectives", "_tensor", "algorithms", "checkpoint", "distributed_c10d", "elastic", "fsdp", "nn", "optim",
         "tensor")


class Backend(str):
    """The name of a backend, in lower case.

    >>> lw.distributed.Backend("GLOO") == lw.distributed.Backend.GLOO
    True
    """

    UNDEFINED, GLOO, NCCL, UCC, MPI, XCCL, FAKE, THREADS = "undefined", "gloo", "nccl", "ucc", "mpi", "xccl", "fake", "threads"

    def __new__(cls, name):
        return str.__new__(cls, name.lower())


def is_available():
    """Whether there is ``torch.distributed`` at all: yes.

    >>> lw.distributed.is_available() and not lw.distributed.is_initialized()
    True
    """
    return True


def is_mpi_available():
    """Whether mpi4py is installed, which moves tensors between processes.

    >>> lw.distributed.is_mpi_available() in (True, False)
    True
    """
    return find_spec("mpi4py") is not None


def is_gloo_available():
    """Whether the backend ``gloo`` can be asked for: MPI carries it here.

    >>> lw.distributed.is_gloo_available() == lw.distributed.is_mpi_available()
    True
    """
    return is_mpi_available()


def is_nccl_available():
    """Whether there is NCCL: no, for there is no GPU.

    >>> lw.distributed.is_nccl_available()
    False
    """
    return False


is_ucc_available = is_xccl_available = is_nccl_available


def is_backend_available(backend):
    """Whether a backend can be asked for by this name.

    backend: its name

    >>> lw.distributed.is_backend_available("threads")
    True
    """
    name = backend.lower()
    return name in ("threads", "fake") or (name in ("mpi", "gloo") and is_mpi_available())


def get_default_backend_for_device(device):
    """The backend for a kind of device: there is one.

    device: a device, or its name

    >>> lw.distributed.get_default_backend_for_device("cpu")
    'gloo'
    """
    return "gloo"


def is_torchelastic_launched():
    """Whether a launcher with PyTorch's variables started this process.

    >>> lw.distributed.is_torchelastic_launched()
    False
    """
    return "TORCHELASTIC_RUN_ID" in os.environ


def supports_complex(reduceOp):
    """Whether a reduction is done on complex tensors.

    reduceOp: the reduction

    >>> lw.distributed.supports_complex(lw.distributed.ReduceOp.SUM)
    True
    """
    return reduceOp in (ReduceOp.SUM, ReduceOp.AVG)


__all__ = [name for name, value in globals().items() if not name.startswith("_")
           and getattr(value, "__module__", "").startswith(("leafward.distributed", "torch.distributed"))]


def __getattr__(name):
    if name in _LAZY:
        return import_module(f"leafward.distributed.{name}")
    if name == "GradBucket":                    # what annotations of communication hooks name; DDP's alone
        return import_module("leafward.distributed.reducer").GradBucket
    return names_missing_from("torch.distributed", globals())(name)
