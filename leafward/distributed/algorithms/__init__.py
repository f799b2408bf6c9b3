"""``torch.distributed.algorithms``: uneven inputs, and other ways to reduce gradients."""
from leafward.distributed.algorithms.join import Join, Joinable, JoinHook
