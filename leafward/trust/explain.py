"""A graph in words: what was computed where, what it keeps for backward, where its history ends."""
from __future__ import annotations

from typing import TYPE_CHECKING

from leafward.core.history import wants_grad
from leafward.core.node import Node, behind
from leafward.core.recording import OpNode
from leafward.core.tensor import TensorBase
from leafward.trust.cuts import behind as behind_cut
from leafward.trust.cuts import names_of, told_of
from leafward.trust.facts import Kept, op_of, short_type
from leafward.trust.kept import KeptValue
from leafward.trust.layout import Row, list_of
from leafward.trust.memory import names_in_reach, saved_values, size_of
from leafward.trust.scene import Scene
from leafward.trust.source import place

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor


def explain(tensor: Tensor, limit: int = 60) -> str:
    """Tell in words how ``tensor`` was computed: each operation with its line, what it keeps for backward, and all cuts.

    The youngest operation comes first, as in backward. ``of 3, x`` says that it was computed from operation 3 and the leaf x.

    tensor: the tensor whose graph is told
    limit: how many operations are shown; the rest is counted

    >>> import leafward as lw
    >>> x = lw.tensor([1.0, 2.0], requires_grad=True)
    >>> y = x.exp() * 2
    >>> print(lw.explain(y))                             # doctest: +ELLIPSIS
    f32[2]: 2 operations, 1 leaf; 8 B kept for backward in 1 value
      1      mul ...  of 2
      2      exp ...  of x   keeps its own output, f32[2]
      leaf   x   f32[2], no .grad yet
    """
    if not wants_grad(tensor):
        told = told_of(tensor._cut)
        first = f"{of_type(tensor)}: no history, it does not require grad"
        rows = [row for one in told for row in one.rows()]
        return f"{first}\n{list_of(rows)}" if rows else first
    return explain_roots([tensor if tensor._node is None else tensor._node], of_type(tensor), limit)


def explain_node(node, limit=60):
    """The same for what ``node`` gives: ``grad_fn.explain()``."""
    shape, dtype = node._shape, node._dtype
    return explain_roots([node], op_of(node) if dtype is None or shape is None else f"{short_type(dtype)}{list(shape)}", limit)


def of_type(tensor):
    return f"{short_type(tensor._dtype)}{list(tensor._array.shape)}"


def explain_roots(roots, what, limit=60):
    """The same for the nodes that a backward begins at."""
    scene = Scene()
    names = names_in_reach(scene)
    ends = list(behind(roots))
    nodes = sorted([end for end in ends if isinstance(end, Node)], key=lambda node: -node._sequence)
    leaves = [end for end in ends if isinstance(end, TensorBase)]
    numbers = {id(node): number for number, node in enumerate(nodes, 1)}
    called = {**numbers, **{id(leaf): names.get(id(leaf), "a leaf") for leaf in leaves}}
    kept, rows = {}, []
    for node in nodes:
        notes = []
        for saved in saved_values(node._values):
            kept[id(saved.storage)] = saved.storage.owner.nbytes if saved.storage.owner is not None else 0
            if len(rows) < limit:
                notes.append(note_of(node, saved, scene))
        if len(rows) < limit:
            rows.append(row_of(node, numbers[id(node)], called, notes))
    width = max((len(row.op) for row in rows), default=0)
    for row in rows:
        row.text = f"{row.op:<{width}}   {row.text}" if row.text else row.op
    if len(nodes) > limit:
        rows.append(Row("...", None, text=f"and {len(nodes) - limit} older operations"))
    for leaf in leaves[:limit]:
        there = "no .grad yet" if leaf._grad is None else ".grad is there"
        rows.append(Row("leaf", None, text=f"{called[id(leaf)]}   {of_type(leaf)}, {there}"))
    rows += rows_of_cuts(ends, scene)
    count = sum(len(list(saved_values(node._values))) for node in nodes)
    head = (f"{what}: {len(nodes)} operation{'s' * (len(nodes) != 1)}, {len(leaves)} lea{'f' if len(leaves) == 1 else 'ves'}; "
            f"{size_of(sum(kept.values()))} kept for backward in {count} value{'s' * (count != 1)}")
    return f"{head}\n{list_of(rows)}" if rows else head


def row_of(node, number, called, notes):
    """One operation: its name and line, what it was computed from, what it keeps."""
    sources = ", ".join(str(called[id(target)]) for target in node._targets if target is not None)
    state = ["freed by an earlier backward()"] if node._values is None and node._freed_by is not None else notes
    row = Row(str(number), place(node._site), "   ".join([f"of {sources}", *state]))
    row.op = op_of(node)
    return row


def note_of(node, saved, scene):
    """``keeps its input `x`, f32[2]``, and whether that was overwritten since."""
    if saved.packed is not None:
        return note_of_packed(saved.packed[0])
    shape = f"{short_type(saved.dtype)}{list(saved.shape())}"
    changed = ", OVERWRITTEN since" if saved.storage.writes != saved.writes and saved.counter.version != saved.version else ""
    return f"keeps {Kept(node, saved, scene).role() if isinstance(node, OpNode) else 'a tensor'}, {shape}{changed}"


def note_of_packed(packed):
    """What is kept in place of a saved value: what a hook made of it, or the value by :class:`keep_saved`."""
    if not isinstance(packed, KeptValue):
        return "keeps what a pack hook made"
    if packed.copied_at is None:
        return f"keeps {of_type(packed.tensor)}, copied before it is written"
    size = size_of(packed.tensor._array.nbytes)
    return f"keeps a copy of {of_type(packed.tensor)}, {size}, because of {place(packed.copied_at).where()}"


def rows_of_cuts(ends, scene):
    """Where histories ended on the way, and which parameters lie behind."""
    rows, seen = [], set()
    for end in ends:
        for told in told_of(end._cut):
            key = (told.place.file, told.place.line)
            if key not in seen:
                seen.add(key)
                rows += told.rows("cut")
                hidden = names_of(behind_cut(told.cut, told.part), scene)
                if hidden:
                    rows.append(Row("", None, text=f"behind it: {hidden}"))
    return rows
