"""``record``, which programs for ``torchrun`` have around their main function."""
import functools
import json
import os
import time
import traceback

from leafward.tensor.missing import names_missing_from

__all__ = ["record"]

#: Where a launcher that reads it says which file an error goes to. ``leafward launch`` shows what a rank prints instead.
FILE = "TORCHELASTIC_ERROR_FILE"


def note(error):
    """Write an error to the file that the launcher names, if it names one, as PyTorch's launchers read it."""
    path = os.environ.get(FILE)
    if path:
        told = {"message": f"{type(error).__name__}: {error}", "extraInfo": {
            "py_callstack": traceback.format_exc(), "timestamp": str(int(time.time()))}}
        os.makedirs(os.path.dirname(os.path.abspath(path)), exist_ok=True)
        with open(path, "w", encoding="utf-8") as file:
            json.dump({"message": told}, file)


def record(fn, error_handler=None):
    """``fn``, whose errors are written to the file TORCHELASTIC_ERROR_FILE as well, where a launcher names one.

    fn: the main function of a program
    error_handler: an object with ``initialize()`` and ``record_exception(error)``, called in place of writing that file

    >>> @lw.distributed.elastic.multiprocessing.errors.record
    ... def main():
    ...     return "done"
    >>> main()
    'done'
    """
    @functools.wraps(fn)
    def recorded(*args, **kwargs):
        if error_handler is not None:
            error_handler.initialize()
        try:
            return fn(*args, **kwargs)
        except SystemExit as end:
            if end.code == 0:
                return None
            raise
        except Exception as error:
            (note if error_handler is None else error_handler.record_exception)(error)
            raise
    return recorded


__getattr__ = names_missing_from("torch.distributed.elastic.multiprocessing.errors", globals())
