"""Gradients that PyTorch would return without a word: the warning, and under ``strict`` the error."""
import ast
import warnings

from leafward.core import modes
from leafward.core.node import Node
from leafward.core.native import call_site
from leafward.core.recording import OpNode
from leafward.core.runtime import runtime
from leafward.core.seals import Marked
from leafward.errors import SilentGradientError, SilentGradientWarning, warn
from leafward.tensor.printing import array_text
from leafward.trust import syntax
from leafward.trust.facts import OWN_COUNTER, UNTRACKED, Kept, chain
from leafward.trust.layout import Row, edit, list_of
from leafward.trust.outside import KINDS, Outside
from leafward.trust.repairs import (
    in_order, is_only_a_write, is_parameter, is_step, kept_copies, or_kept, recorded_write, written_anew,
)
from leafward.trust.scene import Scene, nearest_frame
from leafward.trust.source import key_of, place, position_of

FIRST_LINE = "this gradient is computed from overwritten values. PyTorch would return it without a word."


#: (who kept, which backward, who wrote or handed the memory out) -> the text: one for each, so that in a loop Python shows
#: it once.
told = {}


def silent_gradient(node, saved, writes):
    """Warn at the user's line that called backward; raise under ``strict``."""
    if not is_used(node, saved):
        return
    found = call_site()
    unmarked = [w for w in writes or () if type(w.before) is not Marked]     # (of the others the user says that they are safe)
    changed = None if writes is None else first_change(saved, unmarked)
    by = [handed.site for handed in saved.storage.escaped.recent] if changed is None else [changed.site]
    sites = node._site, found, *by
    key = tuple(map(key_of, sites))
    if runtime.strict or key not in told:
        scene = Scene()
        changed = changed or change_outside(node, saved, found, scene)
        text = f"{FIRST_LINE}\n{story(Kept(node, saved, scene), changed, place(found), scene)}"
        told[key] = text, sites                             # (the sites keep their code, so that its id stays its own)
    tell(told[key][0], found)


def shared_gradient(storage, by):
    """A user's function wrote to a gradient that another tensor's gradient is, too."""
    write = storage.log[0] if storage.log else None
    at = None if write is None else place(write.site)
    handed = storage.escaped.recent[0] if write is None and storage.escaped is not None else None
    should = "should return the new gradient, and leave the one that it is given"
    rows = [Row("changed by", at, f"{by} {should}")]
    if handed is not None:
        rows = [Row("changed by", None, text=f"{by}, outside leafward: it {should}"),
                Row("through", place(handed.site), f"the same memory: {KINDS[handed.kind]}")]
    rows.append(Row("effect", None, text="the other tensor's gradient is kept as it was"))
    if handed is not None:
        rows.append(Row("fix", None, text=f"at {place(handed.site).where()}   write to a copy, and return a tensor of it"))
    advice = None if at is None else returned(at) if by == "a hook" else bound_anew(at)
    if advice is not None:
        rows.append(Row("fix", None, text=f"{edit(at.where(), advice)}   {advice}   out of place: in memory of its own"))
    tell(f"{by} changed its gradient in place, and another tensor's gradient is in the same memory. PyTorch would change both "
         f"without a word.\n{list_of(rows)}", call_site())


def returned(at):
    """The hook's line with the new gradient returned: ``return g.mul(0.1)`` for ``g.mul_(0.1)``."""
    anew = written_anew(at)
    if anew is not None:
        return at.edited(at.statement, f"return {anew[1]}")
    call = at.expression
    if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr.endswith("_"):
        renamed = ast.Call(ast.Attribute(call.func.value, call.func.attr[:-1]), call.args, call.keywords)
        return at.edited(call, ast.unparse(renamed))
    return None


def bound_anew(at):
    """The line with the name bound to a new tensor: ``g = g.mul(10.0)`` for ``g.mul_(10.0)``."""
    anew = written_anew(at)
    return None if anew is None else at.edited(at.statement, f"{anew[0]} = {anew[1]}")


def tell(text, found):
    """Warn at the line of ``found``, the one that called backward; raise under ``strict``."""
    if runtime.strict:
        raise SilentGradientError(text)
    names = nearest_frame().f_globals
    if found is None:
        warn(text, SilentGradientWarning)
        return
    warnings.warn_explicit(text, SilentGradientWarning, found[0].co_filename, position_of(*found)[0],
                           module=names.get("__name__", "<unknown>"), registry=names.setdefault("__warningregistry__", {}))


class Change:
    """What overwrote a kept value: from where, and why PyTorch does not see it."""

    def __init__(self, site, text, reason, link=None, write=None, outside=None):
        self.site, self.text, self.reason, self.link, self.write, self.outside = site, text, reason, link, write, outside


def is_used(node, saved):
    """Whether a rule that runs now asks for the value: ``inputs=[w]`` may need nothing of what another input's needs."""
    task = modes.current().backward
    if task is None or task.needed is None or not isinstance(node, OpNode) or node._plan.variadic_at >= 0:
        return True
    wanted = [target is not None and task.needed.get(target, False) for target in node._targets]
    slots = [number for number, value in enumerate(node._values) if value is saved]
    return not slots or any(slot in step.asks for slot in slots for step in node._plan.steps
                            if any(wanted[position] for position in step.serves))


def change_outside(node, saved, found, scene):
    """The bytes changed, and nothing of leafward wrote them."""
    outside = Outside(node, saved, place(found), scene)
    if outside.other is not None:
        return Change(outside.other.site, outside.other.op, "another tensor on the same memory", outside=outside)
    return Change(None, "outside leafward", "", outside=outside)


def first_change(saved, writes):
    """The first write that touched the value."""
    if not writes:
        last = saved.storage.log[-1]
        return Change(last.site, last.op, "the last of many untracked writes", write=last)
    write = writes[0]
    link = next((link for link in chain(write.alias) if link.kind in UNTRACKED), None)
    if saved.packed is not None:
        return Change(write.site, write.op, "a write: PyTorch does not look at what pack hooks keep", link, write)
    if write.op.startswith("untyped_storage"):
        reason = "PyTorch does not notice writes to a storage"
    elif link is None:
        reason = "PyTorch was told not to count it"
    elif link.kind in OWN_COUNTER and link.kind != "data =":
        reason = f"{OWN_COUNTER[link.kind]}() shares memory, and PyTorch does not notice writes through it"
    else:
        reason = "PyTorch does not notice writes through .data"
    return Change(write.site, write.op, f"an untracked write: {reason}", link, write)


def story(kept, changed, found, scene):
    """Needed by, changed by, effect, fix."""
    written = place(changed.site)
    rows = [Row("needed by", kept.place, kept.note()), *changed_rows(changed, written)]
    for row, text in zip(rows, (kept.op, changed.text), strict=False):
        row.text = row.text or text
    packing = None if kept.saved.packed is None else kept.saved.packed[2]
    if packing is not None and packing.site is not None:
        rows.insert(1, Row("packed by", place(packing.site), "this hook kept the tensor itself"))
    alias = None if changed.link is None else place(changed.link.site)
    if alias is not None and written is not None and not alias.same_line(written):
        rows.append(Row("through", alias))
    rows.append(Row("effect", None, text=f"{whose_gradient(kept)} used the new values, at first {values(kept.saved)}"))
    for number, advice in enumerate(fixes(kept, changed, written, alias, found, scene)):
        rows.append(Row("" if number else "fix", None, text=advice))
    return list_of(rows)


def changed_rows(changed, written):
    """Who wrote, and how that reached the memory."""
    outside = changed.outside
    if outside is None:
        return [Row("changed by", written, changed.reason)]
    rows = [] if outside.other is None else [Row("changed by", written, changed.reason)]
    if outside.written is not None and (not rows or not outside.written.same_line(written)):
        label = "or by" if rows else "changed by"
        rows.append(Row(label, outside.written, f"written outside leafward, {outside.span()}"))
        if outside.called_in is not None:
            rows.append(Row("called in", outside.called_in))
    if not rows:
        rows = [Row("changed by", None, text=f"written outside leafward, or through a tensor that is gone, {outside.span()}")]
    ways = [(outside.kind, outside.handed)] if outside.is_sure else outside.ways
    return rows + [Row("through", at, f"the same memory: {KINDS[kind]}") for kind, at in ways if at is not None]


def whose_gradient(kept):
    """``x.grad``, if the value was kept for a single leaf that the source names; else the node's gradient."""
    targets = {t for t in kept.node._targets if t is not None}
    names = {kept.place.source_of(n) for n in kept.inputs if syntax.is_simple(n)}
    if len(targets) == len(names) == 1 and not isinstance(targets.pop(), Node):
        return f"{names.pop()}.grad"
    return f"the gradient of {kept.op}"


def values(saved):
    """The first few elements that the gradient was computed from."""
    array = runtime.xp.resolved(saved.array)
    if array.ndim == 0:
        return array_text(array, saved.dtype, 0)
    shown = array_text(array.reshape(-1)[:6], saved.dtype, 0)
    return f"{shown[:-1]}, ...]" if array.size > 6 else shown


def fixes(kept, changed, written, alias, found, scene):
    """What to type instead, a line for each way."""
    if changed.outside is not None:
        if not changed.outside.is_sure:
            return on_lines(kept_copies(kept, scene, ())) or ["hand out a copy in each of these lines"]
        if not (changed.outside.is_only_a_write() or is_parameter(kept.saved) or changed.outside.is_read_on(kept.place)):
            return [text for text in [changed.outside.fix()] if text]
        return on_lines(kept_copies(kept, scene, ())) or ["keep a clone() for the gradient where the value is used, or write "
                                                          "after backward()"]
    packing = None if kept.saved.packed is None else kept.saved.packed[2]
    if packing is not None and packing.site is not None:    # (a copy made before it is packed is what the hook then keeps)
        return [f"at {place(packing.site).where()}   let the hook keep tensor.clone(), a copy that is its own"]
    if written is None:
        return []
    if changed.write is not None and (is_parameter(kept.saved) or is_step(changed.write)):
        choices = or_kept(in_order(kept.place, changed.write, written, found, scene), kept, changed.write, scene, ())
    else:
        choices = []
        if alias is not None and isinstance(alias.expression, ast.Attribute) and not is_only_a_write(alias, written):
            owner = alias.source_of(alias.expression.value)
            choices.append((alias.where(), alias.edited(alias.expression, f"{owner}.detach().clone()"),
                            "if the write was meant for a private copy"))
        choices += recorded_write(written, scene) or kept_copies(kept, scene, ())
        choices = [c for c in choices if c[1] is not None] or [(written.where(), "", "write to a clone(), or after backward()")]
    return on_lines(choices)


def on_lines(choices):
    """Each choice as a line."""
    return ["   ".join(part for part in (edit(where, code), code, when) if part) for where, code, when in choices]
