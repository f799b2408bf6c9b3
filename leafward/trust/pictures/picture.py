"""A graph as plain data, for whatever draws it: nodes in the order of backward, edges, leaves, storages, cuts, source lines."""
import heapq

from leafward.core.cuts import cuts_of
from leafward.core.engine import ALWAYS, run_backward
from leafward.core.native import call_site
from leafward.core.node import Node, behind
from leafward.core.runtime import runtime
from leafward.core.tensor import TensorBase
from leafward.errors import GradientError, NoHistoryError
from leafward.trust import nonfinite, syntax
from leafward.trust.cuts import behind as leaves_behind
from leafward.trust.cuts import told_of
from leafward.trust.facts import OWN_COUNTER, is_untracked, op_of, short_type
from leafward.trust.pictures.lanes import lanes_of
from leafward.trust.pictures.memory import OUTSIDE, RESTORED, STALE, KeptValue, kept_values, through, timeline
from leafward.trust.pictures.paths import Fold, Names, folds, module_paths
from leafward.trust.scene import Scene
from leafward.trust.source import Place, characters, named_line, position_of, shown_file, source_lines

#: How many nodes, those nearest to the loss, and how many events of one storage are in a picture.
MOST_NODES, MOST_EVENTS = 20_000, 200
#: Files of more lines are shown around the lines that matter, with this many before and after.
WHOLE_FILE, AROUND = 250, 6


class Picture:
    """The graph behind some tensors, or nodes. ``data`` is all of it as lists, dicts, strings and numbers."""

    def __init__(self, ends, scene=None, most=MOST_NODES):
        self.ends = [ends] if isinstance(ends, (TensorBase, Node)) else list(ends)
        for position, end in enumerate(self.ends):
            if not isinstance(end, (TensorBase, Node)):
                raise TypeError(f"the graph of a {type(end).__name__}: expected a tensor that was computed")
            if isinstance(end, TensorBase) and end.grad_fn is None:
                raise NoHistoryError(position=position, tensor=end, site=call_site())
        self.roots = [end if isinstance(end, Node) else end._node for end in self.ends]
        self.names = Names(scene or Scene())
        self.nodes = in_order(self.roots)
        self.all = len(self.nodes)
        self.nodes = self.nodes[:most]
        self.row_of = {node: row for row, node in enumerate(self.nodes)}
        self.places, self.files, self.lines = Numbered(), {}, {}
        self.leaves, self.cuts, self.storages = Numbered(), Numbered(), Numbered()
        self.values, self.by_storage = {}, {}
        self.data = self.drawn()
        self.edges_of = [[] for _ in self.nodes]
        for edge in self.data["edges"]:
            self.edges_of[edge[0]].append(edge)

    # -- places --------------------------------------------------------------------------------------------------------

    def place_of(self, site):
        """The number of a site in the list of places; None for None."""
        if site is None:
            return None
        key = (id(site[0]), site[1])
        return self.places.numbers[key] if key in self.places.numbers else self.places.number(key, self.placed(site))

    def placed(self, site):
        """A site as data: its file by number, its line and columns there, and what the source assigns its value to."""
        where = Place(site)
        _, last, start, end = position_of(*site)
        lines = source_lines(where.file)
        columns = [0, 0]
        if where.text is not None and where.end > where.start:
            full = lines[where.line - 1]
            columns = [characters(full, start), characters(full, end) if last == where.line else len(full.rstrip())]
        name = syntax.target(where) if where.expression is not None else None
        self.lines.setdefault(where.file, set()).add(where.line)
        return {"file": self.files.setdefault(where.file, len(self.files)), "line": where.line, "columns": columns,
                "where": where.where(), "in": where.in_function().strip(), "text": where.text or "",
                "name": "" if name is None else where.source_of(name)}

    def shown_place(self, site):
        """The same data of a site that was noted; None for None."""
        number = self.place_of(site)
        return None if number is None else self.places.found[number]

    def name_of(self, node):
        """What the source assigns the output of ``node`` to: of the nodes of one call, only the last one has the name."""
        row = self.row_of[node]
        place = self.shown_place(node._site)
        if place is None or (row and self.place_of(self.nodes[row - 1]._site) == self.place_of(node._site)):
            return ""
        return place["name"]

    def sources(self):
        """``{name, lines: [[number, text], ...]}`` of each file; None stands where lines are left out."""
        found = []
        for file in self.files:
            lines, used = source_lines(file), self.lines[file]
            chosen = range(1, len(lines) + 1) if len(lines) <= WHOLE_FILE else sorted(
                {n for line in used for n in range(line - AROUND, line + AROUND + 1) if 1 <= n <= len(lines)})
            shown, before = [], 0
            for number in chosen:
                if number != before + 1:
                    shown.append(None)
                shown.append([number, lines[number - 1].rstrip("\n")])
                before = number
            cell = named_line(file, 1)
            found.append({"name": cell.rpartition(", line")[0] if ", line" in cell else shown_file(file), "lines": shown})
        return found

    # -- the parts -----------------------------------------------------------------------------------------------------

    def drawn(self):
        targets = [sorted({self.row_of[t] for t in node._targets if isinstance(t, Node) and t in self.row_of})
                   for node in self.nodes]
        lanes, edges, width = lanes_of(targets)
        paths = module_paths(self.nodes, self.names)
        nodes = [self.node(node, lane, path) for node, lane, path in zip(self.nodes, lanes, paths, strict=True)]
        storages = [self.storage(number) for number in range(len(self.by_storage))]
        hazards = sum(storage["hazard"] for storage in storages)
        self.reached = {id(leaf) for leaf in self.leaves.found}
        cuts = [self.cut(told) for told in self.cuts.found]
        kept = {value.key(): value.nbytes() for values in self.values.values() for value in values if not value.is_parameter}
        end = self.ends[0]
        return {
            "title": self.name_of_end(end),
            "type": nodes[0]["type"] if isinstance(end, Node) else typed(end._array.shape, end._dtype),
            "value": f"{end._array.item():.6g}" if isinstance(end, TensorBase) and end._array.size == 1 else "",
            "counts": {"nodes": self.all, "left out": self.all - len(self.nodes), "bytes": sum(kept.values()),
                       "values": sum(map(len, self.values.values())), "leaves": len(self.leaves.found),
                       "cuts": sum(bool(cut["hidden"]) for cut in cuts), "hazards": hazards,
                       "not finite": sum(bool(node["not finite"]) for node in nodes),
                       "freed": sum(node["freed"] for node in nodes)},
            "nodes": nodes, "lanes": width,
            "edges": [[row, below, lane, False] for (row, below), lane in edges.items()],
            "folds": [self.folded(part) for part in folds(paths)],
            "leaves": [self.leaf(leaf) for leaf in self.leaves.found],
            "cuts": cuts, "storages": storages, "story": None, "asked": "",
            "files": self.sources(), "places": self.places.found,
        }

    def name_of_end(self, end):
        node = end if isinstance(end, Node) else end._node
        return self.names.of_tensor.get(id(end)) or self.name_of(node) or f"output of {op_of(node)}"

    def node(self, node, lane, path):
        values = self.values[node] = kept_values(node)
        told = [self.cuts.number(cut_key(told), told) for told in told_of(node._cut)] if cuts_of(node._cut) else []
        saved = [self.saved(value) for value in values]
        bad = "value" if any(not value.is_finite() for value in values) else ""
        own = {value.key(): value.nbytes() for value in values if not value.is_parameter}
        return {"op": op_of(node), "class": node.name(), "name": self.name_of(node), "type": typed_outputs(node),
                "place": self.place_of(node._site), "path": list(path), "lane": lane, "saved": saved,
                "part": f"{path[-1]}: {self.names.of_class[path]}" if path in self.names.claimed else "",
                "bytes": sum(own.values()),
                "leaves": [self.leaves.number(id(t), t) for t in dict.fromkeys(node._targets)
                           if t is not None and not isinstance(t, Node)],
                "cuts": told, "freed": node._freed_by is not None, "not finite": bad,
                "hooks": 0 if node._hooks is None else len(node._hooks.pre) + len(node._hooks.post) + len(node._hooks.tensor)}

    def saved(self, value):
        """One saved value: what it is, its storage, and how it is now."""
        state = value.state()
        found = {"what": value.what, "type": value.type(), "bytes": value.nbytes(), "state": state,
                 "parameter": value.is_parameter, "packed": value.packed, "storage": None}
        if value.storage is not None:
            number = self.storages.number(id(value.storage), value.storage)
            self.by_storage.setdefault(number, []).append(value)
            found["storage"] = number
            if isinstance(value, KeptValue) and value.saved is not None and value.saved.leaf is not None:
                name = self.names.of_tensor.get(id(value.saved.leaf))
                found["what"] = f"its input {name}" if name else value.what
        return found

    def leaf(self, leaf):
        grad = leaf._grad
        state = "" if grad is None else typed(grad._array.shape, grad._dtype)
        finite = grad is None or bool(runtime.xp.is_finite(runtime.xp.resolved(grad._array)))
        return {"name": self.names.of_tensor.get(id(leaf)) or "leaf", "type": typed(leaf._array.shape, leaf._dtype),
                "bytes": leaf._array.nbytes, "grad": state, "grad finite": finite,
                "storage": self.storages.numbers.get(id(leaf._storage))}

    def called(self, leaf):
        return self.names.of_tensor.get(id(leaf)) or f"a leaf {typed(leaf._array.shape, leaf._dtype)}"

    def cut(self, told):
        """A cut, and which of the leaves behind it nothing else in this graph reaches."""
        rows = told.rows()
        left = leaves_behind(told.cut, told.part)
        return {"kind": (told.part or told.cut).kind.removeprefix("in "), "place": self.place_of(told.cut.site),
                "rows": [[row.label, row.text, row.where, row.note] for row in rows],
                "hidden": [self.called(leaf) for leaf in left if id(leaf) not in self.reached],
                "reached": [self.called(leaf) for leaf in left if id(leaf) in self.reached],
                "repairs": [list(choice) for choice in told.repairs()]}

    def storage(self, number):
        """One storage: its name, its size, and what happened to it in order."""
        values = self.by_storage[number]
        storage = self.storages.found[number]
        late = {id(write) for value in values for write in value.late if value.state() == STALE}
        events = [self.event(event, late) for event in timeline(values)]
        states = {value.state() for value in values}
        escapes = storage.escaped.recent if storage.escaped is not None else []
        return {"name": self.name_of_storage(storage, values), "bytes": values[0].nbytes(),
                "events": events[:MOST_EVENTS], "more": max(0, len(events) - MOST_EVENTS),
                "hazard": bool(states & {STALE, OUTSIDE}), "outside": OUTSIDE in states, "restored": RESTORED in states,
                "escaped": [f"{escape.kind} {self.where(escape.site)}".strip() for escape in escapes if escape.alive()]}

    def name_of_storage(self, storage, values):
        for value in values:
            leaf = value.saved.leaf if value.saved is not None else None
            if leaf is not None and id(leaf) in self.names.of_tensor:
                return self.names.of_tensor[id(leaf)]
        if id(storage) in self.names.of_memory:
            return self.names.of_memory[id(storage)]
        for value in values:
            maker = value.node if value.what == "its output" else value.saved.node if value.saved is not None else None
            if maker is not None:
                return (self.name_of(maker) if maker in self.row_of else "") or f"output of {op_of(maker)}"
        return f"input of {op_of(values[0].node)}"

    def event(self, event, late):
        if isinstance(event, KeptValue):
            return {"kind": "save", "row": self.row_of.get(event.node), "what": event.what, "type": event.type(),
                    "op": op_of(event.node), "place": self.place_of(event.node._site), "state": event.state()}
        link = through(event)
        return {"kind": "write", "op": event.op, "place": self.place_of(event.site), "late": id(event) in late,
                "unseen": is_untracked(event),
                "through": "" if link is None else f"{OWN_COUNTER.get(link.kind, link.kind)} {self.where(link.site)}".strip()}

    def where(self, site):
        place = self.shown_place(site)
        return "" if place is None else place["where"]

    def folded(self, part):
        """A fold as data; a single row as its number."""
        if not isinstance(part, Fold):
            return part
        label = ".".join(part.path) + (f" part {part.number}" if part.number and part.path else "")
        if not label:
            at = [self.where(self.nodes[row]._site) for row in (part.last, part.first)]
            label = " to ".join(dict.fromkeys(filter(None, at))) or f"part {part.number}"
        kind = "" if part.number else self.names.of_class.get(part.path, "")
        return {"label": label, "path": ".".join(part.path), "class": kind, "first": part.first, "last": part.last,
                "parts": [self.folded(inner) for inner in part.inside]}

    # -- gradients that are not finite -------------------------------------------------------------------------------------

    def watch(self):
        """Mark the nodes, and the edges, that gradients which are not finite leave by; the handles of the hooks that do it."""
        return [node.register_hook(self.marker(row, node)) for row, node in enumerate(self.nodes)]

    def marker(self, row, node):
        def hook(grad_inputs, grad_outputs):
            for place, grad in zip(node.shown_places(), grad_inputs, strict=False):
                if grad is not None and not runtime.xp.is_finite(runtime.xp.resolved(grad._array)):
                    self.mark(row, node._targets[place])
        return hook

    def mark(self, row, target):
        """A gradient that is not finite goes from the node in ``row`` to ``target``."""
        node = self.data["nodes"][row]
        if not node["not finite"]:
            node["not finite"] = "gradient"
            self.data["counts"]["not finite"] += 1
        for edge in self.edges_of[row]:
            edge[3] = edge[3] or edge[1] == self.row_of.get(target)

    def look(self):
        """Run backward once, without touching any ``.grad``, to find where gradients stop being finite."""
        if any(node._freed_by is not None for node in self.nodes) or len(self.nodes) < self.all:
            return self
        tensors, handles = [end for end in self.ends if isinstance(end, TensorBase)], self.watch()
        was, nonfinite.collected = nonfinite.collected, []
        try:
            if all(nonfinite.finite(tensor._array) for tensor in tensors):
                targets = {end: {0: [i]} for i, end in enumerate(e for e in behind(self.roots) if not isinstance(e, Node))}
                starts = [runtime.xp.ones(tensor._array.shape, dtype=tensor._dtype) for tensor in tensors]
                run_backward(self.roots, [t._output_nr for t in tensors], starts, True, False, targets, len(targets),
                             finite=ALWAYS)
            else:
                for tensor in tensors:
                    nonfinite.tell_nonfinite_loss(tensor)
            self.data["story"] = "\n".join(nonfinite.collected[:1]) or None
        except GradientError as error:
            self.data["story"] = str(error).removeprefix(error.sentence()).strip() or str(error)
        finally:
            nonfinite.collected = was
            for handle in handles:
                handle.remove()
        return self


class Numbered:
    """Things by their order of appearance."""

    def __init__(self):
        self.numbers, self.found = {}, []

    def number(self, key, thing):
        if key not in self.numbers:
            self.numbers[key] = len(self.found)
            self.found.append(thing)
        return self.numbers[key]


def in_order(roots):
    """The nodes behind ``roots`` in the order in which backward runs them."""
    waiting = {}
    for end in behind(roots):
        if isinstance(end, Node):
            waiting.setdefault(end, 0)
            for target in end._targets:
                if isinstance(target, Node):
                    waiting[target] = waiting.get(target, 0) + 1
    ready = [(-node._sequence, id(node), node) for node, count in waiting.items() if count == 0]
    heapq.heapify(ready)
    found = []
    while ready:
        node = heapq.heappop(ready)[-1]
        found.append(node)
        for target in node._targets:
            if isinstance(target, Node):
                waiting[target] -= 1
                if waiting[target] == 0:
                    heapq.heappush(ready, (-target._sequence, id(target), target))
    return found


def cut_key(told):
    return told.place.file, told.place.line, told.kind()


def typed(shape, dtype):
    """``f32[2, 3]``."""
    return f"{short_type(dtype)}{list(shape)}"


def typed_outputs(node):
    if node._metas is not None:
        return ", ".join(typed(*meta) for meta in node._metas if meta is not None)
    return "" if node._dtype is None else typed(node._shape, node._dtype)
