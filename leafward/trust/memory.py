"""Who shares a tensor's memory, what keeps it alive, and tensors that nobody may write to."""
from __future__ import annotations

import gc
import itertools
from typing import TYPE_CHECKING

from leafward.core.native import call_site
from leafward.core.node import Node, behind
from leafward.core.saved import Saved
from leafward.core.storage import VersionCounter
from leafward.core.tensor import TensorBase
from leafward.trust.facts import chain, op_of, short_type
from leafward.trust.layout import Row, list_of
from leafward.trust.scene import Scene
from leafward.trust.source import place

if TYPE_CHECKING:
    from leafward.tensor.tensor import Tensor

#: How deep containers and objects among the user's variables are searched for names, and how many things in all.
DEPTH, LOOKED_AT = 4, 20000


def size_of(count):
    """``12 B``, ``3.1 MB``."""
    for unit in ("B", "kB", "MB"):
        if count < 1000:
            return f"{count:.3g} {unit}" if unit != "B" else f"{count} B"
        count /= 1000
    return f"{count:.3g} GB"


def tensors_there():
    """Every tensor that the program has."""
    return [thing for thing in gc.get_objects() if issubclass(type(thing), TensorBase)]     # nobody's `__class__` is asked


def saved_values(values):
    """The saved values among what a node kept, lists of them taken apart."""
    for value in values or ():
        if isinstance(value, Saved):
            yield value
        elif isinstance(value, list):
            yield from (part for part in value if isinstance(part, Saved))


def names_in_reach(scene):
    """``{id of a tensor: what the user's program calls it}``: variables, and what stands in their containers and modules."""
    # (under pytest the `__loader__` of a test's module holds all that pytest knows)
    variables = [(name, value) for name, value in scene.variables() if not name.startswith("__")]
    seen, looked_at = set(), 0
    names = {id(value): name for name, value in reversed(variables) if issubclass(type(value), TensorBase)}
    for variable in variables:                              # of the innermost frame first: what is looked at is bounded
        todo = [(*variable, 0)]
        for name, value, depth in todo:
            looked_at += 1
            if looked_at > LOOKED_AT:
                return names
            if issubclass(type(value), TensorBase):
                names.setdefault(id(value), name)
            elif depth < DEPTH and id(value) not in seen:
                seen.add(id(value))
                todo += [(f"{name}{suffix}", part, depth + 1) for suffix, part in parts_of(value)]
    return names


def parts_of(value, most=LOOKED_AT):
    """``(what is written behind the name, part)`` for what a container or an object of the user's holds, ``most`` of them."""
    if isinstance(value, (list, tuple)):
        return [(f"[{number}]", part) for number, part in enumerate(value[:most])]
    if type(value).__name__ in ("dict", "OrderedDict", "defaultdict"):
        named = [(key if not isinstance(key, TensorBase) else "...", part) for key, part in first_items(value, most)]
        return [("[...]" if key == "..." else f"[{key!r}]", part) for key, part in named]
    if hasattr(type(value), "named_parameters"):
        try:
            return [(f".{path}", part) for path, part in (*value.named_parameters(), *value.named_buffers())]
        except Exception:               # noqa: BLE001  half built
            return []
    inner = getattr(value, "__dict__", None)
    if type(inner) is dict and not isinstance(value, type) and type(value).__module__ not in ("builtins", "types"):
        return [(f".{name}", part) for name, part in first_items(inner, most)]
    return []


def first_items(mapping, most):
    """The first items of a dict, which may be a large one."""
    return list(itertools.islice(mapping.items(), most))


def made_at(tensor):
    """Where a tensor was made, as far as it is known: the alias that it is, or its node."""
    links = chain(tensor._alias)
    if links:
        return links[0].kind, links[0].site
    return (None, None) if tensor._node is None else (op_of(tensor._node), tensor._node._site)


def rows_of_sharers(tensor, names):
    """A row for each other tensor and each array on the memory of ``tensor``."""
    rows = []
    for other in tensors_there():
        if other._storage is tensor._storage and other is not tensor:
            kind, site = made_at(other)
            how = "shares the memory" if other._alias is not None else "made it"
            note = "" if kind is None else f"{kind.strip('_')}: {how}"
            name = names.get(id(other), "a tensor without a name")
            rows.append(Row("tensor", None, note, text=f"{name}   {short_type(other._dtype)}{list(other._array.shape)}"))
            rows[-1].where = "" if site is None else place(site).where()
    escapes = tensor._storage.escaped
    for one in () if escapes is None else escapes.recent:
        if one.alive() and one.site is not None:
            where = place(one.site)
            rows.append(Row("outside", where, f"{one.kind}: others see, and may write, this memory"))
    return rows


def aliases(tensor: Tensor) -> str:
    """Tell who else sees the memory of ``tensor``: other tensors by name and line, and arrays outside leafward.

    tensor: whose memory is asked for

    >>> import leafward as lw
    >>> h = lw.zeros(3)
    >>> row = h[0]
    >>> print(lw.aliases(h))                             # doctest: +ELLIPSIS
    `h`: 12 B, shared by 1 other:
      tensor   row   f32[] ...
    >>> print(lw.aliases(lw.zeros(2)))
    the tensor: 8 B, shared by nobody
    """
    names = names_in_reach(Scene())
    rows = rows_of_sharers(tensor, names)
    name = f"`{names[id(tensor)]}`" if id(tensor) in names else "the tensor"
    size = size_of(tensor._storage.owner.nbytes)
    if not rows:
        return f"{name}: {size}, shared by nobody"
    return f"{name}: {size}, shared by {len(rows)} other{'s' if len(rows) > 1 else ''}:\n{list_of(rows)}"


def who_holds(tensor: Tensor) -> str:
    """Tell what keeps the memory of ``tensor`` alive: variables, other tensors on it, and graphs that saved it.

    All of the program's tensors are looked through, so it takes a while in a large program. Use it where memory grows:
    a graph is alive as long as any result of it is.

    tensor: whose memory is asked for

    >>> import leafward as lw
    >>> x = lw.ones(1000, requires_grad=True)
    >>> hidden = x.exp()
    >>> losses = [hidden.sum()]
    >>> print(lw.who_holds(hidden))                      # doctest: +ELLIPSIS
    `hidden`: 4 kB, held by:
      variable   hidden ...
      graph      hidden ...   exp, behind it, saved this memory for backward
      graph      losses[0] ...   exp, behind it, saved this memory for backward
    """
    scene = Scene()
    names = names_in_reach(scene)
    rows = []
    if id(tensor) in names:
        where = made_at(tensor)[1]
        rows.append(Row("variable", None, text=names[id(tensor)]))
        rows[0].where = "" if where is None else place(where).where()
    rows += rows_of_sharers(tensor, names)
    total = 0
    for root in tensors_there():
        if root._node is None:
            continue
        keepers, kept = keepers_behind(root, tensor._storage)
        if keepers:
            at = place(keepers[0]._site)
            more = f" and {len(keepers) - 1} more" if len(keepers) > 1 else ""
            note = f"{op_of(keepers[0])}{more}, behind it, saved this memory for backward"
            row = Row("graph", None, note, text=names.get(id(root), "a tensor without a name"))
            row.where = "" if at is None else at.where()
            rows.append(row)
            total = max(total, kept)
    rows = [rows[0], *sorted(rows[1:], key=lambda row: row.label)] if rows else rows
    name = f"`{names[id(tensor)]}`" if id(tensor) in names else "the tensor"
    size = size_of(tensor._storage.owner.nbytes)
    if not rows:
        return f"{name}: {size}, held by nothing but this call"
    last = f"\n  the largest of these graphs keeps {size_of(total)} in all" if total > tensor._storage.owner.nbytes else ""
    return f"{name}: {size}, held by:\n{list_of(rows)}{last}"


def keepers_behind(root, storage):
    """The nodes behind ``root`` that saved a value in ``storage``, and how many bytes all of them keep."""
    keepers, kept = [], {}
    for node in behind([root._node]):
        if isinstance(node, Node):
            for saved in saved_values(node._values):
                kept[id(saved.storage)] = 0 if saved.storage.owner is None else saved.storage.owner.nbytes
                if saved.storage is storage:
                    keepers.append(node)
    return list(dict.fromkeys(keepers)), sum(kept.values())


# -- read-only tensors ----------------------------------------------------------------------------------------------------

class FrozenCounter(VersionCounter):
    """The version counter of frozen memory: it is not the storage, so that writes come by ``core/seals.py`` first."""

    def __init__(self, counter):
        super().__init__()
        self.version, self.instead_of = counter.version, counter


def freeze_(tensor: Tensor, frozen: bool = True) -> Tensor:
    """Make ``tensor``, and every other tensor on its memory, read-only: a write raises, at the write, and changes nothing.

    For values that nobody may change: targets, a teacher's weights, what was saved by hand. Arrays that ``numpy()`` gives of
    it are read-only as well; those that were given before are not.

    tensor: whose memory nobody may write to
    frozen: False: writes are allowed again

    >>> import leafward as lw
    >>> target = lw.freeze_(lw.ones(2))
    >>> target.mul_(2)                                   # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    leafward.ReadOnlyTensorError: this tensor is read-only ...
    >>> lw.freeze_(target, False).mul_(2)
    tensor([2., 2.])
    """
    storage, counters = tensor._storage, {}
    if storage.frozen is not None and storage.frozen[1] is not None:
        if frozen:
            return tensor
        raise RuntimeError("this memory was read-only before leafward saw it, and stays so: use a clone()")
    storage.frozen = (call_site(), None) if frozen else None
    if not frozen:
        storage.owner.flags.writeable = True                # before the views of it
    for other in [tensor, *tensors_there()]:
        if other._storage is not storage:
            continue
        was = other._counter
        if frozen and not isinstance(was, FrozenCounter):
            other._counter = counters.setdefault(id(was), FrozenCounter(was))
        elif not frozen and isinstance(was, FrozenCounter):
            other._counter = was.instead_of
        other._array.flags.writeable = not frozen
    if frozen:
        storage.owner.flags.writeable = False
    return tensor
