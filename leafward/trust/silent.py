"""Gradients that PyTorch would return without a word: the warning, and under ``strict`` the error."""
import ast
import warnings

from ..core.node import Node
from ..core.provenance import call_site
from ..core.runtime import runtime
from ..errors import SilentGradientError, SilentGradientWarning
from ..printing import array_text
from . import syntax
from .facts import Kept, chain
from .layout import Row, list_of
from .scene import Scene, nearest_frame
from .source import place
from .stories import is_step

FIRST_LINE = "this gradient is computed from overwritten values. PyTorch would return it without a word."


class Told(str):
    """A warning's text that equals any other about the same lines: in a loop, Python's filters show it once."""

    def __new__(cls, text, lines):
        told = super().__new__(cls, text)
        told.lines = lines
        return told

    def __eq__(self, other):
        return isinstance(other, Told) and self.lines == other.lines

    def __hash__(self):
        return hash(self.lines)


class Message(SilentGradientWarning):
    """A warning that gives its text as it is, :class:`Told`."""

    def __str__(self):
        return self.args[0]


Message.__name__ = Message.__qualname__ = SilentGradientWarning.__name__
Message.__module__ = SilentGradientWarning.__module__


def silent_gradient(node, saved, writes):
    """Warn at the user's line that called backward; raise under ``strict``."""
    kept = Kept(node, saved, Scene())
    changed = assigned(saved) if writes is None else first_change(saved, writes)
    text = f"{FIRST_LINE}\n{story(kept, changed)}"
    if runtime.strict:
        raise SilentGradientError(text)
    frame, found = nearest_frame(), place(call_site())
    if frame is None or found is None:
        warnings.warn(text, SilentGradientWarning, stacklevel=2)
        return
    lines = tuple(p.where() for p in (kept.place, changed.place, found) if p is not None)
    warnings.warn_explicit(
        Message(Told(text, lines)), SilentGradientWarning, found.file, found.line,
        module=frame.f_globals.get("__name__"), registry=frame.f_globals.setdefault("__warningregistry__", {}))


class Change:
    """What overwrote a kept value: from where, and why PyTorch does not see it."""

    def __init__(self, site, text, reason, link=None, write=None):
        self.place, self.text, self.reason, self.link, self.write = place(site), text, reason, link, write


def assigned(saved):
    """The leaf was given other memory."""
    link = saved.leaf._alias
    site = link.site if link is not None and link.kind == "data =" else None
    return Change(site, ".data = ...", "untracked: .data = gives other memory to the same tensor", link)


def first_change(saved, writes):
    """The first write that touched the value."""
    if not writes:
        last = saved.storage.log[-1]
        return Change(last.site, last.op, "the last of many untracked writes", write=last)
    write = writes[0]
    link = next((link for link in chain(write.alias) if link.kind in ("data", "data =", "set_")), None)
    if write.op.startswith("untyped_storage"):
        reason = "a storage has no version counter"
    elif link is None:
        reason = "it was told not to count"
    elif link.kind == "set_":
        reason = "set_() shares memory, and keeps its own version counter"
    else:
        reason = ".data has no version counter"
    return Change(write.site, write.op, f"untracked write: {reason}", link, write)


def story(kept, changed):
    """Needed by, changed by, effect, fix."""
    rows = [Row("needed by", kept.place, kept.story()), Row("changed by", changed.place, changed.reason)]
    for row, text in zip(rows, (kept.op, changed.text), strict=True):
        row.text = row.text or text
    alias = None if changed.link is None else place(changed.link.site)
    if alias is not None and changed.place is not None and not alias.same_line(changed.place):
        rows.append(Row("through", alias))
    rows.append(Row("effect", None, text=f"{whose_gradient(kept)} used the new bytes: {values(kept.saved)}"))
    advice = fix(kept, changed, alias)
    if advice:
        rows.append(Row("fix", None, text=advice))
    return list_of(rows)


def whose_gradient(kept):
    """``x.grad``, if the value was kept for a single leaf that the source names; else the node's gradient."""
    targets = {t for t in kept.node.targets if t is not None}
    names = {kept.place.source_of(n) for n in kept.inputs if syntax.is_simple(n)}
    if len(targets) == len(names) == 1 and not isinstance(targets.pop(), Node):
        return f"{names.pop()}.grad"
    return f"the gradient of {kept.op}"


def values(saved):
    """The first few elements that the gradient was computed from."""
    array = saved.array if saved.leaf is None else saved.leaf._array
    if array.ndim == 0:
        return array_text(array, saved.dtype, 0)
    shown = array_text(array.reshape(-1)[:6], saved.dtype, 0)
    return f"{shown[:-1]}, ...]" if array.size > 6 else shown


def fix(kept, changed, alias):
    """What to type instead."""
    if changed.place is None:
        return ""
    where = changed.place.where()
    if kept.saved.leaf is not None and kept.saved.leaf._requires_grad:
        return f"{where}   update it after the last backward() that uses this graph, or run the forward pass again"
    if changed.write is not None and is_step(changed.write):
        return ""
    if alias is not None and isinstance(alias.expression, ast.Attribute) and alias.expression.attr == "data":
        owner = alias.source_of(alias.expression.value)
        seen = alias.edited(alias.expression, f"{owner}.detach()")
        safe = alias.edited(alias.expression, f"{owner}.detach().clone()")
        if seen is not None:
            return f"{alias.where()}   {safe} is safe; {seen} would make backward() raise"
    return f"{where}   write to a clone(), or after backward()"
