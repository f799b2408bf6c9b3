"""``torch.distributed.tensor``: its names, for programs that ask whether a tensor is a ``DTensor``. None is.

Parameters in shards are ``torch.distributed.fsdp.fully_shard``'s, and plain tensors: each rank's rows.
"""
from leafward.distributed.device_mesh import DeviceMesh, init_device_mesh
from leafward.distributed.placements import Partial, Placement, Replicate, Shard
from leafward.tensor.missing import names_missing_from
from leafward.tensor.tensor import Tensor

__all__ = ["DTensor", "DeviceMesh", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor",
           "empty", "full", "init_device_mesh", "ones", "rand", "randn", "zeros"]

ADVICE = ("leafward has no DTensor, and no tensor parallelism: keep parameters in shards with "
          "torch.distributed.fsdp.fully_shard, and move tensors with the collectives of torch.distributed.nn.functional")


def refused(*args, **kwargs):
    """It is refused: it would make a ``DTensor``."""
    raise NotImplementedError(ADVICE)


class DTensor(Tensor):
    """A name to ask ``isinstance`` about: no tensor is one, and none can be made."""

    __new__ = refused
    from_local = staticmethod(refused)


distribute_tensor = distribute_module = empty = full = ones = rand = randn = zeros = refused

__getattr__ = names_missing_from("torch.distributed.tensor", globals())
