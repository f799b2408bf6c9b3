"""PyTorch's file of this name."""
from leafward.distributed.placements import Partial, Placement, Replicate, Shard

__all__ = ["Partial", "Placement", "Replicate", "Shard"]


class _StridedShard(Shard):
    """A name to ask ``isinstance`` about: nothing is placed so."""
