"""Files that are not what they say they are: whatever Python raises on the way becomes an error that says so."""
import pickle
import struct
import tarfile
import zlib
from contextlib import contextmanager

#: What it comes to when wrong bytes are taken for right ones.
RAW = (ArithmeticError, AssertionError, AttributeError, LookupError, TypeError, ValueError, struct.error, tarfile.TarError,
       zlib.error)

#: Where such an error is the file's fault. Elsewhere it is that of a class, a function or a file object of the user's.
READERS = ("codecs", "collections", "encodings", "leafward", "numpy", "pickle", "tarfile", "zipfile")

ADVICE = (" This is an internal miniz error. If you are seeing this error, there is a high likelihood that your "
          "checkpoint file is corrupted. This can happen if the checkpoint was not saved properly, was transferred "
          "incorrectly, or the file was modified after saving.")


def damaged(what):
    return RuntimeError(f"PytorchStreamReader failed {what}.{ADVICE}")


def said(error):
    """``error``, whose text is for users as it is."""
    error.is_said = True
    return error


def is_ours(error):
    """Whether reading itself raised ``error``, and has not said what is wrong yet."""
    step = error.__traceback__
    while step is not None:
        if step.tb_frame.f_globals.get("__name__", "").partition(".")[0] not in READERS:
            return False
        step = step.tb_next
    return not getattr(error, "is_said", False)


@contextmanager
def reading():
    """Inside, damage raises ``pickle.UnpicklingError``, if not what :func:`damaged` makes."""
    try:
        yield
    except RAW as error:
        if is_ours(error):
            raise pickle.UnpicklingError(f"the file is damaged ({type(error).__name__}: {error})") from error
        raise
