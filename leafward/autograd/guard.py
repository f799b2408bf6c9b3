"""What custom functions do behind autograd's back: tensors kept on ``ctx`` itself, and inputs written without a word.

``save_for_backward`` keeps an input or an output with its versions and its place in the graph. A tensor that is simply set on
``ctx`` has neither: later writes to it are seen by nobody, and what forward computed it from gets no second derivative.
"""
import dis
from weakref import WeakKeyDictionary

from leafward.core import modes
from leafward.core.cuts import cuts_of
from leafward.core.native import call_site
from leafward.core.runtime import runtime
from leafward.core.storage import writes_since
from leafward.core.tensor import TensorBase
from leafward.errors import trust

#: Function class -> the attributes that its forward sets on ``ctx``, and its backward reads.
known = WeakKeyDictionary()


class Stash:
    """A tensor on ``ctx``, or in a list or dict on it, and the count of writes to its memory when forward had ended."""

    def __init__(self, name, held, tensor):
        self.name, self.held, self.tensor, self.storage, self.array = name, held, tensor, tensor._storage, tensor._array
        self.storage.kept = True
        self.writes, self.told = self.storage.writes, False
        self.seal = runtime.xp.fingerprint(self.array, runtime.strict)
        #: It was computed in forward from inputs that require grad: a second derivative would have to go through it.
        self.cut = tensor._cut if tensor._dtype.is_floating_point else None

    def changed_by(self):
        """The writes since, if what is there changed: a list, empty where they are not known; None if nothing changed."""
        if self.storage.writes == self.writes and self.storage.escaped is None:
            return None
        if runtime.xp.fingerprint(self.array, runtime.strict) == self.seal:
            return None
        return [w for w in writes_since(self.storage, self.writes) or () if runtime.overlap(w.region, self.array)]


def innermost_rule(cls):
    """The backward of ``cls`` as the user wrote it."""
    rule = cls.rule_of_backward()
    while hasattr(rule, "__wrapped__"):
        rule = rule.__wrapped__
    return rule


def stashed_names(cls):
    """The attributes of ``ctx`` that ``forward`` (or ``setup_context``) of ``cls`` sets and its backward reads."""
    names = known.get(cls)
    if names is None:
        try:
            rule = innermost_rule(cls)
        except RuntimeError:
            return ()
        codes = [f.__code__ for f in (cls.forward, cls.setup_context) if hasattr(f, "__code__")]
        stored = {i.argval for code in codes for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}
        read = getattr(getattr(rule, "__code__", None), "co_names", ())
        names = known[cls] = tuple([name for name in read if name in stored])
    return names


def tensors_in(held):
    """A tensor, or those in a list, a tuple or a dict."""
    values = held.values() if type(held) is dict else held if type(held) in (list, tuple) else [held]
    return [value for value in values if isinstance(value, TensorBase)]


class GuardedCall:
    """One call of a custom function, looked at before and after its forward."""

    def __init__(self, ctx, cls, args, needs):
        self.ctx, self.cls = ctx, cls
        self.watched = [(a, a._storage.writes) for a, needed in zip(args, needs, strict=True) if needed]
        self.names, self.state = stashed_names(cls), None
        site = call_site() if self.names else None
        if site is not None:                                # what forward computes from its inputs carries a cut
            self.state = modes.current()
            self.was, self.state.block = self.state.block, site

    def ended(self, outputs):
        """Note what forward set on ``ctx``, and tell of inputs that it wrote to without a word."""
        if self.state is not None:
            self.state.block = self.was
            for output in outputs:
                if isinstance(output, TensorBase):
                    output._cut = None
        values = [(name, self.ctx.__dict__.get(name)) for name in self.names]
        self.ctx._stashes = [Stash(name, held, value) for name, held in values for value in tensors_in(held)]
        declared = (*self.ctx.dirty_tensors, *outputs)
        for tensor, count in self.watched:
            if tensor._storage.writes != count and not any([tensor is d for d in declared]):
                writes = writes_since(tensor._storage, count) or ()
                touched = [w for w in writes if runtime.overlap(w.region, tensor._array)]
                if touched:
                    trust("tell_unmarked")(self.cls, touched[0])
                    return


def check_stashes(ctx, again):
    """Before backward: tell of what was overwritten, and, if it is recorded, of what will have no second derivative."""
    again = again and not hasattr(ctx._function.rule_of_backward(), "__wrapped__")      # (once_differentiable refuses)
    for stash in ctx._stashes:
        if ctx.__dict__.get(stash.name) is not stash.held or stash.told:
            continue
        writes = stash.changed_by()
        if writes is not None:
            stash.told = True
            if not writes or writes[0].site is None or writes[0].site[0] is not innermost_rule(ctx._function).__code__:
                trust("tell_stash")(ctx, stash.name, writes)        # (what backward itself writes is its own affair)
        elif again and stash.cut is not None and stash.tensor._node is None:
            stash.told = True
            trust("tell_lost_derivative")(ctx, stash.name, cuts_of(stash.cut))
