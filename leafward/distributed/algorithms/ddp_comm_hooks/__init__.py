"""Ways to reduce a bucket of gradients, for ``DistributedDataParallel.register_comm_hook``."""
from leafward.distributed.algorithms.ddp_comm_hooks import default_hooks, powerSGD_hook
