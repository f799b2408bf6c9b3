"""What the C form of this file (``native.pyx``) does much faster: making instances, and finding what a thread remembers
and who called."""
import sys

from leafward.core.provenance import is_hidden, known
from leafward.core.runtime import runtime
from leafward.locks import new_lock

#: Held while a thread changes these counts. Re-entrant: a collection inside may end a thread's state.
counting = new_lock()


def allocate(cls):
    """A bare instance of one of the core's classes that do not define ``__new__``."""
    return cls.__new__(cls)


def allocate_by(base, cls):
    """The same by the ``__new__`` of ``base``, a class of the core, whatever that of its subclass ``cls`` does."""
    return base.__new__(cls)


def untrack(value):
    """``value``, kept from the garbage collector: the node that holds it answers for it (``tracing.pyx``)."""
    return value


def set_attribute(self, name, value):
    """``object.__setattr__``, which notes what of a tensor may refer to a node: see ``tracing.pyx``."""
    object.__setattr__(self, name, value)


def inherit_attributes(cls):
    """Let subclasses of ``cls`` find attributes by its own C function, where it has one."""


#: What finds the attributes of an object that has some of them in ``_parameters``, ``_buffers`` and ``_modules``, in C; here
#: its own ``__getattr__`` does.
attribute_of = None


def current_state():
    """What was remembered for this thread, or None: here always None, and ``modes`` looks it up."""


def remember_state(state):
    """Let :func:`current_state` answer ``state`` in this thread, while that lives."""


def forget_state(state):
    """Forget ``state``, which is about to end."""


def count_threads(special, levels, inference):
    """Add to the counts of threads whose modes are not the default, that are in a level, and in inference mode."""
    with counting:
        runtime.special += special
        runtime.levels += levels
        runtime.inference += inference


def fits_int64(value):
    """Whether an int fits into 64 bits with a sign."""
    return -0x8000000000000000 <= value <= 0x7fffffffffffffff


def address(value):
    """What tells ``value`` from all others that live."""
    return id(value)


def call_site():
    """The nearest frame outside leafward, as ``(code, instruction offset)``; None if there is none."""
    frame = sys._getframe(1)
    while frame is not None:
        code = frame.f_code
        entry = known.get(id(code))
        if not (is_hidden(code) if entry is None else entry[1]):
            return (code, frame.f_lasti)
        frame = frame.f_back
    return None


def noted(what):
    """What was noted of the user's line and ``what``, by identity; None where that was forgotten, as here it always is."""


def note(what, site, note):
    """Let :func:`noted` answer ``note`` at ``site``, until it is forgotten."""


def forget_notes():
    """Forget them all."""


def forget_call_sites():
    """Forget which frames are hidden: here nothing is remembered but in ``provenance.known``."""
