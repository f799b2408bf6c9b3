"""Networks that are given their own tensors to load: a ``state_dict()`` that was kept, and that training has changed since."""
from __future__ import annotations

import ast
import itertools
import weakref

from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.trust import syntax
from leafward.trust.layout import Row
from leafward.trust.source import key_of, place

#: What gives a network's own tensors by name.
TAKEN = "state_dict"


class Kept:
    """The part of a :class:`~leafward.app.watch.Watch` that follows what ``state_dict()`` has given."""

    def __init__(self, watch):
        self.watch = watch
        self.taken = {}                 # id(tensor) -> (it, weakly; how often its memory had been written; where it was taken)

    def state(self, module, state, loads):
        """A network gives its state, or is given one."""
        site = call_site()
        if site is not None and loads:
            self.look(module, state, site)
        elif site is not None:
            for value in state.values():
                if isinstance(value, TensorBase):
                    key = id(value)
                    self.taken[key] = (weakref.ref(value, lambda _, key=key: self.taken.pop(key, None)),
                                       value._storage.writes, site)

    def look(self, module, given, site):
        """Note that all a network loads is what it has: what was kept of it went on with it."""
        own = dict(itertools.chain(module.named_parameters(), module.named_buffers()))
        pairs = [(own.get(key), value) for key, value in given.items()]
        known = [(value, *self.taken.get(id(value), (None, 0, None))[1:]) for _, value in pairs]
        made = next((at for value, writes, at in known if at is not None and value._storage.writes != writes), None)
        if made is None or not all(is_same(mine, value) for mine, value in pairs):
            return
        where, taken = place(site), place(made)
        call, choices = taken.expression, []
        if isinstance(call, ast.Call) and syntax.called(call) == TAKEN:
            code = f"{{key: value.clone() for key, value in {ast.unparse(call)}.items()}}"
            choices = [(*taken.with_replaced(call, code), "keeps the values of that time")]
        self.watch.find(("own", key_of(site)), "a network loads its own tensors: nothing changes", [
            Row("taken in", taken, f"{TAKEN}() hands out the tensors themselves: each step changes them, too"),
            Row("loaded in", where, "the values are those of now")],
            choices or [(taken.where(), "copy the values: copy.deepcopy() of it", "keeps the values of that time")])


def is_same(mine, value):
    """Whether two tensors are the same elements of one memory."""
    return isinstance(mine, TensorBase) and isinstance(value, TensorBase) and mine._storage is value._storage and \
        runtime.overlap(mine._array, value._array)
