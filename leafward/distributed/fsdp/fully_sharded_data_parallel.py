"""The names of the older API, for programs that ask ``isinstance`` or build options: wrapping a module is refused."""
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from leafward.nn.modules.module import Module

ADVICE = ("FullyShardedDataParallel is the older API: use torch.distributed.fsdp.fully_shard, on each block and then on the "
          "model")


class FullyShardedDataParallel(Module):
    """A name to ask ``isinstance`` about: no module is one."""

    def __init__(self, *args, **kwargs):
        raise NotImplementedError(ADVICE)

    @staticmethod
    def refused(*args, **kwargs):
        """It is refused: there are no such modules."""
        raise NotImplementedError(ADVICE)

    state_dict_type = set_state_dict_type = get_state_dict_type = summon_full_params = fsdp_modules = refused
    optim_state_dict = optim_state_dict_to_load = full_optim_state_dict = shard_full_optim_state_dict = refused


FSDP = FullyShardedDataParallel


class ShardingStrategy(Enum):
    """What the older API keeps in parts."""

    FULL_SHARD, SHARD_GRAD_OP, NO_SHARD, HYBRID_SHARD, _HYBRID_SHARD_ZERO2 = (auto() for _ in range(5))


class BackwardPrefetch(Enum):
    """When the older API gathers ahead in backward."""

    BACKWARD_PRE, BACKWARD_POST = auto(), auto()


class StateDictType(Enum):
    """What ``state_dict`` of the older API gives."""

    FULL_STATE_DICT, LOCAL_STATE_DICT, SHARDED_STATE_DICT = (auto() for _ in range(3))


@dataclass
class CPUOffload:
    """Where the older API keeps parameters."""

    offload_params: bool = False


@dataclass
class MixedPrecision:
    """Which dtypes the older API computes and reduces in."""

    param_dtype: Any = None
    reduce_dtype: Any = None
    buffer_dtype: Any = None
    keep_low_precision_grads: bool = False
    cast_forward_inputs: bool = False
    cast_root_forward_inputs: bool = True
    _module_classes_to_ignore: Any = ()


@dataclass
class StateDictConfig:
    """How ``state_dict`` of the older API gives what it gives."""

    offload_to_cpu: bool = False


@dataclass
class FullStateDictConfig(StateDictConfig):
    """Whole tensors."""

    rank0_only: bool = False


@dataclass
class LocalStateDictConfig(StateDictConfig):
    """This rank's parts, flat."""


@dataclass
class ShardedStateDictConfig(StateDictConfig):
    """This rank's parts."""

    _use_dtensor: bool = False


@dataclass
class OptimStateDictConfig:
    """The same for an optimizer's state."""

    offload_to_cpu: bool = True


@dataclass
class FullOptimStateDictConfig(OptimStateDictConfig):
    """Whole tensors."""

    rank0_only: bool = False


@dataclass
class LocalOptimStateDictConfig(OptimStateDictConfig):
    """This rank's parts, flat."""

    offload_to_cpu: bool = False


@dataclass
class ShardedOptimStateDictConfig(OptimStateDictConfig):
    """This rank's parts."""

    _use_dtensor: bool = False


@dataclass
class StateDictSettings:
    """All three."""

    state_dict_type: StateDictType
    state_dict_config: StateDictConfig
    optim_state_dict_config: OptimStateDictConfig
