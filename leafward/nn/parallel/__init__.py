"""A module on several devices, or in several processes."""
from leafward.nn.distributed_data_parallel import DistributedDataParallel
from leafward.nn.parallel import distributed  # noqa: F401
from leafward.nn.parallel.data_parallel import DataParallel, data_parallel
from leafward.tensor.missing import names_missing_from

__all__ = ["DataParallel", "DistributedDataParallel", "data_parallel"]

__getattr__ = names_missing_from("torch.nn.parallel", globals())
