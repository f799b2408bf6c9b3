"""``torch.distributed.optim``: optimizers whose state lies on several ranks."""
from leafward.distributed.optim.zero_redundancy_optimizer import ZeroRedundancyOptimizer
from leafward.tensor.missing import names_missing_from

__all__ = ["ZeroRedundancyOptimizer"]

__getattr__ = names_missing_from("torch.distributed.optim", globals())
