"""The file in which PyTorch has :class:`DistributedDataParallel`."""
from leafward.nn.distributed_data_parallel import DistributedDataParallel  # noqa: F401
