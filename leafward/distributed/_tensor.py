"""The older name of ``torch.distributed.tensor``."""
from leafward.distributed.tensor import DTensor, Partial, Placement, Replicate, Shard, distribute_module, distribute_tensor

__all__ = ["DTensor", "Partial", "Placement", "Replicate", "Shard", "distribute_module", "distribute_tensor"]
