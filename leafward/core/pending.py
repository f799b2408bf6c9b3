"""What the engine keeps of one backward: who called it, and for each target the gradients that have arrived so far."""
from leafward.core.native import call_site
from leafward.core.runtime import runtime

#: How often each place in the user's program has called backward: (id(code), offset) -> count.
calls = {}


class Call:
    """One call of backward: from where, the how-manieth from there, and how many nodes there were before it."""

    def __init__(self):
        self.site = site = call_site() if runtime.checks else None
        self.sequence = runtime.sequence
        self.root = -1              # which node it began at: the number of one of them
        self.number = 0
        if site is not None:
            key = (id(site[0]), site[1])        # hashing a code object would read all of it
            self.number = calls[key] = calls.get(key, 0) + 1


class Pending:
    """What has arrived so far for one target, and how many more gradients it waits for."""

    def __init__(self):
        self.count = 0
        self.grad = None
        self.grads = None               # a list, where the target has several outputs
        self.owned = False              # nobody else has the array `grad`: it may be added to in place, and a leaf may keep it
