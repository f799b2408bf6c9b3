"""Ranks that are threads of this process: started, and waited for."""
import contextvars
import threading
from datetime import timedelta

from leafward.distributed import report, world
from leafward.distributed.errors import DistBackendError
from leafward.distributed.stores import HashStore
from leafward.distributed.threads import Job


def run_ranks(function, world_size, *args, timeout=60.0):
    """``function(rank, *args)`` in ``world_size`` threads, each a rank of a process group of its own: what each returned.

    The first error ends the others' waiting and is raised.

    function: what each rank does; ``torch.distributed`` is initialized there
    world_size: how many ranks
    args: what the function is given behind its rank
    timeout: how many seconds a collective waits, and all of it five times as long

    >>> def total(rank):
    ...     x = lw.tensor([float(rank)])
    ...     lw.distributed.all_reduce(x)
    ...     return x.item()
    >>> lw.distributed.run_ranks(total, 3)
    [3.0, 3.0, 3.0]
    """
    store, job = HashStore(), Job()
    store.job = job
    answers, errors = [None] * world_size, []

    def rank_of(rank):
        try:
            world.init_process_group("threads", store=store, rank=rank, world_size=world_size,
                                     timeout=timedelta(seconds=timeout))
            answers[rank] = function(rank, *args)
        except BaseException as error:
            errors.append(error)
            job.fail(report.raised(rank, error))
        finally:
            world.leave()

    threads = [threading.Thread(target=contextvars.Context().run, args=(rank_of, rank), name=f"rank {rank}", daemon=True)
               for rank in range(world_size)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(5 * timeout)
    if errors:
        raise errors[0]
    if any([thread.is_alive() for thread in threads]):
        raise DistBackendError("\n".join(["ranks did not end", *job.rows()]))
    return answers
