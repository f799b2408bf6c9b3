"""What a graph's leaves are called, which module each node belongs to, and how rows are folded.

No module notes its calls in the graph. But a node that takes a parameter belongs to the parameter's module, and what runs
between two such nodes belongs to the innermost module that holds both: a ``relu`` between ``blocks.0.fc1`` and ``blocks.0.fc2``
to ``blocks.0``. A ``Sequential`` runs its parts one after the other: the ``relu`` between its parts 0 and 2 is its part 1's, if
that is a ``ReLU``.
"""
import re

from leafward.core.node import Node
from leafward.core.tensor import TensorBase
from leafward.trust.facts import op_of

#: How many rows are folded together, where nothing else divides them.
MOST_ROWS = 50


class Names:
    """The names of leaves, and the classes of modules, as far as the user's variables show them."""

    def __init__(self, scene):
        self.of_tensor, self.of_class, self.of_memory, self.parts, self.claimed = {}, {}, {}, {}, set()
        networks = sorted(scene.networks(), key=lambda found: -sum(map(len, found[1].values())))
        for variable, members in networks:
            for path, tensor in (pair for named in members.values() for pair in named):
                if isinstance(tensor, TensorBase):
                    self.of_tensor.setdefault(id(tensor), f"{variable}.{path}")
        for variable, value in scene.variables():
            if isinstance(value, TensorBase):
                self.of_tensor.setdefault(id(value), variable)
                self.of_memory.setdefault(id(value._storage), variable)
            elif isinstance(value, (list, tuple)):
                for number, part in enumerate(value[:64]):
                    if isinstance(part, TensorBase):
                        self.of_tensor.setdefault(id(part), f"{variable}[{number}]")
            elif hasattr(type(value), "named_modules"):
                self.note_classes(variable, value)

    def note_classes(self, variable, module):
        try:
            named = list(module.named_modules())
        except Exception:               # noqa: BLE001  a half-built network: it lends no names
            return
        for path, inner in named:
            place = (variable, *filter(None, path.split(".")))
            self.of_class.setdefault(place, type(inner).__name__)
            if type(inner).__name__ == "Sequential":
                self.parts.setdefault(place, list(inner._modules.items()))

    def module_of(self, leaf):
        """``("net", "body", "0")`` for ``net.body.0.weight``; None for what is in no network."""
        path = tuple(self.of_tensor.get(id(leaf), "").split(".")[:-1])
        return path if path and path[:1] in self.of_class else None


def module_paths(nodes, names):
    """For each node, inputs last, the path of the module that it belongs to."""
    own, only_leaves = {}, {}
    for node in reversed(nodes):
        found, alone = [], len(node._targets) == 1          # `t` of a weight: what takes it in its place belongs to the module
        for target in node._targets:
            if target is None:
                continue
            path = only_leaves.get(target) if isinstance(target, Node) else names.module_of(target)
            alone = alone and path is not None
            if path is not None:
                found.append(path)
        if found:
            own[node] = shared(found)
            if alone:
                only_leaves[node] = own[node]
    known = [own.get(node) for node in nodes]
    claim(known, nodes, names)
    before, after = filled(known), filled(known[::-1])[::-1]
    return [path if path is not None else shared([a, b]) if a is not None and b is not None else ()
            for path, a, b in zip(known, before, after, strict=True)]


def claim(known, nodes, names):
    """Fill in ``known``, the paths of ``nodes``, inputs last, for those that modules without parameters made.

    Between two parts of a ``Sequential`` whose nodes are known the others ran in their order. Whose a node is is clear if there
    are as many parts as nodes, and the two around are single layers; or if the parts have the names of the operations.
    """
    rows = [row for row in reversed(range(len(known))) if known[row] is not None]
    for before, after in zip(rows, rows[1:], strict=False):
        between = range(before - 1, after, -1)
        path = shared([known[before], known[after]])
        if not between or path not in names.parts or len(path) == min(len(known[before]), len(known[after])):
            continue
        parts = names.parts[path]
        first, last = ([name for name, _ in parts].index(known[row][len(path)]) for row in (before, after))
        skipped = [(name, plain(type(part).__name__)) for name, part in parts[first + 1:last] if leaves_nodes(part)]
        words, ops = [word for _, word in skipped], [plain(op_of(nodes[row])) for row in between]
        alone = is_one_layer(parts[first][1]) and is_one_layer(parts[last][1])
        if words == ops or (alone and len(words) == len(ops) and all(
                word == op or (word not in ops and op not in words) for word, op in zip(words, ops, strict=True))):
            for row, (name, _) in zip(between, skipped, strict=True):
                known[row] = (*path, name)
                names.claimed.add(known[row])


def is_one_layer(module):
    """Whether a module is a layer of leafward's without others inside."""
    return type(module).__module__.startswith("leafward.nn.") and not module._modules


def leaves_nodes(part):
    """Whether a module without parameters computes anything: a dropout does so while it trains."""
    return type(part).__name__ != "Identity" and (part.training or not hasattr(part, "p"))


def plain(name):
    """``leakyrelu`` for the class ``LeakyReLU`` and for the operation ``leaky_relu``."""
    return re.sub(r"_|\d+d?$", "", name).lower()


def filled(paths):
    """Each path, or the last one before it."""
    last, result = None, []
    for path in paths:
        last = path if path is not None else last
        result.append(last)
    return result


def shared(paths):
    """What several paths begin with."""
    first, last = min(paths), max(paths)
    length = next((i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b), min(len(first), len(last)))
    return first[:length]


class Fold:
    """Rows ``first`` to ``last`` that can be shown as one; inside are rows, by number, and other folds."""

    def __init__(self, path, inside, number=None):
        self.path, self.inside, self.number = path, inside, number
        self.first, self.last = span(inside[0])[0], span(inside[-1])[1]


def span(part):
    return (part.first, part.last) if isinstance(part, Fold) else (part, part)


def folds(paths):
    """Rows as a tree: neighbours in one module lie in one fold, and no fold has more parts than one can take in."""
    return divided(nested(range(len(paths)), paths, 0), ())


def nested(rows, paths, depth):
    """Rows that have a path in common up to ``depth``, their neighbours gathered by what comes next in it."""
    parts, run = [], []
    for row in [*rows, None]:
        if run and (row is None or paths[row][:depth + 1] != paths[run[0]][:depth + 1] or len(paths[row]) <= depth):
            path = paths[run[0]][:depth + 1]
            inside = nested(run, paths, depth + 1)
            parts.extend([Fold(path, divided(inside, path))] if len(run) > 1 else run)
            run = []
        if row is not None:
            if len(paths[row]) > depth:
                run.append(row)
            else:
                parts.append(row)
    return parts


def divided(parts, path):
    """The same in folds of at most :data:`MOST_ROWS` parts."""
    while len(parts) > 2 * MOST_ROWS:
        parts = [Fold(path, parts[start:start + MOST_ROWS], number=start // MOST_ROWS + 1)
                 for start in range(0, len(parts), MOST_ROWS)]
    return parts
