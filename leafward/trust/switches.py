"""What users turn on or off: strictness, and which frames are theirs."""
import os
from pathlib import Path
from types import ModuleType

from leafward.autograd.grad_mode import Switch
from leafward.core import provenance
from leafward.core.runtime import runtime
from leafward.locks import new_lock

lock = new_lock()


class strict(Switch):
    """Inside, in every thread, a gradient that would come with a :class:`~leafward.SilentGradientWarning` raises.

    A context manager and a decorator; ``LEAFWARD_CHECKS=strict`` in the environment is the same for a whole program.

    >>> import leafward as lw
    >>> x = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> y = x.exp()
    >>> _ = y.data.zero_()
    >>> with lw.strict():                               # doctest: +IGNORE_EXCEPTION_DETAIL
    ...     y.sum().backward()
    Traceback (most recent call last):
    leafward.SilentGradientError: this gradient is computed from overwritten values. ...
    """

    entered = 0

    def __enter__(self):
        with lock:
            strict.entered += 1
            runtime.strict = True

    def __exit__(self, *exc):
        with lock:
            strict.entered -= 1
            runtime.strict = strict.entered > 0 or os.environ.get("LEAFWARD_CHECKS") == "strict"


def hide_frames(module):
    """Pass over the frames of a module or package (or of a file or directory) when a story looks for the user's line.

    For libraries that wrap leafward: the line that is named is then the one that called the library.
    """
    if isinstance(module, ModuleType):
        path = Path(module.__path__[0]) if hasattr(module, "__path__") else Path(module.__file__)
    else:
        path = Path(module)
    provenance.hide_frames(str(path) + (os.sep if path.is_dir() else ""))
