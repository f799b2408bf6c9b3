"""Where a call came from: a site is ``(code object, instruction offset)``; lines are resolved only when printed."""
import copy
import os
import weakref

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep

#: id(code) -> (code, hidden). The code object is kept, so that its id stays its own.
known = {}
#: What else remembers answers, and has to forget them with these.
forgetters = []
#: Paths whose frames are not the user's: leafward's own, and Python's for copying; the demo is a user's program that happens to
#: be packaged.
hidden_prefixes = [PACKAGE, copy.__file__]
shown_prefixes = [os.path.join(PACKAGE, "app", "demo", "")]

#: id(parameter) -> (a weak reference to it, the site where it was made).
made = {}


def note_made(parameter, site):
    """Remember where a parameter was made, as long as it lives."""
    key = id(parameter)
    made[key] = weakref.ref(parameter, lambda _: made.pop(key, None)), site


def made_at(parameter):
    """Where a parameter was made; None where that is not known."""
    reference, site = made.get(id(parameter), (None, None))
    return site if reference is not None and reference() is parameter else None


def is_hidden(code):
    """Whether frames of ``code`` are passed over when a site is looked for."""
    path = code.co_filename
    answer = path.startswith(tuple(hidden_prefixes)) and not path.startswith(tuple(shown_prefixes))
    known[id(code)] = (code, answer)
    return answer


def hide_frames(path):
    """Pass over frames whose file lies under ``path`` when looking for the user's line."""
    hidden_prefixes.append(path)
    known.clear()
    for forget in forgetters:
        forget()
