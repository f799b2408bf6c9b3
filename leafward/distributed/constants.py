"""How long a process waits for the others unless told otherwise."""
from leafward.distributed.world import default_pg_timeout  # noqa: F401
