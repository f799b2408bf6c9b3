"""Backward inside backward inside backward: after some levels another thread goes on, whose stack is empty."""
from contextvars import copy_context
from threading import Thread

from leafward.core import modes

#: How many levels one thread takes. Each is some twenty of the thousand calls that Python allows inside one another.
LEVELS = 24

#: What each thread has of its own (``threading.local``) and a backward takes along.
carried = [modes.local]


def with_a_fresh_stack(function, args):
    """``function(*args)``, run in another thread as if it were this one."""
    mine = [dict(local.__dict__) for local in carried]
    context = copy_context()
    outcome = []

    def work():
        for local, values in zip(carried, mine, strict=True):
            local.__dict__.update(values)
        try:
            outcome.extend([context.run(function, *args), None])
        except BaseException as error:
            outcome.extend([None, error])

    thread = Thread(target=work)
    thread.start()
    interruption = None
    while thread.is_alive():
        try:
            thread.join()
        except BaseException as error:          # Ctrl-C comes to the main thread only: the work is ended first
            interruption = error
    result, error = outcome
    if interruption is not None or error is not None:
        try:
            raise interruption or error
        finally:
            outcome.clear()                     # the error's traceback holds this frame
            interruption = error = None
    return result
