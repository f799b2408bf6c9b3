"""``torch.futures``: what will be there, and several of them as one."""
import threading

from leafward.distributed.work import Future

__all__ = ["Future", "collect_all", "wait_all"]


def collect_all(futures):
    """A future of these futures, which is there when all of them are; where some failed it fails as the first of them.

    futures: a list of :class:`Future`

    >>> first, second = Future(), Future()
    >>> both = collect_all([first, second])
    >>> first.set_result(1)
    >>> both.done()
    False
    >>> second.set_result(2)
    >>> [future.value() for future in both.wait()]
    [1, 2]
    """
    futures, whole, lock = list(futures), Future(), threading.Lock()
    left = [len(futures)]

    def one(future):
        with lock:
            left[0] -= 1
            last = left[0] == 0
        if last:
            error = next((future.work.error for future in futures if future.work.error is not None), None)
            whole.give(futures) if error is None else whole.work.finish(error)
    for future in futures:
        future.add_done_callback(one)
    if not futures:
        whole.give(futures)
    return whole


def wait_all(futures):
    """The values of all futures, once they are there. Raises the error of the first that failed.

    futures: a list of :class:`Future`

    >>> future = Future()
    >>> future.set_result(3)
    >>> wait_all([future])
    [3]
    """
    return [future.wait() for future in collect_all(futures).wait()]
