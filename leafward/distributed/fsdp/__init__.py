"""``torch.distributed.fsdp``: :func:`fully_shard`, and the names of the older API for programs that ask about them."""
from leafward.distributed.fsdp.fully_shard import (
    CPUOffloadPolicy, FSDPModule, MixedPrecisionPolicy, OffloadPolicy, UnshardHandle, fully_shard, register_fsdp_forward_method,
)
from leafward.distributed.fsdp.fully_sharded_data_parallel import (
    BackwardPrefetch, CPUOffload, FullOptimStateDictConfig, FullStateDictConfig, FullyShardedDataParallel,
    LocalOptimStateDictConfig, LocalStateDictConfig, MixedPrecision, OptimStateDictConfig, ShardedOptimStateDictConfig,
    ShardedStateDictConfig, ShardingStrategy, StateDictConfig, StateDictSettings, StateDictType,
)
from leafward.tensor.missing import names_missing_from

__all__ = ["BackwardPrefetch", "CPUOffload", "CPUOffloadPolicy", "FSDPModule", "FullOptimStateDictConfig",
           "FullStateDictConfig", "FullyShardedDataParallel", "LocalOptimStateDictConfig", "LocalStateDictConfig",
           "MixedPrecision", "MixedPrecisionPolicy", "OffloadPolicy", "OptimStateDictConfig", "ShardedOptimStateDictConfig",
           "ShardedStateDictConfig", "ShardingStrategy", "StateDictConfig", "StateDictSettings", "StateDictType",
           "UnshardHandle", "fully_shard", "register_fsdp_forward_method"]

__getattr__ = names_missing_from("torch.distributed.fsdp", globals())
