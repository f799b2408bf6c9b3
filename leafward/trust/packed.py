"""What a pack hook of ``saved_tensors_hooks`` kept was changed before the unpack hook gave it back."""
import ast

from leafward.core.packed import memory
from leafward.core.runtime import runtime
from leafward.trust.facts import Kept
from leafward.trust.layout import Row, list_of
from leafward.trust.scene import Scene
from leafward.trust.silent import FIRST_LINE, is_used, tell, told, values, whose_gradient
from leafward.trust.source import key_of, place, source_lines, tree_of
from leafward.trust.writers import Names, as_place, is_write


def tell_repacked(node, saved, tensor, packing, write, found):
    """Tell that ``tensor`` is what was unpacked, and not what was packed. ``write``: who changed it, if leafward did it."""
    if not is_used(node, saved):
        return
    sites = node._site, packing.site, None if write is None else write.site, found
    key = tuple(map(key_of, sites))
    if runtime.strict or key not in told:
        scene = Scene()
        saved.array = tensor._array
        try:
            told[key] = f"{FIRST_LINE}\n{story(Kept(node, saved, scene), packing, write, place(found), scene)}", sites
        finally:
            saved.array = None
    tell(told[key][0], found)


def story(kept, packing, write, found, scene):
    """Needed by, packed by, changed by, effect, fix."""
    hook = None if packing.site is None else place(packing.site)
    rows = [Row("needed by", kept.place, kept.note()),
            Row("packed by", hook, "what this hook kept was changed before it was unpacked")]
    if write is not None:
        at = place(write.site)
        rows.append(Row("changed by", at, "writes to what the hook kept"))
    else:
        at = foreign_write(packing, hook, scene)
        rows.append(Row("changed by", at, "writes to what the hook kept") if at is not None else Row(
            "changed by", None, text="outside leafward, or another value stands in its place"))
    rows.append(Row("effect", None, text=f"{whose_gradient(kept)} used {values(kept.saved)} instead"))
    where = "" if at is None else f"at {at.where()}   "
    rows.append(Row("fix", None, text=f"{where}change it after backward(), or let the hook keep a copy that is its own"))
    return list_of(rows)


def foreign_write(packing, hook, scene):
    """The place of the only statement in sight that writes to what the hooks keep; None if that is not sure."""
    if hook is None or hook.statement is None and hook.text is None:
        return None
    owners = [container for container, _ in packing.places]
    owners += [memory(owner) for owner in owners if isinstance(owner, runtime.tensor)]
    names = {name for name, value in scene.variables() if any(value is owner for owner in owners)}
    tree = tree_of("".join(source_lines(hook.file)))
    own = next((f for f in ast.walk(tree) if isinstance(f, (ast.FunctionDef, ast.Lambda)) and f.lineno == hook.line), None)
    writes = [write for write in ast.walk(tree) if isinstance(write, ast.stmt) and is_write(write, Names(names))
              if own is None or not own.lineno <= write.lineno <= own.end_lineno]
    return as_place(hook, writes[0]) if len({write.lineno for write in writes}) == 1 else None
