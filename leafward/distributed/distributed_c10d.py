"""PyTorch's file of this name, for programs that import from it."""
from leafward import distributed
from leafward.distributed.world import default_group, is_member

_get_default_group = default_group
default_pg_timeout = distributed.default_pg_timeout
globals().update({name: getattr(distributed, name) for name in distributed.__all__})


def _rank_not_in_group(group):
    """Whether this process is outside ``group``."""
    return not is_member(group)
